"""What recorded outputs show for the data at hand: how concentrated use is beside retrieval.

That answers draw on fewer sources than they were given is said from the ``share`` scale only: it
compares how attention is shared, whatever its amount. With one output per query that comparison is
decided by arithmetic, so what is told then is how citations fall with rank.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from fairviz.display.words import Finding, count_word, interval, listing, number, plural
from fairviz.evaluation.compare import Comparison
from fairviz.points.generations import OutputSummary, RankDecline
from fairviz.points.view import system_name
from fairviz.points.words import counted, detectable_words
from fairviz.stats.bootstrap import Interval, PairedDifference, in_one_table
from fairviz.stats.tests import MIN_UNITS, SIGNIFICANCE, holm, verdict
from fairviz.studies.attribution.grid import UseComparison

LISTED = 4
"""Sets of answers that a sentence names one by one."""


def on_task(found: Finding, task: str | None) -> Finding:
    """The finding of one of several tasks: nothing is said across them.

    Examples:
        >>> on_task(Finding("Too few queries", ""), "qa").title
        'On qa, too few queries'
    """
    return found if task is None else found._replace(title=f"On {task}, {found.title[:1].lower()}{found.title[1:]}")


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
    apart = [row for row, word in zip(rows, said, strict=True) if word in ("higher", "lower")]
    n_queries = max(row.change.n_queries for row in tested)
    corrected = f", corrected for {plural(len(tested), 'set')} of answers" if len(tested) > 1 else ""
    return Finding(
        _sources_title(apart, len(tested)),
        "Effective number of sources: as if so many shared attention alike. Paired t-tests over "
        f"{plural(n_queries, 'query', 'queries')}{corrected}.",
    )


def rank_finding(
    declines: Sequence[tuple[str, RankDecline]],
    rates: Mapping[str, float],
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
    parts = (_decline_words(declines), _rate_words(rates, gaps), several)
    return Finding(_rank_title(declines), " ".join(part for part in parts if part))


def _decline_words(declines: Sequence[tuple[str, RankDecline]]) -> str:
    """Ratio and interval of each of several generators."""
    known = [(name, decline) for name, decline in declines if decline in _tested([decline])]
    if len(known) < 2:
        return ""
    each = [f"{name} {number(one.ratio, 1)} times ({_ends(one.interval)})" for name, one in known[:LISTED]]
    more = f" and {len(known) - LISTED} more" if len(known) > LISTED else ""
    return f"Citations of rank 1 compared with those of the last rank: {', '.join(each)}{more}."


def plain_measure(measure: str) -> str:
    """A measure of use as titles name it: in plain words, with its abbreviation behind."""
    return f"{'attribution rate' if measure == 'EAR' else 'concentration of use'} ({measure})"


def use_finding(compared: UseComparison) -> Finding:
    """Which systems of a task differ from its baseline in what stands on the y axis.

    Every claim rests on a test corrected by Holm over the table that is shown.
    """
    gaps = [compared.gaps[factors] for factors in compared.means if factors in compared.gaps]
    return Finding(_use_title(compared, gaps), detectable_words(gaps))


def _use_title(compared: UseComparison, gaps: Sequence[Comparison]) -> str:
    measure, base = plain_measure(compared.measure), system_name(compared.baseline, compared.by)
    tested = [gap for gap in gaps if gap.verdict != "too few to test"]
    if not tested:
        return f"Too few queries to compare the {measure} with that of {base}"
    lower, higher, _ = counted(gap.verdict for gap in tested)
    if len(tested) == 1:
        (gap,) = tested
        if not higher and not lower:
            return f"No significant difference in {measure} between {gap.system} and {base}"
        way = "higher" if higher else "lower"
        return f"{gap.system} has a {way} {measure} than {base}, by {_size(gap)}"
    if not higher and not lower:
        return f"No significant difference in {measure} from {base} in {plural(len(tested), 'system')}"
    first, way, rest, other = (higher, "higher", lower, "lower") if higher else (lower, "lower", 0, "higher")
    have = "has" if first == 1 else "have"
    return (
        f"{first} of {plural(len(tested), 'system')} {have} a significantly {way} {measure} than {base}, "
        f"{rest or 'none'} a {other} one"
    )


def pairing_finding() -> Finding:
    """What can be said while several runs may have fed the answers."""
    return Finding(
        "Which run fed these answers?",
        "Several runs hold as many of the documents that the answers cite. Choose the run whose lists were given to "
        "the generator; it is kept for all pages.",
    )


def references_finding(rates: Mapping[str, float]) -> Finding:
    """What can be said where "given" is known from the references alone, which hold what was cited."""
    cited = listing([f"{name} {number(rate, 2)}" for name, rate in [*rates.items()][:6] if not np.isnan(rate)])
    return Finding(
        "Which documents the answers were given is not known",
        "Their references list little but what was cited, so nothing can be said of ranks, nor of "
        "how concentrated attention is in retrieval and in use. Load the run that fed the generator, and choose it."
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


def _sources_title(apart: Sequence[OutputSummary], n: int) -> str:
    """On how many sources the answers of tested sets draw that differ, of how many given."""
    if not apart:
        return "No significant difference between the sources that answers were given and those they draw on"
    fewer = sum(row.change.difference > 0 for row in apart)
    more = len(apart) - fewer
    draw = f"The answers draw on {'fewer' if fewer else 'more'} sources than they were given"
    if fewer and more:
        return f"{draw} in {fewer} of {plural(n, 'set')} of answers, on more in {more}"
    every = "" if n == 1 else f" in {'both' if n == 2 else f'all {count_word(n)}'} sets of answers"
    where = every if len(apart) == n else f" in {len(apart)} of {n} sets of answers"
    return f"{draw}{where}: {_range([row.given for row in apart])} given, {_range([row.used for row in apart])} used"


def _range(counts: Sequence[float]) -> str:
    """Effective numbers from the least to the most, whole from ten on."""
    return " to ".join(dict.fromkeys(number(n, 0 if n >= 10 else 1) for n in (min(counts), max(counts))))


def _size(change: PairedDifference | Comparison) -> str:
    """A difference without its sign, which the sentence says in words, and its interval."""
    low, high = sorted(float(np.sign(change.difference)) * end for end in change.interval)
    return f"{number(abs(change.difference))} ({interval(low, high)})"


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
        ends = f" ({_ends(falling[0].interval)})" if len(falling) == 1 else ""
        return f"Rank 1 is cited {_times(times[0], times[-1])} as often as {end}{ends}"
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


def _ends(ratio: Interval) -> str:
    """An interval of ratios, with one decimal."""
    return f"{number(ratio.low, 1)} to {number(ratio.high, 1)}"


def _times(least: float, most: float) -> str:
    """A range of ratios in words: whole from 3 on, one decimal below."""
    decimals = 0 if least >= 3 else 1
    low, high = number(least, decimals), number(most, decimals)
    return f"{low} times" if low == high else f"{low} to {high} times"


def _rate_words(rates: Mapping[str, float], gaps: Sequence[Comparison]) -> str:
    known = {name: rate for name, rate in rates.items() if not np.isnan(rate)}
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
