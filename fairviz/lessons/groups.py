"""Groups and targets, four lessons: two measures, parity or proportion, missing labels, what a target costs.

First a few documents of two groups, small enough to check by hand, and what the library measures of them; then what a
lesson shows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fairviz.display.words import listing, number, percent
from fairviz.kernels.attention import Attention, Geometric, Logarithmic, TopK
from fairviz.kernels.divergence import prefix_divergence
from fairviz.lessons.exposure import one_query
from fairviz.lessons.guesses import LETTERS
from fairviz.lessons.lesson import Bars, Shown
from fairviz.metrics.group_exposure import awrf, group_attention, log_ratio, per_utility
from fairviz.metrics.prefixes import ndkl, prefix_counts
from fairviz.metrics.spec import parse_measure
from fairviz.metrics.standard import standard_values
from fairviz.model import FloatArray
from fairviz.points.shares import share_range
from fairviz.reranking.candidates import Candidates
from fairviz.reranking.det import det_greedy

GROUPS = ("A", "B")
ITEMS = ("A1", "A2", "A3", "B1", "B2", "B3")
USEFUL = {"A1": True, "A2": True, "A3": True, "B1": True, "B2": True, "B3": False}
HALVING, BY_LOG = Geometric(0.5), Logarithmic()
"""Attention that halves at each rank, and that falls with log2 of the rank."""
ALIKE = 1e-9
"""Values closer than this are one value."""
TURNS, FRAMED = "A1 B1 A2 B2 A3 B3", "A1 B1 B2 B3 A2 A3"
"""In turns; and one A on top with the other two at the end."""
EVEN, EARNED = "A1 B1 A2 B2 B3 A3", "A1 A2 B1 B2 B3 A3"
"""Nearly equal attention; and attention nearly in proportion to usefulness."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured:
    """One list against a target.

    Attributes:
        attention: (n) attention at each rank.
        share: Share of attention on A.
        so_far: (n) share of A down to each rank.
        divergence: (n) KL of each prefix from the target.
        awrf, ndkl: Of the list.
        log_dp, log_eur: A against B.
    """

    attention: FloatArray
    share: float
    so_far: FloatArray
    divergence: FloatArray
    awrf: float
    ndkl: float
    log_dp: float
    log_eur: float


def measured(items: str, target: float, attention: Attention) -> Measured:
    """All values of one list.

    Args:
        items: Names from the top down, such as :data:`TURNS`.
        target: Share that A should get.
        attention: How attention falls with rank.
    """
    names = items.split()
    weights = _weights([names])
    offsets, shares = np.array([0, len(names)]), np.array([[target, 1 - target]])
    seen = attention.weights(len(names))
    on_groups = group_attention(weights, seen, offsets)
    divergence = prefix_divergence(weights, offsets, shares)
    counts = prefix_counts(weights, offsets)
    per_use = per_utility(on_groups, usefulness())
    return Measured(
        attention=seen,
        share=float(on_groups[0, 0] / on_groups.sum()),
        so_far=counts[:, 0] / counts.sum(axis=1),
        divergence=divergence,
        awrf=float(awrf(on_groups, shares, distance="jsd")[0]),
        ndkl=float(ndkl(divergence, offsets)[0]),
        log_dp=float(log_ratio(on_groups[:, 0], on_groups[:, 1], eps=0)[0]),
        log_eur=float(log_ratio(per_use[:, 0], per_use[:, 1], eps=0)[0]),
    )


def usefulness() -> FloatArray:
    """(2) mean usefulness of A's and of B's items."""
    means = [np.mean([useful for name, useful in USEFUL.items() if name[0] == g]) for g in GROUPS]
    return np.array(means, dtype=np.float64)


def disagreements(target: float) -> tuple[int, int]:
    """Pairs of orders of three A and three B that AWRF and NDKL put the other way round; all."""
    lists = [["A" if i in first else "B" for i in range(6)] for first in combinations(range(6), 3)]
    weights, offsets = _weights(lists), np.arange(0, 6 * len(lists) + 1, 6)
    shares = np.tile([target, 1 - target], (len(lists), 1))
    seen = np.tile(HALVING.weights(6), len(lists))
    by_attention = awrf(group_attention(weights, seen, offsets), shares, distance="jsd")
    by_prefix = ndkl(prefix_divergence(weights, offsets, shares), offsets)
    pairs = list(combinations(range(len(lists)), 2))
    apart = sum(1 for i, j in pairs if order(by_attention[i], by_attention[j]) * order(by_prefix[i], by_prefix[j]) < 0)
    return apart, len(pairs)


