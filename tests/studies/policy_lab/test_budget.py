"""What a budget buys: settings with their intervals, how far methods get, the frontier."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from fairviz.model import FloatArray
from fairviz.points.shares import off_target, share_of_all_queries
from fairviz.stats.bootstrap import Interval, bootstrap_counts
from fairviz.studies.policy_lab.budget import frontier, left_out, nearest, outcome, reach, reaches, searched
from fairviz.studies.policy_lab.price import PricePoint, Resampled, Setting
from tests.studies.policy_lab.curves import DRAWN, MANY, NOW, TARGET, N, points, setting, settings_of, summary

POINTS = st.lists(st.tuples(st.floats(0, 60), st.floats(-0.5, 0.1)), min_size=1, max_size=9)


# A setting and its intervals.


def test_intervals_are_of_the_ratio_of_means() -> None:
    """Every query loses a tenth of its own value, so every resample loses exactly a tenth; 4 of 30 points go."""
    now, after = np.array([0.2, 0.4, 0.9, 1.0]), np.array([0.18, 0.36, 0.81, 0.9])

    def one(values: np.ndarray, off: float) -> PricePoint:
        return PricePoint(1.0, np.tile([off / 100, 1 - off / 100], (4, 1)), values)

    counts = bootstrap_counts(4, rng=np.random.default_rng(1))
    (found,) = settings_of([one(after, 26)], one(now, 30), counts)
    assert found.change_ends == pytest.approx((-0.1, -0.1))
    assert found.moved_ends == pytest.approx((4, 4))
    assert found.ratio == np.inf  # no resample differs


def test_a_movement_in_standard_errors_is_taken_from_students_scale() -> None:
    """Twelve queries' own movement over its resampled error, unbiased, by t of 11 degrees of freedom."""
    rng = np.random.default_rng(5)
    moved = np.stack([rng.uniform(0.2, 0.4, N), np.ones(N)], axis=1)
    moved[:, 1] -= moved[:, 0]
    (found,) = settings_of([PricePoint(1.0, moved, np.full(N, 0.8))])
    own = 40 - 100 * float(moved[:, 0].mean())
    error = 100 * float((DRAWN @ moved[:, 0] / N).std())
    expected = norm.isf(student.sf(own / error * np.sqrt((N - 1) / N), N - 1))
    assert found.ratio == pytest.approx(expected)
    assert found.ratio < own / error


def test_points_off_target_are_resampled_over_queries_as_groups_and_targets_does() -> None:
    """Every resample recomputes the shares of all its queries together: the same draws as the interval there."""
    rng = np.random.default_rng(3)
    attention = rng.random((12, 2))

    def one(rows: np.ndarray) -> PricePoint:
        return PricePoint(1.0, rows, np.ones(12))

    counts = bootstrap_counts(12, rng=np.random.default_rng(0))
    (found,) = settings_of([one(np.ones((12, 2)))], one(attention), counts, np.full(2, 0.5))
    pooled = share_of_all_queries(attention)
    there = off_target(pooled.shares, pooled.drawn, np.array([0.5, 0.5]), 12)
    assert found.moved_ends == pytest.approx(tuple(100 * end for end in there.interval))
    assert found.moved == pytest.approx(100 * there.off)


def test_one_query_has_no_interval() -> None:
    (now,) = points((40, 0.8), n=1)
    (found,) = settings_of(points((30, 0.8), n=1), now, np.ones((3, 1)))
    assert np.isnan(found.change_ends.low)
    assert found.stays(0.5) == "cannot tell"


def test_certain_is_the_low_end_inside_the_budget() -> None:
    """Every query loses 2 %, give or take: inside 3 %; where half lose 8 % and half gain 4 %, the mean alone is."""
    (sure,) = settings_of(points((30, 0.784)))
    assert sure.stays(0.03) == "yes"
    (spread,) = points((30, 0.784))
    quality = 0.8 + np.where(np.arange(12) % 2, 0.032, -0.064)
    (unsure,) = settings_of([spread._replace(quality=quality)])
    assert unsure.change == pytest.approx(-0.02)
    assert unsure.stays(0.03) == "cannot tell"
    assert reach("m", [unsure], budget=0.03).state == "estimate"


