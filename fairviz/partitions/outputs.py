"""Measures of recorded outputs by ranges of queries: what all outputs decide is asked here, values come range by range.

Which run fed which outputs, and whether they speak of the same queries as it and the references, is known from query
ids and counts. Everything else needs the answers to one query at a time: also the best that a generator reached for it,
for which the same range of its other outputs is sent along.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from fairviz.attribution import coverage, unlike, unlike_words
from fairviz.errors import FairvizError
from fairviz.evaluation.joins import Ranked
from fairviz.evaluation.outputs import AnswerUtilities, OutputScorer, refuse_unlike, same_generator
from fairviz.evaluation.pairing import Pairing
from fairviz.evaluation.rankings import Refusal
from fairviz.evaluation.remarks import Remark, added
from fairviz.io.by_output import StoredOutputs, produced_by, producer_of
from fairviz.io.rag import Producer
from fairviz.lookup import chosen
from fairviz.metrics.utility import Scale
from fairviz.model import IndexArray, IntArray, MeasureSpec, RagOutputs, Scores, SystemScore
from fairviz.model.ids import Ids
from fairviz.model.ranges import answers_to_queries
from fairviz.model.results import Flags
from fairviz.partitions.lists import Range, Slice, order_of
from fairviz.partitions.plan import Plan

# What is cut.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OutputsOutline(RagOutputs):
    """The queries of converted outputs, and what produced them; the answers are in the file."""

    stored: StoredOutputs


def outline(stored: StoredOutputs) -> OutputsOutline:
    """What is known of converted outputs before their answers are read."""
    query_ids = stored.query_ids
    nothing, nowhere = np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64)
    return OutputsOutline(
        query_ids=query_ids,
        doc_ids=(),
        offsets=np.zeros(len(query_ids) + 1, dtype=np.int64),
        samples=(),
        given_from=stored.about.given_from,
        given_offsets=nowhere,
        given=nothing,
        attributed_offsets=nowhere,
        attributed=nothing,
        texts=(),
        utilities=np.empty(0),
        stored=stored,
        **stored.about.producer._asdict(),
    )


@dataclass(frozen=True, slots=True)
class OutputsSlice:
    """A range of outputs, as it is sent to whoever works on it: of a file in memory itself, else where to read it.

    Attributes:
        outputs: The range; None of a file.
        producer: What produced it, as it is called here.
        stored: The file.
        at: The range.
        texts: Whether what was answered is read.
    """

    outputs: RagOutputs | None
    producer: Producer
    stored: StoredOutputs | None
    at: Range
    texts: bool

    def read(self) -> RagOutputs:
        """The outputs of the range, under the name of the system that they are a part of."""
        if self.stored is not None:
            return produced_by(self.producer, self.stored.part(*self.at, texts=self.texts))
        if self.outputs is None:
            raise TypeError("a range of nothing")
        return self.outputs


class CuttableOutputs:
    """Outputs that ranges are taken from.

    Args:
        outputs: In memory, or an outline.
    """

    def __init__(self, outputs: RagOutputs) -> None:
        self.outputs = outputs
        self.stored = outputs.stored if isinstance(outputs, OutputsOutline) else None
        self._producer = producer_of(outputs)
        ids = outputs.query_ids
        self._order = [] if self.stored else sorted(range(len(ids)), key=ids.__getitem__)
        self._sorted = [ids[q] for q in self._order]

    @property
    def grains(self) -> Iterable[tuple[str, int]]:
        """First query, and how many documents, of pieces that a range is made of."""
        if self.stored is not None:
            return zip(self.stored.about.firsts, self.stored.about.sizes, strict=True)
        sizes = _sizes(self.outputs)
        return ((query, int(sizes[q])) for query, q in zip(self._sorted, self._order, strict=True))

    def at(self, asked: Range, *, texts: bool = True) -> OutputsSlice:
        """A range of them; of an outline nothing but what produced it is sent."""
        if self.stored is not None:
            return OutputsSlice(None, self._producer, self.stored, asked, texts)
        first = bisect_left(self._sorted, asked.low)
        behind = len(self._sorted) if asked.high is None else bisect_left(self._sorted, asked.high)
        rows = np.array(self._order[first:behind], dtype=np.int64)
        part = _compact(answers_to_queries(self.outputs, rows), texts=texts)
        return OutputsSlice(part, self._producer, None, asked, texts)


def _sizes(outputs: RagOutputs) -> IntArray:
    """(Q) documents that the answers to each query were given and name, and the answers themselves."""
    rows = outputs.given_offsets + outputs.attributed_offsets + np.arange(outputs.given_offsets.size)
    return np.diff(rows[outputs.offsets])


def _compact(outputs: RagOutputs, *, texts: bool) -> RagOutputs:
    """The same outputs with the ids of their own documents, and without sentences, which no measure reads."""
    n_given = outputs.given.size
    used, codes = np.unique(np.concatenate([outputs.given, outputs.attributed]), return_inverse=True)
    docs: IndexArray = codes.astype(np.int32).reshape(-1)
    return replace(
        outputs,
        doc_ids=chosen(Ids.of(outputs.doc_ids), used.astype(np.int64)),
        given=docs[:n_given],
        attributed=docs[n_given:],
        texts=outputs.texts if texts else ("",) * len(outputs.texts),
        sentences=None,
    )


# What a range gives.


class _Task(NamedTuple):
    """A range of one system's outputs, and what is to be measured on it.

    Attributes:
        outputs: The range.
        recorded: The same range of other outputs of its generator.
        paired: The same range of the run that they were made from.
        references: Right answers to its queries; None where there are none at all.
        scale: Of all references.
        specs: Measures, all of them allowed.
    """

    outputs: OutputsSlice
    recorded: tuple[OutputsSlice, ...]
    paired: Slice | None
    references: dict[str, Sequence[str]] | None
    scale: Scale | None
    specs: tuple[MeasureSpec, ...]


class _Part(NamedTuple):
    """What a range gives.

    Attributes:
        query_ids: Its queries.
        scores: Of each measure, without the queries; None where ``unlike`` says why.
        remarks: What people should know of each.
        unlike: Queries for which the paired sample holds another number of rankings than there are outputs.
    """

    query_ids: tuple[str, ...]
    scores: tuple[Scores | None, ...]
    remarks: tuple[tuple[Remark, ...], ...]
    unlike: tuple[str, ...]


def _measured(task: _Task) -> _Part:
    """Score one range; in whichever process."""
    outputs = task.outputs.read()
    if not outputs.query_ids:
        return _Part((), (), (), ())
    paired = None if task.paired is None else task.paired.rankings()
    answers = AnswerUtilities(task.references, scale=task.scale)
    scorer = OutputScorer(outputs, [other.read() for other in task.recorded], paired, answers)
    odd = () if paired is None or outputs.given_from == "ranking" else unlike(outputs, paired)
    scores: list[Scores | None] = []
    remarks: list[tuple[Remark, ...]] = []
    for spec in task.specs:
        before = len(scorer.remarks)
        found = None if odd and spec.name != "EU" else scorer.measured(spec)
        scores.append(found)
        remarks.append(tuple(scorer.remarks[before:]))
    return _Part(outputs.query_ids, tuple(scores), tuple(remarks), odd)


# What ranges give together.


@dataclass(slots=True)
class PartitionedOutputs:
    """How :func:`fairviz.evaluation.evaluate.evaluate` measures recorded outputs by ranges.

    Attributes:
        plan: Ranges, and who works on them.
    """

    plan: Plan
    _cuttable: dict[int, CuttableOutputs] = field(default_factory=dict[int, CuttableOutputs])

    def cuttable(self, outputs: RagOutputs) -> CuttableOutputs:
        """Outputs that ranges are taken from, looked through once."""
        known = self._cuttable.get(id(outputs))
        if known is None or known.outputs is not outputs:
            known = self._cuttable[id(outputs)] = CuttableOutputs(outputs)
        return known

    def scorer(
        self,
        outputs: RagOutputs,
        recorded: Sequence[RagOutputs],
        paired: Ranked | None,
        answers: AnswerUtilities,
        pairing: Pairing | None,
    ) -> "PartitionedOutputScorer":
        """What scores one system."""
        return PartitionedOutputScorer(outputs, recorded, paired, answers, pairing, ranges=self)

    def coverage(self, recorded: RagOutputs, ranked: Ranked, k: int) -> tuple[int, int]:
        """As :func:`fairviz.attribution.coverage`: documents of one query are counted in one range.

        Raises:
            ValueError: If a sample holds another number of rankings for a query than there are outputs.
        """
        outputs, lists = self.cuttable(recorded), self.plan.cuttable(ranked)
        cut = self.plan.ranges([outputs, lists])
        tasks = (_Covered(outputs.at(one, texts=False), lists.at(one), k) for one in cut)
        inside = of = 0
        for part in self.plan.done(_covered, tasks, n=len(cut), about=recorded.system):
            if part.unlike:
                raise ValueError(unlike_words(part.unlike[0], recorded, ranked))
            inside, of = inside + part.inside, of + part.of
        return inside, of


class _Covered(NamedTuple):
    """A range of outputs and of a run that may have fed them."""

    outputs: OutputsSlice
    ranked: Slice
    k: int


class _Coverage(NamedTuple):
    """Documents that a range names, how many of them the first k hold, and queries that the run cannot have fed."""

    inside: int
    of: int
    unlike: tuple[str, ...]


def _covered(task: _Covered) -> _Coverage:
    """Count one range; in whichever process."""
    outputs, ranked = task.outputs.read(), task.ranked.rankings()
    if odd := unlike(outputs, ranked):
        return _Coverage(0, 0, odd)
    return _Coverage(*coverage(outputs, ranked, k=task.k), ())


@dataclass(slots=True)
class PartitionedOutputScorer(OutputScorer):
    """Measures of one system's recorded outputs, as :class:`~fairviz.evaluation.outputs.OutputScorer` has them."""

    ranges: PartitionedOutputs = field(kw_only=True)
    _known: dict[int, tuple[list[Scores], list[Remark]]] = field(
        default_factory=dict[int, "tuple[list[Scores], list[Remark]]"]
    )
    _unlike: tuple[str, ...] = ()
    _order: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def scores(
        self, specs: Sequence[MeasureSpec], *, refuse: bool = True
    ) -> tuple[list[Scores | SystemScore], list[Refusal]]:
        """Scores in the order of the measures, all of which a range is read once for."""
        allowed = [spec for spec in specs if self._is_allowed(spec)]
        if allowed:
            self._measure(allowed)
        return super(PartitionedOutputScorer, self).scores(specs, refuse=refuse)

    def measured(self, spec: MeasureSpec) -> Scores:
        """The values of a measure that is allowed, over all ranges, in the order of the queries."""
        if self._unlike and self.paired is not None and spec.name != "EU":
            refuse_unlike(self.outputs, self.paired, self._unlike)
        parts, remarks = self._known[id(spec)]
        self.remarks += remarks
        return self._whole(parts)

    def _is_allowed(self, spec: MeasureSpec) -> bool:
        try:
            self.allowed(spec)
        except FairvizError:
            return False
        return True

    def _measure(self, specs: list[MeasureSpec]) -> None:
        """Measure all ranges."""
        plan = self.ranges.plan
        outputs = self.ranges.cuttable(self.outputs)
        asked = [options for spec in specs if "utility" in (options := self.options(spec)[0])]
        best = any(options["norm"] == "best" for options in asked)
        texts = any(options["utility"] != "recorded" for options in asked)
        scale = self.answers.scale("mae") if any(options["utility"] == "mae" for options in asked) else None
        others = [
            self.ranges.cuttable(one)
            for one in (self.recorded if best else ())
            if one is not self.outputs and same_generator(self.outputs, one)
        ]
        feeds = self.paired is not None and self.outputs.given_from != "ranking"
        paired = plan.cuttable(self.paired) if feeds and self.paired is not None else None
        cut = plan.ranges([outputs, *others, *([] if paired is None else [paired])])
        references = _References(self.answers, texts=texts)

        def task(one: Range) -> _Task:
            return _Task(
                outputs.at(one, texts=texts),
                tuple(other.at(one, texts=texts) for other in others),
                None if paired is None else paired.at(one),
                references.at(one),
                scale,
                tuple(specs),
            )

        done = plan.done(_measured, map(task, cut), n=len(cut), about=self.outputs.system)
        parts = [part for part in done if part.query_ids]
        ids = self.outputs.query_ids
        self._order = order_of(ids, (part.query_ids for part in parts), system=self.outputs.system)
        odd = {query for part in parts for query in part.unlike}
        self._unlike = tuple(query for query in ids if query in odd) if odd else ()
        for i, spec in enumerate(specs):
            scores = [score for part in parts if (score := part.scores[i]) is not None]
            self._known[id(spec)] = scores, added((part.remarks[i] for part in parts), defined=())

    def _whole(self, parts: Sequence[Scores]) -> Scores:
        flags: Flags = {
            name: all(part.flags[name] for part in parts)
            if isinstance(value, bool)
            else sum(int(part.flags[name]) for part in parts)
            for name, value in parts[0].flags.items()
        }
        values = np.concatenate([part.values for part in parts])[self._order]
        return replace(parts[0], query_ids=self.outputs.query_ids, values=values, flags=flags)


class _References:
    """Right answers that ranges are taken from.

    Args:
        answers: All of them.
        texts: Whether any are needed.
    """

    def __init__(self, answers: AnswerUtilities, *, texts: bool) -> None:
        self._references = answers.references if texts else None
        self._sorted = sorted(self._references or ())

    def at(self, asked: Range) -> dict[str, Sequence[str]] | None:
        """Those to the queries of a range."""
        if self._references is None:
            return None
        first = bisect_left(self._sorted, asked.low)
        behind = len(self._sorted) if asked.high is None else bisect_left(self._sorted, asked.high)
        return {query: self._references[query] for query in self._sorted[first:behind]}
