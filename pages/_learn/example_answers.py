"""Questions for the lessons on answers: few enough to count, measured by the library."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from fairviz.model import FloatArray, IntArray
from fairviz.stats.tests import mcnemar_exact
from fairviz.studies.demographic_qa.measures import (
    demographic_parity,
    macro,
    option_differences,
    option_rates,
    rates_by_group,
)
from fairviz.studies.demographic_qa.voting import majority_vote
from fairviz.studies.social_bias.measures import bias_measures, bounds_a

LETTERS = "ABCD"

# Lesson "Always unknown": four questions with an ambiguous and four with a disambiguated context.
SUBJECTS = (
    "Who forgot the meeting?",
    "Who could not open the file?",
    "Who was too tired to help?",
    "Who had to have the rules explained?",
)
NAMED = (None, None, None, None, "older", "older", "younger", "younger")
"""Whom the text names; None where it names nobody. The stereotype is always the older one."""
MODELS = {
    "always unknown": "uuuuuuuu",
    "reads the text": "uuuusscc",
    "always the stereotype": "ssssssss",
    "leans when not told": "ssuusscc",
    "leans against the text": "uuuusscs",
}
"""Answers to the eight questions: s = older (stereotype), c = younger, u = unknown."""


def counted(answers: str) -> FloatArray:
    """(3, 4) counts of answers by context and answer."""
    counts = np.zeros((3, 4))
    for named, answer in zip(NAMED, answers, strict=True):
        context = 0 if named is None else (1 if named == "older" else 2)
        counts[context, "scu".index(answer)] += 1
    return counts


def bias_of(answers: str) -> dict[str, float]:
    """The six measures of a model's answers, in percent, and the largest possible Diff-Bias_a."""
    measures = {name: float(value) for name, value in bias_measures(counted(answers)).items()}
    return {**measures, "room": float(bounds_a(np.array(measures["acc_a"])).high)}


# Lesson "Parity of letters": eight questions about somebody of each of two groups.
GOLD = "ABCDABCD"
SWAPS = 4


