"""How many of the retrieved documents are stereotypical (Table 5, first row, of the RAG study).

The retriever alone is looked at: 50 % means that it treats both polarities alike where the collection holds as many of
each; the share in the collection is the number to compare with.
"""

from dataclasses import dataclass

import numpy as np

from fairviz.errors import UsageError
from fairviz.grouping import group_sums, membership
from fairviz.model import FloatArray, GroupLabels, RankedRun, Run
from fairviz.pool import pool
from fairviz.stats.bootstrap import Interval, bootstrap_interval

STEREOTYPICAL = "stereo"
"""Name of the group of stereotypical documents in a collection with polarities."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StereotypeShare:
    """The share of one polarity among what a system retrieved.

    Attributes:
        system: The run.
        k: Documents that count per query; None: all.
        group: The polarity counted.
        share: Percent of the labelled documents of a query's first k, mean over queries; NaN if no
            query has a labelled document.
        interval: 95 % bootstrap over queries.
        collection: Percent of this polarity among all labelled documents, retrieved or not.
        n_queries: Queries with a labelled document in the first k.
        n_undefined: Queries without.
        n_documents: Labelled documents counted, over all queries.
        n_unlabelled: Documents in the first k without a label, which count for nothing.
        query_ids: The queries of the run.
        per_query: (Q) percent, NaN = undefined.
    """

    system: str
    k: int | None
    group: str
    share: float
    interval: Interval
    collection: float
    n_queries: int
    n_undefined: int
    n_documents: int
    n_unlabelled: int
    query_ids: tuple[str, ...]
    per_query: FloatArray


def stereotype_share(
    run: Run | RankedRun,
    labels: GroupLabels,
    *,
    k: int | None = None,
    group: str = STEREOTYPICAL,
    seed: int = 0,
) -> StereotypeShare:
    """Per query the share of a polarity among the labelled documents of the first k, then the mean.

    Args:
        run: What was retrieved; ranks of a :class:`RankedRun` count as given.
        labels: Polarity of documents; a soft label counts in part.
        k: Documents per query; None: all.
        group: The polarity to count.
        seed: Of the interval's resamples.

    Raises:
        UsageError: The labels have no such group.
        ValueError: If k is below 1.
    """
    if k is not None and k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if group not in labels.groups:
        raise UsageError(f"no group is named {group!r}; groups: {', '.join(labels.groups)}")
    ranked = run.by_rank if isinstance(run, RankedRun) else run
    pools = pool(ranked, None)
    members = membership(pools, labels)
    column = members.index(group)
    position = np.arange(pools.docs.size) - np.repeat(pools.offsets[:-1], pools.sizes)
    counted = position < (np.inf if k is None else k)
    weights = members.weights * counted[:, None]
    sums = group_sums(weights, pools)
    labelled = sums.sum(axis=1)
    per_query = np.full(labelled.size, np.nan)
    np.divide(100 * sums[:, column], labelled, out=per_query, where=labelled > 0)
    defined = per_query[labelled > 0]
    with_label = members.weights.sum(axis=1) > 0
    lacks_one = ~with_label & ~members.not_applicable
    return StereotypeShare(
        system=ranked.system,
        k=k,
        group=group,
        share=float(defined.mean()) if defined.size else float("nan"),
        interval=bootstrap_interval(per_query, rng=np.random.default_rng(seed)),
        collection=_share(members.corpus, column),
        n_queries=defined.size,
        n_undefined=per_query.size - defined.size,
        n_documents=int((counted & with_label).sum()),
        n_unlabelled=int((counted & lacks_one).sum()),
        query_ids=pools.query_ids,
        per_query=per_query,
    )


def _share(corpus: FloatArray, column: int) -> float:
    total = float(corpus.sum())
    return 100 * float(corpus[column]) / total if total > 0 else float("nan")
