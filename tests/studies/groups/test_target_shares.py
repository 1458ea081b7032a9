"""Shares that always sum to 100, whatever is moved."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.model import FloatArray
from fairviz.points.targets import can_move, moved, read, target_weights, written


@st.composite
def shares(draw: st.DrawFn) -> FloatArray:
    """Two to eight shares that sum to 1; some may be 0."""
    raw = draw(st.lists(st.integers(0, 1000), min_size=2, max_size=8).filter(any))
    return np.array(raw) / sum(raw)


def test_a_move_by_hand() -> None:
    # 45 / 45 / 10; the first to 60: 40 are left for 45 : 10, which is 32.73 and 7.27
    found = moved(np.array([0.45, 0.45, 0.1]), 0, 60)
    assert found.tolist() == pytest.approx([0.6, 0.4 * 45 / 55, 0.4 * 10 / 55])


def test_two_locks_of_three_leave_nothing_to_move() -> None:
    assert can_move(3, set(), 0)
    assert can_move(3, {0}, 1)
    assert not can_move(3, {0}, 0)
    assert not can_move(3, {0, 1}, 2)


def test_a_group_at_nothing_comes_back() -> None:
    gone = moved(moved(np.array([0.5, 0.3, 0.2]), 1, 0), 0, 100)
    assert target_weights(gone).tolist() == [1.0, 0.0, 0.0]
    assert moved(gone, 0, 40)[2] == pytest.approx(0.6, abs=1e-4)  # the second was at 0 before the third


@given(shares(), st.lists(st.tuples(st.integers(0, 7), st.integers(0, 100)), max_size=6))
def test_shares_always_sum_to_100_and_one_is_what_was_set(weights: FloatArray, steps: list[tuple[int, int]]) -> None:
    for at, percent in steps:
        group = at % weights.size
        weights = moved(weights, group, percent)
        assert weights[group] == percent / 100
        assert weights.sum() == pytest.approx(1, abs=2e-5)
        assert target_weights(weights).sum() == pytest.approx(1, abs=1e-12)


@given(shares(), st.data())
def test_the_way_of_a_slider_does_not_matter(weights: FloatArray, data: st.DataObject) -> None:
    # one key press after the other, or one jump
    group = data.draw(st.integers(0, weights.size - 1))
    way = data.draw(st.lists(st.integers(0, 99), min_size=1, max_size=8))
    stepped = weights
    for percent in way:
        stepped = moved(stepped, group, percent)
    assert stepped == pytest.approx(moved(weights, group, way[-1]), abs=2e-4)


@given(shares())
def test_a_link_brings_the_shares_back(weights: FloatArray) -> None:
    assert read(written(weights), weights.size) == pytest.approx(weights, abs=1e-4)


@pytest.mark.parametrize("text", ["", "1_2", "50_50_0_0", "a_b_c", "nan_50_50", "150_-50_0"])
def test_a_link_that_is_no_target_is_nothing(text: str) -> None:
    assert read(text, 3) is None
