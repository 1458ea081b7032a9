"""Rankings and the judgements, labels and depths that they are compared with: what is left out, by name, and why."""

from dataclasses import replace

import pytest

from fairviz.errors import UsageError
from fairviz.evaluation.compare import compare_all, score_pairs
from fairviz.evaluation.evaluate import evaluate
from fairviz.evaluation.systems import by_task, joined, judgements_of, judging, of_task
from fairviz.evaluation.tables import compared_queries_table, comparison_table, measured_tables, of_systems
from fairviz.io.groups import read_groups
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import Factors, Scores
from tests.nouns import qrels_of, run_of

A = run_of({"q1": {"a": 2, "b": 1}, "q2": {"b": 2, "a": 1}}, system="A")
OTHER = run_of({"301": {"a": 2, "b": 1}, "302": {"a": 2}}, system="other")
JUDGED = qrels_of({"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}})


def test_on_pages_it_is_a_refusal_with_the_reason() -> None:
    found = evaluate([OTHER], parse_measures(["nDCG@10"]), qrels=[JUDGED], refuse=False)
    (refusal,) = found.refused
    assert (refusal.system, refusal.measure) == ("other", "nDCG@10")
    assert "301, 302 here, q1, q2 there" in refusal.reason


def test_judgements_of_people_come_first_then_those_of_the_generators_that_were_fed() -> None:
    people, g, h = JUDGED, replace(JUDGED, generator="g", name="g"), replace(JUDGED, generator="h", name="h")
    assert judging(A, [g, people], {"g"}) == (people,)
    assert judging(A, [g, h], {"h"}) == (h,)
    assert judging(A, [g]) == (g,)
    assert judging(A, [g, h]) == judging(A, [g, h], {"g", "h"}) == (g, h)
    assert judgements_of(A, [g, people]) is people
    with pytest.raises(UsageError, match=r"several generators judged its lists \(g, h\): give --qrels of one"):
        judgements_of(A, [g, h])
    with pytest.raises(UsageError, match="the judgements are of g, and its lists were given to h: give --qrels h=FILE"):
        judging(A, [g], {"h"})  # labels of g are not for what fed h alone


def test_what_reads_no_judgements_stands_once_beside_labels_of_several_generators() -> None:
    labels = read_groups(("region.tsv", b"doc_id\tregion\na\tX\nb\tY\n")).value
    judged = [replace(JUDGED, generator=name) for name in "gh"]
    specs = parse_measures(["P@1", "AWRF"])
    found = evaluate([A], specs, qrels=judged, labels=labels, target="uniform")
    assert [(s.system, s.measure) for s in found.scores] == [
        ("A", "AWRF"),
        ("A (labels of g)", "P@1"),
        ("A (labels of h)", "P@1"),
    ]
    elsewhere = run_of({"301": {"x": 1}}, system="elsewhere")
    left = evaluate([A, elsewhere], specs, qrels=judged, labels=labels, target="uniform").notes
    assert {str(note).partition(":")[0] for note in left if "left out" in note.message} == {"elsewhere"}


def test_whose_labels_it_was_is_a_column_beside_the_system() -> None:
    """A has a row per generator, B as well; each is compared under the same labels."""
    judged = [replace(JUDGED, generator="g"), replace(qrels_of({"q1": {"b": 1}, "q2": {"b": 1}}), generator="h")]
    found = evaluate([A, replace(A, system="B")], parse_measures(["P@1"]), qrels=judged)
    pairs = [
        (one, other)
        for one, other in score_pairs(found, "A", set())
        if isinstance(one, Scores) and isinstance(other, Scores)
    ]
    compared = comparison_table(compare_all(pairs, seed=0, n_resamples=10), seed=0, judged=found.judged)
    known = {
        **measured_tables(found),
        "compared": of_systems(compared, found, {}),
        "compared-queries": of_systems(compared_queries_table(pairs), found, {}),
    }
    for stem in ("means", "per-query", "means-1", "compared", "compared-queries"):
        table = known[stem]
        rows = [dict(zip(table.keys, row, strict=True)) for row in table.rows]
        assert table.keys[-1] == "labels"
        assert {row["system"] for row in rows} == ({"B"} if stem.startswith("compared") else {"A", "B"})
        assert {row.get("reference", "A") for row in rows} == {"A"}
        assert {row["labels"] for row in rows} == {"g", "h"}
    lost = run_of({"q1": {"a": 1}, "q9": {"a": 1}}, system="A")
    notes = evaluate([lost], parse_measures(["P@1"]), qrels=judged).notes
    assert {(note.file, note.message.partition(":")[0]) for note in notes} == {("A", f"labels of {g}") for g in "gh"}
    alone = evaluate([A], parse_measures(["P@1"]), qrels=judged[:1])
    once = measured_tables(alone)
    assert "labels" not in once["means"].keys


def test_two_judgements_of_disjoint_queries_each_judge_their_own_run() -> None:
    other = qrels_of({"301": {"a": 1}}, name="other")
    found, left_out = joined([A, OTHER], [JUDGED, other])
    assert [one.qrels.name for one in found] == ["qrels", "other"]
    assert left_out == ()


def test_systems_of_one_name_are_measured_once_each() -> None:
    twin = run_of({"q1": {"b": 2, "a": 1}, "q2": {"a": 2, "b": 1}}, system="A")
    found = evaluate([A, twin], parse_measures(["P@1"]), qrels=[JUDGED])
    assert [list(score.values) for score in found.scores if isinstance(score, Scores)] == [[1.0, 0.0], [0.0, 1.0]]


def test_judgements_of_two_tasks_in_one_file_are_measured_task_by_task() -> None:
    """What only systems of the other task rank is no miss of this one: zeros would halve its nDCG."""
    runs = [run_of({query: {"a": 2, "b": 1}}, system=name) for name, query in (("one", "q1"), ("two", "q2"))]
    labels = qrels_of({query: {"a": 1} for query in ("q1", "q2", "q3")})
    parts = by_task([labels], runs, {"one": Factors(task="A"), "two": Factors(task="B")})
    assert [part.query_ids for part in parts] == [("q1", "q3"), ("q2", "q3")]  # nobody says whose q3 is
    assert of_task("two", runs, {"one": Factors(task="A"), "two": Factors(task="B")}) == (runs[1],)
    found = evaluate(runs, parse_measures(["nDCG@2"]), qrels=parts)
    assert [score.query_ids for score in found.scores] == [("q1", "q3"), ("q2", "q3")]


@pytest.mark.parametrize("tasks", [{}, {"one": "A"}, {"one": "A", "two": "B"}])
def test_judgements_stay_together_where_tasks_are_not_known_or_share_them(tasks: dict[str, str]) -> None:
    runs = [run_of({"q1": {"a": 2, "b": 1}}, system=name) for name in ("one", "two")]
    table = {name: Factors(task=task) for name, task in tasks.items()}
    assert by_task([JUDGED], runs, table) == (JUDGED,)
    assert of_task("one", runs, {}) == tuple(runs)
