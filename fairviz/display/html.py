"""A report as one HTML file that needs nothing else: no network, no other file.

Every text is escaped. Charts are drawn by plotly.js, which stands in the file once; they follow the reader's theme and
are light on paper. What moves with a slider was computed beforehand, stop by stop: our script (``play.js``)
picks what stands in the file, so that no number and no sentence is made twice. Where no script runs, and on paper, the
first stop is read. A content security policy forbids every request.
"""

import gzip
import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from fairviz.display.markup import Html, el, join, rendered
from fairviz.display.table import Cell, Formula, Json, ReadColumn, Table, read_columns
from fairviz.display.words import Finding, plural

Move: TypeAlias = tuple[tuple[str | int, ...], Json]
"""Where something is put into a drawn figure, and what."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawn figure as Plotly's JSON in both themes, with words for those who cannot see it.

    Attributes:
        light: ``{"data": […], "layout": {…}}``.
        dark: The same on a dark ground.
        alt: What the figure shows.
        caption: What to look at.
        name: What to call a picture that is saved of it.
    """

    light: str
    dark: str
    alt: str
    caption: str = ""
    name: str = "figure"


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to copy as they are: a command, an entry of a bibliography."""

    text: str
    caption: str = ""


Block: TypeAlias = Table | Figure | Code | Html
"""What stands below the paragraphs; markup that ``el`` built stands as it is."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, prose paragraphs, then tables, figures, code and markup of one's own.

    Attributes:
        title: Heading.
        paragraphs: Prose below it.
        blocks: What follows.
        opens: Whether it stands before the list of contents: what they take away who read no further.
    """

    title: str
    paragraphs: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = field(default=())
    opens: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """A section that moves with a slider.

    Attributes:
        name: Of what the slider sets ("target"); sliders of one name move together.
        label: What the slider is called.
        stops: What each of its places is called ("α = 2").
        start: The place that is shown first, on paper, and where no script runs.
        frames: What is read at each place: as many paragraphs and blocks, of the same kinds, at all of them.
    """

    name: str
    label: str
    stops: tuple[str, ...]
    start: int
    frames: tuple[Section, ...]

    def __post_init__(self) -> None:
        shapes = {(len(frame.paragraphs), *map(type, frame.blocks)) for frame in self.frames}
        if len(self.frames) != len(self.stops) or len(shapes) != 1 or not 0 <= self.start < len(self.stops):
            raise ValueError("a slider needs frames of one shape, one for each stop, and a start among them")

    @property
    def title(self) -> str:
        """The heading at the start."""
        return self.frames[self.start].title

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks at the start."""
        return self.frames[self.start].blocks


def section_of(
    tables: Mapping[str, Table], title: str, *paragraphs: str, blocks: Sequence[str | Figure | Code]
) -> Section:
    """A section whose tables are those of a study's registry.

    Args:
        tables: Tables by stem.
        title: Heading.
        paragraphs: Prose below it.
        blocks: What follows, in this order; a stem stands for its table.

    Examples:
        >>> from fairviz.display.table import Column
        >>> areas = Table((Column("auc"),), ())
        >>> section_of({"areas": areas}, "Areas", blocks=["areas"]).blocks == (areas,)
        True
    """
    return Section(title, paragraphs, tuple(tables[block] if isinstance(block, str) else block for block in blocks))


def findings_list(findings: Iterable[Finding]) -> Html:
    """Findings one below the other, each title above its sentence."""
    lines = [el("li", el("strong", statement.title), f" {statement.sentence}") for statement in findings]
    return el("ul", *lines, cls="found")


LONG = 60
"""Tables with more rows are folded up until somebody wants them."""
BENEATH = "Beneath a value: its 95\u202f% interval."


def html_text(title: str, sections: Sequence[Section | Play], *, lead: str = "") -> str:
    """A self-contained page.

    Args:
        title: Heading of the page, and its name in the browser.
        sections: What it says, from top to bottom; with three or more comes a list of contents.
        lead: One sentence below the title: data, n, settings.
    """
    drawn = any(isinstance(block, Figure) for section in sections for block in section.blocks)
    n_opening = sum(isinstance(component, Section) and component.opens for component in sections)
    marked: list[dict[str, str]] = []
    for i, section in enumerate(sections, start=1):
        mark = f"s{i}"
        if isinstance(section, Play):
            markup = el("section", _play(section, mark), id=mark, cls="play")
        else:
            markup = el(
                "section", *(part for component in _parts(section) for part in (Html("\n"), component)), id=mark
            )
        marked.append({"mark": mark, "title": section.title, "markup": markup})
    return rendered(
        "report.html",
        title=title,
        lead=lead,
        opening=marked[:n_opening],
        contents=len(sections) > 2,
        rest=marked[n_opening:],
        plotly=packed_plotly() if drawn else "",
        moves=drawn or any(isinstance(section, Play) for section in sections),
    )


@cache
def packed_plotly() -> str:
    """The source of plotly.js (4.8 MB), at two fifths of its size: our own script unpacks it."""
    from plotly.offline import get_plotlyjs

    return b64encode(gzip.compress(get_plotlyjs().encode(), mtime=0)).decode()


