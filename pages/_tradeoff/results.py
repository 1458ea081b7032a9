"""Controls, curves, statistics and finding of the Trade-off page with EE-R on the y axis.

Every setting is in the address. Curves are computed system by system and policy by policy, and remembered.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
import streamlit as st

from fairviz.display.bands import Band
from fairviz.display.theme import axis_name
from fairviz.display.words import Finding, listing, plural
from fairviz.errors import UndefinedError
from fairviz.evaluation.joins import at_common_depth, of_task
from fairviz.kernels.attention import TopK
from fairviz.kernels.exposure import Gain
from fairviz.kernels.pool import pool
from fairviz.model import Curve, Dataset, FloatArray, Pools, Qrels, RankingSample, Run
from fairviz.points.curves import (
    ALPHAS,
    PolicyName,
    by_alpha,
    frontier_curve,
    gain_axes,
    measured_at,
    on_grid,
    oracle_ends,
    plackett_luce_curves,
    query_exposures,
    relevance_measure,
    sampled_curve,
    tradeoff_curve,
)
from fairviz.points.intervals import IntervalRow, IntervalTest, quality_by_interval
from fairviz.points.summary import (
    CurveAreas,
    Saving,
    SlopeWeights,
    band,
    compared_areas,
    joined,
)
from fairviz.points.view import Line, TradeoffView
from fairviz.policies import ScoreScale
from fairviz.studies.tradeoff import analysis as report
from fairviz.studies.tradeoff.analysis import Beside, as_shown, beside, samples_along_alpha, saved
from fairviz.studies.tradeoff.findings import undefined_finding, unjoined_finding
from fairviz.studies.tradeoff.settings import TradeoffSettings
from pages._kit import callout
from pages._kit.cache import cached
from pages._kit.controls import (
    ScorePolicy,
    choose_cutoff,
    choose_judgements,
    choose_place,
    choose_policy,
    choose_relevance,
    following,
    one_of,
)
from pages._kit.recorded_outputs import usual_k

# Controls.


Quality = Literal["EER", "EU", "EU/best"]
QUALITIES: dict[str, Quality] = {"EE-R": "EER", "EU": "EU", "EU, normalised": "EU/best"}
TESTS: dict[str, IntervalTest] = {
    "paired t": "paired",
    "unpaired, Student": "student",
    "unpaired, Welch": "welch",
}
WEIGHTS: dict[str, SlopeWeights] = {"by EE-D spacing": "spacing", "every point alike": "points"}


class Settings(NamedTuple):
    """What the page shows.

    Attributes:
        system: The highlighted system.
        judgements: Position of the judgements in the data set.
        k: Items that the reader or generator sees.
        gain: Graded or binary usefulness.
        quality: Measure on the y axis.
        offset: Of the Plackett–Luce logits.
        weights: How points count in the slope.
        test: Test against the deterministic list.
        scores: What Plackett–Luce and the optimal policy see of the scores.
    """

    system: str
    judgements: int
    k: int
    gain: Gain
    quality: Quality
    offset: float = 1.0
    weights: SlopeWeights = "spacing"
    test: IntervalTest = "paired"
    scores: ScoreScale = "given"

    @property
    def policy(self) -> tuple[ScoreScale, float]:
        """Score scale and offset, where scores become policies."""
        return (self.scores, self.offset) if self.quality == "EER" else ("given", 1.0)

    @property
    def quality_name(self) -> str:
        """What stands on the y axis, with how relevance was counted."""
        return relevance_measure(TopK(self.k), self.gain) if self.quality == "EER" else axis_name(self.quality)

    def of(self, model: str) -> "TradeoffSettings":
        """The same as a command takes it; of answers, with the model."""
        scores, offset = self.policy
        return TradeoffSettings(
            k=self.k,
            quality=self.quality,
            system=self.system,
            model=model,
            judgements=self.judgements,
            gain=self.gain,
            scores=scores,
            offset=offset,
            weights=self.weights,
            test=self.test,
        )


def settings(loaded: Dataset) -> Settings:
    """Show the controls in a row and return what they say."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        quality = _quality(loaded)
        system, judgements = "", 0
        if quality == "EER":
            run = loaded.runs[choose_place("System", [run.system for run in loaded.runs], "system", width=220)]
            system, judgements = run.system, choose_judgements(loaded, run)
        k = choose_cutoff(
            "Cutoff k", usual=usual_k(loaded), help="The reader or generator sees the first k documents of a ranking."
        )
        gain = choose_relevance()
        policy, weights, test = _advanced()
    return Settings(
        system=system,
        judgements=judgements,
        k=k,
        gain=gain,
        quality=quality,
        offset=policy.offset,
        weights=weights,
        test=test,
        scores=policy.scores,
    )