def order(left: float, right: float) -> int:
    """−1 where the left value is smaller, 1 where the right one is, 0 where they are alike."""
    return 0 if abs(left - right) < ALIKE else (-1 if left < right else 1)


def _weights(lists: Sequence[Sequence[str]]) -> FloatArray:
    names = [name for items in lists for name in items]
    return np.array([[float(name[0] == group) for group in GROUPS] for name in names])


LABELLED = (3, 5)
"""Documents of A and of B among those that are shown; some others have no label."""


def left_open(unlabelled: int) -> tuple[float, float, float]:
    """A's share of attention where so many documents, seen like all others, have no label.

    Returns:
        If none of them are A's, if all of them are, and of labelled attention alone.
    """
    names = ["A"] * LABELLED[0] + ["B"] * LABELLED[1] + ["?"] * unlabelled
    offsets = np.array([0, len(names)])
    attention = group_attention(_weights([names]), TopK(len(names)).weights(len(names)), offsets)[0]
    known = share_range(attention, float(unlabelled))
    return float(known.low[0]), float(known.high[0]), float(attention[0] / attention.sum())


CANDIDATES = "A1 A2 A3 B1 A4 B2 B3 B4"
"""Candidates in the order of their scores."""
PLACES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """The first places after re-ranking for a target.

    Attributes:
        names: From the top down.
        share: Of the places, B's.
        quality: nDCG@4, today's order of relevant documents being ideal.
    """

    names: tuple[str, ...]
    share: float
    quality: float


def priced(target: float, *, b_relevant: int = 1) -> Priced:
    """The best list that gives B its share of every prefix (DetGreedy), and what it is worth.

    Args:
        target: Share of B.
        b_relevant: How many of B's candidates are relevant, the first ones.
    """
    names = CANDIDATES.split()
    candidates = Candidates(weights=_weights([names]), target=np.array([1 - target, target]), depth=PLACES)
    order: list[int] = det_greedy(candidates).tolist()
    return worth(tuple(names[i] for i in order), b_relevant=b_relevant)


def worth(names: tuple[str, ...], *, b_relevant: int = 1) -> Priced:
    """What a list of the candidates is worth."""
    relevant = {name for name in CANDIDATES.split() if name[0] == "A"} | {f"B{i + 1}" for i in range(b_relevant)}
    scores = np.arange(len(names), 0, -1.0)
    run, qrels = one_query(names, scores, np.array([name in relevant for name in names]))
    quality = standard_values(run, qrels, [parse_measure(f"nDCG@{PLACES}")])[0].values[0]
    first = names[:PLACES]
    return Priced(names=first, share=sum(name[0] == "B" for name in first) / PLACES, quality=float(quality))


def two_measures(target: int) -> Shown:
    """Shares of A in every prefix of two lists, and what AWRF and NDKL say of them.

    Args:
        target: A's target share, in percent.
    """
    turns, framed = measured(TURNS, target / 100, HALVING), measured(FRAMED, target / 100, HALVING)
    names, framed_names = TURNS.split(), FRAMED.split()
    by_awrf, by_ndkl = order(turns.awrf, framed.awrf), order(turns.ndkl, framed.ndkl)
    likes_turns = (by_awrf < 0, by_ndkl < 0)
    apart, pairs = disagreements(target / 100)
    return Shown(
        bars=Bars(
            names=tuple(str(rank) for rank in range(1, len(names) + 1)),
            notes=tuple(f"{a[0]} | {b[0]}" for a, b in zip(names, framed_names, strict=True)),
            strong=(True,) * len(names),
            outline=100 * turns.so_far,
            seen=100 * framed.so_far,
            target=np.full(len(names), float(target)),
        ),
        numbers={
            "awrf_likes_framed": by_awrf > 0,
            "ndkl_likes_framed": by_ndkl > 0,
            "awrf_turns": turns.awrf,
            "awrf_framed": framed.awrf,
            "ndkl_turns": turns.ndkl,
            "ndkl_framed": framed.ndkl,
            "apart": apart,
            "pairs": pairs,
            "share_turns": turns.share,
            "share_framed": framed.share,
        },
        rows=[
            [
                str(i + 1),
                percent(float(turns.attention[i] / turns.attention.sum())),
                *(
                    cell
                    for names, one in ((TURNS.split(), turns), (FRAMED.split(), framed))
                    for cell in (names[i], percent(float(one.so_far[i])), number(float(one.divergence[i]), 2))
                ),
            ]
            for i in range(len(names))
        ],
        answer=LETTERS[[(True, True), (False, False), (True, False), (False, True)].index(likes_turns)],
    )