def html_table(table: Table) -> Html:
    """A table with its caption; numbers to the right, undefined as an en dash; no column that says nothing.

    An interval is read as one: beneath its value, as pages have it, else as a column of its own.
    """
    table = table.without_empty()
    shown = read_columns(table)
    best = {column.place: table.best(column.place) for column in shown}
    caption = table.caption
    if any(column.below is not None for column in shown) and "bootstrap" not in caption:
        caption = " ".join(filter(None, (caption and f"{caption.removesuffix('.')}.", BENEATH)))
    n = len(table.rows)
    return rendered(
        "table.html",
        caption=caption,
        name=caption or "Table",
        columns=[{"heading": table.heading(column), "right": table.is_numeric(column.place)} for column in shown],
        rows=[
            [_cell(table, row, column) | {"best": best[column.place][at]} for column in shown]
            for at, row in enumerate(table.rows)
        ],
        folded=plural(n, "row") if n > LONG else "",
    )


def _cell(table: Table, row: Sequence[Cell], column: ReadColumn) -> dict[str, object]:
    """What a cell says, what stands beneath it, and whether it is a formula."""
    text, below = table.read(row, column)
    return {"text": text, "below": below, "formula": isinstance(row[column.place], Formula)}


def _parts(section: Section) -> list[Html]:
    """Markup from heading to last block."""
    words = [el("h2", section.title), *(el("p", text) for text in section.paragraphs)]
    return [*words, *map(_block, section.blocks)]


def _block(block: Block) -> Html:
    if isinstance(block, Table):
        return html_table(block)
    if isinstance(block, Html):
        return block
    if isinstance(block, Code):
        return el("figure", _caption(block), el("pre", el("code", block.text), tabindex=0))
    return _chart(block)


def _caption(block: Code | Figure) -> Html | None:
    return el("figcaption", block.caption) if block.caption else None


def _chart(figure: Figure, **moves: str) -> Html:
    """A chart in light colours, what changes of it in dark ones, and what a slider moves."""
    light = json.loads(figure.light)
    dark = list(_changes(light, json.loads(figure.dark)))
    height = f"min-height: {light.get('layout', {}).get('height', 300)}px"  # its room, before it is drawn
    data = {"light": figure.light, "dark": _compact(dark), **moves}
    plot = el("div", cls="plot", style=height, role="group", aria_label=figure.alt)
    elements = (data_element(kind, content) for kind, content in data.items())
    without = el("noscript", el("p", figure.alt))
    return el("figure", _caption(figure), plot, without, *elements, cls="chart", data_name=figure.name)


# What moves.


def _play(play: Play, mark: str) -> Html:
    """The slider below the first words, then the blocks; what differs between stops stands in the file as data."""
    shown = play.frames[play.start]
    every = list(zip(*(_parts(frame) for frame in play.frames), strict=True))
    n_words = 1 + len(shown.paragraphs)
    moving = {i: parts for i, parts in enumerate(every) if len(set(parts)) > 1}
    markup: list[Html] = []
    for i, parts in enumerate(every):
        block = shown.blocks[i - n_words] if i >= n_words else None
        if isinstance(block, Figure):
            every_chart = (frame.blocks[i - n_words] for frame in play.frames)
            markup.append(_moving_chart(block, [chart for chart in every_chart if isinstance(chart, Figure)]))
            moving.pop(i, None)
        else:
            markup.append(el("div", parts[play.start], data_part=i) if i in moving else parts[play.start])
    return rendered(
        "play.html",
        play=play,
        mark=mark,
        at=play.stops[play.start],
        words=join(*markup[:n_words]),
        blocks=markup[n_words:],
        stops=data_element("stops", _compact(play.stops)),
        parts=data_element("parts", _compact(moving)),
    )


def _moving_chart(shown: Figure, frames: Sequence[Figure]) -> Html:
    """The chart at the start, and what is put into it at each stop."""
    moves = {
        "light": [list(_changes(json.loads(shown.light), json.loads(frame.light))) for frame in frames],
        "dark": [list(_changes(json.loads(shown.dark), json.loads(frame.dark))) for frame in frames],
        "alt": [frame.alt for frame in frames],
    }
    return _chart(shown, moves=_compact(moves))


def _changes(base: Json, other: Json, path: tuple[str | int, ...] = ()) -> Iterator[Move]:
    """What has to be put where, to make the other of the base."""
    if isinstance(base, Mapping) and isinstance(other, Mapping) and base.keys() == other.keys():
        for name in base:
            yield from _changes(base[name], other[name], (*path, name))
    elif isinstance(base, list) and isinstance(other, list) and len(base) == len(other):
        for i, (part, another) in enumerate(zip(base, other, strict=True)):
            yield from _changes(part, another, (*path, i))
    elif base != other:
        yield path, other


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def data_element(kind: str, content: str) -> Html:
    """JSON that no markup of its own can end: ``<`` occurs in strings only, where it is escaped."""
    inside = content.replace("<", "\\u003c")
    return Html(f'<script type="application/json" class="{kind}">{inside}</script>')
