"""The cells of a table of answers as the file writes them: CSV, TSV, JSON Lines or a JSON array as one frame.

Polars parses what is regular: rows of as many cells as the header, records without objects in them. What is not,
Python's parsers read, which know what is wrong and on which line.
"""

import csv
import json
import re
from collections.abc import Generator, Iterable, Mapping
from itertools import tee
from typing import NamedTuple

import polars as pl

from fairviz.errors import InputError
from fairviz.io.json import Head, Json, checked_record, json_records, parse_line, values_on
from fairviz.io.limits import MAX_JSON_LINE
from fairviz.io.names import folded, refuse_repeated, separator_in
from fairviz.io.notes import NoteBook, shown
from fairviz.io.parquet import as_json, parquet_table
from fairviz.io.source import Source
from fairviz.io.text import Block, decoded, line_blocks, lines_in, lines_of, n_of
from fairviz.model.arrays import distinct_rows
from fairviz.numerals import count, plural


class Cells(NamedTuple):
    """R rows; where there are none, the fault says why.

    Attributes:
        frame: (R) a column for each folded name: the text of a table's cells, held by their codes where they are
            ``coded``; of a record the JSON text of its value, null where it has none.
        names: All folded names, each as it is first written.
        lines: (R) the line on which each starts; in a file that is one JSON array its number.
        fault: What is wrong with the row below the last one, None where the file was read to its end.
        in_table: Whether there is a header: CSV or TSV.
    """

    frame: pl.DataFrame
    names: dict[str, str]
    lines: pl.Series
    fault: InputError | None
    in_table: bool


def read_cells(source: Source, notes: NoteBook, *, quoted_tabs: bool = True, coded: bool = False) -> Cells:
    """The cells of a file.

    Args:
        source: CSV, TSV, JSON Lines or a JSON array.
        notes: Where repairs are noted. A byte order mark is none: spreadsheets write it.
        quoted_tabs: Whether cells between tabs may be quoted as in CSV; else a quote there is a character of a text.
        coded: Whether most cells are expected to say what others say: such tables are read in a fifth of the memory.

    Raises:
        InputError: It is no text, a column stands twice, or the header is no row.
    """
    if Head(source).is_json:
        return record_cells(source, notes)
    content = b"".join(block.text for block in line_blocks(source, NoteBook(source.name)))
    return cells_in(content, notes, quoted_tabs=quoted_tabs, coded=coded)


# Rows of a table.


def csv_rows(
    text: str, separator: str, file: str, *, quoted: bool, n_above: int = 0
) -> Generator[tuple[int, list[str]]]:
    """The rows of a table below so many lines, each with the line on which it starts.

    Raises:
        InputError: A row cannot be read.
    """
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    blanks = separator == " "  # of which several separate two cells, too
    reader = csv.reader(lines_of(text), delimiter=separator, quoting=quoting, strict=True, skipinitialspace=blanks)
    while True:
        line = n_above + reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            unclosed, fix = "unexpected end" in str(error), 'Quote cells as CSV: "…", with "" for a quote within.'
            reason = "unclosed quote" if unclosed else f"not a CSV row: {shown(str(error), limit=200)}"
            if "field larger" in str(error):
                reason = f"a cell of more than {count(csv.field_size_limit())} characters"
                fix = "Write long answers as JSON Lines."
            raise InputError(reason, file=file, line=line, fix=fix) from error
        yield line, row


_COMMENTS = re.compile(r"(?:#[^\n]*\n)+")


def without_comments(text: str, notes: NoteBook) -> tuple[str, int]:
    """A table without the comments above its header, and on how many lines they stand."""
    comments = _COMMENTS.match(text)
    n_lines = 0 if comments is None else n_of("\n", comments[0].encode())
    for line in range(1, n_lines + 1):
        notes.add("comment line skipped", line)
    return text if comments is None else text[comments.end() :], n_lines


