"""What the catalogue says of every re-ranker is so, and what some give by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.reranking.candidates import Candidates, among_labelled
from fairviz.reranking.catalogue import RERANKERS, Reranker, epsilon_greedy, find_reranker, novelty
from fairviz.reranking.det import det_greedy
from tests.reranking.queries import queries, query, soft_queries

LISTS = [each for each in RERANKERS if each.order]


def ordered(method: Reranker, candidates: Candidates, *, seed: int = 1, **options: Any) -> list[int]:
    settings = method.settings(options, rng=method.draws(seed), protected=0)
    return method.order(candidates, **settings).tolist()


@pytest.mark.parametrize("method", LISTS, ids=lambda m: m.name)
@settings(max_examples=8)
@given(queries() | soft_queries())
def test_every_list_is_a_permutation(method: Reranker, candidates: Candidates) -> None:
    """Also of no item, of one group, with k beyond n."""
    order = ordered(method, candidates)
    assert sorted(order) == list(range(candidates.n))
    assert order[candidates.places :] == sorted(order[candidates.places :])


@pytest.mark.parametrize("method", RERANKERS, ids=lambda m: m.name)
def test_the_strength_is_an_option_with_accepted_values(method: Reranker) -> None:
    if method.strength is None:
        return
    option = next(each for each in method.options if each.name == method.strength.option)
    for value in method.strength.grid:
        assert option.check(value) == value
    steps = np.diff(method.strength.grid)
    assert (steps > 0).all() or (steps < 0).all()


@pytest.mark.parametrize("name", ["fa-ir", "epsilon-greedy"])
@given(queries())
def test_weakest_leaves_the_run_where_it_says_so(name: str, candidates: Candidates) -> None:
    method = find_reranker(name)
    assert method.strength
    assert "leaves the run as it is" in method.strength.weakest
    weakest = ordered(method, candidates, **{method.strength.option: method.strength.grid[0]})
    assert weakest == list(range(candidates.n))


@pytest.mark.parametrize("method", LISTS, ids=lambda m: m.name)
@given(queries())
def test_only_what_is_random_differs_from_seed_to_seed(method: Reranker, candidates: Candidates) -> None:
    lists = {tuple(ordered(method, candidates, seed=seed)) for seed in range(3)}
    assert method.random or len(lists) == 1


def test_no_two_are_of_one_name_however_it_is_spelled() -> None:
    for each in RERANKERS:
        for spelling in (each.name, each.label, *each.spellings):
            assert find_reranker(spelling) is find_reranker(spelling.upper()) is each
    assert find_reranker("fair").name == "fa-ir"


@pytest.mark.parametrize("text", ["", "nothing-like-it", "det-gredy"])
def test_unknown_names(text: str) -> None:
    with pytest.raises(UsageError, match="unknown re-ranker"):
        find_reranker(text)


def test_fa_ir_needs_its_group() -> None:
    with pytest.raises(UsageError, match="protects one group"):
        find_reranker("fa-ir").settings({}, rng=np.random.default_rng(0))


# What has no label keeps its rank; the labelled items are re-ranked among themselves.


COUNTING = ("det-greedy", "det-cons", "det-relaxed", "det-const-sort")


def test_by_hand() -> None:
    """-AA-B, ½ each, k = 4: ranks 2 and 3 hold labelled items, and A and B share them: 1 and 4."""
    assert among_labelled(query("-AA-B", [0.5, 0.5], 4), det_greedy).tolist() == [0, 1, 4, 3, 2]


def test_nothing_labelled_in_the_first_k() -> None:
    assert among_labelled(query("--AB", [0.0, 1.0], 2), det_greedy).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("name", COUNTING)
@given(queries())
def test_unlabelled_items_stay_in_the_first_k(name: str, candidates: Candidates) -> None:
    order = ordered(find_reranker(name), candidates)[: candidates.places]
    codes = candidates.codes
    assert np.array_equal(codes[order] < 0, codes[: candidates.places] < 0)
    assert all(order[at] == at for at in np.flatnonzero(codes[: candidates.places] < 0))


# Random swaps and novelty: what the others are compared with.


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
