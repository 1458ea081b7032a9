"""The only place that touches Arrow: parallel parsing of tables, columns of text, tables in memory.

The published type stubs do not know dictionary arrays, so Arrow's modules are ``Any`` here; what leaves this module is
typed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
import pyarrow
import pyarrow.compute
import pyarrow.csv

from fairviz.model import BoolArray, FloatArray, IndexArray, IntArray
from fairviz.model.ids import Ids

_pa: Any = pyarrow
_csv: Any = pyarrow.csv
_compute: Any = pyarrow.compute

_MARK = b"\xef\xbb\xbf"
"""Arrow leaves a byte order mark out wherever a text begins with one."""

CellType: TypeAlias = Literal["id", "text", "integer", "decimal"]
"""An "id" stands in many rows, each distinct one is held once; "text" is as each row has it."""
_TYPES = {
    "id": _pa.dictionary(_pa.int32(), _pa.string()),
    "text": _pa.string(),
    "integer": _pa.int32(),
    "decimal": _pa.float64(),
}
_SEPARATOR = np.zeros(256, dtype=np.bool_)
_SEPARATOR[[9, 11, 12, 32]] = True


class IdChunks(NamedTuple):
    """A piece of a column of identifiers, each piece with a dictionary of its own."""

    chunks: list[Any]

    def all_plain(self) -> bool:
        """Whether no identifier is empty or holds an ASCII blank."""
        return all(are_plain(text_ids(chunk.dictionary)) for chunk in self.chunks)

    def any_starts_with(self, prefix: str) -> bool:
        """Whether any identifier starts so."""
        chunks = (_compute.starts_with(chunk.dictionary, prefix) for chunk in self.chunks)
        return any(_compute.any(starts).as_py() for starts in chunks)


class IdColumn(NamedTuple):
    """A column of identifiers: ``values[codes[i]]`` stands in row i; values in file order."""

    codes: IndexArray
    values: Ids


def parse_table(
    text: bytes, columns: Mapping[str, CellType], separator: str
) -> dict[str, IdChunks | Ids | FloatArray | IndexArray] | None:
    """Parse a table whose columns are separated by exactly one ``separator``.

    Args:
        text: Whole lines of UTF-8.
        columns: Name and type of each column.
        separator: One ASCII character.

    Returns:
        The columns, or None where any line is not exactly that.
    """
    if text.startswith(_MARK):
        return None
    try:
        table = _csv.read_csv(
            _pa.BufferReader(text),
            _csv.ReadOptions(column_names=list(columns), block_size=len(text) + 1, use_threads=False),
            _csv.ParseOptions(delimiter=separator, quote_char=False, escape_char=False, ignore_empty_lines=False),
            _csv.ConvertOptions(
                column_types={name: _TYPES[cell] for name, cell in columns.items()},
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pyarrow.ArrowInvalid:
        return None
    return {name: _COLUMNS[cell](table[name]) for name, cell in columns.items()}


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
    try:
        table = _csv.read_csv(
            _pa.BufferReader(text),
            _csv.ReadOptions(column_names=names, block_size=len(text) + 1, use_threads=False),
            _csv.ParseOptions(
                delimiter=separator,
                quote_char='"' if quoted else False,
                escape_char=False,
                newlines_in_values=quoted,
                ignore_empty_lines=False,
            ),
            _csv.ConvertOptions(
                column_types=dict.fromkeys(names_read, _TYPES["id"]),
                include_columns=names_read,
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pyarrow.ArrowInvalid:
        return None
    return {name: IdChunks(table[name].chunks) for name in names_read}


def one_dictionary(pieces: Iterable[IdChunks]) -> IdColumn:
    """Join pieces of a column; identifiers in order of first appearance."""
    unified = _pa.chunked_array([chunk for piece in pieces for chunk in piece.chunks]).unify_dictionaries()
    codes = numbers_of([chunk.indices for chunk in unified.chunks])
    return IdColumn(codes, text_ids(unified.chunk(0).dictionary))


class TextColumn:
    """A column of UTF-8 texts.

    Args:
        text: The bytes of all texts, one after the other.
        offsets: (M+1) text i is ``text[offsets[i]:offsets[i + 1]]``.
    """

    def __init__(self, text: bytes, offsets: IntArray) -> None:
        self._array: Any = _pa.StringArray.from_buffers(
            offsets.size - 1,
            _pa.py_buffer(offsets.astype(np.int32).tobytes()),
            _pa.py_buffer(text),
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
        matching = _compute.match_substring_regex(self._array, pattern)
        return numbers_of([_compute.cast(matching, _pa.uint8())]).astype(np.bool_)

    def decimals(self, where: BoolArray) -> FloatArray:
        """(M) the numbers that the texts write, NaN where not ``where``.

        Texts at ``where`` must be plain decimal numbers.
        """
        values = np.full(len(self._array), np.nan)
        numbers = _compute.utf8_ltrim(self._array.filter(_pa.array(where)), "+")
        values[where] = numbers_of([_compute.cast(numbers, _pa.float64())])
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
            self._table: Any = _pa.table(stream)
        except (pyarrow.ArrowException, TypeError, OverflowError) as error:
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
            return cls(_pa.table(dict(columns)))
        except (pyarrow.ArrowException, TypeError, OverflowError) as error:
            raise ValueError(str(error)) from error

    def type_of(self, name: str) -> str:
        """Of which type the cells of a column are, in Arrow's words."""
        return str(self._plain(name).type)

    def missing(self, name: str) -> BoolArray:
        """Where a column has no value."""
        missing: BoolArray = _compute.is_null(self._plain(name)).to_numpy(zero_copy_only=False)
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
            if _pa.types.is_floating(cells.type):
                cells = cells.cast(_pa.float64())  # exactly, before it is written in its fewest digits
            cells = cells.cast(_pa.string())
        except pyarrow.ArrowException as error:
            raise ValueError(str(error)) from error
        return TextColumn.of(cells if empty is None else _compute.fill_null(cells, empty))

    def batches(self) -> Iterable[list[dict[str, object]]]:
        """The rows as records, some thousands at a time."""
        for batch in self._table.to_batches(max_chunksize=8192):
            yield batch.to_pylist()

    def _plain(self, name: str) -> Any:
        chunks = self._table.column(self.names.index(name))
        cells = chunks.combine_chunks() if chunks.num_chunks != 1 else chunks.chunk(0)
        return cells.dictionary_decode() if _pa.types.is_dictionary(cells.type) else cells


