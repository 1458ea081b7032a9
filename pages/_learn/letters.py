"""Tenth lesson: parity of the letters answered is not parity of being answered right."""

import streamlit as st

from fairviz.show.words import listing, number, percent
from pages._kit import (
    Cell,
    Column,
    Toned,
    callout,
    counts_line,
    header,
    html_table,
    kicker,
    readouts,
    section,
    user_text,
)
from pages._learn.predict import Question, answer_key, predict
from pages._learn.questions import GOLD, SWAPS, letters_of, swapped


def question() -> Question:
    """What is guessed, and the answer."""
    return Question(
        slug="letters",
        ask="Both groups are answered A, B, C and D twice each: DP over letters is 0. All answers "
        "to group one are right. How many % of those to group two can be wrong?",
        answer=100 * letters_of(SWAPS).dp,
        start=0,
        why="Exchange the answers to two questions: each letter is given as often as before, and "
        "both answers are wrong. Four exchanges make all eight wrong.",
    )


def show() -> None:
    """The lesson."""
    header(
        "Learn · 10 of 12 · Parity of letters",
        "Can answers be in parity and always wrong for one group?",
        "The same eight questions, once about a patient of group one and once of group two. "
        "Demographic parity (DP) can be asked of right answers, or of each letter against the "
        "rest and then averaged.",
        how=_HOW,
    )
    asked = question()
    left, right = st.columns([4, 6], gap="large")
    with left:
        _, revealed = predict(asked, {"letter_swaps": SWAPS})
        n = 0
        if revealed:
            user_text(asked.why)
            kicker("3 · Move it")
            n = st.slider(
                "Pairs of answers to group two that are exchanged",
                0,
                SWAPS,
                SWAPS,
                key="letter_swaps",
                bind="query-params",
            )
        answer_key(asked)
    with right:
        _answers(swapped(n) if revealed else None)
        if revealed:
            _verdict(n)


def _answers(two: str | None) -> None:
    rows: list[list[Cell]] = []
    for i, gold in enumerate(GOLD):
        row: list[Cell] = [str(i + 1), gold, _told(gold, gold)]
        if two:
            row.append(_told(two[i], gold))
        rows.append(row)
    columns = [Column(label="Question"), Column(label="Right", short=True), Column(label="Group one", short=True)]
    columns += [Column(label="Group two", short=True)] if two else []
    html_table(columns, rows, caption="Letters answered", show_caption=True, narrow="scroll")


def _told(letter: str, gold: str) -> Toned:
    right = letter == gold
    return Toned(text=f"{letter} {'✓' if right else '✗'}", tone="gain" if right else "loss")


def _verdict(n: int) -> None:
    found = letters_of(n)
    points = number(100 * found.dp, 0)
    section(
        f"Letters: no difference. Right answers: {points} points apart"
        if found.dp
        else "Nothing is exchanged: no difference either way",
        "DP is the largest difference between groups; 0 is parity.",
    )
    readouts(
        [
            (percent(found.right[0]), "group one right ↑", ""),
            (percent(found.right[1]), "group two right ↑", ""),
            (number(found.dp, 2), "DP of right answers ↓", ""),
            (number(found.macro_dp, 2), "DP of letters, mean of four ↓", ""),
        ]
    )
    each = [f"{letter} {number(gap, 2)}" for letter, gap in zip("ABCD", found.by_letter, strict=True)]
    counts_line(f"DP of each letter against the rest: {listing(each)}.")
    callout(
        "A mean over letters does not look at whether a letter is right.",
        "The paper defines Ŷ = 1 as a right answer, and that is the default here; letters are "
        "given on request. EO asks of each letter only where it is the right one: its mean is "
        f"{number(found.macro_eo, 2)} here, so it sees the gap.",
        calm=True,
    )


_HOW = r"""
$$\text{DP}=\max_{g,g'}P(\hat Y=1\mid g)-P(\hat Y=1\mid g')$$

**Right answers**: $\hat Y=1$ means that the answer is right. **Letters** (one against the rest):
$\hat Y=1$ means that the answer is A, then B, C, D; *macro* is the mean of the four.
*Ji, Zhang & Wang 2025, Evaluation Metrics.* The questions here are ours.
"""
