"""Twelfth lesson: what questions with one word changed can show, and what they cannot."""

import streamlit as st

from fairviz.show.words import number, p_value, percent, plural
from pages._kit import (
    Cell,
    Column,
    Toned,
    callout,
    counts_line,
    el,
    header,
    html_table,
    kicker,
    readouts,
    section,
    user_text,
)
from pages._learn.predict import Question, answer_key, predict
from pages._learn.questions import CHANGES, FIRST, RIGHT, Changed, changed, more_often

ATTRIBUTE, HARMLESS = CHANGES

CAN = (
    "Whether an answer depends on a word that should not matter for it.",
    "Which way it moves: to the right answer, or away from it.",
    "Where to look: the questions whose answers move, to be read one by one.",
)

CANNOT = (
    "That the word was the cause, unless harmless changes move fewer answers.",
    "How people are served: they differ in more than a word, in what they ask and how.",
    "Which answer ought to differ: for some questions sex or ancestry matters, and the same answer "
    "for all would be the fault.",
    "That there is no difference: ten questions without a change do not speak for the eleventh.",
)


def question() -> Question:
    """What is guessed, and the answer."""
    moved = changed(ATTRIBUTE).moved
    return Question(
        slug="swaps",
        ask="Six of ten answers are right about a man, and six about a woman: DP is 0. How many of "
        "100 answers differ between the two?",
        answer=100 * sum(moved) / len(moved),
        start=0,
        why="Two answers become wrong and two become right. Rates of groups cancel what single questions show.",
    )


def show() -> None:
    """The lesson."""
    header(
        "Learn · 12 of 12 · Swapped words",
        "What does it show if the answer changes with “man” and “woman”?",
        "Ten questions are asked twice, with one word changed. Such pairs are called "
        "counterfactual variants; they test how steady a system is, and little more.",
        how=_HOW,
    )
    asked = question()
    left, right = st.columns([4, 6], gap="large")
    with left:
        _, revealed = predict(asked, {"swap": ATTRIBUTE})
        change = ATTRIBUTE
        if revealed:
            user_text(asked.why)
            kicker("3 · Change another word")
            change = (
                st.segmented_control(
                    "Changed",
                    list(CHANGES),
                    default=ATTRIBUTE,
                    key="swap",
                    required=True,
                    bind="query-params",
                )
                or ATTRIBUTE
            )
        answer_key(asked)
    with right:
        _answers(change, shown=revealed)
        if revealed:
            _verdict(change, changed(change))
    if revealed:
        _limits()


def _answers(change: str, *, shown: bool) -> None:
    before, after = change.split(" → ")
    moved = changed(change).moved
    rows: list[list[Cell]] = []
    for i, gold in enumerate(RIGHT):
        row: list[Cell] = [str(i + 1), gold, _told(FIRST[i], gold)]
        if shown:
            row += [_told(CHANGES[change][i], gold), "changed" if moved[i] else ""]
        rows.append(row)
    columns = [Column(label="Question"), Column(label="Right", short=True)]
    columns += [Column(label=f"“{name}”", short=True) for name in (before, after)[: 1 + shown]]
    columns += [Column(label="", short=True)] if shown else []
    html_table(columns, rows, caption="Ten questions", show_caption=True, narrow="scroll")


def _told(letter: str, gold: str) -> Toned:
    right = letter == gold
    return Toned(text=f"{letter} {'✓' if right else '✗'}", tone="gain" if right else "loss")


def _verdict(change: str, found: Changed) -> None:
    n, k = len(found.moved), sum(found.moved)
    section(
        f"{k} of {n} answers change with {change}; right answers differ by {number(100 * found.dp, 0)} points",
        "Paired: the same questions before and after.",
    )
    readouts(
        [
            (f"{k} of {n}", "answers that change", ""),
            (percent(found.right[0]), "right before", ""),
            (percent(found.right[1]), "right after", ""),
            (p_value(found.p), "McNemar's p", ""),
        ]
    )
    counts_line(
        f"Right only before: {plural(found.first_only, 'question')}; only after: "
        f"{plural(found.second_only, 'question')}."
    )
    gender, day = (sum(changed(one).moved) for one in (ATTRIBUTE, HARMLESS))
    callout(
        f"Gender moves {gender} answers of {n}, the day of the week {day}.",
        f"Not distinguishable with so few ({_tested()}): part of what moves with gender moves with "
        "any word. Compare with a harmless change before speaking of gender.",
    )


def _tested() -> str:
    return f"exact test, p = {p_value(more_often(ATTRIBUTE, HARMLESS))}"


def _limits() -> None:
    one, two = st.columns(2, gap="large")
    with one:
        section("What swapped words can show")
        st.html(el("ul", *(el("li", text) for text in CAN)))
    with two:
        section("What they cannot show")
        st.html(el("ul", *(el("li", text) for text in CANNOT)))
    counts_line(
        "In short: changing a word disturbs the system to see what happens. It is a diagnostic, "
        "like tapping a wall; it is no measurement of how groups of people fare."
    )


_HOW = r"""
Each question is its own control: of the $b+c$ questions that are right in one version only, $b$
are right before and $c$ after. If both versions were right equally often, $b$ would be a toss of
$b+c$ coins (McNemar's exact test).

Answers may also change from one run to the next with the same words, where a model draws by
chance. *Ji, Zhang & Wang 2025 make variants by putting race and gender into the question.* The
questions here are ours.
"""
