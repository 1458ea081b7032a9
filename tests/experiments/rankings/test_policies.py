from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from fairviz.experiments.rankings import rankings_of
from fairviz.model import Factors, RankingSample, Run
from tests import nouns

SETTINGS = {"alpha": 2.0, "depth": 3, "n_samples": 20, "seed": 7}


def run_of(*query_ids: str) -> Run:
    return nouns.run_of({query: {doc: -float(rank) for rank, doc in enumerate("abcdef")} for query in query_ids}, "r")


def sampled_rankings(run: Run, *, alpha: float, **how: int) -> RankingSample:
    return rankings_of(run, Factors(policy="plackett-luce", alpha=alpha), {}, **how)


def rankings(sample: RankingSample, query: str) -> list[list[int]]:
    row = sample.query_ids.index(query)
    bounds = sample.sample_offsets[sample.query_offsets[row] : sample.query_offsets[row + 1] + 1]
    return [sample.docs[a:b].tolist() for a, b in pairwise(bounds)]


def test_a_query_is_sampled_alike_whatever_stands_beside_it_and_says_how() -> None:
    together = sampled_rankings(run_of("q1", "q2", "q3"), **SETTINGS)
    alone = sampled_rankings(run_of("q2"), **SETTINGS)
    assert rankings(together, "q2") == rankings(alone, "q2")
    assert rankings(together, "q1") != rankings(together, "q2")
    assert (together.policy, together.alpha, together.system) == ("plackett-luce", 2, "r")
    assert together.n_samples.tolist() == [20] * 3
    assert all(len(set(r)) == 3 for query in together.query_ids for r in rankings(together, query))


@pytest.mark.parametrize("changed", [{"seed": 8}, {"alpha": 1.0}], ids=["seed", "alpha"])
def test_seed_and_alpha_change_the_draws(changed: dict[str, float]) -> None:
    first, other = (sampled_rankings(run_of("q"), **how) for how in (SETTINGS, SETTINGS | changed))
    assert rankings(first, "q") != rankings(other, "q")


def test_the_deterministic_list_is_the_run() -> None:
    sample = rankings_of(run_of("q1", "q2"), Factors(policy="deterministic"), {}, depth=4, n_samples=9, seed=0)
    assert rankings(sample, "q1") == rankings(sample, "q2") == [[0, 1, 2, 3]]
    assert sample.policy == "deterministic"


def test_the_oracle_puts_useful_documents_first_in_every_order() -> None:
    useful = {"q": np.array([1, 4], np.int32)}
    sample = rankings_of(run_of("q"), Factors(policy="oracle"), useful, depth=3, n_samples=50, seed=0)
    drawn = rankings(sample, "q")
    assert {tuple(r[:2]) for r in drawn} == {(1, 4), (4, 1)}
    assert {r[2] for r in drawn} == {0, 2, 3, 5}
    assert sample.policy == "oracle"


def test_the_oracle_finds_what_the_retriever_missed() -> None:
    whole = run_of("q")
    run = replace(whole, offsets=np.array([0, 2]), docs=whole.docs[:2], scores=whole.scores[:2])
    useful = {"q": np.array([5], np.int32)}
    sample = rankings_of(run, Factors(policy="oracle"), useful, depth=5, n_samples=10, seed=0)
    assert all(r[0] == 5 and sorted(r[1:]) == [0, 1] for r in rankings(sample, "q"))
