"""Titles and words of the price of a target: every branch, with its numbers."""

import numpy as np
import pytest

from fairviz.rerank.catalogue import find_reranker
from fairviz.show.words import Finding
from fairviz.stats.bootstrap import Interval
from fairviz.studies.policy_lab.budget import Purchase, TurningPoint
from fairviz.studies.policy_lab.depth import GroupDepths
from fairviz.studies.policy_lab.findings import (
    before_after_finding,
    certain_words,
    chart_title,
    depth_words,
    furthest_words,
    price_finding,
    price_words,
    silence,
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
    return PointSummary(method, place, strength, off, was - off, 0.741, change, shares, n, 0, 219, 8, n - 227, n, n)


NOW = point_summary(25.9, 0.0)


LOSS = Purchase(
    "m", point_summary(15.4, -0.026), Interval(-0.0294, -0.021), Interval(9.0, 12.0), True, p=0.001, p_corrected=0.007
)
UNSURE = LOSS._replace(change=Interval(-0.05, 0.01), is_certain=False)


def finding(best: Purchase | None, now: PointSummary = NOW, **changes: object) -> Finding:
    options = {
        "group": "women",
        "share": (0.04, 0.15, 0.30),
        "label": "DetGreedy",
        "quality": "nDCG@10",
        "budget": 0.03,
    } | changes
    said = price_finding(best, now, **options)  # type: ignore[arg-type]
    return Finding(said.title.replace("\u202f", " "), said.sentence.replace("\u202f", " "))


def title(best: Purchase | None, now: PointSummary = NOW, **changes: object) -> str:
    return finding(best, now, **changes).title


def test_what_moves_and_what_it_costs_with_its_interval() -> None:
    assert title(LOSS) == (
        "Documents labelled “women” go from 4 % to 15 % of attention (target 30 %); quality −2.6 % (could be −2.9 % to "
        "−2.1 %)"
    )
    assert finding(LOSS).sentence == (
        "Within the 3 % budget DetGreedy comes closest: from 25.9 to 15.4 points off target (9.0 to 12.0 closer); "
        "nDCG@10: 219 of 618 queries lose, 8 gain."
    )


def test_an_interval_that_leaves_the_budget_is_not_certain() -> None:
    assert title(UNSURE).endswith("quality −2.6 % (could be −5.0 % to +1.0 %); within the budget, but not certain")
    for words in ("no change", "no noticeable", "for nothing"):
        assert words not in title(UNSURE)


@pytest.mark.parametrize(
    ("best", "wanted"),
    [
        (None, "No setting within 3 % raises documents labelled “women” noticeably (4.0 % today)"),
        (LOSS._replace(p_corrected=0.06), "Within 3 %, no method is significantly closer to the target"),
    ],
)
def test_every_branch_of_the_title(best: Purchase | None, wanted: str) -> None:
    assert title(best) == wanted


def test_too_few_queries_or_labels_have_no_title() -> None:
    few = NOW._replace(n_queries=41, n_labelled=6)
    assert title(LOSS, few) == "Too few queries to say what the target costs"
    assert finding(LOSS, few).sentence == (
        "Only 6 of 41 queries show labelled documents today: too few to compare; ten are needed."
    )
    assert finding(LOSS, NOW._replace(n_queries=9)).sentence == "9 queries: too few to compare; ten are needed."
    hidden = finding(LOSS, unlabelled=0.98)
    assert hidden.title == "Too many documents lack a label to say what the target costs"
    assert "98 % of attention goes to unlabelled documents" in hidden.sentence
    assert silence(NOW, 0.2) == ""


def test_candidates_below_the_depth_are_not_blamed_on_retrieval() -> None:
    counts = np.array([50, 40])
    depths = GroupDepths(("women", "men"), 100, 50, counts, np.array([0, 0]), np.array([240, 236]), 400)
    said = finding(None, depths=depths)
    assert said.title == (
        "Documents labelled “women” and “men” stand below the first 100 candidates, which alone are re-ranked"
    )
    assert said.sentence == "Today's lists are 25.9 points off target. Re-rank the first 400 to reach them."
    assert "cannot add" not in depth_words(depths)
    assert "from rank 240 on" in depth_words(depths)
    assert "The first 400 hold enough." in depth_words(depths)


def test_a_policy_is_said_to_show_lists_at_random() -> None:
    drawn = "DetGreedy shows one of several lists at random on each visit"
    assert drawn in finding(LOSS, reranker=find_reranker("fairness-of-exposure")).sentence
    assert drawn in finding(LOSS, reranker=find_reranker("fair-epsilon-greedy")).sentence
    assert drawn not in finding(LOSS, reranker=find_reranker("det-greedy")).sentence


def test_who_stays_within_the_budget_for_certain_is_said_where_the_nearest_does_not() -> None:
    def said(best: Purchase | None, sure: Purchase | None) -> str:
        return certain_words(best, sure, "DetCons", budget=0.03, points=True).replace("\u202f", " ")

    far = LOSS._replace(point=point_summary(18.2, 0.005), change=Interval(-0.025, 0.037))
    assert said(UNSURE, far) == (
        "Certain to stay within the 3 % budget, DetCons gets to 18.2 points off target; quality +0.5 % (could be "
        "−2.5 % to +3.7 %)."
    )
    assert said(UNSURE, None) == "No method is certain to stay within the 3 % budget."
    assert said(LOSS, LOSS) == said(None, None) == ""


def test_branches_about_today() -> None:
    assert title(None, point_summary(0.2, 0.0)) == "Today's lists are on target"
    assert "nothing needs to change" in finding(None, point_summary(0.2, 0.0)).sentence
    assert title(None, NOW._replace(n_queries=0)) == "No query can be compared"


def test_without_a_group_that_gains_noticeably_the_title_is_about_points() -> None:
    assert "Attention gets from 25.9 to 15.4 points off target" in title(LOSS, group=None)
    assert "Attention gets from" in title(LOSS, share=(0.3, 0.2, 0.4))
    assert "Attention gets from" in title(LOSS, share=(0.0, 0.004, 0.5))  # 0.4 of 50 points
    assert title(None, group=None) == "No method gets noticeably closer to the target for 3 % or less"


def test_shares_near_zero_have_a_decimal() -> None:
    assert "go from 0.4 % to 3.2 % of attention" in title(LOSS, share=(0.004, 0.032, 0.3))


def test_another_measure_is_named() -> None:
    said = title(LOSS, points=False, measure="NDKL")
    assert "NDKL goes from 25.90 to 15.40" in said


def test_no_word_is_a_verdict() -> None:
    every = [title(b) for b in (None, LOSS, UNSURE)]
    for word in ("free", "costs nothing", " fair", "unbiased", "debias"):
        assert word not in " ".join(every)


def test_the_chart_says_who_is_nearest_and_how_near_anybody_gets() -> None:
    far = point_summary(5.7, -0.111, method="bonus")
    words = {"label": "DetGreedy", "far_label": "Bonus", "n_shown": 5, "budget": 0.03}

    def said(best: Purchase | None, far: PointSummary | None, **more: object) -> str:
        return chart_title(best, far, **words, **more).replace("\u202f", " ")  # type: ignore[arg-type]

    assert said(LOSS, far) == (
        "Within the 3 % budget DetGreedy comes closest; at any price Bonus gets closest, to 5.7 points off target"
    )
    assert said(LOSS._replace(p_corrected=0.06), far) == (
        "Within the 3 % budget no method is significantly closer to the target"
    )
    on_it = point_summary(0.1, -0.2, method="foe")
    assert said(LOSS, on_it).endswith("reaching the target costs 20.0 % of quality on average (with Bonus)")
    assert said(LOSS, on_it._replace(change=-0.0002)).endswith(
        "makes no noticeable change in mean quality (with Bonus)"
    )
    assert said(None, None) == "No method gets noticeably closer for 3 % or less"
    assert said(None, None, silent="few") == "Quality and distance from the target of 5 methods, nothing compared"


def test_where_going_on_stops_paying_in_words() -> None:
    """Of 25.9 points 13 are gone at 12.9: half of the way; the best net is at the first point."""
    result = [
        point_summary(20.9, -0.01, strength=0.2),
        point_summary(12.9, -0.2, strength=0.5),
        point_summary(13.9, -0.3, strength=1.0),
    ]
    sure = Interval(-0.25, -0.15)
    said = " ".join(price_words("X", result, TurningPoint(0, 1, 3), symbol="λ", change=sure)).replace("\u202f", " ")
    assert "At its closest (λ = 0.5) X covers 50 % of the way to the target; quality −20.0 % (could be −25.0 %" in said
    assert "Beyond λ = 0.5 nothing gets closer." in said
    assert "Beyond λ = 0.2 (20.9 points off target, quality −1.0 %), each further point of attention costs more" in said
    start = " ".join(price_words("X", result, TurningPoint(-1, 1, 3), symbol="λ"))
    assert "Already the first step costs more" in start
    nowhere = price_words("X", result, TurningPoint(-1, -1, 3), symbol="λ")
    assert nowhere == ["X gets no closer to the target than today at any strength tried."]
    slight = price_words("X", [point_summary(25.0, 0.0)], TurningPoint(0, 0, 1), symbol="λ")
    assert "could be noticed" in slight[0]
    assert "each" not in " ".join(price_words("X", result, TurningPoint(0, 1, 3), symbol="λ", points=False))


def test_who_goes_furthest_is_named_once() -> None:
    far = point_summary(5.7, -0.111, method="bonus")
    said = furthest_words(far, "Bonus", best="m").replace("\u202f", " ")
    assert said == "Bonus goes furthest, to 5.7 points off target; quality −11.1 %."
    assert furthest_words(far, "Bonus", best="bonus") == ""


def test_documents_that_no_order_can_show() -> None:
    nothing = np.array([0, 0])
    missing = GroupDepths(("women", "men"), 100, 618, nothing, np.array([92, 166]), nothing, 0)
    assert depth_words(missing) == (
        "Re-ranking cannot add documents: 166 of 618 queries retrieved none labelled “men” and 92 none labelled "
        "“women”."
    )
    everywhere = missing._replace(n_nowhere=nothing)
    assert "has a candidate of every group" in depth_words(everywhere)


def test_one_query_in_counts() -> None:
    result = before_after("q", "abcde", "aebcd", k=3, useful={"c"}, groups={}, quality=(0.94, 0.84))
    said = before_after_finding(result, "nDCG@3")
    assert said.title == "1 document enters the top 3 and 1 leaves; one useful document drops out, none is gained"
    assert said.sentence == "nDCG@3 goes from 0.94 to 0.84."
    same = before_after("q", "abc", "acb", k=3, useful=set(), groups={})
    assert before_after_finding(same, "nDCG@3").title == ("The same 3 documents stay in the top 3; 2 documents move")
    assert "undefined" in before_after_finding(same, "nDCG@3").sentence
