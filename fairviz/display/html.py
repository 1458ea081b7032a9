"""A report as one HTML file that needs nothing else: no network, no other file.

Every text is escaped. Charts are drawn by plotly.js, which stands in the file once; they follow the reader's theme and
are light on paper. What moves with a slider was computed beforehand, stop by stop: our script (``assets/play.js``)
picks what stands in the file, so that no number and no sentence is made twice. Where no script runs, and on paper, the
first stop is read. A content security policy forbids every request.
"""

import gzip
import json
import math
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import NamedTuple, TypeAlias

from fairviz.display.markup import Html
from fairviz.display.table import Cell, Column, Formula, Json, Table, interval_pairs, is_undefined, term_words
from fairviz.display.words import UNDEFINED, interval, plural, signed

Move: TypeAlias = tuple[tuple[str | int, ...], Json]
"""Where something is put into a drawn figure, and what."""
Moves: TypeAlias = list[Move]


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
    known: Mapping[str, Table],
    title: str,
    *paragraphs: str,
    blocks: Sequence[str | Figure | Code],
) -> Section:
    """A section whose tables are those of a study's registry.

    Args:
        known: Tables by stem.
        title: Heading.
        paragraphs: Prose below it.
        blocks: What follows, in this order; a stem stands for its table.

    Examples:
        >>> areas = Table((Column("auc"),), ())
        >>> section_of({"areas": areas}, "Areas", blocks=["areas"]).blocks == (areas,)
        True
    """
    return Section(title, paragraphs, tuple(known[block] if isinstance(block, str) else block for block in blocks))


ASSETS = Path(__file__).parent / "assets"
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)

LONG = 60
"""Tables with more rows are folded up until somebody wants them."""
BENEATH = "Beneath a value: its 95\u202f% interval."


def html_text(
    title: str,
    sections: Sequence[Section | Play],
    *,
    lead: str = "",
    plotly_js: str = "",
    style: str = "",
    script: str = "",
) -> str:
    """A self-contained page.

    Args:
        title: Heading of the page, and its name in the browser.
        sections: What it says, from top to bottom; with three or more comes a list of contents.
        lead: One sentence below the title: data, n, settings.
        plotly_js: Source of plotly.js; needed where there is a figure, left out where not.
        style: Further rules of ours, after those that every report has.
        script: A further script of ours, for controls in markup of one's own.

    Raises:
        ValueError: There are figures and no plotly.js to draw them with.
    """
    drawn = any(isinstance(block, Figure) for section in sections for block in section.blocks)
    if drawn and not plotly_js:
        raise ValueError("a report with figures needs the source of plotly.js")
    below = f'<p class="lead">{_text(lead)}</p>' if lead else ""
    plays = any(isinstance(section, Play) for section in sections)
    n_opening = sum(isinstance(one, Section) and one.opens for one in sections)
    numbered = [_any_section(section, f"s{i}") for i, section in enumerate(sections, start=1)]
    scripts = [asset("play.js")] if drawn or plays else []
    scripts += [script] if script else []
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{_text(title)}</title>\n<style>{asset('report.css')}{style}</style>\n</head>\n<body>",
            f"<header>\n<h1>{_text(title)}</h1>\n{below}\n</header>",
            "<main>",
            *numbered[:n_opening],
            _contents(sections, after=n_opening),
            *numbered[n_opening:],
            "</main>",
            *([_packed(plotly_js)] if drawn else []),
            *(f"<script>{script}</script>" for script in scripts),
            "</body>\n</html>\n",
        ]
    )


@cache
def _packed(plotly_js: str) -> str:
    """The script that draws, at two fifths of its size: our own unpacks it."""
    content = b64encode(gzip.compress(plotly_js.encode(), mtime=0)).decode()
    return f'<script type="application/gzip" id="plotly">{content}</script>'


@cache
def asset(name: str) -> str:
    """The text of a file that stands in every report: our style, our script."""
    return (ASSETS / name).read_text(encoding="utf-8")


