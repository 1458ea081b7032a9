"""What statements lead to, in one title, a few answers and a title for each part, computed from what is shown.

Of a share three things can be said: it *moves*, nobody can tell, or it stays; of a loss that it *stays in budget*, that
it is over budget, or that nobody can tell. Below ten queries nothing is said of either. Groups that are named as the
largest are among those that move, by an interval for all groups together.
"""

import math
from typing import NamedTuple

import polars as pl

from fairviz.display.words import THIN, Finding, capital, count, count_word, in_words, listing, number, percent, plural
from fairviz.model import CROSSED
from fairviz.numerals import part_of
from fairviz.points.shares import MOST_UNLABELLED
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.policy_lab.findings import (
    LEAST_PAID,
    budget_words,
    group_name,
    moves_title,
    payers_words,
    shares_in_words,
)
from fairviz.studies.policy_lab.stated import HOLDS, StatedOutcome

MARKS = {"yes": "stays in budget", "no": "over budget", "unlikely": "cannot tell", "cannot tell": "cannot tell"}
"""What may be said of a loss, by what its interval says."""


def stated_finding(found: StatedOutcome) -> Finding:
    """Title and sentence: whether the statements hold or can, what moves, what that costs, who pays most.

    Args:
        found: What holding the statements does.
    """
    groups, stated, n = found.groups.filter("is_stated"), found.statements, found.statements.height
    if not found.cost["n_queries"] or groups["today"].is_nan().all():
        return Finding("No query can be compared", "Quality or shares of attention are undefined for every query.")
    unlabelled = found.stated.unlabelled_share
    if unlabelled > MOST_UNLABELLED:
        title = f"{percent(unlabelled)} of attention goes to documents without a label: statements cannot be checked"
        return Finding(title, "Load labels of more documents.")
    if not n:
        return _nothing_asked(groups)
    if stated["held_today"].all():
        verb = "holds" if n == 1 else "hold"
        return Finding(f"{_all(n)} {verb} today; nothing has to move", _sentence(found))
    failed = stated.filter(~pl.col("holds"))
    if failed.height:
        return Finding(_cannot(found, failed), _sentence(found))
    moved = stated.with_columns(part=(pl.col("change") / pl.col("today")).abs().fill_nan(0.0))
    most = moved.sort("part", descending=True, maintain_order=True).row(0, named=True)
    today, after = shares_in_words(most["today"], most["after"])
    can = "can hold" if n == 1 else "can hold at once"
    gets = f"{capital(group_name(most['group']))} gets {after} of readers’ attention instead of {today}"
    return Finding(f"{_all(n)} {can}: {gets}{quality_words(found)}", _sentence(found))


def _all(n: int) -> str:
    return "The statement" if n == 1 else "Both statements" if n == 2 else f"All {count_word(n)} statements"


def _nothing_asked(groups: pl.DataFrame) -> Finding:
    """Nothing is stated: who gets least and most today."""
    known = groups.filter(pl.col("today").is_not_nan()).sort("today", maintain_order=True)
    least, most = known.row(0, named=True), known.row(-1, named=True)
    shares = shares_in_words(least["today"], most["today"])
    title = f"{capital(group_name(least['group']))} gets {shares[0]} of readers’ attention"
    title = f"Nothing is asked yet: {title}, {group_name(most['group'])} {shares[1]}"
    return Finding(title, "State a share for a group: exactly, at least, at most or between.")


