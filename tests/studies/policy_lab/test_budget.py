"""What a budget buys: settings with their intervals, how far methods get."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from fairviz.model import FloatArray
from fairviz.points.shares import off_target_share, share_of_all_queries
from fairviz.stats.bootstrap import bootstrap_counts
from fairviz.studies.policy_lab.bench import PricePoint, Resampled, Row, settings_frame
from fairviz.studies.policy_lab.budget import Outcome, judged, nearest, reach, reaches, searched
from tests.studies.policy_lab.curves import (
    DRAWN,
    MANY,
    NOW,
    TARGET,
    N,
    judged_of,
    points,
    setting,
    settings_of,
    summary,
    tried_of,
)

POINTS = st.lists(st.tuples(st.floats(0, 60), st.floats(-0.5, 0.1)), min_size=1, max_size=9)


# A setting and its intervals.


def test_intervals_are_of_the_ratio_of_means() -> None:
    """Every query loses a tenth of its own value, so every resample loses exactly a tenth; 4 of 30 points go."""
    now, after = np.array([0.2, 0.4, 0.9, 1.0]), np.array([0.18, 0.36, 0.81, 0.9])

    def one(values: np.ndarray, off: float) -> PricePoint:
        return PricePoint(1.0, np.tile([off / 100, 1 - off / 100], (4, 1)), values)

    counts = bootstrap_counts(4, rng=np.random.default_rng(1))
    (found,) = settings_of([one(after, 26)], one(now, 30), counts)
    assert (found["change_low"], found["change_high"]) == pytest.approx((-0.1, -0.1))
    assert found["moved"] == pytest.approx(4)
    assert found["ratio"] == np.inf  # no resample differs


def test_a_movement_in_standard_errors_is_taken_from_students_scale() -> None:
    """Twelve queries' own movement over its resampled error, unbiased, by t of 11 degrees of freedom."""
    rng = np.random.default_rng(5)
    moved = np.stack([rng.uniform(0.2, 0.4, N), np.ones(N)], axis=1)
    moved[:, 1] -= moved[:, 0]
    (found,) = settings_of([PricePoint(1.0, moved, np.full(N, 0.8))])
    own = 40 - 100 * float(moved[:, 0].mean())
    error = 100 * float((DRAWN @ moved[:, 0] / N).std())
    expected = norm.isf(student.sf(own / error * np.sqrt((N - 1) / N), N - 1))
    assert found["ratio"] == pytest.approx(expected)
    assert found["ratio"] < own / error


def test_points_off_target_are_resampled_over_queries_as_groups_and_targets_does() -> None:
    """Every resample recomputes the shares of all its queries together: the same draws as the interval there."""
    rng = np.random.default_rng(3)
    attention = rng.random((12, 2))

    def one(rows: np.ndarray) -> PricePoint:
        return PricePoint(1.0, rows, np.ones(12))

    counts = bootstrap_counts(12, rng=np.random.default_rng(0))
    (found,) = settings_of([one(np.ones((12, 2)))], one(attention), counts, np.full(2, 0.5))
    pooled = share_of_all_queries(attention)
    off, drawn = (off_target_share(shares, np.array([0.5, 0.5])) for shares in (pooled.shares, pooled.drawn))
    assert found["excess"] == pytest.approx((drawn - off) / drawn.std())
    assert found["moved"] == pytest.approx(100 * off)


def test_one_query_has_no_interval() -> None:
    (now,) = points((40, 0.8), n=1)
    (found,) = settings_of(points((30, 0.8), n=1), now, np.ones((3, 1)))
    assert np.isnan(found["change_low"])
    (alone,) = judged(searched(settings_frame([found]), 0.5), 0.5).rows(named=True)
    assert alone["stays"] == "cannot tell"


def test_certain_is_the_low_end_inside_the_budget() -> None:
    """Every query loses 2 %, give or take: inside 3 %; where half lose 8 % and half gain 4 %, the mean alone is."""
    (sure,) = settings_of(points((30, 0.784)))
    (spread,) = points((30, 0.784))
    quality = 0.8 + np.where(np.arange(12) % 2, 0.032, -0.064)
    (unsure,) = settings_of([spread._replace(quality=quality)])
    assert unsure["change"] == pytest.approx(-0.02)
    assert judged_of(sure, unsure)["stays"].to_list() == ["yes", "cannot tell"]
    assert reach(judged_of(unsure))["state"] == "estimate"


