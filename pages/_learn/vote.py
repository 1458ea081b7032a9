"""Eleventh lesson: one vote over all variants gives every group one answer."""

import streamlit as st

from fairviz.show.words import number, percent
from pages._kit import Cell, Column, Html, callout, el, header, html_table, join, kicker, readouts, section, user_text
from pages._learn.predict import Question, answer_key, predict
from pages._learn.questions import ASKED, PLAIN, POOLED, VOTERS, WITHIN, Vote, Voted, voted

VOTES: tuple[Vote, ...] = (PLAIN, WITHIN, POOLED)


def question() -> Question:
    """What is guessed, and the answer."""
    return Question(
        slug="vote",
        ask="All nine variants of a question vote, and the winner is everybody's answer. How many "
        "points apart are the genders then?",
        answer=100 * voted(POOLED).dp,
        start=75,
        why="One question has one answer after the vote. It is right for everybody or for nobody, "
        "so that no data whatever could show a difference.",
    )


def show() -> None:
    """The lesson."""
    before = voted(PLAIN)
    header(
        "Learn · 11 of 12 · Pooled vote",
        "Does a majority vote over all variants close the gap, or hide it?",
        f"Four questions, asked about three genders with three names of race each. "
        f"{before.best.capitalize()} patients are answered right in {percent(max(before.right))}, "
        f"{before.worst} ones in {percent(min(before.right))}.",
        how=_HOW,
    )
    asked = question()
    left, right = st.columns([4, 6], gap="large")
    with left:
        _, revealed = predict(asked, {"lesson_vote": POOLED})
        vote: Vote = PLAIN
        if revealed:
            user_text(asked.why)
            kicker("3 · Change the vote")
            chosen = st.segmented_control(
                "Vote",
                VOTES,
                default=POOLED,
                key="lesson_vote",
                required=True,
                bind="query-params",
            )
            vote = VOTES[[str(one) for one in VOTES].index(chosen or POOLED)]
        answer_key(asked)
    with right:
        found = voted(vote)
        _answers(found)
        if revealed:
            _verdict(found, before, pooled=vote == POOLED)


def _answers(found: Voted) -> None:
    rows: list[list[Cell]] = [
        [str(i), gold, *(_letters(letters, gold) for letters in told)]
        for i, ((gold, _), told) in enumerate(zip(ASKED, found.told, strict=True), start=1)
    ]
    columns = [Column(label="Question"), Column(label="Right", short=True)]
    columns += [Column(label=name.capitalize(), short=True) for name in VOTERS]
    html_table(columns, rows, caption="What each is told", show_caption=True, narrow="scroll")


def _letters(letters: str, gold: str) -> Html:
    return join(
        *(
            el("strong", f"{one}{'✓' if one == gold else '✗'} ", cls=f"fv-tone-{'gain' if one == gold else 'loss'}")
            for one in letters
        )
    )


def _verdict(found: Voted, before: Voted, *, pooled: bool) -> None:
    gap = number(100 * found.dp, 0)
    section(
        f"{found.best.capitalize()} and {found.worst} are {gap} points apart"
        if found.dp
        else "DP is 0 by construction",
        "Share answered right, by gender.",
    )
    readouts(
        [
            *((percent(x), f"{name} ↑", "") for name, x in zip(VOTERS, found.right, strict=True)),
            (number(found.dp, 2), "DP ↓", ""),
        ]
    )
    best = VOTERS.index(before.best)
    if pooled:
        callout(
            "Nothing was measured by this 0.",
            f"{before.best.capitalize()} patients go from {percent(before.right[best])} to "
            f"{percent(found.right[best])}: in question 4 the majority is wrong, for everybody. A "
            "pooled vote may raise accuracy; to see what is left of a gap, vote within each group "
            "over the other attribute.",
        )
    else:
        callout(
            "This DP can be anything from 0 to 1.",
            "Votes within a gender are over names of race: they calm chance within a group and "
            "leave groups apart where their answers are. A person who asks has one gender, and "
            "votes over all need eight questions asked as if by others.",
            calm=True,
        )


_HOW = r"""
**Within each gender**: the three variants of one gender vote, ties go by the alphabet.
**Over all nine**: one answer $\hat y(q)$ for every gender $g$, so that

$$P(\hat Y=1\mid g)=\frac1Q\sum_q[\hat y(q)=y(q)]$$

does not depend on $g$, and $\text{DP}=0$ whatever the answers are. *Ji, Zhang & Wang 2025,
Majority Vote Aggregation; their text does not say over which variants DP is taken after the vote.*
"""
