"""Six lessons on five items: attention, expected exposure, target, samples, optimal, use."""

import numpy as np
import streamlit as st

from fairviz.attention import Attention, Discounted, Geometric, Logarithmic, RankBiased, TopK
from fairviz.metrics.exposure import ee_disparity
from fairviz.model import Exposure
from fairviz.policies import PlackettLuce
from fairviz.show.words import number, percent, signed
from pages._kit import Toned, colours, html_table, readouts, show_figure, user_text
from pages._learn import example_exposure as five
from pages._learn.figures import Bars, bars_alt, bars_figure
from pages._learn.lesson import Guess, Lesson, alpha_slider, choose_one

ALPHA = 2.0
"""α of the questions."""
RANKS = 8
MODELS: dict[str, tuple[Attention, str]] = {
    "patient": (RankBiased(0.8), "Goes on to the next rank with chance 0.8: 0.8^(r−1) (rbp)."),
    "hasty": (Geometric(0.5), "Stops at every rank with chance 0.5: 0.5 · 0.5^(r−1) (geometric)."),
    "discount": (Discounted(), "1/log2(r+1), the discount of nDCG (dcg)."),
    "logarithm": (Logarithmic(), "1/log2(max(r, 2)): ranks 1 and 2 are alike (log)."),
    "machine": (TopK(5), "All of the first five, none below: a language model's context (topk)."),
}


def _attention_control() -> str:
    model = choose_one("Reader", list(MODELS), default="patient", key="reader")
    user_text(MODELS[model][1])
    return model


def _attention_chart(model: str, guess: Guess) -> None:
    weights = MODELS[model][0].weights(RANKS)
    bars = Bars(
        names=tuple(str(rank) for rank in range(1, RANKS + 1)),
        notes=("",) * RANKS,
        useful=(True,) * RANKS,
        fixed=100 * TopK(5 if guess.revealed else 1).weights(RANKS),
        seen=100 * weights if guess.revealed else None,
        guess=(4, float(guess.value)) if model == "patient" else None,
    )
    outline = "outline: the machine reader" if guess.revealed else "rank 1: everybody"
    figure = bars_figure(bars, colours=colours(), title="of 100 readers, how many see the rank", outline=outline)
    show_figure(figure, "attention", bars_alt(bars))


def _attention_verdict(model: str) -> None:
    weights = MODELS[model][0].weights(RANKS)
    total = float(weights.sum())
    readouts(
        [
            (number(total, 2), f"attention of {RANKS} ranks together", ""),
            (percent(float(weights[0]) / total), "of it on rank 1", "plackett-luce"),
            (percent(float(weights[4:].sum()) / total), "of it below rank 4", ""),
        ]
    )


ATTENTION = Lesson(
    name="Attention",
    slug="attention",
    title="How far down does anybody look?",
    text="Exposure is attention, and attention falls with rank. How fast is a choice of the person "
    "who measures: a patient reader, a hasty one, and a language model differ.",
    how=r"""
Each bar is $v_r$, the attention at rank $r$. **rbp**: $p^{\,r-1}$. **geometric**:
$\gamma(1-\gamma)^{r-1}$. **dcg**: $1/\log_2(r+1)$. **topk**: 1 up to rank $k$, else 0.

fairviz uses `topk` unless told otherwise, as *Kim & Diaz 2025, 3.3.1* do for machine users;
*Moffat & Zobel 2008* for rbp.
""",
    ask="A reader goes on to the next rank with chance 0.8. Of 100, how many see rank 5?",
    answer=lambda: float(100 * MODELS["patient"][0].weights(RANKS)[4]),
    start=80,
    why="To see rank 5 a reader goes on four times: 0.8 · 0.8 · 0.8 · 0.8 = 0.41.",
    first_guess="“Everybody reads everything.” Ask for a show of hands at rank 10 of the last search.",
    change="Change the reader",
    controls=_attention_control,
    defaults={"reader": "patient"},
    hidden="patient",
    chart=_attention_chart,
    verdict=_attention_verdict,
)


