"""Submissions of FairTREC, MS MARCO's runs, tables that have ranks alone; and runs in the order of their ranks."""

import numpy as np
import pytest

from fairviz.errors import InputError
from fairviz.io.formats import sniff
from fairviz.io.qrels import read_qrels
from fairviz.io.rankings import read_ranked_run, read_rankings, read_run
from fairviz.model import RankingSample, Run
from tests.io.written import drawn, ranked, read_samples
from tests.refused import refused


@pytest.mark.parametrize("separator", ["\t", " ", "  "])
def test_one_ranking_of_each_topic(separator: str) -> None:
    rows = ["id page_id", "1 b", "2 c", "1 a"]
    content = "".join(row.replace(" ", separator) + "\n" for row in rows)
    parsed = read_rankings(("mine.tsv", content.encode()))
    assert isinstance(parsed.value, Run)
    assert parsed.value.system == "mine"
    assert ranked(parsed.value) == {"1": [("b", 1.0), ("a", 0.0)], "2": [("c", 0.0)]}
    assert parsed.lines == {"1": 2, "2": 3}


def test_columns_are_those_of_the_header_in_any_order() -> None:
    usual = b"id\tseq_no\tpage_id\nq1\t1\tb\nq1\t1\ta\nq2\t1\tb\n"
    swapped = b"page_id\tid\tseq_no\nb\tq1\t1\na\tq1\t1\nb\tq2\t1\n"
    assert sniff(("a", swapped)).label == "FairTREC run"
    assert ranked(read_run(("a", swapped)).value) == ranked(read_run(("a", usual)).value)


def test_sequences_are_a_sample() -> None:
    content = b"id\tseq_no\tpage_id\n1\t1\tb\n1\t1\ta\n1\t2\ta\n1\t2\tb\n"
    parsed = read_rankings(("mine.tsv", content))
    assert isinstance(parsed.value, RankingSample)
    assert drawn(parsed.value) == {"1": [["b", "a"], ["a", "b"]]}
    with pytest.raises(InputError, match="a sample of rankings, not a run"):
        read_run(("mine.tsv", content))


def test_one_sequence_is_a_run_unless_said_otherwise() -> None:
    content = b"id seq_no page_id\n1 1 b\n1 1 a\n"
    assert ranked(read_run(("a", content)).value) == {"1": [("b", 1.0), ("a", 0.0)]}
    assert drawn(read_samples(("a", content)).value) == {"1": [["b", "a"]]}


def test_odd_ids_are_noted_beside_other_notes() -> None:
    for header in ("id page_id", "id seq_no page_id"):
        row = "1 1 =a" if "seq_no" in header else "1 =a"
        parsed = read_rankings(("a", f"\ufeff{header}\n{row}\n".encode()))
        assert [note.line for note in parsed.notes] == [1, 2]


BEST_FIRST = {"q1": ("d3", "d1", "d2"), "q2": ("d1",)}


def order_of(run: Run) -> dict[str, tuple[str, ...]]:
    return {query: tuple(doc for doc, _ in rows) for query, rows in ranked(run).items()}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("tabs.tsv", "q1\td3\t1\nq1\td1\t2\nq1\td2\t3\nq2\td1\t1\n"),
        ("blanks.run", "q1 d3 1\nq1 d1 2\nq1 d2 3\nq2 d1 1\n"),
        ("odd.run", "# made by hand\n\nq1  d3 1\n q1\td1 2\nq1 d2 3\r\nq2 d1 1"),
        ("unsorted.run", "q1 d2 3\nq2 d1 1\nq1 d3 1\nq1 d1 2\n"),
        ("table.csv", "qid,pid,rank\nq1,d3,1\nq1,d1,2\nq1,d2,3\nq2,d1,1\n"),
        ("records.jsonl", "".join(
            f'{{"query_id": "{query}", "doc_id": "{doc}", "rank": {rank}}}\n'
            for query, docs in BEST_FIRST.items() for rank, doc in enumerate(docs, start=1)
        )),
    ],
)  # fmt: skip
def test_the_rank_decides_and_scores_fall_from_the_last_rank(name: str, content: str) -> None:
    assert sniff((name, content.encode())).role == "run"
    parsed = read_rankings((name, content.encode()))
    assert isinstance(parsed.value, Run)
    assert order_of(parsed.value) == BEST_FIRST
    assert parsed.value.system == name.partition(".")[0]
    assert sorted(parsed.value.scores.tolist()) == [0, 0, 1, 2]  # 3 − rank in q1, 1 − 1 in q2
    by_rank = read_ranked_run((name, content.encode())).value
    assert order_of(by_rank) == BEST_FIRST


def test_scores_beside_the_ranks_decide() -> None:
    content = b"q1\td3\t1\t12.5\nq1\td1\t2\t3\nq1\td2\t3\t-.25\nq2\td1\t1\t0.5\n"
    assert sniff(("scored.tsv", content)).label == "MS MARCO run"
    run = read_run(("scored.tsv", content)).value
    assert order_of(run) == BEST_FIRST
    np.testing.assert_array_equal(run.scores, [12.5, 3, -0.25, 0.5])


