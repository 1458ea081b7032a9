"""Groups and targets, six lessons: two measures, parity or proportion, missing labels, a price, crossings, one number.

First a few documents of two groups, small enough to check by hand, and what the library measures of them; then what a
lesson shows.
"""

import math
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import numpy as np

from fairviz.display.words import listing, number, percent
from fairviz.kernels.attention import Attention, TopK
from fairviz.kernels.divergence import prefix_divergence
from fairviz.lessons.exposure import one_query
from fairviz.lessons.lesson import LETTERS, Bars, Shown
from fairviz.metrics.catalogue import parse_measure
from fairviz.metrics.effectiveness import standard_values
from fairviz.metrics.fair import SumOverRanks, fair
from fairviz.metrics.group_exposure import awrf, group_attention, log_ratio
from fairviz.metrics.prefixes import ndkl, prefix_counts
from fairviz.model import FloatArray
from fairviz.model.arrays import ratio
from fairviz.points.shares import share_range
from fairviz.reranking.amortised import Statements, amortised
from fairviz.reranking.candidates import Candidates
from fairviz.reranking.det import det_greedy
from fairviz.reranking.fair_epsilon_greedy import filled_by_turns

GROUPS = ("A", "B")
USEFUL = {"A1": True, "A2": True, "A3": True, "B1": True, "B2": True, "B3": False}
HALVING, BY_LOG = Attention("geometric", stopping=0.5), Attention("log")
"""Attention that halves at each rank, and that falls with log2 of the rank."""
ALIKE = 1e-9
"""Values closer than this are one value."""
TURNS, FRAMED = "A1 B1 A2 B2 A3 B3", "A1 B1 B2 B3 A2 A3"
"""In turns; and one A on top with the other two at the end."""
EVEN, EARNED = "A1 B1 A2 B2 B3 A3", "A1 A2 B1 B2 B3 A3"
"""Nearly equal attention; and attention nearly in proportion to usefulness."""


def measured(items: str, target: float, attention: Attention) -> dict[str, Any]:
    """All values of one list against a target.

    Args:
        items: Names from the top down, such as :data:`TURNS`.
        target: Share that A should get.
        attention: How attention falls with rank.

    Returns:
        (n) ``attention`` at each rank and the ``share`` of it on A; (n) A's share ``so_far`` down to each rank and (n)
        ``divergence`` of each prefix from the target (KL); ``AWRF``, ``NDKL``; ``logDP`` and ``logEUR`` of A against B.
    """
    names = items.split()
    weights = _weights([names])
    offsets, shares = np.array([0, len(names)]), np.array([[target, 1 - target]])
    seen = attention.weights(len(names))
    on_groups = group_attention(weights, seen, offsets)
    divergence, counts = prefix_divergence(weights, offsets, shares), prefix_counts(weights, offsets)
    per_use = ratio(on_groups, usefulness())
    return {
        "attention": seen,
        "share": float(on_groups[0, 0] / on_groups.sum()),
        "so_far": counts[:, 0] / counts.sum(axis=1),
        "divergence": divergence,
        "AWRF": float(awrf(on_groups, shares, distance="jsd")[0]),
        "NDKL": float(ndkl(divergence, offsets)[0]),
        "logDP": float(log_ratio(on_groups[:, 0], on_groups[:, 1], eps=0)[0]),
        "logEUR": float(log_ratio(per_use[:, 0], per_use[:, 1], eps=0)[0]),
    }


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
    bounds = share_range(attention, float(unlabelled))
    return float(bounds.low[0]), float(bounds.high[0]), float(attention[0] / attention.sum())


CANDIDATES = "A1 A2 A3 B1 A4 B2 B3 B4"
"""Candidates in the order of their scores."""
PLACES = 4


def priced(target: float) -> tuple[str, ...]:
    """The best list that gives B its target share of every prefix (DetGreedy)."""
    names = CANDIDATES.split()
    candidates = Candidates(weights=_weights([names]), target=np.array([1 - target, target]), depth=PLACES)
    order: list[int] = det_greedy(candidates).tolist()
    return tuple(names[i] for i in order)


def share_of_b(names: Sequence[str]) -> float:
    """B's share of the first places."""
    return sum(name[0] == "B" for name in names[:PLACES]) / PLACES


