"""What each system has and lacks, by hand: coverage, common depth, ties, documents that nobody judged."""

from dataclasses import replace
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.display.html import html_table
from fairviz.display.latex import latex_text
from fairviz.errors import UsageError
from fairviz.evaluation.compare import Comparison, bounded, compare_all, score_pairs
from fairviz.evaluation.coverage import Covered, SystemCoverage, coverage, coverage_finding, evaluable_title
from fairviz.evaluation.evaluate import evaluate
from fairviz.evaluation.systems import Pairing, at_depth, by_task, joined, judgements_of, judging, of_task, pairings
from fairviz.evaluation.tables import compared_queries_table, comparison_table, measured_tables, of_systems
from fairviz.io.groups import read_groups
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import Dataset, Factors, Qrels, Run, Scores
from tests.loaded import load_dataset
from tests.nouns import qrels_of, run_of, sample_of

RUN = "".join(f"{q} Q0 d{r} {r} {9 - r} sysA\n" for q in ("q1", "q2", "q3") for r in range(1, 5))
SAMPLES = "".join(
    f"{q} {s} {doc} {rank} 1 sysA;policy=plackett-luce;alpha=2\n"
    for q in ("q1", "q2")
    for s, docs in (("a", ("d1", "d2")), ("b", ("d3", "d1")))
    for rank, doc in enumerate(docs, start=1)
)
QRELS = "q1 0 d1 2\nq1 0 d3 1\nq1 0 d4 0\nq2 0 d8 1\nq9 0 d1 1\n"
LABELS = "doc_id\tregion\nd1\tasia\nd2\teurope\n"
ANSWER = (
    '{"system": "gen-%s", "generator": "gen", "retriever": "sysA", "policy": "%s", "alpha": %s, "query_id": "%s", '
    '"sample": "1", "ranking": ["d1", "d5"], "text": "So.", "attributed": []}\n'
)


def read(**files: str) -> Dataset:
    loaded = load_dataset([(name.replace("_", "."), text.encode()) for name, text in files.items()])
    assert not loaded.errors, loaded.errors
    return loaded.dataset


def rows(loaded: Dataset, k: int = 2) -> tuple[SystemCoverage, ...]:
    ranked = [*loaded.runs, *loaded.samples]
    judgements: list[Qrels | None] = [next(iter(loaded.qrels), None)] * len(ranked)
    return coverage(loaded, judgements, pairings(loaded.outputs, ranked), k=k)


def test_outputs_belong_to_the_rankings_that_fed_them() -> None:
    sampled = ANSWER % ("2", "plackett-luce", "2", "q1")
    fixed = ANSWER % ("det", "deterministic", "null", "q3")
    oracle = ANSWER % ("best", "oracle", "null", "q1")
    loaded = read(
        a_run=RUN, b_run=SAMPLES, my_qrels=QRELS, my_tsv=LABELS, a_jsonl=sampled, b_jsonl=fixed, c_jsonl=oracle
    )
    run, samples, alone = rows(loaded)
    assert (run.n_answers, run.answered, run.generators) == (1, Covered(1, 3), ("gen",))
    assert (samples.n_answers, samples.answered) == (1, Covered(1, 2))
    assert (alone.kind, alone.policy, alone.n_answers, alone.answered) == ("outputs", "oracle", 1, Covered(1, 1))
    assert alone.judged.places == Covered(1, 2)  # d1 of d1 d5, the list that they record
    assert alone.labelled == (Covered(1, 2),)


def test_outputs_without_a_list_have_none() -> None:
    answer = '{"run_id": "gen", "topic_id": "q1", "topic": "t", "references": ["d1"], "response_length": 1, '
    answer += '"answer": [{"text": "So.", "citations": [0]}]}\n'
    loaded = read(my_jsonl=answer, my_qrels=QRELS)
    (alone,) = coverage(loaded, [], [Pairing("gen", None, "alone")], k=2)
    assert (alone.n_queries, alone.judged, alone.labelled) == (0, None, ())
    assert (alone.n_answers, alone.answered) == (1, Covered(1, 1))


