"""One decision on one page of A4: what moves, what it costs, who is worse off, and who decides why; and its drawings.

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
from fairviz.display.words import THIN, UNDEFINED, capital, count, in_words, number, percent, plural, quoted
from fairviz.kernels.grouping import UNLABELLED
from fairviz.model import Dataset
from fairviz.numerals import part_of
from fairviz.reranking.catalogue import find_reranker
from fairviz.studies.policy_lab.analysis import PolicyLabAnalysis
from fairviz.studies.policy_lab.bench import Row
from fairviz.studies.policy_lab.budget import Outcome, floor_of
from fairviz.studies.policy_lab.examples import BeforeAfter, compared_lists, example_query
from fairviz.studies.policy_lab.findings import change_interval, change_words, moves_title, nowhere_words, payers_words
from fairviz.studies.policy_lab.methods_findings import alternative_words, lists_words, price_finding
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.strengths import NAMES, setting_words, strength_words

RANKS = 10
"""Ranks of the example that have a row; of more, entries and exits are told in a sentence."""
WIDE = 6
"""Groups up to which a row has room for a drawing; more stand in two columns."""
MOST_GROUPS = 24
"""Groups that have a row: those that miss their target by most."""
NAMED = 8
"""Entries, or exits, that are named below the ranks."""
LONGEST, LONGEST_TITLE, LONGEST_CELL, LONGEST_FIELD = 110, 42, 60, 240
"""Characters of a question, of a document's title and of its title with its group (whole above), and of a field."""
"""Of paper, by their names in the style sheet."""
CELLS = 40
"""Queries up to which each has a cell of its own; more are one stacked strip."""
STEPS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0)
"""Distances of ticks on the scale of costs, in percent."""


def brief(data: Dataset, analysis: PolicyLabAnalysis, decided: Mapping[str, str], *, browsing: str) -> str:
    """A self-contained page that prints on one sheet of A4.

    Args:
        data: What is loaded: names, texts of queries, passages.
        analysis: What the budget buys.
        decided: What people write by the name of the field: empty = a ruled line to fill by hand.
        browsing: How attention falls with rank, in words.
    """
    outcome, prices, settings = analysis.outcome, analysis.prices, analysis.settings
    best = outcome.proposed
    title, sentence = price_finding(outcome, mine=False)
    lists, rule = _example(data, analysis)
    queries = plural(outcome.now["n_queries"], "search (query)", "searches (queries)")
    return brief_html(
        outcome,
        analysis.shares,
        decided=decided,
        lists=lists,
        question="" if lists is None else (data.texts or {}).get(lists.query_id, lists.query_id),
        rule=rule,
        title=title,
        sentence="" if best is not None and best["moves"] else sentence,
        kind=prices.held.of.labels.attribute,
        date=f"{date.today():%-d %B %Y}",
        data=f"{data.name}, ranking {quoted(prices.run.system)}, {queries}, first {settings.k} ranks",
        fingerprint=data.fingerprint,
        version=__version__,
        alternative="" if best is None else alternative_words(outcome),
        methods=_methods(data, analysis, browsing),
        limits=" ".join([_limits(analysis), *([] if lists else [rule])]).strip(),
    )


def _example(data: Dataset, analysis: PolicyLabAnalysis) -> tuple[BeforeAfter | None, str]:
    """The query that stands for the setting that is proposed, and the rule of its choice, or why there is none."""
    best, prices = analysis.outcome.proposed, analysis.prices
    if best is None:
        return None, ""
    query, rule = example_query(prices, best["method"], best["strength"], spoken=analysis.outcome.spoken)
    if not query:
        return None, rule
    method, strength = best["method"], best["strength"]
    lists = compared_lists(prices, method, strength, query, data.passages or {})
    return lists._replace(words=f"{setting_words(method, strength)}. {lists.words}"), rule


