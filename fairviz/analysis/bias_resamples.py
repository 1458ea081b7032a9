"""Measures of counted answers under resamples of the templates, averaged over instructions."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fairviz.analysis.bias_cells import Cells
from fairviz.analysis.uncertainty import UNDEFINED, Interval, data_and_resamples, percentiles
from fairviz.metrics.social_bias import MEASURES, BiasMeasure, OutOfChoice, bias_measures
from fairviz.model import FloatArray, IntArray

TOGETHER = 64
"""Rows that are resampled in one matrix product."""


class Block(NamedTuple):
    """Counts of one row: (J, T, 3, 4), instructions by templates; 0 where nothing was answered."""

    templates: IntArray
    counts: FloatArray


def block_of(cells: Cells, part: slice) -> Block:
    """The part of the cells that is one row, as a block over its templates and instructions."""
    templates, column = np.unique(cells.templates[part], return_inverse=True)
    instructions, layer = np.unique(cells.instructions[part], return_inverse=True)
    counts = np.zeros((instructions.size, templates.size, *cells.counts.shape[1:]))
    counts[layer, column] = cells.counts[part]
    return Block(templates, counts)


def together(blocks: Sequence[Block]) -> Iterator[list[int]]:
    """Positions of blocks of one shape, some at a time; every position once."""
    by_shape: dict[tuple[int, ...], list[int]] = {}
    for i, block in enumerate(blocks):
        by_shape.setdefault(block.counts.shape, []).append(i)
    for places in by_shape.values():
        for start in range(0, len(places), TOGETHER):
            yield places[start : start + TOGETHER]


class Resamples:
    """(1+B, T) weights of T templates, the data first; equal T share draws, and so are paired."""

    def __init__(self, *, seed: int, n_resamples: int) -> None:
        self._seed = seed
        self._n_resamples = n_resamples
        self._drawn: dict[int, FloatArray] = {}

    def weights(self, n_templates: int) -> FloatArray:
        """The weights for that many templates, drawn once."""
        if n_templates not in self._drawn:
            rng = np.random.default_rng(self._seed)
            self._drawn[n_templates] = data_and_resamples(n_templates, rng=rng, n_resamples=self._n_resamples)
        return self._drawn[n_templates]

    def measures(self, blocks: Sequence[Block], ooc: OutOfChoice) -> dict[BiasMeasure, FloatArray]:
        """(A, 1+B) values of each measure of A blocks of one shape: per instruction, then the mean.

        A mean over instructions is undefined where one of them is.
        """
        counts = np.stack([block.counts for block in blocks])
        n_blocks, n_instructions, n_templates = counts.shape[:3]
        if not counts.size:
            return dict.fromkeys(MEASURES, np.full((n_blocks, 1 + self._n_resamples), np.nan))
        weights = self.weights(n_templates)
        flat = np.moveaxis(counts, 2, 0).reshape(n_templates, -1)
        drawn = (weights @ flat).reshape(-1, n_blocks, n_instructions, *counts.shape[3:])
        found = bias_measures(drawn, ooc)
        return {name: values.mean(axis=2).T for name, values in found.items()}


def intervals_of(statistics: FloatArray, n_templates: Sequence[int]) -> list[Interval]:
    """Intervals of (A, 1+B) statistics, the data's own first.

    NaN ends where the statistic itself is undefined or rests on fewer than two templates.
    """
    ends = percentiles(statistics[:, 1:])
    return [
        Interval(low, high) if n > 1 and not np.isnan(own) else UNDEFINED
        for low, high, n, own in zip(ends.low.tolist(), ends.high.tolist(), n_templates, statistics[:, 0], strict=True)
    ]
