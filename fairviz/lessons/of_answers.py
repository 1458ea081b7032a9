"""Answers of models, three lessons: what of a list is used, always unknown, and a vote that shows nothing."""

import math

import numpy as np

from fairviz.display.words import THIN, number, percent, signed
from fairviz.lessons.bars import Bars
from fairviz.lessons.example_answers import (
    ASKED,
    MODELS,
    NAMED,
    PLAIN,
    POOLED,
    SUBJECTS,
    VOTERS,
    WITHIN,
    Vote,
    bias_of,
    voted,
)
from fairviz.lessons.example_exposure import FIVE, used
from fairviz.lessons.guesses import Choice, Number
from fairviz.lessons.lesson import Chapter, Lesson, OneOf, Own, Readout, Sum
from fairviz.metrics.exposure import ee_disparity

ALPHA = 2.0
RULES = ("every second one", "only relevant ones", "only the first")
"""Three simple generators."""


def _use(rule: str) -> Bars:
    return Bars(
        title="of 100 answers, how many use it",
        names=FIVE.names,
        notes=FIVE.notes,
        strong=FIVE.relevant,
        outline=100 * FIVE.exposure(ALPHA),
        outlined="outline: given to the generator",
        seen=100 * used(ALPHA, rule),
    )


def _squares(rule: str) -> tuple[float, float, float]:
    """EE-D of what is given, EAE-D of what is used, both raw, and EAR."""
    given, cited = FIVE.exposure(ALPHA), used(ALPHA, rule)
    offsets = FIVE.pools.offsets
    disparities = float(ee_disparity(given, offsets)[0]), float(ee_disparity(cited, offsets)[0])
    return *disparities, float(cited.sum() / given.sum())


def _use_readouts(rule: str) -> list[Readout]:
    given, cited, rate = _squares(rule)
    return [
        (number(given, 2), "EE-D of what is given (raw)", ""),
        (number(cited, 2), f"EAE-D of what is used: {percent(cited / given)}", "optimal"),
        (number(rate**2 * given, 2), f"EAR² · EE-D: equal chance at EAR {percent(rate)}", ""),
    ]


def _use_sums(rule: str) -> Sum:
    given, cited = FIVE.exposure(ALPHA), used(ALPHA, rule)
    rows = [
        [name, *(number(float(x), 3) for x in (given[i], given[i] ** 2, cited[i], cited[i] ** 2))]
        for i, name in enumerate(FIVE.names)
    ]
    total = ["Sum", *(number(float(x.sum()), 3) for x in (given, given**2, cited, cited**2))]
    return Sum(["Document", "given ε", "ε²", "used ε_a", "ε_a²"], [*rows, total], f"Plackett–Luce at α = {ALPHA:g}.")


def _use_answer() -> str:
    given, cited, _ = _squares(RULES[0])
    shares = (1.0, 0.5, 0.25)
    return "abc"[min(range(3), key=lambda i: abs(cited / given - shares[i]))]


USE = Lesson(
    slug="use",
    name="Use",
    minutes=3,
    title="Shown is not used: does the answer share as the list does?",
    text="A generator is given two of the five documents, drawn at α = 2, and uses each of them in its answer with "
    "chance ½, whichever it is. EE-D sums the squares of how often documents are given, EAE-D those of how often they "
    "are used.",
    ask="EAE-D is then …",
    kind=Choice(("as large as EE-D", "half of EE-D", "a quarter of EE-D", "it depends on which documents are drawn")),
    answer=_use_answer,
    finding=lambda: (
        f"EAE-D is {percent(_squares(RULES[0])[1] / _squares(RULES[0])[0])} of EE-D: less used, not more equally used"
    ),
    why="Every exposure is halved, so every square is a quarter: EAE-D = EAR² · EE-D. That is the line of equal "
    "chance on Attribution; above it a generator concentrates on some documents.",
    start=RULES[0],
    picture=_use,
    control=OneOf(label="It uses", key="uses", settings={name: name for name in RULES}, start=RULES[0]),
    readouts=_use_readouts,
    sums=_use_sums,
    how=r"""
**Outline**: how often a document is given; **bars**: how often it is used; blue: relevant.

$$
\text{EAR}=\tfrac1k\sum_d\varepsilon_{a,d},\qquad
\text{EAE-D}=\lVert\varepsilon_a\rVert^2=\sum_d\varepsilon_{a,d}^2
$$

EAE-D falls when less is used at all. Only beside $\text{EAR}^2\cdot\text{EE-D}$, what equal
chance would give, does it say whether the generator concentrates. *Kim & Diaz 2025, 3.3.3–3.3.4.*
""",
    own=Own("attribution", "Attribution: EAE-D by EE-D of your answers"),
    draw="The outlines are how often each is given. Shade how often each is used.",
    discuss="A generator uses only the first document that it is given. Does a fairer ranking help the authors of the "
    "others? What else would have to change?",
    first_guess="“Half used is half the disparity” (b). Squares: a half of each is a quarter of the sum.",
    source="Kim and Diaz 2025, 3.3.3 and 3.3.4",
)


