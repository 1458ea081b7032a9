"""Five items for the lessons on exposure: a run and judgements small enough to check by hand."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from fairviz.attention import Attention, TopK
from fairviz.exposure import exposure_bounds, sample_exposure, target_exposure
from fairviz.metrics.exposure import attainable, ee_disparity, ee_loss, ee_relevance, unbiased_disparity
from fairviz.model import Exposure, FloatArray, Pools, Qrels, Run
from fairviz.policies import PlackettLuce, optimal_frontier
from fairviz.pool import pool

NAMES = ("A", "B", "C", "D", "E")
SCORES = (1.0, 0.8, 0.6, 0.3, 0.0)
USEFUL = (True, False, True, False, True)
READER = TopK(2)
"""A reader who looks at two items, both alike."""

NOTES = tuple(
    f"score {score:g}<br>{'useful' if useful else 'not useful'}" for score, useful in zip(SCORES, USEFUL, strict=True)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """EE-D, EE-R and EE-L of one exposure, raw and attainable."""

    disparity: float
    relevance: float
    loss: float
    attainable_disparity: float
    attainable_relevance: float
    useful_share: float


def run() -> Run:
    """The five items as a system returned them, best score first."""
    return Run(
        system="five items",
        query_ids=("q",),
        doc_ids=NAMES,
        offsets=np.array([0, 5], dtype=np.int64),
        docs=np.arange(5, dtype=np.int32),
        scores=np.array(SCORES),
    )


@cache
def pools() -> Pools:
    """The five items with their judgements: A, C and E are useful, equally so."""
    judgements = Qrels(
        name="five items",
        query_ids=("q",),
        doc_ids=NAMES,
        offsets=np.array([0, 5], dtype=np.int64),
        docs=np.arange(5, dtype=np.int32),
        grades=np.array(USEFUL, dtype=np.int64),
    )
    return pool(run(), judgements)


def exposure(alpha: float, attention: Attention = READER) -> Exposure:
    """Exact Plackett–Luce exposure of the five at one α."""
    return PlackettLuce(alpha).exposure(pools(), attention)


def target() -> Exposure:
    """ε* of the five: useful items share the two places."""
    return target_exposure(pools(), READER)


def values(of: Exposure) -> Values:
    """The measures of one exposure of the five."""
    offsets = pools().offsets
    bounds = exposure_bounds(target(), offsets, READER)
    disparity = ee_disparity(of, offsets)
    relevance = ee_relevance(of, target(), offsets)
    return Values(
        disparity=float(disparity[0]),
        relevance=float(relevance[0]),
        loss=float(ee_loss(of, target(), offsets)[0]),
        attainable_disparity=float(attainable(disparity, *bounds.disparity)[0]),
        attainable_relevance=float(attainable(relevance, *bounds.relevance)[0]),
        useful_share=float(of[np.array(USEFUL)].sum() / of.sum()),
    )


def optimal(disparity: float) -> Exposure:
    """The exposure that gives most to high scores at this attainable EE-D."""
    return optimal_frontier(pools(), target(), READER).at(np.array([disparity]))[0]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawn:
    """N lists drawn at one α: estimated exposure, EE-D as estimated and corrected (attainable)."""

    exposure: Exposure
    plugin: float
    unbiased: float


def drawn(alpha: float, n_samples: int, seed: int) -> Drawn:
    """Draw lists of two and estimate; the seed is on the page."""
    offsets = pools().offsets
    rng = np.random.default_rng(seed)
    sample = PlackettLuce(alpha).sample(run(), depth=2, n_samples=n_samples, rng=rng)
    estimate = sample_exposure(sample, pools(), READER)
    low, high = exposure_bounds(target(), offsets, READER).disparity
    raw = ee_disparity(estimate.exposure, offsets)
    corrected = unbiased_disparity(raw, estimate.mean_square, estimate.n_samples)
    return Drawn(
        exposure=estimate.exposure,
        plugin=float(attainable(raw, low, high)[0]),
        unbiased=float(attainable(corrected, low, high)[0]),
    )


def chance_disparity(n_samples: int) -> float:
    """Expected attainable EE-D of N lists shuffled at random, whose exact EE-D is 0.

    The plug-in is too high by Σ ε(1−ε)/N.
    """
    shares = exposure(0.0)
    low, high = exposure_bounds(target(), pools().offsets, READER).disparity
    return float((shares * (1 - shares)).sum() / n_samples / (high - low)[0])


def used(alpha: float, rule: str) -> FloatArray:
    """ε_a: how often an answer uses each item, under three simple generators."""
    match rule:
        case "only the first":
            return exposure(alpha, TopK(1))
        case "only useful ones":
            return exposure(alpha) * np.array(USEFUL)
        case _:
            return exposure(alpha) / 2
