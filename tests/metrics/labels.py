"""Labels of documents from literals."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.sparse import csr_array

from fairviz.model import GroupLabels


def labels_of(weights: Mapping[str, Mapping[str, float]], groups: Sequence[str] = ()) -> GroupLabels:
    """What each document has of each group; without ``groups`` they stand in the order of their names."""
    names = tuple(groups or sorted({name for each in weights.values() for name in each}))
    dense = np.array([[each.get(name, 0.0) for name in names] for each in weights.values()])
    matrix = csr_array(dense.reshape(len(weights), len(names)))
    return GroupLabels(attribute="group", groups=names, doc_ids=tuple(weights), weights=matrix)


def hard_labels(groups: Mapping[str, str]) -> GroupLabels:
    """The one group of each document."""
    return labels_of({doc: {group: 1.0} for doc, group in groups.items()})
