"""Names of axes, colours, type and layout that every figure shares: one token, one meaning, on every page.

Each hue has a line shade (at least 3:1 on the page) and a text shade (at least 4.5:1). A colour means one policy, one
group or one sign; dash and marker carry identity without colour. Up to six groups have a colour and a marker each;
where there are more, all are grey and told apart by their names. Items without a label have none of the colours and
use up none. Colours that stand beside each other differ by ΔE 12 or more also to readers who lack a kind of cone
(Machado, Oliveira and Fernandes 2009, severity 1; CIE 1976), and marks keep 3:1 to the page.
"""

import html
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias
from unicodedata import category

from fairviz.errors import printable
from fairviz.kernels.grouping import UNLABELLED
from fairviz.model import COLOURS, DASHES, FloatArray, Look
from fairviz.resources import content

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Names of axes: the measure as papers print it, what it stands for, its direction.


AXES: Mapping[str, Mapping[str, str]] = content("axes")
"""How axes are called, by their measure."""


def axis_name(measure: str) -> str:
    """The label of a measure as papers print it; the measure itself where it is not known.

    Examples:
        >>> axis_name("EED"), axis_name("nDCG")
        ('EE-D', 'nDCG')
    """
    return AXES[measure]["label"] if measure in AXES else measure


def axis_title(measure: str) -> str:
    """The title of an axis: name, meaning, direction.

    Examples:
        >>> axis_title("EER"), axis_title("EER(rel=1)@5")
        ('EE-R, quality  (↑ higher = more relevant)', 'EER(rel=1)@5, quality  (↑ higher = more relevant)')
    """
    name = measure.partition("(")[0].partition("@")[0]  # parameters and cutoff are kept as they are
    if name not in AXES:
        return measure
    return f"{axis_name(measure)}, {AXES[name]['stands_for']}  ({AXES[name]['direction']})"


# Colours, type and layout.


ThemeName: TypeAlias = Literal["light", "dark"]
Layout: TypeAlias = dict[str, Any]
"""Part of a plotly layout or trace, as plotly's own nested dictionaries."""

FONT = '"Source Sans", "Source Sans 3", "Source Sans Pro", sans-serif'
HEADING_FONT = '"Source Serif", "Source Serif 4", "Source Serif Pro", serif'
TEXT_SIZE = 13
SMALL_SIZE = 12
"""Nothing in a chart is set smaller than this, in px."""


class Hue(NamedTuple):
    """One colour in the two shades that contrast needs."""

    line: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """Every colour of one theme, named by what it means.

    Attributes:
        name: "light" or "dark".
        page, panel, side: Grounds: the page, raised boxes, the sidebar.
        rule, axis: Hairlines and axis lines.
        ink, mute, faint: Text, secondary text, and lines that only guide the eye.
        plackett_luce: The Plackett–Luce policy.
        optimal: The exposure-optimal policy; also a loss.
        oracle: The limit that knows the judgements; also a gain.
        grades: Fills for grade 0 or unjudged, 1, 2, and 3 or more.
        groups: Marks of up to six groups, with ``MARKERS``; names and numbers beside them are in ink.
        systems: The colours that a table of systems may name, in the order of :data:`~fairviz.model.COLOURS`.
        unknown: Items without a label, always hatched.
        positive, negative: Ends of the diverging scale; the sign is always printed.
        agree, oppose: Ends of the scale of τ, in hues that nobody reads as bias.
        published: Ground of what papers print, so that nobody takes it for the loaded data.
    """

    name: ThemeName
    page: str
    panel: str
    side: str
    rule: str
    axis: str
    ink: str
    mute: str
    faint: str
    plackett_luce: Hue
    optimal: Hue
    oracle: Hue
    grades: tuple[str, str, str, str]
    groups: tuple[str, str, str, str, str, str]
    systems: tuple[str, ...]
    unknown: str
    positive: str
    negative: str
    agree: str
    oppose: str
    published: str


def _palette(name: ThemeName) -> Palette:
    """The colours of ``content/styles/colours.yaml``."""
    record: dict[str, Any] = dict(content("styles/colours")[name])
    record |= {hue: Hue(*record[hue]) for hue in ("plackett_luce", "optimal", "oracle")}
    record |= {several: tuple(record[several]) for several in ("grades", "groups", "systems")}
    return Palette(name=name, **record)


