"""The only place that touches Arrow: parallel parsing of tables of answers.

Arrow takes a tenth of a second to load: it is loaded where something is first asked of it. The published type stubs do
not know dictionary arrays, so Arrow's modules are ``Any`` here; what leaves this module is typed.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from fairviz.model import IndexArray

_MARK = b"\xef\xbb\xbf"
"""Arrow leaves a byte order mark out wherever a text begins with one."""

_LINE_FEED = ord("\n")


@cache
def _arrow() -> Any:
    """The package with those of its modules that are used here."""
    for module in ("compute", "csv", "json"):
        import_module(f"pyarrow.{module}")
    return import_module("pyarrow")


class IdChunks(NamedTuple):
    """A piece of a column of identifiers, each piece with a dictionary of its own."""

    chunks: list[Any]


def parse_cells(
    text: bytes, names: Sequence[str], names_read: Sequence[str], separator: str, *, quoted: bool
) -> dict[str, IdChunks] | None:
    """Parse rows of CSV, each cell as text.

    Args:
        text: Whole records of UTF-8.
        names: Names of all columns.
        names_read: Names of the columns that are returned.
        separator: One ASCII character.
        quoted: Whether cells may stand in quotes, and then hold separators and line ends.

    Returns:
        The wanted columns, or None where any record has other cells or the text is no UTF-8.
    """
    if text.startswith(_MARK):
        return None
    arrow = _arrow()
    try:
        table = arrow.csv.read_csv(
            arrow.BufferReader(text),
            arrow.csv.ReadOptions(column_names=names, block_size=len(text) + 1, use_threads=False),
            arrow.csv.ParseOptions(
                delimiter=separator,
                quote_char='"' if quoted else False,
                escape_char=False,
                newlines_in_values=quoted,
                ignore_empty_lines=False,
            ),
            arrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names_read, arrow.dictionary(arrow.int32(), arrow.string())),
                include_columns=names_read,
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except arrow.ArrowInvalid:
        return None
    return {name: IdChunks(table[name].chunks) for name in names_read}


class Records(NamedTuple):
    """Lines of JSON, an object each.

    Attributes:
        cells: The columns that were asked for, each cell as text; "" where a record has none.
        names: Every name that a record has, in the order of appearance.
        truths: Those that hold true and false.
        n_rows: Records.
    """

    cells: dict[str, IdChunks]
    names: tuple[str, ...]
    truths: frozenset[str]
    n_rows: int


def parse_records(text: bytes, texts: Collection[str], is_read: Callable[[str], bool]) -> Records | None:
    """Parse lines of JSON, an object each, whose values are words, whole numbers, true or false.

    Args:
        text: Whole lines.
        texts: Names whose values are words, however they look: Arrow takes those of others that look like dates for
            dates.
        is_read: Whether a name is one of the columns that are returned; the others may hold any number, or lists.

    Returns:
        The columns, or None where a line is not exactly that, or holds what the strict reader repairs or refuses and
        Arrow does not: NUL, line ends, numbers without an end, names written twice.
    """
    if b"\\r" in text or b"\\u000" in text or not _is_utf8(text) or not _are_objects(text):
        return None
    arrow = _arrow()
    try:
        table = arrow.json.read_json(
            arrow.BufferReader(text),
            arrow.json.ReadOptions(block_size=len(text) + 1, use_threads=False),
            arrow.json.ParseOptions(explicit_schema=arrow.schema([(name, arrow.string()) for name in texts])),
        )
    except (arrow.ArrowInvalid, UnicodeError):  # a name may be half a character
        return None
    if table.num_rows != text.count(b"\n"):
        return None
    cells: dict[str, IdChunks] = {}
    for name in table.column_names:
        column = table[name]
        if is_read(name):
            if str(column.type) not in _WORDS:
                return None
            words = arrow.compute.fill_null(column.cast(arrow.string()), _empty())
            cells[name] = IdChunks(words.dictionary_encode().chunks)
        elif not _is_standard(column):
            return None
    truths = frozenset(name for name in table.column_names if str(table[name].type) == "bool")
    return Records(cells, tuple(table.column_names), truths, table.num_rows)


_WORDS = frozenset(("string", "int64", "bool", "null"))
_OTHERS = _WORDS | {"list<item: string>", "list<item: int64>", "list<item: null>", "timestamp[s]", "timestamp[ns]"}
_MOST = 1e99
"""Beyond, a number may have more digits than the strict reader takes."""


def _is_standard(column: Any) -> bool:
    """Whether the values of a column are what standard JSON can hold, nothing nested but plain lists."""
    if str(column.type) == "double":
        compute = _arrow().compute
        return bool(compute.all(compute.less(compute.abs(column), _MOST), min_count=0).as_py())
    return str(column.type) in _OTHERS


def _are_objects(text: bytes) -> bool:
    """Whether each line begins and ends as an object; as many records as lines are then one on each."""
    characters = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(characters == _LINE_FEED)
    starts = np.concatenate([[0], ends[:-1] + 1])
    return bool((characters[ends - 1] == ord("}")).all()) and bool((characters[starts] == ord("{")).all())


def _is_utf8(text: bytes) -> bool:
    try:
        return text.isascii() or bool(text.decode())
    except UnicodeDecodeError:
        return False


def blank_cells(n_rows: int) -> IdChunks:
    """A column of empty cells."""
    return IdChunks([_arrow().repeat(_empty(), n_rows).dictionary_encode()])


def _empty() -> Any:
    nothing = (_arrow().py_buffer(bytes(8)), _arrow().py_buffer(b""))  # a scalar made of Python's text loads pandas
    return _arrow().StringArray.from_buffers(1, *nothing)[0]


def one_dictionary(pieces: Iterable[IdChunks]) -> tuple[IndexArray, tuple[str, ...]]:
    """The codes and the distinct texts of a column in pieces, in the order in which they appear."""
    unified = _arrow().chunked_array([chunk for piece in pieces for chunk in piece.chunks]).unify_dictionaries()
    codes = numbers_of([chunk.indices for chunk in unified.chunks])
    return codes, tuple(unified.chunk(0).dictionary.to_pylist())


def numbers_of(chunks: Sequence[Any]) -> Any:
    """Their values, one after the other; Arrow's own way to an array loads pandas first."""
    return np.concatenate([np.from_dlpack(chunk) for chunk in chunks])