@pytest.mark.parametrize("line", ["q1 0 d1 1", "q1 0 1 2", "q1 d1 1 2", "q1 0 d1 0.5", "q1 d1 7 0.5"])
def test_four_columns_that_could_be_judgements_are(line: str) -> None:
    assert sniff(("a", f"{line}\n".encode())).role == "qrels"


def test_judgements_of_documents_called_by_numbers_stay_judgements() -> None:
    assert read_qrels(("a", b"q1 0 1 2\nq1 0 2 0\n")).value.grades.tolist() == [2, 0]


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("id page_id\n", "a: no data lines"),
        ("id page_id\n1\n", "a:2: expected 2 columns, found 1"),
        ("id page_id\n1 a\n1 b 3\n", "a:3: expected 2 columns, found 3"),
        ("id page_id\n1 a\n\n1 a\n", r"a:4: duplicate document a for query 1 \(first on line 2\)"),
        ("id seq_no page_id\n1 1 a\n1 2 a\n1 2 a\n", "a:4: duplicate document a for query 1"),
        ("q1 d1 1\nq1 d2\n", "a:2: expected 3 columns, found 2"),
        ("q1 d1 1\nq1 d2 2 0.5\n", "a:2: expected 3 columns, found 4"),
        ("q1 d1 1\nq1 d1 2\n", r"a:2: duplicate document d1 for query q1 \(first on line 1\)"),
        ("q1 d1 1\nq1 d2 two\n", "a:2: rank is not a number"),
        ("q1 d1 1\nq1 d2 " + "9" * 400 + "\n", "a:2: rank overflows to infinity"),
        ("q1 d1 2\nq2 d1 1\nq1 d2 2\n", "a:3: rank 2 of query q1 stands on line 1, too"),
        ("1 1 8412\n1 1 97\n", "a:1: no rank in column 3 is 1: the smallest is 97"),
        ("q1 d1 1 0.5\nq1 d2 2 nan\n", "a:2: score is not finite: nan"),
        ("qid,pid,rank\nq,a,1\nq,b,\n", "a:3: rank is missing"),
        ("qid,pid,rank\nq,a,1\nq,b,x\n", "a:3: rank is not a number"),
    ],
)
def test_refused(content: str, error: str) -> None:
    with refused(match=f"^{error}"):
        read_rankings(("a", content.encode()))


def test_equal_ranks_are_told() -> None:
    content = b"qid,pid,rank\nq1,d1,1\nq1,d2,2\nq1,d3,2\n"
    parsed = read_rankings(("a", content))
    assert [note.message for note in parsed.notes] == [
        "2 tied scores: ordered by document id, descending (as trec_eval)"
    ]
    with pytest.raises(InputError, match=r"^a:4: rank and score of query q1 stand on line 3, too"):
        read_rankings(("a", content), ties="rank")


def read_ranks(text: str, name: str = "a.run") -> tuple[dict[str, dict[str, float]], list[str]]:
    """The ranks by which documents stand in their order, and the notes."""
    parsed = read_ranked_run((name, text.encode()))
    ranks = {query: {doc: -score for doc, score in rows} for query, rows in ranked(parsed.value).items()}
    return ranks, [note.message for note in parsed.notes]


def test_ranks_as_given_in_any_order_of_lines() -> None:
    ranks, notes = read_ranks("q2 Q0 b 5 1 t\nq1 Q0 a 9 3 t\nq2 Q0 a 2 8 t\nq1 Q0 c 4 1 t\n")
    assert ranks == {"q2": {"a": 2, "b": 5}, "q1": {"c": 4, "a": 9}}
    assert notes == ["rank order and score order disagree for 1 of 2 queries: the ranks decide"]


def test_ties_of_scores_are_no_matter() -> None:
    """By score b would stand first; the ranks say a, and no note speaks of ties."""
    ranks, notes = read_ranks("q Q0 a 1 2 t\nq Q0 b 2 2 t\n")
    assert (list(ranks["q"].items()), notes) == ([("a", 1), ("b", 2)], [])


@pytest.mark.parametrize("ranks", ["0 0", "1 1", "x 1", "1.5 2", "-1 1", "1e300 2"])
def test_ranks_that_say_nothing(ranks: str) -> None:
    """Then the scores do: b before a."""
    first, second = ranks.split()
    found, notes = read_ranks(f"q Q0 a {first} 1 t\nq Q0 b {second} 2 t\n")
    assert found == {"q": {"b": 1, "a": 2}}
    assert notes[-1] == "rank column cannot be used: ranks are counted in the order of the scores"


def test_formats_without_ranks() -> None:
    assert read_ranks('{"q": {"a": 1, "b": 2}}', "a.json") == ({"q": {"b": 1, "a": 2}}, [])
    assert read_ranks("id\tpage_id\n1\t7\n1\t5\n", "fair.tsv") == ({"1": {"7": 1, "5": 2}}, [])
