"""Answers to variants as frames: a row per answer with its score, and a row per answer and group that it is about.

Which questions count as answerable, Y = 1 of equal opportunity: the paper asks for "questions that can be answered
correctly" and does not say how it knows. What the file records wins. Else: *evidence* (default), a document judged
useful was given with this answer, or the file says that its evidence was right; *neutral*, the same question without a
person was answered right; *any*, at least one variant of it was. The last two look at answers to say which answers
count, so they are for those who ask for them.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from fairviz.errors import UsageError
from fairviz.kernels.lookup import read_once
from fairviz.metrics.utility import rouge_l
from fairviz.model import IntArray, Qrels, VariantAnswers
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
LAST = 2**31
"""Stands, in the order of attributes, behind all of them."""
IS_NEUTRAL = pl.col("condition").cast(pl.String) == NEUTRAL
"""Whether an answer is to the question that mentions nobody."""


# Columns that say who answered how


def numbered(frame: pl.DataFrame, columns: Sequence[str], name: str) -> pl.DataFrame:
    """The frame with the number of what stands in some columns of each row, in the order of the values.

    Examples:
        >>> numbered(pl.DataFrame({"k": [5, 3, 5]}), ["k"], "place")["place"].to_list()
        [1, 0, 1]
    """
    if not columns:
        return frame.with_columns(pl.lit(0).alias(name))
    distinct = frame.select(columns).unique().sort(columns).with_row_index(name)
    return frame.join(distinct, on=columns, nulls_equal=True, maintain_order="left")


def combined(answers: VariantAnswers, by: Sequence[str]) -> pl.DataFrame:
    """The answers with ``row`` and ``combination``: the number of the columns' values, in their order.

    A column that was not recorded has one value: the name of the file for "model", else "".

    Raises:
        UsageError: A name that is no such column, or named twice.
    """
    unknown = [name for name in by if name not in (*COLUMNS, *answers.factors)]
    if unknown:
        raise UsageError(f"by {unknown[0]!r}: expected any of {', '.join(COLUMNS)}")
    if len(set(by)) < len(by):
        raise UsageError(f"by {', '.join(by)}: a column is named twice")
    lacking = [name for name in by if name not in answers.factors]
    filled = [pl.lit(answers.name if name == "model" else "").alias(name) for name in lacking]
    return numbered(answers.frame.with_row_index("row").with_columns(filled), list(by), "combination")


def combinations_of(frame: pl.DataFrame, by: Sequence[str]) -> list[By]:
    """The combinations of columns of a frame with ``combination``, by their number."""
    distinct = frame.unique("combination").sort("combination").select(pl.col(by).cast(pl.String))
    return [tuple(row.items()) for row in distinct.iter_rows(named=True)] if by else [()] * min(1, len(frame))


def codes_of(options: pl.Series) -> IntArray:
    """(R) places of options among all of them; −1 where there is none."""
    return options.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()


# Which answers are right, and to which questions


def scores_of(answers: VariantAnswers, threshold: float | None = None) -> pl.Series:
    """(R) 1 = right, 0 = not (also: unreadable), null = the right answer is not recorded; open answers: ROUGE-L.

    A file without any answer (documents only) has no scores: nothing was answered, right or wrong.

    Args:
        answers: The answers.
        threshold: Open answers are right from this ROUGE-L on; None: ROUGE-L itself.

    Raises:
        UsageError: A threshold for closed answers.
    """
    if answers.kind == "closed":
        if threshold is not None:
            raise UsageError("a threshold is for open answers (ROUGE-L); these are options, right or wrong")
        known, score = pl.col("right").is_not_null(), (pl.col("choice") == pl.col("right")).fill_null(False)
    else:

        def similarity(words: str, gold: str) -> float:
            return rouge_l(words, [gold])

        rouge = read_once(answers.frame.select("words", "gold"), similarity, pl.Float64)
        known, score = pl.col("gold") != "", pl.lit(rouge) if threshold is None else pl.lit(rouge >= threshold)
    known &= pl.lit(_anything_answered(answers))
    return answers.frame.select(pl.when(known).then(score.cast(pl.Float64))).to_series()


def _anything_answered(answers: VariantAnswers) -> bool:
    words, choice = answers.frame["words"], answers.frame["choice"]
    return bool((words != "").any()) or choice.is_not_null().any()


def evidence_given(answers: VariantAnswers, qrels: Qrels | None, *, k: int | None = None) -> pl.Series:
    """(R) whether the evidence given was right; null where that is not known.

    Args:
        answers: The answers, with the documents retrieved for them.
        qrels: Judgements by question id: evidence is right where a useful document was retrieved, and not judged for a
            question without useful documents; None: evidence as recorded.
        k: Retrieved documents that count; None: all.
    """
    if qrels is None:
        return answers.frame["evidence"]
    queries = np.repeat(np.arange(len(qrels.query_ids)), np.diff(qrels.offsets))
    useful = pl.DataFrame(
        {
            "question": pl.Series(qrels.query_ids, dtype=pl.String).gather(queries),
            "useful": pl.Series(qrels.doc_ids, dtype=pl.String).gather(qrels.docs),
        }
    ).filter(pl.Series(qrels.grades >= 1))
    retrieved = pl.col("retrieved") if k is None else pl.col("retrieved").list.head(k)
    judged = answers.frame.select(pl.col("question").cast(pl.String), retrieved).join(
        useful.group_by("question").agg("useful"), on="question", how="left", maintain_order="left"
    )
    return judged.select(pl.col("retrieved").list.set_intersection("useful").list.len() > 0).to_series()


def _answerable(
    answers: VariantAnswers, frame: pl.DataFrame, settings: VariantsSettings, qrels: Qrels | None
) -> tuple[pl.Expr, str]:
    """Whether each answer is to an answerable question, and the definition that says so, "" where nothing does."""
    nothing = pl.lit(False), ""
    if frame["answerable"].is_not_null().any():
        return pl.col("answerable").fill_null(False), "column"
    if settings.answerable == "evidence":
        judged = evidence_given(answers, qrels)
        evidence = (
            judged if judged.is_not_null().any() else frame["evidence"]
        )  # judged for other questions: as recorded
        return (pl.lit(evidence.fill_null(False)), "evidence") if evidence.is_not_null().any() else nothing
    if not _anything_answered(answers) or (answers.kind == "open" and settings.threshold is None):
        return nothing  # a ROUGE-L is neither right nor wrong
    counting = IS_NEUTRAL if settings.answerable == "neutral" else IS_NEUTRAL | pl.col("condition").is_null()
    if not frame.select((counting & pl.col("score").is_not_null()).any()).item():
        return nothing
    return (counting & (pl.col("score") == 1)).fill_null(False).any().over("unit"), settings.answerable


# A row per answer


def answers_frame(
    answers: VariantAnswers,
    settings: VariantsSettings = USUAL,
    by: Sequence[str] = (),
    *,
    qrels: Qrels | None = None,
) -> pl.DataFrame:
    """Answers, a row each.

    Args:
        answers: The answers.
        settings: From which ROUGE-L on open answers are right; which questions are answerable.
        by: Columns that rows of results are kept apart by.
        qrels: Judgements by question id, that say whether the evidence was right.

    Returns:
        The columns of the answers, ``row`` and ``combination``; unit: code of (everything recorded, question), whose
        answers can vote together; score, null where the right answer is not recorded; able: whether the question is
        answerable; definition: by what, "" where nothing says so; unread: whether the answer is missing or not readable
        as an option; reply: what was answered; neutral: row of the unit's neutral variant, null where there is none.

    Raises:
        UsageError: A column or threshold that does not fit the answers.
    """
    frame = numbered(combined(answers, by), ["question", *answers.factors], "unit")
    frame = frame.with_columns(scores_of(answers, settings.threshold).alias("score"))
    able, definition = _answerable(answers, frame, settings, qrels)
    closed = answers.kind == "closed"
    return frame.with_columns(
        able=able,
        definition=pl.lit(definition),
        unread=pl.col("choice").is_null() if closed else pl.col("words").str.strip_chars() == "",
        reply="choice" if closed else "words",
        neutral=pl.when(IS_NEUTRAL).then(pl.col("row")).min().over("unit"),
    )


# A row per answer and group that it is about


def groups_of(answers: VariantAnswers, frame: pl.DataFrame, *, pooled: bool = False) -> pl.DataFrame:
    """Every attribute that occurs, every set of attributes that occurs together, and the conditions of reference.

    Args:
        answers: The answers, which say the order of groups.
        frame: Those that are counted, from :func:`answers_frame`.
        pooled: Also all values of all attributes side by side, where a combination has several attributes.

    Returns:
        The columns of the frame, and attribute and group: codes in the order of single attributes, sets of them
        ("race+gender"), :data:`ALL_VALUES` and "" for the conditions of reference, whose names are name and value; a
        value of two attributes that stand side by side says its attribute. alone: whether any answer under the
        combination mentions the attribute by itself; own: whether the answer counts for the attribute, which answers
        about several attributes do where none is about it alone.
    """
    values = pl.DataFrame(
        [(attribute, value, code) for attribute, own in answers.groups.items() for code, value in enumerate(own)],
        schema={"attributes": pl.String, "values": pl.String, "code": pl.Int64},
        orient="row",
    )
    attribute, value = pl.col("attributes"), pl.col("values")
    mentions = (
        frame.select("row", "combination", attribute, value)
        .filter(attribute.list.len() > 0)
        .explode("attributes", "values")
        .with_columns(n=pl.len().over("row"), place=attribute.to_physical().cast(pl.Int64))
        .cast({"attributes": pl.String})
        .join(values, on=["attributes", "values"], maintain_order="left")
    )
    single = pl.col("n") == 1
    # of each member: whose it is, and by what attributes and groups are ordered
    parts = [
        mentions.select(
            "row", "n", name=attribute, value=value, order=pl.concat_list(1, "place"), codes=pl.concat_list("code")
        ),
        mentions.filter(~single)
        .group_by("row", maintain_order=True)
        .agg(
            pl.col("n").first(),
            name=attribute.str.join("+"),
            value=value.str.join("+"),
            order="place",
            codes="code",
        )
        .with_columns(order=pl.concat_list("n", "order")),
        frame.filter(pl.col("condition").is_not_null()).select(
            "row",
            n=0,
            name=pl.lit(""),
            value=pl.col("condition").cast(pl.String),
            order=[LAST + 1],
            codes=pl.concat_list(pl.col("condition").to_physical()),
        ),
    ]
    if pooled:
        several = attribute.n_unique().over("combination") > 1
        named_twice = attribute.n_unique().over("combination", "values") > 1
        parts.append(
            mentions.filter(single)
            .filter(several)
            .select(
                "row",
                "n",
                name=pl.lit(ALL_VALUES),
                value=pl.when(named_twice).then(pl.format("{}={}", attribute, value)).otherwise(value),
                order=[LAST],
                codes=pl.concat_list("place", "code"),
            )
        )
    members = numbered(pl.concat(parts, how="vertical_relaxed"), ["order"], "attribute")
    members = numbered(members, ["attribute", "codes"], "group")
    counted = frame.drop("attributes", "values", "words", "gold", "retrieved", "offered")
    alone = (pl.col("n") < 2).any().over(KEY)
    of_one = pl.col("order").list.first() == 1
    return (
        counted.join(members, on="row")
        .with_columns(alone=alone | ~of_one)
        .with_columns(own=(pl.col("n") < 2) | ~(of_one & pl.col("alone")))
        .drop("n", "order", "codes")
    )


def guess_rate(answers: VariantAnswers, frame: pl.DataFrame) -> float:
    """Right answers that guessing would give: mean over answers of 1 / options of the question.

    NaN where answers are open, and where neither the options are recorded nor letters say how many there are.

    Args:
        answers: The answers.
        frame: Those of them that are looked at.
    """
    if answers.kind == "open" or frame.is_empty():
        return NAN
    if answers.frame["offered"].is_not_null().any():
        share = frame.select((1 / pl.col("offered").list.len()).mean()).item()
        return NAN if share is None else float(share)
    options = answers.names("choice")
    letters = len(options) > 1 and all(len(option) == 1 for option in options)
    return 1 / len(options) if letters else NAN
