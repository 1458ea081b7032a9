"""What a report says of what a target costs: Policy lab at each share that one group's target can have."""

from dataclasses import replace
from typing import NamedTuple

from fairviz.attention import Browsing, attention
from fairviz.display.html import Play, Section
from fairviz.display.words import plural
from fairviz.evaluation.joins import first_items
from fairviz.model import GroupLabels, Qrels, Run, ScoreScale, Target
from fairviz.points.targets import TargetGrid
from fairviz.steps import expect, step
from fairviz.studies.policy_lab.findings import budget_words, depth_words, methods_title, price_finding
from fairviz.studies.policy_lab.payments import payments, warning_title
from fairviz.studies.policy_lab.prices import LARGE, Prices
from fairviz.studies.policy_lab.results import DEPTH, FIRST, NAMES, Aim, Choices, Results, depths_under, results
from fairviz.studies.policy_lab.tables import tables

BUDGET = 0.03
"""Part of today's quality that may be given up: where the page begins."""
MOST_QUERIES = 700
"""Queries, counted once for each target, up to which every target is paid for; each takes some 25 ms. With more queries
than that, no target is."""
READ = ("reranker", "lists", "verdict", "off_target", "change_percent", "low", "high", "n_worse", "n_better", "words")
"""Columns of the methods that are read."""


class PricedRun(NamedTuple):
    """One run whose targets are to be paid for.

    Attributes:
        run: The run.
        qrels: Judgements.
        labels: Groups of documents.
        groups: Their names, in the order of the shares.
        grid: Targets along the share of one group.
        k: Ranks that count.
        browsing: How attention falls with rank.
        scores, offset: How scores become a policy.
        seed: Of all chance.
        is_set: Whether somebody set the target where the grid starts; else it is equal shares, and called so.
    """

    run: Run
    qrels: Qrels
    labels: GroupLabels
    groups: tuple[str, ...]
    grid: TargetGrid
    k: int
    browsing: Browsing
    scores: ScoreScale = "given"
    offset: float = 1.0
    seed: int = 0
    is_set: bool = True

    @property
    def places(self) -> list[int]:
        """Targets that are paid for: all, the one that was asked for where each takes long, none where one does."""
        n_queries, n_targets = len(self.run.query_ids), len(self.grid.targets)
        if n_queries > MOST_QUERIES:
            return []
        each_takes_long = self.run.docs.size > LARGE or n_queries * n_targets > MOST_QUERIES
        return [self.grid.start] if each_takes_long else list(range(n_targets))


def report_sections(one: PricedRun) -> list[Section | Play]:
    """What the budget buys, method by method, at each target of the grid.

    Args:
        one: The run.
    """
    frames: list[Section] = []
    expect(len(one.places))
    for place in one.places:
        frames.append(_frame(one, place))
        step()
    grid, queries = one.grid, plural(len(one.run.query_ids), "query", "queries")
    if not frames:
        return [
            Section(
                f"What {'the target costs' if one.is_set else 'equal shares cost'}",
                (f"With {queries} it is computed on the page Policy lab alone.",),
            )
        ]
    if len(frames) == 1:
        aim = "this target" if one.is_set else "equal shares"
        alone = f"Computed for {aim} alone: {queries}, {plural(one.run.docs.size, 'candidate')}."
        return [replace(frames[0], paragraphs=(*frames[0].paragraphs, alone))]
    return [
        Play(
            name="target",
            label=grid.label(one.groups),
            stops=grid.names,
            start=grid.start,
            frames=tuple(frames),
        )
    ]


def _frame(one: PricedRun, place: int) -> Section:
    grid, quality = one.grid, f"nDCG@{one.k}"
    target = Aim.of(Target(groups=one.groups, shares=grid.targets[place])).target
    depths = depths_under(one.run, one.qrels, one.labels, target, usual=max(DEPTH, one.k), k=one.k)
    prices = Prices(
        first_items(one.run, depths.depths),
        one.qrels,
        one.labels,
        target,
        attention=attention(one.browsing, cutoff=one.k),
        k=one.k,
        scores=one.scores,
        offset=one.offset,
        seed=one.seed,
    )
    prices.compute(FIRST)
    group = "" if place == grid.start else one.groups[grid.group]
    found = results(prices, Choices(BUDGET, False, FIRST), group=group, is_set=one.is_set or place != grid.start)
    title, sentence = price_finding(
        found.outcome, found.share, distance=found.distance, labels=NAMES, quality=quality, mine=False
    )
    methods = f"{methods_title(found.outcome.reaches, found.distance.aim)}." if not found.outcome.silent else ""
    known = tables(found.table_results(prices, quality))
    paid = _paid(found, prices)
    return Section(
        title,
        (
            sentence,
            *([paid] if paid else []),
            f"{methods} Budget: {budget_words(BUDGET)} of quality ({quality}). {one.run.system}, ranks 1 to {one.k}. "
            f"{depth_words(depths)}".strip(),
        ),
        (known["methods"].select(READ),),
    )


def _paid(found: Results, prices: Prices) -> str:
    """Who gains and who pays under the setting that is proposed; empty where none is."""
    if found.outcome.best is None:
        return ""
    is_set = found.distance.is_set
    title, sentence, warning = payments(found.beside(prices), is_set=is_set)
    return f"{title}. {sentence} {f'{warning_title(is_set=is_set)}: {warning}' if warning else ''}".strip()
