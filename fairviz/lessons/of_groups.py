"""Groups and targets, four lessons: two measures, parity or proportion, missing labels, what a target costs."""

import math

import numpy as np

from fairviz.display.words import listing, number, percent
from fairviz.lessons.bars import Bars
from fairviz.lessons.example_groups import (
    BY_LOG,
    CANDIDATES,
    EARNED,
    EVEN,
    FRAMED,
    GROUPS,
    HALVING,
    LABELLED,
    PLACES,
    TURNS,
    UNLABELLED,
    Measured,
    disagreements,
    left_open,
    measured,
    order,
    priced,
    today,
    usefulness,
)
from fairviz.lessons.guesses import LETTERS, Choice, Number, Range
from fairviz.lessons.lesson import Chapter, Lesson, OneOf, Own, Readout, Scale, Sum

EQUAL = 50
"""Percent of A in the target at first."""


def _two(target: int) -> tuple[Measured, Measured]:
    """The list in turns, and the framed one."""
    return measured(TURNS, target / 100, HALVING), measured(FRAMED, target / 100, HALVING)


def _metrics(target: int) -> Bars:
    turns, framed = _two(target)
    return Bars(
        title="share of A among the first 1, 2, … 6, in %",
        names=tuple(str(rank) for rank in range(1, 7)),
        notes=tuple(f"{a[0]} | {b[0]}" for a, b in zip(TURNS.split(), FRAMED.split(), strict=True)),
        strong=(True,) * 6,
        outline=100 * turns.so_far,
        outlined="outline: in turns",
        told="bar: framed; tick: target",
        seen=100 * framed.so_far,
        target=np.full(6, float(target)),
    )


def _metrics_answer() -> str:
    turns, framed = _two(EQUAL)
    prefers = (order(turns.awrf, framed.awrf) < 0, order(turns.ndkl, framed.ndkl) < 0)
    return LETTERS[[(True, True), (False, False), (True, False), (False, True)].index(prefers)]


def _metrics_finding() -> str:
    turns, framed = _two(EQUAL)
    near_awrf, near_ndkl = (
        "the framed list" if order(a, b) > 0 else "taking turns"
        for a, b in ((turns.awrf, framed.awrf), (turns.ndkl, framed.ndkl))
    )
    verb = "disagree" if near_awrf != near_ndkl else "agree"
    return f"They {verb}: AWRF prefers {near_awrf}, NDKL {near_ndkl}"


def _metrics_readouts(target: int) -> list[Readout]:
    turns, framed = _two(target)
    apart, pairs = disagreements(target / 100)
    return [
        (f"{number(turns.awrf)} | {number(framed.awrf)}", "AWRF ↓, in turns | framed", ""),
        (f"{number(turns.ndkl)} | {number(framed.ndkl)}", "NDKL ↓, in turns | framed", ""),
        (f"{apart} of {pairs}", "pairs of lists that they order differently", "optimal"),
    ]


def _metrics_sums(target: int) -> Sum:
    turns, framed = _two(target)
    rows = [
        [
            str(i + 1),
            percent(float(turns.attention[i] / turns.attention.sum())),
            *(
                cell
                for name, one in ((TURNS, turns), (FRAMED, framed))
                for cell in (name.split()[i], percent(float(one.so_far[i])), number(float(one.divergence[i]), 2))
            ),
        ]
        for i in range(6)
    ]
    return Sum(
        ["Rank", "attention", "in turns", "A so far", "KL", "framed", "A so far", "KL"],
        rows,
        f"A gets {percent(turns.share)} of attention in turns, {percent(framed.share)} when framed: AWRF looks at "
        "this. NDKL is the mean of KL, discounted by rank.",
    )


