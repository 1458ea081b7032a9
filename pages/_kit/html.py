"""Tables of pages: cells that are escaped, a caption, scoped headers, cards on a phone; and those of results.

The rows of a result come from the ``columns.py`` of its study, so that a page shows what its downloads hold; a page
decides only which columns it shows and which of them are drawn.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import pairwise
from typing import Literal, ParamSpec, TypeAlias

import streamlit as st

from fairviz.display import table as results
from fairviz.display.markup import Html, el, join
from fairviz.display.theme import DARK, GRADE_NAMES, LIGHT, group_hues
from fairviz.display.words import interval, number, percent, signed
from fairviz.kernels.grouping import UNLABELLED
from fairviz.model import FloatArray
from fairviz.points.panels import toned


def notes_below(*notes: str) -> None:
    """Small lines under a table, each plain text."""
    if any(notes):
        st.html(join(*(el("p", note, cls="fv-dagger") for note in notes if note)))


def folded_list(head: str, entries: Iterable[Html], *, is_open: bool = False) -> None:
    """Notes or reasons below a table, one a line, folded under how many there are unless ``is_open``."""
    st.html(el("details", el("summary", head), el("ul", *entries), cls="fv-notes", **{"open": ""} if is_open else {}))


PLAIN = str.maketrans({c: f"\\{c}" for c in r"\`*_{}[]()#+-.!|<>:$~"})
"""Labels of controls are Markdown: every sign of it in a name is escaped by ``name.translate(PLAIN)``."""


Tone: TypeAlias = Literal[
    "",
    "ink",
    "mute",
    "plackett-luce",
    "optimal",
    "oracle",
    "gain",
    "loss",
    "grade0",
    "grade1",
    "grade2",
    "grade3",
    "group1",
    "group2",
    "group3",
    "group4",
    "group5",
    "group6",
    "unknown",
]
"""A colour by what it means; see ``style.py``."""


WHOLE = 24
"""Characters up to which an id or a name is not broken into lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Two:
    """A value with a smaller line below it, such as its interval."""

    top: str
    below: str
    tone: Tone = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A name with the colour dot that stands for it in the chart; ``mark`` instead of a dot."""

    text: str
    tone: Tone = ""
    mark: str = ""
    code: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Toned:
    """Text in the text shade of a tone, bold unless told otherwise."""

    text: str
    tone: Tone
    bold: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Glyph:
    """An interval on the column's shared range: bar from low to high, dot at value.

    ``filled`` marks significance after correction, hollow grey the lack of it.
    """

    value: float
    low: float
    high: float
    filled: bool
    tone: Tone = "ink"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A bar of a length between 0 and 1; ``hatched`` for missing data."""

    length: float
    tone: Tone
    hatched: bool = False


