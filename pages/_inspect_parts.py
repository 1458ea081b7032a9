"""The parts of the Inspect page: the query, its items, lists drawn from the policy."""

import math

import numpy as np
import streamlit as st

from fairviz.figures.one_query import GRADE_NAMES
from fairviz.model import Dataset, Run
from fairviz.report.content import Table
from fairviz.report.csv import csv_text
from fairviz.report.latex import latex_text
from pages._inspect_groups import Labelled
from pages._inspect_query import Seen, drawn_lists, recorded_lists, seen, tone
from pages._shared import (
    Bar,
    Cell,
    Column,
    Key,
    download_row,
    el,
    html_table,
    number,
    plural,
)
from pages._table import WHOLE

ROWS = 20
LISTS = 8


def legend(found: Seen) -> None:
    """The key of the bars' colours."""
    largest = int(np.clip(found.bars.gains.max(initial=0), 0, 3))
    names = GRADE_NAMES[: largest + 1]
    keys = (
        el("li", el("span", cls=f"fv-swatch fv-fill-grade{i}", aria_hidden="true"), name)
        for i, name in enumerate(names)
    )
    st.html(el("ul", el("li", "grade", cls="fv-share"), *keys, cls="fv-legend"))


def items(found: Seen, loaded: Dataset, groups: Labelled | None = None) -> None:
    """The retrieved items in order: group, grade, exposure, target, and their text where known."""
    bars = found.bars
    top = max(float(bars.exposure.max(initial=0)), 1e-9)
    passages = loaded.passages or {}
    rows: list[list[Cell]] = []
    for i, name in enumerate(bars.names[:ROWS]):
        grade = f"{bars.gains[i]:g}" if found.judged[i] else "unjudged"
        text = [shortened(passages.get(name, ""))] if passages else []
        group = [groups.cell(i)] if groups else []
        rows.append(
            [
                str(i + 1),
                Key(text=name, tone=tone(bars.gains[i]), code=True),
                *group,
                grade,
                number(float(found.scores[i])),
                number(float(bars.exposure[i])),
                number(float(found.target[i])),
                Bar(length=float(bars.exposure[i]) / top, tone=tone(bars.gains[i])),
                *text,
            ]
        )
    columns: list[Column | str] = [
        Column(label="Rank"),
        Column(label="Document"),
        *([Column(label=groups.attribute)] if groups else []),
        "grade",
        "score",
        "exposure ε",
        "target ε*",
        Column(label="ε", wide=True),
    ]
    html_table(
        [*columns, Column(label="Text", wide=True)] if passages else columns,
        rows,
        caption=f"First {len(rows)} of {found.n_retrieved} retrieved items, in the order of scores",
        narrow="scroll",
        tall=True,
    )


def lists(loaded: Dataset, run: Run, query: str, k: int, alpha: float, found: Seen) -> None:
    """Lists drawn from the policy at α, or recorded ones; colours are grades."""
    recorded = [s for s in loaded.samples if query in s.query_ids and s.system == run.system]
    names = {f"recorded, α = {s.alpha:g}" if s.alpha is not None else "recorded": s for s in recorded}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source = "drawn now"
        if names:
            source = st.selectbox("Lists", [source, *names], key="lists", bind="query-params", width=200)
        seed = int(
            st.number_input(
                "Seed", 0, 9999, 42, key="draw_seed", bind="query-params", width=140, disabled=source in names
            )
        )
    if source in names:
        shown = recorded_lists(names[source], query, LISTS)
    else:
        shown = drawn_lists(run, query, k=k, alpha=alpha, n_lists=LISTS, seed=seed)
    gains = dict(zip(found.bars.names, found.bars.gains.tolist(), strict=True))
    ranks = {name: f"item {i}" for i, name in enumerate(found.bars.names, start=1)}
    whole = all(len(d) <= WHOLE for one in shown for d in one[:k])
    depth = min(max((len(one) for one in shown), default=0), k)
    rows: list[list[Cell]] = []
    for i, one in enumerate(shown, start=1):
        cells = [
            Key(text=d if whole else ranks.get(d, "–"), tone=tone(gains.get(d, 0)), code=True) for d in one[:depth]
        ]
        rows.append([str(i), *cells, *[""] * (depth - len(cells))])
    columns = [Column(label="List"), *(Column(label=f"rank {r + 1}") for r in range(depth))]
    how = f"α = {alpha:g}, seed {seed}" if source not in names else source
    caption = f"{plural(len(rows), 'list')}, {how}"
    if not whole:
        caption += "; items by their place in the order of scores, as above"
    html_table(columns, rows, caption=caption, show_caption=True, narrow="scroll")


def shortened(text: str, longest: int = 150) -> str:
    """The start of a passage, cut between words."""
    return text if len(text) <= longest else f"{text[:longest].rsplit(' ', 1)[0]} …"


def downloads(
    loaded: Dataset,
    system: int,
    judgements: int | None,
    query: str,
    k: int,
    alpha: float,
    groups: Labelled | None = None,
) -> None:
    """The exposure of this query's items, for files and papers."""

    def items() -> Table:
        found = seen(loaded, system, judgements, query, k, alpha)
        bars = found.bars
        numbers = (bars.gains, found.scores, bars.exposure, found.target)
        named = (groups.attribute,) if groups else ()
        return Table(
            ("rank", "doc_id", *named, "grade", "score", "exposure", "target"),
            tuple(
                (rank, name, *([groups.written(rank - 1)] if groups else []), int(grade), *rest)
                for rank, name, grade, *rest in zip(
                    range(1, len(bars.names) + 1),
                    bars.names,
                    *(column.tolist() for column in numbers),
                    strict=True,
                )
            ),
            caption=f"Query {query}: expected exposure in the first {k} at α = {alpha:g}",
        )

    download_row(
        "fairviz-query",
        frame_csv=lambda: csv_text(items()),
        latex=lambda: latex_text(items(), label="tab:query"),
    )


def title(found: Seen, k: int) -> str:
    """What the fixed list does for this query: a count of what is shown."""
    useful = int((found.bars.gains > 0).sum())
    shown = int(((found.bars.gains > 0) & (found.bars.fixed > 0)).sum())
    if not useful:
        return "No retrieved item is judged useful"
    return f"The fixed list shows {shown} of {plural(useful, 'useful item')} in its first {k}"


def fixed_useful(found: Seen) -> float:
    """Share of the fixed list's attention on useful items."""
    fixed = found.bars.fixed
    return float(fixed[found.bars.gains > 0].sum() / fixed.sum()) if fixed.sum() else math.nan


def beyond(found: Seen) -> tuple[float, int]:
    """Share of attention past the items that the chart draws, and how many those are."""
    tail = found.bars.exposure[40:]
    return (float(tail.sum() / found.bars.exposure.sum()), int(tail.size)) if tail.size else (0, 0)
