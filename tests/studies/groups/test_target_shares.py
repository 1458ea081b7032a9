"""Shares that always sum to 100, whatever is moved, locked and rounded."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.model import FloatArray
from fairviz.points.targets import (
    can_move,
    fastened,
    moved,
    percents,
    read,
    room,
    target_weights,
    written,
)


@st.composite
def shares(draw: st.DrawFn) -> FloatArray:
    """Two to eight shares that sum to 1; some may be 0."""
    raw = draw(st.lists(st.integers(0, 1000), min_size=2, max_size=8).filter(any))
    return np.array(raw) / sum(raw)


@st.composite
def moves(draw: st.DrawFn) -> tuple[FloatArray, set[int], list[tuple[int, int]]]:
    """Shares, locked ones, and moves of any of them."""
    weights = draw(shares())
    index = st.integers(0, weights.size - 1)
    locked = draw(st.sets(index, max_size=weights.size))
    return weights, locked, draw(st.lists(st.tuples(index, st.integers(0, 100)), max_size=6))


def test_largest_remainder_by_hand() -> None:
    # 12.6, 12.6, 74.8: floors 12 + 12 + 74 = 98, two go to the remainders .8 and the first .6
    assert percents(np.array([0.126, 0.126, 0.748])) == [13, 12, 75]


def test_a_move_by_hand() -> None:
    # 45 / 45 / 10; the first to 60: 40 are left for 45 : 10, which is 32.73 and 7.27
    found = moved(np.array([0.45, 0.45, 0.1]), 0, 60)
    assert found.tolist() == pytest.approx([0.6, 0.4 * 45 / 55, 0.4 * 10 / 55])
    assert percents(found) == [60, 33, 7]


def test_a_locked_share_leaves_less_room() -> None:
    weights = np.array([0.3, 0.5, 0.2])
    assert room(weights, {1}, 0) == 50
    assert percents(moved(weights, 0, 90, {1})) == [50, 50, 0]


def test_two_locks_of_three_leave_nothing_to_move() -> None:
    assert can_move(3, set(), 0)
    assert can_move(3, {0}, 1)
    assert not can_move(3, {0}, 0)
    assert not can_move(3, {0, 1}, 2)
    weights = np.array([0.3, 0.5, 0.2])
    assert moved(weights, 2, 90, {0, 1}).tolist() == weights.tolist()


def test_a_group_at_nothing_comes_back() -> None:
    gone = moved(moved(np.array([0.5, 0.3, 0.2]), 1, 0), 0, 100)
    assert percents(gone) == [100, 0, 0]
    assert target_weights(gone).tolist() == [1.0, 0.0, 0.0]
    assert percents(moved(gone, 0, 40))[2] == 60  # the second was at 0 before the third


@given(moves())
def test_shares_always_sum_to_100(
    made: tuple[FloatArray, set[int], list[tuple[int, int]]],
) -> None:
    weights, locked, steps = made
    for group, percent in steps:
        weights = moved(weights, group, percent, locked)
        assert weights.sum() == pytest.approx(1, abs=2e-5)
        assert sum(percents(weights)) == 100
        assert min(percents(weights)) >= 0
        assert target_weights(weights).sum() == pytest.approx(1, abs=1e-12)


@given(moves())
def test_what_is_locked_does_not_move(
    made: tuple[FloatArray, set[int], list[tuple[int, int]]],
) -> None:
    weights, locked, steps = made
    done: set[int] = set()
    for group in sorted(locked):
        if can_move(weights.size, done, group):
            weights = fastened(weights, group, done)
            done.add(group)
    before = percents(weights)
    for group, percent in steps:
        weights = moved(weights, group, percent, done)
        assert [percents(weights)[i] for i in done] == [before[i] for i in done]


@given(shares(), st.data())
def test_what_is_shown_is_what_was_set(weights: FloatArray, data: st.DataObject) -> None:
    group = data.draw(st.integers(0, weights.size - 1))
    percent = data.draw(st.integers(0, 100))
    assert percents(moved(weights, group, percent))[group] == percent


@given(shares(), st.data())
def test_the_way_of_a_slider_does_not_matter(weights: FloatArray, data: st.DataObject) -> None:
    # one key press after the other, or one jump
    group = data.draw(st.integers(0, weights.size - 1))
    way = data.draw(st.lists(st.integers(0, 99), min_size=1, max_size=8))
    stepped = weights
    for percent in way:
        stepped = moved(stepped, group, percent)
    assert stepped == pytest.approx(moved(weights, group, way[-1]), abs=2e-4)


@given(shares(), st.data())
def test_the_order_of_locked_moves_does_not_matter(weights: FloatArray, data: st.DataObject) -> None:
    # two shares are set and locked, in either order; the others end alike
    if weights.size < 3:
        return
    first, second = data.draw(st.permutations(range(weights.size)))[:2]
    a, b = data.draw(st.integers(0, 50)), data.draw(st.integers(0, 49))
    one = moved(moved(weights, first, a), second, b, {first})
    other = moved(moved(weights, second, b), first, a, {second})
    assert one == pytest.approx(other, abs=5e-4)


@given(shares())
def test_a_link_brings_the_shares_back(weights: FloatArray) -> None:
    assert read(written(weights), weights.size) == pytest.approx(weights, abs=1e-4)


@pytest.mark.parametrize("text", ["", "1_2", "50_50_0_0", "a_b_c", "nan_50_50", "150_-50_0"])
def test_a_link_that_is_no_target_is_nothing(text: str) -> None:
    assert read(text, 3) is None
