"""Controls, conditions and comparison of the Compare page.

Every setting is in the address; values of factors and names of systems as marks. What is compared is what
``fairviz tradeoff`` prints of the same files.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from fairviz.attention import TopK
from fairviz.display.theme import axis_name
from fairviz.errors import FairvizError
from fairviz.evaluation.joins import by_task, joined
from fairviz.exposure import Gain
from fairviz.model import Dataset, Factors, Run, ScoreScale
from fairviz.points.curves import CurvePolicy, relevance_measure
from fairviz.points.recorded import recorded
from fairviz.points.view import Curves, kept, value_name
from fairviz.studies.compare.conditions import Condition, Quality, distinct, is_limit, told_apart
from fairviz.studies.compare.grid import GridComparison, Quantity, TaskComparison, alphas_of, at_alpha, compare_grid
from fairviz.studies.compare.measure import measured_conditions, run_factors
from fairviz.studies.compare.panels import drawn
from pages._kit.cache import cached
from pages._kit.controls import choose_cutoff, choose_policy, choose_relevance, following
from pages._kit.panels import choose_several, choose_word
from pages._kit.recorded_outputs import problems_of, usual_k
from pages._tradeoff.results import Settings, can_rank, compared_data, curve_of, has_utility

RUNS, RECORDED, UTILITY, NORMALISED = "EE-R", "EE-R as recorded", "EU", "EU, normalised"
POLICIES: tuple[CurvePolicy, ...] = ("plackett-luce", "optimal", "oracle")
POINTS = ("deterministic", "uniform")


class Source(NamedTuple):
    """Which conditions there are.

    Attributes:
        quality: What stands on the y axis, by its name.
        k: Items that the reader or generator sees.
        gain: Graded or binary usefulness.
        scores, offset: How scores become a policy.
        policies: Of runs, along α.
        points: Of runs, as points.
    """

    quality: str
    k: int
    gain: Gain
    scores: ScoreScale = "given"
    offset: float = 1.0
    policies: tuple[CurvePolicy, ...] = ()
    points: tuple[str, ...] = ()

    @property
    def side(self) -> Quality:
        """Which curve of a condition is compared."""
        return "utility" if self.quality in (UTILITY, NORMALISED) else "relevance"


class Compared(NamedTuple):
    """Everything that is estimated.

    Attributes:
        grid: Every task; points compared at its α.
        curves: As they are drawn.
        alphas: Where points could be compared instead.
        depth: What is said of lists that were cut to be compared.
    """

    grid: GridComparison
    curves: tuple[Curves, ...]
    alphas: tuple[float, ...]
    depth: str = ""

    def of_task(self, task: str | None) -> TaskComparison:
        """One task of the grid, which has it."""
        return next(one for one in self.grid.tasks if one.task == task)


# Which conditions there are.


def source(loaded: Dataset) -> Source:
    """Show the controls of what is measured, and return what they say."""
    known = qualities(loaded)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        quality = choose_word("Quality", known, "compare_quality", usual_quality(loaded, known))
        help_ = "The reader or generator sees the first k documents of a ranking."
        k = choose_cutoff("Cutoff k", usual=usual_k(loaded), help=help_)
        gain = choose_relevance(disabled=not loaded.qrels)  # of utility, too: differences in EE-R stand below
        if quality != RUNS:
            return Source(quality, k, gain)
        with st.popover("Advanced", icon=":material/tune:", width="content"):
            policy = choose_policy()
    usual = [*(POLICIES if len(loaded.runs) == 1 else POLICIES[:1]), POINTS[0]]
    names = {name: value_name("policy", name) for name in (*POLICIES, *POINTS)}
    chosen = choose_several("Policies", names, "pol", usual)
    limits = POLICIES[-1:]
    systems: tuple[CurvePolicy, ...] = (
        tuple(name for name in POLICIES if name in chosen and name not in limits) or POLICIES[:1]
    )
    policies: tuple[CurvePolicy, ...] = (*systems, *(name for name in limits if name in chosen))
    return Source(quality, k, gain, policy.scores, policy.offset, policies, tuple(p for p in POINTS if p in chosen))


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


def depth_words(loaded: Dataset, of: Source) -> str:
    """What is said of lists that were cut to be compared; nothing of recorded answers, whose lists stay."""
    return compared_data(loaded)[1] if of.quality == RUNS else ""


class Member(NamedTuple):
    """A run by its name, what it is judged by (a place in the data), and what it is made of."""

    system: str
    judgements: int
    factors: Factors


@cached
def members(loaded: Dataset) -> tuple[Member, ...]:
    """Every scored run with each of its judgements."""
    runs, factors = compared_data(loaded)[0].runs, loaded.systems or {}
    parts = [(i, part) for i, qrels in enumerate(loaded.qrels) for part in by_task([qrels], runs, factors)]
    found = joined(runs, [part for _, part in parts])
    return tuple(
        Member(ranked.system, next(i for i, part in parts if part is qrels), run_factors(ranked.system, factors, qrels))
        for ranked, qrels in zip(found.loaded, found.judgements, strict=True)
        if isinstance(ranked, Run)
    )


@cached
def answered(loaded: Dataset, k: int, gain: Gain, quality: str) -> tuple[Condition, ...]:
    """Conditions of recorded answers that have the quality."""
    best = quality == NORMALISED
    relevance = relevance_measure(TopK(k), gain)
    made = measured_conditions(recorded(loaded, k, gain).points, loaded.outputs, relevance=relevance, best=best)
    side: Quality = "relevance" if quality == RECORDED else "utility"
    return tuple(one for one in made if one.curve(side) is not None)


def planned(loaded: Dataset, of: Source) -> tuple[Factors, ...]:
    """Factors of every condition, before any is computed."""
    if of.quality == RUNS:
        return tuple(one.factors._replace(policy=policy) for one in members(loaded) for policy in of.policies)
    return tuple(one.factors for one in answered(loaded, of.k, of.gain, of.quality))


def steps(loaded: Dataset, of: Source) -> list[tuple[str, Callable[[], object]]]:
    """What is computed system by system: of whom, and the function that leaves it in the cache."""
    if of.quality != RUNS:
        return [("Recorded answers", partial(answered, loaded, of.k, of.gain, of.quality))]
    return [(one.system, partial(_of_member, loaded, of, one)) for one in members(loaded)]


def conditions(loaded: Dataset, of: Source, *, n_steps: int | None = None) -> tuple[Condition, ...]:
    """All of them, or those that are there after the first of the :func:`steps`."""
    if of.quality == RUNS:
        return tuple(condition for one in members(loaded)[:n_steps] for condition in _of_member(loaded, of, one))
    return answered(loaded, of.k, of.gain, of.quality)


def _of_member(loaded: Dataset, of: Source, member: Member) -> list[Condition]:
    """The conditions of one run: curves and points of the Trade-off page, which finds them computed."""
    system, judgements, factors = member
    selection = Settings(system, judgements, of.k, of.gain, "EER", offset=of.offset, scores=of.scores)
    curve = partial(curve_of, loaded, system, selection)
    return [
        Condition(
            factors=factors._replace(policy=policy),
            relevance=curve(policy),
            list_relevance=curve("deterministic"),
            uniform=curve("uniform"),
        )
        for policy in of.policies
    ]


@cached
def compared_grid(
    loaded: Dataset, of: Source, baseline: Factors, off: tuple[tuple[str, str | None], ...]
) -> GridComparison:
    """Areas, differences and intervals: what the title says."""
    return compare_grid(_included(loaded, of, off), quality=of.side, baseline=baseline)


@cached
def compared(loaded: Dataset, of: Source, baseline: Factors, off: tuple[tuple[str, str | None], ...]) -> Compared:
    """The same with the curves and their bands."""
    some = _included(loaded, of, off)
    bands = curves(loaded, of)
    return Compared(
        compared_grid(loaded, of, baseline, off),
        tuple(bands[one.factors] for one in some if one.factors in bands),
        alphas_of(some),
        depth_words(loaded, of),
    )


@cached
def compared_at(
    loaded: Dataset, of: Source, baseline: Factors, off: tuple[tuple[str, str | None], ...], alpha: float
) -> Compared:
    """The same with points compared at another α."""
    found = compared(loaded, of, baseline, off)
    return found._replace(grid=at_alpha(found.grid, _included(loaded, of, off), at=alpha))


def _included(loaded: Dataset, of: Source, off: Sequence[tuple[str, str | None]]) -> list[Condition]:
    every = {one.factors: one for one in distinct(conditions(loaded, of))}
    some = [every[factors] for factors in kept(tuple(every), off)]
    return some if any(not is_limit(one.factors) for one in some) else list(every.values())


@cached
def curves(loaded: Dataset, of: Source) -> dict[Factors, Curves]:
    """Conditions as they are drawn, with bands."""
    return {one.factors: one for one in drawn_after(loaded, of, None, with_band=True)}


def drawn_after(loaded: Dataset, of: Source, n_steps: int | None, *, with_band: bool = False) -> tuple[Curves, ...]:
    """What is there after so many of the :func:`steps`, as it is drawn; None: all of them."""
    found = [drawn(one, of.side, with_band=with_band) for one in conditions(loaded, of, n_steps=n_steps)]
    return tuple(
        one._replace(
            deterministic=one.deterministic if of.quality != RUNS or "deterministic" in of.points else None,
            uniform=one.uniform if "uniform" in of.points else None,
        )
        for one in found
        if one is not None
    )


def why_nothing(loaded: Dataset, of: Source) -> str:
    """Why there is no condition."""
    problems = problems_of(recorded(loaded, of.k, of.gain)) if of.quality != RUNS else ()
    return problems[0] if problems else f"No value of {axis_name(of.quality)} is recorded along α."


def trouble(loaded: Dataset, of: Source) -> str:
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


def choose_point(found: Compared) -> float:
    """The α at which points are compared."""
    by_text = {f"{alpha:g}": alpha for alpha in found.alphas}
    usual = found.grid.alpha if found.grid.alpha is not None else found.alphas[0]

    def draw() -> float:
        return st.selectbox("at α", found.alphas, key="at", format_func=lambda alpha: f"{alpha:g}", width=110)

    return following("at", usual, by_text.get, draw)