def can_rank(loaded: Dataset) -> bool:
    """Whether there are scores and judgements, so that policies can be made and judged."""
    return bool(loaded.runs and loaded.qrels)


def _quality(loaded: Dataset) -> Quality:
    """What is on the y axis: no choice where only one thing is known."""
    if not has_utility(loaded):
        return "EER"
    known = [name for name, measure in QUALITIES.items() if can_rank(loaded) or measure != "EER"]

    def draw() -> object:
        return st.segmented_control(
            "Quality",
            known,
            required=True,
            key="quality",
            help="EE-R: of the ranking, by judgements. EU: of the recorded answers, mean utility. EU, normalised: by "
            "the per-query maximum, the largest utility that the generator reached for the query.",
        )

    return QUALITIES[following("quality", known[0], one_of(known), draw)]


def has_utility(loaded: Dataset) -> bool:
    """Whether any recorded answer has a utility."""
    return any((outputs.utilities == outputs.utilities).any() for outputs in loaded.outputs)


def _advanced() -> tuple[ScorePolicy, SlopeWeights, IntervalTest]:
    with st.popover("Advanced", icon=":material/tune:", width="content"):
        policy = choose_policy()
        weights = st.radio(
            "Slope weighs points",
            list(WEIGHTS),
            key="slope",
            bind="query-params",
            help="By spacing, the slope hardly depends on the α grid; the paper gives all points one weight.",
        )
        test = st.radio(
            "Test against the deterministic list",
            list(TESTS),
            key="test",
            bind="query-params",
        )
    return policy, WEIGHTS[weights or "by EE-D spacing"], TESTS[test or "paired t"]


# Curves and statistics.


SEED = 0


@cached
def pools_of(loaded: Dataset, system: str, judgements: int) -> Pools:
    """The candidates of a run with their judgements: the same at every k."""
    runs, judged = _of_task(loaded, system, judgements)
    return pool(next(run for run in runs if run.system == system), judged)


def _of_task(loaded: Dataset, system: str, judgements: int) -> tuple[tuple[Run, ...], Qrels]:
    return of_task(system, compared_data(loaded)[0].runs, loaded.qrels[judgements], loaded.systems or {})


def compared_data(loaded: Dataset) -> tuple[Dataset, str]:
    """The data with lists of runs cut to their common depth, and what is said of it; itself where all are as deep."""
    return _cut(loaded) or (loaded, "")


@cached
def _cut(loaded: Dataset) -> tuple[Dataset, str] | None:
    data, words = at_common_depth(loaded)
    return (data, words) if words else None


@cached
def _plackett_luce(
    loaded: Dataset,
    system: str,
    judgements: int,
    k: int,
    offset: float,
    scores: ScoreScale,
    between: bool = False,
) -> dict[Gain, Curve]:
    """Plackett–Luce of one system for either gain, on the grid that all curves share or between its points."""
    grid = measured_at(loaded.runs)
    return plackett_luce_curves(
        pools_of(loaded, system, judgements),
        system=system,
        alphas=(grid[1:] + grid[:-1]) / 2 if between else grid,
        attention=TopK(k),
        offset=offset,
        scores=scores,
    )


