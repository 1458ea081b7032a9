"""Sections of the page Trade-off: policies to choose from, curves, what a point of them shows."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np
import streamlit as st

from fairviz.display.words import considered, listing, plural, signed
from fairviz.evaluation.compare import Comparison
from fairviz.kernels.attention import TopK
from fairviz.kernels.exposure import run_exposure
from fairviz.model import Curve, Dataset, candidates_words
from fairviz.points.curves import ALPHAS, FIXED_ALPHA, PolicyName, compare_points, only_query
from fairviz.points.intervals import alpha_tests, disparity_by_alpha
from fairviz.points.summary import turned
from fairviz.points.view import POLICY_NAMES, Line, TradeoffView
from fairviz.points.words import detectable_words, left_out_words, spacing_note
from fairviz.studies.queries.charts import ITEMS_DRAWN, query_alt, query_figure
from fairviz.studies.tradeoff.analysis import curve_of, of_system, pools_of, samples_of
from fairviz.studies.tradeoff.charts import (
    MARKED_ALPHAS,
    ee_distribution_alt,
    ee_distribution_figure,
    tradeoff_alt,
    tradeoff_figure,
)
from fairviz.studies.tradeoff.columns import alpha_tests_table, comparison_table
from fairviz.studies.tradeoff.findings import alpha_title, comparison_title, query_finding, readings
from fairviz.studies.tradeoff.settings import TradeoffSettings
from pages._kit import colours, counts_line, readouts, section, show_figure
from pages._kit.controls import choose_alpha, choose_name, choose_query
from pages._kit.html import Column, Row, Toned, around_zero, glyph, grade_key, muted, page_table
from pages._kit.link import name_mark
from pages._kit.session import cached
from pages._tradeoff.results import first_query, one_query, ranked_queries

POLICIES: tuple[PolicyName, ...] = ("plackett-luce", "optimal", "oracle", "uniform", "deterministic")
NOBODY = "none"
"""In the address: a policy of no system."""
Drawn: TypeAlias = tuple[tuple[PolicyName, tuple[str, ...]], ...]
"""Each policy with the systems that it is drawn of."""


def choose_drawn(system: str, others: tuple[str, ...]) -> Drawn:
    """Show the control, and return what it says.

    Args:
        system: The highlighted one; its Plackett–Luce curve is what the page is about, and always drawn.
        others: Those beside it.
    """
    with st.popover("Policies", icon=":material/show_chart:", width="content"):
        beside: Drawn = (("plackett-luce", _systems("plackett-luce", others, others, system)),) if others else ()
        return (*beside, *((policy, _systems(policy, (system, *others), (system,), system)) for policy in POLICIES[1:]))


def _systems(policy: PolicyName, names: tuple[str, ...], usual: tuple[str, ...], system: str) -> tuple[str, ...]:
    """Of which of some systems a policy is drawn; ``usual`` unless something is chosen."""
    memory: dict[str, list[str]] = st.session_state.setdefault("tradeoff_drawn", {})
    marks = {name_mark(name): name for name in names}
    said = memory.get(policy) or st.query_params.get_all(policy)
    start = [marks[mark] for mark in said if mark in marks] if said else list(usual)
    who = f"{POLICY_NAMES[policy]} of"
    label = f"{who} systems beside {system}" if policy == "plackett-luce" else who
    shown = st.multiselect(label, names, default=start, key=f"drawn-{policy}-{name_mark(' '.join((system, *names)))}")
    picked = tuple(name for name in names if name in shown)
    memory[policy] = [] if picked == usual else [name_mark(name) for name in picked] or [NOBODY]
    if st.query_params.get_all(policy) != memory[policy]:
        st.query_params[policy] = memory[policy]
    return picked


def further(selection: TradeoffSettings, drawn: Drawn) -> tuple[tuple[PolicyName, str], ...]:
    """(policy, system) of everything that is drawn of other systems beside their Plackett–Luce curves."""
    return tuple(
        (policy, system)
        for policy, systems in drawn
        for system in systems
        if policy != "plackett-luce" and system != selection.system
    )


def further_steps(loaded: Dataset, selection: TradeoffSettings, drawn: Drawn) -> list[tuple[str, Callable[[], object]]]:
    """What is computed for what is drawn of other systems, one after the other; see :func:`results.steps`."""
    return [
        (f"{POLICY_NAMES[policy]} of {system}", partial(curve_of, loaded, selection, policy, system))
        for policy, system in further(selection, drawn)
    ]


def drawn_view(loaded: Dataset, selection: TradeoffSettings, view: TradeoffView, drawn: Drawn) -> TradeoffView:
    """The chart with the policies that were chosen."""
    systems = dict(drawn)
    own = {policy for policy, names in drawn if selection.system in names}
    beside = systems.get("plackett-luce", ())
    return replace(
        view,
        lines=[line for line in view.lines if line.system == view.system or line.system in beside],
        policies={policy: line for policy, line in view.policies.items() if policy in {"sampled", *own}},
        joined=view.joined and "deterministic" in own,
        further=tuple(_line(loaded, selection, policy, system) for policy, system in further(selection, drawn)),
    )


def _line(loaded: Dataset, selection: TradeoffSettings, policy: PolicyName, system: str) -> Line:
    line = Line.of(curve_of(loaded, selection, policy, system))
    return line if policy in ("uniform", "deterministic") else line.by_x()


def further_words(view: TradeoffView) -> str:
    """Who is drawn thin in a policy's colour; empty where nobody is."""
    parts = [
        f"{POLICY_NAMES[policy]} of {listing([line.system for line in view.further if line.policy == policy])}"
        for policy in POLICIES
        if any(line.policy == policy for line in view.further)
    ]
    return f"Thin, in the colour of their policy: {'; '.join(parts)}." if parts else ""


