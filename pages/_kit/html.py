"""The one table builder: cells escaped by ``show.markup``, a caption, scoped headers, cards on a phone."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Literal, ParamSpec, TypeAlias

import streamlit as st

from fairviz.display.markup import Html, el, join


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
"""Characters up to which an id is not broken into lines."""


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
    body = [join(*(_cell(c, x, i == 0) for i, (c, x) in enumerate(zip(full, row, strict=True)))) for row in rows]
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


def _cell(column: Column, cell: Cell, first: bool) -> Html:
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
