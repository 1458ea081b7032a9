"""What the Data page counts: how rankings, judgements, labels, targets, outputs and answers cover each other."""

from hashlib import sha256
from typing import NamedTuple

import numpy as np

from fairviz.grouping import Membership, Missing, Preset, membership, missing_groups, with_unlabelled
from fairviz.model import Dataset, FloatArray, Pools, Qrels, Target
from fairviz.pool import pool
from fairviz.studies.groups import target_shares
from pages._kit.cache import cached

# Targets that the data suggest: equal, collection, pool, useful documents.


NAMES: dict[Preset, str] = {
    "uniform": "Equal",
    "corpus": "Collection",
    "population": "Candidates",
    "relevance": "Useful documents",
}
"""What a person calls the presets of :mod:`fairviz.grouping`."""

MEANINGS = (
    "**Equal**: every group the same. **Collection**: as in all labelled documents. **Candidates**: as "
    "among each query's candidates, averaged. **Useful documents**: in proportion to the mean "
    "usefulness of a group's documents, averaged over queries."
)


class LabelledPools(NamedTuple):
    """One system's candidates with judgements and groups."""

    pools: Pools
    members: Membership


def align(loaded: Dataset, attribute: int, system: int, judgements: int | None, unlabelled: Missing) -> LabelledPools:
    """Candidates of one system for its queries: measures of groups need no judgements.

    Args:
        loaded: The data.
        attribute: Which labels.
        system: Which run; samples follow the runs.
        judgements: Which judgements say what is useful, None for none.
        unlabelled: Whether items without a label are a group.
    """
    ranked = (*loaded.runs, *loaded.samples)[system]
    qrels: Qrels | None = None if judgements is None else loaded.qrels[judgements]
    pools = pool(ranked, qrels, queries="ranked")
    members = membership(pools, loaded.labels[attribute], matching_target(loaded, attribute))
    return LabelledPools(pools, with_unlabelled(members) if unlabelled == "group" else members)


@cached
def labelled_pools(
    loaded: Dataset, attribute: int, system: int, judgements: int | None, unlabelled: Missing
) -> LabelledPools:
    """:func:`align`, remembered: for the system that is looked at."""
    return align(loaded, attribute, system, judgements, unlabelled)


def matching_target(loaded: Dataset, attribute: int) -> Target | None:
    """The loaded target, if it speaks of the groups of this attribute and gives a share to no other."""
    labels, target = loaded.labels[attribute], loaded.target
    fits = target is not None and set(labels.groups) & set(target.groups) and not missing_groups(labels, target)
    return target if fits else None


def groups_of(loaded: Dataset, attribute: int) -> tuple[str, ...]:
    """Groups that shares of attention are for: those of the labels, then those that only the loaded target names."""
    known, target = loaded.labels[attribute].groups, matching_target(loaded, attribute)
    return (*known, *(group for group in (() if target is None else target.groups) if group not in known))


@cached
def labels_fingerprint(loaded: Dataset, attribute: int) -> str:
    """Sha256 of the labels themselves: equal groups of equal documents, whatever else is loaded."""
    labels = loaded.labels[attribute]
    digest = sha256("\n".join([labels.attribute, *labels.groups, "", *labels.doc_ids]).encode())
    digest.update("\n".join(labels.query_ids or ()).encode())
    for part in (labels.weights.indptr, labels.weights.indices, labels.weights.data):
        digest.update(part.astype(np.float64).tobytes())
    return digest.hexdigest()


@cached
def preset_shares(
    loaded: Dataset, attribute: int, system: int, judgements: int | None, unlabelled: Missing
) -> dict[str, FloatArray]:
    """(G) shares of each preset by name, one distribution for all queries; without those that no query has."""
    pools, members = labelled_pools(loaded, attribute, system, judgements, unlabelled)
    made = {name: target_shares.preset_shares(preset, members, pools) for preset, name in NAMES.items()}
    return {name: shares for name, shares in made.items() if shares is not None}


def first_attribute(loaded: Dataset) -> int:
    """The labels that the loaded target speaks of, else the first."""
    spoken = (i for i in range(len(loaded.labels)) if matching_target(loaded, i) is not None)
    return next(spoken, 0)
