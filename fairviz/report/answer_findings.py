"""What recorded answers show of the trade-off: utility by disparity, EE-D by α, EE-R with EU."""

from collections.abc import Sequence

import numpy as np

from fairviz.analysis.by_alpha import AlphaTest
from fairviz.analysis.correlation import Correlation
from fairviz.analysis.intervals import AboveBaseline, IntervalRow
from fairviz.report.findings import Finding, change_title
from fairviz.report.words import interval, number, plural

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
    told = [f"EE-D {row.low:g}–{row.high:g}: {row.n_above} of {row.n_models}" for row in rows if row.n_models]
    return f"Models whose mean is above their deterministic list, {'; '.join(told)}" if told else ""


def correlation_finding(found: Correlation) -> Finding:
    """Whether rankings of more EE-R come with answers of more EU."""
    sentence = (
        f"Spearman {number(found.spearman, 2)} ({interval(*found.spearman_interval, 2)}), Pearson "
        f"{number(found.pearson, 2)} ({interval(*found.pearson_interval, 2)}) over "
        f"{plural(found.n_points, 'pair')} of query and α; intervals resample "
        f"{plural(found.n_queries, 'query', 'queries')}"
    )
    ends = found.spearman_interval
    if np.isnan(found.spearman):
        return Finding("EE-R and EU cannot be correlated: one of them does not vary", "")
    if np.isnan(ends.low):
        return Finding("Too few queries to correlate EE-R with EU", sentence)
    if 0 in ends:
        return Finding("No relation between EE-R and EU can be shown", sentence)
    size = abs(found.spearman)
    strength = "strongly" if size >= STRONG else "weakly" if size < WEAK else "moderately"
    way = "rises" if found.spearman > 0 else "falls"
    return Finding(f"EU {way} {strength} with EE-R", sentence)


def alpha_title(tests: Sequence[AlphaTest]) -> str:
    """Whether α tells distributions of EE-D apart."""
    known = [test for test in tests if not np.isnan(test.p_holm)]
    if not known:
        return "Too few queries to test EE-D between α"
    apart = sum(test.p_holm < 0.05 for test in known)
    if apart == len(known):
        return "Every step of α changes EE-D"
    if not apart:
        return "No change of EE-D between α can be shown"
    return f"EE-D differs in {apart} of {len(known)} pairs of α"
