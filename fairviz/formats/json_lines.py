"""Records of a JSON Lines file, one object a line; one JSON array is read too, with a note."""

from collections.abc import Generator
from contextlib import closing
from typing import TypeAlias

from fairviz.errors import InputError
from fairviz.formats.limits import MAX_JSON_LINE
from fairviz.formats.notes import NoteBook
from fairviz.formats.source import Source
from fairviz.formats.strict_json import Json, json_type, parse_json
from fairviz.formats.text import decoded, head_of, line_blocks, whole_text

_OPEN_ENDS = ("{", "[", ",", ":")
_Values: TypeAlias = Generator[tuple[int, Json], None, None]


def json_records(source: Source, book: NoteBook) -> Generator[tuple[int, dict[str, Json]], None, None]:
    """The objects of a file with the line of each.

    Args:
        source: The file.
        book: Where repairs are noted.

    Yields:
        Line and object; in a file that is one array, the number of the record as its line.

    Raises:
        InputError: A line is no JSON object, or the file holds none.
    """
    empty = True
    read = _array if head_of(source).lstrip()[:1] == b"[" else _lines
    with closing(read(source, book)) as values:
        for line, record in values:
            if not isinstance(record, dict):
                reason = f"expected an object, found {json_type(record)}"
                fix = "Write one JSON object on each line."
                raise InputError(reason, file=source.name, line=line, fix=fix)
            empty = False
            yield line, record
    if empty:
        raise InputError("no data lines", file=source.name, fix="The file holds blanks only.")


def _array(source: Source, book: NoteBook) -> _Values:
    content = parse_json(whole_text(source, book), file=source.name)
    records = content if isinstance(content, list) else [content]
    book.add(f"file is one JSON array, read as {len(records):,} records", 1)
    yield from enumerate(records, start=1)


def _lines(source: Source, book: NoteBook) -> _Values:
    first = True
    with closing(line_blocks(source, book, max_line=MAX_JSON_LINE)) as blocks:
        for block in blocks:
            lines = decoded(block.text, source.name, block.line).split("\n")[:-1]
            for at, text in enumerate(lines):
                line = block.line + at
                if not text.strip():
                    book.add("blank line skipped", line)
                    continue
                if "\\u0000" in text:
                    book.add("NUL character in text", line)
                may_go_on = first and not (block.cut and at == len(lines) - 1)
                yield line, _parsed(text, line, source.name, may_go_on=may_go_on)
                first = False


def _parsed(text: str, line: int, name: str, *, may_go_on: bool) -> Json:
    """The value on a line; where the first record breaks off at its end, that is what is said."""
    try:
        return parse_json(text, file=name, line=line)
    except InputError as error:
        if may_go_on and text.rstrip().endswith(_OPEN_ENDS):
            reason = "the record spans several lines"
            fix = "Write each record on one line (jq -c . FILE)."
            raise InputError(reason, file=name, line=line, fix=fix) from error
        raise
