"""Files that are one array: read a piece at a time, they hold and lack what all of their text does."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import InputError
from fairviz.io import json as module
from fairviz.io import source as sources
from fairviz.io.json import array_records, json_records, parse_json
from fairviz.io.notes import NoteBook
from fairviz.io.source import as_source

AWKWARD = '{"a": "]},{[\\"", "\\\\": [1, {"b": []}], "é€😀": "\\u00e9\\ud83d\\ude00"}'
WHOLE = {
    "nothing": "[]",
    "blanks in it": " \n[ \n\t ] \n",
    "one": f"[{AWKWARD}]",
    "several": f"[{AWKWARD},{AWKWARD} , {{}}\n,\n{AWKWARD}\n]\n\n",
    "no objects": '[12, -3.5e2, "x", true, null, [1, [2]], 123456789012]',
    "line ends and NUL in text": '[{"a": "x\\r\\ny"}, {"a": "\\u0000"}, {"a": "\\\\r"}]',
    "a long number with a fraction": "[" + "1" * 101 + ".5]",
    "as deep as may be": "[" * 64 + "]" * 64,
}
FAULTS = {
    "cut in a record": f'[{AWKWARD},\n{{"a": 1',
    "cut in a text": f'[{AWKWARD},\n{{"a": "x',
    "cut behind a record": f"[{AWKWARD}",
    "cut behind a comma": f"[{AWKWARD},\n",
    "opened only": "[",
    "a comma too many": f"[{AWKWARD},\n]",
    "a comma too few": f"[{AWKWARD}\n{AWKWARD}]",
    "text behind it": f"[{AWKWARD}]\nx",
    "another array behind it": f"[{AWKWARD}] []",
    "a bracket too many": f"[{AWKWARD}]\n]",
    "a fault in the last": f'[{AWKWARD},\n{AWKWARD},\n{{"a": tru}}]',
    "a name twice in the last": f'[{AWKWARD},\n{{"a": 1,\n"a": 2}}]',
    "NaN in the last": f'[{AWKWARD},\n\n{{"a": NaN}}]',
    "no finite number": f'[{AWKWARD},\n{{"a": 1e999}}]',
    "a huge number": f'[{AWKWARD},\n{{"a": {"1" * 101}}}]',
    "half a character": f'[{AWKWARD},\n{{"a": "\\ud800"}}]',
    "too deep by one": "[1," + "[" * 64 + "]" * 64 + "]",
    "too deep by far": "[" + "[" * 5000,
    "Python's quotes": "[{'a': 1}]",
    "an odd blank": "[1,\u00a02]",
}


def read(text: str, piece: int) -> list[Any]:
    return [value for _, value in array_records(as_source(("a", text.encode())), NoteBook("a"), piece=piece)]


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 64, 2**20])
@pytest.mark.parametrize("name", WHOLE)
def test_an_array_in_pieces_of_any_size_holds_what_its_text_does(name: str, piece: int) -> None:
    assert read(WHOLE[name], piece) == parse_json(WHOLE[name], file="a")


@pytest.mark.parametrize("piece", [1, 3, 2**20])
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_in_pieces_and_told_as_of_the_text(name: str, piece: int) -> None:
    with pytest.raises(InputError):
        read(FAULTS[name], piece)
    with pytest.raises(InputError) as expected:
        parse_json(FAULTS[name], file="a")
    with pytest.raises(InputError) as refused:
        next(json_records(as_source(("a", FAULTS[name].encode())), NoteBook("a")))
    assert (str(refused.value), refused.value.fix) == (str(expected.value), expected.value.fix)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab"[]{},\\\r\n\0é😀', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('ab"[', max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(values, max_size=5), st.booleans(), st.sampled_from([None, 0, 2]), st.integers(1, 20), st.data())
def test_what_is_damaged_is_refused_where_the_text_is(
    array: list[Any], ascii_only: bool, indent: int | None, piece: int, data: st.DataObject
) -> None:
    text = json.dumps(array, ensure_ascii=ascii_only, indent=indent)
    at = data.draw(st.integers(1, len(text)))
    text = text[:at] + data.draw(st.sampled_from(["", *'[]{},:"\\ \n1e'])) + text[at + data.draw(st.integers(0, 2)) :]
    assert outcome(lambda: read(text, piece)) == outcome(lambda: parse_json(text, file="a"))


def outcome(of: Callable[[], object]) -> object:
    try:
        return of()
    except InputError:
        return "refused"


def test_a_fault_at_the_end_is_told_before_anything_of_a_record() -> None:
    with pytest.raises(InputError, match=r"^a:2: invalid JSON: expecting ',' delimiter \(column 8\)"):
        next(json_records(as_source(("a", b'[3, {"query_id": "q"},\n{"a": 1]')), NoteBook("a")))
    with pytest.raises(InputError, match=r"^a:2: invalid UTF-8 byte 0xFF"):
        next(json_records(as_source(("a", b'[{"a": 1},\n{"a": "\xff"}]')), NoteBook("a")))
    with pytest.raises(InputError, match=r"^a:2: invalid UTF-8 byte 0xC3"):
        next(json_records(as_source(("a", b'[{"a": 1}]\n\xc3')), NoteBook("a")))


def test_notes_are_those_of_all_of_the_text() -> None:
    notes = NoteBook("a")
    content = b'\xef\xbb\xbf[{"a": "\\u0000"},\r{"a": 2}]'
    assert [*json_records(as_source(("a", content)), notes)] == [(1, {"a": "\ufffd"}), (2, {"a": 2})]
    assert [(note.line, note.message) for note in notes.collected] == [
        (1, "UTF-8 byte order mark removed"),
        (None, "CR-only line endings (old Mac)"),
        (1, "file is one JSON array, read as 2 records"),
        (None, "NUL character in text: read as U+FFFD"),
    ]


def test_a_record_longer_than_a_line_may_be_is_read_with_the_whole_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_JSON_LINE", 100)
    content = json.dumps([{"a": 1}, {"a": "x" * 2**21}, {"a": 2}]).encode()
    with pytest.raises(InputError, match="more than 0 MiB"):
        list(array_records(as_source(("a", content)), NoteBook("a")))
    notes = NoteBook("a")
    found = [(line, len(str(record["a"]))) for line, record in json_records(as_source(("a", content)), notes)]
    assert (found, len(notes.collected)) == ([(1, 1), (2, 2**21), (3, 1)], 1)


def test_of_an_array_beyond_the_limit_of_whole_files_the_line_of_a_fault_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_TEXT", 1000)
    file = tmp_path / "a.json"
    file.write_text("[" + ",\n".join(['{"a": 1}'] * 200) + ',\n{"a": tru}]')
    source = replace(as_source(str(file)), limit=2**62)
    with pytest.raises(InputError, match=r"a\.json:201: what stands here is no valid JSON"):
        next(json_records(source, NoteBook(source.name)))
    file.write_text("[" + ",\n".join(['{"a": 1}'] * 200) + "]")
    source = replace(as_source(str(file)), limit=2**62)
    assert len([*json_records(source, NoteBook(source.name))]) == 200
