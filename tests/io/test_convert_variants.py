"""Answers to variants converted to Parquet: what is read of it is what is read of the original, noted and refused."""

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from fairviz.errors import InputError
from fairviz.io import Parsed, answer_table, read_variants, source, variant_rows
from fairviz.io import convert_variants as module
from fairviz.io.convert_variants import convert_variants
from fairviz.io.variants_by_question import StoredVariants, stored_variants
from fairviz.model import VariantAnswers
from fairviz.model.variants import AnyRecorded, of_own_names, of_rows
from tests.io.test_variants import ODD, recorded, row
from tests.studies.demographic_qa.variants_at_random import leaves

DEMO = Path(__file__).parents[2] / "data" / "demo" / "variants"


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in rows).encode()


def cell(question: str, value: str, gold: str, answer: str, **more: Any) -> dict[str, Any]:
    """An answer about a value of sex, or of nobody."""
    return row(question, "none" if value in ("neutral", "original") else "sex", value, gold, answer, **more)


def questions(golds: str, answers: str, **more: Any) -> list[dict[str, Any]]:
    """Answers to questions, each asked about two and nobody."""
    return [
        cell(f"q{i}", value, gold, answers[(3 * i + v) % len(answers)], **more)
        for i, gold in enumerate(golds)
        for v, value in enumerate(("f", "m", "neutral"))
    ]


SHUFFLED = sorted(questions("ABCAB", "ABBCA?"), key=lambda one: (one["prediction"], one["qid"]))
FILES: dict[str, bytes] = {
    "letters": lines(questions("ABCABBA", "ABCAAB")),
    "the order of the file": lines(SHUFFLED),
    "words": lines(
        questions("ABAB", "AB") and [dict(one, gold="yes", prediction="No.") for one in questions("AAAA", "A")]
    ),
    "two datasets, one id": lines(
        [dict(one, dataset=name) for name in ("x", "y") for one in questions("AB", "ABB", model="m")]
    ),
    "options of each dataset": lines(
        [dict(one, dataset="x", qid="x" + one["qid"]) for one in questions("AB", "ABB")]
        + [dict(one, dataset="y", gold="yes", prediction="no") for one in questions("AB", "ABB")]
    ),
    "open": lines(
        [dict(one, gold=f"rest {one['qid']}", prediction=f"rest {i}" * (i % 4 > 0)) for i, one in enumerate(SHUFFLED)]
    ),
    "no right answer": lines([dict(one, gold="") for one in SHUFFLED]),
    "some right answers": lines(
        [dict(one, gold="" if one["qid"] in ("q1", "q4") else one["gold"]) for one in SHUFFLED]
    ),
    "the group decides": lines(
        [cell(f"q{i}", value, gold, "A", model="m") for i in range(3) for value, gold in (("f", "A"), ("m", "B"))]
    ),
    "right answers that differ": lines([*SHUFFLED, cell("q3", "original", "C", "A")]),
    "an answer given twice": lines([*SHUFFLED, SHUFFLED[3]]),
    "a variant that lacks": lines(
        [one for i, one in enumerate(questions("ABCAB", "ABBCA", model="m")) if i not in (4, 8)]
    ),
    "several producers": lines(
        [one for name in "nm" for i, one in enumerate(questions("ABBA", "ABC", model=name)) if name == "n" or i != 7]
    ),
    "documents": lines([dict(one, retrieved=[f"d{i % 5}", one["qid"]][: i % 3]) for i, one in enumerate(SHUFFLED)]),
    "documents only": lines(
        [{k: v for k, v in one.items() if k != "prediction"} | {"retrieved": ["d1"]} for one in SHUFFLED]
    ),
    "options": lines([dict(one, options=["old", "new"][: i % 3]) for i, one in enumerate(questions("ABAB", "AB?"))]),
    "kinds that differ": lines([dict(one, kind="open" if i == 7 else "closed") for i, one in enumerate(SHUFFLED)]),
    "datasets that differ": lines(
        [dict(one, dataset="x") for one in questions("AB", "AB")]
        + [
            dict(one, dataset="y", qid="y" + one["qid"], gold=f"rest and water {i}")
            for i, one in enumerate(questions("AB", "AB"))
        ]
    ),
    "one value": lines([one for one in SHUFFLED if one["value"] != "m"]),
    "names that differ by case": lines(
        [dict(one, value=one["value"].upper() if i % 2 else one["value"]) for i, one in enumerate(SHUFFLED)]
    ),
    "odd ids": lines([dict(one, qid=one["qid"].replace("q1", "=q1").replace("q2", "q\u200b2")) for one in SHUFFLED]),
    "blank lines": lines(SHUFFLED).replace(b"}\n", b"}\n\n", 4),
    "an array": json.dumps(SHUFFLED).encode(),
    "evidence": lines([dict(one, evidence=i % 2 == 0, answerable=i % 3 > 0) for i, one in enumerate(SHUFFLED)]),
}
FILES |= {f"odd: {name}": content for name, content in ODD.items()}
ARRAYS = {
    name: b"[" + b",\n".join(line for line in content.splitlines() if line.strip()) + b"]\n"
    for name, content in FILES.items()
    if content.startswith(b"{")
}


