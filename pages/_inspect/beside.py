"""Two systems side by side for one query: their first k, what both show, what only one does, exposure on one scale."""

from fairviz.display.words import number, plural
from pages._inspect.results import Seen, tone
from pages._kit import Bar, Cell, Column, Key, counts_line, html_table, muted, section

MOST = 20
"""Documents of either list that are drawn."""


def side_by_side(names: tuple[str, str], pair: tuple[Seen, Seen], k: int, alpha: float) -> None:
    """The deterministic lists of two systems by rank, then the exposure of all documents that either shows.

    Args:
        names: The systems.
        pair: What each does for the query.
        k: Ranks that count.
        alpha: Of the exposure.
    """
    shown = [list(one.bars.names[: min(k, MOST)]) for one in pair]
    both = set(shown[0]) & set(shown[1])
    useful = [_useful(one, docs) for one, docs in zip(pair, shown, strict=True)]
    only = [_useful(one, [d for d in docs if d not in both]) for one, docs in zip(pair, shown, strict=True)]
    section(
        f"{names[0]} beside {names[1]}",
        f"{plural(len(both), 'document')} of the first {k} in both; relevant: {useful[0]} of {len(shown[0])} and "
        f"{useful[1]} of {len(shown[1])}, of these {only[0]} and {only[1]} in one list only",
    )
    _lists(names, pair, shown, both)
    _exposure(names, pair, shown, alpha)


def _useful(one: Seen, docs: list[str]) -> int:
    gains = dict(zip(one.bars.names, one.bars.gains.tolist(), strict=True))
    return sum(gains[doc] > 0 for doc in docs)


def _lists(names: tuple[str, str], pair: tuple[Seen, Seen], shown: list[list[str]], both: set[str]) -> None:
    graded = [dict(zip(one.bars.names, _grades(one), strict=True)) for one in pair]
    rows: list[list[Cell]] = []
    for rank in range(max(map(len, shown))):
        row: list[Cell] = [str(rank + 1)]
        for docs, grades in zip(shown, graded, strict=True):
            if rank >= len(docs):
                row += ["", "", ""]
                continue
            doc = docs[rank]
            grade, gain = grades[doc]
            row += [Key(text=doc, tone=tone(gain), code=True), grade, muted("both") if doc in both else "only here"]
        rows.append(row)
    columns = [Column(label="Rank")]
    for name in names:
        columns += [Column(label=name), Column(label="grade", align="right"), Column(label="")]
    html_table(columns, rows, caption=f"The first ranks of {names[0]} and {names[1]}", narrow="scroll")


def _exposure(names: tuple[str, str], pair: tuple[Seen, Seen], shown: list[list[str]], alpha: float) -> None:
    """Bars of both on one scale, the documents that one of them exposes most first."""
    exposed = [dict(zip(one.bars.names, one.bars.exposure.tolist(), strict=True)) for one in pair]
    ranks = [{doc: rank for rank, doc in enumerate(one.bars.names, start=1)} for one in pair]
    gains = {doc: gain for one in pair for doc, gain in zip(one.bars.names, _grades(one), strict=True)}
    docs = list(dict.fromkeys([*shown[0], *shown[1]]))
    docs.sort(key=lambda doc: -max(of.get(doc, 0.0) for of in exposed))
    top = max(1e-9, *(of.get(doc, 0.0) for of in exposed for doc in docs))
    rows: list[list[Cell]] = []
    for doc in docs:
        grade, gain = gains[doc]
        row: list[Cell] = [Key(text=doc, tone=tone(gain), code=True), grade]
        for of, rank in zip(exposed, ranks, strict=True):
            known = doc in of
            row += [
                str(rank[doc]) if known else muted("not retrieved"),
                number(of[doc]) if known else "",
                Bar(length=of.get(doc, 0.0) / top, tone=tone(gain)),
            ]
        rows.append(row)
    columns = [Column(label="Document"), Column(label="grade", align="right")]
    for name in names:
        columns += [Column(label=f"rank, {name}", align="right"), Column(label="ε", align="right"), Column(label="")]
    html_table(
        columns,
        rows,
        caption=f"Exposure ε at α = {alpha:g} of what either shows, bars on one scale",
        show_caption=True,
        narrow="scroll",
        tall=len(rows) > 12,
    )
    counts_line(f"rank: in the order of scores · {plural(len(rows), 'document')} in the first ranks of either")


def _grades(one: Seen) -> list[tuple[str, float]]:
    """(grade in words, gain) of each retrieved document."""
    pairs = zip(one.bars.gains.tolist(), one.judged, strict=True)
    return [(f"{gain:g}" if judged else "unjudged", gain) for gain, judged in pairs]
