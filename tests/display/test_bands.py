"""Intervals along a line: the shapes that are filled lie between their ends, wherever some are undefined."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fairviz.display.bands import Band

NAN = np.nan


def band(low: list[float]) -> Band:
    return Band(np.arange(float(len(low))), np.array(low), np.array(low) + 1)


def test_without_gaps_there_is_one_shape() -> None:
    ((x, y),) = band([0, 2]).outlines()
    assert (x.tolist(), y.tolist()) == ([0, 1, 1, 0], [0, 2, 3, 1])


def test_undefined_ends_are_left_out() -> None:
    ((x, y),) = band([NAN, 0, 2, NAN]).outlines()
    assert (x.tolist(), y.tolist()) == ([1, 2, 2, 1], [0, 2, 3, 1])


def test_nothing_known_has_no_shape_and_is_no_band() -> None:
    nothing = band([NAN, NAN])
    assert nothing.outlines() == []
    assert [corners.size for corners in nothing.outline()] == [0, 0]
    assert Band.where_defined(*nothing) is None
    assert Band.where_defined(*band([NAN, 0])) is not None


@given(st.lists(st.one_of(st.just(NAN), st.floats(-5, 5)), min_size=1, max_size=12))
def test_each_defined_place_is_the_two_ends_of_one_shape(low: list[float]) -> None:
    outlines = band(low).outlines()
    known = [place for place, end in enumerate(low) if end == end]
    forward = [x for x, _ in outlines for x in x[: x.size // 2]]
    assert forward == known
    for x, y in outlines:
        there, back = slice(x.size // 2), slice(x.size - 1, x.size // 2 - 1, -1)
        assert np.array_equal(x[there], x[back])
        assert np.array_equal(y[there], [low[int(place)] for place in x[there]])
        assert np.array_equal(y[back], y[there] + 1)
        assert np.array_equal(np.diff(x[there]), np.ones(x.size // 2 - 1))
    x, y = band(low).outline()
    assert np.array_equal(np.isnan(x), np.isnan(y))
    assert int(np.isnan(x).sum()) == max(len(outlines) - 1, 0)
