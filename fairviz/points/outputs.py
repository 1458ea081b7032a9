"""Recorded outputs as points: retrieval exposure beside attributed exposure, query by query, and curves along α.

Both exposures come from the same samples with the same estimator, so that they can be put on two axes (DESIGN 2.6).

What could have been given to a generator is one pool for all that is recorded of it, so that α moves EE-D alone: where
outputs record their lists and no run is there, the lists of one α show some of the candidates only, few at a large α,
more at a small one, and EE-D scaled by each one's own pool would move with the pool. All lists of one task, retriever
and generator are candidates of each of them: every policy, every α, the deterministic list and the oracle.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from fairviz.display.table import Cell
from fairviz.errors import FairvizError, UndefinedError
from fairviz.evaluation.outputs import Estimate, was_given
from fairviz.evaluation.systems import Pairing, feeding, pairings
from fairviz.kernels.attention import TopK
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
from fairviz.model.arrays import segment_sums
from fairviz.remembered import remembered
from fairviz.stats.bootstrap import PairedDifference, paired_bootstrap
from fairviz.steps import expect, step

Candidates: TypeAlias = Run | RankingSample


def shared_candidates(
    outputs: Sequence[RagOutputs], paired: Sequence[Candidates | None], *, k: int
) -> tuple[Candidates | None, ...]:
    """The candidates of each set of outputs, for ``output_points``.

    Args:
        outputs: In any order.
        paired: The ranking that each was made from, where it is known.
        k: Items that a context holds.

    Returns:
        What all outputs of a model (:func:`model_of`) were made from, where that is one ranking, or else all that they
        were given; None where nothing says what that is.
    """
    models = [model_of(one) for one in outputs]
    known: dict[Factors, Candidates | None] = {}
    for model in dict.fromkeys(models):
        members = [(one, fed) for one, fed, own in zip(outputs, paired, models, strict=True) if own == model]
        known[model] = _shared(members, k)
    return tuple(known[model] for model in models)


DETERMINISTIC, ORACLE = "deterministic", "oracle"
SCALES: tuple[Scale, ...] = ("minmax", "share", "k")


def model_of(outputs: RagOutputs) -> Factors:
    """What the system of recorded outputs is made of, without the setting of its lists.

    Where nothing is recorded, the system's name stands for the generator.
    """
    named = Factors(outputs.task, outputs.retriever, outputs.generator, dataset=outputs.dataset)
    return named if any(named) else Factors(generator=outputs.system)


def _source(fed: Candidates | None) -> Candidates | None:
    """Where the lists that were given came from: the run that a sample was drawn from, if it is known."""
    return fed.source or fed if isinstance(fed, RankingSample) else fed


def _shared(members: Sequence[tuple[RagOutputs, Candidates | None]], k: int) -> Candidates | None:
    """What all lists came from where that is one ranking, or else all that they show and where they came from."""
    sources = [_source(fed) for _, fed in members]
    if sources[0] is not None and all(source is sources[0] for source in sources):
        return sources[0]
    lists: list[Candidates] = []
    for (outputs, fed), source in zip(members, sources, strict=True):
        with suppress(UndefinedError, ValueError):  # nothing says what it was given: it has no EE-D
            lists += [attribution(outputs, k=k, paired=fed).given, *([source] if source is not None else [])]
    return everything(lists) if lists else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OutputPoints:
    """What one set of recorded outputs says of each query; NaN = undefined.

    What was given is undefined where it is known from references that hold only what was cited.

    Attributes:
        outputs: The outputs.
        matches: Their given and attributed items.
        n_samples: (Q) outputs per query.
        disparity: (Q) ‖ε‖² of the items given.
        exposure: (Q) Σε.
        attributed_disparity: (Q) ‖ε_a‖².
        unbiased_disparity: (Q) ‖ε‖² without the bias of few lists, whatever estimate the others are of.
        unbiased_attributed: (Q) ‖ε_a‖² likewise.
        attributed_exposure: (Q) Σε_a.
        attainable_disparity: (Q) EE-D between the ends that any policy over the pool can have.
        relevance: (Q) attainable EE-R, NaN for queries without judgements.
        rate: (Q) EAR.
        utility: (Q) EU.
        source: Name of the rankings whose items are the candidates of EE-D and EE-R; None: those of the lists given.
    """

    outputs: RagOutputs
    matches: Attribution
    n_samples: IntArray
    disparity: FloatArray
    exposure: FloatArray
    attributed_disparity: FloatArray
    unbiased_disparity: FloatArray
    unbiased_attributed: FloatArray
    attributed_exposure: FloatArray
    attainable_disparity: FloatArray
    relevance: FloatArray
    rate: FloatArray
    utility: FloatArray
    source: str | None = None

    @property
    def single_sample(self) -> bool:
        """No query has more than one output: EAE-D / k is EAR then."""
        return int(self.n_samples.max(initial=0)) <= 1

    def on(self, scale: Scale) -> tuple[FloatArray, FloatArray]:
        """(Q) disparity of retrieval (x) and of consumption (y) on a scale.

        ``minmax``: attainable EE-D and EAE-D / k (paper 3.3.5). ``share``: ‖ε‖² / (Σε)² of each;
        1 / it is the effective number of sources, and it is unbiased wherever queries have several outputs: few lists
        that are drawn must not look like few sources, in a chart no more than in a test. ``k``: both divided by k; no
        point lies above y = x, because ε_a ≤ ε.
        """
        k = self.matches.k
        if scale == "minmax":
            return self.attainable_disparity, self.attributed_disparity / k
        if scale == "k":
            return self.disparity / k, self.attributed_disparity / k
        given, used = self.unbiased_disparity, self.unbiased_attributed
        if self.single_sample:
            given, used = self.disparity, self.attributed_disparity
        return concentration(given, self.exposure), concentration(used, self.attributed_exposure)


def output_points(
    outputs: RagOutputs,
    *,
    k: int,
    paired: Run | RankingSample | None = None,
    candidates: Run | RankingSample | None = None,
    qrels: Qrels | None = None,
    gain: Gain = "graded",
    rel: int = 1,
    estimate: Estimate = "plugin",
) -> OutputPoints:
    """Measure one set of recorded outputs.

    Args:
        outputs: The outputs.
        k: Items that a context holds.
        paired: The ranking the outputs were made from.
        candidates: What could have been given, see :func:`shared_candidates`; None: the items of ``paired``, else those
            of the lists given.
        qrels: Judgements; they give EE-R, and judged items join the pool.
        gain: Graded or binary usefulness.
        rel: The grade from which an item is useful, for binary gain.
        estimate: Of both disparities: "plugin", or "unbiased" (NaN for one output).

    Raises:
        UndefinedError: If nothing says what the generator was given.
    """
    matches = attribution(outputs, k=k, paired=paired)
    attention = TopK(k)
    alone = pool(matches.given, None)
    given = sample_exposure(matches.given, alone, attention)
    used = sample_exposure(matches.attributed, alone, attention)
    disparity = _disparity(given, alone.offsets, estimate)
    attributed = _disparity(used, alone.offsets, estimate)
    source = _source(paired)
    lists = replace(matches.given, source=candidates or source)
    low, high, relevance = _bounds_and_relevance(lists, pool(lists, None), attention, gain, rel)
    if qrels is None:
        relevance = np.full(relevance.size, np.nan)
    else:
        judged = _bounds_and_relevance(lists, pool(lists, qrels), attention, gain, rel)
        low, high = (np.where(np.isnan(own), other, own) for own, other in zip(judged[:2], (low, high), strict=True))
        relevance = judged[2]
    known = was_given(matches)
    listed = known & (not matches.only_cited)  # else only what was cited is known, not what was given
    return OutputPoints(
        outputs=outputs,
        matches=matches,
        n_samples=outputs.n_samples,
        disparity=np.where(listed, disparity, np.nan),
        exposure=np.where(listed, segment_sums(given.exposure, alone.offsets), np.nan),
        attributed_disparity=np.where(known, attributed, np.nan),
        unbiased_disparity=np.where(listed, _disparity(given, alone.offsets, "unbiased"), np.nan),
        unbiased_attributed=np.where(known, _disparity(used, alone.offsets, "unbiased"), np.nan),
        attributed_exposure=np.where(known, segment_sums(used.exposure, alone.offsets), np.nan),
        attainable_disparity=np.where(listed, attainable(disparity, low, high), np.nan),
        relevance=np.where(listed, relevance, np.nan),
        rate=np.where(known, attribution_rate(matches.n_attributed, outputs.offsets, k=k), np.nan),
        utility=expected_utility(outputs.utilities, outputs.offsets),
        source=None if source is None else source.system,
    )


class Recorded(NamedTuple):
    """Recorded outputs of the data, measured.

    Attributes:
        points: Outputs that could be measured, those of a model over one pool.
        pairs: Which run fed each of all outputs, in their order.
        failed: Why others could not.
    """

    points: tuple[OutputPoints, ...]
    pairs: tuple[Pairing, ...]
    failed: tuple[Note, ...]

    @property
    def unclear(self) -> bool:
        """Whether it is not known which run fed some: these are not measured, the pairing says what to ask."""
        return any(pairing.question for pairing in self.pairs)

    def some(self) -> tuple[OutputPoints, ...]:
        """The points.

        Raises:
            UndefinedError: There are none.
        """
        if not self.points:
            missing = "there are no recorded answers: give --outputs FILE"
            raise UndefinedError(self.failed[0].message if self.failed else missing)
        return self.points


@remembered
def paired(data: Dataset) -> tuple[Pairing, ...]:
    """Which run fed each of the recorded outputs, in their order."""
    return pairings(data.outputs, feeding(data), dict(data.pairs), data.systems)


@remembered
def recorded(data: Dataset, k: int, gain: Gain, estimate: Estimate = "plugin", rel: int = 1) -> Recorded:
    """Measure all recorded outputs.

    Args:
        data: Outputs, and the runs that may have fed them.
        k: Items that a context holds.
        gain: Graded or binary usefulness, for EE-R.
        estimate: Of both disparities: "plugin", or "unbiased" (undefined for one output).
        rel: Smallest useful grade, for binary gain.
    """
    pairs, by_name = paired(data), {ranked.system: ranked for ranked in feeding(data)}
    known = zip(data.outputs, pairs, strict=True)
    usable = [(one, by_name.get(pair.run or "")) for one, pair in known if not pair.question]
    candidates = shared_candidates([one for one, _ in usable], [fed for _, fed in usable], k=k)
    points: list[OutputPoints] = []
    notes: list[Note] = []
    expect(len(usable))
    for (one, fed), among in zip(usable, candidates, strict=True):
        try:
            judged = qrels_for(data.qrels, one.generator, one.query_ids)
            measure = partial(output_points, one, paired=fed, candidates=among, qrels=judged)
            points.append(measure(k=k, gain=gain, rel=rel, estimate=estimate))
        except (FairvizError, ValueError) as error:
            notes.append(Note(one.system, None, str(error)))
        step()
    return Recorded(tuple(points), pairs, tuple(notes))


class Answer(NamedTuple):
    """One recorded output.

    Attributes:
        sample: Its id within the query.
        text: The answer.
        sentences: Its sentences with the items that each cites; empty where that is not recorded.
        given: Items given to the generator, best first.
        used: Items that the answer uses.
        utility: As recorded; NaN where it was not.
        paired: Whether ``given`` are the first items of the run, for want of a record.
    """

    sample: str
    text: str
    sentences: tuple[tuple[str, tuple[str, ...]], ...]
    given: tuple[str, ...]
    used: tuple[str, ...]
    utility: float
    paired: bool = False

    @property
    def outside(self) -> tuple[str, ...]:
        """Items that it uses although they were not given."""
        return tuple(doc for doc in self.used if doc not in self.given)


def answers_to(outputs: RagOutputs, query: str) -> list[Answer]:
    """The recorded outputs of one query."""

    def names(docs: Iterable[int]) -> tuple[str, ...]:
        return tuple(outputs.doc_ids[d] for d in docs)

    found: list[Answer] = []
    place = outputs.query_ids.index(query)
    for at in range(int(outputs.offsets[place]), int(outputs.offsets[place + 1])):
        said = [] if outputs.sentences is None else outputs.sentences.of(at, outputs.texts[at])
        sentences = tuple((text, names(docs)) for text, docs in said)
        given = names(outputs.given[outputs.given_offsets[at] : outputs.given_offsets[at + 1]].tolist())
        used = names(outputs.attributed[outputs.attributed_offsets[at] : outputs.attributed_offsets[at + 1]].tolist())
        sample, utility = outputs.samples[at], float(outputs.utilities[at])
        found.append(Answer(sample, outputs.texts[at], sentences, given, used, utility))
    return found


def curve_through(
    points: Sequence[OutputPoints], axes: Sequence[tuple[FloatArray, FloatArray]], *, policy: str, y: str = ""
) -> Curve:
    """A point for each set of outputs, over the queries of all of them, in order of first appearance.

    Args:
        points: Outputs of one system.
        axes: (Q) x and y of each of them, for its own queries.
        policy: What the curve is called after.
        y: Name of what is on the y axis.
    """
    queries = tuple(dict.fromkeys(query for one in points for query in one.outputs.query_ids))
    x_rows, y_rows = (
        np.stack([moved(own, one.outputs.query_ids, queries) for own, one in zip(values, points, strict=True)])
        for values in zip(*axes, strict=True)
    )
    return Curve(
        system=points[0].outputs.retriever or points[0].outputs.system,
        policy=policy,
        query_ids=queries,
        alphas=np.array([np.nan if one.outputs.alpha is None else one.outputs.alpha for one in points]),
        disparity=x_rows,
        quality=y_rows,
        score=np.full(y_rows.shape, np.nan),
        n_samples=int(max(one.n_samples.max(initial=0) for one in points)),
        y=y,
    )


def points_columns(points: Sequence[OutputPoints]) -> dict[str, list[Cell]]:
    """The points of all outputs as columns, with both axes on every scale; a row per (outputs, query).

    ``y_chance`` is EAR² · x_k, the line of equal chance on the ``k`` scale: above it the
    generator concentrates attention further than retrieval did.
    """
    columns: dict[str, list[Cell]] = {}
    for measured in points:
        n = len(measured.outputs.query_ids)
        for name, values in _columns(measured).items():
            cells = values.tolist() if isinstance(values, np.ndarray) else [values] * n
            columns.setdefault(name, []).extend(cells)
    return columns


def concentration_change(points: OutputPoints, *, rng: np.random.Generator) -> PairedDifference:
    """How much more concentrated consumption is than retrieval: mean of y − x on ``share``.

    The one scale on which "more / less concentrated than retrieval" may be said: it compares how
    exposure is shared, whatever its amount. Queries that attribute nothing are undefined.
    """
    x, y = points.on("share")
    return paired_bootstrap(y, x, rng=rng)


def given_by_rank(matches: Attribution) -> tuple[FloatArray, FloatArray]:
    """(Q, k) outputs given an item at each rank, and those of them that attribute it."""
    given, cited = matches.given, matches.attributed
    n_docs, shape = len(given.doc_ids), (len(given.query_ids), matches.k)
    owner = np.repeat(np.arange(matches.n_given.size), matches.n_given)
    rank = np.arange(given.docs.size) - given.sample_offsets[owner]
    cites = np.repeat(np.arange(matches.n_attributed.size), matches.n_attributed) * n_docs + cited.docs
    used = np.isin(owner * n_docs + given.docs, cites)
    query = np.repeat(np.arange(shape[0]), np.diff(given.query_offsets))[owner]
    places = [(query * matches.k + rank)[part] for part in (np.ones(rank.size, dtype=np.bool_), used)]
    of_given, of_used = (np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape) for place in places)
    return of_given.astype(np.float64), of_used.astype(np.float64)


def cited_by_rank(matches: Attribution) -> FloatArray:
    """(k) share of the outputs given an item at rank r that attribute it; NaN where none was."""
    given, used = (counts.sum(axis=0) for counts in given_by_rank(matches))
    return np.where(given > 0, used / np.maximum(given, 1), np.nan)


def _disparity(drawn: SampledExposure, offsets: IntArray, estimate: Estimate) -> FloatArray:
    plugin = ee_disparity(drawn.exposure, offsets)
    if estimate == "plugin":
        return plugin
    return unbiased_disparity(plugin, drawn.mean_square, drawn.n_samples)


def _bounds_and_relevance(
    given: RankingSample, pools: Pools, attention: TopK, gain: Gain, rel: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Ends of EE-D and attainable EE-R of each query of the sample, NaN where the pools lack it."""
    target = target_exposure(pools, attention, gain=gain, rel=rel)
    bounds = exposure_bounds(target, pools.offsets, attention)
    exposure = sample_exposure(given, pools, attention).exposure
    relevance = attainable(ee_relevance(exposure, target, pools.offsets), *bounds.relevance)
    known = (*bounds.disparity, relevance)
    low, high, relevance = (moved(values, pools.query_ids, given.query_ids) for values in known)
    return low, high, relevance


def _columns(points: OutputPoints) -> dict[str, Cell | np.ndarray]:
    outputs = points.outputs
    axes = {f"{axis}_{scale}": values for scale in SCALES for axis, values in zip("xy", points.on(scale), strict=True)}
    return {
        **{name: getattr(outputs, name) for name in ("system", "task", "dataset", "retriever", "generator", "policy")},
        "alpha": np.nan if outputs.alpha is None else outputs.alpha,
        "query_id": np.array(outputs.query_ids, dtype=object),
        "n_samples": points.n_samples,
        "EED": points.attainable_disparity,
        "EER": points.relevance,
        "EAR": points.rate,
        "EAED": axes["y_k"],
        "EU": points.utility,
        **axes,
        "y_chance": equal_chance(axes["x_k"], points.rate),
    }
