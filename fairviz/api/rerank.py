"""A run re-ranked towards a target: what ``fairviz rerank`` writes, as a noun."""

from __future__ import annotations  # signatures in the names of types, as people read them

from collections.abc import Iterable
from typing import Literal

from fairviz.api.door import public, tell
from fairviz.api.nouns import Judgements, Labels, Ranked, Rankings, Shares, judgements_of, labels_of, target_for
from fairviz.api.nouns import run as run_of
from fairviz.points.curves import with_scores
from fairviz.points.reranking import rerank_run
from fairviz.reranking.catalogue import find_reranker


@public
def rerank(
    run: Rankings,
    method: str,
    *,
    groups: Labels | Literal["qrels"] | None = None,
    target: Shares | None = None,
    allow_missing_groups: bool = False,
    k: int | None = None,
    qrels: Judgements | Iterable[Judgements] | None = None,
    group: str | None = None,
    repeats: int = 1,
    samples: int = 100,
    seed: int = 0,
    **options: float | str,
) -> Ranked:
    """Re-rank every query of a run towards a target.

    What ``fairviz rerank`` writes. Lists keep all their items: below rank k they follow in the order of the run. A
    query without a target keeps its order.

    Args:
        run: A run with scores, see :func:`run`.
        method: "det-greedy", "det-cons", "fa-ir" and others; ``fairviz rerank --help`` lists them with their options.
        groups: Groups of documents, see :func:`labels`; "qrels": the subtopics of the judgements.
        target: Share of attention of each group, see :func:`target`.
        allow_missing_groups: Let the target give a share to a group that no label has, which is often misspelt.
        k: Ranks to decide; None: all.
        qrels: Judgements, for methods that read them.
        group: The protected group, for fa-ir; None: the smaller of two.
        repeats: Independent lists of a random method.
        samples: Rankings drawn from a policy, k ranks each.
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
    """
    reranker = find_reranker(method)
    ranked = run_of(run)
    judged = judgements_of(qrels)
    labels = labels_of(groups, judged)
    reranked, notes = rerank_run(
        with_scores(ranked, ranked.system),
        reranker,
        labels=labels,
        target=target_for(target, labels, allow_missing_groups=allow_missing_groups),
        judged=judged,
        k=k,
        seed=seed,
        group=group,
        repeats=repeats,
        samples=samples,
        options=options,
    )
    tell(notes)
    return reranked
