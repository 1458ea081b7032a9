"""Files of any size as Parquet, which every reader reads like the original: Polars sorts what memory need not hold.

Rows of TREC's columns are split by query into parts that fit into memory, and each part is sorted; queries come in the
order in which they came first. Records and tables of answers keep their order.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import polars as pl

from fairviz.errors import InputError, OutputError, printable
from fairviz.io.notes import shown
from fairviz.io.source import Source
from fairviz.io.text import head_of
from fairviz.io.whole import whole_file
from fairviz.numerals import count

PARTS = 16
"""Parts of about as many queries: of 100 million lines one needs about a gigabyte."""
_DECIMAL = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_WHOLE = r"^[+-]?[0-9]+$"


class TrecFile(NamedTuple):
    """A kind of file in TREC's columns.

    Attributes:
        columns: In their order.
        numbers: Column -> pattern of its cells, type, and what a faulty one should be.
        second: Column 2, which is kept where it tells samples (subtopics) apart.
        order: What rows of a query are sorted by, and whether descending.
    """

    columns: tuple[str, ...]
    numbers: dict[str, tuple[str, type[pl.DataType], str]]
    second: str
    order: dict[str, bool]


RUN = TrecFile(
    ("query_id", "sample", "doc_id", "rank", "score", "system"),
    {"rank": (_DECIMAL, pl.Float64, "a number"), "score": (_DECIMAL, pl.Float64, "a finite number")},
    "sample",
    {"score": True, "doc_id": True},
)
SAMPLE_ORDER = {"sample": False, "rank": False}
QRELS = TrecFile(
    ("query_id", "subtopic", "doc_id", "grade"),
    {"grade": (_WHOLE, pl.Int64, "a whole number")},
    "subtopic",
    {"doc_id": False},
)


def convert_lists(source: Source, to: str, *, judgements: bool, tell_apart: bool | None = None) -> str:
    """A run, samples of rankings, or judgements as Parquet, rows of a query together.

    Args:
        source: The file, plain or gzip'ed, its columns separated by any blanks.
        to: The file to write, whole or not at all.
        judgements: Whether it holds judgements.
        tell_apart: Whether column 2 names samples (subtopics); None: where a document repeats for a query.

    Returns:
        What was written, in words.

    Raises:
        InputError: A line has too few columns, or a number is none: the first one is named.
        OutputError: ``to`` cannot be written.
    """
    kind = QRELS if judgements else RUN
    rows = _checked(_fields(source, kind.columns), kind, source.name)
    order = rows.group_by("query_id").agg(pl.col("line").min()).sort("line").select("query_id").collect()
    rows = rows.join(order.with_row_index("query").lazy(), on="query_id")
    n_rows = 0
    with (
        whole_file(to) as result,
        TemporaryDirectory(prefix="fairviz-", ignore_cleanup_errors=True) as folder,
        _written(to),
    ):
        part = (pl.col("query") * PARTS // len(order)).alias("part")
        rows.with_columns(part).sink_parquet(pl.PartitionBy(Path(folder) / "split", key="part"), mkdir=True)
        parts = [
            pl.scan_parquet(path / "*.parquet")
            for path in sorted((Path(folder) / "split").iterdir(), key=lambda path: int(path.name.partition("=")[2]))
        ]
        if tell_apart is None:
            pair = pl.struct("query_id", "doc_id")
            tell_apart = any(one.select(pair.is_duplicated().any()).collect().item() for one in parts)
        by = SAMPLE_ORDER if tell_apart and not judgements else kind.order
        columns = [name for name in kind.columns if tell_apart or name != kind.second]
        for number, one in enumerate(parts):
            ordered = one.sort("query", *by, descending=[False, *by.values()]).select(columns).collect()
            ordered.write_parquet(Path(folder) / f"{number:02}.parquet")
            n_rows += len(ordered)
        pl.scan_parquet(Path(folder) / "*.parquet").sink_parquet(Path(folder) / "whole")
        with (Path(folder) / "whole").open("rb") as whole:
            copyfileobj(whole, result)
    what = "judgements" if judgements else "samples of rankings" if tell_apart else "a run"
    return f"{what}; queries: {count(len(order))}, rows: {count(n_rows)}"


def convert_records(source: Source, to: str) -> str:
    """Recorded outputs or answers, JSON Lines or a table with a header, as a Parquet file of the same rows.

    Args:
        source: The file, plain or gzip'ed.
        to: The file to write, whole or not at all.

    Returns:
        What was written, in words.

    Raises:
        InputError: The rows make no table, such as a column that holds texts here and lists there.
        OutputError: ``to`` cannot be written.
    """
    head = head_of(source).lstrip()
    if head[:1] == b"[":
        raise InputError("one JSON array, and rows are needed", file=source.name, fix="Write a JSON object per line.")
    with whole_file(to) as result:
        try:
            if head[:1] == b"{":
                pl.scan_ndjson(_opened(source), infer_schema_length=None).sink_parquet(result)
            else:
                mark = "\t" if b"\t" in head.split(b"\n", 1)[0] else ","
                pl.scan_csv(_opened(source), separator=mark, infer_schema=False).sink_parquet(result)
        except pl.exceptions.PolarsError as error:
            reason = f"the rows make no table: {printable(str(error).split(chr(10), 1)[0])}"
            raise InputError(reason, file=source.name, fix="Give it as it is: every command reads it.") from error
    return f"rows: {count(pl.scan_parquet(to).select(pl.len()).collect().item())}"


@contextmanager
def _written(to: str) -> Generator[None]:
    """What stops Polars while it writes, such as a full disk, as an error on the result."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = f"cannot be written: {printable(str(error).split(chr(10), 1)[0])}"
        raise OutputError(reason, file=to, fix="Free some space, in the folder for temporary files, too.") from error


