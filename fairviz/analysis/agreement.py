"""How far measures agree on the order of systems (Raj et al. 2022, 3.3 and Figure 1)."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from fairviz.analysis.kendall import Variant, chance_tau, kendall_tau
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.description import Better
from fairviz.model import FloatArray, MeasureSpec

LEVEL = 0.05
"""How often chance alone may give a |τ| that is called beyond chance."""


class Scored(Protocol):
    """One measure of one system: a mean over queries, or one value for the system."""

    @property
    def system(self) -> str:
        """Name of the system."""
        ...

    @property
    def measure(self) -> str:
        """The measure string as typed."""
        ...

    @property
    def value(self) -> float:
        """The value, NaN = undefined."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasuredSystems:
    """Every measure of every system on one data set.

    Attributes:
        name: Of the data set: what was judged and labelled.
        systems: S names.
        measures: X measure strings as typed.
        better: (X) which way each measure improves.
        values: (S, X) values, NaN = undefined.
    """

    name: str
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    better: tuple[Better, ...]
    values: FloatArray

    def __post_init__(self) -> None:
        shape = (len(self.systems), len(self.measures))
        if self.values.shape != shape or len(self.better) != shape[1]:
            raise ValueError(f"{self.name}: expected values of shape {shape}")

    @property
    def turned(self) -> FloatArray:
        """(S, X) the values turned so that higher is closer to the measure's own ideal."""
        nearness = -np.abs(self.values)
        signs = np.array([1.0 if better == "higher" else -1.0 for better in self.better])
        to_zero = np.array([better == "closest to 0" for better in self.better], dtype=np.bool_)
        return np.where(to_zero, nearness, signs * self.values)


class PairAgreement(NamedTuple):
    """Kendall's τ of two measures over the systems that have both.

    Attributes:
        tau: 1 = the same order of systems, −1 = reversed; NaN = undefined.
        n_systems: Systems that have both values.
    """

    measure_a: str
    measure_b: str
    tau: float
    n_systems: int

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
    def matrix(self) -> FloatArray:
        """(X, X) τ, symmetric; NaN on the diagonal and where undefined."""
        at = {measure: i for i, measure in enumerate(self.measures)}
        found = np.full((len(at), len(at)), np.nan)
        for one in self.pairs:
            a, b = at[one.measure_a], at[one.measure_b]
            found[a, b] = found[b, a] = one.tau
        return found

    @property
    def defined(self) -> tuple[PairAgreement, ...]:
        """Pairs that have a τ, from reversed to alike."""
        known = (one for one in self.pairs if not np.isnan(one.tau))
        return tuple(sorted(known, key=lambda one: one.tau))

    @property
    def told_apart(self) -> tuple[PairAgreement, ...]:
        """Pairs beyond chance though all were looked at: 5 % divided by their number (Bonferroni).

        From reversed to alike.
        """
        known = self.defined
        level = LEVEL / max(len(known), 1)
        return tuple(one for one in known if one.beyond_chance(level))


class ConsistentPair(NamedTuple):
    """Two measures whose τ has one sign in every data set.

    Attributes:
        taus: τ in each data set.
    """

    measure_a: str
    measure_b: str
    taus: tuple[float, ...]

    @property
    def agrees(self) -> bool:
        """Whether the sign is +: the measures agree; else each reverses the other."""
        return self.taus[0] > 0

    @property
    def weakest(self) -> float:
        """Smallest |τ| over the data sets."""
        return min(map(abs, self.taus))


def short_names(measures: Sequence[str]) -> tuple[str, ...]:
    """Measure strings without their parameters, where that leaves them distinct.

    Examples:
        >>> short_names(["EED(by='group')@5", "AWRF(gamma=0.2)", "AWRF"])
        ('EED@5', 'AWRF(gamma=0.2)', 'AWRF')
    """
    short = [re.sub(r"\(.*\)", "", measure) for measure in measures]
    counts = Counter(short)
    return tuple(
        name if counts[name] == 1 else whole for name, whole in zip(short, measures, strict=True)
    )


def direction(spec: MeasureSpec) -> Better:
    """Which way a measure improves; those of ir-measures are all better when higher."""
    measure = CATALOGUE.get(spec.name)
    return measure.direction(spec.params) if measure else "higher"


def measured_systems(
    name: str, scores: Sequence[Scored], specs: Sequence[MeasureSpec]
) -> MeasuredSystems:
    """Values as a table of systems and measures.

    Args:
        name: Of the data set.
        scores: One per system and measure, as ``evaluate`` gives them.
        specs: The measures asked for; one that no system has a score of is left out.
    """
    systems = tuple(dict.fromkeys(one.system for one in scores))
    found = {(one.system, one.measure): one.value for one in scores}
    scored = {one.measure for one in scores}
    kept = {text: spec for spec in specs if (text := spec.text or spec.name) in scored}
    rows = [[found.get((system, text), float("nan")) for text in kept] for system in systems]
    return MeasuredSystems(
        name=name,
        systems=systems,
        measures=tuple(kept),
        better=tuple(direction(spec) for spec in kept.values()),
        values=np.array(rows, dtype=np.float64).reshape(len(systems), len(kept)),
    )


def agreement(measured: MeasuredSystems, *, variant: Variant = "c") -> Agreement:
    """Kendall's τ between measures over systems, each measure turned to its own ideal.

    A system that one of two measures does not define leaves that pair; infinite values take part
    as the extreme of the order.

    Args:
        measured: Values of systems; with fewer than two in common τ is NaN.
        variant: "c" (default, the paper's) or "b".
    """
    columns = list(measured.turned.T)
    pairs = [
        PairAgreement(
            measured.measures[a],
            measured.measures[b],
            kendall_tau(columns[a], columns[b], variant=variant),
            int((~(np.isnan(columns[a]) | np.isnan(columns[b]))).sum()),
        )
        for a in range(len(columns))
        for b in range(a + 1, len(columns))
    ]
    return Agreement(
        name=measured.name, variant=variant, measures=measured.measures, pairs=tuple(pairs)
    )


def consistent_pairs(agreements: Sequence[Agreement]) -> tuple[ConsistentPair, ...]:
    """Pairs that agree, or disagree, in every data set: one sign of τ throughout.

    Returns:
        The pairs with the largest smallest |τ| first. One that a data set lacks or leaves
        undefined, or whose τ is 0 somewhere, is none of them.
    """
    if not agreements:
        return ()
    by_pair = [
        {frozenset((one.measure_a, one.measure_b)): one.tau for one in each.pairs}
        for each in agreements
    ]
    found: list[ConsistentPair] = []
    for one in agreements[0].pairs:
        key = frozenset((one.measure_a, one.measure_b))
        taus = tuple(pairs.get(key, float("nan")) for pairs in by_pair)
        if all(tau > 0 for tau in taus) or all(tau < 0 for tau in taus):
            found.append(ConsistentPair(one.measure_a, one.measure_b, taus))
    return tuple(sorted(found, key=lambda pair: -pair.weakest))
