"""Group measures in plain words: what is good, and what this value says, for a person.

A measure stands here with the place where it is best and a sentence made from its value; what it is, its formula and
its source stand in the catalogue.
"""

import math
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from fairviz.display.words import capital, count, number, percent
from fairviz.studies.groups.findings import labelled, one_of, points

Section: TypeAlias = Literal["target", "groups", "quality"]

SECTIONS: dict[Section, str] = {
    "target": "Against your target",
    "groups": "One group against another, no target needed",
    "quality": "With quality",
}

SMALLEST, LARGEST = 0.01, 1_000
"""Factors beyond these are said to be so: their digits are those of a smoothing constant."""

ON_0, ON_1 = "0 = on target", "1 = on target"
M = "missing='{missing}'"


class MeasureContext(NamedTuple):
    """What the words need to know besides the value.

    Attributes:
        group: The group of interest, G+.
        k: Ranks seen.
        n_groups: How many groups there are.
    """

    group: str
    k: int
    n_groups: int


Words: TypeAlias = Callable[[float, MeasureContext], str]


class Row(NamedTuple):
    """One measure of the table.

    Attributes:
        section: Where it stands.
        text: Measure string; ``{k}``, ``{group}`` (quoted), ``{missing}`` and ``{browsing}`` are
            filled in.
        label: Its name in the table.
        goal: Where it is best, in words.
        best: Where it is best as a number.
        words: The value in plain words.
    """

    section: Section
    text: str
    label: str
    goal: str
    best: float
    words: Words


def times(log_ratio: float) -> str:
    """A log ratio as a factor.

    Examples:
        >>> times(0.405), times(-0.223)
        ('1.5 times', '0.80 times')
        >>> times(-15.3), times(15.3)
        ('less than 0.01 times', 'more than 1\u202f000 times')
    """
    factor = math.exp(min(log_ratio, 50.0))
    if factor < SMALLEST:
        return f"less than {SMALLEST:g} times"
    if factor > LARGEST:
        return f"more than {count(LARGEST)} times"
    return f"{number(factor, 1 if factor >= 1.05 else 2)} times"


def _awrf_points(value: float, _: MeasureContext) -> str:
    return f"Over all queries together, {points(value / 2)} of attention are off target."


def _awrf(value: float, _: MeasureContext) -> str:
    return f"A single query's list is {percent(value / math.log(2))} of the way from on target to as far off as can be."


def _absdiff(value: float, context: MeasureContext) -> str:
    return f"In a single query, {labelled(context.group)} are {points(value)} off their share, either way."


def _kl(value: float, _: MeasureContext) -> str:
    if math.isinf(value):
        return "A list shows a group whose target is 0: no finite distance."
    return "Distance of the first k of a query as a whole, ranks counting alike."


def _ndkl(value: float, _: MeasureContext) -> str:
    if math.isinf(value):
        return "A list shows a group whose target is 0: no finite distance."
    return "The same at every rank, the top of the list counting most; one item is always lopsided."


def _ndrkl(value: float, _: MeasureContext) -> str:
    return f"Nearness at every rank: {percent(value)} of what is possible, the top counting most."


def _min_skew(value: float, _: MeasureContext) -> str:
    if math.isinf(value):
        return "In at least one query a group with a target gets no place at all."
    return f"The most under-served group has {times(value)} its target share."


def _max_skew(value: float, _: MeasureContext) -> str:
    return f"The most over-served group has {times(value)} its target share."


def _skew(value: float, context: MeasureContext) -> str:
    if math.isinf(value):
        return f"At least one query shows no {labelled(context.group).replace('documents', 'document', 1)}."
    return f"Of the places, {labelled(context.group)} have {times(value)} their target share."


def _infeasible_index(value: float, context: MeasureContext) -> str:
    return f"At {number(value, 1)} of {context.k} ranks some group is short of its target so far."


def _infeasible_count(value: float, _: MeasureContext) -> str:
    return f"Counted for every group: {number(value, 1)} shortfalls down the ranks."


def _feasible_rank(value: float, context: MeasureContext) -> str:
    if value >= context.k:
        return f"No query is short of any group down to rank {context.k}."
    return f"The first query falls short of some group after rank {number(value, 0)}."


def _track(value: float, _: MeasureContext) -> str:
    return "Closeness as the TREC track scores it: 1 minus AWRF, attention by log of rank."