def test_gaps_are_counted_over_all_systems() -> None:
    some = rows(read(a_run=RUN, b_run=SAMPLES, my_qrels=QRELS, my_tsv=LABELS))
    found = coverage_finding(some, ("region",), k=2, unit="shops")
    assert found.title == "2 of 2 systems have gaps"
    assert found.sentence == (
        "1 has queries without judgements; 2 have unjudged shops among the first 2; "
        "1 has unlabelled shops (region). No outputs are loaded."
    )
    assert evaluable_title(some) == "Both systems can be used (2 queries each)"
    whole = "".join(f"{q} 0 d{d} {d}\n" for q in ("q1", "q2", "q3") for d in (1, 2))
    (full,) = rows(read(a_run=RUN, my_qrels=whole))
    assert coverage_finding((full,), (), k=2).title == "sysA has no gaps"
    assert coverage_finding((full, full), (), k=2).title == "None of 2 systems have gaps"
    assert evaluable_title((full,)) == "3 of 3 queries can be evaluated"
    half = RUN.replace("sysA", "sysB").replace("q2", "q7").replace("q3", "q8")
    assert evaluable_title(rows(read(a_run=RUN, b_run=half, my_qrels=whole))) == (
        "Both systems can be used (1 to 3 queries each)"
    )
    other = half.replace("q1", "q9")
    assert (
        evaluable_title(rows(read(a_run=RUN, b_run=other, my_qrels=whole))) == "1 of 2 systems can be used (3 queries)"
    )
    unjudged = rows(read(a_run=RUN))
    assert coverage_finding(unjudged, (), k=2).sentence == "No judgements, group labels or outputs are loaded."
    assert evaluable_title(unjudged) == ""


def run(system: str, *lengths: int, first: int = 0) -> Run:
    """Lists of these lengths for q0, q1, …: d0 is the best."""
    lists = {f"q{first + i}": {f"d{j}": float(-j) for j in range(n)} for i, n in enumerate(lengths)}
    return run_of(lists, system)


def lengths(one: Run) -> list[int]:
    return [end - start for start, end in zip(one.offsets[:-1].tolist(), one.offsets[1:].tolist(), strict=True)]


@pytest.mark.parametrize(
    ("depth", "expected", "words"),
    [
        ("common", [[2, 3], [3, 1]], "lists cut to their common depth of 3"),
        ("2", [[2, 2], [2, 1]], "lists cut to a depth of 2"),
        ("full", [[2, 5], [3, 1]], ""),
    ],
)
def test_lists_are_cut_to_the_smallest_depth_of_a_system_and_none_to_its_shortest_list(
    depth: str, expected: list[list[int]], words: str
) -> None:
    found = at_depth(Dataset(runs=(run("deep", 2, 5), run("flat", 3, 1))), depth)
    assert [lengths(one) for one in found.data.runs] == expected
    assert found.words == words


def test_a_list_keeps_its_first_documents_its_tag_and_its_order_of_ties() -> None:
    (cut, _) = at_depth(Dataset(runs=(run("deep", 4), run("flat", 2)))).data.runs
    assert [cut.doc_ids[doc] for doc in cut.docs] == ["d0", "d1"]
    assert (cut.system, cut.tag, cut.ties) == ("deep", "deep", "id")


def test_one_system_and_systems_of_other_queries_or_tasks_are_no_reason_to_cut() -> None:
    deep, flat, elsewhere = run("deep", 5), run("flat", 3), run("elsewhere", 1, first=7)
    assert at_depth(Dataset(runs=(deep,))).data.runs == (deep,)
    assert at_depth(Dataset(runs=(deep, elsewhere))).data.runs == (deep, elsewhere)
    tasks = {"deep": Factors(task="one"), "flat": Factors(task="other")}
    assert at_depth(Dataset(runs=(deep, flat), systems=tasks)).data.runs == (deep, flat)


def test_samples_neither_decide_nor_are_cut() -> None:
    sample = sample_of({"q0": [["d0", "d1"], ["d1", "d0"]]}, "drawn")
    deep = run("deep", 5)
    assert at_depth(Dataset(runs=(deep,), samples=(sample,))).data.samples == (sample,)
    (drawn,) = at_depth(Dataset(runs=(deep, run("flat", 1)), samples=(sample,))).data.samples
    assert drawn.docs.tolist() == sample.docs.tolist()