TWO_METRICS = Lesson(
    slug="metrics",
    name="Two measures",
    minutes=4,
    title="Why do two measures of the same target disagree?",
    text="Three documents of A, three of B, target half and half; attention halves at each rank. One list takes "
    "turns: A B A B A B. The other frames: A B B B A A. AWRF adds up attention over the whole list; NDKL looks at the "
    "first 1, 2, 3, … as lists of their own. Lower is nearer to the target.",
    ask="Which list is nearer to the target?",
    kind=Choice(
        (
            "Taking turns, by both measures",
            "The framed list, by both measures",
            "AWRF says taking turns, NDKL says framed",
            "AWRF says framed, NDKL says taking turns",
        )
    ),
    answer=_metrics_answer,
    finding=_metrics_finding,
    why=lambda: (
        "In turns A stands at ranks 1, 3 and 5: 32 + 8 + 2 of 63 parts of attention, two thirds. Framed it has "
        "32 + 2 + 1 of 63, five ninths, which is nearer to half. But among the first four of the framed list A has "
        "one, and NDKL counts every such prefix."
    ),
    start=EQUAL,
    picture=_metrics,
    control=Scale(label="Target share of A, %", key="six_target", low=10, high=90, step=5, start=EQUAL),
    readouts=_metrics_readouts,
    sums=_metrics_sums,
    how=r"""
**AWRF** (Sapiezynski et al. 2019; Raj et al. Eq. 3): shares of attention, then their distance from
the target. Here attention is $2^{-r}$ at rank $r$ and the distance Jensen–Shannon's.

$$
\text{AWRF}=\Delta\left(\frac{\epsilon_L}{\lVert\epsilon_L\rVert_1},\hat p\right),\qquad
\text{NDKL}=\frac1Z\sum_i\frac{\mathrm{KL}(D_i\,\Vert\,\hat p)}{\log_2(i+1)}
$$

**NDKL** (Geyik et al. 2019) discounts the divergence of the first 1, 2, 3, … documents. FAIR (*Gao et al. 2022*)
puts the same divergence below the quality of each prefix. Pairs: all orders of three A and three B.
""",
    own=Own("groups", "Groups & targets: five questions, five measures"),
    draw="Draw A's share among the first 1, 2, … 6 of the framed list A B B B A A. The outlines are A B A B A B.",
    discuss="Which of the two lists would you publish, and for whom? What does a measure have to know about readers "
    "to choose for you?",
    first_guess="“Taking turns is even, so both prefer it” (a). Let the class count A's parts of attention.",
    source="Raj, Wood, Montoly and Ekstrand 2020; Gao, Ge and Shah 2022",
)


LISTS = {"even": EVEN, "earned": EARNED}
NEAR = 0.05
"""Log ratios up to this are called near 0: one group gets at most 5 % more than its due."""


def _due() -> float:
    """A's share of attention in proportion to mean usefulness."""
    a, b = usefulness()
    return float(a / (a + b))


def _parity(name: str) -> Bars:
    share = measured(LISTS[name], 0.5, BY_LOG).share
    return Bars(
        title="share of attention, in %",
        names=GROUPS,
        notes=("3 of 3 relevant", "2 of 3 relevant"),
        strong=(True, True),
        outline=np.array([50.0, 50.0]),
        outlined="outline: equal",
        told="tick: by usefulness",
        seen=100 * np.array([share, 1 - share]),
        target=100 * np.array([_due(), 1 - _due()]),
    )


def _holds(values: Measured) -> str:
    ratios = {"equal attention": values.log_dp, "attention by usefulness": values.log_eur}
    near = [name for name, ratio in ratios.items() if abs(ratio) <= NEAR]
    return listing(near) if near else "neither"


def _times(log: float) -> str:
    return f"A gets {number(math.exp(log), 2)} times B's"


def _parity_readouts(name: str) -> list[Readout]:
    values = measured(LISTS[name], 0.5, BY_LOG)
    return [
        (number(values.log_dp, 2), f"logDP: {_times(values.log_dp)}", ""),
        (number(values.log_eur, 2), f"logEUR: {_times(values.log_eur)}, per use", ""),
        (_holds(values), "holds in this list", "plackett-luce"),
    ]


def _parity_sums(name: str) -> Sum:
    values = measured(LISTS[name], 0.5, BY_LOG)
    rows = [
        [str(rank), item, number(float(attention), 2)]
        for rank, (item, attention) in enumerate(zip(LISTS[name].split(), values.attention, strict=True), start=1)
    ]
    gap = number(values.log_dp - values.log_eur, 2)
    return Sum(
        ["Rank", "document", "attention"],
        rows,
        f"logDP − logEUR is {gap} for every order of these six: the log of how many times as useful A's are. "
        "B3 is not relevant.",
    )


