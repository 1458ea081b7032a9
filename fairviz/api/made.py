"""A fused run, and the two catalogues."""

from __future__ import annotations  # signatures in the names of types, as people read them

from collections.abc import Iterable

import pandas as pd

from fairviz.api.door import frame_of, public, tell
from fairviz.api.nouns import Rankings, systems_of
from fairviz.display.catalogues import measures_table, rerankers_table
from fairviz.errors import UsageError
from fairviz.evaluation.fuse import fusion_notes, reciprocal_rank_fusion
from fairviz.model import Run


@public
def fuse(
    runs: Rankings | Iterable[Rankings],
    *,
    k: int = 60,
    depth: int | None = None,
    top: int | None = None,
    tag: str = "rrf",
) -> Run:
    """Merge runs by reciprocal rank fusion: a document's score is the sum of 1 / (k + rank) over the runs that rank it.

    The same as ``fairviz fuse``. Cormack et al. (2009), "Reciprocal rank fusion outperforms Condorcet and individual
    rank learning methods", SIGIR.

    Args:
        runs: Two or more: nouns, files, frames, ranx' Runs or dicts, see :func:`run`; ``{name: run}`` names them.
        k: How little the first ranks stand out.
        depth: The last rank of each run that counts; None: all.
        top: Documents kept per query; None: all.
        tag: What the fused system is called.

    Returns:
        The queries of all runs, each with all documents ranked for it by any run.

    Raises:
        InputError: Something cannot be read.
        UsageError: There are fewer than two runs, or one holds several rankings of a query.

    Examples:
        >>> import fairviz as fv
        >>> fused = fv.fuse([{"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0, "c": 1.0}}])
        >>> [fused.doc_ids[d] for d in fused.docs]
        ['b', 'a', 'c']
    """
    ranked, _ = systems_of(runs)
    if len(ranked) < 2:
        raise UsageError("fuse needs two or more runs")
    if sample := next((system for system in ranked if not isinstance(system, Run)), None):
        raise UsageError(f"{sample.system}: a sample of rankings, not a run")
    fused_runs = [run for run in ranked if isinstance(run, Run)]
    fused = reciprocal_rank_fusion(fused_runs, k=k, depth=depth, top=top, name=tag)
    tell(fusion_notes(fused_runs, fused))
    return fused


@public
def measures(*names: str) -> pd.DataFrame:
    """Every measure of fairviz: its formula, which way it improves, its range, what it needs, and its source.

    The same as ``fairviz measures``, which lists those of ir_measures and the parameters, too.

    Args:
        *names: Only these, such as "EED".

    Returns:
        A row per measure.

    Raises:
        UsageError: There is no measure of that name.

    Examples:
        >>> import fairviz as fv
        >>> fv.measures("AWRF")[["name", "better"]].values.tolist()
        [['AWRF', 'lower']]
    """
    return frame_of(measures_table(names))


@public
def rerankers(*names: str) -> pd.DataFrame:
    """The methods of :func:`rerank`: what each does, its options, what it needs, and its source.

    Args:
        *names: Only these, such as "det-greedy".

    Returns:
        A row per method.

    Raises:
        UsageError: There is no method of that name.

    Examples:
        >>> import fairviz as fv
        >>> fv.rerankers("fa-ir")["needs"].tolist()
        ['groups, target']
    """
    return frame_of(rerankers_table(names))
