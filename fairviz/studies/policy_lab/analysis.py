"""What a target costs on one run: methods along their strengths, and what the budget buys of them.

Nothing is re-ranked when only the budget, the methods or the group of interest change.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from fairviz.display.html import Play, Section
from fairviz.display.words import Finding, plural
from fairviz.errors import UndefinedError
from fairviz.evaluation.joins import first_items
from fairviz.evaluation.systems import named
from fairviz.kernels.attention import attention
from fairviz.metrics.catalogue import GROUP_MEASURES
from fairviz.model import Dataset, Run, Target
from fairviz.points.targeted import Held, exposure_of, grid_of, held
from fairviz.points.targets import TargetGrid
from fairviz.points.words import with_policy
from fairviz.remembered import remembered_few
from fairviz.steps import expect, step
from fairviz.studies.policy_lab.axes import GroupDepths
from fairviz.studies.policy_lab.columns import tables
from fairviz.studies.policy_lab.distances import asked_distance
from fairviz.studies.policy_lab.findings import budget_words, depth_words, methods_title, price_finding
from fairviz.studies.policy_lab.payments import payments, warning_title
from fairviz.studies.policy_lab.prices import LARGE, Prices
from fairviz.studies.policy_lab.results import LABELS, NAMES, Aim, Choices, Results, depths_under, results
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.study import Analysis, Chart

MOST_QUERIES = 700
"""Queries, counted once for each target, up to which a report pays for every target; each takes some 25 ms. With more
queries than that, for none."""
READ = ("reranker", "lists", "verdict", "off_target", "change_percent", "low", "high", "n_worse", "n_better", "words")
"""Columns of the methods that are read in a report."""


class Priced(NamedTuple):
    """A run under a target, and what is tried on it.

    Attributes:
        held: Run, groups, target.
        depths: How deep each query is re-ranked.
        prices: What every method costs, of each nothing before it is computed.
    """

    held: Held
    depths: GroupDepths
    prices: Prices


@dataclass(frozen=True, kw_only=True)
class PolicyLabAnalysis(Analysis):
    """What the budget buys, and what that rests on.

    Attributes:
        priced: What was tried.
        results: What is shown for the budget.
    """

    priced: Priced
    results: Results


def analyse(data: Dataset, settings: PolicyLabSettings) -> PolicyLabAnalysis:
    """How far each method gets within the budget, every setting that was tried, and shares by group.

    Args:
        data: A run, its judgements, groups.
        settings: Budget, methods, target, and what is measured.

    Raises:
        UndefinedError: Something is missing, or the chosen distance has no value on these data.
        UsageError: There is no such system, method or distance.
    """
    methods = tuple(named("method", name, {name: name for name in LABELS}) for name in settings.methods)
    priced = priced_under(data, settings)
    priced.prices.compute(methods)
    is_set = settings.against is not None and settings.against.is_set(data)
    chosen = Choices(settings.budget / 100, settings.fixed, methods)
    found = results(priced.prices, chosen, group=settings.group, is_set=is_set)
    quality = settings.quality_label
    made = tables(found.table_results(priced.prices, quality))
    known = {stem: with_policy(table, settings.scores, settings.offset) for stem, table in made.items()}
    title, sentence = price_finding(
        found.outcome,
        found.share,
        distance=found.distance,
        labels=NAMES,
        quality=quality,
        unlabelled=priced.prices.unlabelled_share,
        mine=False,
    )
    return PolicyLabAnalysis(
        priced=priced,
        results=found,
        findings=(Finding(title, sentence),),
        tables=known,
        charts={}
        if found.outcome.silent
        else {"frontier": Chart("policy_lab", "frontier", (found.outcome, found.distance, quality))},
        printed={"methods": READ, "shares": known["shares"].keys},
        sections=partial(sections, data, settings, is_set=is_set),
    )


def priced_under(data: Dataset, settings: PolicyLabSettings) -> Priced:
    """What was tried, shared by all budgets, methods and groups of interest."""
    return _priced(data, replace(settings, group="", budget=0.0, fixed=False, methods=()))


@remembered_few
def _priced(data: Dataset, settings: PolicyLabSettings) -> Priced:
    beside = held(data, settings.against, settings.system, settings.judgements, settings.unlabelled)
    of, missing, k = beside.of, settings.unlabelled, settings.k
    if not isinstance(of.ranked, Run) or of.qrels is None:
        raise UndefinedError("a price needs a scored run and judgements: give RUN and --qrels FILE")
    beside.refuse_one_group()
    target = Aim.of(beside.target).target
    usual = max(settings.candidates, k)
    depths = depths_under(of.ranked, of.qrels, of.labels, target, usual=usual, k=k, missing=missing)
    distance = None
    if settings.distance:
        name = named("distance", settings.distance, {each.name: each.name for each in GROUP_MEASURES})
        distance = asked_distance(name, of.labels, target, k=k, browsing=settings.browsing, missing=missing)
    prices = Prices(
        first_items(of.ranked, depths.depths),
        of.qrels,
        of.labels,
        target,
        attention=attention(settings.browsing, cutoff=k),
        k=k,
        quality=settings.quality,
        missing=missing,
        judged=settings.judged,
        measure=distance,
        scores=settings.scores,
        offset=settings.offset,
        seed=settings.seed,
    )
    return Priced(beside, depths, prices)


# What a report says: the same at each share that one group's target can have.


def sections(data: Dataset, settings: PolicyLabSettings, *, is_set: bool) -> list[Section | Play]:
    """What the budget buys, method by method, at each target of the grid; a target of many queries alone, or none."""
    beside = held(data, settings.against, settings.system, settings.judgements, settings.unlabelled)
    run, groups = beside.of.ranked, beside.target.groups
    exposure = exposure_of(data, *beside.key, settings.browsing, settings.k)
    grid = grid_of(exposure, beside.target.shares)
    places = _places(len(run.query_ids), run.docs.size, grid)
    frames: list[Section] = []
    expect(len(places))
    for place in places:
        stop = settings
        if place != grid.start:
            against = settings.against and settings.against.of(Target(groups=groups, shares=grid.targets[place]))
            stop = replace(settings, against=against, group=groups[grid.group])
        frames.append(_frame(data, stop))
        step()
    queries = plural(len(run.query_ids), "query", "queries")
    if not frames:
        title = f"What {'the target costs' if is_set else 'equal shares cost'}"
        return [Section(title, (f"With {queries} it is computed on the page Policy lab alone.",))]
    if len(frames) == 1:
        aim = "this target" if is_set else "equal shares"
        alone = f"Computed for {aim} alone: {queries}, {plural(run.docs.size, 'candidate')}."
        return [replace(frames[0], paragraphs=(*frames[0].paragraphs, alone))]
    return [Play(name="target", label=grid.label(groups), stops=grid.names, start=grid.start, frames=tuple(frames))]


def _places(n_queries: int, n_candidates: int, grid: TargetGrid) -> list[int]:
    """Targets that are paid for: all, the one that was asked for where each takes long, none where one does."""
    n_targets = len(grid.targets)
    if n_queries > MOST_QUERIES:
        return []
    each_takes_long = n_candidates > LARGE or n_queries * n_targets > MOST_QUERIES
    return [grid.start] if each_takes_long else list(range(n_targets))


def _frame(data: Dataset, settings: PolicyLabSettings) -> Section:
    found = analyse(data, settings)
    (headline,), shown = found.findings, found.results
    methods = "" if shown.outcome.silent else f"{methods_title(shown.outcome.reaches, shown.distance.aim)}. "
    budget = f"Budget: {budget_words(settings.budget / 100)} of quality ({settings.quality_label})."
    depth = depth_words(found.priced.depths)
    return Section(
        headline.title,
        (
            headline.sentence,
            *filter(None, [_paid(shown, found.priced.prices)]),
            f"{methods}{budget} {found.priced.held.of.ranked.system}, ranks 1 to {settings.k}. {depth}".strip(),
        ),
        (found.tables["methods"].select(READ),),
    )


def _paid(found: Results, prices: Prices) -> str:
    """Who gains and who pays under the setting that is proposed; empty where none is."""
    if found.outcome.best is None:
        return ""
    is_set = found.distance.is_set
    title, sentence, warning = payments(found.beside(prices), is_set=is_set)
    return f"{title}. {sentence} {f'{warning_title(is_set=is_set)}: {warning}' if warning else ''}".strip()
