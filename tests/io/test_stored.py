"""Files of any size as Parquet: what comes back is what the original gives, whatever the order of its lines."""

import gzip
import random
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from fairviz.errors import InputError, OutputError
from fairviz.io import source
from fairviz.io.formats import sniff
from fairviz.io.notes import NoteBook
from fairviz.io.qrels import read_qrels
from fairviz.io.rankings import read_rankings
from fairviz.io.source import as_source
from fairviz.io.stored import convert_lists, convert_records
from fairviz.model import Qrels, RankingSample, Run
from tests.fuzz.law import said


def shuffled(lines: list[str]) -> str:
    random.Random(1).shuffle(lines)
    return "".join(f"{line}\n" for line in lines)


def run_text() -> str:
    rng = random.Random(0)
    docs = [f"d{i}" for i in range(40)]
    return shuffled(
        [f"q{q} Q0 {doc} 1 {rng.randint(0, 9)} bm25" for q in range(35) for doc in rng.sample(docs, rng.randint(1, 9))]
    )


def sample_text() -> str:
    rng = random.Random(0)
    lists = [(q, s, rng.sample("abcdefg", 4)) for q in range(12) for s in range(3)]
    row = "q{} {} {} {} 0 bm25;policy=plackett-luce;alpha=2"
    return shuffled([row.format(q, s, doc, rank) for q, s, docs in lists for rank, doc in enumerate(docs, start=1)])


def facts(lists: Run | RankingSample | Qrels) -> object:
    """What is known of each query, however the ids are numbered."""
    *about, queries = said(lists)
    return about, queries if isinstance(lists, Run) else [(query, sorted(rows)) for query, rows in queries]


BLANKS: tuple[Callable[[str], str], ...] = (
    str,
    lambda text: text.replace(" ", "\t"),
    lambda text: "# made by hand\n\n" + text.replace(" ", "  ").replace("\n", " \r\n"),
)


@pytest.mark.parametrize("blanks", BLANKS, ids=["blanks", "tabs", "odd blanks"])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("lines", [run_text(), sample_text()], ids=["run", "samples"])
def test_rankings_come_back(tmp_path: Path, lines: str, blanks: Callable[[str], str], packed: bool) -> None:
    file, to = tmp_path / ("one.run.gz" if packed else "one.run"), tmp_path / "one.parquet"
    text = blanks(lines).encode()
    file.write_bytes(gzip.compress(text) if packed else text)
    convert_lists(as_source(str(file)), str(to), NoteBook(""), judgements=False)
    whole, back = read_rankings(str(file)).value, read_rankings(str(to)).value
    assert (type(back), back.system, back.tag, facts(back)) == (type(whole), whole.system, whole.tag, facts(whole))
    assert sniff(str(to)).role == "run"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([file.name, to.name])


@pytest.mark.parametrize("topics", [1, 2])
def test_judgements_come_back_with_their_subtopics(tmp_path: Path, topics: int) -> None:
    rng = random.Random(0)
    lines = [f"q{q} {t} d{d} {rng.randint(-1, 3)}" for q in range(20) for d in range(4) for t in range(1, topics + 1)]
    file, to = tmp_path / "test.qrels", tmp_path / "test.parquet"
    file.write_text(shuffled(lines), encoding="utf-8")
    convert_lists(as_source(str(file)), str(to), NoteBook(""), judgements=True)
    whole, back = read_qrels(str(file)).value, read_qrels(str(to), generator="tiny").value
    assert (facts(back), set(back.subtopic_ids)) == (facts(whole), set(whole.subtopic_ids))
    assert (back.generator, back.name, sniff(str(to)).role) == ("tiny", "test", "qrels")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("q1 Q0 a 1 2 t\nq2 Q0 a 1 many t\n", r"bad\.run:2: score is not a number: many"),
        ("q1 Q0 a 1 2 t\nq2 Q0 a 1 nan t\n", r"bad\.run:2: score is not finite: nan"),
        ("q1 Q0 a 1 2 t\n\nq1 Q0 b 2\n", r"bad\.run:3: expected 6 columns"),
    ],
)
def test_the_first_faulty_line_is_named_and_the_old_file_stays(tmp_path: Path, text: str, reason: str) -> None:
    file, to = tmp_path / "bad.run", tmp_path / "bad.parquet"
    to.write_bytes(b"as it was")
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=reason):
        convert_lists(as_source(str(file)), str(to), NoteBook(str(file)), judgements=False)
    assert to.read_bytes() == b"as it was"
    assert {path.name for path in tmp_path.iterdir()} == {"bad.run", "bad.parquet"}


def test_notes_of_the_original_are_those_of_the_copy(tmp_path: Path) -> None:
    file, to = tmp_path / "tied.run", tmp_path / "tied.parquet"
    file.write_text("q1 Q0 a 1 2 t\nq1 Q0 b 2 2 t\nq1 Q0 c 3 9 t\n", encoding="utf-8")
    convert_lists(as_source(str(file)), str(to), NoteBook(""), judgements=False)
    assert [note.message for note in read_rankings(str(to)).notes] == [
        "row 1: 2 tied scores: ordered by document id, descending (as trec_eval)",
        "rank order and score order disagree for 1 of 1 query: the scores decide (as trec_eval)",
    ]


def test_records_that_make_no_table_are_refused(tmp_path: Path) -> None:
    file, to = tmp_path / "odd.jsonl", tmp_path / "odd.parquet"
    file.write_text('{"query_id": "q1", "answer": "a"}\n{"query_id": "q2", "answer"\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"odd\.jsonl: the rows make no table"):
        convert_records(as_source(str(file)), str(to))
    assert [path.name for path in tmp_path.iterdir()] == ["odd.jsonl"]


def test_a_full_disk_is_the_fault_of_the_result(tmp_path: Path) -> None:
    run = tmp_path / "big.run"
    run.write_text("".join(f"q{i} Q0 d{i} 1 1.0 sys\n" for i in range(20_000)))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, hard))
    try:
        with pytest.raises(OutputError, match=r"result\.parquet: cannot be written"):
            convert_lists(as_source(str(run)), str(tmp_path / "result.parquet"), NoteBook(""), judgements=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [path.name for path in tmp_path.iterdir()] == ["big.run"]


@pytest.mark.parametrize("name", ["a.run", "a.run.gz"])
def test_text_beyond_the_limit_of_readers_is_converted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    text = run_text().encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    monkeypatch.setattr(source, "MAX_TEXT", len(text) - 1)
    with pytest.raises(InputError, match="the limit of 0 GiB"):
        read_rankings(tmp_path / name)
    written = convert_lists(as_source(tmp_path / name), str(tmp_path / "b"), NoteBook("a"), judgements=False)
    assert written.startswith("a run; queries: 35, rows: ")
