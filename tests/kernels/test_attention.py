from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.kernels.attention import Attention, Cascade, Discounted, TopK
from tests.strategies import attentions


def test_values_by_hand() -> None:
    assert TopK(2).weights(3).tolist() == [1, 1, 0]
    assert Attention("rbp", patience=0.5).weights(3).tolist() == [1, 0.5, 0.25]
    assert Attention("geometric", stopping=0.5).weights(3).tolist() == [0.5, 0.25, 0.125]
    # 1/log2(max(r, 2)): ranks 1 and 2 alike, rank 4 is 1/2.
    assert Attention("log").weights(4) == pytest.approx([1, 1, 1 / np.log2(3), 0.5])
    # 1/log2(r + 1): rank 1 is 1, rank 3 is 1/2.
    assert Discounted().weights(3) == pytest.approx([1, 1 / np.log2(3), 0.5])
    assert Attention("rbp", 2, patience=0.5).weights(3).tolist() == [1, 0.5, 0]


@given(model=attentions, depth=st.integers(0, 20))
def test_attention_falls_and_a_longer_list_changes_nothing_above(model: Attention, depth: int) -> None:
    weights = model.weights(depth)
    assert weights.shape == (depth,)
    assert (np.diff(weights) <= 0).all()
    assert model.weights(depth + 3)[:depth] == pytest.approx(weights)


@pytest.mark.parametrize("wrong", [0.0, 1.0, -0.1])
def test_chances_lie_strictly_between_0_and_1(wrong: float) -> None:
    for made in (partial(Attention, "rbp", None, wrong), partial(Attention, "geometric", stopping=wrong)):
        with pytest.raises(ValueError, match="strictly between 0 and 1"):
            made()
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        Cascade(wrong)


def test_bad_cutoffs_are_refused() -> None:
    with pytest.raises(ValueError, match="@k"):
        Attention("topk")
    with pytest.raises(ValueError, match="at least 1"):
        TopK(0)
