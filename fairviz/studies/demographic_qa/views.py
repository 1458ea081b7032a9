"""Results of one's own answers as the views that the figures draw."""

from collections.abc import Sequence

import numpy as np

from fairviz.model import FloatArray
from fairviz.studies.demographic_qa.conditions import ConditionGap
from fairviz.studies.demographic_qa.figures_conditions import SlopeLine, SlopePanel
from fairviz.studies.demographic_qa.figures_grids import OverlapView, ScoreGrid, grid_scale, overlap_floor
from fairviz.studies.demographic_qa.figures_groups import GapMark, GroupDot, GroupPanel
from fairviz.studies.demographic_qa.names import spoken
from fairviz.studies.demographic_qa.overlap import Overlap
from fairviz.studies.demographic_qa.rows import VariantRow

NO_ATTRIBUTE = "no attribute"
DISPARITY = "disparity between groups, points (↓ lower)"


def group_panel(row: VariantRow, *, unit: str) -> GroupPanel:
    """The groups of one attribute, with the neutral condition as their reference."""
    reference = row.reference
    return GroupPanel(
        attribute=spoken(row.attribute),
        groups=tuple(
            GroupDot(
                name=spoken(group.value),
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
            row=gap.name,
            condition=gap.strategy,
            gap=100 * gap.gap,
            low=100 * gap.low,
            high=100 * gap.high,
            remedy=gap.remedy,
            pair=f"{spoken(gap.first)} − {spoken(gap.second)}",
            small=gap.small,
        )
        for gap in gaps
    ]


def overlap_views(overlaps: Sequence[Overlap]) -> list[OverlapView]:
    """One triangle per attribute, the neutral list first, all on one colour scale."""
    matrices = [_matrix(overlap) for overlap in overlaps]
    floor = overlap_floor(matrices)
    return [
        OverlapView(
            names=tuple([NO_ATTRIBUTE] * _has_neutral(overlap) + [spoken(value) for value in overlap.by_value]),
            percent=matrix,
            floor=floor,
            k=overlap.k or 0,
        )
        for overlap, matrix in zip(overlaps, matrices, strict=True)
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
            places = [i for i, row in enumerate(rows) if row.get("retriever") == name]
            places.sort(key=lambda i: int(rows[i].get("k")))
            lines.append(
                SlopeLine(
                    name=name or "retriever",
                    k=tuple(int(rows[i].get("k")) for i in places),
                    values=tuple(values[i] for i in places),
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
    return next((overlap.all for overlap in row.overlap if overlap.k is None), float("nan"))


def _has_neutral(overlap: Overlap) -> bool:
    return any(not np.isnan(share) for share in overlap.by_value.values())


def _matrix(overlap: Overlap) -> FloatArray:
    """(N, N) percent: the neutral list first where there is one."""
    values = list(overlap.by_value)
    first = int(_has_neutral(overlap))
    matrix = np.full((len(values) + first,) * 2, np.nan)
    np.fill_diagonal(matrix, 100.0)
    for i, value in enumerate(values, start=first):
        if first:
            matrix[0, i] = matrix[i, 0] = overlap.by_value[value]
    for (a, b), share in overlap.pairs.items():
        i, j = values.index(a) + first, values.index(b) + first
        matrix[i, j] = matrix[j, i] = share
    return matrix
