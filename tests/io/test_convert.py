"""Files of any size as Parquet sorted by query: what comes back is what the readers of whole files give."""

import random
import resource
from dataclasses import replace
from itertools import cycle, pairwise
from pathlib import Path

import numpy as np
import pytest

from fairviz.errors import InputError, OutputError
from fairviz.io import text, trec_table
from fairviz.io.by_query import StoredLists, stored_lists
from fairviz.io.convert import Told, convert
from fairviz.io.qrels import read_qrels
from fairviz.io.rankings import read_rankings
from fairviz.model import Qrels, RankingSample, Run

RANGES = (("", None), ("", "q3"), ("q3", "q3"), ("q2", "q31"), ("q9", None), ("z", None))


def shuffled(lines: list[str], seed: int = 1) -> str:
    random.Random(seed).shuffle(lines)
    return "".join(f"{line}\n" for line in lines)


def run_text() -> str:
    rng = random.Random(0)
    docs = [f"d{i}" for i in range(40)]
    return shuffled(
        [f"q{q} Q0 {doc} 1 {rng.randint(0, 9)} bm25" for q in range(35) for doc in rng.sample(docs, rng.randint(1, 9))]
    )


def sample_text() -> str:
    rng = random.Random(0)
    return shuffled(
        [
            f"q{q} {s} {doc} {rank} 0 bm25;policy=plackett-luce;alpha=2"
            for q in range(12)
            for s in range(3)
            for rank, doc in enumerate(rng.sample("abcdefg", 4), start=1)
        ]
    )


def qrels_text(topics: int) -> str:
    rng = random.Random(0)
    return shuffled(
        [f"q{q} {t} d{d} {rng.randint(-1, 3)}" for q in range(20) for d in range(4) for t in range(1, topics + 1)]
    )


def facts(lists: Run | RankingSample | Qrels) -> dict[str, list[object]]:
    """What is known of each query, however the ids are numbered."""
    docs = [lists.doc_ids[doc] for doc in lists.docs.tolist()]
    if isinstance(lists, RankingSample):
        cut = lists.sample_offsets
        parts = [docs[a:b] for a, b in pairwise(cut.tolist())]
        offsets = lists.query_offsets
    elif isinstance(lists, Run):
        parts, offsets = list(zip(docs, lists.scores.tolist(), strict=True)), lists.offsets
    else:
        topics = [None] * len(docs) if lists.subtopics is None else [lists.subtopic_ids[t] for t in lists.subtopics]
        parts, offsets = list(zip(docs, lists.grades.tolist(), topics, strict=True)), lists.offsets
    return {q: parts[a:b] for q, a, b in zip(lists.query_ids, offsets[:-1], offsets[1:], strict=True)}


def stored(file: Path) -> StoredLists:
    found = stored_lists(file)
    assert found is not None
    return found


@pytest.mark.parametrize(("name", "lines"), [("run", run_text()), ("samples", sample_text())])
def test_rankings_come_back_whole_and_by_ranges(tmp_path: Path, name: str, lines: str) -> None:
    file, to = tmp_path / name, tmp_path / f"{name}.parquet"
    file.write_text(lines, encoding="utf-8")
    converted = convert(str(file), str(to), piece=20, group=13)
    whole, back = read_rankings(str(file)).value, read_rankings(str(to)).value
    assert (converted.about.kind, len(converted.about.firsts) > 5) == (name, True)
    assert (back.system, back.tag, back.query_ids) == (whole.system, whole.tag, whole.query_ids)
    assert facts(back) == facts(whole)
    for low, high in RANGES:
        part = stored(to).part(low, high)
        wanted = sorted(q for q in whole.query_ids if q >= low and (high is None or q < high))
        assert facts(part) == {q: facts(whole)[q] for q in wanted}
        assert list(part.query_ids) == wanted
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([file.name, to.name])


@pytest.mark.parametrize("topics", [1, 2])
def test_judgements_come_back_with_their_subtopics_and_what_they_are_a_part_of(tmp_path: Path, topics: int) -> None:
    file, to = tmp_path / "test.qrels", tmp_path / "test.parquet"
    file.write_text(qrels_text(topics), encoding="utf-8")
    convert(str(file), str(to), judgements=True, piece=30, group=9)
    whole, back = read_qrels(str(file)).value, read_qrels(str(to), generator="tiny").value
    assert (back.query_ids, facts(back), back.subtopic_ids) == (whole.query_ids, facts(whole), whole.subtopic_ids)
    assert (back.largest_grade, back.generator, back.name) == (whole.largest_grade, "tiny", whole.name)
    part = stored(to).part("q1", "q10")
    assert isinstance(part, Qrels)
    assert (part.query_ids, part.largest_grade) == (("q1",), whole.largest_grade)
    low = replace(whole, grades=np.minimum(whole.grades, 1))
    assert (low.largest_grade, whole.largest_grade) == (1, 3)


