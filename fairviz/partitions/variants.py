"""Answers to demographic variants by ranges of questions: each range is counted, and the tallies are put together.

Rates, intervals and tests are made of the tallies of all questions, once and here, so that they are the same to the
last bit as those of the file in one piece.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fairviz.model import IntArray, Qrels, VariantAnswers
from fairviz.model.ranges import of_queries
from fairviz.model.variants import of_own_names, of_rows
from fairviz.partitions.lists import PARTS_PER_WORKER, compact
from fairviz.partitions.plan import Plan
from fairviz.studies.demographic_qa.answerable import Answerable, Known, known_of
from fairviz.studies.demographic_qa.layout import Layout, layout
from fairviz.studies.demographic_qa.tallies import Counting, Tallies, tallied, together


class _Task(NamedTuple):
    """The answers to a range of questions, and what is to be counted of them."""

    answers: VariantAnswers
    laid_out: Layout
    known: Known
    counting: Counting
    qrels: Qrels | None


def _counted(task: _Task) -> Tallies:
    """Count one range; in whichever process."""
    return tallied(task.answers, task.laid_out, task.known, task.counting, qrels=task.qrels)


class PartitionedVariants(NamedTuple):
    """How :func:`fairviz.studies.demographic_qa.results.answer_results` counts answers by ranges.

    Attributes:
        plan: Ranges, and who works on them.
    """

    plan: Plan

    def tallies_of(
        self,
        answers: VariantAnswers,
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
        known = known_of(answers, answerable, qrels, threshold=counting.threshold)
        laid_out = layout(answers, by, pooled=pooled)
        order = np.argsort(answers.questions, kind="stable")
        ends = np.searchsorted(answers.questions[order], np.arange(len(answers.question_ids) + 1))
        cuts = _cuts(ends, self.plan)

        def tasks() -> Iterator[_Task]:
            for first, behind in pairwise(cuts):
                rows = order[ends[first] : ends[behind]]
                part = of_own_names(of_rows(answers, rows))
                yield _Task(part, laid_out, known, counting, _judged(qrels, part) if qrels else None)

        return together(self.plan.done(_counted, tasks(), n=len(cuts) - 1, about=answers.name))


def _cuts(ends: IntArray, plan: Plan) -> list[int]:
    """Questions that ranges begin with, and how many questions there are.

    Args:
        ends: (Q+1) answers to all questions before each.
        plan: How large ranges are, and for how many workers.
    """
    n_answers, n_workers = int(ends[-1]), plan.work.n_workers
    at_least = PARTS_PER_WORKER * n_workers if n_workers > 1 else 1
    n_ranges = max(at_least, -(-n_answers // plan.size))
    wanted = np.searchsorted(ends, n_answers * np.arange(n_ranges) // n_ranges)
    return [*np.unique(wanted[wanted < ends.size - 1]).tolist(), ends.size - 1]


def _judged(qrels: Qrels, answers: VariantAnswers) -> Qrels:
    """The judgements of the questions that were answered."""
    asked = set(answers.question_ids)
    chosen = np.array([q for q, query in enumerate(qrels.query_ids) if query in asked], dtype=np.int64)
    part = compact(of_queries(qrels, chosen))
    if not isinstance(part, Qrels):
        raise TypeError("rankings are no judgements")
    return part
