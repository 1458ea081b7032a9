"""One decision on one page of A4: what moves, what it costs, who is worse off, and who decides why.

Static: boxes of CSS, no script, no request. What people decide is written by people: an empty field is a ruled line.
"""

import math
from collections.abc import Mapping
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from fairviz.display.markup import rendered
from fairviz.display.theme import LIGHT
from fairviz.display.words import THIN, UNDEFINED, capital, count, number, percent, plural
from fairviz.numerals import part_of
from fairviz.points.shares import PooledShares
from fairviz.studies.policy_lab import boxes
from fairviz.studies.policy_lab.budget import Outcome, Setting
from fairviz.studies.policy_lab.distances import Distance
from fairviz.studies.policy_lab.findings import change_interval, change_words, lists_words
from fairviz.studies.policy_lab.lists import BeforeAfter, Move, title_of
from fairviz.studies.policy_lab.payments import payments, warning_title
from fairviz.studies.policy_lab.price import SharesBeside

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

COLOURS = {
    "page": "#FFFFFF",
    "panel": LIGHT.panel,
    "rule": LIGHT.rule,
    "axis": LIGHT.axis,
    "ink": LIGHT.ink,
    "mute": LIGHT.mute,
    "faint": LIGHT.faint,
    "plackett-luce-fill": LIGHT.plackett_luce.line,
    "optimal-fill": LIGHT.optimal.line,
    "oracle-fill": LIGHT.oracle.line,
    "loss-text": LIGHT.optimal.text,
}
"""Of paper, by their names in the style sheet."""


class Decided(NamedTuple):
    """What people write: empty = a ruled line to fill by hand."""

    decides: str = ""
    decision: str = ""
    budget: str = ""
    why: str = ""


class Example(NamedTuple):
    """One query, before and after.

    Attributes:
        question: In words.
        lists: Its two lists.
        after: Which list the second one is, in words.
        passages: Texts of documents, which begin with a title.
        rule: Why this query.
    """

    question: str
    lists: BeforeAfter
    after: str
    passages: Mapping[str, str]
    rule: str


class Brief(NamedTuple):
    """What the page says.

    Attributes:
        title: The finding.
        sentence: Why no setting is proposed, or may not move, and what to do next; empty where one moves.
        kind: What the groups are of ("region").
        date: Of the brief.
        data: Data, run, queries, ranks.
        fingerprint: Of the data.
        version: Of fairviz.
        decided: What people write.
        outcome: What the budget buys.
        distance: What off target means.
        quality: Name of the quality measure.
        shares: By group, today and with the setting; without a setting the two are alike.
        setting: The setting that is proposed; None where none is nearer.
        alternative: The nearest fixed and certain list in words; "" for none.
        example: One query.
        methods: How it was computed.
        limits: What it does not show.
    """

    title: str
    sentence: str
    kind: str
    date: str
    data: str
    fingerprint: str
    version: str
    decided: Decided
    outcome: Outcome
    distance: Distance
    quality: str
    shares: SharesBeside
    setting: Setting | None
    alternative: str
    example: Example | None
    methods: str
    limits: str


