"""AUC table, differences and bands."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fairviz.display.table import Cell
from fairviz.model import Curve, Dataset
from fairviz.points.columns import gap_rows, left_out_words
from fairviz.points.curves import CurvePolicy
from fairviz.points.summary import SlopeWeights, band, comparable, compared_areas
from fairviz.stats.tests import paired_t_test
from fairviz.studies.tradeoff.analysis import analyse
from fairviz.studies.tradeoff.columns import summary_table
from fairviz.studies.tradeoff.settings import TradeoffSettings
from tests.nouns import qrels_of, run_of
from tests.studies.tradeoff.curves import curve, rows_of, seed

LEFT = curve([0, 0.5, 1], [0, 1, 1])
RIGHT = curve([0.5, 1.5], [0, 2], policy="optimal")


def test_all_curves_are_compared_over_the_range_they_share() -> None:
    left, right = rows_of(compared_areas([LEFT, RIGHT], rng=seed()).rows)
    assert (left.range_low, left.range_high) == (right.range_low, right.range_high) == (0.5, 1.0)
    assert left.auc == 1  # flat there
    assert right.auc == 0.5  # from 0 at .5 to 1 at 1
    assert right.slope == 2
    assert (left.system, left.policy, left.n_queries) == ("bm25", "plackett-luce", 1)
    assert math.isnan(left.auc_low)  # one query


def test_single_points_neither_bound_the_range_nor_have_an_area() -> None:
    dot = curve([0.9], [1], policy="deterministic")
    left, point = rows_of(compared_areas([LEFT, dot], rng=seed()).rows)
    assert (left.range_low, left.range_high) == (0, 1)
    assert math.isnan(point.auc)
    assert math.isnan(point.slope)
    (alone,) = rows_of(compared_areas([dot], rng=seed()).rows)
    assert math.isnan(alone.range_low)


def test_disparity_that_turns_back_is_read_over_the_covered_range() -> None:
    """With ``offset=0`` disparity peaks at a small α and falls again."""
    (back,) = rows_of(compared_areas([curve([0, 1, 0.5], [0, 1, 0.5])], rng=seed()).rows)
    assert (back.range_low, back.range_high) == (0, 1)
    assert back.auc == pytest.approx(0.5)
    assert back.slope == pytest.approx(1)


def test_two_alphas_of_one_disparity_stand_in_the_order_of_alpha() -> None:
    """0.1 + 0.2 is 0.3 but for rounding: quality rises to 1 at 0.3, falls there to 0 and stays, (0.3 · 1 / 2) / 1."""
    (area,) = rows_of(compared_areas([curve([0, 0.1 + 0.2, 0.3, 1], [0, 1, 0, 0])], rng=seed()).rows)
    assert area.auc == pytest.approx(0.15)


def test_disparity_that_varies_by_rounding_alone_has_no_area() -> None:
    (flat,) = rows_of(compared_areas([curve([0.3, 0.1 + 0.2 + 1e-12, 0.3], [0, 1, 0.5])], rng=seed()).rows)
    assert flat.range_low == flat.range_high == 0.3
    assert math.isnan(flat.auc)
    assert math.isnan(flat.slope)


def noisy(n_queries: int = 40) -> tuple[np.ndarray, np.ndarray]:
    x = np.linspace(0, 1, 9)[:, None] + np.zeros(n_queries)
    return x, np.sqrt(x) + seed(1).normal(size=n_queries)


def named(line: Curve, system: str, queries: int | None = None, *, policy: str = "plackett-luce") -> Curve:
    """The curve under another name, and with queries of its own where ``queries`` is their first number."""
    ids = line.query_ids if queries is None else tuple(f"q{queries + q}" for q in range(len(line.query_ids)))
    return replace(line, system=system, policy=policy, query_ids=ids)


def test_differences_are_paired() -> None:
    x, y = noisy()
    lift = seed(2).normal(0.01, 0.001, size=40)
    found = compared_areas([curve(x, y), curve(x, y + lift)], rng=seed())
    _, better = rows_of(found.rows)
    (gap,) = found.gaps
    assert gap.difference == pytest.approx(lift.mean())
    assert gap.interval == pytest.approx((0.01, 0.01), abs=0.001)
    assert (gap.n_queries, gap.verdict) == (40, "higher")
    assert better.auc_high - better.auc_low > 0.1  # unpaired, it would be lost among the queries
    (same,) = compared_areas([curve(x, y), curve(x, y)], rng=seed()).gaps
    assert (same.difference, same.p, same.verdict) == (0, 1, "no significant difference")


def test_a_difference_is_that_of_the_areas_beside_it() -> None:
    """Three curves of other ranges: every area, and every difference, is over the one that all share."""
    x, y = noisy()
    lines = [curve(x, y), named(curve(0.05 + 0.95 * x, 2 * y), "b"), named(curve(0.9 * x, y**2), "c")]
    found = compared_areas(lines, rng=seed())
    rows, gaps = rows_of(found.rows), found.gaps
    assert [(row.range_low, row.range_high) for row in rows] == [pytest.approx((0.05, 0.9))] * 3
    assert [gap.difference for gap in gaps] == pytest.approx([row.auc - rows[0].auc for row in rows[1:]], abs=1e-12)
    back = compared_areas(lines[1::-1] + lines[2:], rng=seed()).gaps[0]
    assert back.difference == pytest.approx(-gaps[0].difference)
    assert back.interval == pytest.approx((-gaps[0].interval.high, -gaps[0].interval.low))
    assert {back.verdict, gaps[0].verdict} in ({"higher", "lower"}, {"no significant difference"})


def test_the_p_of_a_lift_is_that_of_a_paired_t_test() -> None:
    """Curves lifted by a number of each query: the difference of areas is the mean of these numbers."""
    x, y = noisy(12)
    lift = seed(5).normal(0.05, 0.1, size=12)
    (gap,) = compared_areas([curve(x, y), curve(x, y + lift)], rng=seed(), n_resamples=20_000).gaps
    assert gap.p == pytest.approx(paired_t_test(lift, np.zeros(12)).p, rel=0.05)
    rest = [curve(x, y + lift * sign) for sign in (1, -1, 1)]
    found = compared_areas([curve(x, y), *rest], rng=seed()).gaps
    assert [each.p_holm for each in found] == pytest.approx([min(1, 3 * each.p) for each in found])


def test_nothing_is_compared_without_a_common_query() -> None:
    """a and b share queries, c has others: its range narrows nobody's, and there is no difference to it."""
    x, y = noisy(12)
    a, b = named(curve(x, y), "a"), named(curve(x, y + 0.1), "b", 6)
    c = named(curve(0.4 + 0.1 * x, y), "c", 100)
    assert comparable([a, b, c]) == [0, 0, 2]
    found = compared_areas([a, b, c], rng=seed())
    rows, (to_b, to_c) = rows_of(found.rows), found.gaps
    assert [(row.range_low, row.range_high) for row in rows] == [
        pytest.approx(ends) for ends in ((0, 1), (0, 1), (0.4, 0.5))
    ]
    assert to_b.n_queries == 6
    # over the six that both have, of which b has the first six and a the last: y[6:] of a, y[:6] + 0.1 of b
    mean = {name: np.trapezoid(part.mean(axis=1), x[:, 0]) for name, part in (("a", y[:, 6:]), ("b", y[:, :6] + 0.1))}
    assert to_b.difference == pytest.approx(mean["b"] - mean["a"])
    assert (to_c.n_queries, to_c.verdict) == (0, "too few to test")
    assert math.isnan(to_c.difference)
    bridge = named(curve(np.tile(x, 10)[:, :110], np.tile(y, 10)[:, :110]), "d")
    assert comparable([a, c, bridge]) == [0, 0, 0]  # through a third one