NAMES = {"s": "older", "c": "younger", "u": "unknown"}
CAUTIOUS, READING = "always unknown", "reads the text"
MEASURES = (("acc_a", "Acc_a"), ("acc_d", "Acc_d"), ("diffbias_a", "Diff-Bias_a"), ("diffbias_d", "Diff-Bias_d"))


def _heights(model: str) -> list[float]:
    values = bias_of(MODELS[model])
    return [values[key] for key, _ in MEASURES]


def _unknown(model: str) -> Bars:
    return Bars(
        title="in %; Diff-Bias above 0: towards the stereotype",
        names=tuple(name for _, name in MEASURES),
        notes=("told<br>nothing", "told<br>who", "told<br>nothing", "told<br>who"),
        strong=(True, True, False, False),
        outline=np.array(_heights(READING)),
        outlined="outline: a model that reads the text",
        seen=np.array(_heights(model)),
    )


def _unknown_answer() -> str:
    """Whether a model that always says unknown and one that reads have the same Diff-Bias."""
    alike = _heights(CAUTIOUS)[2:] == _heights(READING)[2:] == [0, 0]
    return "c" if alike else "a"


def _unknown_readouts(model: str) -> list[Readout]:
    values = bias_of(MODELS[model])
    lean = [values["diffbias_a"], values["diffbias_d"]]
    return [
        (" | ".join(signed(x, 0) if x else "0" for x in lean), "Diff-Bias where the text does not say | says who", ""),
        (f"{number(values['acc_d'], 0)} %", "right where the text says who ↑", "plackett-luce"),
        (number(values["room"], 0), "the most that Diff-Bias_a can be at this Acc_a", ""),
    ]


def _unknown_sums(model: str) -> Sum:
    rows: list[list[str]] = [
        [
            SUBJECTS[i % len(SUBJECTS)],
            named or "nobody",
            named or "unknown",
            NAMES[MODELS[model][i]],
            "✓" if NAMES[MODELS[model][i]] == (named or "unknown") else "✗",
        ]
        for i, named in enumerate(NAMED)
    ]
    undefined = " s_DIS is undefined, not 0." if math.isnan(bias_of(MODELS[model])["s_dis"]) else ""
    return Sum(
        ["Question", "the text names", "right", "the model says", ""],
        rows,
        f"Eight questions; the stereotype is always “older”. |Diff-Bias_a| ≤ 100 − Acc_a.{undefined}",
    )


ALWAYS_UNKNOWN = Lesson(
    slug="unknown",
    name="Always unknown",
    minutes=4,
    title="Diff-Bias is 0: what kind of model is it?",
    text="Eight questions about an older and a younger colleague, such as “Who forgot the meeting?” Four texts do not "
    "say who it was: “unknown” is right. Four say it. Diff-Bias counts answers towards the stereotype minus answers "
    "against it. One model scores 0 in both cases: when the text does not say, and when it does.",
    ask="Which model is it?",
    kind=Choice(
        (
            "One that reads the text and answers accordingly",
            "One that says “unknown” to everything",
            "It can be either: Diff-Bias does not tell them apart",
        )
    ),
    answer=_unknown_answer,
    finding=lambda: (
        "Either: a model that always says “unknown” has Diff-Bias 0, and "
        f"{number(_heights(CAUTIOUS)[1], 0)}{THIN}% right where the text says who"
    ),
    why="Diff-Bias counts answers towards the stereotype minus answers against it: who names nobody has 0 minus 0, "
    "right or not. So accuracy where the text says who stands beside it.",
    start=CAUTIOUS,
    picture=_unknown,
    control=OneOf(label="The model", key="lesson_model", settings={name: name for name in MODELS}, start=CAUTIOUS),
    readouts=_unknown_readouts,
    sums=_unknown_sums,
    how=r"""
$n_{au}$ of $n_a$ ambiguous questions are answered "unknown", $n_{as}$ with the stereotype,
$n_{ac}$ against it; $s$ and $c$ are texts in line with it and against it.

$$
\text{Acc}_a=\frac{n_{au}}{n_a},\quad\text{Acc}_d=\frac{n_{ss}+n_{cc}}{n_s+n_c},\quad
\text{Diff-Bias}_a=\frac{n_{as}-n_{ac}}{n_a},\quad
\text{Diff-Bias}_d=\frac{n_{ss}}{n_s}-\frac{n_{cc}}{n_c}
$$

*Parrish et al. 2022 (BBQ); Jin et al. 2024; Zhang, Zhou & Bollegala 2025, Appendix A.* The
questions here are ours.
""",
    own=Own("social_bias", "Social bias: level and accuracy of your models"),
    draw="The outlines are a model that reads the text. Shade one that says “unknown” to everything.",
    discuss="Is “I cannot say” a good answer where the text says it? What should a paper report beside Diff-Bias?",
    first_guess="“One that reads” (a): unbiased models answer like others. Then choose the models that lean.",
    source="Parrish et al. 2022; Zhang, Zhou and Bollegala 2025",
)


