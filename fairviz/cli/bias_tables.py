"""Tables of the command ``bias``: rows, changes, documents retrieved."""

from collections.abc import Sequence

from fairviz.analysis.bias_changes import BiasChange
from fairviz.analysis.bias_rows import BiasCounts, BiasRow
from fairviz.analysis.stereotype_share import StereotypeShare
from fairviz.metrics.social_bias import MEASURES, BiasMeasure
from fairviz.report.content import Cell, Table

DIFF_BIAS: tuple[BiasMeasure, ...] = ("diffbias_a", "diffbias_d")


def rows_table(rows: Sequence[BiasRow], *, whole: bool) -> Table:
    """One line per row: its columns, the six measures, intervals, n; ``whole``: all counts, too."""
    by = tuple(column for column, _ in rows[0].by) if rows else ()
    shown = MEASURES if whole else DIFF_BIAS
    ends = tuple(f"{name}_{end}" for name in shown for end in ("low", "high"))
    counts = BiasCounts._fields if whole else ("n_a", "n_s", "n_c")
    lines = tuple(
        (
            *(value for _, value in row.by),
            *(row.values[name] for name in MEASURES),
            *(end for name in shown for end in row.intervals[name]),
            *(getattr(row.counts, name) for name in counts),
        )
        for row in rows
    )
    return Table((*by, *MEASURES, *ends, *counts), lines, decimals=2)


def changes_table(changes: Sequence[BiasChange], *, whole: bool) -> Table:
    """One line per row and context: Diff-Bias in the reference and here, its change, the test."""
    by = tuple(column for column, _ in changes[0].by) if changes else ()
    if whole:
        columns = (
            "measure",
            "against",
            "reference",
            "value",
            "change",
            "low",
            "high",
            "change_abs",
            "abs_low",
            "abs_high",
            "p",
            "p_holm",
            "n_items",
            "n_templates",
            "n_towards",
            "n_away",
            "n_unused",
            "verdict",
        )
    else:
        columns = ("measure", "reference", "value", "change", "low", "high", "p_holm", "n_items", "verdict")
    lines = tuple(
        tuple(cells[column] for column in (*by, *columns)) for cells in (_change(one, exact=whole) for one in changes)
    )
    caption = "" if whole or not changes else f"changes against {'='.join(changes[0].against)}"
    return Table((*by, *columns), lines, caption=caption, decimals=3 if whole else 2)


def _change(one: BiasChange, *, exact: bool) -> dict[str, Cell]:
    """The cells of a change by column; for reading, small p are said in words."""
    p_holm = one.p_holm if exact or not one.tested else _p_words(one.p_holm)
    return {
        **dict(one.by),
        "measure": one.measure,
        "against": "=".join(one.against),
        "reference": one.reference,
        "value": one.value,
        "change": one.change,
        "low": one.interval.low,
        "high": one.interval.high,
        "change_abs": one.change_abs,
        "abs_low": one.interval_abs.low,
        "abs_high": one.interval_abs.high,
        "p": one.p,
        "p_holm": p_holm,
        "n_items": one.n_items,
        "n_templates": one.n_templates,
        "n_towards": one.n_towards,
        "n_away": one.n_away,
        "n_unused": one.n_unused,
        "verdict": one.verdict,
    }


def _p_words(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def shares_table(shares: Sequence[StereotypeShare]) -> Table:
    """One line per run: percent of its labelled documents that are stereotypical."""
    columns = (
        "system",
        "k",
        "stereo_documents",
        "low",
        "high",
        "collection",
        "n_queries",
        "n_undefined",
        "n_documents",
        "n_unlabelled",
    )
    lines = tuple(
        (
            one.system,
            one.k,
            one.share,
            *one.interval,
            one.collection,
            one.n_queries,
            one.n_undefined,
            one.n_documents,
            one.n_unlabelled,
        )
        for one in shares
    )
    return Table(columns, lines, decimals=2)