LIGHT, DARK = _palette("light"), _palette("dark")

SHEET = {
    "page": "#FFFFFF",
    **{name: str(getattr(LIGHT, name)) for name in ("panel", "rule", "axis", "ink", "mute", "faint")},
    **{f"{hue}-fill": getattr(LIGHT, hue.replace("-", "_")).line for hue in ("plackett-luce", "optimal", "oracle")},
    "loss-text": LIGHT.optimal.text,
}
"""Colours of a page of paper, by the names of custom properties."""

MARKERS = ("circle", "diamond", "square", "triangle-up", "pentagon", "triangle-down")
"""Of the groups, in the order of their colours."""
GRADE_NAMES = ("0 or unjudged", "1", "2", "3 or more")


def palette(name: str | None) -> Palette:
    """The palette of a theme; light where the theme is not known.

    Examples:
        >>> palette("dark").page, palette(None).name
        ('#14171B', 'light')
    """
    return DARK if name == "dark" else LIGHT


def rgba(colour: str, opacity: float) -> str:
    """A ``#RRGGBB`` colour made translucent, as plotly's fills want it.

    Examples:
        >>> rgba("#0072B2", 0.14)
        'rgba(0,114,178,0.14)'
    """
    red, green, blue = _parts(colour)
    return f"rgba({red},{green},{blue},{opacity:g})"


def _parts(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue


# Grounds of cells, and the ink that is read best on them.


def cell_fill(tau: float, colours: Palette) -> str:
    """The page at τ = 0, towards teal above and amber below, in proportion.

    Examples:
        >>> cell_fill(1.0, LIGHT) == LIGHT.agree.lower()
        True
    """
    return mixed(colours.page, colours.agree if tau > 0 else colours.oppose, abs(tau))


def mixed(start: str, end: str, share: float) -> str:
    """The colour at a share of the way from one colour to another.

    Examples:
        >>> mixed("#000000", "#ffffff", 0.5)
        '#808080'
    """
    parts = zip(_parts(start), _parts(end), strict=True)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in parts)


def ink_on(fill: str) -> str:
    """Black or white, whichever is read better on a fill: always at least 4.5:1.

    The palette's own ink and page reach only 3.9:1 in the middle of the scale.
    """
    return max(("#000000", "#FFFFFF"), key=lambda text: _contrast(text, fill))