def test_p_is_corrected_for_all_that_was_tried() -> None:
    """2.5 standard errors: no resample of the setting alone is as far, but two in sixty of a wilder one are."""
    tame = setting(20, -0.01, ratio=2.5)
    wild = tame | {"excess": np.where(np.arange(60) < 2, 3.0, 0.0)}

    def p(*rows: Row) -> float:
        return searched(settings_frame(list(rows)), 0.03)["p"][0]

    assert p(tame) == pytest.approx(1 / 61)
    assert p(tame, wild) == pytest.approx(3 / 61)
    assert np.isnan(p(tame | {"ratio": np.nan}))


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
    (tried,) = judged_of(setting(9, change, low), p=p).rows(named=True)
    assert (tried["verdict"], tried["state"]) == (words, state)


def test_a_loss_whose_interval_reaches_into_the_budget_is_over_it_by_estimate() -> None:
    by_estimate, sure = (setting(9, -0.035, -0.06) | {"change_high": high} for high in (-0.01, -0.031))
    assert judged_of(by_estimate, sure)["verdict"].to_list() == ["moves, over budget by estimate", "moves, over budget"]


def test_a_method_is_sure_only_where_it_moves_and_a_setting_that_moves_goes_before_a_nearer_one() -> None:
    lucky, moving = setting(5, -0.01, -0.02) | {"p": 0.2}, setting(20, -0.01, -0.02)
    alone = reach(judged_of(lucky))
    assert (alone["inside"]["off"], alone["sure"], alone["state"]) == (5, None, "estimate")
    both = reach(judged_of(lucky, moving))
    assert (both["inside"]["off"], both["sure"], both["state"]) == (20, both["inside"], "certain")


# How far a method gets.


def test_a_movement_under_a_point_is_none() -> None:
    assert reach(judged_of(setting(30.1, 0.0)))["lack"] == "none"
    assert reach(judged_of(setting(30.0, 0.0)))["inside"] is not None
    assert reach(judged_of(setting(33.0, 0.05)))["state"] == "none"


def test_of_settings_less_than_a_point_apart_the_surer_then_the_cheaper_counts() -> None:
    """DetCons on the example: 0.1 point nearer for 4 % more; it is not worth that."""

    def best(*rows: Row) -> float:
        row = nearest(judged_of(*rows))
        return row["off"]

    dear = setting(11.2, -0.03)
    assert best(setting(11.3, 0.012), dear) == 11.3
    assert best(setting(11.3, -0.01, -0.02), setting(11.2, 0.0, -0.04)) == 11.3
    assert best(setting(12.3, 0.012), dear) == 11.2


def test_a_method_has_an_estimate_and_what_is_certain_or_what_it_takes() -> None:
    sure, near, over = setting(24, -0.01, -0.02), setting(9, -0.02, -0.06), setting(2, -0.05)

    def offs(*rows: Row) -> tuple[object, ...]:
        found = reach(judged_of(*rows))
        return (*(found[name] and found[name]["off"] for name in ("sure", "inside", "over", "shown")), found["state"])

    assert offs(sure, near, over) == (24, 9, None, 9, "estimate")
    assert offs(sure, over) == (24, 24, None, 24, "certain")
    assert offs(over, setting(0, -0.3)) == (None, None, 2, 2, "over")  # the cheapest way to get nearer


def test_points_of_too_few_queries_count_nowhere() -> None:
    few = setting(20, 0.0, n=13) | {"n_labelled": 9, "is_few": True}
    assert reach(judged_of(few, budget=0.1))["lack"] == "few"
    assert np.isnan(searched(settings_frame([few]), 0.1)["p"][0])


def test_rows_begin_with_the_best_and_end_with_what_is_over_or_nowhere() -> None:
    tried = [
        setting(5, -0.04, method="over"),
        setting(32, 0.0, method="nowhere"),
        setting(20, 0.0, method="far"),
        setting(10.5, 0.0, -0.05, method="unsure"),
        setting(11.2, -0.01, -0.02, method="sure"),
    ]
    order = [each["method"] for each in reaches(judged_of(*tried))]
    assert order == ["sure", "unsure", "far", "over", "nowhere"]  # as near as the second, but for certain


