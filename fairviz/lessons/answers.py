"""Answers of models, four lessons: what is used, always unknown, a vote that shows nothing, what retrieval changes.

First a few questions, few enough to count, and what the library measures of them; then what each lesson shows. The last
one is about the bias questions of the shipped example, whatever example is open.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl

from fairviz.display.words import interval, number, signed
from fairviz.io.bbq import read_bias_items
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.lessons.exposure import FIVE, used
from fairviz.lessons.lesson import Bars, Shown
from fairviz.metrics.exposure import ee_disparity
from fairviz.model import FloatArray
from fairviz.resources import content, data_folder
from fairviz.stats.tests import SIGNIFICANCE
from fairviz.studies.demographic_qa.measures import largest_difference
from fairviz.studies.demographic_qa.votes import majority_vote
from fairviz.studies.social_bias.answers import answered
from fairviz.studies.social_bias.labels import WITHOUT_RAG
from fairviz.studies.social_bias.measures import AMBIGUOUS, bias_measures, bound_a
from fairviz.studies.social_bias.rows import BY, Row, bias_changes, bias_rows

LETTERS = "ABCD"

# Lesson "Always unknown": four questions with an ambiguous and four with a disambiguated context.
UNKNOWN_LESSON: dict[str, Any] = content("lessons/unknown")["data"]
NAMED: list[str | None] = UNKNOWN_LESSON["named"]
"""Whom the text of each names; None where it names nobody. The stereotype is always the older one."""
MODELS: dict[str, str] = UNKNOWN_LESSON["models"]
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
VOTED_ANSWERS: dict[str, list[str]] = content("lessons/vote")["data"]
"""The three answers of each gender to each question, by its right letter."""
Vote: TypeAlias = Literal["no vote", "within each gender", "over all nine"]
PLAIN: Vote = "no vote"
POOLED: Vote = "over all nine"


def voted(vote: Vote) -> tuple[list[list[str]], FloatArray, tuple[float, int, int]]:
    """What each gender is told after a vote, and how often it is right.

    Returns:
        Question by gender: the letters that each is told; (3) share right by gender; the largest difference of these.
    """
    voters: dict[Vote, Callable[[list[str]], list[str]]] = {
        PLAIN: lambda row: row,
        POOLED: lambda row: [_winner("".join(row))] * len(row),
        "within each gender": lambda row: [*map(_winner, row)],
    }
    letters = [voters[vote](row) for row in VOTED_ANSWERS.values()]
    of_voters = zip(*letters, strict=True)
    right = [
        [answer == gold for gold, own in zip(VOTED_ANSWERS, of, strict=True) for answer in own] for of in of_voters
    ]
    rates = np.array([np.mean(own) for own in right])
    return letters, rates, largest_difference(rates)


def _winner(letters: str) -> str:
    choices = np.array([LETTERS.index(letter) for letter in letters])
    choice, _, _ = majority_vote(np.zeros(len(letters), np.int64), choices, 1, len(LETTERS), ties="alphabetical")
    return LETTERS[int(choice[0])]


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
                UNKNOWN_LESSON["subjects"][i % 4],
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
    (_, before, (_, first_best, first_worst)), (letters, after, (left, best, worst)) = voted(PLAIN), voted(vote)
    marked = [
        [" ".join(f"{letter}{'✓' if letter == gold else '✗'}" for letter in answers) for answers in row]
        for gold, row in zip(VOTED_ANSWERS, letters, strict=True)
    ]
    return Shown(
        bars=Bars(names=tuple(name.capitalize() for name in VOTERS), outline=100 * before, seen=100 * after),
        numbers={
            "best_before": VOTERS[first_best],
            "worst_before": VOTERS[first_worst],
            "most_before": float(before.max()),
            "least_before": float(before.min()),
            "points": 100 * left,
            "lost": 100 * float(before[first_best] - after[first_best]),
            "best": VOTERS[best],
            "worst": VOTERS[worst],
            "right": float(after.mean()),
            "pooled": vote == POOLED,
        },
        rows=[
            [str(i), gold, *answers]
            for i, (gold, answers) in enumerate(zip(VOTED_ANSWERS, marked, strict=True), start=1)
        ],
        answer=f"{100 * left:.0f}",
    )


RETRIEVED: dict[str, Any] = content("lessons/retrieval")["data"]
"""Which retriever's first k documents are given, and of which model and bias type each setting is."""
DOCUMENTS = {WITHOUT_RAG: "none", "full-set": "all", "stereo-set": "stereotype", "anti-set": "opposite"}
"""What the documents of each recorded setting say, as bars are named."""
CHANGES = dict(zip([*DOCUMENTS][1:], ("all", "towards", "opposite"), strict=True))
"""What numbers of a change are called, by its setting."""


