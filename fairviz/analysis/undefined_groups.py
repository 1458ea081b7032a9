"""Why a group measure has no value: a reason in words, from the data at hand."""

import numpy as np

from fairviz.metrics.group_evidence import GroupEvidence, GroupMeasure


def why_undefined(measure: GroupMeasure, found: GroupEvidence) -> str:
    """The first reason that applies to all queries."""
    labelled = found.weights.sum()
    useful = (found.members.weights * found.pools.gains[:, None]).sum(axis=0)
    without = [g for g, n in zip(found.members.groups, useful.tolist(), strict=True) if n == 0]
    reasons = (
        (not found.lists.rows.size, "nothing was ranked"),
        (labelled == 0, "no ranked document has a label"),
        (
            found.shares is not None and bool(np.isnan(found.shares).any(axis=1).all()),
            "the target has no value for any query",
        ),
        (measure.relevance and not found.pools.gains.any(), "nothing is judged useful"),
        (
            measure.relevance and useful.sum() == 0,
            "no document is both labelled and judged useful",
        ),
        (
            measure.relevance and bool(without),
            f"no labelled document of {', '.join(without)} is judged useful",
        ),
        (
            measure.target == "the full ranking",
            "lists of labelled documents are shorter than the step, of one group, or too varied",
        ),
        (measure.name == "PAIR", "no list has a pair of documents to compare"),
    )
    return next((words for holds, words in reasons if holds), "no query has a value")