def _binomial(value: float, context: MeasureContext) -> str:
    group = labelled(context.group)
    return f"Drawn by chance at their target share, {group} would be as few in {percent(value)} of draws."


def _log_dp(value: float, context: MeasureContext) -> str:
    if math.isinf(value):
        return _no_attention(value, context)
    others = "the other group" if context.n_groups == 2 else "all the others together"
    return f"In all, {labelled(context.group)} get {times(value)} the attention of {others}."


def _log_dp_mean(value: float, context: MeasureContext) -> str:
    if math.isinf(value):
        return _no_attention(value, context)
    return f"On average {one_of(context.group)} gets {times(value)} the attention of another one."


def _log_eur(value: float, context: MeasureContext) -> str:
    if math.isinf(value):
        return _no_attention(value, context)
    return (
        f"For their mean usefulness, {labelled(context.group)} get {times(value)} the total attention of the others; "
        "a larger group gets more by its size."
    )


def _log_eur_mean(value: float, context: MeasureContext) -> str:
    if math.isinf(value):
        return _no_attention(value, context)
    return f"Per document and its usefulness, {labelled(context.group)} get {times(value)} the attention of the others."


def _log_rur(value: float, context: MeasureContext) -> str:
    if math.isinf(value):
        return _no_attention(value, context, "no attention on useful ones")
    return f"Counting attention on useful ones only, {times(value)}."


def _no_attention(value: float, context: MeasureContext, nothing: str = "no attention") -> str:
    """A ratio of two sides of which one gets nothing."""
    if value > 0:
        return f"All the others together get {nothing}, so the ratio has no end."
    return f"{capital(labelled(context.group))} get {nothing} at all, so the ratio has no end."


def _pair_gap(value: float, context: MeasureContext) -> str:
    side = "behind" if value > 0 else "ahead of"
    return (
        f"Useful documents of one group stand {points(value)} more often {side} the other's less "
        "useful ones than the other way round."
    )


def _pair(value: float, context: MeasureContext) -> str:
    return (
        f"A useful one of {labelled(context.group)} stands above a less useful one of another "
        f"group in {percent(value)} of pairs."
    )


def _prefix(value: float, _: MeasureContext) -> str:
    return f"The top differs from the whole list by {percent(value)} of what such a list allows."


def _iaa(value: float, _: MeasureContext) -> str:
    return f"{points(value / 2)} of attention would have to move to follow usefulness."


def _eed(value: float, _: MeasureContext) -> str:
    return "How much attention gathers on few groups; groups of many documents raise it, too."


def _eer(value: float, _: MeasureContext) -> str:
    return "How well attention on groups goes along with what an ideal list would give them."


def _eel(value: float, _: MeasureContext) -> str:
    return "Squared distance of attention on groups from an ideal list's."


def _fair(value: float, _: MeasureContext) -> str:
    if value > 1:
        return "Above an ideal list found greedily: documents cover several aspects, and this list uses them better."
    return f"{percent(value)} of an ideal list on target: quality, discounted where off target."


def _track_score(value: float, _: MeasureContext) -> str:
    return "Quality times closeness to the target, as the TREC track scores it."


def _ndcg(value: float, context: MeasureContext) -> str:
    return f"Quality alone, at {context.k}. For reference."