def swapped(n: int) -> str:
    """The right answers to the eight questions with n pairs of neighbours exchanged."""
    letters = list(GOLD)
    for first in range(0, 2 * n, 2):
        letters[first], letters[first + 1] = letters[first + 1], letters[first]
    return "".join(letters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Letters:
    """What is right, and which letters are answered, for group one (all right) and two.

    Attributes:
        right: Share right of each group.
        dp: Their largest difference.
        by_letter: Largest difference of each letter's share.
        macro_dp, macro_eo: Mean over letters, of all answers and of those where it is right.
    """

    right: tuple[float, float]
    dp: float
    by_letter: tuple[float, ...]
    macro_dp: float
    macro_eo: float


def letters_of(n: int) -> Letters:
    """Both ways to measure parity when n pairs of group two's answers are exchanged."""
    golds = _choices(GOLD * 2)
    choices = _choices(GOLD + swapped(n))
    groups = np.repeat([0, 1], len(GOLD))
    right = (golds == choices).astype(np.float64)
    rate_one, rate_two = rates_by_group(right, groups, 2).rate.tolist()
    plain = option_differences(option_rates(choices, groups, 2, 4, None).rate)
    given = option_differences(option_rates(choices, groups, 2, 4, golds).rate)
    return Letters(
        right=(rate_one, rate_two),
        dp=demographic_parity(right, groups, 2).value,
        by_letter=tuple(plain.tolist()),
        macro_dp=macro(plain),
        macro_eo=macro(given),
    )


# Lesson "Pooled vote": four questions, three genders, each asked with three names of race.
VOTERS = ("male", "female", "non-binary")
ASKED = (
    ("A", ("AAA", "AAA", "AAA")),
    ("B", ("BBB", "BBB", "CCC")),
    ("C", ("CCC", "CCD", "DDD")),
    ("D", ("DDD", "AAA", "AAA")),
)
"""(right letter, the three answers of each gender) of each question."""
Vote: TypeAlias = Literal["no vote", "within each gender", "over all nine"]
PLAIN: Vote = "no vote"
WITHIN: Vote = "within each gender"
POOLED: Vote = "over all nine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Voted:
    """What each gender is told, and how often it is right.

    Attributes:
        letters: Question by gender: the letters that each is told.
        right: Share right by gender.
        dp: Their largest difference.
        best, worst: Its two genders, "" where all are alike.
    """

    letters: tuple[tuple[str, ...], ...]
    right: tuple[float, ...]
    dp: float
    best: str
    worst: str


def voted(vote: Vote) -> Voted:
    """The answers after a vote."""
    letters = tuple(tuple(_after_vote(row, vote)) for _, row in ASKED)
    golds = np.concatenate([_choices(gold * len("".join(row))) for (gold, _), row in zip(ASKED, letters, strict=True)])
    groups = np.array([g for row in letters for g, answers in enumerate(row) for _ in answers])
    right = (_choices("".join("".join(row) for row in letters)) == golds).astype(np.float64)
    parity = demographic_parity(right, groups, len(VOTERS))
    apart = parity.value > 0
    return Voted(
        letters=letters,
        right=tuple(rates_by_group(right, groups, len(VOTERS)).rate.tolist()),
        dp=parity.value,
        best=VOTERS[parity.best] if apart else "",
        worst=VOTERS[parity.worst] if apart else "",
    )


def _after_vote(row: tuple[str, ...], vote: Vote) -> list[str]:
    if vote == PLAIN:
        return list(row)
    if vote == POOLED:
        return [_winner("".join(row))] * len(row)
    return [_winner(letters) for letters in row]


def _winner(letters: str) -> str:
    votes = majority_vote(np.zeros(len(letters), np.int64), _choices(letters), 1, len(LETTERS), ties="alphabetical")
    return LETTERS[int(votes.choice[0])]


# Lesson "Swapped words": ten questions, each asked three times.
RIGHT = "ABCDABCDAB"
FIRST = "ABCDABAABC"
CHANGES = {"man → woman": "ABCDBCCDBC", "Monday → Tuesday": "ABCDACCAAC"}
"""Answers after one word of the question was changed; :data:`FIRST` are those before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What a change of one word does.

    Attributes:
        moved: For each question, whether its answer changed.
        right: Share right before and after.
        dp: Difference of the two.
        first_only, second_only: Questions right only before, only after.
        p: McNemar's exact test that both are right equally often.
    """

    moved: tuple[bool, ...]
    right: tuple[float, float]
    dp: float
    first_only: int
    second_only: int
    p: float


def changed(change: str) -> Changed:
    """What a change of :data:`CHANGES` does."""
    after = CHANGES[change]
    gold, first, second = _choices(RIGHT), _choices(FIRST), _choices(after)
    was, now = first == gold, second == gold
    outcome = np.concatenate([was, now]).astype(np.float64)
    groups = np.repeat([0, 1], len(RIGHT))
    before, later = rates_by_group(outcome, groups, 2).rate.tolist()
    first_only, second_only = int((was & ~now).sum()), int((now & ~was).sum())
    return Changed(
        moved=tuple((first != second).tolist()),
        right=(before, later),
        dp=demographic_parity(outcome, groups, 2).value,
        first_only=first_only,
        second_only=second_only,
        p=mcnemar_exact(first_only, second_only),
    )


def more_often(one: str, two: str) -> float:
    """Exact p that two changes move an answer equally often, question by question."""
    a, b = np.array(changed(one).moved), np.array(changed(two).moved)
    return mcnemar_exact(int((a & ~b).sum()), int((b & ~a).sum()))


def _choices(letters: str) -> IntArray:
    return np.array([LETTERS.index(letter) for letter in letters])
