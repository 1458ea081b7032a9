"""How a chart becomes a figure of a paper: its size, its type and its colours; a browser writes PDF, SVG or PNG.

kaleido, an extra of the installation, hands the chart to the Chrome or Chromium of the machine, which embeds the fonts.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

from fairviz.display.theme import LIGHT, PATTERNS, SMALL_SIZE, Layout
from fairviz.errors import UsageError
from fairviz.extras import PRINTS, need

if TYPE_CHECKING:
    import plotly.graph_objects as go

CALL_OUT = "call-out"
"""``meta`` of a trace, ``name`` of an annotation, that helps on a screen and is left out on paper: "you are here"."""
Chart: TypeAlias = "go.Figure"
"""A chart as the studies draw it."""
Kind: TypeAlias = Literal["svg", "pdf", "png"]
COLUMN, PAGE, SLIDE = 84.0, 174.0, 254.0
"""Millimetres: a column and both columns of a page in the usual classes, and a slide."""
POINTS = 8.0
"""Of the text where nothing else is asked for."""
LEAST, MOST = 7.0, 40.0
"""Points of text that may be asked for."""
NARROWEST, WIDEST = 50.0, 500.0
"""Millimetres of a figure that may be asked for."""
TYPE = 'Arial, "Liberation Sans", Helvetica, sans-serif'
"""Of figures: the usual type of journals, or the one of the same widths that Linux has."""
SYMBOLS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x", "pentagon")
"""Of lines that a colour alone tells apart, in greyscale."""
LIGHTEST = 0.62
"""Of the greys that stand for colours, 0 = black."""
PRINT_RESOLUTION = 300 / 96
"""Pixels of a PNG for one of the screen: 300 to the inch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedFigure:
    """A figure with all that a paper needs of it.

    Attributes:
        stem: Name of its files.
        caption: What title and legend would say.
        command: Draws it again; empty where no command does.
        svg, pdf: The files.
        fingerprint: Of the data.
    """

    stem: str
    caption: str
    command: str
    svg: bytes
    pdf: bytes
    fingerprint: str = ""


def for_paper(figure: Chart, *, width: float = COLUMN, points: float = POINTS, greyscale: bool = False) -> Layout:
    """A chart as it is printed: what changes is how wide it is, its type, and its colours.

    All px of a chart shrink or grow by one factor, so that its smallest text has the size that is asked for. The width
    here is that of the paper divided by this factor; the height stays.

    Args:
        figure: In the colours of ``LIGHT``.
        width: Of the paper in mm.
        points: Of the smallest text.
        greyscale: Greys apart from each other, with dashes and markers, in place of colours.

    Returns:
        Traces and layout as plotly takes them, without what helps on a screen alone.

    Raises:
        UsageError: The paper is narrower than 50 mm or wider than 500, or the text smaller than 7 points or larger
            than 40.

    Examples:
        >>> import plotly.graph_objects as go
        >>> [round(for_paper(go.Figure(), points=points)["layout"]["width"]) for points in (8, 9)]
        [357, 317]
    """
    check_size(width, points)
    factor = points * 96 / 72 / SMALL_SIZE
    content: Layout = figure.to_plotly_json()
    layout: Layout = content["layout"]
    layout.pop("template", None)  # which one is usual depends on the program that draws
    traces: list[Layout] = [part for part in content["data"] if part.get("meta") != CALL_OUT]
    for index, trace in enumerate(traces):
        trace["uid"] = str(index)  # plotly draws lots else
    notes: list[Layout] = [part for part in layout.get("annotations", ()) if part.get("name") != CALL_OUT]
    layout |= {
        "annotations": notes,
        "width": width / 25.4 * 96 / factor,
        "font": {"size": 13, "color": LIGHT.ink} | layout.get("font", {}) | {"family": TYPE},
        "paper_bgcolor": LIGHT.page,
        "plot_bgcolor": LIGHT.page,
    }
    for name, axis in layout.items():
        if name.startswith(("xaxis", "yaxis")):
            axis["automargin"] = True  # type of other widths than on the screen
    _fit_title(layout)
    ink = _on_white
    if greyscale:
        ink = _greys(traces)
        _tell_apart(traces)
        _tell_systems_apart(traces)
    return _recoloured({"data": traces, "layout": layout}, ink)


CHARACTER = 0.52
"""Width of a character of an axis title, in ems, on average: Arial's, and none too small."""


def _fit_title(layout: Layout) -> None:
    """Break the title of a lone x axis before its bracket where the plot, above which it is centred, is narrower."""
    title: Layout = layout.get("xaxis", {}).get("title") or {}
    margin: Layout = layout.get("margin", {})
    if "xaxis2" in layout or not title.get("text"):
        return
    size: float = title.get("font", layout["font"])["size"]
    if CHARACTER * size * len(title["text"]) > layout["width"] - margin.get("l", 0) - margin.get("r", 0):
        title["text"] = title["text"].replace("  (", "<br>(", 1)