def html_table(table: Table) -> str:
    """A table with its caption; numbers to the right, undefined as an en dash; no column that says nothing.

    An interval is read as one: beneath its value, as pages have it, else as a column of its own.
    """
    table = table.without_empty()
    pairs = interval_pairs(table)
    shown = _shown_columns(table, pairs)
    head = "".join(_heading(one) for one in shown)
    words = table.caption
    if any(one.below is not None for one in shown) and "bootstrap" not in words:
        words = " ".join(filter(None, (words and f"{words.removesuffix('.')}.", BENEATH)))
    caption = f"<caption>{_text(words)}</caption>" if words else ""
    name = _text(words or "Table")
    inside = "\n".join(
        [
            f'<div class="scroll" tabindex="0" role="group" aria-label="{name}"><table>{caption}',
            f"<thead><tr>{head}</tr></thead>\n<tbody>",
            *(_row(table, row, shown) for row in table.rows),
            "</tbody>\n</table></div>",
        ]
    )
    n = len(table.rows)
    if n <= LONG:
        return inside
    return f"<details><summary>{plural(n, 'row')}: {name}</summary>\n{inside}\n</details>"


class _Shown(NamedTuple):
    """A column as it is read.

    Attributes:
        place: Of its cells in the table.
        heading: What stands above it.
        right: Whether it holds numbers.
        below: Place of the low end of the interval that stands beneath its cells.
        ends: Whether it is an interval of its own.
    """

    place: int
    heading: str
    right: bool
    below: int | None = None
    ends: bool = False


def _shown_columns(table: Table, pairs: Mapping[tuple[int, int], int | None]) -> list[_Shown]:
    """Columns with each interval beneath its value; one without a value to stand beneath is a column of its own."""
    below = {value: low for (low, _), value in pairs.items() if value is not None}
    highs, lows = {high for _, high in pairs}, {low: value for (low, _), value in pairs.items()}
    shown: list[_Shown] = []
    for place, heading in enumerate(table.headings):
        if place in highs or lows.get(place) is not None:
            continue
        ends = place in lows
        name = f"{heading} to {table.headings[place + 1]}" if ends and heading != table.headings[place + 1] else heading
        shown.append(_Shown(place, name, table.is_numeric(place), below.get(place), ends))
    return shown


def _heading(one: _Shown) -> str:
    if not one.heading:
        return f"<td{_side(one.right)}></td>"
    return f'<th scope="col"{_side(one.right)}>{_text(one.heading)}</th>'


def _row(table: Table, row: Sequence[Cell], shown: Sequence[_Shown]) -> str:
    cells: list[str] = []
    for i, one in enumerate(shown):
        kind = 'th scope="row"' if i == 0 else "td"
        text = _ends(table, row, one.place) if one.ends else _cell(table, table.columns[one.place], row[one.place])
        if one.below is not None and text != UNDEFINED:
            text += f'<br><small class="ends">{_ends(table, row, one.below)}</small>'
        cells.append(f"<{kind}{_side(one.right)}>{text}</{kind[:2]}>")
    return f"<tr>{''.join(cells)}</tr>"


def _ends(table: Table, row: Sequence[Cell], low: int) -> str:
    """An interval as pages say it, with signs where it is one of a difference."""
    column, ends = table.columns[low], row[low : low + 2]
    decimals = table.decimals if column.decimals is None else column.decimals
    first, second = (float(end) if isinstance(end, int | float) else math.nan for end in ends)
    if column.kind == "signed" and not (math.isnan(first) or math.isnan(second)):
        return _text(f"{signed(first, decimals)} to {signed(second, decimals)}")
    return _text(interval(first, second, decimals))


def _cell(table: Table, column: Column, cell: Cell) -> str:
    if cell is None or is_undefined(cell):
        return UNDEFINED
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, Formula):
        return f"<code>{_text(cell)}</code>"
    return _text(term_words(cell) if isinstance(cell, str) else table.printed(cell, column))


def _side(right: bool) -> str:
    return ' class="right"' if right else ""


def _contents(sections: Sequence[Section | Play], *, after: int) -> str:
    """Links to the sections after those that open the page."""
    if len(sections) < 3:
        return ""
    rest = list(enumerate(sections, start=1))[after:]
    links = (f'<li><a href="#s{i}">{_text(section.title)}</a></li>' for i, section in rest)
    return f'<nav aria-label="Contents"><ol>{"".join(links)}</ol></nav>'


def _any_section(section: Section | Play, mark: str) -> str:
    inside = _play(section, mark) if isinstance(section, Play) else "\n".join(_parts(section))
    kind = ' class="play"' if isinstance(section, Play) else ""
    return f'<section id="{mark}"{kind}>\n{inside}\n</section>'


