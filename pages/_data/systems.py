"""The coverage of every system on the page: one row each, gaps in words and hatched; one system in detail below."""

from collections.abc import Callable, Sequence

import streamlit as st

from fairviz.display.words import count, listing, percent, plural
from fairviz.evaluation.coverage import Judged, Part, SystemCoverage, coverage_finding
from fairviz.model import Dataset
from pages._data import results
from pages._data.results import CUTOFF
from pages._kit import Cell, Column, Html, callout, counts_line, el, html_table, join, section, stacked_bar
from pages._kit.controls import choose_cutoff
from pages._kit.html import Tone

MANY = 12
"""Systems from which the table scrolls in its box."""
NAMED = 8
"""Missing queries that are named; the rest is counted."""


@st.fragment
def coverage(loaded: Dataset, head: Callable[[Sequence[SystemCoverage]], None]) -> None:
    """The matrix of all systems, its finding as the title, and one system in detail; all of it follows k.

    Args:
        loaded: The data.
        head: Shows the page's own title, which follows k, too.
    """
    top, control = st.columns([4, 1], vertical_alignment="bottom")
    with control:
        k = choose_cutoff("Cutoff k", usual=CUTOFF, help="How many documents of each list are examined, from the top.")
    rows = results.systems(loaded, k)
    head(rows)
    attributes = [labels.attribute for labels in loaded.labels]
    found = coverage_finding(rows, attributes, k=k)
    with top:
        section(found.title, " ".join(filter(None, [found.sentence, "Hatched is what is missing."])))
    several = len({row.judged.qrels for row in rows if row.judged is not None}) > 1
    html_table(
        [
            Column(label="System"),
            Column(label="Queries"),
            Column(label=f"Judged at {k}"),
            *(Column(label=f"Labelled at {k}: {attribute}") for attribute in attributes),
            *([] if attributes else [Column(label="Labels")]),
            Column(label="Outputs"),
        ],
        [_row(row, len(attributes), several=several) for row in rows],
        caption="Coverage of every system",
        narrow="scroll",
        tall=len(rows) > MANY,
    )
    _detail(rows)


def _row(row: SystemCoverage, n_attributes: int, *, several: bool) -> list[Cell]:
    labels = [_share(part, "unlabelled", "all labelled") for part in row.labelled]
    no_list = _none("no list", "not recorded")
    return [
        _system(row),
        no_list if row.n_queries == 0 else _queries(row),
        _judged(row.judged, several=several) if row.n_queries else no_list,
        *(labels or [_none("none", "no labels loaded")] if row.n_queries else [no_list] * max(n_attributes, 1)),
        _outputs(row),
    ]


def _system(row: SystemCoverage) -> Html:
    """Name, what it is (a run, sampled rankings of a policy, or outputs), and the length of its longest list."""
    policy = " ".join(filter(None, [row.policy, "" if row.alpha is None else f"α = {row.alpha:g}"]))
    lists = {
        "run": "run",
        "samples": f"{plural(row.n_lists, 'sampled ranking')}",
        "outputs": f"{plural(row.n_lists, 'list')} of recorded outputs" if row.n_lists else "recorded outputs",
    }
    deep = f"depth {count(row.depth)}" if row.depth else ""
    below = " · ".join(filter(None, [policy, lists[row.kind], deep]))
    return join(el("strong", row.system), el("span", below, cls="fv-below"))


def _queries(row: SystemCoverage) -> Html:
    n = count(row.n_queries)
    if row.judged is None:
        return _cell(n, "no judgements", Part(0, 1))
    lacking, missing = row.judged.queries.lacking, len(row.judged.missing)
    words = f"{count(lacking)} not judged" if lacking else "all judged"
    if missing:
        words += f", lacks {plural(missing, 'judged one', 'judged ones')}"
    queries = row.judged.queries
    return _cell(n, words, Part(queries.n, queries.of + missing))


def _judged(judged: Judged | None, *, several: bool) -> Html:
    if judged is None:
        return _none("none", "no judgements")
    if not judged.places.of:
        return _none("none", "no judged query")
    by = f" · {judged.qrels}" if several else ""
    return _share(judged.places, f"not judged{by}", f"all judged{by}")