Cell: TypeAlias = "str | Html | Two | Key | Toned | Glyph | Bar"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: its heading, how it is aligned, and the shared range of its glyphs.

    Attributes:
        span: Range of a glyph column; it must cover every row.
        zero: Where a glyph column has its reference line, None for none.
        wide: Whether the column is left out below 500 px.
        short: Whether its cells stay beside their heading below 500 px.
    """

    label: str
    align: Literal["left", "right"] = "left"
    span: tuple[float, float] = (0.0, 1.0)
    zero: float | None = None
    wide: bool = False
    short: bool = False


P = ParamSpec("P")


def shown(markup: Callable[P, Html]) -> Callable[P, None]:
    """A function that shows what another one writes, for markup that stands alone or inside other markup."""

    @wraps(markup)
    def show(*args: P.args, **kwargs: P.kwargs) -> None:
        st.html(markup(*args, **kwargs))

    return show


def table(
    columns: Sequence[Column | str],
    rows: Sequence[Sequence[Cell]],
    *,
    caption: str,
    show_caption: bool = False,
    narrow: Literal["cards", "scroll"] = "cards",
    tall: bool = False,
) -> Html:
    """A table; the first cell of a row is its header and stays in sight when scrolled.

    Args:
        columns: Headings; a plain string is a left column for the first, a right one after it.
        rows: Cells, one sequence per row, as many as columns.
        caption: What the table shows; read out by a screen reader even where not shown.
        show_caption: Show it to everybody.
        narrow: What happens below 500 px: each row a card, or sideways scrolling.
        tall: Scroll a long table inside its box, the head in sight.
    """
    full = [
        c if isinstance(c, Column) else Column(label=c, align="right" if i else "left") for i, c in enumerate(columns)
    ]
    head = join(
        *(el("th", c.label, scope="col", cls=_classes(c)) if c.label else el("td", cls=_classes(c)) for c in full)
    )
    body = [join(*(_table_cell(c, x, i == 0) for i, (c, x) in enumerate(zip(full, row, strict=True)))) for row in rows]
    inside = el(
        "table",
        el("caption", caption, cls="" if show_caption else "fv-unseen"),
        el("thead", el("tr", head)),
        el("tbody", *(el("tr", cells) for cells in body)),
        cls=f"fv-table fv-{narrow}",
    )
    box = "fv-scroll fv-tall" if tall else "fv-scroll"
    return el("div", inside, cls=box, tabindex=0, role="region", aria_label=caption)


html_table = shown(table)
"""Show a table."""


def _classes(column: Column) -> str:
    glyph = " fv-glyphs" if column.zero is not None or column.span != (0.0, 1.0) else ""
    narrow = f"{' fv-wide' if column.wide else ''}{' fv-short' if column.short else ''}"
    return f"fv-{column.align}{narrow}{glyph}"


def _table_cell(column: Column, cell: Cell, first: bool) -> Html:
    inner = _content(column, cell)
    if first:
        return el("th", inner, scope="row", cls=_classes(column))
    return el("td", inner, cls=_classes(column), data_label=column.label)


def _content(column: Column, cell: Cell) -> Html:
    match cell:
        case Two(top=top, below=below, tone=tone):
            return join(el("span", top, cls=f"fv-tone-{tone}" if tone else ""), el("span", below, cls="fv-below"))
        case Key(text=text, tone=tone, mark=mark, code=code):
            whole = "fv-whole" if len(text) <= WHOLE else ""
            name = el("code", text, cls=whole) if code else el("span", text)
            dot = el("span", mark, cls=f"fv-key {'fv-tone' if mark else 'fv-fill'}-{tone}", aria_hidden="true")
            return el("span", dot, name, cls="fv-keyed")
        case Toned(text=text, tone=tone, bold=bold):
            return el("strong" if bold else "span", text, cls=f"fv-tone-{tone}")
        case Glyph():
            return _glyph(column, cell)
        case Bar(length=length, tone=tone, hatched=hatched):
            fill = "fv-hatched" if hatched else f"fv-fill-{tone}"
            width = f"width:{100 * min(length, 1.0):.1f}%"
            drawn = el("span", cls=f"fv-bar {fill}", style=width) if length > 0 else None
            return el("span", drawn, cls="fv-track")
        case _:
            return join(cell)


def _glyph(column: Column, glyph: Glyph) -> Html:
    low, high = column.span

    def place(value: float) -> float:
        return 100 * min(max((value - low) / (high - low), 0.0), 1.0)

    left, right = place(glyph.low), place(glyph.high)
    tone = glyph.tone if glyph.filled else "mute"
    zero = None if column.zero is None else el("span", cls="fv-zero", style=f"left:{place(column.zero):.1f}%")
    return el(
        "span",
        zero,
        el("span", cls=f"fv-reach fv-fill-{tone}", style=f"left:{left:.1f}%;width:{right - left:.1f}%"),
        el(
            "span",
            cls=f"fv-dot fv-{'filled' if glyph.filled else 'hollow'} fv-tone-{tone}",
            style=f"left:{place(glyph.value):.1f}%",
        ),
        cls="fv-glyph",
    )


# A result's table: labels as headings, cells as people read them, drawn cells where the page has some.


NO_BREAK = "\N{NO-BREAK SPACE}"

LEFT = frozenset({"text", "tone"})
"""Kinds of columns that stand to the left, unless all their cells are numbers."""

AIR = 0.06
"""Share of a range that is left free at either end, so that no bar touches the edge of its column."""


class Row(dict[str, results.Cell]):
    """The cells of a row by key; numbers and words with their types."""

    __slots__ = ()

    def number(self, key: str) -> float:
        """A number, NaN where it is undefined, or where its column is left out as it says nothing."""
        cell = self.get(key)
        return math.nan if cell is None else float(cell)

    def text(self, key: str) -> str:
        """Words, empty where there are none."""
        cell = self[key]
        return "" if cell is None else results.term_words(str(cell) if not isinstance(cell, str) else cell)


Drawing: TypeAlias = Callable[[Row], Cell]
"""What a page shows in a cell, made of the row's cells."""


