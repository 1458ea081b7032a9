"""Rankings drawn from one policy: what can be set, and the drawing that it means."""

from dataclasses import dataclass

import numpy as np

from fairviz.evaluation.systems import judgements_of
from fairviz.model import Dataset, Qrels, Run
from fairviz.points.curves import CurvePolicy, Drawing
from fairviz.policies.plackett_luce import LARGEST_ALPHA
from fairviz.studies.shared import Attended, OfScores
from fairviz.studies.study import option

MOST_DRAWN = 1_000_000
"""Most rankings of a query."""


@dataclass(frozen=True, kw_only=True)
class SampleSettings(Attended, OfScores):
    """One policy, and how many of its rankings are drawn."""

    alpha: float = option(2.0, "fairness control: 0 uniform, 8 almost fixed", low=0, high=LARGEST_ALPHA)
    policy: CurvePolicy = option("plackett-luce", "what is drawn from; oracle needs judgements")
    samples: int = option(100, "rankings of each query", low=1, high=MOST_DRAWN)
    seed: int = option(0, "of the draws")

    def drawing(self, run: Run, qrels: Qrels | None) -> Drawing:
        """What is drawn from a run; without k whole rankings: of the run's items and, for the oracle, the judged ones.

        Raises:
            UsageError: A parameter of attention is out of range.
        """
        tables = (run, qrels) if qrels else (run,)
        return Drawing(
            policy=self.policy,
            alpha=self.alpha,
            attention=self.browsing(),
            depth=self.k or sum(int(np.diff(table.offsets).max(initial=0)) for table in tables),
            n_samples=self.samples,
            **self.policies_of,
        )


def judged(run: Run, data: Dataset) -> Qrels | None:
    """Judgements of the run's queries, None without any in the data."""
    return judgements_of(run, data.qrels) if data.qrels else None
