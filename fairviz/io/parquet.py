"""Parquet files: their structure, read before Polars trusts it, and their rows.

Polars ends the whole process where a page of a damaged file says that it holds fewer than no values, or more than its
column: no error can be caught then, and a server would be gone for everybody. Page headers are small and are all that
is read here. Numbers of fields are those of the format's definition (Apache Parquet, ``parquet.thrift``) in the compact
protocol of Apache Thrift.
"""

import json
from collections.abc import Generator
from contextlib import contextmanager, suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, TypeAlias, cast

import polars as pl
import polars.selectors as cs

from fairviz.errors import InputError
from fairviz.io.limits import MAX_RATIO, MAX_TEXT, MAX_UPLOAD
from fairviz.io.names import refuse_repeated
from fairviz.io.source import Source

_UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, OverflowError)
"""What Polars raises for damaged pages (a panic is no ``Exception``), text that is no UTF-8, and what is no date."""
_BATCH = 65_536
"""Rows that are read at a time."""

Fields: TypeAlias = dict[int, Any]
"""Values of a Thrift struct by the numbers of their fields."""

TRAILER = 8
"""Bytes behind the footer: its length, and the mark of the format."""
ROW_GROUPS, COLUMNS, ABOUT_COLUMN = 4, 1, 3
N_VALUES, COMPRESSED, DATA_PAGE, DICTIONARY_PAGE = 5, 7, 9, 11
"""Fields of what is said about a column of a row group."""
PAGE_SIZE, HEADERS, N_OF_PAGE = 3, {5, 7, 8}, 1
"""Fields of a page: compressed bytes, the header of its kind (data, dictionary, data of version 2), values therein."""
DICTIONARY = 7
"""The kind of page whose values are not the column's."""


def refuse_damaged_pages(file: Path | bytes) -> None:
    """Hold the pages of each column against what the footer says of it.

    Args:
        file: The file, or where it is stored.

    Raises:
        ValueError: A page holds fewer than no values or more than are left of its column, a column lacks some, or
            what is said of them cannot be read.
    """
    if isinstance(file, bytes):
        _refuse(file)
        return
    with file.open("rb") as stored, mmap(stored.fileno(), 0, access=ACCESS_READ) as content:
        _refuse(content)