@cached
def _frontier(
    loaded: Dataset,
    system: str,
    judgements: int,
    k: int,
    offset: float,
    scores: ScoreScale,
    gain: Gain,
    policy: Literal["optimal", "oracle"],
) -> Curve:
    """The frontier of one system at the mean EE-D of its Plackett–Luce curve."""
    reference = _plackett_luce(loaded, system, judgements, k, offset, scores)[gain]
    axes = gain_axes(pools_of(loaded, system, judgements), gain, TopK(k), scores)
    return frontier_curve(axes, reference, policy, TopK(k), scores)


@cached
def _point(
    loaded: Dataset,
    system: str,
    judgements: int,
    k: int,
    scores: ScoreScale,
    gain: Gain,
    policy: Literal["uniform", "deterministic"],
) -> Curve:
    """The single point of a policy that has no α."""
    pools = pools_of(loaded, system, judgements)
    return tradeoff_curve(
        pools, system=system, policy=policy, alphas=np.empty(0), attention=TopK(k), gain=gain, scores=scores
    )


def curve_of(loaded: Dataset, system: str, selection: Settings, policy: PolicyName = "plackett-luce") -> Curve:
    """The curve of one policy of a system, on the grid that all curves share; a point where α does not move it."""
    where = (loaded, system, selection.judgements, selection.k)
    if policy in ("uniform", "deterministic"):
        return _point(*where, selection.scores, selection.gain, policy)
    if policy in ("optimal", "oracle"):
        return _frontier(*where, selection.offset, selection.scores, selection.gain, policy)
    return _plackett_luce(*where, selection.offset, selection.scores)[selection.gain]


def main_curve(loaded: Dataset, selection: Settings) -> Curve:
    """Plackett–Luce of the highlighted system, on which α moves: twice as fine as the grid."""
    how = (selection.system, selection.judgements, selection.k, selection.offset, selection.scores)
    between = _plackett_luce(loaded, *how, between=True)[selection.gain]
    return by_alpha(curve_of(loaded, selection.system, selection), between)


def steps(loaded: Dataset, selection: Settings) -> list[tuple[str, Callable[[], object]]]:
    """What is computed for the chart, one after the other: of whom, and the function that leaves it in the cache."""
    own = selection.system
    return [
        (f"Plackett–Luce of {own}", partial(curve_of, loaded, own, selection)),
        (f"Optimal policy of {own}", partial(curve_of, loaded, own, selection, "optimal")),
        (f"Oracle limit of {own}", partial(curve_of, loaded, own, selection, "oracle")),
        *(
            (f"Plackett–Luce of {name}", partial(curve_of, loaded, name, selection))
            for name in others(loaded, selection).names
        ),
        (f"Finer steps of {own}", partial(main_curve, loaded, selection)),
    ]


def others(loaded: Dataset, selection: Settings) -> Beside:
    """Runs beside the highlighted one that have queries of these judgements."""
    return _others(loaded, selection.system, selection.judgements)


@cached
def _others(loaded: Dataset, system: str, judgements: int) -> Beside:
    return beside(system, *_of_task(loaded, system, judgements))


def compared(loaded: Dataset, selection: Settings) -> bool:
    """Whether there are systems to compare with; says which are left out, and why."""
    beside = others(loaded, selection)
    if beside.left_out:
        names = listing([one.system for one in beside.left_out])
        callout(f"Left out of the comparison: {names}", " ".join(one.words for one in beside.left_out))
    return bool(beside.names)


class SystemCurves(NamedTuple):
    """The curves of the highlighted system, and the chart made of them.

    ``main`` is Plackett–Luce; the deterministic list closes it where ``view.joined``. ``every``
    holds all that is drawn, ``main`` first.
    """

    view: TradeoffView
    main: Curve
    optimal: Curve | None
    deterministic: Curve
    others: tuple[Curve, ...]
    pools: Pools
    every: tuple[Curve, ...]


