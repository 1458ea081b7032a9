"""Titles hold for every setting: each branch, and what decides between them."""

import numpy as np
import polars as pl
import pytest

from fairviz.display.words import THIN
from fairviz.evaluation.compare import Comparison
from fairviz.points.columns import change_title, detectable_words, gap_rows
from fairviz.points.summary import Saving
from fairviz.stats.bootstrap import Interval
from fairviz.stats.tests import Verdict
from fairviz.studies.tradeoff.findings import (
    area_title,
    areas_sentence,
    areas_title,
    query_finding,
    saving_finding,
    turning_note,
)

NAN = float("nan")


def saving(share: float, low: float, high: float, *, other: float = 0.22) -> Saving:
    return Saving(0.75, 0.45, other, share, Interval(low, high), 86)


def told(found: Saving | None, *, n: int = 86, gain="binary"):  # type: ignore[no-untyped-def]
    return saving_finding(found, gain=gain, reach=0.82, n_queries=n)


def test_a_saving_that_excludes_0_is_the_title() -> None:
    found = told(saving(0.52, 0.46, 0.59))
    assert found.title == f"The same quality is possible with attention spread 52{THIN}% more evenly (46 to 59{THIN}%)"
    for part in ("0.75", "0.22", "0.45", "0.82"):
        assert part in found.sentence
    nothing = told(saving(1.0, 0.29, 1.0, other=0.0))
    assert nothing.title == (
        f"The same quality is possible with attention spread equally over all documents (29 to 100{THIN}% more evenly)"
    )


@pytest.mark.parametrize(("gain", "how"), [("binary", "grade ≥ 1"), ("graded", "graded gain")])
def test_how_usefulness_was_counted_stands_with_every_saving(gain, how) -> None:  # type: ignore[no-untyped-def]
    for found in (saving(0.5, 0.4, 0.6), saving(0.1, -0.2, 0.3), saving(-0.3, -0.5, -0.1)):
        assert how in told(found, gain=gain).sentence


def test_an_interval_around_0_is_no_difference() -> None:
    found = told(saving(0.04, -0.1, 0.2))
    assert found.title == "No significant difference between the two policies"
    assert f": −4{THIN}% (could be −20{THIN}% to +10{THIN}%;" in found.sentence


def test_a_loss_is_said_as_a_loss() -> None:
    found = told(saving(-0.3, -0.5, -0.1))
    assert (
        found.title
        == f"At the same quality the score-optimal policy spreads attention 30{THIN}% less evenly (10 to 50{THIN}%)"
    )
    never = told(saving(NAN, NAN, NAN, other=NAN))
    assert never.title == "The two policies cannot be compared at this quality"
    assert told(saving(NAN, NAN, NAN, other=NAN), n=9).title == "Too few queries to compare policies"


def test_curves_beside_the_fixed_alpha_are_not_called_undefined() -> None:
    """At α = 0, 1 every query has a point, but none at α = 3: 60 queries have values, and nothing is compared."""
    found = told(None, n=60)
    assert found.title == "The curves do not cover α = 3, where policies are compared"
    assert "from below 3 to above it" in found.sentence


def test_tied_scores_are_not_called_too_few_queries() -> None:
    tied = Saving(0.13, 0.0, 0.0, NAN, Interval(NAN, NAN), 60)
    assert told(tied, n=60).title == "All scores are tied: every policy shows every document equally often"
    assert told(saving(NAN, NAN, NAN), n=60).title == "The two policies cannot be compared at this quality"


def test_disparities_that_read_alike_have_a_digit_more() -> None:
    """0.020 and 0.024 are both 0.02."""
    found = told(Saving(0.07, 0.0197, 0.0241, -0.22, Interval(-0.4, -0.05), 50), n=50)
    assert "needs EE-D 0.024; Plackett–Luce needs 0.020" in found.sentence


