"""Sections of the page Trade-off: policies to choose from, curves, what a point of them shows."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
import streamlit as st

from fairviz.display.words import considered, listing, plural, signed
from fairviz.kernels.attention import TopK
from fairviz.kernels.exposure import run_exposure
from fairviz.model import Curve, Dataset, FloatArray, Pools, Run, candidates_words
from fairviz.points.curves import ALPHAS, FIXED_ALPHA, CurveComparison, PolicyName, compare_curves, only_query
from fairviz.points.intervals import alpha_tests, disparity_by_alpha, only_alphas
from fairviz.points.view import POLICY_NAMES, Line, TradeoffView
from fairviz.points.words import detectable_words, left_out_words, spacing_note
from fairviz.studies.attribution.findings import alpha_title
from fairviz.studies.queries.charts import (
    ITEMS_DRAWN,
    ee_distribution_alt,
    ee_distribution_figure,
    grade_legend,
    query_alt,
    query_figure,
)
from fairviz.studies.queries.measures import QueryExposure
from fairviz.studies.tradeoff.charts import MARKED_ALPHAS, tradeoff_alt, tradeoff_figure
from fairviz.studies.tradeoff.columns import TradeoffResults, tables
from fairviz.studies.tradeoff.findings import comparison_title, query_finding, readings
from pages._kit import colours, counts_line, readouts, section, show_figure
from pages._kit.cache import cached
from pages._kit.controls import choose_alpha, choose_name, choose_query
from pages._kit.html import Column, Toned, el
from pages._kit.link import name_mark
from pages._kit.table import Row, around_zero, glyph, muted, page_table
from pages._tradeoff.results import (
    SEED,
    Settings,
    SystemCurves,
    curve_of,
    first_query,
    one_query,
    ranked_queries,
    statistics,
)

POLICIES: tuple[PolicyName, ...] = ("plackett-luce", "optimal", "oracle", "uniform", "deterministic")
NOBODY = "none"
"""In the address: a policy of no system."""
Drawn: TypeAlias = tuple[tuple[PolicyName, tuple[str, ...]], ...]
"""Each policy with the systems that it is drawn of."""


class _Choice(NamedTuple):
    """Systems of one policy: what is drawn unless something is chosen, and whose choice it is."""

    policy: PolicyName
    names: tuple[str, ...]
    usual: tuple[str, ...]


def choose_drawn(system: str, others: tuple[str, ...]) -> Drawn:
    """Show the control, and return what it says.

    Args:
        system: The highlighted one; its Plackett–Luce curve is what the page is about, and always drawn.
        others: Those beside it.
    """
    every = (system, *others)
    choices = [_Choice("plackett-luce", others, others)] if others else []
    choices += [_Choice(policy, every, (system,)) for policy in POLICIES[1:]]
    with st.popover("Policies", icon=":material/show_chart:", width="content"):
        return tuple((one.policy, _systems(one, system)) for one in choices)


def _systems(of: _Choice, system: str) -> tuple[str, ...]:
    memory: dict[str, list[str]] = st.session_state.setdefault("tradeoff_drawn", {})
    marks = {name_mark(name): name for name in of.names}
    said = memory.get(of.policy) or st.query_params.get_all(of.policy)
    start = [marks[mark] for mark in said if mark in marks] if said else list(of.usual)
    who = f"{POLICY_NAMES[of.policy]} of"
    label = f"{who} systems beside {system}" if of.policy == "plackett-luce" else who
    shown = st.multiselect(
        label, of.names, default=start, key=f"drawn-{of.policy}-{name_mark(' '.join((system, *of.names)))}"
    )
    picked = tuple(name for name in of.names if name in shown)
    memory[of.policy] = [] if picked == of.usual else [name_mark(name) for name in picked] or [NOBODY]
    if st.query_params.get_all(of.policy) != memory[of.policy]:
        st.query_params[of.policy] = memory[of.policy]
    return picked


def further(selection: Settings, drawn: Drawn) -> tuple[tuple[PolicyName, str], ...]:
    """(policy, system) of everything that is drawn of other systems beside their Plackett–Luce curves."""
    return tuple(
        (policy, system)
        for policy, systems in drawn
        for system in systems
        if policy != "plackett-luce" and system != selection.system
    )


def further_steps(loaded: Dataset, selection: Settings, drawn: Drawn) -> list[tuple[str, Callable[[], object]]]:
    """What is computed for what is drawn of other systems, one after the other; see :func:`results.steps`."""
    return [
        (f"{POLICY_NAMES[policy]} of {system}", partial(curve_of, loaded, system, selection, policy))
        for policy, system in further(selection, drawn)
    ]


def drawn_view(loaded: Dataset, selection: Settings, view: TradeoffView, drawn: Drawn) -> TradeoffView:
    """The chart with the policies that were chosen."""
    systems = dict(drawn)
    own = {policy for policy, names in drawn if selection.system in names}
    beside = systems.get("plackett-luce", ())
    return replace(
        view,
        lines=[line for line in view.lines if line.system == view.system or line.system in beside],
        optimal=view.optimal if "optimal" in own else None,
        oracle=view.oracle if "oracle" in own else None,
        uniform=view.uniform if "uniform" in own else None,
        deterministic=view.deterministic if "deterministic" in own else None,
        joined=view.joined and "deterministic" in own,
        further=tuple(_line(loaded, selection, policy, system) for policy, system in further(selection, drawn)),
    )


def _line(loaded: Dataset, selection: Settings, policy: PolicyName, system: str) -> Line:
    line = Line.of(curve_of(loaded, system, selection, policy))
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
        curve = only_alphas(curve, MARKED_ALPHAS)
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
            tables(TradeoffResults(alpha_tests=tests))["alpha-tests"],
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


def curve_panel(view: TradeoffView, alpha: float, selection: Settings) -> None:
    """Read-outs, the disparity–quality chart at α, and what of the scores it depends on."""
    point = view.at(alpha)
    readouts([(one.value, one.name, one.policy) for one in readings(view, point)])
    show_figure(
        tradeoff_figure(view, colours=colours(), point=point),
        "tradeoff",
        tradeoff_alt(view, point),
    )
    if view.left_out:
        counts_line(left_out_words(view.left_out))
    counts_line(spacing_note(selection.scores, selection.offset))


def query_panel(loaded: Dataset, selection: Settings, system_curves: SystemCurves, alpha: float) -> None:
    """Exposure of one query's items at α."""
    pools = system_curves.pools
    words: dict[str, str] = loaded.texts or {}
    ids = ranked_queries(pools)
    if not ids:
        return
    first = first_query(system_curves, ids)
    picked = choose_query("One query", ids, words, key="tradeoff_query", first=first)
    query = pools.query_ids.index(picked)
    exposures = one_query(loaded, selection, query)
    rows = slice(int(pools.offsets[query]), int(pools.offsets[query + 1]))
    bars = QueryExposure(
        exposure=exposures[int(np.argmin(np.abs(ALPHAS - alpha)))],
        fixed=_fixed(pools, query, selection.k),
        gains=pools.gains[rows],
    )
    result = query_finding(bars.exposure, bars.fixed, bars.gains, shown=ITEMS_DRAWN)
    section(result.title, result.sentence)
    show_figure(query_figure(bars, colours=colours()), "one-query", query_alt(bars))
    grade_key(bars)


