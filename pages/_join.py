"""How the loaded files join: what can be evaluated, what is judged, who has a label."""

from dataclasses import dataclass

import numpy as np

from fairviz.attention import TopK
from fairviz.attribution import attribution
from fairviz.exposure import exposure_bounds, target_exposure, varies
from fairviz.model import Dataset, GroupLabels
from fairviz.pool import pool
from fairviz.report.words import percent
from pages._shared import cached

CUTOFF = 5
PAIRED_CUTOFF = 20
WORTH_SAYING = 0.05
"""Share of citations outside the list from which the pairing is doubted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """One run beside one set of judgements.

    Attributes:
        evaluated, alike, unjudged: Queries of the run: with a value, with judgements that are all
            alike (undefined), without judgements.
        missing: Judged queries that the run lacks.
        grades: Retrieved items of the judged queries by grade 0, 1, 2, 3 or more.
        items_unjudged: Retrieved items of the judged queries without a judgement.
    """

    system: str
    qrels: str
    evaluated: int
    alike: int
    unjudged: int
    missing: tuple[str, ...]
    grades: tuple[int, int, int, int]
    items_unjudged: int

    @property
    def ranked(self) -> int:
        """Queries of the run."""
        return self.evaluated + self.alike + self.unjudged


@cached
def join_report(loaded: Dataset, system: int, judgements: int) -> Join:
    """Count what one run and one set of judgements have in common."""
    run, qrels = loaded.runs[system], loaded.qrels[judgements]
    pools = pool(run, qrels)
    attention = TopK(CUTOFF)
    bounds = exposure_bounds(target_exposure(pools, attention), pools.offsets, attention)
    found = pools.n_retrieved > 0
    defined = found & varies(bounds.relevance) & varies(bounds.disparity)
    retrieved = ~np.isnan(pools.scores)
    steps = np.clip(pools.gains[retrieved & pools.judged], 0, 3).astype(int)
    by_grade = np.bincount(steps, minlength=4)
    return Join(
        system=run.system,
        qrels=qrels.name,
        evaluated=int(defined.sum()),
        alike=int((found & ~defined).sum()),
        unjudged=len(pools.unjudged_queries),
        missing=pools.missing_queries,
        grades=(int(by_grade[0]), int(by_grade[1]), int(by_grade[2]), int(by_grade[3])),
        items_unjudged=int((retrieved & ~pools.judged).sum()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Documents of each group of one attribute, soft labels counted by weight."""

    attribute: str
    sizes: tuple[tuple[str, float], ...]
    unlabelled: float
    n_documents: int

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
    total = len(known) or len(set(labels.doc_ids))
    n_labels = _labels_per_document(labels, known)
    return Groups(
        attribute=labels.attribute,
        sizes=tuple(zip(labels.groups, (sizes / n_labels).tolist(), strict=True)),
        unlabelled=max(0.0, total - float(sizes.sum()) / n_labels),
        n_documents=total,
    )


def _labels_per_document(labels: GroupLabels, known: set[str]) -> float:
    """Rows per labelled document: more than one where labels differ per query."""
    counted = [d for d in labels.doc_ids if not known or d in known]
    return len(counted) / len(set(counted)) if counted else 1.0


@cached
def pairing_doubts(loaded: Dataset) -> tuple[tuple[str, str], ...]:
    """(title, text) for outputs that cite much that the first run did not give them."""
    if not loaded.runs:
        return ()
    doubts: list[tuple[str, str]] = []
    for outputs in loaded.outputs:
        if outputs.given_from == "ranking":
            continue
        k = outputs.k or PAIRED_CUTOFF
        found = attribution(outputs, k=k, paired=loaded.runs[0])
        share = found.n_outside / found.n_cited if found.n_cited else 0.0
        if share > WORTH_SAYING:
            name = outputs.generator or outputs.system
            doubts.append(
                (
                    f"{percent(share)} of the citations of {name} are to documents outside the "
                    f"first {k} of {loaded.runs[0].system}.",
                    "The answers were probably written from another list. EAR against this run is "
                    "a lower bound; load the run that fed the generator.",
                )
            )
    return tuple(doubts)
