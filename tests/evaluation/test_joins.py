"""Rankings and the judgements, labels and depths that they are compared with: what is left out, by name, and why."""

from dataclasses import replace

import pytest

from fairviz.errors import InputError, UsageError
from fairviz.evaluation.compare import compare_all, score_pairs
from fairviz.evaluation.evaluate import evaluate
from fairviz.evaluation.systems import by_task, joined, judgements_of, judging, labelled, of_task
from fairviz.evaluation.tables import compared_tables, measured_tables
from fairviz.io.groups import read_groups
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import Factors, Scores
from tests.nouns import qrels_of, run_of
from tests.studies.attribution.recorded import recorded

A = run_of({"q1": {"a": 2, "b": 1}, "q2": {"b": 2, "a": 1}}, system="A")
OTHER = run_of({"301": {"a": 2, "b": 1}, "302": {"a": 2}}, system="other")
JUDGED = qrels_of({"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}})


def test_a_run_without_a_common_query_is_an_error_with_ids_of_both() -> None:
    with pytest.raises(InputError) as error:
        evaluate([OTHER], parse_measures(["nDCG@10"]), qrels=[JUDGED])
    assert str(error.value) == "other: no query in common with the qrels: 301, 302 here, q1, q2 there"
    assert error.value.fix == "Check that both files belong to the same collection."


def test_beside_another_run_it_is_left_out_by_name() -> None:
    found = evaluate([OTHER, A], parse_measures(["nDCG@10", "EED@1"]), qrels=[JUDGED])
    assert {score.system for score in found.scores} == {"A"}
    alone = evaluate([A], parse_measures(["nDCG@10", "EED@1"]), qrels=[JUDGED])
    assert [s.value for s in found.scores] == [s.value for s in alone.scores]
    (note,) = [str(note) for note in found.notes if "left out" in note.message]
    assert note.startswith("other: left out of nDCG@10, EED@1: no query in common with the qrels: 301, 302 here, q1")
    assert note.endswith("Check that both files belong to the same collection")


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


def test_labels_of_generators_do_not_stop_measures_of_answers() -> None:
    """Each run takes the labels of the generator that it fed; one that fed both, or nobody known, has a row each."""
    fed = {name: recorded({"q1": [("ab", "a", 1.0)]}, system=f"{name} answers", generator=name) for name in "gh"}
    runs = [replace(A, system="one"), replace(A, system="two"), replace(A, system="three")]
    outputs = [replace(fed["g"], retriever="one"), replace(fed["h"], retriever="two")]
    of_g = replace(JUDGED, generator="g")
    of_h = replace(qrels_of({"q1": {"b": 1}, "q2": {"b": 1}}), generator="h")
    found = evaluate([*runs, *outputs], parse_measures(["P@1", "EU"]), qrels=[of_g, of_h])
    values = {(score.system, score.measure): score.value for score in found.scores}
    # "a" stands first for q1, "b" for q2: g finds a useful, h finds b useful
    assert set(values.values()) == {0.5, 1.0}
    per_query = {s.system: list(s.values) for s in found.scores if isinstance(s, Scores) and s.measure == "P@1"}
    of_both = {"three (labels of g)": [1.0, 0.0], "three (labels of h)": [0.0, 1.0]}
    assert per_query == {"one": [1.0, 0.0], "two": [0.0, 1.0], **of_both}
    assert not any("left out" in note.message for note in found.notes)
    fed_both = [replace(recording, retriever="three") for recording in outputs]
    again = evaluate([*runs[2:], *fed_both], parse_measures(["P@1"]), qrels=[of_g, of_h])
    assert {score.system for score in again.scores} == set(of_both)


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
    known = {
        **measured_tables(found),
        **compared_tables(found, compare_all(pairs, seed=0, n_resamples=10), pairs),
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


def test_a_run_without_a_labelled_document() -> None:
    labels = read_groups(("region.tsv", b"doc_id\tregion\na\tX\nb\tY\n")).value
    elsewhere = run_of({"q1": {"x": 1, "y": 0}}, system="elsewhere")
    (left,) = labelled([A, elsewhere], labels)
    assert left.system == "elsewhere"
    assert "a, b here, x, y there" in left.reason
    with pytest.raises(InputError, match="no labelled document occurs in the run: a, b here, x, y there"):
        labelled([elsewhere], labels)


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
    assert of_task("two", runs, labels, {"one": Factors(task="A"), "two": Factors(task="B")})[0] == (runs[1],)
    found = evaluate(runs, parse_measures(["nDCG@2"]), qrels=parts)
    assert [score.query_ids for score in found.scores] == [("q1", "q3"), ("q2", "q3")]


@pytest.mark.parametrize("tasks", [{}, {"one": "A"}, {"one": "A", "two": "B"}])
def test_judgements_stay_together_where_tasks_are_not_known_or_share_them(tasks: dict[str, str]) -> None:
    runs = [run_of({"q1": {"a": 2, "b": 1}}, system=name) for name in ("one", "two")]
    table = {name: Factors(task=task) for name, task in tasks.items()}
    assert by_task([JUDGED], runs, table) == (JUDGED,)
    assert of_task("one", runs, JUDGED, {}) == (tuple(runs), JUDGED)
