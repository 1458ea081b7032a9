"""Seventh lesson: two measures of the same thing, two lists, two orders."""

import streamlit as st

from fairviz.show.words import number, percent
from pages._kit import callout, counts_line, header, kicker, readouts, section, user_text
from pages._learn.predict import Question, answer_key, predict
from pages._learn.six_items import FRAMED, HALVING, TURNS, disagreements, measured, order
from pages._learn.two_lists import rank_table, two_lists

LEFT, RIGHT, SHARE = "six_left", "six_right", "six_target"

EQUAL = 50


def question() -> Question:
    """What is guessed, and the answer."""
    return Question(
        slug="metrics",
        ask="A and B take turns, A first; attention halves at each rank. Share of A, in %?",
        answer=100 * measured(TURNS, 0.5, HALVING).share,
        start=50,
        why="A stands at ranks 1, 3 and 5: 32 + 8 + 2 of 63 parts, two thirds. Taking turns is "
        "even by counting, not by attention.",
    )


def show() -> None:
    """The lesson."""
    header(
        "Learn · 7 of 12 · Two metrics",
        "Why do two measures of the same target disagree?",
        "Three items of A, three of B, and a target. AWRF adds up attention over the whole list; "
        "NDKL looks at every prefix as a list of its own. Both are 0 on target.",
        how=_HOW,
    )
    asked = question()
    everything = {LEFT: TURNS, RIGHT: FRAMED, SHARE: EQUAL}
    left, right = st.columns([4, 6], gap="large")
    with left:
        _, revealed = predict(asked, everything)
        share = EQUAL / 100
        if revealed:
            user_text(asked.why)
            kicker("3 · Move it")
            share = st.slider("Target share of A, %", 10, 90, EQUAL, 5, key=SHARE) / 100
        answer_key(asked)
    with right:
        if not revealed:
            rank_table("In turns", TURNS, measured(TURNS, 0.5, HALVING))
            return
        verdict = st.container()
    starts = {LEFT: TURNS, RIGHT: FRAMED}
    lists = two_lists(
        starts,
        lambda title, items: rank_table(title, items, measured(items, share, HALVING), prefixes=True),
    )
    with verdict:
        _verdict(lists, share)


def _verdict(lists: tuple[str, str], share: float) -> None:
    one, two = (measured(items, share, HALVING) for items in lists)
    by_attention, by_prefix = order(one.awrf, two.awrf), order(one.ndkl, two.ndkl)
    title = {
        -1: "They disagree: each prefers another list",
        0: "At least one of them sees no difference",
        1: "They agree on these two lists",
    }[by_attention * by_prefix]
    section(title, f"Target: {percent(share)} A, {percent(1 - share)} B. Lower is nearer.")
    readouts(
        [
            (number(one.awrf), f"AWRF, left{_better(by_attention, -1)}", ""),
            (number(two.awrf), f"AWRF, right{_better(by_attention, 1)}", ""),
            (number(one.ndkl), f"NDKL, left{_better(by_prefix, -1)}", ""),
            (number(two.ndkl), f"NDKL, right{_better(by_prefix, 1)}", ""),
        ]
    )
    counts_line(f"Share of attention on A: {percent(one.share)} left, {percent(two.share)} right.")
    apart, every = disagreements(share)
    callout(
        f"At this target they put {apart} of {every} pairs of lists the other way round.",
        "All orders of three A and three B, each pair once. Neither is wrong: a surplus on top "
        "that the end of the list makes up for counts in one and not in the other. Say which one "
        "was used, and why.",
        calm=True,
    )


def _better(found: int, side: int) -> str:
    return " · preferred" if found == side else ""


_HOW = r"""
**AWRF** (Sapiezynski et al. 2019; Raj et al. Eq. 3): shares of attention, then their distance from
the target. Here attention is $2^{-r}$ at rank $r$ and the distance Jensen–Shannon's.

$$\text{AWRF}=\Delta\left(\frac{\epsilon_L}{\lVert\epsilon_L\rVert_1},\hat p\right),\qquad
\text{NDKL}=\frac1Z\sum_i\frac{\mathrm{KL}(D_i\,\Vert\,\hat p)}{\log_2(i+1)}$$

**NDKL** (Geyik et al. 2019): the divergence of the first 1, 2, 3, … items, each discounted. A list
whose first item is of one group pays for it at rank 1, whatever follows.
"""
