"""The tables of Ji et al. (2025) as the views that the figures of answers draw.

Numbers stay as printed; rates between 0 and 1 are turned into points where the axis has points.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray, PublishedTable
from fairviz.model.published import PrintedCell
from fairviz.studies.demographic_qa.conditions import ConditionGap
from fairviz.studies.demographic_qa.figures_conditions import PairRow, PairsView, SlopeLine, SlopePanel
from fairviz.studies.demographic_qa.figures_grids import OverlapView, ScoreGrid, grid_scale, overlap_floor
from fairviz.studies.demographic_qa.figures_groups import GapMark, GroupDot, GroupPanel
from fairviz.studies.demographic_qa.overlap import Overlap
from fairviz.studies.demographic_qa.rows import VariantRow

# Results of one's own answers as the views that the figures draw.


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


STRATEGY = {"COT": "Chain-of-Thought"}
"""Strategies that the tables abbreviate and the text spells out."""

DISPARITY = "disparity between groups, points (↓ lower)"


class Ablation(NamedTuple):
    """One dataset with and without majority vote, as printed: percent, and rates in points."""

    dataset: str
    metric: str
    score: tuple[float, float]
    dp: tuple[float, float]
    eo: tuple[float, float]


def published_scores(table: PublishedTable, what: str = "score") -> ScoreGrid:
    """Table 2 as a grid: a row per model and dataset, a column per strategy.

    Args:
        table: Table 2.
        what: "score" or "overlap".
    """
    keys = list(zip(_words(table, "model"), _words(table, "dataset"), strict=True))
    rows = list(dict.fromkeys(keys))
    strategies = list(dict.fromkeys(_words(table, "strategy")))
    values = np.full((len(rows), len(strategies)), np.nan)
    flags: set[tuple[int, int]] = set()
    numbers = _numbers(table, what)
    for i, (key, strategy) in enumerate(zip(keys, _words(table, "strategy"), strict=True)):
        place = rows.index(key), strategies.index(strategy)
        values[place] = numbers[i]
        if table.flags[i]:
            flags.add(place)
    heads = {i: m for i, (m, _) in enumerate(rows) if not i or rows[i - 1][0] != m}
    return ScoreGrid(
        rows=tuple(dataset for _, dataset in rows),
        heads=heads,
        columns=tuple(STRATEGY.get(name, name) for name in strategies),
        values=values,
        scale=grid_scale(values),
        flags=frozenset(flags),
    )


def published_disparities(table: PublishedTable) -> PairsView:
    """Table 3 or 4: DP and EO in points by strategy, the score at the right, its largest bold."""
    score = "accuracy" if "accuracy" in table.columns else "rouge_l"
    scores = _numbers(table, score)
    best = np.nanmax(scores)
    rows = zip(
        _words(table, "method"),
        100 * _numbers(table, "dp"),
        100 * _numbers(table, "eo"),
        scores,
        strict=True,
    )
    return PairsView(
        rows=tuple(
            PairRow(
                name=STRATEGY.get(name, name),
                first=float(dp),
                second=float(eo),
                said=f"{value:.1f}",
                bold=bool(value == best),
            )
            for name, dp, eo, value in rows
        ),
        first="DP",
        second="EO",
        axis=DISPARITY,
        head="accuracy, % ↑" if score == "accuracy" else "ROUGE-L, % ↑",
        squares=True,
    )


def published_slopes(table: PublishedTable) -> tuple[SlopePanel, ...]:
    """Table 5: overlap, DP, EO and score of each retriever against k."""
    names = _words(table, "retriever")
    every = _numbers(table, "k")

    def panel(title: str, values: FloatArray, decimals: int) -> SlopePanel:
        lines: list[SlopeLine] = []
        for name in dict.fromkeys(names):
            at = [i for i, other in enumerate(names) if other == name]
            at.sort(key=lambda i: float(every[i]))
            lines.append(
                SlopeLine(
                    name=name,
                    k=tuple(int(every[i]) for i in at),
                    values=tuple(float(values[i]) for i in at),
                )
            )
        return SlopePanel(title=title, lines=tuple(lines), decimals=decimals)

    return (
        panel("Overlap of documents, %", _numbers(table, "overlap"), 1),
        panel("DP, points ↓", 100 * _numbers(table, "dp"), 0),
        panel("EO, points ↓", 100 * _numbers(table, "eo"), 0),
        panel("Score, % ↑", _numbers(table, "score"), 1),
    )


def published_ablations(table: PublishedTable) -> tuple[Ablation, ...]:
    """Table 6: (without vote, with vote) of the score, of DP and of EO, by dataset."""
    found: list[Ablation] = []
    datasets, metrics = _words(table, "dataset"), _words(table, "metric")
    without, voted = _numbers(table, "no_mv"), _numbers(table, "with_mv")
    for dataset in dict.fromkeys(datasets):
        pairs = {
            metrics[i]: (float(without[i]), float(voted[i])) for i, other in enumerate(datasets) if other == dataset
        }
        metric = next(name for name in pairs if name not in {"DP", "EO"})
        dp, eo = ((100 * pairs[name][0], 100 * pairs[name][1]) for name in ("DP", "EO"))
        found.append(Ablation(dataset, metric, pairs[metric], dp, eo))
    return tuple(found)


def ablation_view(one: Ablation) -> PairsView:
    """DP and EO of one dataset without and with the vote; the score stands in the heading."""
    rows = (("DP", one.dp), ("EO", one.eo))
    return PairsView(
        rows=tuple(PairRow(name=name, first=before, second=after) for name, (before, after) in rows),
        first="without vote",
        second="with vote",
        axis=DISPARITY,
    )


def _words(table: PublishedTable, name: str) -> list[str]:
    return ["" if cell is None else str(cell) for cell in table.column(name)]


def _numbers(table: PublishedTable, name: str) -> FloatArray:
    return np.array([_number(cell) for cell in table.column(name)], dtype=np.float64)


def _number(cell: PrintedCell) -> float:
    return float(cell) if isinstance(cell, int | float) else np.nan