def _cannot(found: StatedOutcome, failed: pl.DataFrame) -> str:
    """Not all statements hold: how many do, and which one falls short most."""
    n, m = found.statements.height, failed.height
    lacking = pl.max_horizontal(pl.col("low") - pl.col("after"), pl.col("after") - pl.col("high"))
    worst = failed.sort(lacking, descending=True, maintain_order=True).row(0, named=True)
    name, is_short = group_name(worst["group"]), worst["after"] < worst["low"]
    asked, after = shares_in_words(worst["low"] if is_short else worst["high"], worst["after"])
    first = f"{capital(count_word(n - m)) if n > m else 'None'} of {count_word(n)} statements can hold"
    first = "The statement cannot hold" if n == 1 else first
    if math.isnan(found.smallest):  # a lottery holds them, one list for everybody does not
        first = f"With one list for everybody {part_of(n - m, plural(n, 'statement'), 'holds', 'hold')}"
        return f"{first}; {name} gets {after} instead of {asked}"
    if is_short and not worst["n_candidates"]:
        return f"{first}; no candidate is labelled {name}"
    if m == 1:
        return f"{first}; {name} {'can reach at most' if is_short else 'gets at least'} {after}, not {asked}"
    missing = f"{number(100 * found.smallest, 1)} points of attention are missing at least"
    return f"{first} at once: {missing}, most of them for {name} ({after} instead of {asked})"


def quality_words(found: StatedOutcome) -> str:
    """The price in a title, after a comma or a semicolon."""
    cost = found.cost
    if found.silent:
        n = min(cost["n_queries"], cost["n_labelled"])
        return f"; {plural(n, 'query is', 'queries are')} too few to say what it costs"
    if math.isnan(cost["change"]):
        return "; the change of quality is undefined"
    size = f"{number(abs(100 * cost['change']), 1)}{THIN}%"
    if cost["stays"] == "no":
        return f", but it costs {size}, more than your {budget_words(found.budget)}"
    if round(100 * cost["change"], 1) == 0:
        return f"; quality changes by less than 0.1{THIN}%"
    return f", and quality rises by {size}, by the judgements" if cost["change"] > 0 else f", for {size} less quality"


def _sentence(found: StatedOutcome) -> str:
    """That nothing loses less, and who pays most."""
    by = "the judgements" if found.stated.settings.judged else "the system’s own scores"
    first = f"No re-ranking of these candidates loses less by {by}."
    if found.fixed:
        first = f"One list for each query: the likeliest of the policy that loses least by {by}."
    return " ".join(filter(None, (first, *payers_words(found.groups.filter("is_stated"), "statement"))))


class Answer(NamedTuple):
    """One of the four answers under the title.

    Attributes:
        question: What is asked.
        mark: "moves", "stays in budget", "over budget", "cannot tell", "too few", or "" for none.
        value: The answer.
        note: What it rests on.
    """

    question: str
    mark: str
    value: str
    note: str


def answers(found: StatedOutcome) -> list[Answer]:
    """Whether statements hold, attention moves, the loss stays in budget, and everybody sees one list."""
    stated, cost, n_queries = found.statements, found.cost, found.cost["n_queries"]
    n, budget = stated.height, budget_words(found.budget)
    held = f"today {part_of(int(stated['held_today'].sum()), str(n), 'holds', 'hold')}"
    missing = f"{number(100 * found.stated.distance_today, 1)} points of attention are missing"
    if found.distance > HOLDS:
        missing += f", {number(100 * found.distance, 1)} after"
    few = "too few" if found.silent else ""
    between = f"{plural(n_queries, 'query leaves', 'queries leave')} it between"
    low, high = (in_words(100 * cost[end], sign=True) for end in ("change_low", "change_high"))
    alone = f"one list in all {count(n_queries)} misses no more"
    if found.missed > HOLDS:
        costs = in_words(100 * found.one_list["change"], sign=True)
        alone = f"one list in all {count(n_queries)} misses by {number(100 * found.missed, 1)} points: {costs}{THIN}%"
    whole = "yes, in every query" if not found.n_lotteries else ""
    holding = part_of(int(stated["holds"].sum()), str(n), "holds", "hold")
    return [
        Answer("Your statements", "", holding, f"{held}; {missing}"),
        Answer("Does attention move?", *_movement(found), "shares of attention, 95 % intervals"),
        Answer(
            f"Does the loss stay in your budget of {budget}?",
            few or MARKS[cost["stays"]],
            f"{in_words(100 * cost['change'], sign=True)}{THIN}%",
            found.silent or f"{between} {low} and {high}{THIN}%",
        ),
        Answer(
            "Is it one list for everybody?",
            "",
            whole or f"in {count(n_queries - found.n_lotteries)} of {plural(n_queries, 'query', 'queries')}",
            alone,
        ),
    ]


