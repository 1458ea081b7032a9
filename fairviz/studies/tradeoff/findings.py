"""What a chart shows for the data at hand, in one title and one sentence.

Every clause is a count or a comparison, computed from what is shown and checked against an
interval; where the interval holds no difference, the title says that none can be distinguished.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import polars as pl

from fairviz.display.theme import axis_name
from fairviz.display.words import (
    THIN,
    Finding,
    capital,
    considered,
    count_word,
    in_words,
    interval,
    number,
    percent,
    plural,
    signed,
)
from fairviz.evaluation.compare import Comparison
from fairviz.kernels.exposure import Gain
from fairviz.model import FloatArray
from fairviz.points.columns import change_title, detectable_words, gain_words, gap_rows, refusal, sizes_words
from fairviz.points.curves import FIXED_ALPHA
from fairviz.points.estimates import LEAST_EFFECTIVE, Estimates
from fairviz.points.summary import Saving
from fairviz.points.view import AlphaPoint, TradeoffView
from fairviz.stats.bootstrap import Interval
from fairviz.stats.correlation import Correlation
from fairviz.stats.tests import MIN_UNITS, ROUNDING, SIGNIFICANCE

WHOLE_SAVING = 0.995
"""Part of EE-D that is saved from which on nothing of it is needed: the list is no better than chance."""


def saving_finding(saving: Saving | None, *, gain: Gain, reach: float, n_queries: int, rel: int = 1) -> Finding:
    """What the optimal policy saves at the quality Plackett–Luce has at a fixed α.

    Args:
        saving: The comparison; None where Plackett–Luce has no point at the fixed α.
        gain: Graded or binary usefulness.
        reach: Largest mean EE-R that the run's scores reach under any shown policy.
        n_queries: Queries with a value on both axes.
        rel: Grade from which an item is useful, for binary gain.
    """
    if n_queries == 0:
        return undefined_finding()
    limit = f"These scores reach EE-R {number(reach, 2)} at most; the oracle limit is 1."
    if saving is None:
        return Finding(
            f"The curves do not cover α = {FIXED_ALPHA:g}, where policies are compared",
            f"What the optimal policy saves is read there: let α reach from below {FIXED_ALPHA:g} to above it. {limit}",
        )
    how = gain_words(gain, rel)
    needs, other = _disparities(saving)
    compared = (
        f"At EE-R {number(saving.quality, 2)}, spreading attention optimally needs EE-D {other}; Plackett–Luce needs "
        f"{needs}"
    )
    if np.isnan(saving.other):
        compared = (
            f"At EE-D {needs} Plackett–Luce has EE-R {number(saving.quality, 2)}, which the score-optimal policy never "
            "reaches"
        )
    if saving.reference < ROUNDING:
        return Finding(
            "All scores are tied: every policy shows every document equally often",
            "EE-D is 0 at every α, so there is nothing to trade. Look whether the run's scores were lost when it was "
            "written.",
        )
    if n_queries < MIN_UNITS:
        return Finding(
            "Too few queries to compare policies",
            f"{compared} ({how}). {plural(n_queries, 'query has', 'queries have')} a value; "
            f"a comparison needs at least {MIN_UNITS}. {limit}",
        )
    judged = "The run's scores differ from the judgements, by which EE-R is measured."
    if np.isnan(saving.interval.low):
        return Finding("The two policies cannot be compared at this quality", f"{compared} ({how}). {limit}")
    if saving.interval.low > 0:
        ends = _percents(saving.interval)
        spread = f"{percent(saving.share)} more evenly ({ends})"
        if saving.share >= WHOLE_SAVING:
            spread = f"equally over all documents ({ends} more evenly)"
        return Finding(f"The same quality is possible with attention spread {spread}", f"{compared} ({how}). {limit}")
    if saving.interval.high < 0:
        more = Interval(-saving.interval.high, -saving.interval.low)
        return Finding(
            f"At the same quality the score-optimal policy spreads attention {percent(-saving.share)} less evenly "
            f"({_percents(more)})",
            f"{compared} ({how}). {judged} {limit}",
        )
    ends = f"{_change(-saving.interval.high)} to {_change(-saving.interval.low)}"
    return Finding(
        "No significant difference between the two policies",
        f"{compared}: {_change(-saving.share)} (could be {ends}; {how}). {limit}",
    )


def unjoined_finding(system: str) -> Finding:
    """What stands in the finding's place where the run has no judged query."""
    return Finding(
        f"{system} and the judgements have no query in common",
        "Nothing can be measured: check that both files belong to the same collection, or choose other judgements.",
    )


