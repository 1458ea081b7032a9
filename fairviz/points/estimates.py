"""EU, EAR and EAE-D at α where nothing was asked, from the answers that were recorded at others.

A generator sees the ranking and not α, so answers recorded at some α count for another with the weights of
:mod:`fairviz.policies.reweighting`, whose mixture is that of the answers that enter the mean: per query, those with a
utility for EU. Means are self-normalised, Σwμ / Σw: where enough is recorded their root mean
square error is half that of the plain mean Σwμ / N and never larger, and their bias at most 0.15 of it
(``python -m benchmarks reweighting``). EAE-D is a square of such a mean, and estimated as from a sample without
weights: over pairs of different answers, its effective size in place of N.

The standard error of a query is that of a ratio, √Σ(w(μ − μ̂))² / Σw, and says how far chance in the drawn rankings
moves the estimate for these queries. The interval over queries needs nothing of it: what chance adds to each query's
estimate is in how the estimates spread, and the bootstrap over queries holds both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress, pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from fairviz.errors import UndefinedError
from fairviz.evaluation.outputs import Estimate as Estimator
from fairviz.kernels.attention import TopK
from fairviz.kernels.attribution import attribution
from fairviz.kernels.exposure import exposure_bounds
from fairviz.kernels.pool import RankedLists, pool, ranked_lists
from fairviz.metrics.consumption import share_of_best
from fairviz.metrics.exposure import attainable, ee_disparity, unbiased_disparity
from fairviz.model import BoolArray, Curve, FloatArray, IntArray, Qrels, RagOutputs, Run
from fairviz.model.arrays import positions, ratio, segment_ids, segment_rows, segment_sums
from fairviz.numerals import count
from fairviz.points.view import EstimatedPoints, Line
from fairviz.policies.plackett_luce import LARGEST_ALPHA, PlackettLuce
from fairviz.policies.reweighting import LEAST_EFFECTIVE, balance_weights, effective_mean, effective_size, log_chances
from fairviz.stats.bootstrap import Intervals, bootstrap_intervals

FALSE_ALARM = 1e-6
"""Chance at most that lists drawn as is said are taken for others."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimate:
    """One measure at several α, per query; NaN = the query has no answers, or they say nothing of this α.

    Attributes:
        measure: "EU", "EAR" or "EAED".
        values: (A, Q) estimates.
        errors: (A, Q) standard error of each, from the chance in the drawn rankings.
        sizes: (A, Q) effective number of answers behind each.
    """

    measure: str
    values: FloatArray
    errors: FloatArray
    sizes: FloatArray

    @property
    def n_effective(self) -> FloatArray:
        """(A) effective answers per query, as the mean over queries needs them: :func:`effective_mean`."""
        return effective_mean(self.sizes)

    @property
    def shown(self) -> BoolArray:
        """(A) whether there are enough for the estimate to be shown."""
        return self.n_effective >= LEAST_EFFECTIVE

    @property
    def means(self) -> FloatArray:
        """(A) mean over the queries that have a value; NaN where it is not shown."""
        means = ratio(np.nansum(self.values, axis=1), (~np.isnan(self.values)).sum(axis=1))
        return np.where(self.shown, means, np.nan)

    @property
    def mean_errors(self) -> FloatArray:
        """(A) standard error of the means for these queries; NaN where they are not shown."""
        defined = ~np.isnan(self.values)
        squares = np.where(defined, self.errors**2, 0.0).sum(axis=1)
        return np.where(self.shown, ratio(np.sqrt(squares), defined.sum(axis=1)), np.nan)

    def intervals(self, *, seed: int) -> Intervals:
        """(A) bootstrap intervals over queries of the means; NaN where these are not shown."""
        ends = np.array(bootstrap_intervals([*self.values], seed=seed), dtype=np.float64).reshape(-1, 2)
        return Intervals(*np.where(self.shown, ends.T, np.nan))

    def over_best(self, best: FloatArray) -> "Estimate":
        """The estimate as a share of (Q) the best that the generator reached: EU normalised per query."""
        errors = [share_of_best(row, best) for row in self.errors]
        values = [share_of_best(row, best) for row in self.values]
        undefined = np.isnan(np.stack(values)) & (self.sizes > 0)
        sizes = np.where(undefined, np.nan, self.sizes)
        return replace(self, values=np.stack(values), errors=np.stack(errors), sizes=sizes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimates:
    """What the answers of one system say of α at which none were recorded.

    Attributes:
        system: Name of the run whose rankings were given.
        query_ids: Q queries of the run.
        recorded: α of the answers, rising.
        alphas: (A) α that were asked about.
        disparity: (A, Q) attainable EE-D, exact but for what a plug-in adds (see :func:`estimated`).
        utility: EU.
        rate: EAR.
        attributed: EAE-D.
    """

    system: str
    query_ids: tuple[str, ...]
    recorded: tuple[float, ...]
    alphas: FloatArray
    disparity: FloatArray
    utility: Estimate
    rate: Estimate
    attributed: Estimate

    @property
    def measures(self) -> tuple[Estimate, Estimate, Estimate]:
        """EU, EAR and EAE-D."""
        return self.utility, self.rate, self.attributed

    @property
    def n_effective(self) -> FloatArray:
        """(A) effective answers per query: those with a utility, where any has one."""
        sizes = self.utility.n_effective
        return np.where(np.isnan(sizes), self.rate.n_effective, sizes)

    @property
    def mean_disparity(self) -> FloatArray:
        """(A) mean EE-D over the queries that were answered; NaN where nothing is shown."""
        answered = ~np.isnan(self.disparity) & ~np.isnan(self.rate.values)
        means = ratio(np.where(answered, self.disparity, 0.0).sum(axis=1), answered.sum(axis=1))
        return np.where(self.n_effective >= LEAST_EFFECTIVE, means, np.nan)

    def among(self, query_ids: Sequence[str]) -> "Estimates":
        """The estimates of some queries, which their curve is over."""
        kept = positions(self.query_ids, query_ids) >= 0
        utility, rate, attributed = (
            replace(each, **{name: getattr(each, name)[:, kept] for name in ("values", "errors", "sizes")})
            for each in self.measures
        )
        return replace(
            self,
            query_ids=tuple(compress(self.query_ids, kept)),
            disparity=self.disparity[:, kept],
            utility=utility,
            rate=rate,
            attributed=attributed,
        )

    def curve(self) -> Curve:
        """EE-D against EU where EU is shown: points between the recorded ones, with their effective sizes."""
        shown = self.utility.shown
        quality = self.utility.values[shown]
        return Curve(
            system=self.system,
            policy="plackett-luce",
            query_ids=self.query_ids,
            alphas=self.alphas[shown],
            disparity=np.where(np.isnan(quality), np.nan, self.disparity[shown]),
            quality=quality,
            score=np.full(quality.shape, np.nan),
            y=self.utility.measure,
            n_effective=self.utility.n_effective[shown],
        )


def estimated_points(estimates: Estimates, *, system: str, seed: int) -> EstimatedPoints:
    """The points of :meth:`Estimates.curve` under a name, as the chart draws them."""
    line, shown = Line.of(replace(estimates.curve(), system=system)), estimates.utility.shown
    low, high = estimates.utility.intervals(seed=seed)
    utility = estimates.utility
    return EstimatedPoints(line, utility.mean_errors[shown], low[shown], high[shown], utility.n_effective[shown])


def between(recorded: Sequence[float], grid: FloatArray | None = None) -> FloatArray:
    """α between the smallest and the largest recorded one, and none of these.

    Args:
        recorded: At least one α.
        grid: Candidates; None: the quarters between every two neighbours.

    Examples:
        >>> between([1, 2, 4])
        array([1.25, 1.5 , 1.75, 2.5 , 3.  , 3.5 ])
        >>> between([4, 1], np.array([0.0, 1.0, 2.0, 5.0]))
        array([2.])
    """
    alphas = np.unique(np.asarray(recorded, dtype=np.float64))
    if grid is None:
        parts: list[FloatArray] = [np.linspace(low, high, 5) for low, high in pairwise(alphas.tolist())]
        grid = np.concatenate([alphas, *parts])
    grid = np.unique(grid)
    return grid[(grid > alphas[0]) & (grid < alphas[-1]) & ~np.isin(grid, alphas)]


def estimated(
    run: Run,
    recorded: Sequence[RagOutputs],
    alphas: FloatArray,
    *,
    k: int,
    qrels: Qrels | None = None,
    estimator: Estimator = "plugin",
) -> Estimates:
    """Estimate EU, EAR and EAE-D at any α from answers recorded at others.

    Args:
        run: The scores from which the given rankings were drawn (min–max, offset 1).
        recorded: Answers of one generator, at one α each.
        alphas: (A) α to estimate at.
        k: Items that a context holds.
        qrels: Judgements, whose items are candidates of EE-D as on the recorded curve.
        estimator: Of EE-D and EAE-D. "plugin" adds to both what the plug-in of as many answers as were recorded per α
            would add, so that points stand on one curve with the recorded ones; "unbiased" adds nothing.

    Raises:
        UndefinedError: If an answer does not say what it was given at which α, or the lists that were given cannot
            have been drawn from these scores.
    """
    _refuse_unsaid(recorded)
    draws = _draws(run, recorded, k=k)
    _refuse_undrawn(draws, run)
    with_utility = draws.entering(~np.isnan(draws.utilities))
    rows = np.array([_at(draws, with_utility, run, alpha, k=k, estimator=estimator) for alpha in alphas.tolist()])
    parts = rows.reshape(-1, 3, 3, draws.n_queries).transpose(1, 2, 0, 3)  # measures, parts of each, (A, Q)
    utility, rate, attributed = (
        Estimate(measure=measure, values=values, errors=errors, sizes=sizes)
        for measure, (values, errors, sizes) in zip(("EU", "EAR", "EAED"), parts, strict=True)
    )
    n_samples = draws.n_samples if estimator == "plugin" else None
    return Estimates(
        system=run.system,
        query_ids=run.query_ids,
        recorded=tuple(sorted(draws.alphas)),
        alphas=alphas,
        disparity=expected_disparity(run, alphas, k=k, qrels=qrels, n_samples=n_samples),
        utility=utility,
        rate=rate,
        attributed=attributed,
    )


def expected_disparity(
    run: Run, alphas: FloatArray, *, k: int, qrels: Qrels | None = None, n_samples: FloatArray | None = None
) -> FloatArray:
    """(A, Q) exact attainable EE-D of Plackett–Luce; or what the plug-in of N rankings of it has in expectation.

    E‖ε̂‖² = ‖ε‖² + (mean_π‖ε_π‖² − ‖ε‖²) / N, and a list of k items has ‖ε_π‖² = k.

    Args:
        run: The scores.
        alphas: (A) α.
        k: Items seen.
        qrels: Judgements, whose items join the pool.
        n_samples: (Q) N of each query; None = no plug-in.
    """
    pools = pool(run, qrels, queries="ranked")
    attention = TopK(k)
    low, high = exposure_bounds(np.zeros(pools.docs.size), pools.offsets, attention).disparity
    seen = np.minimum(pools.n_retrieved, k)
    exact = [ee_disparity(PlackettLuce(a).exposure(pools, attention), pools.offsets) for a in alphas.tolist()]
    if n_samples is not None:
        share = 1 / np.where(n_samples > 0, n_samples, 1.0)
        exact = [row + (seen - row) * share for row in exact]
    return np.array([attainable(row, low, high) for row in exact]).reshape(-1, pools.sizes.size)


class _Draws(NamedTuple):
    """All recorded answers as one sample of the mixture of their policies, in the order of the run's queries.

    Attributes:
        alphas: (A) of the policies.
        origins: (S) which of them each answer was recorded at.
        lists: The rankings that were given, as rows of the run.
        cited: The rows that each answer attributes among the first k.
        offsets: (Q+1) answers of each query.
        utilities: (S) NaN = none recorded.
        chances: (A, S) log-chance of each list at each recorded α.
        shares: (A, S) share of its query's answers that were recorded at each α.
        n_samples: (Q) answers per recorded α.
    """

    alphas: tuple[float, ...]
    origins: IntArray
    lists: RankedLists
    cited: RankedLists
    offsets: IntArray
    utilities: FloatArray
    chances: FloatArray
    shares: FloatArray
    n_samples: FloatArray

    @property
    def n_queries(self) -> int:
        """Queries of the run."""
        return self.offsets.size - 1

    def weights(self, run: Run, alpha: float) -> FloatArray:
        """(S) how much each answer counts at an α."""
        return self.balanced(log_chances(PlackettLuce(alpha), run, self.lists))

    def balanced(self, wanted: FloatArray) -> FloatArray:
        """(S) weights of answers whose lists have these log-chances."""
        return balance_weights(wanted, self.chances, self.shares)

    def entering(self, mask: BoolArray) -> "_Draws":
        """The answers, of which only some enter a mean: the mixture that these were drawn from.

        An α is recorded for a query by its answers that enter, and for no other measure's sake.
        """
        if mask.all():
            return self
        counts = np.zeros((len(self.alphas), self.n_queries))
        np.add.at(counts, (self.origins[mask], self.lists.queries[mask]), 1.0)
        return self._replace(shares=_shares(counts)[:, self.lists.queries])

    def reaches(self, alpha: float) -> BoolArray:
        """(S) whether answers to the query lie on every side of an α on which any were recorded.

        Answers at 4 and 8 alone say too little of α = 1.5, though others, without this measure, were recorded at 1.
        """
        recorded = np.array(self.alphas)
        reached = np.ones(self.shares.shape[1], dtype=np.bool_)
        for side in (recorded <= alpha, recorded >= alpha):
            if side.any():
                reached &= (self.shares[side] > 0).any(axis=0)
        return reached


def _draws(run: Run, recorded: Sequence[RagOutputs], *, k: int) -> _Draws:
    pools = pool(run, None)
    lists: list[RankedLists] = []
    cited: list[RankedLists] = []
    utilities: list[FloatArray] = []
    alphas: list[float] = []
    for outputs in recorded:
        alphas.append(outputs.alpha or 0.0)
        longest = int(np.diff(outputs.given_offsets).max(initial=0))
        matches = attribution(outputs, k=k)
        # An answer depends on all of its list, however many of it are looked at.
        whole = matches if longest <= k else attribution(outputs, k=longest)
        lists.append(ranked_lists(whole.given, pools))
        cited.append(ranked_lists(matches.attributed, pools))
        queries = positions(outputs.query_ids, run.query_ids)[segment_ids(outputs.offsets)]
        order = np.argsort(queries, kind="stable")  # as ranked_lists has them
        utilities.append(outputs.utilities[order[queries[order] >= 0]])
    order = np.argsort(np.concatenate([block.queries for block in lists]), kind="stable")
    ordered_lists = _ordered(lists, order)
    offsets = np.searchsorted(ordered_lists.queries, np.arange(len(run.query_ids) + 1)).astype(np.int64)
    counts = np.stack([np.bincount(block.queries, minlength=offsets.size - 1) for block in lists]).astype(np.float64)
    return _Draws(
        alphas=tuple(alphas),
        origins=np.repeat(np.arange(len(lists)), [block.queries.size for block in lists])[order],
        lists=ordered_lists,
        cited=_ordered(cited, order),
        offsets=offsets,
        utilities=np.concatenate(utilities)[order],
        chances=np.stack([log_chances(PlackettLuce(alpha), run, ordered_lists) for alpha in alphas]),
        shares=_shares(counts)[:, ordered_lists.queries],
        n_samples=counts.sum(axis=0) / np.maximum((counts > 0).sum(axis=0), 1),
    )


def _shares(counts: FloatArray) -> FloatArray:
    """(A, Q) share of the answers to each query that were recorded at each α."""
    return counts / np.maximum(counts.sum(axis=0), 1)


def _refuse_unsaid(recorded: Sequence[RagOutputs]) -> None:
    """Refuse answers that do not say what they were given, and at which α."""
    if not recorded:
        raise UndefinedError("no answers were recorded at an alpha")
    for outputs in recorded:
        if outputs.alpha is None or not 0 <= outputs.alpha <= LARGEST_ALPHA or outputs.given_from != "ranking":
            raise UndefinedError(
                f"{outputs.system}: answers count for another alpha only where each says its list, and an alpha "
                f"from 0 to {count(LARGEST_ALPHA)}"
            )


def _refuse_undrawn(draws: _Draws, run: Run) -> None:
    """Refuse lists that cannot have been drawn from the scores of a run.

    The weights at a recorded α are 1 in the mean and no larger than 1 / its share of the answers. How far their mean
    can be off by chance is bounded by the empirical Bernstein inequality (Maurer & Pontil 2009).
    """
    foreign = int(np.isnan(draws.chances).any(axis=0).sum())
    if foreign:
        raise UndefinedError(f"{foreign} of the given lists show documents twice, or some that {run.system} lacks")
    log = float(np.log(2 / FALSE_ALARM))
    for alpha, share in zip(draws.alphas, draws.shares, strict=True):
        support = share > 0
        weights = np.where(support, draws.weights(run, alpha), 0.0)
        counts = segment_sums(support.astype(np.float64), draws.offsets)
        means = (segment_sums(weights, draws.offsets) / np.maximum(counts, 1))[draws.lists.queries]
        squares = float((weights - means)[support] @ (weights - means)[support])
        largest = float((1 / share[support]).max(initial=0.0))
        if abs(weights.sum() - support.sum()) > np.sqrt(2 * squares * log) + 7 / 3 * largest * log:
            raise UndefinedError(
                f"the lists given at alpha {alpha:g} were not drawn from the scores of {run.system} "
                "(min-max, offset 1): their chances do not fit"
            )


def _ordered(blocks: Sequence[RankedLists], order: IntArray) -> RankedLists:
    """Lists of several blocks, one after another, in another order."""
    sizes = np.concatenate([np.diff(block.offsets) for block in blocks])
    places, offsets = segment_rows(np.append(0, np.cumsum(sizes)), order)
    rows = np.concatenate([block.rows for block in blocks])[places]
    return RankedLists(rows, offsets, np.concatenate([block.queries for block in blocks])[order])


_Measured: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""(Q) values of one measure at one α, their standard errors and effective sizes."""


def _at(
    draws: _Draws, with_utility: _Draws, run: Run, alpha: float, *, k: int, estimator: Estimator
) -> tuple[_Measured, _Measured, _Measured]:
    """EU, EAR and EAE-D at an α, each from the answers that enter its mean."""
    wanted = log_chances(PlackettLuce(alpha), run, draws.lists)
    weights = draws.balanced(wanted)
    n_cited = np.diff(draws.cited.offsets).astype(np.float64)
    listed_queries = segment_sums(np.diff(draws.lists.offsets).astype(np.float64), draws.offsets) > 0
    reached = draws.reaches(alpha)
    cited = np.where(listed_queries[draws.lists.queries] & reached, n_cited / k, np.nan)
    rate = _weighted_mean(cited, weights, draws.offsets)
    values, errors, sizes = _attributed(draws, weights, n_cited, estimator)
    answered = listed_queries & (segment_sums(reached.astype(np.float64), draws.offsets) > 0)
    scaled = (np.where(answered, values / k, np.nan), errors / k, np.where(answered, sizes, np.nan))
    utilities = np.where(with_utility.reaches(alpha), draws.utilities, np.nan)
    return _weighted_mean(utilities, with_utility.balanced(wanted), draws.offsets), rate, scaled


def _weighted_mean(values: FloatArray, weights: FloatArray, offsets: IntArray) -> _Measured:
    """Self-normalised mean over the answers that have a value."""
    defined = ~np.isnan(values)
    weights, values = np.where(defined, weights, 0.0), np.where(defined, values, 0.0)
    total = segment_sums(weights, offsets)
    means = ratio(segment_sums(weights * values, offsets), total)
    noise = segment_sums((weights * (values - means[segment_ids(offsets)])) ** 2, offsets)
    sizes = np.where(segment_sums(defined.astype(np.float64), offsets) > 0, effective_size(weights, offsets), np.nan)
    return means, ratio(np.sqrt(noise), total), sizes


def _attributed(draws: _Draws, weights: FloatArray, n_cited: FloatArray, estimator: Estimator) -> _Measured:
    """‖ε_a‖², ε_a being the weighted share of answers that attribute a document."""
    rows, offsets = draws.cited.rows, draws.offsets
    answer = segment_ids(draws.cited.offsets)
    total = segment_sums(weights, offsets)
    n_rows = int(rows.max(initial=-1)) + 1
    exposure = np.bincount(rows, weights=(ratio(weights, total[draws.lists.queries]))[answer], minlength=n_rows)
    along = np.bincount(answer, weights=exposure[rows], minlength=weights.size)  # ⟨ε̂_a, x⟩ of each answer
    plugin = ratio(segment_sums(weights * along, offsets), total)
    noise = segment_sums((2 * weights * (along - plugin[draws.lists.queries])) ** 2, offsets)
    sizes = effective_size(weights, offsets)
    squares = segment_sums(weights**2, offsets)
    values = unbiased_disparity(plugin, ratio(segment_sums(weights**2 * n_cited, offsets), squares), sizes)
    if estimator == "plugin":
        mean_square = ratio(segment_sums(weights * n_cited, offsets), total)
        values += (mean_square - values) * ratio(np.ones(total.size), draws.n_samples)
    return values, ratio(np.sqrt(noise), total), np.where(np.diff(offsets) > 0, sizes, np.nan)
