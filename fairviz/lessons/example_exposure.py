"""A few documents for the lessons on exposure: runs and judgements small enough to check by hand."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairviz.attention import Attention, TopK
from fairviz.exposure import exposure_bounds, target_exposure
from fairviz.metrics.exposure import attainable, ee_disparity, ee_loss, ee_relevance
from fairviz.model import Exposure, FloatArray, Pools, Qrels, Run
from fairviz.policies import PlackettLuce, optimal_frontier
from fairviz.pool import pool
from fairviz.stats.tests import mcnemar_exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """EE-D, EE-R and EE-L of one exposure, raw and attainable.

    Attributes:
        relevant: Share of all looks that fall on relevant documents.
    """

    disparity: float
    relevance: float
    loss: float
    attainable_disparity: float
    attainable_relevance: float
    relevant: float


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """Documents of one query, best score first, with their judgements.

    Attributes:
        scores: Of the system.
        relevant: Whether each is relevant; all that are, equally so.
        reader: Who looks at how many of them.
    """

    scores: tuple[float, ...]
    relevant: tuple[bool, ...]
    reader: TopK

    @property
    def names(self) -> tuple[str, ...]:
        """The letters from A on."""
        return tuple("ABCDEFGH"[: len(self.scores)])

    @property
    def notes(self) -> tuple[str, ...]:
        """Score and judgement, below a bar."""
        said = ("relevant" if useful else "not rel." for useful in self.relevant)
        return tuple(f"score {score:g}<br>{word}" for score, word in zip(self.scores, said, strict=True))

    @cached_property
    def pools(self) -> Pools:
        """The documents as the library measures them."""
        n = len(self.scores)
        offsets, docs = np.array([0, n], dtype=np.int64), np.arange(n, dtype=np.int32)
        run = Run(
            system="lesson",
            query_ids=("q",),
            doc_ids=self.names,
            offsets=offsets,
            docs=docs,
            scores=np.array(self.scores),
        )
        qrels = Qrels(
            name="lesson",
            query_ids=("q",),
            doc_ids=self.names,
            offsets=offsets,
            docs=docs,
            grades=np.array(self.relevant, dtype=np.int64),
        )
        return pool(run, qrels)

    def exposure(self, alpha: float, attention: Attention | None = None) -> Exposure:
        """Exact Plackett–Luce exposure at one α."""
        return PlackettLuce(alpha).exposure(self.pools, attention or self.reader)

    @property
    def fixed(self) -> FloatArray:
        """Exposure of the deterministic ranking."""
        return self.reader.weights(len(self.scores))

    def weights(self, alpha: float) -> FloatArray:
        """What a document's chance to be drawn first is proportional to."""
        return np.exp(PlackettLuce(alpha).logits(np.array(self.scores)))

    @property
    def target(self) -> Exposure:
        """ε*: relevant documents share the first places."""
        return target_exposure(self.pools, self.reader)

    def values(self, of: Exposure) -> Values:
        """The measures of one exposure."""
        offsets = self.pools.offsets
        bounds = exposure_bounds(self.target, offsets, self.reader)
        disparity = ee_disparity(of, offsets)
        relevance = ee_relevance(of, self.target, offsets)
        return Values(
            disparity=float(disparity[0]),
            relevance=float(relevance[0]),
            loss=float(ee_loss(of, self.target, offsets)[0]),
            attainable_disparity=float(attainable(disparity, *bounds.disparity)[0]),
            attainable_relevance=float(attainable(relevance, *bounds.relevance)[0]),
            relevant=float(of[np.array(self.relevant)].sum() / of.sum()),
        )

    def best(self, alpha: float) -> Exposure:
        """The exposure that gives most to high scores at the EE-D of Plackett–Luce at one α."""
        disparity = self.values(self.exposure(alpha)).attainable_disparity
        return optimal_frontier(self.pools, self.target, self.reader).at(np.array([disparity]))[0]


FIVE = Ranked(scores=(1.0, 0.8, 0.6, 0.3, 0.0), relevant=(True, False, True, False, True), reader=TopK(2))
"""A reader looks at two of five."""
EIGHT = Ranked(scores=(1.0, 0.5, 0.5, 0, 0, 0, 0, 0), relevant=(True, True, True, *[False] * 5), reader=TopK(1))
"""One place for eight documents: an answer box."""

POLICIES: tuple[tuple[str, str, tuple[tuple[float, str], ...]], ...] = (
    ("fixed", "always A and B", ((1, "AB"),)),
    (
        "random",
        "any two, at random",
        tuple((0.1, pair) for pair in ("AB", "AC", "AD", "AE", "BC", "BD", "BE", "CD", "CE", "DE")),
    ),
    ("one fixed", "A, and any other at random", tuple((0.25, pair) for pair in ("AB", "AC", "AD", "AE"))),
    ("in turns", "two of A, C, E, in turns", tuple((1 / 3, pair) for pair in ("AC", "AE", "CE"))),
)
"""Four ways to choose two of five: name, words, and each list with its chance."""


def of_lists(lists: tuple[tuple[float, str], ...]) -> Exposure:
    """Exposure of lists that are shown with these chances."""
    seen = np.zeros(len(FIVE.names))
    for chance, names in lists:
        for name, attention in zip(names, FIVE.reader.weights(len(names)), strict=True):
            seen[FIVE.names.index(name)] += chance * attention
    return seen


def policies() -> list[Values]:
    """The measures of :data:`POLICIES`."""
    return [FIVE.values(of_lists(lists)) for _, _, lists in POLICIES]


def used(alpha: float, rule: str) -> FloatArray:
    """ε_a: how often an answer uses each of the five, under three simple generators."""
    match rule:
        case "only the first":
            return FIVE.exposure(alpha, TopK(1))
        case "only relevant ones":
            return FIVE.exposure(alpha) * np.array(FIVE.relevant)
        case _:
            return FIVE.exposure(alpha) / 2


WINS = 0.7
"""Share of queries that one ranking wins."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chance:
    """What pure chance gives where two rankings are alike.

    Attributes:
        wins: Queries that one of them won.
        by_wins: (n + 1) chance of each number of wins.
        extreme: Which numbers are at least as lopsided.
        p: Their chance together.
    """

    wins: int
    by_wins: FloatArray
    extreme: tuple[bool, ...]
    p: float


def chance(n_queries: int) -> Chance:
    """Seven wins of ten, or as many of n: how often no difference at all looks like that.

    The chance of w wins is the step of the tail probability that McNemar's test sums.
    """
    wins = round(WINS * n_queries)
    tails = [mcnemar_exact(w, n_queries - w) / 2 for w in range((n_queries + 1) // 2)]
    lower = np.diff([0.0, *tails])
    middle = [1 - 2 * tails[-1]] if n_queries % 2 == 0 else []
    by_wins = np.array([*lower, *middle, *lower[::-1]])
    few = min(wins, n_queries - wins)
    extreme = tuple(w <= few or w >= n_queries - few for w in range(n_queries + 1))
    return Chance(wins=wins, by_wins=by_wins, extreme=extreme, p=mcnemar_exact(wins, n_queries - wins))
