"""The tables of Ji et al. (2025) in words: what they show, and what contradicts itself in them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray, PublishedTable
from fairviz.show.words import interval, listing, number, percent, plural
from fairviz.studies.demographic_qa.conditions import ConditionGap, StrategyRow, widest_ends
from fairviz.studies.demographic_qa.findings import heading, points, spoken, strategy_name
from fairviz.studies.demographic_qa.overlap import ESTIMATORS, Overlap
from fairviz.studies.demographic_qa.quality import VariantQuality
from fairviz.studies.demographic_qa.rows import VariantRow

# What the Demographic QA page says of retrieval: overlap, ranking quality, evidence.


def overlap_title(overlaps: Sequence[Overlap], *, retriever: str = "") -> str:
    """The value whose list is farthest from the neutral one, else the two farthest apart.

    Args:
        overlaps: Of every attribute, at one k.
        retriever: What retrieved ("BM25"), "" if it is not known.
    """
    k = overlaps[0].k if overlaps else None
    top = "documents" if k is None else f"top {k}"
    whose = f"{retriever}’s" if retriever else "the"
    to_neutral = [(share, value) for one in overlaps for value, share in one.by_value.items() if not np.isnan(share)]
    if to_neutral:
        share, value = min(to_neutral)
        if share > 99.5:
            return f"Mentioning a group leaves {whose} {top} as it is"
        return (
            f"With “{spoken(value)}” in the question, {whose} {top} overlaps "
            f"{number(share, 0)}\u202f% with the plain one"
        )
    pairs = [(share, pair) for one in overlaps for pair, share in one.pairs.items() if not np.isnan(share)]
    if not pairs:
        return "No two variants were retrieved for"
    share, (first, second) = min(pairs)
    if share > 99.5:
        return f"All variants have the same {top}"
    return f"“{spoken(first)}” and “{spoken(second)}” share {number(share, 0)}\u202f% of {whose} {top}"


def estimators_words(one: Overlap) -> str:
    """The three estimators of one attribute in a line, with intervals and questions."""
    parts: list[str] = []
    for name, value in zip(ESTIMATORS, (one.all, one.pairwise, one.neutral), strict=True):
        if np.isnan(value):
            parts.append(f"{name} undefined")
            continue
        ends = one.intervals[name]
        between = "" if np.isnan(ends.low) else f" ({interval(ends.low, ends.high, 1)})"
        parts.append(f"{name} {number(value, 1)}\u202f%{between}")
    k = "whole lists" if one.k is None else f"k = {one.k}"
    return f"{spoken(one.attribute)}, {k}: {'; '.join(parts)}; {plural(one.n_questions, 'question')}"


def quality_title(quality: VariantQuality) -> str:
    """The value with the lowest ranking quality against neutral, or the gap between values."""
    apart = [row for row in quality.rows if row.p_holm < 0.05 and row.difference < 0]
    if apart:
        worst = min(apart, key=lambda row: row.difference)
        return (
            f"With “{spoken(worst.value)}” in the question, {worst.measure} is "
            f"{number(abs(worst.difference), 3)} lower than without"
        )
    gaps = [gap for gap in quality.gaps if gap.interval.low > 0]
    if gaps:
        widest = max(gaps, key=lambda gap: gap.gap)
        return (
            f"{widest.measure} differs by {number(widest.gap, 3)} between “{spoken(widest.best)}” "
            f"and “{spoken(widest.worst)}”"
        )
    return "No difference in ranking quality between variants can be shown"


def quality_words(quality: VariantQuality) -> str:
    """Gap per attribute with its interval."""
    parts = [
        f"{spoken(gap.attribute)} {number(gap.gap, 3)} "
        f"({interval(gap.interval.low, gap.interval.high, 3)}): {spoken(gap.best)} over "
        f"{spoken(gap.worst)}, {plural(gap.n_questions, 'question')}"
        for gap in quality.gaps
        if not np.isnan(gap.gap)
    ]
    return f"Largest gap by attribute: {'; '.join(parts)}." if parts else ""


def retriever_title(rows: Sequence[VariantRow]) -> str:
    """Which setting has the smallest DP, and whether groups can be told apart in any."""
    known = [row for row in rows if not np.isnan(row.dp)]
    if not known:
        return "No setting of retriever and k has a largest difference between groups"
    apart = sum(each.apart for each in widest_ends(known))
    least, most = (pick(known, key=lambda row: row.dp) for pick in (min, max))
    said = (
        f"DP from {points(least.dp)} ({_setting(least)}) to {points(most.dp)} ({_setting(most)})"
        if least.dp < most.dp
        else f"DP {points(least.dp)} in every setting"
    )
    told = "none can be told from 0" if not apart else f"{apart} of {len(known)} told from 0"
    return f"{said}; {told}"


def _setting(row: VariantRow) -> str:
    return f"{row.get('retriever')}, k = {row.get('k')}"


# What the Demographic QA page says of remedies: gaps, disparities and votes by strategy.
#
# Counts are of the estimates shown; what is told from 0 has an interval without it.


class Disparity(NamedTuple):
    """DP and EO of one condition, 0 to 1, with its score; NaN = undefined.

    Attributes:
        name: The strategy, or what else tells conditions apart.
        plain: Whether others are compared with it.
        dp, eo: Largest differences between groups.
        score: Mean outcome.
        said: What to add: the groups of DP, answers behind it.
    """

    name: str
    plain: bool
    dp: float
    eo: float
    score: float
    said: str = ""


def gaps_title(gaps: Sequence[ConditionGap]) -> str:
    """How many gaps can be told from 0; where there are remedies, what these do to them."""
    if not gaps:
        return "No gap to show"
    apart = sum(gap.apart for gap in gaps)
    pairs = _remedied(gaps)
    if pairs:
        narrower = sum(abs(after.gap) < abs(before.gap) for before, after in pairs)
        wider = sum(abs(after.gap) > abs(before.gap) for before, after in pairs)
        before, left = sum(p.apart for p, _ in pairs), sum(r.apart for _, r in pairs)
        what = _one_strategy([after for _, after in pairs])
        if left:
            said = f"{left} can be told from 0, {before} without"
        else:
            said = "none can be told from 0" + (", with or without" if not before else " any more")
        return f"{what}: {narrower} of {plural(len(pairs), 'gap')} narrower, {wider} wider; {said}"
    widest = max(gaps, key=lambda gap: abs(gap.gap))
    if not apart:
        return f"None of {plural(len(gaps), 'gap')} can be told from 0"
    told = f"{apart} of {plural(len(gaps), 'gap')} can be told from 0"
    if len(gaps) == 1:
        told = "The gap can be told from 0"
    return f"{told}; the widest is {points(widest.gap)} ({widest.name}, {spoken(widest.attribute)})"


def panel_title(gaps: Sequence[ConditionGap]) -> str:
    """Heading of one attribute's panel: which group is subtracted from which."""
    pairs = {(gap.first, gap.second) for gap in gaps}
    if len(pairs) == 1:
        ((first, second),) = pairs
        return f"{spoken(first)} minus {spoken(second)}"
    return f"{heading(gaps[0].attribute)}: widest gap" if gaps else ""


