"""What becomes of the share of each group; who gains attention and who pays with it, in words."""

import numpy as np
import polars as pl

from fairviz.stats.bootstrap import Intervals
from fairviz.studies.policy_lab.budget import moved_shares
from fairviz.studies.policy_lab.findings import moves_title, payers_words

GROUPS = ("White", "Black", "Latino", "Asian")
TODAY, AFTER = np.array([0.48, 0.0, 0.038, 0.482]), np.array([0.51, 0.02, 0.012, 0.458])
CERTAIN = 0.002


def beside(*, today: object = TODAY, after: object = AFTER, error: object = CERTAIN, few: bool = False) -> pl.DataFrame:
    """Groups; what each gains is known to ± an error."""
    before, now = (np.asarray(side, dtype=float) for side in (today, after))
    return moved_shares(GROUPS, before, now, Intervals(now - before - error, now - before + error), few=few)


def due(groups: pl.DataFrame, *shares: float) -> tuple[str, str]:
    return payers_words(groups.with_columns(low=np.array(shares), has_statement=True))


def test_points_move_from_those_that_pay_to_those_that_gain() -> None:
    """3 and 2 points are gained, 2.6 and 2.4 paid; the largest first."""
    assert moves_title(beside()) == "5 points move from Latino and Asian to White and Black"
    assert beside()["word"].to_list() == ["moves"] * 4


def test_who_pays_most_is_named_and_who_pays_below_what_is_due() -> None:
    """Latino ends at 1.2, Asian at 45.8 %: below 5 and 50 %, above 0 and 20 %, one of them below 1 and 50 %."""
    most = "Latino pays most, 3 points."
    assert due(beside(), 0.4, 0.05, 0.05, 0.5) == (most, "Latino and Asian are below their statements and lose more.")
    assert due(beside(), 0.6, 0.2, 0.0, 0.2) == (most, "")
    assert due(beside(), 0.4, 0.09, 0.01, 0.5)[1] == "Asian is below its statement and loses more."


def test_a_change_whose_interval_holds_0_is_not_said_to_move() -> None:
    half = beside(error=np.array([CERTAIN, CERTAIN, 0.03, 0.03]))
    assert half["word"].to_list() == ["moves", "moves", "cannot tell", "cannot tell"]
    assert moves_title(half) == "5 points move to White and Black"
    assert due(half, 0.4, 0.05, 0.05, 0.5) == ("", "")
    for unsure in (beside(error=1.0), beside(error=np.nan)):
        assert moves_title(unsure) == "No share moves significantly"
    assert moves_title(beside(few=True)) == "Too few queries to say whether any share moves"
    assert {*beside(few=True)["word"]} == {"too few"}
    assert beside(few=True)["change_low"].is_nan().all()


def test_shares_that_stay_do_not_move_and_half_of_little_does() -> None:
    assert {*beside(after=TODAY)["word"]} == {*beside(after=[0.483, 0.0, 0.035, 0.482])["word"]} == {"stays"}
    tiny = beside(today=[0.48, 0.004, 0.038, 0.478], after=[0.48, 0.001, 0.038, 0.481])
    assert tiny.filter(group="Black")["word"].item() == "moves"


def test_an_undefined_share_has_no_word_and_is_in_no_sentence() -> None:
    undefined = beside(after=[0.51, 0.02, np.nan, 0.458])
    assert undefined["word"].to_list() == ["moves", "moves", "", "moves"]
    assert moves_title(undefined) == "5 points move from Asian to White and Black"


def test_of_more_than_two_groups_the_number_is_said() -> None:
    three = beside(today=[0.4, 0.2, 0.2, 0.2], after=[0.1, 0.3, 0.3, 0.3])
    assert moves_title(three) == "30 points move from White to 3 groups"
