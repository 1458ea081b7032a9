"""What is retrieved for variants as rows: overlap of lists in percent, ranking quality of runs."""

from collections.abc import Sequence

from fairviz.display.table import Cell, Column, Json, Table, keyed
from fairviz.display.words import plural
from fairviz.studies.demographic_qa.overlap import Overlap
from fairviz.studies.demographic_qa.results import RetrievalResults
from fairviz.studies.demographic_qa.runs import VariantQuality

REFERENCE = "(reference)"
"""Stands where a condition of reference has no attribute."""


def overlap_table(overlaps: Sequence[Overlap]) -> Table:
    """The three estimators of each attribute and depth."""
    return Table(
        keyed("attribute", "k", "all", "pairwise", "neutral", "n_questions"),
        tuple(
            (overlap.attribute, overlap.k, overlap.all, overlap.pairwise, overlap.neutral, overlap.n_questions)
            for overlap in overlaps
        ),
        decimals=2,
    )


def overlap_values_table(overlaps: Sequence[Overlap]) -> Table:
    """The list of each value with the one without attribute."""
    return Table(
        keyed("attribute", "value", "k", "overlap_neutral", "n"),
        tuple(
            (overlap.attribute, value, overlap.k, percent, n)
            for overlap in overlaps
            for _, value, percent, n in _with_neutral(overlap)
        ),
        decimals=2,
    )


def overlap_pairs_table(overlaps: Sequence[tuple[str, Overlap]]) -> Table:
    """Every pair of lists, the one without attribute among them, then the three estimators.

    Args:
        overlaps: Whose lists (answers, a retriever), and their overlap.
    """
    rows: list[tuple[Cell, ...]] = []
    for name, overlap in overlaps:
        pairs = [(*pair, percent, overlap.n_pairs[pair]) for pair, percent in overlap.pairs.items()]
        estimators = [
            (f"estimator {kind}", "", percent, overlap.n_questions)
            for kind, percent in (("all", overlap.all), ("pairwise", overlap.pairwise), ("neutral", overlap.neutral))
        ]
        rows += [(name, overlap.attribute, overlap.k, *line) for line in (*_with_neutral(overlap), *pairs, *estimators)]
    return Table(
        keyed("lists", "attribute", "k", "first", "second", "overlap", "n"),
        tuple(rows),
        caption="Retrieval overlap in percent: shared per all documents, mean over questions",
        decimals=1,
    )


def quality_table(quality: VariantQuality) -> Table:
    """Ranking quality of the list of each value, against the one without attribute."""
    return Table(
        (
            Column("attribute"),
            Column("value", "group"),
            Column("measure"),
            Column("mean", kind="number"),
            Column("low", kind="interval"),
            Column("high", kind="interval"),
            Column("n_questions", "questions", kind="number"),
            Column("difference", "to neutral", kind="signed"),
            Column("difference_low", kind="interval"),
            Column("difference_high", kind="interval"),
            Column("p", kind="p"),
            Column("p_holm", "p (Holm)", kind="p"),
        ),
        tuple(
            (
                row.attribute or REFERENCE,
                row.value,
                row.measure,
                row.mean,
                *row.interval,
                row.n_questions,
                row.difference,
                *row.difference_interval,
                row.p,
                row.p_holm,
            )
            for row in quality.rows
        ),
        caption=f"Paired t-test against neutral, Holm over {plural(quality.n_tests, 'test')}",
        decimals=4,
    )


def quality_gaps_table(quality: VariantQuality) -> Table:
    """The largest difference in ranking quality between two values of an attribute."""
    return Table(
        (
            *keyed("attribute", "measure", "gap", "best", "worst", "low", "high", "n_questions"),
            Column("p", kind="p"),
            Column("p_holm", "p (Holm)", kind="p"),
        ),
        tuple(
            (
                gap.attribute,
                gap.measure,
                gap.gap,
                gap.best,
                gap.worst,
                *gap.interval,
                gap.n_questions,
                gap.p,
                gap.p_holm,
            )
            for gap in quality.gaps
        ),
        caption="Paired t-test of the two groups, Holm over all pairs of groups that were searched",
        decimals=4,
    )


def _with_neutral(overlap: Overlap) -> list[tuple[str, str, float, int]]:
    return [("neutral", value, percent, overlap.n_by_value[value]) for value, percent in overlap.by_value.items()]


# Nested JSON.


def fields(record: object, *names: str) -> dict[str, Json]:
    """Attributes of a record, each under its own name."""
    return {name: getattr(record, name) for name in names}


def retrieval_body(results: RetrievalResults) -> dict[str, Json]:
    """Overlap and, with judgements, quality of runs."""
    body: dict[str, Json] = {"overlap": [overlap_body(overlap) for overlap in results.overlaps]}
    return body if results.quality is None else body | _quality_body(results.quality)


def overlap_body(overlap: Overlap) -> dict[str, Json]:
    """Overlap in percent at one depth."""
    return {
        **fields(overlap, "attribute", "k", "all", "pairwise", "neutral"),
        "intervals": {name: list(ends) for name, ends in overlap.intervals.items()},
        "by_value": overlap.by_value,
        "pairs": [
            {"first": v, "second": w, "overlap": percent, "n": overlap.n_pairs[v, w]}
            for (v, w), percent in overlap.pairs.items()
        ],
        **fields(overlap, "n_questions", "n_neutral", "n_incomplete", "n_short"),
    }


def _quality_body(quality: VariantQuality) -> dict[str, Json]:
    return {
        "quality": [
            {
                "attribute": row.attribute or None,
                **fields(row, "value", "measure", "mean"),
                "ci_low": row.interval.low,
                "ci_high": row.interval.high,
                **fields(row, "n_questions", "n_undefined", "difference"),
                "difference_low": row.difference_interval.low,
                "difference_high": row.difference_interval.high,
                **fields(row, "p", "p_holm", "n_compared"),
            }
            for row in quality.rows
        ],
        "quality_gaps": [
            {
                **fields(gap, "attribute", "measure", "gap", "best", "worst"),
                "ci_low": gap.interval.low,
                "ci_high": gap.interval.high,
                **fields(gap, "n_questions", "p", "p_holm"),
            }
            for gap in quality.gaps
        ],
    }


def retrieval_tables(results: RetrievalResults) -> dict[str, Table]:
    """Tables of runs by name, those that there are."""
    tables: dict[str, Table] = {}
    if results.overlaps:
        tables["overlap"] = overlap_table(results.overlaps)
        tables["overlap_values"] = overlap_values_table(results.overlaps)
    if results.quality is not None:
        tables["quality"] = quality_table(results.quality)
        tables["quality_gaps"] = quality_gaps_table(results.quality)
    return tables