def test_a_sample_in_compared_data_has_the_candidates_of_the_run_that_was_cut() -> None:
    loaded = Dataset(runs=(run("deep", 5), run("flat", 3)), samples=(sample_of({"q0": [["d0"], ["d1"]]}, "deep"),))
    found, words, _ = at_depth(loaded)
    assert words == "lists cut to their common depth of 3"
    assert found.samples[0].source is found.runs[0]
    assert lengths(found.runs[0]) == [3]


def test_a_depth_below_one_is_refused() -> None:
    with pytest.raises(UsageError, match="depth"):
        at_depth(Dataset(runs=(run("a", 2),)), "0")


MONOTONE = "P@2, R@2, nDCG, nDCG@3, AP, AP(rel=2)@3, RR, Success@1, Rprec, RBP(p=0.5), RBP(rel=2), EER@2, EEL@2"


def scored(run: Run, qrels: Qrels, measures: str) -> dict[str, Scores]:
    found = evaluate([run], parse_measures([measures]), qrels=[qrels]).scores
    return {score.measure: score for score in found if isinstance(score, Scores)}


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(0, 2), min_size=3, max_size=4),
    st.dictionaries(st.sampled_from("abcde"), st.integers(0, 2), min_size=1, max_size=4),
)
def test_the_band_is_that_of_every_order_of_tied_documents(levels: list[int], grades: dict[str, int]) -> None:
    scores = dict(zip("abcde", map(float, levels), strict=False))
    qrels = qrels_of({"q": grades})
    found = scored(run_of({"q": scores}), qrels, MONOTONE)
    blocks = [sorted(doc for doc in scores if scores[doc] == level) for level in sorted(set(scores.values()))[::-1]]
    possible: dict[str, list[float]] = {measure: [] for measure in found}
    for parts in product(*map(permutations, blocks)):
        order = [doc for part in parts for doc in part]
        one = run_of({"q": {doc: float(-place) for place, doc in enumerate(order)}})
        for measure, score in scored(one, qrels, MONOTONE).items():
            possible[measure].append(score.value)
    for measure, score in found.items():
        ends = (min(possible[measure]), max(possible[measure]))
        band = score.tie_band or (score.value, score.value)
        assert band == pytest.approx(ends, nan_ok=True), measure


@pytest.mark.parametrize("measure", ["nDCG(gains={0: 1, 1: 0})@2", "Judged@2", "nDCG(judged_only=True)@2", "EED@2"])
def test_a_measure_whose_ends_sorting_does_not_find_has_no_band(measure: str) -> None:
    run = run_of({"q": {"c": 3.0, "a": 1.0, "b": 1.0}})
    assert scored(run, qrels_of({"q": {"b": 1, "c": 0}}), measure)[measure].tie_band is None


def test_ties_that_change_nothing_have_no_band_and_no_remark() -> None:
    run = run_of({"q": {"a": 3.0, "b": 1.0, "c": 1.0}}, "run")
    evaluation = evaluate([run], parse_measures(["P@2"]), qrels=[qrels_of({"q": {"a": 1}})])
    assert [note.message for note in evaluation.notes] == []


def test_a_remark_names_the_band_of_each_measure_and_who_it_is_of() -> None:
    run = run_of({"q": {"c": 3.0, "a": 1.0, "b": 1.0}}, "run")
    evaluation = evaluate([run], parse_measures(["P@2, RR"]), qrels=[qrels_of({"q": {"b": 1}})])
    assert [(note.file, note.message) for note in evaluation.notes] == [
        ("run", "tied scores: P@2 from 0.000 to 0.500, RR from 0.333 to 0.500 over all orders")
    ]


def test_an_order_that_the_ranks_gave_has_no_band() -> None:
    run = replace(run_of({"q": {"c": 3.0, "a": 1.0, "b": 1.0}}), ties="rank")
    assert scored(run, qrels_of({"q": {"b": 1}}), "P@2")["P@2"].tie_band is None


