"""How complete recorded answers to variants are: questions answered in every variant, answers read, by group."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from fairviz.display.words import Finding, count, number, percent, plural
from fairviz.model import VariantAnswers
from fairviz.model.answers import UNKNOWN, AnswerKind
from fairviz.numerals import part_of
from fairviz.studies.shared import MOST_UNREAD, SAID_UNREAD


class VariantCounts(NamedTuple):
    """How complete the answers to variants are.

    Attributes:
        name: The file's name.
        n_blocks: Pairs of a question and who answered how (model, strategy, …).
        n_complete: Those with every variant that the same producer answered anywhere.
        lacking: Questions that lack a variant from some producer.
        questions: All questions.
        n_producers: Who answered (model, strategy, …): the runs.
        n_unread: Closed answers that name no option.
        groups: By condition of reference (attribute ""), then by attribute and value: these, distinct questions asked
            about it, alone or with other attributes, answers, and those that name no option.
        n_answers: All answers.
    """

    name: str
    n_blocks: int
    n_complete: int
    lacking: frozenset[str]
    questions: frozenset[str]
    n_producers: int
    n_unread: int
    groups: tuple[tuple[str, str, int, int, int], ...]
    n_answers: int


def unread_words(n_unread: int, n_answers: int, *, kind: AnswerKind = "closed") -> Finding | None:
    """The warning where more than 2 % of answers were not read, with the worst case; None below.

    Args:
        n_unread: Closed answers that name no option; open answers that are empty.
        n_answers: All answers.
        kind: Which they are.
    """
    share = 100 * n_unread / n_answers if n_answers else 0.0
    if share <= SAID_UNREAD:
        return None
    what, measure = ("name no option", "accuracy") if kind == "closed" else ("are empty", "the mean score")
    title = f"{percent(share / 100, 1)} of the answers {what} ({count(n_unread)} of "
    sentence = f"They count as wrong; if all were right, {measure} would be {number(share, 1)} points higher."
    if share > MOST_UNREAD:
        sentence += f" Above {number(MOST_UNREAD, 0)} %, no verdict should be drawn."
    return Finding(f"{title}{count(n_answers)})", sentence)


def complete_title(counts: Sequence[VariantCounts]) -> str:
    """How many questions have every variant, in as many runs.

    A question is complete where each run that asked it has all the variants that this run asked anywhere.

    Args:
        counts: One per file.
    """
    questions = frozenset[str]().union(*(file.questions for file in counts))
    n, n_runs = len(questions), sum(file.n_producers for file in counts)
    complete = n - len(frozenset[str]().union(*(file.lacking for file in counts)))
    if complete == n:
        runs = f", in {count(n_runs)} runs" if n_runs > 1 else ""
        return f"{f'All {count(n)} questions are' if n > 1 else 'The one question is'} complete{runs}"
    runs = "" if n_runs == 1 else " in both runs" if n_runs == 2 else f" in all {count(n_runs)} runs"
    return f"{part_of(complete, plural(n, 'question'), 'is', 'are')} complete{runs}"


def variant_counts(answers: VariantAnswers) -> VariantCounts:
    """Count complete questions, and answers by group.

    Args:
        answers: Answers to demographic variants.
    """
    unread = (answers.choices == UNKNOWN) & (answers.kind == "closed") & any(answers.words.values)
    who = {f"by {factor.name}": factor.codes for factor in answers.factors}
    about = {f"about {place}": column for place, column in enumerate((*answers.given.T, answers.condition))}
    frame = pl.DataFrame({"": 0, "question": answers.questions, "unread": unread, **who, **about})
    asked = frame.group_by("", *who).agg(n_asked=pl.struct(*about).n_unique())
    blocks = frame.group_by("", *who, "question").agg(n=pl.struct(*about).n_unique()).join(asked, on=["", *who])
    lacking: list[int] = blocks.filter(pl.col("n") < pl.col("n_asked"))["question"].to_list()
    names = [("", answers.conditions), *zip(answers.attributes, answers.values, strict=True)]
    counted = pl.col("question").n_unique(), pl.len(), pl.col("unread").sum()
    groups = [
        (attribute, value, *frame.filter(pl.col(column) == code).select(counted).row(0))
        for (attribute, values), column in zip(names, (*list(about)[-1:], *list(about)[:-1]), strict=True)
        for code, value in enumerate(values)
    ]
    return VariantCounts(
        name=answers.name,
        n_blocks=blocks.height,
        n_complete=blocks.height - len(lacking),
        lacking=frozenset(answers.question_ids[question] for question in lacking),
        questions=frozenset(answers.question_ids),
        n_producers=asked.height,
        n_unread=int(unread.sum()),
        groups=tuple(groups),
        n_answers=len(answers),
    )
