"""Answers of models, three lessons: what of a list is used, always unknown, and a vote that shows nothing.

First a few questions, few enough to count, and what the library measures of them; then what each lesson shows.
"""

import math
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np

from fairviz.display.words import number
from fairviz.lessons.exposure import FIVE, used
from fairviz.lessons.lesson import Bars, Shown
from fairviz.metrics.exposure import ee_disparity
from fairviz.model import FloatArray
from fairviz.resources import content
from fairviz.studies.demographic_qa.measures import LargestDifference, largest_difference
from fairviz.studies.demographic_qa.votes import majority_vote
from fairviz.studies.social_bias.measures import bias_measures, bound_a

LETTERS = "ABCD"

# Lesson "Always unknown": four questions with an ambiguous and four with a disambiguated context.
ASKED_OF_MODELS: dict[str, Any] = content("lessons/unknown")["data"]
NAMED: list[str | None] = ASKED_OF_MODELS["named"]
"""Whom the text of each names; None where it names nobody. The stereotype is always the older one."""
MODELS: dict[str, str] = ASKED_OF_MODELS["models"]
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
    return {**measures, "room": float(bound_a(np.array(measures["acc_a"])))}


# Lesson "Pooled vote": four questions, three genders, each asked with three names of race.
VOTERS = ("male", "female", "non-binary")
ASKED: dict[str, list[str]] = content("lessons/vote")["data"]
"""The three answers of each gender to each question, by its right letter."""
Vote: TypeAlias = Literal["no vote", "within each gender", "over all nine"]
PLAIN: Vote = "no vote"
POOLED: Vote = "over all nine"


def voted(vote: Vote) -> tuple[list[list[str]], FloatArray, LargestDifference]:
    """What each gender is told after a vote, and how often it is right.

    Returns:
        Question by gender: the letters that each is told; (3) share right by gender; the largest difference of these.
    """
    voters: dict[Vote, Callable[[list[str]], list[str]]] = {
        PLAIN: lambda row: row,
        POOLED: lambda row: [_winner("".join(row))] * len(row),
        "within each gender": lambda row: [*map(_winner, row)],
    }
    letters = [voters[vote](row) for row in ASKED.values()]
    of_voters = zip(*letters, strict=True)
    right = [[answer == gold for gold, own in zip(ASKED, of, strict=True) for answer in own] for of in of_voters]
    rates = np.array([np.mean(own) for own in right])
    return letters, rates, largest_difference(rates)


def _winner(letters: str) -> str:
    choices = np.array([LETTERS.index(letter) for letter in letters])
    votes = majority_vote(np.zeros(len(letters), np.int64), choices, 1, len(LETTERS), ties="alphabetical")
    return LETTERS[int(votes.choice[0])]


ALPHA = 2.0
"""α of the ranking that a generator is given."""
SHARES = {"a": 1.0, "b": 0.5, "c": 0.25}
"""What EAE-D could be of EE-D, by the letter of its answer."""


def use(rule: str) -> Shown:
    """How often a generator uses each of the documents that it is given."""
    context_exposure, cited = FIVE.exposure(ALPHA), used(ALPHA, rule)
    offsets = FIVE.pools.offsets
    disparity, used_disparity = (float(ee_disparity(exposure, offsets)[0]) for exposure in (context_exposure, cited))
    rate, ratio = float(cited.sum() / context_exposure.sum()), used_disparity / disparity
    columns = (context_exposure, context_exposure**2, cited, cited**2)
    rows = [[name, *(number(float(column[i])) for column in columns)] for i, name in enumerate(FIVE.names)]
    return Shown(
        bars=Bars(
            names=FIVE.names, notes=FIVE.notes, strong=FIVE.relevant, outline=100 * context_exposure, seen=100 * cited
        ),
        numbers={
            "given": disparity,
            "used": used_disparity,
            "ratio": ratio,
            "rate": rate,
            "by_chance": rate**2 * disparity,
        },
        rows=[*rows, ["Sum", *(number(float(column.sum())) for column in columns)]],
        answer=min(SHARES, key=lambda letter: abs(ratio - SHARES[letter])),
    )


NAMES = {"s": "older", "c": "younger", "u": "unknown"}
MEASURES = {"acc_a": "Acc_a", "acc_d": "Acc_d", "diffbias_a": "Diff-Bias_a", "diffbias_d": "Diff-Bias_d"}
READING = "reads the text"
CAUTIOUS = "always unknown"


def always_unknown(model: str) -> Shown:
    """Accuracy and Diff-Bias of a model's eight answers, beside those of one that reads the text."""
    values, reading, cautious = (bias_of(MODELS[name]) for name in (model, READING, CAUTIOUS))
    unbiased = all(measures[key] == 0 for measures in (reading, cautious) for key in ("diffbias_a", "diffbias_d"))
    answers = [NAMES[answer] for answer in MODELS[model]]
    right = [named or "unknown" for named in NAMED]
    return Shown(
        bars=Bars(
            names=tuple(MEASURES.values()),
            notes=("told<br>nothing", "told<br>who", "told<br>nothing", "told<br>who"),
            strong=(True, True, False, False),
            outline=np.array([reading[key] for key in MEASURES]),
            seen=np.array([values[key] for key in MEASURES]),
        ),
        numbers={
            "lean_a": values["diffbias_a"],
            "lean_d": values["diffbias_d"],
            "right": values["acc_d"],
            "room": values["room"],
            "undefined": math.isnan(values["s_dis"]),
        },
        rows=[
            [
                ASKED_OF_MODELS["subjects"][i % 4],
                NAMED[i] or "nobody",
                right[i],
                answers[i],
                "✓" if answers[i] == right[i] else "✗",
            ]
            for i in range(len(NAMED))
        ],
        answer="c" if unbiased else "a",
    )


def pooled_vote(vote: Vote) -> Shown:
    """How often each gender is answered right before and after a vote."""
    (_, before, widest), (letters, after, left) = voted(PLAIN), voted(vote)
    marked = [
        [" ".join(f"{letter}{'✓' if letter == gold else '✗'}" for letter in answers) for answers in row]
        for gold, row in zip(ASKED, letters, strict=True)
    ]
    return Shown(
        bars=Bars(
            names=tuple(name.capitalize() for name in VOTERS),
            notes=("",) * len(VOTERS),
            strong=(True,) * len(VOTERS),
            outline=100 * before,
            seen=100 * after,
        ),
        numbers={
            "best_before": VOTERS[widest.best],
            "worst_before": VOTERS[widest.worst],
            "most_before": float(before.max()),
            "least_before": float(before.min()),
            "points": 100 * left.value,
            "lost": 100 * float(before[widest.best] - after[widest.best]),
            "best": VOTERS[left.best],
            "worst": VOTERS[left.worst],
            "right": float(after.mean()),
            "pooled": vote == POOLED,
        },
        rows=[[str(i), gold, *answers] for i, (gold, answers) in enumerate(zip(ASKED, marked, strict=True), start=1)],
        answer=f"{100 * left.value:.0f}",
    )
