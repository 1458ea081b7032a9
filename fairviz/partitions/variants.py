"""Answers to demographic variants by ranges of questions: each range is counted, and the tallies are put together.

Rates, intervals and tests are made of the tallies of all questions, once and here, so that they are the same to the
last bit as those of the file in one piece. A range of a converted file is read by whoever counts it.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fairviz.io.variants_by_question import StoredVariants
from fairviz.model import IntArray, Qrels, VariantAnswers
from fairviz.model.ranges import of_queries
from fairviz.model.variants import AnyRecorded, of_own_names, of_rows
from fairviz.partitions.lists import PARTS_PER_WORKER, compact
from fairviz.partitions.plan import Plan
from fairviz.studies.demographic_qa.answerable import Answerable, Known, any_judged, known_from
from fairviz.studies.demographic_qa.layout import Layout, layout
from fairviz.studies.demographic_qa.tallies import Counting, Tallies, tallied, together


class VariantSlice(NamedTuple):
    """The answers to a range of questions, as they are sent to whoever counts them: themselves, or where to read them.

    Attributes:
        answers: The answers.
        stored: The file that has them, and ``groups`` which of its row groups.
        question_ids: The questions.
    """

    answers: VariantAnswers | None
    stored: StoredVariants | None
    groups: tuple[int, int]
    question_ids: tuple[str, ...]

    def read(self) -> VariantAnswers:
        """The answers."""
        if self.answers is not None:
            return self.answers
        if self.stored is None:
            raise TypeError("nothing to read")
        return self.stored.part(*self.groups)


class _Task(NamedTuple):
    """The answers to a range of questions, and what is to be counted of them."""

    answers: VariantSlice
    qrels: Qrels | None
    counted: tuple[Layout, Known, Counting] | None = None


def _counted(task: _Task) -> Tallies:
    """Count one range; in whichever process."""
    if task.counted is None:
        raise TypeError("nothing is to be counted")
    return tallied(task.answers.read(), *task.counted, qrels=task.qrels)


def _is_judged(task: _Task) -> bool:
    """Whether documents of a range were judged; in whichever process."""
    return task.qrels is not None and any_judged(task.answers.read(), task.qrels)


class PartitionedVariants:
    """A file of answers that is counted by ranges, see :class:`~fairviz.studies.demographic_qa.tallies.Countable`.

    Args:
        plan: Ranges, and who works on them.
        answers: In memory, or a converted file.
    """

    def __init__(self, plan: Plan, answers: VariantAnswers | StoredVariants) -> None:
        self._plan = plan
        self._answers = answers
        if isinstance(answers, StoredVariants):
            self.kinds, self.recorded = answers.kinds, answers.about.recorded
            ends = np.concatenate([[0], np.cumsum(answers.about.sizes, dtype=np.int64)])
        else:
            self.kinds, self.recorded = answers, AnyRecorded.of(answers)
            self._order = np.argsort(answers.questions, kind="stable")
            ends = np.searchsorted(answers.questions[self._order], np.arange(len(answers.question_ids) + 1))
        self._ends: IntArray = ends.astype(np.int64)
        self._cuts = _cuts(self._ends, plan)

    def tallies(
        self,
        counting: Counting,
        *,
        by: Sequence[str],
        pooled: bool = False,
        answerable: Answerable = "evidence",
        qrels: Qrels | None = None,
    ) -> Tallies:
        """As :func:`fairviz.studies.demographic_qa.tallies.tallies_of`.

        Raises:
            UsageError: A column, threshold or outcome that does not fit the answers.
        """
        kinds, work = self.kinds, self._plan
        n, about = len(self._cuts) - 1, kinds.name
        judged = (
            qrels is not None
            and self.recorded.documents
            and any(work.done(_is_judged, self._tasks(qrels), n=n, about=about))
        )
        known = known_from(self.recorded, kinds.kind, answerable, judged=judged, threshold=counting.threshold)
        laid_out = layout(kinds, by, pooled=pooled)
        return together(work.each(_counted, self._tasks(qrels, (laid_out, known, counting)), n=n, about=about))

    def _tasks(self, qrels: Qrels | None, counted: tuple[Layout, Known, Counting] | None = None) -> Iterator[_Task]:
        places = {query: q for q, query in enumerate(qrels.query_ids)} if qrels else {}
        for first, behind in pairwise(self._cuts):
            part = self._slice(first, behind)
            judged = sorted(places[question] for question in part.question_ids if question in places)
            yield _Task(part, _some(qrels, judged) if qrels else None, counted)

    def _slice(self, first: int, behind: int) -> VariantSlice:
        answers = self._answers
        if isinstance(answers, StoredVariants):
            return VariantSlice(None, answers, (first, behind), answers.question_ids(first, behind))
        part = of_own_names(of_rows(answers, self._order[self._ends[first] : self._ends[behind]]))
        return VariantSlice(part, None, (0, 0), part.question_ids)


def _cuts(ends: IntArray, plan: Plan) -> list[int]:
    """Grains that ranges begin with, and how many grains there are.

    Args:
        ends: (G+1) answers in all grains before each: questions, or row groups of a file.
        plan: How large ranges are, and for how many workers.
    """
    n_answers, n_workers = int(ends[-1]), plan.work.n_workers
    at_least = PARTS_PER_WORKER * n_workers if n_workers > 1 else 1
    n_ranges = max(at_least, -(-n_answers // plan.size))
    wanted = np.searchsorted(ends, n_answers * np.arange(n_ranges) // n_ranges)
    return [*np.unique(wanted[wanted < ends.size - 1]).tolist(), ends.size - 1]


def _some(qrels: Qrels, places: Sequence[int]) -> Qrels:
    """The judgements of some questions."""
    part = compact(of_queries(qrels, np.array(places, dtype=np.int64)))
    if not isinstance(part, Qrels):
        raise TypeError("rankings are no judgements")
    return part
