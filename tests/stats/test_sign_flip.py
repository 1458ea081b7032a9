"""The exact sign-flip test against enumeration of all sign patterns."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.stats.tests import sign_flip


def enumerated(differences: np.ndarray, denominators: np.ndarray) -> float:
    """Share of the 2^T patterns whose |sum| is at least the observed one, in fractions."""
    sums = [
        sum(Fraction(int(d), int(m)) for d, m in zip(column, denominators, strict=True)) for column in differences.T
    ]
    patterns = list(product((1, -1), repeat=len(sums)))
    as_far = [abs(sum(s * c for s, c in zip(signs, sums, strict=True))) >= abs(sum(sums)) for signs in patterns]
    return sum(as_far) / len(patterns)


WORLDS = st.integers(1, 3).flatmap(
    lambda j: st.integers(1, 8).flatmap(
        lambda t: st.tuples(
            st.lists(st.lists(st.integers(-4, 4), min_size=t, max_size=t), min_size=j, max_size=j),
            st.lists(st.integers(1, 9), min_size=j, max_size=j),
        )
    )
)


@given(world=WORLDS)
def test_it_is_the_enumeration(world: tuple[list[list[int]], list[int]]) -> None:
    differences, denominators = np.array(world[0]), np.array(world[1])
    found = sign_flip(differences, denominators)
    assert found.exact
    assert found.p == pytest.approx(enumerated(differences, denominators), abs=1e-12)


def test_by_hand() -> None:
    """Four clusters of +1: 2 of 16 patterns have |sum| = 4."""
    assert sign_flip(np.array([[1, 1, 1, 1]]), np.array([7])).p == 2 / 16
    assert sign_flip(np.array([[0, 0]]), np.array([7])).p == 1
    assert sign_flip(np.array([[3, -3]]), np.array([7])).p == 1


def test_drawn_patterns_agree_with_the_exact_p() -> None:
    differences, denominators = np.array([[5, 3, -1, 4, 2, 2, -1, 3]]), np.array([11])
    exact = sign_flip(differences, denominators)
    drawn = sign_flip(differences, denominators, max_cells=0)
    assert (exact.exact, drawn.exact) == (True, False)
    assert drawn.p == pytest.approx(exact.p, abs=0.005)  # 100,000 draws: s.e. < 0.0016


@given(world=WORLDS, factor=st.integers(2, 50))
def test_scale_and_order_of_clusters_change_nothing(world: tuple[list[list[int]], list[int]], factor: int) -> None:
    differences, denominators = np.array(world[0]), np.array(world[1])
    p = sign_flip(differences, denominators).p
    assert sign_flip(factor * differences[:, ::-1], denominators).p == pytest.approx(p)
    assert sign_flip(-differences, factor * denominators).p == pytest.approx(p)
