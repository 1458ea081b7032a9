"""What statements lead to and cost, in titles and sentences, computed from what is shown; words that methods share.

Nothing is said of fewer than ten queries, or where more than a fifth of the attention has no label; a movement of less
than a point is none. Title, row, chart and brief say of a setting what its ``verdict`` says: *moves*,
*stays in budget*, *cannot tell*. A cost is always said with the low end of its interval. No word here judges fairness.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from fairviz.display.words import (
    DOCUMENTS,
    THIN,
    Finding,
    called,
    capital,
    count,
    count_word,
    in_words,
    listing,
    noun,
    number,
    percent,
    plural,
    quoted,
    shares_in_words,
)
from fairviz.kernels.grouping import UNLABELLED
from fairviz.numerals import part_of
from fairviz.points.shares import MOST_UNLABELLED
from fairviz.points.targets import WORTH_SAYING, bound_words
from fairviz.reranking.catalogue import find_reranker
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.policy_lab.bench import Row
from fairviz.studies.policy_lab.stated import HOLDS, GroupDepths, Stated, StatedOutcome, exchange, wrong_labels
from fairviz.studies.policy_lab.strengths import in_sight

NAMED, NAMED_MOVING = 4, 2
"""Groups that a sentence names before it counts the rest; the same of those that gain, or pay."""
MOST_DOCUMENTS = 10
"""Documents of one list that a sentence names."""
SCORES = "the system’s own scores"
LEAST_PAID = 0.01
"""Share of attention below which nobody is said to pay, and no side effect is named."""


# Words for numbers.


def group_name(group: str, unit: str = DOCUMENTS) -> str:
    """A group as a title names it.

    Args:
        group: Its name.
        unit: What is ranked.

    Examples:
        >>> [group_name(group) for group in ("Africa", "minority", "unlabelled")]
        ['Africa', '“minority”', 'documents without a label']
    """
    return f"{unit} without a label" if group == UNLABELLED else called(group)


def change_words(change: float) -> str:
    """A relative change of quality, signed; one that rounds to 0 is none.

    Examples:
        >>> change_words(-0.021), change_words(-0.0001)
        ('−2.1\u202f%', '±0.0\u202f%')
    """
    return f"{in_words(100 * change, sign=True)}{THIN}%"


def change_interval(setting: Mapping[str, Any]) -> str:
    """The ends of a change in brackets; nothing where there is no interval.

    Examples:
        >>> change_interval({"change_low": -0.06, "change_high": 0.024})
        ' (−6.0 to +2.4)'
    """
    if math.isnan(setting["change_low"]):
        return ""
    low, high = (in_words(100 * setting[end], sign=True) for end in ("change_low", "change_high"))
    return f" ({low} to {high})"


def searched_words(n_settings: int) -> str:
    """What an interval of a cost is, as captions have it.

    Examples:
        >>> searched_words(60)
        '95 % intervals, widened for the 60 settings that were tried'
    """
    return f"95 % intervals, widened for the {plural(n_settings, 'setting')} that were tried"


def budget_words(budget: float) -> str:
    """A part of quality as a budget is written.

    Examples:
        >>> budget_words(0.03) == "3\u202f%", budget_words(0.025) == "2.5\u202f%"
        (True, True)
    """
    return f"{100 * budget:g}{THIN}%"


# Candidates.


def depth_words(depths: GroupDepths, unit: str = DOCUMENTS) -> str:
    """How deep candidates go, and what re-ranking cannot do.

    Examples:
        >>> import numpy as np
        >>> deep = np.array([100, 240])
        >>> depth_words(GroupDepths(deep, 100, 2, 1, []))
        'The first 100 candidates of each query are re-ranked; for 1 query we look down to rank 240, where some \
groups first appear.'
        >>> depth_words(GroupDepths(deep[:1], 100, 50, 0, [("South", 3)]))
        'The first 100 candidates of each query are re-ranked. Re-ranking cannot add documents: of 50 queries \
3 retrieved none labelled “South”.'
    """
    text = f"The first {count(depths.usual)} candidates of each query are re-ranked"
    if depths.n_deeper:
        deeper = plural(depths.n_deeper, "query", "queries")
        text += f"; for {deeper} we look down to rank {count(depths.deepest)}, where some groups first appear"
    if not depths.nowhere:
        return f"{text}."
    lacking = [f"{count(n)} retrieved none labelled {quoted(name)}" for name, n in depths.nowhere]
    queries = plural(depths.n_queries, "query", "queries")
    return f"{text}. Re-ranking cannot add {unit}: of {queries} {listing(lacking, most=NAMED)}."


# Who gains attention under a setting or under statements, who pays with it, and whether somebody pays who is below what
# is due. Groups that are named are those that move: the interval of their change, for all groups together, excludes 0.


def moves_title(groups: pl.DataFrame, unit: str = DOCUMENTS, share: str = "share") -> str:
    """Who pays and who gains among groups of one attribute.

    Args:
        groups: As of :func:`~fairviz.studies.policy_lab.budget.moved_shares`.
        unit: What is ranked.
        share: What a share of these groups is called.
    """
    moving = groups.filter(word="moves")
    if moving.is_empty():
        few = (groups["word"] == "too few").any()
        return f"Too few queries to say whether any {share} moves" if few else f"No {share} moves significantly"
    gain, pay = (moving.filter(pl.col("change") * sign > 0) for sign in (1, -1))
    points = number(100 * max(float(gain["change"].sum()), -float(pay["change"].sum())), 0)
    sides = [f"{word} {_names(side, unit)}" for word, side in (("from", pay), ("to", gain)) if side.height]
    return f"{plural(int(points), 'point moves', 'points move')} {' '.join(sides)}"


def _names(rows: pl.DataFrame, unit: str) -> str:
    names = [group_name(group, unit) for group in rows.sort(pl.col("change").abs(), descending=True)["group"]]
    return listing(names) if len(names) <= NAMED_MOVING else plural(len(names), "group")


def payers_words(groups: pl.DataFrame, unit: str = DOCUMENTS) -> tuple[str, str]:
    """Who pays most, and who pays although below its statement; each empty where nobody does.

    Args:
        groups: As of :func:`~fairviz.studies.policy_lab.budget.moved_shares`, with the ``low`` end of what is stated,
            and whether anything is: ``has_statement``.
        unit: What is ranked.
    """
    payers = groups.filter(pl.col("word") == "moves", pl.col("change") <= -LEAST_PAID).sort("change")
    if payers.is_empty():
        return "", ""
    first = payers.row(0, named=True)
    free = "" if first["has_statement"] else "has no statement and "
    points = number(-100 * first["change"], 0)
    most = f"{capital(group_name(first['group'], unit))} {free}pays most, {plural(int(points), 'point')}."
    below = [group_name(group, unit) for group in payers.filter(pl.col("low") - pl.col("after") > HOLDS)["group"]]
    if not below:
        return most, ""
    verb = "is below its statement and loses" if len(below) == 1 else "are below their statements and lose"
    return most, f"{capital(listing(below, most=NAMED_MOVING))} {verb} more."


# What statements lead to, in one title, a few answers and a title for each part, computed from what is shown.
#
# Of a share three things can be said: it *moves*, nobody can tell, or it stays; of a loss that it *stays in budget*,
# that it is over budget, or that nobody can tell. Below ten queries nothing is said of either. Groups that are named as
# the largest are among those that move, by an interval for all groups together.

MARKS = {"yes": "stays in budget", "no": "over budget", "unlikely": "cannot tell", "cannot tell": "cannot tell"}
"""What may be said of a loss, by what its interval says."""


def stated_finding(outcome: StatedOutcome) -> Finding:
    """Title and sentence: whether the statements hold or can, what moves, what that costs, who pays most.

    Args:
        outcome: What holding the statements does.
    """
    groups, stated, n = outcome.groups.filter("is_stated"), outcome.statements, outcome.statements.height
    if not outcome.cost["n_queries"] or groups["today"].is_nan().all():
        reason = "Quality, shares of attention or weight are undefined for every query."
        return Finding("No query can be compared", reason)
    unlabelled = outcome.stated.unlabelled_share
    if unlabelled > MOST_UNLABELLED:
        title = (
            f"{percent(unlabelled)} of attention goes to {outcome.unit} without a label: statements cannot be checked"
        )
        return Finding(title, f"Load labels of more {outcome.unit}.")
    if not n:
        return _nothing_asked(groups, outcome.unit)
    if stated["held_today"].all():
        verb = "holds" if n == 1 else "hold"
        return Finding(f"{_all(n)} {verb} today; nothing has to move", _sentence(outcome))
    failed = stated.filter(~pl.col("holds"))
    if failed.height:
        return Finding(_cannot(outcome, failed), _sentence(outcome))
    most = _most_moved(stated)
    today, after = shares_in_words(most["today"], most["after"])
    can = "can hold" if n == 1 else "can hold at once"
    gets = f"{capital(group_name(most['group'], outcome.unit))} gets {after} of readers’ attention instead of {today}"
    return Finding(f"{_all(n)} {can}: {gets}{quality_words(outcome)}", _sentence(outcome))


def _most_moved(stated: pl.DataFrame) -> Row:
    """The group with a statement whose share changes most in proportion."""
    part = (pl.col("change") / pl.col("today")).abs().fill_nan(0.0)
    return stated.sort(part, descending=True, maintain_order=True).row(0, named=True)


def _all(n: int) -> str:
    return "The statement" if n == 1 else "Both statements" if n == 2 else f"All {count_word(n)} statements"


def _nothing_asked(groups: pl.DataFrame, unit: str) -> Finding:
    """Nothing is stated: who gets least and most today."""
    defined = groups.filter(pl.col("today").is_not_nan()).sort("today", maintain_order=True)
    least, most = defined.row(0, named=True), defined.row(-1, named=True)
    shares = shares_in_words(least["today"], most["today"])
    title = f"{capital(group_name(least['group'], unit))} gets {shares[0]} of readers’ attention"
    title = f"Nothing is asked yet: {title}, {group_name(most['group'], unit)} {shares[1]}"
    return Finding(title, "State a share for a group: exactly, at least, at most or between.")


def _cannot(outcome: StatedOutcome, failed: pl.DataFrame) -> str:
    """Not all statements hold: how many can where one alone is out of reach, and which one falls short most."""
    n, m = outcome.statements.height, failed.height
    lacking = pl.max_horizontal(pl.col("low") - pl.col("after"), pl.col("after") - pl.col("high"))
    worst = failed.sort(lacking, descending=True, maintain_order=True).row(0, named=True)
    name, is_short = group_name(worst["group"], outcome.unit), worst["after"] < worst["low"]
    bound, after = shares_in_words(worst["low"] if is_short else worst["high"], worst["after"])
    is_alone = outcome.statements["holds_back"].sum() == m == 1
    first = f"{capital(count_word(n - 1))} of {count_word(n)} statements can hold"
    if n == 1 or not is_alone:
        first = "The statement cannot hold" if n == 1 else f"Not {_all(n).lower()} can hold"
    if math.isnan(outcome.smallest):  # a lottery holds them, one list for everybody does not
        holding = "the statement does not hold"
        if n > 1:
            holding = part_of(n - m, plural(n, "statement"), "holds", "hold")
        first = f"With one list for everybody {holding}"
        return f"{first}; {name} gets {after} instead of {bound}"
    if is_short and not worst["n_candidates"]:
        return f"{first}; no candidate is labelled {name}"
    if is_alone:
        return f"{first}; {name} {'can reach at most' if is_short else 'gets at least'} {after}, not {bound}"
    missing = f"{number(100 * outcome.smallest, 1)} points of attention are missing at least"
    return f"{first} at once: {missing}, {'all' if m == 1 else 'most'} of them for {name} ({after} instead of {bound})"


def quality_words(outcome: StatedOutcome) -> str:
    """The price in a title, after a comma or a semicolon."""
    cost = outcome.cost
    if outcome.stated.is_census:
        n, first = len(exchange(outcome)[0]), _first_ranks(outcome)
        enter = f"{count_word(n)} {noun(outcome.unit, n)} {'enters' if n == 1 else 'enter'} {first}"
        return f"; {enter if n else f'{first} stay the same'}, {_levels(outcome)}"
    if outcome.silent:
        n = min(cost["n_queries"], cost["n_labelled"])
        return f"; {plural(n, 'query is', 'queries are')} too few to say what it costs"
    if math.isnan(cost["change"]):
        return "; the change of quality is undefined"
    size, by = f"{number(abs(100 * cost['change']), 1)}{THIN}%", "" if outcome.is_judged else f" by {SCORES}"
    if cost["stays"] == "no":
        return f", but it costs {size}{by}, more than your {budget_words(outcome.budget)}"
    low, high = (in_words(100 * cost[end], sign=True) for end in ("change_low", "change_high"))
    spread = "" if math.isnan(cost["change_low"]) else f" (could be {low} to {high}{THIN}%)"
    if round(100 * cost["change"], 1) == 0:
        return f"; quality changes by less than 0.1{THIN}%{spread}"
    way = "more" if cost["change"] > 0 else "less"
    return f", for {size} {way} quality{by}{spread}"


def _first_ranks(outcome: StatedOutcome) -> str:
    """The ranks that count of one list, of a lottery those of its likeliest list."""
    first = f"the first {count_word(outcome.stated.settings.k)}"
    return f"{first} of the likeliest list" if outcome.n_lotteries else first


def _levels(outcome: StatedOutcome) -> str:
    """Quality of one list, before and after."""
    before = float(outcome.stated.today.qualities[outcome.stated.queries[0]])
    after = before + float(outcome.queries["change"][0])
    return f"{outcome.stated.settings.quality_label} {number(before, 2)} → {number(after, 2)}"


def _documents(outcome: StatedOutcome) -> str:
    """The documents that enter and leave one list; empty for several lists, and where none does."""
    if not outcome.stated.is_census or not (made := exchange(outcome))[0]:
        return ""
    into, out = (listing([quoted(doc) for doc in docs], most=MOST_DOCUMENTS) for docs in made)
    return f"Into {_first_ranks(outcome)}: {into}; out: {out}."


def _sentence(outcome: StatedOutcome) -> str:
    """The sentence that nothing loses less, and who pays most."""
    by = "the judgements" if outcome.stated.settings.judged else SCORES
    first = f"No re-ranking of these candidates loses less by {by}."
    if outcome.stated.is_flat:
        first = f"By {by} all candidates are alike: these lists are some of many that hold what you ask for."
    if outcome.fixed:
        first = f"One list for each query: the likeliest of the policy that loses least by {by}."
    if outcome.stated.weights is not None:
        first = f"{first} Queries count as often as they are asked."
    paid = payers_words(outcome.groups.filter("is_stated"), outcome.unit)
    return " ".join(filter(None, (first, _held_back(outcome), _documents(outcome), *paid)))


def _held_back(outcome: StatedOutcome) -> str:
    """The statements that together leave no policy nearer; empty for one, which the title names."""
    rows = outcome.statements.filter("holds_back").rows(named=True)
    names = [f"{group_name(row['group'], outcome.unit)} ({bound_words(row['low'], row['high'])})" for row in rows]
    return f"They stand in each other’s way: {listing(names)}." if len(names) > 1 else ""


def answers(outcome: StatedOutcome) -> list[tuple[str, str, str, str]]:
    """Whether statements hold, attention moves, the loss stays in budget, and everybody sees one list.

    Returns:
        Of each question itself; a mark: "moves", "stays in budget", "over budget", "cannot tell", "too few", or "" for
        none; the answer; and what it rests on.
    """
    stated, cost, n_queries = outcome.statements, outcome.cost, outcome.cost["n_queries"]
    n, census = str(stated.height), outcome.stated.is_census
    today, holding = (part_of(int(stated[key].sum()), n, "holds", "hold") for key in ("held_today", "holds"))
    missing = f"{number(100 * outcome.stated.distance_today, 1)} points of attention are missing"
    if outcome.distance > HOLDS:
        missing += f", {number(100 * outcome.distance, 1)} after"
    rests_on = "one list: shares are exact" if census else "shares of attention, 95 % intervals"
    loss = f"Does the loss stay in your budget of {budget_words(outcome.budget)}?"
    in_budget = "" if census else "too few" if outcome.silent else MARKS[cost["stays"]]
    between = f"{plural(n_queries, 'search (query) leaves', 'searches (queries) leave')} it between"
    low, high = (in_words(100 * cost[end], sign=True) for end in ("change_low", "change_high"))
    spread = outcome.silent or f"{between} {low} and {high}{THIN}%"
    alone = f"one list in all {count(n_queries)} misses no more"
    if outcome.missed > HOLDS:
        costs = in_words(100 * outcome.one_list["change"], sign=True)
        alone = f"one list in all {count(n_queries)} misses by {number(100 * outcome.missed, 1)} points: {costs}{THIN}%"
    whole = f"in {count(n_queries - outcome.n_lotteries)} of {plural(n_queries, 'query', 'queries')}"
    return [
        ("Your statements", "", holding, f"today {today}; {missing}"),
        ("Does attention move?", *_movement(outcome), rests_on),
        (loss, in_budget, change_words(cost["change"]), f"one list, exact: {_levels(outcome)}" if census else spread),
        ("Is it one list for everybody?", "", whole if outcome.n_lotteries else "yes, in every query", alone),
    ]


def _movement(outcome: StatedOutcome) -> tuple[str, str]:
    """The mark for all shares of stated attributes that change, and how many of them it is about."""
    moved = outcome.groups.filter("is_stated", ~pl.col("word").is_in(["stays", ""]))
    if moved.is_empty():
        return "", "no share changes"
    if outcome.silent:
        return "" if outcome.stated.is_census else "too few", plural(moved.height, "share changes", "shares change")
    sure = moved.filter(word="moves").height
    if sure == moved.height:
        return "moves", f"all {count(sure)} shares that change" if sure > 2 else "both shares"
    unsure = [group_name(group, outcome.unit) for group in moved.filter(word="cannot tell")["group"]]
    which = f"cannot tell: {listing(unsure, most=3)}"
    return ("moves", f"{sure} of {moved.height} shares; {which}") if sure else ("cannot tell", f"{moved.height} shares")


def payments_title(outcome: StatedOutcome) -> str:
    """Who pays and who gains among the groups of stated attributes, of several the one that moves most."""
    stated = outcome.groups.filter("is_stated")
    moving = stated.filter(word="moves")
    if moving.is_empty():
        return moves_title(stated, outcome.unit)
    gains = moving.filter(pl.col("change") > 0).group_by("attribute", maintain_order=True).agg(pl.sum("change"))
    first = moving["attribute"][0] if gains.is_empty() else gains.sort("change", descending=True)["attribute"][0]
    return moves_title(moving.filter(attribute=first), outcome.unit)


def changes_words(outcome: StatedOutcome) -> str:
    """What the changes of shares are, below their titles."""
    exact = "one list, exact: there is no interval"
    interval = exact if outcome.stated.is_census else f"95{THIN}% interval for all groups of the table together"
    return f"Change of the share of attention, points; {interval}."


def side_effects_title(outcome: StatedOutcome) -> str:
    """What moves among groups of which nothing is stated: of the first attribute that moves, crossings last."""
    several = pl.col("n_candidates") >= MIN_UNITS
    others = outcome.groups.filter(~pl.col("is_stated"), pl.col("change").abs() >= LEAST_PAID, several)
    if others.is_empty():
        return "No other share moves by a point or more"
    moving = others.filter(word="moves")
    if moving.is_empty():
        return moves_title(others, outcome.unit, share="other share")
    attribute = moving["attribute"][0]
    moves = moves_title(moving.filter(attribute=attribute), outcome.unit)
    return f"{capital(attribute)}, about which nothing is asked: {moves}"


def lists_title(outcome: StatedOutcome) -> str:
    """In how many queries everybody sees the same list."""
    n, several = outcome.queries.height, outcome.queries.filter(pl.col("n_lists") > 1)
    if several.is_empty():
        return "Every query shows one list"
    m, most = several.height, int(several["n_lists"].to_numpy().max())
    if n == 1:
        return f"Each visit shows one of {count_word(most)} lists, drawn by chance"
    lists = f"{'' if most == 2 else 'up to '}{count_word(most)} lists"
    show = part_of(n - m, plural(n, "query", "queries"), "shows", "show")
    return f"{show} the same list to everybody; {count(m)} {'switches' if m == 1 else 'switch'} between {lists}"


def line_title(outcome: StatedOutcome) -> str:
    """What the exact line says."""
    end = 100 * (outcome.distance if math.isnan(outcome.smallest) else outcome.smallest)
    if math.isnan(outcome.smallest):
        return "By scores, nothing lies above the solid line"
    return f"Here the line ends: {number(end, 1)} points of attention are missing at least"


# What the statements rest on: labels that may be wrong, candidates, and all that the data do not show.


def still_words(*, still: bool) -> str:
    """What may be said of a statement while labels may be wrong."""
    return "can still be said to hold" if still else "cannot be said to hold"


def wrong_words(outcome: StatedOutcome, wrong: float, of_groups: Sequence[str] = ()) -> str:
    """Whether statements hold if labels were wrong, and between what the share of the title's group would lie.

    Args:
        outcome: What holding the statements does.
        wrong: Part of the labels that is wrong, 0 … 1.
        of_groups: Of single groups, GROUP=PERCENT.
    """
    rows = wrong_labels(outcome, wrong, of_groups).filter("has_statement")
    row = _most_moved(rows)
    n, still = rows.height, int(rows["still_holds"].sum())
    name, (low, high) = group_name(row["group"], outcome.unit), shares_in_words(row["least"], row["most"])
    between = f"With {budget_words(wrong)} wrong labels, the share of {name} lies between {low} and {high}"
    if n == 1:
        return f"{between}: the statement {still_words(still=still == 1)}"
    if still in (0, n):
        return f"{between}: {'no statement can' if not still else 'every statement can still'} be said to hold"
    return f"{between}; {count_word(still)} of {count_word(n)} statements can still be said to hold"


def four_fifths_words(outcome: StatedOutcome) -> str:
    r"""Attention per candidate of the worst group beside the best, of the first attribute that is stated.

    .. math:: \min_g \frac{s_g}{n_g} \Big/ \max_g \frac{s_g}{n_g}

    Args:
        outcome: What holding the statements does; its groups have shares s and candidates n.

    Returns:
        Today's ratio and the one after, each with its two groups; empty where a group has fewer than ten candidates, or
        there is no labelled attention.
    """
    groups = outcome.groups.filter(attribute=outcome.groups["attribute"][0])
    if groups.height < 2 or groups["n_candidates"].to_numpy().min() < MIN_UNITS:
        return ""
    values: list[str] = []
    for side in ("today",) if outcome.statements.is_empty() else ("today", "after"):
        per_candidate = groups.select("group", ratio=pl.col(side) / pl.col("base")).sort("ratio", maintain_order=True)
        (least, low), (most, high) = per_candidate.row(0), per_candidate.row(-1)
        if not high > 0:
            return ""
        names = f"{group_name(least, outcome.unit)} to {group_name(most, outcome.unit)}"
        values.append(f"{number(low / high, 2)} {side} ({names})")
    return (
        f"Four-fifths ratio, attention per candidate: {', '.join(values)}. "
        "A rule of thumb of US employment law about selection rates, not about attention."
    )


def without_quality(stated: Stated) -> str:
    """Queries of the run that are in no number since their quality is undefined, and what counts them; else empty."""
    n, quality = stated.n_without_quality, stated.settings.quality_label
    if not n:
        return ""
    counted = ", nothing is judged relevant (fairviz evaluate counts it 0)" if stated.settings.quality == "nDCG" else ""
    return f"{plural(n, 'query', 'queries')} left out: {quality} is undefined{counted}"


def limits(outcome: StatedOutcome) -> list[Finding]:
    """What the data that are loaded do not show, in a few words, and what they hold instead."""
    stated, n = outcome.stated, outcome.cost["n_queries"]
    depths, settings = stated.depths, stated.settings
    reach = f"the first {count(depths.usual)}"
    if depths.n_deeper:
        reach += f", for {plural(depths.n_deeper, 'query', 'queries')} up to {count(depths.deepest)},"
    system = stated.beside.of.ranked.system
    end = f"Attention is assumed to fall with rank and to end after rank {settings.k}."
    shown = [
        Finding(
            f"a service that adds {outcome.unit}", f"Only {reach} candidates of {system} are put in another order."
        ),
        Finding("readers who scroll further", end),
        Finding(f"queries other than {'this one' if n == 1 else f'these {count(n)}'}", _of_queries(n)),
    ]
    if stated.weights is None and n > 1:
        shown.append(Finding("how often each query is asked", "All count alike: load a table of query_id and weight."))
    if without := without_quality(stated):
        shown.append(Finding(f"queries without {settings.quality_label}", f"{capital(without)}."))
    if stated.n_without_weight:
        without = f"Left out: {plural(stated.n_without_weight, 'query', 'queries')} of the run."
        shown.append(Finding("queries without a weight", without))
    if stated.unlabelled_share > WORTH_SAYING:
        missing = f"{percent(stated.unlabelled_share)} of today’s attention goes to them; it is in no share."
        shown.append(Finding(f"{outcome.unit} without a label", missing))
    return shown


def _of_queries(n: int) -> str:
    if n == 1:
        return "It is one list, and nothing is said of another."
    few = f"{plural(n, 'query', 'queries')} are too few to say anything of others."
    return few if n < MIN_UNITS else "The intervals are about queries drawn as these were."


def line_words(outcome: StatedOutcome, crosses: pl.DataFrame | None = None) -> str:
    """What is drawn below the title of the exact line, and which methods lie above the other one by judgements.

    Args:
        outcome: What holding the statements does.
        crosses: Other methods, as of :meth:`~fairviz.studies.policy_lab.strengths.Prices.crosses`, where drawn.
    """
    solid = "Least loss at each distance from your statements, exact."
    judged = f"Dashed: the same lists by judgements, 95{THIN}%." if outcome.is_judged else f"By {SCORES}."
    parts = [solid, judged]
    if crosses is not None and not crosses.is_empty():
        parts.append(f"Crosses: other methods by scores{_out_of_sight(outcome, crosses)}.")
        line = outcome.frontier.sort("distance").select("distance", "change").to_numpy().T
        above = crosses.filter(pl.col("change") > np.interp(crosses["distance"].to_numpy(), *line) + LEAST_PAID / 10)
        names = [find_reranker(name).label for name in above["method"]]
        if names and outcome.is_judged:
            lie = "lies" if len(names) == 1 else "lie"
            parts.append(f"By judgements, as estimated, {listing(names)} {lie} above the dashed line.")
    return " ".join(parts)


def _out_of_sight(outcome: StatedOutcome, crosses: pl.DataFrame) -> str:
    """How many methods the picture has no place for, and which; empty where it has all."""
    out = crosses.join(in_sight(outcome, crosses), on="method", how="anti", maintain_order="left")
    if out.is_empty():
        return ""
    lie = part_of(out.height, str(crosses.height), "lies", "lie")
    return f"; {lie} outside the picture ({listing([find_reranker(name).label for name in out['method']])})"


def stated_section(outcome: StatedOutcome) -> tuple[str, tuple[str, ...]]:
    """Title and paragraphs of a report, which holds the labels of one attribute: all but side effects."""
    title, sentence = stated_finding(outcome)
    if outcome.statements.is_empty():
        return title, (sentence,)
    marked = ((question, f"{mark}, " if mark else "", *rest) for question, mark, *rest in answers(outcome))
    lines = [f"{question} {mark}{value} ({note})." for question, mark, value, note in marked]
    parts = f"{payments_title(outcome)}. {lists_title(outcome)}."
    return title, tuple(filter(None, (sentence, " ".join(lines), parts, four_fifths_words(outcome))))


def lists_file_words(outcome: StatedOutcome, *, n_samples: int) -> str:
    """What the file of the lists that hold the statements has in it."""
    about = f"The lists that hold your statements: {lists_title(outcome)}."
    if not outcome.n_lotteries:
        return about
    seed = outcome.stated.settings.seed
    return f"{about} The file holds {n_samples} drawn rankings of each query, seed {seed}, their number in column 2."