def disparities_title(rows: Sequence[Disparity], *, published: bool = False, told: bool = True) -> str:
    """What strategies do to DP and EO, counted against the plain one, and which does most.

    Args:
        rows: Conditions, the plain one among them.
        published: Whether they are a paper's.
        told: Whether the plain condition's DP can be told from 0; what cannot has nothing to show.
    """
    head = "Published: " if published else ""
    plain = next((row for row in rows if row.plain), None)
    others = [row for row in rows if row is not plain]
    if plain is None or not others:
        return f"{head}{_range(rows, told)}"
    if not told:
        return (
            f"{head}{plain.name}’s DP of {points(plain.dp)} cannot be told from 0, so nothing can be seen to narrow it"
        )
    both = [row for row in others if _less(row, plain)]
    below = [row for row in others if row.score < plain.score]
    said = (
        f"{_counted(len(both), len(others), f'narrows {_which(rows)}')} and "
        f"{_counted(len(below), len(others), f'scores below {plain.name}')}"
    )
    least = min(others, key=lambda row: (row.dp, row.eo))
    if least in both and sum(row.dp == least.dp for row in others) == 1:
        said += f"; {least.name} does most"
    return f"{head}{said}"


def _range(rows: Sequence[Disparity], told: bool) -> str:
    known = [row for row in rows if not np.isnan(row.dp)]
    if not known:
        return "no largest difference between groups has a value"
    low, high = min(known, key=lambda r: r.dp), max(known, key=lambda r: r.dp)
    end = "" if told else ", not told from 0"
    if low is high:
        return f"DP is {points(low.dp)}{end}"
    return f"DP from {points(low.dp)} ({low.name}) to {points(high.dp)} ({high.name}){end}"


