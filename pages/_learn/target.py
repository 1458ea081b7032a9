"""Third lesson: the target, and what EE-D, EE-R and EE-L say about the way to it."""

import numpy as np
import streamlit as st

from fairviz.show.words import number
from pages._kit import Toned, colours, header, html_table, kicker, readouts, show_figure, user_text
from pages._learn import five_items
from pages._learn.figures import Lesson, lesson_alt, lesson_figure
from pages._learn.predict import Question, answer_key, predict


def question() -> Question:
    """What is guessed, and the answer."""
    target = five_items.target()
    return Question(
        slug="target",
        ask="In the ideal, out of 100 readers, how many see item C?",
        answer=float(100 * target[2]),
        start=50,
        why="Three useful items share two places: 2/3 each. B and D get nothing.",
    )


def show() -> None:
    """The lesson."""
    header(
        "Learn · 3 of 12 · Target",
        "What would equal treatment of equally useful items look like?",
        "Three items are useful, the reader looks at two. An ideal list puts useful items first "
        "and, among them, has no favourite. EE-L is how far a policy is from that.",
        how=_HOW,
    )
    target = five_items.target()
    asked = question()
    left, right = st.columns([4, 6], gap="large")
    with left:
        guess, revealed = predict(asked, {"lesson_alpha": 2.0})
        alpha = 2.0
        if revealed:
            user_text(asked.why)
            kicker("3 · Move it")
            alpha = st.slider("α", 0.0, 8.0, 2.0, 0.25, format="%g", key="lesson_alpha", bind="query-params")
    with right:
        shown = five_items.exposure(alpha)
        lesson = Lesson(
            names=five_items.NAMES,
            notes=five_items.NOTES,
            useful=five_items.USEFUL,
            fixed=100 * five_items.READER.weights(5),
            seen=100 * shown if revealed else None,
            guess=(2, float(guess)),
            target=100 * target if revealed else None,
        )
        outline = "tick: the target" if revealed else "outline: the fixed list"
        figure = lesson_figure(lesson, colours=colours(), outline=outline)
        show_figure(figure, "target", lesson_alt(lesson))
        if revealed:
            _measures(shown, target)
        answer_key(asked)


def _measures(shown: np.ndarray, target: np.ndarray) -> None:
    now = five_items.values(shown)
    readouts(
        [
            (number(now.disparity), "EE-D = Σ ε²  ↓", ""),
            (number(now.relevance), "EE-R = Σ ε·ε*  ↑", ""),
            (number(now.loss), "EE-L = Σ (ε − ε*)²  ↓", "optimal"),
        ]
    )
    columns = (shown, target, shown**2, shown * target, (shown - target) ** 2)
    rows = [[name, *(number(float(column[i]), 3) for column in columns)] for i, name in enumerate(five_items.NAMES)]
    sums = [Toned(text=number(float(column.sum()), 3), tone="ink") for column in columns]
    html_table(
        ["Item", "ε", "ε*", "ε²", "ε·ε*", "(ε − ε*)²"],
        [*rows, ["Sum", *sums]],
        caption="EE-L = EE-D − 2 EE-R + Σ ε*²: the three measures hang together.",
        show_caption=True,
    )


_HOW = r"""
**Bars**: exposure $\varepsilon$; **ticks**: the target $\varepsilon^*$. Useful items of equal
grade share the places that an ideal list gives them.

$$\lVert\varepsilon-\varepsilon^*\rVert^2=\underbrace{\lVert\varepsilon\rVert^2}_{\text{EE-D}}
-2\underbrace{\langle\varepsilon,\varepsilon^*\rangle}_{\text{EE-R}}
+\lVert\varepsilon^*\rVert^2$$

Raw values here; other pages scale EE-D and EE-R to what any policy could reach.
*Diaz et al. 2020; Kim & Diaz 2025, 3.3.1.*
"""
