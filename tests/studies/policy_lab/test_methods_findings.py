"""Titles and words of the price of a target: every branch, with its numbers."""

from dataclasses import replace

import numpy as np
import pytest

from fairviz.display.words import Finding
from fairviz.reranking.catalogue import RERANKERS, find_reranker
from fairviz.studies.policy_lab.bench import Row
from fairviz.studies.policy_lab.budget import Outcome, silence
from fairviz.studies.policy_lab.examples import before_after_finding
from fairviz.studies.policy_lab.findings import depth_words
from fairviz.studies.policy_lab.methods_findings import methods_finding, reach_words
from fairviz.studies.policy_lab.stated import GroupDepths
from tests.studies.policy_lab.curves import MANY, setting, summary, tried_of
from tests.studies.policy_lab.lists import compared

FOE = find_reranker("fairness-of-exposure").full_name
NOW = summary(31, 0.0, share=0.08)
BEST = setting(9, -0.021, -0.056, method="fairness-of-exposure", lists=MANY)
SURE = setting(11, 0.012, -0.015, method="det-cons", share=0.15)


def bought(*settings: Row, now: Row = NOW, budget: float = 0.03, silent: str = "", unlabelled: float = 0.0) -> Outcome:
    return Outcome(now, tried_of(*settings), budget=budget, quality="nDCG@10", silent=silent, unlabelled=unlabelled)


def said(found: Outcome) -> Finding:
    return Finding(*(text.replace("\u202f", " ") for text in methods_finding(found)))


def test_the_closest_within_the_budget_with_its_cost_and_what_may_be_said_of_it() -> None:
    found = said(bought(BEST, SURE))
    assert found.title == "One of two methods moves towards the target and stays in budget; for one we cannot tell"
    assert found.sentence == (
        f"Closest within 3 % of quality is {FOE}: 31 → 9 points off target, quality −2.1 % (−5.6 to +1.4): moves, "
        "cannot tell whether it stays in budget; it shows each visitor one of several lists at random."
    )
    assert said(bought(SURE)).sentence.endswith("stays in budget; it shows every visitor the same lists.")
    unsure = said(bought(BEST | {"ratio": 1.0}))
    assert unsure.title == "No method is sure to move towards the target and stay in budget; for one we cannot tell"
    assert "cannot tell whether it moves or stays in budget" in unsure.sentence


def test_before_a_target_is_set_titles_speak_of_equal_shares() -> None:
    for found in (bought(BEST, SURE), bought(), bought(now=summary(0.2, 0.0, was=0.2)), bought(BEST | {"ratio": 1.0})):
        text = " ".join(said(replace(found, is_set=False)))
        assert "equal shares" in text
        assert "target" not in text


def test_nothing_inside_the_budget() -> None:
    dear = said(bought(setting(5, -0.2)))
    assert dear.title == (
        "No method is sure to move towards the target and stay in budget; one is over budget by estimate"
    )
    assert dear.sentence == (
        "Today's lists are 31 points off target; by estimate every setting that gets nearer costs more than 3 % of "
        "quality (nDCG@10)."
    )
    assert "at any price" in said(bought(setting(30.5, 0.0))).sentence


def test_branches_about_today() -> None:
    near = summary(0.2, 0.0, was=0.2)
    assert said(bought(now=near)) == (
        "Today's lists are on target",
        "They are 0.2 points of attention away from it; nothing needs to change.",
    )
    assert said(bought(now=NOW | {"n_queries": 0})).title == "No query can be compared"
    assert said(bought(now=NOW | {"n_queries": 1}, silent="one query")).title == "One list: nothing is tested"


def test_too_few_queries_or_labels_have_one_rule() -> None:
    few = NOW | {"n_queries": 41, "n_labelled": 6}
    reason = silence(few, 0.0)
    assert reason == "only 6 of 41 queries show labelled documents today: too few to compare; ten are needed"
    assert silence(few | {"n_labelled": 1}, 0.0).startswith("only 1 of 41 queries shows labelled documents")
    found = bought(BEST, now=few, silent=reason)
    assert said(found) == (
        "Too few queries to say what this costs",
        f"{reason[0].upper()}{reason[1:]}. Next: label documents at the top of at least four more queries.",
    )
    assert found.best is None
    hidden = said(bought(BEST, silent=silence(NOW, 0.98), unlabelled=0.98))
    assert hidden.title == "Too many documents have no label to say what this costs"
    assert hidden.sentence.endswith("at most 20 % of attention may be without a label (98 % today).")
    assert silence(NOW | {"n_queries": 9}, 0.0) == "9 queries: too few to compare; ten are needed"
    assert silence(NOW, 0.2) == ""