def undefined_finding() -> Finding:
    """Where no query has both axes."""
    return Finding(
        "No query has a trade-off to show",
        "EE-D or EE-R is undefined for every query: the pool has no more documents than k, or all "
        "its items have the same gain.",
    )


def turning_note(x: Sequence[float], alphas: Sequence[float], low: float | None, high: float | None) -> str:
    """What must be said of ``offset=0``, whose curve turns back; empty where it does not.

    Args:
        x: Mean EE-D along α.
        alphas: The α of each point.
        low: Left end of the range that areas and slopes cover.
        high: Its right end.
    """
    peak = int(np.nanargmax(x)) if len(x) else 0
    if not len(x) or x[peak] - x[-1] < 1e-3:
        return ""
    return (
        f"The curve turns back: EE-D peaks at {number(x[peak], 2)} near α = {alphas[peak]:g} and "
        f"falls to {number(x[-1], 2)} at α = {alphas[-1]:g}. The deterministic list is drawn but "
        f"not joined; AUC and slope are over the covered range, EE-D {number(low, 2)} to "
        f"{number(high, 2)}."
    )


def readings(view: TradeoffView, point: AlphaPoint) -> tuple[tuple[str, str, Literal["", "optimal"]], ...]:
    """Numbers read off the chart at α, on the page and in a report that plays: value, name, whose colour it has."""
    quality = axis_name(view.line.y_measure)
    end = view.of("deterministic")
    gap = float("nan") if end is None else point.y - float(end.y[0])
    return (
        (number(point.x), "EE-D, disparity ↓", ""),
        (number(point.y), f"{quality}, quality ↑", ""),
        (number(point.optimal_x), f"EE-D, optimal, same {quality}", "optimal"),
        (signed(gap), f"{quality} − deterministic", ""),
    )


def point_words(view: TradeoffView, point: AlphaPoint) -> str:
    """Where α stands on the chart, in words."""
    quality = axis_name(view.line.y_measure)
    sentence = f"At α = {point.alpha:g}: EE-D {number(point.x, 2)}, {quality} {number(point.y, 2)}"
    if np.isnan(point.optimal_x):
        return f"{sentence}."
    return f"{sentence}; the optimal policy has the same {quality} at EE-D {number(point.optimal_x, 2)}."


def area_title(gap: Comparison, *, better: str, other: str, quality: str) -> str:
    """Title of the table of two areas.

    Args:
        gap: AUC of ``better`` minus AUC of ``other``, paired.
        better: Name of the first policy or system.
        other: Name of the second.
        quality: Label of the quality axis.
    """
    if np.isnan(gap.difference):
        return "No area can be compared"
    match gap.verdict:
        case "too few to test":
            return "Too few queries to compare areas"
        case "no significant difference":
            return "No significant difference between the two areas"
        case _:
            ahead = better if gap.difference > 0 else other
            return f"Over the covered range, {ahead} is ahead by {number(abs(gap.difference))} {quality}"


