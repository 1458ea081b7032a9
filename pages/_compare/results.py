"""Controls, conditions and comparison of the Compare page.

Every setting is in the address; values of factors and names of systems as marks.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import streamlit as st

from fairviz.display.theme import axis_name
from fairviz.errors import FairvizError
from fairviz.evaluation.joins import at_depth
from fairviz.model import Dataset, Factors
from fairviz.points.conditions import Condition
from fairviz.points.curves import CurvePolicy
from fairviz.points.outputs import recorded
from fairviz.points.panels import Curves
from fairviz.points.view import factor_texts, said_factors, value_name
from fairviz.studies.compare.analysis import answered, as_drawn, included, members, of_member, told_apart
from fairviz.studies.compare.grid import GridComparison, Quantity, TaskComparison, alphas_of, at_alpha, compare_grid
from fairviz.studies.compare.settings import GridSettings
from pages._kit.controls import choose_cutoff, choose_policy, choose_relevance, following
from pages._kit.panels import Look, choose_several, choose_word
from pages._kit.recorded_outputs import problems_of, usual_k
from pages._kit.session import cached
from pages._tradeoff.results import can_rank, has_utility

RUNS, RECORDED, UTILITY, NORMALISED = "EE-R", "EE-R as recorded", "EU", "EU, normalised"
QUALITIES: dict[str, Literal["EER", "EER-recorded", "EU", "EU/best"]] = {
    RUNS: "EER",
    RECORDED: "EER-recorded",
    UTILITY: "EU",
    NORMALISED: "EU/best",
}
"""Qualities by their names on the page."""
POLICIES: tuple[CurvePolicy, ...] = ("plackett-luce", "optimal", "oracle")
POINTS = ("deterministic", "uniform")


# Which conditions there are.


def source(loaded: Dataset) -> GridSettings:
    """Show the controls of what is measured, and return what they say."""
    known = qualities(loaded)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        quality = choose_word("Quality", known, "compare_quality", usual_quality(loaded, known))
        help_ = "The reader or generator sees the first k documents of a ranking."
        k = choose_cutoff("Cutoff k", usual=usual_k(loaded), help=help_)
        gain = choose_relevance(disabled=not loaded.qrels)  # of utility, too: differences in EE-R stand below
        if quality != RUNS:
            return GridSettings(quality=QUALITIES[quality], k=k, gain=gain)
        with st.popover("Advanced", icon=":material/tune:", width="content"):
            policy = choose_policy()
    usual = [*(POLICIES if len(loaded.runs) == 1 else POLICIES[:1]), POINTS[0]]
    names = {name: value_name("policy", name) for name in (*POLICIES, *POINTS)}
    chosen = choose_several("Policies", names, "pol", usual)
    limits = POLICIES[-1:]
    systems: tuple[CurvePolicy, ...] = (
        tuple(name for name in POLICIES if name in chosen and name not in limits) or POLICIES[:1]
    )
    return GridSettings(
        quality="EER",
        recorded=False,
        k=k,
        gain=gain,
        scores=policy.scores,
        offset=policy.offset,
        policy=(*systems, *(name for name in limits if name in chosen)),
        deterministic=POINTS[0] in chosen,
        uniform=POINTS[1] in chosen,
    )


def qualities(loaded: Dataset) -> list[str]:
    """What can stand on the y axis."""
    return [
        *([RUNS] if can_rank(loaded) else []),
        *([RECORDED] if any(one.alpha is not None for one in loaded.outputs) and loaded.qrels else []),
        *([UTILITY, NORMALISED] if has_utility(loaded) else []),
    ]


def usual_quality(loaded: Dataset, known: Sequence[str]) -> str:
    """Utility where several systems have answers, as the command has it; else what policies do to one."""
    answering = {(one.task, one.retriever, one.generator) for one in loaded.outputs}
    return UTILITY if UTILITY in known and len(answering) > 1 else known[0]


def depth_words(loaded: Dataset, of: GridSettings) -> str:
    """What is said of lists that were cut to be compared; nothing of recorded answers, whose lists stay."""
    return at_depth(loaded, of.depth).words if of.quality == "EER" else ""


def planned(loaded: Dataset, of: GridSettings) -> tuple[Factors, ...]:
    """Factors of every condition, before any is computed."""
    if of.quality == "EER":
        return tuple(one.factors._replace(policy=policy) for one in members(loaded, of.depth) for policy in of.policy)
    return tuple(one.factors for one in answered(loaded, of))


def steps(loaded: Dataset, of: GridSettings) -> list[tuple[str, Callable[[], object]]]:
    """What is computed system by system: of whom, and the function that leaves it in the cache."""
    if of.quality != "EER":
        return [("Recorded answers", partial(answered, loaded, of))]
    return [(one.system, partial(of_member, loaded, of, one)) for one in members(loaded, of.depth)]


def conditions(loaded: Dataset, of: GridSettings, *, n_steps: int | None = None) -> tuple[Condition, ...]:
    """All of them, or those that are there after the first of the :func:`steps`."""
    if of.quality == "EER":
        return tuple(
            condition for one in members(loaded, of.depth)[:n_steps] for condition in of_member(loaded, of, one)
        )
    return answered(loaded, of)


def told(of: GridSettings, view: Look) -> GridSettings:
    """What is measured, with how it is compared: what a command has to be told."""
    return replace(
        of,
        task=view.task or "",
        baseline=factor_texts(view.baseline.known.items()),
        off=factor_texts(view.off),
        order=view.order,
    )


@cached
def compared_grid(loaded: Dataset, of: GridSettings) -> GridComparison:
    """Areas, differences and intervals of every task; points compared at an α that is said."""
    grid = _grid(loaded, replace(of, at=None, task="", order="files"))
    return grid if of.at is None else at_alpha(grid, some_conditions(loaded, of), at=of.at)


@cached
def _grid(loaded: Dataset, of: GridSettings) -> GridComparison:
    return compare_grid(some_conditions(loaded, of), quality=of.side, baseline=of.pinned_baseline)


def some_conditions(loaded: Dataset, of: GridSettings) -> list[Condition]:
    """Those that are compared."""
    every = conditions(loaded, of)
    told_apart([one.factors for one in every])
    return included(every, said_factors(of.off))


def curves_of(loaded: Dataset, of: GridSettings) -> tuple[Curves, ...]:
    """Those that are compared, as they are drawn."""
    bands = curves(loaded, replace(of, task="", baseline=(), off=(), order="files", at=None))
    return tuple(bands[one.factors] for one in some_conditions(loaded, of) if one.factors in bands)


@cached
def curves(loaded: Dataset, of: GridSettings) -> dict[Factors, Curves]:
    """Conditions as they are drawn, with bands."""
    return {one.factors: one for one in drawn_after(loaded, of, None, with_band=True)}


def drawn_after(
    loaded: Dataset, of: GridSettings, n_steps: int | None, *, with_band: bool = False
) -> tuple[Curves, ...]:
    """What is there after so many of the :func:`steps`, as it is drawn; None: all of them."""
    return as_drawn(conditions(loaded, of, n_steps=n_steps), of, with_band=with_band)


def why_nothing(loaded: Dataset, of: GridSettings) -> str:
    """Why there is no condition."""
    problems = problems_of(recorded(loaded, of.k, of.gain)) if of.quality != "EER" else ()
    return problems[0] if problems else f"No value of {axis_name(of.quality or '')} is recorded along α."


def trouble(loaded: Dataset, of: GridSettings) -> str:
    """Why conditions cannot be compared: judgements that fit none, or two systems that could not be told apart."""
    try:
        told_apart(planned(loaded, of))
    except FairvizError as error:
        return str(error)
    return ""


# Controls.


def choose_quantity(task: TaskComparison) -> Quantity:
    """In what the others are compared with the baseline; no choice where only areas are known."""
    names = {one.name: one for one in task.differences}
    return names[choose_word("Difference in", list(names), "difference", next(iter(names)))].quantity


def choose_point(loaded: Dataset, of: GridSettings, usual: float | None) -> float:
    """The α at which points are compared."""
    alphas = alphas_of(some_conditions(loaded, of))
    by_text = {f"{alpha:g}": alpha for alpha in alphas}

    def draw() -> float:
        return st.selectbox("at α", alphas, key="at", format_func=lambda alpha: f"{alpha:g}", width=110)

    return following("at", alphas[0] if usual is None else usual, by_text.get, draw)