MOST = 8
"""α shown at most; an exact curve shows the paper's four."""


def alpha_section(curve: Curve) -> None:
    """Boxes of EE-D per α, and a paired t-test between every two of them."""
    if curve.alphas.size > MOST or curve.n_samples is None:
        curve = curve.only(MARKED_ALPHAS)
    spreads, tests = disparity_by_alpha(curve), alpha_tests(curve)
    if not any(spread.n_queries for spread in spreads):
        return
    n = max(spread.n_queries for spread in spreads)
    source = "exact" if curve.n_samples is None else "plug-in from recorded samples"
    section(
        alpha_title(tests),
        f"EE-D of {plural(n, 'query', 'queries')} at each α, {source}; box: quartiles, whiskers: "
        f"extremes, diamond: mean; paired t ({considered(sum(test.p_holm == test.p_holm for test in tests))})",
    )
    left, right = st.columns([5, 7], gap="large", vertical_alignment="center")
    with left:
        figure = ee_distribution_figure(spreads, colours=colours())
        show_figure(figure, "ee-distribution", ee_distribution_alt(spreads))
    with right:
        page_table(
            alpha_tests_table(tests),
            show=("between", "difference", "p_holm", "verdict", "n_queries"),
            drawn={
                "between": lambda row: f"{row.number('alpha_low'):g} → {row.number('alpha_high'):g}",
                "difference": _alpha_difference,
                "verdict": lambda row: muted(_alpha_verdict(row.number("difference"), row.number("p_holm"))),
            },
            columns={
                "between": "α",
                "difference": "Δ EE-D",
                "verdict": Column(label=""),
                "n_queries": Column(label="queries", align="right", wide=True),
            },
            caption="EE-D between α",
            narrow="scroll",
        )


def _alpha_difference(row: Row) -> str:
    """Differences that three digits would hide have five."""
    difference = row.number("difference")
    return signed(difference, 3 if abs(difference) >= 0.001 else 5)


def _alpha_verdict(difference: float, p_holm: float) -> str:
    if np.isnan(p_holm):
        return "too few to test"
    if p_holm < 0.05:
        return "higher" if difference > 0 else "lower"
    return "no significant difference"


def alpha_slider() -> float:
    """The slider: how strongly the ranking follows the scores."""
    return choose_alpha(
        FIXED_ALPHA,
        help="0: uniform random. 8: almost the deterministic list. "
        "Logits are (s + offset)^α of the scores s, scaled per query.",
    )


def curve_panel(view: TradeoffView, alpha: float, selection: TradeoffSettings) -> None:
    """Read-outs, the disparity–quality chart at α, and what of the scores it depends on."""
    point = view.at(alpha)
    readouts(readings(view, point))
    show_figure(
        tradeoff_figure(view, colours=colours(), point=point),
        "tradeoff",
        tradeoff_alt(view, point),
    )
    if view.left_out:
        counts_line(left_out_words(view.left_out))
    counts_line(spacing_note(selection.scores, selection.offset))


def query_panel(loaded: Dataset, selection: TradeoffSettings, alpha: float) -> None:
    """Exposure of one query's items at α."""
    pools = pools_of(loaded, selection)
    words: dict[str, str] = loaded.texts or {}
    ids = ranked_queries(pools)
    if not ids:
        return
    first = first_query(curve_of(loaded, selection), ids)
    picked = choose_query("One query", ids, words, key="tradeoff_query", first=first)
    query = pools.query_ids.index(picked)
    exposures = one_query(loaded, selection, query)
    rows = slice(int(pools.offsets[query]), int(pools.offsets[query + 1]))
    exposure = exposures[int(np.argmin(np.abs(ALPHAS - alpha)))]
    fixed, gains = run_exposure(only_query(pools, query), TopK(selection.n_seen)), pools.gains[rows]
    result = query_finding(exposure, fixed, gains, shown=ITEMS_DRAWN)
    section(result.title, result.sentence)
    figure = query_figure(exposure, fixed, gains, colours=colours())
    show_figure(figure, "one-query", query_alt(exposure, fixed, gains))
    grade_key(gains)


