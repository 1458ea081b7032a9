"""Two lessons on six items of two groups: two metrics that disagree, and parity or proportion.

Both show two lists side by side whose neighbours can be swapped.
"""

import math
from collections.abc import Callable, Mapping

import streamlit as st

from fairviz.show.words import listing, number, percent
from pages._kit import Bar, Cell, Column, Key, Tone, callout, counts_line, html_table, readouts, section
from pages._learn.example_groups import (
    BY_LOG,
    EARNED,
    EVEN,
    FRAMED,
    HALVING,
    TURNS,
    USEFUL,
    Measured,
    disagreements,
    measured,
    order,
    usefulness,
)
from pages._learn.lesson import Guess, Lesson

MARKS: dict[str, tuple[Tone, str]] = {"A": ("group1", "●"), "B": ("group2", "◆")}
"""Colour and mark of a group, as on every page."""


def swapped_lists(starts: Mapping[str, str]) -> tuple[str, str]:
    """Both lists as they stand: key of the session's memory -> the list to begin with."""
    for key, start in starts.items():
        st.session_state.setdefault(key, start)
    left, right = (str(st.session_state[key]) for key in starts)
    return left, right


def show_two_lists(starts: Mapping[str, str], show: Callable[[str, str], None]) -> None:
    """Show both lists, each with its buttons; ``show`` shows one list, told which it is."""
    titles = ("Left list", "Right list")
    for column, key, title, items in zip(
        st.columns(2, gap="large"), starts, titles, swapped_lists(starts), strict=True
    ):
        with column:
            show(title, items)
            _swap_buttons(key, title)


def rank_table(title: str, items: str, values: Measured, *, useful: bool = False, prefixes: bool = False) -> None:
    """One list: rank, item, attention; usefulness, or what each prefix looks like."""
    columns = [Column(label="Rank"), Column(label="Item", short=True)]
    columns += [Column(label="Useful", short=True)] if useful else []
    columns += [Column(label="Attention", align="right"), Column(label="", wide=True)]
    if prefixes:
        columns += [Column(label="A so far", align="right"), Column(label="KL", align="right")]
    rows: list[list[Cell]] = []
    for i, name in enumerate(items.split()):
        tone, mark = MARKS[name[0]]
        attention = float(values.attention[i])
        row: list[Cell] = [str(i + 1), Key(text=name, tone=tone, mark=mark)]
        row += [("useful" if USEFUL[name] else "not useful")] if useful else []
        share = attention / float(values.attention.sum())
        row += [percent(share), Bar(length=attention / float(values.attention[0]), tone=tone)]
        if prefixes:
            row += [percent(float(values.so_far[i])), number(float(values.divergence[i]), 2)]
        rows.append(row)
    html_table(columns, rows, caption=title, show_caption=True, narrow="scroll")


def _swap_buttons(key: str, title: str) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.html('<span class="fv-counts">Swap ranks</span>')
        n = len(str(st.session_state[key]).split())
        for rank in range(1, n):
            st.button(
                f"{rank} ⇄ {rank + 1}",
                key=f"{key}-{rank}",
                on_click=_swap,
                args=(key, rank),
                type="tertiary",
                help=f"{title}: swap rank {rank} with rank {rank + 1}",
            )


def _swap(key: str, rank: int) -> None:
    names = str(st.session_state[key]).split()
    names[rank - 1], names[rank] = names[rank], names[rank - 1]
    st.session_state[key] = " ".join(names)


METRICS_LISTS = {"six_left": TURNS, "six_right": FRAMED}

EQUAL = 50
"""Percent of A in the target at first."""

TwoLists = tuple[tuple[str, str], float]
"""Two lists, and A's share of the target."""


def _metrics_controls() -> TwoLists:
    share = st.slider("Target share of A, %", 10, 90, EQUAL, 5, key="six_target") / 100
    return swapped_lists(METRICS_LISTS), share


