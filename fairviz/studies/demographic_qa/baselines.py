"""Which condition a condition is compared with, and which differences are 0 because nobody is mentioned any more.

A natural baseline is the same without a remedy (plain), else without retrieval; where a file has neither, its first
strategy is a base for the table, and no sentence counts it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray, IntArray
from fairviz.stats.disaggregation import ClusterMeans, Resampling, cluster_means
from fairviz.studies.demographic_qa.chance import N_PERMUTATIONS, UNTESTED, Difference, change, chosen
from fairviz.studies.demographic_qa.sheet import By, Grouping, Sheet, compared

PLAIN = ("plain", "none", "baseline", "no mitigation", "no_mitigation", "")
"""What the strategy without a remedy may be called."""

WITHOUT_RETRIEVAL = ("none", "no retrieval", "no_retrieval", "no-retrieval", "without retrieval", "closed-book", "")
"""What the retriever may be called where nothing was retrieved."""

NO_MENTION = ("no-mention", "no_mention", "no mention")
"""What a strategy may be called that takes the mention out of the question."""


class Baseline(NamedTuple):
    """The combination another one is compared with, and whether it is a natural baseline."""

    by: By
    natural: bool


def is_plain(strategy: str) -> bool:
    """Whether a strategy is the condition without a remedy.

    Examples:
        >>> is_plain("Plain"), is_plain("COT")
        (True, False)
    """
    return strategy.strip().lower() in PLAIN


def baseline_of(by: By, others: Sequence[By]) -> Baseline | None:
    """What a combination is compared with: the same, but plain, without retrieval, or of the first strategy.

    Examples:
        >>> bys = [(("strategy", name),) for name in ("COT", "plain")]
        >>> baseline_of(bys[0], bys)
        Baseline(by=(('strategy', 'plain'),), natural=True)
        >>> baseline_of(bys[1], bys) is None
        True
    """
    values = dict(by)
    strategy, retriever = values.get("strategy"), values.get("retriever")
    if strategy is not None and not is_plain(strategy):
        plain = [other for other in others if is_plain(dict(other)["strategy"]) and _alike(other, by, "strategy")]
        if plain:
            return Baseline(plain[0], True)
    if retriever is not None and not _nothing_retrieved(retriever):
        bare = [
            other
            for other in others
            if _nothing_retrieved(dict(other)["retriever"]) and _alike(other, by, "retriever", "k")
        ]
        if bare:
            return Baseline(bare[0], True)
    if strategy is not None and not is_plain(strategy):
        first = next((other for other in others if _alike(other, by, "strategy")), None)
        if first is not None and first != by:
            return Baseline(first, False)
    return None


def _nothing_retrieved(retriever: str) -> bool:
    return retriever.strip().lower() in WITHOUT_RETRIEVAL


def _alike(one: By, other: By, *but: str) -> bool:
    """Whether two combinations have the same values of all columns but some."""
    rest, of_other = dict(one), dict(other)
    return all(rest[name] == value for name, value in of_other.items() if name not in but)


def removes_mention(by: By) -> bool:
    """Whether the strategy says of itself that it takes the mention out of the question."""
    return dict(by).get("strategy", "").strip().lower() in NO_MENTION


def changes(
    laid: Sheet,
    one: Grouping,
    base: Grouping,
    resampling: Resampling,
    *,
    min_size: int,
    tested: bool,
    n_permutations: int = N_PERMUTATIONS,
) -> tuple[Difference, Difference]:
    """DP and EO of some answers minus those of a base, between the groups that both ask about.

    Args:
        laid: All answers.
        one: The groups of the attribute in these.
        base: The groups of the attribute in the base.
        resampling: Of the questions.
        min_size: Groups with fewer answers on either side are left out (see ``compared``).
        tested: Whether to test the changes.
        n_permutations: Swaps that are drawn.
    """
    if set(one.values) != set(base.values):
        return UNTESTED, UNTESTED
    n_groups = len(one.values)
    place = np.array([one.values.index(value) for value in base.values], dtype=np.int64)
    rows = np.concatenate([one.rows, base.rows])
    groups = np.concatenate([one.groups, n_groups + place[base.groups]])
    scores = laid.scores[rows]
    found: list[Difference] = []
    for known in (scores, np.where(laid.answerable[rows], scores, np.nan)):
        table = _common(known, laid, rows, groups, n_groups)
        least = np.minimum(table.n[:n_groups].sum(axis=1), table.n[n_groups:].sum(axis=1)).astype(np.int64)
        kept = compared(least, min_size)
        sides = chosen(table, kept), chosen(table, kept + n_groups)
        found.append(change(*sides, resampling, tested=tested, n_permutations=n_permutations))
    return found[0], found[1]


def _common(known: FloatArray, laid: Sheet, rows: IntArray, groups: IntArray, n_groups: int) -> ClusterMeans:
    """(2G, T) sums and numbers of both sides, on the questions that both answered."""
    table = cluster_means(known, laid.questions[rows], groups, 2 * n_groups)
    both = (table.n[:n_groups].sum(axis=0) > 0) & (table.n[n_groups:].sum(axis=0) > 0)
    return ClusterMeans(table.sums[:, both], table.n[:, both])
