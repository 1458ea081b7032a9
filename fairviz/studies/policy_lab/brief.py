"""One decision on one page of A4: statements, what they lead to, their price, who pays, who decides why; its drawings.

Static: boxes of CSS, no script, no request. What people decide is written by people: an empty field is a ruled line.

The small drawings in rows stand on the page of the dashboard, too: way from today to the target, cost on a shared
scale, queries by what happens to them, shares before and after. All of them repeat what words beside them say, so that
a screen reader passes over them. Colours are custom properties of the surface (``--fv-…``); solid, hatched and hollow
say without colour what ``verdict`` says in words.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from fairviz import __version__
from fairviz.display.markup import Html, el, rendered
from fairviz.display.theme import DARK, LIGHT, SHEET, group_hues
from fairviz.display.words import THIN, UNDEFINED, capital, count, in_words, listing, number, plural, quoted
from fairviz.kernels.grouping import UNLABELLED
from fairviz.model import Dataset
from fairviz.numerals import part_of
from fairviz.points.targets import bound_words
from fairviz.studies.policy_lab.analysis import proposals_under, stated_under
from fairviz.studies.policy_lab.bench import Row
from fairviz.studies.policy_lab.budget import Outcome
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
    shares_in_words,
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
NAMED = 8
"""Entries, or exits, that are named below the ranks."""
LONGEST, LONGEST_TITLE, LONGEST_CELL, LONGEST_FIELD = 110, 42, 60, 240
"""Characters of a question, of a document's title and of its title with its group (whole above), and of a field."""
"""Of paper, by their names in the style sheet."""
CELLS = 40
"""Queries up to which each has a cell of its own; more are one stacked strip."""
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
    queries = plural(outcome.cost["n_queries"], "search (query)", "searches (queries)")
    queries = "one list" if stated.is_census else queries
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
    several, names = groups["attribute"].n_unique() > 1, list[str]()
    if lists is not None:  # of the attribute that the example is about
        of = groups.filter(pl.col("group").is_in(lists.moves["group"].to_list()))["attribute"]
        names = groups.filter(pl.col("attribute").is_in(of.head(1).to_list()))["group"].to_list()
    first = groups.sort(~pl.col("has_statement"), -pl.col("change").abs(), maintain_order=True).head(MOST_GROUPS)
    most, below = payers_words(groups, outcome.unit)
    ends = [*groups["today"], *groups["after"], *groups["low"], *(end for end in groups["high"] if end < 1)]
    widest = 1.08 * float(np.nanmax([*ends, 0.01]))
    rows = [
        _share_row(row, widest=widest, has_policy=has_policy, several=several)
        for row in groups.join(first.select(*KEY), on=KEY, how="semi", maintain_order="left").rows(named=True)
    ]
    more, n_ranks = groups.height - len(rows), min(RANKS, LINES - len(rows) - 2 * len(proposals))
    return rendered(
        "brief.html",
        **{name: text for name, text in texts.items() if name not in ("kind", "question")},
        kick=f"Policy brief · attention by {texts['kind']}",
        colours=SHEET,
        decided={name: text[:LONGEST_FIELD] for name, text in decided.items()},
        kind=capital(texts["kind"]),
        rows=rows,
        rest=f"{plural(more, 'more group is', 'more groups are')} left out." if more else "",
        has_policy=has_policy,
        has_intervals=has_policy and not groups["change_low"].is_nan().all(),
        cost=_cost(outcome) if has_policy else None,
        paid={"title": payments_title(outcome), "most": most, "below": below, "beside": side_effects_title(outcome)},
        lists_title=lists_title(outcome),
        quality=outcome.stated.settings.quality_label,
        judged=outcome.stated.qrels is not None,
        census=outcome.stated.is_census,
        proposals=[_proposal_row(each) for each in proposals],
        compared=proposals_finding(proposals) if proposals else None,
        example=None if lists is None or n_ranks < LEAST_RANKS else _ranks(lists, texts["question"], names, n_ranks),
    )


# Shares before and after.