def _movement(found: StatedOutcome) -> tuple[str, str]:
    """The mark for all shares of stated attributes that change, and how many of them it is about."""
    moved = found.groups.filter("is_stated", ~pl.col("word").is_in(["stays", ""]))
    if moved.is_empty():
        return "", "no share changes"
    if found.silent:
        return "too few", plural(moved.height, "share changes", "shares change")
    sure = moved.filter(word="moves").height
    if sure == moved.height:
        return "moves", f"all {count(sure)} shares that change" if sure > 2 else "both shares"
    unsure = [group_name(group) for group in moved.filter(word="cannot tell")["group"]]
    which = f"cannot tell: {listing(unsure, most=3)}"
    return ("moves", f"{sure} of {moved.height} shares; {which}") if sure else ("cannot tell", f"{moved.height} shares")


def payments_title(found: StatedOutcome) -> str:
    """Who pays and who gains among the groups of stated attributes, of several the one that moves most."""
    moving = found.groups.filter("is_stated", word="moves")
    if moving.is_empty():
        return moves_title(moving)
    gains = moving.filter(pl.col("change") > 0).group_by("attribute", maintain_order=True).agg(pl.sum("change"))
    first = moving["attribute"][0] if gains.is_empty() else gains.sort("change", descending=True)["attribute"][0]
    return moves_title(moving.filter(attribute=first))


def side_effects_title(found: StatedOutcome) -> str:
    """The largest change of a group of which nothing is stated: of a whole attribute, else of a crossing."""
    several = pl.col("n_candidates") >= MIN_UNITS
    others = found.groups.filter(~pl.col("is_stated"), pl.col("change").abs() >= LEAST_PAID, several)
    moving = others.filter(word="moves")
    if moving.is_empty():
        unsure = plural(others.filter(word="cannot tell").height, "other share moves", "other shares move")
        return "No other share moves by a point or more" if others.is_empty() else f"Cannot tell whether {unsure}"
    own = moving.filter(attribute=moving["attribute"][0])
    size = pl.col("change") if CROSSED in own["attribute"][0] else -pl.col("change").abs()
    row = own.sort(size, maintain_order=True).row(0, named=True)
    verb, points = "gains" if row["change"] > 0 else "loses", number(abs(100 * row["change"]), 1)
    group = group_name(row["group"])
    return f"{capital(row['attribute'])}, about which nothing is asked: {group} {verb} {points} points"


def lists_title(found: StatedOutcome) -> str:
    """In how many queries everybody sees the same list."""
    n, several = found.queries.height, found.queries.filter(pl.col("n_lists") > 1)
    if several.is_empty():
        return "Every query shows one list"
    m, most = several.height, int(several["n_lists"].to_numpy().max())
    lists = f"{'' if most == 2 else 'up to '}{count_word(most)} lists"
    show = part_of(n - m, plural(n, "query", "queries"), "shows", "show")
    return f"{show} the same list to everybody; {count(m)} {'switches' if m == 1 else 'switch'} between {lists}"


def line_title(found: StatedOutcome) -> str:
    """What the exact line says."""
    end = 100 * (found.distance if math.isnan(found.smallest) else found.smallest)
    if math.isnan(found.smallest):
        return "By scores, no method loses less than the solid line"
    return f"Here the line ends: {number(end, 1)} points of attention are missing at least"


def stated_section(found: StatedOutcome) -> tuple[str, tuple[str, ...]]:
    """Title and paragraphs of a report, which holds the labels of one attribute: all but side effects."""
    title, sentence = stated_finding(found)
    if found.statements.is_empty():
        return title, (sentence,)
    marked = [each._replace(mark=f"{each.mark}, " if each.mark else "") for each in answers(found)]
    told = [f"{each.question} {each.mark}{each.value} ({each.note})." for each in marked]
    parts = f"{payments_title(found)}. {lists_title(found)}."
    return title, (sentence, " ".join(told), parts)
