"""The start page's finding: what equal quality costs Plackett–Luce and the optimal policy."""

from dataclasses import dataclass

import numpy as np

from fairviz.analysis.equal_quality import Saving, disparity_saved
from fairviz.analysis.summary import auc_difference
from fairviz.analysis.tradeoff import PolicyName, tradeoff_curve
from fairviz.analysis.uncertainty import PairedDifference
from fairviz.attention import TopK
from fairviz.figures.curves import Here, Line
from fairviz.model import Curve, Dataset
from fairviz.pool import pool
from fairviz.report.findings import saving_finding
from pages._shared import cached, interval, number, percent, signed

CUTOFF = 5
COMPARED_AT = 3.0
"""α of the point at which the policies are compared, fixed in advance."""
ALPHAS = np.concatenate([np.arange(0, 4, 0.25), np.arange(4, 8.25, 0.5)])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Headline:
    """The finding and what its chart needs."""

    system: str
    plackett_luce: Line
    optimal: Line
    uniform: Line
    deterministic: Line
    saving: Saving
    areas: PairedDifference
    n_queries: int

    @property
    def title(self) -> str:
        """The finding, with a branch for what cannot be told apart."""
        reach = max(float(self.plackett_luce.y.max()), float(self.optimal.y.max()))
        return saving_finding(
            self.saving, gain="binary", reach=reach, n_queries=self.n_queries
        ).title

    @property
    def how_sure(self) -> str:
        """The interval of the title's number, where it has one."""
        low, high = self.saving.interval
        if not np.isfinite(low) or np.isnan(self.saving.other):
            return ""
        return f"; 95 % interval of the saving {percent(low)} to {percent(high)}"

    @property
    def here(self) -> Here | None:
        """The compared points, None where the optimal policy never gets there."""
        if np.isnan(self.saving.other):
            return None
        return Here(COMPARED_AT, self.saving.reference, self.saving.quality, self.saving.other)

    @property
    def researcher(self) -> str:
        """The sentence of the researcher's door."""
        gap = self.areas
        return (
            "Curves without sampling noise, AUC with intervals, paired tests. Here: optimal − "
            f"Plackett–Luce {signed(gap.difference)} AUC, interval "
            f"{interval(*gap.interval)}."
        )

    @property
    def policy_maker(self) -> str:
        """The sentence of the policy maker's door."""
        saving = self.saving
        found = (
            f"Here: EE-D {number(saving.other, 2)} instead of {number(saving.reference, 2)} at the "
            "same mean quality."
            if np.isfinite(saving.other)
            else f"Here: EE-D {number(saving.reference, 2)} at quality {number(saving.quality, 2)}."
        )
        return (
            "No formulas first. Spread attention more or less, see which documents an answer "
            f"is given and which it uses. {found}"
        )


@cached
def headline(loaded: Dataset, k: int) -> Headline | None:
    """The finding on the first run, None where the data has no run or no judgements."""
    qrels = loaded.qrels_for(None)
    if not loaded.runs or qrels is None:
        return None
    run, attention = loaded.runs[0], TopK(k)
    pools = pool(run, qrels)

    def curve(policy: PolicyName) -> Curve:
        return tradeoff_curve(
            pools,
            system=run.system,
            policy=policy,
            alphas=ALPHAS,
            attention=attention,
            gain="binary",
        )

    drawn, best = curve("plackett-luce"), curve("optimal")
    if not drawn.defined.any():
        return None
    return Headline(
        system=run.system,
        plackett_luce=Line.of(drawn),
        optimal=Line.of(best),
        uniform=Line.of(curve("uniform")),
        deterministic=Line.of(curve("deterministic")),
        saving=disparity_saved(drawn, best, rng=np.random.default_rng(0), alpha=COMPARED_AT),
        areas=auc_difference(best, drawn, rng=np.random.default_rng(0)),
        n_queries=int(drawn.defined.all(axis=0).sum()),
    )
