"""Controls, conditions and comparison of the Compare page.

Every setting is in the address; values of factors and names of systems as marks. What is compared is what
``fairviz tradeoff`` prints of the same files.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from fairviz.attention import TopK
from fairviz.errors import FairvizError
from fairviz.evaluate.joins import joined
from fairviz.exposure import Gain
from fairviz.model import Dataset, Factors, Pools, Run, ScoreScale
from fairviz.show.theme import axis_name
from fairviz.studies.compare.analysis import GridComparison, TaskComparison, at_alpha, compare_grid
from fairviz.studies.compare.conditions import FACTORS, Condition, Quality, distinct, told_apart
from fairviz.studies.compare.differences import Quantity, alphas_of
from fairviz.studies.compare.growing import GrowingGrid
from fairviz.studies.compare.measure import measured_conditions
from fairviz.studies.compare.panels import Curves, apart, drawn, system_name, usual_layout, value_name, values_of
from fairviz.studies.tradeoff.curves import relevance_measure
from fairviz.studies.tradeoff.progressive import AlphaPolicy, measured_at
from pages._kit import cached
from pages._kit.controls import choose_cutoff, choose_name, choose_policy, choose_relevance, following
from pages._kit.link import name_mark
from pages._kit.recorded_outputs import recorded, usual_k
from pages._tradeoff.results import can_rank, has_utility

RUNS, RECORDED, UTILITY, NORMALISED = "EE-R", "EE-R as recorded", "EU", "EU, normalised"
NONE = "none"
POLICIES: tuple[AlphaPolicy, ...] = ("plackett-luce", "optimal", "oracle")
POINTS = ("deterministic", "uniform")
WIDEST = 560
"""Of a control with names of systems, in pixels: long ones are read whole."""
TABS = 4
"""Tasks that stand beside each other; more are a list."""


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
    policies: tuple[AlphaPolicy, ...] = ()
    points: tuple[str, ...] = ()

    @property
    def side(self) -> Quality:
        """Which curve of a condition is compared."""
        return "utility" if self.quality in (UTILITY, NORMALISED) else "relevance"


class Look(NamedTuple):
    """How the conditions are laid out and compared.

    Attributes:
        task: The task that is looked at.
        rows, columns, colour: Factors; empty = none.
        baseline: What the others of every task are compared with; its task is None.
        pinned: The marked condition.
        off: (factor, value) of what is excluded.
        by: Factors that tell systems apart.
    """

    task: str | None
    rows: str
    columns: str
    colour: str
    baseline: Factors
    pinned: Factors | None
    off: tuple[tuple[str, str | None], ...]
    by: tuple[str, ...]


class Compared(NamedTuple):
    """Everything that is estimated.

    Attributes:
        grid: Every task; points compared at its α.
        curves: As they are drawn.
        alphas: Where points could be compared instead.
    """

    grid: GridComparison
    curves: tuple[Curves, ...]
    alphas: tuple[float, ...]

    def knows(self, task: str | None) -> bool:
        """Whether any condition of a task has a point."""
        return any(one.task == task for one in self.grid.tasks)

    def of_task(self, task: str | None) -> TaskComparison:
        """One task of the grid."""
        return next(one for one in self.grid.tasks if one.task == task)


# Which conditions there are.


def source(loaded: Dataset) -> Source:
    """Show the controls of what is measured, and return what they say."""
    known = qualities(loaded)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        quality = _segmented("Quality", known, "compare_quality", usual_quality(loaded, known))
        k = choose_cutoff("Cutoff k", usual=usual_k(loaded), help="The reader or generator sees the first k items.")
        gain = choose_relevance(disabled=quality in (UTILITY, NORMALISED))
        if quality != RUNS:
            return Source(quality, k, gain)
        with st.popover("Advanced", icon=":material/tune:", width="content"):
            policy = choose_policy()
    usual = [*(POLICIES if len(loaded.runs) == 1 else POLICIES[:1]), POINTS[0]]
    chosen = _several("Policies", {name: value_name("policy", name) for name in (*POLICIES, *POINTS)}, "pol", usual)
    policies: tuple[AlphaPolicy, ...] = tuple(name for name in POLICIES if name in chosen) or POLICIES[:1]
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


@cached
def grid_of(loaded: Dataset, k: int, scores: ScoreScale, offset: float) -> GrowingGrid:
    """The curves of all runs as far as they have got; shared by all that look at them."""
    found = joined(loaded.runs, loaded.qrels)
    judged = [
        (ranked, qrels)
        for ranked, qrels in zip(found.rankings, found.judgements, strict=True)
        if isinstance(ranked, Run)
    ]
    return GrowingGrid(
        judged,
        factors=loaded.systems or {},
        alphas=measured_at(loaded.runs),
        k=k,
        scores=scores,
        offset=offset,
        pools=pools_of(loaded),
    )


@cached
def pools_of(loaded: Dataset) -> dict[int, Pools]:
    """Pools of the judged runs by their place, filled as they are needed: k changes none of them."""
    del loaded  # it is the key
    return {}


def growing(loaded: Dataset, of: Source) -> GrowingGrid:
    """The curves of all runs under the settings that matter to them."""
    return grid_of(loaded, of.k, of.scores, of.offset)


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
        return growing(loaded, of).planned(of.policies)
    return tuple(one.factors for one in answered(loaded, of.k, of.gain, of.quality))


def advance(loaded: Dataset, of: Source, *, seconds: float) -> bool:
    """Compute for a while; whether everything is there now."""
    return of.quality != RUNS or growing(loaded, of).advance(of.gain, of.policies, seconds=seconds)


def share(loaded: Dataset, of: Source) -> float:
    """How much of all points is there."""
    return growing(loaded, of).share(of.gain, of.policies) if of.quality == RUNS else 1.0


def conditions(loaded: Dataset, of: Source) -> tuple[Condition, ...]:
    """Those that are whole by now."""
    if of.quality == RUNS:
        return growing(loaded, of).conditions(of.gain, of.policies)
    return answered(loaded, of.k, of.gain, of.quality)


# How they are laid out.


def look(every: Sequence[Factors]) -> Look:
    """Show the controls of the layout, and return what they say."""
    tasks = values_of("task", every)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        task = _task(tasks)
        by = tuple(name for name in FACTORS if name in (*apart(every), *(["task"] if len(tasks) > 1 else [])))
        free = [name for name in by if name != "task"]
        rows, columns, colour = usual_layout(every)
        if len(free) > 1:
            rows = _factor("Rows", free, "panel_rows", rows)
            sides = [name for name in free if name != rows]
            columns = _factor("Columns", [NONE, *sides], "panel_cols", columns if columns != rows else sides[0])
            colour = _factor("Colour", [NONE, *free], "colour", colour or NONE)
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    with row:
        off = _excluded(free, every) if len(every) > 2 else ()
    of_task = [factors for factors in kept(every, off) if factors.task == task] or [
        factors for factors in every if factors.task == task
    ]
    names = {system_name(factors, by): factors for factors in of_task}
    with row:
        baseline = next(iter(names.values()))
        pinned: Factors | None = None
        if len(names) > 1:
            width = min(WIDEST, max(260, 60 + 8 * max(map(len, names))))
            baseline = names[choose_name("Baseline", list(names), "base", width=width)]
            pin = choose_name("Pinned", [NONE, *names], "pin", width=width)
            pinned = names.get(pin)
    return Look(
        task,
        rows,
        "" if columns == NONE else columns,
        "" if colour == NONE else colour,
        baseline._replace(task=None),
        pinned,
        off,
        by,
    )


def kept(every: Sequence[Factors], off: Sequence[tuple[str, str | None]]) -> tuple[Factors, ...]:
    """The conditions that are included."""
    return tuple(factors for factors in every if not any(getattr(factors, name) == value for name, value in off))


@cached
def compared(loaded: Dataset, of: Source, baseline: Factors, off: tuple[tuple[str, str | None], ...]) -> Compared:
    """Areas, differences, intervals and bands of conditions that are complete."""
    some = _included(loaded, of, off)
    bands = curves(loaded, of)
    return Compared(
        compare_grid(some, quality=of.side, baseline=baseline),
        tuple(bands[one.factors] for one in some if one.factors in bands),
        alphas_of(some),
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
    return [every[factors] for factors in kept(tuple(every), off)] or list(every.values())


@cached
def curves(loaded: Dataset, of: Source) -> dict[Factors, Curves]:
    """Complete conditions as they are drawn, with bands."""
    return {one.factors: one for one in drawn_now(loaded, of, with_band=True)}


def drawn_now(loaded: Dataset, of: Source, *, with_band: bool = False) -> tuple[Curves, ...]:
    """What there is by now, as it is drawn: whole curves, and of the others the first points."""
    found = [drawn(one, of.side, with_band=with_band) for one in conditions(loaded, of)]
    if of.quality == RUNS:
        begun = growing(loaded, of).conditions(of.gain, of.policies, whole=False)
        found += [one._replace(whole=False) for each in begun if (one := drawn(each, of.side, with_band=False))]
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
    problems = recorded(loaded, of.k, of.gain).problems if of.quality != RUNS else ()
    return problems[0] if problems else f"Nothing of {axis_name(of.quality)} is known along α."


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
    return names[_segmented("Difference in", list(names), "difference", next(iter(names)))].quantity


def choose_point(found: Compared) -> float:
    """The α at which points are compared."""
    by_text = {f"{alpha:g}": alpha for alpha in found.alphas}
    usual = found.grid.alpha if found.grid.alpha is not None else found.alphas[0]

    def draw() -> float:
        return st.selectbox("at α", found.alphas, key="at", format_func=lambda alpha: f"{alpha:g}", width=110)

    return following("at", usual, by_text.get, draw)


def _segmented(label: str, names: Sequence[str], key: str, usual: str, *, mark: Callable[[str], str] = str) -> str:
    by_text = {**{mark(name): name for name in names}, **{name: name for name in names}}
    if len(names) < 2:
        return names[0]
    return following(
        key,
        usual,
        by_text.get,
        lambda: st.segmented_control(label, names, default=usual, required=True, key=key),
        mark=mark,
    )


def _task(tasks: Sequence[str | None]) -> str | None:
    """The task that is looked at: nothing is pooled over tasks."""
    if len(tasks) < 2:
        return tasks[0]
    names = {value_name("task", task): task for task in tasks}
    label = "Task (nothing is pooled over tasks)"
    if len(names) > TABS:
        return names[choose_name(label, list(names), "task", width=260)]
    return names[_segmented(label, list(names), "task", next(iter(names)), mark=name_mark)]


def _factor(label: str, names: Sequence[str], key: str, usual: str) -> str:
    return following(
        key,
        usual,
        lambda text: text if text in names else None,
        lambda: st.selectbox(label, names, key=key, width=130, format_func=_colour_name if key == "colour" else str),
    )


def _colour_name(name: str) -> str:
    return "this system" if name == NONE else name


def _several(label: str, names: dict[str, str], param: str, usual: Sequence[str]) -> tuple[str, ...]:
    """Some of several words, kept in the address and from page to page."""
    memory: dict[str, list[str]] = st.session_state.setdefault("compare_several", {})
    before = memory.get(param) or st.query_params.get_all(param)
    start = [name for name in names if name in before] or list(usual)
    shown = st.pills(
        label,
        list(names),
        default=start,
        selection_mode="multi",
        format_func=lambda name: names[name],
        key=f"compare-{param}",
    )
    picked = tuple(name for name in names if name in shown) or tuple(usual)
    memory[param] = list(picked)
    _write(param, [] if set(picked) == set(usual) else list(picked))
    return picked


def _excluded(free: Sequence[str], every: Sequence[Factors]) -> tuple[tuple[str, str | None], ...]:
    """What a person excluded: a pill per value of each factor."""
    memory: dict[str, list[str]] = st.session_state.setdefault("compare_several", {})
    before = set(memory.get("off") or st.query_params.get_all("off"))
    off: list[tuple[str, str | None]] = []
    n = len(every)
    with st.popover(f"Included: {_n_kept(every, free, before)} of {n}", width="content"):
        for name in free:
            values = {value_name(name, value): value for value in values_of(name, every)}
            if len(values) < 2:
                continue
            marks = {shown: name_mark(f"{name}={shown}") for shown in values}
            picked = st.pills(
                name,
                list(values),
                default=[shown for shown in values if marks[shown] not in before],
                selection_mode="multi",
                key=f"compare-off-{name}-{name_mark(' '.join(values))}",
            )
            if picked:
                off += [(name, values[shown]) for shown in values if shown not in picked]
    marks_off = [name_mark(f"{name}={value_name(name, value)}") for name, value in off]
    memory["off"] = marks_off
    _write("off", marks_off)
    return tuple(off)


def _n_kept(every: Sequence[Factors], free: Sequence[str], marks: set[str]) -> int:
    gone = {
        (name, value)
        for name in free
        for value in values_of(name, every)
        if name_mark(f"{name}={value_name(name, value)}") in marks
    }
    return len(kept(every, tuple(gone)))


def _write(param: str, values: list[str]) -> None:
    if st.query_params.get_all(param) != values:
        st.query_params[param] = values