def page_table(
    result: results.Table,
    *,
    show: Sequence[str] = (),
    drawn: Mapping[str, Drawing] | None = None,
    columns: Mapping[str, Column | str] | None = None,
    below: Sequence[Sequence[Cell]] = (),
    between: Mapping[int, str] | None = None,
    caption: str = "",
    show_caption: bool = False,
    narrow: Literal["cards", "scroll"] = "cards",
    tall: bool = False,
) -> None:
    """Show a result's table; the first cell of a row is its header.

    Ends of an interval that stand beside each other (``low``, ``high``) are read as one cell, "low to high".

    Args:
        result: The result as rows.
        show: Keys of the columns that are shown, in this order; all of them where none is named. A key that the
            result lacks is a column of the page's own: it needs a drawing.
        drawn: What stands in the cells of a column instead of its value, by key.
        columns: By key, what a page says otherwise of a column: its heading alone, or heading, range and width.
        below: Rows of the page's own below them, one cell per column shown: a difference of those above.
        between: Words on a line of their own after a row, by its place: what is folded away there.
        caption: What the table shows; the result's own caption where nothing is said.
        show_caption: Show it to everybody.
        narrow: What happens below 500 px: each row a card, or sideways scrolling.
        tall: Scroll a long table inside its box, the head in sight.
    """
    drawn, columns = drawn or {}, columns or {}
    shown = list(show or result.keys)
    if unknown := [key for key in shown if key not in result.keys and key not in drawn]:
        raise ValueError(f"no column and no drawing is called {unknown[0]!r}")
    highs = {low: high for low, high in pairwise(shown) if _are_ends(result, low, high) and not {low, high} & {*drawn}}
    shown = [key for key in shown if key not in highs.values()]
    heads = [_head(result, key, highs.get(key), columns.get(key), first=not place) for place, key in enumerate(shown)]
    rows = [Row(zip(result.keys, cells, strict=True)) for cells in result.rows]
    cells: list[list[Cell]] = []
    for place, row in enumerate(rows):
        cells.append([drawn[key](row) if key in drawn else _cell(result, row, key, highs.get(key)) for key in shown])
        if between and place in between:
            cells.append([muted(between[place]), *[""] * (len(shown) - 1)])
    cells += map(list, below)
    html_table(heads, cells, caption=caption or result.caption, show_caption=show_caption, narrow=narrow, tall=tall)


def muted(text: str) -> Toned:
    """Words that stand back: a verdict, a reason, a missing value."""
    return Toned(text=text, tone="mute", bold=False)


def with_interval(value: str, low: str, high: str) -> Drawing:
    """A value with its interval on a smaller line below; keys of the three."""
    return lambda row: Two(top=number(row.number(value)), below=interval(row.number(low), row.number(high)))


def glyph(value: float, low: float, high: float, *, apart: bool) -> Glyph | str:
    """An interval around a value, in ink where it is apart from its reference; nothing where there is none."""
    if math.isnan(low):
        return ""
    return Glyph(value=value, low=low, high=high, filled=apart, tone="ink" if apart else "mute")


def change(row: Row, *, falls: bool = False) -> Cell:
    """A difference in the colour of its verdict; ``falls``: less is better."""
    tone, text = toned(row.text("verdict"), falls=falls), signed(row.number("difference"))
    return Toned(text=text, tone=tone) if tone else text


def reach(row: Row, *, falls: bool = False, missing: str = "") -> Cell:
    """The interval of a difference in the colour of its verdict; ``missing`` is said where there is none."""
    low, tone = row.number("low"), toned(row.text("verdict"), falls=falls)
    if math.isnan(low):
        return muted(missing) if missing else ""
    ends = {"low": low, "high": row.number("high")}
    return Glyph(value=row.number("difference"), **ends, filled=bool(tone), tone=tone or "mute")


