"""Proposals: statements under a name, side by side: shares that each leads to, its price, what all of them agree on.

Every one is computed on the same run, ranks, quality and judgements, as the statements on screen are.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from fairviz.display.words import (
    DOCUMENTS,
    Finding,
    capital,
    count_word,
    in_words,
    listing,
    number,
    quoted,
    shares_in_words,
)
from fairviz.studies.policy_lab.bench import Row
from fairviz.studies.policy_lab.findings import LEAST_PAID, MARKS, NAMED_MOVING, group_name
from fairviz.studies.policy_lab.stated import StatedOutcome

KEY = ("attribute", "group")
"""What a group is known by."""


MOST = 6
"""Proposals that a page keeps."""


class Kept(NamedTuple):
    """A proposal as a page, its address and a study file keep it, with what it can be compared under.

    Attributes:
        name: As people call it.
        statements: JSON of shares or bounds.
        k: Ranks that count.
        quality: What re-ranking may cost.
        system: A mark of the run.
        labels: A mark of the labels of all attributes.
    """

    name: str
    statements: str
    k: int
    quality: str
    system: str
    labels: str


class Proposal(NamedTuple):
    """What holding the statements of one proposal does.

    Attributes:
        name: As people call it; "" = not named yet.
        groups: A row for every group, as of :attr:`~fairviz.studies.policy_lab.stated.StatedOutcome.groups`.
        cost: The change of quality with its interval, as of :func:`~fairviz.studies.policy_lab.stated.cost_of`.
        n_one_list: Queries that show one list to everybody.
        n_queries: Queries that are compared.
        silent: Why nothing is said of cost and movement; empty where something may.
        unit: What is ranked.
        is_census: Whether the run is one list, of which all is exact and nothing said of others.
    """

    name: str
    groups: pl.DataFrame
    cost: Row
    n_one_list: int
    n_queries: int
    silent: str
    unit: str = DOCUMENTS
    is_census: bool = False

    @property
    def statements(self) -> pl.DataFrame:
        """The groups of which something is stated."""
        return self.groups.filter("has_statement")

    def states(self, groups: pl.DataFrame) -> bool:
        """Whether the proposal states what other statements do, given by a row for every group."""
        ends = [frame.sort(KEY).select("low", "high").to_numpy() for frame in (self.groups, groups)]
        return ends[0].shape == ends[1].shape and bool(np.allclose(*ends, atol=1e-6))


def proposal_of(outcome: StatedOutcome) -> Proposal:
    """What is compared of statements; without a name."""
    n = outcome.queries.height
    one_list, census = n - outcome.n_lotteries, outcome.stated.is_census
    return Proposal("", outcome.groups, outcome.cost, one_list, n, outcome.silent, outcome.unit, census)


def shown_groups(proposals: Sequence[Proposal]) -> pl.DataFrame:
    """The groups of every attribute of which some proposal states something, in the order of the first."""
    stated = {name for each in proposals for name in each.groups.filter("is_stated")["attribute"]}
    return proposals[0].groups.filter(pl.col("attribute").is_in(stated)).select(*KEY, "today")


def agreed(proposals: Sequence[Proposal]) -> pl.DataFrame:
    """What all proposals agree on: how far each group comes at least, or at most, whichever of them is taken.

    Args:
        proposals: One or several.

    Returns:
        A row for each of :func:`shown_groups`: its share ``today``, the ``least`` and the ``most`` that a proposal
        leads to; the ``side``: "at least" where its share grows under every proposal, "at most" where it falls under
        every one, else ""; ``is_sure``, whether it moves under every one.
    """
    every = pl.concat(
        [each.groups.select(*KEY, pl.col("after", "change").fill_nan(None), "word") for each in proposals]
    )
    moved = pl.col("word").ne("stays") & pl.col("word").ne("")
    side = (
        pl.when((moved & (pl.col("change") > 0)).all())
        .then(pl.lit("at least"))
        .when((moved & (pl.col("change") < 0)).all())
        .then(pl.lit("at most"))
        .otherwise(pl.lit(""))
    )
    over = every.group_by(KEY, maintain_order=True).agg(
        least=pl.min("after"), most=pl.max("after"), side=side, is_sure=(pl.col("word") == "moves").all()
    )
    return shown_groups(proposals).join(over, on=KEY, maintain_order="left")


# What is said of them.


def statements_words(groups: pl.DataFrame) -> str:
    """Statements in a few signs, in percent.

    Examples:
        >>> low, high = [0.15, 0.0, 0.2, 0.1, 0.0], [1.0, 0.3, 0.2, 0.25, 1.0]
        >>> statements_words(pl.DataFrame({"group": [*"abcde"], "low": low, "high": high}))
        'a ≥ 15, b ≤ 30, c = 20, d 10–25'
    """
    return ", ".join(
        f"{row['group']} {_ends(100 * row['low'], 100 * row['high'])}"
        for row in groups.filter((pl.col("low") > 0) | (pl.col("high") < 1)).rows(named=True)
    )


def _ends(low: float, high: float) -> str:
    low_text, high_text = (f"{round(end, 1):g}" for end in (low, high))
    if low == high:
        return f"= {low_text}"
    return f"≥ {low_text}" if high >= 100 else f"≤ {high_text}" if low <= 0 else f"{low_text}–{high_text}"


def budget_mark(proposal: Proposal) -> str:
    """What may be said of a loss: "stays in budget", "over budget", "cannot tell", "too few"; of one list nothing."""
    if proposal.is_census:
        return ""
    return "too few" if proposal.silent else MARKS[proposal.cost["stays"]]


def payers_cell(groups: pl.DataFrame) -> str:
    """The two groups that pay most, in points; empty where no share falls significantly by a point."""
    paid = groups.filter("is_stated", pl.col("word") == "moves", pl.col("change") <= -LEAST_PAID).sort("change")
    named = zip(paid["group"].head(NAMED_MOVING), paid["change"].head(NAMED_MOVING), strict=True)
    return ", ".join(f"{group} {in_words(100 * change, 0, sign=True)}" for group, change in named)


def agreed_cells(groups: pl.DataFrame) -> list[str]:
    """What all proposals agree on, a cell for each group in percent: ≥ or ≤ a share, – where they differ in direction.

    Args:
        groups: As of :func:`~fairviz.studies.policy_lab.proposals.agreed`.
    """
    signs = {"at least": "≥ {least:.1f}", "at most": "≤ {most:.1f}", "": "–"}
    rows = groups.with_columns(pl.col("least", "most") * 100).rows(named=True)
    return [signs[row["side"]].format_map(row) for row in rows]


def apart_words(proposal: Kept, now: Kept) -> str:
    """Why a proposal is not compared with what is on screen; empty where it is.

    Args:
        proposal: As it was kept.
        now: What it would be kept as now.
    """
    quality = {"nDCG": "nDCG", "EER": "EE-R", "scores": "by scores"}
    differences = (
        ("other labels", proposal.labels != now.labels or not proposal.statements.startswith("{")),
        ("another run", proposal.system != now.system),
        (f"k = {proposal.k}", proposal.k != now.k),
        (f"quality {quality.get(proposal.quality, proposal.quality)}", proposal.quality != now.quality),
    )
    words = [word for word, differs in differences if differs]
    return f"not comparable: {', '.join(words)}" if words else ""


def proposals_finding(proposals: Sequence[Proposal]) -> Finding:
    """What all proposals agree on, and on what they differ most.

    Args:
        proposals: One or several.
    """
    if len(proposals) == 1:
        return Finding(f"One proposal: {quoted(proposals[0].name)}", "Keep a second proposal to compare.")
    groups, n = agreed(proposals), count_word(len(proposals))
    every = "both" if len(proposals) == 2 else f"all {n}"
    sentence = f"{_differ(groups, proposals[0].unit)} {_unmet(proposals)}"
    if any(each.silent and not each.is_census for each in proposals):
        return Finding(f"Cannot tell what {n} proposals agree on: {proposals[0].silent}", sentence)
    for side, end in (("at least", "least"), ("at most", "most")):
        sure = groups.filter("is_sure", side=side).sort((pl.col(end) - pl.col("today")).abs(), maintain_order=True)
        if sure.height:
            rows = sure.reverse().head(NAMED_MOVING)
            shares = zip(shares_in_words(*rows[end]), rows["group"], strict=True)
            named = [f"{share} for {group_name(name, proposals[0].unit)}" for share, name in shares]
            return Finding(f"{capital(n)} proposals agree on {side} {listing(named)}", sentence)
    return Finding(f"No share moves significantly in one direction under {every} proposals", sentence)


def _differ(groups: pl.DataFrame, unit: str) -> str:
    """On which group proposals differ most, in points."""
    spans = groups.select("group", span=100 * (pl.col("most") - pl.col("least"))).sort("span", nulls_last=False)
    name, span = spans.row(-1)
    if span is None or span < 1:
        return "On every share they differ by less than a point."
    return f"They differ most on {group_name(name, unit)} ({number(span, 0)} points)."


def _unmet(proposals: Sequence[Proposal]) -> str:
    """Which proposals cannot hold all of their statements."""
    failing = [quoted(each.name) for each in proposals if not each.statements["holds"].all()]
    if not failing:
        return "Each holds all of its own statements."
    return f"{listing(failing, most=3)} cannot hold all of {'its' if len(failing) == 1 else 'their'} statements."
