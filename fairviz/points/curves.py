"""Curves of policies made from a run's scores (Kim & Diaz, 5; DESIGN 2.6), and rankings drawn at one α.

Two systems' curves are paired by query.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.errors import InputError, UsageError
from fairviz.evaluation.compare import Comparison, compare_all
from fairviz.evaluation.systems import of_depth
from fairviz.kernels.attention import Attention, Discounted, Geometric, Logarithmic, RankBiased, TopK
from fairviz.kernels.exposure import (
    Bounds,
    Gain,
    exposure_bounds,
    run_exposure,
    sample_exposure,
    target_exposure,
    uniform_exposure,
)
from fairviz.kernels.pool import pool
from fairviz.metrics.exposure import attainable, ee_disparity, ee_relevance
from fairviz.model import (
    Curve,
    Dataset,
    Exposure,
    FloatArray,
    IndexArray,
    IntArray,
    Note,
    Pools,
    Qrels,
    RankingSample,
    Run,
    Scores,
)
from fairviz.model.arrays import segment_sums
from fairviz.points.intervals import at_points
from fairviz.points.summary import joined
from fairviz.policies import PlackettLuce, ScoreScale, frontier, normalised_scores
from fairviz.policies.marginals import marginal_rankings, sample_marginals
from fairviz.remembered import remembered
from fairviz.steps import expect, step

# Two systems: area first, then points fixed in advance.


FIXED_ALPHA = 3.0
"""Where policies and systems are compared: fixed in advance, and where the slider starts."""


def compare_points(
    curve: Curve, reference: Curve, end: Curve, reference_end: Curve, *, alpha: float, seed: int
) -> tuple[Comparison, ...]:
    """One system's curve minus another one's, at points fixed in advance, with Holm over them.

    What no query has on both sides is left out. The difference of their areas stands in the table of areas.

    Args:
        curve: Of the system, with a point at ``alpha``.
        reference: Of the other system, with a point there too.
        end: The system's deterministic list, one point.
        reference_end: The other's.
        alpha: Where disparity and quality are compared, fixed in advance.
        seed: Of every interval.

    Returns:
        EE-D and quality at the α, quality of the deterministic lists.
    """
    at, there = (int(np.nanargmin(np.abs(line.alphas - alpha))) for line in (curve, reference))
    values = (
        (f"EE-D at α = {alpha:g}", curve.disparity[at], reference.disparity[there]),
        (f"{curve.y} at α = {alpha:g}", curve.quality[at], reference.quality[there]),
        (f"{curve.y} of the deterministic list", end.quality[0], reference_end.quality[0]),
    )

    def scores(of: Curve, measure: str, values: FloatArray) -> Scores:
        return Scores(system=of.system, measure=measure, query_ids=of.query_ids, values=values)

    pairs = [(scores(curve, measure, ours), scores(reference, measure, theirs)) for measure, ours, theirs in values]
    return compare_all(pairs, seed=seed)


# Curves of one run.


def relevance_measure(attention: Attention, gain: Gain, rel: int = 1) -> str:
    """The quality of a curve as a measure string, which names how relevance was counted.

    Examples:
        >>> from fairviz.kernels.attention import TopK
        >>> relevance_measure(TopK(5), "graded"), relevance_measure(TopK(5), "binary", 2)
        ('EER@5', 'EER(rel=2)@5')
    """
    params = [f"rel={rel}"] if gain == "binary" else []
    cutoff: int | None = None
    match attention:
        case TopK(cutoff):
            pass
        case RankBiased(patience, cutoff):
            params += ["browsing='rbp'", f"p={patience:g}"]
        case Geometric(stopping, cutoff):
            params += ["browsing='geometric'", f"gamma={stopping:g}"]
        case Logarithmic(cutoff):
            params += ["browsing='log'"]
        case Discounted(cutoff):
            params += ["browsing='dcg'"]
        case _:
            pass
    inside = f"({', '.join(params)})" if params else ""
    return f"EER{inside}{'' if cutoff is None else f'@{cutoff}'}"


PolicyName: TypeAlias = Literal["plackett-luce", "optimal", "oracle", "uniform", "deterministic"]


def tradeoff_curve(
    pools: Pools,
    *,
    system: str,
    policy: PolicyName,
    alphas: FloatArray,
    attention: Attention,
    offset: float = 1.0,
    gain: Gain = "graded",
    rel: int = 1,
    scores: ScoreScale = "given",
) -> Curve:
    """Exact attainable EE-D and EE-R of one policy along α.

    Args:
        pools: A scored run with its judgements.
        system: Name of the system.
        policy: "plackett-luce", "optimal" and "oracle" give one point per α, the latter two with
            the mean EE-D that Plackett–Luce has there; "uniform" (over the pool) and
            "deterministic" (the run as it is) give one point and ignore α.
        alphas: (A) fairness control of Plackett–Luce.
        attention: A rank-only browsing model.
        offset: 1 or 0, see :class:`PlackettLuce`.
        gain: Graded usefulness, or "binary".
        rel: The grade from which an item is useful, for binary gain.
        scores: How scores become s̄ for Plackett–Luce and "optimal": "given" (min–max), "ranks" or
            "zscore", see :class:`PlackettLuce`.

    Returns:
        A curve with per-query values; undefined where the query was not ranked or cannot vary.
    """
    axes = gain_axes(pools, gain, attention, scores, rel)
    exposures: list[Exposure]
    match policy:
        case "uniform":
            alphas, exposures = np.array([np.nan]), [uniform_exposure(pools, attention)]
        case "deterministic":
            alphas, exposures = np.array([np.nan]), [run_exposure(pools, attention)]
        case "plackett-luce" | "optimal" | "oracle":
            exposures = [PlackettLuce(float(a), offset, scores).exposure(pools, attention) for a in alphas]
    curve = exposure_curve(axes, exposures, system, policy, alphas, quality=relevance_measure(attention, gain, rel))
    return frontier_curve(axes, curve, policy, attention, scores) if policy in ("optimal", "oracle") else curve


class PoolAxes(NamedTuple):
    """What the points of one pool are measured by, the same for every policy.

    Attributes:
        pools: Where exposure lives.
        target: (M) ε*.
        bounds: Of the measures, whatever the policy.
        levels: (M) s̄, 0 for rows that were not ranked; None where rankings carry no scores.
    """

    pools: Pools
    target: Exposure
    bounds: Bounds
    levels: FloatArray | None


def frontier_curve(
    axes: PoolAxes, reference: Curve, policy: Literal["optimal", "oracle"], attention: Attention, scores: ScoreScale
) -> Curve:
    """The frontier at the mean EE-D of each point of a Plackett–Luce curve, with its α.

    Args:
        axes: Of the reference.
        reference: Exact Plackett–Luce.
        policy: Of the frontier.
        attention: A rank-only browsing model.
        scores: How scores become s̄ for "optimal".
    """
    matched = frontier(policy, axes.pools, axes.target, attention, scores=scores).at(reference.mean_disparity)
    return exposure_curve(axes, matched, reference.system, policy, reference.alphas, quality=reference.y)


def pool_axes(pools: Pools, target: Exposure, attention: Attention, *, scores: ScoreScale = "given") -> PoolAxes:
    """The axes of a pool; ``scores`` is the scale of ⟨ε, s̄⟩."""
    levels = None if np.isnan(pools.scores).all() else np.nan_to_num(normalised_scores(pools, scores))
    return PoolAxes(pools, target, exposure_bounds(target, pools.offsets, attention), levels)


def gain_axes(pools: Pools, gain: Gain, attention: Attention, scores: ScoreScale = "given", rel: int = 1) -> PoolAxes:
    """What the curves of one gain are measured by; for binary gain a document is relevant from grade ``rel``."""
    return pool_axes(pools, target_exposure(pools, attention, gain=gain, rel=rel), attention, scores=scores)


def exposure_curve(
    axes: PoolAxes,
    exposures: Sequence[Exposure],
    system: str,
    policy: str,
    alphas: FloatArray,
    *,
    quality: str = "EER",
) -> Curve:
    """The curve through given exposures of one pool; ``quality`` is its EE-R as a measure string."""
    points = [_point(axes, exposure) for exposure in exposures]
    disparity, relevance, score = (np.array(axis) for axis in zip(*points, strict=True))
    return Curve(
        system=system,
        policy=policy,
        query_ids=axes.pools.query_ids,
        alphas=np.asarray(alphas, dtype=np.float64),
        disparity=disparity,
        quality=relevance,
        score=score,
        y=quality,
    )


def sampled_curve(
    samples: Sequence[RankingSample], qrels: Qrels, *, attention: Attention, gain: Gain = "graded", rel: int = 1
) -> Curve:
    """Attainable EE-D and EE-R (plug-in) of recorded samples of one system, ordered by α.

    Args:
        samples: Rankings of one system, one member per α, all with the same candidates.
        qrels: Judgements.
        attention: A rank-only browsing model.
        gain: As in :func:`tradeoff_curve`.
        rel: As in :func:`tradeoff_curve`.
    """
    curves: list[Curve] = []
    for sample in sorted(samples, key=lambda sample: np.inf if sample.alpha is None else sample.alpha):
        pools = pool(sample, qrels)
        axes, at = gain_axes(pools, gain, attention, rel=rel), np.nan if sample.alpha is None else sample.alpha
        drawn = sample_exposure(sample, pools, attention).exposure
        curves.append(exposure_curve(axes, [drawn], samples[0].system, "sampled", np.array([at])))
    n_samples = int(max(sample.n_samples.max(initial=0) for sample in samples))
    return replace(reduce(joined, curves), n_samples=n_samples, y=relevance_measure(attention, gain, rel))


def _point(axes: PoolAxes, exposure: Exposure) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Per query: attainable EE-D, attainable EE-R, ⟨ε, s̄⟩; NaN where nothing was ranked."""
    offsets, ranked = axes.pools.offsets, axes.pools.n_retrieved > 0
    disparity = attainable(ee_disparity(exposure, offsets), *axes.bounds.disparity)
    quality = attainable(ee_relevance(exposure, axes.target, offsets), *axes.bounds.relevance)
    score = np.full(ranked.size, np.nan) if axes.levels is None else segment_sums(exposure * axes.levels, offsets)
    return (
        np.where(ranked, disparity, np.nan),
        np.where(ranked, quality, np.nan),
        np.where(ranked, score, np.nan),
    )