PARITY = Lesson(
    slug="parity",
    name="Parity or proportion",
    minutes=3,
    title="Should groups get equal attention, or attention for usefulness?",
    text="Six documents: all three of A are relevant, two of B's three. Some ask that both groups get the same "
    "attention (parity), others that attention follows mean usefulness (proportion).",
    ask="In proportion to mean usefulness, what share of attention is A's, in %?",
    kind=Number(),
    answer=lambda: f"{100 * _due():.0f}",
    finding=lambda: f"{percent(_due())} would be A's by usefulness, {percent(0.5)} by parity: both cannot hold",
    why="A's documents are relevant 3 times of 3, B's 2 of 3: 1 to 2/3 is 60 to 40. Only where groups are equally "
    "useful do both ask for the same list. Which one is right is a decision; no measure makes it.",
    start="earned",
    picture=_parity,
    marked=0,
    control=OneOf(label="List", key="parity_list", settings={name: name for name in LISTS}, start="earned"),
    readouts=_parity_readouts,
    sums=_parity_sums,
    how=r"""
Attention is $v_r=1/\log_2\max(r,2)$. $\epsilon(G)$ is the total attention on a group, $\Upsilon(G)$ the
mean usefulness of its documents. Both groups have three here: a larger one has more by its size alone, unless
`aggregate='mean'` takes attention per document.

$$
\text{logDP}=\ln\frac{\epsilon(A)}{\epsilon(B)},\qquad
\text{logEUR}=\ln\frac{\epsilon(A)/\Upsilon(A)}{\epsilon(B)/\Upsilon(B)}
$$

Near 0 means within 0.05. Singh & Joachims call the second one disparate treatment. *Singh & Joachims 2018; Raj et
al. Eq. 4 and 6.* On whole systems exposure is averaged over queries first.
""",
    own=Own("learn", "Which measure asks your question? Choose a metric", {"chapter": "Choose a metric"}),
    draw="Shade attention in proportion to usefulness. The outlines are equal attention.",
    discuss="Who decided what is relevant, and could that differ by group? When would you ask for parity, when for "
    "proportion?",
    first_guess="“Equal is 50 to 50.” Ask whether a group of better documents should get more, before showing that "
    "both cannot hold.",
    source="Singh and Joachims 2018; Raj et al. 2020",
)


def _missing(unlabelled: int) -> Bars:
    known = left_open(unlabelled)
    shown = sum(LABELLED) + unlabelled
    labelled = 100 * np.array(LABELLED) / shown
    return Bars(
        title="share of attention, in %",
        names=GROUPS,
        notes=tuple(f"{n} labelled" for n in LABELLED),
        strong=(True, True),
        outline=labelled,
        outlined="outline: labelled",
        told="line: what is open",
        seen=100 * np.array([known.dropped, 1 - known.dropped]),
        decimals=1,
        band=100 * np.array([[known.low, known.high], [1 - known.high, 1 - known.low]]),
    )


def _missing_words(unlabelled: int) -> str:
    known = left_open(unlabelled)
    return f"{percent(known.low)} to {percent(known.high)}"


def _missing_readouts(unlabelled: int) -> list[Readout]:
    known = left_open(unlabelled)
    return [
        (_missing_words(unlabelled), "A's share, whatever the labels are", "plackett-luce"),
        (percent(known.dropped, 1), "if unlabelled ones are left out", ""),
        ("yes" if known.high >= EQUAL / 100 else "no", "can half be A's?", ""),
    ]


def _missing_sums(unlabelled: int) -> Sum:
    a, b = LABELLED
    shown = a + b + unlabelled
    known = left_open(unlabelled)
    rows = [
        ["none of them A's", f"{a} of {shown}", percent(known.low)],
        ["all of them A's", f"{a + unlabelled} of {shown}", percent(known.high)],
        ["left out", f"{a} of {a + b}", percent(known.dropped, 1)],
    ]
    return Sum(["Unlabelled documents are", "A's documents", "share"], rows, "Every document is seen by all.")


def _missing_answer() -> str:
    known = left_open(UNLABELLED)
    return f"{100 * known.low:.0f}-{100 * known.high:.0f}"


MISSING = Lesson(
    slug="missing",
    name="Missing labels",
    minutes=4,
    title="What do missing labels leave open?",
    text=f"A reader sees ten documents, all of them equally: {LABELLED[0]} are labelled A, {LABELLED[1]} are labelled "
    f"B, and {UNLABELLED} have no label.",
    ask="Between which shares, in %, can A's true share of attention lie? Drag both ends.",
    kind=Range(),
    answer=_missing_answer,
    finding=lambda: (
        f"Anything from {_missing_words(UNLABELLED)}; leaving unlabelled documents out says "
        f"{percent(left_open(UNLABELLED).dropped, 1)} and hides it"
    ),
    why="If neither of the two is A's, it has 3 of 10; if both are, 5 of 10. No sample size makes this narrower: only "
    "labels do.",
    start=UNLABELLED,
    picture=_missing,
    control=Scale(label="Documents without a label", key="no_label", low=0, high=8, step=1, start=UNLABELLED),
    readouts=_missing_readouts,
    sums=_missing_sums,
    how=r"""
With $\epsilon_g$ the attention on documents labelled $g$, $u$ that on unlabelled ones and $E=\sum\epsilon+u$:

$$\frac{\epsilon_g}{E}\;\le\;\text{share of }g\;\le\;\frac{\epsilon_g+u}{E}$$

`missing='drop'` (the default) takes shares of labelled attention, $\epsilon_g/\sum\epsilon$; `missing='group'` makes
unlabelled documents a group of their own, as *Raj et al. 2020* do. Groups & targets shows the unlabelled share first.
""",
    own=Own("groups", "Groups & targets: the unlabelled share comes first"),
    draw="Shade what is certain of each group in full, and what is open in stripes.",
    discuss="Who is more likely to have no label, and why? Which number, or numbers, would you write in a report?",
    first_guess="“About 37 %”, as a narrow range. Ask what the two documents could be.",
    source="Raj et al. 2020, 4",
)


