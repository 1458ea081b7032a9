"""Controls, curves, statistics and finding of the Trade-off page with EE-R on the y axis.

Every setting is in the address. Curves are computed once per data set, coarse to fine, and remembered.
"""

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

import numpy as np
import streamlit as st

from fairviz.attention import TopK
from fairviz.display.bands import Band
from fairviz.display.theme import axis_name
from fairviz.display.words import Finding, listing, plural
from fairviz.errors import UndefinedError
from fairviz.evaluation.depth import at_common_depth
from fairviz.evaluation.joins import of_task
from fairviz.exposure import Gain
from fairviz.io import snapshot
from fairviz.model import Curve, Dataset, FloatArray, Pools, Qrels, RankingSample, Run
from fairviz.policies import ScoreScale
from fairviz.pool import pool
from fairviz.stats.bootstrap import Interval
from fairviz.studies.tradeoff import first_curves, report
from fairviz.studies.tradeoff.curves import relevance_measure, sampled_curve
from fairviz.studies.tradeoff.findings import undefined_finding, unjoined_finding
from fairviz.studies.tradeoff.intervals import IntervalRow, IntervalTest, quality_by_interval
from fairviz.studies.tradeoff.progressive import (
    ALPHA_POLICIES,
    ALPHAS,
    AlphaPolicy,
    GrowingCurves,
    measured_at,
    on_grid,
    only_query,
    query_exposures,
    two_at_once,
)
from fairviz.studies.tradeoff.report import Beside, as_shown, beside, samples_along_alpha, saved
from fairviz.studies.tradeoff.summary import (
    AreaGap,
    CurveAreas,
    CurveSummary,
    Saving,
    SlopeWeights,
    band,
    compared_areas,
    joined,
)
from fairviz.studies.tradeoff.view import Line, TradeoffView
from pages._kit import cached, callout
from pages._kit.controls import (
    ScorePolicy,
    choose_cutoff,
    choose_judgements,
    choose_place,
    choose_policy,
    choose_relevance,
    following,
    usual_judgements,
)
from pages._kit.recorded_outputs import usual_k
from pages._kit.session import is_shipped

if TYPE_CHECKING:
    from fairviz.report.page_tables import TradeoffSettings

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
        from fairviz.report.page_tables import TradeoffSettings  # all studies: when somebody takes a table away

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

    return QUALITIES[following("quality", known[0], lambda text: text if text in known else None, draw)]


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
def grower(
    loaded: Dataset, system: str, judgements: int, k: int, offset: float, scores: ScoreScale = "given"
) -> GrowingCurves:
    """The curves of one system as far as they have got; shared by all that look at them."""
    pools = pools_of(loaded, system, judgements)
    curves = GrowingCurves(pools, system=system, attention=TopK(k), offset=offset, scores=scores)
    first = first_settings(loaded) if is_shipped(loaded) else None
    if first and (system, judgements, k, (scores, offset)) == (first.system, first.judgements, first.k, first.policy):
        first_curves.recall(curves)
    return curves


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


def growing(loaded: Dataset, system: str, selection: Settings) -> GrowingCurves:
    """The curves of one system under the settings that matter to them."""
    return grower(loaded, system, selection.judgements, selection.k, selection.offset, selection.scores)


def first_settings(loaded: Dataset) -> Settings | None:
    """The settings that the page begins with; None where there is nothing to rank by."""
    if not can_rank(loaded):
        return None
    run = loaded.runs[0]
    return Settings(
        system=run.system, judgements=usual_judgements(loaded, run), k=usual_k(loaded), gain="graded", quality="EER"
    )


def compute_first(loaded: Dataset) -> None:
    """What the page begins with on the example, for whoever comes first; Home shows some of it.

    Curves, statistics and the items of a query are kept: where the same are asked for, :func:`grower`,
    :func:`statistics` and :func:`one_query` recall them.
    """
    first = first_settings(loaded)
    if first is None:
        return
    advance(loaded, first, seconds=np.inf)
    system_curves, estimates = complete_curves(loaded, first), statistics(loaded, first)
    curves = growing(loaded, first.system, first)
    first_curves.keep(curves)
    if _kept_statistics(loaded, first) is None:
        snapshot.keep(_STATISTICS, _key(curves, first), estimates)
    if ids := ranked_queries(curves.pools):
        query = curves.pools.query_ids.index(first_query(system_curves, ids))
        exposures = one_query(loaded, first, query)
        if _kept_query(loaded, first, query) is None:
            snapshot.keep(_QUERY, _key(curves, first), (query, exposures))


def load_kernels(loaded: Dataset) -> None:
    """Have the kernels of curves loaded, by a point of one query: those that were kept needed none."""
    first = first_settings(loaded)
    if first is not None:
        curves = growing(loaded, first.system, first)
        one = GrowingCurves(only_query(curves.pools, 0), system=first.system, attention=curves.attention)
        one.advance("graded", dict.fromkeys(ALPHA_POLICIES, 1))


def wanted(loaded: Dataset, *, highlighted: bool) -> dict[AlphaPolicy, int]:
    """Points to compute of each policy; other systems show their Plackett–Luce curve only.

    All have the grid on which they are measured; the highlighted one, on which α moves, is twice as fine.
    """
    points = measured_at(loaded.runs).size
    if not highlighted:
        return {"plackett-luce": points}
    return {"plackett-luce": 2 * points - 1, "optimal": points, "oracle": points}


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


