"""A layout of three columns, read from every kind of file, by rows and by columns."""

import json
from collections.abc import Iterator

import pytest

from fairviz.errors import InputError
from fairviz.io import cells, text
from fairviz.io.answer_table import AnswerColumn, AnswerTable, ids, one_of, one_string, read_rows, truth
from fairviz.io.cells import read_cells
from fairviz.io.json import FileRow
from fairviz.io.notes import NoteBook
from fairviz.io.source import as_source
from tests.lines import json_lines

NAME = AnswerColumn(one_string, ("name", "who", "id"))
WRONG = "{name} must be left or right, found {cell}"
READ_SIDE = one_of({"left": 0, "right": 1}.get, WRONG, "Write left or right.", blank=("", "na"), default=-1)
SIDE = AnswerColumn(READ_SIDE, ("side",))
SEEN = AnswerColumn(truth, ("seen",))
DOCS = AnswerColumn(ids, ("docs",))

FIX = "Columns are name and side."

RECORDS = [
    {"name": "a", "side": "left", "seen": "yes", "docs": "d1 d2"},
    {"name": "b", "side": "NA", "seen": "", "docs": ""},
    {"name": "c", "side": " right ", "seen": "0", "docs": "d1|d 2"},
]


def table(separator: str) -> bytes:
    lines = [separator.join(RECORDS[0]), *(separator.join(record.values()) for record in RECORDS)]
    return ("\n".join(lines) + "\n").encode()


FILES = {
    "a.csv": table(","),
    "a.tsv": table("\t"),
    "a.jsonl": json_lines(RECORDS).encode(),
    "a.json": json.dumps(RECORDS).encode(),
}


def rows_of(name: str, content: bytes) -> tuple[Iterator[FileRow], NoteBook]:
    notes = NoteBook(name)
    return read_rows(as_source((name, content)), FIX, notes, required=("name",)), notes


def table_of(name: str, content: bytes) -> AnswerTable:
    notes = NoteBook(name)
    return AnswerTable(read_cells(as_source((name, content)), notes), FIX, notes, required=("name",))


def names_in(content: bytes) -> list[str]:
    return [NAME.of(row) for row in rows_of("a", content)[0]]


@pytest.mark.parametrize("name", FILES)
def test_rows_of_every_format_say_the_same(name: str) -> None:
    rows, _ = rows_of(name, FILES[name])
    cells = [(NAME.of(row), SIDE.of(row), SEEN.of(row), DOCS.of(row)) for row in rows]
    assert cells == [("a", 0, 1, ("d1", "d2")), ("b", -1, None, None), ("c", 1, 0, ("d1", "d 2"))]


@pytest.mark.parametrize("name", FILES)
def test_columns_of_every_format_say_the_same(name: str) -> None:
    table = table_of(name, FILES[name])
    assert table.coded(NAME.of, NAME).values == ("a", "b", "c")
    assert table.coded(SIDE.of, SIDE).values == (0, -1, 1)
    assert [table.line(row) for row in range(3)] == ([1, 2, 3] if "json" in name else [2, 3, 4])


def test_aliases_stand_in_their_order_and_case_does_not_matter() -> None:
    rows, _ = rows_of("a.csv", b"ID,Name\n1,a\n")
    assert [NAME.of(row) for row in rows] == ["a"]
    table = AnswerTable(read_cells(as_source(("a.csv", b"ID,Who\n1,a\n")), NoteBook("a.csv")), "", NoteBook("a.csv"))
    assert table.coded(NAME.of, NAME).values == ("a",)


def test_a_json_name_in_other_case_is_the_same_column() -> None:
    """Nothing is lost where one record writes Name, one name, and one with a blank."""
    content = b'{"Name": "a"}\n{"name": "b"}\n{"name ": "c"}\n'
    names = table_of("a.jsonl", content).coded(NAME.of, NAME)
    assert names.column().to_list() == ["a", "b", "c"]
    rows, _ = rows_of("a.jsonl", content)
    assert [NAME.of(row) for row in rows] == ["a", "b", "c"]


