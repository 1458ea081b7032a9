"""The most useful policy under statements about all queries together."""

from typing import Any

import numpy as np
import pytest

from fairviz.model import FloatArray, Mixture
from fairviz.reranking.amortised import AmortisedPolicy, Statements, amortised
from fairviz.reranking.candidates import Candidates
from fairviz.reranking.catalogue import RERANKERS, Reranker
from fairviz.reranking.fairness_of_exposure import fairness_of_exposure
from tests.reranking.joint_program import Instance, largest_utility, random_instance, smallest_distance

DCG = 1 / np.log2(np.arange(2, 7))

TWO = Instance(
    utility=np.array([1.0, 0.2, 1.0, 0.5]),
    membership=np.eye(2)[[0, 1, 0, 1]],
    offsets=np.array([0, 2, 4]),
    attention=np.array([1.0, 0.5]),
    statements=Statements(np.zeros(2, dtype=int), np.array([0.0, 0.5]), np.ones(2)),
    weights=None,
    slack=0.0,
)
"""Two queries of a useful item of the first group and a less useful one of the second: 3 units of attention in all."""


def at_least(share: float) -> Statements:
    return Statements(np.zeros(2, dtype=int), np.array([0.0, share]), np.ones(2))


def exposure(policy: AmortisedPolicy, instance: Instance) -> FloatArray:
    """(M) unweighted expected attention."""
    return np.concatenate([mixture.exposure(instance.attention) for mixture in policy.mixtures])


# By hand.


def test_a_share_between_two_lists_is_a_lottery_and_has_a_price() -> None:
    """At least 0.4 of 3 is 1.2: 0.2 of the 0.5 that turning the second list moves, so that it is turned in 2 of 5
    visits, for 0.4 · 0.25 = 0.1. A unit of share is 3 of attention at 0.25 / 0.5 each: 1.5.
    """
    policy = TWO.solve(statements=at_least(0.4))
    assert policy.utility == pytest.approx(2.25, abs=1e-12)
    assert policy.n_lotteries == 1
    chances, orders = policy.mixtures[1]
    assert (chances, orders.tolist()) == (pytest.approx([0.6, 0.4], abs=1e-12), [[0, 1], [1, 0]])
    assert policy.prices == pytest.approx([0, 1.5], abs=1e-9)


def test_the_price_of_a_largest_share_is_below_0() -> None:
    policy = TWO.solve(statements=Statements(np.zeros(2, dtype=int), np.zeros(2), np.array([0.6, 1.0])))
    assert policy.utility == pytest.approx(2.25, abs=1e-12)
    assert policy.prices == pytest.approx([-1.5, 0], abs=1e-9)


def test_what_cannot_hold_is_missed_by_as_little_as_possible() -> None:
    """Both lists turned around give 2 of 3; 0.9 is missed by 7/30. Utility 0.2 + 0.5 + 0.5 + 0.5 = 1.7."""
    policy = TWO.solve(statements=at_least(0.9))
    assert policy.smallest_distance == pytest.approx(7 / 30, abs=1e-9)
    assert policy.distance == pytest.approx(7 / 30, abs=1e-9)
    assert policy.utility == pytest.approx(1.7, abs=1e-6)
    assert policy.holding_back.tolist() == [False, True]


def test_of_several_statements_those_that_forbid_are_named() -> None:
    """One query of two items: the second attribute asks for what the order [1, 0] gives, the first for [0, 1]."""
    membership = np.array([[1.0, 0, 1, 0], [0, 1, 0, 1]])
    stated = Statements(np.array([0, 0, 1, 1]), np.array([2 / 3, 0.1, 0, 2 / 3]), np.ones(4))
    policy = amortised(np.array([1.0, 0]), membership, np.array([0, 2]), np.array([1.0, 0.5]), stated)
    # In the middle each has 1/2 and lacks 1/6.
    assert policy.smallest_distance == pytest.approx(1 / 6, abs=1e-9)
    assert policy.holding_back.tolist() == [True, False, False, True]


def test_what_an_attribute_can_hold_it_holds_beside_one_that_cannot() -> None:
    """No item is of the second group of the first attribute, half of which is asked; half of the fourth can be had."""
    membership = np.array([[1.0, 0, 1, 0], [1, 0, 0, 1]])
    stated = Statements(np.array([0, 0, 1, 1]), np.array([0, 0.5, 0, 0.5]), np.ones(4))
    policy = amortised(np.array([1.0, 0]), membership, np.array([0, 2]), np.array([1.0, 0.5]), stated)
    assert policy.shares == pytest.approx([1, 0, 0.5, 0.5], abs=1e-9)
    assert policy.smallest_distance == pytest.approx(0.5, abs=1e-9)
    assert policy.holding_back.tolist() == [False, True, False, False]