def grade_key(bars: QueryExposure) -> None:
    """The key of the bars' colours."""
    entries = (
        el(
            "li",
            el("span", cls=f"fv-swatch fv-fill-grade{grade}", aria_hidden="true"),
            el("span", name),
        )
        for grade, (_, name) in enumerate(grade_legend(bars, colours=colours()))
    )
    title = el("li", el("span", "grade", cls="fv-mute"))
    st.html(el("ul", title, *entries, cls="fv-legend", aria_label="colours by grade"))


def counts(run: Run, system_curves: SystemCurves, n_exact: int, *, sampled: bool, n_other: int = 0) -> None:
    """What is in the means, what is not, and how exact it is.

    Args:
        run: Whose curves are drawn.
        system_curves: The curves.
        n_exact: Points of the main one.
        sampled: Whether recorded samples are drawn.
        n_other: Recorded samples that are not, since their tags name another scale or offset.
    """
    pools = system_curves.pools
    n_undefined = int(system_curves.main.n_undefined.max(initial=0))
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
    parts.append(f"exact exposure at {n_exact} values of α")
    if sampled:
        parts.append("crosses: recorded samples, plug-in EE-D")
    if n_other:
        parts.append(f"not drawn: {plural(n_other, 'recorded sample')} of other scores or another offset")
    counts_line(" · ".join(parts))


def _fixed(pools: Pools, query: int, k: int) -> FloatArray:
    return run_exposure(only_query(pools, query), TopK(k))


@cached
def comparison(loaded: Dataset, selection: Settings, other: str) -> CurveComparison:
    """The highlighted system minus another one. The area is that of the table above."""
    first, second = (curve_of(loaded, name, selection) for name in (selection.system, other))
    gaps = statistics(loaded, selection).areas.gaps
    gap = next((gap for gap in gaps if (gap.system, gap.policy) == (other, second.policy)), None)
    ends = [curve_of(loaded, name, selection, "deterministic") for name in (selection.system, other)]
    return compare_curves(
        first,
        second,
        *ends,
        alpha=FIXED_ALPHA,
        seed=SEED,
        area=gap and gap.turned(selection.system, first.policy),
    )


def comparison_section(loaded: Dataset, selection: Settings) -> None:
    """Choose another system with common queries and see every difference with its interval."""
    gaps = statistics(loaded, selection).areas.gaps
    names = [gap.system for gap in gaps if gap.system != selection.system and gap.n_queries]
    if not names:
        section("No other system can be compared", f"None has a query in common with {selection.system}.")
        return
    head = st.container()
    with st.container(horizontal=True):
        other = choose_name("Compared with", names, "other", width=260)
    result = comparison(loaded, selection, other)
    n_tests = sum(gap.p_holm == gap.p_holm for gap in gaps)
    at_points = considered(sum(row.p_holm == row.p_holm for row in result.points))
    with head:
        section(
            comparison_title(result.area, selection.system, other),
            f"{selection.system} minus {other}, both by Plackett–Luce; 95 % paired bootstrap over "
            "the queries that both have; AUC as in the table above, its p over that table; paired t "
            f"({at_points})" + (f". {said}" if (said := detectable_words([result.area], n_tests)) else ""),
        )
    intervals = [result.area.interval, *(row.interval for row in result.points)]
    page_table(
        tables(TradeoffResults(comparison=result))["comparison"],
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