class Statistics(NamedTuple):
    """What is estimated from whole curves, all from the seed of this page and on the grid that all curves share.

    ``areas`` begins with the highlighted Plackett–Luce curve, which the others are compared with.
    """

    band: Band | None
    saving: Saving | None
    areas: CurveAreas
    changes: tuple[IntervalRow, ...]


@cached
def complete_curves(loaded: Dataset, selection: Settings) -> SystemCurves:
    """All there is to show: a move of α only looks it up."""
    return shown_curves(loaded, selection, n_steps=len(steps(loaded, selection)))


def shown_curves(loaded: Dataset, selection: Settings, *, n_steps: int) -> SystemCurves:
    """What is there after the first of the :func:`steps`, 1 or more of them."""
    of = partial(curve_of, loaded, selection.system, selection)
    is_whole = n_steps == len(steps(loaded, selection))
    main, end, uniform = main_curve(loaded, selection) if is_whole else of(), of("deterministic"), of("uniform")
    optimal, oracle = of("optimal") if n_steps > 1 else None, of("oracle") if n_steps > 2 else None
    beside_it = tuple(curve_of(loaded, name, selection) for name in others(loaded, selection).names[: n_steps - 3])
    beside_it = beside_it if n_steps > 3 else ()
    sampled, pools = samples_of(loaded, selection), pools_of(loaded, selection.system, selection.judgements)
    view = TradeoffView(
        lines=[Line.of(curve) for curve in (main, *beside_it)],
        system=selection.system,
        optimal=Line.of(joined(optimal, end) if selection.offset else optimal) if optimal else None,
        oracle=_oracle_line(pools, main, oracle, selection) if oracle else None,
        uniform=Line.of(uniform),
        deterministic=Line.of(end),
        sampled=Line.of(sampled) if sampled else None,
        joined=selection.offset > 0,
    )
    every = (main, optimal, oracle, uniform, end, sampled, *beside_it)
    return SystemCurves(view, main, optimal, end, beside_it, pools, tuple(curve for curve in every if curve))


def _oracle_line(pools: Pools, main: Curve, oracle: Curve, selection: Settings) -> Line:
    """The oracle limit with what lies outside the disparities of Plackett–Luce."""
    attention = TopK(selection.k)
    axes = gain_axes(pools, selection.gain, attention, selection.scores)
    return Line.of(joined(oracle, oracle_ends(axes, main, attention))).by_x()


@cached
def samples_of(loaded: Dataset, selection: Settings) -> Curve | None:
    """The recorded samples of the highlighted system under the policy that is shown, as points."""
    along = samples_along_alpha(compared_data(loaded)[0].samples, selection.system)
    drawn = as_shown(along, selection.scores, selection.offset)
    if not drawn:
        return None
    pools = [pool(sample, loaded.qrels[selection.judgements]) for sample in drawn]
    return sampled_curve(drawn, pools, attention=TopK(selection.k), gain=selection.gain)


def other_samples(loaded: Dataset, selection: Settings) -> list[RankingSample]:
    """Samples of the highlighted system whose tags name other scores or another offset than are shown."""
    drawn = samples_along_alpha(compared_data(loaded)[0].samples, selection.system)
    shown = as_shown(drawn, selection.scores, selection.offset)
    return [sample for sample in drawn if sample not in shown]


@cached
def statistics(loaded: Dataset, selection: Settings) -> Statistics:
    """Band, saving, areas and interval table of all curves."""
    drawn = measured_curves(loaded, selection)
    lines = [drawn.main, *([drawn.optimal] if drawn.optimal else []), *drawn.others]
    return Statistics(
        band=chart_band(joined(drawn.main, drawn.deterministic) if selection.offset else drawn.main),
        saving=saving(loaded, selection),
        areas=compared_areas(lines, rng=rng(), weights=selection.weights),
        changes=quality_by_interval(drawn.main, drawn.deterministic, rng=rng(), test=selection.test),
    )