@pytest.mark.parametrize(
    ("states", "wanted"),
    [
        ("cee", "One of three methods moves towards the target and stays in budget; for two we cannot tell"),
        ("cc", "Two of two methods move towards the target and stay in budget"),
        (
            "eon",
            "No method is sure to move towards the target and stay in budget; for one we cannot tell, one is over "
            "budget by estimate and one does not move",
        ),
        ("c", "One of one method moves towards the target and stays in budget"),
    ],
)
def test_methods_are_counted_by_where_they_get(states: str, wanted: str) -> None:
    kinds = {"c": SURE, "e": BEST, "o": setting(5, -0.2), "n": setting(31, 0.0)}
    tried = tried_of(*(kinds[state] | {"method": each.name} for state, each in zip(states, RERANKERS, strict=False)))
    assert methods_finding(Outcome(NOW, tried, budget=0.03)).title == wanted


def test_a_row_says_how_far_and_how_sure() -> None:
    far = setting(24, -0.001, -0.02, method="fairness-of-exposure")

    def words(*settings: Row) -> str:
        found = bought(*settings)
        return reach_words(found.reaches[0], found).replace("\u202f", " ")

    assert words(BEST, far) == (
        "9 points off target: moves, cannot tell whether it stays in budget; 24: moves, stays in budget"
    )
    assert words(BEST) == "9 points off target: moves, cannot tell whether it stays in budget"
    assert words(SURE) == "11 points off target: moves, stays in budget"
    assert words(setting(5, -0.038)) == "over budget by estimate; to come within 5 points: −3.8 %"
    lucky = setting(5, -0.038, ratio=0.1)
    assert words(lucky) == "over budget by estimate; to come within 5 points: −3.8 % (cannot tell whether it moves)"
    assert words(setting(32, 0.0)) == "does not move towards the target"


def test_documents_that_no_order_can_show() -> None:
    depths = GroupDepths(np.array([100]), 100, 618, 0, [("men", 166), ("women", 92)])
    assert depth_words(depths) == (
        "The first 100 candidates of each query are re-ranked. Re-ranking cannot add documents: of 618 queries 166 "
        "retrieved none labelled “men” and 92 retrieved none labelled “women”."
    )


def test_one_query_in_counts() -> None:
    result = compared("abcde", "aebcd", k=3, useful={"c"}, quality=(0.94, 0.84))
    found = before_after_finding(result, "nDCG@3")
    assert found.title == "One search: one of the first three documents is replaced; one was useful, none are"
    assert found.sentence == "Its quality (nDCG@3): 0.94 → 0.84."
    same = compared("abc", "acb", k=3)
    assert before_after_finding(same, "nDCG@3").title == (
        "One search: the first three stay the same documents; two move"
    )
    assert "undefined" in before_after_finding(same, "nDCG@3").sentence


@pytest.mark.parametrize(
    ("after", "useful", "words"),
    [
        ("abxy", "cx", "two of the first four documents are replaced; one was useful, one is"),
        ("axyz", "bxy", "three of the first four documents are replaced; one was useful, two are"),
        ("abcx", "", "one of the first four documents is replaced; none were useful, none are"),
    ],
)
def test_what_becomes_of_useful_documents(after: str, useful: str, words: str) -> None:
    rest = "".join(doc for doc in "abcdxyz" if doc not in after)
    result = compared("abcdxyz", after + rest, k=4, useful=useful)
    assert before_after_finding(result, "nDCG@4").title == f"One search: {words}"
    unjudged = before_after_finding(result._replace(judged=False), "nDCG@4").title
    assert unjudged == f"One search: {words.partition(';')[0]}"