def _refuse(content: bytes | mmap) -> None:
    try:
        at = len(content) - TRAILER - int.from_bytes(content[-TRAILER : 4 - TRAILER], "little")
        groups = _Thrift(content, at).struct().get(ROW_GROUPS, [])
        columns = [column[ABOUT_COLUMN] for group in groups for column in group[COLUMNS]]
        n_bytes = sum(_bytes_of_pages(content, column) for column in columns)
    except (LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("the structure of the file is damaged") from error
    if n_bytes > len(content):
        raise ValueError("columns of the file overlap")


def _bytes_of_pages(content: bytes | mmap, column: Fields) -> int:
    """How many bytes the pages of a column take; each is looked at."""
    first = min(column[DATA_PAGE], column.get(DICTIONARY_PAGE, column[DATA_PAGE]))
    pages, left = _Thrift(content, first), column[N_VALUES]
    while left > 0 and pages.at - first < column[COMPRESSED]:
        page = pages.struct()
        kind = min(page.keys() & HEADERS, default=0)
        n_values = page[kind][N_OF_PAGE]
        left -= 0 if kind == DICTIONARY else n_values
        if n_values < 0 or page[PAGE_SIZE] < 0 or left < 0:
            raise ValueError("a page of the file is damaged")
        pages.at += page[PAGE_SIZE]
    if left:
        raise ValueError("a column of the file lacks pages")
    return pages.at - first


class _Thrift:
    """The compact protocol of Thrift, read from a place on, which moves."""

    def __init__(self, content: bytes | mmap, at: int) -> None:
        if at < 0:
            raise IndexError
        self._content = content
        self.at = at

    def struct(self) -> Fields:
        """Pairs of a field's head and its value, up to a zero."""
        fields: Fields = {}
        number = 0
        while head := self._byte():
            step = head >> 4
            number = number + step if step else self._signed()
            fields[number] = self._value(head & 15)
        return fields

    def _value(self, kind: int) -> Any:
        match kind:
            case 1 | 2:  # true, false: the kind is the value
                return kind == 1
            case 3:
                return self._byte()
            case 4 | 5 | 6:
                return self._signed()
            case 7:
                return self._bytes(8)
            case 8:
                return self._bytes(self._number())
            case 9 | 10:  # a list; longer ones say so in a number of their own
                head = self._byte()
                n, of = head >> 4, head & 15
                n = n if n < 15 else self._number()
                return [self._byte() if of in (1, 2) else self._value(of) for _ in range(n)]
            case 12:
                return self.struct()
            case _:
                raise LookupError

    def _bytes(self, n: int) -> bytes:
        self.at += n
        return self._content[self.at - n : self.at]

    def _byte(self) -> int:
        self.at += 1
        return self._content[self.at - 1]

    def _number(self) -> int:
        """Seven bits a byte, the lowest first, up to a byte without its highest bit."""
        number = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise LookupError

    def _signed(self) -> int:
        """0, −1, 1, −2 for 0, 1, 2, 3, and so on."""
        number = self._number()
        return (number >> 1) ^ -(number & 1)


# The rows.


@contextmanager
def open_parquet(source: Source) -> Generator[pl.LazyFrame]:
    """A Parquet file, where it is stored or as bytes, while its rows are read.

    Raises:
        InputError: It is damaged, two columns have one name, or it has no rows.
    """
    with source.stored() as stored, readable_parquet(source.name):
        file = source.path or stored.read()
        refuse_damaged_pages(file)
        table = pl.scan_parquet(file)
        refuse_repeated(table.collect_schema().names(), "column", file=source.name, line=None)
        if not _n_rows(table):
            raise source.wrong("this Parquet file has no rows", "Write it with its rows.")
        yield table.drop(cs.matches("^__index_level_[0-9]+__$"))  # as pandas calls an index without a name


def batches_of(table: pl.LazyFrame, n_rows: int) -> Generator[pl.DataFrame]:
    """All rows of a Parquet file in their order, so many at a time.

    Raises:
        ValueError: There are fewer than the file says: behind a damaged page Polars may silently give no more.
    """
    n_missing = _n_rows(table)
    for batch in table.collect_batches(chunk_size=n_rows, maintain_order=True):
        n_missing -= batch.height
        yield batch
    if n_missing:
        raise ValueError


def _n_rows(table: pl.LazyFrame) -> int:
    return int(table.select(pl.len()).collect().item())


@contextmanager
def readable_parquet(name: str) -> Generator[None]:
    """Refuse a Parquet file that cannot be read."""
    try:
        yield
    except pl.exceptions.DuplicateError as error:
        column = str(error).split("'")[1]
        raise InputError(f"duplicate column: {column}", file=name, fix="Keep one.") from error
    except _UNREADABLE as error:
        fix = "Copy or download it again, or write it as JSON Lines."
        raise InputError("this Parquet file cannot be read", file=name, fix=fix) from error


def parquet_table(source: Source, *, coded: bool = False) -> pl.DataFrame:
    """The table of a Parquet file.

    Equal rows take nearly no room in it, so that it may always be in memory what an upload as text may be.

    Args:
        source: The file.
        coded: Whether texts are held by their codes, as most say what others say.

    Raises:
        InputError: It is in memory larger than the limit, or as :func:`open_parquet`.
    """
    source.refuse_large()
    batches: list[pl.DataFrame] = []
    n_bytes = 0
    kind = pl.Categorical(pl.Categories.random()) if coded else pl.String()
    most = min(max(MAX_UPLOAD, MAX_RATIO * source.size), MAX_TEXT)
    with open_parquet(source) as table:
        for batch in batches_of(table, _BATCH):
            batches.append(batch.cast({pl.String: kind}))
            n_bytes += _size(batches[-1])
            if n_bytes > most:
                limit = f"{MAX_TEXT // 1024**3} GiB" if n_bytes > MAX_TEXT else f"{MAX_RATIO} times the compressed size"
                fix = "Give it in parts, or as JSON Lines if it is what it should be."
                raise source.wrong(f"decompressed size exceeds the limit of {limit}", fix)
    return pl.concat(batches)


def _size(rows: pl.DataFrame) -> int:
    """Bytes of rows in memory; of categories those of all that occur in them."""
    texts = (column.unique().cast(pl.String).str.len_bytes().sum() for column in rows.select(cs.categorical()))
    return int(rows.estimated_size()) + sum(map(int, texts))


def row_lines(source: Source) -> Generator[str]:
    """The first rows of a Parquet file, each as a line of JSON.

    Raises:
        InputError: As :func:`open_parquet`.
    """
    with open_parquet(source) as table:
        rows = table.head(1000).collect()
    yield from (as_json(row) + "\n" for row in rows.iter_rows(named=True))


def rows_around(source: Source, row: int, *, reach: int = 1, longest: int = 200) -> dict[int, str]:
    """A row and its neighbours as JSON by their numbers from 0, as :func:`~fairviz.io.text.lines_around` has lines."""
    first = max(row - reach, 0)
    with suppress(InputError), open_parquet(source) as table:
        rows = table.slice(first, row + reach + 1 - first).collect()
        return {at: as_json(cells)[:longest] for at, cells in enumerate(rows.iter_rows(named=True), start=first)}
    return {}


def as_json(cell: Any) -> str:
    """The JSON of a cell, or of a row; what is no number (NaN) is null."""
    return json.dumps(plain(cell), ensure_ascii=False)


def plain(cell: Any) -> Any:
    """A cell as JSON has it."""
    if hasattr(cell, "tolist"):  # of NumPy: a scalar, or a list in a frame
        return plain(cell.tolist())
    if isinstance(cell, dict):
        return {str(key): plain(inner) for key, inner in cast("dict[Any, Any]", cell).items()}
    if isinstance(cell, (list, tuple)):
        return [plain(inner) for inner in cast("list[Any]", cell)]
    if isinstance(cell, float):
        return cell if abs(cell) < float("inf") else None
    return cell if cell is None or isinstance(cell, str | int | bool) else str(cell)
