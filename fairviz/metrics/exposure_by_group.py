"""EE-D, EE-R and EE-L of groups (Raj et al., 2.3–2.4): exposure of a group is that of its items."""

from collections.abc import Callable, Mapping

import numpy as np

from fairviz.groups import Membership, group_sums
from fairviz.metrics.exposure_evidence import ExposureEvidence
from fairviz.metrics.group_exposure import group_disparity, group_loss, group_relevance
from fairviz.metrics.statistic import OfMeans
from fairviz.model import FloatArray

BY_GROUP: Mapping[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "EED": lambda exposure, _: group_disparity(exposure),
    "EER": group_relevance,
    "EEL": group_loss,
}
"""Measure -> its kernel on (B, G) exposure and target of groups."""


def exposure_by_group(name: str, found: ExposureEvidence, members: Membership) -> OfMeans:
    """An expected-exposure measure of groups; queries for which nothing was ranked have none."""
    exposure = group_sums(members.weights * found.exposure[:, None], found.pools)
    target = group_sums(members.weights * found.target[:, None], found.pools)
    parts = np.concatenate([exposure, target], axis=1)
    parts[found.pools.n_retrieved == 0] = np.nan
    n_groups = len(members.groups)
    kernel = BY_GROUP[name]
    return OfMeans(parts, lambda rows: kernel(rows[:, :n_groups], rows[:, n_groups:]))