VOTES: tuple[Vote, ...] = (PLAIN, WITHIN, POOLED)


def _vote_text() -> str:
    before = voted(PLAIN)
    return (
        "Four medical questions, each asked about three genders with three names of race. "
        f"{before.best.capitalize()} patients are answered right in {percent(max(before.right))}, {before.worst} ones "
        f"in {percent(min(before.right))}. Now all nine variants of a question vote, and the winner is everybody's "
        "answer."
    )


def _vote(vote: Vote) -> Bars:
    return Bars(
        title="% of questions answered right",
        names=tuple(name.capitalize() for name in VOTERS),
        notes=("",) * len(VOTERS),
        strong=(True,) * len(VOTERS),
        outline=100 * np.array(voted(PLAIN).right),
        outlined="outline: before any vote",
        seen=100 * np.array(voted(vote).right),
    )


def _vote_finding() -> str:
    after, before = voted(POOLED), voted(PLAIN)
    best = VOTERS.index(before.best)
    return (
        f"{number(100 * after.dp, 0)} points apart by construction; {before.best} patients lose "
        f"{number(100 * (before.right[best] - after.right[best]), 0)} points"
    )


def _vote_readouts(vote: Vote) -> list[Readout]:
    after = voted(vote)
    apart = f"{after.best} over {after.worst}" if after.dp else "all get one answer"
    return [
        (f"{number(100 * after.dp, 0)} points", f"DP ↓: {apart}", "optimal"),
        (percent(sum(after.right) / len(after.right)), "right on average ↑", ""),
        ("nothing" if vote == POOLED else "the gap", "is what this DP can show", ""),
    ]


def _vote_sums(vote: Vote) -> Sum:
    rows: list[list[str]] = [
        [str(i), gold, *(" ".join(f"{one}{'✓' if one == gold else '✗'}" for one in told) for told in answers)]
        for i, ((gold, _), answers) in enumerate(zip(ASKED, voted(vote).letters, strict=True), start=1)
    ]
    return Sum(
        ["Question", "right", *(name.capitalize() for name in VOTERS)],
        rows,
        "What each is told. In question 4 the majority is wrong, for everybody.",
    )


POOLED_VOTE: Lesson[Vote] = Lesson(
    slug="vote",
    name="Pooled vote",
    minutes=3,
    title="Does a majority vote over all variants close the gap, or hide it?",
    text=_vote_text,
    ask="How many points apart are the genders then, in right answers?",
    kind=Number(),
    answer=lambda: f"{100 * voted(POOLED).dp:.0f}",
    finding=_vote_finding,
    why="One question has one answer after the vote. It is right for everybody or for nobody, so that no data whatever "
    "could show a difference. To see what is left of a gap, vote within each gender over the other attribute.",
    start=POOLED,
    picture=_vote,
    control=OneOf(label="Vote", key="lesson_vote", settings={name: name for name in VOTES}, start=POOLED),
    readouts=_vote_readouts,
    sums=_vote_sums,
    how=r"""
**Within each gender**: the three variants of one gender vote, ties go by the alphabet.
**Over all nine**: one answer $\hat y(q)$ for every gender $g$, so that

$$P(\hat Y=1\mid g)=\frac1Q\sum_q[\hat y(q)=y(q)]$$

does not depend on $g$, and $\text{DP}=0$ whatever the answers are. *Ji, Zhang & Wang 2025,
Majority Vote Aggregation; their text does not say over which variants DP is taken after the vote.*
""",
    own=Own("demographic_qa", "Demographic QA: gaps of your models, and votes"),
    draw="The outlines are before the vote. Shade each gender after it.",
    discuss="A hospital reports that its gap is gone since it votes. What do you ask? Who pays for a vote over all?",
    first_guess="“Part of the gap” (40). Ask what question 4 was like for male patients before.",
    source="Ji, Zhang and Wang 2025",
)

ANSWER_LESSONS = Chapter(name="Answers of models", lessons=(USE, ALWAYS_UNKNOWN, POOLED_VOTE))
