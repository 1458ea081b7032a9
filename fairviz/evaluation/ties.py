"""How far the order of documents with tied scores could move a value.

Trec_eval's order of ties, by document id, is arbitrary; that of a run's ranks is not, where these decide. Where moving
an item of a higher grade up never changes a value but one way, every tie sorted by grade gives one end over all orders,
sorted the other way the other: exact, query by query, and so of their mean. Measures of groups, of unjudged documents
and of disparity have no such order, and no band.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairviz.display.words import number
from fairviz.evaluation.rankings import RankedScorer
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.effectiveness import KERNELS
from fairviz.metrics.standard import registry
from fairviz.model import MeasureSpec, Note, Qrels, Run, Scores, SystemScore
from fairviz.model.arrays import segment_ids
from fairviz.pool import pool
from fairviz.stats.tests import ROUNDING

SORTED_BY_GRADE = {
    **dict.fromkeys((*KERNELS, "RBP"), frozenset({"rel", "p"})),
    **dict.fromkeys(("EER", "EEL"), frozenset({"norm", "gain", "rel", "pool", "p", "gamma", "browsing"})),
}
"""Measures whose ends over all orders sorting by grade finds, and with which parameters."""


def with_tie_bands(
    scores: Sequence[Scores | SystemScore], specs: Sequence[MeasureSpec], run: Run, qrels: Qrels
) -> list[Scores | SystemScore]:
    """The scores of a run, with the band over all orders of its tied documents where that changes a value.

    Args:
        scores: Of the run.
        specs: Measures; those without a score are passed over.
        run: The run.
        qrels: Judgements that the scores are of.
    """
    found = {score.measure: score for score in scores}
    able = [spec for spec in specs if (spec.text or spec.name) in found and _is_sorted_by_grade(spec)]
    orders = _sorted_ties(run, qrels) if able and run.ties == "id" else ()
    ends = [[one for one in RankedScorer(order, qrels).scores(able)[0] if isinstance(one, Scores)] for order in orders]
    for best, worst in zip(*ends, strict=True):
        score = found[best.measure]
        band = np.sort([best.values, worst.values], axis=0)
        if isinstance(score, Scores) and (band[1] - band[0] > ROUNDING).any():
            found[best.measure] = replace(score, tied=band)
    return [found[score.measure] for score in scores]


def tie_notes(system: str, scores: Sequence[Scores | SystemScore]) -> list[Note]:
    """One note on the bands that a reader can see."""
    parts: list[str] = []
    for score in scores:
        if isinstance(score, Scores) and score.tie_band:
            low, high = map(number, score.tie_band)
            parts += [f"{score.measure} from {low} to {high}"] if low != high else []
    return [Note(system, None, f"tied scores: {', '.join(parts)} over all orders")] if parts else []


def _is_sorted_by_grade(spec: MeasureSpec) -> bool:
    """Whether sorting by grade finds the ends of this measure with these parameters."""
    params = SORTED_BY_GRADE.get(spec.name if spec.name in CATALOGUE else registry()[spec.name].NAME)
    able = params is not None and set(spec.params) <= params
    return able and spec.params.get("rel") != 0 and spec.params.get("browsing") != "cascade"


def _sorted_ties(run: Run, qrels: Qrels) -> tuple[Run, ...]:
    """The judged queries of the run with each tie by grade, falling, then rising; none where nothing is tied."""
    pools = pool(run, qrels)
    shown = ~np.isnan(pools.scores)
    queries, scores, gains = segment_ids(pools.offsets)[shown], pools.scores[shown], pools.gains[shown]
    same = (queries[1:] == queries[:-1]) & (scores[1:] == scores[:-1])
    if not same.any():
        return ()
    block = np.cumsum(np.concatenate([[True], ~same]))
    docs = pools.docs[shown]
    return tuple(
        Run(
            system=run.system,
            query_ids=pools.query_ids,
            doc_ids=pools.doc_ids,
            offsets=np.concatenate([[0], np.cumsum(pools.n_retrieved)]),
            docs=docs[np.lexsort((sign * gains, block))],
            scores=scores,
        )
        for sign in (-1, 1)
    )
