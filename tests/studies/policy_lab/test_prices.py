"""What re-rankers cost, method by method."""

import numpy as np
import pytest

from fairviz.evaluation.evaluate import evaluate
from fairviz.metrics.catalogue import parse_measure
from fairviz.studies.policy_lab import strengths
from tests.nouns import run_of
from tests.studies.policy_lab.ten_documents import HALF, LABELS, QRELS, RANKED, grown


def test_a_method_is_tried_at_every_strength_when_it_is_asked_for() -> None:
    prices = grown()
    assert prices.point("det-greedy", 1.0) is None
    assert prices.tried("det-greedy").is_empty()
    prices.compute(["det-greedy"])
    strengths = prices.tried("det-greedy")["strength"].to_list()
    assert strengths == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert all(prices.point("det-greedy", strength) for strength in strengths)
    assert prices.tried("fa-ir").is_empty()


def test_points_off_target_are_half_the_l1_distance_of_awrf() -> None:
    """Over all queries together: the measure's value is Σ|share − target|, a hundredth of twice the points."""
    spec = parse_measure("AWRF(distance='l1', browsing='dcg', over='system')@4")
    judged = run_of({query: RANKED[query] for query in ("q1", "q2")})
    (score,) = evaluate([judged], [spec], qrels=[QRELS], labels=LABELS, target=HALF).scores
    assert grown().now["off"] / 50 == pytest.approx(score.value, abs=1e-9)


def test_what_is_unlabelled_is_a_share_of_all_attention() -> None:
    """q1 shows a b c d, all labelled; q2 shows j i h g, of which the first two have no label; q3 is not judged."""
    first = 1 / np.log2(np.arange(2, 6))
    assert grown().unlabelled_share == pytest.approx(first[:2].sum() / (2 * first.sum()))


def test_of_many_candidates_random_re_rankers_get_fewer_repeats_and_every_other_strength(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = grown()
    monkeypatch.setattr(strengths, "LARGE", 1)
    large, name = grown(), "fair-epsilon-greedy"
    for prices in (whole, large):
        prices.compute([name, "det-greedy"])
    n = {key: [prices.tried(key).height for prices in (whole, large)] for key in (name, "det-greedy")}
    assert n[name][1] == (n[name][0] + 1) // 2
    assert n["det-greedy"][0] == n["det-greedy"][1]


def test_a_random_re_ranker_is_not_random_where_every_visit_shows_the_same() -> None:
    """FAIR ε-greedy never explores at ε = 0; what shows several lists is random, and no other re-ranker is."""
    prices, name = grown(), "fair-epsilon-greedy"
    prices.compute([name, "det-greedy"])
    tried = dict(prices.tried(name).select("strength", "is_fixed").iter_rows())
    found = {strength: prices.is_random(name, strength) for strength in tried}
    assert found == {strength: not is_fixed for strength, is_fixed in tried.items()}
    assert found[0.0] is False
    assert not prices.is_random("det-greedy", 1.0)
