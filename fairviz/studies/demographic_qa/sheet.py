"""Answers to variants laid out for counting: how right each is, whom it is about, and the rates of groups.

A sheet has a score per answer; a grouping says which answers are about which group of an attribute. Rates are means
of scores by group with intervals over questions, whose answers move together (:mod:`fairviz.stats.disaggregation`).
Groups below the minimum size are shown, marked small, and leave the largest difference to the others.

Which questions count as answerable, Y = 1 of equal opportunity: the paper asks for "questions that can be answered
correctly" and does not say how it knows. What the file records wins. Else: *evidence* (default), a document judged
useful was given with this answer, or the file says that its evidence was right; *neutral*, the same question without a
person was answered right; *any*, at least one variant of it was. The last two look at answers to say which answers
count, so they are for those who ask for them.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from fairviz.errors import UsageError
from fairviz.metrics.utility import rouge_l
from fairviz.model import BoolArray, Factor, FloatArray, IntArray, Qrels
from fairviz.model.variants import NOT_MENTIONED, UNKNOWN, VariantAnswers, neutral_code
from fairviz.stats.bootstrap import UNDEFINED, Interval
from fairviz.stats.disaggregation import Resampling, combinations_of, grouped
from fairviz.studies.demographic_qa.measures import Counted, largest_difference

Answerable: TypeAlias = Literal["evidence", "neutral", "any"]
"""A definition that can be asked for."""

ANSWERABLE: tuple[Answerable, ...] = get_args(Answerable)

Definition: TypeAlias = Literal["column", "evidence", "neutral", "any", ""]
"""What was applied: the file's column, one of the definitions, or nothing, for want of what it looks at."""

ANSWERABLE_WORDS: dict[str, str] = {
    "column": "marked answerable in the file",
    "evidence": "right evidence given",
    "neutral": "neutral question answered right",
    "any": "any variant answered right",
    "": "not known",
}
"""What makes a question answerable, for axes and columns."""


def definition_of(
    answers: VariantAnswers, wanted: Answerable = "evidence", *, judged: bool = False, threshold: float | None = None
) -> Definition:
    """By what questions of a file are answerable.

    Args:
        answers: The answers.
        wanted: The definition, where the file has no column.
        judged: Whether documents that were given were judged (:func:`any_judged`).
        threshold: Open answers are right from this ROUGE-L on; without one none is right, and none wrong.
    """
    if (answers.answerable != UNKNOWN).any():
        return "column"
    if wanted == "evidence":
        return "evidence" if judged or (answers.evidence != UNKNOWN).any() else ""
    if not anything_answered(answers) or (answers.kind == "open" and threshold is None):
        return ""
    if answers.kind == "closed":
        with_gold = answers.golds != UNKNOWN
    else:
        with_gold = np.array([*map(bool, answers.gold_words.values)], dtype=np.bool_)[answers.gold_words.codes]
    return wanted if (with_gold & _looked_at(answers, wanted)).any() else ""


def anything_answered(answers: VariantAnswers) -> bool:
    """Whether a file holds any answer; else (documents only) nothing is right or wrong."""
    return any(answers.words.values) or bool((answers.choices != UNKNOWN).any())


def _looked_at(answers: VariantAnswers, wanted: Answerable) -> BoolArray:
    """(R) whether an answer, if right, makes its question answerable."""
    looked_at = answers.condition == neutral_code(answers.conditions)
    if wanted == "any":
        looked_at = looked_at | (answers.given != NOT_MENTIONED).any(axis=1)
    return looked_at


def answerable_rows(
    answers: VariantAnswers, scores: FloatArray, units: IntArray, definition: Definition, qrels: Qrels | None = None
) -> BoolArray:
    """(R) whether each answer is to an answerable question.

    Args:
        answers: The answers.
        scores: (R) 1 right, 0 wrong; NaN = not known.
        units: (R) code of (everything recorded, question).
        definition: By what questions are answerable.
        qrels: Judgements by question id, for the evidence; None: as recorded.
    """
    if definition == "":
        return np.zeros(len(answers), dtype=np.bool_)
    if definition == "column":
        return answers.answerable == 1
    if definition == "evidence":
        return evidence_given(answers, qrels) == 1
    right = np.zeros(int(units.max(initial=-1)) + 1, dtype=np.bool_)
    right[units[_looked_at(answers, definition) & (scores == 1)]] = True
    return right[units]


def evidence_given(answers: VariantAnswers, qrels: Qrels | None, *, k: int | None = None) -> IntArray:
    """(R) whether the evidence given was right: by the judgements, of the first k documents; None: as recorded."""
    return retrieved_evidence(answers, qrels, k=k) if qrels is not None else answers.evidence.astype(np.int64)


def any_judged(answers: VariantAnswers, qrels: Qrels) -> bool:
    """Whether documents were retrieved for a question of which a useful one is known."""
    with_documents: list[int] = np.unique(answers.questions[np.diff(answers.retrieved_offsets) > 0]).tolist()
    asked = {answers.question_ids[q] for q in with_documents}
    return any(
        query in asked and bool((qrels.grades[start:end] >= 1).any())
        for query, start, end in zip(
            qrels.query_ids, qrels.offsets[:-1].tolist(), qrels.offsets[1:].tolist(), strict=True
        )
    )


