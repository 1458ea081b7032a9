"""The rule that places direct labels; shapes that are filled for intervals lie between their ends."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fairviz.display.marks import Band, Frame, Label, around, place_labels, spots_beside, written
from fairviz.display.theme import LIGHT

FRAME = Frame(x=(0.0, 1.0), y=(0.0, 1.0))
NOTHING = np.empty((0, 2))
places = st.floats(0.05, 0.95)


def label(text: str, x: float, y: float) -> Label:
    return Label(html=text, width=len(text), colour="#000000", spots=around(x, y, len(text)))


def box(one: Label, spot, width: float):  # type: ignore[no-untyped-def]
    at = FRAME.pixels(np.array([spot.x]), np.array([spot.y]), width)[0]
    return at + np.array([spot.right, spot.down]), one.half


@given(places, places, places, places)
def test_two_labels_never_cover_each_other(a: float, b: float, c: float, d: float) -> None:
    labels = [label("deterministic", a, b), label("uniform", c, d)]
    spots = place_labels(labels, NOTHING, FRAME)
    for width in FRAME.widths:
        (one, half), (other, other_half) = (box(each, spot, width) for each, spot in zip(labels, spots, strict=True))
        assert (np.abs(one - other) >= half + other_half - 1e-9).any()


@given(places, places)
def test_a_label_stays_clear_of_the_axes(x: float, y: float) -> None:
    """Tick labels stand left of and below the plotting area."""
    one = label("α = 2", x, y)
    (spot,) = place_labels([one], NOTHING, FRAME)
    for width in FRAME.widths:
        centre, half = box(one, spot, width)
        assert centre[0] - half[0] >= -1e-9
        assert centre[1] + half[1] <= FRAME.height + 1e-9


def test_a_label_avoids_a_line() -> None:
    """A horizontal line through the point: right and left of it are covered, above is free."""
    line = np.column_stack([np.linspace(0, 1, 200), np.full(200, 0.5)])
    one = label("uniform", 0.5, 0.5)
    (spot,) = place_labels([one], line, FRAME)
    for width in FRAME.widths:
        centre, half = box(one, spot, width)
        marks = FRAME.pixels(line[:, 0], line[:, 1], width)
        assert not (np.abs(marks - centre) < half).all(axis=1).any()


def test_with_nothing_around_the_first_spot_is_taken() -> None:
    one = label("here", 0.5, 0.5)
    assert place_labels([one], NOTHING, FRAME) == [one.spots[0]]


def test_earlier_labels_do_not_move_for_later_ones() -> None:
    first = label("first", 0.5, 0.5)
    alone = place_labels([first], NOTHING, FRAME)
    assert place_labels([first, label("second", 0.5, 0.5)], NOTHING, FRAME)[0] == alone[0]


def test_far_labels_are_tied_to_their_point() -> None:
    near, far = label("a", 0.5, 0.5).spots[0], label("a", 0.5, 0.5).spots[-1]
    one = label("a", 0.5, 0.5)
    assert not written(one, near, LIGHT)["showarrow"]
    tied = written(one, far, LIGHT)
    assert (tied["showarrow"], tied["arrowhead"]) == (True, 0)
    assert (tied["ax"], tied["ay"]) == (far.right, far.down)


def test_names_of_rising_lines_stand_beside_them() -> None:
    x = np.linspace(0, 1, 100)
    spots = spots_beside(x, x, width=5)
    assert all(spot.right < 0 and spot.down <= 0 for spot in spots[: len(spots) // 2])
    assert all(spot.right > 0 and spot.down >= 0 for spot in spots[len(spots) // 2 :])
    assert spots[0].x > spots[20].x


# Bands.


NAN = np.nan


def band(low: list[float]) -> Band:
    return Band(np.arange(float(len(low))), np.array(low), np.array(low) + 1)


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
