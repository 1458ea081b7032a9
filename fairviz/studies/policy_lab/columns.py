"""Results of the Policy lab as rows: how far each method gets, every setting, shares by group, one query."""

import math
from collections.abc import Mapping, Sequence

import polars as pl

from fairviz.display.table import Cell, Column, Table, keyed, labelled
from fairviz.display.words import capital, in_words, plural
from fairviz.points.targets import bound_words
from fairviz.reranking.catalogue import find_reranker
from fairviz.studies.policy_lab.bench import TODAY, Row
from fairviz.studies.policy_lab.budget import Outcome
from fairviz.studies.policy_lab.findings import searched_words, still_words
from fairviz.studies.policy_lab.methods_findings import reach_words
from fairviz.studies.policy_lab.proposals import KEY, Proposal, budget_mark, payers_cell, shown_groups, statements_words
from fairviz.studies.policy_lab.since import LaterShares, since_words
from fairviz.studies.policy_lab.stated import StatedOutcome, wrong_labels
from fairviz.studies.policy_lab.strengths import strength_of

CHANGE = labelled("signed", change_percent="change of quality, %", low="", high="")
"""Change of mean quality in percent of today's, with its interval."""

ALWAYS, AT_RANDOM = "always the same", "drawn at random"
"""What two visits to one query see."""

RANDOMLY = "Lists drawn at random: each visit shows one of several lists, numbers are averages over visits."

METHODS = (
    Column("reranker", "Method"),
    *keyed("lists", "strength", "verdict"),
    *labelled("number", off_target="distance", certain_off_target="distance, where it moves and stays in budget"),
    *CHANGE,
    *labelled("number", n_worse="queries worse", n_better="better", n_unchanged="unchanged"),
    Column("p_corrected", "p closer, corrected for all that was tried", "p"),
    Column("words", "in words"),
)
POINTS = (
    *labelled(system="", reranker="method"),
    Column("strength", kind="number"),
    Column("lists"),
    *labelled("number", off_target="distance", moved="", quality=""),
    *CHANGE,
    *labelled("number", n_queries="", n_undefined="", n_worse="worse", n_better="better", n_unchanged="unchanged"),
    Column("n_labelled", "queries with labels", "number"),
    Column("verdict"),
)


def methods_table(outcome: Outcome, refused: Mapping[str, str]) -> Table:
    """One row per method: the best first, those over the budget last, then those that do not apply.

    Args:
        outcome: What the budget buys.
        refused: Why other methods do not apply.
    """
    rows = [_method_row(reach, outcome) for reach in outcome.reaches]
    rows += [{"reranker": _label(name), "words": f"left out: {reason}"} for name, reason in refused.items()]
    caption = (
        f"What each method achieves for {100 * outcome.budget:g} % of quality ({outcome.quality}). "
        f"{capital(searched_words(outcome.tried.height))}. {RANDOMLY} Distance: points of attention {outcome.off}."
    )
    return Table.of(rows, METHODS, caption, decimals=1)


def _label(method: str) -> str:
    return find_reranker(method).label


def _method_row(reach: Row, outcome: Outcome) -> dict[str, Cell]:
    shown, sure, name = reach["shown"], reach["sure"], reach["method"]
    row: dict[str, Cell] = {"reranker": _label(name), "words": outcome.silent or reach_words(reach, outcome)}
    if shown is None or outcome.silent:
        return row
    strength = f"{strength_of(find_reranker(name)).symbol} = {shown['strength']:g}"
    more: dict[str, Cell] = {"certain_off_target": sure and sure["off"], "p_corrected": shown["p"]}
    return row | _setting_row(shown) | more | {"strength": strength}


def _setting_row(setting: Row) -> dict[str, Cell]:
    values: dict[str, Cell] = {key: setting[key] for key in ("strength", "moved", "quality")}
    values["off_target"] = setting["off"]
    values |= {key: 100 * setting[of] for key, of in CHANGES.items()}
    lists = ALWAYS if setting["is_fixed"] else AT_RANDOM
    return values | {"lists": lists, "verdict": setting["verdict"]} | {key: setting[key] for key in COUNTS}


