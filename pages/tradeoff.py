"""Trade-off: what equal attention costs in quality, and what it need not cost."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal, TypeAlias

import streamlit as st

from fairviz.display.words import listing
from fairviz.model import Dataset
from fairviz.points.curves import FIXED_ALPHA, PolicyName
from fairviz.points.exact import exact_curve, pools_seen
from fairviz.points.view import POLICY_NAMES, Line, TradeoffView
from fairviz.studies.tradeoff.analysis import as_compared, comparable_runs, of_system, system_curves
from fairviz.studies.tradeoff.charts import tradeoff_figure
from fairviz.studies.tradeoff.settings import TradeoffSettings
from pages._kit import Figure, callout, colours, counts_line, empty_state, page_head, rule, step_by_step, without_data
from pages._kit.controls import (
    choose,
    choose_cutoff,
    choose_judgements,
    choose_one,
    choose_place,
    choose_policy,
    choose_relevance,
    choose_several,
)
from pages._kit.link import name_mark
from pages._kit.recorded_outputs import usual_k
from pages._kit.session import dataset
from pages._tradeoff import (
    alpha_section,
    alpha_slider,
    answers_page,
    area_table,
    can_rank,
    change_table,
    counts,
    curve_panel,
    downloads,
    has_utility,
    query_panel,
    steps,
    why_undefined,
)

Quality = Literal["EER", "EU", "EU/best"]
QUALITIES: dict[str, Quality] = {"EE-R": "EER", "EU": "EU", "EU, normalised": "EU/best"}


def settings(loaded: Dataset) -> TradeoffSettings:
    """Show the controls of what is measured, and return what they say."""
    quality = _quality(loaded)
    system, judgements = "", 0
    if quality == "EER":
        run = loaded.runs[choose_place("System", [run.system for run in loaded.runs], "system", width=220)]
        system, judgements = run.system, choose_judgements(loaded, run, width=160)
    k = choose_cutoff(
        "Cutoff k", usual=usual_k(loaded), help="The reader or generator sees the first k documents of a ranking."
    )
    rel = choose_relevance(loaded)
    with st.popover("Advanced", icon=":material/tune:", width="content"):
        policy = choose_policy()
        slope, test = choose("slope", draw=st.radio), choose("test", draw=st.radio)
    chosen = TradeoffSettings(
        system=system, judgements=judgements, k=k, rel=rel, quality=quality, slope=slope, test=test
    )
    return replace(chosen, **policy) if quality == "EER" else chosen


def _quality(loaded: Dataset) -> Quality:
    """What is on the y axis: no choice where only one thing is known."""
    if not has_utility(loaded):
        return "EER"
    names = [name for name, measure in QUALITIES.items() if can_rank(loaded) or measure != "EER"]

    about = (
        "EE-R: of the ranking, by judgements. EU: of the recorded answers, mean utility. EU, normalised: by "
        "the per-query maximum, the largest utility that the generator reached for the query."
    )
    draw = st.segmented_control
    return QUALITIES[choose_one("Quality", names, "quality", draw=draw, required=True, help=about)]


def compared(loaded: Dataset, selection: TradeoffSettings) -> bool:
    """Whether there are systems to compare with; says which are left out, and why."""
    others, left_out = comparable_runs(loaded, selection)
    if left_out:
        names = listing([exclusion.system for exclusion in left_out])
        callout(f"Left out of the comparison: {names}", " ".join(exclusion.words for exclusion in left_out))
    return bool(others)


POLICIES: tuple[PolicyName, ...] = ("plackett-luce", "optimal", "oracle", "uniform", "deterministic")
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
    """Systems of which a policy is drawn; ``usual`` unless something is chosen."""
    who = f"{POLICY_NAMES[policy]} of"
    label = f"{who} systems beside {system}" if policy == "plackett-luce" else who
    return choose_several(label, names, policy, usual=usual, mark=name_mark, empty=True)


def further(selection: TradeoffSettings, drawn: Drawn) -> tuple[tuple[PolicyName, str], ...]:
    """(policy, system) of everything that is drawn of other systems beside their Plackett–Luce curves."""
    return tuple(
        (policy, system)
        for policy, systems in drawn
        for system in systems
        if policy != "plackett-luce" and system != selection.system
    )


def further_steps(loaded: Dataset, selection: TradeoffSettings, drawn: Drawn) -> list[tuple[str, Callable[[], object]]]:
    """What is computed for what is drawn of other systems, one after the other; see :func:`steps`."""
    return [
        (f"{POLICY_NAMES[policy]} of {system}", partial(exact_curve, loaded, selection.seen(system), policy))
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
    line = Line.of(exact_curve(loaded, selection.seen(system), policy))
    return line if policy in ("uniform", "deterministic") else line.by_x()


def further_words(view: TradeoffView) -> str:
    """Who is drawn thin in a policy's colour; empty where nobody is."""
    parts = [
        f"{POLICY_NAMES[policy]} of {listing([line.system for line in view.further if line.policy == policy])}"
        for policy in POLICIES
        if any(line.policy == policy for line in view.further)
    ]
    return f"Thin, in the colour of their policy: {'; '.join(parts)}." if parts else ""


def look(loaded: Dataset, selection: TradeoffSettings, view: TradeoffView) -> None:
    """The chart and what moves with α: a move repaints this and nothing else."""
    left, right = st.columns([7, 4], gap="large")
    with left:
        alpha = alpha_slider()
        curve_panel(view, alpha, selection)
    with right:
        query_panel(loaded, selection, alpha)
    counts(loaded, selection, view)
    if remark := further_words(view):
        counts_line(remark)


def page() -> None:
    """Read the controls, compute or look up, show."""
    loaded = dataset()
    if not can_rank(loaded) and not has_utility(loaded):
        missing = "judgements (qrels)" if loaded.runs else "scored run"
        without_data("tradeoff", missing=missing)
        return
    head = page_head("tradeoff")
    controls = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
    with controls:
        selection = settings(loaded)
    if selection.quality != "EER":
        finding = answers_page(loaded, selection) or ("No answers along α", "Answers need an α to be a curve.")
        head(*finding, f"k = {selection.k}", as_compared(loaded, selection).words)
        return
    choices, container = st.container(), st.container()
    step_by_step(steps(loaded, selection), partial(_chart, loaded, selection), container=container, key="tradeoff")
    made = of_system(loaded, selection, fine=True)
    main = made.curves[0]
    head(*made.headline, f"k = {selection.k}", as_compared(loaded, selection).words)
    with choices:
        several = compared(loaded, selection)
    if not main.defined.any():
        reason = why_undefined(pools_seen(loaded, selection.seen()), selection.n_seen)
        empty_state("Nothing to draw", reason, link="See the files")
        return
    with controls:
        drawn = choose_drawn(selection.system, comparable_runs(loaded, selection)[0])
    step_by_step(further_steps(loaded, selection, drawn))
    with container:
        st.fragment(look)(loaded, selection, drawn_view(loaded, selection, made.view, drawn))
    rule()
    left, right = st.columns([5, 7], gap="large")
    with left:
        area_table(made, selection, several=several)
    with right:
        change_table(made, selection)
    rule()
    alpha_section(main)
    downloads(made, selection)


def _chart(loaded: Dataset, selection: TradeoffSettings, n_steps: int) -> Figure:
    view, _ = system_curves(loaded, selection, n_steps)
    return tradeoff_figure(view, colours=colours(), point=view.at(FIXED_ALPHA))


page()
