"""Answers to variants as frames: a row per answer with its score, a row per answer and group, and what is behind rates.

Behind rates are the questions whose answer depends on an attribute, where answers went wrong, what retrieval gave each
group and what became of it (documents in common, right evidence, right answers), and how complete the answers are.

Which questions count as answerable, Y = 1 of equal opportunity: the paper asks for "questions that can be answered
correctly" and does not say how it knows. What the file records wins. Else: *evidence* (default), a document judged
useful was given with this answer, or the file says that its evidence was right; *neutral*, the same question without a
person was answered right; *any*, at least one variant of it was. The last two look at answers to say which answers
count, so they are for those who ask for them.
"""

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any, TypeAlias

import polars as pl

from fairviz.display.words import Finding, count, number, percent, plural
from fairviz.errors import UsageError
from fairviz.metrics.utility import rouge_l
from fairviz.model import IntArray, Qrels, VariantAnswers
from fairviz.model.answers import AnswerKind
from fairviz.model.arrays import read_once
from fairviz.numerals import part_of
from fairviz.stats.tests import holm_tested
from fairviz.studies.demographic_qa.settings import USUAL, VariantsSettings
from fairviz.studies.shared import MOST_UNREAD, UNREAD_NOTED

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


def corrected_rows(rows: Sequence[Record]) -> list[Record]:
    """The rows of a table with ``p_holm``: p corrected over those of enough questions (n)."""
    p_holm = holm_tested((row["p"], row["n"]) for row in rows)
    return [row | {"p_holm": p} for row, p in zip(rows, p_holm, strict=True)]


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
        recorded, score = pl.col("right").is_not_null(), (pl.col("choice") == pl.col("right")).fill_null(False)
    else:

        def similarity(words: str, gold: str) -> float:
            return rouge_l(words, [gold])

        rouge = read_once(answers.frame.select("words", "gold"), similarity, pl.Float64)
        recorded, score = pl.col("gold") != "", pl.lit(rouge) if threshold is None else pl.lit(rouge >= threshold)
    recorded &= pl.lit(_anything_answered(answers))
    return answers.frame.select(pl.when(recorded).then(score.cast(pl.Float64))).to_series()


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
    useful = qrels.to_polars().filter(pl.col("grade") >= 1).group_by(question="query_id").agg(useful="doc_id")
    retrieved = pl.col("retrieved") if k is None else pl.col("retrieved").list.head(k)
    judged = answers.frame.select(pl.col("question").cast(pl.String), retrieved).join(
        useful, on="question", how="left", maintain_order="left"
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


def _by_guessing(answers: VariantAnswers) -> pl.Expr:
    """Chance that guessing is right: 1 / options of the question.

    Null where answers are open, and where neither the options are recorded nor letters say how many there are.
    """
    options = answers.names("choice")
    if answers.frame["offered"].is_not_null().any():
        chance = 1 / pl.col("offered").list.len()
    else:
        letters = len(options) > 1 and all(len(option) == 1 for option in options)
        chance = pl.lit(1 / len(options) if letters else None, dtype=pl.Float64)
    return chance if answers.kind == "closed" else pl.lit(None, dtype=pl.Float64)


# A row per answer


def answers_frame(
    answers: VariantAnswers, settings: VariantsSettings = USUAL, by: Sequence[str] = (), *, qrels: Qrels | None = None
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
        as an option; reply: what was answered; neutral: row of the unit's neutral variant, null where there is none;
        guess: how often guessing would be right under the combination, null where it is not known.

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
        guess=_by_guessing(answers).mean().over("combination"),
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
    mention = ("combination", "attributes", "values", "condition")
    variants = frame.select(mention).unique().with_row_index("variant")  # few, which rows share
    mentions = (
        variants.drop("condition")
        .filter(attribute.list.len() > 0)
        .explode("attributes", "values")
        .with_columns(n=pl.len().over("variant"), place=attribute.to_physical().cast(pl.Int64))
        .cast({"attributes": pl.String})
        .join(values, on=["attributes", "values"], maintain_order="left")
    )
    single = pl.col("n") == 1
    # of each member: whose it is, and by what attributes and groups are ordered
    parts = [
        mentions.select(
            "variant", "n", name=attribute, value=value, order=pl.concat_list(1, "place"), codes=pl.concat_list("code")
        ),
        mentions.filter(~single)
        .group_by("variant", maintain_order=True)
        .agg(pl.col("n").first(), name=attribute.str.join("+"), value=value.str.join("+"), order="place", codes="code")
        .with_columns(order=pl.concat_list("n", "order")),
        variants.filter(pl.col("condition").is_not_null()).select(
            "variant",
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
                "variant",
                "n",
                name=pl.lit(ALL_VALUES),
                value=pl.when(named_twice).then(pl.format("{}={}", attribute, value)).otherwise(value),
                order=[LAST],
                codes=pl.concat_list("place", "code"),
            )
        )
    members = numbered(pl.concat(parts, how="vertical_relaxed"), ["order"], "attribute")
    members = numbered(members, ["attribute", "codes"], "group")
    members = members.join(variants.select("variant", "combination"), on="variant")
    alone = (pl.col("n") < 2).any().over(KEY)
    of_one = pl.col("order").list.first() == 1
    members = (
        members.with_columns(alone=alone | ~of_one)
        .with_columns(own=(pl.col("n") < 2) | ~(of_one & pl.col("alone")))
        .drop("n", "order", "codes", "combination")
    )
    counted = frame.drop("words", "gold", "retrieved", "offered").join(variants, on=mention, nulls_equal=True)
    return counted.drop("attributes", "values").join(members, on="variant").drop("variant")


# The questions behind the rates

LETTERS = tuple(ascii_uppercase)
"""What options are called, in their order."""
CASES = tuple(
    f"evidence_{evidence}_answer_{answer}" for evidence in ("right", "wrong") for answer in ("right", "wrong")
)
"""What can become of an answer. Right evidence, wrong answer: the fault is in the answer; both wrong: in retrieval."""
GROUP = ("attribute", "value")
"""Columns that name a group."""
COUNTED = (*CASES, "n_unknown", "n")
"""Answers of each case, those that are none, and those of all cases."""


def error_cases(
    answers: VariantAnswers, settings: VariantsSettings = USUAL, by: Sequence[str] = (), *, qrels: Qrels | None = None
) -> pl.DataFrame:
    """Evidence right or wrong × answer right or wrong, of each group (Ji et al. 2025, Table 7).

    Args:
        answers: The answers, with retrieved documents or recorded evidence.
        settings: From which ROUGE-L on open answers are right: without it they are neither right nor wrong; how many
            documents count, the most of its depths.
        by: Columns to separate.
        qrels: Judgements by question id: evidence is then right where a retrieved document is judged useful; None, and
            where no documents were recorded: what the file records as evidence.

    Returns:
        No row where nothing says what is right; else the columns of ``by``, attribute ("" for conditions of reference),
        value; answers of each of :data:`CASES`; n_unknown, those of which evidence or right answer is not known; n, the
        others.
    """
    judged = qrels if answers.frame["retrieved"].is_not_null().any() else None
    nothing = judged is None and not answers.frame["evidence"].is_not_null().any()
    if nothing or (answers.kind == "open" and settings.threshold is None):
        return pl.DataFrame(schema=dict.fromkeys((*by, *GROUP), pl.String) | dict.fromkeys(COUNTED, pl.Int64))
    frame = answers_frame(answers, settings, by)
    evidence_flags = evidence_given(answers, judged, k=max(settings.k, default=None))
    members = groups_of(answers, frame.with_columns(evidence_flags.alias("evidence")))
    evidence, score = pl.col("evidence"), pl.col("score")
    defined = score.is_not_null() & evidence.is_not_null()
    sides = [(right, score == answer) for right in (True, False) for answer in (1, 0)]
    counts = (
        members.filter("own")
        .group_by(*KEY, "group")
        .agg(
            pl.col("name", "value", *by).first(),
            *(((evidence == right) & so).sum().alias(name) for name, (right, so) in zip(CASES, sides, strict=True)),
            n_unknown=(~defined).sum(),
            n=defined.sum(),
        )
        .sort(*KEY, "group")
    )
    named = counts.with_columns(attribute="name").select(pl.col(*by, *GROUP).cast(pl.String), *COUNTED)
    return named.cast(dict.fromkeys(COUNTED, pl.Int64))


def dependent_questions(
    answers: VariantAnswers, attribute: str, settings: VariantsSettings = USUAL, *, where: By = ()
) -> list[Record]:
    """Questions with more than one answer about the groups of an attribute, largest spread first.

    Args:
        answers: The answers.
        attribute: "race", or "race+gender" for intersectional cells.
        settings: From which ROUGE-L on open answers are right.
        where: Only answers with these values of columns: (("model", "m1"), …).

    Returns:
        by: who answered, every column that was recorded; question_id, gold (the right answer as recorded); spread:
        largest difference of the scores, 1 = right for one group and wrong for another, 0 = different answers that are
        equally right; answers about groups in the order of the groups, then those of reference, each with value,
        words, score (NaN if the right answer is not recorded), row, and reference, whether it is of a condition.

    Raises:
        UsageError: No variant mentions the attribute.
    """
    frame = answers_frame(answers, settings, [name for name, _ in where])
    frame = frame.filter(*(pl.col(name).cast(pl.String) == value for name, value in where))
    own = groups_of(answers, frame).filter("own")
    occurring = own.sort("attribute")["name"].unique(maintain_order=True).to_list()
    if attribute not in occurring or not attribute:
        raise UsageError(
            f"no variant mentions {attribute!r}; there are: {', '.join(filter(None, occurring)) or 'none'}"
        )
    score, reference = pl.col("score"), pl.col("name") == ""
    spread = pl.when(score.is_not_null().all()).then(score.max() - score.min()).otherwise(0.0)
    units = own.filter(pl.col("name") == attribute).group_by("unit").agg(spread=spread, n=pl.col("reply").n_unique())
    group_answers = own.filter((pl.col("name") == attribute) | reference)
    group_answers = (
        group_answers.join(frame.select("row", "words", "gold"), on="row")
        .with_columns(pl.col("score").fill_null(NAN), reference=reference)
        .with_columns(group=pl.when("reference").then(0).otherwise("group"))
        .sort("attribute", "group", "row")
        .group_by("unit", maintain_order=True)
        .agg(
            pl.col("question", "gold", *answers.factors).first(),
            answers=pl.struct("value", "words", "score", "row", "reference"),
        )
    )
    questions = (
        units.filter(pl.col("n") > 1).join(group_answers, on="unit").sort("spread", "unit", descending=[True, False])
    )
    return [
        {
            "by": tuple((name, unit[name]) for name in answers.factors),
            "question_id": unit["question"],
            **{key: unit[key] for key in ("gold", "spread", "answers")},
        }
        for unit in questions.iter_rows(named=True)
    ]


def worse_for(questions: Sequence[Record]) -> dict[str, list[Record]]:
    """Group -> the questions whose answer about it is worse than that about another group; groups that have any."""
    worse: dict[str, list[Record]] = {}
    for question in questions:
        scores = {answer["value"]: answer["score"] for answer in question["answers"] if not answer["reference"]}
        best = max((score for score in scores.values() if score == score), default=0.0)
        for value, score in scores.items():
            if question["spread"] > 0 and score < best:
                worse.setdefault(value, []).append(question)
    return worse


def options_taken(answers: VariantAnswers, question: Record) -> list[Record]:
    """The options of a question in their order, each with those about whom it was given; no option named comes last.

    Open answers: each wording once, in the order of the groups.

    Returns:
        Of each option: letter, of one with words of its own, else ""; words, the option in words where the file records
        them, else as it was answered, "" where no option is named; score, 1 right, 0 wrong, in between ROUGE-L, NaN
        where the right answer is not recorded; about and references, groups and conditions whose variant was answered
        so.
    """
    records: list[Record] = question["answers"]
    row = answers.frame.row(records[0]["row"], named=True)
    offered, right = row["offered"] or [], row["right"] or ""
    words = [answer["words"] for answer in records]
    if answers.kind == "open":
        chosen, options = words, {name: ("", name) for name in words}
    else:
        answered = answers.frame["choice"].cast(pl.String).fill_null("").gather([own["row"] for own in records])
        chosen = answered.to_list()
        named = {*chosen, right} - {""}
        if offered and named <= {*LETTERS[: len(offered)]}:
            options = {letter: (letter, option) for letter, option in zip(LETTERS, offered, strict=False)}
        else:
            options = {name: ("", name) for name in offered or sorted(named)}
        options |= {name: ("", name) for name in sorted(named - {right} - options.keys())}
        options |= {"": ("", "")} if "" in chosen else {}
    taken: list[Record] = []
    for name, (letter, text) in options.items():
        so = [answer for answer, choice in zip(records, chosen, strict=True) if choice == name]
        score = so[0]["score"] if answers.kind == "open" else float(name == right) if right else NAN
        about, references = ([own["value"] for own in so if own["reference"] == of] for of in (False, True))
        taken.append({"letter": letter, "words": text, "score": score, "about": about, "references": references})
    return taken


def doses(cases: pl.DataFrame, overlaps: Sequence[Record]) -> pl.DataFrame:
    """Dose and response of each group that either knows of, by attribute, then conditions of reference; else no row.

    overlap_neutral: documents in common with the list of the question that mentions nobody, per document of either;
    n: answers whose evidence and rightness are known; evidence: share of them with the right evidence, n_with how many;
    right_with, right_without: right answers among these and among the others. NaN where there is none.

    Args:
        cases: Evidence × answer of one combination of columns.
        overlaps: Of its documents, one depth.
    """
    in_common = pl.DataFrame(
        [
            (overlap["attribute"], pair["second"], pair["overlap"] / 100)
            for overlap in overlaps
            for pair in overlap["pairs"]
            if pair["first"] is None
        ],
        schema={**dict.fromkeys(GROUP, pl.String), "overlap_neutral": pl.Float64},
        orient="row",
    )
    right_with, wrong_with, right_without, _ = map(pl.col, CASES)
    n, n_with = pl.col("n"), pl.col("n_with")
    both = cases.select(*GROUP, *COUNTED).join(
        in_common, on=GROUP, how="full", coalesce=True, maintain_order="left_right"
    )
    both = both.with_columns(pl.col(COUNTED).fill_null(0)).with_columns(n_with=right_with + wrong_with)
    if in_common.is_empty() and not both["n_with"].sum():
        both = both.clear()  # nothing was retrieved: no evidence is no dose
    first = pl.int_range(pl.len()).min().over("attribute")
    return both.sort(pl.col("attribute") == "", first, maintain_order=True).select(
        *GROUP,
        "overlap_neutral",
        "n",
        "n_with",
        evidence=n_with / n,
        right_with=right_with / n_with,
        right_without=right_without / (n - n_with),
    )


# How complete recorded answers are: questions answered in every variant, answers read, by group


def blocks_of(answers: VariantAnswers) -> pl.DataFrame:
    """A row per question and producer (model, strategy, …): question, producer, and whether it is complete.

    It is where it has every variant that the same producer answered anywhere.
    """
    mention = ["attributes", "values", "condition"]
    variants = numbered(answers.frame, answers.factors, "producer").select("producer", "question", *mention).unique()
    everywhere = variants.select("producer", *mention).unique().group_by("producer").len("n_variants")
    blocks = variants.group_by("producer", "question").len().join(everywhere, on="producer")
    return blocks.select("producer", pl.col("question").cast(pl.String), complete=pl.col("len") == pl.col("n_variants"))


def group_counts(answers: VariantAnswers) -> pl.DataFrame:
    """Distinct questions asked, answers, and those that name no option (n_questions, n, n_unread), by attribute, value.

    Conditions of reference come first, with attribute ""; a value counts alone and with other attributes.
    """
    unread = pl.col("choice").is_null() & (answers.n_unread > 0)
    counted = (pl.col("question").n_unique().alias("n_questions"), pl.len().alias("n"), unread.sum().alias("n_unread"))
    is_reference = pl.col("condition").is_not_null()
    references = answers.frame.filter(is_reference).group_by(value="condition").agg(counted).sort("value")
    about = answers.frame.filter(~is_reference).explode("attributes", "values")
    groups = about.group_by(attribute="attributes", value="values", maintain_order=True).agg(counted)
    names = pl.col("attribute", "value").cast(pl.String)
    parts = (references.with_columns(attribute=pl.lit("")), groups.sort("attribute", maintain_order=True))
    return pl.concat(
        [part.with_columns(names).select("attribute", "value", "n_questions", "n", "n_unread") for part in parts]
    )


def unread_words(n_unread: int, n_answers: int, *, kind: AnswerKind = "closed") -> Finding | None:
    """The warning where more than 2 % of answers were not read, with the worst case; None below.

    Args:
        n_unread: Closed answers that name no option; open answers that are empty.
        n_answers: All answers.
        kind: Which they are.
    """
    share = 100 * n_unread / n_answers if n_answers else 0.0
    if share <= UNREAD_NOTED:
        return None
    what, measure = ("name no option", "accuracy") if kind == "closed" else ("are empty", "the mean score")
    title = f"{percent(share / 100, 1)} of the answers {what} ({count(n_unread)} of "
    sentence = f"They count as wrong; if all were right, {measure} would be {number(share, 1)} points higher."
    if share > MOST_UNREAD:
        sentence += f" Above {number(MOST_UNREAD, 0)} %, no verdict should be drawn."
    return Finding(f"{title}{count(n_answers)})", sentence)


def complete_title(files: Sequence[pl.DataFrame]) -> str:
    """How many questions have every variant, in as many runs.

    A question is complete where each run that asked it has all the variants that this run asked anywhere.

    Args:
        files: Questions and producers of each, from :func:`blocks_of`.
    """
    blocks = pl.concat(files)
    n, n_runs = blocks["question"].n_unique(), sum(own["producer"].n_unique() for own in files)
    complete = n - blocks.filter(~pl.col("complete"))["question"].n_unique()
    if complete == n:
        runs = f", in {count(n_runs)} runs" if n_runs > 1 else ""
        return f"{f'All {count(n)} questions are' if n > 1 else 'The one question is'} complete{runs}"
    runs = "" if n_runs == 1 else " in both runs" if n_runs == 2 else f" in all {count(n_runs)} runs"
    return f"{part_of(complete, plural(n, 'question'), 'is', 'are')} complete{runs}"
