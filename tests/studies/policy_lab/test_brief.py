"""The one-page brief: what it holds, and that it asks for nothing from elsewhere."""

import re

import numpy as np

from fairviz.show.html import Figure
from fairviz.show.words import Finding
from fairviz.stats.bootstrap import Interval
from fairviz.studies.policy_lab.brief import MOST_RANKS, Brief, brief_html
from fairviz.studies.policy_lab.budget import Purchase
from fairviz.studies.policy_lab.lists import before_after
from fairviz.studies.policy_lab.price import PointSummary
from fairviz.studies.policy_lab.tables import purchases_table

ONE = Purchase(
    "m",
    PointSummary("m", 0, 0.9, 15.4, 10.5, 0.7, -0.026, np.ones(2), 20, 0, 9, 1, 10, 20, 20),
    Interval(-0.031, -0.021),
    Interval(9.0, 12.0),
)


def page(**changes: object) -> str:
    facts = {
        "finding": Finding("For 2.6 % of quality, …", "From 25.9 to 15.4."),
        "data": "Example: bm25",
        "target": "x 50 %, y 50 %",
        "figure": Figure('{"data":[]}', '{"data":[]}', "Price", name="price"),
        "purchases": purchases_table([ONE], ONE, labels={"m": "M"}, symbols={"m": "λ"}, refused={}),
        "question": "<b>why</b>" * 40,
        "lists": before_after("q", "abcdefghijkl", "lbcdefghijka", k=12, useful=set(), groups={}),
        "reranking": "M, λ = 0.9",
        "limits": "Nothing can be added.",
        "k": 12,
        "depth": 100,
        "quality": "nDCG@12",
    } | changes
    return brief_html(Brief(**facts), plotly_js="var Plotly;")  # type: ignore[arg-type]


def test_it_holds_finding_chart_table_query_method_and_caution() -> None:
    made = page()
    for text in (
        "For 2.6 % of quality, …",
        "Target: x 50 %, y 50 %.",
        "−2.6 % (−3.1 to −2.1)",
        "One query, before and after",
        "first 100 documents",
        "Nothing can be added.",
        "not every need of the people behind a label",
    ):
        assert text in made
    assert "@page { size: A4" in made


def test_it_has_room_for_a_few_ranks_only_and_escapes_people() -> None:
    made = page()
    query = made[made.index("<h2>One query") :]
    assert query.count("<tr>") == MOST_RANKS + 1
    assert "<b>why" not in made
    assert "…”" in made


def test_lists_at_random_are_said_to_be_so() -> None:
    said = page(lottery="M shows one of several lists at random on each visit; its numbers are averages over visits.")
    assert "M shows one of several lists at random on each visit" in said
    table = purchases_table([ONE], ONE, labels={"m": "M"}, symbols={"m": "λ"}, refused={}, at_random={"m"})
    assert "Lists at random." in page(purchases=table)
    assert table.rows[0][-1] == "drawn at random"


def test_without_a_query_it_has_none() -> None:
    assert "One query" not in page(lists=None)


def test_it_forbids_every_request() -> None:
    made = page()
    assert "default-src 'none'" in made
    assert not re.findall(r'(?:src|href)="(?!#)', made)
