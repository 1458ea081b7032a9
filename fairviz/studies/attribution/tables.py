"""Tables of recorded outputs, for papers and files."""

from collections.abc import Sequence

from fairviz.show.table import Table, keyed
from fairviz.studies.attribution.panels import OutputSummary

COLUMNS = (
    "generator",
    "lists",
    "EAR",
    "EAR low",
    "EAR high",
    "sources given",
    "sources used",
    "share change",
    "change low",
    "change high",
    "EE-D",
    "EE-R",
    "EU",
    "queries",
    "answers",
)


def summary_content(rows: Sequence[OutputSummary], *, k: int) -> Table:
    """One row per generator and setting of its lists."""
    return Table(
        keyed(*COLUMNS),
        tuple(
            (
                row.name,
                row.setting,
                row.rate,
                *row.rate_interval,
                row.given,
                row.used,
                row.change.difference,
                *row.change.interval,
                row.disparity,
                row.relevance,
                row.utility,
                row.n_queries,
                row.n_outputs,
            )
            for row in rows
        ),
        caption=f"Use of the lists given to each generator, k = {k}; intervals: 95 % percentile "
        "bootstrap over queries, 2,000 resamples, seed 0",
    )
