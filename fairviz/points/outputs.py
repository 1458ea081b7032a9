"""Recorded outputs as one frame: what each was given beside what it uses, query by query, system by system.

A row is a query under one setting of a system. A system is a task, a data set, a retriever and a generator; a setting
is what changed the lists that it was given: an α, the deterministic list, or nothing that was recorded. Both exposures
come from the same samples with the same estimator, so that they can be put on two axes (DESIGN 2.6).

What could have been given to a generator is one pool for all that is recorded of it, so that α moves EE-D alone: where
outputs record their lists and no run is there, the lists of one α show some of the candidates only, few at a large α,
more at a small one, and EE-D scaled by each one's own pool would move with the pool. All lists of one system are
candidates of each of them: every policy, every α, the deterministic list and the oracle.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from fairviz.errors import FairvizError, UndefinedError
from fairviz.evaluation.outputs import Estimate, was_given
from fairviz.evaluation.systems import Pairing, feeding, pairings, setting_name
from fairviz.kernels.attention import Attention, TopK
from fairviz.kernels.attribution import Attribution, attribution
from fairviz.kernels.exposure import Gain, SampledExposure, exposure_bounds, sample_exposure, target_exposure
from fairviz.kernels.pool import moved, pool
from fairviz.metrics.consumption import Scale, attribution_rate, concentration, equal_chance, expected_utility
from fairviz.metrics.exposure import attainable, ee_disparity, ee_relevance, unbiased_disparity
from fairviz.model import (
    Curve,
    Dataset,
    Factors,
    FloatArray,
    IntArray,
    Note,
    Pools,
    Qrels,
    RagOutputs,
    RankingSample,
    Run,
    everything,
    qrels_for,
)
from fairviz.model.arrays import positions, ratio, segment_sums
from fairviz.numerals import plural
from fairviz.points.view import FACTORS, SYSTEM, distinguishing, system_name
from fairviz.remembered import remembered
from fairviz.stats.bootstrap import bootstrap_intervals, data_and_resamples, interval_of, paired_bootstrap, resampled_p
from fairviz.stats.tests import MIN_UNITS, ROUNDING, holm
from fairviz.steps import expect, step

DETERMINISTIC, ORACLE = "deterministic", "oracle"
MEASURES = (*("EED", "EER", "EAR", "EAED", "EU"), *("x_share", "y_share", "x_k", "y_chance"))
"""Of a query, see :func:`output_points`."""
POINTS: Mapping[str, type[pl.DataType]] = {
    "system": pl.String,
    **dict.fromkeys(SYSTEM, pl.String),
    **{"policy": pl.String, "alpha": pl.Float64, "lists": pl.String, "only_cited": pl.Boolean},
    **{"query_id": pl.String, "n_samples": pl.Int64},
    **dict.fromkeys(MEASURES, pl.Float64),
}
"""Columns of measured outputs."""
Pair: TypeAlias = Literal["EED-EAED", "EED-EAR", "EER-EAR"]
"""What stands on two axes, x first."""


# One set of outputs.


def output_points(
    outputs: RagOutputs,
    matches: Attribution,
    *,
    candidates: Run | RankingSample | None = None,
    qrels: Qrels | None = None,
    gain: Gain = "graded",
    rel: int = 1,
    estimate: Estimate = "plugin",
) -> pl.DataFrame:
    """Measure one set of recorded outputs: a row per query, null = undefined.

    What was given is undefined where it is known from references that hold only what was cited.

    Args:
        outputs: The outputs.
        matches: Their given and attributed items.
        candidates: What could have been given, see :func:`shared_candidates`; None: the items of the lists given.
        qrels: Judgements; they give EE-R, and judged items join the pool.
        gain: Graded or binary usefulness.
        rel: The grade from which an item is useful, for binary gain.
        estimate: Of both disparities: "plugin", or "unbiased" (undefined for one output).

    Returns:
        The columns of :data:`POINTS`: what the outputs are, ``lists`` (the name of their setting), ``only_cited``
        (whether lists are known from such references), ``query_id``, ``n_samples`` (outputs of the query), EED
        (attainable), EER (attainable, of judged queries), EAR, EAED (divided by k), EU; and what other scales of
        disparity need, see :data:`SCALED`: ``x_share`` and ``y_share``, ‖ε‖² / (Σε)² of retrieval and of consumption; 1
        / it is the effective number of sources, and it is unbiased wherever queries have several outputs: few lists
        that are drawn must not look like few sources, in a chart no more than in a test. ``x_k``, that of retrieval
        divided by k, and ``y_chance``, EAR² · x_k, the line of equal chance: above it the generator concentrates
        attention further than retrieval did.
    """
    attention, k, alone = TopK(matches.k), matches.k, pool(matches.given, None)
    exposures = [sample_exposure(lists, alone, attention) for lists in (matches.given, matches.attributed)]
    disparity, attributed = (_disparity(exposure, alone.offsets, estimate) for exposure in exposures)
    single = int(outputs.n_samples.max(initial=0)) <= 1
    shared = disparity, attributed
    if not single:
        shared = tuple(_disparity(exposure, alone.offsets, "unbiased") for exposure in exposures)
    amounts = (segment_sums(exposure.exposure, alone.offsets) for exposure in exposures)
    shares = [concentration(square, amount) for square, amount in zip(shared, amounts, strict=True)]
    lists = replace(matches.given, source=candidates)
    low, high, relevance = _bounds_and_relevance(lists, pool(lists, None), attention, gain, rel)
    if qrels is None:
        relevance = np.full(relevance.size, np.nan)
    else:
        judged = _bounds_and_relevance(lists, pool(lists, qrels), attention, gain, rel)
        low, high = (np.where(np.isnan(own), other, own) for own, other in zip(judged[:2], (low, high), strict=True))
        relevance = judged[2]
    has_list = was_given(matches)
    has_context = has_list & (not matches.only_cited)  # else only what was cited is known, not what was given
    rate = attribution_rate(matches.n_attributed, outputs.offsets, k=k)
    of_context = {
        "EED": attainable(disparity, low, high),
        "EER": relevance,
        "x_share": shares[0],
        "x_k": disparity / k,
        "y_chance": equal_chance(disparity / k, rate),
    }
    of_use = {"EAR": rate, "EAED": attributed / k, "y_share": shares[1]}
    measures = {name: np.where(has_context, values, np.nan) for name, values in of_context.items()}
    measures |= {name: np.where(has_list, values, np.nan) for name, values in of_use.items()}
    measures["EU"] = expected_utility(outputs.utilities, outputs.offsets)
    setting = {"alpha": outputs.alpha, "lists": setting_name(outputs), "only_cited": matches.only_cited}
    columns = made_of(outputs) | setting | {"query_id": outputs.query_ids, "n_samples": outputs.n_samples} | measures
    return pl.DataFrame(columns, schema=POINTS).with_columns(pl.col(*MEASURES).fill_nan(None))


def shared_candidates(
    outputs: Sequence[RagOutputs], matches: Sequence[Attribution], runs: Sequence[Run | None]
) -> list[Run | RankingSample]:
    """The candidates of each set of outputs, for :func:`output_points`.

    Args:
        outputs: In any order.
        matches: What each was given.
        runs: The run that each was made from, where it is known.

    Returns:
        What all outputs of a system were made from, where that is one run, or else all that they were given and these
        runs.
    """
    systems = [tuple(made_of(output_set)[name] for name in SYSTEM) for output_set in outputs]
    shared: dict[tuple[str | None, ...], Run | RankingSample] = {}
    for system in dict.fromkeys(systems):
        own = [index for index, other in enumerate(systems) if other == system]
        run = runs[own[0]]
        if run is not None and all(runs[index] is run for index in own):
            shared[system] = run
        else:
            lists = (ranked for index in own for ranked in (matches[index].given, runs[index]))
            shared[system] = everything([ranked for ranked in lists if ranked is not None])
    return [shared[system] for system in systems]


def made_of(outputs: RagOutputs) -> dict[str, str | None]:
    """Name, factors of the system, and policy; where no factor is recorded, the name stands for the generator."""
    factors = {name: getattr(outputs, name) for name in SYSTEM}
    if not any(factors.values()):
        factors["generator"] = outputs.system
    return {"system": outputs.system, **factors, "policy": outputs.policy}


def _disparity(drawn: SampledExposure, offsets: IntArray, estimate: Estimate) -> FloatArray:
    plugin = ee_disparity(drawn.exposure, offsets)
    if estimate == "plugin":
        return plugin
    return unbiased_disparity(plugin, drawn.mean_square, drawn.n_samples)


def _bounds_and_relevance(
    sample: RankingSample, pools: Pools, attention: Attention, gain: Gain, rel: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Ends of EE-D and attainable EE-R of each query of the sample, NaN where the pools lack it."""
    target = target_exposure(pools, attention, gain=gain, rel=rel)
    bounds = exposure_bounds(target, pools.offsets, attention)
    exposure = sample_exposure(sample, pools, attention).exposure
    relevance = attainable(ee_relevance(exposure, target, pools.offsets), *bounds.relevance)
    quantities = (*bounds.disparity, relevance)
    low, high, relevance = (moved(values, pools.query_ids, sample.query_ids) for values in quantities)
    return low, high, relevance


