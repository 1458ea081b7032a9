"""Recorded outputs as Parquet: what comes back, whole and by ranges, is what the reader of the file gives."""

import gzip
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairviz.errors import InputError
from fairviz.io import source
from fairviz.io.by_output import StoredOutputs, stored_outputs
from fairviz.io.convert import Told
from fairviz.io.convert_outputs import convert_outputs
from fairviz.io.rag import RecordedOutputs, read_outputs
from fairviz.io.rankings import read_rankings
from fairviz.model import RagOutputs

RANGES = (("", None), ("", "q3"), ("q3", "q3"), ("q2", "q31"), ("q9", None), ("z", None))


def lines_of(seed: int = 0) -> list[dict[str, Any]]:
    """Answers of three systems in any order of lines, which record different things."""
    rng = random.Random(seed)
    found: list[dict[str, Any]] = []
    for q in range(25):
        for s in range(rng.randint(1, 3)):
            docs = rng.sample("abcdefgh", rng.randint(0, 5))
            cited = [doc for doc in docs if rng.random() < 0.5]
            asked = {"query": f"what is {q}, ü, {rng.random()}?"} if rng.random() < 0.5 else {}
            about = {"query_id": f"q{q}", "sample": s, **asked}
            utility = rng.choice([None, 0.25, 1, 0.1])
            first = {**about, "system": "a", "alpha": 2.0, "k": 5, "generator": "g", "task": "t", "dataset": "d"}
            found.append({**first, "ranking": docs, "attributed": cited, "text": f"Say “{s}”\n", "utility": utility})
            sentences = [{"text": f"One {doc}.", "citations": [doc]} for doc in cited]
            second = {**about, "system": "b", "retriever": "bm25", "policy": "oracle", "references": docs}
            found.append({**second, "answer": sentences} if sentences else {**second, "text": ""})
            if q % 3:
                found.append({**about, "system": "c", "text": "plain", "attributed": ["x", "y"][: s % 3]})
    rng.shuffle(found)
    return found


def write(folder: Path, records: list[dict[str, Any]], name: str = "answers.jsonl") -> Path:
    file = folder / name
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()
    file.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return file


def facts(outputs: RagOutputs) -> dict[str, list[tuple[object, ...]]]:
    """What is known of each query, however documents are numbered."""

    def named(docs: np.ndarray) -> list[str]:
        return [outputs.doc_ids[doc] for doc in docs.tolist()]

    found: dict[str, list[tuple[object, ...]]] = {}
    for q, query in enumerate(outputs.query_ids):
        for o in range(int(outputs.offsets[q]), int(outputs.offsets[q + 1])):
            given = outputs.given[outputs.given_offsets[o] : outputs.given_offsets[o + 1]]
            cited = outputs.attributed[outputs.attributed_offsets[o] : outputs.attributed_offsets[o + 1]]
            said = outputs.sentences.of(o, outputs.texts[o]) if outputs.sentences else None
            sentences = None if said is None else [(text, named(docs)) for text, docs in said]
            utility = outputs.utilities[o].tobytes()
            row = (outputs.samples[o], named(given), named(cited), outputs.texts[o], utility, sentences)
            found.setdefault(query, []).append(row)
    return found


def produced(outputs: RagOutputs) -> list[object]:
    names = ("system", "task", "retriever", "generator", "policy", "alpha", "k", "dataset", "given_from")
    return [getattr(outputs, name) for name in names]


def systems_of(file: Path) -> list[StoredOutputs]:
    found = stored_outputs(file)
    assert found is not None
    return found[0]


def same(one: RecordedOutputs, other: RecordedOutputs) -> None:
    assert one.questions == other.questions
    for a, b in zip(one.outputs, other.outputs, strict=True):
        assert (produced(a), a.query_ids, facts(a)) == (produced(b), b.query_ids, facts(b))


@pytest.mark.parametrize("name", ["answers.jsonl", "answers.jsonl.gz"])
def test_outputs_come_back_whole_and_by_ranges(tmp_path: Path, name: str) -> None:
    file, to = write(tmp_path, lines_of(), name), tmp_path / "answers.parquet"
    converted = convert_outputs(str(file), str(to), piece=20, group=600)
    whole, back = read_outputs(str(file)), read_outputs(str(to))
    same(back.value, whole.value)
    assert [note.message for note in back.notes] == [note.message for note in whole.notes]
    assert (converted.n_queries, converted.n_answers) == (25, len(lines_of()))
    assert min(len(about.firsts) for about in converted.systems) > 2
    for stored, outputs in zip(systems_of(to), whole.value.outputs, strict=True):
        assert stored.query_ids == outputs.query_ids
        known = facts(outputs)
        for low, high in RANGES:
            part = stored.part(low, high)
            wanted = sorted(q for q in known if q >= low and (high is None or q < high))
            assert (list(part.query_ids), produced(part)) == (wanted, produced(outputs))
            assert facts(part) == {q: known[q] for q in wanted}
            bare = stored.part(low, high, texts=False)
            assert set(bare.texts) <= {""}
            assert [row[:3] for rows in facts(bare).values() for row in rows] == [
                row[:3] for q in wanted for row in known[q]
            ]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([file.name, to.name])


