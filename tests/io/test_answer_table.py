"""A layout of three columns, read from every kind of file, by rows and by columns."""

import json

import pytest

from fairviz.errors import InputError
from fairviz.io.answer_layout import Choice, Ids, Layout, Text, Truth
from fairviz.io.answer_table import AnswerColumns, AnswerRows, read_columns, read_rows
from fairviz.io.notes import NoteBook
from fairviz.io.source import as_source
from fairviz.model.variants import UNKNOWN

NAME = Text("name", aliases=("who", "id"), required=True)

SIDE: Choice[int] = Choice(
    "side",
    reading={"left": 0, "right": 1}.get,
    wrong="{name} must be left or right, found {cell}",
    fix="Write left or right.",
    blank=frozenset(("", "na")),
    default=-1,
)

SEEN = Truth("seen")
DOCS = Ids("docs")

LAYOUT = Layout(columns=(NAME, SIDE, SEEN, DOCS), fix="Columns are name and side.", key="name")

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
    "a.jsonl": "".join(json.dumps(record) + "\n" for record in RECORDS).encode(),
    "a.json": json.dumps(RECORDS).encode(),
}


def rows_of(name: str, content: bytes) -> tuple[AnswerRows, NoteBook]:
    notes = NoteBook(name)
    return read_rows(as_source((name, content)), LAYOUT, notes), notes


def columns_of(name: str, content: bytes) -> AnswerColumns:
    return read_columns(as_source((name, content)), LAYOUT, NoteBook(name))


def names_in(content: bytes) -> list[str]:
    return [NAME.of(row) for row in rows_of("a", content)[0]]


@pytest.mark.parametrize("name", FILES)
def test_rows_of_every_format_say_the_same(name: str) -> None:
    rows, _ = rows_of(name, FILES[name])
    cells = [(NAME.of(row), SIDE.of(row), SEEN.of(row), DOCS.of(row)) for row in rows]
    assert cells == [("a", 0, 1, ("d1", "d2")), ("b", -1, UNKNOWN, None), ("c", 1, 0, ("d1", "d 2"))]


@pytest.mark.parametrize("name", FILES)
def test_columns_of_every_format_say_the_same(name: str) -> None:
    columns = columns_of(name, FILES[name])
    names, sides = columns.texts(NAME), columns.texts(SIDE)
    assert names is not None
    assert names.values == ("a", "b", "c")
    assert sides is not None
    assert columns.cells(SIDE) == [0, -1, 1]
    assert [columns.line(row) for row in range(3)] == ([1, 2, 3] if "json" in name else [2, 3, 4])


def test_aliases_stand_in_their_order_and_case_does_not_matter() -> None:
    rows, _ = rows_of("a.csv", b"ID,Name\n1,a\n")
    assert [NAME.of(row) for row in rows] == ["a"]
    factor = columns_of("a.csv", b"ID,Who\n1,a\n").texts(NAME)
    assert factor is not None
    assert (factor.name, factor.values) == ("Who", ("a",))


def test_a_json_name_in_other_case_is_the_same_column() -> None:
    """Nothing is lost where one record writes Name, one name, and one with a blank."""
    content = b'{"Name": "a"}\n{"name": "b"}\n{"name ": "c"}\n'
    factor = columns_of("a.jsonl", content).texts(NAME)
    assert factor is not None
    assert [factor.values[code] for code in factor.codes] == ["a", "b", "c"]
    rows, _ = rows_of("a.jsonl", content)
    assert [NAME.of(row) for row in rows] == ["a", "b", "c"]


def test_a_wrong_cell_is_named_with_its_line_by_rows_and_by_columns() -> None:
    content = b"name,side\na,left\nb,up\nc,up\n"
    rows, _ = rows_of("a.csv", content)
    columns = columns_of("a.csv", content)
    for read in (lambda: [SIDE.of(row) for row in rows], lambda: columns.cells(SIDE)):
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
        (b"name,side\na,left\nb\n", "a:3: 1 cells, header has 2"),
        (b"name,side\n", "a:1: no data rows"),
        (b'{"name": ["a"]}\n', "a:1: name must be a string, found array"),
    ],
)
def test_what_is_no_table_of_the_layout_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        names_in(content)


def test_columns_that_nobody_reads_are_noted() -> None:
    rows, notes = rows_of("a.csv", b"name,extra\na,1\n")
    assert len(list(rows)) == 1
    rows.note_other_columns()
    assert [note.message for note in notes.collected] == ["columns not read: extra"]


def test_a_string_of_ids_in_json_and_repeated_ids_are_noted() -> None:
    rows, notes = rows_of("a.jsonl", b'{"name": "a", "docs": "d1 d1"}\n')
    assert [DOCS.of(row) for row in rows] == [("d1",)]
    assert [note.message for note in notes.collected] == [
        "docs is a string, not an array: read as ids with blanks or | between them",
        "docs names d1 twice: read once",
    ]
