"""How a chart becomes a figure of a paper: sizes, type, and what is left out.

Matplotlib draws it, an extra of the installation: it is loaded when the first figure is asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast
from unicodedata import east_asian_width

from fairviz.errors import InputError, UsageError
from fairviz.extras import PRINTS, need

if TYPE_CHECKING:
    import plotly.graph_objects as go

CALL_OUT = "call-out"
"""``meta`` of a trace, ``name`` of an annotation, that helps on a screen and is left out on paper: "you are here"."""
LEAST_HEIGHT = "least_height"
"""Key in ``meta`` of a layout: the height in px below which its texts touch; on a slide its type shrinks to fit."""
Chart: TypeAlias = "go.Figure"
"""A chart as the studies draw it."""
Layout: TypeAlias = dict[str, Any]
Width: TypeAlias = Literal["84mm", "177mm", "slide"]
Kind: TypeAlias = Literal["svg", "pdf"]
Family: TypeAlias = Literal["sans", "serif"]
WIDTHS: dict[Width, float] = {"84mm": 84.0, "177mm": 177.0, "slide": 254.0}
"""Millimetres: a column and both columns of a page in the usual classes, and a slide of 16:9."""
SLIDE_HEIGHT = 254.0 * 9 / 16
LEAST, MOST = 7.0, 40.0
"""Points of text that may be asked for."""
USUAL: dict[Width, float] = {"84mm": 7.0, "177mm": 7.0, "slide": 14.0}
"""Points of the text where nothing else is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """How a chart is printed.

    Attributes:
        width: Of a column (84 mm), of a page (177 mm), or a slide of 16:9.
        font_size: Points of the text, at least 7; None = 7, on a slide 14.
        call_outs: Whether "you are here" and other marks of the screen are drawn.
        greyscale: Greys apart from each other, with dashes and markers, in place of colours.
        family: Of the type: sans or serif.

    Examples:
        >>> Paper(width="slide").points
        14.0
    """

    width: Width = "84mm"
    font_size: float | None = None
    call_outs: bool = False
    greyscale: bool = False
    family: Family = "sans"

    def __post_init__(self) -> None:
        if self.width not in WIDTHS:
            raise ValueError(f"width {self.width!r}: expected one of {', '.join(WIDTHS)}")
        if not LEAST <= self.points <= MOST:
            raise ValueError(f"text of {self.points:g} pt: expected {LEAST:g} to {MOST:g} pt")

    @property
    def points(self) -> float:
        """Size of the text."""
        return USUAL[self.width] if self.font_size is None else self.font_size

    @property
    def options(self) -> list[str]:
        """As the command line takes it.

        Examples:
            >>> Paper(greyscale=True).options
            ['--width 84mm', '--greyscale']
        """
        words = [f"--width {self.width}"]
        words += [f"--font-size {self.points:g}"] if self.points != USUAL[self.width] else []
        words += [f"--font {self.family}"] if self.family != "sans" else []
        words += ["--call-outs"] if self.call_outs else []
        return [*words, "--greyscale"] if self.greyscale else words


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedFigure:
    """A figure with all that a paper needs of it.

    Attributes:
        stem: Name of its files.
        caption: What title and legend would say.
        command: Draws it again.
        svg, pdf: The files.
        drawing: What the command reads, where that is not the data.
        fingerprint: Of the data.
        lost: One line on letters that no installed font has.
    """

    stem: str
    caption: str
    command: str
    svg: bytes
    pdf: bytes
    drawing: str = ""
    fingerprint: str = ""
    lost: str = ""


def has_call_outs(figure: Chart) -> bool:
    """Whether anything in a chart is for the screen alone."""
    content: Layout = figure.to_plotly_json()
    notes: list[Layout] = content["layout"].get("annotations", [])
    return any(one.get("meta") == CALL_OUT for one in content["data"]) or any(
        one.get("name") == CALL_OUT for one in notes
    )


def read_chart(text: str) -> Chart:
    """A chart from plotly's JSON.

    Raises:
        InputError: The text is something else.
    """
    import plotly.io  # heavy, and not needed for --help

    read = cast("Callable[[str], Chart]", plotly.io.from_json)  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue]
    try:
        return read(text)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError("not a chart", fix="Give a drawing from the Figure drawer, or plotly's JSON.") from error


def kind_of(file: str) -> Kind:
    """What a file of that name is.

    Raises:
        UsageError: Neither SVG nor PDF.
    """
    kinds: dict[str, Kind] = {".svg": "svg", ".pdf": "pdf"}
    kind = kinds.get(Path(file).suffix.lower())
    if kind is None:
        raise UsageError(f"{file}: expected a name that ends in .svg or .pdf")
    return kind


def printed(figure: Chart, paper: Paper, kind: Kind, *, on_lost: Callable[[str], None] = lambda _: None) -> bytes:
    """The chart as an SVG or PDF file: equal charts give equal bytes, without a browser and without a network.

    Args:
        figure: In the colours of ``LIGHT``.
        paper: Size, type and what is drawn.
        kind: svg or pdf.
        on_lost: Called with one line on letters that no installed font has, where there are some.

    Raises:
        UsageError: Matplotlib is not installed.
    """
    need("a figure for a paper", PRINTS)
    from fairviz.display.print_figure import file_of  # loads Matplotlib

    content, lost = file_of(figure, paper, kind)
    if lost:
        on_lost(lost_words(lost))
    return content


def lost_words(lost: str) -> str:
    """What is said of letters that no installed font has, and how to mend it.

    Examples:
        >>> lost_words("日本")
        'no installed font has 日本, printed as �: install one that has, such as Noto Sans CJK, and draw it again'
    """
    shown = lost if len(lost) <= 12 else f"{lost[:12]}…"
    wide = any(east_asian_width(sign) in "WF" for sign in lost)
    font = "Noto Sans CJK" if wide else "Noto Sans of that script"
    return f"no installed font has {shown}, printed as �: install one that has, such as {font}, and draw it again"
