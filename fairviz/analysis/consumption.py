"""Recorded outputs to per-query EU, EAR and EAE-D (Kim & Diaz, 3.3.2–3.3.5)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np

from fairviz.alignment import lookup
from fairviz.attention import TopK
from fairviz.attribution import Attribution
from fairviz.errors import UsageError
from fairviz.exposure import sample_exposure
from fairviz.metrics.consumption import (
    DisparityNorm,
    UtilityNorm,
    attributed_disparity,
    attribution_rate,
    expected_utility,
    largest_utility,
    share_of_best,
)
from fairviz.metrics.exposure import unbiased_disparity
from fairviz.metrics.utility import (
    Scale,
    StringUtility,
    accuracy,
    error_closeness,
    number,
    rouge_1,
    rouge_l,
    token_f1,
)
from fairviz.model import BoolArray, FloatArray, RagOutputs, Scores
from fairviz.model.arrays import segment_ids
from fairviz.pool import pool

Utility: TypeAlias = Literal["recorded"] | StringUtility
"""Utilities as recorded with the outputs, or computed against references."""

Estimate: TypeAlias = Literal["plugin", "unbiased"]
"""How ‖ε‖² is estimated from N samples."""

References: TypeAlias = Mapping[str, Sequence[str]]
"""Right answers by query id."""


def output_utilities(
    outputs: RagOutputs, *, utility: Utility = "recorded", references: References | None = None
) -> FloatArray:
    """(O) utility of each output, NaN = none recorded, or no reference for its query.

    ``mae`` is max − error; max is the distance between the smallest and the largest of all
    references. Equal answers to one query are scored once.

    Raises:
        UsageError: If references are needed and missing, or a reference for ``mae`` is no number.
    """
    if utility == "recorded":
        return outputs.utilities
    if not references:
        raise UsageError(f"utility='{utility}' compares with reference answers: give references")
    score = _score(utility, references)
    values = np.full(len(outputs.texts), np.nan)
    for query, query_id in enumerate(outputs.query_ids):
        right = references.get(query_id, ())
        known: dict[str, float] = {}
        for o in range(int(outputs.offsets[query]), int(outputs.offsets[query + 1])):
            text = outputs.texts[o]
            if text not in known:
                known[text] = score(text, right)
            values[o] = known[text]
    return values


def best_utilities(
    outputs: RagOutputs,
    recorded: Sequence[RagOutputs],
    *,
    utility: Utility = "recorded",
    references: References | None = None,
) -> FloatArray:
    """(Q) the largest utility that the generator reached for each query in any recorded run.

    Runs of one generator count together, of one task where tasks are recorded; oracle runs are
    among them. Without a named generator, the outputs themselves count alone.

    Args:
        outputs: Whose queries are asked about; it counts whether or not it is in ``recorded``.
        recorded: All recorded runs of any generator.
        utility: As in :func:`output_utilities`.
        references: Right answers by query id.
    """
    best = np.full(len(outputs.query_ids), np.nan)
    for other in (outputs, *recorded):
        if other is not outputs and not _same_generator(outputs, other):
            continue
        values = output_utilities(other, utility=utility, references=references)
        index = {query: q for q, query in enumerate(other.query_ids)}
        reached = np.append(largest_utility(values, other.offsets), np.nan)
        best = np.fmax(best, reached[lookup(outputs.query_ids, index)])
    return best


def utility_scores(
    outputs: RagOutputs,
    *,
    recorded: Sequence[RagOutputs] = (),
    utility: Utility = "recorded",
    norm: UtilityNorm = "none",
    references: References | None = None,
    measure: str = "EU",
) -> Scores:
    """EU per query: mean utility, or its share of the best the generator reached.

    Args:
        outputs: One system's outputs.
        recorded: All recorded runs, for ``norm="best"``.
        utility: As recorded, or a string utility against references.
        norm: "none", or "best" (0/0 undefined).
        references: Right answers by query id.
        measure: What to call it, as typed.
    """
    utilities = output_utilities(outputs, utility=utility, references=references)
    values = expected_utility(utilities, outputs.offsets)
    if norm == "best":
        best = best_utilities(outputs, recorded, utility=utility, references=references)
        values = share_of_best(values, best)
    return Scores(
        system=outputs.system, measure=measure, query_ids=outputs.query_ids, values=values
    )


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


def _same_generator(a: RagOutputs, b: RagOutputs) -> bool:
    same_task = a.task is None or b.task is None or a.task == b.task
    return a.generator is not None and a.generator == b.generator and same_task


def _score(utility: StringUtility, references: References) -> Callable[[str, Sequence[str]], float]:
    match utility:
        case "accuracy":
            return accuracy
        case "f1":
            return token_f1
        case "rouge1":
            return rouge_1
        case "rougeL":
            return rouge_l
        case "mae":
            scale = reference_scale(references)
            return lambda text, right: error_closeness(text, right, scale=scale)


def reference_scale(references: References) -> Scale:
    """Smallest and largest of all reference numbers: the scale on which MAE is taken.

    Raises:
        UsageError: If a reference is no number.
    """
    numbers: list[float] = []
    for query, answers in references.items():
        for answer in answers:
            value = number(answer)
            if value is None:
                shown = answer if len(answer) <= 40 else answer[:40] + "…"
                raise UsageError(
                    f"utility='mae' needs numbers as references; query {query} has {shown!r}"
                )
            numbers.append(value)
    if not numbers:
        raise UsageError("utility='mae' needs at least one reference number")
    return Scale(min(numbers), max(numbers))
