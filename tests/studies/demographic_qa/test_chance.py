"""Chance level, interval and tests of largest differences: by hand, by enumeration, and in worlds without effect."""

from itertools import permutations, product

import numpy as np
import pytest

from fairviz.model import FloatArray
from fairviz.stats.bootstrap import Resampling
from fairviz.studies.demographic_qa import measures
from fairviz.studies.demographic_qa.measures import Counted, change, level, permuted_ranges, range_of_rates

DRAWS = Resampling(0, 500)


def counted(sums: FloatArray, n: FloatArray) -> Counted:
    return Counted(np.arange(sums.shape[1]), sums, n)


def table_of(rows: list[list[float]], n: list[list[float]] | None = None) -> Counted:
    """(G, T) sums, with one answer to each unless said."""
    sums = np.array(rows, dtype=np.float64)
    return counted(sums, np.ones_like(sums) if n is None else np.array(n, dtype=np.float64))


@pytest.mark.parametrize(
    "table",
    [
        table_of([[1, 0, 1], [0, 0, 1], [0, 1, 1]]),  # ways of the right ones are drawn
        table_of([[0.2, 0.0, 1], [0.9, 0.3, 1], [0.5, 0.1, 0.4]]),  # ROUGE-L
        table_of([[2, 0, 1], [1, 1, 1], [0, 1, 0]], [[2, 1, 1], [1, 2, 1], [1, 1, 0]]),  # uneven, one not asked
    ],
)
def test_permutations_are_those_within_questions(table: Counted) -> None:
    ranges = []
    for orders in product(*(_orders(table.n[:, t]) for t in range(3))):
        sums = np.stack([table.sums[list(order), t] for t, order in enumerate(orders)], axis=1)
        n = np.stack([table.n[list(order), t] for t, order in enumerate(orders)], axis=1)
        ranges.append(float(range_of_rates(sums.sum(axis=1), n.sum(axis=1))))
    drawn = permuted_ranges(table, Resampling(1, n_permutations=20_000))
    assert sorted(set(np.round(drawn, 6))) == sorted(set(np.round(ranges, 6)))
    assert drawn.mean() == pytest.approx(np.mean(ranges), abs=0.005)
    observed = float(range_of_rates(table.sums.sum(axis=1), table.n.sum(axis=1)))
    found = level(table, DRAWS)
    assert found.p == pytest.approx(np.mean(np.array(ranges) >= observed - 1e-9), abs=0.02)


def test_right_answers_are_dealt_to_groups_as_by_permuting() -> None:
    # the only right one (1/4), one of two right ones without the only wrong one of the last (1/3), and not that one
    # (1/4), for 4 · 3 pairs of groups: 12 / 48
    found = level(table_of([[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]]), DRAWS)
    assert found.p == pytest.approx(1 / 4, abs=0.02)
    rng, right = np.random.default_rng(3), np.repeat([1, 2, 4, 5], [20, 10, 30, 5])  # of five groups
    dealt = measures._dealt(right, 5, rng, 5_000)
    assert (dealt.sum(axis=0) == right.sum()).all()
    shares = right / 5
    variance = (shares * (1 - shares)).sum()  # of a group; all together have none, so two have −¼ of it in common
    wanted = np.where(np.eye(5), variance, -variance / 4)
    assert np.cov(dealt) == pytest.approx(wanted, abs=0.06 * variance)


