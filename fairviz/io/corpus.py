"""Words for ids: passages, questions and reference answers, one JSON object a line; BEIR calls each id ``_id``.

Questions and passages are tables with a header, too, whose words are called ``text``, by PyTerrier ``query`` and by
Pyserini ``contents``; or plain text: the topics of TREC, or an id, a tab and the words on a line. Topics are
``<top>`` with ``<num>`` ("Number: 301") and ``<title>``, or ``<topic number="1">`` with ``<query>`` or ``<title>``; a
tag ends where the next begins. Descriptions and narratives are for assessors: they are not read. MS MARCO's queries and
passages have a tab.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from fairviz.errors import InputError
from fairviz.io.answer_table import read_rows
from fairviz.io.columns import DOC, QUERY
from fairviz.io.json import FileRow, Head, Json, json_records
from fairviz.io.names import folded
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.io.text import whole_text
from fairviz.numerals import plural


@reader
def read_corpus(source: Source) -> Parsed[dict[str, str]]:
    """Read passages ``{doc_id or _id, title?, text}``, or an id, a tab and the text; a title becomes its first line.

    A table with a header (CSV, TSV, Parquet) has these columns.

    Raises:
        InputError: A record lacks a field, or an id stands twice.
    """
    return _read(source, "doc_id", "corpus")


@reader
def read_queries(source: Source) -> Parsed[dict[str, str]]:
    """Read questions ``{query_id or _id, text}``, an id, a tab and the text, or TREC's topics.

    A table with a header (CSV, TSV, Parquet) has these columns.

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
    for line, record in json_records(source, notes):
        fields = FileRow(record, line, notes)
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
    return replace(cast("Parsed[Any]", parsed), value=texts, format=f"{kind}: {plural(len(texts), 'text')}")


def read_titled(file: FileInput | Source, key: str, *, required: bool = True) -> Parsed[dict[str, tuple[str, str]]]:
    """Read titles and texts by their ids, in the order of the file.

    Args:
        file: A path or ``(name, bytes)``.
        key: What ids are called: "doc_id" or "query_id", or any of their other names.
        required: Whether a record without a text is refused; else its text is empty.

    Raises:
        InputError: A record lacks a field, or an id stands twice.
    """
    source = as_source(file)
    notes = NoteBook(source.name)
    texts: dict[str, tuple[str, str]] = {}
    lines: dict[str, int] = {}
    for fields in _records(source, key, notes):
        identifier = new_id(fields, key, lines)
        words = next((name for name in _WORDS_OF[key] if name in fields.record), "text")
        if required and words not in fields.record:
            raise fields.wrong("missing text", f"Write {{{key}, text}}.")
        texts[identifier] = fields.text("title"), fields.text(words)
    return notes.parsed(texts, plural(len(texts), "document"), lines)


def _records(source: Source, key: str, notes: NoteBook) -> Iterator[FileRow]:
    """The records of a file: JSON, a table whose header names ids and words, or lines of text."""
    head = Head(source)
    if not head.is_json and holds_words(head.keys, key):
        return read_rows(source, f"Write columns {key}, text.", notes, quoted_tabs=False)
    records = json_records(source, notes) if head.is_json else _text_records(source, key, notes)
    return (FileRow(record, line, notes) for line, record in records)


def new_id(fields: FileRow, key: str, lines: dict[str, int]) -> str:
    """The id of a record, under its key or another name of it; its line is noted among those of the ids before it.

    Raises:
        InputError: There is none, or it stood before.
    """
    identifier = fields.identifier(next((name for name in NAMES[key] if name in fields.record), key))
    fields.refuse_again(lines, identifier, f"{key} {shown(identifier)}", "Keep one.")
    return identifier


# Words under a header.

NAMES: Mapping[str, Sequence[str]] = {"query_id": (*QUERY, "_id"), "doc_id": (*DOC, "_id", "id")}
"""What ids are called, the first that a record has counts."""
_WORDS_OF: Mapping[str, Sequence[str]] = {"query_id": ("text", "query"), "doc_id": ("text", "contents")}


