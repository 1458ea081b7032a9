"""Results of the Policy lab as rows."""

import math
from dataclasses import replace

import numpy as np
import pytest

from fairviz.points.shares import PooledShares
from fairviz.stats.bootstrap import Intervals
from fairviz.studies.policy_lab.columns import LabResults, tables
from fairviz.studies.policy_lab.price import SharesBeside
from tests.studies.policy_lab.curves import setting
from tests.studies.policy_lab.test_findings import BEST, LABELS, SURE, bought

RESULTS = LabResults(
    system="bm25",
    quality="nDCG@10",
    labels={**LABELS, "fa-ir": "FA*IR"},
    symbols={"foe": "slack", "cons": "λ", "m": "λ"},
    outcome=bought(BEST, SURE, setting(5, -0.2)),
    refused={"fa-ir": "it needs two groups"},
)


def cells(stem: str, key: str, results: LabResults = RESULTS) -> list[object]:
    table = tables(results)[stem]
    return [row[table.keys.index(key)] for row in table.rows]


def test_methods_begin_with_the_best_and_end_with_the_refused() -> None:
    assert cells("methods", "reranker") == ["Fairness of exposure", "DetCons", "M", "FA*IR"]
    unsure = "moves, cannot tell whether it stays in budget"
    assert cells("methods", "verdict") == [unsure, "moves, stays in budget", "moves, over budget", None]
    assert "What each method achieves for 3 % of quality (nDCG@10)." in tables(RESULTS)["methods"].caption
    assert "95 % intervals, widened for the 3 settings that were tried" in tables(RESULTS)["methods"].caption
    assert cells("methods", "lists") == ["drawn at random", "always the same", "always the same", None]
    assert cells("methods", "off_target") == [9, 11, 5, None]
    assert cells("methods", "certain_off_target") == [None, 11, None, None]
    assert cells("methods", "words")[-1] == "left out: it needs two groups"
    assert tables(RESULTS)["methods"].rows[0][2:6] == ("slack = 0.5", unsure, 9, None)


def test_a_row_of_too_few_queries_has_no_value() -> None:
    silent = LabResults(labels=LABELS, symbols={"m": "λ"}, outcome=bought(setting(9, 0.0), silent="too few"))
    (row,) = tables(silent)["methods"].rows
    assert set(row) == {"M", "too few", None}


def test_every_setting_is_a_row_with_its_number_on_the_frontier() -> None:
    assert cells("points", "reranker") == ["today", "Fairness of exposure", "DetCons", "M"]
    assert cells("points", "frontier") == [None, 2, 1, 3]
    assert cells("points", "off_target") == [31, 9, 11, 5]
    assert cells("points", "verdict")[1:3] == [
        "moves, cannot tell whether it stays in budget",
        "moves, stays in budget",
    ]


def test_shares_begin_with_what_gains_most_and_end_where_nothing_is_proposed() -> None:
    """Of a and b today 20 and 80 %, after 50 and 50 %: a gains 30 points, b loses them by estimate."""
    few = PooledShares(np.array([0.2, 0.8]), Intervals(np.array([0.1, 0.7]), np.array([0.3, 0.9])), np.empty(0), 12)
    after = few._replace(shares=np.array([0.5, 0.5]), ends=Intervals(*np.full((2, 2), math.nan)))
    gains = Intervals(np.array([0.1, -0.7]), np.array([0.5, 0.1]))
    shares = SharesBeside(("b", "a"), few, after, np.array([0.4, 0.6]), gains)
    table = tables(replace(RESULTS, shares=shares))["shares"]
    sides = [f"{side}{end}" for side in ("today", "after", "change") for end in ("", "_low", "_high")]
    assert table.keys == ("group", *sides, "target", "payment")
    near = pytest.approx
    assert table.rows == (
        ("b", 20, 10, 30, 50, None, None, near(30), near(10), near(50), 40, "gains"),
        ("a", 80, near(70), 90, 50, None, None, near(-30), near(-70), near(10), 60, "loses by estimate"),
    )
    assert "12 queries with labelled documents, 2 without say nothing of shares." in table.caption
    unmoved = shares._replace(after=few)
    nothing = tables(replace(RESULTS, outcome=bought(setting(31, 0.0)), shares=unmoved))["shares"]
    assert nothing.rows[0] == ("a", 80, near(70), 90, *[None] * 6, 60, None)