def ranked(orders: dict[str, str], system: str) -> Run:
    return run_of({q: {doc: float(-i) for i, doc in enumerate(order)} for q, order in orders.items()}, system)


def compared(ours: Run, theirs: Run, qrels: Qrels, measure: str) -> Comparison:
    measures = parse_measures([measure])
    evaluation = evaluate([ours, theirs], measures, qrels=[qrels])
    scores = [score for score in evaluation.scores if isinstance(score, Scores)]
    (row,) = bounded(compare_all([(scores[0], scores[1])], seed=0), measures, evaluation.judged)
    return row


@pytest.mark.parametrize(("ours", "theirs"), [("ab", "ba"), ("abu", "bav")], ids=["all judged", "below the cutoff"])
def test_without_unjudged_documents_above_the_cutoff_nothing_can_move(ours: str, theirs: str) -> None:
    qrels = qrels_of({"q": {"a": 1, "b": 0}})
    row = compared(ranked({"q": ours}, "ours"), ranked({"q": theirs}, "theirs"), qrels, "P@1")
    assert (row.n_unjudged, row.bounds) == (0, (1.0, 1.0))


EXACT = ("P@3", "RBP(p=0.5)", "RR", "RR(rel=2)@2", "Success@2", "R@3", "R(rel=2)@2", "nDCG", "nDCG@2", "nDCG@3")


@settings(max_examples=8)
@given(
    st.permutations("abcde"),
    st.permutations("abcde"),
    st.integers(2, 3),
    st.dictionaries(st.sampled_from("abcdez"), st.integers(0, 2), min_size=1, max_size=4),
)
def test_exact_bounds_are_the_ends_of_what_every_judgement_could_give(
    ours: list[str], theirs: list[str], depth: int, grades: dict[str, int]
) -> None:
    """Every unjudged document that either list shows above the cutoff, at every grade up to the largest."""
    lists = {"ours": ours[:depth], "theirs": theirs[:depth]}
    runs = [ranked({"q": "".join(order)}, name) for name, order in lists.items()]
    for spec in parse_measures(EXACT):
        unjudged = sorted({doc for order in lists.values() for doc in order[: spec.cutoff]} - grades.keys())
        levels = range(max(1, *grades.values(), 1) + 1)
        judged = (grades | dict(zip(unjudged, each, strict=True)) for each in product(levels, repeat=len(unjudged)))
        worlds = {f"q{i}": world for i, world in enumerate(judged)}
        whole = [ranked(dict.fromkeys(worlds, "".join(order)), name) for name, order in lists.items()]
        first, second = evaluate(whole, [spec], qrels=[qrels_of(worlds)]).scores
        possible = first.values - second.values
        row = compared(runs[0], runs[1], qrels_of({"q": grades}), spec.text)
        assert row.bounds == pytest.approx((possible.min(), possible.max()), abs=1e-9), spec.text


@pytest.mark.parametrize(
    ("measures", "heading"), [("P@2, RBP, nDCG@2, RR, R@2", "if judged"), ("P@2, AP", "if judged, about")]
)
def test_bounds_that_are_not_exact_are_called_rough(measures: str, heading: str) -> None:
    ours, theirs = ranked({"q": "aux"}, "ours"), ranked({"q": "vbx"}, "theirs")
    qrels = qrels_of({"q": {"a": 1, "b": 0}})
    rows = [compared(ours, theirs, qrels, measure) for measure in measures.split(", ")]
    table = comparison_table(rows, seed=0)
    headings = dict(zip(table.keys, table.headings, strict=True))
    assert (headings["unjudged_low"], headings["unjudged_high"]) == (heading, heading)
    assert f">{heading}<" in html_table(table)
    assert heading in latex_text(table)
    assert "over the queries that both ranked and" in table.caption
    answered = comparison_table([rows[0], rows[0]._replace(measure="EU")], seed=0)
    assert "over the queries that both ranked or answered and" in answered.caption


# Rankings and the judgements, labels and depths that they are compared with: what is left out, by name, and why.


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
