"""Ways to ask a demographic variant of a question.

``plain`` asks it as it is. The three of Ji et al. (2025) put an instruction before it, in the words that the paper
prints (:mod:`fairviz.experiments.prompts`): ``ji-chain-of-thought``, ``ji-counterfactual``, ``ji-adversarial``; they
need a model that reads it, and so does an instruction of one's own. Two are ours, for any answerer: ``no-mention`` asks
without the mention, ``consistency`` asks about other people too and keeps what most share. ``majority vote`` is the
paper's: it needs no answers but those of ``plain``, and gives every variant the option that most variants chose.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.experiments.people import NEUTRAL, PREFIX, Variant
from fairviz.experiments.prompts import printed_prompt, read_answer
from fairviz.experiments.protocols import Document, Prompt
from fairviz.io.answer_text import LETTERS
from fairviz.studies.demographic_qa.settings import TieRule
from fairviz.studies.demographic_qa.votes import NOT_ASKED, majority_vote

N_OTHERS = 2
"""Other people whom ``consistency`` asks about, beside nobody in particular."""


MAJORITY = "majority vote"
"""Name of the vote among strategies."""

Voters: TypeAlias = Literal["all", "within"]
"""All variants of a question and its neutral one; or, for each group, all variants about it."""


class Answered(NamedTuple):
    """An answer, None where it is missing, and what was asked."""

    answer: str | None
    prompt: Prompt

    @property
    def documents(self) -> tuple[Document, ...]:
        """What was retrieved for it, best first."""
        return self.prompt.documents

    @property
    def said(self) -> str:
        """The letter of the option that it names; the answer itself where there is none."""
        answer = self.answer or ""
        return read_answer(self.prompt, answer) or answer


Ask: TypeAlias = Callable[[Sequence[Variant], str], list[Answered]]
"""Retrieves and answers variants behind an instruction, in their order; equal questions get equal answers."""

Strategy: TypeAlias = Callable[[Sequence[Variant], Ask], list[Answered]]
"""Answers to variants of questions, all values of an attribute among them, in their order."""


def printed(name: str, variants: Sequence[Variant], ask: Ask) -> list[Answered]:
    """Each variant behind an instruction that a paper prints, none for ``plain``; needs a model that reads it."""
    return ask(variants, printed_prompt(name))


def no_mention(variants: Sequence[Variant], ask: Ask) -> list[Answered]:
    """Each variant without its mention, in retrieval and in answering.

    Where the mention is all that differs, every variant becomes the question itself: equal
    answers then say that the mention was found, not that the system treats people alike.
    """
    values = {value for variant in variants for value in variant.value.split("+")} - {NEUTRAL}
    return ask([variant._replace(text=without_mention(variant.text, values)) for variant in variants], "")


def consistency(variants: Sequence[Variant], ask: Ask) -> list[Answered]:
    """Each variant and its like about other people; the answer that most of them share is kept.

    They are the question about nobody in particular, and about people with the next two values of
    the same attribute, after the last the first again. Where several answers are shared by as
    many, the variant's own is kept if it is one of them, else the first of them in this order.
    The documents are the variant's own.
    """
    own = ask(variants, "")
    neutral = {v.question_id: row for row, v in enumerate(variants) if v.value == NEUTRAL}
    people: dict[tuple[str, str], list[int]] = {}
    for row, variant in enumerate(variants):
        if variant.value != NEUTRAL:
            people.setdefault((variant.question_id, variant.attribute), []).append(row)
    answers = list(own)
    for (question, _), rows in people.items():
        nobody = [neutral[question]] if question in neutral else []
        for place, row in enumerate(rows):
            others = [*rows[place + 1 :], *rows[:place]][:N_OTHERS]
            alike = [own[one].said for one in (row, *nobody, *others) if own[one].answer is not None]
            if own[row].answer is None:
                continue
            kept = consistent(alike)
            if kept != alike[0]:
                answers[row] = own[row]._replace(answer=kept)
    return answers


def majority(voters: Voters, ties: TieRule) -> Strategy:
    """Every variant's answer is the option that most voters chose; "" where the vote has none.

    Unread answers vote, as one option of their own; missing ones do not. ``within`` leaves neutral and intersectional
    variants as they are: nobody else is asked about the same.
    """

    def strategy(variants: Sequence[Variant], ask: Ask) -> list[Answered]:
        own = ask(variants, "")
        options = np.array([LETTERS.find(letter) if len(letter := one.said) == 1 else -1 for one in own])
        votes: dict[tuple[str, str, str], list[int]] = {}
        for row, variant in enumerate(variants):
            if own[row].answer is None:
                continue
            parts = zip(variant.attribute.split("+"), variant.value.split("+"), strict=False)
            for group in [("", "")] if voters == "all" else parts:
                votes.setdefault((variant.question_id, *group), []).append(row)
        if not votes:
            return own
        rows = np.concatenate([np.array(of_vote) for of_vote in votes.values()])
        numbers = np.repeat(np.arange(len(votes)), [len(of_vote) for of_vote in votes.values()])
        neutral = {
            v.question_id: int(options[row])
            for row, v in enumerate(variants)
            if v.value == NEUTRAL and own[row].answer is not None
        }
        of_neutral = np.array([neutral.get(question, NOT_ASKED) for question, *_ in votes])
        counted = majority_vote(numbers, options[rows], len(votes), len(LETTERS), ties=ties, neutral=of_neutral)
        winners = {
            key: LETTERS[won] if won >= 0 else "" for key, won in zip(votes, counted.choice.tolist(), strict=True)
        }
        voted: list[Answered] = []
        for variant, answered in zip(variants, own, strict=True):
            attribute, value = ("", "") if voters == "all" else (variant.attribute, variant.value)
            alone = voters == "within" and (variant.value == NEUTRAL or "+" in variant.attribute)
            winner = winners.get((variant.question_id, attribute, value))
            voted.append(answered if alone else answered._replace(answer=winner))
        return voted

    return strategy


def consistent(answers: Sequence[str]) -> str:
    """The most frequent answer; of several the one that comes first.

    Examples:
        >>> consistent(["A", "B", "B", "C"]), consistent(["A", "B", "C"])
        ('B', 'A')
    """
    return Counter(answers).most_common(1)[0][0]


def without_mention(text: str, values: Iterable[str]) -> str:
    """A question without the values that it mentions, in either form of variants.

    Examples:
        >>> without_mention("This Asian female individual... Why?", ["female", "Asian"])
        'Why?'
        >>> without_mention("Can an Asian patient ride?", ["female", "Asian"])
        'Can a patient ride?'
    """
    longest_first = sorted(values, key=lambda value: (-len(value), value))
    if not longest_first:
        return text
    listed = rf"(?:(?:{'|'.join(map(re.escape, longest_first))})\s+)+"
    before, after = (re.escape(part) for part in PREFIX.format(value="|", question="").split("|"))
    prefix = re.match(before + listed.removesuffix("+") + r"+" + after.lstrip("\\ "), text)
    if prefix:
        return text[prefix.end() :].lstrip()
    mention = re.search(rf"(?:\b([Aa])n?\s+)?\b{listed}(?=(\w))", text)
    if not mention:
        return text
    article = mention.group(1) or ""
    if article:
        article += "n " if mention.group(2) in "aeiouAEIOU" else " "
    return text[: mention.start()] + article + text[mention.end() :]


STRATEGIES: Mapping[str, Strategy] = {
    **{
        name: partial(printed, name) for name in ("plain", "ji-chain-of-thought", "ji-counterfactual", "ji-adversarial")
    },
    "consistency": consistency,
    "no-mention": no_mention,
}
"""By the names that a configuration gives and that answers carry."""


def strategy_of(name: str) -> Strategy:
    """The strategy of a name, or an instruction of one's own from a text file.

    Raises:
        UsageError: When it is asked, if there is no such file.
    """
    return STRATEGIES.get(name) or partial(printed, name)
