"""The start page: never empty, today's finding, three doors."""

import re

import pytest

from tests.app.conftest import OpenPage
from tests.app.reading import GROUPS, QRELS, RUN, TWELVE, of_files, title, words


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_example_is_there_from_the_start(app_test: OpenPage, theme: str) -> None:
    at = app_test("home", theme=theme)
    assert title(at) == "What does fairness cost, and to whom?"
    assert at.get("plotly_chart")
    said = words(at)
    assert "Loaded: Example" in said
    assert "14 judged queries" in said


def test_the_finding_is_computed_and_says_how_sure_it_is(app_test: OpenPage) -> None:
    said = words(app_test("home"))
    assert "Same quality at" in said
    assert "95 % interval of the saving" in said
    assert "interval +0.0" in said  # the researcher's door: a difference of areas above 0


def test_three_doors_lead_to_three_pages(app_test: OpenPage) -> None:
    said = words(app_test("home"))
    assert all(kind in said for kind in ("Researcher", "Policy maker", "Class"))


def test_the_policy_maker_is_led_to_targets_and_prices(app_test: OpenPage) -> None:
    at = app_test("home")
    said = words(at)
    found = re.search(r"Here: documents labelled .+ get \d+\u202f% of attention; the target is \d+", said)
    assert found, said
    links = {link.proto.page: link.proto.label for link in at.get("page_link")}
    assert {"groups", "policy_lab"} <= links.keys()


def test_the_sentence_on_groups_is_counted_by_hand(app_test: OpenPage) -> None:
    # d1 asia, d2 and d3 europe, africa nowhere: attention 1, 0.63 + 0.5, 0 in each of twelve equal
    # lists, 1.82 of 3.95 on five documents without a label: they could be africa's third.
    at = app_test("home", dataset=of_files(run=TWELVE, qrels=QRELS, groups=GROUPS))
    assert "Here: 46\u202f% of attention goes to unlabelled documents: no verdict on an equal share." in words(at)
    target = '{"asia": 0.9, "europe": 0.1}'  # 1 of 2.13 = 47 % for asia, which can have 71 % at most
    at = app_test("home", dataset=of_files(run=TWELVE, qrels=QRELS, groups=GROUPS, target=target))
    assert "“asia” get 47\u202f% of labelled attention; the target is 90\u202f%." in words(at)
    assert "Here: documents" not in words(app_test("home", dataset=of_files(run=RUN, qrels=QRELS)))


def test_without_judgements_the_example_stays_on_the_chart(app_test: OpenPage) -> None:
    at = app_test("home", dataset=of_files(run=RUN))
    said = words(at)
    assert "Loaded: Small" in said
    assert "no judgements" in said
    assert "this is the example" in said
    assert at.get("plotly_chart")


def test_one_query_claims_no_difference(app_test: OpenPage) -> None:
    said = words(app_test("home", dataset=of_files(run=RUN, qrels=QRELS[: QRELS.index("q2")])))
    assert "mean of 1 query" in said
    assert "Too few queries to compare policies" in said
    assert "Same quality at" not in said
