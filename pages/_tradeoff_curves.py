"""Curves for the Trade-off page: computed once per data set, coarse to fine, and remembered."""

from typing import NamedTuple

import numpy as np

from fairviz.analysis.equal_quality import Saving, disparity_saved
from fairviz.analysis.growing import ALPHAS, AlphaPolicy, GrowingCurves, query_exposures
from fairviz.analysis.intervals import IntervalRow, interval_table
from fairviz.analysis.summary import (
    CurveSummary,
    auc_difference,
    auc_table,
    band,
    joined,
)
from fairviz.analysis.tradeoff import sampled_curve
from fairviz.analysis.uncertainty import PairedDifference
from fairviz.attention import TopK
from fairviz.errors import UndefinedError
from fairviz.figures.curves import Band, Line, TradeoffView
from fairviz.model import Curve, Dataset, FloatArray, Pools
from fairviz.pool import pool
from pages._kept import kept
from pages._shared import cached
from pages._tradeoff_settings import Settings

SEED = 0
FIXED_ALPHA = 3.0
"""Where policies are compared at equal quality: fixed in advance, and where the slider starts."""
LARGE = 30_000
"""Pool rows from which fewer points are computed: all 65 would keep a person waiting."""


@kept
def grower(loaded: Dataset, system: str, judgements: int, k: int, offset: float) -> GrowingCurves:
    """The curves of one system as far as they have got; shared by all that look at them."""
    run = next(run for run in loaded.runs if run.system == system)
    pools = pool(run, loaded.qrels[judgements])
    return GrowingCurves(pools, system=system, attention=TopK(k), offset=offset)


def growing(loaded: Dataset, system: str, chosen: Settings) -> GrowingCurves:
    """The curves of one system under the settings that matter to them."""
    return grower(loaded, system, chosen.judgements, chosen.k, chosen.offset)


def wanted(curves: GrowingCurves, *, highlighted: bool) -> dict[AlphaPolicy, int]:
    """Points to compute of each policy; other systems show their Plackett–Luce curve only."""
    large = curves.pools.docs.size > LARGE
    if not highlighted:
        return {"plackett-luce": 9 if large else 33}
    points = 17 if large else 65
    return {"plackett-luce": 33 if large else 65, "optimal": points, "oracle": points}


def advance(loaded: Dataset, chosen: Settings, *, seconds: float) -> bool:
    """Compute for a while; whether everything is there now."""
    ends: list[bool] = []
    systems = [chosen.system, *(run.system for run in loaded.runs if run.system != chosen.system)]
    for system in systems:
        curves = growing(loaded, system, chosen)
        most = wanted(curves, highlighted=system == chosen.system)
        ends.append(curves.advance(chosen.gain, most, seconds=seconds))
        if not ends[-1]:
            return False
    return all(ends)


class Shown(NamedTuple):
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
    """What is estimated from whole curves, all from the seed of this page.

    ``gaps`` are areas minus that of the highlighted Plackett–Luce curve, paired by query.
    """

    band: Band | None
    saving: Saving | None
    areas: tuple[CurveSummary, ...]
    gaps: tuple[PairedDifference, ...]
    changes: tuple[IntervalRow, ...]


@kept
def complete_curves(loaded: Dataset, chosen: Settings) -> Shown:
    """All there is to show, once it is there: a move of α only looks it up."""
    return shown_curves(loaded, chosen)


def shown_curves(loaded: Dataset, chosen: Settings) -> Shown:
    """What there is by now."""
    own = growing(loaded, chosen.system, chosen)
    gain = chosen.gain
    main = own.curve("plackett-luce", gain)
    if main is None:
        raise ValueError("no point has been computed")
    optimal, oracle = own.curve("optimal", gain), own.curve("oracle", gain)
    end, uniform = own.point("deterministic", gain), own.point("uniform", gain)
    names = [run.system for run in loaded.runs if run.system != chosen.system]
    others = [growing(loaded, name, chosen).curve("plackett-luce", gain) for name in names]
    grown = tuple(curve for curve in others if curve is not None)
    sampled = samples_of(loaded, chosen)
    view = TradeoffView(
        lines=[Line.of(curve) for curve in (main, *grown)],
        system=chosen.system,
        optimal=Line.of(joined(optimal, end) if chosen.offset else optimal) if optimal else None,
        oracle=Line.of(joined(oracle, own.oracle_ends(gain))).by_x() if oracle else None,
        uniform=Line.of(uniform),
        deterministic=Line.of(end),
        sampled=Line.of(sampled) if sampled else None,
        joined=chosen.offset > 0,
    )
    every = (main, optimal, oracle, uniform, end, sampled, *grown)
    return Shown(view, main, optimal, end, grown, own.pools, tuple(curve for curve in every if curve))


@cached
def samples_of(loaded: Dataset, chosen: Settings) -> Curve | None:
    """The recorded samples of the highlighted system, as points."""
    own = [s for s in loaded.samples if s.system == chosen.system and s.alpha is not None]
    if not own:
        return None
    qrels = loaded.qrels[chosen.judgements]
    run = next(run for run in loaded.runs if run.system == chosen.system)
    pools = [pool(sample, qrels, also=[run]) for sample in own]
    return sampled_curve(own, pools, attention=TopK(chosen.k), gain=chosen.gain)


@cached
def statistics(loaded: Dataset, chosen: Settings) -> Statistics:
    """Band, saving, areas and interval table of curves that are complete."""
    shown = shown_curves(loaded, chosen)

    def whole(curve: Curve) -> Curve:
        end = shown.deterministic
        own = end.query_ids == curve.query_ids and curve.system == end.system
        return joined(curve, end) if chosen.offset and own else curve

    main = whole(shown.main)
    lines = [main, *([whole(shown.optimal)] if shown.optimal else []), *shown.others]
    return Statistics(
        band=chart_band(main),
        saving=_saving(shown),
        areas=auc_table(lines, rng=rng(), weights=chosen.weights),
        gaps=tuple(auc_difference(line, main, rng=rng()) for line in lines[1:]),
        changes=interval_table(shown.main, shown.deterministic, rng=rng(), test=chosen.test),
    )


def rng() -> np.random.Generator:
    """The chance of every interval on this page: seed 0."""
    return np.random.default_rng(SEED)


def _saving(shown: Shown) -> Saving | None:
    if shown.optimal is None:
        return None
    try:
        return disparity_saved(shown.main, shown.optimal, alpha=FIXED_ALPHA, rng=rng())
    except UndefinedError:
        return None


def chart_band(main: Curve) -> Band | None:
    """The 95 % band of a curve for the chart; None where too few queries have a value."""
    try:
        drawn = band(main, rng=rng())
    except UndefinedError:
        return None
    if np.isnan(drawn.interval.low).all():
        return None
    return Band(drawn.disparity, drawn.interval.low, drawn.interval.high)


@cached
def one_query(loaded: Dataset, chosen: Settings, query: int) -> FloatArray:
    """(A, n) exposure of one query's items on the slider's grid."""
    own = growing(loaded, chosen.system, chosen)
    return query_exposures(own.pools, query, alphas=ALPHAS, attention=own.attention, offset=chosen.offset)
