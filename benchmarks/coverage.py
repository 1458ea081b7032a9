"""How often 95 % intervals of a mean hold the mean: plain and expanded percentiles, by number of values."""

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import stdtrit

from benchmarks.measuring import Goal, Row
from fairviz.stats.bootstrap import N_RESAMPLES, bootstrap_counts, percentiles

Population: TypeAlias = Literal["normal", "beta(.5, .8)"]

MEANS: dict[Population, float] = {"normal": 0.0, "beta(.5, .8)": 0.5 / 1.3}
PROMISED: dict[Population, dict[int, float]] = {
    "normal": {5: 0.93, 10: 0.94, 14: 0.95, 40: 0.95},
    "beta(.5, .8)": {5: 0.91, 10: 0.95, 14: 0.95, 40: 0.93},
}
"""What DESIGN 9 says that expanded percentiles cover."""
SLACK = 0.015


class Coverage(NamedTuple):
    """Share of intervals that hold the mean of the population; ``t`` is Student's interval, for comparison."""

    plain: float
    expanded: float
    t: float


def rows(*, small: bool) -> Iterator[Row]:
    """Coverage of both kinds for each population and number of values."""
    n_samples = 100 if small else 20_000
    for population, promised in PROMISED.items():
        for n, share in promised.items():
            covered = coverage(population, n, n_samples=n_samples, rng=np.random.default_rng(n))
            yield Row(
                what=f"coverage of expanded percentiles, {population}, n = {n}",
                value=covered.expanded,
                unit="",
                goal=Goal(share - SLACK, at_least=True),
                note=f"plain {covered.plain:.3f}, t interval {covered.t:.3f}; {n_samples:,} samples",
            )


def coverage(
    population: Population, n: int, *, n_samples: int, rng: np.random.Generator, n_resamples: int = N_RESAMPLES
) -> Coverage:
    """Draw samples of n values; share of their intervals that hold the mean.

    All samples of a chunk share their resamples: each interval is as it would be alone.
    """
    mean, held, start = MEANS[population], np.zeros(3), 0
    while start < n_samples:
        size = min(1_000, n_samples - start)
        values = rng.normal(size=(size, n)) if population == "normal" else rng.beta(0.5, 0.8, size=(size, n))
        drawn = bootstrap_counts(n, rng=rng, n_resamples=n_resamples).totals(values) / n
        plain = np.quantile(drawn, [0.025, 0.975], axis=1)
        own = values.mean(axis=1)
        reach = -float(stdtrit(n - 1, 0.025)) * values.std(axis=1, ddof=1) / np.sqrt(n)
        for place, (low, high) in enumerate((plain, percentiles(drawn, n), (own - reach, own + reach))):
            held[place] += ((low <= mean) & (mean <= high)).sum()
        start += size
    return Coverage(*(held / n_samples).tolist())
