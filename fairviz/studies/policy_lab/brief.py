"""One decision on one page of A4: what moves, what it costs, who is worse off, and who decides why.

Static: boxes of CSS, no script, no request. What people decide is written by people: an empty field is a ruled line.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fairviz.counts import part_of
from fairviz.display.markup import Child, Html, el, join
from fairviz.display.theme import LIGHT
from fairviz.display.words import THIN, capital, count, number, percent, plural, quoted
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

COLOURS = "".join(
    f"--fv-{name}:{colour};"
    for name, colour in (
        ("page", "#FFFFFF"),
        ("panel", LIGHT.panel),
        ("rule", LIGHT.rule),
        ("axis", LIGHT.axis),
        ("ink", LIGHT.ink),
        ("mute", LIGHT.mute),
        ("faint", LIGHT.faint),
        ("plackett-luce-fill", LIGHT.plackett_luce.line),
        ("optimal-fill", LIGHT.optimal.line),
        ("oracle-fill", LIGHT.oracle.line),
        ("loss-text", LIGHT.optimal.text),
    )
)
STYLE = f"""
:root {{ color-scheme: light; {COLOURS} }}
@page {{ size: A4; margin: 11mm 14mm; }}
* {{ box-sizing: border-box; }}
body {{ margin: 0 auto; padding: 2rem 1.5rem; max-width: 182mm; background: var(--fv-page); color: var(--fv-ink);
  font: 8.8pt/1.34 "Source Sans 3", "Source Sans Pro", "Source Sans", "Helvetica Neue", Arial, "Liberation Sans",
  sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }}
h1, h2 {{ font-family: "Source Serif 4", "Source Serif Pro", Georgia, serif; font-weight: 600; line-height: 1.2;
  text-wrap: balance; margin: 0; }}
h1 {{ font-size: 15pt; margin: 1mm 0; }} h2 {{ font-size: 11pt; margin: 2.4mm 0 .8mm; }}
p {{ margin: 0 0 .8mm; }} .fv-mute, small {{ color: var(--fv-mute); }} small {{ font-size: 7.9pt; line-height: 1.3; }}
.kick {{ display: flex; justify-content: space-between; text-transform: uppercase; letter-spacing: .06em;
  font-size: 8pt; font-weight: 600; color: var(--fv-mute); }} .kick time {{ text-transform: none; letter-spacing: 0; }}
.two {{ display: grid; grid-template-columns: 1fr 1fr; gap: 0 7mm; }}
.who {{ border-block: 1px solid var(--fv-axis); border-top-color: var(--fv-ink); padding: 1.2mm 0; margin: 1.4mm 0 0; }}
.who div {{ display: flex; gap: 3mm; margin: .5mm 0; align-items: baseline; min-height: 4.6mm; }}
.who dt {{ color: var(--fv-mute); flex: none; width: 16mm; }} .who dd {{ margin: 0; flex: 1; }}
.who dd:empty {{ border-bottom: 1px solid var(--fv-axis); min-height: 4.4mm; }} dl {{ margin: 0; }}
.who .why dd:empty {{ min-height: 14mm; background: repeating-linear-gradient(var(--fv-page) 0 4.4mm, var(--fv-axis)
  4.4mm calc(4.4mm + 1px)); border: 0; }}
table {{ border-collapse: collapse; width: 100%; }} thead th {{ color: var(--fv-mute); font-size: 8.4pt; }}
th, td {{ text-align: left; padding: .35mm 1.4mm; border-bottom: 1px solid var(--fv-rule); font-weight: 400;
  vertical-align: middle; }}
tr {{ break-inside: avoid; }} .num {{ text-align: right; white-space: nowrap; }} tbody th {{ font-weight: 600; }}
tr > :first-child {{ padding-left: 0; }} .fv-span {{ height: 5mm; min-width: 40mm; }}
.dense {{ font-size: 8.2pt; }} .dense th, .dense td {{ padding: .1mm .8mm; }} .ranks {{ table-layout: fixed; }}
.ranks th:first-child {{ width: 10mm; padding-right: 2mm; }} .many {{ font-size: 7.8pt; }}
.many td span {{ font-size: 7pt; }}
.badge {{ background: var(--fv-ink); color: var(--fv-page); border-radius: 3px; padding: 0 1.2mm; font-size: 8.4pt;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }} .badge.plain {{ background: none;
  color: var(--fv-ink); border: 1px solid var(--fv-axis); }}
