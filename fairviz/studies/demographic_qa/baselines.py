"""Which condition a condition is compared with, and which differences are 0 because nobody is mentioned any more.

A natural baseline is the same without a remedy (plain), else without retrieval; where a file has neither, its first
strategy is a base for the table, and no sentence counts it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.stats.disaggregation import Resampling
from fairviz.studies.demographic_qa.chance import N_PERMUTATIONS, UNTESTED, Difference, change
from fairviz.studies.demographic_qa.counted import on_common
from fairviz.studies.demographic_qa.sheet import By, compared
from fairviz.studies.demographic_qa.tallies import AttributeTally

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
    one: AttributeTally,
    base: AttributeTally,
    resampling: Resampling,
    *,
    min_size: int,
    tested: bool,
    n_permutations: int = N_PERMUTATIONS,
) -> tuple[Difference, Difference]:
    """DP and EO of some answers minus those of a base, between the groups that both ask about.

    Args:
        one: The attribute in these answers.
        base: The attribute in the base.
        resampling: Of the questions.
        min_size: Groups with fewer answers on either side are left out (see ``compared``).
        tested: Whether to test the changes.
        n_permutations: Swaps that are drawn.
    """
    if set(one.values) != set(base.values):
        return UNTESTED, UNTESTED
    place = [base.values.index(value) for value in one.values]
    found: list[Difference] = []
    for own, of_base in ((one.known, base.known), (one.answerable, base.answerable)):
        sides = on_common(own, of_base.groups(place))
        kept = compared(np.minimum(sides[0].rates.n, sides[1].rates.n), min_size)
        chosen = sides[0].groups(kept).table, sides[1].groups(kept).table
        found.append(change(*chosen, resampling, tested=tested, n_permutations=n_permutations))
    return found[0], found[1]
