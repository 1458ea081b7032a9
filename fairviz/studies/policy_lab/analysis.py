"""What a target costs on one run: methods along their strengths, and what the budget buys of them.

Nothing is re-ranked when only the budget, the methods or the group of interest change.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import polars as pl

from fairviz.display.html import Play, Section
from fairviz.display.words import plural
from fairviz.evaluation.systems import named
from fairviz.model import Dataset, Target
from fairviz.points.targets import exposure_of, grid_of, held
from fairviz.points.words import with_policy
from fairviz.remembered import remembered_few
from fairviz.stats.bootstrap import Intervals
from fairviz.steps import expect, step
from fairviz.studies.policy_lab.bench import Distance, distance_by
from fairviz.studies.policy_lab.budget import Outcome, Share, outcome
from fairviz.studies.policy_lab.columns import methods_table, point_table, shares_beside, shares_table
from fairviz.studies.policy_lab.findings import (
    budget_words,
    depth_words,
    methods_title,
    payments,
    price_finding,
    silence,
    warning_title,
)
from fairviz.studies.policy_lab.price import LARGE, Prices, largest_gap
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.strengths import LABELS
from fairviz.studies.study import Analysis, Chart

MOST_QUERIES = 700
"""Queries, counted once for each target, up to which a report pays for every target; each takes some 25 ms. With more
queries than that, for none."""
READ = ("reranker", "lists", "verdict", "off_target", "change_percent", "low", "high", "n_worse", "n_better", "words")
"""Columns of the methods that are read in a report."""


@dataclass(frozen=True, kw_only=True)
class PolicyLabAnalysis(Analysis):
    """What the budget buys, and what that rests on.

    Attributes:
        settings: What was set.
        prices: What was tried.
        outcome: What the budget buys of it.
        refused: Why other methods do not apply.
        shares: By group, today and with the setting that is proposed; without one the two are alike.
    """

    settings: PolicyLabSettings
    prices: Prices
    outcome: Outcome
    refused: Mapping[str, str]
    shares: pl.DataFrame


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
    prices = prices_under(data, settings)
    prices.compute(methods)
    is_set = settings.against is not None and settings.against.is_set(data)
    found = bought(prices, replace(settings, methods=methods), is_set=is_set)
    best, refused = found.proposed, prices.refused(methods)
    today, bench = prices.today, prices.bench
    point, gains = today, Intervals(*np.full((2, bench.target.size), np.nan))
    if best is not None:
        point = prices.point(best["method"], best["strength"]) or today
        gains = Intervals(np.array(best["gain_low"]), np.array(best["gain_high"]))
    shares = shares_beside(bench.members.groups, today, point, bench.target, gains)
    made = {
        "methods": methods_table(found, refused),
        "points": point_table(found, prices.run.system),
        "shares": shares_table(shares, found),
    }
    known = {stem: with_policy(table, settings.scores, settings.offset) for stem, table in made.items()}
    return PolicyLabAnalysis(
        settings=settings,
        prices=prices,
        outcome=found,
        refused=refused,
        shares=shares,
        findings=(price_finding(found, mine=False),),
        tables=known,
        charts={} if found.silent else {"frontier": Chart("policy_lab", "frontier", (found,))},
        printed={"methods": READ, "shares": known["shares"].keys},
        sections=partial(sections, data, settings, is_set=is_set),
    )


def bought(prices: Prices, settings: PolicyLabSettings, *, is_set: bool = True) -> Outcome:
    """What the budget buys of the methods that were tried; nothing is re-ranked here.

    Args:
        prices: What was tried.
        settings: Budget, switch, methods, and the group that a person moved last; else the one furthest under its
            target is spoken of.
        is_set: Whether somebody set the target; else it is equal shares, and called so.
    """
    now, bench = prices.now, prices.bench
    groups, spec = bench.members.groups, prices.measure
    spoken = groups.index(settings.group) if settings.group in groups else largest_gap(now, bench.target)
    found = outcome(
        now,
        prices.tried(*settings.methods),
        budget=settings.budget / 100,
        distance=Distance(is_set=is_set) if spec is None else distance_by(spec, now["off"], is_set=is_set),
        quality=settings.quality_label,
        fixed=settings.fixed,
        spoken=-1 if spoken is None else spoken,
        silent=silence(now, prices.unlabelled_share),
        unlabelled=prices.unlabelled_share,
    )
    if spoken is None or np.isnan(now["shares"]).any():
        return found
    sides = (now["shares"], (found.proposed or now)["shares"], bench.target)
    return found._replace(share=Share(groups[spoken], *(float(side[spoken]) for side in sides)))


def prices_under(data: Dataset, settings: PolicyLabSettings) -> Prices:
    """What was tried, shared by all budgets, methods and groups of interest."""
    return _prices(data, replace(settings, group="", budget=0.0, fixed=False, methods=()))


@remembered_few
def _prices(data: Dataset, settings: PolicyLabSettings) -> Prices:
    return Prices(held(data, settings.against, settings.system, settings.judgements, settings.unlabelled), settings)


# What a report says: the same at each share that one group's target can have.


def sections(data: Dataset, settings: PolicyLabSettings, *, is_set: bool) -> list[Section | Play]:
    """What the budget buys, method by method, at each target of the grid; a target of many queries alone, or none."""
    beside = held(data, settings.against, settings.system, settings.judgements, settings.unlabelled)
    run, groups = beside.of.ranked, beside.target.groups
    exposure = exposure_of(data, *beside.key, settings.browsing, settings.k)
    grid = grid_of(exposure, beside.target.shares)
    # All targets are paid for; the one that was asked for where each takes long; none where one does.
    n_queries, places = len(run.query_ids), list(range(len(grid.targets)))
    if run.docs.size > LARGE or n_queries * len(places) > MOST_QUERIES:
        places = [grid.start] if n_queries <= MOST_QUERIES else []
    frames: list[Section] = []
    expect(len(places))
    for place in places:
        stop = settings
        if place != grid.start:
            against = settings.against and settings.against.of(Target(groups=groups, shares=grid.targets[place]))
            stop = replace(settings, against=against, group=groups[grid.group])
        frames.append(_frame(data, stop))
        step()
    queries = plural(n_queries, "query", "queries")
    if not frames:
        title = f"What {'the target costs' if is_set else 'equal shares cost'}"
        return [Section(title, (f"With {queries} it is computed on the page Policy lab alone.",))]
    if len(frames) == 1:
        aim = "this target" if is_set else "equal shares"
        alone = f"Computed for {aim} alone: {queries}, {plural(run.docs.size, 'candidate')}."
        return [replace(frames[0], paragraphs=(*frames[0].paragraphs, alone))]
    return [Play(name="target", label=grid.label(groups), stops=grid.names, start=grid.start, frames=tuple(frames))]


def _frame(data: Dataset, settings: PolicyLabSettings) -> Section:
    found = analyse(data, settings)
    (headline,), shown = found.findings, found.outcome
    paid = ""
    if shown.best is not None:  # who gains and who pays under the setting that is proposed
        is_set = shown.distance.is_set
        title, sentence, warning = payments(found.shares, is_set=is_set)
        paid = f"{title}. {sentence} {f'{warning_title(is_set=is_set)}: {warning}' if warning else ''}".strip()
    methods = "" if shown.silent else f"{methods_title(shown)}. "
    budget = f"Budget: {budget_words(shown.budget)} of quality ({shown.quality})."
    return Section(
        headline.title,
        (
            headline.sentence,
            *filter(None, [paid]),
            f"{methods}{budget} {found.prices.run.system}, ranks 1 to {settings.k}. "
            f"{depth_words(found.prices.depths)}".strip(),
        ),
        (found.tables["methods"].select(READ),),
    )
