"""What a file of ``fairviz convert`` says of itself: JSON at the end of a Parquet file, checked before it is believed.

A file that another program wrote anew, or that is cut, is refused: its ranges would hold other rows than they say.
"""

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast

import pyarrow
import pyarrow.parquet

from fairviz.errors import InputError

_pa: Any = pyarrow
_pq: Any = pyarrow.parquet


class Said(NamedTuple):
    """What a file says of itself, and what it is.

    Attributes:
        said: The JSON, but for its version; lists as tuples, notes as pairs of line and message.
        sizes: Rows of each of its row groups.
        columns: Names of its columns.
    """

    said: dict[str, Any]
    sizes: tuple[int, ...]
    columns: frozenset[str]


def said_in(path: str | os.PathLike[str], key: bytes, version: int) -> Said | None:
    """What stands under a key; None where nothing does. Only the last bytes of the file are read.

    Args:
        path: Any file.
        key: Of one kind of converted files.
        version: The one that is known.

    Raises:
        InputError: It is damaged, or was written by another version.
    """
    try:
        with Path(path).open("rb") as file:
            ours = file.read(4) == b"PAR1"
        parquet: Any = _pq.read_metadata(path) if ours else None
        metadata: dict[bytes, bytes] = (parquet.metadata or {}) if ours else {}
    except (OSError, ValueError, _pa.ArrowException):
        return None
    if key not in metadata:
        return None
    with as_it_says(path):
        said = cast("dict[str, Any]", _tuples(json.loads(metadata[key])))
        if said.pop("version") != version:
            raise InputError("was converted by another version of fairviz", file=str(path), fix="Convert it again.")
        said["notes"] = tuple((line, message) for line, message in said["notes"])
        sizes = tuple(parquet.row_group(i).num_rows for i in range(parquet.num_row_groups))
        columns = frozenset[str](parquet.schema.to_arrow_schema().names)
    return Said(said, sizes, columns)


def _tuples(value: Any) -> Any:
    """JSON whose lists are tuples."""
    if isinstance(value, dict):
        return {name: _tuples(held) for name, held in cast("dict[str, Any]", value).items()}
    return tuple(map(_tuples, cast("list[Any]", value))) if isinstance(value, list) else value


@contextmanager
def as_it_says(path: str | os.PathLike[str]) -> Generator[None]:
    """While it is read as it says it should be.

    Raises:
        InputError: It is not so.
    """
    try:
        yield
    except (OSError, ValueError, LookupError, TypeError, AttributeError, _pa.ArrowException) as error:
        raise damaged(path) from error


def damaged(path: str | os.PathLike[str]) -> InputError:
    """The error of a file that is not as it says."""
    return InputError("this Parquet file cannot be read", file=str(path), fix="Convert the original again.")