def advance(loaded: Dataset, selection: Settings, *, seconds: float) -> bool:
    """Compute for a while, the highlighted system first; whether everything is there now."""
    end = time.monotonic() + seconds
    if not growing(loaded, selection.system, selection).advance(
        selection.gain, wanted(loaded, highlighted=True), seconds=seconds
    ):
        return False
    most = wanted(loaded, highlighted=False)
    missing = [name for name in others(loaded, selection).names if not _is_whole(loaded, name, selection)]
    grown = [growing(loaded, name, selection) for name in missing]
    return two_at_once([partial(_grow, one, selection.gain, most) for one in grown], end=end)


def _grow(curves: GrowingCurves, gain: Gain, most: dict[AlphaPolicy, int], seconds: float) -> bool:
    return curves.advance(gain, most, seconds=seconds)


def _is_whole(loaded: Dataset, system: str, selection: Settings) -> bool:
    """Whether a system has every point that is wanted of it."""
    curves = growing(loaded, system, selection)
    most = wanted(loaded, highlighted=system == selection.system)
    return all(curves.n_points(policy, selection.gain) >= n for policy, n in most.items())


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
    """All there is to show, once it is there: a move of α only looks it up."""
    return shown_curves(loaded, selection)


def shown_curves(loaded: Dataset, selection: Settings, *, alone: bool = False) -> SystemCurves:
    """What there is by now: the highlighted system, and once it is whole the others.

    Args:
        loaded: The data.
        selection: The page's settings.
        alone: The highlighted system only, where nothing of the others is needed.
    """
    growing_curves = growing(loaded, selection.system, selection)
    gain = selection.gain
    main = growing_curves.curve("plackett-luce", gain)
    if main is None:
        raise ValueError("no point has been computed")
    optimal, oracle = growing_curves.curve("optimal", gain), growing_curves.curve("oracle", gain)
    end, uniform = growing_curves.point("deterministic", gain), growing_curves.point("uniform", gain)
    alone = alone or not _is_whole(loaded, selection.system, selection)
    names = () if alone else others(loaded, selection).names
    of_others = [growing(loaded, name, selection).curve("plackett-luce", gain) for name in names]
    grown = tuple(curve for curve in of_others if curve is not None)
    sampled = samples_of(loaded, selection)
    view = TradeoffView(
        lines=[Line.of(curve) for curve in (main, *grown)],
        system=selection.system,
        optimal=Line.of(joined(optimal, end) if selection.offset else optimal) if optimal else None,
        oracle=Line.of(joined(oracle, growing_curves.oracle_ends(gain))).by_x() if oracle else None,
        uniform=Line.of(uniform),
        deterministic=Line.of(end),
        sampled=Line.of(sampled) if sampled else None,
        joined=selection.offset > 0,
    )
    every = (main, optimal, oracle, uniform, end, sampled, *grown)
    return SystemCurves(view, main, optimal, end, grown, growing_curves.pools, tuple(curve for curve in every if curve))


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
    """Band, saving, areas and interval table of curves that are complete."""
    if kept := _kept_statistics(loaded, selection):
        return kept
    drawn = measured_curves(loaded, selection)
    lines = [drawn.main, *([drawn.optimal] if drawn.optimal else []), *drawn.others]
    return Statistics(
        band=chart_band(joined(drawn.main, drawn.deterministic) if selection.offset else drawn.main),
        saving=saving(loaded, selection),
        areas=compared_areas(lines, rng=rng(), weights=selection.weights),
        changes=quality_by_interval(drawn.main, drawn.deterministic, rng=rng(), test=selection.test),
    )


_STATISTICS, _QUERY = "first-statistics", "first-query"
_KINDS = (Statistics, Band, Saving, CurveAreas, CurveSummary, AreaGap, IntervalRow, Interval)
"""What statistics are made of."""


def _kept_statistics(loaded: Dataset, selection: Settings) -> Statistics | None:
    """Statistics of the example's first curves, where an earlier process kept the same."""
    found = _kept(_STATISTICS, loaded, selection)
    return found if isinstance(found, Statistics) else None


def _kept_query(loaded: Dataset, selection: Settings, query: int) -> FloatArray | None:
    """Exposure of the items of the example's first query, likewise."""
    found = _kept(_QUERY, loaded, selection)
    if not isinstance(found, tuple):
        return None
    place, exposures = cast("tuple[int, FloatArray]", found)
    return exposures if place == query else None


def _kept(name: str, loaded: Dataset, selection: Settings) -> object:
    if not is_shipped(loaded) or selection != first_settings(loaded):
        return None
    return snapshot.find(name, _key(growing(loaded, selection.system, selection), selection), _KINDS)


def _key(curves: GrowingCurves, selection: Settings) -> bytes:
    return first_curves.key(curves, repr(selection), code=[Path(__file__)])


def measured_curves(loaded: Dataset, selection: Settings, *, alone: bool = False) -> SystemCurves:
    """The same curves on the grid from which everything is estimated: the points that the command prints, too."""
    curves, alphas = shown_curves(loaded, selection, alone=alone), measured_at(loaded.runs)
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
    if kept := _kept_statistics(loaded, selection):
        return kept.saving
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
    kept = _kept_query(loaded, selection, query)
    if kept is not None:
        return kept
    growing_curves = growing(loaded, selection.system, selection)
    return query_exposures(
        growing_curves.pools,
        query,
        alphas=ALPHAS,
        attention=growing_curves.attention,
        offset=selection.offset,
        scores=selection.scores,
    )


def headline(system_curves: SystemCurves, estimates: Statistics | None, selection: Settings) -> Finding:
    """Today's finding; before the curves are complete, only what is being done."""
    if not system_curves.pools.n_retrieved.any():
        return unjoined_finding(selection.system)
    if not system_curves.main.defined.any():
        return undefined_finding()
    if estimates is None:
        return Finding("Computing the curves", "Exact exposure, coarse to fine; move α meanwhile.")
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
