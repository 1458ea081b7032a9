"""The start page's second finding: which group is farthest from its share of attention."""

import numpy as np

from fairviz.analysis.group_exposure import share_intervals
from fairviz.attention import Browsing
from fairviz.model import Dataset
from fairviz.report.group_findings import headline
from pages._groups_results import exposure_of
from pages._join_groups import first_attribute
from pages._kept import kept
from pages._target_presets import as_shares, matching_target

BROWSING: Browsing = "dcg"
GROUPS_CUTOFF = 10
"""Attention as the Groups & targets page begins with."""


@kept
def group_sentence(loaded: Dataset) -> str:
    """What the first run's lists do against the loaded target, else against equal shares.

    Empty where there are no rankings with labels.
    """
    if not loaded.labels or not (loaded.runs or loaded.samples):
        return ""
    attribute = first_attribute(loaded)
    found = exposure_of(loaded, attribute, 0, None, "drop", BROWSING, GROUPS_CUTOFF)
    file = matching_target(loaded, attribute)
    shares = None if file is None else as_shares(file, found.groups)
    n = len(found.groups)
    name = "the target" if shares is not None else "an equal share"
    target = np.full(n, 1 / n) if shares is None else shares
    title = headline(found, share_intervals(found).shares, target, where="").title
    return f"Here: {title[:1].lower()}{title[1:]}.".replace("your target", name)
