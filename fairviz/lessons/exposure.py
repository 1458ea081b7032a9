"""Attention and exposure, five lessons: who looks, who is seen, what is equal, what is best, how sure one can be.

First a few documents, small enough to check by hand, and what the library measures of them; then what a lesson shows.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairviz.display.words import number
from fairviz.kernels.attention import Attention, Discounted, TopK
from fairviz.kernels.exposure import exposure_bounds, target_exposure
from fairviz.kernels.pool import pool
from fairviz.lessons.lesson import LETTERS, Bars, Shown
from fairviz.metrics.exposure import attainable, ee_disparity, ee_loss, ee_relevance
from fairviz.model import BoolArray, Exposure, FloatArray, Pools, Qrels, Run
from fairviz.policies import PlackettLuce, frontier
from fairviz.stats.tests import mcnemar_exact


def one_query(names: tuple[str, ...], scores: FloatArray, relevant: BoolArray) -> tuple[Run, Qrels]:
    """A run and judgements of one query; its documents stand in the order of the run."""
    offsets, docs = np.array([0, len(names)], np.int64), np.arange(len(names), dtype=np.int32)
    run = Run(system="lesson", query_ids=("q",), doc_ids=names, offsets=offsets, docs=docs, scores=scores)
    grades = relevant.astype(np.int64)
    return run, Qrels(name="lesson", query_ids=("q",), doc_ids=names, offsets=offsets, docs=docs, grades=grades)


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
    reader: Attention

    @property
    def names(self) -> tuple[str, ...]:
        """The letters from A on."""
        return tuple("ABCDEFGH"[: len(self.scores)])

    @property
    def notes(self) -> tuple[str, ...]:
        """Score and judgement, below a bar."""
        judgements = ("relevant" if useful else "not rel." for useful in self.relevant)
        return tuple(f"score {score:g}<br>{word}" for score, word in zip(self.scores, judgements, strict=True))

    @cached_property
    def pools(self) -> Pools:
        """The documents as the library measures them."""
        return pool(*one_query(self.names, np.array(self.scores), np.array(self.relevant)))

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

    def values(self, of: Exposure) -> dict[str, float]:
        """EE-D, EE-R and EE-L of one exposure; attainable EE-D and EE-R; the share of looks on relevant documents."""
        offsets = self.pools.offsets
        bounds = exposure_bounds(self.target, offsets, self.reader)
        disparity, relevance = ee_disparity(of, offsets), ee_relevance(of, self.target, offsets)
        return {
            "EE-D": float(disparity[0]),
            "EE-R": float(relevance[0]),
            "EE-L": float(ee_loss(of, self.target, offsets)[0]),
            "disparity": float(attainable(disparity, *bounds.disparity)[0]),
            "relevance": float(attainable(relevance, *bounds.relevance)[0]),
            "relevant": float(of[np.array(self.relevant)].sum() / of.sum()),
        }

    def best(self, alpha: float) -> Exposure:
        """The exposure that gives most to high scores at the EE-D of Plackett–Luce at one α."""
        disparity = self.values(self.exposure(alpha))["disparity"]
        return frontier("optimal", self.pools, self.target, self.reader).at(np.array([disparity]))[0]


FIVE = Ranked(scores=(1.0, 0.8, 0.6, 0.3, 0.0), relevant=(True, False, True, False, True), reader=TopK(2))
"""A reader looks at two of five."""
EIGHT = Ranked(scores=(1.0, 0.5, 0.5, 0, 0, 0, 0, 0), relevant=(True, True, True, *[False] * 5), reader=TopK(1))
"""One place for eight documents: an answer box."""

POLICIES = {
    "fixed": "AB",
    "random": "AB AC AD AE BC BD BE CD CE DE",
    "one fixed": "AB AC AD AE",
    "in turns": "AC AE CE",
}
"""Four ways to choose two of five, by name: the lists of each, all as likely."""


def of_lists(lists: str) -> Exposure:
    """Exposure of lists of which each is as likely as any other."""
    seen, every = np.zeros(len(FIVE.names)), lists.split()
    for names in every:
        for name, attention in zip(names, FIVE.reader.weights(len(names)), strict=True):
            seen[FIVE.names.index(name)] += attention / len(every)
    return seen


def used(alpha: float, rule: str) -> FloatArray:
    """ε_a: how often an answer uses each of the five, under three simple generators."""
    match rule:
        case "only the first":
            return FIVE.exposure(alpha, TopK(1))
        case "only relevant ones":
            return FIVE.exposure(alpha) * np.array(FIVE.relevant)
        case _:
            return FIVE.exposure(alpha) / 2


READERS: dict[str, Attention] = {
    "patient": Attention("rbp", patience=0.8),
    "hasty": Attention("geometric", stopping=0.5),
    "discount": Discounted(),
    "logarithm": Attention("log"),
    "machine": TopK(5),
}
RANKS = 8
RANK = 5
"""The rank of the question on attention."""


def attention(reader: str) -> Shown:
    """How many of 100 readers see each of eight ranks."""
    weights = READERS[reader].weights(RANKS)
    by_reader = [model.weights(RANKS) for model in READERS.values()]
    return Shown(
        bars=Bars(
            names=tuple(str(rank) for rank in range(1, RANKS + 1)),
            outline=100 * TopK(1).weights(RANKS),
            seen=100 * weights,
            marked=RANK - 1,
        ),
        numbers={
            "seen": 100 * weights[RANK - 1],
            "last": 100 * weights[-1],
            "total": weights.sum(),
            "first_share": weights[0] / weights.sum(),
            "share_below": weights[4:].sum() / weights.sum(),
        },
        rows=[[str(r + 1), *(number(float(of_one[r]), 2) for of_one in by_reader)] for r in range(RANKS)],
        answer=f"{100 * weights[RANK - 1]:.0f}",
    )


def expected_exposure(alpha: float) -> Shown:
    """How often each of five documents is among the two that are seen, under Plackett–Luce."""
    weights, both = FIVE.weights(alpha), FIVE.exposure(alpha)
    first = FIVE.exposure(alpha, TopK(1))
    drawn, fixed = FIVE.values(both), FIVE.values(FIVE.fixed)
    return Shown(
        bars=Bars(
            names=FIVE.names,
            notes=FIVE.notes,
            strong=FIVE.relevant,
            outline=100 * FIVE.fixed,
            seen=100 * both,
            marked=0,
        ),
        numbers={
            "alpha": f"{alpha:g}",
            "a": 100 * both[0],
            "c": 100 * both[2],
            "e": 100 * both[4],
            "weight_of_a": weights[0],
            "weights": weights.sum(),
            "a_first": first[0],
            "a_second": both[0] - first[0],
            "a_seen": both[0],
            "disparity": drawn["disparity"],
            "disparity_if_fixed": fixed["disparity"],
            "relevance": drawn["relevance"],
            "relevance_if_fixed": fixed["relevance"],
            "relevant": drawn["relevant"],
        },
        rows=[
            [
                name,
                f"{FIVE.scores[i]:g}",
                _weight(float(weights[i])),
                *(number(float(chance[i]), 2) for chance in (first, both - first, both)),
            ]
            for i, name in enumerate(FIVE.names)
        ],
        answer=f"{100 * both[0]:.0f}",
    )


SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _weight(value: float) -> str:
    if value < 1e5:
        return f"{value:.1f}"
    digits, _, power = f"{value:.1e}".partition("e+")
    return f"{digits} · 10{power.lstrip('0').translate(SUPERSCRIPTS)}"


def disparity(_setting: None) -> Shown:
    """EE-D and EE-R of four policies over five documents."""
    values = [FIVE.values(of_lists(lists)) for lists in POLICIES.values()]
    ideal = next(value for value in values if abs(value["EE-L"]) < 1e-9)
    most_equal = sorted(range(len(values)), key=lambda i: values[i]["disparity"])
    return Shown(
        bars=Bars(
            names=tuple(LETTERS[: len(POLICIES)]),
            notes=tuple(POLICIES),
            strong=tuple(value is ideal for value in values),
            seen=np.array([100 * value["disparity"] for value in values]),
            target=np.array([100 * value["relevance"] for value in values]),
        ),
        numbers={
            "most_equal": LETTERS[most_equal[0]],
            "wasted": 100 * (1 - values[most_equal[0]]["relevant"]),
            "disparity": ideal["disparity"],
            "relevance": ideal["relevance"],
            "loss": ideal["EE-L"],
        },
        rows=[
            [number(value[key], 2) for key in ("EE-D", "EE-R", "EE-L", "disparity", "relevance")] for value in values
        ],
        answer="".join(LETTERS[i] for i in most_equal),
    )


def optimal(alpha: float) -> Shown:
    """The best exposure of eight documents at the EE-D of Plackett–Luce, beside it."""
    drawn, best = EIGHT.exposure(alpha), EIGHT.best(alpha)
    scores, of_drawn, of_best = np.array(EIGHT.scores), EIGHT.values(drawn), EIGHT.values(best)
    columns = (drawn, drawn**2, best, best**2)
    rows = [
        [name, f"{EIGHT.scores[i]:g}", *(number(float(column[i])) for column in columns)]
        for i, name in enumerate(EIGHT.names)
    ]
    return Shown(
        bars=Bars(
            names=EIGHT.names,
            notes=tuple(f"{score:g}" for score in EIGHT.scores),
            strong=EIGHT.relevant,
            outline=100 * drawn,
            seen=100 * best,
            decimals=1,
        ),
        numbers={
            "drawn": 100 * of_drawn["relevant"],
            "best": 100 * of_best["relevant"],
            "gain": of_best["relevant"] - of_drawn["relevant"],
            "drawn_a": drawn[0],
            "drawn_unscored": drawn[3:].sum(),
            "best_a": best[0],
            "best_b": best[1],
            "disparity": of_best["disparity"],
            "score": float(best @ scores),
            "score_of_drawn": float(drawn @ scores),
        },
        rows=[*rows, ["Sum", "", *(number(float(column.sum())) for column in columns)]],
        answer=f"{100 * of_best['relevant']:.0f}",
    )


WINS = 0.7
"""Share of queries that one ranking wins."""
MANY_QUERIES = 40
"""Queries that the finding compares with: as many wins in proportion are no longer likely by chance."""


def sure(queries: str) -> Shown:
    """How often two equally good rankings differ as much as 7 : 3 by chance."""
    n = int(queries)
    wins, many = round(WINS * n), round(WINS * MANY_QUERIES)
    few, p = n - wins, mcnemar_exact(wins, n - wins)
    by_wins = np.array([math.comb(n, w) for w in range(n + 1)]) / 2**n
    half = float(by_wins[: few + 1].sum())
    return Shown(
        bars=Bars(
            names=tuple(map(str, range(n + 1))),
            strong=tuple(min(w, n - w) <= few for w in range(n + 1)),  # at least as lopsided
            seen=100 * by_wins,
            top=30,
        ),
        numbers={
            "n": n,
            "wins": wins,
            "losses": few,
            "p": p,
            "so": 100 * p,
            "many": MANY_QUERIES,
            "so_of_many": 100 * mcnemar_exact(many, MANY_QUERIES - many),
        },
        rows=[
            *([f"{w} : {n - w}", f"{100 * float(by_wins[w]):.2f}"] for w in range(few + 1)),
            ["Sum", f"{100 * half:.2f}"],
            ["and the other way round", f"{200 * half:.2f}"],
        ],
        answer=f"{100 * p:.0f}",
    )