def _exposure_why() -> str:
    weights = np.exp(PlackettLuce(ALPHA).logits(np.array(five.SCORES)))
    first, both = five.exposure(ALPHA, TopK(1)), five.exposure(ALPHA)
    return (
        f"A has weight e^((1+1)²) = {weights[0]:.1f}; all five sum to {weights.sum():.1f}. "
        f"A is first with chance {first[0]:.2f}, second with chance {both[0] - first[0]:.2f}: "
        f"together {both[0]:.2f}."
    )


def _exposure_chart(alpha: float, guess: Guess) -> None:
    bars = Bars(
        names=five.NAMES,
        notes=five.NOTES,
        useful=five.USEFUL,
        fixed=100 * five.READER.weights(5),
        seen=100 * five.exposure(alpha) if guess.revealed else None,
        guess=(0, float(guess.value)) if alpha == ALPHA else None,
    )
    show_figure(bars_figure(bars, colours=colours()), "five-items", bars_alt(bars))


def _exposure_verdict(alpha: float) -> None:
    drawn, fixed = five.values(five.exposure(alpha)), five.values(five.READER.weights(5))
    readouts(
        [
            (
                number(drawn.attainable_disparity, 2),
                f"EE-D, disparity ↓ (fixed: {number(fixed.attainable_disparity, 2)})",
                "",
            ),
            (
                number(drawn.attainable_relevance, 2),
                f"EE-R, quality ↑ (fixed: {number(fixed.attainable_relevance, 2)})",
                "",
            ),
            (percent(drawn.useful_share), "of attention on useful items", "plackett-luce"),
        ]
    )


def _exposure_workings(alpha: float) -> None:
    logits = PlackettLuce(alpha).logits(np.array(five.SCORES))
    first, both = five.exposure(alpha, TopK(1)), five.exposure(alpha)
    weights = np.exp(logits)
    rows = [
        [
            name,
            f"{score:g}",
            number(float(logits[i]), 2),
            _weight(float(weights[i])),
            number(float(first[i]), 2),
            number(float(both[i] - first[i]), 2),
            number(float(both[i]), 2),
        ]
        for i, (name, score) in enumerate(zip(five.NAMES, five.SCORES, strict=True))
    ]
    html_table(
        ["Item", "score s", "(s + 1)^α", "weight e^…", "first", "second", "seen in first two"],
        rows,
        caption=f"Chances at α = {alpha:g}: weight over the sum of weights, then again without the item drawn first.",
        show_caption=True,
    )


SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _weight(value: float) -> str:
    if value < 1e5:
        return f"{value:.1f}"
    digits, _, power = f"{value:.1e}".partition("e+")
    return f"{digits} · 10{power.lstrip('0').translate(SUPERSCRIPTS)}"


EXPECTED_EXPOSURE = Lesson(
    name="Expected exposure",
    slug="exposure",
    title="Who gets seen when the list is drawn, not fixed?",
    text="Five items, and a reader who looks at two. Fixed by score, A and B get all of it, though "
    "C and E are just as useful as A. Drawing the list by chance shares attention out. "
    "How much?",
    how=r"""
**Bars** say how many of 100 readers see an item when the list is drawn anew for each; the
**outline** is the fixed list. Blue items are useful, grey ones are not.

$$P(\text{first}=d)=\frac{e^{(s_d+1)^{\alpha}}}{\sum_j e^{(s_j+1)^{\alpha}}}$$

α = 0 draws by pure chance, a large α follows the scores. Without chance, small differences in
score become all or nothing. *Kim & Diaz 2025, section 3.2; computed exactly, not sampled.*
""",
    ask="With α = 2, out of 100 readers, how many see item A?",
    answer=lambda: float(100 * five.exposure(ALPHA)[0]),
    start=100,
    why=_exposure_why,
    first_guess="“α = 2 is still nearly the list.” Move α to 0 and to 8: both ends are familiar.",
    change="Move it",
    controls=lambda: alpha_slider("α: how strongly the list follows the scores"),
    defaults={"lesson_alpha": 2.0},
    hidden=ALPHA,
    chart=_exposure_chart,
    verdict=_exposure_verdict,
    workings=_exposure_workings,
)


