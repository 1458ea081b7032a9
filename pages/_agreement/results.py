"""Measures of all systems on all loaded attributes, and how they agree: computed, remembered."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fairviz.evaluation.evaluate import Evaluation
from fairviz.evaluation.joins import of_collection
from fairviz.model import Dataset, RankingSample, Run, Target
from fairviz.stats.kendall import Variant
from fairviz.studies.agreement.agreement import Agreement, ConsistentPair, agreement, consistent_pairs
from fairviz.studies.agreement.measured import Measured, Measuring
from pages._kit.cache import cached

MOST_AT_ONCE = 1_000_000
"""Ranked places × measures up to which the comparison follows the target by itself: half a second,
after all that stands above it is repainted."""
MOST_UNASKED = 12_000_000
"""The same up to which it is made at all without a button: some seconds."""

Shares = tuple[float, ...]


class DataSet(NamedTuple):
    """One set of labels with the target it is held against; plain values, to be a key.

    Attributes:
        attribute: Index of the labels.
        groups: Groups of the target.
        shares: Their shares.
    """

    attribute: int
    groups: tuple[str, ...]
    shares: Shares

    @property
    def target(self) -> Target:
        """The target."""
        return Target(groups=self.groups, shares=np.array(self.shares))


class Compared(NamedTuple):
    """What the section shows.

    Attributes:
        measured: One per data set.
        agreements: Likewise.
        consistent: Pairs with one sign of τ in all of them.
    """

    measured: tuple[Measured, ...]
    agreements: tuple[Agreement, ...]
    consistent: tuple[ConsistentPair, ...]


def systems(loaded: Dataset) -> tuple[Run | RankingSample, ...]:
    """All that is ranked, under distinct names: runs, then samples with their α or number."""
    taken = {run.system for run in loaded.runs}
    named: list[Run | RankingSample] = [*loaded.runs]
    for number, sample in enumerate(loaded.samples, start=1):
        mark = f"sample {number}" if sample.alpha is None else f"α = {sample.alpha:g}"
        name = f"{sample.system}, {mark}" if sample.system in taken else sample.system
        name = f"{name} ({number})" if name in taken else name
        taken.add(name)
        named.append(replace(sample, system=name))
    return tuple(named)


def systems_judged(loaded: Dataset, judgements: int | None) -> list[Run | RankingSample]:
    """Those of the collection of some judgements; all without judgements."""
    return of_collection(systems(loaded), () if judgements is None else (loaded.qrels[judgements],))


def n_places(loaded: Dataset) -> int:
    """Ranked places of all systems."""
    return sum(system.docs.size for system in systems(loaded))


def _measuring(loaded: Dataset, attribute: int, judgements: int | None, measures: tuple[str, ...]) -> Measuring:
    qrels = () if judgements is None else (loaded.qrels[judgements],)
    return Measuring(systems_judged(loaded, judgements), qrels, loaded.labels[attribute], measures)


@cached
def without_target(loaded: Dataset, attribute: int, judgements: int | None, measures: tuple[str, ...]) -> Evaluation:
    """Measures that no target moves; those that need one are among the refused."""
    return _measuring(loaded, attribute, judgements, measures).unmoved()


@cached
def measured(loaded: Dataset, data: DataSet, judgements: int | None, measures: tuple[str, ...]) -> Measured:
    """Every measure of every system; what the data do not allow is refused with a reason."""
    fixed = without_target(loaded, data.attribute, judgements, measures)
    return _measuring(loaded, data.attribute, judgements, measures).held_against(data.target, fixed)


def compared(
    loaded: Dataset,
    data_sets: tuple[DataSet, ...],
    judgements: int | None,
    measures: tuple[str, ...],
    variant: Variant,
) -> Compared:
    """Agreement on each data set, and over all of them."""
    by_data = tuple(measured(loaded, data, judgements, measures) for data in data_sets)
    agreements = tuple(agreement(data_measured.table, variant=variant) for data_measured in by_data)
    return Compared(by_data, agreements, consistent_pairs(agreements) if len(agreements) > 1 else ())