CurvePolicy: TypeAlias = Literal["plackett-luce", "optimal", "oracle"]
"""Policies that α moves, in the order in which they are listed."""


POLICIES: tuple[CurvePolicy, ...] = ("plackett-luce", "optimal", "oracle")
"""Policies that α moves."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveSettings:
    """How the curves of a run are made.

    Attributes:
        policies: Which curves.
        alphas: (A) fairness control.
        attention: A rank-only browsing model.
        offset: 1 or 0, of the logits, see :class:`PlackettLuce`.
        gain: Graded usefulness, or useful / not useful.
        rel: Smallest useful grade, for binary gain.
        scores: What a policy sees of the scores.
        samples: Plackett–Luce rankings drawn of a query, in place of exact exposure; None = exact.
        seed: Of the draws, for every run anew, so that one's points do not depend on another's.
    """

    policies: tuple[CurvePolicy, ...]
    alphas: FloatArray
    attention: Attention
    offset: float = 1.0
    gain: Gain = "graded"
    rel: int = 1
    scores: ScoreScale = "given"
    samples: int | None = None
    seed: int = 0

    @property
    def quality(self) -> str:
        """What stands on the y axis, as a measure string."""
        return relevance_measure(self.attention, self.gain, self.rel)


def policy_curves(run: Run, pools: Pools, settings: CurveSettings) -> list[Curve]:
    """Attainable EE-D and EE-R of each policy along α, then the uniform and deterministic points.

    The frontiers meet the mean EE-D of exact Plackett–Luce at each α, so that their points are
    compared at equal disparity, whether or not the Plackett–Luce points are sampled.

    Args:
        run: The scored run.
        pools: Its alignment with the judgements.
        settings: How its curves are made.

    Returns:
        Curves in the order of the policies, then "uniform" and "deterministic".
    """
    attention, alphas, samples = settings.attention, settings.alphas, settings.samples
    axes = gain_axes(pools, settings.gain, attention, settings.scores, settings.rel)
    rng = np.random.default_rng(settings.seed)

    def curve(policy: str, exposures: Iterable[Exposure], at: FloatArray) -> Curve:
        return exposure_curve(axes, list(exposures), run.system, policy, at, quality=settings.quality)

    def exposure(alpha: float, drawn: int | None = None) -> Exposure:
        policy = PlackettLuce(alpha, settings.offset, settings.scores)
        if drawn is None:
            made = policy.exposure(pools, attention)
        else:
            depth = int(np.count_nonzero(attention.weights(int(np.diff(run.offsets).max(initial=1)))))
            sample = policy.sample(run, depth=depth, n_samples=drawn, rng=rng)
            made = sample_exposure(sample, pools, attention).exposure
        step()
        return made

    values: list[float] = alphas.tolist()
    is_exact = not samples or set(settings.policies) != {"plackett-luce"}
    is_drawn = bool(samples) and "plackett-luce" in settings.policies
    expect(len(values) * (is_exact + is_drawn))
    reference = curve("plackett-luce", map(exposure, values), alphas) if is_exact else None
    curves: list[Curve] = []
    for policy in settings.policies:
        if policy != "plackett-luce":
            if reference is not None:
                curves.append(frontier_curve(axes, reference, policy, attention, settings.scores))
        elif samples:
            drawn = curve(policy, (exposure(alpha, samples) for alpha in values), alphas)
            curves.append(replace(drawn, n_samples=samples))
        elif reference is not None:
            curves.append(reference)
    nowhere = np.array([np.nan])
    curves.append(curve("uniform", [uniform_exposure(pools, attention)], nowhere))
    curves.append(curve("deterministic", [run_exposure(pools, attention)], nowhere))
    return curves


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """Which rankings are drawn.

    Attributes:
        policy: "plackett-luce" needs the scores alone. "optimal" has the mean EE-D that Plackett–Luce has at α, over
            the queries of the judgements or, without them, of the run; so has "oracle", which needs judgements.
        alpha: Fairness control.
        attention: The browsing model that the frontiers are optimal for.
        depth: Ranks kept.
        n_samples: Rankings per query.
        offset: 1 or 0, see :class:`PlackettLuce`.
        gain: Graded usefulness, or useful / not useful.
        rel: Smallest useful grade, for binary gain.
        scores: How scores become s̄, see :class:`PlackettLuce`.
    """

    policy: CurvePolicy
    alpha: float
    attention: Attention
    depth: int
    n_samples: int
    offset: float = 1.0
    gain: Gain = "graded"
    rel: int = 1
    scores: ScoreScale = "given"

    @property
    def reference(self) -> PlackettLuce:
        """Plackett–Luce at this α."""
        return PlackettLuce(self.alpha, self.offset, self.scores)


def draw_rankings(run: Run, drawing: Drawing, *, rng: np.random.Generator, qrels: Qrels | None = None) -> RankingSample:
    """Draw rankings of every query of a scored run.

    Raises:
        UsageError: The oracle lacks judgements.
    """
    depth, n_samples = drawing.depth, drawing.n_samples
    if drawing.policy == "plackett-luce":
        return drawing.reference.sample(run, depth=depth, n_samples=n_samples, rng=rng)
    pools, exposure = _matched(run, drawing, drawing.policy, qrels)
    drawn = sample_marginals(
        pools,
        exposure,
        drawing.attention,
        system=run.system,
        policy=drawing.policy,
        alpha=drawing.alpha,
        depth=depth,
        n_samples=n_samples,
        rng=rng,
    )
    return replace(drawn, scores=drawing.scores, offset=float(drawing.offset), tag=run.tag, source=run)


def drawn_by_query(
    run: Run, drawing: Drawing, *, rng: np.random.Generator, qrels: Qrels | None = None
) -> Iterator[RankingSample]:
    """The rankings of :func:`draw_rankings`, one query after the other, each drawn when it is asked for.

    Millions can then be written that do not fit into memory; a sample holds only the documents that it shows.

    Raises:
        UsageError: The oracle lacks judgements.
    """
    depth, n_samples = drawing.depth, drawing.n_samples
    rankings: Iterator[tuple[int, IntArray | IndexArray]]
    table: Run | Pools = run
    if drawing.policy == "plackett-luce":
        rankings = enumerate(drawing.reference.rankings(run, depth=depth, n_samples=n_samples, rng=rng))
    else:
        table, exposure = _matched(run, drawing, drawing.policy, qrels)
        rankings = marginal_rankings(table, exposure, drawing.attention, depth=depth, n_samples=n_samples, rng=rng)
    for q, drawn in rankings:
        distinct, docs = np.unique(drawn, return_inverse=True)
        shown: list[int] = distinct.tolist()
        yield RankingSample(
            system=run.system,
            policy=drawing.policy,
            alpha=float(drawing.alpha),
            query_ids=(table.query_ids[q],),
            doc_ids=tuple(table.doc_ids[doc] for doc in shown),
            query_offsets=np.array([0, n_samples]),
            sample_offsets=np.arange(n_samples + 1, dtype=np.int64) * drawn.shape[1],
            docs=docs.astype(np.int32).ravel(),
            scores=drawing.scores,
            offset=float(drawing.offset),
            tag=run.tag,
        )


def _matched(
    run: Run, drawing: Drawing, policy: Literal["optimal", "oracle"], qrels: Qrels | None
) -> tuple[Pools, Exposure]:
    """The pools, and on them the exposure of a frontier that has the mean EE-D of Plackett–Luce."""
    if policy == "oracle" and qrels is None:
        raise UsageError("the oracle knows the judgements: give --qrels FILE")
    pools, attention = pool(run, qrels), drawing.attention
    # Without judgements the frontier counts every query on which the scores can differ.
    target = (
        run_exposure(pools, attention)
        if qrels is None
        else target_exposure(pools, attention, gain=drawing.gain, rel=drawing.rel)
    )
    exposure = drawing.reference.exposure(pools, attention)
    axes = pool_axes(pools, target, attention)
    point = exposure_curve(axes, [exposure], run.system, policy, np.array([drawing.alpha]))
    matched = frontier(policy, pools, target, attention, scores=drawing.scores).at(point.mean_disparity)
    return pools, matched[0]


# One system along α: the grids of α, its Plackett–Luce curve for either gain, and the ends of the oracle.


GAINS: tuple[Gain, Gain] = ("graded", "binary")
ALPHAS: FloatArray = np.arange(65) / 8
"""The slider's grid: 0, 1/8, …, 8."""
GRID, COARSE = 33, 17
"""Points along α from which areas, slopes and everything else that is estimated is read, the same for every curve and
on every surface (0:8:33, the default of the command too); fewer where a run is large."""
LARGE = 30_000
"""Lines of a run from which fewer points are computed: more would keep a person waiting."""