def areas_title(gaps: Sequence[Comparison], system: str) -> str:
    """Title of the table of areas of several systems: how many others differ from one after Holm.

    Args:
        gaps: AUC of further curves minus that of the system's own, which is Plackett–Luce or recorded; further
            policies of the same system, and systems without a common query, are not counted.
        system: The system that they are compared with.
    """
    others = [gap for gap in gaps if gap.system != system and not np.isnan(gap.difference)]
    if not others:
        return f"No other system can be compared with {system}"
    tested = [gap for gap in others if gap.verdict != "too few to test"]
    if not tested:
        return "Too few queries to compare systems"
    higher, lower = (sum(gap.verdict == way for gap in tested) for way in ("higher", "lower"))
    if not higher and not lower:
        return f"No significant difference in AUC between {system} and {_others(len(tested))}"
    if len(tested) == 1:
        return f"{tested[0].system} has a {tested[0].verdict} AUC than {system}"
    n = plural(len(tested), "system")
    if not lower:
        return f"{_share(higher, n)} a higher AUC than {system}"
    if not higher:
        return f"{_share(lower, n)} a lower AUC than {system}"
    return f"{_share(higher, n)} a higher AUC than {system}, {lower} a lower one"


def areas_sentence(first: Mapping[str, Any], gaps: Sequence[Comparison], *, quality: str, of_systems: bool) -> str:
    """What the table of areas rests on, and what the difference that its title misses could have been.

    Args:
        first: Its first row.
        gaps: AUC of further curves minus that of the first.
        quality: Label of the y axis.
        of_systems: Whether the title is about other systems, and not about further policies of the first.
    """
    if first["auc"] is None:
        return "No curve has an area: EE-D does not change with α."
    rows, n_queries = gap_rows(gaps), plural(first["n_queries"], "query", "queries")
    n_tests = rows["p_holm"].count()
    text = (
        f"Mean {quality} under the curve along α; 95 % bootstrap over {n_queries}; EE-D "
        f"{number(first['range_low'], 2)} to {number(first['range_high'], 2)}, which all curves cover"
    )
    if gaps:
        text += f"; Δ paired by query ({considered(n_tests)})"
    power = detectable_words(rows.filter(pl.col("system") != first["system"]) if of_systems else rows, n_tests)
    return f"{text}. {power}" if power else text


def _share(count: int, of: str) -> str:
    return f"{count} of {of} {'has' if count == 1 else 'have'}"


def _others(n: int) -> str:
    return "the other system" if n == 1 else f"any of {n} other systems"


def _disparities(saving: Saving) -> tuple[str, str]:
    """EE-D of Plackett–Luce and of the other policy, with as many digits as they need to differ."""
    for digits in (2, 3):
        needs, other = number(saving.reference, digits), number(saving.other, digits)
        if needs != other:
            break
    return needs, other


def _percents(ends: Interval) -> str:
    return f"{interval(100 * ends.low, 100 * ends.high, 0)}{THIN}%"


def _change(share: float) -> str:
    return f"{in_words(100 * share, 0, sign=True)}{THIN}%"


def query_finding(exposure: FloatArray, fixed: FloatArray, gains: FloatArray, *, shown: int) -> Finding:
    """Where the attention of one query goes, beside the deterministic list.

    Args:
        exposure: (n) expected exposure, best score first.
        fixed: (n) exposure of the same items in the deterministic list.
        gains: (n) graded usefulness.
        shown: Items that the chart draws; the others are summed up.
    """
    total, listed = float(exposure.sum()), int((fixed > 0).sum())
    if total <= 0 or not listed:
        return Finding("No document of this query gets attention", "The run has nothing for it.")
    stays = float(exposure[fixed > 0].sum()) / total
    useful = float(exposure[gains > 0].sum()) / total
    before = float(fixed[gains > 0].sum()) / float(fixed.sum())
    rest = float(exposure[shown:].sum()) / total
    n = exposure.size
    last = f"Document {n}" if n == shown + 1 else f"Documents {shown + 1}–{n} together"
    tail = f" {last}: {percent(rest)}." if rest > 0 else ""
    return Finding(
        f"{percent(stays)} of attention stays on the first {count_word(listed)}",
        f"{percent(useful)} goes to relevant documents; of the deterministic list: {percent(before)}.{tail}",
    )


