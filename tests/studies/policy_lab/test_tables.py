"""Results of the Policy lab as rows."""

import numpy as np

from fairviz.stats.bootstrap import Interval
from fairviz.studies.policy_lab.budget import Purchase
from fairviz.studies.policy_lab.findings import row_words
from fairviz.studies.policy_lab.lists import before_after
from fairviz.studies.policy_lab.tables import before_after_table, point_table, purchases_table
from tests.studies.policy_lab.test_findings import LOSS, NOW, point_summary


def test_tables_hold_the_nearest_first_and_the_refused_last() -> None:
    near = Purchase("n", point_summary(10.0, -0.02, method="n"), Interval(-0.03, -0.01), Interval(1, 2), True)
    table = purchases_table(
        [LOSS, Purchase("z", None), near],
        near,
        labels={"m": "M", "n": "N", "z": "Z", "f": "F"},
        symbols={"m": "λ", "n": "ε", "z": "α"},
        refused={"f": "it needs two groups"},
    )
    assert [row[0] for row in table.rows] == ["N", "M", "Z", "F"]
    assert table.rows[1][:6] == ("M", "λ = 0.9", 15.4, -2.6, -2.94, -2.1)
    words = [row[table.keys.index("words")] for row in table.rows]
    assert words[1:] == [
        "5.4 points further from the target than the first row.",
        "No setting within the budget gets closer to the target than today.",
        "Not shown: it needs two groups.",
    ]
    assert row_words(near, near) == "Closest to the target within the budget."
    assert row_words(near._replace(is_certain=False), near, at_random=True) == (
        "Closest to the target within the budget. Not certain to stay within the budget. Lists at random."
    )
    assert [row[-4] for row in table.rows] == ["certain", "certain", None, None]


def test_a_row_of_too_few_queries_has_no_value_and_no_word() -> None:
    table = purchases_table([LOSS], None, labels={"m": "M"}, symbols={"m": "λ"}, refused={}, silent="too few")
    assert table.rows == (("M", *[None] * 8, "Not compared.", None, None, None, "always the same"),)


def test_points_are_one_row_each() -> None:
    table = point_table("bm25", {"today": [NOW._replace(strength=np.nan)], "m": [NOW]}, {"m": "M"})
    assert [row[:3] for row in table.rows] == [("bm25", "today", None), ("bm25", "M", 0.9)]


def test_a_query_as_a_table() -> None:
    result = before_after("q", "abcde", "aebcd", k=3, useful={"a"}, groups={"e": "x"})
    assert before_after_table(result).rows == (
        (1, "a", "a", "", "no label", "useful"),
        (2, "b", "e", "new", "x", ""),
        (3, "c", "b", "▼1", "no label", ""),
    )