def told(parsed: Parsed[VariantAnswers]) -> dict[str, object]:
    """All that is read, and what is noted, but for the name of the file."""
    notes = [(note.line, note.message) for note in parsed.notes]
    return dict(leaves({"value": parsed.value, "notes": notes}))


def either(path: Path, to: Path, **sizes: Any) -> tuple[object, object]:
    """What is read, or the error: of the original, and of the converted file."""

    def read(path: Path) -> object:
        return told(read_variants(str(path)))

    def convert_and_read(path: Path) -> object:
        convert_variants(str(path), str(to), **sizes)
        return read(to)

    found: list[object] = []
    for attempt in (read, convert_and_read):
        try:
            found.append(attempt(path))
        except InputError as error:
            found.append((str(error), error.fix))
    return found[0], found[1]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("sizes", [{"piece": 4, "group": 1, "at_a_time": 3}, {}], ids=["small", "whole"])
def test_what_is_read_is_what_the_original_says(tmp_path: Path, name: str, sizes: dict[str, int]) -> None:
    path, to = tmp_path / ("a.csv" if "table" in name else "a.jsonl"), tmp_path / "a.parquet"
    path.write_bytes(FILES[name])
    original, converted = either(path, to, **sizes)
    assert converted == original
    assert to.exists() == isinstance(original, dict)


@pytest.mark.parametrize("name", ARRAYS)
def test_what_is_read_of_an_array_is_what_the_original_says(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_table, "BLOCK", 200)
    path, to = tmp_path / "a.json", tmp_path / "a.parquet"
    path.write_bytes(ARRAYS[name])
    original, converted = either(path, to, piece=4, group=1, at_a_time=3)
    assert converted == original


def test_an_array_of_odd_rows_may_be_larger_than_whole_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, to = tmp_path / "a.json", tmp_path / "a.parquet"
    path.write_bytes(ARRAYS["documents"])
    original = told(read_variants(str(path)))
    for reader in (module, source):
        monkeypatch.setattr(reader, "MAX_TEXT", 100)
    convert_variants(str(path), str(to), at_a_time=4)
    monkeypatch.undo()
    assert told(read_variants(str(to))) == original


@settings(max_examples=30)
@given(recorded())
def test_rows_by_chance_say_what_the_original_says(rows: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.jsonl")
        path.write_bytes(lines(rows))
        original, converted = either(path, Path(folder, "a.parquet"), piece=3, group=2, at_a_time=2)
        assert converted == original


@pytest.mark.parametrize("name", ["answers", "open"])
def test_the_examples_say_what_they_said(tmp_path: Path, name: str) -> None:
    original, converted = either(DEMO / f"{name}.jsonl.gz", tmp_path / f"{name}.parquet", group=500)
    assert converted == original


def stored(path: Path, group: int) -> StoredVariants:
    convert_variants(str(path), str(path.with_suffix(".parquet")), group=group)
    found = stored_variants(path.with_suffix(".parquet"))
    assert found is not None
    return found


def test_row_groups_hold_whole_questions_in_the_order_of_their_first_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(FILES["the order of the file"])
    answers, converted = read_variants(str(path)).value, stored(path, 4)
    parts = [converted.part(i, i + 1) for i in range(len(converted.about.sizes))]
    assert len(parts) == converted.about.n_questions == 5
    assert [part.question_ids for part in parts] == [(question,) for question in answers.question_ids]
    for question, part in enumerate(parts):
        mine = of_own_names(of_rows(answers, np.flatnonzero(answers.questions == question)))
        assert part.given.tolist() == mine.given.tolist()
        assert (part.options, part.choices.tolist()) == (mine.options, mine.choices.tolist())
        assert [part.words.values[code] for code in part.words.codes] == [
            mine.words.values[c] for c in mine.words.codes
        ]


@pytest.mark.parametrize("name", ["evidence", "documents", "documents only", "open", "no right answer", "letters"])
def test_a_file_says_what_any_answer_records_and_which_kinds_there_are(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(FILES[name])
    answers, converted = read_variants(str(path)).value, stored(path, 4)
    assert converted.about.recorded == AnyRecorded.of(answers)
    kinds = converted.kinds
    columns = [np.column_stack([*(f.codes for f in one.factors), one.given, one.condition]) for one in (answers, kinds)]
    assert sorted(columns[1].tolist()) == np.unique(columns[0], axis=0).tolist()


def test_it_is_a_table_of_answers_for_whoever_reads_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(FILES["documents"])
    stored(path, 4)
    answers = read_variants(("a.parquet", (tmp_path / "a.parquet").read_bytes())).value
    original = read_variants(str(path)).value
    assert sorted(answers.choices.tolist()) == sorted(original.choices.tolist())
    assert sorted(answers.doc_ids) == sorted(original.doc_ids)


def test_plain_rows_are_not_read_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variant_rows, "read_rows", None)
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(FILES["letters"]))
    assert convert_variants(str(path), str(tmp_path / "a.parquet")).about.n_questions == 7