.other {{ border-left: 3px solid var(--fv-plackett-luce-fill); padding: .5mm 0 .5mm 3mm; margin: 2.4mm 0 0; }}
.mark {{ display: inline-block; width: 2.6mm; height: 2.6mm; border-radius: 50%; border: .6mm solid; margin-right: 1mm;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }}
@media print {{ body {{ padding: 0; max-width: none; }} }}
{boxes.STYLE}
.fv-cost {{ height: 5.4mm; }}
.fv-cost, .fv-ticks {{ margin: 0 3mm; }} .fv-ticks {{ color: var(--fv-mute); }}
.fv-queries {{ height: 4.4mm; max-width: none; }}
.fv-queries > * {{ max-width: 6mm; }}
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


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
    head = join(
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=POLICY),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("title", brief.title),
        Html(f"<style>{STYLE}</style>"),
    )
    source = f"Data: {brief.data} · fingerprint {brief.fingerprint[:12]} · fairviz {brief.version}"
    body = join(
        el("div", el("span", f"Policy brief · attention by {brief.kind}"), el("time", brief.date), cls="kick"),
        el("h1", brief.title),
        el("p", brief.sentence) if brief.sentence else None,
        el("p", el("small", source)),
        _decided(brief.decided),
        _shares(brief),
        *(() if brief.setting is None else _setting(brief, brief.setting)),
        _alternative(brief.alternative),
        *(() if brief.example is None else _example(brief.example, brief)),
        _two(("How it was computed", el("small", brief.methods)), ("What it does not show", el("small", brief.limits))),
    )
    return f"<!doctype html>\n{el('html', el('head', head), el('body', el('main', body)), lang='en')}\n"


def _alternative(text: str) -> Html | None:
    return el("p", el("strong", "Alternative, a fixed list: "), text, cls="other") if text else None


def _decided(decided: Decided) -> Html:
    def row(name: str, text: str, cls: str = "") -> Html:
        return el("div", el("dt", name), el("dd", text[:LONGEST_FIELD]), cls=cls)

    left = (row("Decides", decided.decides), row("Decision", decided.decision), row("Budget", decided.budget))
    return el("div", el("dl", *left), el("dl", row("Why", decided.why, "why")), cls="two who")


# Shares before and after.


