"""How rankings and group labels join: who has a label, who has none."""

from dataclasses import dataclass

import numpy as np

from fairviz.errors import InputError
from fairviz.formats.join import join_target
from fairviz.model import Dataset, GroupLabels
from pages._shared import cached


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Documents of each group of one attribute, soft labels counted by weight.

    Attributes:
        attribute: What the groups are groups of.
        sizes: (group, documents).
        unlabelled: Ranked documents without a label.
        n_documents: Ranked documents; those of the table where no ranking is loaded.
        n_elsewhere: Labelled documents that no ranking has.
        target_notes: Where the loaded target and these groups do not match.
    """

    attribute: str
    sizes: tuple[tuple[str, float], ...]
    unlabelled: float
    n_documents: int
    n_elsewhere: int
    target_notes: tuple[str, ...]

    @property
    def unlabelled_share(self) -> float:
        """Share of the documents in question without a label."""
        return self.unlabelled / self.n_documents if self.n_documents else float("nan")


@cached
def group_sizes(loaded: Dataset, attribute: int) -> Groups:
    """Count the documents of the loaded rankings by group; of the table itself without a run."""
    labels = loaded.labels[attribute]
    known = {d for ranked in (*loaded.runs, *loaded.samples) for d in ranked.doc_ids}
    rows = [i for i, d in enumerate(labels.doc_ids) if d in known] if known else None
    weights = labels.weights if rows is None else labels.weights[rows]
    sizes = np.asarray(weights.sum(axis=0)).ravel()
    labelled = set(labels.doc_ids)
    total = len(known) or len(labelled)
    n_labels = _labels_per_document(labels, known)
    return Groups(
        attribute=labels.attribute,
        sizes=tuple(zip(labels.groups, (sizes / n_labels).tolist(), strict=True)),
        unlabelled=max(0.0, total - float(sizes.sum()) / n_labels),
        n_documents=total,
        n_elsewhere=len(labelled - known) if known else 0,
        target_notes=_target_notes(loaded, labels),
    )


def _labels_per_document(labels: GroupLabels, known: set[str]) -> float:
    """Rows per labelled document: more than one where labels differ per query."""
    counted = [d for d in labels.doc_ids if not known or d in known]
    return len(counted) / len(set(counted)) if counted else 1.0


def _target_notes(loaded: Dataset, labels: GroupLabels) -> tuple[str, ...]:
    """Silent about an attribute that the target does not speak of."""
    if loaded.target is None:
        return ()
    try:
        return tuple(note.message for note in join_target(labels, loaded.target).notes)
    except InputError:
        return ()
