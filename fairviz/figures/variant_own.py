"""Results of one's own answers as the views that the figures draw."""

from collections.abc import Sequence

import numpy as np

from fairviz.analysis.retrieval_overlap import Overlap
from fairviz.analysis.variant_conditions import ConditionGap
from fairviz.analysis.variant_row import VariantRow
from fairviz.figures.variant_gaps import GapMark
from fairviz.figures.variant_groups import GroupDot, GroupPanel
from fairviz.figures.variant_overlap import OverlapView, overlap_floor
from fairviz.figures.variant_scores import ScoreGrid, grid_scale
from fairviz.figures.variant_slopes import SlopeLine, SlopePanel
from fairviz.model import FloatArray

NO_ATTRIBUTE = "no attribute"


def group_panel(row: VariantRow, *, unit: str) -> GroupPanel:
    """The groups of one attribute, with the neutral condition as their reference."""
    reference = row.reference
    return GroupPanel(
        attribute=said(row.attribute),
        groups=tuple(
            GroupDot(
                name=said(group.value),
                rate=group.rate,
                low=group.interval.low,
                high=group.interval.high,
                n=group.n,
                small=group.small,
            )
            for group in row.groups
        ),
        reference=np.nan if reference is None else reference.rate,
        reference_name="no attribute given",
        unit="mean ROUGE-L" if unit == "ROUGE-L" else unit,
    )


def gap_marks(gaps: Sequence[ConditionGap]) -> list[GapMark]:
    """Gaps in points, named by their condition."""
    return [
        GapMark(
            row=one.name,
            condition=one.strategy,
            gap=100 * one.gap,
            low=100 * one.low,
            high=100 * one.high,
            remedy=one.remedy,
            pair=f"{said(one.first)} − {said(one.second)}",
            small=one.small,
        )
        for one in gaps
    ]


def overlap_views(overlaps: Sequence[Overlap]) -> list[OverlapView]:
    """One triangle per attribute, the neutral list first, all on one colour scale."""
    matrices = [_matrix(one) for one in overlaps]
    floor = overlap_floor(matrices)
    return [
        OverlapView(
            names=tuple([NO_ATTRIBUTE] * _has_neutral(one) + [said(value) for value in one.by_value]),
            percent=matrix,
            floor=floor,
            k=one.k or 0,
        )
        for one, matrix in zip(overlaps, matrices, strict=True)
    ]


def score_grid(cells: Sequence[tuple[str, str, str, float]], columns: Sequence[str]) -> ScoreGrid:
    """A grid from (model, dataset, strategy, score of 1).

    Args:
        cells: One per condition.
        columns: Strategies in order, the one that others are compared with first.
    """
    rows = list(dict.fromkeys((model, dataset) for model, dataset, _, _ in cells))
    values = np.full((len(rows), len(columns)), np.nan)
    for model, dataset, strategy, score in cells:
        values[rows.index((model, dataset)), columns.index(strategy)] = 100 * score
    several = len({dataset for _, dataset in rows}) > 1
    heads = {i: m for i, (m, _) in enumerate(rows) if not i or rows[i - 1][0] != m}
    return ScoreGrid(
        rows=tuple(dataset or model if several else model for model, dataset in rows),
        heads=heads if several else {},
        columns=tuple(columns),
        values=values,
        scale=grid_scale(values),
    )


def retriever_panels(rows: Sequence[VariantRow]) -> tuple[SlopePanel, ...]:
    """Overlap, DP, EO and score of one attribute against k, a line per retriever."""

    def panel(title: str, values: Sequence[float]) -> SlopePanel:
        lines: list[SlopeLine] = []
        for name in dict.fromkeys(row.get("retriever") for row in rows):
            at = [i for i, row in enumerate(rows) if row.get("retriever") == name]
            at.sort(key=lambda i: int(rows[i].get("k")))
            lines.append(
                SlopeLine(
                    name=name or "retriever",
                    k=tuple(int(rows[i].get("k")) for i in at),
                    values=tuple(values[i] for i in at),
                )
            )
        return SlopePanel(title=title, lines=tuple(lines))

    return (
        panel("Overlap of documents, %", [_overlap(row) for row in rows]),
        panel("DP, points ↓", [100 * row.dp for row in rows]),
        panel("EO, points ↓", [100 * row.eo for row in rows]),
        panel("Score, % ↑", [100 * row.score for row in rows]),
    )


def _overlap(row: VariantRow) -> float:
    """Overlap of the lists as given, to their full depth."""
    return next((one.all for one in row.overlap if one.k is None), float("nan"))


def said(value: str) -> str:
    """A value as people say it.

    Examples:
        >>> said("high_income"), said("Asian+female")
        ('high income', 'Asian × female')
    """
    return value.replace("_", " ").replace("+", " × ")


def _has_neutral(one: Overlap) -> bool:
    return any(not np.isnan(share) for share in one.by_value.values())


def _matrix(one: Overlap) -> FloatArray:
    """(N, N) percent: the neutral list first where there is one."""
    values = list(one.by_value)
    first = int(_has_neutral(one))
    matrix = np.full((len(values) + first,) * 2, np.nan)
    np.fill_diagonal(matrix, 100.0)
    for i, value in enumerate(values, start=first):
        if first:
            matrix[0, i] = matrix[i, 0] = one.by_value[value]
    for (a, b), share in one.pairs.items():
        i, j = values.index(a) + first, values.index(b) + first
        matrix[i, j] = matrix[j, i] = share
    return matrix
