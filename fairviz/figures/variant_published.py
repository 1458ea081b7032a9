"""The tables of Ji et al. (2025) as the views that the figures of answers draw.

Numbers stay as printed; rates between 0 and 1 are turned into points where the axis has points.
"""

from typing import NamedTuple

import numpy as np

from fairviz.figures.variant_pairs import PairRow, PairsView
from fairviz.figures.variant_scores import ScoreGrid, grid_scale
from fairviz.figures.variant_slopes import SlopeLine, SlopePanel
from fairviz.model import FloatArray, PublishedTable
from fairviz.model.published import PrintedCell

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