def test_few_queries_are_too_few() -> None:
    """Also where their interval excludes 0: resamples of few queries are nearly the data."""
    few = "Too few queries to compare policies"
    assert told(saving(0.5, NAN, NAN), n=1).title == few
    assert "1 query has" in told(saving(0.5, NAN, NAN), n=1).sentence
    assert told(saving(0.5, 0.4, 0.6), n=9).title == few
    assert told(saving(-0.3, -0.5, -0.1), n=9).title == few
    assert told(saving(0.5, 0.4, 0.6), n=10).title.startswith("The same quality is possible")


def row(low: float, difference: float, p_holm: float, n: int = 20) -> dict[str, object]:
    verdict = "no significant difference"
    if np.isnan(p_holm):
        verdict = "too few to test"
    elif p_holm < 0.05:
        verdict = "higher" if difference > 0 else "lower"
    return {"disparity_low": low, "disparity_high": low + 0.2, "verdict": verdict, "n_queries": n}


def rows(*cells: tuple[float, float]) -> list[dict[str, object]]:
    return [row(0.2 * i, difference, p) for i, (difference, p) in enumerate(cells)]


def table(*cells: tuple[float, float]) -> pl.DataFrame:
    return pl.DataFrame(rows(*cells))


def test_interval_titles_count_what_was_tested() -> None:
    low, high, same = (-0.1, 0.001), (0.1, 0.001), (0.0, 0.6)
    assert change_title(table(low, low), "EER(rel=1)@5") == "Quality is lower at every level of disparity"
    assert change_title(table(high, high), "EU") == "Utility is higher at every level of disparity"
    assert "No significant difference in utility from the deterministic ranking at any level" in change_title(
        table(same, same), "EU"
    )
    assert change_title(table(low, low, same, same), "EE-R").endswith(
        "from the deterministic ranking for disparity (EE-D) of 0.4 or more"
    )
    assert change_title(table(low, same, low), "EE-R") == ("Quality is lower in 2 of 3 intervals of disparity")
    mixed = change_title(table(low, high, same), "EU")
    assert mixed == "Utility is higher at disparity (EE-D) 0.2–0.4, lower in 1 of 3 intervals"


def test_empty_intervals_do_not_decide_a_title() -> None:
    one_empty = pl.DataFrame([row(0.0, -0.1, 0.001), row(0.2, NAN, NAN, n=0)])
    assert change_title(one_empty, "EE-R") == "Quality is lower at every level of disparity"
    assert "Too few" in change_title(pl.DataFrame([row(0.0, -0.1, NAN, n=1)]), "EE-R")


def test_levels_that_could_not_be_tested_are_not_claimed() -> None:
    few = row(0.4, -0.1, NAN, n=4)
    assert change_title(pl.DataFrame([*rows((-0.1, 0.001), (-0.1, 0.001)), few]), "EE-R") == (
        "Quality is lower at both levels of disparity that could be tested"
    )
    assert change_title(pl.DataFrame([row(0.0, 0.1, 0.001), few]), "EU") == (
        "Utility is higher at the one level of disparity that could be tested"
    )


def gap(difference: float, verdict: Verdict, system: str = "b", *, n: int = 20) -> Comparison:
    ends = Interval(difference - 0.01, difference + 0.01)
    return Comparison(system, "a", "AUC", difference, ends, verdict, n, 0, 0.01, 0.01)


def test_areas_are_ahead_only_where_the_test_says_so() -> None:
    def title(found: Comparison) -> str:
        return area_title(found, better="optimal", other="Plackett–Luce", quality="EER@5")

    assert title(gap(0.031, "higher")).endswith("optimal is ahead by 0.031 EER@5")
    assert "Plackett–Luce is ahead by 0.031" in title(gap(-0.031, "lower"))
    assert title(gap(0.01, "no significant difference")) == "No significant difference between the two areas"
    assert "Too few" in title(gap(0.01, "too few to test"))
    assert "No area" in title(gap(NAN, "too few to test"))


