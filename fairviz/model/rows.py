"""Nouns as rows: what people take out of a run, judgements or labels.

Whoever holds a noun asks it. That is the one way up in the house: the writer of files is loaded when it is asked.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any

import polars as pl

from fairviz.extras import optional
from fairviz.model.arrays import Ids, IndexArray, IntArray
from fairviz.numerals import plural

if TYPE_CHECKING:
    import pandas as pd


def ids_at(ids: Sequence[str], places: IntArray | IndexArray) -> pl.Series:
    """(N) the identifiers at some places."""
    return Ids.of(ids).column.gather(places)


def dataframe(columns: Mapping[str, Any]) -> "pd.DataFrame":
    """Columns as a DataFrame of pandas, which the commands do not need: it is loaded here alone.

    Raises:
        UsageError: It is not installed.
    """
    return optional("pandas", extra="frames", component="a DataFrame").DataFrame(columns)


COUNTED = {"query_ids": ("query", "queries"), "doc_ids": ("document", "documents"), "groups": ("group", "groups")}
"""Fields of identifiers, and what they identify."""


class Noun:
    """What a notebook or a terminal shows in a line: its kind, its name and how much it holds, not each identifier."""

    __slots__ = ()

    def __repr__(self) -> str:
        names = [repr(getattr(self, key)) for key in ("system", "attribute") if hasattr(self, key)]
        identifiers = ((getattr(self, key, None), words) for key, words in COUNTED.items())
        counts = [plural(len({*ids}), *words) for ids, words in identifiers if ids is not None]
        return f"{type(self).__name__}({', '.join([*names, *counts])})"


class Rows(Noun):
    """What has rows of documents.

    Examples:
        >>> import fairviz as fv
        >>> fv.run({"q": {"b": 1.0, "a": 2.0}}, name="own")
        Run('own', 1 query, 2 documents)
    """

    __slots__ = ()

    def to_polars(self) -> pl.DataFrame:
        """The rows as a Polars frame, best first; see :meth:`frame`."""
        raise NotImplementedError

    def frame(self) -> "pd.DataFrame":
        """The rows as a DataFrame that the library takes again, and PyTerrier, ir_datasets and ranx with it.

        Returns:
            Of a run ``query_id, doc_id, rank, score, system``; of a sample ``query_id, sample, doc_id, rank, system``;
            of judgements ``query_id, doc_id, grade``, and ``subtopic`` where they have any; of groups ``doc_id``, a
            column of the attribute, ``weight``, and ``query_id`` where labels differ by query. A row each, best first.

        Raises:
            UsageError: pandas is not installed.

        Examples:
            >>> import fairviz as fv
            >>> fv.run({"q": {"b": 1.0, "a": 2.0}}, name="own").frame()
              query_id doc_id  rank  score system
            0        q      a     1    2.0    own
            1        q      b     2    1.0    own
        """
        cells = {of.name: of.to_list() if of.dtype == pl.String else of.to_numpy() for of in self.to_polars()}
        return dataframe(cells)


class TrecRows(Rows):
    """Rankings and judgements, of which TREC has files."""

    __slots__ = ()

    def to_trec(self, file: str | PathLike[str]) -> None:
        r"""Write TREC's columns: of a run or sample six, of judgements four.

        Args:
            file: Where to; the file is whole afterwards, or as it was.

        Raises:
            InputError: An identifier holds a blank, which TREC's columns cannot.
            OutputError: The file cannot be written.

        Examples:
            >>> import tempfile, pathlib, fairviz as fv
            >>> file = pathlib.Path(tempfile.mkdtemp(), "own.run")
            >>> fv.run({"q": {"a": 1.5}}, name="own").to_trec(file)
            >>> file.read_text()
            'q Q0 a 1 1.5 own\n'
        """
        import_module("fairviz").write(self, file)


def to_ranx(rows: Rows, kind: str, column: str, **named: str) -> Any:
    """Rows as ranx' ``Run`` or ``Qrels``.

    Raises:
        ImportError: The package ranx is not installed.
    """
    made: Any = getattr(import_module("ranx"), kind)
    lists: dict[str, dict[str, float]] = {}
    for query, doc, value in rows.to_polars().select("query_id", "doc_id", column).iter_rows():
        lists.setdefault(query, {})[doc] = value
    return made(lists, **named)
