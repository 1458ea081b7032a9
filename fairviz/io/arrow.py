"""The only place that touches Arrow: parallel parsing of tables, columns of text, tables in memory.

Arrow takes a tenth of a second to load, and a plain table of millions of lines is read without it: it is loaded where
something is first asked of it. The published type stubs do not know dictionary arrays, so Arrow's modules are ``Any``
here; what leaves this module is typed.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from fairviz.model import BoolArray, FloatArray, IndexArray, IntArray
from fairviz.model.ids import Ids

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


class IdColumn(NamedTuple):
    """A column of identifiers: ``values[codes[i]]`` stands in row i; values in file order."""

    codes: IndexArray
    values: Ids


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
    """The empty text; made of a value of Python it would load pandas."""
    return text_array(("",))[0]


def one_dictionary(pieces: Iterable[IdChunks]) -> IdColumn:
    """Join pieces of a column; identifiers in order of first appearance."""
    unified = _arrow().chunked_array([chunk for piece in pieces for chunk in piece.chunks]).unify_dictionaries()
    codes = numbers_of([chunk.indices for chunk in unified.chunks])
    return IdColumn(codes, text_ids(unified.chunk(0).dictionary))


class TextColumn:
    """A column of UTF-8 texts.

    Args:
        text: The bytes of all texts, one after the other.
        offsets: (M+1) text i is ``text[offsets[i]:offsets[i + 1]]``.
    """

    def __init__(self, text: bytes, offsets: IntArray) -> None:
        self._array: Any = _arrow().StringArray.from_buffers(
            offsets.size - 1,
            _arrow().py_buffer(offsets.astype(np.int32).tobytes()),
            _arrow().py_buffer(text),
        )

    @classmethod
    def of(cls, array: Any) -> "TextColumn":
        """The column of an array of Arrow's strings."""
        column = cls.__new__(cls)
        column._array = array
        return column

    def __getitem__(self, row: int) -> str:
        return self._array[int(row)].as_py()

    def matches(self, pattern: str) -> BoolArray:
        """(M) whether each text matches a regular expression (RE2)."""
        matching = _arrow().compute.match_substring_regex(self._array, pattern)
        return numbers_of([_arrow().compute.cast(matching, _arrow().uint8())]).astype(np.bool_)

    def decimals(self, where: BoolArray) -> FloatArray:
        """(M) the numbers that the texts write, NaN where not ``where``.

        Texts at ``where`` must be plain decimal numbers.
        """
        values = np.full(len(self._array), np.nan)
        bits = _arrow().py_buffer(
            np.packbits(where, bitorder="little").tobytes()
        )  # an array of numpy's would load pandas
        chosen = _arrow().Array.from_buffers(_arrow().bool_(), where.size, [None, bits])
        numbers = _arrow().compute.utf8_ltrim(self._array.filter(chosen), "+")
        values[where] = numbers_of([_arrow().compute.cast(numbers, _arrow().float64())])
        return values

    def to_list(self) -> list[str]:
        """The texts."""
        return self._array.to_pylist()

    def encoded(self) -> IdChunks:
        """The texts as identifiers."""
        return IdChunks([self._array.dictionary_encode()])

    def ids(self) -> Ids:
        """The texts as identifiers, each as often as it stands there."""
        return text_ids(self._array)


@runtime_checkable
class Stream(Protocol):
    """A table in memory that Arrow reads: of pandas, polars, pyarrow, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Its columns, by the protocol of Arrow's C stream."""
        ...


class MemoryTable:
    """The columns of a table in memory.

    Args:
        stream: The table.

    Raises:
        ValueError: A column mixes types, or two have one name.
    """

    def __init__(self, stream: Stream) -> None:
        try:
            self._table: Any = _arrow().table(stream)
        except (_arrow().ArrowException, TypeError, OverflowError) as error:
            raise ValueError(str(error)) from error
        self.names: tuple[str, ...] = tuple(map(str, self._table.column_names))
        self.n_rows: int = self._table.num_rows

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[object]]) -> "MemoryTable":
        """The table of these columns.

        Raises:
            ValueError: A column mixes types.
        """
        try:
            return cls(_arrow().table(dict(columns)))
        except (_arrow().ArrowException, TypeError, OverflowError) as error:
            raise ValueError(str(error)) from error

    def type_of(self, name: str) -> str:
        """Of which type the cells of a column are, in Arrow's words."""
        return str(self._plain(name).type)

    def missing(self, name: str) -> BoolArray:
        """Where a column has no value."""
        missing: BoolArray = _arrow().compute.is_null(self._plain(name)).to_numpy(zero_copy_only=False)
        return missing

    def texts(self, name: str, *, empty: str | None = None) -> TextColumn:
        """A column as the texts that a file would hold: numbers in full precision.

        Args:
            name: Of the column.
            empty: What stands for a missing value; None where there is none.

        Raises:
            ValueError: Its cells are lists, records, or other than words and numbers.
        """
        cells = self._plain(name)
        try:
            if _arrow().types.is_floating(cells.type):
                cells = cells.cast(_arrow().float64())  # exactly, before it is written in its fewest digits
            cells = cells.cast(_arrow().string())
        except _arrow().ArrowException as error:
            raise ValueError(str(error)) from error
        return TextColumn.of(cells if empty is None else _arrow().compute.fill_null(cells, empty))

    def batches(self) -> Iterable[list[dict[str, object]]]:
        """The rows as records, some thousands at a time."""
        for batch in self._table.to_batches(max_chunksize=8192):
            yield batch.to_pylist()

    def _plain(self, name: str) -> Any:
        chunks = self._table.column(self.names.index(name))
        cells = chunks.combine_chunks() if chunks.num_chunks != 1 else chunks.chunk(0)
        return cells.dictionary_decode() if _arrow().types.is_dictionary(cells.type) else cells


def numbers_of(chunks: Sequence[Any]) -> Any:
    """Their values, one after the other; Arrow's own way to an array loads pandas first."""
    return np.concatenate([np.from_dlpack(chunk) for chunk in chunks])


def text_array(ids: Sequence[str]) -> Any:
    """Identifiers as a column of text, without a copy of what they are written in."""
    known = Ids.of(ids)
    offsets = _arrow().py_buffer(known.offsets.astype(np.int32))
    return _arrow().StringArray.from_buffers(len(known), offsets, _arrow().py_buffer(known.text))


def text_ids(values: Any) -> Ids:
    """A column of text, without a copy of it."""
    offsets = np.frombuffer(values.buffers()[1], dtype=np.int32)[values.offset : values.offset + len(values) + 1]
    text = np.frombuffer(values.buffers()[2] or b"", dtype=np.uint8)[int(offsets[0]) : int(offsets[-1])]
    return Ids(text, offsets.astype(np.int64) - int(offsets[0]))
