"""FAIR ε-greedy against its algorithm word for word."""

from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.kernels.divergence import kl
from fairviz.reranking.candidates import Candidates
from fairviz.reranking.fair_epsilon_greedy import Criterion, Irm, fair_epsilon_greedy
from tests.reranking.queries import queries, query, soft_queries

IRMS: tuple[Irm, ...] = ("alpha_nDCG", "nDCG", "RBP", "ERR_IA")
either = st.one_of(queries(), soft_queries())


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def divergence(weights: np.ndarray, target: np.ndarray) -> float:
    """KL of the groups of some items; 0 where none has a label."""
    total = weights.sum()
    return float(kl(weights.sum(axis=0) / total, target)) if total > 0 else 0.0


def gain(candidates: Candidates, above: list[int], item: int, irm: Irm, alpha: float) -> float:
    """IRM_i without its rank discount."""
    useful = 1.0 if candidates.gains is None else float(candidates.gains[item])
    if irm == "nDCG":
        return useful
    if irm == "RBP":
        return float(useful > 0)
    everyone = np.ones(candidates.n) if candidates.gains is None else candidates.gains > 0
    covers = candidates.weights * everyone[:, None]
    if irm == "alpha_nDCG":
        return float((covers[item] * (1 - alpha) ** covers[above].sum(axis=0)).sum())
    return float((alpha * covers[item] * np.prod(1 - alpha * covers[above], axis=0)).sum())


def ratio(worth: float, far: float, criterion: Criterion) -> float:
    if criterion == "kl+1":
        return worth / (far + 1)
    if far > 1e-12:
        return worth / far
    return np.inf if worth > 0 else 0.0


def best(among: list[int], value: dict[int, float]) -> list[int]:
    """Those of the largest value, but for rounding."""
    top = max(value[d] for d in among)
    least = top - 1e-12 * max(1.0, abs(top)) if np.isfinite(top) else top
    return [d for d in among if value[d] >= least]


def literal(candidates: Candidates, explores: list[bool], irm: Irm, alpha: float, criterion: Criterion) -> list[int]:
    """Algorithm 1, item by item."""
    placed: list[int] = []
    for explore in explores[: candidates.places]:
        left = [item for item in range(candidates.n) if item not in placed]
        far = {d: divergence(candidates.weights[[*placed, d]], candidates.target) for d in left}
        worth = {d: gain(candidates, placed, d, irm, alpha) for d in left}

        nearness = {d: -far[d] for d in left}
        first, second = (
            (nearness, worth) if explore else ({d: ratio(worth[d], far[d], criterion) for d in left}, nearness)
        )
        placed.append(min(best(best(left, first), second)))
    return [*placed, *(item for item in range(candidates.n) if item not in placed)]


@pytest.mark.parametrize("irm", IRMS)
@given(either, st.sampled_from(["kl+1", "printed"]), st.integers(0, 9))
def test_the_algorithm_word_for_word(irm: Irm, candidates: Candidates, criterion: str, seed: int) -> None:
    explores = (np.random.default_rng(seed).random(candidates.places) < 0.4).tolist()
    said = cast("Criterion", criterion)
    result = fair_epsilon_greedy(
        candidates, rng=np.random.default_rng(seed), epsilon=0.4, irm=irm, novelty=0.5, criterion=said
    )
    assert result.tolist() == literal(candidates, explores, irm, 0.5, said)


def test_by_hand() -> None:
    """AAB, target ½, every item useful, α = ½. Rank 1: G = 1 and KL = ln 2 for all, so 0.
    Rank 2: A has G = ½, KL(1, 0) = ln 2: 0.295; B has G = 1, KL = 0: 1. So 2."""
    given_ = query("AAB", [0.5, 0.5], 3)
    assert fair_epsilon_greedy(given_, rng=rng(), epsilon=0).tolist() == [0, 2, 1]


def test_judged_aspects_take_the_place_of_groups() -> None:
    """Items 0 and 1 cover aspect 0, item 2 aspect 1: with α = 1 novelty wants 0 then 2."""
    aspects = np.array([[1.0, 0], [1, 0], [0, 1]])
    whole = query("AAA", [1.0], 3)
    judged = Candidates(weights=whole.weights, target=whole.target, depth=3, aspects=aspects)
    order = fair_epsilon_greedy(judged, rng=rng(), epsilon=0, novelty=1)
    assert order.tolist() == [0, 2, 1]