def _share_row(row: Mapping[str, Any], *, widest: float, has_policy: bool, several: bool) -> dict[str, object]:
    today, after = shares_in_words(row["today"], row["after"])
    aim = row["low"] if row["low"] > 0 else row["high"] if row["high"] < 1 else math.nan
    no_ends = dict.fromkeys((f"{side}_{end}" for side in ("today", "after") for end in ("low", "high")), math.nan)
    return {
        "group": row["group"],
        "attribute": row["attribute"] if several else "",
        "statement": bound_words(row["low"], row["high"]),
        "today": today,
        "after": after if has_policy else UNDEFINED,
        "change": f"{in_words(100 * row['change'], sign=True)}{change_interval(row)}" if has_policy else UNDEFINED,
        "word": row["word"] if has_policy and row["word"] != "stays" else "",
        "drawn": spans_box({**row, **no_ends, "target": aim}, HUE, widest=widest, moved=has_policy),
    }


HUE = "var(--fv-plackett-luce-fill)"
"""Of what is after today."""


# Cost, and who pays it.


VERDICTS = {
    "stays in budget": "stays in the budget of {}",
    "over budget": "over the budget of {}",
    "cannot tell": "cannot tell whether it stays in the budget of {}",
}
"""What may be said of a loss, with the budget."""
STATES = {"yes": "certain", "no": "over"}
"""How a price is drawn by what may be said of it; everything else is an estimate."""


def _cost(outcome: StatedOutcome) -> dict[str, str]:
    cost, scale, budget = outcome.cost, scale_of(outcome.budget, [outcome.cost]), budget_words(outcome.budget)
    before = cost["quality"] / (1 + cost["change"]) if cost["change"] > -1 else math.nan
    searches = plural(cost["n_queries"], "search (query)", "searches (queries)")
    state, verdict = STATES.get(cost["stays"], "estimate"), outcome.silent
    if is_census := outcome.stated.is_census:
        state = "certain" if cost["change"] >= -outcome.budget else "over"
        side = "undefined" if math.isnan(cost["change"]) else "within the budget of {}"
        verdict = "one list, exact: " + (side if state == "certain" else "over the budget of {}")
    return {
        "box": cost_box({**cost, "state": state}, scale),
        "ticks": cost_ticks(scale),
        "before": number(before),
        "after": number(cost["quality"]),
        "change": change_words(cost["change"]),
        "ends": change_interval(cost).replace("(", "(95 % interval "),
        "verdict": capital((verdict or VERDICTS[MARKS[cost["stays"]]]).format(budget)),
        "by_scores": change_words(outcome.by_scores),
        "queries": "" if is_census else queries_box(cost),
        "lose": "" if is_census else f"{part_of(cost['n_worse'], searches, 'loses', 'lose')} quality",
        "gain": count(cost["n_better"]),
        "unchanged": count(cost["n_unchanged"]),
    }


def _proposal_row(proposal: Proposal) -> dict[str, str]:
    return {
        "name": proposal.name,
        "statements": _short(statements_words(proposal.groups)),
        "change": f"{change_words(proposal.cost['change'])}{change_interval(proposal.cost)}",
        "word": budget_mark(proposal),
        "payers": payers_cell(proposal.groups),
    }


# One query.


def _ranks(lists: BeforeAfter, question: str, groups: Sequence[str], n_rows: int) -> dict[str, object]:
    """First ranks of a query, so many of them a row each, with entries and exits below them."""
    before, after = lists.side("before"), lists.side("after")
    has_quality = not (math.isnan(lists.quality_before) or math.isnan(lists.quality_after))
    below = {
        "enter": [move for move in after[n_rows:] if move["entered"]],
        "leave": [move for move in before[n_rows:] if move["left"]],
    }
    return {
        "after": lists.words,
        "k": lists.k,
        "question": _short(question),
        "ranks": [
            (
                _document(was, groups, "leaves" if was["left"] else ""),
                _document(now, groups, "new" if now["entered"] else now["step"]),
            )
            for was, now in zip(before[:n_rows], after[:n_rows], strict=True)
        ],
        "quality": f"{number(lists.quality_before, 2)} → {number(lists.quality_after, 2)}" if has_quality else "",
        "below": [
            {
                "word": word,
                "titles": ", ".join(_short(move["title"], 40) for move in moves[:NAMED]),
                "rest": max(len(moves) - NAMED, 0),
            }
            for word, moves in below.items()
            if moves
        ],
    }


