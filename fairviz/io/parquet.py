"""Parquet tables as JSON Lines, which every reader of records reads."""

import io
import json
import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from fairviz.errors import InputError
from fairviz.io.limits import MAX_RATIO, MAX_TEXT, RATIO_FREE
from fairviz.io.names import refuse_repeated

if TYPE_CHECKING:
    from fairviz.io.source import Source

PARQUET = re.compile(rb"PAR1[\x00-\x1f]")
"""What a Parquet file begins with."""
_BATCH = 8192


def is_parquet(source: "Source") -> bool:
    """Whether a file is a Parquet file."""
    with source.stored() as stored:
        return PARQUET.match(stored.read(8)) is not None


def _opened(content: bytes, name: str) -> pl.LazyFrame:
    """A Parquet file before its rows are read.

    Raises:
        InputError: Two columns have one name.
    """
    table = pl.scan_parquet(content)
    refuse_repeated(table.collect_schema().names(), "column", file=name, line=None)
    return table


@contextmanager
def _readable(name: str) -> Generator[None]:
    """Refuse a Parquet file that cannot be read."""
    try:
        yield
    except pl.exceptions.DuplicateError as error:
        column = str(error).split("'")[1]
        raise InputError(f"duplicate column: {column}", file=name, fix="Keep one.") from error
    except (pl.exceptions.PolarsError, OSError, ValueError, OverflowError) as error:  # text that is no UTF-8, no date
        fix = "Copy or download it again, or write it as JSON Lines."
        raise InputError("this Parquet file cannot be read", file=name, fix=fix) from error


def parquet_schema(source: "Source") -> Mapping[str, pl.DataType]:
    """Names and types of the columns of a Parquet file.

    Raises:
        InputError: It is damaged, or two columns have one name.
    """
    with source.stored() as stored, _readable(source.name):
        return _opened(stored.read(), source.name).collect_schema()


def parquet_table(content: bytes, name: str) -> pl.DataFrame:
    """The table of a Parquet file.

    Args:
        content: The file.
        name: What to call it in messages.

    Raises:
        InputError: It is damaged, has no rows, is larger than the limit, or two columns have one name.
    """
    batches: list[pl.DataFrame] = []
    n_bytes = 0
    with _readable(name):
        for batch in _opened(content, name).collect_batches(chunk_size=_BATCH, maintain_order=True):
            batches.append(batch)
            n_bytes += int(batch.estimated_size())
            _refuse_large(n_bytes, name, ratio_of=len(content))
    if not any(batch.height for batch in batches):
        raise InputError("this Parquet file has no rows", file=name, fix="Write it with its rows.")
    return pl.concat(batches)


def parquet_lines(content: bytes, name: str) -> bytes:
    """The rows of a Parquet file, one JSON object a line; cells that are no number (NaN) are null.

    Args:
        content: The file.
        name: What to call it in messages.

    Raises:
        InputError: It is damaged, larger than the limit, or two columns have one name.
    """
    rows = (part.to_dicts() for part in parquet_table(content, name).iter_slices(_BATCH))
    return record_lines(rows, name, ratio_of=len(content))


def _refuse_large(n_bytes: int, name: str, *, ratio_of: int | None) -> None:
    if n_bytes > MAX_TEXT:
        reason = f"decompressed size exceeds the limit of {MAX_TEXT // 1024**3} GiB"
        raise InputError(reason, file=name, fix="Give it in parts.")
    if ratio_of is not None and n_bytes > max(RATIO_FREE, MAX_RATIO * ratio_of):
        reason = f"decompressed size exceeds the limit of {MAX_RATIO} times the compressed size"
        raise InputError(reason, file=name, fix="If the file is what it should be, write it as JSON Lines.")


def record_lines(batches: Iterable[Sequence[Mapping[str, Any]]], name: str, *, ratio_of: int | None = None) -> bytes:
    """Records as JSON Lines; cells that are no number (NaN) are null.

    Args:
        batches: Records, some at a time.
        name: What to call them in messages.
        ratio_of: Bytes of the file that they come from, which says how many they may be.

    Raises:
        InputError: They are larger than a limit.
    """
    lines = io.BytesIO()
    for batch in batches:
        for row in batch:
            lines.write(json.dumps(_plain(row), ensure_ascii=False).encode() + b"\n")
        _refuse_large(lines.tell(), name, ratio_of=ratio_of)
    return lines.getvalue()


def _plain(value: Any) -> Any:
    """A cell as JSON has it."""
    if hasattr(value, "tolist"):  # of NumPy: a scalar, or a list in a frame
        return _plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in cast("list[Any]", value)]
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    return value if value is None or isinstance(value, str | int | bool) else str(value)