def test_p_is_corrected_for_all_that_was_tried() -> None:
    """2.5 standard errors: no resample of the setting alone is as far, but two in sixty of a wilder one are."""
    tame = setting(20, -0.01, ratio=2.5)
    wild = tame._replace(excess=np.where(np.arange(60) < 2, 3.0, 0.0))

    def p(first: Setting, *others: Setting) -> float:
        return searched({"m": [first, *others]}, 0.03)["m"][0].p

    assert p(tame) == pytest.approx(1 / 61)
    assert p(tame, wild) == pytest.approx(3 / 61)
    assert np.isnan(p(tame._replace(ratio=np.nan)))


@pytest.mark.parametrize(
    ("p", "low", "change", "words", "state"),
    [
        (0.01, -0.03, -0.02, "moves, stays in budget", "certain"),
        (0.01, -0.04, -0.02, "moves, cannot tell whether it stays in budget", "estimate"),
        (0.01, -0.04, -0.035, "moves, over budget", "over"),
        (0.05, -0.03, -0.02, "cannot tell whether it moves, stays in budget", "estimate"),
        (np.nan, np.nan, -0.02, "cannot tell whether it moves or stays in budget", "estimate"),
        (0.05, -0.04, -0.035, "cannot tell whether it moves, over budget", "over"),
    ],
)
def test_a_setting_moves_and_stays_in_budget_each_by_its_own_test(
    p: float, low: float, change: float, words: str, state: str
) -> None:
    tried = setting(9, change, low)._replace(p=p)
    assert (tried.verdict(0.03), tried.state(0.03)) == (words, state)


def test_a_loss_whose_interval_reaches_into_the_budget_is_over_it_by_estimate() -> None:
    over = setting(9, -0.035, -0.06)._replace(p=0.01)
    assert over._replace(change_ends=Interval(-0.06, -0.01)).verdict(0.03) == "moves, over budget by estimate"
    assert over._replace(change_ends=Interval(-0.06, -0.031)).verdict(0.03) == "moves, over budget"


def test_a_method_is_sure_only_where_it_moves_and_a_setting_that_moves_goes_before_a_nearer_one() -> None:
    lucky, moving = setting(5, -0.01, -0.02)._replace(p=0.2), setting(20, -0.01, -0.02)
    alone = reach("m", [lucky], budget=0.03)
    assert (alone.inside, alone.sure, alone.state) == (lucky, None, "estimate")
    both = reach("m", [lucky, moving], budget=0.03)
    assert (both.inside, both.sure, both.state) == (moving, moving, "certain")


def test_methods_of_random_lists_are_counted_by_what_is_shown_of_them() -> None:
    """Two settings of one method: on the estimate of either, the one shown is a fixed list or a lottery."""
    tried = {"a": [setting(9, -0.02, lists=MANY)], "b": [setting(11, 0.01, -0.02)], "c": [setting(31, 0, lists=MANY)]}
    for fixed in (False, True):
        assert outcome(summary(31, 0.0), tried, budget=0.03, fixed=fixed).hidden == 1
    beside = {"m": [setting(5, -0.01, ratio=0.1, lists=MANY), setting(20, -0.01)]}  # the lottery may not move
    assert outcome(summary(31, 0.0), beside, budget=0.03).hidden == 0


# How far a method gets.


def test_a_movement_under_a_point_is_none() -> None:
    assert reach("m", [setting(30.1, 0.0)], budget=0.03).lack == "none"
    assert reach("m", [setting(30.0, 0.0)], budget=0.03).inside is not None
    assert reach("m", [setting(33.0, 0.05)], budget=0.03).state == "none"


