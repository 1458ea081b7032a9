"""What metrics at every rank can be set to."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from fairviz.display.methods import AgainstTarget
from fairviz.studies.study import Settings, of_files, option

SeriesMetric: TypeAlias = Literal["FAIR", "nDCG", "RBP", "alpha_nDCG", "KL", "nDRKL"]
SERIES: tuple[SeriesMetric, ...] = ("FAIR", "nDCG", "RBP", "alpha_nDCG", "KL", "nDRKL")
"""Metrics in the order of a series."""

Algorithm = Literal[
    "DetCons",
    "greedy ideal, RJ",
    "greedy ideal, NoRJ",
    "0-greedy, RJ",
    "0-greedy, NoRJ",
    "0.3-greedy, RJ",
    "0.3-greedy, NoRJ",
    "0.5-greedy, RJ",
    "0.5-greedy, NoRJ",
    "0.7-greedy, RJ",
    "0.7-greedy, NoRJ",
    "1-greedy, RJ",
    "1-greedy, NoRJ",
]
"""Re-rankers of Gao et al.'s case study by their names in its Figure 1; RJ see the judgements, NoRJ take every item as
useful, DetCons follows the scores."""


@dataclass(frozen=True, kw_only=True)
class RanksSettings(Settings):
    """Systems, and the metrics that are followed down their ranks.

    Attributes:
        judgements: Place of those that quality is measured by.
        against: Groups and target.
    """

    system: str = option("", "the system in ink, and of the correlations (default: the first)")
    depth: int = option(20, "ranks, K", low=1, high=1000)
    irm: Literal["alpha_nDCG", "nDCG", "RBP", "ERR_IA", "AP", "ERR", "NRBP"] = option(
        "alpha_nDCG", "measure whose gains FAIR discounts"
    )
    rerank: tuple[Algorithm, ...] = option((), "also the system re-ranked so; may be given more than once")
    seed: int = option(0, "seed of random re-rankers and of the bootstrap over queries")
    judgements: int = of_files(0)
    against: AgainstTarget | None = of_files()


SETTINGS = RanksSettings
