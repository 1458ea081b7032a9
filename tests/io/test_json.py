"""JSON as the standard has it, JSON runs, and words for ids."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import InputError
from fairviz.io.corpus import read_corpus, read_queries, read_references
from fairviz.io.formats import sniff
from fairviz.io.json import json_records, parse_json, too_deep
from fairviz.io.notes import NoteBook
from fairviz.io.rag import read_outputs
from fairviz.io.rankings import read_run
from fairviz.io.source import as_source
from tests.io.written import ranked
from tests.refused import refused


def test_json_lines_are_never_called_invalid() -> None:
    """Where one value is expected, as in a JSON run."""
    for content in (b'{"scores": {"x": 1}}\n{"scores": {"x": 2}}\n', b"[1]\n[2]\n"):
        for read in (sniff, read_run, read_corpus, read_outputs):
            with pytest.raises(InputError) as wrong:
                read(("a.jsonl", content))
            assert "invalid JSON" not in str(wrong.value)


numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(st.characters(codec="utf-8"), max_size=5),
    lambda inner: st.lists(inner) | st.dictionaries(st.text('ab"[', max_size=2), inner),
    max_leaves=8,
)


@given(values, st.booleans())
def test_standard_json_is_read_as_it_is(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    if "\\u0000" not in text and "\\r" not in text:
        assert parse_json(text, file="a") == value


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"a": 1, "a": 2}', 'a:1: duplicate key "a"'),
        ('{"b": {"a": 1, "a": 2}}', 'a:1: duplicate key "a"'),
        ("[NaN]", "a:1: NaN is not valid JSON"),
        ("[-Infinity]", "a:1: -Infinity is not valid JSON"),
        ("[1e999]", "a:1: number too large: 1e999"),
        ("[" + "1" * 101 + "]", "a:1: number too large: 101 digits"),
        ('["\\ud800"]', "a:1: lone surrogate in text"),
        ("[" * 65 + "]" * 65, "a:1: JSON nested too deeply"),
        ("{'a': 1}", "a:1: invalid JSON: single quotes"),
        ("[1,\n2,\n,3]", "a:3: invalid JSON: expecting value"),
        ("", "a:1: invalid JSON"),
    ],
)
def test_what_is_no_standard_json(text: str, error: str) -> None:
    with refused(match=f"^{error}"):
        parse_json(text, file="a")


def test_depth_is_counted_outside_of_strings() -> None:
    assert not too_deep("[" * 64 + "]" * 64)
    assert too_deep("[" * 65)
    assert not too_deep(json.dumps(["[" * 100, '"[' * 100, "\\"]))
    assert not too_deep("[]" * 100)


def test_a_run_of_objects() -> None:
    parsed = read_run(("my.json", b'{"q": {"a": 1, "b": 2.5, "c": 1}, "p": {"d": 0}}'))
    assert parsed.format == "JSON run"
    assert parsed.value.system == "my"
    assert ranked(parsed.value) == {"q": [("b", 2.5), ("c", 1.0), ("a", 1.0)], "p": [("d", 0.0)]}
    assert [note.message for note in parsed.notes] == [
        "2 tied scores: ordered by document id, descending (as trec_eval)"
    ]


@pytest.mark.parametrize(
    ("read", "text", "error"),
    [
        (read_run, "{}", "a:1: no data: the object is empty"),
        (read_run, '{"q": [1]}', "a:1: query q: expected object of doc -> score, found array"),
        (read_run, '{"q": {"d": "1"}}', "a:1: query q, document d: expected a number, found string"),
        (read_run, '{"q": {"d": true}}', "a:1: query q, document d: expected a number, found true"),
        (read_run, '{"q": {"d": null}}', "a:1: query q, document d: expected a number, found null"),
        (read_run, '{"q": {"d": ' + "9" * 100 + "}, }", "a:1: invalid JSON"),
        (read_references, '{"query_id": "q", "answers": "x"}', "a:1: answers must be an array of strings"),
        (read_references, '{"query_id": "q"}', "a:1: answers must be an array of strings"),
        (read_references, '{"answers": []}', "a:1: missing query_id"),
        (read_references, '{"query_id": "q", "answers": []}\n' * 2, r"a:2: query_id q stands twice \(first on line"),
        (read_references, '{"query_id": "q",\n "answers": []}', "a:1: the record spans several lines"),
        (read_references, "7", "a:1: expected an object, found number"),
        (read_references, "\n\n", "a: no data lines"),
        (read_references, '{"query_id": "q", "answers": []}\n{', "a:2: invalid JSON"),
    ],
)
def test_runs_and_words_that_are_none(read: Callable[[tuple[str, bytes]], object], text: str, error: str) -> None:
    with refused(match=f"^{error}"):
        read(("a", text.encode()))


def test_words() -> None:
    corpus = b'{"doc_id": "d", "title": "T", "text": "x"}\n\n{"doc_id": 7, "text": ""}\n'
    parsed = read_corpus(("a", corpus))
    assert parsed.value == {"d": "T\nx", "7": ""}
    assert parsed.lines == {"d": 1, "7": 3}
    assert read_queries(("a", b'{"query_id": "q", "text": "why?"}')).value == {"q": "why?"}
    references = read_references(("a", b'{"query_id": "q", "answers": ["x", "y"]}'))
    assert references.value == {"q": ("x", "y")}
    nothing = read_references(("a", b'{"query_id": "q", "answers": []}'))
    assert [note.message for note in nothing.notes] == ["no reference answer for q"]


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
