"""Re-rankers on the bench: what they see, what they give, what does not apply."""

import numpy as np
import pytest

from fairviz.kernels.attention import Discounted
from fairviz.model import ScoreScale, Target
from fairviz.policies import PlackettLuce, normalised_scores
from fairviz.reranking.catalogue import RERANKERS, find_reranker
from fairviz.studies.policy_lab.bench import points_off
from fairviz.studies.policy_lab.strengths import Prices, mixtures, reranked, strength_of, why_not
from tests.metrics.labels import hard_labels
from tests.nouns import qrels_of, run_of
from tests.studies.policy_lab.beside import prices_of

NAMES = [each.name for each in RERANKERS]
RUN = run_of(
    {
        "q1": {doc: 9.0 - i for i, doc in enumerate("abcdefgh")},
        "q2": {doc: 9.0 - i for i, doc in enumerate("hgfedcba")},
        "q3": {"a": 2.0, "b": 1.0},
    }
)
QRELS = qrels_of({"q1": {"a": 2, "b": 1, "f": 1}, "q2": {"h": 1, "a": 1}, "q3": {"b": 1}})
LABELS = hard_labels(dict.fromkeys("abcde", "x") | dict.fromkeys("fg", "y"))
HALF = Target(groups=("x", "y"), shares=np.array([0.5, 0.5]))
THIRDS = Target(groups=("x", "y", "z"), shares=np.full(3, 1 / 3))
THREE = hard_labels({"a": "x", "b": "y", "c": "z"})


def grown(**choices: object) -> Prices:
    return prices_of(RUN, QRELS, LABELS, HALF, **{"k": 4} | choices)


@pytest.mark.parametrize("name", NAMES)
def test_every_re_ranker_gives_a_curve_from_weak_to_strong(name: str) -> None:
    prices = grown()
    prices.compute([name])
    tried = prices.tried(name)
    assert tried["strength"].to_list() == list(strength_of(find_reranker(name)).grid)
    assert np.isfinite(tried.select("off", "change").to_numpy()).all()
    assert (tried["n_queries"] == tried["n_worse"] + tried["n_better"] + tried["n_unchanged"]).all()


@pytest.mark.parametrize("name", NAMES)
def test_attention_is_only_moved_between_candidates(name: str) -> None:
    """Σε is Σv of the first min(k, n) ranks, and no judged item that was not ranked gets any."""
    prices = grown()
    reranker = find_reranker(name)
    for policy in reranked(reranker, prices.bench, 0.5, n_repeats=2, seed=1):
        exposure = policy(Discounted(4))
        pools = prices.bench.pools
        for q, n in enumerate(pools.n_retrieved.tolist()):
            rows = exposure[pools.offsets[q] : pools.offsets[q + 1]]
            assert rows.sum() == pytest.approx(Discounted(4).weights(int(n)).sum())
            assert (rows[n:] == 0).all()


def test_fairness_of_exposure_meets_the_target_where_candidates_allow() -> None:
    """q1 and q2 have both groups; q3 has a and b, both x: no order is on target there."""
    prices = grown()
    (policy,) = reranked(find_reranker("fairness-of-exposure"), prices.bench, 0.0, n_repeats=1, seed=0)
    (attention, _), target = prices.bench.read(policy), prices.bench.target
    off = [points_off(attention[q : q + 1], target) for q in range(3)]
    np.testing.assert_allclose(off, [0, 0, 50], atol=1e-5)
    assert all(
        len(m.chances) <= 2 * 2 + 1
        for m in mixtures(find_reranker("fairness-of-exposure"), prices.bench, 0.0, seed=0).values()
    )


def test_a_re_ranker_without_a_strength_aims_part_of_the_way() -> None:
    """A tenth of the way from each query's own shares of today, which are those of its point."""
    bench = grown().bench
    assert find_reranker("det-greedy").strength is None
    near, far = bench.targets(0.1), bench.targets(1.0)
    np.testing.assert_allclose(far, 0.5)
    today = grown().today.shares
    np.testing.assert_allclose(near, 0.9 * today + 0.1 * far)


def test_judgements_are_seen_only_where_asked_for() -> None:
    prices = grown()
    assert prices.bench.candidates(0, HALF.shares).gains is None
    assert grown(judged=True).bench.candidates(0, HALF.shares).gains is not None


def test_what_does_not_apply_has_a_reason() -> None:
    prices = prices_of(RUN, QRELS, THREE, THIRDS, browsing="topk", k=4)
    reasons = prices.refused(NAMES)
    assert set(reasons) == {"fa-ir", "optimal"}
    assert "these labels have 3 groups" in reasons["fa-ir"]
    assert "nDCG reads another" in reasons["optimal"]
    prices.compute(["fa-ir"])
    assert prices.tried("fa-ir").is_empty()
    assert why_not(find_reranker("det-greedy"), prices.bench) == ""


@pytest.mark.parametrize("scores", ["given", "ranks", "zscore"])
def test_policies_of_scores_see_them_on_the_scale_that_is_set(scores: ScoreScale) -> None:
    bench = grown(scores=scores, offset=0).bench
    pools, attention = bench.pools, bench.attention
    (drawn,) = reranked(find_reranker("plackett-luce"), bench, 2.0, n_repeats=1, seed=0)
    exact = PlackettLuce(2.0, 0.0, scores).exposure(pools, attention)
    np.testing.assert_allclose(drawn(attention), exact)
    (best,) = reranked(find_reranker("optimal"), bench, 2.0, n_repeats=1, seed=0)
    first = slice(0, int(pools.offsets[1]))
    score = np.nan_to_num(normalised_scores(pools, scores))[first]
    assert best(attention)[first] @ score >= exact[first] @ score - 1e-9