def test_of_settings_less_than_a_point_apart_the_surer_then_the_cheaper_counts() -> None:
    """DetCons on the example: 0.1 point nearer for 4 % more; it is not worth that."""
    cheap, dear = setting(11.3, 0.012), setting(11.2, -0.03)
    assert nearest([cheap, dear], budget=0.03) is cheap
    sure, unsure = setting(11.3, -0.01, -0.02), setting(11.2, 0.0, -0.04)
    assert nearest([sure, unsure], budget=0.03) is sure
    assert nearest([setting(12.3, 0.012), dear], budget=0.03) is dear


def test_a_method_has_an_estimate_and_what_is_certain_or_what_it_takes() -> None:
    sure, near, over = setting(24, -0.01, -0.02), setting(9, -0.02, -0.06), setting(2, -0.05)
    found = reach("m", [sure, near, over], budget=0.03)
    assert (found.sure, found.inside, found.over, found.state) == (sure, near, None, "estimate")
    assert reach("m", [sure, over], budget=0.03).state == "certain"
    dearer = setting(0, -0.3)
    dear = reach("m", [over, dearer], budget=0.03)
    assert (dear.inside, dear.shown, dear.state) == (None, over, "over")  # the cheapest way to get nearer


def test_points_of_too_few_or_of_other_queries_count_nowhere() -> None:
    few = setting(20, 0.0, n=13)
    few = few._replace(n_labelled=9)
    assert reach("m", [few], budget=0.1).lack == "few"
    apart = few._replace(n_labelled=13, n_today=14)
    assert reach("m", [apart], budget=0.1).lack == "apart"
    assert frontier([few, apart]) == []
    assert np.isnan(searched({"m": [few]}, 0.1)["m"][0].p)


def test_rows_begin_with_the_best_and_end_with_what_is_over_or_nowhere() -> None:
    tried = {
        "over": [setting(5, -0.04)],
        "nowhere": [setting(32, 0.0)],
        "far": [setting(20, 0.0)],
        "unsure": [setting(10.5, 0.0, -0.05)],
        "sure": [setting(11.2, -0.01, -0.02)],
        "empty": [],
    }
    order = [each.method for each in reaches(tried, budget=0.03)]
    assert order == ["sure", "unsure", "far", "over", "nowhere"]  # as near as the second, but for certain


@given(st.floats(0, 0.5), st.floats(0, 0.5), POINTS)
def test_a_larger_budget_never_gets_noticeably_less_far(
    one: float, two: float, points: list[tuple[float, float]]
) -> None:
    tried = [setting(off, change) for off, change in points]
    small, large = (reach("m", tried, budget=budget).inside for budget in sorted((one, two)))
    if small is not None:
        assert large is not None
        assert large.off < small.off + 1


# All of it.


def test_fixed_lists_only_removes_what_is_random_and_names_the_alternative() -> None:
    tried = {
        "lottery": [setting(9, -0.02, lists=MANY), setting(31, 0.0)],
        "list": [setting(11, 0.01, -0.02), setting(4, -0.02, -0.06)],
        "other": [setting(32, 0.0)],
    }
    found = outcome(summary(31, 0.0), tried, budget=0.03)
    assert found.best is not None
    assert found.best.method == "list"
    assert found.alternative is not None
    assert (found.alternative.method, found.alternative.sure) == ("list", tried["list"][0])
    only = outcome(summary(31, 0.0), tried, budget=0.03, fixed=True)
    assert (found.n_tried, only.n_tried) == (5, 5)  # intervals are widened for lotteries, too
    assert [each.method for each in only.reaches] == ["list", "other"]  # what a lottery does at 0 is no row
    assert all(each.is_fixed for each in only.settings + only.frontier)
    assert outcome(summary(31, 0.0), tried, budget=0.03, silent="few").best is None


