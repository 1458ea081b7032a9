"""Results of the attribution study as tables: every point, and each generator in a few numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fairviz.show.table import Column, Table, frame_table
from fairviz.stats.bootstrap import described
from fairviz.studies.attribution.panels import OutputSummary
from fairviz.studies.attribution.points import OutputPoints, points_frame

SUMMARY = (
    Column("generator"),
    Column("lists"),
    Column("EAR", kind="number"),
    Column("EAR_low", "EAR low", "interval"),
    Column("EAR_high", "EAR high", "interval"),
    Column("sources_given", "sources given", "number"),
    Column("sources_used", "sources used", "number"),
    Column("share_change", "share change", "number"),
    Column("share_change_low", "change low", "interval"),
    Column("share_change_high", "change high", "interval"),
    Column("EED", "EE-D", "number"),
    Column("EER", "EE-R", "number"),
    Column("EU", kind="number"),
    Column("n_queries", "queries", "number"),
    Column("n_outputs", "answers", "number"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionResults:
    """What recorded outputs say; None = not measured.

    Attributes:
        k: Items that a context holds.
        relevance: EE-R as a measure string, which names how relevance was counted.
        summaries: One per generator and setting.
        points: Every set of outputs, measured.
    """

    k: int
    relevance: str = "EE-R"
    summaries: Sequence[OutputSummary] | None = None
    points: Sequence[OutputPoints] | None = None


def points_table(points: Sequence[OutputPoints], *, relevance: str = "EE-R") -> Table:
    """One row per query under each setting of each generator."""
    caption = f"EE-D, {relevance}, EAR, EAE-D and EU of every query under every setting"
    return replace(frame_table(points_frame(points), caption=caption), audience="programs")


def summary_table(summaries: Sequence[OutputSummary], *, k: int, relevance: str = "EE-R") -> Table:
    """One row per generator and setting of its lists; ``relevance`` is what EE-R is called."""
    return Table(
        tuple(replace(column, label=relevance) if column.key == "EER" else column for column in SUMMARY),
        tuple(
            (
                summary.name,
                summary.setting,
                summary.rate,
                *summary.rate_interval,
                summary.given,
                summary.used,
                summary.change.difference,
                *summary.change.interval,
                summary.disparity,
                summary.relevance,
                summary.utility,
                summary.n_queries,
                summary.n_outputs,
            )
            for summary in summaries
        ),
        caption=f"Use of the context of each generator, k = {k}; intervals: {described(seed=0)}",
    )


def tables(results: AttributionResults) -> dict[str, Table]:
    """Every table that there are results for, by the stem of its file."""
    made: dict[str, Table] = {}
    if results.summaries is not None:
        made["consumption"] = summary_table(results.summaries, k=results.k, relevance=results.relevance)
    if results.points is not None:
        made["consumption-points"] = points_table(results.points, relevance=results.relevance)
    return made
