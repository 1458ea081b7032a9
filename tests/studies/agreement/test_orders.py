"""What each measure says of few systems: orders, tests and sentences by hand."""

import numpy as np
import polars as pl
import pytest

from fairviz.display.markup import Html
from fairviz.metrics.catalogue import CATALOGUE, parse_measures
from fairviz.model import Scores, SystemScore
from fairviz.resources import content
from fairviz.studies.agreement.analysis import order_parts, orders_picture, orders_table
from fairviz.studies.agreement.correlations import agreement_of, values_of
from fairviz.studies.agreement.findings import orders_finding, report_finding, untested_words, untold_title
from fairviz.studies.agreement.orders import Orders, orders_of

NOISE = np.array([0.0, 0.01, -0.01, 0.02, -0.02, 0.01, 0.0, -0.01, 0.015, -0.015, 0.005, -0.005])
"""Of twelve queries, around the level of a system: no two systems have the same."""

USUAL = ("nDCG", "AP", "RR")
"""Measures of ir-measures that have a question."""


def orders(levels: dict[str, dict[str, float]], *, n: int = 12, noise: float = 1.0) -> Orders:
    """Systems at these levels of each measure, over n queries."""
    scores = [
        Scores(
            system=system,
            measure=measure,
            query_ids=tuple(map(str, range(n))),
            values=level + noise * np.roll(NOISE, place)[:n],
        )
        for measure, of in levels.items()
        for place, (system, level) in enumerate(of.items())
    ]
    return orders_of("region", scores, values_of(scores, parse_measures([*levels])))


OPPOSED = orders({"nDCG@5": {"a": 0.9, "b": 0.5, "c": 0.1}, "AWRF": {"a": 0.9, "b": 0.5, "c": 0.1}})
"""More is better in nDCG, less in AWRF: every pair is told apart by both, and the other way round."""
ALIKE = orders({"nDCG@5": {"a": 0.9, "b": 0.5, "c": 0.1}, "AWRF": {"a": 0.1, "b": 0.1, "c": 0.9}})
"""AWRF does not tell a from b."""


def test_systems_stand_best_first_in_each_measures_own_sense() -> None:
    assert OPPOSED.order("nDCG@5")["system"].to_list() == ["a", "b", "c"]
    assert OPPOSED.order("AWRF")["system"].to_list() == ["c", "b", "a"]


def test_what_is_best_at_0_is_ordered_and_tested_by_its_distance_from_it() -> None:
    found = orders({"logDP": {"a": -0.9, "b": 0.5, "c": 0.1}})
    assert found.order("logDP")["system"].to_list() == ["c", "b", "a"]
    differences = {(row["better"], row["worse"]): row["difference"] for row in found.tests.to_dicts()}
    assert differences == pytest.approx({("b", "a"): 0.4, ("c", "a"): 0.8, ("c", "b"): 0.4})  # 0.9 − 0.5, …


def test_neighbours_that_are_not_told_apart_are_joined() -> None:
    assert ALIKE.order("AWRF")["joined"].to_list() == [True, False, False]
    assert ALIKE.order("nDCG@5")["joined"].to_list() == [False, False, False]
    assert ALIKE.separated == [("nDCG@5", 3, 3), ("AWRF", 2, 3)]


def test_one_value_per_system_is_tested_by_a_bootstrap_in_the_same_family() -> None:
    """The mean of squares is no mean of values per query: its pairs are resampled, three more in Holm's six."""
    ids = tuple(map(str, range(12)))
    means = [
        Scores(system=name, measure="nDCG@5", query_ids=ids, values=level + np.roll(NOISE, place))
        for place, (name, level) in enumerate({"a": 0.9, "b": 0.5, "c": 0.1}.items())
    ]
    levels = {"a": 0.9, "b": 0.5, "c": 0.5}

    def squared(name: str, own: np.ndarray) -> SystemScore:
        every = np.ones(12, dtype=np.bool_)
        return SystemScore(
            system=name,
            measure="IAA@5",
            query_ids=ids,
            defined=every,
            statistic=lambda counts: (counts @ own / 12) ** 2,
        )

    whole = [squared(name, level + np.roll(NOISE, place)) for place, (name, level) in enumerate(levels.items())]
    scores = [*means, *whole]
    found = orders_of("region", scores, values_of(scores, parse_measures(["nDCG@5", "IAA@5"])))
    # IAA is better when lower, and 0.5 squared is 0.25: b and c before a (0.81), not told from each other.
    assert found.tests.height == 6
    rows = {(row["better"], row["worse"]): row for row in found.tests.to_dicts() if row["measure"] == "IAA@5"}
    assert {"".join(sorted(pair)): row["told"] for pair, row in rows.items()} == {"ab": True, "ac": True, "bc": False}
    assert rows["b", "a"]["difference"] == pytest.approx(0.81 - 0.25, abs=0.01)
    assert (found.separated, found.untested) == ([("nDCG@5", 3, 3), ("IAA@5", 2, 3)], {})
    assert "(paired bootstrap for IAA@5, one value per system)" in orders_finding(found).sentence
    assert "IAA@5" in [row[0] for row in orders_table(found).rows]


def test_tests_are_one_family() -> None:
    """Six tests: Holm multiplies the smallest p by 6."""
    tests = OPPOSED.tests.sort("p")
    assert tests.height == 6
    assert tests["p_holm"][0] == pytest.approx(6 * tests["p"][0])
    assert tests["told"].all()


