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
from fairviz.lookup import categories

Kind: TypeAlias = Literal["id", "rank", "score", "grade"]
Numbers: TypeAlias = NDArray[np.number[Any]]

Schema: TypeAlias = Mapping[str, tuple[Kind, pl.DataType]]
"""Kind of each column, left to right, and its type: that of identifiers is shared by all blocks of a table."""

_ODD = (b"\r", b"\v", b"\f")
_NUMBERS: Mapping[Kind, pl.DataType] = {"rank": pl.Int32(), "grade": pl.Int32(), "score": pl.Float64()}


def schema_of(kinds: Mapping[str, Kind]) -> Schema:
    """The types of a table's columns."""
    return {name: (kind, _NUMBERS.get(kind) or categories()) for name, kind in kinds.items()}


def plain_columns(text: bytes, schema: Schema) -> dict[str, pl.Series] | None:
    r"""The columns of a block.

    Args:
        text: Whole lines, each ended by a line feed.
        schema: Kind and type of each column, left to right.

    Returns:
        A row per line, or None where anything about the block is odd.

    Examples:
        >>> schema = schema_of({"query": "id", "doc": "id", "score": "score"})
        >>> columns = plain_columns(b"q1 d1 0.5\nq1 d2 .25\n", schema)
        >>> columns["doc"].to_list(), columns["score"].to_list()
        (['d1', 'd2'], [0.5, 0.25])
    """
    separator = "\t" if b"\t" in text[:4096] else " "
    odd = (*_ODD, b" " if separator == "\t" else b"\t", b"\n#")
    if text.startswith(b"#") or any(mark in text for mark in odd):
        return None
    types = {name: dtype for name, (_, dtype) in schema.items()}
    try:
        table = pl.read_csv(text, has_header=False, separator=separator, schema=types, quote_char=None)
    except pl.exceptions.PolarsError:
        return None
    if table.height != n_lines(text) or any(column.null_count() for column in table):
        return None
    if not all(kind == "id" or _is_plain(table[name].to_numpy(), kind) for name, (kind, _) in schema.items()):
        return None
    return {column.name: column for column in table}


def _is_plain(numbers: Numbers, kind: Kind) -> bool:
    """Whether nothing about the numbers is to be noted or refused."""
    if kind == "score":
        return bool(np.isfinite(numbers).all())
    return bool((numbers >= 0).all()) and not (kind == "grade" and bool((numbers > MAX_GRADE).any()))