def millimetres(width: float | str) -> float:
    """A width in mm, which may be written with the unit.

    Raises:
        UsageError: It is no number of millimetres.

    Examples:
        >>> millimetres(84), millimetres("84mm"), millimetres("84.5 mm")
        (84.0, 84.0, 84.5)
    """
    try:
        return float(str(width).removesuffix("mm"))
    except ValueError:
        raise UsageError(f"a width of {width!r}: expected millimetres, such as 84 or '84mm'") from None


def check_size(width: float, points: float) -> None:
    """Refuse a size that no paper has, and text that nobody can read.

    Raises:
        UsageError: See :func:`for_paper`.
    """
    if not NARROWEST <= width <= WIDEST:
        raise UsageError(f"a figure of {width:g} mm: expected {NARROWEST:g} to {WIDEST:g} mm")
    if not LEAST <= points <= MOST:
        raise UsageError(f"text of {points:g} points: expected {LEAST:g} to {MOST:g} points")


def printed(
    figure: Chart, *kinds: Kind, width: float | str = COLUMN, points: float = POINTS, greyscale: bool = False
) -> list[bytes]:
    """The chart as files of these kinds: equal charts give equal bytes with one browser, without a network.

    Args:
        figure: In the colours of ``LIGHT``.
        kinds: Each once or more; one browser is started for all.
        width: See :func:`for_paper`, also for the others.
        points: Of the smallest text.
        greyscale: In place of colours.

    Raises:
        UsageError: kaleido is not installed, there is no browser, or the size cannot be.
    """
    across = millimetres(width)
    content = for_paper(figure, width=across, points=points, greyscale=greyscale)
    factor = across / 25.4 * 96 / float(content["layout"]["width"])
    return [_without_lot(file) for file in _rendered(content, kinds, factor)]


def _rendered(content: Layout, kinds: Sequence[Kind], factor: float) -> list[bytes]:
    """The files of a browser, each px of the chart ``factor`` px of the paper."""
    need("a figure for a paper", PRINTS)
    import asyncio

    from choreographer import errors
    from kaleido import Kaleido

    across, up = float(content["layout"]["width"]), float(content["layout"].get("height", 400))

    async def drawn() -> list[bytes]:
        async with Kaleido(mathjax=False, proxy_server=NOWHERE) as browser:  # MathJax is on another site
            files: list[bytes] = []
            for kind in kinds:
                scale = factor * (PRINT_RESOLUTION if kind == "png" else 1.0)
                made = browser.calc_fig(content, opts={"format": kind, "width": across, "height": up, "scale": scale})
                files.append(await made)
            return files

    failures = errors.ChromeNotFoundError, errors.BrowserFailedError, errors.BrowserDepsError, TimeoutError
    try:
        with _ONE_BROWSER, ThreadPoolExecutor(1) as thread:  # a notebook's own loop cannot wait for another
            return thread.submit(asyncio.run, drawn()).result()
    except failures as error:
        raise UsageError(NO_BROWSER) from error


_ONE_BROWSER = Lock()
"""A browser takes hundreds of MB: of several people who want a figure, one after the other has one."""
NOWHERE = "http://127.0.0.1:9"
"""Where what a browser asks of the network by itself ends."""
NO_BROWSER = (
    "a figure for a paper is drawn by Chrome or Chromium, and none starts here: install one or name it in "
    "BROWSER_PATH, or hover over the chart in the dashboard and select “Download SVG”"
)
_DATE = re.compile(rb"(/(?:Creation|Mod)Date \(D:)\d{14}")
_IDENTIFIER = re.compile(rb'<defs id="defs-([0-9a-f]{6})"')


def _without_lot(content: bytes) -> bytes:
    """The file without its date, and with one identifier in place of the one that plotly draws by lot."""
    content = _DATE.sub(rb"\g<1>20000101000000", content)
    match = _IDENTIFIER.search(content) if content.startswith(b"<svg") else None
    return re.sub(rb"(?<=[-p])" + match[1], b"000000", content) if match else content


def kind_of(file: str) -> Kind:
    """What a file of that name is.

    Raises:
        UsageError: Neither SVG, PDF nor PNG.
    """
    ending = Path(file).suffix.lower().removeprefix(".")
    for kind in get_args(Kind):
        if kind == ending:
            return kind
    raise UsageError(f"{file}: expected a name that ends in .svg, .pdf or .png")


# Colours.

RGB = tuple[float, float, float]


def _recoloured(part: Any, ink: Callable[[str], str], *, colour: bool = False) -> Any:
    """Part of a figure with every colour replaced: strings below a key that names a colour."""
    if isinstance(part, dict):
        inside = cast("Layout", part)
        return {key: _recoloured(each, ink, colour=_is_colour(key) or colour) for key, each in inside.items()}
    if isinstance(part, (list, tuple)) or (colour and hasattr(part, "tolist")):
        return [_recoloured(each, ink, colour=colour) for each in _listed(part)]
    if not isinstance(part, str):
        return part
    return ink(part) if colour else _OF_SPAN.sub(lambda match: match[1] + ink(match[2]), part)