LISTS = {"even": EVEN, "earned": EARNED}
NEAR = 0.05
"""Log ratios up to this are called near 0: one group gets at most 5 % more than its due."""


def parity(name: str) -> Shown:
    """A's and B's attention in a list, beside equal shares and shares in proportion to mean usefulness."""
    values = measured(LISTS[name], 0.5, BY_LOG)
    a, b = usefulness()
    due = float(a / (a + b))
    ratios = {"equal attention": values.log_dp, "attention by usefulness": values.log_eur}
    near = [words for words, ratio in ratios.items() if abs(ratio) <= NEAR]
    return Shown(
        bars=Bars(
            names=GROUPS,
            notes=("3 of 3 relevant", "2 of 3 relevant"),
            strong=(True, True),
            outline=np.array([50.0, 50.0]),
            seen=100 * np.array([values.share, 1 - values.share]),
            target=100 * np.array([due, 1 - due]),
            marked=0,
        ),
        numbers={
            "due": due,
            "log_dp": values.log_dp,
            "log_eur": values.log_eur,
            "times": math.exp(values.log_dp),
            "times_per_use": math.exp(values.log_eur),
            "holds": listing(near) if near else "neither",
            "gap": values.log_dp - values.log_eur,
        },
        rows=[
            [str(rank), item, number(float(attention), 2)]
            for rank, (item, attention) in enumerate(zip(LISTS[name].split(), values.attention, strict=True), start=1)
        ],
        answer=f"{100 * due:.0f}",
    )


def missing_labels(unlabelled: int) -> Shown:
    """What so many documents without a label leave open of the shares of A and B."""
    low, high, dropped = left_open(unlabelled)
    a, b = LABELLED
    shown = a + b + unlabelled
    return Shown(
        bars=Bars(
            names=GROUPS,
            notes=tuple(f"{n} labelled" for n in LABELLED),
            strong=(True, True),
            outline=100 * np.array(LABELLED) / shown,
            seen=100 * np.array([dropped, 1 - dropped]),
            decimals=1,
            band=100 * np.array([[low, high], [1 - high, 1 - low]]),
        ),
        numbers={"low": low, "high": high, "dropped": dropped},
        rows=[
            [f"{a} of {shown}", percent(low)],
            [f"{a + unlabelled} of {shown}", percent(high)],
            [f"{a} of {a + b}", percent(dropped, 1)],
        ],
        answer=f"{100 * low:.0f}-{100 * high:.0f}",
    )


TARGETS = (0.0, 0.25, 0.5, 0.75, 1.0)
HALF = 2
"""The target of the question."""


def price(b_relevant: str) -> Shown:
    """What each target costs in nDCG, with so many relevant documents of B."""
    lists = [priced(target, b_relevant=int(b_relevant)) for target in TARGETS]
    lost = [100 * (1 - one.quality) for one in lists]
    return Shown(
        bars=Bars(
            names=tuple(percent(target) for target in TARGETS),
            notes=("target",) * len(TARGETS),
            strong=tuple(i == HALF for i in range(len(TARGETS))),
            seen=np.array(lost),
            marked=HALF,
        ),
        numbers={
            "half": lost[HALF],
            "three_quarters": lost[HALF + 1],
            "share_today": worth(tuple(CANDIDATES.split()), b_relevant=int(b_relevant)).share,
        },
        rows=[
            [percent(target), " ".join(one.names), percent(one.share), number(one.quality)]
            for target, one in zip(TARGETS, lists, strict=True)
        ],
        answer=f"{lost[HALF]:.0f}",
    )
