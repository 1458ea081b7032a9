"""FA*IR's table against enumeration, its adjustment against every table, its list by hand."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from fairviz.model import BoolArray, IntArray
from fairviz.reranking.candidates import Candidates
from fairviz.reranking.fa_ir import adjusted_significance, fa_ir, fail_probability, minimum_table
from tests.reranking.queries import queries, query

chances = st.floats(0.02, 0.98)
significances = st.floats(0.005, 0.4)


def meets_minimums(protected: BoolArray, table: IntArray) -> bool:
    """Whether every prefix has its minimum of protected items (ranked group fairness)."""
    counts = np.cumsum(protected[: table.size])
    return bool((counts >= table[: counts.size]).all())


@given(st.integers(1, 9), chances, significances)
def test_fail_probability_is_the_enumerated_one(k: int, p: float, alpha: float) -> None:
    table = minimum_table(k, p, alpha)
    failing = [
        p ** sum(coins) * (1 - p) ** (k - sum(coins))
        for coins in itertools.product((0, 1), repeat=k)
        if not meets_minimums(np.array(coins) > 0, table)
    ]
    assert fail_probability(table, p) == pytest.approx(math.fsum(failing), abs=1e-13)


@given(st.integers(1, 40), chances, significances)
def test_the_table_is_the_binomial_quantile(k: int, p: float, alpha: float) -> None:
    """The smallest m with F(m; i, p) >= α; where F is within 1e-9 of α either side is right."""
    table = minimum_table(k, p, alpha)
    for i, least in enumerate(table.tolist(), start=1):
        assert binom.cdf(least, i, p) >= alpha * (1 - 1e-9)
        assert least == 0 or binom.cdf(least - 1, i, p) < alpha * (1 + 1e-9)


@given(st.integers(1, 12), chances, significances)
def test_no_table_fails_closer_to_the_wanted_probability(k: int, p: float, alpha: float) -> None:
    """All tables there are below α: one per value of F(m; i, p), and α's own."""
    values = [float(binom.cdf(m, i, p)) for i in range(1, k + 1) for m in range(i)]
    every = [minimum_table(k, p, value) for value in values if 0 < value < alpha]
    fails = [fail_probability(table, p) for table in [*every, minimum_table(k, p, alpha)]]
    adjusted = adjusted_significance(k, p, alpha)
    assert adjusted <= alpha
    result = fail_probability(minimum_table(k, p, adjusted), p)
    closest = min(abs(each - alpha) for each in [*fails, 0.0])
    assert abs(result - alpha) == pytest.approx(closest, abs=1e-12)


@given(queries(), st.floats(0, 1))
def test_every_prefix_that_can_has_its_minimum(candidates: Candidates, p: float) -> None:
    order = fa_ir(candidates, group=0, least_share=p)
    k = candidates.depth
    table = minimum_table(k, p, adjusted_significance(k, p, 0.1))[: candidates.places]
    protected = candidates.codes == 0
    shown = np.cumsum(protected[order])[: candidates.places]
    assert (shown >= np.minimum(table, protected.sum())).all()
    for mask in (protected, ~protected):  # within each class the order of the run stays
        assert (np.diff(order[mask[order]][: candidates.places]) > 0).all()


def test_by_hand() -> None:
    """k = 4, p = ½, α = 0.1: m = 0, 0, 0, 1 as F(0; 4) = 1/16 < 0.1. Only one table fails, with
    1/16; tables of smaller α never. 1/16 is closer to 0.1, so rank 4 needs a B: item 5."""
    assert minimum_table(4, 0.5, 0.1).tolist() == [0, 0, 0, 1]
    assert fa_ir(query("AAAAABA", [0.5, 0.5], 4), group=1).tolist() == [0, 1, 2, 5, 3, 4, 6]


def test_other_groups_and_unlabelled_items_are_the_others() -> None:
    """p = 1: every rank needs a B, as far as there are any; then the run's order."""
    assert fa_ir(query("A-BCB", [0.3, 0.4, 0.3], 5), group=1, least_share=1).tolist() == [2, 4, 0, 1, 3]


@pytest.mark.parametrize(("k", "p", "alpha"), [(0, 0.5, 0.1), (3, 1.5, 0.1), (3, 0.5, 0.0)])
def test_arguments_out_of_range(k: int, p: float, alpha: float) -> None:
    with pytest.raises(ValueError, match="FA\\*IR needs"):
        adjusted_significance(k, p, alpha)


def test_a_table_is_made_once_and_cannot_change() -> None:
    table = minimum_table(8, 0.5, 0.1)
    assert minimum_table(8, 0.5, 0.1) is table
    assert not table.flags.writeable