# All outputs of the data.


class Recorded(NamedTuple):
    """Recorded outputs of the data, measured.

    Attributes:
        points: :func:`output_points` of all that could be measured, those of a system over one pool, with ``place``,
            that of the outputs among those of the data, and ``run``, the run that fed them, where it is known.
        matches: What they were given and what they attribute, by place.
        pairs: Which run fed each of all outputs, in their order.
        failed: Why others could not be measured.
    """

    points: pl.DataFrame
    matches: Mapping[int, Attribution]
    pairs: tuple[Pairing, ...]
    failed: tuple[Note, ...]

    @property
    def unclear(self) -> bool:
        """Whether it is not known which run fed some: these are not measured, the pairing says what to ask."""
        return any(pairing.question for pairing in self.pairs)

    def refuse_none(self) -> None:
        """Refuse data of which nothing could be measured.

        Raises:
            UndefinedError: Naming why.
        """
        if self.points.is_empty():
            missing = "there are no recorded answers: give --outputs FILE"
            raise UndefinedError(self.failed[0].message if self.failed else missing)


@remembered
def paired(data: Dataset) -> tuple[Pairing, ...]:
    """Which run fed each of the recorded outputs, in their order."""
    return pairings(data.outputs, feeding(data), dict(data.pairs), data.systems)


