"""A run re-ranked by a re-ranker or its name, as the library and the command do it, and what its lists hold."""

from fairviz.kernels.grouping import Preset
from fairviz.model import GroupLabels, Qrels, RankingSample, Run, Target
from fairviz.points.reranking import check_evidence, rerank_all, rerank_lists
from fairviz.reranking.candidates import Draws
from fairviz.reranking.catalogue import Reranker, Value, find_reranker


def ids(run: Run, query: int) -> list[str]:
    docs = run.docs[run.offsets[query] : run.offsets[query + 1]].tolist()
    return [run.doc_ids[doc] for doc in docs]


def rerank(
    run: Run,
    method: Reranker | str,
    *,
    labels: GroupLabels | None,
    target: Target | Preset | None,
    k: int,
    qrels: Qrels | None = None,
    rng: Draws | None = None,
    group: str | None = None,
    repeats: int = 1,
    samples: int = 100,
    **options: Value,
) -> Run | RankingSample:
    reranker = find_reranker(method) if isinstance(method, str) else method
    check_evidence(reranker, options, has_labels=labels is not None, has_target=target is not None)
    lists = rerank_lists(run, labels=labels, target=target, qrels=qrels)
    counts = {"repeats": repeats, "samples": samples}
    return rerank_all(lists, reranker, k=k, rng=rng, group=group, **counts, options=options)[0]
