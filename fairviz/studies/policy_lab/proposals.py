"""Proposals: statements under a name, side by side: shares that each leads to, its price, what all of them agree on.

Every one is computed on the same run, ranks, quality and judgements, as the statements on screen are.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from fairviz.display.words import DOCUMENTS
from fairviz.studies.policy_lab.bench import Row
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
