"""Rates of groups with their intervals, and which of them are compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fairviz.analysis.uncertainty import UNDEFINED, Interval, bootstrap_counts, percentiles
from fairviz.analysis.variant_sheet import Grouping, Sheet
from fairviz.metrics.parity_of_answers import largest_difference, rates_by_group
from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.model.variants import NOT_MENTIONED, UNKNOWN, VariantAnswers


@dataclass(frozen=True, slots=True)
class GroupRate:
    """How often one group (or condition of reference) is answered right.

    Attributes:
        value: Name of the group.
        rate: Share of right answers, or mean ROUGE-L; NaN without answers.
        interval: 95 %, bootstrap over questions.
        n: Answers with a known outcome.
        n_unparsed: Answers among them that are missing or not readable as an option.
        rate_answerable: Rate among answerable questions; NaN where none is recorded.
        n_answerable: Answers it rests on.
        small: Whether n is below the minimum size.
    """

    value: str
    rate: float
    interval: Interval
    n: int
    n_unparsed: int
    rate_answerable: float
    n_answerable: int
    small: bool


class ByQuestion(NamedTuple):
    """(G, Q) sums of outcomes and numbers of answers, by group and question."""

    sums: FloatArray
    n: FloatArray

    @property
    def means(self) -> FloatArray:
        """(G, Q) mean outcome; NaN where a group has no answer to a question."""
        means = np.full(self.sums.shape, np.nan)
        np.divide(self.sums, self.n, out=means, where=self.n > 0)
        return means


def by_question(scores: FloatArray, questions: IntArray, groups: IntArray, n: int) -> ByQuestion:
    """Sum outcomes by group and question; answers without a known outcome are left out.

    Args:
        scores: (N) outcome of each answer.
        questions: (N) code of each answer's question.
        groups: (N) group of each answer.
        n: Number of groups.
    """
    known = ~np.isnan(scores)
    distinct, column = np.unique(questions[known], return_inverse=True)
    cells = groups[known] * max(distinct.size, 1) + column.reshape(-1)
    size = n * distinct.size
    sums = np.bincount(cells, scores[known], minlength=size).astype(np.float64)
    counts = np.bincount(cells, minlength=size).astype(np.float64)
    shape = (n, distinct.size)
    return ByQuestion(sums.reshape(shape), counts.reshape(shape))


def group_rates(
    laid: Sheet, grouping: Grouping, *, min_size: int, seed: int, n_resamples: int
) -> tuple[GroupRate, ...]:
    """The rate of every group, small ones included."""
    rows, n_groups = grouping.rows, len(grouping.values)
    scores = laid.scores[rows]
    rates = rates_by_group(scores, grouping.groups, n_groups)
    answerable = laid.answers.answerable[rows] == 1
    among = rates_by_group(np.where(answerable, scores, np.nan), grouping.groups, n_groups)
    unread = unreadable(laid)[rows] & ~np.isnan(scores)
    n_unread = np.bincount(grouping.groups[unread], minlength=n_groups)
    table = by_question(scores, laid.questions[rows], grouping.groups, n_groups)
    intervals = rate_intervals(table, seed=seed, n_resamples=n_resamples)
    return tuple(
        GroupRate(
            value,
            float(rates.rate[g]),
            intervals[g],
            int(rates.n[g]),
            int(n_unread[g]),
            float(among.rate[g]),
            int(among.n[g]),
            bool(rates.n[g] < min_size),
        )
        for g, value in enumerate(grouping.values)
    )


def condition_rates(
    laid: Sheet, rows: IntArray, *, min_size: int, seed: int, n_resamples: int
) -> tuple[GroupRate, ...]:
    """The rate of every condition of reference in the rows; they are no groups."""
    conditions = condition_rows(laid.answers, rows)
    return group_rates(laid, conditions, min_size=min_size, seed=seed, n_resamples=n_resamples)


def condition_rows(answers: VariantAnswers, rows: IntArray) -> Grouping:
    """The conditions of reference in the rows, as if each were a group."""
    codes = answers.condition[rows].astype(np.int64)
    given = codes != NOT_MENTIONED
    present, groups = np.unique(codes[given], return_inverse=True)
    return Grouping(
        attribute="",
        values=tuple(answers.conditions[int(code)] for code in present),
        rows=rows[given],
        groups=groups.reshape(-1),
    )


def unreadable(laid: Sheet) -> BoolArray:
    """(R) whether an answer is missing or, of closed questions, not readable as an option."""
    answers = laid.answers
    if answers.kind == "closed":
        return answers.choices == UNKNOWN
    blank = np.array([not value.strip() for value in answers.words.values], dtype=np.bool_)
    return blank[answers.words.codes] if blank.size else np.zeros(len(answers), dtype=np.bool_)


def compared(n: IntArray, min_size: int) -> IntArray:
    """Groups that enter the largest difference: those of at least the minimum size.

    Where fewer than two are that large, all that have answers: a small table is still a table, and
    its groups are marked small.

    Examples:
        >>> compared(np.array([40, 3, 20]), 10)
        array([0, 2])
        >>> compared(np.array([4, 3, 0]), 10)
        array([0, 1])
    """
    large = np.flatnonzero(n >= max(min_size, 1))
    return large if large.size > 1 else np.flatnonzero(n > 0)


class Widest(NamedTuple):
    """The largest difference between two groups, with their names.

    "" where it is undefined (NaN); the same group twice where all rates are equal (0).
    """

    value: float
    best: str
    worst: str


def widest(rates: FloatArray, n: IntArray, values: Sequence[str], min_size: int) -> Widest:
    """Largest difference of (G) rates between the groups that are :func:`compared`."""
    large = compared(n, min_size)
    found = largest_difference(rates[large])
    if found.best < 0:
        return Widest(found.value, "", "")
    return Widest(found.value, values[int(large[found.best])], values[int(large[found.worst])])


class Mean(NamedTuple):
    """A mean outcome over answers, with its interval (95 %, bootstrap over questions)."""

    value: float
    interval: Interval


def overall(scores: FloatArray, questions: IntArray, *, seed: int, n_resamples: int) -> Mean:
    """Mean of (N) outcomes; NaN ones are left out."""
    table = by_question(scores, questions, np.zeros(scores.size, dtype=np.int64), 1)
    known = scores[~np.isnan(scores)]
    value = float(known.mean()) if known.size else float("nan")
    return Mean(value, rate_intervals(table, seed=seed, n_resamples=n_resamples)[0])


def rate_intervals(table: ByQuestion, *, seed: int, n_resamples: int) -> list[Interval]:
    """Interval of each group's rate: questions are resampled, with all their answers."""
    n_questions = table.n.shape[1]
    if not n_questions:
        return [UNDEFINED] * len(table.n)
    counts = resamples(n_questions, seed, n_resamples)
    sums, n = table.sums @ counts.T, table.n @ counts.T
    rates = np.full(sums.shape, np.nan)
    np.divide(sums, n, out=rates, where=n > 0)
    ends = percentiles(rates)
    few = (table.n > 0).sum(axis=1) < 2
    return [
        UNDEFINED if alone else Interval(low, high)
        for alone, low, high in zip(few.tolist(), ends.low.tolist(), ends.high.tolist(), strict=True)
    ]


def mean_intervals(rows: Sequence[FloatArray], *, seed: int, n_resamples: int) -> list[Interval]:
    """Interval of the mean of each row of questions' values; rows of one length are one product."""
    found = [UNDEFINED] * len(rows)
    for n in {row.size for row in rows if row.size > 1}:
        alike = [i for i, row in enumerate(rows) if row.size == n]
        means = np.stack([rows[i] for i in alike]) @ resamples(n, seed, n_resamples).T / n
        ends = percentiles(means)
        for i, low, high in zip(alike, ends.low.tolist(), ends.high.tolist(), strict=True):
            found[i] = Interval(low, high)
    return found


@lru_cache(maxsize=2)
def resamples(n_questions: int, seed: int, n_resamples: int) -> FloatArray:
    """(B, Q) the resamples of a seed; rows of a table share them, which makes them paired."""
    rng = np.random.default_rng(seed)
    return bootstrap_counts(n_questions, rng=rng, n_resamples=n_resamples)
