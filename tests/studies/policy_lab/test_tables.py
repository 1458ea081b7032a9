"""Results of the Policy lab as rows."""

from fairviz.display.table import Table
from fairviz.studies.policy_lab.columns import methods_table, point_table
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
    assert cells(EVERY, "verdict")[1:3] == ["moves, cannot tell whether it stays in budget", "moves, stays in budget"]