@given(st.floats(0, 0.5), st.floats(0, 0.5), POINTS)
def test_a_larger_budget_never_gets_noticeably_less_far(
    one: float, two: float, points: list[tuple[float, float]]
) -> None:
    tried = [setting(off, change) for off, change in points]
    small, large = (reach(judged_of(*tried, budget=budget))["inside"] for budget in sorted((one, two)))
    if small is not None:
        assert large["off"] < small["off"] + 1


# All of it.


def test_fixed_lists_only_removes_what_is_random() -> None:
    tried = tried_of(
        setting(9, -0.02, lists=MANY, method="lottery"),
        setting(31, 0.0, method="lottery"),
        setting(11, 0.01, -0.02, method="list"),
        setting(4, -0.02, -0.06, method="list"),
        setting(32, 0.0, method="other"),
    )
    found = Outcome(summary(31, 0.0), tried, budget=0.03)
    assert found.best["method"] == "list"
    only = Outcome(summary(31, 0.0), tried, budget=0.03, fixed=True)
    assert (found.tried.height, only.tried.height) == (5, 5)  # intervals are widened for lotteries, too
    assert [each["method"] for each in only.reaches] == ["list", "other"]  # what a lottery does at 0 is no row
    assert only.settings["is_fixed"].all()
    assert Outcome(summary(31, 0.0), tried, budget=0.03, silent="few").best is None


def test_resamples_of_today_are_drawn_once() -> None:
    resampled = Resampled(NOW, TARGET, DRAWN)
    resampled.setting("m", points((30, 0.79))[0])
    assert "_today" in vars(resampled)


def test_gains_of_groups_are_paired_and_known_for_all_settings_together() -> None:
    """One setting gives the second group 10 points, ± what queries differ by; beside 20 more it is known less well."""
    rng = np.random.default_rng(0)

    def moved(points: float) -> PricePoint:
        first = 0.4 - points / 100 + rng.normal(0, 0.05, size=N)
        return PricePoint(0.0, np.stack([first, 1 - first], axis=1), NOW.quality)

    one = moved(10)
    alone = settings_of([one])
    many = [*alone, *settings_of([moved(10) for _ in range(20)])]
    (low, high), (among, _) = (
        searched(settings_frame(rows), 0.03).select("gain_low", "gain_high").row(0) for rows in (alone, many)
    )
    gain = 0.4 - alone[0]["shares"][0]
    assert alone[0]["gains"] == pytest.approx([-gain, gain])
    assert np.mean([low, high], axis=0) == pytest.approx([-gain, gain])
    assert among[1] < low[1] < gain < high[1]
    exact = student.ppf(0.975, N - 1) * np.std(one.attention[:, 1], ddof=1) / N**0.5
    assert high[1] - gain == pytest.approx(exact, rel=0.05)
    assert searched(settings_frame(settings_of([NOW])), 0.03)["gain_high"].to_list() == [pytest.approx([0, 0])]


def test_the_interval_of_a_cost_holds_for_all_that_were_tried() -> None:
    """Of 12 queries one loses half of today's quality of 1 under "risky", none any under "lucky".

    Alone, "lucky" costs nothing for certain. Beside the other its low end is that of thirteen queries, one of which
    loses half: mean −.5 / 13 = −.038, less some standard errors of .5 / 13.
    """
    changes = np.zeros(N), np.where(np.arange(N) == 0, -0.5, 0.0)
    lucky, risky = settings_of([priced(change) for change in changes], priced(np.zeros(N)))
    assert (lucky["worst"], risky["worst"]) == (0.0, -0.5)
    alone = searched(settings_frame([lucky]), 0.05)
    assert alone.select("change_low", "change_high").row(0) == (lucky["change_low"], lucky["change_high"]) == (0.0, 0.0)
    beside, other = searched(settings_frame([lucky, risky]), 0.05).rows(named=True)
    assert -5 * 0.5 / 13 < beside["change_low"] < -2 * 0.5 / 13
    assert other["change_low"] < risky["change_low"]
    assert other["change_high"] >= risky["change_high"]
    assert judged(searched(settings_frame([lucky, risky]), 0.05), 0.03)["stays"][0] == "cannot tell"


def priced(change: FloatArray) -> PricePoint:
    """A point 30 points off target whose quality is 1 and what changes of it."""
    return PricePoint(0.0, np.tile([0.3, 0.7], (N, 1)), 1.0 + change)