def _methods(data: Dataset, analysis: PolicyLabAnalysis, browsing: str) -> str:
    """How it was computed: method and setting, candidates, attention, judgements, intervals."""
    outcome, settings, depths, parts = analysis.outcome, analysis.settings, analysis.prices.depths, list[str]()
    if (best := outcome.proposed) is not None:
        name, words = best["method"], strength_words(best["method"], best["strength"])
        parts.append(f"{NAMES[name]}, {find_reranker(name).citation}, {words}.")
    deeper = f", of some down to rank {depths.deepest}" if depths.n_deeper else ""
    parts += [
        f"First {depths.usual} candidates of each query re-ranked{deeper} for ranks 1–{settings.k}.",
        f"Attention by rank: {browsing}; shares over all queries together"
        f"{', of labelled documents' if settings.unlabelled == 'drop' else ''}.",
        f"Quality ({outcome.quality}){_judgements(data, settings)};"
        f" intervals by resampling queries (paired bootstrap, seed {settings.seed}).",
    ]
    if not outcome.silent:
        of = f"Of {outcome.settings.height} settings the nearest inside the budget, those that move before others"
        parts.append(f"{of}; less than a point further counts as alike.")
    return " ".join(parts)


def _judgements(data: Dataset, settings: PolicyLabSettings) -> str:
    return f" from the judgements “{data.qrels[settings.judgements].name}”" if data.qrels else ", without judgements"


def _limits(analysis: PolicyLabAnalysis) -> str:
    """What the page does not show."""
    outcome, unlabelled, parts = analysis.outcome, analysis.outcome.unlabelled, list[str]()
    if not outcome.silent:
        parts += [
            f"{plural(outcome.now['n_queries'], 'query', 'queries')}: a small effect would go unnoticed. The best of "
            f"{outcome.settings.height} tries is a little flattering: expect slightly less."
        ]
    if unlabelled > 0:
        share = percent(unlabelled, 1 if unlabelled < 0.02 else 0)
        parts.append(f"{share} of attention goes to documents with no label.")
    whose = "targets are" if outcome.distance.is_set else "equal shares are"
    nowhere = nowhere_words(analysis.prices.depths)
    parts.append(f"Labels say what is recorded of a document, not whom it serves; {whose} a choice, not a finding.")
    parts.append(nowhere or "Every query has a candidate of every group; re-ranking adds none.")
    return " ".join(parts)


