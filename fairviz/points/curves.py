"""Curves of policies made from a run's scores (Kim & Diaz, 5; DESIGN 2.6), and rankings drawn at one α.

Two systems' curves are paired by query.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.errors import InputError, UsageError
from fairviz.kernels.attention import Attention
from fairviz.kernels.compiled import in_order
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
    Pools,
    Qrels,
    RankingSample,
    Run,
    ScoreScale,
)
from fairviz.model.arrays import segment_sums
from fairviz.policies import PlackettLuce, frontier, normalised_scores
from fairviz.policies.marginals import drawn_sample, marginal_rankings
from fairviz.policies.scales import Scaled, scaled_scores
from fairviz.steps import expect, step

FIXED_ALPHA = 3.0
"""Where policies and systems are compared: fixed in advance, and where the slider starts."""


# Curves of one run.


def relevance_measure(attention: Attention, gain: Gain, rel: int = 1) -> str:
    """The quality of a curve as a measure string, which names how relevance was counted.

    Examples:
        >>> from fairviz.kernels.attention import TopK
        >>> relevance_measure(TopK(5), "graded"), relevance_measure(TopK(5), "binary", 2)
        ('EER@5', 'EER(rel=2)@5')
    """
    params = [f"rel={rel}"] if gain == "binary" else []
    params += [] if attention.browsing == "topk" else [f"browsing='{attention.browsing}'"]
    params += [f"p={attention.patience:g}"] if attention.browsing == "rbp" else []
    params += [f"gamma={attention.stopping:g}"] if attention.browsing == "geometric" else []
    inside = f"({', '.join(params)})" if params else ""
    return f"EER{inside}{'' if attention.cutoff is None else f'@{attention.cutoff}'}"


PolicyName: TypeAlias = Literal["plackett-luce", "optimal", "oracle", "uniform", "deterministic"]
CurvePolicy: TypeAlias = Literal["plackett-luce", "optimal", "oracle"]
POLICIES: tuple[CurvePolicy, ...] = ("plackett-luce", "optimal", "oracle")
"""Policies that α moves, in the order in which they are listed."""
GAINS: tuple[Gain, Gain] = ("graded", "binary")
ALPHAS: FloatArray = np.arange(65) / 8
"""The slider's grid: 0, 1/8, …, 8."""
NOWHERE: FloatArray = np.array([np.nan])
"""α of a point that has none."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PolicySettings:
    """How policies are made of the scores of a run, and what their exposure is measured by.

    Attributes:
        attention: A rank-only browsing model.
        offset: 1 or 0, of the logits, see :class:`PlackettLuce`.
        gain: Graded usefulness, or useful / not useful.
        rel: Smallest useful grade, for binary gain.
        scores: How scores become s̄, see :class:`PlackettLuce`.
    """

    attention: Attention
    offset: float = 1.0
    gain: Gain = "graded"
    rel: int = 1
    scores: ScoreScale = "given"

    @property
    def quality(self) -> str:
        """What stands on the y axis, as a measure string."""
        return relevance_measure(self.attention, self.gain, self.rel)

    def exposure(self, pools: Pools, alpha: float, scaled: Scaled | None = None) -> Exposure:
        """(M) exact exposure of Plackett–Luce at an α; ``scaled`` are the scores, where that is done already."""
        return PlackettLuce(alpha, self.offset, self.scores).exposure(pools, self.attention, scaled=scaled)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveSettings(PolicySettings):
    """How the curves of a run are made.

    Attributes:
        policies: Which curves.
        alphas: (A) fairness control.
        samples: Plackett–Luce rankings drawn of a query, in place of exact exposure; None = exact.
        seed: Of the draws, for every run anew, so that one's points do not depend on another's.
    """

    policies: tuple[CurvePolicy, ...] = POLICIES[:1]
    alphas: FloatArray = field(default_factory=lambda: ALPHAS)
    samples: int | None = None
    seed: int = 0


Point: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""Per query: attainable EE-D, attainable EE-R, ⟨ε, s̄⟩."""


