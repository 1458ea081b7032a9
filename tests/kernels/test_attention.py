import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.kernels.attention import (
    Attention,
    Cascade,
    Discounted,
    Geometric,
    Logarithmic,
    RankBiased,
    TopK,
    attention,
)
from tests.strategies import attentions


@given(model=attentions, depth=st.integers(0, 20))
def test_attention_falls_and_a_longer_list_changes_nothing_above(model: Attention, depth: int) -> None:
    weights = model.weights(depth)
    assert weights.shape == (depth,)
    assert (np.diff(weights) <= 0).all()
    assert model.weights(depth + 3)[:depth] == pytest.approx(weights)


@pytest.mark.parametrize("wrong", [0.0, 1.0, -0.1])
def test_chances_lie_strictly_between_0_and_1(wrong: float) -> None:
    for model in (RankBiased, Geometric, Cascade):
        with pytest.raises(ValueError, match="strictly between 0 and 1"):
            model(wrong)


def test_by_name() -> None:
    assert attention("topk", cutoff=3) == TopK(3)
    assert attention("rbp", cutoff=None, patience=0.5) == RankBiased(0.5)
    assert attention("geometric", cutoff=2, stopping=0.3) == Geometric(0.3, 2)
    assert attention("log", cutoff=None) == Logarithmic()
    assert attention("dcg", cutoff=4) == Discounted(4)
    with pytest.raises(ValueError, match="@k"):
        attention("topk", cutoff=None)
    with pytest.raises(ValueError, match="at least 1"):
        TopK(0)