TARGETS = (0.0, 0.25, 0.5, 0.75, 1.0)
HALF = 2
"""The target of the question."""
RELEVANT = (1, 2, 3, 4)
"""How many documents of B may be relevant."""
PRICE_NOTE = "The price is of what is shown: where B's candidates are relevant, the same target costs nothing."


def _price(b_relevant: int) -> Bars:
    lost = [100 * (1 - priced(target, b_relevant=b_relevant).quality) for target in TARGETS]
    return Bars(
        title=f"% of nDCG@{PLACES} that it costs",
        names=tuple(percent(target) for target in TARGETS),
        notes=tuple("target" for _ in TARGETS),
        strong=tuple(i == HALF for i in range(len(TARGETS))),
        seen=np.array(lost),
    )


def _cost(i: int, b_relevant: int = 1) -> float:
    return 100 * (1 - priced(TARGETS[i], b_relevant=b_relevant).quality)


def _price_readouts(b_relevant: int) -> list[Readout]:
    now = today(b_relevant=b_relevant)
    return [
        (percent(now.share), "B's share of the four places today", ""),
        (f"{_cost(HALF, b_relevant):.0f} %", "of nDCG@4 for half", "optimal"),
        (f"{_cost(HALF + 1, b_relevant):.0f} %", "for three quarters", ""),
    ]


def _price_sums(b_relevant: int) -> Sum:
    rows = [
        [percent(target), " ".join(one.names), percent(one.share), number(one.quality)]
        for target, one in ((target, priced(target, b_relevant=b_relevant)) for target in TARGETS)
    ]
    return Sum(["Target of B", "first four", "share of B", "nDCG@4"], rows, "The best list that meets each target.")


PRICE = Lesson(
    slug="price",
    name="Target and price",
    minutes=6,
    title="Set a target: what does it cost, and whom?",
    text=f"Candidates in the order of their scores: {CANDIDATES}. All of A's are relevant, and B1; B2, B3 and B4 are "
    "not. Today's first four are A1 A2 A3 B1: a quarter of the places are B's. You set a target of half: A1 B1 A2 B2.",
    ask="How many % of quality (nDCG of the first four) does the target of half cost?",
    kind=Number(),
    answer=lambda: f"{_cost(HALF):.0f}",
    finding=lambda: (
        f"Half costs {_cost(HALF):.0f} % of nDCG; a quarter costs nothing, three quarters cost {_cost(HALF + 1):.0f} %"
    ),
    why="Only rank 4 changes from relevant to not: it weighs 1/log2(5) = 0.43 of 2.56 for all four, 17 %. A3 loses its "
    "place. The first steps towards a target are cheap while relevant candidates last; then each costs more.",
    start=1,
    picture=_price,
    marked=HALF,
    control=OneOf(
        label="Relevant documents of B",
        key="b_relevant",
        settings={str(n): n for n in RELEVANT},
        start="1",
        notes=dict.fromkeys(map(str, RELEVANT), PRICE_NOTE),
    ),
    readouts=_price_readouts,
    sums=_price_sums,
    how=r"""
**Bars**: what the best list that meets a target loses against today's, in % of nDCG. DetGreedy (*Geyik et al. 2019*)
gives each group at least $\lfloor p_g\,i\rfloor$ and at most $\lceil p_g\,i\rceil$ of the first $i$ places, and
takes the best candidate among those that may come next.

$$\text{DCG}=\sum_{r\le4}\frac{\text{rel}_r}{\log_2(r+1)}$$
""",
    own=Own("policy_lab", "Policy lab: what your target costs"),
    draw="Shade what each target costs, in % of nDCG.",
    discuss="Who pays here, and who gains? How much would you pay for half? What if people who do not know B's "
    "documents judged them?",
    first_guess="“A quarter”: one of four places. Ranks do not weigh alike, and A1, B1 and A2 stay relevant.",
    source="Geyik, Ambler and Kenthapadi 2019; Raj et al. 2020",
)

GROUP_LESSONS = Chapter(name="Groups and targets", lessons=(TWO_METRICS, PARITY, MISSING, PRICE))
