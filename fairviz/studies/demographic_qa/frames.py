"""Answers to variants as frames: a row per answer with its score, and a row per answer and group that it is about.

Which questions count as answerable, Y = 1 of equal opportunity: the paper asks for "questions that can be answered
correctly" and does not say how it knows. What the file records wins. Else: *evidence* (default), a document judged
useful was given with this answer, or the file says that its evidence was right; *neutral*, the same question without a
person was answered right; *any*, at least one variant of it was. The last two look at answers to say which answers
count, so they are for those who ask for them.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from fairviz.errors import UsageError
from fairviz.metrics.utility import rouge_l
from fairviz.model import BoolArray, FloatArray, IndexArray, IntArray, Qrels
from fairviz.model.answers import NOT_MENTIONED, UNKNOWN, VariantAnswers, neutral_code
from fairviz.studies.demographic_qa.settings import USUAL, VariantsSettings

Record: TypeAlias = dict[str, Any]
"""A row of a result by the keys of its columns; lists of rows within it are of its groups, gaps and depths."""

By = tuple[tuple[str, str], ...]
"""Columns with their values: (("model", "m1"), ("strategy", "Plain"))."""

COLUMNS = ("model", "dataset", "strategy", "retriever", "k")
"""Columns that say who answered how; results may be given by any of them."""
NEUTRAL = "neutral"
"""The condition of reference that mentions nobody."""
ALL_VALUES = "all"
"""Stands for the values of every attribute, each as a group of its own."""
NAN = float("nan")
KEY = ("combination", "attribute")
"""Columns that keep results apart: the code of a combination, and that of an attribute."""


def combinations_of(columns: Sequence[NDArray[np.integer[Any]]], n_rows: int) -> tuple[IntArray, IntArray]:
    """The combinations of columns' codes that occur, rising, and the one of each row; without columns all are one.

    Args:
        columns: K columns of (R) codes.
        n_rows: R.

    Returns:
        (G, K) codes and (R) places among them.

    Examples:
        >>> codes, of = combinations_of([np.array([1, 0, 1]), np.array([-1, 5, -1])], 3)
        >>> codes.tolist(), of.tolist()
        ([[0, 5], [1, -1]], [1, 0, 1])
    """
    of = np.zeros(n_rows, dtype=np.int64)
    for column in columns:
        low, high = int(column.min(initial=0)), int(column.max(initial=0))
        of = np.unique(of * (high + 1 - low) + column - low, return_inverse=True)[1]
    codes = np.zeros((int(of.max(initial=-1)) + 1, len(columns)), dtype=np.int64)
    for place, column in enumerate(columns):
        codes[of, place] = column
    return codes, of


def rows_of(codes: IntArray) -> list[list[int]]:
    """Combinations as numbers of Python."""
    return codes.tolist()


# Which answers are right, and to which questions


def scores_of(answers: VariantAnswers, threshold: float | None = None) -> FloatArray:
    """(R) 1 = right, 0 = not (also: unreadable), NaN = the right answer is not recorded; open answers: ROUGE-L.

    A file without any answer (documents only) has no scores: nothing was answered, right or wrong.

    Args:
        answers: The answers.
        threshold: Open answers are right from this ROUGE-L on; None: ROUGE-L itself.

    Raises:
        UsageError: A threshold for closed answers.
    """
    answered = _anything_answered(answers)
    if answers.kind == "closed":
        if threshold is not None:
            raise UsageError("a threshold is for open answers (ROUGE-L); these are options, right or wrong")
        right = (answers.choices == answers.golds).astype(np.float64)
        return np.where((answers.golds != UNKNOWN) & answered, right, np.nan)
    words, golds = answers.words, answers.gold_words
    pairs, of = combinations_of([golds.codes, words.codes], len(answers))  # each distinct pair is compared once
    values = np.full(len(pairs), np.nan)
    for i, (gold, word) in enumerate(rows_of(pairs)):
        if golds.values[gold] and answered:
            values[i] = rouge_l(words.values[word], [golds.values[gold]])
    scores = values[of]
    return scores if threshold is None else np.where(np.isnan(scores), np.nan, (scores >= threshold) * 1.0)


def retrieved_evidence(answers: VariantAnswers, qrels: Qrels, *, k: int | None = None) -> IntArray:
    """(R) whether a useful document was retrieved: 1 yes, 0 no, −1 not judged or no documents.

    Args:
        answers: The answers, with the documents retrieved for them.
        qrels: Judgements by question id; a question without useful documents is not judged.
        k: Retrieved documents that count; None: all.
    """
    sizes = np.diff(answers.retrieved_offsets)
    rows = np.repeat(np.arange(len(answers)), sizes)
    ranks = np.arange(answers.retrieved.size) - answers.retrieved_offsets[rows]
    queries = np.repeat(np.arange(len(qrels.query_ids)), np.diff(qrels.offsets))
    useful = pl.DataFrame(
        {"question": _gathered(qrels.query_ids, queries), "doc": _gathered(qrels.doc_ids, qrels.docs)}
    ).filter(pl.Series(qrels.grades >= 1))
    given = pl.DataFrame(
        {
            "row": rows,
            "question": _gathered(answers.question_ids, answers.questions[rows]),
            "doc": _gathered(answers.doc_ids, answers.retrieved),
        }
    )
    judged = given.join(useful, on="question", how="semi")["row"].to_numpy()
    found = given.filter(pl.Series(ranks < (k or np.inf))).join(useful, on=["question", "doc"], how="semi")
    evidence = np.full(len(answers), UNKNOWN, dtype=np.int64)
    evidence[judged] = 0
    evidence[found["row"].to_numpy()] = 1
    return evidence


def _gathered(values: Sequence[str], codes: IntArray | IndexArray) -> pl.Series:
    return pl.Series(values, dtype=pl.String).gather(codes)


def evidence_given(answers: VariantAnswers, qrels: Qrels | None, *, k: int | None = None) -> IntArray:
    """(R) whether the evidence given was right: by the judgements, of the first k documents; None: as recorded."""
    return retrieved_evidence(answers, qrels, k=k) if qrels is not None else answers.evidence.astype(np.int64)


def _anything_answered(answers: VariantAnswers) -> bool:
    return any(answers.words.values) or bool((answers.choices != UNKNOWN).any())


def _answerable(
    answers: VariantAnswers, scores: FloatArray, units: IntArray, settings: VariantsSettings, qrels: Qrels | None
) -> tuple[BoolArray, str]:
    """(R) whether each answer is to an answerable question, and the definition that says so, "" where nothing does."""
    nothing = np.zeros(len(answers), dtype=np.bool_), ""
    if (answers.answerable != UNKNOWN).any():
        return answers.answerable == 1, "column"
    if settings.answerable == "evidence":
        judged = evidence_given(answers, qrels)
        evidence = judged if (judged != UNKNOWN).any() else answers.evidence  # judged for other questions: as recorded
        return (evidence == 1, "evidence") if (evidence != UNKNOWN).any() else nothing
    if not _anything_answered(answers) or (answers.kind == "open" and settings.threshold is None):
        return nothing  # a ROUGE-L is neither right nor wrong
    looked_at = answers.condition == neutral_code(answers.conditions)
    if settings.answerable == "any":
        looked_at = looked_at | (answers.given != NOT_MENTIONED).any(axis=1)
    if not (looked_at & ~np.isnan(scores)).any():
        return nothing
    right = np.zeros(int(units.max(initial=-1)) + 1, dtype=np.bool_)
    right[units[looked_at & (scores == 1)]] = True
    return right[units], settings.answerable


# A row per answer


def combinations(answers: VariantAnswers, by: Sequence[str]) -> tuple[list[By], IntArray]:
    """The combinations of the columns' values that occur, in the order of the values, and (R) the one of each answer.

    A column that was not recorded has one value: the name of the file for "model", else "".

    Raises:
        UsageError: A name that is no such column, or named twice.
    """
    unknown = [name for name in by if name not in COLUMNS and answers.factor(name) is None]
    if unknown:
        raise UsageError(f"by {unknown[0]!r}: expected any of {', '.join(COLUMNS)}")
    if len(set(by)) < len(by):
        raise UsageError(f"by {', '.join(by)}: a column is named twice")
    factors = {name: factor for name in by if (factor := answers.factor(name)) is not None}
    codes, of = combinations_of([factor.codes for factor in factors.values()], len(answers))
    fill = {name: answers.name if name == "model" else "" for name in by}
    named = [
        fill | {name: factor.values[code] for (name, factor), code in zip(factors.items(), row, strict=True)}
        for row in rows_of(codes)
    ]
    return [tuple(values.items()) for values in named], of


class AnswersFrame(NamedTuple):
    """Answers, a row each.

    Attributes:
        answers: The noun that they were read into.
        frame: row; combination; question: code of (dataset, question), whose answers move together; unit: code of
            (everything recorded, question), whose answers can vote together; score, null where the right answer is
            not recorded; able: whether the question is answerable; unread: whether the answer is missing or not
            readable as an option; choice, gold: options of closed answers, −1 = none; said: code of what was said;
            about, nobody: whether the variant mentions anybody, or is the neutral one; neutral: row of the unit's
            neutral variant, null where there is none.
        by: The combinations of columns.
        definition: By what questions are answerable; "" where nothing says so.
        binary: Whether answers are right or wrong, not a ROUGE-L.
    """

    answers: VariantAnswers
    frame: pl.DataFrame
    by: list[By]
    definition: str
    binary: bool


def answers_frame(
    answers: VariantAnswers,
    settings: VariantsSettings = USUAL,
    by: Sequence[str] = (),
    *,
    qrels: Qrels | None = None,
) -> AnswersFrame:
    """Lay answers out.

    Args:
        answers: The answers.
        settings: From which ROUGE-L on open answers are right; which questions are answerable.
        by: Columns that rows of results are kept apart by.
        qrels: Judgements by question id, that say whether the evidence was right.

    Raises:
        UsageError: A column or threshold that does not fit the answers.
    """
    scores, n = scores_of(answers, settings.threshold), len(answers)
    dataset = answers.factor("dataset")
    units = combinations_of([answers.questions, *(factor.codes for factor in answers.factors)], n)[1]
    able, definition = _answerable(answers, scores, units, settings, qrels)
    closed = answers.kind == "closed"
    blank = np.array([not value.strip() for value in answers.words.values], dtype=np.bool_)
    bys, of = combinations(answers, by)
    frame = pl.DataFrame(
        {
            "row": np.arange(n),
            "combination": of,
            "question": combinations_of([answers.questions, *([dataset.codes] if dataset else [])], n)[1],
            "unit": units,
            "score": scores,
            "able": able,
            "unread": answers.choices == UNKNOWN if closed else blank[answers.words.codes],
            "choice": answers.choices.astype(np.int64),
            "gold": answers.golds.astype(np.int64),
            "said": (answers.choices if closed else answers.words.codes).astype(np.int64),
            "about": answers.condition == NOT_MENTIONED,
            "nobody": answers.condition == neutral_code(answers.conditions),
        }
    ).with_columns(pl.col("score").fill_nan(None), neutral=pl.when("nobody").then(pl.col("row")).min().over("unit"))
    return AnswersFrame(answers, frame, bys, definition, closed or settings.threshold is not None)


# A row per answer and group that it is about


def groups_of(laid: AnswersFrame, *, pooled: bool = False) -> pl.DataFrame:
    """Every attribute that occurs, every set of attributes that occurs together, and the conditions of reference.

    Args:
        laid: The answers.
        pooled: Also all values of all attributes side by side, where a combination has several attributes.

    Returns:
        The columns of the answers, and attribute and group: codes in the order of single attributes, sets of them
        ("race+gender"), :data:`ALL_VALUES` and "" for the conditions of reference, whose names are name and value; a
        value of two attributes that stand side by side says its attribute. alone: whether any answer under the
        combination mentions the attribute by itself; own: whether the answer counts for the attribute, which answers
        about several attributes do where none is about it alone.
    """
    answers, frame = laid.answers, laid.frame
    rows = frame["row"].to_numpy()
    given, condition = answers.given[rows].astype(np.int64), answers.condition[rows].astype(np.int64)
    mentioned = given != NOT_MENTIONED
    n_mentioned = mentioned.sum(axis=1)
    parts: list[pl.DataFrame] = []

    def add(name: str, among: BoolArray, groups: IntArray, values: Sequence[str]) -> None:
        part = frame.filter(pl.Series(among)).with_columns(
            attribute=pl.lit(len(parts)),
            name=pl.lit(name),
            group=pl.Series(groups),
            value=pl.Series(values, dtype=pl.String).gather(groups),
            single=pl.Series(n_mentioned[among] < 2),
        )
        parts.append(part)

    for place, name in enumerate(answers.attributes):
        among = mentioned[:, place]
        add(name, among, given[among, place], answers.values[place])
    several, _ = combinations_of([*mentioned[n_mentioned > 1].T], int((n_mentioned > 1).sum()))
    sets = [[place for place, mentions in enumerate(row) if mentions] for row in rows_of(several)]
    for places in sorted(sets, key=lambda places: (len(places), places)):
        among = (mentioned == np.isin(np.arange(len(answers.attributes)), places)).all(axis=1)
        cells, of = combinations_of([given[among, place] for place in places], int(among.sum()))
        names = [
            "+".join(answers.values[place][value] for place, value in zip(places, cell, strict=True))
            for cell in rows_of(cells)
        ]
        add("+".join(answers.attributes[place] for place in places), among, of, names)
    if pooled:
        single = n_mentioned == 1
        of_place = mentioned[single].argmax(axis=1) if single.any() else np.zeros(0, dtype=np.int64)
        every, of = combinations_of([of_place, given[single][np.arange(of_place.size), of_place]], of_place.size)
        add(ALL_VALUES, single, of, [answers.values[place][value] for place, value in rows_of(every)])
        prefix = pl.Series(answers.attributes, dtype=pl.String).gather(of_place)
        named_twice = pl.col("group").n_unique().over("combination", "value") > 1
        side_by_side = parts[-1].with_columns(prefix=prefix).filter(pl.col("prefix").n_unique().over("combination") > 1)
        value = pl.when(named_twice).then(pl.format("{}={}", "prefix", "value")).otherwise("value")
        parts[-1] = side_by_side.with_columns(value=value).drop("prefix")
    add("", condition != NOT_MENTIONED, condition[condition != NOT_MENTIONED], answers.conditions)
    one = pl.col("attribute") < len(answers.attributes)
    members = pl.concat(parts).with_columns(alone=pl.col("single").any().over(KEY) | ~one)
    return members.with_columns(own=pl.col("single") | ~(one & pl.col("alone"))).drop("single")


def guess_rate(answers: VariantAnswers, rows: IntArray) -> float:
    """Right answers that guessing would give: mean over answers of 1 / options of the question.

    NaN where answers are open, and where neither the options are recorded nor letters say how many there are.
    """
    if answers.kind == "open" or not rows.size:
        return NAN
    if answers.offered is not None:
        n_options = np.array([len(json.loads(options)) for options in answers.offered.values])
        offered = n_options[answers.offered.codes[rows]]
        return float((1 / offered[offered > 0]).mean()) if (offered > 0).any() else NAN
    letters = len(answers.options) > 1 and all(len(option) == 1 for option in answers.options)
    return 1 / len(answers.options) if letters else NAN
