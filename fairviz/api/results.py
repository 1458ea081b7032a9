"""What a study answers: its tables as frames, and how a notebook shows them."""

from collections.abc import Mapping

import pandas as pd

from fairviz.api.door import frame_of
from fairviz.display.html import html_table
from fairviz.display.latex import latex_text
from fairviz.display.table import Table, plain_text
from fairviz.errors import UsageError


class Result:
    """The tables of a study.

    Args:
        tables: By name, the first one first.
        shown: Names of the tables that a notebook shows.
        to_read: These with the columns that a page has room for; without, with all of them.
    """

    def __init__(
        self, tables: Mapping[str, Table], shown: tuple[str, ...], to_read: Mapping[str, Table] | None = None
    ) -> None:
        self._tables = dict(tables)
        self._shown = tuple((to_read or tables)[name] for name in shown if name in tables and tables[name].rows)

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables that :meth:`frame` gives."""
        return tuple(self._tables)

    def frame(self, table: str | None = None) -> pd.DataFrame:
        """A table as a DataFrame: full precision, undefined cells as NaN.

        Args:
            table: One of :attr:`tables`; None = the first.

        Raises:
            UsageError: There is no such table.
        """
        return frame_of(self._table(table))

    def latex(self, table: str | None = None) -> str:
        """A table as LaTeX, for a column or a page of a paper.

        Args:
            table: One of :attr:`tables`; None = the first.

        Raises:
            UsageError: There is no such table.
        """
        return latex_text(self._table(table))

    def _table(self, name: str | None) -> Table:
        if name is not None and name not in self._tables:
            raise UsageError(f"table {name!r}: expected one of {', '.join(self._tables)}")
        return self._tables[name or next(iter(self._tables))]

    def __repr__(self) -> str:
        return "\n".join(plain_text(table) for table in self._shown).rstrip("\n")

    def _repr_html_(self) -> str:
        return "\n".join(html_table(table) for table in self._shown)
