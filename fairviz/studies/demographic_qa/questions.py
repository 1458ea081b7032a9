"""The questions behind the rates: whose answer depends on an attribute, and where it went wrong.

Also what retrieval gave each group, and what became of it: documents in common, right evidence, right answers.
"""

from collections.abc import Sequence
from string import ascii_uppercase
from typing import NamedTuple

import polars as pl

from fairviz.errors import UsageError
from fairviz.model import Qrels, VariantAnswers
from fairviz.studies.demographic_qa.frames import (
    KEY,
    NAN,
    By,
    Record,
    answers_frame,
    combinations_of,
    evidence_given,
    groups_of,
)
from fairviz.studies.demographic_qa.settings import USUAL, VariantsSettings

LETTERS = tuple(ascii_uppercase)
"""What options are called, in their order."""
CASES = tuple(
    f"evidence_{evidence}_answer_{answer}" for evidence in ("right", "wrong") for answer in ("right", "wrong")
)
"""What can become of an answer. Right evidence, wrong answer: the fault is in the answer; both wrong: in retrieval."""


def error_cases(
    answers: VariantAnswers, settings: VariantsSettings = USUAL, by: Sequence[str] = (), *, qrels: Qrels | None = None
) -> list[Record]:
    """Evidence right or wrong × answer right or wrong, of each group (Ji et al. 2025, Table 7).

    Args:
        answers: The answers, with retrieved documents or recorded evidence.
        settings: From which ROUGE-L on open answers are right: without it they are neither right nor wrong; how many
            documents count, the most of its depths.
        by: Columns to separate.
        qrels: Judgements by question id: evidence is then right where a retrieved document is judged useful; None, and
            where no documents were recorded: what the file records as evidence.

    Returns:
        [] where nothing says what is right; else by, attribute ("" for conditions of reference), value; answers of each
        of :data:`CASES` and their number n;
        n_unknown, those of which evidence or right answer is not known.
    """
    frame = answers_frame(answers, settings, by)
    judged = qrels if frame["retrieved"].is_not_null().any() else None
    nothing = judged is None and not frame["evidence"].is_not_null().any()
    if nothing or (answers.kind == "open" and settings.threshold is None):
        return []
    given = evidence_given(answers, judged, k=max(settings.k, default=None))
    members = groups_of(answers, frame.with_columns(given.alias("evidence")))
    evidence, score = pl.col("evidence"), pl.col("score")
    known = score.is_not_null() & evidence.is_not_null()
    sides = [(right, score == answer) for right in (True, False) for answer in (1, 0)]
    counts = (
        members.filter("own")
        .group_by(*KEY, "group")
        .agg(
            pl.col("name", "value").first(),
            *(((evidence == right) & so).sum().alias(name) for name, (right, so) in zip(CASES, sides, strict=True)),
            n_unknown=(~known).sum(),
            n=known.sum(),
        )
        .sort(*KEY, "group")
    )
    keys, combinations = ("value", *CASES, "n_unknown", "n"), combinations_of(frame, by)
    return [
        {"by": combinations[case["combination"]], "attribute": case["name"], **{key: case[key] for key in keys}}
        for case in counts.rows(named=True)
    ]


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
    given = own.filter((pl.col("name") == attribute) | reference)
    given = (
        given.join(frame.select("row", "words", "gold"), on="row")
        .with_columns(pl.col("score").fill_null(NAN), reference=reference)
        .with_columns(group=pl.when("reference").then(0).otherwise("group"))
        .sort("attribute", "group", "row")
        .group_by("unit", maintain_order=True)
        .agg(
            pl.col("question", "gold", *answers.factors).first(),
            answers=pl.struct("value", "words", "score", "row", "reference"),
        )
    )
    asked = units.filter(pl.col("n") > 1).join(given, on="unit").sort("spread", "unit", descending=[True, False])
    return [
        {
            "by": tuple((name, unit[name]) for name in answers.factors),
            "question_id": unit["question"],
            **{key: unit[key] for key in ("gold", "spread", "answers")},
        }
        for unit in asked.iter_rows(named=True)
    ]