@remembered
def recorded(data: Dataset, k: int, gain: Gain, rel: int = 1, estimate: Estimate = "plugin") -> Recorded:
    """Measure all recorded outputs; of a system that was recorded at several k, those at this k.

    Args:
        data: Outputs, and the runs that may have fed them.
        k: Items that a context holds.
        gain: Graded or binary usefulness, for EE-R.
        estimate: Of both disparities: "plugin", or "unbiased" (undefined for one output).
        rel: Smallest useful grade, for binary gain.
    """
    pairs, by_name = paired(data), {run.system: run for run in feeding(data)}
    runs = {index: by_name.get(pair.run or "") for index, pair in enumerate(pairs) if not pair.question}
    matches: dict[int, Attribution] = {}
    failed: list[Note] = []
    at_k = {_apart_from_k(outputs) for outputs in data.outputs if outputs.k == k}
    at_other_k: list[str] = []
    for index, run in runs.items():
        outputs = data.outputs[index]
        if outputs.k not in (k, None) and _apart_from_k(outputs) in at_k:
            at_other_k.append(outputs.system)
            continue
        try:
            matches[index] = attribution(outputs, k=k, paired=run)
        except (FairvizError, ValueError) as error:
            failed.append(Note(outputs.system, None, str(error)))
    if at_other_k:
        reason = f"{plural(len(at_other_k), 'set')} of answers to more or fewer documents than k = {k}"
        failed.append(Note(at_other_k[0], None, f"{reason}: those of the same systems at this k count"))
    measured = [data.outputs[index] for index in matches]
    candidates = shared_candidates(measured, [*matches.values()], [runs[index] for index in matches])
    points = [pl.DataFrame(schema={**POINTS, "place": pl.Int64, "run": pl.String})]
    expect(len(matches))
    for (index, own), outputs, among in zip(matches.items(), measured, candidates, strict=True):
        judged = qrels_for(data.qrels, outputs.generator, outputs.query_ids)
        rows = output_points(outputs, own, candidates=among, qrels=judged, gain=gain, rel=rel, estimate=estimate)
        run = runs[index]
        points.append(rows.with_columns(place=pl.lit(index, pl.Int64), run=pl.lit(run and run.system, pl.String)))
        step()
    return Recorded(pl.concat(points, how="diagonal"), matches, pairs, tuple(failed))


def _apart_from_k(outputs: RagOutputs) -> tuple[object, ...]:
    """What tells outputs from others, k aside."""
    made = made_of(outputs)
    return (*(made[name] for name in FACTORS), outputs.alpha)