def test_a_wrong_cell_is_named_with_its_line_by_rows_and_by_columns() -> None:
    content = b"name,side\na,left\nb,up\nc,up\n"
    rows, _ = rows_of("a.csv", content)
    table = table_of("a.csv", content)
    table.coded(SIDE.of, SIDE)
    for read in (lambda: [SIDE.of(row) for row in rows], table.check):
        with pytest.raises(InputError, match=r"a\.csv:3: side must be left or right, found up") as error:
            read()
        assert error.value.fix == "Write left or right."


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"side,docs\nleft,d\n", "a:1: missing column: name \\(found: side, docs\\)"),
        (b"side;docs\nleft;d\n", "a:1: missing column name \\(semicolon separated\\?\\)"),
        (b'{"name": "a"}\n{"side": "left"}\n', "a:2: missing name \\(found: side\\)"),
        (b"name,side,NAME\na,left,b\n", "a:1: duplicate column: NAME "),
        (b"name,side\na,left\nb\n", "a:3: 1 cell, header has 2"),
        (b"name,side\n", "a:1: no data rows"),
        (b'{"name": ["a"]}\n', "a:1: name must be a string, found array"),
    ],
)
def test_what_is_no_table_of_the_layout_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        names_in(content)


def test_of_two_faults_the_one_on_the_earlier_line_is_told() -> None:
    table = table_of("a.csv", b"name,side,seen\na,left,yes\nb,right,often\nc,up,no\nd,left\n")
    table.coded(SIDE.of, SIDE)
    with pytest.raises(InputError, match=r"a\.csv:4: side must be"):
        table.check()
    table.coded(SEEN.of, SEEN)
    with pytest.raises(InputError, match=r"a\.csv:3: seen must be"):
        table.check()


ODD_RECORDS = {
    "missing cells": b'{"name": "a", "side": null}\n{"side": "left", "more": 1}\n{"name": "b"}\n',
    "numbers and truths": b'{"name": 7, "side": true}\n{"name": -0, "side": false}\n{"name": 9223372036854775807}\n',
    "words like dates": b'{"name": "2020-01-01", "x": "2020-01-01"}\n{"name": "b", "x": "2020-01-02"}\n',
    "words after a date": b'{"side": "left"}\n{"name": "2020-01-01"}\n',
    "escapes": b'{"name": "\\u00e9\\ud83d\\ude00\\"\\/"}\n{"n\\u0061me": "b"}\n',
    "line ends": b'{"name": "a\\r\\nb"}\n',
    "NUL": b'{"name": "a\\u0000"}\n',
    "other kinds": b'{"name": "a", "x": [1], "y": 1.5, "z": []}\n{"name": "b", "x": [], "y": -2, "z": ["c"]}\n',
    "nested": b'{"name": "a", "x": {"y": {"z": 1}}}\n',
    "a blank line": b'{"name": "a"}\n\n{"name": "b"}\n',
    "two on a line, one on two": b'{"name": "a"}\n{"name": "b"}{"name": "c"}\n{"name":\n"d"}\n',
    "a comma after it": b'{"name": "a"},\n{"name": "b"}\n',
    "mixed": b'{"name": "a"}\n{"name": 1}\n',
    "a fraction": b'{"name": 1.50}\n{"name": 2e3}\n',
    "a list": b'{"name": "a"}\n{"name": ["b"]}\n',
    "no number": b'{"name": "a", "x": NaN}\n',
    "infinite": b'{"name": "a", "x": -Infinity}\n',
    "too many digits": b'{"name": "a", "x": ' + b"9" * 101 + b"}\n",
    "too large": b'{"name": "a", "x": 1e999}\n',
    "half a character": b'{"name": "\\ud800"}\n',
    "no UTF-8": b'{"name": "a"}\n{"name": "\xff"}\n',
    "a name twice": b'{"name": "a"}\n{"name": "b", "name": "c"}\n',
    "a name in two cases": b'{"name": "a"}\n{"name": "b", "Name": "c"}\n',
    "an inner name twice": b'{"name": "a", "x": {"y": 1, "y": 2}}\n',
    "a mark": b'\xef\xbb\xbf{"name": "a"}\n',
    "old line ends": b'{"name": "a"}\r{"name": "b"}\r',
    "a blank before": b' {"name": "a"}\n',
    "cut off": b'{"name": "a"}\n{"name": "b"',
    "no line end": b'{"name": "a"}\n{"name": "b"}',
    "a name with blanks": b'{" Name ": "a", "": 1}\n',
    "nothing declared": b'{"x": "a"}\n',
}


