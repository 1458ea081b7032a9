"""Queries by their measures: by hand, two systems and how few make their difference, order, undefined."""

import numpy as np
import polars as pl
import pytest

from fairviz.display.table import Column
from fairviz.display.theme import LIGHT
from fairviz.kernels.attention import TopK
from fairviz.kernels.pool import pool
from fairviz.model import Curve, Dataset, Run, Scores
from fairviz.points.curves import CurveSettings, PolicyName, tradeoff_curve
from fairviz.studies.queries.analysis import (
    QueryMeasures,
    analyse,
    answer_measures,
    difference_finding,
    fewest_queries,
    queries_table,
    run_measures,
    undefined_words,
)
from fairviz.studies.queries.settings import QueriesSettings
from tests.nouns import qrels_of, run_of
from tests.studies.attribution.recorded import measured as points_of
from tests.studies.attribution.recorded import recorded

QRELS = qrels_of({"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 0}, "q3": {"x": 0}})
GOOD = run_of({"q1": {"a": 2, "b": 1}, "q2": {"c": 2, "d": 1}, "q4": {"e": 1, "f": 0}}, "good")
HALF = run_of({"q1": {"b": 2, "a": 1}, "q2": {"c": 2, "d": 1}}, "half")
TWO = Dataset(name="two", runs=(GOOD, HALF), qrels=(QRELS,))
IDS = ("q2", "q1", "q4")


def measured(run: Run, *others: Scores) -> QueryMeasures:
    pools, seen = pool(run, QRELS), TopK(1)

    def curve(policy: PolicyName, alphas: tuple[float, ...]) -> Curve:
        return tradeoff_curve(
            pools, CurveSettings(alphas=np.array(alphas), attention=seen), system=run.system, policy=policy
        )

    return run_measures(curve, 0.0, others, IDS)


def values(result: QueryMeasures) -> dict[str, list[float]]:
    return {one.key: (np.round(values, 6) + 0.0).tolist() for one, values in result.sortable.items()}


def test_a_judged_query_that_a_run_lacks_is_named() -> None:
    found = analyse(TWO, QueriesSettings(k=1, beside="half"))
    lacking = "1 query (q3) judged but not ranked"
    assert [str(note) for note in found.notes] == [f"good: {lacking}", f"half: {lacking}"]


def test_the_first_finding_is_a_mean_with_its_interval_and_the_chart_has_every_value() -> None:
    found = analyse(TWO, QueriesSettings(k=1, sort="EER_at_alpha"))
    # Drawn at α = 2 by logits of (s + 1)^2, s = 1 and 0: e^4 beside e in both judged queries, q4 is not judged.
    share = np.exp(4.0) / (np.exp(4.0) + np.exp(1.0))
    (level,) = found.findings
    assert level.title == f"good: EER@1 at α = 2 {share:.3f} (no interval) over 2 queries"
    assert level.sentence.startswith(f"The middle half of the queries: {share:.3f}. Undefined, sorted last: 1 (")
    ids, drawn, label = found.charts["queries"].results
    np.testing.assert_allclose(dict(zip(ids, drawn, strict=True))["q1"], share)
    assert label == "EER@1 at α = 2"
    assert "1 undefined" in found.charts["queries"].alt


def test_bars_stand_from_the_largest_difference_down() -> None:
    chart = analyse(TWO, QueriesSettings(k=1, beside="half", alpha=0)).charts["queries"]
    (bars,) = chart.draw(colours=LIGHT).data
    assert list(bars.customdata) == ["q1", "q2"]  # the one that only the first finds, the one that both do; q4 has none
    assert list(bars.y) == [1.0, 0.0]


def test_each_query_has_its_values() -> None:
    # Two items, one seen. Drawn by pure chance each has 1/2: EE-D 0 of what is attainable, half of the useful slot
    # filled. The list as it is fills it. q4 is not judged: nothing is useful.
    extra = Scores(system="good", measure="nDCG@1", query_ids=("q1", "q2"), values=np.array([1.0, 0.5]))
    good = measured(GOOD, extra)
    np.testing.assert_equal(
        values(good),
        {
            "EED_at_alpha": [0.0, 0.0, np.nan],
            "EER_at_alpha": [0.5, 0.5, np.nan],
            "EER_list": [1.0, 1.0, np.nan],
            "nDCG@1": [0.5, 1.0, np.nan],
        },
    )
    assert good.query_ids == IDS
    assert good.along.shape == (3, 5)
    assert good.along[0, 0] == pytest.approx(0.5)
    assert (np.diff(good.along[0]) > 0).all()  # a stronger hold of the scores fills the slot
    said = "undefined, sorted last: 1 (EE-D at α = 0, EER@1 at α = 0, EER@1, deterministic and nDCG@1)"
    assert undefined_words(good) == said
    assert undefined_words(good.over(["q1"])) == ""


def test_what_tells_two_systems_apart() -> None:
    both = measured(GOOD).compared_with(measured(HALF).over(["q4", "q1", "q2"]))
    np.testing.assert_equal(values(both)["EER_list_difference"], [0.0, 1.0, np.nan])  # 1 − 1, 1 − 0
    assert "Δ EER@1, deterministic" in [column.label for column in both.sortable]
    table = queries_table(both.over(["q1"]))
    row = dict(zip(table.keys, table.rows[0], strict=True))
    assert row["query_id"] == "q1"
    assert (row["EER_list"], row["EER_list_other"], row["EER_list_difference"]) == (1.0, 0.0, 1.0)
    assert len(table.rows) == 1
    assert "Δ is the first minus the second" in table.caption


def test_undefined_queries_come_last_either_way() -> None:
    known = {"columns": (Column("AP", "AP", "number"),), "values": np.array([[0.5], [np.nan], [1.0], [0.5]])}
    along = {"along": np.empty((4, 0)), "alphas": np.empty(0), "along_label": ""}
    every = QueryMeasures(name="s", query_ids=("a", "b", "c", "d"), **known, **along)  # type: ignore[arg-type]
    assert every.sorted_by("AP", highest=True).query_ids == ("c", "a", "d", "b")
    assert every.sorted_by("AP").query_ids == ("a", "d", "c", "b")


def test_a_generator_has_its_utility_along_alpha() -> None:
    # q1: at α = 1 a utility of 1, at α = 4 of 0.5; q2 was answered at α = 4 only
    one = recorded({"q1": [("ab", "a", 1.0)]}, generator="bot", alpha=1.0)
    four = recorded({"q1": [("ab", "ab", 0.5)], "q2": [("cd", "", 0.0)]}, generator="bot", alpha=4.0)
    result = answer_measures(points_of(four, one, k=2), 0)
    assert (result.name, result.query_ids) == ("bot, α = 4", ("q1", "q2"))
    assert result.alphas.tolist() == [1.0, 4.0]
    np.testing.assert_equal(result.along, [[1.0, 0.5], [np.nan, 0.0]])
    assert values(result)["EAR"] == [1.0, 0.0]
    assert values(result)["EU"] == [0.5, 0.0]
    without = recorded({"q1": [("ab", "a", float("nan"))]}, generator="bot")
    result = answer_measures(points_of(without, k=2), 0)
    assert (result.name, result.along_label, result.along.shape) == ("bot", "EAR", (1, 0))


def test_answers_of_an_oracle_are_listed_beside_those_of_the_same_generator_or_alone() -> None:
    one = recorded({"q1": [("ab", "a", 1.0)]}, generator="bot", alpha=1.0)
    best = recorded({"q1": [("ab", "ab", 0.5)]}, generator="bot", policy="oracle")
    points = points_of(one, best, k=2)
    for among, name in ((points, "bot, oracle"), (points.filter(pl.col("place") == 1), "bot")):
        result = answer_measures(among, 1)
        assert (result.name, values(result)["EU"]) == (name, [0.5])
    assert answer_measures(points, 2) is None


def beside(first: list[float], second: list[float]) -> QueryMeasures:
    """Two systems by one measure."""

    def one(name: str, values: list[float]) -> QueryMeasures:
        n = len(values)
        return QueryMeasures(
            name=name,
            query_ids=tuple(f"q{i}" for i in range(n)),
            columns=(Column("nDCG@10", "nDCG@10", "number"),),
            values=np.array(values)[:, None],
            along=np.empty((n, 0)),
            alphas=np.empty(0),
            along_label="",
        )

    return one("A", first).compared_with(one("B", second))


@pytest.mark.parametrize(
    ("differences", "n"),
    [
        ([0.6, 0.1, -0.2, 0.5], 1),  # D = 1.0, 0.6 ≥ 0.5
        ([0.25, 0.25, 0.25, 0.25], 2),  # half of 1 by two quarters
        ([-0.4, 0.1, -0.3, -0.2], 1),  # D = −0.8, 0.4 ≥ 0.4
        ([0.5, -0.5], 0),
        ([0.9, -0.8], 1),  # D = 0.1: the first alone makes nine times as much
    ],
)
def test_the_fewest_queries_that_make_half(differences: list[float], n: int) -> None:
    assert fewest_queries(np.array(differences)) == n


def test_few_queries_make_the_difference() -> None:
    # Differences: 0.6, 0.4, eight of 0.05 and two of −0.1; D = 1.0 + 0.4 − 0.2 = 1.2, mean 0.1.
    # 0.6 makes half of 1.2, 50 %; two go the other way.
    second = [0.2] * 12
    first = [0.8, 0.6, *[0.25] * 8, 0.1, 0.1]
    finding = difference_finding(beside(first, second), "nDCG@10")
    assert finding.title == "1 of 12 queries makes 50\u202f% of the difference"
    assert finding.sentence.startswith("A minus B, nDCG@10: +0.100 on average (no significant difference)")
    assert finding.sentence.endswith("2 queries go the other way.")


def test_a_difference_that_is_none_by_chance_says_so() -> None:
    finding = difference_finding(beside([0.5, 0.6] * 6, [0.2] * 12))
    # 6 × 0.4 + 6 × 0.3 = 4.2: five times 0.4 are 2.0 and less than half, six are 2.4
    assert finding.title == "6 of 12 queries make 57\u202f% of the difference"
    assert "significant, p < 0.001" in finding.sentence


def test_what_has_no_difference_has_no_share() -> None:
    finding = difference_finding(beside([0.5, 0.3], [0.3, 0.5]))
    assert finding.title == "No difference in nDCG@10 on average"
    assert difference_finding(beside([np.nan], [0.3])) is None
    finding = difference_finding(beside([0.5, np.nan, 0.4], [0.3, 0.1, 0.4]))
    assert "(too few to test)" in finding.sentence
    assert "of 2 queries" in finding.title