def holds_words(names: set[str], key: str) -> bool:
    """Whether names of columns, or of a record, are those of words for ids.

    Examples:
        >>> holds_words({"qid", "query"}, "query_id"), holds_words({"qid", "docno", "query"}, "query_id")
        (True, False)
        >>> holds_words({"id", "contents"}, "doc_id"), holds_words({"doc_id", "title"}, "doc_id")
        (True, False)
    """
    of_others = {*DOC, "references"} if key == "query_id" else set[str]()
    return bool(names & {*NAMES[key]}) and bool(names & {*_WORDS_OF[key]}) and not names & of_others


# Words as plain text.

_TOPIC = re.compile(r"<top(?:ic)?(?=[\s>])([^>]*)>", re.IGNORECASE)
_BEFORE = re.compile(r"\s*(?:<(?:\?xml|topics|xml|!--)[^>]*>\s*)*(?=<top)", re.IGNORECASE)
_NUMBER = re.compile(r"<num>\s*(?:Number\s*:)?\s*([^\s<]+)|\bnumber\s*=\s*[\"']([^\"'<]+)[\"']", re.IGNORECASE)
_WORDS = re.compile(r"<(?:title|query)>\s*(?:Topic\s*:)?([^<]*)", re.IGNORECASE)
_IDS = frozenset({"query_id", "qid", "q_id", "topic_id", "doc_id", "docid", "docno", "pid", "id"})


def are_topics(text: str) -> bool:
    r"""Whether the first part of a file is of TREC's topics.

    Examples:
        >>> are_topics("<top>\n<num> Number: 301"), are_topics("<html><top>")
        (True, False)
    """
    before = _BEFORE.match(text)
    return before is not None and _TOPIC.match(text, before.end()) is not None


def are_tab_lines(text: str) -> bool:
    r"""Whether the first lines of a file are an id, a tab and words each, more than one word somewhere.

    Examples:
        >>> are_tab_lines("q1\twho was first?\n"), are_tab_lines("d1\teurope\n"), are_tab_lines("q 1\tx y\n")
        (True, False, False)
    """
    lines = [line.rstrip("\r") for line in text.split("\n")[:20] if line.strip()]
    cells = [line.split("\t") for line in lines]
    has_ids = all(len(row) == 2 and row[0] and not re.search(r"\s", row[0]) for row in cells[:-1] or cells)
    return bool(cells) and has_ids and any(" " in row[-1].strip() for row in cells)


def _text_records(source: Source, key: str, notes: NoteBook) -> list[tuple[int, dict[str, Json]]]:
    """The records ``{key, text}`` of a file of topics, or of lines with a tab, each with its line.

    Args:
        source: The file.
        key: What ids are called.
        notes: Where repairs are noted.

    Raises:
        InputError: A topic has no number, a line no tab, or there is no record.
    """
    text = whole_text(source, notes)
    records = [*(_topics if are_topics(text) else _tab_lines)(text, key, source.name)]
    if not records:
        raise source.wrong("no data lines", "Write an id, a tab and the words on each line.")
    return records


def _topics(text: str, key: str, file: str) -> Iterator[tuple[int, dict[str, Json]]]:
    starts = list(_TOPIC.finditer(text))
    ends = [*(start.start() for start in starts[1:]), len(text)]
    line, seen = 1, 0
    for start, end in zip(starts, ends, strict=True):
        line += text.count("\n", seen, start.start())
        seen = start.start()
        topic = text[seen:end]
        number, words = _NUMBER.search(topic), _WORDS.search(topic)
        if number is None:
            raise InputError("a topic has no number", file=file, line=line, fix="Give <num> Number: 301 in each <top>.")
        if words is None:
            raise InputError("a topic has no title", file=file, line=line, fix="Give <title> in each <top>.")
        yield line, {key: number[1] or number[2], "text": " ".join(words[1].split())}


def _tab_lines(text: str, key: str, file: str) -> Iterator[tuple[int, dict[str, Json]]]:
    for line, row in enumerate(text.split("\n"), start=1):
        identifier, tab, words = row.partition("\t")
        if not row.strip() or (line == 1 and folded(identifier) in _IDS):
            continue
        if not tab:
            reason = f"no tab between an id and its words: {shown(row)}"
            raise InputError(reason, file=file, line=line, fix="Write an id, a tab and the words on each line.")
        yield line, {key: identifier, "text": words.strip()}