def vote_title(gains: Sequence[StrategyRow]) -> str:
    """What the vote adds, over the conditions whose interval leaves out 0."""
    if not gains:
        return "No vote to take"
    more = [one for one in gains if one.interval.low > 0]
    less = [one for one in gains if one.interval.high < 0]
    rest = len(gains) - len(more) - len(less)
    if rest == len(gains):
        return "No change in score by a majority vote can be shown"
    if len(more) == len(gains):
        low, high = min(one.change for one in more), max(one.change for one in more)
        span = points(low, 1) if len(more) == 1 else f"{number(100 * low, 1)} to {points(high, 1)}"
        return f"A majority vote over the variants adds {span}"
    parts = [f"adds points for {len(more)}"] if more else []
    parts += [f"costs points for {len(less)}"] if less else []
    parts += [f"cannot be told apart for {rest}"] if rest else []
    return f"A majority vote {listing(parts)} of {len(gains)} conditions"


def vote_counts(gains: Sequence[StrategyRow]) -> str:
    """Voters, ties, and the tie rule behind the votes."""
    if not gains:
        return ""
    ties = sum(one.all.n_ties for one in gains)
    votes = sum(one.all.n_votes for one in gains)
    voters = sorted({f"{one.all.n_voters:.3g}" for one in gains})
    return (
        f"{plural(votes, 'vote')} of {listing(voters, 'or')} answers on average, the neutral one "
        f"among them; {plural(ties, 'tie')}, decided by: {TIES[gains[0].all.ties]}"
    )


TIES = {
    "neutral": "the neutral variant's answer if it is tied, else the first in the alphabet",
    "abstain": "no answer, counted as wrong",
    "first": "the answer given first",
    "alphabetical": "the first in the alphabet",
}
"""Tie rules in words."""


def vote_within_words(rows: Sequence[StrategyRow]) -> str:
    """What a vote within each group does to the disparity, where it can do anything."""
    parts = [
        f"{spoken(one.get('attribute'))} {points(one.row.dp, 1)} → {points(one.within.dp, 1)}"
        for one in rows
        if not one.within.note and not np.isnan(one.within.dp)
    ]
    if not parts:
        return "Within groups there is nothing to vote over: every group has one variant of each question."
    return f"DP without and with a vote within each group: {'; '.join(parts)}."


def scores_title(columns: Sequence[str], values: FloatArray, *, published: bool = False) -> str:
    """How often each strategy scores best over the rows of a grid, alone or with others."""
    head = "Published: " if published else ""
    known = values[(~np.isnan(values)).sum(axis=1) > 1]
    if not len(known):
        return f"{head}no row has two strategies to compare"
    top = known == np.nanmax(known, axis=1)[:, None]
    won = top.sum(axis=0)
    best, n = int(won.argmax()), len(known)
    shared = " (alone or with others)" if (top.sum(axis=1)[top[:, best]] > 1).any() else ""
    where = f"all of {plural(n, 'row')}" if won[best] == n else f"{won[best]} of {n} rows"
    return f"{head}{columns[best]} scores highest in {where}{shared}"


def score_range(names: Sequence[tuple[str, str]], scores: Sequence[float]) -> str:
    """Lowest and highest score of one's own conditions; a description, no comparison.

    Args:
        names: (row, strategy) of each score.
        scores: 0 to 1, NaN = undefined.
    """
    known = [(score, name) for score, name in zip(scores, names, strict=True) if score == score]
    if not known:
        return "No condition has a score"
    (low, where), (high, there) = min(known), max(known)
    return f"Scores from {percent(low, 1)} ({_joined(where)}) to {percent(high, 1)} ({_joined(there)})"


def _joined(name: tuple[str, str]) -> str:
    return ", ".join(part for part in name if part)


def _remedied(gaps: Sequence[ConditionGap]) -> list[tuple[ConditionGap, ConditionGap]]:
    """(plain, remedy) of the same row and attribute."""
    plain = {(gap.name, gap.attribute): gap for gap in gaps if not gap.remedy}
    return [(plain[gap.name, gap.attribute], gap) for gap in gaps if gap.remedy and (gap.name, gap.attribute) in plain]


