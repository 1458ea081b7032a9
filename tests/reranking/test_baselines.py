"""Random swaps and novelty: what the others are compared with."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fairviz.reranking.catalogue import epsilon_greedy, novelty
from tests.reranking.queries import query


def test_novelty_by_hand() -> None:
    """AAB, all useful, α = ½: 0 covers A; then B is worth 1, A ½: 2, then 1."""
    assert novelty(query("AAB", [0.5, 0.5], 3)).tolist() == [0, 2, 1]
    # Only item 1 is useful; the others add nothing and keep their order.
    assert novelty(query("AAB", [0.5, 0.5], 3, [0, 1, 0])).tolist() == [1, 0, 2]
    # α = 0: the second A is worth as much as the first.
    assert novelty(query("AAB", [0.5, 0.5], 3), novelty=0).tolist() == [0, 1, 2]


@given(st.integers(0, 50))
def test_epsilon_1_moves_every_first_item(seed: int) -> None:
    """Rank 1 always swaps with one below."""
    rng = np.random.default_rng(seed)
    assert epsilon_greedy(query("ABAB", [0.5, 0.5], 1), rng=rng, epsilon=1)[0] != 0
