"""Runs made of runs, as nouns: fused, or re-ranked towards a target; and the two catalogues."""

from __future__ import annotations  # signatures in the names of types, as people read them

from collections.abc import Iterable
from typing import Any, Literal, cast

import pandas as pd

from fairviz.api.door import Result, frame_of, public, tell
from fairviz.api.functions import check
from fairviz.api.nouns import (
    Frequencies,
    Judgements,
    Labels,
    Ranked,
    Rankings,
    Shares,
    aim_for,
    frequencies_of,
    judgements_of,
    labels_by_attribute,
    labels_of,
    systems_of,
    target_for,
)
from fairviz.api.nouns import run as run_of
from fairviz.display.methods import measures_table, rerankers_table
from fairviz.errors import UsageError
from fairviz.evaluation.fuse import fusion_notes, reciprocal_rank_fusion
from fairviz.model import GroupLabels, Run
from fairviz.points.curves import with_scores
from fairviz.points.limits import words_of
from fairviz.points.reranking import rerank_run
from fairviz.reranking.catalogue import find_reranker
from fairviz.studies.check.analysis import CheckAnalysis


@public
def rerank(
    run: Rankings,
    method: str,
    *,
    groups: Labels | Iterable[Labels] | Literal["qrels"] | None = None,
    target: Shares | None = None,
    weights: Frequencies | None = None,
    allow_missing_groups: bool = False,
    k: int | None = None,
    qrels: Judgements | Iterable[Judgements] | None = None,
    group: str | None = None,
    repeats: int = 1,
    samples: int | None = None,
    seed: int = 0,
    **options: float | str,
) -> Ranked:
    """Re-rank every query of a run towards a target.

    What ``fairviz rerank`` writes. Lists keep all their items: below rank k they follow in the order of the run. A
    query without a target keeps its order.

    Args:
        run: A run with scores, see :func:`run`.
        method: "det-greedy", "det-cons", "fa-ir" and others; ``fairviz rerank --help`` lists them with their options.
        groups: Groups of documents, see :func:`labels`; "qrels": the subtopics of the judgements. For "amortised" by
            several attributes, of which the first counts where the target names none.
        target: Share of attention of each group, see :func:`target`; for "amortised" also bounds of several attributes,
            ``{"region": {"Africa": (0.15, None)}}``.
        weights: How often each query is asked, above 0, for "amortised": ``{query: weight}``, or a file or frame with
            the columns query_id and weight. Queries without keep their lists. None: all are asked alike.
        allow_missing_groups: Let the target give a share to a group that no label has, which is often misspelt.
        k: Ranks to decide; None: all.
        qrels: Judgements, for methods that read them.
        group: The protected group, for fa-ir; None: the smaller of two.
        repeats: Independent lists of a random method.
        samples: Rankings drawn from a policy, k ranks each; None: 100, for "amortised" one list of each query.
        seed: Of the draws.
        **options: The method's own, such as ``epsilon=0.3``.

    Returns:
        A run, called SYSTEM+METHOD, whose scores fall by 1 from rank to rank; of a policy, or with repeats, a sample.

    Raises:
        InputError: Something cannot be read, or no document has a group.
        UsageError: The method or an option is not known, or something that it needs is missing.

    Examples:
        >>> import fairviz as fv
        >>> bm25 = fv.run({"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}, name="bm25")
        >>> region = {"a": "north", "b": "north", "c": "south", "d": "south"}
        >>> fair = fv.rerank(bm25, "det-greedy", groups=region, target="uniform", k=4)
        >>> fair.system, [fair.doc_ids[d] for d in fair.docs]
        ('bm25+det-greedy', ['a', 'c', 'b', 'd'])

        Over all queries together the cheapest lists change:

        >>> both = fv.run({"q": {"a": 4.0, "b": 3.0, "c": 1.0}, "r": {"a": 4.0, "b": 3.9, "c": 3.8}}, name="bm25")
        >>> region = fv.labels({"a": "north", "b": "north", "c": "south"}, name="region")
        >>> fair = fv.rerank(both, "amortised", groups=region, target={"region": {"south": (0.15, None)}}, k=2)
        >>> [fair.doc_ids[d] for d in fair.docs]
        ['a', 'b', 'c', 'a', 'c', 'b']
    """
    reranker = find_reranker(method)
    ranked = run_of(run)
    judged = judgements_of(qrels)
    if reranker.all_queries:
        every = labels_by_attribute(groups, judged)
        aim = aim_for(target, every, allow_missing_groups=allow_missing_groups)
    else:
        labels = labels_of(cast("Labels | None", groups), judged)
        every = [labels] if labels is not None else list[GroupLabels]()
        aim = target_for(target, labels, allow_missing_groups=allow_missing_groups)
    reranked, notes, _ = rerank_run(
        with_scores(ranked, ranked.system),
        reranker,
        labels=every,
        target=aim,
        judged=judged,
        k=k,
        seed=seed,
        group=group,
        repeats=repeats,
        samples=samples,
        options=options,
        frequencies=frequencies_of(weights),
    )
    tell(notes)
    return reranked


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


def assert_within(limits: Any, /, *args: Any, **kwargs: Any) -> None:
    """Hold systems to limits in a test: nothing happens unless one is broken.

    Args:
        limits: A file of limits, a statement such as ``"nDCG@10 >= 0.4"``, or a list of these.
        args: Data, as :func:`check` takes them.
        kwargs: Further data and settings of :func:`check`; with ``strict=True`` a limit of which nobody can tell fails,
            too.

    Raises:
        AssertionError: A limit is broken; a line for each.
        FairvizError: As :func:`check`.
    """
    refuse_broken(check(*args, limits=limits, **kwargs))


def refuse_broken(result: Result) -> None:
    """What :func:`check` found, as a test sees it.

    Raises:
        AssertionError: A limit is broken, or nobody can tell and the check was strict; a line for each.
    """
    analysis = cast("CheckAnalysis", result.analysis)
    if analysis.code:
        failed = ("broken", "cannot tell") if analysis.strict else ("broken",)
        raise AssertionError("\n".join(words_of(row) for row in analysis.judged if row.outcome in failed))