def brief_html(brief: Brief) -> str:
    """A self-contained page that prints on one sheet of A4."""
    shares, setting, is_set = brief.shares, brief.setting, brief.distance.is_set
    gaps = np.nan_to_num(np.abs(shares.after.shares - shares.target))
    named = set(np.argsort(-gaps, kind="stable")[:MOST_GROUPS].tolist())
    order = [at for at in shares.by_gain if at in named]
    wide = len(order) <= WIDE
    widest = 1.08 * float(np.nanmax([*shares.today.ends.high, *shares.today.shares, *shares.target, 0.01]))
    rows = [_share_row(brief, at, widest if wide else None) for at in order]
    half = len(rows) if wide else -(-len(rows) // 2)
    title, sentence, warning = ("", "", "") if setting is None else payments(shares, is_set=is_set)
    return rendered(
        "brief.html",
        brief=brief,
        colours=COLOURS,
        decided={name: text[:LONGEST_FIELD] for name, text in brief.decided._asdict().items()},
        paid={"title": title, "sentence": sentence, "warned": warning_title(is_set=is_set), "warning": warning},
        kind=capital(brief.kind),
        wide=wide,
        tables=[rows[:half], rows[half:]] if half < len(rows) else [rows],
        known=bool(np.isfinite(shares.today.ends.low).any()),
        unit=_unit(brief.distance),
        rest=_rest(len(shares.groups) - len(order), is_set=is_set),
        setting=setting,
        cost=None if setting is None else _cost(brief, setting),
        example=None if brief.example is None else _example(brief.example, shares.groups),
    )


# Shares before and after.


def _unit(distance: Distance) -> str:
    return f"points of attention {distance.off}" if distance.in_points else f"by {distance.label}"


def _rest(n: int, *, is_set: bool) -> str:
    """Groups without a row."""
    aim = "their target" if is_set else "an equal share"
    return f" {plural(n, 'more group')} miss {aim} by less." if n else ""


def _share_row(brief: Brief, at: int, widest: float | None) -> dict[str, object]:
    shares, moved = brief.shares, brief.setting is not None
    after, target = float(shares.after.shares[at]), float(shares.target[at])
    gap = 100 * (after - target)
    size = number(abs(gap), 1 if 0.05 <= abs(gap) < 1.95 else 0)
    even = "on target" if brief.distance.is_set else "equal share"
    return {
        "group": shares.groups[at],
        "today": _share(shares.today, at),
        "after": _share(shares.after, at) if moved else {"text": UNDEFINED, "ends": ""},
        "target": percent(target).removesuffix(f"{THIN}%"),
        "drawn": None if widest is None else boxes.spans_box(shares, at, widest=widest, moved=moved),
        "gap": even if size == "0" else f"{size} {'over' if gap > 0 else 'under'}",
    }


def _share(pooled: PooledShares, at: int) -> dict[str, str]:
    """A share in percent, and its interval where there is one."""
    share, low, high = float(pooled.shares[at]), float(pooled.ends.low[at]), float(pooled.ends.high[at])
    digits = 1 if share < 0.02 else 0
    ends = "" if math.isnan(low) else f"{number(100 * low, digits)}–{number(100 * high, digits)}"
    return {"text": number(100 * share, digits), "ends": ends}


# Cost, and who pays it.


def _cost(brief: Brief, setting: Setting) -> dict[str, str]:
    outcome, point, scale = brief.outcome, setting.point, boxes.cost_scale(brief.outcome)
    before = point.quality / (1 + point.change) if point.change > -1 else math.nan
    searches = plural(point.n_queries, "search (query)", "searches (queries)")
    return {
        "box": boxes.cost_box(setting, scale, outcome),
        "ticks": boxes.cost_ticks(scale),
        "before": number(before),
        "after": number(point.quality),
        "change": change_words(point.change),
        "ends": change_interval(setting.change).replace("(", "(95 % interval "),
        "verdict": capital(setting.verdict(outcome.budget).words),
        "tried": plural(outcome.n_tried, "setting"),
        "queries": boxes.queries_box(point),
        "lose": f"{part_of(point.n_worse, searches, 'loses', 'lose')} quality",
        "gain": count(point.n_better),
        "unchanged": count(point.n_unchanged),
        "lists": lists_words(setting.n_lists),
    }


# One query.


def _example(example: Example, groups: tuple[str, ...]) -> dict[str, object]:
    lists = example.lists
    n_ranks = min(lists.k, RANKS, max(len(lists.before), len(lists.after)))
    pairs = list(zip_longest(lists.before[:n_ranks], lists.after[:n_ranks]))
    known = not (math.isnan(lists.quality_before) or math.isnan(lists.quality_after))
    return {
        "question": _short(example.question),
        "ranks": [
            (
                was and _document(was, example, groups, "leaves" if lists.left(was) else ""),
                now and _document(now, example, groups, _step(now, lists)),
            )
            for was, now in pairs
        ],
        "quality": f"{number(lists.quality_before, 2)} → {number(lists.quality_after, 2)}" if known else "",
        "below": _below(example),
    }


def _below(example: Example) -> list[dict[str, object]]:
    """Entries and exits below the ranks that have a row."""
    lists = example.lists
    enter = [move for move in lists.after[RANKS:] if lists.entered(move)]
    leave = [move for move in lists.before[RANKS:] if lists.left(move)]
    return [
        {
            "word": word,
            "titles": ", ".join(_short(title_of(move.doc_id, example.passages), 40) for move in moves[:NAMED]),
            "rest": max(len(moves) - NAMED, 0),
        }
        for moves, word in ((enter, "enter"), (leave, "leave"))
        if moves
    ]


def _document(move: Move, example: Example, groups: tuple[str, ...], step: str) -> dict[str, str]:
    hue = boxes.group_colour(groups, groups.index(move.group) if move.group in groups else -1)
    title = _short(title_of(move.doc_id, example.passages), LONGEST_TITLE)
    group = _short(move.group, LONGEST_CELL - len(title)) if move.group else "no group"
    ground = hue if move.useful else "var(--fv-page)"
    return {"hue": hue, "ground": ground, "title": title, "group": group, "step": step}


def _step(move: Move, lists: BeforeAfter) -> str:
    if lists.entered(move):
        return "new"
    return f"▲{move.climbed}" if move.climbed > 0 else f"▼{-move.climbed}" if move.climbed else ""


def _short(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