def _target_chart(alpha: float, guess: Guess) -> None:
    bars = Bars(
        names=five.NAMES,
        notes=five.NOTES,
        useful=five.USEFUL,
        fixed=100 * five.READER.weights(5),
        seen=100 * five.exposure(alpha) if guess.revealed else None,
        guess=(2, float(guess.value)),
        target=100 * five.target() if guess.revealed else None,
    )
    outline = "tick: the target" if guess.revealed else "outline: the fixed list"
    show_figure(bars_figure(bars, colours=colours(), outline=outline), "target", bars_alt(bars))


def _target_verdict(alpha: float) -> None:
    exposure, target = five.exposure(alpha), five.target()
    values = five.values(exposure)
    readouts(
        [
            (number(values.disparity), "EE-D = Σ ε²  ↓", ""),
            (number(values.relevance), "EE-R = Σ ε·ε*  ↑", ""),
            (number(values.loss), "EE-L = Σ (ε − ε*)²  ↓", "optimal"),
        ]
    )
    columns = (exposure, target, exposure**2, exposure * target, (exposure - target) ** 2)
    rows = [[name, *(number(float(column[i]), 3) for column in columns)] for i, name in enumerate(five.NAMES)]
    sums = [Toned(text=number(float(column.sum()), 3), tone="ink") for column in columns]
    html_table(
        ["Item", "ε", "ε*", "ε²", "ε·ε*", "(ε − ε*)²"],
        [*rows, ["Sum", *sums]],
        caption="EE-L = EE-D − 2 EE-R + Σ ε*²: the three measures hang together.",
        show_caption=True,
    )


TARGET = Lesson(
    name="Target",
    slug="target",
    title="What would equal treatment of equally useful items look like?",
    text="Three items are useful, the reader looks at two. An ideal list puts useful items first "
    "and, among them, has no favourite. EE-L is how far a policy is from that.",
    how=r"""
**Bars**: exposure $\varepsilon$; **ticks**: the target $\varepsilon^*$. Useful items of equal
grade share the places that an ideal list gives them.

$$\lVert\varepsilon-\varepsilon^*\rVert^2=\underbrace{\lVert\varepsilon\rVert^2}_{\text{EE-D}}
-2\underbrace{\langle\varepsilon,\varepsilon^*\rangle}_{\text{EE-R}}
+\lVert\varepsilon^*\rVert^2$$

Raw values here; other pages scale EE-D and EE-R to what any policy could reach.
*Diaz et al. 2020; Kim & Diaz 2025, 3.3.1.*
""",
    ask="In the ideal, out of 100 readers, how many see item C?",
    answer=lambda: float(100 * five.target()[2]),
    start=50,
    why="Three useful items share two places: 2/3 each. B and D get nothing.",
    first_guess="“Equal means half.” Three share two places, and useless items get none.",
    change="Move it",
    controls=alpha_slider,
    defaults={"lesson_alpha": 2.0},
    hidden=ALPHA,
    chart=_target_chart,
    verdict=_target_verdict,
)


DRAWS = 5
"""Lists of the question on samples."""

SIZES = (2, 5, 20, 100, 1000)
LARGEST_SEED = 1000


def _samples_controls() -> tuple[int, int]:
    size = st.select_slider("Lists drawn", SIZES, value=5, key="draws", bind="query-params")
    return size, int(st.number_input("Seed", 1, LARGEST_SEED, 1, key="seed", bind="query-params"))


def _samples_chart(setting: tuple[int, int], guess: Guess) -> None:
    size, seed = setting
    bars = Bars(
        names=five.NAMES,
        notes=five.NOTES,
        useful=(True,) * 5,
        fixed=100 * five.exposure(0.0),
        seen=100 * five.drawn(0.0, size, seed).exposure if guess.revealed else None,
    )
    figure = bars_figure(
        bars,
        colours=colours(),
        title=f"of 100 lists, how many show it (estimated from {size})",
        outline="outline: exact",
    )
    show_figure(figure, "samples", bars_alt(bars))


