"""Files of any size as Parquet, which every reader reads like the original: Polars sorts what memory need not hold.

Rows of TREC's columns are split by query into parts that fit into memory, and each part is sorted; queries come in the
order in which they came first. Records and tables of answers keep their order.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from polars.io.plugins import register_io_source

from fairviz.errors import InputError, OutputError, printable
from fairviz.io.notes import NoteBook
from fairviz.io.source import Source
from fairviz.io.text import head_of
from fairviz.io.trec import trec_frames
from fairviz.io.whole import whole_file
from fairviz.model.arrays import first_repeated
from fairviz.numerals import count

PARTS = 16
"""Parts of about as many queries: of 100 million lines one needs about a gigabyte."""
ANY_SIZE = 2**63
"""Bytes of text that may be converted: no more than a part of it is in memory."""

RUN = {"query": "query_id", "sample": "sample", "doc": "doc_id", "rank": "rank", "score": "score", "tag": "system"}
QRELS = {"query": "query_id", "subtopic": "subtopic", "doc": "doc_id", "grade": "grade"}
"""TREC's columns, and what they are called in Parquet."""
_BY_SCORE = {"score": True}
_BY_RANK = {"sample": False, "rank": False}
"""What rows of a query are sorted by, and whether descending; equal ones stay in the order of the file."""


def convert_lists(source: Source, to: str, notes: NoteBook, *, judgements: bool, tell_apart: bool | None = None) -> str:
    """A run, samples of rankings, or judgements as Parquet, rows of a query together.

    Args:
        source: The file, plain or gzip'ed, its columns separated by any blanks.
        to: The file to write, whole or not at all.
        notes: Where repairs are noted.
        judgements: Whether it holds judgements.
        tell_apart: Whether column 2 names samples (subtopics); None: where a document repeats for a query.

    Returns:
        What was written, in words.

    Raises:
        InputError: A line is no row, or there is none.
        OutputError: ``to`` cannot be written.
    """
    names, second = (QRELS, "subtopic") if judgements else (RUN, "sample")
    with (
        whole_file(to) as result,
        TemporaryDirectory(prefix="fairviz-", ignore_cleanup_errors=True) as temporary,
        _written(to),
    ):
        folder = Path(temporary)
        lines = trec_frames(replace(source, most=ANY_SIZE), "qrels" if judgements else "run", tuple(names), notes)
        for number, frame in enumerate(lines):
            texts = frame.rename(names).cast({pl.Int32: pl.Float64})
            texts.write_parquet(folder / f"read{number:06}.parquet", compression="lz4")
        rows = pl.scan_parquet(folder / "read*.parquet").cast({"grade": pl.Int64} if judgements else {})
        order = rows.group_by("query_id").agg(pl.col("line").min()).sort("line").select("query_id").collect()
        rows = rows.drop("line").join(order.with_row_index("query").lazy(), on="query_id", maintain_order="left")
        part = (pl.col("query") * PARTS // len(order)).alias("part")
        split = pl.PartitionBy(folder / "split", key="part")
        rows.with_columns(part).sink_parquet(split, mkdir=True, compression="lz4")
        parts = [
            pl.scan_parquet(path / "*.parquet")
            for path in sorted((folder / "split").iterdir(), key=lambda path: int(path.name.partition("=")[2]))
        ]
        if tell_apart is None:
            tell_apart = any(first_repeated(one.select("query", "doc_id").collect()) is not None for one in parts)
        by: dict[str, bool] = {} if judgements else _BY_RANK if tell_apart else _BY_SCORE
        columns = [name for name in names.values() if tell_apart or name != second]
        ordered = [
            part.sort("query", *by, descending=[False, *by.values()], maintain_order=True).select(columns)
            for part in parts
        ]

        def of_parts(*_: object) -> Iterator[pl.DataFrame]:
            return (part.collect() for part in ordered)

        # One part is in memory at a time, and is written as soon as it is sorted.
        register_io_source(of_parts, schema=ordered[0].collect_schema()).sink_parquet(result)
    n_rows = pl.scan_parquet(to).select(pl.len()).collect().item()
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