def counts(loaded: Dataset, selection: TradeoffSettings, view: TradeoffView) -> None:
    """What is in the means, what is not, and how exact it is."""
    pools, main = pools_of(loaded, selection), curve_of(loaded, selection)
    run = next(run for run in loaded.runs if run.system == selection.system)
    n_other = len(samples_of(loaded, selection, shown=False))  # their tags name other scores or another offset
    n_undefined = int(main.n_undefined.max(initial=0))
    missing = len(pools.missing_queries)
    n_defined = len(pools.query_ids) - n_undefined
    parts = [f"{plural(n_defined, 'query', 'queries')} in every point of the curves"]
    if n_undefined - missing:
        parts.append(f"{n_undefined - missing} excluded (all candidates have equal gain)")
    if missing:
        named = ", ".join(pools.missing_queries[:3]) + (" …" if missing > 3 else "")
        judged = plural(missing, "judged query is", "judged queries are")
        parts.append(f"{judged} not in the run ({named})")
    if pools.unjudged_queries:
        unjudged = plural(len(pools.unjudged_queries), "query of the run has", "queries of the run have")
        parts.append(f"{unjudged} no judgements")
    parts.append(candidates_words(run))
    parts.append(f"exact exposure at {view.line.alphas.size} values of α")
    if "sampled" in view.policies:
        parts.append("crosses: recorded samples, plug-in EE-D")
    if n_other:
        parts.append(f"not drawn: {plural(n_other, 'recorded sample')} of other scores or another offset")
    counts_line(" · ".join(parts))


@cached
def comparison(loaded: Dataset, selection: TradeoffSettings, other: str) -> tuple[Comparison, tuple[Comparison, ...]]:
    """The highlighted system minus another one: the area is that of the table above."""
    names = (selection.system, other)
    lines = [curve_of(loaded, selection, system=name) for name in names]
    ends = [curve_of(loaded, selection, "deterministic", name) for name in names]
    rows = of_system(loaded, selection, fine=True).areas.rows
    gap = next(row.gap for row in rows if row.gap and (row.system, row.policy) == (other, lines[1].policy))
    return turned(gap), compare_points(*lines, *ends, alpha=FIXED_ALPHA, seed=selection.seed)


def comparison_section(loaded: Dataset, selection: TradeoffSettings) -> None:
    """Choose another system with common queries and see every difference with its interval."""
    gaps = of_system(loaded, selection, fine=True).areas.gaps
    names = [gap.system for gap in gaps if gap.system != selection.system and gap.n_queries]
    if not names:
        section("No other system can be compared", f"None has a query in common with {selection.system}.")
        return
    head = st.container()
    with st.container(horizontal=True):
        other = choose_name("Compared with", names, "other", width=260)
    area, points = comparison(loaded, selection, other)
    n_tests = sum(gap.p_holm == gap.p_holm for gap in gaps)
    at_points = considered(sum(row.p_holm == row.p_holm for row in points))
    with head:
        section(
            comparison_title(area, selection.system, other),
            f"{selection.system} minus {other}, both by Plackett–Luce; 95 % paired bootstrap over "
            "the queries that both have; AUC as in the table above, its p over that table; paired t "
            f"({at_points})" + (f". {said}" if (said := detectable_words([area], n_tests)) else ""),
        )
    intervals = [area.interval, *(row.interval for row in points)]
    page_table(
        comparison_table(area, points),
        show=("measure", "difference", "interval", "p_holm", "verdict", "n_queries"),
        drawn={
            "difference": _compared_difference,
            "interval": lambda row: glyph(
                row.number("difference"), row.number("low"), row.number("high"), apart=_apart(row)
            ),
            "verdict": lambda row: muted(row.text("verdict")),
        },
        columns={
            "difference": "Δ",
            "interval": Column(
                label="Δ, 95 % interval", span=around_zero(end for ends in intervals for end in ends), zero=0.0
            ),
            "verdict": Column(label=""),
            "n_queries": Column(label="queries", align="right", wide=True),
        },
        caption="Two systems, paired by query",
        narrow="scroll",
    )


def _apart(row: Row) -> bool:
    return row.text("verdict") in ("higher", "lower")


def _compared_difference(row: Row) -> Toned:
    """In ink where the systems differ."""
    apart = _apart(row)
    return Toned(text=signed(row.number("difference")), tone="ink" if apart else "mute", bold=apart)