def _samples_verdict(setting: tuple[int, int]) -> None:
    size, seed = setting
    estimate = five.drawn(0.0, size, seed)
    readouts(
        [
            (number(estimate.plugin, 2), "EE-D as estimated", "optimal"),
            (number(estimate.unbiased, 2), "EE-D, unbiased estimate", ""),
            (number(0.0, 2), "EE-D, exact", "plackett-luce"),
            (signed(estimate.plugin, 2), "from chance alone", ""),
        ]
    )


SAMPLES = Lesson(
    name="Samples",
    slug="samples",
    title="How unequal does pure chance look?",
    text="At α = 0 every item has the same chance, so EE-D is 0: the most equal there is. But a "
    "few drawn lists are never exactly equal, and EE-D counts every deviation as disparity.",
    how=r"""
**Bars** are estimated from the drawn lists, the **outline** is exact. The plug-in estimate of
$\lVert\varepsilon\rVert^2$ is too high by

$$\frac{1}{N}\sum_d \varepsilon_d(1-\varepsilon_d)$$

for a reader of the first $k$. Press + at "Seed" for another draw: the estimate jumps, the exact
value does not. fairviz computes exposure exactly wherever it knows the scores.
""",
    ask="Five lists are shuffled at random. The true EE-D is 0. What will you measure on average, in hundredths?",
    answer=lambda: 100 * five.chance_disparity(DRAWS),
    start=0,
    why="Each item is seen with chance 0.4. Five lists estimate that with variance 0.4 · 0.6 / "
    "5 = 0.048; five items add up to 0.24, which is 0.20 of the way from 0.8 to 2.",
    first_guess="“Chance is equal, so it looks equal.” Change the seed at 5 lists, then at 1000.",
    change="Draw",
    controls=_samples_controls,
    defaults={"draws": DRAWS, "seed": 1},
    hidden=(DRAWS, 1),
    chart=_samples_chart,
    verdict=_samples_verdict,
)


def _optimal_at(alpha: float) -> tuple[Exposure, Exposure]:
    """Exposure by chance at one α, and the best one of the same EE-D."""
    drawn = five.exposure(alpha)
    return drawn, five.optimal(five.values(drawn).attainable_disparity)


def _optimal_why() -> str:
    best = _optimal_at(ALPHA)[1]
    return (
        "The optimum clips a straight line: ε = s/λ − τ, cut to 0 … 1, where λ sets the "
        f"spread. Here A gets {best[0]:.2f} and E {best[4]:.2f}."
    )


def _optimal_chart(alpha: float, guess: Guess) -> None:
    drawn, best = _optimal_at(alpha)
    bars = Bars(
        names=five.NAMES,
        notes=five.NOTES,
        useful=five.USEFUL,
        fixed=100 * drawn,
        seen=100 * best if guess.revealed else None,
        guess=(0, float(guess.value)) if alpha == ALPHA else None,
    )
    figure = bars_figure(bars, colours=colours(), outline="outline: Plackett–Luce")
    show_figure(figure, "optimal", bars_alt(bars))


def _optimal_verdict(alpha: float) -> None:
    drawn, best = _optimal_at(alpha)
    scores = np.array(five.SCORES)
    of_best, of_drawn = five.values(best), five.values(drawn)
    gained = of_best.attainable_relevance - of_drawn.attainable_relevance
    readouts(
        [
            (number(of_best.attainable_disparity, 2), "EE-D of both ↓", ""),
            (number(float(best @ scores), 2), "score shown, optimal ↑", "optimal"),
            (number(float(drawn @ scores), 2), "score shown, Plackett–Luce ↑", "plackett-luce"),
            (signed(gained, 2), "EE-R, optimal − Plackett–Luce", ""),
        ]
    )


