"""What statements lead to in words: every branch of the title, the four answers, the titles of the parts."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest

from fairviz.display.methods import AgainstTarget
from fairviz.model import Dataset
from fairviz.studies.policy_lab.findings import (
    answers,
    changes_words,
    four_fifths_words,
    limits,
    line_title,
    line_words,
    lists_title,
    payments_title,
    side_effects_title,
    stated_finding,
    stated_section,
    without_quality,
    wrong_words,
)
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.stated import Stated, StatedOutcome, stated_outcome
from tests.metrics.labels import hard_labels
from tests.nouns import qrels_of, run_of
from tests.studies.policy_lab.test_stated import (
    FIVE,
    QUERIES,
    SECOND,
    example,
    on_example,
    outcome_of,
    unjudged,
    weighed,
)

__all__ = ["example"]


def plain(text: str) -> str:
    return text.replace("\u202f", " ")


def title(found: StatedOutcome) -> str:
    return plain(stated_finding(found).title)


def sentence(found: StatedOutcome) -> str:
    return plain(stated_finding(found).sentence)


HALF = {"y": {"min": 0.5}}


def test_the_five_statements_of_the_picture(example: Dataset) -> None:
    found = on_example(example, FIVE).stated
    assert title(found) == (
        "All five statements can hold at once: Africa gets 15 % of readers’ attention instead of 8 %, for 1.5 % less "
        "quality (could be −5.8 to +2.5 %)"
    )
    assert sentence(found) == (
        "No re-ranking of these candidates loses less by the system’s own scores. Europe has no statement and pays "
        "most, 9 points."
    )
    first, second, third, fourth = answers(found)
    assert first[2:] == ("5 of 5 hold", "today 1 of 5 holds; 16.2 points of attention are missing")
    assert second[1:3] == ("moves", "6 of 7 shares; cannot tell: Latin America")
    assert (third[1], plain(third[2])) == ("cannot tell", "−1.5 %")
    assert (fourth[2], plain(fourth[3])) == ("in 10 of 14 queries", "one list in all 14 misses by 0.1 points: −1.5 %")
    assert payments_title(found) == "16 points move from Europe and North America to Africa and Asia"
    assert side_effects_title(found) == (
        "Region × provider, about which nothing is asked: 13 points move from 3 groups to “Africa × small” and “Asia × "
        "small”"
    )
    assert lists_title(found) == "10 of 14 queries show the same list to everybody; 4 switch between two lists"
    _, (_, told, parts, ratio) = stated_section(found)
    assert ratio == four_fifths_words(found)
    assert "Does attention move? moves, 6 of 7 shares" in told
    assert parts.startswith("16 points move from ")


def test_nothing_is_asked_yet() -> None:
    found = outcome_of(None)
    assert title(found) == "Nothing is asked yet: “y” gets 39 % of readers’ attention, “x” 61 %"
    assert stated_section(found)[1] == (stated_finding(found).sentence,)


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ({"y": {"min": 0.1}}, "The statement holds today; nothing has to move"),
        ({"y": {"min": 0.1}, "x": {"max": 0.7}}, "Both statements hold today; nothing has to move"),
        (
            HALF,
            "The statement can hold: “y” gets 50 % of readers’ attention instead of 39 %, but it "
            "costs 18.5 %, more than your 3 %",
        ),
        ({"y": {"min": 0.7}}, "The statement cannot hold; “y” can reach at most 61 %, not 70 %"),
        ({"x": {"max": 0.3}}, "The statement cannot hold; “x” gets at least 39 %, not 30 %"),
        (
            {"y": {"min": 0.7}, "x": {"max": 0.9}},
            "One of two statements can hold; “y” can reach at most 61 %, not 70 %",
        ),
        (
            {"y": {"min": 0.7}, "x": {"max": 0.3}},
            "Not both statements can hold at once: 8.7 points of attention are missing at least, most of them for "
            "“y” (61 % instead of 70 %)",
        ),
    ],
)
def test_titles_by_hand(bounds: Mapping[str, Any], words: str) -> None:
    """Turning every list gives y 1 of 1 + 1/log2(3), 61.3 %."""
    assert title(outcome_of(bounds)) == words


def test_a_price_is_a_gain_a_loss_or_too_small_to_be_written() -> None:
    found = outcome_of(HALF)

    def said(change: float, stays: str = "cannot tell", **more: Any) -> str:
        cost = found.cost | {"change": change, "stays": stays} | more
        return title(found._replace(cost=cost)).partition("instead of 39 %")[2]

    ends = {"change_low": -0.056, "change_high": 0.019}
    assert said(-0.021, **ends) == ", for 2.1 % less quality (could be −5.6 to +1.9 %)"
    assert said(-0.021, change_low=np.nan) == ", for 2.1 % less quality"
    assert said(0.012, **ends) == ", for 1.2 % more quality (could be −5.6 to +1.9 %)"
    assert said(-0.0004, **ends) == "; quality changes by less than 0.1 % (could be −5.6 to +1.9 %)"
    assert said(-0.08, "no") == ", but it costs 8.0 %, more than your 3 %"
    assert said(np.nan) == "; the change of quality is undefined"


def one_list_data() -> tuple[Dataset, PolicyLabSettings]:
    """One list of a, b of group x above c, d of group y: a and c are useful; y is to get the attention of rank 2."""
    run, qrels = run_of({"q": {"a": 1.0, "b": 0.8, "c": 0.4, "d": 0.0}}), qrels_of({"q": {"a": 1, "c": 1}})
    labels = hard_labels({"a": "x", "b": "x", "c": "y", "d": "y"})
    text = json.dumps({labels.attribute: {"y": {"min": SECOND / (1 + SECOND)}}})
    own = PolicyLabSettings(statements=text, k=2, against=AgainstTarget(0, "uniform"))
    return Dataset(runs=(run,), qrels=(qrels,), labels=(labels,)), own


def test_one_list_is_a_census() -> None:
    """c takes the place of b: 38.7 % for y, and nDCG@2 goes from 1 of 1 + s, 0.61, to 1."""
    found = stated_outcome(Stated(*one_list_data()), budget=0.03, fixed=True)
    assert title(found) == (
        "The statement can hold: “y” gets 38.7 % of readers’ attention instead of 0.0 %; one document enters the first "
        "two, nDCG@2 0.61 → 1.00"
    )
    assert "Into the first two: “c”; out: “b”." in sentence(found)
    _, second, third, _ = answers(found)
    assert second == ("Does attention move?", "", "2 shares change", "one list: shares are exact")
    assert (third[1], plain(third[2])) == ("", "+63.1 %")
    assert third[3] == "one list, exact: nDCG@2 0.61 → 1.00"
    assert found.groups["word"].to_list() == ["moves", "moves"]
    assert found.groups["change_low"].is_nan().all()
    assert payments_title(found) == "39 points move from “x” to “y”"
    assert limits(found)[2].sentence == "It is one list, and nothing is said of another."
    assert changes_words(found).endswith("one list, exact: there is no interval.")
    lottery = found._replace(queries=found.queries.with_columns(n_lists=2))
    assert "one document enters the first two of the likeliest list, " in title(lottery)
    assert lists_title(lottery) == "Each visit shows one of two lists, drawn by chance"


def test_without_judgements_a_price_is_by_scores() -> None:
    found = unjudged().stated
    assert title(found).endswith("instead of 39 %, but it costs 18.5 % by the system’s own scores, more than your 3 %")
    cheap = found._replace(cost=found.cost | {"change": -0.021, "stays": "yes", "change_low": np.nan})
    assert title(cheap).endswith("instead of 39 %, for 2.1 % less quality by the system’s own scores")
    assert "judgements" not in line_words(found)


def test_few_queries_say_nothing_of_the_cost() -> None:
    found = outcome_of(HALF, run=run_of({query: {f"{query}a": 1.0, f"{query}b": 0.5} for query in QUERIES[:9]}))
    assert title(found).endswith("instead of 39 %; 9 queries are too few to say what it costs")
    assert [mark for _, mark, _, _ in answers(found)] == ["", "too few", "too few", ""]
    assert payments_title(found) == "Too few queries to say whether any share moves"
    beside = found.groups.with_columns(is_stated=pl.lit(value=False), n_candidates=10)
    assert side_effects_title(found._replace(groups=beside)) == "Too few queries to say whether any other share moves"


def test_tied_scores_have_no_least_loss() -> None:
    """No order is better by them: no price of a point, no line, and no claim that nothing loses less."""
    found = outcome_of(HALF, run=run_of({query: {f"{query}a": 1.0, f"{query}b": 1.0} for query in QUERIES}))
    assert found.stated.is_flat
    assert sentence(found).startswith("By the system’s own scores all candidates are alike: these lists are some of")
    assert found.groups["price"].is_nan().all()


def test_attention_without_a_label_leaves_nothing_to_check(example: Dataset) -> None:
    found = outcome_of(HALF)
    found.stated.unlabelled_share = 0.51
    assert title(found) == "51 % of attention goes to documents without a label: statements cannot be checked"


def test_a_group_without_candidates_is_named() -> None:
    found = outcome_of({"y": {"min": 0.7}})
    none = found.groups.with_columns(n_candidates=0)
    assert title(found._replace(groups=none)) == "The statement cannot hold; no candidate is labelled “y”"


def test_one_list_for_everybody() -> None:
    found = outcome_of({"y": {"min": 0.45}}, fixed=True)
    assert title(found) == ("With one list for everybody the statement does not hold; “y” gets 44 % instead of 45 %")
    assert sentence(found).startswith("One list for each query: the likeliest of the policy that loses least by ")
    assert answers(found)[3][2] == "yes, in every query"
    assert lists_title(found) == "Every query shows one list"
    assert (
        lists_title(outcome_of({"y": {"min": 0.45}}))
        == "11 of 12 queries show the same list to everybody; 1 switches between two lists"
    )


def test_a_group_below_its_statement_that_pays_is_named() -> None:
    found = outcome_of({"y": {"min": 0.5}})
    loses = found.groups.with_columns(low=0.55, has_statement=True)
    assert sentence(found._replace(groups=loses)).endswith(
        "“x” pays most, 11 points. “x” is below its statement and loses more."
    )


def test_the_line_ends_where_the_statements_cannot_hold() -> None:
    assert line_title(outcome_of(HALF)) == "By scores, nothing lies above the solid line"
    assert (
        line_title(outcome_of({"y": {"min": 0.7}}))
        == "Here the line ends: 8.7 points of attention are missing at least"
    )


def test_side_effects_of_a_whole_attribute_come_before_crossings(example: Dataset) -> None:
    found = on_example(example, {"region": FIVE["region"]}).stated
    assert side_effects_title(found) == (
        "Provider, about which nothing is asked: 7 points move from “large” to “small”"
    )
    small = found.groups.with_columns(change=0.004)
    assert side_effects_title(found._replace(groups=small)) == "No other share moves by a point or more"


# What the statements rest on.


def test_wrong_labels_in_words(example: Dataset) -> None:
    found = on_example(example, FIVE).stated
    between = "With 5 % wrong labels, the share of Africa lies between 14 % and 19 %"
    assert plain(wrong_words(found, 0.05)) == f"{between}: no statement can be said to hold"
    half, today = outcome_of(HALF), outcome_of({"y": {"min": 0.1}, "x": {"max": 0.62}})
    assert plain(wrong_words(half, 0.1)).endswith("between 45 % and 55 %: the statement cannot be said to hold")
    assert plain(wrong_words(half, 0.0)).endswith("between 50 % and 50 %: the statement can still be said to hold")
    assert plain(wrong_words(today, 0.025)).startswith("With 2.5 % wrong labels, the share of “")
    assert wrong_words(today, 0.025).endswith("; one of two statements can still be said to hold")
    assert wrong_words(today, 0.001).endswith(": every statement can still be said to hold")


def test_four_fifths_has_its_caveat_and_needs_candidates(example: Dataset) -> None:
    words = (
        "Four-fifths ratio, attention per candidate: 0.42 today (Latin America to North America), 0.48 after (Europe "
        "to Africa). A rule of thumb of US employment law about selection rates, not about attention."
    )
    assert four_fifths_words(on_example(example, FIVE).stated) == words
    assert " today (“y” to “x”). A rule" in four_fifths_words(outcome_of(None))
    few = outcome_of(HALF).groups.with_columns(n_candidates=9)
    assert four_fifths_words(outcome_of(HALF)._replace(groups=few)) == ""


def test_what_is_not_shown_is_true_of_the_data(example: Dataset) -> None:
    found = on_example(example, FIVE).stated
    assert [each.title for each in limits(found)] == [
        *("a service that adds documents", "readers who scroll further", "queries other than these 14"),
        *("how often each query is asked", "documents without a label"),
    ]
    assert limits(found)[0].sentence == "Only the first 100 candidates of bm25 are put in another order."
    assert "documents without a label" not in [each.title for each in limits(outcome_of(HALF))]
    few = outcome_of(HALF, run=run_of({query: {f"{query}a": 1.0, f"{query}b": 0.5} for query in QUERIES[:9]}))
    often = outcome_of(HALF, by_query=dict.fromkeys(QUERIES, 1.0))
    assert "how often each query is asked" not in [each.title for each in limits(often)]
    assert "Queries count as often as they are asked." in sentence(often)
    fewer = outcome_of(HALF, by_query={"q00": 1.0})
    assert ("queries without a weight", "Left out: 11 queries of the run.") in limits(fewer)
    assert limits(few)[2] == ("queries other than these 9", "9 queries are too few to say anything of others.")


def test_queries_where_nothing_is_relevant_are_counted_whatever_their_weight() -> None:
    every, some = weighed(None), weighed({"q00": 1.0})
    left_out = 12 - every.cost["n_queries"]
    assert left_out > 1
    said = (
        f"{left_out} queries left out: nDCG@2 is undefined, nothing is judged relevant (fairviz evaluate counts it 0)"
    )
    assert without_quality(every.stated) == without_quality(some.stated) == said
    assert ("queries without nDCG@2", f"{said}.") in limits(every)
    assert without_quality(outcome_of(HALF).stated) == ""