def test_the_frontier_by_hand() -> None:
    """11 for +1 beats 15 for 0; 8.7 and 9 are one, the cheaper; 33 is further away; 0 for −5 ends it."""
    tried = [
        setting(off, change) for off, change in ((15, 0.0), (11, 0.01), (9, -0.02), (8.7, -0.03), (33, 0.1), (0, -0.05))
    ]
    assert [each.off for each in frontier(tried)] == [11, 9, 0]
    found = outcome(summary(31, 0.0), {"m": tried}, budget=0.01)
    assert [each.off for each in left_out(found)] == [33, 0]  # three budgets deep


@given(POINTS)
def test_nothing_beats_the_frontier(points: list[tuple[float, float]]) -> None:
    tried = [setting(off, change) for off, change in points]
    line = frontier(tried)
    for each in line:
        assert not any(other.off <= each.off - 1 and other.change > each.change for other in tried)
    assert [s.change for s in line] == sorted((s.change for s in line), reverse=True)


def test_resamples_of_today_are_drawn_once() -> None:
    resampled = Resampled(NOW, TARGET, DRAWN)
    resampled.setting("m", points((30, 0.79))[0])
    assert "_drawn" in vars(resampled)


def test_gains_of_groups_are_paired_and_known_for_all_settings_together() -> None:
    """One setting gives the second group 10 points, ± what queries differ by; beside 20 more it is known less well."""
    rng = np.random.default_rng(0)

    def moved(points: float) -> PricePoint:
        first = 0.4 - points / 100 + rng.normal(0, 0.05, size=N)
        return PricePoint(0.0, np.stack([first, 1 - first], axis=1), NOW.quality)

    one = moved(10)
    alone = settings_of([one])
    many = [*alone, *settings_of([moved(10) for _ in range(20)])]
    (first,), among = (searched({"m": tried}, 0.03)["m"] for tried in (alone, many))
    gain = 0.4 - alone[0].shares[0]
    assert first.gains == pytest.approx([-gain, gain])
    assert np.mean(first.gain_ends, axis=0) == pytest.approx([-gain, gain])
    assert among[0].gain_ends.low[1] < first.gain_ends.low[1] < gain < first.gain_ends.high[1]
    exact = student.ppf(0.975, N - 1) * np.std(one.attention[:, 1], ddof=1) / N**0.5
    assert first.gain_ends.high[1] - gain == pytest.approx(exact, rel=0.05)
    unmoved = settings_of([NOW])[0]
    assert searched({"m": [unmoved]}, 0.03)["m"][0].gain_ends.high == pytest.approx([0, 0])


def test_the_interval_of_a_cost_holds_for_all_that_were_tried() -> None:
    """Of 12 queries one loses half of today's quality of 1 under "risky", none any under "lucky".

    Alone, "lucky" costs nothing for certain. Beside the other its low end is that of thirteen queries, one of which
    loses half: mean −.5 / 13 = −.038, less some standard errors of .5 / 13.
    """
    changes = np.zeros(N), np.where(np.arange(N) == 0, -0.5, 0.0)
    lucky, risky = settings_of([priced(change) for change in changes], priced(np.zeros(N)))
    assert (lucky.worst, risky.worst) == (0.0, -0.5)
    alone = searched({"lucky": [lucky]}, 0.05)["lucky"][0]
    assert alone.change_ends == lucky.change_ends == (0.0, 0.0)
    found = searched({"lucky": [lucky], "risky": [risky]}, 0.05)
    (beside,), (other,) = found["lucky"], found["risky"]
    assert -5 * 0.5 / 13 < beside.change_ends.low < -2 * 0.5 / 13
    assert other.change_ends.low < risky.change_ends.low
    assert other.change_ends.high >= risky.change_ends.high
    assert beside.stays(0.03) == "cannot tell"


def priced(change: FloatArray) -> PricePoint:
    """A point 30 points off target whose quality is 1 and what changes of it."""
    return PricePoint(0.0, np.tile([0.3, 0.7], (N, 1)), 1.0 + change)
