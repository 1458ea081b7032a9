"""What missing labels leave open: by hand, and against every way of adding them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.kernels.divergence import jsd, kl, l1
from fairviz.model import FloatArray
from fairviz.points.shares import distance_range, filled, off_target, share_range

DISTANCES = pytest.mark.parametrize("distance", [jsd, kl, l1], ids=["jsd", "kl", "l1"])


@st.composite
def shares(draw: st.DrawFn, size: int = 3) -> FloatArray:
    raw = draw(st.lists(st.integers(1, 100), min_size=size, max_size=size))
    return np.array(raw) / sum(raw)


def test_ends_by_hand() -> None:
    # 1 of 10 labelled a, 1 b, 8 unknown; target half and half: the best is on target
    least, most = share_range(np.array([1.0, 1.0]), 8.0)
    assert (least.tolist(), most.tolist()) == ([0.1, 0.1], [0.9, 0.9])
    result = distance_range(np.array([1.0, 1.0]), 8.0, np.array([0.5, 0.5]), l1)
    assert result.low == pytest.approx(0, abs=1e-12)
    assert result.high == pytest.approx(0.8)  # 0.9 and 0.1 against 0.5 each


def test_the_distance_of_shares_has_the_interval_of_its_resamples() -> None:
    # half of L1: |0.7 − 0.5| today; in resamples 0.1, 0.2 or 0.3, at 100 queries all but as they lie
    drawn = np.array([[0.6, 0.4], [0.7, 0.3], [0.8, 0.2]] * 400)
    found = off_target(np.array([0.7, 0.3]), drawn, np.array([0.5, 0.5]), 100)
    assert found.off == pytest.approx(0.2)
    assert found.interval == pytest.approx((0.1, 0.3))
    assert np.isnan(off_target(np.array([0.7, 0.3]), np.empty((0, 2)), np.array([0.5, 0.5]), 1).interval.low)


def test_a_surplus_stays_and_nothing_unknown_leaves_nothing_open() -> None:
    # a has 6 of 10 already, its target is 0.2: at best 0.6 and 0.4 against 0.2 and 0.8
    assert distance_range(np.array([6.0, 0.0]), 4.0, np.array([0.2, 0.8]), l1) == pytest.approx((0.8, 1.6))
    assert distance_range(np.array([3.0, 1.0]), 0.0, np.array([0.5, 0.5]), l1) == pytest.approx((0.5, 0.5))


def test_no_attention_is_undefined() -> None:
    assert np.isnan(share_range(np.zeros(2), 0.0).low).all()
    assert np.isnan(distance_range(np.zeros(2), 0.0, np.array([0.5, 0.5]), l1)).all()


@DISTANCES
@given(st.data())
def test_no_labelling_leaves_the_range(distance, data: st.DataObject) -> None:  # type: ignore[no-untyped-def]
    target, added = data.draw(shares()), data.draw(shares())
    labelled = data.draw(shares()) * data.draw(st.floats(0.1, 5))
    unlabelled = data.draw(st.floats(0, 5))
    result = distance_range(labelled, unlabelled, target, distance)
    whole = labelled + unlabelled * added
    here = float(distance(whole / whole.sum(), target))
    assert result.low - 1e-9 <= here <= result.high + 1e-9


@given(shares(), shares(), st.floats(0, 1))
def test_the_filled_shares_are_a_distribution_above_what_is_known(
    target: FloatArray, known: FloatArray, part: float
) -> None:
    least = part * known
    best = filled(least, target)
    assert best.sum() == pytest.approx(1)
    assert (best >= least - 1e-9).all()
