"""Parquet tables as JSON Lines, which every reader of records reads."""

import io
import json
import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

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


@contextmanager
def _opened(content: bytes, name: str) -> Generator[Any]:
    """The Parquet file, its methods untyped.

    Raises:
        InputError: It is damaged, has no rows, or two columns have one name.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = cast(Any, pq.ParquetFile(io.BytesIO(content)))
        refuse_repeated(file.schema_arrow.names, "column", file=name, line=None)
        if file.metadata.num_rows == 0:
            raise InputError("this Parquet file has no rows", file=name, fix="Write it with its rows.")
        yield file
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:  # text that is no UTF-8, no date
        fix = "Copy or download it again, or write it as JSON Lines."
        raise InputError("this Parquet file cannot be read", file=name, fix=fix) from error


def parquet_names(source: "Source") -> list[str]:
    """Names of the columns of a Parquet file.

    Raises:
        InputError: It is damaged, has no rows, or two columns have one name.
    """
    with source.stored() as stored, _opened(stored.read(), source.name) as file:
        return list(file.schema_arrow.names)


def parquet_table(source: "Source") -> Any:
    """The Arrow table of a Parquet file.

    Raises:
        InputError: It is damaged, has no rows, is larger than the limit, or two columns have one name.
    """
    import pyarrow as pa

    with source.stored() as stored:
        content = stored.read()
    with _opened(content, source.name) as file:
        batches: list[Any] = []
        n_bytes = 0
        for batch in file.iter_batches(batch_size=_BATCH):
            batches.append(batch)
            n_bytes += batch.nbytes
            _refuse_large(n_bytes, source.name, ratio_of=len(content))
        return cast(Any, pa.Table).from_batches(batches)


def parquet_lines(content: bytes, name: str) -> bytes:
    """The rows of a Parquet file, one JSON object a line; cells that are no number (NaN) are null.

    Args:
        content: The file.
        name: What to call it in messages.

    Raises:
        InputError: It is damaged, larger than the limit, or two columns have one name.
    """
    with _opened(content, name) as file:
        batches = (batch.to_pylist() for batch in file.iter_batches(batch_size=_BATCH))
        return record_lines(batches, name, ratio_of=len(content))


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