_ROW_NAMES = re.compile(r'"[^\n]*"\n"[0-9]+"')
"""As R's write.table begins, whose header has no cell for the names of rows."""


def cells_in(content: bytes, notes: NoteBook, *, quoted_tabs: bool = True, coded: bool = False) -> Cells:
    """The cells of a table whose lines end in line feeds; arguments and errors of :func:`read_cells`."""
    file = notes.file
    text, n_above = without_comments(decoded(content, file, 1), notes)
    if not text or text.isspace():
        raise InputError("no data lines", file=file, fix="The file holds blanks or comments only.")
    content = content if text.endswith("\n") else content + b"\n"
    separator = separator_in(text[: text.find("\n") + 1 or None])
    if separator == " ":
        notes.add("columns are separated by blanks, not by tabs", n_above + 1)
        text = re.sub(r"(?m) +$", "", text)
    quoted = quoted_tabs or separator != "\t"
    rows = csv_rows(text, separator, file, quoted=quoted, n_above=n_above)
    first, header = next(rows)
    if quoted and _ROW_NAMES.match(text):
        rows, following = tee(rows)
        header = [""] * (len(next(following, (0, header))[1]) - len(header) == 1) + header
    refuse_repeated(header, "column", file=file, line=first)
    n_header = first + sum(name.count("\n") for name in header)
    kind = pl.Categorical(pl.Categories.random()) if coded else pl.String()
    schema = {str(index): kind for index in range(len(header))}
    is_plain = header and separator != " "
    read = _regular_rows(content, n_header, schema, separator, '"' if quoted else None) if is_plain else None
    frame, lines, fault = read or _odd_rows(rows, len(header), file)
    if not header:  # a blank line
        lines = lines.clear()
    elif (frame[:, 0].unique().cast(pl.String).str.strip_chars() == "").any():
        blank = frame.select(pl.all_horizontal(pl.all().cast(pl.String).str.strip_chars() == "")).to_series()
        for line in lines.filter(blank).to_list():
            notes.add("blank line skipped", line)
        frame, lines = frame.filter(~blank), lines.filter(~blank)
    if lines.is_empty() and fault is None:
        fault = InputError("no data rows", file=file, line=first, fix="The header stands alone.")
    columns = {name: frame[:, index] for index, name in enumerate(map(folded, header))}
    names = {folded(name): name.strip() for name in header}
    return Cells(pl.DataFrame(columns), names, lines, fault, in_table=True)


_Rows = tuple[pl.DataFrame, pl.Series, InputError | None]


_MARK = b"\xef\xbb\xbf"
"""Polars leaves a byte order mark out wherever a text begins with one."""


def _regular_rows(
    content: bytes, n_header: int, schema: Mapping[str, pl.DataType], separator: str, quote: str | None
) -> _Rows | None:
    """The rows below the header as Polars reads them, None where any has other cells or quotes within a text."""
    start = 0
    for _ in range(n_header):
        start = content.index(b"\n", start) + 1
    quoted = quote is not None and content.find(b'"', start) >= 0
    n_cells = n_of(separator, content, start) + n_of("\n", content, start)
    plain = not quoted and n_cells == len(schema) * n_of("\n", content, start)
    if content.startswith(_MARK, start) or not (plain or _is_regular(content[start:], len(schema), separator)):
        return None
    try:  # of rows with as many cells on average Polars refuses a longer one
        frame = pl.read_csv(
            content,
            has_header=False,
            skip_lines=n_header,
            schema=schema,
            separator=separator,
            quote_char=quote,
            empty_string_is_null=False,
        )
    except pl.exceptions.PolarsError:
        return None
    frame = frame.fill_null("")  # as which codes are read where texts are empty
    lines = pl.int_range(n_header + 1, n_header + 1 + frame.height, eager=True)
    if quoted:  # a cell may span lines
        within = pl.sum_horizontal(pl.all().cast(pl.String).str.count_matches("\n", literal=True))
        more = frame.select(within).to_series()
        lines += more.cum_sum().shift(1, fill_value=0)
    return frame, lines, None


