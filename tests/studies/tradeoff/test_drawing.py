"""Rankings drawn from a policy: seeds, depth, and the exposure that many draws have."""

import numpy as np
import pytest

from fairviz.errors import UsageError
from fairviz.kernels.attention import TopK
from fairviz.kernels.exposure import sample_exposure
from fairviz.kernels.pool import pool
from fairviz.metrics.exposure import ee_disparity
from fairviz.model import Qrels, RankingSample
from fairviz.points.curves import CurveSettings, Drawing, draw_rankings, drawn_by_query, tradeoff_curve
from fairviz.policies import PlackettLuce
from tests.nouns import qrels_of, run_of

RUN = run_of(
    {
        "q1": {"a": 5.0, "b": 4.0, "c": 2.0, "d": 1.0, "e": 0.5, "f": 0.2},
        "q2": {"a": 1.0, "f": 3.0, "g": 2.5, "h": 2.0},
    }
)
QRELS = qrels_of({"q1": {"b": 2, "c": 1}, "q2": {"g": 1, "h": 2}})


def of(policy: str = "plackett-luce", *, n: int = 50, **more: object) -> Drawing:
    return Drawing(policy=policy, alpha=2.0, attention=TopK(2), depth=2, n_samples=n, **more)  # type: ignore[arg-type]


def draw(
    policy: str = "plackett-luce", *, seed: int = 3, n: int = 50, qrels: Qrels | None = None, **more: object
) -> RankingSample:
    return draw_rankings(RUN, of(policy, n=n, **more), rng=np.random.default_rng(seed), qrels=qrels)


@pytest.mark.parametrize("policy", ["plackett-luce", "optimal", "oracle"])
def test_equal_seeds_give_equal_rankings(policy: str) -> None:
    a, b, c = (draw(policy, seed=seed, qrels=QRELS) for seed in (3, 3, 4))
    np.testing.assert_array_equal(a.docs, b.docs)
    assert not np.array_equal(a.docs, c.docs)


@pytest.mark.parametrize("policy", ["plackett-luce", "optimal", "oracle"])
def test_rankings_say_what_drew_them(policy: str) -> None:
    drawn = draw(policy, qrels=QRELS)
    assert (drawn.system, drawn.policy, drawn.alpha) == ("sys", policy, 2.0)
    assert drawn.n_samples.tolist() == [50, 50]
    assert np.diff(drawn.sample_offsets).tolist() == [2] * 100
    lists = drawn.docs.reshape(-1, 2)
    assert (lists[:, 0] != lists[:, 1]).all()


@pytest.mark.parametrize("policy", ["plackett-luce", "optimal", "oracle"])
def test_query_by_query_the_same_rankings_are_drawn(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the noise of one query is drawn in several parts: of 6 items, in parts of 3 rankings."""
    whole = draw(policy, qrels=QRELS)
    monkeypatch.setattr("fairviz.policies.plackett_luce.NOISE_AT_ONCE", 18)
    parts = drawn_by_query(RUN, of(policy), rng=np.random.default_rng(3), qrels=QRELS)
    shown: list[str] = []
    for query, part in zip(whole.query_ids, parts, strict=True):
        assert (part.query_ids, part.n_samples.tolist(), part.policy) == ((query,), [50], policy)
        assert len(part.doc_ids) == np.unique(part.docs).size
        shown += [part.doc_ids[doc] for doc in part.docs]
    assert shown == [whole.doc_ids[doc] for doc in whole.docs]


def test_many_draws_have_the_exact_exposure() -> None:
    drawn = draw(n=20_000)
    pools = pool(RUN, None)
    exact = PlackettLuce(2.0, 1.0).exposure(pools, TopK(2))
    np.testing.assert_allclose(sample_exposure(drawn, pools, TopK(2)).exposure, exact, atol=0.015)


def test_optimal_draws_meet_the_disparity_of_plackett_luce() -> None:
    drawn = draw("optimal", n=20_000)
    pools = pool(RUN, None)
    exact = PlackettLuce(2.0, 1.0).exposure(pools, TopK(2))
    found = sample_exposure(drawn, pools, TopK(2)).exposure
    # attainable EE-D of a query with n items: (‖ε‖² − k²/n) / (k − k²/n), so the mean of
    # ‖ε‖² with these weights agrees
    weights = 1 / (2 - 4 / pools.sizes)
    means = [float(weights @ ee_disparity(e, pools.offsets)) for e in (found, exact)]
    assert means[0] == pytest.approx(means[1], abs=0.02)
    assert not np.allclose(found, exact, atol=0.02)


def test_the_oracle_shows_more_useful_items() -> None:
    pools = pool(RUN, QRELS)
    oracle, plain = (draw(policy, n=4000, qrels=QRELS) for policy in ("oracle", "plackett-luce"))
    useful = [float(sample_exposure(each, pools, TopK(2)).exposure @ pools.gains) for each in (oracle, plain)]
    assert useful[0] > 1.2 * useful[1]


def test_frontiers_count_the_judged_queries_alone() -> None:
    """With judgements of q1 only, q2 is still drawn, and q1 meets its own disparity."""
    only = qrels_of({"q1": {"b": 2, "c": 1}})
    drawn = draw("optimal", n=20_000, qrels=only)
    curve = tradeoff_curve(
        pool(RUN, only), CurveSettings(alphas=np.array([2.0]), attention=TopK(2)), system="sys", policy="plackett-luce"
    )
    pools = pool(RUN, only)
    found = ee_disparity(sample_exposure(drawn, pools, TopK(2)).exposure, pools.offsets)
    # n = 6 items, k = 2: uniform has 4/6, a fixed list 2
    scaled = (found[0] - 4 / 6) / (2 - 4 / 6)
    assert scaled == pytest.approx(float(curve.mean_disparity[0]), abs=0.02)


def test_the_oracle_needs_judgements() -> None:
    with pytest.raises(UsageError, match="--qrels"):
        draw("oracle")