def test_weights_are_how_often_a_query_is_asked() -> None:
    """The second query three times: the same as three queries, 0.7 to move of 1.5 that turning them moves."""
    thrice = Instance(
        utility=np.array([1.0, 0.2, *[1.0, 0.5] * 3]),
        membership=np.eye(2)[[0, 1] * 4],
        offsets=np.arange(0, 10, 2),
        attention=TWO.attention,
        statements=at_least(0.45),
        weights=None,
        slack=0.0,
    ).solve()
    once = TWO.solve(statements=at_least(0.45), weights=np.array([1.0, 3.0]))
    # 1.1 + 3 · 1.25 − 0.7 · 0.25 / 0.5
    assert once.utility == pytest.approx(4.5, abs=1e-9)
    assert thrice.utility == pytest.approx(4.5, abs=1e-9)
    assert once.prices == pytest.approx(thrice.prices, abs=1e-9)


def test_documents_without_a_label_are_in_no_base() -> None:
    """The unlabelled item stays first; what is left, 0.5, is all for the second group."""
    membership = np.array([[0.0, 0], [1, 0], [0, 1]])
    policy = amortised(np.array([3.0, 2, 1]), membership, np.array([0, 3]), np.array([1.0, 0.5]), at_least(0.8))
    # An extra 0.2 of 0.5 for the first group is worth 0.1: utility 3 + 0.8 · 0.5 · 1 + 0.2 · 0.5 · 2.
    assert policy.utility == pytest.approx(3.6, abs=1e-12)
    assert policy.shares == pytest.approx([0.2, 0.8], abs=1e-12)


def test_without_statements_every_list_is_the_most_useful() -> None:
    policy = TWO.solve(statements=Statements(np.zeros(2, dtype=int), np.zeros(2), np.ones(2)))
    assert [mixture.orders.tolist() for mixture in policy.mixtures] == [[[0, 1]], [[0, 1]]]
    assert (policy.n_lotteries, policy.gap, policy.prices.tolist()) == (0, 0.0, [0, 0])


def test_an_attribute_that_nothing_has_misses_nothing() -> None:
    policy = TWO.solve(membership=np.zeros((4, 2)))
    assert np.isnan(policy.shares).all()
    assert (policy.distance, policy.utility) == (0.0, pytest.approx(2.35))


@pytest.mark.parametrize(
    ("shares", "distance"),
    # Of the first attribute 0.2 is lacking and 0.1 too much, of the second 0.3 lacking.
    [([0.3, 0.7, 0.2, 0.8], 0.3), ([0.5, 0.5, 0.5, 0.5], 0.0), ([0.3, 0.7, np.nan, np.nan], 0.2)],
)
def test_distance(shares: list[float], distance: float) -> None:
    stated = Statements(np.array([0, 0, 1, 1]), np.array([0.5, 0, 0.5, 0]), np.array([1, 0.6, 1, 1]))
    assert stated.distance(np.array(shares)) == pytest.approx(distance, abs=1e-12)


# Laws.


def check_optimum(instance: Instance) -> None:
    """Compare a policy with the program over doubly stochastic matrices."""
    policy = instance.solve()
    most, slack = largest_utility(instance, instance.slack), instance.slack
    if np.isnan(policy.smallest_distance):
        assert policy.utility == pytest.approx(most, abs=1e-7)
    else:
        assert np.isnan(most)
        assert policy.smallest_distance == pytest.approx(smallest_distance(instance), abs=1e-6)
        slack = policy.smallest_distance
        assert policy.holding_back.any()
    assert policy.distance <= slack + 2e-9
    assert policy.gap <= 1e-9 * max(1.0, abs(policy.utility))
    stated = (instance.statements.low > 0) | (instance.statements.high < 1)
    assert policy.n_lotteries <= stated.sum()
    weights = np.ones(len(policy.mixtures)) if instance.weights is None else instance.weights
    own = exposure(policy, instance) * np.repeat(weights, np.diff(instance.offsets))
    assert policy.utility == pytest.approx(float(own @ instance.utility), abs=1e-9)
    for mixture, n in zip(policy.mixtures, np.diff(instance.offsets), strict=True):
        assert (np.sort(mixture.orders, axis=1) == np.arange(n)).all()
        assert mixture.chances.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("seed", [*range(15), 331])  # 331: an attribute that no item has, beside one out of reach
def test_equals_the_doubly_stochastic_program(seed: int) -> None:
    check_optimum(random_instance(np.random.default_rng(seed)))


@pytest.mark.slow
def test_equals_the_doubly_stochastic_program_often() -> None:
    for seed in range(15, 340):
        check_optimum(random_instance(np.random.default_rng(seed)))


def many_queries(seed: int, n_queries: int = 60) -> Instance:
    """Lists of 12 items in three groups, useful at the top as a run's are."""
    rng = np.random.default_rng(seed)
    groups = rng.choice(3, n_queries * 12, p=[0.6, 0.3, 0.1])
    return Instance(
        utility=-np.sort(-rng.beta(1, 3, (n_queries, 12)), axis=1).ravel(),
        membership=np.eye(3)[groups],
        offsets=np.arange(n_queries + 1) * 12,
        attention=DCG,
        statements=Statements(np.zeros(3, dtype=int), np.array([0.4, 0.3, 0.3]), np.array([0.4, 0.3, 0.3])),
        weights=None,
        slack=0.0,
    )