class PoolAxes(NamedTuple):
    """What the points of one pool are measured by, the same for every policy.

    Attributes:
        pools: Where exposure lives.
        settings: How policies are made and measured.
        target: (M) ε*.
        bounds: Of the measures, whatever the policy.
        levels: (M) s̄, 0 for rows that were not ranked; None where rankings carry no scores.
    """

    pools: Pools
    settings: PolicySettings
    target: Exposure
    bounds: Bounds
    levels: FloatArray | None

    @classmethod
    def of(cls, pools: Pools, settings: PolicySettings, target: Exposure | None = None) -> "PoolAxes":
        """The axes of a pool; ``target`` is ε* where no judgements say it."""
        attention = settings.attention
        levels = None if np.isnan(pools.scores).all() else np.nan_to_num(normalised_scores(pools, settings.scores))
        if target is None:
            target = target_exposure(pools, attention, gain=settings.gain, rel=settings.rel)
        return cls(pools, settings, target, exposure_bounds(target, pools.offsets, attention), levels)

    def curve(
        self, exposures: Iterable[Exposure], system: str, policy: str = "plackett-luce", alphas: FloatArray = NOWHERE
    ) -> Curve:
        """The curve through given exposures of the pool, an α each."""
        return self.through([self.point(exposure) for exposure in exposures], system, policy, alphas)

    def through(self, points: Sequence[Point], system: str, policy: str, alphas: FloatArray) -> Curve:
        """The curve through given points."""
        disparity, relevance, score = (np.array(axis) for axis in zip(*points, strict=True))
        return Curve(
            system=system,
            policy=policy,
            query_ids=self.pools.query_ids,
            alphas=alphas,
            disparity=disparity,
            quality=relevance,
            score=score,
            y=self.settings.quality,
        )

    def plackett_luce(self, system: str, alphas: FloatArray) -> Curve:
        """Exact Plackett–Luce at each α."""
        exposures = [self.settings.exposure(self.pools, alpha) for alpha in alphas.tolist()]
        return self.curve(exposures, system, alphas=alphas)

    def end(self, system: str, policy: Literal["uniform", "deterministic"]) -> Curve:
        """A policy that α does not move: all pool items alike, or the run as it is."""
        made = uniform_exposure if policy == "uniform" else run_exposure
        return self.curve([made(self.pools, self.settings.attention)], system, policy)

    def matched(self, policy: Literal["optimal", "oracle"], disparity: FloatArray) -> Sequence[Exposure]:
        """(A, M) exposures of the frontier with these mean EE-D."""
        attention, scores = self.settings.attention, self.settings.scores
        return frontier(policy, self.pools, self.target, attention, scores=scores).at(disparity)

    def along(self, policy: Literal["optimal", "oracle"], reference: Curve) -> Curve:
        """The frontier at the mean EE-D of each point of a Plackett–Luce curve, with its α."""
        return self.curve(self.matched(policy, reference.mean_disparity), reference.system, policy, reference.alphas)

    def point(self, exposure: Exposure) -> Point:
        """The point of an exposure; NaN where nothing was ranked."""
        offsets, ranked = self.pools.offsets, self.pools.n_retrieved > 0
        disparity = attainable(ee_disparity(exposure, offsets), *self.bounds.disparity)
        nothing = np.full(ranked.size, np.nan)
        score = nothing if self.levels is None else segment_sums(exposure * self.levels, offsets)
        return np.where(ranked, disparity, np.nan), self.quality(exposure), np.where(ranked, score, np.nan)

    def quality(self, exposure: Exposure) -> FloatArray:
        """Attainable EE-R of an exposure per query, of which alone the gain makes a difference; NaN as in a point."""
        relevance = attainable(ee_relevance(exposure, self.target, self.pools.offsets), *self.bounds.relevance)
        return np.where(self.pools.n_retrieved > 0, relevance, np.nan)


def tradeoff_curve(pools: Pools, settings: CurveSettings, *, system: str, policy: PolicyName) -> Curve:
    """Exact attainable EE-D and EE-R of one policy along α.

    Args:
        pools: A scored run with its judgements.
        settings: Its α, and how it is made and measured.
        system: Name of the system.
        policy: "plackett-luce", "optimal" and "oracle" give one point per α, the latter two with
            the mean EE-D that Plackett–Luce has there; "uniform" (over the pool) and
            "deterministic" (the run as it is) give one point and ignore α.

    Returns:
        A curve with per-query values; undefined where the query was not ranked or cannot vary.
    """
    axes = PoolAxes.of(pools, settings)
    if policy == "uniform" or policy == "deterministic":
        return axes.end(system, policy)
    curve = axes.plackett_luce(system, settings.alphas)
    return curve if policy == "plackett-luce" else axes.along(policy, curve)