def _parts(section: Section) -> Iterator[str]:
    """Markup from heading to last block."""
    yield f"<h2>{_text(section.title)}</h2>"
    yield from (f"<p>{_text(text)}</p>" for text in section.paragraphs)
    yield from map(_block, section.blocks)


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return html_table(block)
    if isinstance(block, Html):
        return block
    if isinstance(block, Code):
        caption = f"<figcaption>{_text(block.caption)}</figcaption>" if block.caption else ""
        return f'<figure>{caption}<pre tabindex="0"><code>{_text(block.text)}</code></pre></figure>'
    return _chart(block, {"light": block.light, "dark": _compact(_dark(block))})


def _chart(figure: Figure, data: Mapping[str, str]) -> str:
    caption = f"<figcaption>{_text(figure.caption)}</figcaption>" if figure.caption else ""
    alt, held = _text(figure.alt), "".join(data_element(kind, content) for kind, content in data.items())
    return (
        f'<figure class="chart" data-name="{_text(figure.name)}">{caption}<div class="plot" role="group" '
        f'aria-label="{alt}"></div><noscript><p>{alt}</p></noscript>{held}</figure>'
    )


def _dark(figure: Figure) -> Moves:
    """What makes the light chart a dark one: its colours."""
    return list(_changes(json.loads(figure.light), json.loads(figure.dark)))


# What moves.


def _play(play: Play, mark: str) -> str:
    """The slider below the first words, then the blocks; what differs between stops stands in the file as data."""
    shown = play.frames[play.start]
    every = list(zip(*(_parts(frame) for frame in play.frames), strict=True))
    n_words = 1 + len(shown.paragraphs)
    moving = {i: parts for i, parts in enumerate(every) if len(set(parts)) > 1}
    markup: list[str] = []
    for i, parts in enumerate(every):
        block = shown.blocks[i - n_words] if i >= n_words else None
        if isinstance(block, Figure):
            every_chart = (frame.blocks[i - n_words] for frame in play.frames)
            markup.append(_moving_chart(block, [chart for chart in every_chart if isinstance(chart, Figure)]))
            moving.pop(i, None)
        else:
            markup.append(f'<div data-part="{i}">{parts[play.start]}</div>' if i in moving else parts[play.start])
    slider, at = f"{mark}-slider", _text(play.stops[play.start])
    control = (
        f'<div class="slider" hidden><label for="{slider}">{_text(play.label)}</label>'
        f'<span class="at" aria-hidden="true">{at}</span>'
        f'<input type="range" id="{slider}" name="{_text(play.name)}" min="0" max="{len(play.stops) - 1}" step="1" '
        f'value="{play.start}" aria-valuetext="{at}" autocomplete="off"></div>'
    )
    return "\n".join(
        [
            f'<div aria-live="polite">{"".join(markup[:n_words])}</div>',
            control,
            *markup[n_words:],
            data_element("stops", _compact(play.stops)),
            data_element("parts", _compact(moving)),
        ]
    )


def _moving_chart(shown: Figure, frames: Sequence[Figure]) -> str:
    """The chart at the start, and what is put into it at each stop."""
    moves = {
        "light": [list(_changes(json.loads(shown.light), json.loads(frame.light))) for frame in frames],
        "dark": [list(_changes(json.loads(shown.dark), json.loads(frame.dark))) for frame in frames],
        "alt": [frame.alt for frame in frames],
    }
    return _chart(shown, {"light": shown.light, "dark": _compact(_dark(shown)), "moves": _compact(moves)})


def _changes(base: Json, other: Json, path: tuple[str | int, ...] = ()) -> Iterator[Move]:
    """What has to be put where, to make the other of the base."""
    if isinstance(base, Mapping) and isinstance(other, Mapping) and base.keys() == other.keys():
        for name in base:
            yield from _changes(base[name], other[name], (*path, name))
    elif isinstance(base, list) and isinstance(other, list) and len(base) == len(other):
        for i, (one, another) in enumerate(zip(base, other, strict=True)):
            yield from _changes(one, another, (*path, i))
    elif base != other:
        yield path, other


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def data_element(kind: str, content: str) -> Html:
    """JSON that no markup of its own can end: ``<`` occurs in strings only, where it is escaped."""
    inside = content.replace("<", "\\u003c")
    return Html(f'<script type="application/json" class="{kind}">{inside}</script>')


def _text(text: str) -> str:
    return escape(text, quote=True)