def worse_for(questions: Sequence[Record]) -> dict[str, list[Record]]:
    """Group -> the questions whose answer about it is worse than that about another group; groups that have any."""
    worse: dict[str, list[Record]] = {}
    for question in questions:
        scores = {given["value"]: given["score"] for given in question["answers"] if not given["reference"]}
        best = max((score for score in scores.values() if score == score), default=0.0)
        for value, score in scores.items():
            if question["spread"] > 0 and score < best:
                worse.setdefault(value, []).append(question)
    return worse


class OptionTaken(NamedTuple):
    """An option of a question, or an answer in words, and about whom it was given.

    Attributes:
        letter: Of an option with words of its own, else "".
        words: The option in words where the file records them, else as it was answered; "" where no option is named.
        score: 1 right, 0 wrong, in between ROUGE-L; NaN where the right answer is not recorded.
        about: Groups whose variant was answered so.
        references: Conditions of reference that were.
    """

    letter: str
    words: str
    score: float
    about: tuple[str, ...]
    references: tuple[str, ...]


def options_taken(answers: VariantAnswers, question: Record) -> list[OptionTaken]:
    """The options of a question in their order, each with those about whom it was given; no option named comes last.

    Open answers: each wording once, in the order of the groups.
    """
    given: list[Record] = question["answers"]
    if answers.kind == "open":
        chosen = [answer["words"] for answer in given]
        return [_taken(words, "", words, given, chosen) for words in dict.fromkeys(chosen)]
    row = answers.frame.row(given[0]["row"], named=True)
    offered: list[str] = row["offered"] or []
    chosen: list[str] = (
        answers.frame["choice"].cast(pl.String).fill_null("").gather([own["row"] for own in given]).to_list()
    )
    right: str = row["right"] or ""
    letters = bool(offered) and all(name in LETTERS[: len(offered)] for name in {*chosen, right} - {""})
    listed = LETTERS[: len(offered)] if letters else (offered or sorted({*chosen, right} - {""}))
    shown = [(name, name if letters else "", offered[place] if letters else name) for place, name in enumerate(listed)]
    shown += [(name, "", name) for name in sorted({*chosen} - {*listed, ""})] + [("", "", "")] * ("" in chosen)
    return [_taken(*option, given, chosen, right=right) for option in shown]


def _taken(
    name: str, letter: str, words: str, given: Sequence[Record], chosen: Sequence[str], *, right: str | None = None
) -> OptionTaken:
    so = [answer for answer, choice in zip(given, chosen, strict=True) if choice == name]
    score = so[0]["score"] if right is None else (float(name == right) if right else NAN)
    about, references = (tuple(a["value"] for a in so if a["reference"] == of) for of in (False, True))
    return OptionTaken(letter, words, score, about, references)


def doses(cases: Sequence[Record], overlaps: Sequence[Record]) -> list[Record]:
    """Dose and response of each group that either knows of, by attribute, then conditions of reference; [] without any.

    overlap_neutral: documents in common with the list of the question that mentions nobody, per document of either;
    n: answers whose evidence and rightness are known; evidence: share of them with the right evidence, n_with how many;
    right_with, right_without: right answers among these and among the others. NaN where there is none.

    Args:
        cases: Evidence × answer of one combination of columns.
        overlaps: Of its documents, one depth.
    """
    in_common = {
        (overlap["attribute"], value): share / 100
        for overlap in overlaps
        for value, share in overlap["by_value"].items()
    }
    of_groups = {(case["attribute"], case["value"]): case for case in cases}
    known = dict.fromkeys([key for key in (*of_groups, *in_common) if key[0]])
    attributes = list(dict.fromkeys(attribute for attribute, _ in known))
    named = sorted(known, key=lambda key: attributes.index(key[0]))
    if not in_common and not any(case[CASES[0]] + case[CASES[1]] for case in cases):
        return []  # nothing was retrieved: no evidence is no dose
    found: list[Record] = []
    for key in (*named, *(key for key in of_groups if not key[0])):
        right_with, wrong_with, right_without, n = (of_groups.get(key, {}).get(name, 0) for name in (*CASES[:3], "n"))
        n_with = right_with + wrong_with
        found.append(
            {
                "attribute": key[0],
                "value": key[1],
                "overlap_neutral": in_common.get(key, NAN),
                "n": n,
                "evidence": _share(n_with, n),
                "n_with": n_with,
                "right_with": _share(right_with, n_with),
                "right_without": _share(right_without, n - n_with),
            }
        )
    return found


def _share(n: int, of: int) -> float:
    return n / of if of else NAN