@pytest.mark.parametrize("name", ["outputs.alpha-4.jsonl.gz", "outputs.oracle.jsonl.gz"])
def test_the_example_comes_back(tmp_path: Path, name: str) -> None:
    file = Path(__file__).parents[2] / "data" / "demo" / name
    convert_outputs(str(file), str(tmp_path / "a.parquet"))
    same(read_outputs(str(tmp_path / "a.parquet")).value, read_outputs(str(file)).value)


def test_an_array_and_the_track_come_back(tmp_path: Path) -> None:
    answer = [{"text": "It is.", "citations": [0, 1]}, {"text": "So.", "citations": []}]
    record = {"run_id": "r", "topic_id": "1", "topic": "why", "references": ["a", "b"], "answer": answer}
    file = tmp_path / "track.json"
    file.write_text(json.dumps([record, {**record, "topic_id": "0"}]), encoding="utf-8")
    convert_outputs(str(file), str(tmp_path / "a.parquet"))
    whole, back = read_outputs(str(file)), read_outputs(str(tmp_path / "a.parquet"))
    same(back.value, whole.value)
    assert [note.message for note in back.notes] == [note.message for note in whole.notes] != []


def test_an_array_may_be_larger_than_whole_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, to = tmp_path / "a.json", tmp_path / "a.parquet"
    file.write_text(json.dumps(lines_of(), indent=2), encoding="utf-8")
    whole = read_outputs(str(file))
    monkeypatch.setattr(source, "MAX_TEXT", 100)
    convert_outputs(str(file), str(to), piece=20, group=600)
    monkeypatch.undo()
    back = read_outputs(str(to))
    same(back.value, whole.value)
    assert [note.message for note in back.notes] == [note.message for note in whole.notes]


@pytest.mark.parametrize(
    "fault", ['{"query_id": "q"', "3", '{"text": "t"}', '{"query_id": "q1", "query_id": "q2"}', ""]
)
@pytest.mark.parametrize("behind", [False, True])
def test_what_is_refused_of_an_array_is_refused_in_the_same_words(tmp_path: Path, fault: str, behind: bool) -> None:
    file, to = tmp_path / "a.json", tmp_path / "a.parquet"
    records = [json.dumps(record) for record in lines_of()]
    file.write_text("[" + ",\n".join([*records, fault] if behind else [records[0], fault, *records[1:]]) + "]")
    with pytest.raises(InputError) as whole:
        read_outputs(str(file))
    with pytest.raises(InputError) as parts:
        convert_outputs(str(file), str(to), piece=1, group=1)
    assert (str(parts.value), parts.value.fix) == (str(whole.value), whole.value.fix)
    assert [*tmp_path.iterdir()] == [file]


A: Mapping[str, Any] = {"query_id": "q2", "text": "t", "ranking": ["d"]}


@pytest.mark.parametrize(
    "records",
    [
        [A, {**A, "query_id": "q1"}, A],
        [A, {"query_id": "q1", "text": "t"}],
        [{**A, "system": "x"}, A, {**A, "system": "x", "query_id": "q1", "references": ["d"], "ranking": ["d", "d"]}],
        [A, {"text": "t"}],
        [A, {**A, "query_id": " "}],
    ],
)
def test_what_the_reader_refuses_is_refused_in_its_words_and_nothing_is_left(
    tmp_path: Path, records: list[dict[str, Any]]
) -> None:
    file, to = write(tmp_path, records), tmp_path / "bad.parquet"
    to.write_bytes(b"as it was")
    with pytest.raises(InputError) as whole:
        read_outputs(str(file))
    with pytest.raises(InputError) as parts:
        convert_outputs(str(file), str(to), piece=1, group=1)
    assert str(parts.value) == str(whole.value)
    assert to.read_bytes() == b"as it was"
    assert {path.name for path in tmp_path.iterdir()} == {file.name, "bad.parquet"}


def test_how_far_it_is_is_told(tmp_path: Path) -> None:
    file = write(tmp_path, lines_of())
    read, sorting, wrote = [0], list[int](), list[int]()
    told = Told(read.append, sorting.append, wrote.append)
    convert_outputs(str(file), str(tmp_path / "a.parquet"), told=told, group=600)
    assert (read[-1], sorting) == (file.stat().st_size, [len(lines_of())])
    assert (sum(wrote), len(wrote) > 3) == (len(lines_of()), True)


def test_outputs_are_no_rankings_and_a_cut_file_is_one_line(tmp_path: Path) -> None:
    file, to = write(tmp_path, lines_of()), tmp_path / "a.parquet"
    convert_outputs(str(file), str(to), group=600)
    with pytest.raises(InputError, match="holds recorded outputs, and rankings or judgements are wanted"):
        read_rankings(str(to))
    (first, *_) = systems_of(to)
    content = to.read_bytes()
    to.write_bytes(content[: len(content) // 3])
    with pytest.raises(InputError, match="this Parquet file cannot be read"):
        first.part()
