"""Results of the Policy lab as rows."""

import math

import numpy as np
import pytest

from fairviz.display.table import Table
from fairviz.stats.bootstrap import Intervals
from fairviz.studies.policy_lab.bench import PricePoint
from fairviz.studies.policy_lab.columns import methods_table, point_table, shares_beside, shares_table
from tests.studies.policy_lab.curves import setting
from tests.studies.policy_lab.test_methods_findings import BEST, SURE, bought

FOUND = bought(BEST, SURE, setting(5, -0.2))
METHODS, EVERY = methods_table(FOUND, {"fa-ir": "it needs two groups"}), point_table(FOUND, "bm25")


def cells(table: Table, key: str) -> list[object]:
    return [row[table.keys.index(key)] for row in table.rows]


def test_methods_begin_with_the_best_and_end_with_the_refused() -> None:
    assert cells(METHODS, "reranker") == ["Fairness of exposure", "DetCons", "DetGreedy", "FA*IR"]
    unsure = "moves, cannot tell whether it stays in budget"
    assert cells(METHODS, "verdict") == [unsure, "moves, stays in budget", "moves, over budget", None]
    assert "What each method achieves for 3 % of quality (nDCG@10)." in METHODS.caption
    assert "95 % intervals, widened for the 3 settings that were tried" in METHODS.caption
    assert cells(METHODS, "lists") == ["drawn at random", "always the same", "always the same", None]
    assert cells(METHODS, "off_target") == [9, 11, 5, None]
    assert cells(METHODS, "certain_off_target") == [None, 11, None, None]
    assert cells(METHODS, "words")[-1] == "left out: it needs two groups"
    assert METHODS.rows[0][2:6] == ("slack = 0.5", unsure, 9, None)


def test_a_row_of_too_few_queries_has_no_value() -> None:
    (row,) = methods_table(bought(setting(9, 0.0), silent="too few"), {}).rows
    assert set(row) == {"DetGreedy", "too few", None}


def test_every_setting_is_a_row() -> None:
    assert cells(EVERY, "reranker") == ["today", "Fairness of exposure", "DetCons", "DetGreedy"]
    assert cells(EVERY, "off_target") == [31, 9, 11, 5]
    assert cells(EVERY, "verdict")[1:3] == [
        "moves, cannot tell whether it stays in budget",
        "moves, stays in budget",
    ]


def test_shares_begin_with_what_gains_most_and_end_where_nothing_is_proposed() -> None:
    """Of b and a today 20 and 80 %, after 50 and 50 %: b gains 30 points, of a nobody can tell.

    A share that is the same in every query has no ends.
    """
    now, after = (PricePoint(math.nan, np.tile(shares, (12, 1)), np.ones(12)) for shares in ([1.0, 4.0], [1.0, 1.0]))
    gains = Intervals(np.array([0.1, -0.7]), np.array([0.5, 0.1]))
    target = np.array([0.4, 0.6])
    table = shares_table(shares_beside(("b", "a"), now, after, target, gains), FOUND)
    sides = [f"{side}{end}" for side in ("today", "after", "change") for end in ("", "_low", "_high")]
    assert table.keys == ("group", *sides, "target", "word")
    near = pytest.approx
    assert table.rows == (
        ("b", near(20), None, None, near(50), None, None, near(30), near(10), near(50), 40, "moves"),
        ("a", near(80), None, None, near(50), None, None, near(-30), near(-70), near(10), 60, "cannot tell"),
    )
    assert "14 queries with labelled documents, 0 without say nothing of shares." in table.caption
    unmoved = shares_beside(("b", "a"), now, now, target, Intervals(*np.zeros((2, 2))))
    nothing = shares_table(unmoved, bought(setting(31, 0.0)))
    assert nothing.rows[0] == ("a", near(80), *[None] * 8, 60, None)