def _contrast(a: str, b: str) -> float:
    """Contrast ratio of WCAG 2."""
    light, dark = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    shares = [part / 255 for part in _parts(colour)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# How systems are drawn.


PATTERNS = dict(
    zip(
        DASHES,
        (
            *("solid", "6px,3px", "1.5px,2.5px", "7px,3px,1.5px,3px", "13px,4px"),
            *("13px,3px,2px,3px", "7px,3px,1.5px,3px,1.5px,3px", "2px,6px"),
        ),
        strict=True,
    )
)
"""Dashes by their names, as plotly takes them."""
MOST_SYSTEMS = len(DASHES)
"""Systems of a chart up to which dashes and greys tell all of them apart in print; names and leaders always do."""
SEEN = 3.0
"""Least contrast of a line with the page."""


def look_colour(look: Look, colours: Palette, usual: str) -> str:
    """The colour of a system in a theme, towards the ink where it would not be seen; ``usual`` if it has none.

    Examples:
        >>> look_colour(Look("blue"), LIGHT, "#000000"), look_colour(Look(), LIGHT, "#000000")
        ('#0072B2', '#000000')
        >>> look_colour(Look("#FFFF00"), LIGHT, "#000000")
        '#8f9114'
    """
    if look.colour is None:
        return usual
    if look.colour in COLOURS:
        return colours.systems[COLOURS.index(look.colour)]
    shades = (mixed(look.colour, colours.ink, tenth / 10) for tenth in range(1, 11))
    if _contrast(look.colour, colours.page) >= SEEN:
        return look.colour
    return next(shade for shade in shades if _contrast(shade, colours.page) >= SEEN)


def look_dash(look: Look, usual: str = "solid") -> str:
    """The dash of a system's line as plotly takes it; ``usual`` if it has none."""
    return usual if look.dash is None else PATTERNS[look.dash]


# Text.


def plain(text: str, *, longest: int | None = None) -> str:
    r"""Text of a person made safe for plotly, which reads ``<a href>`` and ``<b>`` in labels.

    What would reverse or hide text is spelled out, as in the shell; narrow blanks of our own words stay.

    Examples:
        >>> plain("<b>run</b>"), plain("a very long name", longest=8)
        ('&lt;b&gt;run&lt;/b&gt;', 'a very …')
        >>> plain("run\u202e52mb")
        'run\\u202e52mb'
        >>> plain("25\u202f%") == "25\u202f%"
        True
    """
    text = "".join(char if category(char) == "Zs" else printable(char) for char in text)
    if longest is not None and len(text) > longest:
        text = text[: longest - 1] + "…"
    return html.escape(text, quote=False)


def chart_config(filename: str, *, brush: bool = False) -> Layout:
    """Options of a shown chart: no tools but the SVG download, which needs no server, and those that select points."""
    return {
        "displaylogo": False,
        "responsive": True,
        "scrollZoom": False,
        "doubleClick": False,
        "modeBarButtons": [[*(("select2d", "lasso2d") if brush else ()), "toImage"]],
        "toImageButtonOptions": {"format": "svg", "filename": filename},
    }


def base_layout(colours: Palette, *, height: int, margin: dict[str, int] | None = None) -> Layout:
    """Layout without axes: transparent paper, no legend, no title, no box zoom."""
    return {
        "height": height,
        "autosize": True,
        "margin": {"l": 44, "r": 12, "t": 34, "b": 44} | (margin or {}),
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": TEXT_SIZE, "color": colours.ink},
        "showlegend": False,
        "dragmode": False,
        "hovermode": "closest",
        "hoverlabel": {
            "bgcolor": colours.panel,
            "bordercolor": colours.axis,
            "font": {"family": FONT, "size": TEXT_SIZE, "color": colours.ink},
            "align": "left",
        },
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": colours.faint, "activecolor": colours.ink},
    }


def axis(colours: Palette, *, title: str = "", bounds: tuple[float, float] | None = None, **more: Any) -> Layout:
    """One axis: hairline grid, one axis line, fixed range. A y title goes through ``y_title``."""
    settings: Layout = {
        "title": {"text": title, "font": {"size": TEXT_SIZE, "color": colours.ink}, "standoff": 8},
        "showgrid": True,
        "gridcolor": colours.rule,
        "gridwidth": 1,
        "zeroline": False,
        "showline": True,
        "linecolor": colours.axis,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": colours.axis,
        "tickfont": {"size": SMALL_SIZE, "color": colours.mute},
        "fixedrange": True,
        "automargin": False,
    }
    if bounds is not None:
        settings["range"] = list(bounds)
    return settings | more


def scatter(name: str, mode: str, x: Any, y: Any, **look: Any) -> Layout:
    """A trace of points, lines or text; silent unless it has a hover template."""
    quiet = {} if "hovertemplate" in look else {"hoverinfo": "skip"}
    return {"type": "scatter", "mode": mode, "name": name, "x": x, "y": y} | quiet | look


def area(name: str, outline: tuple[Any, Any], colour: str, opacity: float, **look: Any) -> Layout:
    """A filled outline, such as an interval or a band; without a mode it would draw its corners, too."""
    look = {"line": {"width": 0}} | look
    return scatter(name, "lines", *outline, fill="toself", fillcolor=rgba(colour, opacity), **look)


def bars(name: str, x: Any, y: Any, fills: Sequence[str], edges: str | Sequence[str], **more: Any) -> Layout:
    """A trace of bars, each in its colour, with one edge or each with its own."""
    marker = {"color": fills, "line": {"width": 1, "color": edges}}
    return {"type": "bar", "name": name, "x": x, "y": y, "marker": marker} | more


def joined(lines: Iterable[tuple[FloatArray, FloatArray]]) -> Layout:
    """Several lines as the points of one trace, cut apart by gaps."""
    x, y = list[float | None](), list[float | None]()
    for across, up in lines:
        x += [*across.tolist(), None]
        y += [*up.tolist(), None]
    return {"x": x, "y": y}


def bare_axis(colours: Palette, *, bounds: tuple[float, float]) -> Layout:
    """An axis of places whose names stand in the chart: a range, and nothing drawn."""
    return axis(colours, bounds=bounds, showgrid=False, showticklabels=False, showline=False, ticks="")


def y_title(colours: Palette, text: str) -> Layout:
    """The title of a y axis, horizontal above it, where it can be read."""
    corner = {"x": 0, "y": 1, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    return note(colours, text, **corner, xshift=-34, yshift=8)


def x_title(colours: Palette, text: str) -> Layout:
    """The title of an x axis that names beside the plot leave narrow: from the left edge, where nothing cuts it off."""
    corner = {"x": 0, "y": 0, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"}
    return note(colours, text, **corner, xshift=-34, yshift=-22)


def note(colours: Palette, text: str, **attributes: Any) -> Layout:
    """One annotation without an arrow, in ink unless ``font`` says otherwise."""
    settings: Layout = {
        "text": text,
        "showarrow": False,
        "align": "left",
        "font": {"size": TEXT_SIZE, "color": colours.ink},
    }
    return settings | attributes


# Figures for files that stand on their own.


TEMPLATE = "plotly"


def in_both_themes(draw: "Callable[[Palette], go.Figure]") -> tuple[str, str]:
    """A figure's JSON in light and in dark colours, its numbers as exact as a screen is.

    Args:
        draw: Draws the figure in the colours of a palette.
    """
    return figure_json(draw(LIGHT), number=_on_screen), figure_json(draw(DARK), number=_on_screen)


DIGITS = 7
"""Significant digits of what is drawn in a file; its tables have all."""


def _on_screen(text: str) -> float:
    """A number without the digits that nobody sees, which are half of a figure where there are many lines."""
    return float(f"{float(text):.{DIGITS}g}")


def figure_json(figure: "go.Figure", *, number: Callable[[str], float] = float) -> str:
    """A figure as JSON, its keys in order, on plotly's own template: a host such as Streamlit has another default.

    Args:
        figure: Of plotly; loses its template.
        number: Reads each of its numbers that is no integer.
    """
    figure.layout["template"] = None  # plotly checks and writes a template as long as that of the figure
    whole = json.loads(str(figure.to_json()), parse_float=number)
    whole["layout"]["template"] = _template(number)
    return json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@cache
def _template(number: Callable[[str], float]) -> dict[str, Any]:
    import plotly.graph_objects as go

    figure = go.Figure(layout={"template": TEMPLATE})
    return json.loads(str(figure.to_json()), parse_float=number)["layout"]["template"]


class GroupHue(NamedTuple):
    """How one group looks: the colour of its marks, the colour of its name, its marker."""

    line: str
    text: str
    marker: str


def group_hues(groups: Sequence[str], colours: Palette) -> list[GroupHue]:
    """The look of each group, in the order of the labels: a group has one on every page and under every target.

    Not in the order of size: shares of attention order groups otherwise under another run, cutoff or attention, and
    sizes in the collection order them otherwise than any of these.

    Examples:
        >>> from fairviz.display.theme import LIGHT
        >>> [hue.marker for hue in group_hues(["a", "b", "unlabelled"], LIGHT)]
        ['circle', 'diamond', 'circle-open']
    """
    named = [group for group in groups if group != UNLABELLED]
    plain_look = GroupHue(colours.faint, colours.mute, "circle")
    own = [GroupHue(line, colours.ink, marker) for line, marker in zip(colours.groups, MARKERS, strict=True)]
    looks = iter(own if len(named) <= len(own) else [plain_look] * len(named))
    unknown = GroupHue(colours.faint, colours.mute, "circle-open")
    return [unknown if group == UNLABELLED else next(looks) for group in groups]


def group_colour(groups: Sequence[str], group: str) -> str:
    """The colour of a group's marks in either theme; grey for documents without a label, or without a group."""
    if group in ("", UNLABELLED):
        return "var(--fv-faint)"
    light, dark = (group_hues(groups, colours)[groups.index(group)].line for colours in (LIGHT, DARK))
    return f"light-dark({light},{dark})"