def _opened(source: Source) -> Path | BytesIO:
    """What Polars scans: a file where it lies, or the bytes of a pipe."""
    return BytesIO(source.content) if source.path is None else source.path


def _fields(source: Source, columns: Sequence[str]) -> pl.LazyFrame:
    """(line, columns…) as text; comments and blank lines are left out.

    Raises:
        InputError: A line has fewer columns.
    """
    as_text: dict[str, Any] = {"has_header": False, "infer_schema": False, "quote_char": None}
    as_text |= {"row_index_name": "line", "row_index_offset": 1}
    try:  # one blank between columns, as nearly every file has them
        rows = pl.scan_csv(_opened(source), separator=" ", new_columns=[*columns], **as_text)
        cells = pl.col(columns)
        odd = pl.any_horizontal(cells.is_null() | (cells == "")) | pl.col(columns[0]).str.starts_with("#")
        if len(rows.collect_schema()) == len(columns) + 1 and not _first(rows, odd):
            return rows
    except pl.exceptions.PolarsError:
        pass
    lines = pl.scan_csv(_opened(source), separator="\x01", new_columns=["text"], truncate_ragged_lines=True, **as_text)
    lines = lines.filter(pl.col("text").str.contains(r"^\s*[^#\s]"))
    pattern = r"^\s*" + r"\s+".join(rf"(?<{column}>\S+)" for column in columns) + r"(\s|$)"
    rows = lines.with_columns(pl.col("text").str.extract_groups(pattern).alias("cells")).unnest("cells")
    if row := _first(rows, pl.col(columns[-1]).is_null()):
        reason = f"expected {len(columns)} columns ({' '.join(columns)}): {shown(row['text'])}"
        raise InputError(reason, file=source.name, line=row["line"], fix="Write one row a line.")
    return rows.select("line", *columns)


def _checked(rows: pl.LazyFrame, kind: TrecFile, name: str) -> pl.LazyFrame:
    """The rows with numbers where numbers belong.

    Raises:
        InputError: A cell is none; names the first line.
    """
    for column, (pattern, _, what) in kind.numbers.items():
        if row := _first(rows, ~pl.col(column).str.contains(pattern)):
            reason = f"{column} is not {what}: {shown(row[column])}"
            raise InputError(reason, file=name, line=row["line"], fix=f"Write {what}.")
    return rows.with_columns(pl.col(column).cast(as_type) for column, (_, as_type, _) in kind.numbers.items())


def _first(rows: pl.LazyFrame, where: pl.Expr) -> dict[str, Any] | None:
    """The first row that is so."""
    return next(rows.filter(where).head(1).collect(engine="streaming").iter_rows(named=True), None)