def measured_curves(loaded: Dataset, selection: Settings, *, alone: bool = False) -> SystemCurves:
    """The same curves on the grid from which everything is estimated: the points that the command prints, too.

    Args:
        loaded: The data.
        selection: The page's settings.
        alone: Plackett–Luce and the optimal policy of the highlighted system only.
    """
    alphas = measured_at(loaded.runs)
    curves = shown_curves(loaded, selection, n_steps=2) if alone else complete_curves(loaded, selection)
    main, optimal = on_grid(curves.main, alphas), curves.optimal and on_grid(curves.optimal, alphas)
    others = tuple(on_grid(curve, alphas) for curve in curves.others)
    every = tuple(curve if curve.policy == "sampled" else on_grid(curve, alphas) for curve in curves.every)
    return curves._replace(main=main, optimal=optimal, others=others, every=every)


def rng() -> np.random.Generator:
    """The chance of every interval on this page: seed 0."""
    return np.random.default_rng(SEED)


@cached
def saving(loaded: Dataset, selection: Settings) -> Saving | None:
    """What the optimal policy saves at the fixed α; None where Plackett–Luce has no point there."""
    drawn = measured_curves(loaded, selection, alone=True)
    return saved(drawn.main, drawn.optimal, seed=SEED)


def chart_band(main: Curve) -> Band | None:
    """The 95 % band of a curve for the chart; None where too few queries have a value."""
    try:
        drawn = band(main, rng=rng())
    except UndefinedError:
        return None
    return Band.where_defined(drawn.disparity, *drawn.interval)


def ranked_queries(pools: Pools) -> list[str]:
    """Queries for which something was retrieved."""
    return [query for query, n in zip(pools.query_ids, pools.n_retrieved, strict=True) if n]


def first_query(system_curves: SystemCurves, ids: list[str]) -> str:
    """The first of some queries that is on the chart."""
    known: list[bool] = np.asarray(system_curves.main.defined.all(axis=0)).tolist()
    on_chart = {q for q, drawn in zip(system_curves.main.query_ids, known, strict=True) if drawn}
    return next((q for q in ids if q in on_chart), ids[0])


@cached
def one_query(loaded: Dataset, selection: Settings, query: int) -> FloatArray:
    """(A, n) exposure of one query's items on the slider's grid."""
    return query_exposures(
        pools_of(loaded, selection.system, selection.judgements),
        query,
        alphas=ALPHAS,
        attention=TopK(selection.k),
        offset=selection.offset,
        scores=selection.scores,
    )


def headline(system_curves: SystemCurves, estimates: Statistics, selection: Settings) -> Finding:
    """Today's finding."""
    if not system_curves.pools.n_retrieved.any():
        return unjoined_finding(selection.system)
    if not system_curves.main.defined.any():
        return undefined_finding()
    return report.headline(
        system_curves.view,
        system_curves.main,
        estimates.saving,
        estimates.areas,
        gain=selection.gain,
        offset=selection.offset,
    )


def saving_headline(system_curves: SystemCurves, saving: Saving | None, selection: Settings) -> Finding:
    """What the optimal policy saves: the same words here and on the start page."""
    return report.saving_headline(system_curves.view, system_curves.main, saving, gain=selection.gain)


def why_undefined(system_curves: SystemCurves, k: int) -> str:
    """How many queries lack what a trade-off needs, and of which kind."""
    pools = system_curves.pools
    ranked = pools.n_retrieved > 0
    small = int((ranked & (pools.sizes <= k)).sum())
    parts = [f"{plural(len(pools.query_ids), 'judged query', 'judged queries')}"]
    if missing := int((~ranked).sum()):
        parts.append(f"{missing} not in the run")
    if small:
        parts.append(f"{small} with no more than {k} documents in the pool: try a smaller k")
    if alike := int(np.sum(ranked)) - small:
        parts.append(f"{alike} whose judged documents all have the same grade")
    return " · ".join(parts)
