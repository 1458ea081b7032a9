"""The fast pass over a block of text: the columns of a table as Polars reads them.

It reads rows whose columns are separated by exactly one blank, with whole numbers of up to nine digits and plain
decimal scores, as nearly every file has them. At anything else it stops without a word: the exact pass
(:mod:`fairviz.io.tokens`) then says what is odd, and on which line. What both can read, both read alike.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from fairviz.io.limits import MAX_GRADE
from fairviz.io.text import n_lines
from fairviz.lookup import IdColumn, encoded

Kind: TypeAlias = Literal["id", "rank", "score", "grade"]
Numbers: TypeAlias = NDArray[np.number[Any]]

_ODD = (b"\r", b"\v", b"\f")
_TYPES: Mapping[Kind, type[pl.DataType]] = {"id": pl.String, "rank": pl.Int32, "grade": pl.Int32, "score": pl.Float64}


def plain_columns(text: bytes, kinds: Mapping[str, Kind]) -> dict[str, IdColumn | Numbers] | None:
    r"""The columns of a block.

    Args:
        text: Whole lines, each ended by a line feed.
        kinds: Name and kind of each column, left to right.

    Returns:
        A row per line, or None where anything about the block is odd.

    Examples:
        >>> found = plain_columns(b"q1 d1 0.5\nq1 d2 .25\n", {"query": "id", "doc": "id", "score": "score"})
        >>> found["query"].codes, found["query"].values, found["score"]
        (array([0, 0], dtype=int32), Ids.of(['q1']), array([0.5 , 0.25]))
    """
    separator = "\t" if b"\t" in text[:4096] else " "
    if any(blank in text for blank in (*_ODD, b" " if separator == "\t" else b"\t")):
        return None
    schema = {name: _TYPES[kind] for name, kind in kinds.items()}
    try:
        table = pl.read_csv(text, has_header=False, separator=separator, schema=schema, quote_char=None)
    except pl.exceptions.PolarsError:
        return None
    if table.height != n_lines(text) or any(column.null_count() for column in table):
        return None
    first = next(iter(kinds))
    if kinds[first] == "id" and table[first].str.starts_with("#").any():
        return None
    columns: dict[str, IdColumn | Numbers] = {}
    for name, kind in kinds.items():
        if kind == "id":
            columns[name] = encoded(table[name])
            continue
        numbers = table[name].to_numpy()
        if not _is_plain(numbers, kind):
            return None
        columns[name] = numbers
    return columns


def _is_plain(numbers: Numbers, kind: Kind) -> bool:
    """Whether nothing about the numbers is to be noted or refused."""
    if kind == "score":
        return bool(np.isfinite(numbers).all())
    return bool((numbers >= 0).all()) and not (kind == "grade" and bool((numbers > MAX_GRADE).any()))