def _shares(brief: Brief) -> Html:
    shares, distance = brief.shares, brief.distance
    gaps = np.nan_to_num(np.abs(shares.after.shares - shares.target))
    named = set(np.argsort(-gaps, kind="stable")[:MOST_GROUPS].tolist())
    order = [at for at in shares.by_gain if at in named]
    wide = len(order) <= WIDE
    widest = 1.08 * float(np.nanmax([*shares.today.ends.high, *shares.today.shares, *shares.target, 0.01]))
    rows = [_share_row(brief, at, widest if wide else None) for at in order]
    gap = "gap today" if brief.setting is None else "gap left"
    heads = [capital(brief.kind), "today, %", "after, %", distance.due, *([""] if wide else []), gap]
    halves = [rows] if wide else [rows[: -(-len(rows) // 2)], rows[-(-len(rows) // 2) :]]
    tables = [_table(heads, half, "" if wide else "dense many") for half in halves]
    off = f"{distance.words(brief.outcome.now.off)}"
    if brief.setting is not None:
        off += f" → {distance.words(brief.setting.point.off)}"
    unit = f"points of attention {distance.off}" if distance.in_points else f"by {distance.label}"
    rest = len(shares.groups) - len(order)
    more = (
        f" {plural(rest, 'more group')} miss {'their target' if distance.is_set else 'an equal share'} by less."
        if rest
        else ""
    )
    filled = "" if brief.setting is None else "; filled: after"
    key = f"Hollow: today{filled}; line: {distance.due}. " if wide else ""
    ends = f"In brackets{' and as bars' if wide else ''}: 95 % intervals. "
    known = bool(np.isfinite(shares.today.ends.low).any())
    note = f"{ends if known else ''}{key}In all {off} {unit}.{more}"
    box = tables[0] if wide else el("div", *tables, cls="two")
    title, sentence, warning = ("", "", "") if brief.setting is None else payments(shares, is_set=distance.is_set)
    return join(
        el("h2", f"Share of attention by {brief.kind}, before and after"),
        el("p", el("strong", f"{title}."), f" {sentence}".rstrip()) if title else None,
        el("p", el("strong", f"{warning_title(is_set=distance.is_set)}: "), warning, cls="other") if warning else None,
        box,
        el("small", note),
    )


def _share_row(brief: Brief, at: int, widest: float | None) -> Html:
    shares, moved = brief.shares, brief.setting is not None
    after, target = float(shares.after.shares[at]), float(shares.target[at])
    gap = 100 * (after - target)
    size = number(abs(gap), 1 if 0.05 <= abs(gap) < 1.95 else 0)
    even = "on target" if brief.distance.is_set else "equal share"
    left = even if size == "0" else f"{size} {'over' if gap > 0 else 'under'}"
    drawn: list[Html] = []
    if widest is not None:
        drawn.append(el("td", boxes.spans_box(shares, at, widest=widest, moved=moved), style="width:34%"))
    return el(
        "tr",
        el("th", shares.groups[at], scope="row"),
        el("td", *_share(shares, "today", at), cls="num"),
        el("td", *(_share(shares, "after", at) if moved else ("–",)), cls="num"),
        el("td", percent(target).removesuffix(f"{THIN}%"), cls="num"),
        *drawn,
        el("td", left, cls="num"),
    )


def _share(shares: SharesBeside, side: str, at: int) -> list[Child]:
    pooled = shares.today if side == "today" else shares.after
    share, ends = float(pooled.shares[at]), (float(pooled.ends.low[at]), float(pooled.ends.high[at]))
    digits = 1 if share < 0.02 else 0
    text = number(100 * share, digits)
    shown = el("strong", text) if side == "after" else text
    if math.isnan(ends[0]):
        return [shown]
    low, high = (number(100 * end, digits) for end in ends)
    return [shown, el("span", f" ({low}–{high})", cls="fv-mute")]


def _table(heads: Sequence[str], rows: Sequence[Html], cls: str) -> Html:
    last = len(heads) - 1
    cells = (el("th", head, scope="col", cls="num" if 0 < i < 4 or i == last else "") for i, head in enumerate(heads))
    return el("table", el("thead", el("tr", *cells)), el("tbody", *rows), cls=cls)


# Cost, and who pays it.


def _setting(brief: Brief, setting: Setting) -> tuple[Html, ...]:
    outcome, point, scale = brief.outcome, setting.point, boxes.cost_scale(brief.outcome)
    verdict = setting.verdict(outcome.budget)
    before = point.quality / (1 + point.change) if point.change > -1 else math.nan
    cost = join(
        boxes.cost_box(setting, scale, outcome),
        boxes.cost_ticks(scale),
        el(
            "p",
            f"Quality ({brief.quality}) {number(before)} → {number(point.quality)}: ",
            el("strong", change_words(point.change)),
            f"{change_interval(setting.change).replace('(', '(95 % interval ')}. ",
            el("strong", f"{capital(verdict.words)}."),
            f" The interval is widened for the {plural(outcome.n_tried, 'setting')} that were tried.",
        ),
    )
    searches = plural(point.n_queries, "search (query)", "searches (queries)")
    lose = f"{part_of(point.n_worse, searches, 'loses', 'lose')} quality"
    worse = join(
        boxes.queries_box(point),
        el("p", el("strong", lose), f", {count(point.n_better)} gain, {count(point.n_unchanged)} unchanged."),
        el(
            "p",
            el("span", "fixed" if setting.is_fixed else "random", cls=f"badge{' plain' if setting.is_fixed else ''}"),
            f" {lists_words(setting.n_lists)}",
        ),
    )
    return (_two(("What it costs", cost), ("Who is worse off", worse)),)


def _two(*parts: tuple[str, Child]) -> Html:
    return el("div", *(el("section", el("h2", title), inside) for title, inside in parts), cls="two")


# One query.


def _example(example: Example, brief: Brief) -> tuple[Html, ...]:
    lists, groups = example.lists, brief.shares.groups
    rows: list[Html] = []
    for rank in range(1, min(lists.k, RANKS, max(len(lists.before), len(lists.after))) + 1):
        was, now = (side[rank - 1] if rank <= len(side) else None for side in (lists.before, lists.after))
        rows.append(
            el(
                "tr",
                el("th", str(rank), scope="row", cls="num"),
                el("td", _document(was, example, groups, "leaves" if was and lists.left(was) else "")),
                el("td", _document(now, example, groups, _step(now, lists))),
            )
        )
    heads = (el("th", head, scope="col") for head in ("rank", "today", "after"))
    before, after = lists.quality_before, lists.quality_after
    known = not (math.isnan(before) or math.isnan(after))
    quality = f" Quality of this search ({brief.quality}) {number(before, 2)} → {number(after, 2)}." if known else ""
    return (
        el("h2", f"An example: {quoted(_short(example.question))}"),
        el("table", el("thead", el("tr", *heads)), el("tbody", *rows), cls="dense ranks"),
        el(
            "small",
            f"{example.rule} After: {example.after} Filled: judged useful; hollow: not.{quality}{_below(example)}",
        ),
    )


def _below(example: Example) -> str:
    """Entries and exits below the ranks that have a row."""
    lists, told = example.lists, ""
    enter = [move for move in lists.after[RANKS:] if lists.entered(move)]
    leave = [move for move in lists.before[RANKS:] if lists.left(move)]
    for moves, word in ((enter, "enter"), (leave, "leave")):
        if moves:
            named = ", ".join(_short(title_of(move.doc_id, example.passages), 40) for move in moves[:NAMED])
            rest = f" and {len(moves) - NAMED} more" if len(moves) > NAMED else ""
            told += f" Further down to rank {lists.k} {word}: {named}{rest}."
    return told


def _document(move: Move | None, example: Example, groups: tuple[str, ...], step: str) -> Child:
    if move is None:
        return ""
    hue = boxes.group_colour(groups, groups.index(move.group) if move.group in groups else -1)
    mark = el("span", cls="mark", style=f"border-color:{hue};background:{hue if move.useful else 'var(--fv-page)'}")
    title = _short(title_of(move.doc_id, example.passages), LONGEST_TITLE)
    group = _short(move.group, LONGEST_CELL - len(title)) if move.group else "no group"
    return join(mark, title, " ", el("span", group, cls="fv-mute"), el("strong", f" {step}") if step else None)


def _step(move: Move | None, lists: BeforeAfter) -> str:
    if move is None or not (lists.entered(move) or move.climbed):
        return ""
    return "new" if lists.entered(move) else f"▲{move.climbed}" if move.climbed > 0 else f"▼{-move.climbed}"


def _short(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