def _document(move: Mapping[str, Any], groups: Sequence[str], step: str) -> dict[str, str]:
    hue = group_colour(groups, groups.index(move["group"]) if move["group"] else -1)
    title = _short(move["title"], LONGEST_TITLE)
    group = _short(move["group"], LONGEST_CELL - len(title)) if move["group"] else "no group"
    ground = hue if move["useful"] else "var(--fv-page)"
    return {"hue": hue, "ground": ground, "title": title, "group": group, "step": step}


def _short(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


# Drawings: from today to the target.


def way_box(reach: Row, outcome: Outcome) -> Html:
    """A bar from today to the target: solid as far as is sure, hatched where nobody can tell, dashed over budget."""
    whole = max(outcome.now["off"], 1e-9)

    def part(setting: Row | None) -> float:
        return 0.0 if setting is None else 100 * min(max(setting["moved"] / whole, 0.0), 1.0)

    sure, inside, over = (part(reach[name]) for name in ("sure", "inside", "over"))
    bars = [("fv-certain", 0.0, sure), ("fv-estimate", sure, inside - sure), ("fv-over", 0.0, over)]
    drawn = (el("span", cls=name, style=f"left:{at:.1f}%;width:{width:.1f}%") for name, at, width in bars if width > 0)
    return el("span", *drawn, el("span", cls="fv-goal"), cls="fv-way", aria_hidden="true")


# Costs on one scale.


class CostScale(NamedTuple):
    """The shared scale of costs, in percent of today's quality.

    Attributes:
        low, high: Its ends.
        budget: Where the budget ends, as a change.
        ticks: Changes that are written.
    """

    low: float
    high: float
    budget: float
    ticks: tuple[float, ...]

    def percent(self, change: float) -> float:
        """Where a change stands, in percent of the width."""
        return 100 * min(max((change - self.low) / (self.high - self.low), 0.0), 1.0)


def cost_scale(outcome: Outcome) -> CostScale:
    """The scale of methods, see :func:`scale_of`."""
    return scale_of(outcome.budget, [reach["shown"] for reach in outcome.reaches if reach["shown"]])


def scale_of(part: float, settings: Sequence[Row]) -> CostScale:
    """Down to three budgets, up to the highest end of an interval, or two budgets.

    Args:
        part: The budget, a part of today's quality.
        settings: What stands on it, each with the high end of its change.
    """
    budget, low = -100 * part, -100 * CLIPPED * part
    highs = [100 * setting["change_high"] for setting in settings if not math.isnan(setting["change_high"])]
    high = min(max([*highs, -budget / 3]), -2.0 * budget)
    step = next((step for step in STEPS if (high - low) / step <= 6), STEPS[-1])
    first = math.ceil((low - budget) / step)
    ticks = tuple(budget + i * step for i in range(first, math.floor((high - budget) / step) + 1))
    return CostScale(low, high, budget, ticks)


def cost_ticks(scale: CostScale) -> Html:
    """The numbers of the scale; the budget is marked."""
    spans = (
        el(
            "span",
            _tick(tick) + (f"{THIN}%" if tick == scale.budget else ""),
            cls="fv-limit" if tick == scale.budget else "",
            style=f"left:{scale.percent(tick):.1f}%",
        )
        for tick in scale.ticks
    )
    return el("span", *spans, cls="fv-ticks", aria_hidden="true")


def cost_box(setting: Row, scale: CostScale) -> Html:
    """One cost: a dot that is solid, hatched or hollow, its interval, the budget, no change."""
    change, low, high = (100 * setting[key] for key in ("change", "change_low", "change_high"))
    state = setting["state"]
    parts: list[Html] = [
        el("span", cls="fv-beyond", style=f"width:{scale.percent(scale.budget):.1f}%"),
        el("span", cls="fv-none", style=f"left:{scale.percent(0.0):.1f}%"),
    ]
    if change < scale.low:
        parts.append(el("span", f"◀ {_tick(change)}{THIN}%", cls="fv-away"))
    else:
        if not math.isnan(low):
            left, right = scale.percent(low), scale.percent(high)
            dear = "fv-dear" if state == "over" else ""
            parts.append(el("span", cls=f"fv-ends {dear}".strip(), style=f"left:{left:.1f}%;width:{right - left:.1f}%"))
        parts.append(el("span", cls=f"fv-spot fv-{state}", style=f"left:{scale.percent(change):.1f}%"))
    return el("span", *parts, cls="fv-cost", aria_hidden="true")


def priced_box(cost: Row, scale: CostScale) -> Html:
    """The cost of statements: see :func:`cost_box`."""
    return cost_box({**cost, "state": STATES.get(cost["stays"], "estimate")}, scale)


def _tick(value: float) -> str:
    return "0" if abs(value) < 1e-9 else in_words(value, 0 if abs(value - round(value)) < 0.05 else 1, sign=True)


# Queries, and shares.


def queries_box(setting: Row) -> Html:
    """Queries by what happens to their quality: worse low, unchanged in the middle, better high."""
    kinds = (("worse", setting["n_worse"]), ("same", setting["n_unchanged"]), ("better", setting["n_better"]))
    if setting["n_queries"] <= CELLS:
        cells = [el("span", cls=f"fv-{kind}") for kind, n in kinds for _ in range(n)]
        return el("span", *cells, cls="fv-queries", aria_hidden="true")
    parts = [el("span", cls=f"fv-{kind}", style=f"flex-grow:{n}") for kind, n in kinds if n]
    return el("span", *parts, cls="fv-queries fv-strip", aria_hidden="true")


def spans_box(row: Mapping[str, Any], hue: str, *, widest: float, moved: bool) -> Html:
    """Two intervals one above the other: today's hollow and grey, the one after it filled in the group's colour.

    Args:
        row: A group with its shares and their ends, and the edge of what is due as its ``target``; NaN = none.
        hue: Its colour.
        widest: The share at the right end of the scale, the same in every row.
        moved: Whether there is anything after today.
    """
    parts: list[Html] = [el("span", cls="fv-ground")]
    sides = (("today", 32, "var(--fv-faint)", "var(--fv-page)"), ("after", 68, hue, hue))
    for side, top, colour, ground in sides if moved else sides[:1]:
        share = row[side]
        if math.isnan(share):
            continue
        low, high = (share if math.isnan(end) else end for end in (row[f"{side}_low"], row[f"{side}_high"]))
        left, right = _part(low, widest), _part(high, widest)
        bar = f"left:{left:.1f}%;width:{right - left:.1f}%;top:calc({top}% - 1.5px);background:{colour}"
        dot = f"left:{_part(share, widest):.1f}%;top:{top}%;border-color:{colour};background:{ground}"
        parts += [el("span", cls="fv-path", style=bar), el("span", cls="fv-dot", style=dot)]
    if not math.isnan(row["target"]):
        parts.append(el("span", cls="fv-aim", style=f"left:{_part(row['target'], widest):.1f}%"))
    return el("span", *parts, cls="fv-span", aria_hidden="true")


def group_colour(groups: Sequence[str], at: int) -> str:
    """The colour of a group's marks in either theme; grey for documents without a label."""
    if at < 0 or groups[at] == UNLABELLED:
        return "var(--fv-faint)"
    light, dark = (group_hues(groups, colours)[at].line for colours in (LIGHT, DARK))
    return f"light-dark({light},{dark})"


def _part(share: float, widest: float) -> float:
    return 100 * min(max(share / widest, 0.0), 1.0)