def at_depth(data: Dataset, depth: str = "common") -> tuple[Dataset, str, tuple[Note, ...]]:
    """The data with lists of runs read to one depth, what is said of it, and of each run; itself where none is cut."""
    return _cut(data, depth) or (data, "", ())


@remembered
def _cut(data: Dataset, depth: str) -> tuple[Dataset, str, tuple[Note, ...]] | None:
    shorter, cut = of_depth(data, depth)
    return (shorter, cut.words, cut.notes) if cut.words else None


def measured_at(runs: Sequence[Run]) -> FloatArray:
    """(A) the α from which the areas of some runs are read: one grid for all of them.

    Examples:
        >>> measured_at([]).size
        33
    """
    large = any(run.docs.size > LARGE for run in runs)
    return np.linspace(0.0, 8.0, COARSE if large else GRID)


def alphas_of(data: Dataset, said: Sequence[float]) -> FloatArray:
    """(A) the α that are said; those from which the areas of the runs are read where none are."""
    return np.array(said) if said else measured_at(data.runs)


def by_alpha(first: Curve, second: Curve) -> Curve:
    """The points of two curves of one policy of a system, by rising α."""
    both = joined(first, second)
    return at_points(both, np.argsort(both.alphas, kind="stable"))


def plackett_luce_curves(
    pools: Pools,
    *,
    system: str,
    alphas: FloatArray,
    attention: Attention,
    offset: float = 1.0,
    scores: ScoreScale = "given",
    rel: int = 1,
) -> dict[Gain, Curve]:
    """Exact Plackett–Luce along α for graded and for binary gain.

    Exposure does not depend on the gain: one pass, which takes nearly all of the time, gives both.

    Args:
        pools: A scored run with its judgements.
        system: Name of the system.
        alphas: (A) fairness control.
        attention: A rank-only browsing model.
        offset: 1 or 0, see :class:`PlackettLuce`.
        scores: How scores become s̄, see :class:`PlackettLuce`.
        rel: Smallest useful grade, for binary gain.
    """
    exposures: list[Exposure] = []
    expect(alphas.size)
    for alpha in alphas.tolist():
        exposures.append(PlackettLuce(alpha, offset, scores).exposure(pools, attention))
        step()

    def curve(gain: Gain) -> Curve:
        axes, quality = gain_axes(pools, gain, attention, scores, rel), relevance_measure(attention, gain, rel)
        return exposure_curve(axes, exposures, system, "plackett-luce", alphas, quality=quality)

    return {gain: curve(gain) for gain in GAINS}


