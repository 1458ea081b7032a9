"""Words of queries and of passages as plain text: the topics of TREC, or an id, a tab and the words on a line.

Topics are ``<top>`` with ``<num>`` ("Number: 301") and ``<title>``, or ``<topic number="1">`` with ``<query>`` or
``<title>``; a tag ends where the next begins. Descriptions and narratives are for assessors: they are not read.
MS MARCO's queries and passages have a tab.
"""

import re
from collections.abc import Generator, Iterator

from fairviz.errors import InputError
from fairviz.io.json import Json
from fairviz.io.names import folded
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import Source
from fairviz.io.text import whole_text

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


def text_records(source: Source, key: str, notes: NoteBook) -> Generator[tuple[int, dict[str, Json]], None, None]:
    """The records of a file of topics, or of lines with a tab, each with its line.

    Args:
        source: The file.
        key: What ids are called.
        notes: Where repairs are noted.

    Yields:
        Line, and ``{key, text}``.

    Raises:
        InputError: A topic has no number, a line no tab, or there is no record.
    """
    text = whole_text(source, notes)
    records = _topics(text, key, source.name) if are_topics(text) else _tab_lines(text, key, source.name)
    empty = True
    for record in records:
        empty = False
        yield record
    if empty:
        raise InputError("no data lines", file=source.name, fix="Write an id, a tab and the words on each line.")


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