def test_few_queries_have_a_difference_and_no_verdict() -> None:
    x, y = noisy(3)
    (gap,) = compared_areas([curve(x, y), curve(x, y + np.array([0.1, 0.2, 0.1]))], rng=seed()).gaps
    assert gap.difference == pytest.approx(0.4 / 3)
    assert gap.verdict == "too few to test"


def test_undefined_queries_are_counted() -> None:
    x, y = noisy(3)
    x[0, 1] = math.nan
    (row,) = rows_of(compared_areas([curve(x, y)], rng=seed()).rows)
    assert row.n_queries == 2


def test_the_band_follows_the_mean_curve() -> None:
    x, y = noisy()
    strip = band(curve(x, y), rng=seed(), n_points=9)
    np.testing.assert_allclose(strip.x, np.linspace(0, 1, 9))
    assert (strip.low < y.mean(axis=1)).all()
    assert (y.mean(axis=1) < strip.high).all()
    assert strip.high[0] - strip.low[0] == pytest.approx(2 * 1.96 * y[0].std() / math.sqrt(40), rel=0.1)


def test_a_band_needs_two_queries_and_a_point() -> None:
    assert band(LEFT, rng=seed(), n_points=3) is None
    assert band(curve([math.nan, math.nan], [1, 1]), rng=seed()) is None


def test_joining_closes_a_curve() -> None:
    end = curve([1.5], [1], policy="deterministic")
    (row,) = rows_of(compared_areas([LEFT.run_on(end)], rng=seed()).rows)
    assert row.range_high == 1.5
    assert row.policy == "plackett-luce"
    with pytest.raises(ValueError, match="same queries"):
        LEFT.run_on(curve([[1, 2]], [[1, 2]]))


@given(arrays(np.float64, (6, 5), elements=st.floats(0.01, 1)), arrays(np.float64, (6, 5), elements=st.floats(0, 1)))
def test_areas_and_slopes_agree_with_numpy(steps: np.ndarray, y: np.ndarray) -> None:
    x = np.cumsum(steps, axis=0)
    mean_x, mean_y = x.mean(axis=1), y.mean(axis=1)
    (row,) = rows_of(compared_areas([curve(x, y)], rng=seed(), n_resamples=2).rows)
    width = mean_x[-1] - mean_x[0]
    assert row.auc == pytest.approx(np.trapezoid(mean_y, mean_x) / width)
    (plain,) = rows_of(compared_areas([curve(x, y)], rng=seed(), weights="points", n_resamples=2).rows)
    assert plain.slope == pytest.approx(np.polyfit(mean_x, mean_y, 1)[0], abs=1e-9)
    spacing = np.zeros(6)
    spacing[:-1] += np.diff(mean_x) / 2
    spacing[1:] += np.diff(mean_x) / 2
    weighted = np.polyfit(mean_x, mean_y, 1, w=np.sqrt(spacing))  # numpy squares its weights
    assert row.slope == pytest.approx(weighted[0], abs=1e-9)