def quality(names: tuple[str, ...], *, b_relevant: int = 1) -> float:
    """nDCG@4 of a list of the candidates, today's order of relevant documents being ideal.

    Args:
        names: From the top down.
        b_relevant: How many of B's candidates are relevant, the first ones.
    """
    relevant = {name for name in names if name[0] == "A"} | {f"B{i + 1}" for i in range(b_relevant)}
    run, qrels = one_query(names, np.arange(len(names), 0, -1.0), np.array([name in relevant for name in names]))
    return float(standard_values(run, qrels, [parse_measure(f"nDCG@{PLACES}")])[0].values[0])


def two_measures(target: int) -> Shown:
    """Shares of A in every prefix of two lists, and what AWRF and NDKL say of them.

    Args:
        target: A's target share, in percent.
    """
    turns, framed = measured(TURNS, target / 100, HALVING), measured(FRAMED, target / 100, HALVING)
    names, framed_names = TURNS.split(), FRAMED.split()
    by_awrf, by_ndkl = (order(turns[name], framed[name]) for name in ("AWRF", "NDKL"))
    likes_turns = (by_awrf < 0, by_ndkl < 0)
    apart, pairs = disagreements(target / 100)
    return Shown(
        bars=Bars(
            names=tuple(str(rank) for rank in range(1, len(names) + 1)),
            notes=tuple(f"{a[0]} | {b[0]}" for a, b in zip(names, framed_names, strict=True)),
            outline=100 * turns["so_far"],
            seen=100 * framed["so_far"],
            target=np.full(len(names), float(target)),
        ),
        numbers={
            "awrf_likes_framed": by_awrf > 0,
            "ndkl_likes_framed": by_ndkl > 0,
            "awrf_turns": turns["AWRF"],
            "awrf_framed": framed["AWRF"],
            "ndkl_turns": turns["NDKL"],
            "ndkl_framed": framed["NDKL"],
            "apart": apart,
            "pairs": pairs,
            "share_turns": turns["share"],
            "share_framed": framed["share"],
        },
        rows=[
            [
                str(i + 1),
                percent(float(turns["attention"][i] / turns["attention"].sum())),
                *(
                    cell
                    for items, values in ((names, turns), (framed_names, framed))
                    for cell in (
                        items[i],
                        percent(float(values["so_far"][i])),
                        number(float(values["divergence"][i]), 2),
                    )
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
    ratios = {"equal attention": values["logDP"], "attention by usefulness": values["logEUR"]}
    near = [words for words, ratio in ratios.items() if abs(ratio) <= NEAR]
    return Shown(
        bars=Bars(
            names=GROUPS,
            notes=("3 of 3 relevant", "2 of 3 relevant"),
            outline=np.array([50.0, 50.0]),
            seen=100 * np.array([values["share"], 1 - values["share"]]),
            target=100 * np.array([due, 1 - due]),
            marked=0,
        ),
        numbers={
            "due": due,
            "log_dp": values["logDP"],
            "log_eur": values["logEUR"],
            "times": math.exp(values["logDP"]),
            "times_per_use": math.exp(values["logEUR"]),
            "holds": listing(near) if near else "neither",
            "gap": values["logDP"] - values["logEUR"],
        },
        rows=[
            [str(rank), item, number(float(values["attention"][rank - 1]), 2)]
            for rank, item in enumerate(LISTS[name].split(), start=1)
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
    lists = [priced(target) for target in TARGETS]
    qualities = [quality(names, b_relevant=int(b_relevant)) for names in lists]
    lost = [100 * (1 - value) for value in qualities]
    return Shown(
        bars=Bars(
            names=tuple(percent(target) for target in TARGETS),
            notes=("target",) * len(TARGETS),
            strong=tuple(i == HALF for i in range(len(TARGETS))),
            seen=np.array(lost),
            marked=HALF,
        ),
        numbers={"half": lost[HALF], "three_quarters": lost[HALF + 1], "share_today": share_of_b(CANDIDATES.split())},
        rows=[
            [percent(target), " ".join(names[:PLACES]), percent(share_of_b(names)), number(value)]
            for target, names, value in zip(TARGETS, lists, qualities, strict=True)
        ],
        answer=f"{lost[HALF]:.0f}",
    )


CROSSINGS = ("A large", "A small", "B large", "B small")
"""Region and size of providers; two candidates are of each."""
MARGINS = np.array([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]], dtype=np.float64)
"""(4, 4) A, B, large and small of each crossing."""
OF_A = 0.5
"""Share that is stated for A."""


def two_margins(small_share: int) -> Shown:
    """The least that A's small providers get of four places where both margins are stated exactly.

    Args:
        small_share: What is stated for small providers, in percent.
    """
    small, crossings = small_share / 100, np.repeat(np.eye(len(CROSSINGS)), 2, axis=0)
    regions, sizes = np.array([OF_A, 1 - OF_A]), np.array([1 - small, small])
    stated, places = Statements.of((regions, regions), (sizes, sizes)), np.full(PLACES, 1 / PLACES)
    offsets = np.array([0, len(crossings)])
    policy = amortised(-crossings[:, 1], crossings @ MARGINS, offsets, places, stated)
    shares = policy.mixtures[0].exposure(places) @ crossings
    alike = np.outer(regions, sizes).ravel()
    return Shown(
        bars=Bars(
            names=CROSSINGS,
            strong=tuple(name == "A small" for name in CROSSINGS),
            outline=100 * alike,
            seen=100 * shares,
            marked=1,
        ),
        numbers={
            "least": float(shares[1]),
            "alike": float(alike[1]),
            "most": min(OF_A, small),
            "half": OF_A,
            "small": small,
        },
        rows=[
            [name, percent(even), percent(share)] for name, even, share in zip(CROSSINGS, alike, shares, strict=True)
        ],
        answer=f"{100 * shares[1]:.0f}",
    )


MIXED = "A1 A2 A3 A4 B1 B2 B3 B4"
GRADES = {"A": 2.0, "B": 1.0}
"""How useful each document of a group is."""
SHARE_OF_A = 0.6
"""Of the places, as the target has it."""


def fair_lists() -> dict[tuple[bool, ...], tuple[str, FloatArray]]:
    """Every list that FAIR ε-greedy can fill four places with, by the ranks at which it explores.

    Returns:
        The groups of its documents, and (3) its nDCG, the mean of 1/(KL + 1) over its prefixes, its FAIR.
    """
    weights = _weights([MIXED.split()])
    gains, target = np.array([GRADES[name[0]] for name in MIXED.split()]), np.array([[SHARE_OF_A, 1 - SHARE_OF_A]])
    candidates = Candidates(weights=weights, target=target[0], depth=PLACES, gains=gains)
    offsets, every, nothing = np.array([0, PLACES]), np.array([0, len(gains)]), np.empty((len(gains), 0))
    measure = SumOverRanks("nDCG")
    ideal = measure.ideal_sum(gains, nothing, every, ties=np.arange(len(gains)), cutoff=PLACES)
    lists: dict[tuple[bool, ...], tuple[str, FloatArray]] = {}
    for explores in product((False, True), repeat=PLACES):
        shown = filled_by_turns(candidates, np.array(explores), irm="nDCG")[:PLACES]
        terms = measure.terms(gains[shown], nothing[:PLACES], offsets)
        divergence = prefix_divergence(weights[shown], offsets, target)
        value = float(fair(terms, divergence, offsets, ideal)[0])
        values = np.array([terms.sum() / ideal[0], np.mean(1 / (divergence + 1)), value])
        lists[explores] = "".join(GROUPS[int(weights[i].argmax())] for i in shown), values
    return lists


def one_number(epsilon: float) -> Shown:
    """FAIR, nDCG and balance of FAIR ε-greedy, exact means over all that chance can do, beside those without ε."""
    lists = fair_lists()
    chances = {explores: math.prod(epsilon if at else 1 - epsilon for at in explores) for explores in lists}
    values: FloatArray = np.sum([chances[explores] * own for explores, (_, own) in lists.items()], axis=0)
    plain = lists[(False,) * PLACES][1]
    drawn: dict[str, float] = {}
    for explores, (groups, _) in lists.items():
        drawn[groups] = drawn.get(groups, 0.0) + chances[explores]
    of_lists = dict(lists.values())
    return Shown(
        bars=Bars(
            names=("usefulness", "balance", "FAIR"),
            notes=("nDCG@4", "mean 1/(KL + 1)", "both at once"),
            strong=(False, False, True),
            outline=100 * plain,
            seen=100 * values,
            marked=0,
        ),
        numbers={
            "useful": float(100 * values[0]),
            "balance": float(100 * values[1]),
            "balance_plain": float(100 * plain[1]),
            "fair": float(100 * values[2]),
            "fair_plain": float(100 * plain[2]),
        },
        rows=[
            [" ".join(groups), percent(chance, 1), *(number(100 * value, 0) for value in of_lists[groups].tolist())]
            for groups, chance in sorted(drawn.items(), key=lambda each: (-each[1], each[0]))
            if chance > 0
        ],
        answer=f"{100 * values[0]:.0f}",
    )
