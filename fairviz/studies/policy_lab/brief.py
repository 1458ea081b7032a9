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
from fairviz.studies.policy_lab.budget import Outcome
from fairviz.studies.policy_lab.examples import BeforeAfter, Move, title_of
from fairviz.studies.policy_lab.findings import change_interval, change_words, lists_words, payments, warning_title
from fairviz.studies.policy_lab.price import Setting, SharesBeside

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


def brief_html(
    outcome: Outcome, shares: SharesBeside, *, decided: Mapping[str, str], example: Example | None, **texts: str
) -> str:
    """A self-contained page that prints on one sheet of A4.

    Args:
        outcome: What the budget buys.
        shares: By group, today and with the setting; without a setting the two are alike.
        decided: What people write by the name of the field: empty = a ruled line to fill by hand.
        example: One query.
        texts: ``title`` and ``sentence`` of the finding, ``kind`` of groups ("region"), ``date``, ``data``,
            ``fingerprint`` of these, ``version`` of fairviz, ``alternative``: a fixed list, ``methods``: how it was
            computed, ``limits``: what it does not show.
    """
    setting, distance = outcome.proposed, outcome.distance
    gaps = np.nan_to_num(np.abs(shares.after.shares - shares.target))
    named = set(np.argsort(-gaps, kind="stable")[:MOST_GROUPS].tolist())
    order = [at for at in shares.by_gain if at in named]
    wide = len(order) <= WIDE
    widest = 1.08 * float(np.nanmax([*shares.today.ends.high, *shares.today.shares, *shares.target, 0.01]))
    rows = [_share_row(outcome, shares, at, widest if wide else None) for at in order]
    half = len(rows) if wide else -(-len(rows) // 2)
    title, sentence, warning = ("", "", "") if setting is None else payments(shares, is_set=distance.is_set)
    more, aim = len(shares.groups) - len(order), "their target" if distance.is_set else "an equal share"
    return rendered(
        "brief.html",
        texts=texts,
        outcome=outcome,
        colours=COLOURS,
        decided={name: text[:LONGEST_FIELD] for name, text in decided.items()},
        paid={
            "title": title,
            "sentence": sentence,
            "warned": warning_title(is_set=distance.is_set),
            "warning": warning,
        },
        kind=capital(texts["kind"]),
        wide=wide,
        tables=[rows[:half], rows[half:]] if half < len(rows) else [rows],
        known=bool(np.isfinite(shares.today.ends.low).any()),
        unit=f"points of attention {distance.off}" if distance.in_points else f"by {distance.label}",
        rest=f" {plural(more, 'more group')} miss {aim} by less." if more else "",
        setting=setting,
        cost=None if setting is None else _cost(outcome, setting),
        example=None if example is None else _example(example, shares.groups),
    )


# Shares before and after.


def _share_row(outcome: Outcome, shares: SharesBeside, at: int, widest: float | None) -> dict[str, object]:
    moved = outcome.proposed is not None
    after, target = float(shares.after.shares[at]), float(shares.target[at])
    gap = 100 * (after - target)
    size = number(abs(gap), 1 if 0.05 <= abs(gap) < 1.95 else 0)
    even = "on target" if outcome.distance.is_set else "equal share"
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


def _cost(outcome: Outcome, setting: Setting) -> dict[str, str]:
    scale = boxes.cost_scale(outcome)
    before = setting.quality / (1 + setting.change) if setting.change > -1 else math.nan
    searches = plural(setting.n_queries, "search (query)", "searches (queries)")
    return {
        "box": boxes.cost_box(setting, scale, outcome),
        "ticks": boxes.cost_ticks(scale),
        "before": number(before),
        "after": number(setting.quality),
        "change": change_words(setting.change),
        "ends": change_interval(setting.change_ends).replace("(", "(95 % interval "),
        "verdict": capital(setting.verdict(outcome.budget)),
        "tried": plural(outcome.n_tried, "setting"),
        "queries": boxes.queries_box(setting),
        "lose": f"{part_of(setting.n_worse, searches, 'loses', 'lose')} quality",
        "gain": count(setting.n_better),
        "unchanged": count(setting.n_unchanged),
        "lists": lists_words(setting.n_lists),
    }


# One query.


def _example(example: Example, groups: tuple[str, ...]) -> dict[str, object]:
    lists = example.lists
    n_ranks = min(lists.k, RANKS, max(len(lists.before), len(lists.after)))
    pairs = list(zip_longest(lists.before[:n_ranks], lists.after[:n_ranks]))
    known = not (math.isnan(lists.quality_before) or math.isnan(lists.quality_after))
    return {
        "rule": example.rule,
        "after": example.after,
        "k": lists.k,
        "question": _short(example.question),
        "ranks": [
            (
                was and _document(was, example, groups, "leaves" if was.left else ""),
                now and _document(now, example, groups, "new" if now.entered else now.arrow),
            )
            for was, now in pairs
        ],
        "quality": f"{number(lists.quality_before, 2)} → {number(lists.quality_after, 2)}" if known else "",
        "below": _below(example),
    }


def _below(example: Example) -> list[dict[str, object]]:
    """Entries and exits below the ranks that have a row."""
    lists = example.lists
    enter = [move for move in lists.after[RANKS:] if move.entered]
    leave = [move for move in lists.before[RANKS:] if move.left]
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


def _short(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
