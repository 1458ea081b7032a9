"""The drawer behind "Figure…": a chart at the size of a paper, its caption, the command that draws it, and the pin.

What is pinned stays with the session, and goes into the bundle of the Export page.
"""

import shlex
from collections.abc import Callable
from typing import NamedTuple, cast

import streamlit as st
from plotly.graph_objects import Figure

from fairviz.display.methods import wrapped
from fairviz.display.paper import (
    USUAL,
    WIDTHS,
    Family,
    Kind,
    Paper,
    PrintedFigure,
    Width,
    has_call_outs,
    printed,
    read_chart,
)
from fairviz.display.theme import figure_json
from fairviz.display.words import capital, plural
from fairviz.errors import FairvizError, UsageError
from fairviz.extras import PRINTS, need
from pages._kit.downloads import download
from pages._kit.faults import as_input_error, error_box
from pages._kit.html import el
from pages._kit.pins import pin, pinned_figures, unpin
from pages._kit.session import dataset

WIDTH_NAMES: dict[Width, str] = {"84mm": "84 mm, a column", "177mm": "177 mm, a page", "slide": "slide, 16:9"}
COLOURS = ("colour", "greyscale-safe")
FAMILIES: tuple[Family, ...] = ("sans", "serif")
SIZES: dict[Width, tuple[float, ...]] = {"84mm": (7, 8, 9), "177mm": (7, 8, 9), "slide": (14, 18, 22)}
KINDS: tuple[Kind, Kind] = ("svg", "pdf")
PIXELS = 96 / 25.4
"""Of a millimetre, as browsers count."""
WIDEST = 669
"""Of the preview, px: 177 mm; a slide is shown smaller."""

Command = Callable[[Paper, str], str]
"""The command that writes a figure to a file, for a paper."""


class Drawing(NamedTuple):
    """A chart to be printed.

    Attributes:
        chart: In light colours.
        stem: Name of its files.
        caption: What title and legend would say.
        command: Draws it again from the data; None: from the drawing, which is handed out then.
    """

    chart: Figure
    stem: str
    caption: str
    command: Command | None = None


def figure_drawer(draw: Callable[[], Figure], stem: str, *, caption: str, command: Command | None = None) -> None:
    """A button beside the downloads of a chart that opens the drawer.

    Args:
        draw: Draws the chart in the colours of ``LIGHT``; called when the drawer is opened.
        stem: Name of the files, and key of the button.
        caption: What title and legend would say.
        command: The command that writes the same figure to a file from the data, where there is one.
    """
    if st.button("Figure …", icon=":material/crop_original:", type="tertiary", key=f"{stem}-figure"):
        _drawer(Drawing(draw(), stem, caption, command))


@st.dialog("Figure", width="large", icon=":material/crop_original:")
def _drawer(drawing: Drawing) -> None:
    try:
        need("a figure for a paper", PRINTS)
    except UsageError as missing:
        st.html(el("p", f"On this machine {missing}", cls="fv-counts"))
        return
    paper = _paper(drawing)
    try:
        made = printed_figure(drawing, paper)
    except FairvizError as error:
        error_box(as_input_error(error))
        return
    across = WIDTHS[paper.width] * PIXELS
    st.image(made.svg.decode(), width=round(min(across, WIDEST)))
    size = "True size on paper" if across <= WIDEST else "Smaller than on the slide"
    st.html(el("p", f"{size} · smallest text {paper.points:g} pt · always light", cls="fv-counts"))
    if made.lost:
        st.html(el("p", f"{capital(made.lost)}.", cls="fv-counts"))
    with st.container(horizontal=True, gap="small"):
        for kind, mime, content in (("pdf", "application/pdf", made.pdf), ("svg", "image/svg+xml", made.svg)):
            key = f"{drawing.stem}-figure-{kind}"
            download(kind.upper(), content, file_name=f"{drawing.stem}.{kind}", mime=mime, key=key, kind="secondary")
        if drawing.command is None:
            name, key = f"{drawing.stem}.json", f"{drawing.stem}-figure-json"
            download("Drawing", made.drawing, file_name=name, mime="application/json", key=key, kind="secondary")
        key = f"{drawing.stem}-figure-pin"
        is_pinned = made in pinned_figures()
        if is_pinned:
            st.button("Unpin", icon=":material/keep_off:", key=key, on_click=unpin, args=(made,))
        else:
            st.button("Pin for the bundle", icon=":material/keep:", key=key, on_click=pin, args=(made,))
    if is_pinned:
        n = plural(len(pinned_figures()), "figure")
        st.html(el("p", f"Pinned: Export puts {n} into the bundle.", cls="fv-counts"))
    st.caption("Caption")
    st.code(made.caption, language=None, wrap_lines=True)
    st.caption("The command that draws it")
    st.code(made.command, language="bash", wrap_lines=True)


def _paper(drawing: Drawing) -> Paper:
    """The choices above the preview."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        width = st.segmented_control(
            "Width", list(WIDTHS), default="84mm", format_func=lambda name: WIDTH_NAMES[name], required=True
        )
        width = cast("Width", width or "84mm")
        points = st.segmented_control(
            "Text",
            SIZES[width],
            default=USUAL[width],
            format_func=_in_points,
            required=True,
            key=f"figure-text-{width}",
        )
        family = st.segmented_control("Font", FAMILIES, default=FAMILIES[0], required=True)
        colour = st.segmented_control("Colour", COLOURS, default=COLOURS[0], required=True)
        marked = has_call_outs(drawing.chart) and st.toggle("Call-outs and “you are here”", value=False)
    return Paper(
        width=width,
        font_size=points,
        call_outs=bool(marked),
        greyscale=colour == COLOURS[1],
        family=cast("Family", family or FAMILIES[0]),
    )


def _in_points(size: float) -> str:
    return f"{size:g} pt"


def printed_figure(drawing: Drawing, paper: Paper) -> PrintedFigure:
    """The figure as files, with its caption and the command that draws it."""
    chart = figure_json(drawing.chart)
    (svg, lost), (pdf, _) = (_file(chart, kind, paper) for kind in KINDS)
    command = drawing.command or _from_drawing(drawing.stem)
    return PrintedFigure(
        stem=drawing.stem,
        caption=drawing.caption,
        command=command(paper, f"{drawing.stem}.pdf"),
        svg=svg,
        pdf=pdf,
        drawing="" if drawing.command else chart,
        fingerprint=dataset().fingerprint,
        lost=lost,
    )


@st.cache_data(max_entries=32, show_spinner=False, hash_funcs={Paper: repr})
def _file(chart: str, kind: Kind, paper: Paper) -> tuple[bytes, str]:
    """The file, and what is said of letters that no font has."""
    lost: list[str] = []
    return printed(read_chart(chart), paper, kind, on_lost=lost.append), " ".join(lost)


def _from_drawing(stem: str) -> Command:
    def command(paper: Paper, file: str) -> str:
        return wrapped(["fairviz figure", shlex.quote(f"{stem}.json"), shlex.quote(file), *paper.options])

    return command