def sampled_curve(samples: Sequence[RankingSample], qrels: Qrels, settings: PolicySettings) -> Curve:
    """Attainable EE-D and EE-R (plug-in) of recorded samples of one system, ordered by α.

    Args:
        samples: Rankings of one system, one member per α, all with the same candidates.
        qrels: Judgements.
        settings: What they are measured by.
    """
    curves: list[Curve] = []
    for sample in sorted(samples, key=lambda sample: np.inf if sample.alpha is None else sample.alpha):
        pools, alpha = pool(sample, qrels), np.nan if sample.alpha is None else sample.alpha
        drawn = sample_exposure(sample, pools, settings.attention).exposure
        axes = PoolAxes.of(pools, settings)
        curves.append(axes.curve([drawn], samples[0].system, "sampled", np.array([alpha])))
    n_samples = int(max(sample.n_samples.max(initial=0) for sample in samples))
    return replace(reduce(Curve.run_on, curves), n_samples=n_samples)


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
    axes, rng = PoolAxes.of(pools, settings), np.random.default_rng(settings.seed)

    def exposure(alpha: float, drawn: int | None = None) -> Exposure:
        if drawn is None:
            made = settings.exposure(pools, alpha)
        else:
            depth = int(np.count_nonzero(attention.weights(int(np.diff(run.offsets).max(initial=1)))))
            policy = PlackettLuce(alpha, settings.offset, settings.scores)
            sample = policy.sample(run, depth=depth, n_samples=drawn, rng=rng)
            made = sample_exposure(sample, pools, attention).exposure
        step()
        return made

    values: list[float] = alphas.tolist()
    is_exact = not samples or set(settings.policies) != {"plackett-luce"}
    is_drawn = bool(samples) and "plackett-luce" in settings.policies
    expect(len(values) * (is_exact + is_drawn))
    reference = axes.curve(map(exposure, values), run.system, alphas=alphas) if is_exact else None
    curves: list[Curve] = []
    for policy in settings.policies:
        if policy == "plackett-luce" and samples:
            drawn = axes.curve((exposure(alpha, samples) for alpha in values), run.system, alphas=alphas)
            curves.append(replace(drawn, n_samples=samples))
        elif reference is not None:
            curves.append(reference if policy == "plackett-luce" else axes.along(policy, reference))
    return [*curves, axes.end(run.system, "uniform"), axes.end(run.system, "deterministic")]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawing(PolicySettings):
    """Which rankings are drawn.

    Attributes:
        policy: "plackett-luce" needs the scores alone. "optimal" has the mean EE-D that Plackett–Luce has at α, over
            the queries of the judgements or, without them, of the run; so has "oracle", which needs judgements.
        alpha: Fairness control.
        depth: Ranks kept.
        n_samples: Rankings per query.
    """

    policy: CurvePolicy
    alpha: float
    depth: int
    n_samples: int

    @property
    def made(self) -> dict[str, Any]:
        """How a sample of these rankings was drawn."""
        made = {"policy": self.policy, "alpha": float(self.alpha), "scores": self.scores}
        return made | {"offset": float(self.offset)}

    def of(self, pools: Pools, exposure: Exposure, rng: np.random.Generator) -> Iterator[tuple[int, IntArray]]:
        """Place of each query and its rankings, whose expected exposure on the pools is exactly this."""
        depth, n_samples = self.depth, self.n_samples
        return marginal_rankings(pools, exposure, self.attention, depth=depth, n_samples=n_samples, rng=rng)


def draw_rankings(run: Run, drawing: Drawing, *, rng: np.random.Generator, qrels: Qrels | None = None) -> RankingSample:
    """Draw rankings of every query of a scored run.

    Raises:
        UsageError: The oracle lacks judgements.
    """
    table, rankings = _drawn(run, drawing, rng, qrels)
    return drawn_sample(table, dict(rankings), system=run.system, tag=run.tag, source=run, **drawing.made)


def drawn_by_query(
    run: Run, drawing: Drawing, *, rng: np.random.Generator, qrels: Qrels | None = None
) -> Iterator[RankingSample]:
    """The rankings of :func:`draw_rankings`, one query after the other, each drawn when it is asked for.

    Millions can then be written that do not fit into memory; a sample holds only the documents that it shows.

    Raises:
        UsageError: The oracle lacks judgements.
    """
    table, rankings = _drawn(run, drawing, rng, qrels)
    for q, drawn in rankings:
        distinct, docs = np.unique(drawn, return_inverse=True)
        shown: list[int] = distinct.tolist()
        yield RankingSample(
            system=run.system,
            query_ids=(table.query_ids[q],),
            doc_ids=tuple(table.doc_ids[doc] for doc in shown),
            query_offsets=np.array([0, len(drawn)]),
            sample_offsets=np.arange(len(drawn) + 1, dtype=np.int64) * drawn.shape[1],
            docs=docs.astype(np.int32).ravel(),
            tag=run.tag,
            **drawing.made,
        )


