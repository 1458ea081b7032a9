"""Questions for the lessons on answers: few enough to count, measured by the library."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from fairviz.model import FloatArray, IntArray
from fairviz.studies.demographic_qa.measures import demographic_parity, rates_by_group
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


def _choices(letters: str) -> IntArray:
    return np.array([LETTERS.index(letter) for letter in letters])
