"""What the catalogue says of every re-ranker is so."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from fairviz.errors import UsageError
from fairviz.reranking.candidates import Candidates
from fairviz.reranking.catalogue import RERANKERS, Reranker, find_reranker
from tests.reranking.queries import queries, soft_queries

LISTS = [each for each in RERANKERS if each.order]


def ordered(method: Reranker, candidates: Candidates, **options: Any) -> list[int]:
    settings = method.settings(options, rng=method.draws(1), protected=0)
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
    lists = {tuple(method.order(candidates, **method.settings({}, rng=method.draws(s), protected=0))) for s in range(3)}
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