def estimates_note(estimates: Estimates) -> str:
    """Where points are estimated between the recorded α and from how many answers, and where that is refused."""
    sizes = estimates.n_effective
    shown = sizes >= LEAST_EFFECTIVE
    if not shown.any():
        return refusal(estimates)
    words = (
        f"{plural(int(shown.sum()), 'point')} between the recorded α, estimated from the same answers by the chances "
        f"of their lists (effective size {sizes_words(sizes[shown])})"
    )
    return "; ".join(part for part in (words, refusal(estimates)) if part)


# The trade-off of recorded answers: utility by disparity, EE-D by α, EE-R with EU.


STRONG, WEAK = 0.7, 0.3
"""Absolute correlations from which one is called strong, and below which weak."""


def utility_finding(rows: pl.DataFrame, *, quality: str, n_queries: int) -> Finding:
    """What the utility of recorded answers shows against the deterministic list.

    Args:
        rows: The interval table; empty where no deterministic list was recorded.
        quality: Name of the quality axis.
        n_queries: Queries with a value.
    """
    if rows.is_empty():
        return Finding(
            "Utility of recorded answers along α",
            "No answers to the deterministic list were recorded, so there is nothing to compare with.",
        )
    return Finding(
        change_title(rows, quality),
        f"{quality} of recorded answers minus that of the answers to the deterministic list; "
        f"{plural(n_queries, 'query', 'queries')}, one test per interval of disparity "
        f"({considered(rows['p_holm'].count())}).",
    )


def above_words(rows: pl.DataFrame) -> str:
    """How many models are above their own deterministic list in each interval."""
    counts = [
        f"EE-D {row['disparity_low']:g}–{row['disparity_high']:g}: {row['n_above']} of {row['n_models']}"
        for row in rows.filter(pl.col("n_models") > 0).to_dicts()
    ]
    return f"Models whose mean is above their deterministic list, {'; '.join(counts)}" if counts else ""


def correlation_finding(correlation: Correlation) -> Finding:
    """Whether rankings of more EE-R come with answers of more EU."""
    sentence = (
        f"Spearman {number(correlation.spearman, 2)} ({interval(*correlation.spearman_interval, 2)}), Pearson "
        f"{number(correlation.pearson, 2)} ({interval(*correlation.pearson_interval, 2)}) over "
        f"{plural(correlation.n_points, 'pair')} of query and α; intervals resample "
        f"{plural(correlation.n_queries, 'query', 'queries')}"
    )
    of_list, utility = "the relevance of the list (EE-R)", "utility (EU)"
    ends = correlation.spearman_interval
    if np.isnan(correlation.spearman):
        return Finding(f"{capital(of_list)} and {utility} cannot be correlated: one of them does not vary", "")
    if np.isnan(ends.low) or correlation.n_queries < MIN_UNITS:
        return Finding(f"Too few queries to correlate {of_list} with {utility}", sentence)
    if 0 in ends:
        return Finding(f"No significant relation between {of_list} and {utility}", sentence)
    size = abs(correlation.spearman)
    strength = "strongly" if size >= STRONG else "weakly" if size < WEAK else "moderately"
    way = "rises" if correlation.spearman > 0 else "falls"
    return Finding(f"{capital(utility)} {way} {strength} with {of_list}", sentence)


def alpha_title(tests: pl.DataFrame) -> str:
    """Whether α tells distributions of EE-D apart."""
    n_tests = tests["p_holm"].count()
    if not n_tests:
        return "Too few queries to test disparity (EE-D) between α"
    apart = int((tests["p_holm"] < SIGNIFICANCE).sum())
    if apart == n_tests:
        return "Disparity (EE-D) differs significantly between all α"
    if not apart:
        return "No significant difference in disparity (EE-D) between any two α"
    return f"Disparity (EE-D) differs significantly in {apart} of {n_tests} pairs of α"