_OF_SPAN = re.compile("(<span style='color:)(#[0-9A-Fa-f]{6})")
"""Of words of ours; those of a person have no tags."""


def _is_colour(key: str) -> bool:
    return "color" in key and not key.endswith("src")


def _on_white(colour: str) -> str:
    return "#FFFFFF" if colour.upper() == LIGHT.page else colour


def _greys(traces: Sequence[Layout]) -> Callable[[str], str]:
    """A grey for each colour: hues of the traces in even steps by lightness, the darkest black, others as light."""
    hues = {rgb for trace in traces for rgb in _hues(trace)}
    by_light = sorted(hues, key=lambda hue: (_lightness(hue), hue))
    greys = {hue: LIGHTEST * i / max(len(by_light) - 1, 1) for i, hue in enumerate(by_light)}

    def grey(colour: str) -> str:
        rgb, opacity = _parsed(_on_white(colour))
        if rgb is None:
            return colour
        level = round(255 * greys.get(rgb, _lightness(rgb)))
        return f"rgba({level},{level},{level},{opacity})"

    return grey


def _tell_apart(traces: Sequence[Layout]) -> None:
    """Give each hue of solid lines a dash and a marker of its own, the first one none."""
    places: dict[RGB, int] = {}
    for trace in traces:
        line, mode = trace.get("line", {}), str(trace.get("mode", ""))
        rgb, _ = _parsed(str(line.get("color", "")))
        if "lines" not in mode or rgb is None or line.get("dash", "solid") != "solid" or _is_grey(rgb):
            continue
        index = places.setdefault(rgb, len(places))
        if index and "legendgroup" not in trace:
            line["dash"] = [*PATTERNS.values()][index % len(PATTERNS)]
            _mark(trace, index)


def _mark(trace: Layout, index: int) -> None:
    """Give a line without markers a few of a kind."""
    if "markers" not in trace["mode"]:
        trace["mode"] += "+markers"
        trace["marker"] = {"symbol": SYMBOLS[index % len(SYMBOLS)], "size": 7, "maxdisplayed": 8}
        trace["marker"]["color"] = trace["line"]["color"]


def _tell_systems_apart(traces: Sequence[Layout]) -> None:
    """Give each system a grey, a dash and a marker of its own; its traces name it as their group.

    A dash that a line has stays; the darkest line is black, and the first of those without a dash stays solid.
    """
    lines = {trace["legendgroup"]: trace for trace in traces if {"legendgroup", "line", "marker"} <= trace.keys()}
    by_light = sorted(lines, key=lambda system: _lightness(_parsed(lines[system]["line"]["color"])[0] or (0, 0, 0)))
    used = {trace["line"].get("dash", "solid") for trace in lines.values()} - {"solid"}
    unused = iter([pattern for pattern in PATTERNS.values() if pattern not in used])
    looks: dict[str, tuple[str, str]] = {}
    for rank, system in enumerate(by_light):
        level = round(255 * LIGHTEST * rank / max(len(by_light) - 1, 1))
        dash = lines[system]["line"].get("dash", "solid")
        looks[system] = f"#{level:02X}{level:02X}{level:02X}", next(unused) if dash == "solid" else dash
    for trace in traces:
        if (system := trace.get("legendgroup")) in looks:
            colour, dash = looks[system]
            for part in (trace.get("line"), trace.get("marker")):
                if part is not None:
                    part["color"] = colour
            if trace is lines[system]:
                trace["line"]["dash"] = dash
                _mark(trace, by_light.index(system))


def _hues(trace: Layout) -> Iterator[RGB]:
    """Colours of the lines and points of a trace that are no grey."""
    marker: Layout = trace.get("marker", {})
    for part in (trace.get("line", {}), marker, marker.get("line", {})):
        for colour in _listed(part.get("color")):
            rgb, _ = _parsed(str(colour))
            if rgb is not None and not _is_grey(rgb):
                yield rgb


def _listed(value: Any) -> list[Any]:
    """A setting that is one for all points, or one for each, in a list or an array."""
    many = isinstance(value, (list, tuple)) or hasattr(value, "tolist")
    return list(cast("Iterable[Any]", value)) if many else [value]


def _parsed(colour: str) -> tuple[RGB | None, float]:
    """Red, green and blue from 0 to 1, and opacity; None where the text is no colour."""
    if re.fullmatch("#[0-9A-Fa-f]{6}", colour):
        red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return (red, green, blue), 1.0
    parts = re.fullmatch(r"rgba?\(([\d.,]+)\)", colour.replace(" ", ""))
    if parts is None:
        return None, 1.0
    red, green, blue, *rest = (float(part) for part in parts[1].split(","))
    return (red / 255, green / 255, blue / 255), rest[0] if rest else 1.0


def _is_grey(rgb: RGB) -> bool:
    return max(rgb) - min(rgb) <= 0.1


def _lightness(rgb: RGB) -> float:
    """The grey that televisions show for a colour, 0 to 1 (Rec. ITU-R BT.601)."""
    return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]
