"""Lines, the point at α, and the optimal policy at the same quality."""

from dataclasses import replace

import numpy as np
import pytest

from fairviz.points.view import Line, TradeoffView
from tests.display.views import line, point, view
from tests.studies.tradeoff.curves import curve


def test_a_line_is_the_means_over_queries_without_points_of_none() -> None:
    # α = 0: (0.1 + 0.3) / 2 = 0.2 and (0.5 + 0.7) / 2 = 0.6; α = 1 has no query with both axes
    drawn = Line.of(curve([[0.1, 0.3], [0.2, np.nan]], [[0.5, 0.7], [np.nan, 0.9]]))
    assert drawn.alphas.tolist() == [0]
    assert drawn.x == pytest.approx([0.2])
    assert drawn.y == pytest.approx([0.6])


def test_here_lies_on_the_line_between_its_points() -> None:
    own = replace(line(), alphas=np.array([0.0, 1.0]), x=np.array([0.0, 0.4]), y=np.array([0, 1.0]))
    best = replace(own, policy="optimal", x=np.array([0.0, 0.2]))
    shown = TradeoffView(lines=[own], system="bm25", policies={"optimal": best})
    drawn = shown.at(0.5)
    assert (drawn.x, drawn.y, drawn.optimal_x) == pytest.approx((0.2, 0.5, 0.1))
    assert drawn.saving == pytest.approx(0.5)


def test_alpha_outside_the_line_has_no_point() -> None:
    assert np.isnan(view().at(9).x)


def test_the_smallest_disparity_counts_where_a_frontier_turns() -> None:
    own = view().line
    best = point("optimal", 0.2, 0.9)
    best = replace(best, x=np.array([0.5, 0.1, 0.3]), y=np.array([0.6, 0.4, 0.8]), alphas=np.arange(3.0))
    drawn = replace(view(), lines=[own], policies={"optimal": best}).at(8)  # quality about 0.8
    assert drawn.optimal_x == pytest.approx(0.3, abs=0.01)


def test_the_highlighted_system_must_be_drawn() -> None:
    with pytest.raises(ValueError, match="other"):
        TradeoffView(lines=[line()], system="other")


def test_a_curve_that_is_not_joined_is_drawn_as_it_is() -> None:
    assert view().drawn[0].size == view().line.x.size + 1
    assert view(joined=False).drawn[0].size == view().line.x.size