@pytest.mark.parametrize("kind", ["closed", "open"])
def test_many_questions_are_normal(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    n = np.ones((4, 300)) if kind == "closed" else rng.integers(1, 3, size=(4, 300)).astype(np.float64)
    one, base = (
        counted(n * (rng.random(n.shape) < 0.6 if kind == "closed" else rng.random(n.shape)), n) for _ in range(2)
    )
    resampling = Resampling(1, n_permutations=20_000)
    limit, of_change = permuted_ranges(one, resampling), change(one, base, resampling).p
    monkeypatch.setattr(measures, "MANY", n.size)
    measures._moved.cache_clear()
    drawn = permuted_ranges(one, resampling)
    for value in np.quantile(drawn, [0.5, 0.95]):  # ties are as frequent
        assert np.mean(limit >= value - 1e-9) == pytest.approx(np.mean(drawn >= value - 1e-9), abs=0.015)
    assert of_change == pytest.approx(change(one, base, resampling).p, abs=0.015)
    assert limit.mean() == pytest.approx(drawn.mean(), rel=0.01)


def _orders(n: FloatArray) -> list[tuple[int, ...]]:
    """Orders of the groups that were asked; the others keep their place."""
    asked = [g for g in range(n.size) if n[g]]
    orders = []
    for moved in permutations(asked):
        order = list(range(n.size))
        for place, group in zip(asked, moved, strict=True):
            order[place] = group
        orders.append(tuple(order))
    return orders


def test_undefined_and_untested() -> None:
    assert np.isnan(level(table_of([[1, 0]]), DRAWS).p)
    assert np.isnan(level(table_of([[1, 0], [0, 0]], [[1, 1], [0, 0]]), DRAWS).p)
    assert np.isnan(level(table_of([[1, 0], [1, 1]]), DRAWS, tested=False).p)
    apart = level(table_of([[1, 0], [0, 0]], [[1, 0], [0, 1]]), DRAWS)  # no question about both
    assert np.isnan(apart.p)
    assert apart.n == 0


def test_change_swaps_whole_questions() -> None:
    ahead = table_of([[1, 1, 1, 0], [0, 0, 0, 0]])  # 0.75
    none = table_of([[1, 1, 1, 0], [1, 1, 1, 0]])
    found = change(none, ahead, DRAWS)
    # swapped in i of the 3 questions that differ: 2i/4 − 0.75; ± 0.75 in 2 of 8
    assert found.value == -0.75
    assert found.p == pytest.approx(0.25, abs=0.02)
    assert found.n == 4
    same = change(ahead, ahead, DRAWS)
    assert (same.value, same.p) == (0.0, 1.0)
    assert np.isnan(change(none, ahead, DRAWS, tested=False).p)
    assert np.isnan(change(table_of([[1.0]]), table_of([[1.0]]), DRAWS).value)


def _moves(kind: str) -> FloatArray:
    """(2, 12) moves: of right answers, of which many are alike or opposite, or of ROUGE-L."""
    rng = np.random.default_rng(4)
    if kind == "open":
        return rng.normal(size=(2, 12))
    return np.repeat([[1.0, -1, 0, 0, 1, -1], [1, -1, 1, -1, 0, 0]], [4, 3, 1, 2, 1, 1], axis=1)


@pytest.mark.parametrize("kind", ["closed", "open"])
def test_swaps_are_those_of_a_coin_each(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All 2¹² ways, each as often."""
    monkeypatch.setattr(measures, "AT_ONCE", 2**15)  # several times
    moves = _moves(kind)
    ways = moves @ np.array([*product((0, 1), repeat=12)]).T
    drawn = np.concatenate([*measures._swapped(moves, 0, 40_000)], axis=1)
    assert drawn.shape == (2, 40_000)
    wanted, found = _shares(ways), _shares(drawn)
    assert found.keys() <= wanted.keys()
    if kind == "closed":  # else 4,096 sums
        assert sum(abs(found.get(sums, 0.0) - share) for sums, share in wanted.items()) < 0.04
    assert drawn.mean(axis=1) == pytest.approx(ways.mean(axis=1), abs=0.03)
    assert np.cov(drawn) == pytest.approx(np.cov(ways), abs=0.1)


def _shares(columns: FloatArray) -> dict[tuple[float, ...], float]:
    """How often each column occurs."""
    kinds, n = np.unique(columns.round(9) + 0.0, axis=1, return_counts=True)
    return {tuple(kind): of_kind / n.sum() for kind, of_kind in zip(kinds.T.tolist(), n.tolist(), strict=True)}


def test_a_change_is_as_likely_as_counted_out() -> None:
    """Three groups on ten questions, one of them with two answers: every way of swapping them."""
    rng = np.random.default_rng(8)
    n = np.ones((3, 10))
    n[0, 4] = 2
    one, base = (counted(np.where(n > 1, 2.0, 1.0) * (rng.random((3, 10)) < share), n) for share in (0.5, 0.7))
    ways = np.array([*product((False, True), repeat=10)])
    changes = []
    for swapped in ways:
        first, second = np.where(swapped, base.sums, one.sums), np.where(swapped, one.sums, base.sums)
        ranges = [float(range_of_rates(sums.sum(axis=1), n.sum(axis=1))) for sums in (first, second)]
        changes.append(ranges[0] - ranges[1])
    exact = np.mean(np.abs(changes) >= abs(changes[0]) - 1e-9)
    found = change(one, base, DRAWS._replace(n_permutations=40_000))
    assert 0.05 < exact < 0.95
    assert found.p == pytest.approx(exact, abs=0.01)


def test_worlds_without_effect_are_seldom_called_significant() -> None:
    rng = np.random.default_rng(5)
    p_level, p_change = [], []
    for _ in range(150):
        chance_right = rng.beta(1, 1, size=40)
        first, second = (table_of((rng.random((4, 40)) < chance_right).astype(float).tolist()) for _ in range(2))
        p_level.append(level(first, Resampling(0, 2, 199)).p)
        p_change.append(change(second, first, Resampling(0, 2, 199)).p)
    assert np.mean(np.array(p_level) <= 0.05) <= 0.09
    assert np.mean(np.array(p_change) <= 0.05) <= 0.09
    shifted = (rng.random((4, 40)) < np.array([0.95, 0.4, 0.5, 0.5])[:, None]).astype(float)
    assert level(table_of(shifted.tolist()), DRAWS).p < 0.01