def oracle_ends(axes: PoolAxes, reference: Curve, attention: Attention) -> Curve:
    """The oracle outside the disparities of a Plackett–Luce curve: from uniform, and up to EE-D 1, without an α."""
    inner = reference.mean_disparity[~np.isnan(reference.mean_disparity)]
    low, high = float(inner.min(initial=1.0)), float(inner.max(initial=0.0))
    outside = np.concatenate([np.linspace(0, low, 13)[:-1], [max(high, 1.0)]])
    exposures: Sequence[Exposure] = frontier("oracle", axes.pools, axes.target, attention).at(outside)
    nowhere = np.full(outside.size, np.nan)
    return exposure_curve(axes, exposures, reference.system, "oracle", nowhere, quality=reference.y)


def query_exposures(
    pools: Pools,
    query: int,
    *,
    alphas: FloatArray,
    attention: Attention,
    offset: float = 1.0,
    scores: ScoreScale = "given",
) -> FloatArray:
    """(A, n) exact Plackett–Luce exposure of one query's n pool items at each α.

    Args:
        pools: A scored run with its judgements.
        query: Index of the query in ``pools``.
        alphas: (A) fairness control.
        attention: A rank-only browsing model.
        offset: 1 or 0, see :class:`PlackettLuce`.
        scores: How scores become s̄, see :class:`PlackettLuce`.
    """
    single = only_query(pools, query)
    return np.stack([PlackettLuce(float(a), offset, scores).exposure(single, attention) for a in alphas])


def only_query(pools: Pools, query: int) -> Pools:
    """The pool of one query, still pointing into the same ids."""
    rows = slice(int(pools.offsets[query]), int(pools.offsets[query + 1]))
    ends: IntArray = np.array([0, rows.stop - rows.start], dtype=np.int64)
    return Pools(
        query_ids=pools.query_ids[query : query + 1],
        doc_ids=pools.doc_ids,
        offsets=ends,
        docs=pools.docs[rows],
        scores=pools.scores[rows],
        gains=pools.gains[rows],
        judged=pools.judged[rows],
        n_retrieved=pools.n_retrieved[query : query + 1],
    )


def with_scores(ranked: Run | RankingSample, file: str) -> Run:
    """The run, refused where it is a sample.

    Raises:
        InputError: Rankings without scores.
    """
    if isinstance(ranked, Run):
        return ranked
    reason = "a sample of rankings has no scores to make a policy from"
    raise InputError(reason, file=file, fix="Give the run that it was drawn from.")
