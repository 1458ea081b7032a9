"""Who gains attention and who pays with it, in words."""

import numpy as np
import polars as pl

from fairviz.points.shares import PooledShares
from fairviz.stats.bootstrap import Intervals
from fairviz.studies.policy_lab.columns import shares_frame
from fairviz.studies.policy_lab.findings import payments

GROUPS = ("White", "Black", "Latino", "Asian")
TODAY, AFTER = np.array([0.48, 0.0, 0.038, 0.482]), np.array([0.51, 0.02, 0.012, 0.458])
TARGET = np.array([0.4, 0.05, 0.05, 0.5])
CERTAIN = 0.002


def beside(
    *, today: object = TODAY, after: object = AFTER, target: object = TARGET, error: object = CERTAIN
) -> pl.DataFrame:
    """Groups; what each gains is known to ± an error."""
    unknown = Intervals(*np.full((2, np.size(today)), np.nan))
    sides = [PooledShares(np.asarray(side, dtype=float), unknown, np.empty(0), 12) for side in (today, after)]
    gained = sides[1].shares - sides[0].shares
    names = GROUPS if np.size(today) == len(GROUPS) else tuple(f"G{i}" for i in range(np.size(today)))
    return shares_frame(names, *sides, np.asarray(target), Intervals(gained - error, gained + error))


def said(shares: pl.DataFrame, *, is_set: bool = True) -> list[str]:
    return [text.replace("\u202f", " ") for text in payments(shares, is_set=is_set)]


def test_gains_and_payments_are_one_sentence_and_who_is_not_over_the_target_and_pays_is_a_warning() -> None:
    title, sentence, warning = said(beside())
    assert title == "White 48 → 51 % and Black 0.0 → 2.0 % gain; Latino 3.8 → 1.2 % and Asian 48 → 46 % pay"
    assert sentence == ""
    assert warning == (
        "Latino gets less than its target of 5 % and still loses 2.6 points; Asian gets less than its target of 50 % "
        "and still loses 2.4 points: what White and Black gain is paid by them too."
    )


def test_who_is_over_the_target_may_pay_and_who_is_on_it_may_not() -> None:
    assert said(beside(target=[0.6, 0.2, 0.0, 0.2]))[2] == ""
    on = said(beside(target=[0.6, 0.2, 0.036, 0.164]))[2]
    assert on == (
        "Latino gets no more than its target of 4 % and loses 2.6 points: what White and Black gain is paid by it too."
    )


def test_before_a_target_is_set_the_warning_speaks_of_equal_shares() -> None:
    warning = said(beside(target=np.full(4, 0.25)), is_set=False)[2]
    assert warning.startswith("Latino gets less than an equal share of 25 % and still loses 2.6 points: what ")


def test_a_change_whose_interval_holds_0_is_called_an_estimate_and_warns_of_nothing() -> None:
    title, sentence, warning = said(beside(error=np.array([CERTAIN, CERTAIN, 0.03, 0.03])))
    assert title == "White 48 → 51 % and Black 0.0 → 2.0 % gain; no single group significantly pays"
    assert sentence == "By estimate, not significantly: Asian 48 → 46 % and Latino 3.8 → 1.2 %."
    assert warning == ""
    assert said(beside(error=1.0))[0] == "No group's share of attention changes significantly"
    assert said(beside(error=np.nan))[2] == ""


def test_shares_that_stay_are_no_gain_and_a_group_that_loses_half_of_little_does() -> None:
    assert said(beside(after=TODAY)) == ["No group's share of attention changes noticeably", "", ""]
    assert {*beside(after=[0.483, 0.0, 0.035, 0.482])["payment"]} == {""}
    tiny = beside(today=[0.48, 0.004, 0.038, 0.478], after=[0.48, 0.001, 0.038, 0.481])
    assert tiny.filter(group="Black")["payment"].item() == "loses"


def test_undefined_shares_are_counted_and_in_no_sentence() -> None:
    title, sentence, _ = said(beside(after=[0.51, 0.02, np.nan, 0.458]))
    assert "Latino" not in title
    assert sentence == "1 group has no defined share."
    assert said(beside(after=np.full(4, np.nan))) == ["", "", ""]


def test_of_many_groups_four_are_named() -> None:
    today = np.repeat([0.1, 1 / 15], 6)
    shares = beside(today=today, after=today + np.repeat([-0.05, 0.05], 6), target=np.full(12, 0.1))
    title, _, warning = said(shares)
    assert "“G9” 7 → 12 % and 2 more groups gain; " in title
    assert "so do 2 more groups: what “G6”, “G7”, “G8”, “G9” and 2 more groups gain is paid by them too." in warning