def _is_regular(body: bytes, width: int, separator: str) -> bool:
    """Whether all rows have so many cells, each quoted from end to end or without any quote, or are blank lines."""
    cell = rf'(?:"(?:[^"]|"")*"|[^"{separator}\n]*)'
    rows = rf"\A(?:(?:{cell}(?:{separator}{cell}){{{width - 1}}})?\n)*\z"
    return bool(pl.Series([body.decode()]).str.contains(rows).item())


def _odd_rows(table: Iterable[tuple[int, list[str]]], width: int, file: str) -> _Rows:
    """The rows below the header as Python reads them, to the first that is wrong."""
    rows: list[list[str]] = []
    lines: list[int] = []
    fault = None
    try:
        for line, cells in table:
            if len(cells) != width and any(cell.strip() for cell in cells):
                reason = f"{plural(len(cells), 'cell')}, header has {width}"
                fix = "Give every row the cells of the header (R: row.names = FALSE); quote cells with a separator."
                raise InputError(reason, file=file, line=line, fix=fix)
            rows.append(cells if len(cells) == width else [""] * width)
            lines.append(line)
    except InputError as error:
        fault = error
    schema = {str(index): pl.String for index in range(width)}
    return pl.DataFrame(rows, schema=schema, orient="row"), pl.Series(lines, dtype=pl.Int64), fault


# Records of JSON.


_LINE = "\n"
"""The column of lines, named as no name of a file is after folding."""
_TEXT = r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnt])*"'
_SCALAR = rf"(?:{_TEXT}|-?(?:0|[1-9][0-9]{{0,17}})(?:\.[0-9]{{1,17}})?|true|false|null)"
_VALUE = rf"(?:{_SCALAR}|\[(?:{_SCALAR}(?:, ?{_SCALAR})*)?\])"
_FIELD = rf'"[^"\\\x00-\x1f]*": ?{_VALUE}'
_FLAT = rf"\A\{{{_FIELD}(?:, ?{_FIELD})*\}}\z"
"""A record of scalars, and of lists of these, of which nothing is to be repaired, or refused but for its names."""
_ANY = r'("(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*"|[^"\]])*\]|[-a-z0-9.]+)'
"""A value of such a record, by a pattern that is small: those of many values are slow."""
_KEYS = json.JSONDecoder(object_pairs_hook=lambda pairs: [key for key, _ in pairs])
_MAX_KEYS = 40
_MAX_SHAPES = 50
"""Keys of a flat record, and orders of keys in a block, beyond which records are parsed one by one."""


def record_cells(source: Source, notes: NoteBook) -> Cells:
    """The cells of records: JSON Lines or a JSON array.

    Args:
        source: The file.
        notes: Where repairs are noted.
    """
    if source.is_parquet:
        return _parquet_cells(source, notes)
    records = _Records()
    try:
        if Head(source).is_array:
            records.add(json_records(source, notes))
        else:
            for block in line_blocks(source, notes, max_line=MAX_JSON_LINE):
                _add_block(block, records, notes)
                if records.fault is not None:
                    break
    except InputError as error:
        records.fault = error
    return records.cells(source.name)


def _parquet_cells(source: Source, notes: NoteBook) -> Cells:
    """The rows of a Parquet file as cells of records, held by their codes; each distinct value is written once."""
    table = parquet_table(source, coded=True)
    kind = pl.Categorical(pl.Categories.random())
    columns: list[pl.Series] = []
    for column in table:
        codes, firsts = distinct_rows(column.to_frame())
        cells = zip(column.gather(firsts).to_list(), (firsts + 1).tolist(), strict=True)
        texts = [json.dumps(parse_line(as_json(cell), line, notes), ensure_ascii=False) for cell, line in cells]
        columns.append(pl.Series(folded(column.name), texts, kind).gather(codes))
    names = {folded(name): name.strip() for name in table.columns}
    frame = pl.DataFrame(columns)
    return Cells(frame, names, pl.int_range(1, frame.height + 1, eager=True), None, in_table=False)


