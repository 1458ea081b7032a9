"""The groups and the target that measures were computed with, as tables and texts name them."""

from typing import Literal, NamedTuple

import numpy as np

from fairviz.groups import Preset
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.model import Dataset, GroupLabels, MeasureSpec, Target
from fairviz.report.words import listing, percent

PRESET_WORDS: dict[Preset, str] = {
    "uniform": "equal shares",
    "population": "shares as among each query's candidates",
    "corpus": "shares as in all labelled documents",
    "relevance": "shares in proportion to the mean usefulness of a group's documents",
}


class AgainstTarget(NamedTuple):
    """Groups and target in plain values, so that they can be the key of what is remembered.

    Attributes:
        attribute: Which labels of the data.
        target: Name of a preset, "file" for the loaded target, or (group, share) set by hand.
        split: Whether two unweighted labels of an item were read as half of each.
    """

    attribute: int
    target: Preset | Literal["file"] | tuple[tuple[str, float], ...]
    split: bool = False

    def labels(self, loaded: Dataset) -> GroupLabels:
        """The labels."""
        return loaded.labels[self.attribute]

    def shares(self, loaded: Dataset) -> Target | Preset | None:
        """The target as measures take it."""
        if self.target == "file":
            return loaded.target
        if isinstance(self.target, str):
            return self.target
        groups, shares = zip(*self.target, strict=True)
        return Target(groups=groups, shares=np.array(shares))

    def words(self, loaded: Dataset) -> str:
        r"""The target in words.

        Examples:
            >>> AgainstTarget(0, (("a", 0.5), ("b", 0.5))).words(Dataset())
            'a 50\u202f%, b 50\u202f%'
        """
        found = self.shares(loaded)
        if isinstance(found, str):
            return f"{found} ({PRESET_WORDS[found]})"
        if found is None:
            return "none"
        if found.query_ids is not None:
            return f"by query, over {listing(list(found.groups))}"
        pairs = zip(found.groups, found.shares.tolist(), strict=True)
        return ", ".join(f"{group} {percent(share)}" for group, share in pairs)


def reads_groups(spec: MeasureSpec) -> bool:
    """Whether a measure is one of groups."""
    measure = CATALOGUE.get(spec.name)
    return measure is not None and ("groups" in measure.needs or spec.params.get("by") == "group")
