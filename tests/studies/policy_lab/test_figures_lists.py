"""The two columns of one query: what stands where, in which colour, filled or hollow."""

import numpy as np
import pytest

from fairviz.display.theme import DARK, LIGHT
from fairviz.studies.policy_lab.charts import before_after_alt, before_after_figure
from fairviz.studies.policy_lab.examples import BeforeAfter, before_after
from tests.display.views import named, texts
from tests.studies.policy_lab.lists import compared

GROUPS = ("x", "y")
FOUND = compared("abcde", "aebcd", k=3, useful={"a", "c"}, groups={"e": "y", "b": "x"})


def shown(found: BeforeAfter = FOUND, colours=LIGHT):  # type: ignore[no-untyped-def]
    return before_after_figure(found, colours=colours, groups=GROUPS, after="DetGreedy")


def test_columns_hold_the_first_k_filled_where_useful() -> None:
    """Today a (useful), b, c (useful); after a, e, b."""
    today, after = named(shown(), "today"), named(shown(), "after")
    assert list(today.y) == list(after.y) == [1, 2, 3]
    assert [colour == LIGHT.page for colour in today.marker.color] == [False, True, False]
    assert [colour == LIGHT.page for colour in after.marker.color] == [False, True, True]


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_a_colour_is_the_group_of_a_document_that_moved(colours) -> None:  # type: ignore[no-untyped-def]
    figure = shown(colours=colours)
    assert named(figure, "e").line.color == colours.groups[1]
    assert named(figure, "b").line.color == colours.groups[0]
    assert named(figure, "a").line.color == colours.faint  # did not move
    assert named(figure, "c").line.color == colours.faint  # moved, no label


def test_curves_join_the_ranks_and_are_dashed_across_k() -> None:
    figure = shown()
    down = named(figure, "b")
    assert (down.y[0], down.y[-1]) == (2, 3)
    assert np.all(np.diff(down.y) >= 0)
    assert named(figure, "b").line.dash == "solid"
    for doc in "ec":
        assert named(figure, doc).line.dash == "2px,3px"
    assert named(figure, "e").y[0] > 3


def test_names_say_what_is_new_and_what_is_out() -> None:
    said = texts(shown())
    assert "<b>2</b>  <b>e</b>  <b>new</b>, from rank 5" in said
    assert "c — leaves  <b>3</b>" in said
    assert "<b>3</b>  b  ▼1" in said
    assert "<b>1</b>  a" in said


def test_alt_names_entries_and_exits() -> None:
    alt = before_after_alt(FOUND, "DetGreedy")
    assert "New: e, labelled y" in alt
    assert "Out: c, judged useful" in alt


def test_markup_in_names_is_text() -> None:
    bad = "<a href='http://x'>d</a>"
    result = before_after("q", [bad, "b"], [1, 0], k=1, useful=[False] * 2, groups=["<b>g</b>", ""], titles={})
    figure = before_after_figure(result, colours=LIGHT, groups=("<b>g</b>",), after="<i>m</i>")
    said = " ".join(texts(figure)) + " ".join(t for trace in figure.data for t in trace.text or ())
    assert "<a" not in said
    assert "<i>" not in said


def test_an_empty_list_draws_two_empty_columns() -> None:
    figure = shown(compared("", "", k=3))
    assert list(named(figure, "today").y) == []
