"""Tables of pages: cells that are escaped, a caption, scoped headers, cards on a phone; and those of results.

The rows of a result come from the ``columns.py`` of its study, so that a page shows what its downloads hold; a page
decides only which columns it shows and which of them are drawn.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import streamlit as st

from fairviz.display import table as results
from fairviz.display.markup import Html, el, join, percent_of_range
from fairviz.display.theme import DARK, GRADE_NAMES, LIGHT, group_colour, look_colour
from fairviz.display.words import interval, number, percent, signed
from fairviz.kernels.grouping import UNLABELLED
from fairviz.model import FloatArray, Look
from fairviz.points.charts import toned


def notes_below(*notes: str) -> None:
    """Small lines under a table, each plain text."""
    if any(notes):
        st.html(join(*(el("p", note, cls="fv-dagger") for note in notes if note)))


def folded_list(head: str, entries: Iterable[Html], *, is_open: bool = False) -> None:
    """Notes or reasons below a table, one a line, folded under how many there are unless ``is_open``."""
    st.html(el("details", el("summary", head), el("ul", *entries), cls="fv-notes", **{"open": ""} if is_open else {}))


_SIGNS = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>:$~&\"'/@])")
_ADDRESS = re.compile(r"(?=://|@)|(?<=www)(?=\.)", re.IGNORECASE)
"""Where a word joiner, which has no width, keeps an address from becoming a link: escaped signs alone do not."""


def escaped(text: str) -> str:
    r"""Text as Markdown that shows exactly the text, on one line: Streamlit reads labels of controls as Markdown.

    Examples:
        >>> print(escaped("![x](a.b)"), escaped("http://a.b") == "http\u2060\\:\\/\\/a\\.b")
        \!\[x\]\(a\.b\) True
    """
    return _SIGNS.sub(r"\\\1", _ADDRESS.sub("\u2060", " ".join(text.splitlines())))


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


Cell: TypeAlias = str
"""What stands in a cell: text, which is escaped, or markup that :func:`el` built."""
Span: TypeAlias = tuple[float, float]
"""Ends of the range that all drawings of a column share; what lies beyond stands at the end."""


class PageRow(dict[str, results.Cell]):
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


Drawing: TypeAlias = Callable[[PageRow], Cell]
"""What a page shows in a cell, made of the row's cells."""


@dataclass(frozen=True, slots=True)
class PageColumn:
    """One column of a table on a page.

    Attributes:
        label: Its heading; None: that of the result's column.
        cell: Draws its cells; None: the values as people read them.
        align: None: a result's numbers to the right, all else to the left.
        wide: Whether the column is left out below 500 px.
        short: Whether its cells stay beside their heading below 500 px.
    """

    label: str | None = None
    cell: Drawing | None = None
    align: Literal["left", "right"] | None = None
    wide: bool = False
    short: bool = False


