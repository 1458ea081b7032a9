"""Small drawings in rows, as boxes of CSS: they stand on the page and in the brief alike, and on paper.

Way from today to the target, cost on a shared scale, queries by what happens to them, shares before and after. All of
them repeat what words beside them say, so that a screen reader passes over them. Colours are custom properties of the
surface (``--fv-…``); solid, hatched and hollow say without colour what :class:`~.price.Verdict` says in words.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from fairviz.display.markup import Html, el
from fairviz.display.theme import DARK, LIGHT, group_hues
from fairviz.display.words import THIN, in_words
from fairviz.kernels.grouping import UNLABELLED
from fairviz.studies.policy_lab.budget import Outcome, Reach, floor_of
from fairviz.studies.policy_lab.price import Setting, SharesBeside

CELLS = 40
"""Queries up to which each has a cell of its own; more are one stacked strip."""
STEPS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0)
"""Distances of ticks on the scale of costs, in percent."""


# From today to the target.


def way_box(reach: Reach, outcome: Outcome) -> Html:
    """A bar from today to the target: solid as far as is sure, hatched where nobody can tell, dashed over budget."""
    ideal = outcome.distance.ideal
    whole = max(abs(outcome.now.off - (0.0 if math.isnan(ideal) else ideal)), 1e-9)

    def part(setting: Setting | None) -> float:
        return 0.0 if setting is None else 100 * min(max(setting.moved / whole, 0.0), 1.0)

    sure, inside, over = part(reach.sure), part(reach.inside), part(reach.over)
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

    def place(self, change: float) -> float:
        """Where a change stands, in percent of the width."""
        return 100 * min(max((change - self.low) / (self.high - self.low), 0.0), 1.0)


def cost_scale(outcome: Outcome) -> CostScale:
    """Down to three budgets, up to the highest end of an interval, or two budgets."""
    budget, low = -100 * outcome.budget, 100 * floor_of(outcome)
    shown = [reach.shown for reach in outcome.reaches if reach.shown is not None]
    highs = [100 * each.change_ends.high for each in shown if not math.isnan(each.change_ends.high)]
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
            style=f"left:{scale.place(tick):.1f}%",
        )
        for tick in scale.ticks
    )
    return el("span", *spans, cls="fv-ticks", aria_hidden="true")


def cost_box(setting: Setting, scale: CostScale, outcome: Outcome) -> Html:
    """One cost: a dot that is solid, hatched or hollow, its interval, the budget, no change."""
    change, (low, high) = 100 * setting.change, (100 * end for end in setting.change_ends)
    state = setting.verdict(outcome.budget).state
    parts: list[Html] = [
        el("span", cls="fv-beyond", style=f"width:{scale.place(scale.budget):.1f}%"),
        el("span", cls="fv-none", style=f"left:{scale.place(0.0):.1f}%"),
    ]
    if change < scale.low:
        parts.append(el("span", f"◀ {_tick(change)}{THIN}%", cls="fv-away"))
    else:
        if not math.isnan(low):
            left, right = scale.place(low), scale.place(high)
            dear = "fv-dear" if state == "over" else ""
            parts.append(el("span", cls=f"fv-ends {dear}".strip(), style=f"left:{left:.1f}%;width:{right - left:.1f}%"))
        parts.append(el("span", cls=f"fv-spot fv-{state}", style=f"left:{scale.place(change):.1f}%"))
    return el("span", *parts, cls="fv-cost", aria_hidden="true")


def _tick(value: float) -> str:
    return "0" if abs(value) < 1e-9 else in_words(value, 0 if abs(value - round(value)) < 0.05 else 1, sign=True)


# Queries, and shares.


def queries_box(setting: Setting) -> Html:
    """Queries by what happens to their quality: worse low, unchanged in the middle, better high."""
    kinds = (("worse", setting.n_worse), ("same", setting.n_unchanged), ("better", setting.n_better))
    if setting.n_queries <= CELLS:
        cells = [el("span", cls=f"fv-{kind}") for kind, n in kinds for _ in range(n)]
        return el("span", *cells, cls="fv-queries", aria_hidden="true")
    parts = [el("span", cls=f"fv-{kind}", style=f"flex-grow:{n}") for kind, n in kinds if n]
    return el("span", *parts, cls="fv-queries fv-strip", aria_hidden="true")


def spans_box(shares: SharesBeside, at: int, *, widest: float, moved: bool) -> Html:
    """Two intervals one above the other: today's hollow and grey, the one after it filled in the group's colour.

    Args:
        shares: By group.
        at: Which of them.
        widest: The share at the right end of the scale, the same in every row.
        moved: Whether there is anything after today.
    """
    hue = group_colour(shares.groups, at)
    parts: list[Html] = [el("span", cls="fv-ground")]
    sides = ((shares.today, 32, "var(--fv-faint)", "var(--fv-page)"), (shares.after, 68, hue, hue))
    for side, top, colour, ground in sides if moved else sides[:1]:
        share = float(side.shares[at])
        if math.isnan(share):
            continue
        low, high = (share if math.isnan(end) else end for end in (side.ends.low[at], side.ends.high[at]))
        left, right = _part(low, widest), _part(high, widest)
        bar = f"left:{left:.1f}%;width:{right - left:.1f}%;top:calc({top}% - 1.5px);background:{colour}"
        dot = f"left:{_part(share, widest):.1f}%;top:{top}%;border-color:{colour};background:{ground}"
        parts += [el("span", cls="fv-path", style=bar), el("span", cls="fv-dot", style=dot)]
    parts.append(el("span", cls="fv-aim", style=f"left:{_part(float(shares.target[at]), widest):.1f}%"))
    return el("span", *parts, cls="fv-span", aria_hidden="true")


def group_colour(groups: Sequence[str], at: int) -> str:
    """The colour of a group's marks in either theme; grey for documents without a label."""
    if at < 0 or groups[at] == UNLABELLED:
        return "var(--fv-faint)"
    light, dark = (group_hues(groups, colours)[at].line for colours in (LIGHT, DARK))
    return f"light-dark({light},{dark})"


def _part(share: float, widest: float) -> float:
    return 100 * min(max(share / widest, 0.0), 1.0)
