"""Measures of rankings by ranges of queries: every range is scored as a whole file is, and the scores are put together.

Values per query stand in the order of the whole file again, so that means, intervals and tests, which are computed once
and here, are the same to the last bit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from fairviz.errors import UsageError
from fairviz.evaluation.joins import LeftOut, Ranked, labelled_or_why
from fairviz.evaluation.rankings import RankedScorer, Refusal, query_notes, system_score
from fairviz.evaluation.remarks import Remark, added, noted
from fairviz.evaluation.ties import with_tie_bands
from fairviz.grouping import Preset
from fairviz.io.groups import read_groups
from fairviz.metrics.catalogue import is_judged
from fairviz.metrics.statistic import OfMeans
from fairviz.model import (
    FloatArray,
    GroupLabels,
    MeasureSpec,
    Note,
    Qrels,
    RankingSample,
    Run,
    Scores,
    SystemScore,
    Target,
)
from fairviz.model.results import Flags
from fairviz.partitions.lists import OUTLINES, Range, Slice, order_of, ranges
from fairviz.partitions.plan import Plan
from fairviz.partitions.rankings import CuttableRankings, RankingSlices


@dataclass(frozen=True, slots=True)
class LabelFile:
    """Groups of documents, as every worker reads them once.

    Attributes:
        path: The file, where every worker finds it.
        mode: What two labels of a document mean.
        state: Size and time of the file: a worker that has read another state reads it again. None where it is not
            there, which reading says.
    """

    path: str
    mode: Literal["one", "split"]
    state: tuple[int, int] | None = None

    @classmethod
    def of(cls, path: str, mode: Literal["one", "split"]) -> "LabelFile":
        """This file as it is now."""
        try:
            found = Path(path).stat()
        except OSError:
            return cls(path, mode)
        return cls(path, mode, (found.st_size, found.st_mtime_ns))

    def read(self) -> GroupLabels:
        """The labels; in a process that has read them, those."""
        labels = _LABELS.get(self)
        if labels is None:
            labels = read_groups(self.path, labels=self.mode).value
            _LABELS.clear()  # of one command at a time
            _LABELS[self] = labels
        return labels

    def known(self, labels: GroupLabels) -> None:
        """Spare this process to read them again."""
        _LABELS[self] = labels


_LABELS: dict[LabelFile, GroupLabels] = {}


class _Task(NamedTuple):
    """A range of one system, and what is to be measured on it."""

    ranked: RankingSlices
    qrels: Slice | None
    labels: LabelFile | None
    target: Target | Preset | None
    specs: tuple[MeasureSpec, ...]


class _Values(NamedTuple):
    """One measure of a range.

    Attributes:
        query_ids: (Q) queries.
        values: (Q) values, or (Q, P) parts that the value of the whole system is a function of the means of.
        score: Without its queries and values; None where it is one of the whole system.
    """

    query_ids: tuple[str, ...]
    values: FloatArray
    score: Scores | None


class _Part(NamedTuple):
    """What a range gives.

    Attributes:
        scores: Of each measure.
        owners: Whose queries each is over.
        remarks: What people should know.
    """

    scores: tuple[_Values, ...]
    owners: tuple[Literal["judged", "ranked"], ...]
    remarks: tuple[Remark, ...]


def _measured(task: _Task) -> _Part:
    """Score one range; in whichever process."""
    ranked, qrels = task.ranked.read()[0], _qrels(task.qrels)
    found, remarks = _scored(task, ranked, qrels)
    judged = ranked.query_ids if qrels is None else qrels.query_ids
    own = judged is ranked.query_ids
    return _Part(
        tuple(map(_values, found)),
        tuple("judged" if score.query_ids is judged and not own else "ranked" for score in found),
        tuple(remarks),
    )


def _scored(
    task: _Task, ranked: Run | RankingSample, qrels: Qrels | None
) -> tuple[list[Scores | SystemScore], list[Remark]]:
    scorer = RankedScorer(ranked, qrels, task.labels.read() if task.labels else None, task.target)
    scores = scorer.scores(task.specs)[0]
    if isinstance(ranked, Run) and qrels is not None:
        scores = with_tie_bands(scores, task.specs, ranked, qrels)
    return scores, scorer.remarks


def _values(score: Scores | SystemScore) -> _Values:
    if isinstance(score, Scores):
        return _Values(score.query_ids, score.values, replace(score, query_ids=(), values=score.values[:0]))
    if not isinstance(score.made_of, OfMeans):
        reason = "adds up documents over all queries, which ranges of queries do not hold"
        fix = "leave out by='item', or give files that fit into memory, without --workers and --dask"
        raise UsageError(f"{score.measure} {reason}: {fix}")
    return _Values(score.query_ids, score.made_of.parts, None)


def _qrels(piece: Slice | None) -> Qrels | None:
    return None if piece is None else piece.judgements()


@dataclass(slots=True)
class Partitioned:
    """How :func:`fairviz.evaluation.evaluate.evaluate` measures rankings by ranges.

    Attributes:
        plan: Ranges, and who works on them.
        labels: The file of the groups, where there are any.
    """

    plan: Plan
    labels: LabelFile | None = None

    def scorer(
        self,
        ranked: Ranked,
        qrels: Qrels | None,
        labels: GroupLabels | None = None,
        target: Target | Preset | None = None,
    ) -> "PartitionedScorer":
        """What scores one system.

        Raises:
            UsageError: The attribute of the labels does not apply to some documents.
        """
        if labels is not None and labels.not_applicable.any():
            raise UsageError(f"{labels.attribute} does not apply to some documents: give the files before conversion")
        if labels is not None and self.labels is not None:
            self.labels.known(labels)
        return PartitionedScorer(self.plan, ranked, qrels, self.labels if labels is not None else None, target)

    def why_unlabelled(self, ranked: Ranked, labels: GroupLabels) -> LeftOut | None:
        """None where a document of some range has a label, else why the system is left out."""
        if not isinstance(ranked, OUTLINES):
            return labelled_or_why(ranked, labels)
        cut = self.plan.cuttable(ranked)
        first: LeftOut | None = None
        for one in ranges([cut]):
            why = labelled_or_why(cut.at(one).rankings(), labels)
            if why is None:
                return None
            first = first or why
        return first


@dataclass(slots=True)
class PartitionedScorer:
    """Measures of one system's rankings, as :class:`~fairviz.evaluation.rankings.RankedScorer` has them."""

    plan: Plan
    ranked: Ranked
    qrels: Qrels | None
    labels: LabelFile | None
    target: Target | Preset | None
    notes: list[Note] = field(default_factory=list[Note])

    def scores(
        self, specs: Sequence[MeasureSpec], *, refuse: bool = True
    ) -> tuple[list[Scores | SystemScore], list[Refusal]]:
        """Scores in the order of the measures.

        Raises:
            UsageError: The data do not allow one, or it is one value over all queries.
        """
        if not specs:
            return [], []
        if not refuse:
            raise ValueError("ranges are measured or refused as a whole")
        if self.qrels is not None and any(map(is_judged, specs)):
            self.notes += query_notes(self.ranked, self.qrels)
        plan = self.plan
        lists = CuttableRankings.of([self.ranked], plan)
        judged = None if self.qrels is None else plan.cuttable(self.qrels)
        cut = plan.ranges([*lists.cuttable, *([] if judged is None else [judged])])

        def task(one: Range) -> _Task:
            return _Task(
                lists.at(one),
                None if judged is None else judged.at(one),
                self.labels,
                self.target,
                tuple(specs),
            )

        parts = plan.done(_measured, map(task, cut), n=len(cut), about=self.ranked.system)
        of_system = [spec for spec, first in zip(specs, parts[0].scores, strict=True) if first.score is None]
        known = iter(_of_systems(task(cut[0])._replace(specs=tuple(of_system))) if of_system else [])
        scores = [self._whole([part.scores[i] for part in parts], parts[0].owners[i], known) for i in range(len(specs))]
        defined = {score.measure for score in scores if not np.isnan(score.value)}
        remarks = added((part.remarks for part in parts), defined=defined)
        self.notes += noted(remarks)
        return scores, []

    def _whole(self, parts: Sequence[_Values], owner: str, known: Iterator[SystemScore]) -> Scores | SystemScore:
        """One measure over all ranges, its queries in the order of the file that they are the queries of."""
        ids = self.qrels.query_ids if owner == "judged" and self.qrels is not None else self.ranked.query_ids
        order = order_of(ids, (part.query_ids for part in parts), system=self.ranked.system)
        values: FloatArray = np.concatenate([part.values for part in parts])[order]
        scores = [part.score for part in parts if part.score is not None]
        if scores:
            flags: Flags = {name: sum(int(score.flags[name]) for score in scores) for name in scores[0].flags}
            absent = [
                np.zeros(part.values.size, np.bool_) if one.unranked is None else one.unranked
                for part, one in zip(parts, scores, strict=True)
            ]
            unranked = np.concatenate(absent)[order]
            bands = [
                np.stack([part.values] * 2) if one.tied is None else one.tied
                for part, one in zip(parts, scores, strict=True)
            ]
            return replace(
                scores[0],
                query_ids=ids,
                values=values,
                unranked=unranked if unranked.any() else None,
                tied=np.concatenate(bands, axis=1)[:, order] if any(one.tied is not None for one in scores) else None,
                flags=flags,
            )
        first = next(known)
        if not isinstance(first.made_of, OfMeans):
            raise TypeError("a file changed while it was read")
        return system_score(first.system, first.measure, ids, replace(first.made_of, parts=values))


def _of_systems(task: _Task) -> list[SystemScore]:
    """Measures of a whole system on one range: the functions of means that they are on any.

    Functions are made where they are used, not sent, so the first range is scored here as well, once for all measures.
    """
    found, _ = _scored(task, task.ranked.read()[0], _qrels(task.qrels))
    return [score for score in found if isinstance(score, SystemScore)]