@pytest.mark.parametrize(
    ("found", "title"),
    [
        (
            OPPOSED,
            "Choosing a measure is choosing a system: nDCG@5 and AWRF disagree on all 3 pairs of systems that both "
            "tell apart",
        ),
        (ALIKE, "Where measures tell your systems apart, they agree: a is first in 2 of 2"),
        (orders({"nDCG@5": {"a": 0.5, "b": 0.5, "c": 0.5}}), "No measure tells these 3 systems apart"),
        (orders({"nDCG@5": {"a": 0.9, "b": 0.1}}, n=9), "Too few queries to compare measures: under ten"),
        (
            orders({"nDCG@5": {"a": 0.9, "b": 0.1}, "AP": {"a": 0.9, "b": 0.1}, "AWRF": {"a": 0.9, "b": 0.1}}),
            "a is better by 2 measures, b by 1",
        ),
        (
            orders({"nDCG@5": {"a": 0.9, "b": 0.1}, "AP": {"a": 0.5, "b": 0.5}}),
            "a is better by 1 measure; 1 does not tell",
        ),
    ],
)
def test_the_headline_says_whether_measures_contradict_each_other(found: Orders, title: str) -> None:
    assert orders_finding(found).title == title


def test_the_sentence_counts_tests_and_says_where_there_are_none() -> None:
    assert orders_finding(OPPOSED).sentence == (
        "3 systems are too few to say which measures agree in general. Paired t over 12 queries, corrected (Holm) for "
        "the 6 tests of all pairs of systems and measures."
    )
    uneven = OPPOSED._replace(tests=OPPOSED.tests.with_columns(n_queries=pl.Series([11, *[12] * 5])))
    assert "Paired t over 11–12 queries" in orders_finding(uneven).sentence
    few = orders({"nDCG@5": {"a": 0.9, "b": 0.1}}, n=9)
    assert orders_finding(few).sentence.endswith("9 queries are too few for any test.")


def test_one_of_each_set_that_never_contradicts_another_is_reported() -> None:
    assert report_finding(orders({"nDCG@5": {"a": 0.5, "b": 0.5}})) is None
    reported = report_finding(ALIKE)
    assert reported.title == "Report any one of them: nDCG@5 or AWRF"
    assert reported.sentence.startswith("Where nDCG@5 and AWRF tell two systems apart, they never contradict")
    opposed = report_finding(OPPOSED)
    assert opposed.title.startswith("Report nDCG@5 and AWRF side by side")
    assert opposed.sentence == ""


def test_what_has_no_test_is_named_with_its_reason() -> None:
    ids = tuple(map(str, range(12)))
    levels = {"a": np.full(12, np.nan), "b": NOISE, "c": np.append(NOISE[1:], -np.inf)}
    scores = [Scores(system=s, measure="MinSkew@5", query_ids=ids, values=v) for s, v in levels.items()]
    found = orders_of("region", scores, values_of(scores, parse_measures(["MinSkew@5"])))
    assert found.tests.is_empty()
    assert untested_words(found) == "MinSkew@5 is undefined for a; MinSkew@5 has no test (infinite for some query)."
    assert untested_words(OPPOSED) == ""


def test_the_picture_links_and_dashes_what_is_not_told_apart() -> None:
    found = orders({"nDCG@5": {"a": 0.9, "b": 0.9, "<c>": 0.1}, "AP": {"a": 0.5, "b": 0.5, "<c>": 0.5}})
    scores = values_of(
        [Scores(system="a", measure=m, query_ids=("q",), values=np.ones(1)) for m in ("nDCG@5", "AP")],
        parse_measures(["nDCG@5", "AP"]),
    )
    told, untold = order_parts(agreement_of(scores, name="region")._replace(orders=found))
    (first,), (second,) = told.blocks, untold.blocks
    assert isinstance(first, Html)
    assert (first.count("fv-joined"), first.count("fv-untold")) == (1, 0)
    assert "&lt;c&gt;" in first
    assert (str(second).count("fv-joined"), str(second).count("fv-untold")) == (0, 3)
    assert (
        untold.title
        == untold_title(found)
        == ("One measure does not tell these systems apart: its order may be chance")
    )


def test_the_table_has_a_column_per_place() -> None:
    table = orders_table(ALIKE)
    assert table.keys == ("measure", "place_1", "place_2", "place_3", "told", "pairs")
    assert table.rows == (("nDCG@5", "a", "b", "c", 3, 3), ("AWRF", "a", "b", "c", 2, 3))
    assert "Holm over 6 tests" in table.caption


def test_a_row_is_headed_by_the_question_of_its_measure() -> None:
    found = orders({"EED(by='group', norm='none')@5": {"a": 0.9, "b": 0.5}, "EED@5": {"a": 0.9, "b": 0.5}})
    names = dict.fromkeys(found.places["measure"].unique(), "lower")
    picture = str(orders_picture(found, found.separated, names))
    assert "<strong>Do all groups get equal attention?</strong>" in picture
    assert "<strong>Is attention spread evenly?</strong><small>EED@5 · lower is better</small>" in picture
    assert all(CATALOGUE[name.removesuffix(" of groups")] for name in content("methods/questions") if name not in USUAL)
