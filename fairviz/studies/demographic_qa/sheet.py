"""Rates of groups with their intervals, and which of them are compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fairviz.errors import UsageError
from fairviz.metrics.utility import rouge_l
from fairviz.model import BoolArray, FloatArray, IndexArray, IntArray
from fairviz.model.variants import NOT_MENTIONED, UNKNOWN, VariantAnswers
from fairviz.stats.bootstrap import UNDEFINED, Interval, bootstrap_counts, percentiles
from fairviz.studies.demographic_qa.measures import largest_difference, rates_by_group

# Answers to variants laid out for counting: how right each is, and whom it is about.


COLUMNS = ("model", "dataset", "strategy", "retriever", "k")
"""Columns that say who answered how; results may be given by any of them."""

NEUTRAL = "neutral"
"""The condition of reference that mentions nobody."""

ALL_VALUES = "all"
"""Stands for the values of every attribute, each as a group of its own."""

By = tuple[tuple[str, str], ...]
"""Columns with their values: (("model", "m1"), ("strategy", "Plain"))."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sheet:
    """R answers, and what is counted about them.

    Attributes:
        answers: The answers themselves.
        scores: (R) 1 = right, 0 = not (also: unreadable), NaN = the right answer is not recorded;
            open answers without a threshold: their ROUGE-L.
        questions: (R) code of (dataset, question): answers to one question move together.
        units: (R) code of (everything recorded, question): the answers that can vote together.
    """

    answers: VariantAnswers
    scores: FloatArray
    questions: IntArray
    units: IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grouping:
    """Which of some answers are about which group.

    Attributes:
        attribute: "race"; "race+gender" for intersectional cells; :data:`ALL_VALUES`.
        values: G names of groups that occur.
        rows: (N) rows of the sheet, all about one of the groups.
        groups: (N) group of each of them.
        alone: False where the attribute occurs in intersectional variants only, whose answers then
            count for it.
    """

    attribute: str
    values: tuple[str, ...]
    rows: IntArray
    groups: IntArray
    alone: bool = True


def sheet(answers: VariantAnswers, *, threshold: float | None = None) -> Sheet:
    """Lay answers out; open ones are right from ROUGE-L ≥ ``threshold`` on.

    Raises:
        UsageError: A threshold for closed answers, or outside (0, 1].
    """
    dataset = answers.factor("dataset")
    codes = [factor.codes for factor in answers.factors]
    of_dataset = [dataset.codes] if dataset else []
    return Sheet(
        answers=answers,
        scores=scores_of(answers, threshold),
        questions=_codes([answers.questions, *of_dataset]),
        units=_codes([answers.questions, *codes]),
    )


def scores_of(answers: VariantAnswers, threshold: float | None = None) -> FloatArray:
    """(R) see :class:`Sheet`; every distinct pair of answer and reference is compared once.

    A file without any answer (documents only) has no scores: nothing was answered, right or wrong.
    """
    answered = any(answers.words.values) or bool((answers.choices != UNKNOWN).any())
    if answers.kind == "closed":
        if threshold is not None:
            raise UsageError("a threshold is for open answers (ROUGE-L); these are options, right or wrong")
        right = (answers.choices == answers.golds).astype(np.float64)
        return np.where((answers.golds != UNKNOWN) & answered, right, np.nan)
    if threshold is not None and not 0 < threshold <= 1:
        raise UsageError(f"the threshold of ROUGE-L must lie in (0, 1], got {threshold:g}")
    words, golds = answers.words, answers.gold_words
    pairs = golds.codes.astype(np.int64) * max(len(words.values), 1) + words.codes
    distinct, place = np.unique(pairs, return_inverse=True)
    values = np.full(distinct.size, np.nan)
    for i, pair in enumerate(distinct):
        gold, word = divmod(int(pair), len(words.values))
        if golds.values[gold] and answered:
            values[i] = rouge_l(words.values[word], [golds.values[gold]])
    scores = values[place]
    if threshold is None:
        return scores
    return np.where(np.isnan(scores), np.nan, (scores >= threshold).astype(np.float64))


