"""FairTREC submissions: header, order of lines, sequences."""

import pytest

from fairviz.errors import InputError
from fairviz.io.formats import sniff
from fairviz.io.rankings import read_rankings, read_run
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


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("id page_id\n", "a: no data lines"),
        ("id page_id\n1\n", "a:2: expected 2 columns, found 1"),
        ("id page_id\n1 a\n1 b 3\n", "a:3: expected 2 columns, found 3"),
        ("id page_id\n1 a\n\n1 a\n", r"a:4: duplicate document a for query 1 \(first on line 2\)"),
        ("id seq_no page_id\n1 1 a\n1 2 a\n1 2 a\n", "a:4: duplicate document a for query 1"),
    ],
)
def test_refused(content: str, error: str) -> None:
    with refused(match=f"^{error}"):
        read_rankings(("a", content.encode()))
