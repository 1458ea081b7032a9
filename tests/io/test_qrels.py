"""Judgements: round trips, what column 2 means, grades."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import InputError
from fairviz.io.groups import labels_from_qrels
from fairviz.io.qrels import read_qrels, write_qrels
from fairviz.model import Qrels
from tests.io.written import ids, query_ids, written
from tests.nouns import qrels_of
from tests.refused import refused

judgements = st.dictionaries(
    query_ids, st.dictionaries(ids, st.integers(-1000, 1000), min_size=1, max_size=4), min_size=1, max_size=4
).map(qrels_of)


def rows(qrels: Qrels) -> list[tuple[str, str | None, str, int]]:
    judged = qrels.to_polars()
    judged = judged if qrels.subtopics is not None else judged.with_columns(subtopic=None)
    return judged.select("query_id", "subtopic", "doc_id", "grade").rows()


def read(content: str, **options: bool) -> Qrels:
    return read_qrels(("a.qrels", content.encode()), **options).value


@given(judgements)
def test_judgements_survive_their_file(qrels: Qrels) -> None:
    assert rows(read_qrels(written(write_qrels, qrels)).value) == rows(qrels)


@given(
    st.lists(
        st.tuples(st.sampled_from("pq"), ids, st.sampled_from("xyz"), st.integers(-2, 3)),
        min_size=1,
        max_size=8,
        unique_by=lambda row: row[:3],
    )
)
def test_subtopics_survive_their_file(judged: list[tuple[str, str, str, int]]) -> None:
    content = "".join(f"{query} {sub} {doc} {grade}\n" for query, sub, doc, grade in judged)
    first = read(content, subtopics=True)
    assert sorted(rows(first)) == sorted(judged)
    again = read_qrels(written(write_qrels, first), subtopics=True).value
    assert rows(again) == rows(first)
    pairs = [(query, doc) for query, _, doc, _ in judged]
    repeated = len(set(pairs)) < len(pairs)
    assert (read(content).subtopics is not None) == repeated


def test_a_counter_in_column_2_is_no_subtopic() -> None:
    qrels = read("q 1 a 1\nq 2 b 0\nq 3 c 2\n")
    assert qrels.subtopics is None
    assert rows(qrels) == [("q", None, "a", 1), ("q", None, "b", 0), ("q", None, "c", 2)]


def test_a_judgement_that_stands_twice_is_read_once() -> None:
    assert rows(read("q 0 a 1\nq 0 a 1\nq 0 b 0\n")) == [("q", None, "a", 1), ("q", None, "b", 0)]


BEIR = "query-id\tcorpus-id\tscore\nq2\td1\t1\nq1\td2\t2\n"


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("q 0 a 1\nq 0 b 0\nq 0 a 2\n", r"3: conflicting judgements for q a: 1 \(line 1"),
        ("q 1 a 1\nq 2 a 0\n\nq 2 a 1\n", "4: conflicting judgements"),
        ('q 0 d1 1\nq 0 "d1" 1\n', '2: quotes around "d1"'),
        *((f"q 0 a 1\nq 0 b {grade}\n", "2: relevance .* out of range") for grade in ("1001", "-1001", "9" * 30)),
        *((f"q 0 a 1\nq 0 b {grade}\n", "2: relevance .*not an integer") for grade in ("1.5", "1e1", "nan", "٣")),
        ("q 0 a 1\nq 0 b rel\n", r"2: relevance .*not an integer: rel \(looks like a header\)"),
        (BEIR + "q1\td2\n", "4: 2 cells, header has 3"),
        (BEIR + "q1\td2\tyes\n", "4: relevance is not an integer"),
        (BEIR + "q1\t\t1\n", "4: corpus-id is missing"),
        (BEIR + "q 1\td2\t1\n", "4: query id 'q 1' is blank or holds a blank"),
        (BEIR + "q2\td1\t0\n", r"4: conflicting judgements for q2 d1: 1 \(line 2\) and 0"),
    ],
)
def test_refused(content: str, error: str) -> None:
    with refused(match=f"^a.qrels:{error}"):
        read(content)


def test_a_document_judged_twice_is_refused_where_column_2_holds_no_subtopics() -> None:
    with refused(match=r"^a.qrels:2: q a is judged more than once"):
        read("q 1 a 1\nq 2 a 0\n", subtopics=False)


def test_grades_read_with_a_note() -> None:
    parsed = read_qrels(("a", b"q 0 a -1\nq 0 b 2.0\nq 0 c +1\nq 0 d -2\n"))
    assert parsed.value.grades.tolist() == [-1, 2, 1, -2]
    assert parsed.format == "TREC qrels, grades −2–2"
    assert [(note.line, note.message) for note in parsed.notes] == [
        (2, "relevance 2.0 read as 2"),
        (1, "negative relevance treated as 0: -1 (and 1 more)"),
    ]


def test_queries_that_stand_apart_are_put_together() -> None:
    parsed = read_qrels(("a", b"q 0 a 1\np 0 a 0\nq 0 b 2\n"))
    assert rows(parsed.value) == [("q", None, "a", 1), ("q", None, "b", 2), ("p", None, "a", 0)]
    assert parsed.lines == {"q": 1, "p": 2}


def test_subtopics_as_groups_per_query() -> None:
    qrels = read("q x a 1\nq y a 2\nq x b 1\nq y c 0\np y a 1\n")
    labels = labels_from_qrels(qrels)
    assert labels.groups == ("x", "y")
    assert labels.query_ids == ("q", "q", "p")
    assert labels.doc_ids == ("a", "b", "a")
    assert labels.weights.toarray().tolist() == [[0.5, 0.5], [1, 0], [0, 1]]
    with pytest.raises(InputError, match="column 2 holds no subtopics"):
        labels_from_qrels(read("q 0 a 1\n"))


def test_columns_of_beir_are_those_of_trec_without_the_second() -> None:
    assert rows(read(BEIR)) == rows(read("q2 0 d1 1\nq1 0 d2 2\n"))
    assert rows(read(BEIR.replace("\t", ",").replace("\n", "\r\n"))) == rows(read(BEIR))
    parsed = read_qrels(("a.tsv", BEIR.encode()))
    assert (parsed.format, parsed.lines, parsed.notes) == ("TSV qrels, grades 1–2", {"q2": 2, "q1": 3}, ())
    assert parsed.value.subtopics is None