def table(
    columns: Sequence[PageColumn | str],
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
        c if isinstance(c, PageColumn) else PageColumn(c, align="right" if i else "left") for i, c in enumerate(columns)
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


def html_table(columns: Sequence[PageColumn | str], rows: Sequence[Sequence[Cell]], **look: Any) -> None:
    """Show a :func:`table`."""
    st.html(table(columns, rows, **look))


def _classes(column: PageColumn) -> str:
    return f"fv-{column.align or 'left'}{' fv-wide' if column.wide else ''}{' fv-short' if column.short else ''}"


def _table_cell(column: PageColumn, cell: Cell, first: bool) -> Html:
    if first:
        return el("th", cell, scope="row", cls=_classes(column))
    return el("td", cell, cls=_classes(column), data_label=column.label or "")


# What stands in a cell besides plain text.


def two_lines(top: str, below: str, tone: Tone = "") -> Html:
    """A value with a smaller line below it, such as its interval."""
    return join(el("span", top, cls=f"fv-tone-{tone}" if tone else ""), el("span", below, cls="fv-below"))


def dotted(text: str, tone: Tone, *, look: Look | None = None, code: bool = False) -> Html:
    """A name with the colour dot that stands for it in the chart: that of its look, else its tone."""
    name = el("code", text, cls="fv-whole" if len(text) <= WHOLE else "") if code else el("span", text)
    style = None
    if look is not None and look.colour is not None:
        light, dark = (look_colour(look, colours, colours.ink) for colours in (LIGHT, DARK))
        style = f"background:light-dark({light},{dark})"
    dot = el("span", cls=f"fv-key fv-fill-{tone}", style=style, aria_hidden="true")
    return el("span", dot, name, cls="fv-keyed")


def in_tone(text: str, tone: Tone, *, bold: bool = True) -> Cell:
    """Text in the text shade of a tone, as it is without one."""
    return el("strong" if bold else "span", text, cls=f"fv-tone-{tone}") if tone else text


def muted(text: str) -> Cell:
    """Words that stand back: a verdict, a reason, a missing value."""
    return in_tone(text, "mute", bold=False)


def bar(length: float, tone: Tone, *, hatched: bool = False) -> Html:
    """A bar of a length between 0 and 1; ``hatched`` for missing data."""
    fill = "fv-hatched" if hatched else f"fv-fill-{tone}"
    drawn = el("span", cls=f"fv-bar {fill}", style=f"width:{100 * min(length, 1.0):.1f}%") if length > 0 else None
    return el("span", drawn, cls="fv-track")


def with_interval(value: str, low: str, high: str, decimals: int = 3) -> Drawing:
    """A value with its interval on a smaller line below; keys of the three."""
    return lambda row: two_lines(
        number(row.number(value), decimals), interval(row.number(low), row.number(high), decimals)
    )


def change(row: PageRow, *, falls: bool = False) -> Cell:
    """A difference in the colour of its verdict; ``falls``: less is better."""
    return in_tone(signed(row.number("difference")), toned(row.text("verdict"), falls=falls))


# Intervals, drawn on a range.


def glyph(value: float, low: float, high: float, *, span: Span, tone: Tone = "", zero: float = 0.0) -> Cell:
    """An interval around a value: bar, dot, and a line at ``zero``; nothing where there is none.

    Args:
        value: Where the dot is.
        low: Low end of the bar, NaN = no interval.
        high: Its high end.
        span: The range of the column.
        tone: Of a value that is significantly apart from ``zero``, filled; empty: hollow and grey.
        zero: Where the line is.
    """
    if math.isnan(low):
        return ""
    dot = f"fv-dot fv-{'filled' if tone else 'hollow'} fv-tone-{tone or 'mute'}"
    reach = _reach(low, high, tone or "mute", span)
    return el("span", _mark("fv-zero", zero, span), reach, _mark(dot, value, span), cls="fv-glyph")


def reach(row: PageRow, *, span: Span, falls: bool = False, missing: str = "") -> Cell:
    """The interval of a difference in the colour of its verdict; ``missing`` is said where there is none."""
    low = row.number("low")
    if math.isnan(low):
        return muted(missing) if missing else ""
    tone = toned(row.text("verdict"), falls=falls)
    return glyph(row.number("difference"), low, row.number("high"), span=span, tone=tone)


def on_range(value: float, ends: Sequence[float], *, span: Span, best: float, target: bool = False) -> Cell:
    """Dot, bar and a line: green where a measure is best, ink where a target is.

    Args:
        value: The dot; nothing is drawn where it is undefined.
        ends: Low and high end of the bar, NaN = none.
        span: Ends of the range.
        best: Where the line stands.
        target: Whether the line is a target.
    """
    low, high = ends
    if math.isnan(low) and math.isnan(value):
        return ""
    line = _mark(f"fv-zero{' fv-target' if target else ''}", best, span)
    reach = None if math.isnan(low) else _reach(low, high, "ink", span)
    dot = None if math.isnan(value) else _mark("fv-dot fv-filled fv-tone-ink", value, span)
    return el("span", line, reach, dot, cls="fv-glyph fv-range")


def _mark(cls: str, value: float, span: Span) -> Html:
    """A mark at its place on a range."""
    return el("span", cls=cls, style=f"left:{percent_of_range(value, *span):.1f}%")


def _reach(low: float, high: float, tone: Tone, span: Span) -> Html:
    left, right = percent_of_range(low, *span), percent_of_range(high, *span)
    return el("span", cls=f"fv-reach fv-fill-{tone}", style=f"left:{left:.1f}%;width:{max(right - left, 0):.1f}%")


def around_zero(ends: Iterable[float]) -> Span:
    """One range for all intervals of a column, with 0 inside and some air.

    Examples:
        >>> around_zero([0.0, 0.5, 1.0, float("nan")])
        (-0.06, 1.06)
    """
    defined_ends = [0.0, *(end for end in ends if not math.isnan(end))]
    low, high = min(defined_ends), max(defined_ends)
    air = AIR * max(high - low, 1e-6)
    return low - air, high + air


def small_picture(rows: Iterable[tuple[str, Cell]]) -> Html:
    """A few drawn cells under each other, each with its name: a picture beside a sentence that says the same."""
    cells = (part for name, drawing in rows for part in (el("span", name), drawing))
    return el("div", *cells, cls="fv-small", aria_hidden="true")


# A result's table: labels as headings, cells as people read them, drawn cells where the page has some.


NO_BREAK = "\N{NO-BREAK SPACE}"

LEFT = frozenset({"text", "tone"})
"""Kinds of columns that stand to the left, unless all their cells are numbers."""

AIR = 0.06
"""Share of a range that is left free at either end, so that no bar touches the edge of its column."""


def page_table(
    result: results.Table,
    columns: Mapping[str, PageColumn] | None = None,
    *,
    below: Sequence[Sequence[Cell]] = (),
    between: Mapping[int, str] | None = None,
    caption: str = "",
    show_caption: bool = False,
    narrow: Literal["cards", "scroll"] = "cards",
    tall: bool = False,
) -> None:
    """Show a result's table; the first cell of a row is its header.

    An interval is read as one: on a smaller line below its value, whose key its ends begin with, else, "low to high",
    as a column of its own.

    Args:
        result: The result as rows.
        columns: By key, those that are shown, in this order, and what a page says otherwise of them; all as they are
            where none is named. A key that the result lacks is a column of the page's own, which draws its cells.
        below: Rows of the page's own below them, one cell per column shown: a difference of those above.
        between: Words on a line of their own after a row, by its place: what is folded away there.
        caption: What the table shows; the result's own caption where nothing is said.
        show_caption: Show it to everybody.
        narrow: What happens below 500 px: each row a card, or sideways scrolling.
        tall: Scroll a long table inside its box, the head in sight.
    """
    columns = columns or {key: PageColumn() for key in result.keys}
    if unknown := [key for key, column in columns.items() if key not in result.keys and column.cell is None]:
        raise ValueError(f"no column and no drawing is called {unknown[0]!r}")
    with_ends = (each for key in columns for each in (key, f"{key}_low", f"{key}_high"))
    named = result.select([key for key in dict.fromkeys(with_ends) if key in result.keys])
    read = {named.keys[column.place]: column for column in results.read_columns(named)}
    shown = {key: column for key, column in columns.items() if key in read or key not in named.keys}
    heads = [_head(named, read.get(key), shown[key], first=not index) for index, key in enumerate(shown)]
    best = {key: named.best(column.place) for key, column in read.items()}
    cells: list[list[Cell]] = []
    for index, (values, own) in enumerate(zip(result.rows, named.rows, strict=True)):
        row = PageRow(zip(result.keys, values, strict=True))
        drawn = {
            key: _cell(named, own, read[key]) if column.cell is None else column.cell(row)
            for key, column in shown.items()
        }
        bold = {key for key in drawn if shown[key].cell is None and best[key][index]}
        cells.append([el("strong", cell) if key in bold else cell for key, cell in drawn.items()])
        if between and index in between:
            cells.append([muted(between[index]), *[""] * (len(shown) - 1)])
    cells += map(list, below)
    html_table(heads, cells, caption=caption or result.caption, show_caption=show_caption, narrow=narrow, tall=tall)


def _head(table: results.Table, read: results.ReadColumn | None, column: PageColumn, *, first: bool) -> PageColumn:
    """The page's column under the heading and on the side that the result's has; None: one of the page's own."""
    if read is None:
        return replace(column, label=column.label or "")
    own = table.columns[read.place]
    left = first or (own.kind in LEFT and not table.is_numeric(read.place))
    align = column.align or ("left" if left else "right")
    return replace(column, label=table.heading(read) if column.label is None else column.label, align=align)


def _cell(table: results.Table, row: Sequence[results.Cell], read: results.ReadColumn) -> Cell:
    """A value as people read it in a column of its kind, its interval on a smaller line below."""
    column, value = table.columns[read.place], row[read.place]
    words, below = table.read(row, read)
    if column.kind == "share" and results.is_number(value):
        words = percent(float(value), 1)
    if below:
        return two_lines(words, below)
    if column.kind == "tone" and isinstance(value, str):
        return muted(words.replace(" ", NO_BREAK))
    return words.replace(" ", NO_BREAK) if column.kind == "p" else words


# The swatch that names the colour of a group.


def swatch(groups: Sequence[str], at: int) -> Html:
    """The little square that stands for a group; hatched for items without a label."""
    if groups[at] == UNLABELLED:
        return el("span", cls="fv-swatch fv-hatched", aria_hidden="true")
    return el("span", cls="fv-swatch", style=f"background:{group_colour(groups, groups[at])}", aria_hidden="true")


def keyed(groups: Sequence[str], at: int, share: str = "") -> Html:
    """Swatch and name of a group for a table, and its ``share`` of a document; short names stay on one line."""
    name = f"{groups[at]}{share}"
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
