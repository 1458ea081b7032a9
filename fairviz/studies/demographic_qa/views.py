"""Results of one's own answers as the views that the figures draw."""

from collections.abc import Sequence

import numpy as np

from fairviz.model import FloatArray
from fairviz.studies.demographic_qa.figures_groups import LONGEST, GroupDot, GroupPanel
from fairviz.studies.demographic_qa.figures_overlap import OverlapView, overlap_floor
from fairviz.studies.demographic_qa.names import shortened
from fairviz.studies.demographic_qa.overlap import Overlap
from fairviz.studies.demographic_qa.rows import VariantRow

NO_ATTRIBUTE = "no attribute"


def group_panel(row: VariantRow, *, unit: str, guess: float = np.nan) -> GroupPanel:
    """The groups of one attribute, with the neutral condition as their reference.

    Args:
        row: The attribute.
        unit: What a rate counts.
        guess: The rate that guessing would have.
    """
    reference = row.reference
    return GroupPanel(
        attribute=shortened(row.attribute),
        groups=tuple(
            GroupDot(
                name=shortened(group.value, LONGEST),
                rate=group.rate,
                low=group.interval.low,
                high=group.interval.high,
                n=group.n,
                small=group.small,
            )
            for group in row.groups
        ),
        reference=np.nan if reference is None else reference.rate,
        reference_name="nobody mentioned",
        guess=guess,
        unit="mean ROUGE-L" if unit == "ROUGE-L" else unit,
    )


def overlap_views(overlaps: Sequence[Overlap]) -> list[OverlapView]:
    """One triangle per attribute, the neutral list first, all on one colour scale."""
    matrices = [_matrix(overlap) for overlap in overlaps]
    floor = overlap_floor(matrices)
    return [
        OverlapView(
            names=tuple([NO_ATTRIBUTE] * _has_neutral(overlap) + [shortened(value) for value in overlap.by_value]),
            percent=matrix,
            floor=floor,
            k=overlap.k or 0,
        )
        for overlap, matrix in zip(overlaps, matrices, strict=True)
    ]


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