def _metrics_chart(_setting: TwoLists, guess: Guess) -> None:
    if not guess.revealed:
        rank_table("In turns", TURNS, measured(TURNS, 0.5, HALVING))


def _metrics_verdict(setting: TwoLists) -> None:
    lists, share = setting
    left, right = (measured(items, share, HALVING) for items in lists)
    by_attention, by_prefix = order(left.awrf, right.awrf), order(left.ndkl, right.ndkl)
    title = {
        -1: "They disagree: each prefers another list",
        0: "At least one of them sees no difference",
        1: "They agree on these two lists",
    }[by_attention * by_prefix]
    section(title, f"Target: {percent(share)} A, {percent(1 - share)} B. Lower is nearer.")
    readouts(
        [
            (number(left.awrf), f"AWRF, left{_preferred(by_attention, -1)}", ""),
            (number(right.awrf), f"AWRF, right{_preferred(by_attention, 1)}", ""),
            (number(left.ndkl), f"NDKL, left{_preferred(by_prefix, -1)}", ""),
            (number(right.ndkl), f"NDKL, right{_preferred(by_prefix, 1)}", ""),
        ]
    )
    counts_line(f"Share of attention on A: {percent(left.share)} left, {percent(right.share)} right.")
    apart, pairs = disagreements(share)
    callout(
        f"At this target they put {apart} of {pairs} pairs of lists the other way round.",
        "All orders of three A and three B, each pair once. Neither is wrong: a surplus on top "
        "that the end of the list makes up for counts in one and not in the other. Say which one "
        "was used, and why.",
        calm=True,
    )


def _preferred(lower: int, side: int) -> str:
    return " · preferred" if lower == side else ""


def _metrics_lists(setting: TwoLists) -> None:
    _, share = setting
    show_two_lists(
        METRICS_LISTS,
        lambda title, items: rank_table(title, items, measured(items, share, HALVING), prefixes=True),
    )


TWO_METRICS = Lesson(
    name="Two metrics",
    slug="metrics",
    title="Why do two measures of the same target disagree?",
    text="Three items of A, three of B, and a target. AWRF adds up attention over the whole list; "
    "NDKL looks at every prefix as a list of its own. Both are 0 on target.",
    how=r"""
**AWRF** (Sapiezynski et al. 2019; Raj et al. Eq. 3): shares of attention, then their distance from
the target. Here attention is $2^{-r}$ at rank $r$ and the distance Jensen–Shannon's.

$$\text{AWRF}=\Delta\left(\frac{\epsilon_L}{\lVert\epsilon_L\rVert_1},\hat p\right),\qquad
\text{NDKL}=\frac1Z\sum_i\frac{\mathrm{KL}(D_i\,\Vert\,\hat p)}{\log_2(i+1)}$$

**NDKL** (Geyik et al. 2019): the divergence of the first 1, 2, 3, … items, each discounted. A list
whose first item is of one group pays for it at rank 1, whatever follows.
""",
    ask="A and B take turns, A first; attention halves at each rank. Share of A, in %?",
    answer=lambda: 100 * measured(TURNS, 0.5, HALVING).share,
    start=50,
    why="A stands at ranks 1, 3 and 5: 32 + 8 + 2 of 63 parts, two thirds. Taking turns is "
    "even by counting, not by attention.",
    first_guess="“Taking turns is even.” Swap B to the top: now it is B's two thirds. Then find two lists on "
    "which both measures agree.",
    change="Move it",
    controls=_metrics_controls,
    defaults={**METRICS_LISTS, "six_target": EQUAL},
    hidden=((TURNS, FRAMED), EQUAL / 100),
    chart=_metrics_chart,
    verdict=_metrics_verdict,
    below=_metrics_lists,
    answer_below="guess",
)


PARITY_LISTS = {"parity_left": EVEN, "parity_right": EARNED}

NEAR = 0.05
"""Log ratios up to this are called near 0: one group gets at most 5 % more than its due."""