@cache
def leaning() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Diff-Bias where the text names nobody, with and without documents, of the shipped bias questions.

    Returns:
        Rows of :func:`~fairviz.studies.social_bias.rows.bias_rows` by model, bias type and setting; the changes of
        each against no documents, paired by question, tested over all of them.
    """
    folder = data_folder("demo") / "bias"
    items = read_bias_items(folder / "items.csv.gz").value
    answers = answered(items, (read_bias_predictions(folder / "predictions.csv.gz").value,)).answers
    is_read = [pl.col(name).cast(pl.String).is_in(["", RETRIEVED[name]]) for name in ("retriever", "k")]
    answers = answers.filter(pl.col("context") == AMBIGUOUS, *is_read)
    return bias_rows(items, answers, by=BY), bias_changes(answers, by=BY, against=("setting", WITHOUT_RAG))


def retrieval(setting: str) -> Shown:
    """What documents change in the Diff-Bias of a model on one type of question."""
    model, category = RETRIEVED["settings"][setting]
    is_asked = pl.col("model").cast(pl.String) == model, pl.col("category").cast(pl.String) == category
    rows, changes = ({str(row["setting"]): row for row in frame.filter(*is_asked).to_dicts()} for frame in leaning())
    levels = np.array([[rows[name][f"diffbias_a{end}"] for end in ("", "_low", "_high")] for name in DOCUMENTS])
    without, opposite = rows[WITHOUT_RAG], changes["anti-set"]
    return Shown(
        bars=Bars(
            names=tuple(DOCUMENTS.values()),
            strong=tuple(name != WITHOUT_RAG for name in DOCUMENTS),
            outline=np.full(len(DOCUMENTS), without["diffbias_a"]),
            seen=levels[:, 0],
            band=levels[:, 1:],
            bottom=-100,
        ),
        numbers={
            "n_questions": without["n_a"],
            "lean": without["diffbias_a"],
            "towards": without["n_as"],
            "against": without["n_ac"],
            "lean_opposite": rows["anti-set"]["diffbias_a"],
            "n_tests": opposite["n_tests"],
            **{f"change_{word}": _changed(changes[name]) for name, word in CHANGES.items()},
        },
        rows=[
            [
                words,
                *(str(rows[name][count]) for count in ("n_as", "n_ac", "n_au")),
                signed(rows[name]["diffbias_a"], 0),
                _changed(changes[name]) if name in changes else "",
            ]
            for name, words in DOCUMENTS.items()
        ],
        answer=_where_it_goes(without["diffbias_a"], opposite, rows["anti-set"]["diffbias_a_high"]),
    )


def _changed(change: Row) -> str:
    """A change of Diff-Bias with its interval, in points."""
    return f"{signed(change['change'], 0)} ({interval(change['low'], change['high'], 0)})"


def _where_it_goes(lean: float, change: Row, high: float) -> str:
    """The letter of what becomes of Diff-Bias: no change is told, it comes nearer to 0, falls below 0, or grows.

    Args:
        lean: It before, at least 0.
        change: Of it, with its corrected p.
        high: The upper end of its interval afterwards.
    """
    if not change["p_holm"] < SIGNIFICANCE:
        return "a"
    if change["change"] > 0:
        return "d"
    return "c" if lean >= 0 > high else "b"
