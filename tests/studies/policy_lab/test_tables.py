"""Results of the Policy lab as rows."""

import numpy as np

from fairviz.stats.bootstrap import Interval
from fairviz.studies.policy_lab.budget import Purchase
from fairviz.studies.policy_lab.findings import row_words
from fairviz.studies.policy_lab.lists import before_after
from fairviz.studies.policy_lab.tables import before_after_table, point_table, purchases_table
from tests.studies.policy_lab.test_findings import LOSS, NOW, point_summary


def test_tables_hold_the_nearest_first_and_the_refused_last() -> None:
    near = Purchase("n", point_summary(10.0, -0.02, method="n"), Interval(-0.03, -0.01), Interval(1, 2))
    table = purchases_table(
        [LOSS, Purchase("z", None), near],
        near,
        labels={"m": "M", "n": "N", "z": "Z", "f": "F"},
        symbols={"m": "λ", "n": "ε", "z": "α"},
        refused={"f": "it needs two groups"},
    )
    assert [row[0] for row in table.rows] == ["N", "M", "Z", "F"]
    assert table.rows[1][:6] == ("M", "λ = 0.9", 15.4, -2.6, -3.1, -2.1)
    assert table.rows[1][-1] == "5.4 points further from the target than the first row."
    assert table.rows[2][-1].startswith("No setting inside the budget")  # type: ignore[union-attr]
    assert table.rows[3][-1] == "Not shown: it needs two groups."
    assert row_words(near, near) == "Closest to the target inside the budget."


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