def _parity_answer() -> float:
    a, b = usefulness()
    return float(100 * a / (a + b))


def _parity_chart(_setting: tuple[str, str], guess: Guess) -> None:
    if not guess.revealed:
        rank_table("Six items", EVEN, measured(EVEN, 0.5, BY_LOG), useful=True)


def _parity_verdict(setting: tuple[str, str]) -> None:
    left, right = (measured(items, 0.5, BY_LOG) for items in setting)
    section(
        f"Left: {_holds(left)}. Right: {_holds(right)}.",
        f"Near 0: within {number(NEAR, 2)}, so that one side gets at most 5 % more than its due.",
    )
    readouts(
        [
            (number(left.log_dp, 2), f"logDP, left: A gets {_times(left.log_dp)}", ""),
            (number(right.log_dp, 2), f"logDP, right: {_times(right.log_dp)}", ""),
            (number(left.log_eur, 2), f"logEUR, left: {_times(left.log_eur)} per use", ""),
            (number(right.log_eur, 2), f"logEUR, right: {_times(right.log_eur)} per use", ""),
        ]
    )
    counts_line(f"Attention on A: {percent(left.share)} left, {percent(right.share)} right.")
    gap = number(math.log(usefulness()[0] / usefulness()[1]), 2)
    callout(
        f"logDP − logEUR is {gap} for every list.",
        "It is the log of how many times as useful A's items are on average. Only where groups "
        "are equally useful do parity and proportion ask for the same list. Which one is right is "
        "a decision about the case at hand; no measure makes it.",
        calm=True,
    )


def _holds(values: Measured) -> str:
    ratios = {"equal attention": values.log_dp, "attention for usefulness": values.log_eur}
    near = [name for name, ratio in ratios.items() if abs(ratio) <= NEAR]
    return listing(near) if near else "neither"


def _times(log: float) -> str:
    return f"{number(math.exp(log), 2)} times B's"


def _parity_lists(_setting: tuple[str, str]) -> None:
    show_two_lists(
        PARITY_LISTS,
        lambda title, items: rank_table(title, items, measured(items, 0.5, BY_LOG), useful=True),
    )


PARITY = Lesson(
    name="Parity or proportion",
    slug="parity",
    title="Should groups get equal attention, or attention for usefulness?",
    text="logDP asks whether two groups get the same attention. logEUR asks whether they get the "
    "same attention for the same usefulness. Both are 0 where they hold.",
    how=r"""
Attention is $v_r=1/\log_2\max(r,2)$. $\epsilon(G)$ is the total attention on a group, $\Upsilon(G)$ the
mean usefulness of its items. Both groups have three items here: a larger one has more by its size alone, unless
`aggregate='mean'` takes attention per item.

$$\text{logDP}=\ln\frac{\epsilon(A)}{\epsilon(B)},\qquad
\text{logEUR}=\ln\frac{\epsilon(A)/\Upsilon(A)}{\epsilon(B)/\Upsilon(B)}$$

Singh & Joachims call the second one disparate treatment. *Singh & Joachims 2018; Raj et al. Eq. 4
and 6.* On whole systems exposure is averaged over queries first.
""",
    ask="All three items of A are useful, two of B's three. Attention in proportion to mean "
    "usefulness: how many % of it are A's?",
    answer=_parity_answer,
    start=50,
    why="A's items are useful 3 times of 3, B's 2 of 3: 1 to 2/3 is 60 to 40. Equal attention "
    "would be 50 to 50; where usefulness differs, both cannot hold at once.",
    first_guess="“Equal is 50 to 50.” Ask whether a group of better items should get more, before showing "
    "that both cannot hold.",
    change="Swap ranks below",
    controls=lambda: swapped_lists(PARITY_LISTS),
    defaults=PARITY_LISTS,
    hidden=(EVEN, EARNED),
    chart=_parity_chart,
    verdict=_parity_verdict,
    below=_parity_lists,
    answer_below="guess",
)
