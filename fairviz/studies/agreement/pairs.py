"""How far measures agree on the order of systems (Raj et al. 2022, 3.3 and Figure 1), and the values that it is of.

Every measure of every system is taken against one target; what no target moves is measured once for all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairviz.evaluation.compare import MeasuredSystems
from fairviz.evaluation.rankings import Refusal
from fairviz.metrics.catalogue import GROUP_MEASURES
from fairviz.model import Note, Scores, SystemScore
from fairviz.stats.correlation import Variant, chance_tau, kendall_tau
from fairviz.stats.tests import MIN_UNITS

LEVEL = 0.05
"""How often chance alone may give a |τ| that is called beyond chance."""

OF_THE_TOP = frozenset(measure.name for measure in GROUP_MEASURES if measure.at_rank)
"""Measures whose papers take them at a rank k."""

EXPOSURE_OF_GROUPS = "(by='group', norm='none', browsing='rbp')"
"""How expected exposure of groups is asked for, with an attention of Raj et al.'s Table 3."""

ONE_GROUP = frozenset({"PreF", "FAIRBinomial"} | {m.name for m in GROUP_MEASURES if m.binomial})
"""Measures that compare one group with the others."""


class Measured(NamedTuple):
    """Every measure of every system on one data set, and what could not be computed."""

    table: MeasuredSystems
    scores: tuple[Scores | SystemScore, ...]
    refused: tuple[Refusal, ...]
    notes: tuple[Note, ...]


class PairAgreement(NamedTuple):
    """Kendall's τ of two measures over the systems that have both.

    Attributes:
        tau: 1 = the same order of systems, −1 = reversed; NaN = undefined.
        n_systems: Systems that have both values.
        few: Whether a value rests on too few queries for anything to be said.
    """

    measure_a: str
    measure_b: str
    tau: float
    n_systems: int
    few: bool = False

    def beyond_chance(self, level: float = LEVEL) -> bool:
        """Whether unrelated measures reach this |τ| with a probability of at most ``level``."""
        return abs(self.tau) >= chance_tau(self.n_systems, level=level) - 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """τ between all measures on one data set.

    Attributes:
        name: Of the data set.
        variant: How ties are accounted for.
        measures: X measure strings.
        pairs: Each two measures once, the earlier one first, in the order of the measures.
    """

    name: str
    variant: Variant
    measures: tuple[str, ...]
    pairs: tuple[PairAgreement, ...]

    @property
    def defined(self) -> tuple[PairAgreement, ...]:
        """Pairs that have a τ, from reversed to alike."""
        known = (pair for pair in self.pairs if not np.isnan(pair.tau))
        return tuple(sorted(known, key=lambda pair: pair.tau))

    @property
    def told(self) -> tuple[PairAgreement, ...]:
        """Those of them of which something may be said: on enough queries."""
        return tuple(pair for pair in self.defined if not pair.few)

    @property
    def beyond_chance(self) -> tuple[PairAgreement, ...]:
        """Pairs beyond chance though all were looked at: 5 % divided by their number (Bonferroni).

        From reversed to alike.
        """
        known = self.told
        level = LEVEL / max(len(known), 1)
        return tuple(pair for pair in known if pair.beyond_chance(level))


class ConsistentPair(NamedTuple):
    """Two measures whose τ has one sign in every data set.

    Attributes:
        taus: τ in each data set.
        beyond_chance: Whether it is beyond chance in every one, though all pairs were looked at.
    """

    measure_a: str
    measure_b: str
    taus: tuple[float, ...]
    beyond_chance: bool = False

    @property
    def agrees(self) -> bool:
        """Whether the sign is +: the measures agree; else each reverses the other."""
        return self.taus[0] > 0

    @property
    def weakest(self) -> float:
        """Smallest |τ| over the data sets."""
        return min(map(abs, self.taus))


def agreement(measured: MeasuredSystems, *, variant: Variant = "c") -> Agreement:
    """Kendall's τ between measures over systems, each measure turned to its own ideal.

    A system that one of two measures does not define leaves that pair; infinite values take part
    as the extreme of the order.

    Args:
        measured: Values of systems; with fewer than two in common τ is NaN.
        variant: "c" (default, the paper's) or "b".
    """
    columns = list(measured.turned.T)
    few = [n < MIN_UNITS for n in measured.n_queries] or [False] * len(columns)
    pairs = [
        PairAgreement(
            measured.measures[a],
            measured.measures[b],
            kendall_tau(columns[a], columns[b], variant=variant),
            int((~(np.isnan(columns[a]) | np.isnan(columns[b]))).sum()),
            few[a] or few[b],
        )
        for a in range(len(columns))
        for b in range(a + 1, len(columns))
    ]
    return Agreement(name=measured.name, variant=variant, measures=measured.measures, pairs=tuple(pairs))


def consistent_pairs(agreements: Sequence[Agreement]) -> tuple[ConsistentPair, ...]:
    """Pairs that agree, or disagree, in every data set: one sign of τ throughout.

    Returns:
        The pairs with the largest smallest |τ| first. One that a data set lacks, leaves undefined or has too few
        queries for, or whose τ is 0 somewhere, is none of them.
    """
    if not agreements:
        return ()
    by_pair = [{frozenset(pair[:2]): pair.tau for pair in agreement.told} for agreement in agreements]
    apart = [{frozenset(pair[:2]) for pair in agreement.beyond_chance} for agreement in agreements]
    consistent: list[ConsistentPair] = []
    for first in agreements[0].pairs:
        key = frozenset(first[:2])
        taus = tuple(pairs.get(key, float("nan")) for pairs in by_pair)
        if all(tau > 0 for tau in taus) or all(tau < 0 for tau in taus):
            certain = all(key in pairs for pairs in apart)
            consistent.append(ConsistentPair(first.measure_a, first.measure_b, taus, certain))
    return tuple(sorted(consistent, key=lambda pair: -pair.weakest))


def agreement_measures(cutoff: int, *, judged: bool = True, group: str | None = None) -> tuple[str, ...]:
    """Measure strings of all group measures, those of the top at ``cutoff``.

    ``Skew`` is of one group and left to MinSkew and MaxSkew. What the data do not allow, evaluate
    refuses with a reason.

    Args:
        cutoff: k of the measures of the top, and of nDCG.
        judged: Whether there are judgements: without them nDCG is left out.
        group: The group that measures of one group look at; None: the smaller of two, and with
            more than two groups these measures are refused.

    Examples:
        >>> agreement_measures(10)[0], agreement_measures(10)[-1]
        ('AWRF', 'nDCG@10')
        >>> agreement_measures(5, group="Asia")[1]
        "PreF(group='Asia')"
    """
    names = [measure.name for measure in GROUP_MEASURES if measure.name != "Skew"]
    of_group = "" if group is None else f"(group={group!r})"
    of_groups = [f"{name}@{cutoff}" if name in OF_THE_TOP else name + of_group * (name in ONE_GROUP) for name in names]
    exposure = [f"{name}{EXPOSURE_OF_GROUPS}" for name in ("EED", "EER", "EEL")]
    return (*of_groups, *exposure, *([f"nDCG@{cutoff}"] if judged else []))
