"""The numbers of a study computed again: which of them are other than they were."""

import csv
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from io import StringIO
from typing import NamedTuple

from fairviz.display.table import Table, csv_text
from fairviz.errors import FairvizError
from fairviz.model import Dataset
from fairviz.reporting.assemble import assembled
from fairviz.reporting.request import Request
from fairviz.studies.demographic_qa import analysis as of_variants
from fairviz.studies.demographic_qa.settings import VariantsSettings
from fairviz.studies.social_bias.analysis import analyse
from fairviz.studies.social_bias.settings import BiasSettings

LAST_DIGITS = 1e-9
"""Relative difference up to which two numbers differ by how a machine adds, not by what was computed."""


class Difference(NamedTuple):
    """A cell that is other than it was; empty where it was not there, or is there no more.

    Attributes:
        table: Stem of the table.
        row: What the row is about: its cells that are no numbers.
        column: Key of the column.
        before, now: The cell.
    """

    table: str
    row: str
    column: str
    before: str
    now: str

    @property
    def in_last_digits(self) -> bool:
        """Whether both are numbers that differ by rounding alone."""
        before, now = _number(self.before), _number(self.now)
        return before is not None and now is not None and math.isclose(before, now, rel_tol=LAST_DIGITS, abs_tol=1e-12)


class Numbers(NamedTuple):
    """What was computed, and what could not be.

    Attributes:
        tables: Every table that the data allow as CSV for programs, by its stem.
        refused: A line for each part of which there are no numbers: which, and why.
    """

    tables: dict[str, str]
    refused: tuple[str, ...]


def computed(loaded: Dataset, request: Request) -> Numbers:
    """The numbers of a study; a part that cannot be computed takes none of the others with it."""
    parts: dict[str, Callable[[], Mapping[str, Table]]] = {
        "Measures and curves": lambda: assembled(loaded, request).tables
    }
    if (bias := request.bias) is not None:
        parts["Social bias"] = lambda: bias_answers(loaded, bias)
    if (variants := request.variants) is not None:
        parts["Demographic QA"] = lambda: variant_answers(loaded, variants)
    tables: dict[str, Table] = {}
    refused: list[str] = []
    for name, compute in parts.items():
        try:
            tables |= compute()
        except FairvizError as error:
            refused.append(f"{name}: {error}")
    texts = {stem: csv_text(table) for stem, table in tables.items() if table.audience != "papers"}
    return Numbers(texts, tuple(refused))


# Recorded answers, as ``fairviz bias`` and ``fairviz variants`` count them: every recorded column apart.


def bias_answers(loaded: Dataset, settings: BiasSettings) -> dict[str, Table]:
    """Tables of answers to questions with a stereotyped answer by stem, those that have rows.

    Args:
        loaded: The data.
        settings: How they are read.

    Raises:
        InputError: Answers and questions do not join.
    """
    if not (loaded.bias_items and loaded.bias_predictions):
        return {}
    return _with_rows("bias", analyse(loaded, settings).tables)


def variant_answers(loaded: Dataset, settings: VariantsSettings) -> dict[str, Table]:
    """Tables of answers to questions with demographic variants by stem, those that have rows.

    Args:
        loaded: The data.
        settings: How they are read.

    Raises:
        InputError: The answers cannot be counted so.
    """
    if not loaded.variants:
        return {}
    if not any(answers.kind == "open" for answers in loaded.variants):
        settings = replace(settings, threshold=None)
    return _with_rows("variants", of_variants.analyse(replace(loaded, runs=()), settings).tables)


def _with_rows(kind: str, tables: Mapping[str, Table]) -> dict[str, Table]:
    return {f"{kind}-{stem}": table for stem, table in tables.items() if table.rows}


# What differs.


def differences(before: Mapping[str, str], now: Mapping[str, str]) -> list[Difference]:
    r"""Cells that differ between two sets of tables, in the order of the first.

    Examples:
        >>> differences({"means": "system,AP\nbm25,0.5\n"}, {"means": "system,AP\nbm25,0.25\n"})
        [Difference(table='means', row='bm25', column='AP', before='0.5', now='0.25')]
    """
    cells: list[Difference] = []
    for stem in dict.fromkeys([*before, *now]):
        if before.get(stem) == now.get(stem):
            continue
        first, second = dict(_cells(before.get(stem, ""))), dict(_cells(now.get(stem, "")))
        cells += [
            Difference(stem, row, column, first.get((row, n, column), ""), second.get((row, n, column), ""))
            for row, n, column in dict.fromkeys([*first, *second])
            if first.get((row, n, column)) != second.get((row, n, column))
        ]
    return cells


def _cells(text: str) -> Iterator[tuple[tuple[str, int, str], str]]:
    """(what the row is about, its number among such rows, column) and the cell."""
    seen: dict[str, int] = {}
    for row in csv.DictReader(StringIO(text)):
        about = " · ".join(cell for cell in row.values() if cell and _number(cell) is None)
        seen[about] = seen.get(about, 0) + 1
        for column, cell in row.items():
            yield (about, seen[about], column), cell


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