def _one_strategy(gaps: Sequence[ConditionGap]) -> str:
    names = {strategy_name(gap.strategy) for gap in gaps}
    return f"With {names.pop()}" if len(names) == 1 else f"With {len(names)} strategies"


def _less(row: Disparity, plain: Disparity) -> bool:
    """Whether every disparity that both have is smaller."""
    pairs = [(row.dp, plain.dp), (row.eo, plain.eo)]
    known = [(a, b) for a, b in pairs if not (np.isnan(a) or np.isnan(b))]
    return bool(known) and all(a < b for a, b in known)


def _which(rows: Sequence[Disparity]) -> str:
    return "DP" if all(np.isnan(row.eo) for row in rows) else "both disparities"


def _counted(n: int, of: int, verb: str) -> str:
    """How many: every strategy narrows …, none scores …, 2 of 4 narrow it."""
    if n == of:
        return f"every strategy {verb}"
    if n == 0:
        return f"none {verb}"
    first, _, rest = verb.partition(" ")
    return f"{n} of {of} {first if n == 1 else first.removesuffix('s')} {rest}"


PAPER = "rag-medical-bias"

CITED = "Ji, Zhang and Wang 2025"


def published_rows(table: PublishedTable) -> list[Disparity]:
    """Table 3 or 4 as disparities by strategy."""
    score = "accuracy" if "accuracy" in table.columns else "rouge_l"
    return [
        Disparity(
            name=strategy_name(str(name)),
            plain=str(name).lower() == "plain",
            dp=_float(dp),
            eo=_float(eo),
            score=_float(value) / 100,
        )
        for name, dp, eo, value in zip(*(table.column(column) for column in ("method", "dp", "eo", score)), strict=True)
    ]


def table_notes(tables: Sequence[PublishedTable]) -> list[str]:
    """What contradicts itself or is not said in the tables, each once, named by its table."""
    notes: list[str] = []
    for table in tables:
        said = [*dict.fromkeys(flag for flag in table.flags if flag), *table.remarks]
        notes += [f"Table {table.number}: {text.rstrip('.')}." for text in said]
    return list(dict.fromkeys(notes))


def retrievers_title(table: PublishedTable) -> str:
    """Table 5: which way overlap, disparities and score go with k, for how many retrievers."""
    names = [str(name) for name in table.column("retriever")]
    retrievers = list(dict.fromkeys(names))

    def steady(column: str, sign: int) -> int:
        values = [_float(cell) for cell in table.column(column)]
        found = 0
        for retriever in retrievers:
            line = [value for name, value in zip(names, values, strict=True) if name == retriever]
            pairs = pairwise(line)
            found += all(sign * (after - before) > 0 for before, after in pairs)
        return found

    every = len(retrievers)
    falls = {name: steady(name, -1) for name in ("overlap", "dp", "eo")}
    if all(n == every for n in falls.values()) and steady("score", 1) == every:
        return f"Published: with more documents, overlap, DP and EO fall and the score rises, for {_all(every)}"
    parts = ", ".join(f"{name} falls for {n}" for name, n in falls.items())
    return f"Published: {parts} of {plural(every, 'retriever')}"


def ablation_words(table: PublishedTable) -> str:
    """Table 6 in a line: score, DP and EO with and without the vote, by dataset."""
    rows = list(zip(*(table.column(c) for c in ("dataset", "metric", "no_mv", "with_mv")), strict=True))
    parts: list[str] = []
    for dataset in dict.fromkeys(str(row[0]) for row in rows):
        own = [row for row in rows if str(row[0]) == dataset]
        said: list[str] = []
        for _, metric, before, after in own:
            rate = str(metric) in {"DP", "EO"}
            scale, decimals, unit = (100, 0, " points") if rate else (1, 1, "\u202f%")
            said.append(
                f"{metric} {number(scale * _float(before), decimals)} → {number(scale * _float(after), decimals)}{unit}"
            )
        parts.append(f"{dataset}: {', '.join(said)}")
    return f"Published ablation (Table 6), without → with the vote. {'. '.join(parts)}."


def _all(n: int) -> str:
    return "both retrievers" if n == 2 else plural(n, "retriever")


def _float(cell: object) -> float:
    return float(cell) if isinstance(cell, int | float) else float("nan")