def brief_html(
    outcome: Outcome, shares: pl.DataFrame, *, decided: Mapping[str, str], lists: BeforeAfter | None, **texts: str
) -> str:
    """The page of these numbers and texts.

    Args:
        outcome: What the budget buys.
        shares: By group, today and with the setting; without a setting the two are alike.
        decided: As of :func:`brief`.
        lists: One query, before and after; ``words`` say which list the second one is.
        texts: ``title`` and ``sentence`` of the finding, ``kind`` of groups ("region"), ``date``, ``data``,
            ``fingerprint`` of these, ``version`` of fairviz, ``alternative``: a fixed list, ``methods``: how it was
            computed, ``limits``: what it does not show, ``question``: the query's text, ``rule``: why this query.
    """
    setting, distance = outcome.proposed, outcome.distance
    rows, groups = shares.rows(named=True), shares.sort("at")["group"].to_list()
    gaps = (shares["after"] - shares["target"]).abs().fill_nan(0).to_numpy()
    largest: list[int] = np.lexsort((shares["at"].to_numpy(), -gaps))[:MOST_GROUPS].tolist()
    rows = [rows[at] for at in sorted(largest)]
    wide = len(rows) <= WIDE
    highest = np.nanmax(np.concatenate([shares["today_high"], shares["today"], shares["target"], [0.01]]))
    cells = [_share_row(outcome, row, group_colour(groups, row["at"]), 1.08 * float(highest)) for row in rows]
    half = len(rows) if wide else -(-len(rows) // 2)
    most, below = ("", "") if setting is None else payers_words(shares, distance.due)
    more, aim = shares.height - len(rows), "their target" if distance.is_set else "an equal share"
    return rendered(
        "brief.html",
        texts=texts,
        outcome=outcome,
        colours=SHEET,
        decided={name: text[:LONGEST_FIELD] for name, text in decided.items()},
        paid={"title": "" if setting is None else moves_title(shares), "most": most, "below": below},
        kind=capital(texts["kind"]),
        wide=wide,
        tables=[cells[:half], cells[half:]] if half < len(cells) else [cells],
        known=not shares["today_low"].is_nan().all(),
        unit=f"points of attention {distance.off}" if distance.in_points else f"by {distance.label}",
        rest=f" {plural(more, 'more group')} miss {aim} by less." if more else "",
        setting=setting,
        cost=None if setting is None else _cost(outcome, setting),
        example=None if lists is None else _ranks(lists, texts["question"], groups),
    )


# Shares before and after.


def _share_row(outcome: Outcome, row: Mapping[str, Any], hue: str, widest: float) -> dict[str, object]:
    moved = outcome.proposed is not None
    gap = 100 * (row["after"] - row["target"])
    size = number(abs(gap), 1 if 0.05 <= abs(gap) < 1.95 else 0)
    even = "on target" if outcome.distance.is_set else "equal share"
    return {
        "group": row["group"],
        "today": _share(row, "today"),
        "after": _share(row, "after") if moved else {"text": UNDEFINED, "ends": ""},
        "target": percent(row["target"]).removesuffix(f"{THIN}%"),
        "drawn": spans_box(row, hue, widest=widest, moved=moved),
        "gap": even if size == "0" else f"{size} {'over' if gap > 0 else 'under'}",
    }


def _share(row: Mapping[str, Any], side: str) -> dict[str, str]:
    """A share in percent, and its interval where there is one."""
    share, low, high = (row[f"{side}{end}"] for end in ("", "_low", "_high"))
    digits = 1 if share < 0.02 else 0
    ends = "" if math.isnan(low) else f"{number(100 * low, digits)}–{number(100 * high, digits)}"
    return {"text": number(100 * share, digits), "ends": ends}


# Cost, and who pays it.


def _cost(outcome: Outcome, setting: Row) -> dict[str, str]:
    scale = cost_scale(outcome)
    before = setting["quality"] / (1 + setting["change"]) if setting["change"] > -1 else math.nan
    searches = plural(setting["n_queries"], "search (query)", "searches (queries)")
    return {
        "box": cost_box(setting, scale),
        "ticks": cost_ticks(scale),
        "before": number(before),
        "after": number(setting["quality"]),
        "change": change_words(setting["change"]),
        "ends": change_interval(setting).replace("(", "(95 % interval "),
        "verdict": capital(setting["verdict"]),
        "tried": plural(outcome.n_tried, "setting"),
        "queries": queries_box(setting),
        "lose": f"{part_of(setting['n_worse'], searches, 'loses', 'lose')} quality",
        "gain": count(setting["n_better"]),
        "unchanged": count(setting["n_unchanged"]),
        "lists": lists_words(setting["fewest"], setting["most"]),
    }


# One query.


def _ranks(lists: BeforeAfter, question: str, groups: Sequence[str]) -> dict[str, object]:
    """First ranks of a query, a row each, with entries and exits below them."""
    before, after = lists.side("before"), lists.side("after")
    has_quality = not (math.isnan(lists.quality_before) or math.isnan(lists.quality_after))
    below = {
        "enter": [move for move in after[RANKS:] if move["entered"]],
        "leave": [move for move in before[RANKS:] if move["left"]],
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
            for was, now in zip(before[:RANKS], after[:RANKS], strict=True)
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
    ideal = outcome.distance.ideal
    whole = max(abs(outcome.now["off"] - (0.0 if math.isnan(ideal) else ideal)), 1e-9)

    def part(setting: Row | None) -> float:
        return 0.0 if setting is None else 100 * min(max(setting["moved"] / whole, 0.0), 1.0)

    sure, inside, over = (part(reach[name]) for name in ("sure", "inside", "over"))
    bars = [("fv-certain", 0.0, sure), ("fv-estimate", sure, inside - sure), ("fv-over", 0.0, over)]
    drawn = (el("span", cls=name, style=f"left:{at:.1f}%;width:{width:.1f}%") for name, at, width in bars if width > 0)
    goal = None if math.isnan(ideal) else el("span", cls="fv-goal")
    return el("span", *drawn, goal, cls="fv-way", aria_hidden="true")


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
    budget, low = -100 * part, 100 * floor_of(part)
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
        row: A group with its shares, of :func:`~fairviz.studies.policy_lab.columns.shares_frame`.
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
