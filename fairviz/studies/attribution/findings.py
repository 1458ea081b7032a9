"""What recorded outputs show for the data at hand: how concentrated use is beside retrieval.

"Consumption is more / less concentrated than retrieval" is said from the ``share`` scale only: it
compares how attention is shared, whatever its amount. With one output per query that comparison is
decided by arithmetic, so what is told then is how citations fall with rank.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.evaluate.compare import Comparison
from fairviz.show.words import Finding, count_word, interval, listing, number, plural
from fairviz.stats.bootstrap import in_one_table
from fairviz.stats.correlation import Correlation
from fairviz.stats.tests import MIN_UNITS, SIGNIFICANCE, holm, verdict
from fairviz.studies.attribution.panels import OutputSummary, RankDecline
from fairviz.studies.tradeoff.findings import change_title
from fairviz.studies.tradeoff.intervals import AboveBaseline, AlphaTest, IntervalRow

# The trade-off of recorded answers: utility by disparity, EE-D by α, EE-R with EU.


STRONG, WEAK = 0.7, 0.3
"""Absolute correlations from which one is called strong, and below which weak."""


def utility_finding(rows: Sequence[IntervalRow], *, quality: str, n_queries: int) -> Finding:
    """What the utility of recorded answers shows against the deterministic list.

    Args:
        rows: The interval table; empty where no deterministic list was recorded.
        quality: Name of the quality axis.
        n_queries: Queries with a value.
    """
    if not rows:
        return Finding(
            "Utility of recorded answers along α",
            "No answers to the deterministic list were recorded, so there is nothing to compare with.",
        )
    return Finding(
        change_title(rows, quality),
        f"{quality} of recorded answers minus that of the answers to the deterministic list; "
        f"{plural(n_queries, 'query', 'queries')}, one test per interval of EE-D, corrected by "
        "Holm.",
    )


def above_words(rows: Sequence[AboveBaseline]) -> str:
    """How many models are above their own deterministic list in each interval."""
    counts = [f"EE-D {row.low:g}–{row.high:g}: {row.n_above} of {row.n_models}" for row in rows if row.n_models]
    return f"Models whose mean is above their deterministic list, {'; '.join(counts)}" if counts else ""


def correlation_finding(correlation: Correlation) -> Finding:
    """Whether rankings of more EE-R come with answers of more EU."""
    sentence = (
        f"Spearman {number(correlation.spearman, 2)} ({interval(*correlation.spearman_interval, 2)}), Pearson "
        f"{number(correlation.pearson, 2)} ({interval(*correlation.pearson_interval, 2)}) over "
        f"{plural(correlation.n_points, 'pair')} of query and α; intervals resample "
        f"{plural(correlation.n_queries, 'query', 'queries')}"
    )
    ends = correlation.spearman_interval
    if np.isnan(correlation.spearman):
        return Finding("EE-R and EU cannot be correlated: one of them does not vary", "")
    if np.isnan(ends.low) or correlation.n_queries < MIN_UNITS:
        return Finding("Too few queries to correlate EE-R with EU", sentence)
    if 0 in ends:
        return Finding("No significant relation between EE-R and EU", sentence)
    size = abs(correlation.spearman)
    strength = "strongly" if size >= STRONG else "weakly" if size < WEAK else "moderately"
    way = "rises" if correlation.spearman > 0 else "falls"
    return Finding(f"EU {way} {strength} with EE-R", sentence)


def alpha_title(tests: Sequence[AlphaTest]) -> str:
    """Whether α tells distributions of EE-D apart."""
    known = [test for test in tests if not np.isnan(test.p_holm) and test.n_queries >= MIN_UNITS]
    if not known:
        return "Too few queries to test EE-D between α"
    apart = sum(test.p_holm < SIGNIFICANCE for test in known)
    if apart == len(known):
        return "EE-D differs significantly between all α"
    if not apart:
        return "No significant difference in EE-D between any two α"
    return f"EE-D differs significantly in {apart} of {len(known)} pairs of α"


LISTED = 4
"""Sets of answers that a sentence names one by one."""


class Rate(NamedTuple):
    """EAR of one generator; nothing is compared across tasks."""

    name: str
    value: float
    task: str = ""


def concentration_finding(rows: Sequence[OutputSummary]) -> Finding:
    """Whether use is more or less concentrated than retrieval, set of answers by set of answers.

    Args:
        rows: Sets of answers with several outputs per query; their ``change`` from the unbiased
            estimate, so that drawing few lists is not taken for concentration.
    """
    changes = in_one_table([row.change for row in rows])
    said = [verdict(change.difference, change.p_holm, change.n_queries) for change in changes]
    tested = [row for row, word in zip(rows, said, strict=True) if word != "too few to test"]
    if not tested:
        return Finding(
            "Too few queries to compare consumption with retrieval",
            f"A test needs at least {MIN_UNITS} queries whose answers use something.",
        )
    return Finding(_concentration_title(said.count("higher"), said.count("lower"), len(tested)), _sources(tested))


def rank_finding(
    declines: Sequence[tuple[str, RankDecline]],
    rates: Sequence[Rate],
    gaps: Sequence[Comparison],
) -> Finding:
    """How citations fall with rank, and who uses most of the list; for one output per query.

    Args:
        declines: Per generator, rank 1 against the last rank commonly given.
        rates: EAR of each generator.
        gaps: The largest EAR of a task minus each other one of it, paired by query.
    """
    several = (
        "With one output per query EAE-D / k equals EAR, and its share of attention is above that "
        "of retrieval wherever an answer leaves an item unused: record several outputs per query "
        "to compare concentration."
    )
    return Finding(_rank_title(declines), f"{_rate_words(rates, gaps)} {several}".strip())


def pairing_finding() -> Finding:
    """What can be said while several runs may have fed the answers."""
    return Finding(
        "Which run fed these answers?",
        "Several runs hold as many of the documents that the answers cite. Choose the run whose lists were given to "
        "the generator; it is kept for all pages.",
    )


def references_finding(rates: Sequence[Rate]) -> Finding:
    """What can be said where "given" is known from the references alone, which hold what was cited."""
    cited = listing([f"{rate.name} {number(rate.value, 2)}" for rate in rates[:6] if not np.isnan(rate.value)])
    return Finding(
        "Which documents the answers were given is not known",
        "Their references hold what was cited and hardly anything else, so nothing can be said of ranks, nor of "
        "attention in retrieval beside attention in use. Load the run that fed the generator, and choose it."
        + (f" Documents cited, as a share of k: {cited}." if cited else ""),
    )


def rank_title(declines: Sequence[RankDecline]) -> str:
    """Head of the charts of citations by rank."""
    known = _tested(declines)
    falling = sum(_falls(known))
    if not known or not falling:
        return "Citations by rank"
    if len(known) == 1:
        return "Citations fall with rank"
    if falling == len(known):
        return "Citations fall with rank in every generator"
    return f"Citations fall with rank in {falling} of {len(known)} generators"


def _concentration_title(n_more: int, n_less: int, n: int) -> str:
    if not n_more and not n_less:
        return "No significant difference in concentration between retrieval and consumption"
    if n_more and n_less:
        return f"Consumption is more concentrated than retrieval in {n_more} of {n} sets of answers, less in {n_less}"
    word, count = ("more", n_more) if n_more else ("less", n_less)
    title = f"Consumption is {word} concentrated than retrieval"
    if count < n:
        return f"{title} in {count} of {n} sets of answers"
    if n == 1:
        return title
    return f"{title} in {'both' if n == 2 else f'all {count_word(n)}'} sets of answers"


def _sources(rows: Sequence[OutputSummary]) -> str:
    several = len({row.name for row in rows}) > 1
    changes = [
        f"{number(row.given, 1)} → {number(row.used, 1)} at {row.setting}" + (f" ({row.name})" if several else "")
        for row in rows[:LISTED]
    ]
    more = f" and {len(rows) - LISTED} more" if len(rows) > LISTED else ""
    n_queries = max(row.change.n_queries for row in rows)
    return (
        f"Effective number of sources, given → used: {', '.join(changes)}{more}. Each judged by a "
        f"paired t-test of the difference in ‖ε‖² / (Σε)², unbiased, over {plural(n_queries, 'query', 'queries')}, "
        f"Holm over {plural(len(rows), 'set')}."
    )


def _rank_title(declines: Sequence[tuple[str, RankDecline]]) -> str:
    known = _tested([decline for _, decline in declines])
    if not known:
        return "Too few queries to tell how citations fall with rank"
    last = known[0].last_rank
    same = all(decline.last_rank == last for decline in known)
    end = f"rank {last}" if same else "the last rank given"
    falling = [decline for decline, falls in zip(known, _falls(known), strict=True) if falls]
    if len(falling) == len(known):
        times = sorted(decline.ratio for decline in falling)
        return f"Rank 1 is cited {_times(times[0], times[-1])} as often as {end}"
    if not falling:
        return f"No significant difference between citations of rank 1 and of {end}"
    return f"Rank 1 is cited more often than {end} by {len(falling)} of {plural(len(known), 'generator')}"


def _tested(declines: Sequence[RankDecline]) -> list[RankDecline]:
    """Those of queries enough to test."""
    return [decline for decline in declines if not np.isnan(decline.p) and decline.n_queries >= MIN_UNITS]


def _falls(declines: Sequence[RankDecline]) -> list[bool]:
    """Whether rank 1 is cited more often than the last rank, corrected over the generators."""
    adjusted: list[float] = holm(np.array([decline.p for decline in declines], dtype=np.float64)).tolist()
    return [decline.ratio > 1 and p < SIGNIFICANCE for decline, p in zip(declines, adjusted, strict=True)]


def _times(least: float, most: float) -> str:
    """A range of ratios in words: whole from 3 on, one decimal below."""
    decimals = 0 if least >= 3 else 1
    low, high = number(least, decimals), number(most, decimals)
    return f"{low} times" if low == high else f"{low} to {high} times"


def _rate_words(rates: Sequence[Rate], gaps: Sequence[Comparison]) -> str:
    tasks = list(dict.fromkeys(rate.task for rate in rates))
    texts = [_rates_of_task([rate for rate in rates if rate.task == task], gaps) for task in tasks]
    return " ".join(
        f"{f'{task}: ' if task and len(tasks) > 1 else ''}{text}"
        for task, text in zip(tasks, texts, strict=True)
        if text
    )


def _rates_of_task(rates: Sequence[Rate], gaps: Sequence[Comparison]) -> str:
    known = [rate for rate in rates if not np.isnan(rate.value)]
    if not known:
        return ""
    named = listing([f"{rate.name} {number(rate.value, 2)}" for rate in known[:6]])
    text = f"EAR, the share of the list that answers use: {named}."
    best = max(known, key=lambda rate: rate.value).name
    own = [gap for gap in gaps if gap.system == best]
    if len(known) < 2 or not own:
        return text
    if len(own) < len(known) - 1:
        return f"{text} Not all have queries in common, so they are not ranked."
    apart = [gap for gap in own if gap.verdict == "higher"]
    if len(apart) == len(own):
        closest = min(own, key=lambda gap: gap.difference)
        return f"{text} {best} uses the largest share (paired interval to the next {interval(*closest.interval, 2)})."
    if not apart:
        return f"{text} No significant difference between them."
    tied = [gap.reference for gap in own if gap.verdict != "higher"]
    return f"{text} No significant difference between {listing([best, *tied])}."