CHANGES = {"change_percent": "change", "low": "change_low", "high": "change_high"}
"""Columns in percent, and what they are of."""
COUNTS = tuple(f"n_{kind}" for kind in ("queries", "undefined", "worse", "better", "unchanged", "labelled"))
"""What queries are counted by."""


def point_table(outcome: Outcome, system: str) -> Table:
    """Every setting of every method, unrounded in CSV.

    Args:
        outcome: What the budget buys.
        system: Name of the run.
    """
    unknown = dict.fromkeys(("change_low", "change_high"), math.nan)
    still: dict[str, Cell] = {"lists": ALWAYS, "moved": 0.0, "change_percent": 0.0}
    rows = [_setting_row(outcome.now | unknown | {"verdict": None}) | {"reranker": TODAY} | still]
    rows += [_setting_row(each) | {"reranker": _label(each["method"])} for each in outcome.settings.rows(named=True)]
    return Table.of(
        [row | {"system": system} for row in rows],
        POINTS,
        f"Every setting of every method beside today's lists; {searched_words(outcome.tried.height)}; lists drawn at "
        f"random: averages over visits. Distance: points of attention {outcome.off}.",
    )


# What statements ask for, and what holding them does.

STATED = ("attribute", "group", "statement", "today", "after", "change", "low", "high", "word", "next_point")
"""Columns of the statements that are read in a report."""
MOVES = (
    *labelled("number", today="today, %", after="after, %"),
    *labelled("signed", change="change, points", low="", high=""),
    Column("word", "what may be said"),
)
"""Shares of attention today and after, and what lies between."""
STATEMENTS = (
    *keyed("attribute", "group", "statement"),
    *(Column(end, f"{end}, %", "number", audience="programs") for end in ("least", "most")),
    *MOVES,
    *labelled(held_today="held today", holds="holds after"),
    Column("next_point", "next point: change of quality by scores, %", "signed", decimals=2),
    Column("holds_back", "holds the others back"),
)
SIDE_EFFECTS = (*keyed("attribute", "group"), Column("n_candidates", "candidates", "number"), *MOVES)
LEAST_LOSS = (
    Column("distance", "points of attention missing", "number"),
    Column("change_by_scores", "change of quality by scores, %", "signed", decimals=2),
    *CHANGE,
    Column("n_lotteries", "queries with several lists", "number"),
)
WRONG_LABELS = (
    *keyed("attribute", "group", "statement"),
    *labelled("number", after="after, %", least="at least, %", most="at most, %"),
    Column("words", "what can be said"),
)
LISTS = (
    Column("query"),
    *labelled("number", n_lists="lists", chance="shown to, % of visits"),
    Column("change", "change of quality", "signed", decimals=3),
)


def statements_table(outcome: StatedOutcome) -> Table:
    """A row for every group of the attributes of which something is stated; without statements, of the one that counts.

    Args:
        outcome: What holding the statements does.
    """
    reaches = "holds them" if outcome.statements["holds"].all() else "comes nearest to them"
    caption = (
        "Statements about shares of labelled attention, all queries together: today, and under the policy that "
        f"{reaches} for the least loss by scores. {_together(outcome)} Next point: what one more point costs."
    )
    return Table.of(_cells(outcome.groups.filter("is_stated")), STATEMENTS, caption, decimals=1)


def side_effects_table(outcome: StatedOutcome) -> Table:
    """A row for every group of every attribute of which nothing is stated, crossings last.

    Args:
        outcome: What holding the statements does.
    """
    caption = f"Shares of labelled attention by attributes of which nothing is stated. {_together(outcome)}"
    return Table.of(_cells(outcome.groups.filter(~pl.col("is_stated"))), SIDE_EFFECTS, caption, decimals=1)


