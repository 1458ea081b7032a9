"""What a target costs on one run: methods along their strengths, and what the budget buys of them.

Nothing is re-ranked when only the budget, the methods or the group of interest change.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

from fairviz.display.html import Play, Section
from fairviz.display.table import Table
from fairviz.display.words import DOCUMENTS, Finding, plural
from fairviz.errors import UsageError
from fairviz.model import Dataset, Note, Target
from fairviz.points.columns import with_policy
from fairviz.points.targets import exposure_of, grid_of
from fairviz.remembered import remembered, remembered_few
from fairviz.reranking.catalogue import find_reranker
from fairviz.steps import expect, step
from fairviz.studies.policy_lab.bench import LARGE
from fairviz.studies.policy_lab.budget import Outcome, silence
from fairviz.studies.policy_lab.columns import (
    STATED,
    agreed_table,
    least_loss_table,
    lists_table,
    methods_table,
    point_table,
    proposals_table,
    side_effects_table,
    since_table,
    statements_table,
    wrong_labels_table,
)
from fairviz.studies.policy_lab.findings import (
    budget_words,
    depth_words,
    stated_finding,
    stated_section,
    without_quality,
)
from fairviz.studies.policy_lab.methods_findings import methods_finding
from fairviz.studies.policy_lab.proposals import Proposal, agreed, proposal_of, proposals_finding
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.since import since, since_finding
from fairviz.studies.policy_lab.stated import Stated, StatedOutcome, beside_of, has_statements, stated_outcome
from fairviz.studies.policy_lab.strengths import Prices
from fairviz.studies.study import Analysis, Chart

MOST_QUERIES = 350
"""Queries, counted once for each target, up to which a report pays for every target; each takes some 40 ms. With more
queries than that, for none."""
BESIDE: dict[str, Any] = {
    "proposals": (),
    "since": "",
    "budget": 0.0,
    "fixed": False,
    "wrong": 0.0,
    "wrong_of": (),
    "methods": (),
    "unit": DOCUMENTS,
}
"""Settings on which neither the policy nor what was tried depends, each at one value."""
Part: TypeAlias = tuple[Finding, dict[str, Table]]
"""A finding with its tables."""
READ = ("reranker", "lists", "verdict", "off_target", "change_percent", "low", "high", "n_worse", "n_better", "words")
"""Columns of the methods that are read in a report."""


@dataclass(frozen=True, kw_only=True)
class PolicyLabAnalysis(Analysis):
    """What the budget buys, and what that rests on.

    Attributes:
        settings: What was set.
        stated: What holding the statements does.
        proposals: What holding those of each proposal does.
        prices: What was tried.
        outcome: What the budget buys of it.
    """

    settings: PolicyLabSettings
    stated: StatedOutcome
    proposals: tuple[Proposal, ...]
    prices: Prices
    outcome: Outcome


def analyse(data: Dataset, settings: PolicyLabSettings) -> PolicyLabAnalysis:
    """What the statements ask for and lead to; how far other methods get within the budget, and all their settings.

    Args:
        data: A run, its judgements, groups.
        settings: Statements, budget, methods, and what is measured.

    Raises:
        InputError: The statements are malformed.
        UndefinedError: Something is missing.
        UsageError: There is no such system or method; an attribute or a group that is stated is not among the labels.
    """
    settings = settings.on(data)
    stated = stated_under(data, settings)
    methods_outcome, tables = _methods(data, settings)
    is_stated = stated.stated.asked is not None
    made = {"statements": statements_table(stated), "side-effects": side_effects_table(stated)}
    if is_stated:
        wrong = wrong_labels_table(stated, settings.wrong / 100, settings.wrong_of)
        made |= {"least-loss": least_loss_table(stated), "lists": lists_table(stated), "wrong-labels": wrong}
    beside = _beside(data, settings, stated)
    further = {stem: table for _, of_part in beside for stem, table in of_part.items()}
    prices, line = prices_under(data, settings), dict[str, Chart]()
    if is_stated and not stated.silent and not stated.stated.is_flat:
        line = {"least-loss": Chart("policy_lab", "least_loss", (stated, prices.crosses(methods_outcome.reaches)))}
    printed = {"statements": STATED} if is_stated else {}
    return PolicyLabAnalysis(
        settings=settings,
        stated=stated,
        proposals=proposals_under(data, settings),
        prices=prices,
        outcome=methods_outcome,
        findings=(stated_finding(stated), *(finding for finding, _ in beside), methods_finding(methods_outcome)),
        tables=made | further | tables,
        charts=line,
        notes=tuple(Note(prices.stated.run.system, None, text) for text in [without_quality(prices.stated)] if text),
        printed=printed | {stem: table.keys for stem, table in further.items()} | {"methods": READ},
        sections=partial(sections, data, settings),
    )


def _beside(data: Dataset, settings: PolicyLabSettings, stated: StatedOutcome) -> list[Part]:
    """What is said beside the statements, with its tables: of an earlier run, and of proposals, where there are any."""
    parts: list[Part] = []
    if compared := since(data, stated.stated, settings.since):
        parts.append((since_finding(compared, settings.unit), {"since": since_table(compared)}))
    if proposals := proposals_under(data, settings):
        both = {"proposals": proposals_table(proposals), "agreed": agreed_table(agreed(proposals), len(proposals))}
        parts.append((proposals_finding(proposals), both))
    return parts


def stated_under(data: Dataset, settings: PolicyLabSettings) -> StatedOutcome:
    """What holding the statements does, for one budget; the policy is shared by all budgets and methods."""
    settings = settings.on(data)
    stated = _stated(data, replace(settings, **BESIDE))
    return stated_outcome(stated, budget=settings.budget / 100, fixed=settings.fixed, unit=settings.unit)


def proposals_under(data: Dataset, settings: PolicyLabSettings) -> tuple[Proposal, ...]:
    """What holding the statements of every proposal does, in their order.

    Raises:
        InputError: The statements of one are malformed.
        UsageError: An attribute or a group of one is not among the labels, or two have one name.
    """
    named_texts = [text.partition("=") for text in settings.proposals]
    if repeated := [name for name, n in Counter(name for name, _, _ in named_texts).items() if n > 1]:
        raise UsageError(f"--proposal: two are called {repeated[0]!r}")
    usual = replace(settings, proposals=(), since="", wrong=0.0, wrong_of=(), methods=())
    return tuple(_proposal(data, replace(usual, statements=text))._replace(name=name) for name, _, text in named_texts)


@remembered
def _proposal(data: Dataset, settings: PolicyLabSettings) -> Proposal:
    return proposal_of(stated_under(data, settings))


@remembered_few
def _stated(data: Dataset, settings: PolicyLabSettings) -> Stated:
    return Stated(data, settings)


def _methods(data: Dataset, settings: PolicyLabSettings) -> tuple[Outcome, dict[str, Table]]:
    """What the budget buys of other methods, and their tables."""
    settings = settings.on(data)
    methods = tuple(find_reranker(name).name for name in settings.methods)
    prices = prices_under(data, settings)
    prices.compute(methods)
    methods_outcome = Outcome(
        prices.now,
        prices.tried(*methods),
        budget=settings.budget / 100,
        is_set=is_set(data, settings),
        quality=settings.quality_label,
        fixed=settings.fixed,
        silent=silence(prices.now, prices.unlabelled_share, settings.unit),
        unlabelled=prices.unlabelled_share,
        unit=settings.unit,
    )
    made = {
        "methods": methods_table(methods_outcome, prices.refused(methods)),
        "points": point_table(methods_outcome, prices.stated.run.system),
    }
    return (
        methods_outcome,
        {stem: with_policy(table, settings.scores, settings.offset) for stem, table in made.items()},
    )


def is_set(data: Dataset, settings: PolicyLabSettings) -> bool:
    """Whether somebody set what methods aim at; else it is equal shares, and called so."""
    return has_statements(data, settings) or (settings.against is not None and settings.against.is_set(data))


def prices_under(data: Dataset, settings: PolicyLabSettings) -> Prices:
    """What was tried, shared by all budgets, methods and groups of interest."""
    return _prices(data, replace(settings.on(data), **BESIDE))


@remembered_few
def _prices(data: Dataset, settings: PolicyLabSettings) -> Prices:
    return Prices(_stated(data, settings))


# What a report says: the same at each share that one group's target can have.


def sections(data: Dataset, settings: PolicyLabSettings) -> list[Section | Play]:
    """What the statements lead to, what stands beside them, and what the budget buys of each method."""
    stated, shown = stated_under(data, settings), list[Section | Play]()
    if stated.stated.asked is not None:
        shown.append(Section(*stated_section(stated), (statements_table(stated).select(STATED),)))
    for (title, sentence), tables in _beside(data, settings, stated):
        shown.append(Section(title, (sentence,), tuple(tables.values())))
    return shown + ([_frame(data, settings)] if has_statements(data, settings) else _frames(data, settings))


def _frames(data: Dataset, settings: PolicyLabSettings) -> list[Section | Play]:
    """What the budget buys at each target of the grid; of many queries at the target alone, or at none."""
    beside = beside_of(data, settings)
    run, groups = beside.of.ranked, beside.target.groups
    exposure = exposure_of(data, *beside.key, settings.browsing, settings.k)
    grid = grid_of(exposure, beside.target.shares)
    # All targets are paid for; the one that was asked for where each takes long; none where one does.
    n_queries, places = len(run.query_ids), list(range(len(grid.targets)))
    if run.docs.size > LARGE or n_queries * len(places) > MOST_QUERIES:
        places = [grid.start] if n_queries <= MOST_QUERIES else []
    frames: list[Section] = []
    expect(len(places))
    for index in places:
        stop = settings
        if index != grid.start:
            against = settings.against and settings.against.of(Target(groups=groups, shares=grid.targets[index]))
            stop = replace(settings, against=against)
        frames.append(_frame(data, stop))
        step()
    queries = plural(n_queries, "query", "queries")
    if not frames:
        title = f"What {'the target costs' if is_set(data, settings) else 'equal shares cost'}"
        return [Section(title, (f"With {queries} it is left to the page Policy lab and to fairviz policy-lab.",))]
    if len(frames) == 1:
        aim = "this target" if is_set(data, settings) else "equal shares"
        alone = f"Computed for {aim} alone: {queries}, {plural(run.docs.size, 'candidate')}."
        return [replace(frames[0], paragraphs=(*frames[0].paragraphs, alone))]
    label = grid.label(groups)
    return [Play(name="target", label=label, stops=grid.names, start=grid.start, frames=tuple(frames))]


def _frame(data: Dataset, settings: PolicyLabSettings) -> Section:
    shown, tables = _methods(data, settings)
    headline, stated = methods_finding(shown), prices_under(data, settings).stated
    budget = f"Budget: {budget_words(shown.budget)} of quality ({shown.quality})."
    ranks = f"{stated.run.system}, ranks 1 to {settings.k}. {depth_words(stated.depths, settings.unit)}".strip()
    return Section(headline.title, (headline.sentence, f"{budget} {ranks}"), (tables["methods"].select(READ),))
