"""Real files load; measures on them equal the expected values of ``../shared/data/real``."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairviz.errors import InputError
from fairviz.evaluation.evaluate import evaluate
from fairviz.io.dataset import add_file
from fairviz.io.formats import sniff
from fairviz.io.groups import read_groups
from fairviz.io.join import labelled_rows
from fairviz.io.qrels import read_qrels
from fairviz.io.rag import read_outputs
from fairviz.io.rankings import read_rankings, read_run
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import Dataset, Qrels, RankingSample, Run

RUNS = ("trec_eval-results.test.run", "cacm-bm25.run", "compat.run", "rag24.test.run.gz")
MEASURES = ("AP", "RBP(p=0.8,rel=2)", "RBP(p=0.8,rel=1)", "P@5", "Judged@10", "R@100", "nDCG@10")


def expected(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def per_query(run: Run, qrels: Qrels, *measures: str) -> list[dict[str, float]]:
    found = evaluate([run], parse_measures(measures), qrels=[qrels]).scores
    return [dict(zip(s.query_ids, s.values.tolist(), strict=True)) for s in found]


@pytest.mark.parametrize("file", RUNS)
def test_standard_measures(file: str, shared: Path) -> None:
    folder = shared / "data/real/runs"
    wanted = expected(folder / "expected_metrics.json")[file]
    run = read_run(folder / file).value
    assert len(run.query_ids) == wanted["queries_in_run"]
    assert run.docs.size == wanted["lines"]
    qrels = read_qrels(folder / wanted["qrels"]).value
    assert len(qrels.query_ids) == wanted["queries_in_qrels"]
    found = per_query(run, qrels, *MEASURES, "RR")
    means = wanted["mean_over_qrels_queries(-c)"]
    queries = expected(folder / "expected_per_query.json")[file]
    for name, values in zip((*MEASURES, "RR"), found, strict=True):
        theirs = name.replace("p=0.8,", "")
        assert np.mean(list(values.values())) == pytest.approx(means[theirs], abs=1e-6)
        for query, numbers in queries.items():
            assert values[query] == pytest.approx(numbers[theirs], abs=1e-6)


def test_comments_and_text_after_the_tag(shared: Path) -> None:
    folder = shared / "data/real/runs"
    plain = read_qrels(folder / "trec_eval-qrels.test.qrels").value
    commented = read_qrels(folder / "trec_eval-qrels.test.with-comments.qrels")
    assert [note.message for note in commented.notes] == ["comment line skipped (and 2 more)"]
    n_other = sum(a != b for a, b in zip(plain.doc_ids, commented.value.doc_ids, strict=True))
    assert n_other == sum("#" in doc for doc in commented.value.doc_ids)  # in a docno: no comment
    np.testing.assert_array_equal(plain.grades, commented.value.grades)
    longer = read_run(folder / "trec_eval-results.trunc.run")
    assert (longer.notes[0].line, longer.notes[0].message) == (1, "text after column 6 ignored (and 4 more)")


@pytest.mark.parametrize(
    ("file", "n_queries", "n_rows", "low", "high", "by_subtopic"),
    [
        ("covid-round1.decimal-col2.head300.qrels", 1, 300, 0, 2, False),
        ("covid-round5.negative-rel.qrels", 1, 50, 0, 2, False),
        ("msmarco-doc.dev.CRLF-tab.head200.qrels", 200, 200, 1, 1, False),
        ("rag24.test.col2-not-0.head300.qrels", 1, 300, 0, 3, False),
        ("web.201-250.ndeval-subtopics.topics201-203.qrels", 3, 3240, 0, 4, True),
        ("web.51-100.negative-rel.topic51.qrels", 1, 464, -2, 3, False),
    ],
)
def test_judgements_in_the_wild(
    file: str, n_queries: int, n_rows: int, low: int, high: int, by_subtopic: bool, shared: Path
) -> None:
    path = shared / "data/real/qrels-in-the-wild" / file
    lines = path.read_text(encoding="utf-8").split("\n")
    rows = [line.split() for line in lines if line.strip()]
    assert sniff(path).role == "qrels"
    qrels = read_qrels(path).value
    assert (len(qrels.query_ids), qrels.docs.size) == (n_queries, n_rows) == (n_queries, len(rows))
    assert (qrels.grades.min(), qrels.grades.max()) == (low, high)
    assert (qrels.subtopics is not None) == by_subtopic
    listed = [qrels.doc_ids[doc] for doc in qrels.docs]
    assert sorted(zip(listed, qrels.grades.tolist(), strict=True)) == sorted(
        (doc, int(grade)) for _, _, doc, grade in rows
    )


def test_prels_are_refused_with_a_hint(shared: Path) -> None:
    path = shared / "data/real/qrels-in-the-wild/web.1-50.prels-5col.head200.prels"
    with pytest.raises(InputError, match=r"prels:1: expected 4 columns, found 5 \(statAP prels"):
        read_qrels(path)


@pytest.mark.parametrize("generator", ["gpt-4o", "command-r-plus", "llama31-70b"])
def test_answers_of_trec_rag_2024(generator: str, shared: Path) -> None:
    folder = shared / "data/real/rag"
    wanted = expected(folder / "expected_rag.json")[generator]
    parsed = read_outputs(folder / f"rag24.test.{generator}.jsonl.gz")
    (outputs,) = parsed.value.outputs
    assert parsed.format == "TREC RAG 2024"
    assert len(outputs.query_ids) == len(outputs.texts) == wanted["topics"]
    assert outputs.given.size == wanted["references"]
    assert outputs.attributed.size == wanted["references"] - wanted["never_cited_references"]
    words = [len(text.split()) for text in outputs.texts]
    assert np.mean(words) == pytest.approx(wanted["mean_response_words(whitespace)"])
    assert wanted["out_of_range_citations"] == sum("cites" in n.message for n in parsed.notes)


def test_both_forms_of_2025_say_the_same(shared: Path) -> None:
    folder = shared / "data/real/rag"
    (by_place,) = read_outputs(folder / "rag25-format.gpt-4o.30topics.jsonl").value.outputs
    (by_id,) = read_outputs(folder / "rag25-format2-string-citations.gpt-4o.30topics.jsonl").value.outputs
    (of_2024,) = read_outputs(folder / "rag24.test.gpt-4o.jsonl.gz").value.outputs
    assert len(by_place.query_ids) == 30
    assert by_place.query_ids == by_id.query_ids
    assert by_place.texts == by_id.texts
    np.testing.assert_array_equal(by_place.given, by_id.given)
    np.testing.assert_array_equal(by_place.attributed, by_id.attributed)
    old = dict(zip(of_2024.query_ids, of_2024.texts, strict=True))
    assert [old[query] for query in by_id.query_ids] == list(by_id.texts)


@pytest.mark.parametrize("file", ["alce-human_eval_utility_completed.json.gz", "open-rag-eval-test_csv_connector.csv"])
def test_files_of_other_tools_are_refused(file: str, shared: Path) -> None:
    path = shared / "data/real/rag" / file
    for read in (read_outputs, lambda source: add_file(Dataset(), source)):
        with pytest.raises(InputError):
            read(path)


def test_claims_judged_by_ragchecker_say_what_is_used(shared: Path) -> None:
    (outputs,) = read_outputs(shared / "data/real/rag/ragchecker-checking_outputs.json").value.outputs
    assert outputs.query_ids == ("0", "1")
    # Of query 0 passages 000, 001 and 003 entail a claim of the answer, 002 none; of query 1 all three do.
    assert outputs.given.tolist() == [0, 1, 2, 3, 0, 1, 2]
    assert outputs.attributed.tolist() == [0, 1, 3, 0, 1, 2]


def test_records_of_ragchecker_that_nobody_judged_are_a_run(shared: Path) -> None:
    (run,) = add_file(Dataset(), shared / "data/real/rag/ragchecker-checking_inputs.json").runs
    assert (run.query_ids, np.diff(run.offsets).tolist()) == (("0", "1"), [4, 3])


def test_fair_ranking_submissions_and_labels(shared: Path) -> None:
    folder = shared / "data/real/fair"
    wanted = expected(folder / "expected_fair.json")
    labels = read_groups(folder / "gender-labels.tsv").value
    assert labels.attribute == "gender"
    first = read_run(folder / "fairtrec2022-task2-p09.seq1.trec.run").value
    every = read_rankings(folder / "fairtrec2022-task2-p09.seq1-5.tsv").value
    assert isinstance(every, RankingSample)
    assert len(first.query_ids) == len(every.query_ids) == wanted["n_topics"]
    assert every.n_samples.tolist() == [5] * wanted["n_topics"]
    for ranked, name in ((first, "seq1"), (every, "seq1-5")):
        counts = wanted[name]["counts"]
        n_rows, n_labelled = labelled_rows(ranked, labels)
        assert n_labelled == counts["male"] + counts["female"]
        assert n_rows - n_labelled == counts["unlabelled"]
    ids = [first.doc_ids[doc] for doc in first.docs[first.offsets[0] : first.offsets[1]]]
    start, end = every.sample_offsets[:2]
    assert [every.doc_ids[doc] for doc in every.docs[start:end]] == ids  # sequence 1 of topic 1


def test_subtopics_that_never_repeat_are_read_when_asked_for(shared: Path) -> None:
    folder = shared / "data/real/fair"
    wanted = expected(folder / "expected_fair.json")["subtopic_metrics_seq1(pyndeval via ir_measures)"]
    run = read_run(folder / "fairtrec2022-task2-p09.seq1.trec.run").value
    assert read_qrels(folder / "gender-subtopic.qrels.gz").value.subtopics is None
    qrels = read_qrels(folder / "gender-subtopic.qrels.gz", subtopics=True).value
    for values, (name, mean) in zip(per_query(run, qrels, *wanted), wanted.items(), strict=True):
        assert np.mean(list(values.values())) == pytest.approx(mean, abs=1e-6), name