def retrieved_evidence(answers: VariantAnswers, qrels: Qrels, *, k: int | None = None) -> IntArray:
    """(R) whether a useful document was retrieved: 1 yes, 0 no, −1 not judged or no documents.

    Args:
        answers: The answers, with the documents retrieved for them.
        qrels: Judgements by question id; a question without useful documents is not judged.
        k: Retrieved documents that count; None: all.
    """
    place = {doc: d for d, doc in enumerate(answers.doc_ids)}
    useful: dict[str, set[int]] = {}
    for q, query in enumerate(qrels.query_ids):
        rows = slice(int(qrels.offsets[q]), int(qrels.offsets[q + 1]))
        docs = qrels.docs[rows][qrels.grades[rows] >= 1]
        if docs.size:
            names = [qrels.doc_ids[int(d)] for d in docs]
            useful[query] = {place[name] for name in names if name in place}
    evidence = np.full(len(answers), UNKNOWN, dtype=np.int64)
    offsets = answers.retrieved_offsets.tolist()
    questions: list[int] = answers.questions.tolist()
    for row, question in enumerate(questions):
        useful_docs = useful.get(answers.question_ids[question])
        start, end = offsets[row], offsets[row + 1]
        if useful_docs is not None and end > start:
            last = end if k is None else min(end, start + k)
            docs_given: list[int] = answers.retrieved[start:last].tolist()
            evidence[row] = not useful_docs.isdisjoint(docs_given)
    return evidence


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
        answerable: (R) whether the question is answerable.
        definition: By what it is; "" where nothing says so.
    """

    answers: VariantAnswers
    scores: FloatArray
    questions: IntArray
    units: IntArray
    answerable: BoolArray
    definition: Definition


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


def sheet(
    answers: VariantAnswers,
    *,
    threshold: float | None = None,
    answerable: Answerable = "evidence",
    qrels: Qrels | None = None,
) -> Sheet:
    """Lay answers out; open ones are right from ROUGE-L ≥ ``threshold`` on.

    Args:
        answers: The answers.
        threshold: Of ROUGE-L.
        answerable: Which questions are answerable, where the file does not say so.
        qrels: Judgements by question id, that say whether the evidence was right.

    Raises:
        UsageError: A threshold for closed answers, or outside (0, 1].
    """
    judged = qrels is not None and any_judged(answers, qrels)
    definition = definition_of(answers, answerable, judged=judged, threshold=threshold)
    scores = scores_of(answers, threshold)
    dataset = answers.factor("dataset")
    recorded = [factor.codes for factor in answers.factors]
    of_dataset = [dataset.codes] if dataset else []
    units = combinations_of([answers.questions, *recorded], len(answers)).of
    return Sheet(
        answers=answers,
        scores=scores,
        questions=combinations_of([answers.questions, *of_dataset], len(answers)).of,
        units=units,
        answerable=answerable_rows(answers, scores, units, definition, qrels if judged else None),
        definition=definition,
    )


def scores_of(answers: VariantAnswers, threshold: float | None = None) -> FloatArray:
    """(R) see :class:`Sheet`; every distinct pair of answer and reference is compared once.

    A file without any answer (documents only) has no scores: nothing was answered, right or wrong.
    """
    answered = anything_answered(answers)
    if answers.kind == "closed":
        if threshold is not None:
            raise UsageError("a threshold is for open answers (ROUGE-L); these are options, right or wrong")
        right = (answers.choices == answers.golds).astype(np.float64)
        return np.where((answers.golds != UNKNOWN) & answered, right, np.nan)
    if threshold is not None and not 0 < threshold <= 1:
        raise UsageError(f"the threshold of ROUGE-L must lie in (0, 1], got {threshold:g}")
    words, golds = answers.words, answers.gold_words
    pairs = combinations_of([golds.codes, words.codes], len(answers))
    values = np.full(pairs.n, np.nan)
    for i, (gold, word) in enumerate(pairs.listed()):
        if golds.values[gold] and answered:
            values[i] = rouge_l(words.values[word], [golds.values[gold]])
    scores = values[pairs.of]
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
    if not by:
        return [((), np.arange(len(answers)))]
    groups = grouped([_column(answers, name) for name in by], len(answers))
    return [(groups.pairs(place), rows) for place, rows in enumerate(groups.rows())]


def _column(answers: VariantAnswers, name: str) -> Factor:
    """The recorded column, or the one value of one that was not."""
    recorded = answers.factor(name)
    if recorded is not None:
        return recorded
    return Factor(name, (answers.name if name == "model" else "",), np.zeros(len(answers), dtype=np.int32))


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
    results: list[Grouping] = []
    for place, attribute in enumerate(answers.attributes):
        own = mentioned[:, place] & single
        alone = bool(own.any())
        among = own if alone else mentioned[:, place]
        if among.any():
            results.append(_single(answers, rows, given, place, among, alone, attribute))
    sets = {tuple(map(int, np.flatnonzero(row))) for row in combinations_of([*mentioned.T], rows.size).codes}
    results += [
        _cells(answers, rows, given, mentioned, places)
        for places in sorted(sets, key=lambda places: (len(places), places))
        if len(places) > 1
    ]
    if pooled and np.count_nonzero(mentioned[single].any(axis=0)) > 1:
        results.append(_all_values(answers, rows, given, single))
    return results


def rows_about(answers: VariantAnswers, rows: IntArray, attribute: str) -> Grouping | None:
    """The groups of one attribute (or "race+gender") in the rows; None where it does not occur."""
    candidates = groupings(answers, rows, pooled=attribute == ALL_VALUES)
    return next((grouping for grouping in candidates if grouping.attribute == attribute), None)


def guess_rate(answers: VariantAnswers, rows: IntArray) -> float:
    """Right answers that guessing would give: mean over answers of 1 / options of the question.

    NaN where answers are open, and where neither the options are recorded nor letters say how many there are.
    """
    if answers.kind == "open" or not rows.size:
        return float("nan")
    if answers.offered is not None:
        n_options = np.array([len(json.loads(options)) for options in answers.offered.values])
        offered = n_options[answers.offered.codes[rows]]
        return float((1 / offered[offered > 0]).mean()) if (offered > 0).any() else float("nan")
    letters = len(answers.options) > 1 and all(len(option) == 1 for option in answers.options)
    return 1 / len(answers.options) if letters else float("nan")


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
    among: BoolArray,
    alone: bool,
    attribute: str,
) -> Grouping:
    groups = combinations_of([given[among, place]], int(among.sum()))
    values = tuple(answers.values[place][value] for (value,) in groups.listed())
    return Grouping(attribute=attribute, values=values, rows=rows[among], groups=groups.of, alone=alone)


def _cells(
    answers: VariantAnswers,
    rows: IntArray,
    given: IntArray,
    mentioned: BoolArray,
    places: tuple[int, ...],
) -> Grouping:
    whole = np.zeros(mentioned.shape[1], dtype=np.bool_)
    whole[list(places)] = True
    among = (mentioned == whole).all(axis=1)
    groups = combinations_of([given[among, place] for place in places], int(among.sum()))
    values = tuple(
        "+".join(answers.values[place][value] for place, value in zip(places, cell, strict=True))
        for cell in groups.listed()
    )
    return Grouping(
        attribute="+".join(answers.attributes[place] for place in places),
        values=values,
        rows=rows[among],
        groups=groups.of,
    )


def _all_values(answers: VariantAnswers, rows: IntArray, given: IntArray, single: BoolArray) -> Grouping:
    places = (given[single] != NOT_MENTIONED).argmax(axis=1)
    groups = combinations_of([places, given[single][np.arange(places.size), places]], places.size)
    cells = groups.listed()
    plain = [answers.values[place][value] for place, value in cells]
    names = [
        name if plain.count(name) == 1 else f"{answers.attributes[place]}={name}"
        for name, (place, _) in zip(plain, cells, strict=True)
    ]
    return Grouping(attribute=ALL_VALUES, values=tuple(names), rows=rows[single], groups=groups.of)


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

    @property
    def worst(self) -> Interval:
        """The rate if every unreadable answer were wrong, as it counts, or right; NaN where all were read."""
        if not self.n_unparsed or not self.n:
            return UNDEFINED
        return Interval(self.rate, min(self.rate + self.n_unparsed / self.n, 1.0))


def group_rates(
    values: Sequence[str],
    known: Counted,
    answerable: Counted,
    n_unread: IntArray,
    *,
    min_size: int,
    resampling: Resampling,
) -> tuple[GroupRate, ...]:
    """The rate of every group, small ones included.

    Args:
        values: G names of groups.
        known: Their answers with a known outcome.
        answerable: Those among them to answerable questions.
        n_unread: (G) answers with a known outcome that are missing or not readable.
        min_size: Groups with fewer answers are marked small.
        resampling: Of the questions.
    """
    rates, among = known.rates, answerable.rates
    intervals = known.table.intervals(resampling)
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
        for g, value in enumerate(values)
    )


def condition_rows(answers: VariantAnswers, rows: IntArray) -> Grouping:
    """The conditions of reference in the rows, as if each were a group."""
    given = answers.condition[rows] != NOT_MENTIONED
    groups = combinations_of([answers.condition[rows][given]], int(given.sum()))
    return Grouping(
        attribute="",
        values=tuple(answers.conditions[code] for (code,) in groups.listed()),
        rows=rows[given],
        groups=groups.of,
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
    difference = largest_difference(rates[large])
    if difference.best < 0:
        return Widest(difference.value, "", "")
    return Widest(difference.value, values[int(large[difference.best])], values[int(large[difference.worst])])


class Mean(NamedTuple):
    """A mean outcome over answers, with its interval (95 %, bootstrap over questions)."""

    value: float
    interval: Interval


def overall(known: Counted, resampling: Resampling) -> Mean:
    """Mean of all outcomes, whichever group they are about."""
    all_groups = known.of_all
    return Mean(float(all_groups.rates.rate[0]), all_groups.table.intervals(resampling)[0])