def on_range(
    value: float, ends: Sequence[float], *, span: tuple[float, float], best: float, target: bool = False
) -> Html | str:
    """Dot, bar and a line: green where a measure is best, ink where a target is.

    Args:
        value: The dot; nothing is drawn where it is undefined.
        ends: Low and high end of the bar, NaN = none.
        span: Ends of the range; what lies beyond stands at the end.
        best: Where the line stands.
        target: Whether the line is a target.
    """
    low, high = span

    def place(at: float) -> float:
        return 100 * min(max((at - low) / (high - low), 0.0), 1.0)

    bar = None
    if not math.isnan(ends[0]):
        left, right = place(ends[0]), place(ends[1])
        style = f"left:{left:.1f}%;width:{max(right - left, 0):.1f}%"
        bar = el("span", cls="fv-reach fv-fill-ink", style=style)
    hue = "var(--fv-ink)" if target else "var(--fv-gain-fill)"
    line = f"background:{hue};opacity:1;width:2px;top:0;bottom:0;left:{place(best):.1f}%"
    dot = None
    if not math.isnan(value):
        dot = el("span", cls="fv-dot fv-filled fv-tone-ink", style=f"left:{place(value):.1f}%")
    if bar is None and dot is None:
        return ""
    return el(
        "span",
        el("span", cls="fv-zero", style=line),
        bar,
        dot,
        cls="fv-glyph",
        style="background:var(--fv-panel);border-radius:2px;min-width:6.5rem",
    )


def around_zero(ends: Iterable[float]) -> tuple[float, float]:
    """One range for all intervals of a column, with 0 inside and some air.

    Examples:
        >>> around_zero([0.0, 0.5, 1.0, float("nan")])
        (-0.06, 1.06)
    """
    known = [0.0, *(end for end in ends if not math.isnan(end))]
    low, high = min(known), max(known)
    air = AIR * max(high - low, 1e-6)
    return low - air, high + air


def _are_ends(result: results.Table, low: str, high: str) -> bool:
    """Whether two columns are the low and the high end of one interval."""
    if low not in result.keys or high not in result.keys or low.replace("low", "high") != high or low == high:
        return False
    kinds = {_column(result, key).kind for key in (low, high)}
    return len(kinds) == 1 and kinds <= {"interval", "signed"}


def _column(result: results.Table, key: str) -> results.Column:
    return result.columns[result.keys.index(key)]


def _head(result: results.Table, key: str, high: str | None, column: Column | str | None, *, first: bool) -> Column:
    if isinstance(column, Column):
        return column
    if key not in result.keys:
        return Column(label=column or "")
    own = _column(result, key)
    label = f"{own.heading} to {_column(result, high).heading}" if high else own.heading
    left = first or (own.kind in LEFT and not result.is_numeric(result.keys.index(key)))
    return Column(label=label if column is None else column, align="left" if left else "right")


def _cell(result: results.Table, row: Row, key: str, high: str | None) -> Cell:
    """A value as people read it in a column of its kind."""
    column, value = _column(result, key), row[key]
    if high:
        return result.ends(value, row[high], column)
    if column.kind == "share" and results.is_number(value):
        return percent(row.number(key), 1)
    words = result.words(value, column)
    if column.kind == "tone" and isinstance(value, str):
        return muted(words.replace(" ", NO_BREAK))
    return words.replace(" ", NO_BREAK) if column.kind == "p" else words


# The swatch that names the colour of a group.


def swatch(groups: Sequence[str], at: int) -> Html:
    """The little square that stands for a group; hatched for items without a label."""
    if groups[at] == UNLABELLED:
        return el("span", cls="fv-swatch fv-hatched", aria_hidden="true")
    light, dark = (group_hues(groups, colours)[at].line for colours in (LIGHT, DARK))
    return el("span", cls="fv-swatch", style=f"background:light-dark({light},{dark})", aria_hidden="true")


def keyed(groups: Sequence[str], at: int) -> Html:
    """Swatch and name of a group for a table; short names stay on one line."""
    name = groups[at]
    whole = "white-space:nowrap" if len(name) <= WHOLE else ""
    return el("span", swatch(groups, at), el("span", name), cls="fv-keyed", style=whole)


def grade_key(gains: FloatArray) -> None:
    """The key of colours of grades, up to the largest that is there."""
    largest = int(gains.max(initial=0))
    names = [*GRADE_NAMES[:3], GRADE_NAMES[3] if largest > 3 else "3"][: max(1, min(largest, 3)) + 1]
    entries = (
        el("li", el("span", cls=f"fv-swatch fv-fill-grade{grade}", aria_hidden="true"), el("span", name))
        for grade, name in enumerate(names)
    )
    title = el("li", el("span", "grade", cls="fv-mute"))
    st.html(el("ul", title, *entries, cls="fv-legend", aria_label="colours by grade"))
