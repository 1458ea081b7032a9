"""One decision on one page of A4: statements, what they lead to, their price, who pays, who decides why; its drawings.

Static: boxes of CSS, no script, no request. What people decide is written by people: an empty field is a ruled line.
The small drawings in rows, ``boxes.html``, stand on the page of the dashboard, too. Colours are custom properties of
the surface (``--fv-…``); solid, hatched and hollow say without colour what ``verdict`` says in words.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from fairviz import __version__
from fairviz.display.markup import rendered
from fairviz.display.theme import SHEET, group_colour
from fairviz.display.words import capital, listing, plural, quoted, shares_in_words
from fairviz.model import Dataset
from fairviz.numerals import part_of
from fairviz.points.targets import bound_words
from fairviz.studies.policy_lab.analysis import proposals_under, stated_under
from fairviz.studies.policy_lab.bench import Row
from fairviz.studies.policy_lab.examples import BeforeAfter, stated_example
from fairviz.studies.policy_lab.findings import (
    MARKS,
    budget_words,
    change_interval,
    change_words,
    limits,
    lists_title,
    payers_words,
    payments_title,
    side_effects_title,
    stated_finding,
)
from fairviz.studies.policy_lab.proposals import (
    KEY,
    Proposal,
    budget_mark,
    payers_cell,
    proposals_finding,
    statements_words,
)
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.stated import Stated, StatedOutcome

LINES, RANKS, LEAST_RANKS = 20, 10, 3
"""Lines of groups, proposals (two each) and ranks of the example that one sheet has room for; ranks of an example at
most, and at least. Of further ranks entries and exits are told in a sentence."""
MOST_GROUPS = 12
"""Groups that have a row: those with a statement first, then those whose share changes most."""
LONGEST, LONGEST_FIELD = 110, 240
"""Characters of a question, and of a field."""
SEARCHES = "search (query)", "searches (queries)"
CLIPPED = 3.0
"""How many budgets deep the scale of costs goes: a dearer one is written at its end."""
STEPS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0)
"""Distances of ticks on the scale of costs, in percent."""


def brief(data: Dataset, settings: PolicyLabSettings, decided: Mapping[str, str], *, browsing: str) -> str:
    """A self-contained page of the statements, and what they lead to, that prints on one sheet of A4.

    Args:
        data: What is loaded: names, texts of queries, passages.
        settings: Statements, proposals, budget, and what is measured.
        decided: What people write by the name of the field: empty = a ruled line to fill by hand.
        browsing: How attention falls with rank, in words.
    """
    outcome, proposals = stated_under(data, settings), proposals_under(data, settings)
    stated, (title, sentence) = outcome.stated, stated_finding(outcome)
    lists, rule = stated_example(outcome, data.passages or {})
    queries = "one list" if stated.is_census else plural(outcome.cost["n_queries"], *SEARCHES)
    attributes = [each.name for each in stated.stated]
    return brief_html(
        outcome,
        proposals,
        decided=decided,
        lists=lists,
        question="" if lists is None else (data.texts or {}).get(lists.query_id, lists.query_id),
        rule=rule,
        title=title,
        sentence=sentence,
        kind=listing(attributes),
        date=f"{date.today():%-d %B %Y}",
        data=f"{data.name}, ranking {quoted(stated.run.system)}, {queries}, first {settings.k} ranks",
        fingerprint=data.fingerprint,
        version=__version__,
        methods=_methods(data, stated, browsing, settings.unit),
        limits=f"{capital('; '.join(each.title for each in limits(outcome)))}.",
        choice=f"Labels say what is recorded of {outcome.unit}, and no more; statements are a choice, not a finding.",
    )


def _methods(data: Dataset, stated: Stated, browsing: str, unit: str) -> str:
    """How it was computed: the policy, candidates, attention, judgements, intervals."""
    settings, depths = stated.settings, stated.depths
    seen = "the judgements" if settings.judged else "the system’s own scores"
    deeper = f", of some down to rank {depths.deepest}" if depths.n_deeper else ""
    labelled = f", of labelled {unit}" if settings.unlabelled == "drop" else ""
    census = stated.is_census
    together = "" if census else " over all queries together"
    intervals = f"95 % intervals by resampling queries (paired bootstrap, seed {settings.seed})"
    judgements = f"from the judgements “{data.qrels[settings.judgements].name}”" if data.qrels else "without judgements"
    return (
        f"Of all lists that hold the statements those that lose least by {seen} (column generation). First "
        f"{depths.usual} candidates of each query re-ranked{deeper} for ranks 1–{settings.k}. Attention by rank: "
        f"{browsing}; shares{together}{labelled}. Quality ({settings.quality_label}), {judgements}; "
        f"{'one list, exact: there is no interval' if census else intervals}."
    )


def brief_html(
    outcome: StatedOutcome,
    proposals: Sequence[Proposal],
    *,
    decided: Mapping[str, str],
    lists: BeforeAfter | None,
    **texts: str,
) -> str:
    """The page of these numbers and texts.

    Args:
        outcome: What holding the statements does.
        proposals: What others are beside it.
        decided: As of :func:`brief`.
        lists: One query, before and after; ``words`` say which list the second one is.
        texts: ``title`` and ``sentence`` of the finding, ``kind`` of groups ("region"), ``date``, ``data``,
            ``fingerprint`` of these, ``version`` of fairviz, ``methods``: how it was computed, ``limits``: what it does
            not show, ``choice``: what statements are, ``question``: the query's text, ``rule``: why this query.
    """
    has_policy, groups = not outcome.statements.is_empty(), outcome.groups.filter("is_stated")
    names = list[str]()
    if lists is not None:  # of the attribute that the example is about
        of = groups.filter(pl.col("group").is_in(lists.moves["group"].to_list()))["attribute"]
        names = groups.filter(pl.col("attribute").is_in(of.head(1).to_list()))["group"].to_list()
    first = groups.sort(~pl.col("has_statement"), -pl.col("change").abs(), maintain_order=True).head(MOST_GROUPS)
    rows = groups.join(first.select(*KEY), on=KEY, how="semi", maintain_order="left").rows(named=True)
    ends = [*groups["today"], *groups["after"], *groups["low"], *(end for end in groups["high"] if end < 1)]
    more, cost, (most, below) = groups.height - len(rows), outcome.cost, payers_words(groups, outcome.unit)
    n_ranks = min(RANKS, LINES - len(rows) - 2 * len(proposals))
    return rendered(
        "brief.html",
        **texts,
        **WRITING,
        kick=f"Policy brief · attention by {texts['kind']}",
        colours=SHEET,
        decided={name: text[:LONGEST_FIELD] for name, text in decided.items()},
        rows=rows,
        several=groups["attribute"].n_unique() > 1,
        widest=1.08 * float(np.nanmax([*ends, 0.01])),
        rest=f"{plural(more, 'more group is', 'more groups are')} left out." if more else "",
        has_policy=has_policy,
        has_intervals=has_policy and not groups["change_low"].is_nan().all(),
        cost=_exact(outcome) if outcome.stated.is_census else cost,
        before=cost["quality"] / (1 + cost["change"]) if cost["change"] > -1 else math.nan,
        verdict=_verdict(outcome),
        by_scores=outcome.by_scores,
        scale=cost_scale(outcome.budget, [cost]),
        lose=part_of(cost["n_worse"], plural(cost["n_queries"], *SEARCHES), "loses", "lose"),
        paid={"title": payments_title(outcome), "most": most, "below": below, "beside": side_effects_title(outcome)},
        lists_title=lists_title(outcome),
        quality=outcome.stated.settings.quality_label,
        judged=outcome.stated.qrels is not None,
        census=outcome.stated.is_census,
        proposals=proposals,
        compared=proposals_finding(proposals) if proposals else None,
        lists=lists if n_ranks >= LEAST_RANKS else None,
        n_ranks=n_ranks,
        hue=partial(group_colour, names),
    )


def _exact(outcome: StatedOutcome) -> Row:
    """What one list costs, of which nothing is unsure."""
    is_inside = outcome.cost["change"] >= -outcome.budget
    return outcome.cost | {"state": "certain" if is_inside else "over"}


VERDICTS = {
    "stays in budget": "stays in the budget of {}",
    "over budget": "over the budget of {}",
    "cannot tell": "cannot tell whether it stays in the budget of {}",
}
"""What may be said of a loss, with the budget."""


def _verdict(outcome: StatedOutcome) -> str:
    cost, verdict = outcome.cost, outcome.silent or VERDICTS[MARKS[outcome.cost["stays"]]]
    if outcome.stated.is_census:
        side = "within the budget of {}" if cost["change"] >= -outcome.budget else "over the budget of {}"
        verdict = f"one list, exact: {'undefined' if math.isnan(cost['change']) else side}"
    return capital(verdict.format(budget_words(outcome.budget)))


def _short(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


WRITING: Mapping[str, Callable[..., object]] = {
    "bound_words": bound_words,
    "budget_mark": budget_mark,
    "change_interval": change_interval,
    "change_words": change_words,
    "payers_cell": payers_cell,
    "shares_in_words": shares_in_words,
    "short": _short,
    "statements_words": statements_words,
}
"""Words of the lab by which the template writes rows."""


def cost_scale(part: float, settings: Sequence[Row]) -> dict[str, Any]:
    """The shared scale of costs, in percent of today's quality.

    Down to three budgets, up to the highest end of an interval, or two budgets.

    Args:
        part: The budget, a part of today's quality.
        settings: What stands on it, each with the high end of its change.

    Returns:
        Its ends, ``low`` and ``high``; where the ``budget`` ends, as a change; ``ticks``, changes that are written.
    """
    budget, low = -100 * part, -100 * CLIPPED * part
    highs = [100 * setting["change_high"] for setting in settings if not math.isnan(setting["change_high"])]
    high = min(max([*highs, -budget / 3]), -2.0 * budget)
    step = next((step for step in STEPS if (high - low) / step <= 6), STEPS[-1])
    first = math.ceil((low - budget) / step)
    ticks = [budget + i * step for i in range(first, math.floor((high - budget) / step) + 1)]
    return {"low": low, "high": high, "budget": budget, "ticks": ticks}
