"""What a study found, for a notebook: its tables as frames, its findings, its charts."""

from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl

from fairviz.api.door import frame_of
from fairviz.display.html import html_table
from fairviz.display.latex import latex_text
from fairviz.display.paper import COLUMN, POINTS, Chart, kind_of, printed
from fairviz.display.table import Table, csv_text, json_text, plain_text, records
from fairviz.display.theme import LIGHT
from fairviz.display.words import Finding
from fairviz.errors import UndefinedError, UsageError
from fairviz.extras import DRAWS, need
from fairviz.io.whole import whole_file
from fairviz.studies.study import Analysis, Settings, Study


class Result:
    """What a study found.

    Args:
        study: Which one.
        settings: What was set.
        analysis: What was found.
    """

    def __init__(self, study: Study, settings: Settings, analysis: Analysis) -> None:
        self.study = study
        self.settings = settings
        self.analysis = analysis

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Titles with their sentences, the first one the headline."""
        return self.analysis.findings

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables that :meth:`frame` gives."""
        return tuple(self.analysis.tables)

    @property
    def charts(self) -> tuple[str, ...]:
        """Names of the charts that :meth:`figure` draws."""
        return tuple(self.analysis.charts)

    def frame(self, table: str | None = None) -> pd.DataFrame:
        """A table as a DataFrame: full precision, undefined cells as NaN.

        Args:
            table: One of :attr:`tables`; None = the first.

        Raises:
            UsageError: There is no such table.
        """
        return frame_of(self._table(table))

    def to_polars(self, table: str | None = None) -> pl.DataFrame:
        """A table as a Polars frame: full precision, undefined cells as null.

        Args:
            table: One of :attr:`tables`; None = the first.

        Raises:
            UsageError: There is no such table.
        """
        return pl.from_dicts(records(self._table(table)), infer_schema_length=None).fill_nan(None)

    def latex(self, table: str | None = None) -> str:
        """A table as LaTeX, for a column or a page of a paper.

        Args:
            table: One of :attr:`tables`; None = the first.

        Raises:
            UsageError: There is no such table.
        """
        return latex_text(self._table(table))

    def figure(self, chart: str | None = None) -> Chart:
        """A chart in light colours.

        Args:
            chart: One of :attr:`charts`; None = the first.

        Raises:
            UndefinedError: The study has no chart of these data.
            UsageError: There is no such chart, or Plotly is not installed.
        """
        need("a chart", DRAWS)
        charts = self.analysis.charts
        if not charts:
            raise UndefinedError("there is no chart of these data")
        if chart is not None and chart not in charts:
            raise UsageError(f"chart {chart!r}: expected one of {', '.join(charts)}")
        return charts[chart or next(iter(charts))].draw(colours=LIGHT)

    def save(
        self,
        file: str | PathLike[str],
        *,
        name: str | None = None,
        width: float = COLUMN,
        points: float = POINTS,
        greyscale: bool = False,
    ) -> None:
        """Write a table (.csv, .tex, .html), a chart for a paper (.svg, .pdf, .png), or everything (.json).

        The file is whole afterwards, or as it was. JSON is what the command prints with ``--format json``.

        Args:
            file: Its ending says what is written; a chart needs kaleido, and Chrome or Chromium.
            name: Of the table or the chart; None = the first, in JSON all tables.
            width: Of a chart in mm: 84 is a column, 174 both columns of a page.
            points: Of its smallest text.
            greyscale: Greys with dashes and markers in place of colours.

        Raises:
            OutputError: The file cannot be written.
            UsageError: There is no such table or chart, the file is of another kind, or a package is not installed.
        """
        writers = {".csv": csv_text, ".tex": latex_text, ".html": html_table}
        ending = Path(file).suffix.lower()
        if ending == ".json":
            tables = self.analysis.tables if name is None else {name: self._table(name)}
            content = f"{json_text(self.study.record(self.settings, self.analysis, tables))}\n".encode()
        elif ending in writers:
            content = writers[ending](self._table(name)).encode()
        else:
            size: dict[str, Any] = {"width": width, "points": points, "greyscale": greyscale}
            (content,) = printed(self.figure(name), kind_of(str(file)), **size)
        with whole_file(str(file)) as to:
            to.write(content)

    def _table(self, name: str | None) -> Table:
        tables = self.analysis.tables
        if name is not None and name not in tables:
            raise UsageError(f"table {name!r}: expected one of {', '.join(tables)}")
        return tables[name or next(iter(tables))]

    @property
    def _shown(self) -> list[Table]:
        """Tables as a terminal shows them."""
        return [table for table in self.analysis.read.values() if table.rows]

    def __repr__(self) -> str:
        return "\n".join(plain_text(table) for table in self._shown).rstrip("\n")

    def _repr_html_(self) -> str:
        return "\n".join(html_table(table) for table in self._shown)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The chart where there is one and a notebook can show it, else the tables."""
        bundle: dict[str, Any] = {"text/plain": repr(self)}
        try:
            chart: Any = self.figure() if len(self.charts) == 1 else None
        except UsageError:  # Plotly is not installed
            chart = None
        drawn: dict[str, Any] = {} if chart is None else chart._repr_mimebundle_()
        return bundle | (drawn or {"text/html": self._repr_html_()})
