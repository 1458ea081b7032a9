"""Two systems' curves, paired by query."""

from dataclasses import replace

import numpy as np
import pytest

from fairviz.evaluation.compare import Comparison
from fairviz.model import Curve
from fairviz.points.curves import compare_points
from fairviz.points.summary import compared_areas, turned
from tests.studies.tradeoff.curves import curve

GAIN = 0.1


def lines(lift: float) -> tuple[Curve, Curve]:
    """α = 0, 1, 2 at EE-D 0, .4, .8 for 12 queries, and the list at EE-D 1; quality lifted."""
    base = np.random.default_rng(3).uniform(0.2, 0.4, 12)
    x = np.array([0.0, 0.4, 0.8])[:, None] + np.zeros(12)
    drawn = curve(x, base + 0.3 * x + lift)
    end = curve(np.ones((1, 12)), (base + 0.3 + lift)[None], policy="deterministic")
    return drawn, replace(end, alphas=np.array([np.nan]))


def area(ours: Curve, theirs: Curve) -> Comparison:
    """AUC of ours minus that of theirs."""
    (gap,) = compared_areas([theirs, ours], rng=np.random.default_rng(0)).gaps
    return gap


def test_a_lift_of_quality_is_found_everywhere_but_in_disparity() -> None:
    (ours, our_end), (theirs, their_end) = lines(GAIN), lines(0.0)
    ours, theirs = replace(ours, system="a"), replace(theirs, system="b")
    gap = area(ours, theirs)
    assert gap.difference == pytest.approx(GAIN)
    assert np.isnan(gap.interval).all()  # every query has the same lift
    assert gap.verdict == "higher"
    named = {row.measure: row for row in compare_points(ours, theirs, our_end, their_end, alpha=1.0, seed=0)}
    assert named["EER at α = 1"].difference == pytest.approx(GAIN)
    assert named["EER of the deterministic list"].difference == pytest.approx(GAIN)
    assert named["EE-D at α = 1"].difference == pytest.approx(0)
    assert named["EER at α = 1"].verdict == "higher"
    assert (named["EER at α = 1"].system, named["EER at α = 1"].reference) == ("a", "b")


def test_the_other_way_round_has_the_other_sign() -> None:
    (ours, _), (theirs, _) = lines(GAIN), lines(0.0)
    there = area(theirs, ours)
    assert there.difference == pytest.approx(-GAIN)
    back = turned(there)
    assert (back.system, back.reference) == (there.reference, there.system)
    assert back.difference == pytest.approx(GAIN)


def test_the_deterministic_list_is_in_no_area() -> None:
    """The lists differ by 0.5; they are points of their own."""
    (ours, our_end), (theirs, their_end) = lines(0.0), lines(0.0)
    our_end = replace(our_end, quality=our_end.quality + 0.5)
    assert area(ours, theirs).difference == pytest.approx(0)
    named = {row.measure: row for row in compare_points(ours, theirs, our_end, their_end, alpha=1.0, seed=0)}
    assert named["EER of the deterministic list"].difference == pytest.approx(0.5)


def test_systems_without_a_common_query_have_no_points() -> None:
    ours, our_end = lines(0.0)
    theirs, their_end = (replace(line, query_ids=tuple(f"other{i}" for i in range(12))) for line in lines(0.0))
    assert compare_points(ours, theirs, our_end, their_end, alpha=1.0, seed=0) == ()
    gap = area(ours, theirs)
    assert (gap.n_queries, gap.verdict) == (0, "too few to test")