# Systems, their settings and the paths of their policies.


def by_system(points: pl.DataFrame) -> pl.DataFrame:
    """Points system by system, those of each by rising α, then its other settings; oracle runs are left out.

    Returns:
        The points with ``name``, what tells a system from the others here, for people: nothing is read out of it
        again. Where a system has two outputs of one setting (two policies at one α), the policy joins ``lists``.
    """
    setting, policy = (*SYSTEM, "lists"), pl.col("policy")
    several = pl.col("place").n_unique().over(setting) > 1
    again = pl.col("place") != pl.col("place").first().over(setting)
    order = (pl.col("place").min().over(SYSTEM), "alpha", policy.eq_missing(DETERMINISTIC))
    ordered = points.filter(policy.ne_missing(ORACLE)).sort(*order, nulls_last=True, maintain_order=True)
    for apart_by, alike in (("policy", several & policy.is_not_null()), ("system", again)):
        apart = pl.when(alike).then(pl.format("{}, {}", "lists", apart_by)).otherwise("lists")
        ordered = ordered.with_columns(lists=apart)
    systems = systems_of(ordered)
    by = naming_factors([*systems])
    named = [part.with_columns(name=pl.lit(system_name(factors, by))) for factors, part in systems.items()]
    return pl.concat(named) if named else ordered.with_columns(name=pl.lit("", pl.String))


def systems_of(points: pl.DataFrame) -> dict[Factors, pl.DataFrame]:
    """The points of each system, in order of first appearance."""
    parts = points.partition_by(SYSTEM, maintain_order=True)
    return {Factors(**part.select(SYSTEM).row(0, named=True)): part for part in parts}


def by_policy(points: pl.DataFrame) -> dict[Factors, pl.DataFrame]:
    """Points of each policy of a system, since a path joins the α of one policy.

    Each ends with the deterministic list of its system, where that was recorded; that alone is a policy where there is
    no other.

    Args:
        points: As :func:`by_system` orders them.

    Returns:
        By factors, the points with ``end``: whether they are of the deterministic list at the end of a path.
    """
    paths: dict[Factors, pl.DataFrame] = {}
    for factors, own in systems_of(points).items():
        is_fixed = pl.col("policy").eq_missing(DETERMINISTIC)
        moved, fixed = own.filter(~is_fixed), own.filter(is_fixed)
        fixed = fixed.filter(pl.col("place") == pl.col("place").first())
        for policy in moved["policy"].unique(maintain_order=True).to_list() or [DETERMINISTIC]:
            path = moved.filter(pl.col("policy").eq_missing(pl.lit(policy, pl.String)))
            ends = (path.with_columns(end=pl.lit(False)), fixed.with_columns(end=pl.lit(not path.is_empty())))
            paths[factors._replace(policy=policy)] = pl.concat(ends)
    return paths


def naming_factors(of: Sequence[Factors]) -> tuple[str, ...]:
    """Factors, other than the task, that tell systems apart; where nothing does, what there is to call the only one by.

    Examples:
        >>> naming_factors([Factors(None, "bm25", "small"), Factors(None, "bm25", "large")])
        ('generator',)
        >>> naming_factors([Factors(None, "bm25")])
        ('retriever',)
    """
    return distinguishing(of, "generator" if any(factors.generator for factors in of) else "retriever")


SCALED: Mapping[Scale, tuple[str, str]] = {
    "minmax": ("EED", "EAED"),
    "share": ("x_share", "y_share"),
    "k": ("x_k", "EAED"),
}
"""Columns of the disparity of retrieval and of consumption on each scale: attainable EE-D beside EAE-D / k (paper
3.3.5); shares of both; both divided by k, where no point lies above y = x, because ε_a ≤ ε."""


def axis_columns(pair: Pair, scale: Scale) -> tuple[str, str]:
    """Columns of the points that stand on two axes, x first; ``scale`` is that of disparities.

    Examples:
        >>> axis_columns("EED-EAR", "share"), axis_columns("EER-EAR", "k")
        (('x_share', 'EAR'), ('EER', 'EAR'))
    """
    retrieval, consumption = SCALED[scale]
    return "EER" if pair == "EER-EAR" else retrieval, consumption if pair == "EED-EAED" else "EAR"


