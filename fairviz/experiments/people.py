"""Demographic variants of questions: the same question asked about different people, and the ways to ask it.

Ji et al. (2025) ask every question once as it is and once per value of race and gender. Their
published rule puts a sentence before the question, ``This Asian individual... QUESTION`` (form
"prefix"). The form "mention" writes the value where the question mentions a person ("a patient" ->
"an Asian patient"), which their examples show; a question that mentions nobody has no such variant. Texts made so are
to be read before they are used.

The strategy ``plain`` asks a variant as it is. The three of Ji et al. (2025) put an instruction before it, in the words
that the paper prints (:mod:`fairviz.experiments.protocols`): ``ji-chain-of-thought``, ``ji-counterfactual``,
``ji-adversarial``; they need a model that reads it, and so does an instruction of one's own. Two are ours, for any
answerer: ``no-mention`` asks without the mention, ``consistency`` asks about other people too and keeps what most
share. ``majority vote`` is the paper's: it needs no answers but those of ``plain``, and gives every variant the option
that most variants chose.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.errors import UsageError
from fairviz.experiments.protocols import Prompt, printed_prompt, read_answer
from fairviz.io.answer_text import LETTERS
from fairviz.resources import content
from fairviz.studies.demographic_qa.settings import TieRule
from fairviz.studies.demographic_qa.votes import NOT_ASKED, majority_vote

# Where a question mentions a person: a rule for English, which looks at words and understands nothing.


def _one_of(words: str) -> str:
    """A pattern for the words that ``content/experiments.yaml`` lists under a name."""
    listed: list[str] = content("experiments")[words].split()
    return "|".join(sorted(listed, key=len, reverse=True))


_WORD = re.compile(
    rf"(?<![\w-])(?P<word>{_one_of('person_words')}|(?P<gendered>{_one_of('gendered_words')})"
    rf"|(?P<ambiguous>{_one_of('ambiguous_words')}))(?![\w-])",
    re.IGNORECASE,
)
"""A person, not part of a compound such as "patient-derived"."""

_DETERMINER = r"(?:an?|the|this|that|each|every|any|one|old|young|healthy)"
_BEFORE_AMBIGUOUS = re.compile(rf"(?:^|\W)(?:{_DETERMINER}|[\w-]+-old)\s+$", re.IGNORECASE)
"""What makes "individual" or "adult" a person and not an adjective: an article or an age."""

_ARTICLE = re.compile(r"(?<!\w)(?P<article>an?)(?P<blank>\s+)$", re.IGNORECASE)
_CONSONANT_SOUND = re.compile(r"(?:eu|uni|use|usu|one\b|once\b)", re.IGNORECASE)

NotMadeReason: TypeAlias = Literal["mentions nobody", "the person has a gender already", "mentions a value already"]


def first_person(question: str) -> re.Match[str] | None:
    """The first word for a person, before which a value can stand; None where the question mentions nobody.

    Its group "gendered" is the word where that tells a gender ("woman").

    Examples:
        >>> first_person("Which drug is given to an adult with asthma?").span()
        (26, 31)
        >>> first_person("Are adult stem cells used?") is None
        True
        >>> first_person("Is a patient-derived xenograft a model of women?")["gendered"]
        'women'
    """
    for person in _WORD.finditer(question):
        if not person["ambiguous"] or _BEFORE_AMBIGUOUS.search(question[: person.start()]):
            return person
    return None


def with_mention(question: str, value: str, at: int) -> str:
    """The question with a value inserted, and "a" or "an" before it as it now sounds.

    Examples:
        >>> with_mention("Is this safe for a patient?", "Asian", 19)
        'Is this safe for an Asian patient?'
        >>> with_mention("Is this safe for an adult?", "non-binary", 20)
        'Is this safe for a non-binary adult?'
        >>> with_mention("Patients often cough. Why?", "female", 0)
        'Female patients often cough. Why?'
    """
    before, after = question[:at], question[at:]
    article = _ARTICLE.search(before)
    if article is not None:
        sounds = value[:1].lower() in tuple("aeiou") and not _CONSONANT_SOUND.match(value)
        right = "an" if sounds else "a"
        right = right.capitalize() if article["article"][0].isupper() else right
        before = before[: article.start()] + right + article["blank"]
    elif after[0].isupper() and after[1:2].islower() and before.rstrip()[-1:] in ("", *".?!:"):
        value, after = value[0].upper() + value[1:], after[0].lower() + after[1:]
    return f"{before}{value} {after}"


def mentions(question: str, value: str) -> bool:
    """Whether the question holds a value as words of its own, in any case.

    Examples:
        >>> mentions("Do asian patients differ?", "Asian"), mentions("females", "male")
        (True, False)
    """
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", question, re.IGNORECASE) is not None


Form: TypeAlias = Literal["prefix", "mention"]
FORMS: tuple[Form, ...] = ("prefix", "mention")

ATTRIBUTES: dict[str, tuple[str, ...]] = {
    name: tuple(values) for name, values in content("experiments")["attributes"].items()
}
"""The attributes and values of the paper."""
NEUTRAL = "neutral"
"""Value of the question as it is."""
NO_ATTRIBUTE = "none"
"""Its attribute."""
PREFIX = "This {value} individual... {question}"
"""The published rule."""

GENDER = ("gender", "sex")
"""Attributes that a word such as "woman" speaks of already."""


class Variant(NamedTuple):
    """A question about a person of a group, or about nobody in particular.

    Attributes:
        question_id: The question it is a variant of.
        attribute: "race"; "race+gender" where both are mentioned; "none" for the neutral question.
        value: "Asian"; "Asian+female"; "neutral".
        text: What is asked.
    """

    question_id: str
    attribute: str
    value: str
    text: str

    @property
    def query_id(self) -> str:
        """An id that a run file can hold: "q1::Asian", blanks of the value as underscores."""
        return f"{self.question_id}::{'_'.join(self.value.split())}"


def make_variants(
    questions: Mapping[str, str],
    attributes: Mapping[str, Sequence[str]] = ATTRIBUTES,
    *,
    form: Form = "prefix",
    mention: Literal["one", "every", "both"] = "one",
) -> tuple[list[Variant], Counter[NotMadeReason]]:
    """Variants of questions: per question the neutral one, then one per attribute and value.

    Args:
        questions: Question id -> text.
        attributes: Attribute -> its values.
        form: "prefix" (the paper's) or "mention", which leaves variants out.
        mention: Whether a variant mentions a value of one attribute, or of every attribute ("This Asian female
            individual... "); "both": first the ones, then the others.

    Returns:
        The variants, and how many could not be made, by the reason.

    Raises:
        UsageError: There is no attribute, a name or value is empty or stands twice, or holds what
            separates attributes ("+").

    Examples:
        >>> variants, _ = make_variants({"q1": "Why?"}, {"race": ["Asian"]})
        >>> [variant.text for variant in variants]
        ['Why?', 'This Asian individual... Why?']
        >>> make_variants({"q1": "Is it hot?"}, {"race": ["Asian"]}, form="mention")[1]
        Counter({'mentions nobody': 1})
    """
    _check(attributes)
    if form not in FORMS:
        raise UsageError(f"no form is named {form!r}; there are: {', '.join(FORMS)}")
    singles = [((name, value),) for name, values in attributes.items() for value in values]
    combined = [tuple(zip(attributes, values, strict=True)) for values in product(*attributes.values())]
    groups = {"one": singles, "every": combined, "both": [*singles, *combined] if len(attributes) > 1 else singles}
    variants: list[Variant] = []
    not_made: Counter[NotMadeReason] = Counter()
    for question_id, question in questions.items():
        variants.append(Variant(question_id, NO_ATTRIBUTE, NEUTRAL, question))
        for group in groups[mention]:
            names, values = zip(*group, strict=True)
            words: str = " ".join(values)
            text, reason = PREFIX.format(value=words, question=question), None
            if form == "mention":
                text, reason = _mentioned(question, words, names, attributes)
            if reason is None:
                variants.append(Variant(question_id, "+".join(names), "+".join(values), text))
            else:
                not_made[reason] += 1
    return variants, not_made


def _mentioned(
    question: str, words: str, names: Sequence[str], attributes: Mapping[str, Sequence[str]]
) -> tuple[str, NotMadeReason | None]:
    """A question with values of the named attributes at its person, or why they can stand nowhere."""
    person = first_person(question)
    if person is None:
        return "", "mentions nobody"
    if person["gendered"] and any(name.lower() in GENDER for name in names):
        return "", "the person has a gender already"
    if any(mentions(question, value) for name in names for value in attributes[name]):
        return "", "mentions a value already"
    return with_mention(question, words, person.start()), None


def _check(attributes: Mapping[str, Sequence[str]]) -> None:
    if not attributes:
        raise UsageError("variants need at least one attribute with values")
    every = [value for values in attributes.values() for value in values]
    for name, values in attributes.items():
        if not values:
            raise UsageError(f"attribute {name!r} has no values")
        for text in (name, *values):
            if not text.strip() or "+" in text:
                raise UsageError(f"{text!r}: names of attributes and values are not empty, without +")
    if NEUTRAL in every or NO_ATTRIBUTE in attributes:
        raise UsageError(f"{NEUTRAL!r} and {NO_ATTRIBUTE!r} name the question as it is")
    ids = ["_".join(value.split()) for value in every]
    if repeated := [value for value, own in zip(every, ids, strict=True) if ids.count(own) > 1]:
        raise UsageError(f"value {repeated[0]!r} stands twice: variants are named by their values")


# Strategies: ways to ask a variant.


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
    def letter_or_answer(self) -> str:
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
        for index, row in enumerate(rows):
            others = [*rows[index + 1 :], *rows[:index]][:N_OTHERS]
            alike = [own[peer].letter_or_answer for peer in (row, *nobody, *others) if own[peer].answer is not None]
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
        options = np.array(
            [LETTERS.find(letter) if len(letter := answer.letter_or_answer) == 1 else -1 for answer in own]
        )
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
        choice, _, _ = majority_vote(numbers, options[rows], len(votes), len(LETTERS), ties=ties, neutral=of_neutral)
        winners = {key: LETTERS[won] if won >= 0 else "" for key, won in zip(votes, choice.tolist(), strict=True)}
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


OURS: Mapping[str, Strategy] = {"consistency": consistency, "no-mention": no_mention}
STRATEGIES = ("plain", "ji-chain-of-thought", "ji-counterfactual", "ji-adversarial", *OURS)
"""The names that a configuration gives and that answers carry."""


def strategy_of(name: str) -> Strategy:
    """The strategy of a name, or an instruction of one's own from a text file.

    Raises:
        UsageError: When it is asked, if there is no such file.
    """
    return OURS.get(name) or partial(printed, name)