def _cells(groups: pl.DataFrame) -> pl.DataFrame:
    """Groups as tables show them: shares and changes in percent, statements and what becomes of them in words."""
    yes, no = pl.lit("yes"), pl.lit("no")
    return groups.with_columns(
        pl.col("today", "after", "change") * 100,
        _statements(groups),
        low=100 * pl.col("change_low"),
        high=100 * pl.col("change_high"),
        least=pl.when(pl.col("low") > 0).then(100 * pl.col("low")),
        most=pl.when(pl.col("high") < 1).then(100 * pl.col("high")),
        word=pl.when(pl.col("word") != "").then("word"),
        held_today=pl.when("has_statement").then(pl.when("held_today").then(yes).otherwise(no)),
        holds=pl.when("has_statement").then(pl.when("holds").then(yes).otherwise(no)),
        holds_back=pl.when("holds_back").then(yes),
        next_point="price",
    )


def _statements(groups: pl.DataFrame) -> pl.Series:
    return pl.Series("statement", [bound_words(*ends) for ends in groups.select("low", "high").rows()], dtype=pl.String)


def _together(outcome: StatedOutcome) -> str:
    queries = plural(outcome.cost["n_queries"], "query", "queries")
    weighed = "" if outcome.stated.weights is None else ", weighed by how often each is asked"
    if outcome.stated.is_census:
        return EXACT
    return f"95 % intervals of the changes, for all groups of the table together, over {queries}{weighed}."


EXACT = "One list, exact: there are no intervals."
"""Of a run of one list."""


def proposals_table(proposals: Sequence[Proposal]) -> Table:
    """Today's shares, then a row for each proposal: what it states, the shares it leads to, its price, who pays.

    Args:
        proposals: One or several.
    """
    groups = shown_groups(proposals)
    keys = [f"{attribute}.{group}" for attribute, group, _ in groups.rows()]
    shares = (Column(key, group, "number") for key, group in zip(keys, groups["group"], strict=True))
    columns = (
        *keyed("proposal", "statements"),
        *shares,
        *CHANGE,
        *labelled(word="in budget?", payers="pays most, points"),
        Column("n_one_list", "queries with one list", "number", decimals=0),
        Column("n_queries", "queries", "number", decimals=0),
    )
    rows: list[dict[str, Cell]] = [
        {"proposal": TODAY} | dict(zip(keys, (100 * groups["today"]).to_list(), strict=True))
    ]
    for each in proposals:
        after = groups.join(each.groups, on=KEY, maintain_order="left")["after"] * 100
        rows.append(
            {"proposal": each.name, "statements": statements_words(each.groups), "word": budget_mark(each)}
            | dict(zip(keys, after.to_list(), strict=True))
            | {key: 100 * each.cost[of] for key, of in CHANGES.items()}
            | {"payers": payers_cell(each.groups), "n_one_list": each.n_one_list, "n_queries": each.n_queries}
        )
    with_ends = "" if proposals[0].is_census else " with a 95 % interval, paired with today"
    caption = (
        f"Proposals: share of labelled attention of each group after it, %; change of quality{with_ends}; who pays "
        "most, in points."
    )
    return Table.of(rows, columns, caption, decimals=1)


SINCE = (
    *keyed("attribute", "group"),
    *labelled("number", then="then, %", now="now, %"),
    *labelled("signed", change="change, points", low="", high=""),
    Column("p", kind="p", audience="programs"),
    Column("p_holm", "p", kind="p", decimals=3),
    Column("verdict", kind="tone"),
    *keyed("statement", "limit"),
)


