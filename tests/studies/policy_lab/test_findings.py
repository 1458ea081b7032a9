"""Titles and words of the price of a target: every branch, with its numbers."""

import numpy as np
import pytest

from fairviz.stats.bootstrap import UNDEFINED, Interval
from fairviz.studies.policy_lab.budget import PointOfNoReturn, Purchase
from fairviz.studies.policy_lab.findings import (
    before_after_finding,
    chart_title,
    furthest_words,
    price_finding,
    price_words,
    without_words,
)
from fairviz.studies.policy_lab.lists import before_after
from fairviz.studies.policy_lab.price import PointSummary


def point_summary(
    off: float,
    change: float,
    *,
    was: float = 25.9,
    n: int = 618,
    strength: float = 0.9,
    method: str = "m",
    place: int = 0,
) -> PointSummary:
    shares = np.array([0.85, 0.15])
    return PointSummary(method, place, strength, off, was - off, 0.741, change, shares, n, 0, 219, 8, n - 227)


NOW = point_summary(25.9, 0.0)


LOSS = Purchase("m", point_summary(15.4, -0.026), Interval(-0.031, -0.021), Interval(9.0, 12.0))


def title(best: Purchase | None, now: PointSummary = NOW, **changes: object) -> str:
    options = {
        "group": "women",
        "share": (0.04, 0.15, 0.30),
        "label": "DetGreedy",
        "quality": "nDCG@10",
        "budget": 0.03,
    } | changes
    return price_finding(best, now, **options).title.replace("\u202f", " ")  # type: ignore[arg-type]


def test_a_loss_that_can_be_shown_is_the_price() -> None:
    assert title(LOSS) == (
        "For 2.6 % of quality, documents labelled women go from 4 % to 15 % of attention; the target is 30 %"
    )
    said = price_finding(
        LOSS,
        NOW,
        group="women",
        share=(0.04, 0.15, 0.3),
        label="DetGreedy",
        quality="nDCG@10",
        budget=0.03,
    ).sentence.replace("\u202f", " ")
    assert said == (
        "DetGreedy goes from 25.9 to 15.4 points off target; nDCG@10 changes by −2.6 % (95 % interval −3.1 to −2.1 %)."
    )


@pytest.mark.parametrize(
    ("best", "wanted"),
    [
        (None, "No re-ranker gets nearer inside a budget of 3 %"),
        (LOSS._replace(change=Interval(-0.05, 0.01)), "no change in quality can be shown"),
        (
            LOSS._replace(point=point_summary(15.4, 0.02), change=Interval(0.01, 0.03)),
            "quality rises by 2.0 %",
        ),
        (
            LOSS._replace(moved=Interval(-1.0, 12.0)),
            "Inside 3 %, no re-ranker is distinguishably nearer to the target",
        ),
        (
            LOSS._replace(point=point_summary(15.4, -0.026, n=3), change=UNDEFINED),
            "Too few queries to say what the target costs",
        ),
    ],
)
def test_every_branch_of_the_title(best: Purchase | None, wanted: str) -> None:
    assert wanted in title(best)


def test_branches_about_today() -> None:
    assert title(None, point_summary(0.2, 0.0)) == "Today's lists are on target"
    assert title(None, NOW._replace(n_queries=0)) == "No query can be compared"


def test_without_a_group_that_gains_the_title_is_about_points() -> None:
    assert "attention gets from 25.9 to 15.4 points off target" in title(LOSS, group=None)
    assert "attention gets from" in title(LOSS, share=(0.3, 0.2, 0.4))


def test_another_measure_is_named() -> None:
    said = title(LOSS, points=False, measure="NDKL")
    assert "NDKL goes from 25.90 to 15.40" in said


def test_no_word_is_a_verdict() -> None:
    every = [title(b) for b in (None, LOSS, LOSS._replace(change=Interval(-0.05, 0.01)))]
    for word in ("free", "costs nothing", " fair", "unbiased", "debias"):
        assert word not in " ".join(every)


def test_the_chart_says_who_is_nearest_and_how_near_anybody_gets() -> None:
    far = point_summary(5.7, -0.111, method="bonus")
    words = {"label": "DetGreedy", "far_label": "Bonus", "n_shown": 5, "budget": 0.03}
    assert chart_title(LOSS, far, **words) == (  # type: ignore[arg-type]
        "DetGreedy gets nearest to the target inside the budget; none of the 5 gets nearer than "
        "5.7 points at any strength tried"
    )
    on_it = chart_title(LOSS, point_summary(0.1, -0.2, method="foe"), **words)  # type: ignore[arg-type]
    assert on_it.replace("\u202f", " ").endswith("Bonus is on target for −20.0 %")
    nothing = chart_title(None, None, **words)  # type: ignore[arg-type]
    assert nothing.replace("\u202f", " ") == "Nothing inside 3 % is nearer to the target than today"


def test_the_point_of_no_return_in_words() -> None:
    """Of 25.9 points 13 are gone at 12.9: half of the way; the best net is at the first point."""
    result = [
        point_summary(20.9, -0.01, strength=0.2),
        point_summary(12.9, -0.2, strength=0.5),
        point_summary(13.9, -0.3, strength=1.0),
    ]
    said = " ".join(price_words("X", result, PointOfNoReturn(0, 1, 3), symbol="λ")).replace("\u202f", " ")
    assert "At its nearest (λ = 0.5) X goes 50 % of the way" in said
    assert "After λ = 0.5 nothing gets nearer." in said
    assert "The point of no return is λ = 0.2, 20.9 points off target for −1.0 %" in said
    start = " ".join(price_words("X", result, PointOfNoReturn(-1, 1, 3), symbol="λ"))
    assert "at the start: already the first step costs more" in start
    nowhere = price_words("X", result, PointOfNoReturn(-1, -1, 3), symbol="λ")
    assert nowhere == ["X gets no nearer to the target than today at any strength tried."]
    assert "no return" not in " ".join(price_words("X", result, PointOfNoReturn(0, 1, 3), symbol="λ", points=False))


def test_who_goes_furthest_is_named_once() -> None:
    far = point_summary(5.7, -0.111, method="bonus")
    said = furthest_words(far, "Bonus", best="m").replace("\u202f", " ")
    assert said == "Bonus goes furthest, to 5.7 points off target, for −11.1 %."
    assert furthest_words(far, "Bonus", best="bonus") == ""


def test_documents_that_no_order_can_show() -> None:
    assert without_words(["women", "men"], [92, 166], 618) == (
        "Re-ranking cannot add documents: 166 of 618 queries have no candidate labelled men and 92 none labelled women."
    )
    assert without_words(["women"], [1], 618).startswith(
        "Re-ranking cannot add documents: 1 of 618 queries has no candidate"
    )
    assert "has a candidate of every group" in without_words(["women"], [0], 618)


def test_one_query_in_counts() -> None:
    result = before_after("q", "abcde", "aebcd", k=3, useful={"c"}, groups={}, quality=(0.94, 0.84))
    said = before_after_finding(result, "nDCG@3")
    assert said.title == ("1 document enters the top 3 and 1 leaves; 1 useful drops out, 0 come in")
    assert said.sentence == "nDCG@3 goes from 0.94 to 0.84."
    same = before_after("q", "abc", "acb", k=3, useful=set(), groups={})
    assert before_after_finding(same, "nDCG@3").title == ("The same 3 documents stay in the top 3; 2 documents move")
    assert "undefined" in before_after_finding(same, "nDCG@3").sentence