def cells_of(records: Iterable[tuple[int, Mapping[str, Json]]], file: str) -> Cells:
    """The cells of records of a file, each with its line, that were read otherwise."""
    read = _Records()
    read.add(records)
    return read.cells(file)


class _Records:
    """Records by column, in parts.

    Attributes:
        parts: Their columns, and that of lines.
        names: All folded names, each as it is first written.
        fault: What is wrong with a record; those below it do not count.
    """

    def __init__(self) -> None:
        self.parts: list[pl.DataFrame] = []
        self.names: dict[str, str] = {}
        self.fault: InputError | None = None

    def add(self, records: Iterable[tuple[int, Mapping[str, Json]]]) -> None:
        """Add records with their lines, to the first that is wrong."""
        rows: list[dict[str, object]] = []
        columns: dict[str, str] = {}
        try:
            for line, record in records:
                for key in record:
                    if key not in columns:
                        columns[key] = self.named(key)
                row = {columns[key]: json.dumps(value, ensure_ascii=False) for key, value in record.items()}
                rows.append({_LINE: line, **row})
        except InputError as error:
            self.fault = error
        if rows:
            schema = {_LINE: pl.Int64} | dict.fromkeys(columns.values(), pl.String)
            self.parts.append(pl.DataFrame(rows, schema=schema))

    def named(self, key: str) -> str:
        """The folded name of a key, without NUL as all texts."""
        key = key.replace("\0", "\ufffd")
        name = folded(key)
        self.names.setdefault(name, key.strip())
        return name

    def cells(self, file: str) -> Cells:
        """All of them; parts of a file are put into the order of its lines."""
        parts = sorted(self.parts, key=lambda part: part[_LINE][0]) or [pl.DataFrame(schema={_LINE: pl.Int64})]
        frame = parts[0] if len(parts) == 1 else pl.concat(parts, how="diagonal").sort(_LINE)
        if self.fault is not None and self.fault.line is not None:
            frame = frame.filter(pl.col(_LINE) < self.fault.line)
        if frame.is_empty() and self.fault is None:
            self.fault = InputError("no data lines", file=file, fix="The file holds blanks only.")
        return Cells(frame.drop(_LINE), self.names, frame[_LINE], self.fault, in_table=False)


def _add_block(block: Block, records: _Records, notes: NoteBook) -> None:
    """Add the records on the lines of a block."""
    texts = lines_in(block, notes.file)
    lines = pl.DataFrame({_LINE: pl.int_range(block.line, block.line + len(texts), eager=True), "text": texts})
    is_flat = lines["text"].str.contains(_FLAT)
    flat, odd = lines.filter(is_flat), [lines.filter(~is_flat)]
    for _ in range(_MAX_SHAPES):
        if flat.is_empty():
            break
        keys: list[str] = _KEYS.decode(flat["text"][0])
        columns = [records.named(key) for key in keys]
        fields = [rf'"{re.escape(key)}": ?{_ANY}' for key in keys]
        if len({*columns}) < len(columns) or len(keys) > _MAX_KEYS:
            odd.append(flat.head(1))
            flat = flat.slice(1)
            continue
        values = flat["text"].str.extract_groups(r"\A\{" + ", ?".join(fields) + r"\}\z")
        has_shape = values.struct.field("1").is_not_null()
        cells = values.struct.rename_fields(columns).struct.unnest()
        records.parts.append(cells.with_columns(flat[_LINE]).filter(has_shape))
        flat = flat.filter(~has_shape)
    shapes: set[tuple[str, ...]] = set()
    values = values_on(pl.concat([*odd, flat]).sort(_LINE).iter_rows(), notes)
    records.add((line, checked_record(value, line, notes.file, shapes)) for line, value in values)
