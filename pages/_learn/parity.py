"""Eighth lesson: equal attention, or attention in proportion to usefulness."""

import math

import streamlit as st

from fairviz.show.words import listing, number, percent
from pages._kit import callout, counts_line, header, kicker, readouts, section, user_text
from pages._learn.predict import Question, answer_key, predict
from pages._learn.six_items import BY_LOG, EARNED, EVEN, Measured, measured, usefulness
from pages._learn.two_lists import rank_table, two_lists

LEFT, RIGHT = "parity_left", "parity_right"

NEAR = 0.05
"""Log ratios up to this are called near 0: one group gets at most 5 % more than its due."""


def question() -> Question:
    """What is guessed, and the answer."""
    a, b = usefulness()
    return Question(
        slug="parity",
        ask="All three items of A are useful, two of B's three. Attention in proportion to mean "
        "usefulness: how many % of it are A's?",
        answer=float(100 * a / (a + b)),
        start=50,
        why="A's items are useful 3 times of 3, B's 2 of 3: 1 to 2/3 is 60 to 40. Equal attention "
        "would be 50 to 50; where usefulness differs, both cannot hold at once.",
    )


def show() -> None:
    """The lesson."""
    header(
        "Learn · 8 of 12 · Parity or proportion",
        "Should groups get equal attention, or attention for usefulness?",
        "logDP asks whether two groups get the same attention. logEUR asks whether they get the "
        "same attention for the same usefulness. Both are 0 where they hold.",
        how=_HOW,
    )
    asked = question()
    left, right = st.columns([4, 6], gap="large")
    with left:
        _, revealed = predict(asked, {LEFT: EVEN, RIGHT: EARNED})
        if revealed:
            user_text(asked.why)
            kicker("3 · Swap ranks below")
        answer_key(asked)
    with right:
        if not revealed:
            rank_table("Six items", EVEN, measured(EVEN, 0.5, BY_LOG), useful=True)
            return
        verdict = st.container()
    lists = two_lists(
        {LEFT: EVEN, RIGHT: EARNED},
        lambda title, items: rank_table(title, items, measured(items, 0.5, BY_LOG), useful=True),
    )
    with verdict:
        _verdict(*(measured(items, 0.5, BY_LOG) for items in lists))


def _verdict(one: Measured, two: Measured) -> None:
    section(
        f"Left: {_holds(one)}. Right: {_holds(two)}.",
        f"Near 0: within {number(NEAR, 2)}, so that one side gets at most 5 % more than its due.",
    )
    readouts(
        [
            (number(one.log_dp, 2), f"logDP, left: A gets {_times(one.log_dp)}", ""),
            (number(two.log_dp, 2), f"logDP, right: {_times(two.log_dp)}", ""),
            (number(one.log_eur, 2), f"logEUR, left: {_times(one.log_eur)} per use", ""),
            (number(two.log_eur, 2), f"logEUR, right: {_times(two.log_eur)} per use", ""),
        ]
    )
    counts_line(f"Attention on A: {percent(one.share)} left, {percent(two.share)} right.")
    gap = number(math.log(usefulness()[0] / usefulness()[1]), 2)
    callout(
        f"logDP − logEUR is {gap} for every list.",
        "It is the log of how many times as useful A's items are on average. Only where groups "
        "are equally useful do parity and proportion ask for the same list. Which one is right is "
        "a decision about the case at hand; no measure makes it.",
        calm=True,
    )


def _holds(found: Measured) -> str:
    said = [
        name
        for name, value in (
            ("equal attention", found.log_dp),
            ("attention for usefulness", found.log_eur),
        )
        if abs(value) <= NEAR
    ]
    return listing(said) if said else "neither"


def _times(log: float) -> str:
    return f"{number(math.exp(log), 2)} times B's"


_HOW = r"""
Attention is $v_r=1/\log_2\max(r,2)$. $\epsilon(G)$ is the attention on a group, $\Upsilon(G)$ the
mean usefulness of its items.

$$\text{logDP}=\ln\frac{\epsilon(A)}{\epsilon(B)},\qquad
\text{logEUR}=\ln\frac{\epsilon(A)/\Upsilon(A)}{\epsilon(B)/\Upsilon(B)}$$

Singh & Joachims call the second one disparate treatment. *Singh & Joachims 2018; Raj et al. Eq. 4
and 6.* On whole systems exposure is averaged over queries first.
"""
