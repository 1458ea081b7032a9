"""The table of group measures: complete, in words, with its direction, for page and files."""

import math

import pytest

from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.metrics.catalogue import CATALOGUE, parse_measure
from fairviz.metrics.group_measures import GroupMeasure
from fairviz.stats.bootstrap import UNDEFINED, Interval
from fairviz.studies.groups.columns import group_table, measure_row
from fairviz.studies.groups.measures import ROWS, MeasureRow, MeasureValue, filled

ASKED = {"group": 'o\'hara "x"', "k": 10, "n_groups": 3}
EVERY = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.label)


def text(row: MeasureRow) -> str:
    return filled(row, k=10, group=str(ASKED["group"]), missing="drop", browsing="dcg")


def value(row: MeasureRow, number: float, ends: Interval = UNDEFINED) -> MeasureValue:
    return MeasureValue(text(row), number, ends, 20, 3)


def by_label(label: str) -> MeasureRow:
    return next(row for row in ROWS if row.label == label)


@EVERY
def test_every_row_is_a_measure_string_whatever_the_group_is_called(row: MeasureRow) -> None:
    spec = parse_measure(text(row))
    assert spec.params.get("group", ASKED["group"]) == ASKED["group"]


def test_no_group_measure_is_left_out() -> None:
    shown = {parse_measure(text(row)).name for row in ROWS}
    groups = {name for name, measure in CATALOGUE.items() if isinstance(measure, GroupMeasure)}
    assert groups - shown == set()
    assert {"EED", "EER", "EEL", "nDCG"} <= shown


@EVERY
@pytest.mark.parametrize("number", [0.0, 0.3, 1.0, -2.0, math.inf, -math.inf])
def test_every_value_has_words_and_a_place(row: MeasureRow, number: float) -> None:
    made = measure_row(row, value(row, number), **ASKED)
    assert made["words"].endswith(".")
    assert made["span"][0] < made["span"][1]
    assert made["span"][0] <= made["best"] <= made["span"][1]
    assert "nan" not in made["words"]


@pytest.mark.parametrize(
    ("label", "number", "said"),
    [
        ("AWRF, all queries", 0.22, "11 points of attention are off target"),
        ("MinSkew", -0.25, "has 0.78 times its target share"),
        ("MaxSkew", 0.35, "has 1.4 times its target share"),
        ("logDP", 0.405, "get 1.5 times the attention"),
        ("logEUR", 0.405, "1.5 times the total attention of the others; a larger group gets more by its size"),
        ("logDP", -math.inf, "get no attention at all"),
        ("logEUR", math.inf, "All the others together get no attention"),
        ("logRUR", -math.inf, "get no attention on useful ones at all"),
        ("logEUR per document", 0.405, "Per document and its usefulness"),
        ("FAIR (α-nDCG)", 1.03, "Above an ideal list found greedily"),
        ("PAIR of one group", 0.5, "in 50\u202f% of pairs"),
        ("IAA", 0.28, "14 points of attention would have to move"),
        ("FAIR (nDCG)", 0.74, "74\u202f% of an ideal list on target"),
        ("Feasible up to", 10.0, "No query is short of any group down to rank 10."),
    ],
)
def test_a_value_in_plain_words(label: str, number: float, said: str) -> None:
    row = by_label(label)
    assert said in measure_row(row, value(row, number), **ASKED)["words"]


def test_what_cannot_be_told_from_parity_is_said() -> None:
    row = by_label("logEUR")
    unsure = measure_row(row, value(row, 0.27, Interval(-0.35, 0.82)), **ASKED)
    sure = measure_row(row, value(row, 0.41, Interval(0.06, 0.81)), **ASKED)
    assert unsure["words"].endswith("Not significantly different from 0.")
    assert "significantly" not in sure["words"]


def test_undefined_and_refused_say_why() -> None:
    row = by_label("NDKL")
    nothing = value(row, math.nan)._replace(why="no ranked document has a label")
    refused = value(row, math.nan)._replace(refused="judgements are needed")
    assert measure_row(row, nothing, **ASKED)["words"] == ("Undefined for every query: no ranked document has a label.")
    assert measure_row(row, refused, **ASKED)["words"].startswith("Not on these data: judgements")


@pytest.mark.parametrize(
    ("label", "arrow"), [("AWRF per query", "↓"), ("nDRKL", "↑"), ("PAIR", "→ 0"), ("PAIR of one group", "↑")]
)
def test_the_arrow_is_the_catalogue_s(label: str, arrow: str) -> None:
    row = by_label(label)
    assert measure_row(row, value(row, 0.1), **ASKED)["arrow"] == arrow


def test_files_hold_every_row_and_the_target() -> None:
    rows = [measure_row(row, value(row, 0.5, Interval(0.4, 0.6)), **ASKED) for row in ROWS]
    content = group_table(rows, system="bm25", target={"a": 0.25, "b": 0.75})
    assert len(content.rows) == len(ROWS)
    assert "a 0.25, b 0.75" in content.caption
    assert csv_text(content).count("\n") == len(ROWS) + 1
    assert r"\begin{tabular}" in latex_text(content, label="tab:groups")


def test_a_measure_of_too_few_queries_has_no_verdict() -> None:
    """Nine queries with labels of 50; a measure that reads no labels is of all 50."""
    row, plain = by_label("logEUR"), by_label("nDCG")
    few = measure_row(row, value(row, 0.41, Interval(0.06, 0.81))._replace(n_queries=50), **ASKED, n_labelled=9)
    assert (few["is_few"], few["words"]) == (True, "No verdict: 9 queries.")
    enough = measure_row(plain, value(plain, 0.4, Interval(0.3, 0.5))._replace(n_queries=50), **ASKED, n_labelled=9)
    assert not enough["is_few"]