OPTIMAL = Lesson(
    name="Optimal",
    slug="optimal",
    title="Is drawing by chance the best way to share?",
    text="Plackett–Luce at α = 2 spreads attention to some degree. Among all policies that spread "
    "it exactly as much, one shows the highest scores on average. Who gains by it?",
    how=r"""
**Bars**: the optimal policy; **outline**: Plackett–Luce with the same
$\lVert\varepsilon\rVert^2$. The optimum is the projection of $s/\lambda$ onto all exposures that
a policy can have; for a reader of the first $k$

$$\varepsilon_d=\min(1,\max(0,\;s_d/\lambda-\tau)),\qquad \sum_d\varepsilon_d=k.$$

It is optimal in **score**. Scores are not usefulness: here E is useful and has score 0, so EE-R
can be lower. Beyond the papers; see the README.
""",
    ask="At the same EE-D as α = 2, out of 100 readers, how many does the optimum show A?",
    answer=lambda: float(100 * _optimal_at(ALPHA)[1][0]),
    start=85,
    why=_optimal_why,
    first_guess="“Sharing by chance is the best one can do.” Compare bars with outlines at one α.",
    change="Move it",
    controls=alpha_slider,
    defaults={"lesson_alpha": 2.0},
    hidden=ALPHA,
    chart=_optimal_chart,
    verdict=_optimal_verdict,
)


RULES = ("every second one", "only useful ones", "only the first")
"""Three simple generators."""


def _use_controls() -> tuple[str, float]:
    return choose_one("It uses", RULES, default=RULES[0], key="uses"), alpha_slider()


def _use_chart(setting: tuple[str, float], guess: Guess) -> None:
    rule, alpha = setting
    bars = Bars(
        names=five.NAMES,
        notes=five.NOTES,
        useful=five.USEFUL,
        fixed=100 * five.exposure(alpha),
        seen=100 * five.used(alpha, rule) if guess.revealed else None,
    )
    figure = bars_figure(bars, colours=colours(), title="of 100 answers, how many use it", outline="outline: given")
    show_figure(figure, "use", bars_alt(bars))


def _use_verdict(setting: tuple[str, float]) -> None:
    rule, alpha = setting
    given, used = five.exposure(alpha), five.used(alpha, rule)
    offsets = five.pools().offsets
    of_given, of_used = ee_disparity(given, offsets)[0], ee_disparity(used, offsets)[0]
    rate = float(used.sum() / given.sum())
    readouts(
        [
            (number(float(of_given), 2), "EE-D of the lists (raw)", ""),
            (number(float(of_used), 2), "EAE-D of the answers (raw)", "optimal"),
            (percent(rate), "EAR: share of given items used", ""),
            (number(rate**2 * float(of_given), 2), "EAR² · EE-D: equal chance", ""),
        ]
    )


USE = Lesson(
    name="Use",
    slug="use",
    title="Shown is not used: does the answer share as the list does?",
    text="A generator is given two items and uses some of them in its answer. EAE-D asks of the "
    "items used what EE-D asks of the items shown.",
    how=r"""
**Outline**: how often an item is given; **bars**: how often it is used.

$$\text{EAR}=\tfrac1k\sum_d\varepsilon_{a,d},\qquad
\text{EAE-D}=\lVert\varepsilon_a\rVert^2=\sum_d\varepsilon_{a,d}^2$$

EAE-D falls when less is used at all. Only against $\text{EAR}^2\cdot\text{EE-D}$, what equal
chance would give, does it say whether the generator concentrates. *Kim & Diaz 2025, 3.3.3–3.3.4.*
""",
    ask="It uses each given item with chance ½, whichever it is. EAE-D is how many % of EE-D?",
    answer=lambda: 25.0,
    start=50,
    why="Every exposure is halved, so every square is a quarter: EAE-D = EAR² · EE-D. "
    "That is the line of equal chance on the Attribution page.",
    first_guess="“Half used is half the disparity.” Squares: a half of each is a quarter of the sum.",
    change="Change the generator",
    controls=_use_controls,
    defaults={"uses": RULES[0], "lesson_alpha": 2.0},
    hidden=(RULES[0], ALPHA),
    chart=_use_chart,
    verdict=_use_verdict,
)
