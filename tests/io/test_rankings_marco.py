"""MS MARCO's runs, and tables with a header that have ranks alone."""

import numpy as np
import pytest

from fairviz.errors import InputError
from fairviz.io.formats import sniff
from fairviz.io.qrels import read_qrels
from fairviz.io.rankings import read_ranked_run, read_rankings, read_run
from fairviz.model import Run
from tests.refused import refused

RANKED = {"q1": ("d3", "d1", "d2"), "q2": ("d1",)}


def ranked(run: Run) -> dict[str, tuple[str, ...]]:
    return {
        query: tuple(run.doc_ids[doc] for doc in run.docs[start:end])
        for query, start, end in zip(run.query_ids, run.offsets[:-1], run.offsets[1:], strict=True)
    }


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
            for query, docs in RANKED.items() for rank, doc in enumerate(docs, start=1)
        )),
    ],
)  # fmt: skip
def test_the_rank_decides_and_scores_fall_from_the_last_rank(name: str, content: str) -> None:
    assert sniff((name, content.encode())).role == "run"
    parsed = read_rankings((name, content.encode()))
    assert isinstance(parsed.value, Run)
    assert ranked(parsed.value) == RANKED
    assert parsed.value.system == name.partition(".")[0]
    assert sorted(parsed.value.scores.tolist()) == [0, 0, 1, 2]  # 3 − rank in q1, 1 − 1 in q2
    by_rank = read_ranked_run((name, content.encode())).value
    assert ranked(by_rank) == RANKED


def test_scores_beside_the_ranks_decide() -> None:
    content = b"q1\td3\t1\t12.5\nq1\td1\t2\t3\nq1\td2\t3\t-.25\nq2\td1\t1\t0.5\n"
    assert sniff(("scored.tsv", content)).label == "MS MARCO run"
    run = read_run(("scored.tsv", content)).value
    assert ranked(run) == RANKED
    np.testing.assert_array_equal(run.scores, [12.5, 3, -0.25, 0.5])


@pytest.mark.parametrize("line", ["q1 0 d1 1", "q1 0 1 2", "q1 d1 1 2", "q1 0 d1 0.5", "q1 d1 7 0.5"])
def test_four_columns_that_could_be_judgements_are(line: str) -> None:
    assert sniff(("a", f"{line}\n".encode())).role == "qrels"


def test_judgements_of_documents_called_by_numbers_stay_judgements() -> None:
    assert read_qrels(("a", b"q1 0 1 2\nq1 0 2 0\n")).value.grades.tolist() == [2, 0]


@pytest.mark.parametrize(
    ("content", "error"),
    [
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
