"""Queries per system."""

import numpy as np
from fairviz.studies.lengths.settings import LengthsSettings

from fairviz.display.table import Column, Table
from fairviz.display.words import Finding, plural
from fairviz.errors import UndefinedError
from fairviz.model import Dataset
from fairviz.studies.study import Analysis


def analyse(data: Dataset, settings: LengthsSettings) -> Analysis:
    """Count the queries of each run.

    Raises:
        UndefinedError: There is no run.
    """
    if not data.runs:
        raise UndefinedError("there is no run: give RUN")
    rows = [(run.system, int((np.diff(run.offsets) >= settings.least).sum())) for run in data.runs]
    most = max(rows, key=lambda row: row[1])
    table = Table((Column("system"), Column("n_queries", "queries", "number")), tuple(rows), "Queries of each system")
    return Analysis(
        tables={"lengths": table},
        findings=(Finding(f"{most[0]} ranks {plural(most[1], 'query', 'queries')}", "The most of all systems."),),
    )
