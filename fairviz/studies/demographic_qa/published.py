"""The tables of Ji et al. (2025) as shipped: in words, and as the views that the figures draw.

Published tables are data (``data/published``): a cell that contradicts another keeps its printed value and a flag, so
that readers see what was printed. Rates between 0 and 1 are turned into points where the axis has points.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray, PublishedTable
from fairviz.model.published import PrintedCell
from fairviz.show.words import number, plural
from fairviz.studies.demographic_qa.figures_conditions import PairRow, PairsView, SlopeLine, SlopePanel
from fairviz.studies.demographic_qa.figures_grids import ScoreGrid, grid_scale
from fairviz.studies.demographic_qa.names import strategy_name
from fairviz.studies.demographic_qa.remedies import Disparity
from fairviz.studies.demographic_qa.views import DISPARITY

PAPER = "rag-medical-bias"
CITED = "Ji, Zhang and Wang 2025"

STRATEGY = {"COT": "Chain-of-Thought"}
"""Strategies that the tables abbreviate and the text spells out."""


class Ablation(NamedTuple):
    """One dataset with and without majority vote, as printed: percent, and rates in points."""

    dataset: str
    metric: str
    score: tuple[float, float]
    dp: tuple[float, float]
    eo: tuple[float, float]


def published_rows(table: PublishedTable) -> list[Disparity]:
    """Table 3 or 4 as disparities by strategy."""
    score = "accuracy" if "accuracy" in table.columns else "rouge_l"
    return [
        Disparity(
            name=strategy_name(str(name)),
            plain=str(name).lower() == "plain",
            dp=_number(dp),
            eo=_number(eo),
            score=_number(value) / 100,
        )
        for name, dp, eo, value in zip(*(table.column(column) for column in ("method", "dp", "eo", score)), strict=True)
    ]


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
                words=f"{value:.1f}",
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
    depths = _numbers(table, "k")

    def panel(title: str, values: FloatArray, decimals: int) -> SlopePanel:
        lines: list[SlopeLine] = []
        for name in dict.fromkeys(names):
            places = [i for i, other in enumerate(names) if other == name]
            places.sort(key=lambda i: float(depths[i]))
            lines.append(
                SlopeLine(
                    name=name,
                    k=tuple(int(depths[i]) for i in places),
                    values=tuple(float(values[i]) for i in places),
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
    ablations: list[Ablation] = []
    datasets, metrics = _words(table, "dataset"), _words(table, "metric")
    without, with_vote = _numbers(table, "no_mv"), _numbers(table, "with_mv")
    for dataset in dict.fromkeys(datasets):
        pairs = {
            metrics[i]: (float(without[i]), float(with_vote[i])) for i, other in enumerate(datasets) if other == dataset
        }
        metric = next(name for name in pairs if name not in {"DP", "EO"})
        dp, eo = ((100 * pairs[name][0], 100 * pairs[name][1]) for name in ("DP", "EO"))
        ablations.append(Ablation(dataset, metric, pairs[metric], dp, eo))
    return tuple(ablations)


def ablation_view(ablation: Ablation) -> PairsView:
    """DP and EO of one dataset without and with the vote; the score stands in the heading."""
    rows = (("DP", ablation.dp), ("EO", ablation.eo))
    return PairsView(
        rows=tuple(PairRow(name=name, first=before, second=after) for name, (before, after) in rows),
        first="without vote",
        second="with vote",
        axis=DISPARITY,
    )


def table_notes(tables: Sequence[PublishedTable]) -> list[str]:
    """What contradicts itself or is not said in the tables, each once, named by its table."""
    notes: list[str] = []
    for table in tables:
        remarks = [*dict.fromkeys(flag for flag in table.flags if flag), *table.remarks]
        notes += [f"Table {table.number}: {text.rstrip('.')}." for text in remarks]
    return list(dict.fromkeys(notes))


def retrievers_title(table: PublishedTable) -> str:
    """Table 5: which way overlap, disparities and score go with k, for how many retrievers."""
    names = [str(name) for name in table.column("retriever")]
    retrievers = list(dict.fromkeys(names))

    def steady(column: str, sign: int) -> int:
        values = [_number(cell) for cell in table.column(column)]
        n_steady = 0
        for retriever in retrievers:
            line = [value for name, value in zip(names, values, strict=True) if name == retriever]
            steps = pairwise(line)
            n_steady += all(sign * (after - before) > 0 for before, after in steps)
        return n_steady

    n_retrievers = len(retrievers)
    falls = {name: steady(name, -1) for name in ("overlap", "dp", "eo")}
    if all(n == n_retrievers for n in falls.values()) and steady("score", 1) == n_retrievers:
        which = "both retrievers" if n_retrievers == 2 else plural(n_retrievers, "retriever")
        return f"Published: with more documents, overlap, DP and EO fall and the score rises, for {which}"
    parts = ", ".join(f"{name} falls for {n}" for name, n in falls.items())
    return f"Published: {parts} of {plural(n_retrievers, 'retriever')}"


def ablation_words(table: PublishedTable) -> str:
    """Table 6 in a line: score, DP and EO with and without the vote, by dataset."""
    rows = list(zip(*(table.column(c) for c in ("dataset", "metric", "no_mv", "with_mv")), strict=True))
    parts: list[str] = []
    for dataset in dict.fromkeys(str(row[0]) for row in rows):
        of_dataset = [row for row in rows if str(row[0]) == dataset]
        changes: list[str] = []
        for _, metric, before, after in of_dataset:
            rate = str(metric) in {"DP", "EO"}
            scale, decimals, unit = (100, 0, " points") if rate else (1, 1, "\u202f%")
            ends = (number(scale * _number(value), decimals) for value in (before, after))
            changes.append(f"{metric} {' → '.join(ends)}{unit}")
        parts.append(f"{dataset}: {', '.join(changes)}")
    return f"Published ablation (Table 6), without → with the vote. {'. '.join(parts)}."


def _words(table: PublishedTable, name: str) -> list[str]:
    return ["" if cell is None else str(cell) for cell in table.column(name)]


def _numbers(table: PublishedTable, name: str) -> FloatArray:
    return np.array([_number(cell) for cell in table.column(name)], dtype=np.float64)


def _number(cell: PrintedCell) -> float:
    return float(cell) if isinstance(cell, int | float) else np.nan