def curve_through(points: pl.DataFrame, x: str, y: str, *, policy: str, measure: str) -> Curve:
    """A point for each set of outputs of a system, over the queries of all of them, in order of first appearance.

    Args:
        points: Of one system, in the order of the curve.
        x: Column across.
        y: Column up.
        policy: What the curve is called after.
        measure: Name of what is up.
    """
    queries: tuple[str, ...] = tuple(points["query_id"].unique(maintain_order=True))
    settings = points.group_by("place", maintain_order=True).agg(pl.first("alpha"), pl.max("n_samples"))
    cells = points["place"].rle_id().to_numpy(), positions(tuple(points["query_id"]), queries)
    across, up = np.full((2, settings.height, len(queries)), np.nan)
    across[cells], up[cells] = points[x].to_numpy(), points[y].to_numpy()
    retriever, system = points.select("retriever", "system").row(0)
    return Curve(
        system=retriever or system,
        policy=policy,
        query_ids=queries,
        alphas=settings["alpha"].to_numpy(),
        disparity=across,
        quality=up,
        score=np.full(up.shape, np.nan),
        n_samples=int(points["n_samples"].to_numpy().max(initial=0)),
        y=measure,
    )


# A few numbers of each.


def output_summaries(points: pl.DataFrame, *, seed: int) -> pl.DataFrame:
    """One row per system and setting, in the order of the points.

    Args:
        points: As :func:`by_system` orders them.
        seed: Of the bootstrap; every interval draws anew from it, whatever stands in the rows before.

    Returns:
        Name, factors, ``lists``, policy and α; ``single`` (one output per query: concentration of use cannot be told
        from EAR), ``n_queries`` with an output that was given something, ``n_outputs``; means of EAR (with ends), EER,
        EED and EU. ``sources_given`` is the effective number of sources given, 1 / mean of ‖ε‖² / (Σε)² over the
        queries whose outputs attribute something, the same as those of ``sources_used`` (with ends) and
        ``share_change`` (mean of the consumed minus the retrieved concentration on ``share``, with ends, ``p`` and
        ``n_compared``), so that the three never contradict each other.
    """
    both = pl.col("x_share").is_not_null() & pl.col("y_share").is_not_null()
    settings = points.partition_by("place", maintain_order=True)
    rates = bootstrap_intervals([part["EAR"].to_numpy() for part in settings], seed=seed)
    uses = bootstrap_intervals([part.filter(both)["y_share"].to_numpy() for part in settings], seed=seed)
    changes = [
        paired_bootstrap(part["y_share"].to_numpy(), part["x_share"].to_numpy(), rng=np.random.default_rng(seed))
        for part in settings
    ]
    return (
        points.group_by("place", maintain_order=True)
        .agg(
            pl.first("name", *SYSTEM, "lists", "policy", "alpha", "only_cited"),
            pl.mean("EAR", "EER", "EED", "EU"),
            sources_given=_effective(pl.col("x_share").filter(both)),
            sources_used=_effective(pl.col("y_share").filter(both)),
            n_queries=pl.count("EAR"),
            n_outputs=pl.sum("n_samples"),
            single=pl.max("n_samples") <= 1,
        )
        .with_columns(
            EAR_low=_floats(low for low, _ in rates),
            EAR_high=_floats(high for _, high in rates),
            sources_used_low=_floats(1 / most if most > 0 else np.nan for _, most in uses),
            sources_used_high=_floats(1 / least if least > 0 else np.nan for least, _ in uses),
            share_change=_floats(change.difference for change in changes),
            share_change_low=_floats(change.interval.low for change in changes),
            share_change_high=_floats(change.interval.high for change in changes),
            p=_floats(change.p for change in changes),
            n_compared=pl.Series([change.n_queries for change in changes], dtype=pl.Int64),
        )
        .with_columns(pl.col(pl.Float64).fill_nan(None))
    )


def _floats(values: Iterable[float]) -> pl.Series:
    return pl.Series(list(values), dtype=pl.Float64)


def _effective(share: pl.Expr) -> pl.Expr:
    """1 / mean share; an unbiased estimate of the mean may be 0, or its rounding, or less: undefined."""
    return pl.when(share.mean() > ROUNDING).then(1 / share.mean())