def test_a_curve_that_narrows_the_range_is_left_out_as_compare_does() -> None:
    """The third starts at EE-D 0.6: areas of the others are those without it, and it has none."""
    first, second, late, optimal = (
        replace(curve([low, 1], [0, 1]), system=name, policy=policy)
        for low, name, policy in ((0, "a", "own"), (0.1, "b", "own"), (0.6, "c", "own"), (0.6, "c", "optimal"))
    )
    alone, beside = compared_areas([first, second], rng=seed()), compared_areas([first, second, late], rng=seed())
    assert beside.rows["range_low"][0] == 0.1
    assert beside.rows["auc"].to_list() == [*alone.rows["auc"], None]
    assert beside.rows["slope"][2] is None
    assert beside.gaps[1].n_queries == 0
    assert math.isnan(beside.gaps[1].difference)
    assert [row.verdict for row in rows_of(gap_rows(beside.gaps))][1] == "no test"  # not of too few queries
    assert (beside.left_out, alone.left_out) == (("c",), ())
    assert left_out_words(["c"]) in summary_table(beside, quality="EE-R").caption
    assert "has no area" not in summary_table(alone, quality="EE-R").caption
    alike = compared_areas([first, second, late, optimal], rng=seed())
    assert alike.left_out == ("c",)
    own = replace(late, system="a", policy="optimal")
    assert compared_areas([first, second, own], rng=seed()).left_out == ("a (optimal)",)
    assert alike.rows["range_low"][0] == 0.1  # both policies of one run go together


@pytest.mark.parametrize("weights", ["spacing", "points"])
def test_slopes_are_over_the_range_that_all_curves_cover(weights: SlopeWeights) -> None:
    """A bend outside the common range is in no slope: 1 up to EE-D 0.5, then level; the other covers 0 to 0.5."""
    bent, short = curve([0, 0.25, 0.5, 1], [0, 0.25, 0.5, 0.5]), curve([0, 0.5], [0, 0.1])
    alone, beside = (
        rows_of(compared_areas(lines, rng=seed(), weights=weights).rows)[0] for lines in ([bent], [bent, short])
    )
    assert alone.slope < 0.75
    assert beside.slope == pytest.approx(1)
    cut = curve([0, 0.4], [0, 0.1])  # between two points of the first
    assert rows_of(compared_areas([bent, cut], rng=seed(), weights=weights).rows)[0].slope == pytest.approx(1)
    apart = rows_of(compared_areas([bent, curve([2, 3], [0, 1])], rng=seed(), weights=weights).rows)
    assert all(math.isnan(row.slope) and math.isnan(row.auc) for row in apart)


def test_the_oracle_is_in_no_area_no_range_and_no_family_of_tests() -> None:
    rng = np.random.default_rng(2)
    scores = {f"q{i}": {f"d{j}": float(rng.random()) for j in range(9)} for i in range(12)}
    other = {query: {doc: float(rng.random()) for doc in docs} for query, docs in scores.items()}
    qrels = qrels_of({query: {f"d{j}": int(j % 3 == 0) for j in range(9)} for query in scores})

    def areas(*policies: CurvePolicy) -> tuple[tuple[Cell, ...], ...]:
        runs = (run_of(scores, "one"), run_of(other, "two"))
        data = Dataset(name="two", runs=runs, qrels=(qrels,))
        found = analyse(data, TradeoffSettings(policy=policies, alpha=(1.0, 2.0, 8.0), k=3)).tables
        assert {row[1] for row in found["curves"].rows} >= set(policies)
        return found["areas"].rows

    bounded = areas("plackett-luce", "optimal", "oracle")
    assert [row[:2] for row in bounded] == [
        (system, policy) for system in ("one", "two") for policy in ("plackett-luce", "optimal")
    ]
    assert str(bounded) == str(areas("plackett-luce", "optimal"))  # the same p, Holm over three


@pytest.mark.slow
def test_on_worlds_without_effect_few_tables_claim_a_difference() -> None:
    """Four systems of 15 queries that differ by chance alone: at most about 5 % of tables find one that differs."""
    x, draw = np.linspace(0, 1, 5)[:, None] + np.zeros(15), seed(11)
    claims = 0
    for _ in range(200):
        base = draw.normal(size=15)
        lines = [curve(x, x + base + draw.normal(size=15)) for _ in range(4)]
        gaps = compared_areas(lines, rng=draw, n_resamples=200).gaps
        claims += any(gap.verdict in ("higher", "lower") for gap in gaps)
    assert claims <= 18  # 200 × 5 % = 10, and 2.6 standard errors
