"""Recorded outputs to per-query EU, EAR and EAE-D (Kim & Diaz, 3.3.2–3.3.5)."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from fairviz.analysis.answer_utility import AnswerUtilities, Utility
from fairviz.attention import TopK
from fairviz.attribution import Attribution
from fairviz.exposure import sample_exposure
from fairviz.metrics.consumption import (
    DisparityNorm,
    UtilityNorm,
    attributed_disparity,
    attribution_rate,
    expected_utility,
    share_of_best,
)
from fairviz.metrics.exposure import unbiased_disparity
from fairviz.model import BoolArray, FloatArray, RagOutputs, Scores
from fairviz.model.arrays import segment_ids
from fairviz.pool import pool

Estimate: TypeAlias = Literal["plugin", "unbiased"]
"""How ‖ε‖² is estimated from N samples."""


def utility_scores(
    outputs: RagOutputs,
    *,
    recorded: Sequence[RagOutputs] = (),
    utility: Utility = "recorded",
    norm: UtilityNorm = "none",
    answers: AnswerUtilities | None = None,
    measure: str = "EU",
) -> Scores:
    """EU per query: mean utility, or its share of the best the generator reached.

    Args:
        outputs: One system's outputs.
        recorded: All recorded runs, for ``norm="best"``.
        utility: As recorded, or a string utility against references.
        norm: "none", or "best" (0/0 undefined).
        answers: Utilities against references; None where only recorded ones are asked for.
        measure: What to call it, as typed.
    """
    answers = answers or AnswerUtilities()
    values = expected_utility(answers.of(outputs, utility), outputs.offsets)
    if norm == "best":
        values = share_of_best(values, answers.best(outputs, recorded, utility))
    return Scores(system=outputs.system, measure=measure, query_ids=outputs.query_ids, values=values)


def attribution_scores(found: Attribution, *, measure: str = "EAR") -> Scores:
    """EAR per query; undefined where no output of the query was given an item."""
    values = attribution_rate(found.n_attributed, found.given.query_offsets, k=found.k)
    return _scores(found, measure, np.where(was_given(found), values, np.nan))


def attributed_disparity_scores(
    found: Attribution,
    *,
    norm: DisparityNorm = "k",
    estimate: Estimate = "plugin",
    measure: str = "EAED",
) -> Scores:
    """EAE-D per query; flag ``single_sample`` where one output per query makes it equal EAR.

    Args:
        found: Given and attributed items.
        norm: "k" (default) or "none".
        estimate: "plugin", or "unbiased" (undefined for one output).
        measure: What to call it, as typed.
    """
    pools = pool(found.given, None)
    drawn = sample_exposure(found.attributed, pools, TopK(found.k))
    values = attributed_disparity(drawn.exposure, pools.offsets, k=found.k, norm="none")
    if estimate == "unbiased":
        values = unbiased_disparity(values, drawn.mean_square, drawn.n_samples)
    if norm == "k":
        values = values / found.k
    return _scores(found, measure, np.where(was_given(found), values, np.nan))


def was_given(found: Attribution) -> BoolArray:
    """(Q) queries with an output that was given at least one item."""
    owner = segment_ids(found.given.query_offsets)
    n_queries = len(found.given.query_ids)
    return np.bincount(owner, weights=found.n_given, minlength=n_queries) > 0


def single_sample(outputs: RagOutputs) -> bool:
    """Whether no query has more than one output, so that EAE-D / k = EAR identically."""
    return int(outputs.n_samples.max(initial=0)) <= 1


def _scores(found: Attribution, measure: str, values: FloatArray) -> Scores:
    one = int(found.given.n_samples.max(initial=0)) <= 1
    return Scores(
        system=found.given.system,
        measure=measure,
        query_ids=found.given.query_ids,
        values=values,
        flags={
            "single_sample": one,
            "n_cited": found.n_cited,
            "n_outside": found.n_outside,
        },
    )