def since_table(compared: LaterShares) -> Table:
    """A row for every group: its share then and now, the change paired by query, whether a limit was crossed.

    Args:
        compared: Two runs of different dates.
    """
    limits = pl.when("is_broken").then(pl.lit("crossed")).when("is_mended").then(pl.lit("kept again"))
    bounds = compared.groups.select("least", "most").rows()
    statements = [bound_words(*ends) if ends != (0.0, 1.0) else None for ends in bounds]
    cells = compared.groups.with_columns(
        pl.col("then", "now", "change", "low", "high") * 100,
        pl.Series("statement", statements, dtype=pl.String),
        limit=limits,
    )
    return Table.of(
        cells,
        SINCE,
        f"Shares of labelled attention of {since_words(compared)}; 95 % intervals of changes, paired by query; p after "
        f"Holm over {plural(compared.groups.height, 'group')}.",
        decimals=1,
    )


AGREED = (
    *keyed("attribute", "group"),
    *labelled("number", today="today, %", least="least, %", most="most, %"),
    *labelled(side="all proposals", is_sure="moves under all of them"),
)


def agreed_table(groups: pl.DataFrame, n: int) -> Table:
    """A row for every group: the least and the largest share that a proposal leads to, and what all of them agree on.

    Args:
        groups: As of :func:`~fairviz.studies.policy_lab.proposals.agreed`.
        n: Proposals.
    """
    cells = groups.with_columns(
        pl.col("today", "least", "most") * 100,
        pl.when(pl.col("side") != "").then("side"),
        pl.when("is_sure").then(pl.lit("yes")).otherwise(pl.lit("no")).alias("is_sure"),
    )
    caption = (
        f"What {plural(n, 'proposal leads', 'proposals lead')} to, group by group: shares of labelled attention, %."
    )
    return Table.of(cells, AGREED, caption, decimals=1)


def least_loss_table(outcome: StatedOutcome) -> Table:
    """The least loss at each distance from the statements, today's first.

    Args:
        outcome: What holding the statements does.
    """
    rows = outcome.frontier.select(
        "distance",
        "n_lotteries",
        change_by_scores=100 * pl.col("by_scores"),
        **{key: 100 * pl.col(of) for key, of in CHANGES.items()},
    )
    caption = (
        "Least loss at each distance: points of attention that still have to move until every statement holds, of "
        "several attributes those of the furthest. By scores no setting of any method loses less at that distance; "
        f"change of quality: the same lists by {'the judgements' if outcome.is_judged else 'scores, with the cutoff'} "
        f"({outcome.stated.settings.quality_label}). {EXACT if outcome.stated.is_census else '95 % intervals.'}"
    )
    return Table.of(rows, LEAST_LOSS, caption, decimals=1)


def wrong_labels_table(outcome: StatedOutcome, wrong: float, of_groups: Sequence[str] = ()) -> Table:
    """A row for every group of a stated attribute: what its share may be, and whether its statement still holds.

    Args:
        outcome: What holding the statements does.
        wrong: Part of the labels that is wrong, 0 … 1.
        of_groups: Of single groups, GROUP=PERCENT.
    """
    groups = wrong_labels(outcome, wrong, of_groups)
    holds = pl.when("still_holds").then(pl.lit(still_words(still=True))).otherwise(pl.lit(still_words(still=False)))
    cells = groups.with_columns(
        pl.col("after", "least", "most") * 100, _statements(groups), words=pl.when("has_statement").then(holds)
    )
    caption = (
        "Between what the share of each group lies under the policy that holds the statements if "
        f"{in_words(100 * wrong)} % of the labels of every {'other group' if of_groups else 'group'}, counted by "
        f"attention, were wrong{''.join(f', {each} %' for each in of_groups)}."
    )
    return Table.of(cells, WRONG_LABELS, caption, decimals=1)


def lists_table(outcome: StatedOutcome) -> Table:
    """A row for every query that is compared: whether it shows one list, and what becomes of its quality.

    Args:
        outcome: What holding the statements does.
    """
    cells = outcome.queries.with_columns(pl.col("chance") * 100)
    caption = (
        "Lists by query under the policy that holds the statements: how many it shows, the likeliest to which part of "
        f"the visits, and the change of {outcome.stated.settings.quality_label}."
    )
    return Table.of(cells.rename({"query_id": "query"}), LISTS, caption, decimals=1)