ROWS: tuple[Row, ...] = (
    Row(
        "target",
        f"AWRF(distance='l1', browsing='{{browsing}}', over='system', {M})@{{k}}",
        "AWRF, all queries",
        ON_0,
        0,
        _awrf_points,
    ),
    Row("target", f"AWRF(browsing='{{browsing}}', {M})@{{k}}", "AWRF per query", ON_0, 0, _awrf),
    Row(
        "target",
        f"AWRF(distance='absdiff', browsing='{{browsing}}', group={{group}}, {M})@{{k}}",
        "AWRF of one group",
        ON_0,
        0,
        _absdiff,
    ),
    Row("target", f"KL({M})@{{k}}", "KL", ON_0, 0, _kl),
    Row("target", f"nDKL({M})@{{k}}", "NDKL", ON_0, 0, _ndkl),
    Row("target", f"nDRKL({M})@{{k}}", "nDRKL", ON_1, 1, _ndrkl),
    Row("target", f"MinSkew({M})@{{k}}", "MinSkew", ON_0, 0, _min_skew),
    Row("target", f"MaxSkew({M})@{{k}}", "MaxSkew", ON_0, 0, _max_skew),
    Row("target", f"Skew(group={{group}}, {M})@{{k}}", "Skew of one group", ON_0, 0, _skew),
    Row("target", f"InfeasibleIndex({M})@{{k}}", "InfeasibleIndex", "0 = never short", 0, _infeasible_index),
    Row("target", f"InfeasibleCount({M})@{{k}}", "InfeasibleCount", "0 = never short", 0, _infeasible_count),
    Row("target", f"FeasibleRank({M})@{{k}}", "Feasible up to", "k = never short", math.inf, _feasible_rank),
    Row("target", "FAIRBinomial(group={group})@{k}", "FAIR (binomial)", "1 = never too few", 1, _binomial),
    Row("target", f"FairTrecAWRF({M})@{{k}}", "AWRF (TREC)", ON_1, 1, _track),
    Row("groups", "logDP(group={group}, browsing='{browsing}')@{k}", "logDP", "0 = parity", 0, _log_dp),
    Row(
        "groups",
        "logDP(group={group}, browsing='{browsing}', aggregate='mean')@{k}",
        "logDP per document",
        "0 = proportional to numbers",
        0,
        _log_dp_mean,
    ),
    Row(
        "groups",
        "logEUR(group={group}, browsing='{browsing}')@{k}",
        "logEUR",
        "0 = total attention as mean usefulness",
        0,
        _log_eur,
    ),
    Row(
        "groups",
        "logEUR(group={group}, browsing='{browsing}', aggregate='mean')@{k}",
        "logEUR per document",
        "0 = proportional to usefulness",
        0,
        _log_eur_mean,
    ),
    Row(
        "groups",
        "logRUR(group={group}, browsing='{browsing}')@{k}",
        "logRUR",
        "0 = total useful attention as mean usefulness",
        0,
        _log_rur,
    ),
    Row("groups", "PAIR@{k}", "PAIR", "0 = equal accuracy", 0, _pair_gap),
    Row("groups", "PAIR(group={group})@{k}", "PAIR of one group", "1 = always above", 1, _pair),
    Row("groups", "PreF(group={group})", "PreF (ND)", "0 = as the whole list", 0, _prefix),
    Row("groups", "PreF(group={group}, distance='RD')", "PreF (RD)", "0 = as the whole list", 0, _prefix),
    Row("groups", "PreF(distance='KL')", "PreF (KL)", "0 = as the whole list", 0, _prefix),
    Row("groups", f"IAA(browsing='{{browsing}}', {M})@{{k}}", "IAA", "0 = follows usefulness", 0, _iaa),
    Row("groups", f"EED(by='group', browsing='{{browsing}}', {M})@{{k}}", "EE-D by group", "lower = spread", 0, _eed),
    Row(
        "groups",
        f"EER(by='group', browsing='{{browsing}}', {M})@{{k}}",
        "EE-R by group",
        "higher = as ideal",
        math.inf,
        _eer,
    ),
    Row("groups", f"EEL(by='group', browsing='{{browsing}}', {M})@{{k}}", "EE-L by group", "0 = as ideal", 0, _eel),
    Row("quality", f"FAIR(irm='nDCG', {M})@{{k}}", "FAIR (nDCG)", "higher is better", 1, _fair),
    Row("quality", f"FAIR(irm='alpha_nDCG', {M})@{{k}}", "FAIR (α-nDCG)", "higher is better", 1, _fair),
    Row("quality", f"FAIR(irm='ERR_IA', {M})@{{k}}", "FAIR (ERR-IA)", "higher is better", 1, _fair),
    Row("quality", f"FAIR(irm='RBP', {M})@{{k}}", "FAIR (RBP)", "higher is better", 1, _fair),
    Row("quality", f"FairTrecScore({M})@{{k}}", "nDCG × AWRF (TREC)", "higher is better", 1, _track_score),
    Row("quality", "nDCG@{k}", "nDCG", "higher is better", 1, _ndcg),
)

STILL = tuple(row for row in ROWS if row.section == "groups" or row.label == "nDCG")
"""Rows that no target moves."""


def filled(row: Row, *, k: int, group: str, missing: str, browsing: str) -> str:
    """The measure string of a row."""
    return row.text.format(k=k, group=repr(group), missing=missing, browsing=browsing)