def _drawn(
    run: Run, drawing: Drawing, rng: np.random.Generator, qrels: Qrels | None
) -> tuple[Run | Pools, Iterator[tuple[int, IntArray | IndexArray]]]:
    """Whose documents are ranked, and the place and the rankings of each query.

    Those of a frontier have in expectation the exposure that has the mean EE-D of Plackett–Luce.
    """
    if drawing.policy == "plackett-luce":
        policy = PlackettLuce(drawing.alpha, drawing.offset, drawing.scores)
        return run, enumerate(policy.rankings(run, depth=drawing.depth, n_samples=drawing.n_samples, rng=rng))
    if drawing.policy == "oracle" and qrels is None:
        raise UsageError("the oracle knows the judgements: give --qrels FILE")
    pools = pool(run, qrels)
    # Without judgements the frontier counts every query on which the scores can differ.
    axes = PoolAxes.of(pools, drawing, run_exposure(pools, drawing.attention) if qrels is None else None)
    point = axes.plackett_luce(run.system, np.array([drawing.alpha]))
    return pools, drawing.of(pools, axes.matched(drawing.policy, point.mean_disparity)[0], rng)


# One system along α: the grids of α, its Plackett–Luce curve for either gain, and the ends of the oracle.


GRID, COARSE = 33, 17
"""Points along α from which areas, slopes and everything else that is estimated is read, the same for every curve and
on every surface (0:8:33, the default of the command too); fewer where a run is large."""
LARGE = 30_000
"""Lines of a run from which fewer points are computed: more would keep a person waiting."""


def measured_at(runs: Sequence[Run]) -> FloatArray:
    """(A) the α from which the areas of some runs are read: one grid for all of them.

    Examples:
        >>> measured_at([]).size
        33
    """
    large = any(run.offsets[-1] > LARGE for run in runs)
    return np.linspace(0.0, 8.0, COARSE if large else GRID)


def alphas_of(data: Dataset, alphas: Sequence[float]) -> FloatArray:
    """(A) the α that are said; those from which the areas of the runs are read where none are."""
    return np.array(alphas) if alphas else measured_at(data.runs)


def plackett_luce_curves(pools: Pools, settings: CurveSettings, *, system: str) -> dict[Gain, Curve]:
    """Exact Plackett–Luce along α for graded and for binary gain.

    Exposure does not depend on the gain: one pass, which takes nearly all of the time, gives both.

    Args:
        pools: A scored run with its judgements.
        settings: Its α, and how it is made.
        system: Name of the system.
    """
    graded, binary = (PoolAxes.of(pools, replace(settings, gain=gain)) for gain in GAINS)
    scaled = scaled_scores(pools, settings.scores)

    def points_at(alpha: float) -> list[Point]:
        exposure = settings.exposure(pools, alpha, scaled)
        disparity, quality, score = graded.point(exposure)
        return [(disparity, quality, score), (disparity, binary.quality(exposure), score)]

    expect(settings.alphas.size)
    points: list[list[Point]] = []
    for at_alpha in in_order(points_at, settings.alphas.tolist()):
        points.append(at_alpha)
        step()
    return {
        gain: of.through(along, system, "plackett-luce", settings.alphas)
        for gain, of, along in zip(GAINS, (graded, binary), zip(*points, strict=True), strict=True)
    }


def oracle_ends(axes: PoolAxes, reference: Curve) -> Curve:
    """The oracle outside the disparities of a Plackett–Luce curve: from uniform, and up to EE-D 1, without an α."""
    inner = reference.mean_disparity[~np.isnan(reference.mean_disparity)]
    low, high = float(inner.min(initial=1.0)), float(inner.max(initial=0.0))
    outside = np.concatenate([np.linspace(0, low, 13)[:-1], [max(high, 1.0)]])
    return axes.curve(axes.matched("oracle", outside), reference.system, "oracle", np.full(outside.size, np.nan))


def query_exposures(pools: Pools, query: int, settings: CurveSettings) -> FloatArray:
    """(A, n) exact Plackett–Luce exposure of one query's n pool items at each α.

    Args:
        pools: A scored run with its judgements.
        query: Index of the query in ``pools``.
        settings: Its α, and how the policy is made.
    """
    single = only_query(pools, query)
    return np.stack([settings.exposure(single, alpha) for alpha in settings.alphas.tolist()])


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