def numbers_of(chunks: Sequence[Any]) -> Any:
    """Their values, one after the other; Arrow's own way to an array loads pandas first."""
    return np.concatenate([np.from_dlpack(chunk) for chunk in chunks])


def are_plain(ids: Ids) -> bool:
    """Whether no identifier is empty or holds an ASCII blank."""
    return bool((ids.offsets[1:] > ids.offsets[:-1]).all()) and not bool(_SEPARATOR[ids.text].any())


def text_array(ids: Sequence[str]) -> Any:
    """Identifiers as a column of text, without a copy of what they are written in."""
    known = Ids.of(ids)
    offsets = _pa.py_buffer(known.offsets.astype(np.int32))
    return _pa.StringArray.from_buffers(len(known), offsets, _pa.py_buffer(known.text))


def text_ids(values: Any) -> Ids:
    """A column of text, without a copy of it."""
    offsets = np.frombuffer(values.buffers()[1], dtype=np.int32)[values.offset : values.offset + len(values) + 1]
    text = np.frombuffer(values.buffers()[2] or b"", dtype=np.uint8)[int(offsets[0]) : int(offsets[-1])]
    return Ids(text, offsets.astype(np.int64) - int(offsets[0]))


_COLUMNS: Mapping[CellType, Callable[[Any], Any]] = {
    "id": lambda column: IdChunks(column.chunks),
    "text": lambda column: text_ids(column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()),
    "integer": lambda column: numbers_of(column.chunks),
    "decimal": lambda column: numbers_of(column.chunks),
}