ROWS = b"a,left,1,d1\nb,right,,d1|d2\n"
ODD_TABLES = {
    "plain": b"name,side,seen,docs\n" + ROWS,
    "a blank line": b"name,side,seen,docs\n" + ROWS + b"\nc,,,\n",
    "blank cells": b"name,side,seen,docs\n" + ROWS + b",,,\n",
    "quotes": b"name,side,seen,docs\n" + ROWS + b'"c, or ""so""\n",left,,\nd,up,,\n',
    "more columns": b"name,side,extra,seen,docs\na,left,x,1,d1\nb,right,,,d1\n",
    "a quoted header": b'"name","side","seen, it","docs"\n' + ROWS,
    "a header quoted in part": b'name,side,x"seen"y,docs\n' + ROWS,
    "a row too short": b"name,side,seen,docs\n" + ROWS + b"c,left\n",
    "a row too long": b"name,side,seen,docs\n" + ROWS + b"c,left,,,,\n",
    "a wrong cell before a wrong row": b"name,side,seen,docs\n" + ROWS + b"c,up,,\nd\n",
    "no UTF-8": b"name,side,seen,docs\n" + ROWS + b"c,\xff,,\n",
}


def told(content: bytes, *, coded: bool = False) -> tuple[object, ...]:
    """All that a reader says of a file."""
    notes = NoteBook("a")
    try:
        table = AnswerTable(read_cells(as_source(("a", content)), notes, coded=coded), "", notes)
        said = [table.coded(column.of, column) for column in (NAME, SIDE, SEEN, DOCS)]
        table.check()
    except InputError as error:
        return str(error), error.fix
    values = [[column.values[code] for code in column.codes] for column in said]
    return values, [*map(table.line, range(table.n_rows))], notes.collected


ODD = ODD_RECORDS | {f"table, {name}": content for name, content in ODD_TABLES.items()}


@pytest.mark.parametrize("content", ODD.values(), ids=ODD)
def test_what_is_regular_says_what_the_strict_reader_says(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    once, coded = told(content), told(content, coded=True)
    monkeypatch.setattr(cells, "_regular_rows", lambda *_: None)
    monkeypatch.setattr(cells, "_MAX_SHAPES", 0)
    assert once == coded == told(content)


def test_regular_records_are_not_parsed_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "FIRST_BLOCK", 64)
    monkeypatch.setattr(text, "BLOCK", 64)
    lines = [b'{"name": "a%d", "seen": %s, "%d": 0.5}\n' % (i % 3, b"true" if i % 2 else b"null", i) for i in range(9)]
    content = b"".join([*lines, b'{"side": "left"}\n'])
    one_by_one = told(content.replace(b"{", b" {"))
    monkeypatch.setattr("fairviz.io.json.parse_line", None)
    assert told(content) == one_by_one
    monkeypatch.setattr(cells, "_odd_rows", None)
    for table in (ODD_TABLES["plain"], ODD_TABLES["quotes"].replace(b"up", b"left")):
        assert isinstance(told(table)[0], list), "it was read"
