"""Recorded answers as points and estimates by ranges of queries: what `tradeoff` needs of them.

All outputs of a model share one pool (:mod:`fairviz.studies.attribution.candidates`), so that a range holds the same
queries of all of them, of the runs that fed them and of the judgements. What needs all queries is counted range by
range and decided here: whether lists hold only what was cited, and whether they fit the scores they were drawn from.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

import numpy as np

from fairviz.attribution import ONLY_CITED, Attribution, refuse_unknown, unlike
from fairviz.errors import FairvizError
from fairviz.evaluation.joins import Ranked
from fairviz.evaluation.outputs import AnswerUtilities, refuse_unlike, same_generator
from fairviz.evaluation.pairing import Pairing
from fairviz.exposure import Gain
from fairviz.model import FloatArray, IntArray, Note, Qrels, RagOutputs, RankingSample, Run, qrels_for
from fairviz.partitions.lists import Slice, order_of
from fairviz.partitions.outputs import OutputsSlice, PartitionedOutputs
from fairviz.partitions.plan import Plan
from fairviz.partitions.rankings import CuttableRankings, RankingSlices
from fairviz.studies.attribution.candidates import all_given, model_of, one_source, source_of
from fairviz.studies.attribution.points import OutputPoints, fed_by, points_of_queries
from fairviz.studies.tradeoff.estimates import (
    Estimate,
    Estimates,
    Fit,
    estimated_part,
    refuse_undrawn,
    refuse_unsaid,
)

T = TypeVar("T")

VALUES = (
    "disparity",
    "exposure",
    "attributed_disparity",
    "attributed_exposure",
    "unbiased_disparity",
    "unbiased_attributed",
    "attainable_disparity",
    "relevance",
    "rate",
    "utility",
)
"""What points say of each query."""


class _Member(NamedTuple):
    """Outputs of a model in a range.

    Attributes:
        outputs: The range of them.
        fed: Which of the task's rankings they were made from; None: as recorded.
        qrels: Which of its judgements speak of them.
        counts: Whether they are measured at all.
    """

    outputs: OutputsSlice
    fed: int | None
    qrels: int | None
    counts: bool


class _Task(NamedTuple):
    """A range of a model.

    Attributes:
        members: Its outputs.
        rankings: What they were made from, and what samples among these were drawn from.
        qrels: Judgements.
        shared: Which ranking all lists came from; None where it is not one.
        k, gain, rel: As :func:`~fairviz.studies.attribution.points.measured_outputs` has them.
    """

    members: tuple[_Member, ...]
    rankings: RankingSlices
    qrels: tuple[Slice, ...]
    shared: int | None
    k: int
    gain: Gain
    rel: int


class _Values(NamedTuple):
    """Points of a range: its queries, values of each, and how many documents were given, cited and both."""

    query_ids: tuple[str, ...]
    n_samples: IntArray
    values: dict[str, FloatArray]
    n_cited: int
    n_outside: int
    n_given: int
    n_attributed: int


def _points(task: _Task) -> list[_Values | None]:
    """Points of each output of a range; in whichever process."""
    rankings = task.rankings.read()
    qrels = [piece.judgements() for piece in task.qrels]
    read = [(one, one.outputs.read(), None if one.fed is None else rankings[one.fed]) for one in task.members]
    candidates = (
        all_given([(outputs, fed) for one, outputs, fed in read if one.counts], task.k)
        if task.shared is None
        else rankings[task.shared]
    )
    found: list[_Values | None] = []
    for one, outputs, fed in read:
        if not one.counts or not outputs.query_ids:
            found.append(None)
            continue
        judged = None if one.qrels is None else qrels[one.qrels]
        points = points_of_queries(
            outputs, k=task.k, paired=fed, candidates=candidates, qrels=judged, gain=task.gain, rel=task.rel
        )
        matches = points.matches
        found.append(
            _Values(
                outputs.query_ids,
                points.n_samples,
                {name: getattr(points, name) for name in VALUES},
                matches.n_cited,
                matches.n_outside,
                matches.given.docs.size,
                matches.attributed.docs.size,
            )
        )
    return found


class _Unlike(NamedTuple):
    """A range of outputs and of the sample that they were made from."""

    outputs: OutputsSlice
    ranked: Slice


def _unlike(task: _Unlike) -> tuple[str, ...]:
    return unlike(task.outputs.read(), task.ranked.rankings())


class _Best(NamedTuple):
    """A range of outputs and of others of their generator."""

    outputs: OutputsSlice
    others: tuple[OutputsSlice, ...]


def _best(task: _Best) -> tuple[tuple[str, ...], FloatArray]:
    outputs = task.outputs.read()
    return outputs.query_ids, AnswerUtilities().best(outputs, [other.read() for other in task.others])


class _Between(NamedTuple):
    """A range of a run, of answers to it at several α, and of judgements."""

    run: Slice
    outputs: tuple[OutputsSlice, ...]
    qrels: Slice | None
    alphas: FloatArray
    k: int


def _between(task: _Between) -> tuple[tuple[str, ...], Estimates | None, Fit] | None:
    run = task.run.rankings()
    if not run.query_ids or not isinstance(run, Run):
        return None
    qrels = None if task.qrels is None else task.qrels.judgements()
    outputs = [one.read() for one in task.outputs]
    return (run.query_ids, *estimated_part(run, outputs, task.alphas, k=task.k, qrels=qrels))


@dataclass(slots=True)
class PartitionedPoints:
    """How :func:`fairviz.studies.compare.measure.grid_conditions` measures recorded answers by ranges.

    Attributes:
        ranges: Outputs that are cut, and who works on them.
    """

    ranges: PartitionedOutputs
    plan: Plan = field(init=False)

    def __post_init__(self) -> None:
        self.plan = self.ranges.plan

    def points(
        self,
        outputs: Sequence[RagOutputs],
        pairs: Sequence[Pairing],
        rankings: Sequence[Ranked],
        qrels: Sequence[Qrels],
        *,
        k: int,
        gain: Gain,
        rel: int,
        on_step: Callable[[], None],
    ) -> tuple[list[OutputPoints], list[Note]]:
        """All recorded outputs as points, and why some have none; the plan is told of each range, not ``on_step``."""
        usable = fed_by(outputs, pairs, rankings)
        models = [model_of(one) for one, _ in usable]
        found: dict[int, OutputPoints | Note] = {}
        for model in dict.fromkeys(models):
            members = [(one, fed) for (one, fed), own in zip(usable, models, strict=True) if own == model]
            found |= self._model(members, qrels, k, gain, rel)
        said = [found[id(one)] for one, _ in usable]
        return [one for one in said if isinstance(one, OutputPoints)], [one for one in said if isinstance(one, Note)]

    def _model(
        self, members: Sequence[tuple[RagOutputs, Ranked | None]], qrels: Sequence[Qrels], k: int, gain: Gain, rel: int
    ) -> dict[int, OutputPoints | Note]:
        """Points of all outputs of one model, by the identity of the outputs."""
        failed = {id(one): note for one, fed in members if (note := self._why_not(one, fed))}
        feds = [fed for _, fed in members]
        used = CuttableRankings.of([fed for fed in feds if fed is not None], self.plan)
        judged = [qrels_for(qrels, one.generator, one.query_ids) for one, _ in members]
        labels = _distinct([one for one in judged if one is not None])
        shared = one_source(feds)
        cut_outputs = [self.ranges.cuttable(one) for one, _ in members]
        cut_labels = [self.plan.cuttable(one) for one in labels]
        cut = self.plan.ranges([*cut_outputs, *used.cuttable, *cut_labels])
        places = {id(one): i for i, one in enumerate(labels)}
        tasks = (
            _Task(
                tuple(
                    _Member(
                        cuttable.at(one, texts=False),
                        used.place(fed),
                        None if own is None else places[id(own)],
                        id(outputs) not in failed,
                    )
                    for cuttable, (outputs, fed), own in zip(cut_outputs, members, judged, strict=True)
                ),
                used.at(one),
                tuple(each.at(one) for each in cut_labels),
                used.place(shared),
                k,
                gain,
                rel,
            )
            for one in cut
        )
        parts = self.plan.done(_points, tasks, n=len(cut), about=members[0][0].system)
        found: dict[int, OutputPoints | Note] = {}
        for i, (outputs, fed) in enumerate(members):
            whole = [values for part in parts if (values := part[i]) is not None]
            found[id(outputs)] = failed.get(id(outputs)) or _whole(outputs, fed, whole, k)
        return found

    def _why_not(self, outputs: RagOutputs, fed: Ranked | None) -> Note | None:
        """Why outputs are not measured."""
        try:
            refuse_unknown(outputs, fed)
            if isinstance(fed, RankingSample) and outputs.given_from != "ranking":
                refuse_unlike(outputs, fed, self._unlike(outputs, fed))
        except FairvizError as error:
            return Note(outputs.system, None, str(error))
        return None

    def _unlike(self, outputs: RagOutputs, fed: RankingSample) -> tuple[str, ...]:
        """Queries for which the sample holds another number of rankings, in the order of the outputs."""
        own, lists = self.ranges.cuttable(outputs), self.plan.cuttable(fed)
        cut = self.plan.ranges([own, lists])
        tasks = (_Unlike(own.at(one, texts=False), lists.at(one)) for one in cut)
        odd = {query for part in self.plan.done(_unlike, tasks, n=len(cut), about=outputs.system) for query in part}
        return tuple(query for query in outputs.query_ids if query in odd) if odd else ()

    def best(self, outputs: RagOutputs, recorded: Sequence[RagOutputs]) -> FloatArray:
        """(Q) the largest utility that the generator reached for each query in any recorded run."""
        own = self.ranges.cuttable(outputs)
        others = [self.ranges.cuttable(one) for one in recorded if one is not outputs and same_generator(outputs, one)]
        cut = self.plan.ranges([own, *others])
        tasks = (_Best(own.at(one, texts=False), tuple(each.at(one, texts=False) for each in others)) for one in cut)
        parts = self.plan.done(_best, tasks, n=len(cut), about=outputs.system)
        order = order_of(outputs.query_ids, (ids for ids, _ in parts), system=outputs.system)
        return np.concatenate([values for _, values in parts])[order]

    def estimated(
        self, run: Run, recorded: Sequence[RagOutputs], alphas: FloatArray, k: int, qrels: Qrels | None
    ) -> Estimates:
        """EU, EAR and EAE-D at α between the recorded ones.

        Raises:
            UndefinedError: As :func:`~fairviz.studies.tradeoff.estimates.estimated`.
        """
        refuse_unsaid(recorded)
        lists, own = self.plan.cuttable(run), [self.ranges.cuttable(one) for one in recorded]
        judged = None if qrels is None else self.plan.cuttable(qrels)
        cut = self.plan.ranges([lists, *own, *([] if judged is None else [judged])])
        tasks = (
            _Between(
                lists.at(one),
                tuple(each.at(one, texts=False) for each in own),
                None if judged is None else judged.at(one),
                alphas,
                k,
            )
            for one in cut
        )
        done = [part for part in self.plan.done(_between, tasks, n=len(cut), about=run.system) if part is not None]
        refuse_undrawn(run, [fit for _, _, fit in done])
        order = order_of(run.query_ids, (ids for ids, _, _ in done), system=run.system)
        made = [estimates for _, estimates, _ in done if estimates is not None]

        def axis(values: list[FloatArray]) -> FloatArray:
            return np.take(np.concatenate(values, axis=1), order, axis=1)  # rows stay rows in memory

        def measure(parts: list[Estimate]) -> Estimate:
            return replace(
                parts[0],
                values=axis([part.values for part in parts]),
                errors=axis([part.errors for part in parts]),
                sizes=axis([part.sizes for part in parts]),
            )

        return replace(
            made[0],
            query_ids=run.query_ids,
            disparity=axis([part.disparity for part in made]),
            utility=measure([part.utility for part in made]),
            rate=measure([part.rate for part in made]),
            attributed=measure([part.attributed for part in made]),
        )


def _distinct(things: Sequence[T]) -> list[T]:
    """Each once, in their order."""
    return list({id(one): one for one in things}.values())


def _whole(outputs: RagOutputs, fed: Ranked | None, parts: Sequence[_Values], k: int) -> OutputPoints:
    """Points of all queries, in the order of the outputs."""
    order = order_of(outputs.query_ids, (part.query_ids for part in parts), system=outputs.system)
    values = {name: np.concatenate([part.values[name] for part in parts])[order] for name in VALUES}
    recorded = outputs.given_from == "ranking" or fed is None
    source = source_of(fed)
    matches = Attribution(
        given=_no_lists(outputs),
        attributed=_no_lists(outputs),
        k=k,
        n_cited=sum(part.n_cited for part in parts),
        n_outside=sum(part.n_outside for part in parts),
        paired=None if recorded or fed is None else fed.system,
        from_references=outputs.given_from == "references" and fed is None,
    )
    points = OutputPoints(
        outputs=outputs,
        matches=matches,
        n_samples=np.concatenate([part.n_samples for part in parts])[order],
        source=None if source is None else source.system,
        **values,
    )
    n_given, n_attributed = sum(part.n_given for part in parts), sum(part.n_attributed for part in parts)
    only_cited = matches.from_references and n_attributed >= ONLY_CITED * n_given
    return points.unlisted() if only_cited else points


def _no_lists(outputs: RagOutputs) -> RankingSample:
    """Lists of all queries without a document: those are in ranges, and counted."""
    offsets = np.zeros(len(outputs.query_ids) + 1, dtype=np.int64)
    return RankingSample(
        system=outputs.system,
        policy=outputs.policy,
        alpha=outputs.alpha,
        query_ids=outputs.query_ids,
        doc_ids=(),
        query_offsets=offsets,
        sample_offsets=np.zeros(1, dtype=np.int64),
        docs=np.empty(0, dtype=np.int32),
    )