def given_by_rank(matches: Attribution, among: Collection[str] | None) -> tuple[FloatArray, FloatArray]:
    """(Q, k) outputs given an item at each rank, and those of them that attribute it.

    Args:
        matches: What was given, and what is attributed.
        among: Queries that count; None: all.
    """
    contexts, cited = matches.given, matches.attributed
    n_docs, shape = len(contexts.doc_ids), (len(contexts.query_ids), matches.k)
    owner = np.repeat(np.arange(matches.n_given.size), matches.n_given)
    rank = np.arange(contexts.docs.size) - contexts.sample_offsets[owner]
    cites = np.repeat(np.arange(matches.n_attributed.size), matches.n_attributed) * n_docs + cited.docs
    used = np.isin(owner * n_docs + contexts.docs, cites)
    query = np.repeat(np.arange(shape[0]), np.diff(contexts.query_offsets))[owner]
    places = [(query * matches.k + rank)[part] for part in (np.ones(rank.size, dtype=np.bool_), used)]
    of_given, of_used = (np.bincount(indices, minlength=shape[0] * shape[1]).reshape(shape) for indices in places)
    kept = [among is None or query in among for query in contexts.query_ids]
    return of_given[kept].astype(np.float64), of_used[kept].astype(np.float64)


def cited_by_rank(matches: Attribution, among: Collection[str] | None = None) -> FloatArray:
    """(k) share of the outputs given an item at rank r that attribute it; NaN where none was."""
    context_counts, used = (counts.sum(axis=0) for counts in given_by_rank(matches, among))
    return ratio(used, context_counts)


DECLINES: Mapping[str, type[pl.DataType]] = {
    "name": pl.String,
    "lists": pl.String,
    "last_rank": pl.Int64,
    "n_queries": pl.Int64,
    **dict.fromkeys(("first", "last", "ratio", "ratio_low", "ratio_high", "p"), pl.Float64),
}
"""Columns of :func:`rank_declines`."""


def rank_declines(
    matches: Mapping[tuple[str, str], Attribution], *, seed: int, among: Collection[str] | None = None
) -> pl.DataFrame:
    """How much more often the first given item is attributed than the last rank commonly given.

    Args:
        matches: What was given and attributed, by the name of each system and of its setting.
        seed: Of the bootstrap over queries; each row draws from it anew.
        among: Queries that count; None: all.

    Returns:
        A row per system and setting: ``last_rank``, the last that was given in at least half as many outputs as the
        first, 0 where no output was given two items; ``first`` and ``last``, the shares of outputs that attribute rank
        1 and the last; ``ratio`` of both (inf where the last is never attributed), with ends; ``n_queries`` with an
        output that was given something; ``p``, two-sided, that both ranks are attributed alike, and ``p_holm``, over
        all rows with queries enough to test.
    """
    rows = [
        {"name": name, "lists": lists} | _rank_decline(own, np.random.default_rng(seed), among)
        for (name, lists), own in matches.items()
    ]
    declines = pl.DataFrame(rows, schema=DECLINES).with_columns(pl.col(pl.Float64).fill_nan(None))
    p = declines.select(pl.when(pl.col("n_queries") >= MIN_UNITS).then("p"))["p"].to_numpy()
    return declines.with_columns(p_holm=pl.Series(holm(p), dtype=pl.Float64, nan_to_null=True))


def _rank_decline(matches: Attribution, rng: np.random.Generator, among: Collection[str] | None) -> dict[str, float]:
    context_counts, used = given_by_rank(matches, among)
    total = context_counts.sum(axis=0)
    common = np.flatnonzero(total >= max(0.5 * float(total.max(initial=0)), 1))
    n_queries = int((context_counts.sum(axis=1) > 0).sum())
    if common.size < 2:
        return {"last_rank": 0, "n_queries": n_queries}
    last = int(common[-1])
    counts = data_and_resamples(context_counts.shape[0], rng=rng)
    shares = ratio(counts @ used[:, [0, last]], counts @ context_counts[:, [0, last]])
    # The interval is found on first / (first + last), which stays finite where the last is 0.
    parts = ratio(shares[:, 0], shares.sum(axis=1))
    low, high = interval_of(parts, n_queries)
    return {
        "last_rank": last + 1,
        "n_queries": n_queries,
        "first": float(shares[0, 0]),
        "last": float(shares[0, 1]),
        "ratio": _odds(float(parts[0])),
        "ratio_low": _odds(low),
        "ratio_high": _odds(high),
        "p": float(resampled_p(parts, n_queries, null=0.5)),
    }


def _odds(part: float) -> float:
    return np.inf if part == 1 else part / (1 - part)