def test_only_other_systems_that_can_be_compared_are_counted() -> None:
    own = gap(0.05, "higher", "a")  # the system's own optimal policy is no other system
    far = gap(NAN, "too few to test", "z", n=0)
    up, down, same = gap(0.1, "higher"), gap(-0.1, "lower"), gap(0.0, "no significant difference")
    mixed = areas_title([own, up, up, down, same, far], "a")
    assert mixed == "2 of 4 systems have a higher AUC than a, 1 a lower one"
    assert areas_title([own, up, far], "a") == "b has a higher AUC than a"
    assert areas_title([own, down, same], "a") == "1 of 2 systems has a lower AUC than a"
    assert areas_title([own, same], "a") == "No significant difference in AUC between a and the other system"
    assert areas_title([own, same, same], "a").endswith("a and any of 2 other systems")
    assert areas_title([own, far], "a") == "No other system can be compared with a"
    assert areas_title([gap(0.1, "too few to test")], "a") == "Too few queries to compare systems"


def test_the_table_of_areas_says_what_its_title_could_have_shown() -> None:
    """Of the further policy, whose interval is narrow, nothing: the title is about systems."""
    first = {"auc": 0.5, "system": "a", "n_queries": 20, "range_low": 0.0, "range_high": 0.98}
    none = gap(0.0, "no significant difference")._replace(p_holm=1.0)
    policy = none._replace(system="a", interval=Interval(-0.003, 0.003))
    other = none._replace(system="b", interval=Interval(-0.03, 0.03))
    said = areas_sentence(first, [policy, other], quality="EER@5", of_systems=True)
    assert "EE-D 0.00 to 0.98, which all curves cover; Δ paired by query (both tests considered)" in said
    assert "A difference of about 0.035 or more would have been significant; half" in said
    few = [each._replace(verdict="too few to test", p_holm=NAN) for each in (policy, other)]
    assert areas_sentence(first, few, quality="EER@5", of_systems=True).endswith("(nothing tested)")
    assert areas_sentence(first | {"auc": None}, few, quality="EER@5", of_systems=True).startswith(
        "No curve has an area"
    )


def test_beside_no_significant_difference_stands_what_could_have_been_shown() -> None:
    # half the narrower interval, 0.03; two tests: times 2.2414 / 1.9600
    narrow, wide = (
        gap(0.01, "no significant difference")._replace(interval=Interval(0.01 - half, 0.01 + half))
        for half in (0.03, 0.1)
    )
    assert detectable_words(gap_rows([narrow])) == (
        "A difference of about 0.030 or more would have been significant; half of it takes about 80 queries."
    )
    assert detectable_words(gap_rows([narrow, wide])) == (
        "A difference of about 0.035 or more would have been significant in at least one; "
        "half of it takes about 80 queries."
    )
    assert detectable_words(gap_rows([narrow, gap(0.3, "higher")])) == ""
    assert detectable_words(gap_rows([gap(0.3, "too few to test")])) == ""
    seen = narrow._replace(difference=0.05)
    assert "about 0.050" in detectable_words(gap_rows([seen])), "never below what was seen and is not significant"


def test_a_curve_that_turns_back_is_explained() -> None:
    note = turning_note([0.1, 0.4, 0.2], [0, 1, 8], 0.1, 0.4)
    for part in ("peaks at 0.40", "α = 1", "0.20 at α = 8", "not joined", "0.10 to 0.40"):
        assert part in note
    assert turning_note([0.1, 0.4, 0.9], [0, 1, 8], 0.1, 0.9) == ""
    assert turning_note([], [], NAN, NAN) == ""


def test_attention_of_one_query_by_hand() -> None:
    """Five items, two shown: 1.2 of 2 stays on the first two; useful b and e have 0.9 of 2."""
    found = query_finding(
        np.array([0.7, 0.5, 0.3, 0.1, 0.4]), np.array([1.0, 1, 0, 0, 0]), np.array([0.0, 2, 0, 0, 1]), shown=4
    )
    assert found.title == f"60{THIN}% of attention stays on the first two"
    assert f"45{THIN}% goes to relevant documents" in found.sentence
    assert f"of the deterministic list: 50{THIN}%" in found.sentence
    assert f"Document 5: 20{THIN}%." in found.sentence


def test_a_query_without_attention() -> None:
    nothing = np.zeros(3)
    assert query_finding(nothing, nothing, nothing, shown=2).title.startswith("No document")
