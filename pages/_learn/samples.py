"""Fourth lesson: why fairviz computes exposure exactly instead of drawing lists."""

import streamlit as st

from fairviz.show.words import number, signed
from pages._kit import colours, header, kicker, readouts, show_figure, user_text
from pages._learn import five_items
from pages._learn.figures import Lesson, lesson_alt, lesson_figure
from pages._learn.predict import Question, answer_key, predict

QUESTION_DRAWS = 5

SIZES = (2, 5, 20, 100, 1000)

RESEED_LIMIT = 1000


def question() -> Question:
    """What is guessed, and the answer."""
    return Question(
        slug="samples",
        ask="EE-D of 5 lists drawn by pure chance: how many hundredths on average? (exact: 0)",
        answer=100 * five_items.chance_disparity(QUESTION_DRAWS),
        start=0,
        why="Each item is seen with chance 0.4. Five lists estimate that with variance 0.4 · 0.6 / "
        "5 = 0.048; five items add up to 0.24, which is 0.20 of the way from 0.8 to 2.",
    )


def show() -> None:
    """The lesson."""
    header(
        "Learn · 4 of 12 · Samples",
        "How unequal does pure chance look?",
        "At α = 0 every item has the same chance, so EE-D is 0: the most equal there is. But a "
        "few drawn lists are never exactly equal, and EE-D counts every deviation as disparity.",
        how=_HOW,
    )
    asked = question()
    left, right = st.columns([4, 6], gap="large")
    with left:
        _, revealed = predict(asked, {"draws": QUESTION_DRAWS, "seed": 1})
        if revealed:
            user_text(asked.why)
            kicker("3 · Draw")
        size = QUESTION_DRAWS
        seed = 1
        if revealed:
            size = st.select_slider("Lists drawn", SIZES, value=5, key="draws", bind="query-params")
            seed = int(st.number_input("Seed", 1, RESEED_LIMIT, 1, key="seed", bind="query-params"))
    with right:
        _chart(size, seed, revealed)
        answer_key(asked)


def _chart(size: int, seed: int, revealed: bool) -> None:
    found = five_items.drawn(0.0, size, seed)
    lesson = Lesson(
        names=five_items.NAMES,
        notes=five_items.NOTES,
        useful=(True,) * 5,
        fixed=100 * five_items.exposure(0.0),
        seen=100 * found.exposure if revealed else None,
    )
    figure = lesson_figure(
        lesson,
        colours=colours(),
        title=f"of 100 lists, how many show it (estimated from {size})",
        outline="outline: exact",
    )
    show_figure(figure, "samples", lesson_alt(lesson))
    if revealed:
        readouts(
            [
                (number(found.plugin, 2), "EE-D as estimated", "optimal"),
                (number(found.unbiased, 2), "EE-D, unbiased estimate", ""),
                (number(0.0, 2), "EE-D, exact", "plackett-luce"),
                (signed(found.plugin, 2), "from chance alone", ""),
            ]
        )


_HOW = r"""
**Bars** are estimated from the drawn lists, the **outline** is exact. The plug-in estimate of
$\lVert\varepsilon\rVert^2$ is too high by

$$\frac{1}{N}\sum_d \varepsilon_d(1-\varepsilon_d)$$

for a reader of the first $k$. Press + at "Seed" for another draw: the estimate jumps, the exact
value does not. fairviz computes exposure exactly wherever it knows the scores.
"""
