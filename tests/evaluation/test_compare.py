"""Two systems compared."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from fairviz.evaluation.compare import Comparison, compare_all
from fairviz.model import Scores, SystemScore
from fairviz.stats.bootstrap import N_RESAMPLES
from tests.studies.tradeoff.curves import seed


def scores(system: str, values: dict[str, float], measure: str = "EU") -> Scores:
    return Scores(
        system=system,
        measure=measure,
        query_ids=tuple(values),
        values=np.array(list(values.values()), dtype=np.float64),
    )


def compare(ours: Scores | SystemScore, theirs: Scores | SystemScore, *, n_resamples: int = N_RESAMPLES) -> Comparison:
    """Two systems in a table of their own."""
    pairs: list[Any] = [(ours, theirs)]
    (row,) = compare_all(pairs, seed=0, n_resamples=n_resamples)
    return row


QUERIES = [f"q{i}" for i in range(10)]
A = scores("a", {"q1": 1.0, "q2": 2.0, "q3": math.nan, "q4": 5.0})
B = scores("b", {"q2": 1.0, "q1": 0.5, "q3": 1.0, "q5": 0.0})


def test_common_queries_are_paired_by_name() -> None:
    found = compare(A, B)
    # q1 1 − .5 and q2 2 − 1; q3, q4 and q5 lack a partner
    assert found.difference == pytest.approx(0.75)
    assert (found.n_queries, found.n_left_out) == (2, 3)
    assert found.interval == pytest.approx((0.5, 1.0))
    assert found.verdict == compare(B, A).verdict == "too few to test"


def test_queries_that_a_system_did_not_rank_count_0_in_its_mean_and_in_no_comparison() -> None:
    """nDCG of a run that lacks q1 and q3 is a mean with two zeros; compared are q0 and q2, which both ranked."""
    both = [f"q{i}" for i in range(4)]
    partly = replace(
        scores("a", dict(zip(both, (0.5, 0.0, 1.0, 0.0), strict=True))), unranked=np.array([False, True, False, True])
    )
    whole = scores("b", dict(zip(both, (0.4, 0.9, 0.8, 0.9), strict=True)))
    found = compare(partly, whole)
    assert partly.value == pytest.approx(1.5 / 4)
    assert found.difference == pytest.approx((0.1 + 0.2) / 2)
    assert (found.n_queries, found.n_left_out, found.wins, found.losses) == (2, 2, 2, 0)
    other = replace(whole, unranked=np.array([True, False, True, False]))
    assert compare_all([(partly, other)], seed=0) == ()


def test_a_verdict_needs_ten_queries() -> None:
    gaps = seed(5).uniform(0.4, 0.6, size=10)
    base = scores("b", dict.fromkeys(QUERIES, 0.0))
    better = scores("a", dict(zip(QUERIES, gaps.tolist(), strict=True)))
    assert compare(better, base).verdict == "higher"
    assert compare(base, better).verdict == "lower"
    nine = scores("a", dict(zip(QUERIES[:9], gaps.tolist(), strict=False)))
    few = compare(nine, base)
    assert (few.verdict, few.n_queries) == ("too few to test", 9)
    assert few.interval.low > 0
    assert few.p < 0.001


def test_a_system_cannot_be_told_from_itself() -> None:
    whole = scores("a", {query: float(i) for i, query in enumerate(QUERIES)})
    found = compare(whole, whole)
    assert found.difference == 0
    assert np.isnan(found.interval).all()  # all differences are 0
    assert found.verdict == "no significant difference"


def test_what_cannot_be_compared() -> None:
    one = compare(scores("a", {"q": 1}), scores("b", {"q": 0}))
    assert one.verdict == "too few to test"
    with pytest.raises(ValueError, match="cannot compare EU with EER"):
        compare(A, scores("b", {"q1": 1}, "EER"))


def test_a_table_is_corrected_by_holm() -> None:
    gaps = seed(1).normal(0.03, 0.05, size=20)
    base = scores("b", {f"q{i}": 0.0 for i in range(20)})
    pairs = [(scores("a", {f"q{i}": gap + more for i, gap in enumerate(gaps)}), base) for more in (0.0, 0.1, -0.03)]
    rows = compare_all([*pairs, (base, base), (A, A)], seed=0)
    wanted = [stats.ttest_1samp(gaps + more, 0).pvalue for more in (0.0, 0.1, -0.03)]
    assert [row.p for row in rows[:3]] == pytest.approx(wanted)
    assert rows[3].p == 1  # a system against itself is of the family too
    assert np.isnan(rows[4].p_holm)  # of too few queries no verdict is drawn: it is not
    rows = rows[:4]
    ranked = sorted(row.p for row in rows)
    steps = np.maximum.accumulate([(4 - i) * p for i, p in enumerate(ranked)])
    assert sorted(row.p_holm for row in rows) == pytest.approx(np.minimum(steps, 1))
    assert rows[1].verdict == "higher"
    assert rows[3].verdict == "no significant difference"
    alone = compare(*pairs[2])
    assert rows[2].interval == alone.interval
    assert alone.p == alone.p_holm == rows[2].p


def test_one_test_has_one_interval_and_many_a_wider_one_about_the_same_difference() -> None:
    ours = scores("a", {f"q{i}": 0.5 + 0.01 * i for i in range(12)})
    theirs = scores("b", {f"q{i}": 0.5 - 0.01 * (i % 3) for i in range(12)})
    found = compare(ours, theirs)
    assert found.among(1) == found.interval
    low, high = found.among(6)
    assert (low + high) / 2 == pytest.approx(found.difference)
    # d ± t(1 − 0.05/12; 11) · s, with s of the differences 0.01 (i + i mod 3)
    gaps = np.array([0.01 * (i + i % 3) for i in range(12)])
    reach = stats.t.ppf(1 - 0.05 / 12, 11) * gaps.std(ddof=1) / math.sqrt(12)
    assert high - found.difference == pytest.approx(reach)
    assert np.isnan(found._replace(p=0.0).among(6)).all()  # all alike: p tells no error


def test_a_table_leaves_out_pairs_without_a_common_query() -> None:
    assert compare_all([(A, scores("b", {"other": 1}))], seed=0) == ()


@given(arrays(np.float64, (2, 6), elements=st.floats(-5, 5)))
def test_swapping_the_systems_swaps_the_sign(pair: np.ndarray) -> None:
    a, b = (scores("x", {f"q{i}": v for i, v in enumerate(row)}) for row in pair)
    one = compare(a, b, n_resamples=40)
    two = compare(b, a, n_resamples=40)
    assert one.difference == pytest.approx(-two.difference)
    assert one.interval == pytest.approx((-two.interval.high, -two.interval.low), abs=1e-9, nan_ok=True)
    assert one.p == pytest.approx(two.p, nan_ok=True)
    opposite = {"higher": "lower", "lower": "higher"}
    assert opposite.get(one.verdict, one.verdict) == two.verdict


def whole(system: str, values: list[float], *, defined: list[bool] | None = None) -> SystemScore:
    """The mean over queries as a measure that has one value per system."""
    known = np.array(values)
    return SystemScore(
        system=system,
        measure="AWRF",
        query_ids=tuple(f"q{i}" for i in range(len(values))),
        defined=np.array(defined or [True] * len(values)),
        statistic=lambda counts: counts @ known / np.maximum(counts @ np.ones(known.size), 1),
    )


def test_measures_of_whole_systems_are_resampled_by_the_same_queries() -> None:
    values = seed(2).normal(size=20)
    gaps = seed(3).normal(0.2, 0.3, size=20)
    found = compare(whole("a", (values + gaps).tolist()), whole("b", values.tolist()))
    sides = [dict(zip(map("q{}".format, range(20)), side.tolist(), strict=True)) for side in (values + gaps, values)]
    paired = compare(scores("a", sides[0]), scores("b", sides[1]))
    assert found.difference == pytest.approx(paired.difference)
    assert found.interval == pytest.approx(paired.interval)
    assert found.p == pytest.approx(paired.p, rel=0.15)
    assert (found.wins, found.ties, found.losses) == (0, 0, 0)


def test_whole_systems_without_a_value_are_left_out() -> None:
    nothing = whole("b", [math.nan] * 10, defined=[False] * 10)
    assert compare_all([(whole("a", [1.0] * 10), nothing)], seed=0) == ()


def test_whole_systems_are_compared_over_their_common_queries() -> None:
    """The four that only the longer one has, and the one that is undefined in the other, take no part."""
    longer = whole("a", [1.0] * 12 + [50.0] * 4)
    shorter = whole("b", [9.0] + [0.5] * 11, defined=[False] + [True] * 11)
    found = compare(longer, shorter)
    assert (found.difference, found.n_queries, found.n_left_out) == (0.5, 11, 5)
