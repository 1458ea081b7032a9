"""How rankings and judgements join: which queries can be evaluated, which items are judged."""

from dataclasses import dataclass

import numpy as np

from fairviz.attention import TopK
from fairviz.errors import InputError
from fairviz.exposure import exposure_bounds, target_exposure, varies
from fairviz.formats.join import join_qrels
from fairviz.model import Dataset, RankingSample, Run
from fairviz.pool import pool
from pages._shared import cached

CUTOFF = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """One system's rankings beside one set of judgements.

    Attributes:
        system, qrels: Their names.
        evaluated, alike, unjudged: Queries of the rankings: with a value, with judgements that are
            all alike (undefined), without judgements.
        missing: Judged queries that the rankings lack.
        grades: Ranked items of the judged queries by grade 0, 1, 2, 3 or more.
        items_unjudged: Ranked items of the judged queries without a judgement.
        trouble: (reason, remedy) where the two have no query in common.
    """

    system: str
    qrels: str
    evaluated: int
    alike: int
    unjudged: int
    missing: tuple[str, ...]
    grades: tuple[int, int, int, int]
    items_unjudged: int
    trouble: tuple[str, str] | None

    @property
    def ranked(self) -> int:
        """Queries of the rankings."""
        return self.evaluated + self.alike + self.unjudged


def rankings(loaded: Dataset) -> tuple[Run | RankingSample, ...]:
    """What can be joined with judgements: runs, or sampled rankings where there is no run."""
    return loaded.runs or loaded.samples


@cached
def join_report(loaded: Dataset, system: int, judgements: int) -> Join:
    """Count what one system's rankings and one set of judgements have in common."""
    ranked, qrels = rankings(loaded)[system], loaded.qrels[judgements]
    pools = pool(ranked, qrels)
    attention = TopK(CUTOFF)
    bounds = exposure_bounds(target_exposure(pools, attention), pools.offsets, attention)
    found = pools.n_retrieved > 0
    defined = found & varies(bounds.relevance) & varies(bounds.disparity)
    position = np.arange(pools.docs.size) - np.repeat(pools.offsets[:-1], np.diff(pools.offsets))
    retrieved = position < np.repeat(pools.n_retrieved, np.diff(pools.offsets))
    steps = np.clip(pools.gains[retrieved & pools.judged], 0, 3).astype(int)
    by_grade = np.bincount(steps, minlength=4)
    return Join(
        system=ranked.system,
        qrels=qrels.name,
        evaluated=int(defined.sum()),
        alike=int((found & ~defined).sum()),
        unjudged=len(pools.unjudged_queries),
        missing=pools.missing_queries,
        grades=(int(by_grade[0]), int(by_grade[1]), int(by_grade[2]), int(by_grade[3])),
        items_unjudged=int((retrieved & ~pools.judged).sum()),
        trouble=None if found.any() else _why_nothing_joins(ranked, loaded, judgements),
    )


def _why_nothing_joins(ranked: Run | RankingSample, loaded: Dataset, judgements: int) -> tuple[str, str]:
    try:
        join_qrels(ranked, loaded.qrels[judgements])
    except InputError as error:
        return error.reason, error.fix
    return "no query has ranked items", ""