def test_a_document_twice_is_refused_with_both_lines_and_nothing_is_left(tmp_path: Path) -> None:
    file, to = tmp_path / "bad.run", tmp_path / "bad.parquet"
    to.write_bytes(b"as it was")
    file.write_text("q1 Q0 a 1 2 t\nq2 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq1 Q0 a 3 0 t\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"bad\.run:4: duplicate document a for query q1 \(first on line 1\)"):
        convert(str(file), str(to), piece=1)
    assert to.read_bytes() == b"as it was"
    assert {path.name for path in tmp_path.iterdir()} == {"bad.run", "bad.parquet"}


def test_blocks_that_are_read_in_two_ways_are_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, to = tmp_path / "a.run", tmp_path / "a.parquet"
    file.write_text(run_text().replace(" 1 ", " 7 "), encoding="utf-8")
    in_turn = cycle([True, False])
    monkeypatch.setattr(trec_table, "is_worth_it", lambda _: next(in_turn))
    monkeypatch.setattr(text, "FIRST_BLOCK", 200)
    monkeypatch.setattr(text, "BLOCK", 200)
    convert(str(file), str(to), piece=10)
    assert facts(read_rankings(str(to)).value) == facts(read_rankings(str(file)).value)


def test_what_a_killed_converter_left_is_cleared_away(tmp_path: Path) -> None:
    file, left = tmp_path / "a.run", tmp_path / ".a.parquet.pieces"
    file.write_text("q1 Q0 a 1 2 t\n", encoding="utf-8")
    left.mkdir()
    (left / "0").write_bytes(b"half a piece")
    (tmp_path / ".a.parquet.part").write_bytes(b"half a result")
    convert(str(file), str(tmp_path / "a.parquet"))
    assert {path.name for path in tmp_path.iterdir()} == {"a.run", "a.parquet"}


def test_notes_go_with_the_file(tmp_path: Path) -> None:
    file, to = tmp_path / "tied.run", tmp_path / "tied.parquet"
    file.write_text("q2 Q0 a 1 2 t\nq1 Q0 a 1 2 t\nq1 Q0 b 2 2 t\nq2 Q0 b 2 1 other\n", encoding="utf-8")
    convert(str(file), str(to), group=1)
    assert [(note.line, note.message) for note in read_rankings(str(to)).notes] == [
        (4, "more than one run tag (t, other): the first names the system"),
        (2, "2 tied scores: ordered by document id, descending (as trec_eval)"),
    ]


@pytest.mark.parametrize(
    ("ranks", "note"),
    [
        ("1221", "rank order and score order disagree for 1 of 2 queries: the scores decide (as trec_eval)"),
        ("1111", "rank column is constant: the scores decide"),
        ("1212", None),
        ("1122", None),  # constant within each query: in the whole file it is not
        ("1x21", None),  # said of the rank that is no integer
    ],
)
def test_ranks_that_contradict_scores_are_noted_as_of_the_file_itself(
    tmp_path: Path, ranks: str, note: str | None
) -> None:
    file, to = tmp_path / "ranks.run", tmp_path / "ranks.parquet"
    lines = zip("1122", "abab", ranks, "2121", strict=True)
    file.write_text("".join(f"q{q} Q0 {doc} {rank} {score} t\n" for q, doc, rank, score in lines), encoding="utf-8")
    told = [(said.line, said.message) for said in convert(str(file), str(to), group=1).notes]
    assert told == [(said.line, said.message) for said in read_rankings(str(file)).notes]
    assert [message for _, message in told if message.startswith("rank ") and "integer" not in message] == (
        [note] if note else []
    )


def test_who_asks_is_told_how_far_it_is(tmp_path: Path) -> None:
    file, seen = tmp_path / "one.run", list[tuple[str, int]]()
    file.write_text(run_text(), encoding="utf-8")
    told = Told(*(lambda n, what=what: seen.append((what, n)) for what in ("read", "sorting", "wrote")))
    convert(str(file), str(tmp_path / "one.parquet"), told=told, group=50)
    n_lines = len(run_text().splitlines())
    assert ("read", file.stat().st_size) in seen
    assert ("sorting", n_lines) in seen
    assert sum(n for what, n in seen if what == "wrote") == n_lines


def test_kinds_are_not_mistaken(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("q1 0 a 1\n", encoding="utf-8")
    convert(str(tmp_path / "a.qrels"), str(tmp_path / "a.parquet"), judgements=True)
    with pytest.raises(InputError, match="holds judgements, and rankings are wanted"):
        read_rankings(str(tmp_path / "a.parquet"))
    (tmp_path / "a.json").write_text('{"q": {"d": 1}}', encoding="utf-8")
    with pytest.raises(InputError, match="not in TREC's columns"):
        convert(str(tmp_path / "a.json"), str(tmp_path / "b.parquet"))


def test_a_full_disk_is_the_fault_of_the_result(tmp_path: Path) -> None:
    run = tmp_path / "big.run"
    run.write_text("".join(f"q{i} Q0 d{i} 1 1.0 sys\n" for i in range(20_000)))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(OutputError, match=r"result\.parquet: cannot be written"):
            convert(str(run), str(tmp_path / "result.parquet"), piece=5_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [path.name for path in tmp_path.iterdir()] == ["big.run"]
