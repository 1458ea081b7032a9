"""How rankings and group labels join: who has a label, who has none."""

from dataclasses import dataclass

import numpy as np

from fairviz.errors import InputError
from fairviz.formats.join import join_target
from fairviz.model import Dataset, FloatArray, GroupLabels, Target
from pages._shared import cached, plural
from pages._target_presets import labelled_pools, matching_target

NAMED = 3
"""Groups that a sentence names before it stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether the loaded target speaks of these groups, in words."""

    fits: bool
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Documents of each group of one attribute, soft labels counted by weight.

    Attributes:
        attribute: What the groups are groups of.
        sizes: (group, documents).
        unlabelled: Ranked documents without a label.
        n_documents: Ranked documents; those of the table where no ranking is loaded.
        n_elsewhere: Labelled documents that no ranking has.
        counted: Whose documents are counted, and how often.
        target: What is to be said of the loaded target; None without one.
    """

    attribute: str
    sizes: tuple[tuple[str, float], ...]
    unlabelled: float
    n_documents: int
    n_elsewhere: int
    counted: str
    target: Verdict | None

    @property
    def unlabelled_share(self) -> float:
        """Share of the documents in question without a label."""
        return self.unlabelled / self.n_documents if self.n_documents else float("nan")


@cached
def group_sizes(loaded: Dataset, attribute: int) -> Groups:
    """Count the documents of the loaded rankings by group; of the table itself without a run.

    Where labels differ per query, the documents of one system are counted once per query.
    """
    labels = loaded.labels[attribute]
    ranked = (*loaded.runs, *loaded.samples)
    if labels.query_ids is not None and ranked:
        pools, members = labelled_pools(loaded, attribute, 0, None, "drop")
        sizes = members.weights.sum(axis=0)[: len(labels.groups)]
        total = pools.docs.size
        elsewhere = len(labels.doc_ids) - int((members.weights.sum(axis=1) > 0).sum())
        counted = f"the documents of {ranked[0].system}, once per query"
    else:
        known = {d for one in ranked for d in one.doc_ids}
        rows = [i for i, d in enumerate(labels.doc_ids) if d in known or not known]
        sizes = np.asarray(labels.weights[rows].sum(axis=0), dtype=np.float64).ravel()
        total = len(known) or len(labels.doc_ids)
        elsewhere = len(labels.doc_ids) - len(rows)
        counted = "the documents that the loaded rankings hold" if known else "the labelled items"
    return Groups(
        attribute=labels.attribute,
        sizes=_named(labels, sizes),
        unlabelled=max(0.0, total - float(sizes.sum())),
        n_documents=total,
        n_elsewhere=max(elsewhere, 0),
        counted=counted,
        target=None if loaded.target is None else target_verdict(loaded, labels, loaded.target),
    )


def first_attribute(loaded: Dataset) -> int:
    """The labels that the loaded target speaks of, else the first."""
    spoken = (i for i in range(len(loaded.labels)) if matching_target(loaded, i) is not None)
    return next(spoken, 0)


def target_verdict(loaded: Dataset, labels: GroupLabels, target: Target) -> Verdict:
    """Whether a target speaks of these groups, and where the two do not match."""
    file = next((f.name for f in loaded.files if f.role == "target"), "The target")
    try:
        found = join_target(labels, target)
    except InputError:
        more = ", …" if len(target.groups) > NAMED else ""
        named = ", ".join(target.groups[:NAMED]) + more
        return Verdict(fits=False, sentence=f"{file} speaks of other groups ({named}): it is not used here.")
    n, known = len(found.common), len(labels.groups)
    fits = f"{file} has shares for {n} of {plural(known, 'group')}"
    if target.query_ids is not None:
        queries = {q for one in (*loaded.runs, *loaded.samples) for q in one.query_ids}
        without = len(queries - set(target.query_ids))
        fits += f", by query, for {plural(len(target.query_ids), 'query', 'queries')}"
        fits += f"; {without} ranked without" if without else ""
    notes = "".join(f" {note.message[:1].upper()}{note.message[1:]}." for note in found.notes)
    return Verdict(fits=True, sentence=f"{fits}.{notes}")


def _named(labels: GroupLabels, sizes: FloatArray) -> tuple[tuple[str, float], ...]:
    return tuple(zip(labels.groups, sizes.tolist(), strict=True))
