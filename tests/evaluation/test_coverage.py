"""What each system has and lacks, counted by hand on eight documents."""

from fairviz.evaluation.coverage import Part, SystemCoverage, coverage, coverage_finding, evaluable_title
from fairviz.evaluation.outputs import Pairing, pairings
from fairviz.io.dataset import load_dataset
from fairviz.model import Dataset, Qrels

RUN = "".join(f"{q} Q0 d{r} {r} {9 - r} sysA\n" for q in ("q1", "q2", "q3") for r in range(1, 5))
SAMPLES = "".join(
    f"{q} {s} {doc} {rank} 1 sysA;policy=plackett-luce;alpha=2\n"
    for q in ("q1", "q2")
    for s, docs in (("a", ("d1", "d2")), ("b", ("d3", "d1")))
    for rank, doc in enumerate(docs, start=1)
)
QRELS = "q1 0 d1 2\nq1 0 d3 1\nq1 0 d4 0\nq2 0 d8 1\nq9 0 d1 1\n"
LABELS = "doc_id\tregion\nd1\tasia\nd2\teurope\n"
BY_QUERY = "query_id\tdoc_id\tregion\nq1\td1\tasia\nq2\td2\teurope\nq9\td2\tasia\n"
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


def test_a_run_and_its_samples_are_counted_by_hand() -> None:
    run, samples = rows(read(a_run=RUN, b_run=SAMPLES, my_qrels=QRELS, my_tsv=LABELS))
    assert (run.kind, run.n_queries, run.n_lists) == ("run", 3, 3)
    assert run.judged is not None
    assert run.judged.queries == Part(2, 3)  # q3 has no judgements
    assert run.judged.missing == ("q9",)
    assert run.judged.places == Part(1, 4)  # d1 d2 of q1 and of q2: d1 of q1
    assert run.judged.grades == (1, 1, 1, 0)  # d4, d3, d1 of q1
    assert run.judged.items_unjudged == 5  # d2 of q1, all four of q2
    assert run.labelled == (Part(6, 6),)  # d1 and d2 of three queries
    assert (samples.kind, samples.n_queries, samples.n_lists, samples.alpha) == ("samples", 2, 4, 2.0)
    assert samples.judged is not None
    assert samples.judged.places == Part(3, 8)  # q1: d1 d2, d3 d1
    assert samples.labelled == (Part(6, 8),)  # all but d3, twice


def test_labels_of_a_query_count_for_that_query_alone() -> None:
    (run,) = rows(read(a_run=RUN, my_tsv=BY_QUERY))
    assert run.judged is None
    assert run.labelled == (Part(2, 6),)  # d1 of q1, d2 of q2


def test_documents_to_which_an_attribute_does_not_apply_lack_no_label() -> None:
    (run,) = rows(read(a_run=RUN, my_tsv=LABELS + "d3\tdoes not apply\n"), k=4)
    assert run.labelled == (Part(6, 9),)  # d1 and d2 of d1 d2 d4, for three queries
    (run,) = rows(read(a_run=RUN, my_tsv=BY_QUERY + "q1\td3\tdoes not apply\n"), k=4)
    assert run.labelled == (Part(2, 11),)  # d3 of q1 lacks none


def test_outputs_belong_to_the_rankings_that_fed_them() -> None:
    sampled = ANSWER % ("2", "plackett-luce", "2", "q1")
    fixed = ANSWER % ("det", "deterministic", "null", "q3")
    oracle = ANSWER % ("best", "oracle", "null", "q1")
    loaded = read(
        a_run=RUN, b_run=SAMPLES, my_qrels=QRELS, my_tsv=LABELS, a_jsonl=sampled, b_jsonl=fixed, c_jsonl=oracle
    )
    run, samples, alone = rows(loaded)
    assert (run.n_answers, run.answered, run.generators) == (1, Part(1, 3), ("gen",))
    assert (samples.n_answers, samples.answered) == (1, Part(1, 2))
    assert (alone.kind, alone.policy, alone.n_answers, alone.answered) == ("outputs", "oracle", 1, Part(1, 1))
    assert alone.judged is not None
    assert alone.judged.places == Part(1, 2)  # d1 of d1 d5, the list that they record
    assert alone.labelled == (Part(1, 2),)


def test_outputs_without_a_list_have_none() -> None:
    answer = '{"run_id": "gen", "topic_id": "q1", "topic": "t", "references": ["d1"], "response_length": 1, '
    answer += '"answer": [{"text": "So.", "citations": [0]}]}\n'
    loaded = read(my_jsonl=answer, my_qrels=QRELS)
    (alone,) = coverage(loaded, [], [Pairing("gen", None, "alone")], k=2)
    assert (alone.n_queries, alone.judged, alone.labelled) == (0, None, ())
    assert (alone.n_answers, alone.answered) == (1, Part(1, 1))


def test_a_shared_query_that_is_missing_says_why() -> None:
    (run,) = rows(read(a_run=RUN, my_qrels=QRELS.replace("q", "Q")))
    assert run.judged is not None
    assert run.judged.places == Part(0, 0)
    assert run.judged.trouble is not None
    assert "no query in common" in run.judged.trouble[0]


def test_gaps_are_counted_over_all_systems() -> None:
    some = rows(read(a_run=RUN, b_run=SAMPLES, my_qrels=QRELS, my_tsv=LABELS))
    found = coverage_finding(some, ("region",), k=2)
    assert found.title == "2 of 2 systems have gaps"
    assert found.sentence == (
        "1 has queries without judgements; 2 have unjudged documents among the first 2; "
        "1 has unlabelled documents (region). No outputs are loaded."
    )
    assert evaluable_title(some) == "All 2 runs can be used (2 queries each)"
    whole = "".join(f"{q} 0 d{d} {d}\n" for q in ("q1", "q2", "q3") for d in (1, 2))
    (full,) = rows(read(a_run=RUN, my_qrels=whole))
    assert coverage_finding((full,), (), k=2).title == "sysA has no gaps"
    assert coverage_finding((full, full), (), k=2).title == "None of 2 systems have gaps"
    assert evaluable_title((full,)) == "3 of 3 queries can be evaluated"
    half = RUN.replace("sysA", "sysB").replace("q2", "q7").replace("q3", "q8")
    assert evaluable_title(rows(read(a_run=RUN, b_run=half, my_qrels=whole))) == (
        "All 2 runs can be used (1 to 3 queries each)"
    )
    other = half.replace("q1", "q9")
    assert evaluable_title(rows(read(a_run=RUN, b_run=other, my_qrels=whole))) == "1 of 2 runs can be used (3 queries)"
    unjudged = rows(read(a_run=RUN))
    assert coverage_finding(unjudged, (), k=2).sentence == "No judgements, group labels or outputs are loaded."
    assert evaluable_title(unjudged) == ""