def shown_by(method: Reranker, instance: Instance, strength: dict[str, Any]) -> FloatArray:
    """(M) attention under a re-ranker that looks at one query at a time."""
    shown: list[FloatArray] = []
    for start, end in zip(instance.offsets[:-1], instance.offsets[1:], strict=True):
        membership, utility = instance.membership[start:end], instance.utility[start:end]
        if method.order is None:
            policy = fairness_of_exposure(
                utility, membership, instance.attention, constraint="target", target=instance.statements.low, **strength
            )
            mixture = policy.mixture if policy.status == "optimal" else Mixture(np.ones(1), np.arange(12)[None])
        else:
            items = Candidates(weights=membership, target=instance.statements.low, depth=5, gains=utility)
            settings = method.settings(strength, rng=method.draws(0), protected=2)
            mixture = Mixture(np.ones(1), method.order(items, **settings)[None])
        shown.append(mixture.exposure(instance.attention))
    return np.concatenate(shown)


@pytest.mark.parametrize(
    "method",
    [each for each in RERANKERS if each.order or each.name == "fairness-of-exposure"],
    ids=lambda method: method.name,
)
def test_no_other_method_is_more_useful_at_its_distance(method: Reranker) -> None:
    instance = many_queries(1)
    grid = [{}] if method.strength is None else [{method.strength.option: value} for value in method.strength.grid]
    for strength in grid:
        shown = shown_by(method, instance, strength)
        by_group = shown @ instance.membership
        distance = instance.statements.distance(by_group / by_group.sum())
        assert instance.solve(slack=distance).utility >= shown @ instance.utility - 1e-9


def test_the_order_of_queries_and_groups_changes_nothing() -> None:
    instance = many_queries(2)
    rng = np.random.default_rng(0)
    places, groups = rng.permutation(60), rng.permutation(3)
    stated = instance.statements
    rows = (places[:, None] * 12 + rng.permutation(12)).ravel()
    turned = Instance(
        utility=instance.utility[rows],
        membership=instance.membership[rows][:, groups],
        offsets=instance.offsets,
        attention=instance.attention,
        statements=Statements(instance.statements.attributes, stated.low[groups], stated.high[groups]),
        weights=None,
        slack=0.0,
    ).solve()
    policy = instance.solve()
    assert turned.utility == pytest.approx(policy.utility, rel=1e-9)
    assert turned.shares == pytest.approx(policy.shares[groups], abs=1e-9)


def test_the_frontier_rises_and_bends_down() -> None:
    instance = many_queries(3)
    useful = np.array([instance.solve(slack=slack).utility for slack in np.linspace(0, 0.3, 7)])
    steps = np.diff(useful)
    assert (steps >= -1e-9).all()
    assert (np.diff(steps) <= 1e-9).all()


def test_a_price_is_the_slope_of_utility() -> None:
    instance = many_queries(4)
    moved = instance.statements._replace(low=np.array([0.4, 0.3, 0.2]), high=np.array([1, 1, 1.0]))
    policy = instance.solve(statements=moved)
    nudged = instance.solve(statements=moved._replace(low=moved.low + np.array([0, 0, 1e-5])))
    assert policy.prices[2] > 0
    assert (policy.utility - nudged.utility) / 1e-5 == pytest.approx(policy.prices[2], rel=1e-3)


def test_fixed_lists_miss_little_where_queries_are_many() -> None:
    """All but as many queries as there are statements have one list: 3 of 60 move a share by at most 1/20."""
    instance = many_queries(5)
    policy = instance.solve()
    fixed = np.concatenate([Mixture(np.ones(1), m.orders[:1]).exposure(DCG) for m in policy.mixtures])
    by_group = fixed @ instance.membership
    assert policy.n_lotteries <= 3
    assert policy.gap <= 1e-9 * policy.utility
    assert instance.statements.distance(by_group / by_group.sum()) < 0.02


# Arguments that make no sense.


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"membership": np.eye(4)}, "column per statement"),
        ({"offsets": np.array([0, 2, 3])}, "offsets must rise"),
        ({"utility": np.full(4, np.nan)}, "utility must be finite"),
        ({"membership": np.full((4, 2), -1.0)}, "membership must be"),
        ({"attention": np.array([0.5, 1.0])}, "attention must be"),
        ({"statements": Statements(np.zeros(2, dtype=int), np.array([0.6, 0]), np.array([0.5, 1]))}, "low <= high"),
        ({"utility": np.empty(0)}, "at least one item"),
        ({"weights": np.array([1.0, 0.0])}, "one above 0"),
        ({"slack": -0.1}, "slack must be"),
    ],
)
def test_arguments_that_make_no_sense(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TWO.solve(**change)