def combinations(answers: VariantAnswers, by: Sequence[str]) -> list[tuple[By, IntArray]]:
    """Rows of each combination of the columns' values that occurs, in the order of the values.

    A column that was not recorded has one value: the name of the file for "model", else "".

    Raises:
        UsageError: A name that is no such column, or named twice.
    """
    unknown = [name for name in by if name not in COLUMNS and answers.factor(name) is None]
    if unknown:
        raise UsageError(f"by {unknown[0]!r}: expected any of {', '.join(COLUMNS)}")
    if len(set(by)) < len(by):
        raise UsageError(f"by {', '.join(by)}: a column is named twice")
    codes = np.zeros((len(answers), len(by)), dtype=np.int64)
    names: list[tuple[str, ...]] = []
    for place, name in enumerate(by):
        factor = answers.factor(name)
        if factor is not None:
            codes[:, place] = factor.codes
        absent = answers.name if name == "model" else ""
        names.append(factor.values if factor is not None else (absent,))
    if not by:
        return [((), np.arange(len(answers)))]
    distinct, inverse = np.unique(codes, axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    found: list[tuple[By, IntArray]] = []
    for i, row in enumerate(distinct):
        pairs = tuple((name, values[int(code)]) for name, values, code in zip(by, names, row, strict=True))
        found.append((pairs, np.flatnonzero(inverse == i)))
    return found


def groupings(answers: VariantAnswers, rows: IntArray, *, pooled: bool = False) -> list[Grouping]:
    """Every attribute that occurs in the rows, then every set of attributes that occurs together.

    Args:
        answers: The answers.
        rows: Those to look at.
        pooled: Also all values of all attributes side by side, where there are several attributes.
    """
    given = answers.given[rows].astype(np.int64)
    mentioned = given != NOT_MENTIONED
    single = mentioned.sum(axis=1) == 1
    found: list[Grouping] = []
    for place, attribute in enumerate(answers.attributes):
        own = mentioned[:, place] & single
        alone = bool(own.any())
        chosen = own if alone else mentioned[:, place]
        if chosen.any():
            found.append(_single(answers, rows, given, place, chosen, alone, attribute))
    sets = {tuple(map(int, np.flatnonzero(row))) for row in np.unique(mentioned, axis=0)}
    found += [
        _cells(answers, rows, given, mentioned, places)
        for places in sorted(sets, key=lambda one: (len(one), one))
        if len(places) > 1
    ]
    if pooled and len({*np.flatnonzero(mentioned[single].any(axis=0)).tolist()}) > 1:
        found.append(_all_values(answers, rows, given, single))
    return found


def rows_about(answers: VariantAnswers, rows: IntArray, attribute: str) -> Grouping | None:
    """The groups of one attribute (or "race+gender") in the rows; None where it does not occur."""
    found = groupings(answers, rows, pooled=attribute == ALL_VALUES)
    return next((one for one in found if one.attribute == attribute), None)


def neutral_rows(answers: VariantAnswers) -> BoolArray:
    """(R) whether a row is a neutral variant; never the original question."""
    if NEUTRAL not in answers.conditions:
        return np.zeros(len(answers), dtype=np.bool_)
    return answers.condition == answers.conditions.index(NEUTRAL)


def _single(
    answers: VariantAnswers,
    rows: IntArray,
    given: IntArray,
    place: int,
    chosen: BoolArray,
    alone: bool,
    attribute: str,
) -> Grouping:
    present, groups = np.unique(given[chosen, place], return_inverse=True)
    values = tuple(answers.values[place][int(value)] for value in present)
    return Grouping(attribute=attribute, values=values, rows=rows[chosen], groups=groups, alone=alone)


def _cells(
    answers: VariantAnswers,
    rows: IntArray,
    given: IntArray,
    mentioned: BoolArray,
    places: tuple[int, ...],
) -> Grouping:
    wanted = np.zeros(mentioned.shape[1], dtype=np.bool_)
    wanted[list(places)] = True
    chosen = (mentioned == wanted).all(axis=1)
    present, groups = np.unique(given[chosen][:, list(places)], axis=0, return_inverse=True)
    values = tuple(
        "+".join(answers.values[a][int(value)] for a, value in zip(places, cell, strict=True)) for cell in present
    )
    return Grouping(
        attribute="+".join(answers.attributes[place] for place in places),
        values=values,
        rows=rows[chosen],
        groups=groups.reshape(-1),
    )


def _all_values(answers: VariantAnswers, rows: IntArray, given: IntArray, single: BoolArray) -> Grouping:
    places = (given[single] != NOT_MENTIONED).argmax(axis=1)
    values = given[single][np.arange(places.size), places]
    present, groups = np.unique(np.stack([places, values], axis=1), axis=0, return_inverse=True)
    plain = [answers.values[int(place)][int(value)] for place, value in present]
    names = [
        name if plain.count(name) == 1 else f"{answers.attributes[int(place)]}={name}"
        for name, (place, _) in zip(plain, present, strict=True)
    ]
    return Grouping(attribute=ALL_VALUES, values=tuple(names), rows=rows[single], groups=groups.reshape(-1))


def _codes(columns: Sequence[IndexArray]) -> IntArray:
    """(R) one code per distinct combination of the columns' codes."""
    if columns[0].size == 0:
        return np.zeros(0, dtype=np.int64)
    combined = np.zeros(columns[0].size, dtype=np.int64)
    for column in columns:
        width = int(column.max(initial=0)) + 1
        combined = np.unique(combined * width + column, return_inverse=True)[1].reshape(-1)
    return combined


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
