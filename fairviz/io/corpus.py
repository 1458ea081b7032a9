"""Words for ids: passages, questions and reference answers, one JSON object a line; BEIR calls each id ``_id``.

Passages and questions are plain text, too (:mod:`fairviz.io.topics`).
"""

from contextlib import closing
from dataclasses import replace
from typing import Any, cast

from fairviz.io.json import Fields, Head, json_records
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.io.topics import text_records
from fairviz.numerals import count, plural


@reader
def read_corpus(source: Source) -> Parsed[dict[str, str]]:
    """Read passages ``{doc_id or _id, title?, text}``, or an id, a tab and the text; a title becomes its first line.

    Raises:
        InputError: A record lacks a field, or an id stands twice.
    """
    return _read(source, "doc_id", "corpus")


@reader
def read_queries(source: Source) -> Parsed[dict[str, str]]:
    """Read questions ``{query_id or _id, text}``, an id, a tab and the text, or TREC's topics.

    Raises:
        InputError: A record lacks a field, or an id stands twice.
    """
    return _read(source, "query_id", "queries")


@reader
def read_references(source: Source) -> Parsed[dict[str, tuple[str, ...]]]:
    """Read reference answers ``{query_id, answers[]}``.

    Raises:
        InputError: A record lacks a field, or an id stands twice.
    """
    notes = NoteBook(source.name)
    answers: dict[str, tuple[str, ...]] = {}
    lines: dict[str, int] = {}
    with closing(json_records(source, notes)) as records:
        for line, record in records:
            fields = Fields(record, line, notes)
            query = new_id(fields, "query_id", lines)
            texts = record.get("answers")
            if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                raise fields.wrong("answers must be an array of strings", 'Write {"query_id": …, "answers": ["…"]}.')
            answers[query] = tuple(map(str, texts))
            if not answers[query]:
                fields.note(f"no reference answer for {shown(query)}", "no answer")
    label = f"reference answers to {plural(len(answers), 'query', 'queries')}"
    return notes.parsed(answers, label, lines)


def _read(source: Source, key: str, kind: str) -> Parsed[dict[str, str]]:
    parsed = read_titled(source, key)
    texts = {identifier: f"{title}\n{text}" if title else text for identifier, (title, text) in parsed.value.items()}
    return replace(cast("Parsed[Any]", parsed), value=texts, format=f"{kind}: {count(len(texts))} texts")


def read_titled(file: FileInput | Source, key: str, *, required: bool = True) -> Parsed[dict[str, tuple[str, str]]]:
    """Read titles and texts by their ids, in the order of the file.

    Args:
        file: A path or ``(name, bytes)``.
        key: What ids are called; BEIR's ``_id`` is one, too.
        required: Whether a record without a text is refused; else its text is empty.

    Raises:
        InputError: A record lacks a field, or an id stands twice.
    """
    source = as_source(file)
    notes = NoteBook(source.name)
    texts: dict[str, tuple[str, str]] = {}
    lines: dict[str, int] = {}
    is_json = Head(source).is_json
    with closing(json_records(source, notes) if is_json else text_records(source, key, notes)) as records:
        for line, record in records:
            fields = Fields(record, line, notes)
            identifier = new_id(fields, key, lines)
            if required and "text" not in record:
                raise fields.wrong("missing text", f"Write {{{key}, text}}.")
            texts[identifier] = fields.text("title"), fields.text("text")
    return notes.parsed(texts, plural(len(texts), "document"), lines)


def new_id(fields: Fields, key: str, lines: dict[str, int]) -> str:
    """The id of a record, under its key or BEIR's ``_id``; its line is noted among those of the ids before it.

    Raises:
        InputError: There is none, or it stood before.
    """
    identifier = fields.identifier("_id" if key not in fields.record and "_id" in fields.record else key)
    first = lines.setdefault(identifier, fields.line)
    if first != fields.line:
        reason = f"{key} {shown(identifier)} stands twice (first on line {first})"
        raise fields.wrong(reason, "Keep one.")
    return identifier
