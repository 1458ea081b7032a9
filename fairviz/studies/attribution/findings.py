"""What recorded outputs show for the data at hand: how concentrated use is beside retrieval.

That answers draw on fewer sources than they were given is said from the ``share`` scale only: it
compares how attention is shared, whatever its amount. The effective number of sources is one estimate everywhere,
1 / the mean of the unbiased share, so that "fewer" and "more concentrated" never disagree. With one output per query
that comparison is decided by arithmetic, so what is told then is how citations fall with rank.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from fairviz.display.words import Finding, capital, count_word, interval, listing, number, percent, plural, spanned
from fairviz.evaluation.compare import Comparison
from fairviz.points.columns import counted, detectable_words
from fairviz.stats.tests import MIN_UNITS, ROUNDING, SIGNIFICANCE

LISTED = 4
"""Sets of answers that a sentence names one by one."""


def on_task(finding: Finding, task: str | None) -> Finding:
    """The finding of one of several tasks: nothing is said across them.

    Examples:
        >>> on_task(Finding("Too few queries", ""), "qa").title
        'On qa, too few queries'
    """
    return (
        finding
        if task is None
        else finding._replace(title=f"On {task}, {finding.title[:1].lower()}{finding.title[1:]}")
    )


def sources_finding(rows: pl.DataFrame, ranks: Finding, name: str = "") -> Finding:
    """How many sources the answers were given and how many they use: of the setting with most given that tells.

    Args:
        rows: A row per system and setting: ``name``, ``single`` (one answer per query), ``sources_given`` and
            ``sources_used`` with ends (null: nothing is cited), ``tested``, and of tested ones ``share_change`` from
            the unbiased estimate, so that drawing few lists is not taken for concentration, with ends, ``p_holm`` over
            all of them and ``n_compared``.
        ranks: What is said of citations by rank: all that can be tested where no list varies.
        name: The system that is looked at, the others are counted; empty: all.
    """
    looked_at = pl.lit(not name) | (pl.col("name") == name)
    own, others = rows.filter(looked_at), rows.filter(~looked_at)
    counts = own.drop_nulls(["sources_given", "sources_used"]).sort("sources_given", descending=True)
    varying, n_queries = own.filter("tested"), _most(own["n_compared"])
    tested = varying.filter(TESTED)
    apart = tested.filter(pl.col("p_holm") < SIGNIFICANCE)
    if counts.is_empty() and (varying.is_empty() or not n_queries):
        sentence = _joined(ranks) if varying.is_empty() else ""  # its last words are of one output per query
        return Finding("No effective number of sources is defined: nothing is cited", sentence)
    if varying.is_empty():
        only = "one answer per query" if counts["single"].all() else "one list"
        return Finding(f"{_sources(counts.row(0, named=True))}: {only}, nothing to test", _joined(ranks))
    if tested.is_empty():
        prefix = f"{_sources(counts.row(0, named=True))}; " if counts.height else ""
        return Finding(
            f"{prefix}{plural(n_queries, 'query is', 'queries are')} too few to say more",
            f"A test needs at least {MIN_UNITS} queries whose answers use something.",
        )
    if apart.is_empty():
        where = " whose lists vary" if varying.height < own.height else ""
        title = f"No setting{where} shows that fewer sources are used than given"
    else:
        fewer = apart.filter(pl.col("share_change") > 0)
        candidates = (apart if fewer.is_empty() else fewer).sort("sources_given", descending=True, nulls_last=True)
        first = candidates.row(0, named=True)
        low, high = first["sources_used_low"], first["sources_used_high"]
        ends = "" if None in (first["sources_given"], low, high) else f" ({interval(low, high, 1)})"
        title = f"{_sources(first)}{ends}"
    parts = (
        _settings_words(apart, tested.height),
        _others_words(others),
        detectable_change(tested, rows) if apart.is_empty() else "",
        "Effective number of sources: as if so many shared attention alike. Paired t-tests over "
        f"{plural(n_queries, 'query', 'queries')}{_corrected(rows)}.",
    )
    return Finding(title, " ".join(part for part in parts if part))


def sources_counts(row: Mapping[str, Any]) -> str:
    """What shares of documents by group rest on, below their table.

    Args:
        row: One of :func:`~fairviz.points.sources.source_rows`; all of a week and an attribute say the same.

    Examples:
        >>> row = {"n_answers": 9, "n_queries": 8, "n_citing": 7, "given_unlabelled": 0.0, "cited_unlabelled": 0.0}
        >>> print(sources_counts(row).replace(chr(0x202f), " "))
        9 answers · 8 queries, 7 with citations · fewer than 10 queries: no interval
    """
    counts = [count for count in (row["n_queries"], row["n_citing"]) if count is not None]
    parts = [plural(row["n_answers"], "answer")]
    if row["n_queries"] is None:
        parts.append(f"{plural(row['n_citing'], 'query', 'queries')} with citations; what was given is not known")
    else:
        parts.append(f"{plural(row['n_queries'], 'query', 'queries')}, {row['n_citing']} with citations")
    unlabelled = [(part, row[f"{part}_unlabelled"]) for part in ("given", "cited")]
    shares = [f"{percent(share)} of documents {part}" for part, share in unlabelled if share]
    if shares:
        parts.append(f"unlabelled: {listing(shares)}")
    if min(counts) < MIN_UNITS:
        parts.append(f"fewer than {MIN_UNITS} queries: no interval")
    return " · ".join(parts)


def use_title(rows: pl.DataFrame) -> str:
    """Head of the table: in how many settings whose lists vary use is more concentrated than retrieval."""
    tested = rows.filter(TESTED)
    if tested.is_empty():
        return "Concentration of use is not tested: " + (
            "too few queries" if rows["tested"].any() else "no list varies between answers"
        )
    ways = tested.filter(pl.col("p_holm") < SIGNIFICANCE)["share_change"]
    more, less = int((ways > 0).sum()), int((ways < 0).sum())
    also = f", less in {less}" if less else ""
    return (
        f"Use is significantly more concentrated than retrieval in {more or 'none'} of "
        f"{plural(tested.height, 'setting')}{also}"
    )


def detectable_change(tested: pl.DataFrame, rows: pl.DataFrame) -> str:
    """Beside "no setting shows", the difference in concentration that one of these would have shown."""
    named = tested.select(
        difference="share_change", low="share_change_low", high="share_change_high", p_holm="p_holm"
    ).with_columns(verdict=pl.lit("no significant difference"))
    return detectable_words(named, rows["p_holm"].count(), what="difference in shares of attention")


def share_title(rows: pl.DataFrame) -> str:
    """Head of the picture of sources: which part of those given are used, from the least to the most.

    The effective number of sources is an estimate, and a part above all of them is chance or more equal use.
    """
    defined = rows.drop_nulls(["sources_given", "sources_used"])
    if defined.is_empty():
        return "No effective number of sources is defined"
    parts = defined.select(pl.col("sources_used") / pl.col("sources_given")).to_series()
    least, most = (float(end) for end in parts.sort().gather([0, -1]))
    if least > 1:
        return "As many sources are used as are given"
    if most > 1:
        return f"At least {percent(least)} of the sources given are used"
    return f"{' to '.join(dict.fromkeys((percent(least), percent(most))))} of the sources given are used"


def above_title(points: pl.DataFrame, setting: str) -> str:
    """Head of the scatterplot of both disparities: in how many queries use is more concentrated, on shares.

    Args:
        points: Of one system under the setting.
        setting: Its name.
    """
    pairs = points.drop_nulls(["x_share", "y_share"])
    if pairs.is_empty():
        return f"No query has both concentrations ({setting})"
    if (pairs["n_samples"] <= 1).all():  # decided by arithmetic: what an answer cites it cites once
        return f"One answer per query: how concentrated use is follows from how much is cited ({setting})"
    above = pairs.filter(pl.col("y_share") > pl.col("x_share") + ROUNDING).height
    return (
        f"Use is more concentrated than retrieval in {above} of {plural(pairs.height, 'query', 'queries')} ({setting})"
    )


def rank_title(decline: Mapping[str, Any] | None) -> str:
    """Head of the chart of citations by rank of a system under one setting; None = no list was given."""
    if decline is None or decline["p_holm"] is None:
        return "Too few queries to tell how citations depend on rank"
    if decline["p_holm"] >= SIGNIFICANCE:
        return "Citations do not significantly depend on rank"
    way = "fall" if decline["ratio"] > 1 else "rise"
    return (
        f"Citations {way} with rank: {percent(decline['first'])} at rank 1, {percent(decline['last'])} at rank "
        f"{decline['last_rank']}"
    )


def cites_title(rates: Iterable[float | None], k: int) -> str:
    """How many of its documents an answer cites on average, over the settings of a system."""
    cited = sorted(k * rate for rate in rates if rate is not None)
    if not cited:
        return "No answer was given a document"
    ends = dict.fromkeys(number(end, 1) for end in (cited[0], cited[-1]))
    return f"An answer cites {' to '.join(ends)} of {plural(k, 'document')} on average"


def chance_words(row: Mapping[str, Any], k: int) -> str:
    """Why citing few is not using few: what citing as many by chance would come to, beside what is used.

    Of one answer per query nothing can be said: whatever it cites, it uses as many sources.
    """
    sources, used = row["sources_given"], row["sources_used"]
    few = "Citing few in each answer is one thing, citing the same few again and again another"
    if row["single"]:
        return f"{few}: one answer per query cannot show which."
    if row["EAR"] is None or sources is None or used is None:
        return f"{few}."
    return (
        f"{few}. With {number(k * row['EAR'], 1)} of {k} cited ({row['lists']}), each document given as likely as any "
        f"other, the answers would use {number(sources, 1)} sources; they use {number(used, 1)}."
    )


def _most(counts: pl.Series) -> int:
    return int(counts.to_numpy().max(initial=0))


def _joined(finding: Finding) -> str:
    return f"{finding.title}. {finding.sentence}".strip()


def _corrected(rows: pl.DataFrame) -> str:
    n = rows["p_holm"].count()
    return f", corrected for {plural(n, 'set')} of answers" if n > 1 else ""


def _settings_words(apart: pl.DataFrame, n: int) -> str:
    """In how many of n settings the answers draw on fewer sources, or on more."""
    if apart.is_empty():
        return ""
    fewer = int((apart["share_change"] > 0).sum())
    more = apart.height - fewer
    every = "the only setting" if n == 1 else f"{'both' if n == 2 else f'all {count_word(n)}'} settings"
    where = every if max(fewer, more) == n else f"{fewer or more} of {n} settings"
    also = f", on more in {more}" if fewer and more else ""
    return (
        f"The answers draw on {'fewer' if fewer else 'more'} sources than they were given in {where} in which the list "
        f"varies{also}."
    )


def _others_words(others: pl.DataFrame) -> str:
    """In how many settings of systems that are not looked at the answers draw on fewer sources."""
    tested = others.filter(TESTED)
    if tested.is_empty():
        return ""
    fewer = tested.filter((pl.col("p_holm") < SIGNIFICANCE) & (pl.col("share_change") > 0)).height
    systems, settings = plural(tested["name"].n_unique(), "other system"), plural(tested.height, "setting")
    return f"{capital(systems)}: fewer sources used in {fewer or 'none'} of {settings}."


def _sources(row: Mapping[str, Any]) -> str:
    """Sources given and used, whole unless that makes them alike."""
    sources, used = row["sources_given"], row["sources_used"]
    if sources is None or used is None:
        return "Use is more concentrated than retrieval" if row["share_change"] > 0 else "Use is less concentrated"
    decimals = next((d for d in (0, 1, 2) if number(sources, d) != number(used, d)), 2)
    noun = "source" if number(sources, decimals) == "1" else "sources"
    uses = "{} used" if used <= sources else "used as evenly as {}"  # nothing is used that was not given
    return f"{number(sources, decimals)} {noun} given, {uses.format(number(used, decimals))}"


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
    tested_declines = declines.filter(TESTED)
    if tested_declines.height < 2:
        return ""
    each = [
        f"{row['name']} {number(row['ratio'], 1)} times ({_ends(row)})"
        for row in tested_declines.head(LISTED).to_dicts()
    ]
    more = f" and {tested_declines.height - LISTED} more" if tested_declines.height > LISTED else ""
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


TESTED = pl.col("p_holm").is_not_null()
"""Settings, and declines, of queries enough for a test."""


def _size(gap: Mapping[str, Any]) -> str:
    """A difference without its sign, which the sentence says in words, and its interval."""
    low, high = sorted(np.sign(gap["difference"]) * np.array([gap["low"], gap["high"]], dtype=np.float64))
    return f"{number(abs(gap['difference']))} ({interval(low, high)})"


def _rank_title(declines: pl.DataFrame) -> str:
    tested_declines = declines.filter(TESTED)
    if tested_declines.is_empty():
        return "Too few queries to tell how citations fall with rank"
    last = tested_declines["last_rank"].unique()
    end = f"rank {last[0]}" if last.len() == 1 else "the last rank given"
    falling = tested_declines.filter((pl.col("ratio") > 1) & (pl.col("p_holm") < SIGNIFICANCE)).sort("ratio")
    if falling.height == tested_declines.height:
        times = falling["ratio"]
        if np.isinf(times[0]):
            return f"Documents at rank 1 are cited, those at {end} are not"
        ends = f" ({_ends(falling.row(0, named=True))})" if falling.height == 1 else ""
        return f"Rank 1 is cited {_times(times[0], times[-1])} as often as {end}{ends}"
    if falling.is_empty():
        return f"No significant difference between citations of rank 1 and of {end}"
    return f"Rank 1 is cited more often than {end} by {falling.height} of {plural(tested_declines.height, 'generator')}"


def _ends(decline: Mapping[str, float | None]) -> str:
    """The interval of a ratio, with one decimal."""
    return f"{number(decline['ratio_low'], 1)} to {number(decline['ratio_high'], 1)}"


def _times(least: float, most: float) -> str:
    """A range of ratios in words: whole from 3 on, one decimal below."""
    decimals = 0 if least >= 3 else 1
    low, high = number(least, decimals), number(most, decimals)
    if np.isinf(most):
        return f"at least {low} times"
    return f"{low} times" if low == high else f"{low} to {high} times"


def _rate_words(rates: Mapping[str, float | None], gaps: Sequence[Comparison]) -> str:
    defined_rates = {name: rate for name, rate in rates.items() if rate is not None}
    if not defined_rates:
        return ""
    low, high = (number(end(defined_rates.values()), 2) for end in (min, max))
    text = f"EAR, the share of the list that answers use: {spanned(low, high)}."
    best = max(defined_rates, key=lambda name: defined_rates[name])
    own = [gap for gap in gaps if gap.system == best]
    if len(defined_rates) < 2 or not own:
        return text
    if len(own) < len(defined_rates) - 1:
        return f"{text} Not all have queries in common, so they are not ranked."
    apart = [gap for gap in own if gap.verdict == "higher"]
    if len(apart) == len(own):
        closest = min(own, key=lambda gap: gap.difference)
        return f"{text} {best} uses the largest share (paired interval to the next {interval(*closest.interval, 2)})."
    if not apart:
        return f"{text} No significant difference between them."
    tied = [gap.reference for gap in own if gap.verdict != "higher"]
    return f"{text} No significant difference between {listing([best, *tied])}."