def _share(part: Part, lacking: str, whole: str) -> Html:
    """A share of places, down to one decimal where it is nearly none or nearly all."""
    decimals = 1 if 0 < part.share < 0.01 or 0.99 < part.share < 1 else 0
    rest = part.lacking / part.of if part.of else float("nan")
    return _cell(percent(part.share, decimals), f"{percent(rest, decimals)} {lacking}" if part.lacking else whole, part)


def _outputs(row: SystemCoverage) -> Html:
    if not row.n_answers:
        return _none("none", "no outputs")
    who = "" if len(row.generators) == 1 else f" of {plural(len(row.generators), 'generator')}"
    covered = f"{count(row.answered.n)} of {plural(row.answered.of, 'query', 'queries')}"
    words = f"all queries{who}" if not row.answered.lacking else f"{covered}{who}"
    return _cell(count(row.n_answers), words, row.answered)


def _none(value: str, words: str) -> Html:
    return _cell(value, words, Part(0, 1))


def _cell(value: str, words: str, part: Part) -> Html:
    """A number, its gap in words, and a bar of what is there and, hatched, what is not."""
    bar = (
        el("span", cls="fv-fill-plackett-luce", style=f"flex:{part.n} 0 0") if part.n else None,
        el("span", cls="fv-hatched", style=f"flex:{part.lacking} 0 0") if part.lacking else None,
    )
    return join(
        el("span", value),
        el("span", words, cls="fv-below"),
        el("span", *bar, cls="fv-stack fv-covered", aria_hidden="true"),
    )


# One system.


def _detail(rows: Sequence[SystemCoverage]) -> None:
    """Queries and ranked documents by grade of one system, chosen where there are several; computed when opened."""
    judged = [row for row in rows if row.judged is not None]
    if not judged:
        return
    fold = st.expander(
        "Queries and grades" if len(judged) == 1 else "Queries and grades of one system",
        expanded=len(judged) == 1,
        on_change="rerun",
        key="join_detail",
    )
    if not fold.open:
        return
    with fold:
        at = 0
        if len(judged) > 1:
            names = [" ".join(filter(None, [row.system, _alpha(row)])) for row in judged]
            at = st.selectbox("System", range(len(names)), key="join_system", format_func=names.__getitem__, width=260)
        _bars(judged[at].system, judged[at].judged)


def _alpha(row: SystemCoverage) -> str:
    return "" if row.alpha is None else f"(α = {row.alpha:g})"


def _bars(system: str, judged: Judged | None) -> None:
    """Two bars: the queries of the rankings, and the ranked documents of the judged ones."""
    if judged is None:
        return
    if judged.trouble is not None:
        reason, fix = judged.trouble
        callout(f"{system} and {judged.qrels} do not join: {reason}.", fix)
        return
    grey, loss = "grade0", "optimal"
    queries: list[tuple[str, int, Tone]] = [
        ("evaluated", judged.evaluated, "plackett-luce"),
        ("all judged documents have one grade", judged.alike, loss),
        ("not judged", judged.unjudged, grey),
    ]
    stacked_bar(f"Queries of {system}", [part for part in queries if part[1] or part[0] == "evaluated"])
    grade_0, grade_1, grade_2, grade_3 = judged.grades
    grades: list[tuple[str, int, Tone]] = [
        ("grade 3 or more", grade_3, "grade3"),
        ("grade 2", grade_2, "grade2"),
        ("grade 1", grade_1, "grade1"),
        ("grade 0 or less", grade_0, "mute"),
        ("not judged", judged.items_unjudged, grey),
    ]
    n = plural(judged.queries.n, "judged query", "judged queries")
    stacked_bar(f"Ranked documents of the {n}", [part for part in grades if part[1]])
    counts_line(f"{_missing(judged)} Documents without a judgement count as not relevant.")


def _missing(judged: Judged) -> str:
    names = list(judged.missing)
    if not names:
        return "Judged queries missing from the ranking: none."
    shown = [*names[:NAMED], f"{count(len(names) - NAMED)} more"] if len(names) > NAMED else names
    return f"Judged queries missing from the ranking, undefined: {listing(shown)}."
