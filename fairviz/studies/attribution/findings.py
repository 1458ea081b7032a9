"""What recorded outputs show for the data at hand: how concentrated use is beside retrieval.

That answers draw on fewer sources than they were given is said from the ``share`` scale only: it
compares how attention is shared, whatever its amount. With one output per query that comparison is
decided by arithmetic, so what is told then is how citations fall with rank.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from fairviz.display.words import Finding, count_word, interval, listing, number, plural
from fairviz.evaluation.compare import Comparison
from fairviz.points.columns import counted, detectable_words
from fairviz.stats.tests import MIN_UNITS, SIGNIFICANCE, holm

LISTED = 4
"""Sets of answers that a sentence names one by one."""


def on_task(found: Finding, task: str | None) -> Finding:
    """The finding of one of several tasks: nothing is said across them.

    Examples:
        >>> on_task(Finding("Too few queries", ""), "qa").title
        'On qa, too few queries'
    """
    return found if task is None else found._replace(title=f"On {task}, {found.title[:1].lower()}{found.title[1:]}")


def concentration_finding(rows: pl.DataFrame) -> Finding:
    """Whether use is more or less concentrated than retrieval, set of answers by set of answers.

    Args:
        rows: Sets of answers with several outputs per query, with ``share_change`` from the unbiased estimate, so that
            drawing few lists is not taken for concentration, ``p_holm`` over these rows, and ``n_compared``.
    """
    tested = rows.filter(pl.col("p_holm").is_not_null() & (pl.col("n_compared") >= MIN_UNITS))
    if tested.is_empty():
        return Finding(
            "Too few queries to compare consumption with retrieval",
            f"A test needs at least {MIN_UNITS} queries whose answers use something.",
        )
    n_sets, n_queries = tested.height, int(tested["n_compared"].to_numpy().max())
    corrected = f", corrected for {plural(n_sets, 'set')} of answers" if n_sets > 1 else ""
    return Finding(
        _sources_title(tested.filter(pl.col("p_holm") < SIGNIFICANCE), n_sets),
        "Effective number of sources: as if so many shared attention alike. Paired t-tests over "
        f"{plural(n_queries, 'query', 'queries')}{corrected}.",
    )


def rank_finding(declines: pl.DataFrame, rates: Mapping[str, float | None], gaps: Sequence[Comparison]) -> Finding:
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
    parts = (_decline_words(declines), _rate_words(rates, gaps), several)
    return Finding(_rank_title(declines), " ".join(part for part in parts if part))


def _decline_words(declines: pl.DataFrame) -> str:
    """Ratio and interval of each of several generators."""
    known = declines.filter(TESTED)
    if known.height < 2:
        return ""
    each = [f"{row['name']} {number(row['ratio'], 1)} times ({_ends(row)})" for row in known.head(LISTED).to_dicts()]
    more = f" and {known.height - LISTED} more" if known.height > LISTED else ""
    return f"Citations of rank 1 compared with those of the last rank: {', '.join(each)}{more}."


def plain_measure(measure: str) -> str:
    """A measure of use as titles name it: in plain words, with its abbreviation behind."""
    return f"{'attribution rate' if measure == 'EAR' else 'concentration of use'} ({measure})"


def use_finding(compared: pl.DataFrame) -> Finding:
    """Which systems of a task differ from its baseline in what stands on the y axis.

    Every claim rests on a test corrected by Holm over the table that is shown.

    Args:
        compared: The baseline, then the others beside it, as ``compare_uses`` gives them.
    """
    gaps = compared.filter(pl.col("difference").is_not_null())
    return Finding(_use_title(compared.row(0, named=True), gaps), detectable_words(gaps))


def _use_title(baseline: Mapping[str, Any], gaps: pl.DataFrame) -> str:
    measure, base = plain_measure(baseline["measure"]), baseline["system"]
    tested = gaps.filter(pl.col("verdict") != "too few to test")
    if tested.is_empty():
        return f"Too few queries to compare the {measure} with that of {base}"
    lower, higher, _ = counted(tested["verdict"])
    if tested.height == 1:
        gap = tested.row(0, named=True)
        if not higher and not lower:
            return f"No significant difference in {measure} between {gap['system']} and {base}"
        way = "higher" if higher else "lower"
        return f"{gap['system']} has a {way} {measure} than {base}, by {_size(gap)}"
    if not higher and not lower:
        return f"No significant difference in {measure} from {base} in {plural(tested.height, 'system')}"
    first, way, rest, other = (higher, "higher", lower, "lower") if higher else (lower, "lower", 0, "higher")
    have = "has" if first == 1 else "have"
    return (
        f"{first} of {plural(tested.height, 'system')} {have} a significantly {way} {measure} than {base}, "
        f"{rest or 'none'} a {other} one"
    )


def pairing_finding() -> Finding:
    """What can be said while several runs may have fed the answers."""
    return Finding(
        "Which run fed these answers?",
        "Several runs hold as many of the documents that the answers cite. Choose the run whose lists were given to "
        "the generator; it is kept for all pages.",
    )


def references_finding(rates: Mapping[str, float | None]) -> Finding:
    """What can be said where "given" is known from the references alone, which hold what was cited."""
    cited = listing([f"{name} {number(rate, 2)}" for name, rate in [*rates.items()][:6] if rate is not None])
    return Finding(
        "Which documents the answers were given is not known",
        "Their references list little but what was cited, so nothing can be said of ranks, nor of "
        "how concentrated attention is in retrieval and in use. Load the run that fed the generator, and choose it."
        + (f" Documents cited, as a share of k: {cited}." if cited else ""),
    )


TESTED = pl.col("p").is_not_null() & (pl.col("n_queries") >= MIN_UNITS)
"""Declines of queries enough to test."""


def rank_title(declines: pl.DataFrame) -> str:
    """Head of the charts of citations by rank."""
    known = declines.filter(TESTED)
    n_falling = _falling(known).height
    if not n_falling:
        return "Citations by rank"
    if known.height == 1:
        return "Citations fall with rank"
    if n_falling == known.height:
        return "Citations fall with rank in every generator"
    return f"Citations fall with rank in {n_falling} of {known.height} generators"


def _sources_title(apart: pl.DataFrame, n_sets: int) -> str:
    """On how many sources the answers of tested sets draw that differ, of how many given."""
    if apart.is_empty():
        return "No significant difference between the sources that answers were given and those they draw on"
    fewer = int((apart["share_change"] > 0).sum())
    more = apart.height - fewer
    draw = f"The answers draw on {'fewer' if fewer else 'more'} sources than they were given"
    if fewer and more:
        return f"{draw} in {fewer} of {plural(n_sets, 'set')} of answers, on more in {more}"
    every = "" if n_sets == 1 else f" in {'both' if n_sets == 2 else f'all {count_word(n_sets)}'} sets of answers"
    where = every if apart.height == n_sets else f" in {apart.height} of {n_sets} sets of answers"
    return f"{draw}{where}: {_range(apart['sources_given'])} given, {_range(apart['sources_used'])} used"


def _range(counts: Iterable[float | None]) -> str:
    """Effective numbers from the least to the most, whole from ten on."""
    known = [np.nan if n is None else n for n in counts]
    return " to ".join(dict.fromkeys(number(n, 0 if n >= 10 else 1) for n in (min(known), max(known))))


def _size(gap: Mapping[str, Any]) -> str:
    """A difference without its sign, which the sentence says in words, and its interval."""
    low, high = sorted(np.sign(gap["difference"]) * np.array([gap["low"], gap["high"]], dtype=np.float64))
    return f"{number(abs(gap['difference']))} ({interval(low, high)})"


def _rank_title(declines: pl.DataFrame) -> str:
    known = declines.filter(TESTED)
    if known.is_empty():
        return "Too few queries to tell how citations fall with rank"
    last = known["last_rank"].unique()
    end = f"rank {last[0]}" if last.len() == 1 else "the last rank given"
    falling = _falling(known).sort("ratio")
    if falling.height == known.height:
        times = falling["ratio"]
        ends = f" ({_ends(falling.row(0, named=True))})" if falling.height == 1 else ""
        return f"Rank 1 is cited {_times(times[0], times[-1])} as often as {end}{ends}"
    if falling.is_empty():
        return f"No significant difference between citations of rank 1 and of {end}"
    return f"Rank 1 is cited more often than {end} by {falling.height} of {plural(known.height, 'generator')}"


def _falling(known: pl.DataFrame) -> pl.DataFrame:
    """Those of tested declines where rank 1 is cited more often than the last rank, corrected over the generators."""
    p_holm = pl.Series(holm(known["p"].to_numpy()))
    return known.filter((pl.col("ratio") > 1) & (p_holm < SIGNIFICANCE))


def _ends(decline: Mapping[str, float | None]) -> str:
    """The interval of a ratio, with one decimal."""
    return f"{number(decline['ratio_low'], 1)} to {number(decline['ratio_high'], 1)}"


def _times(least: float, most: float) -> str:
    """A range of ratios in words: whole from 3 on, one decimal below."""
    decimals = 0 if least >= 3 else 1
    low, high = number(least, decimals), number(most, decimals)
    return f"{low} times" if low == high else f"{low} to {high} times"


def _rate_words(rates: Mapping[str, float | None], gaps: Sequence[Comparison]) -> str:
    known = {name: rate for name, rate in rates.items() if rate is not None}
    if not known:
        return ""
    named = listing([f"{name} {number(rate, 2)}" for name, rate in [*known.items()][:6]])
    text = f"EAR, the share of the list that answers use: {named}."
    best = max(known, key=lambda name: known[name])
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
