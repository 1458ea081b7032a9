"""The drawer behind "Figure…": a chart at the size of a paper, its caption, the command that draws it, and the pin.

What is pinned stays with the session, and goes into the bundle of the Export page.
"""

import shlex
from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st
from plotly.graph_objects import Figure

from fairviz.display.paper import COLUMN, PAGE, POINTS, SLIDE, Kind, PrintedFigure, printed
from fairviz.display.theme import figure_json
from fairviz.display.words import plural
from fairviz.errors import FairvizError, UsageError
from fairviz.extras import PRINTS, need
from pages._kit.downloads import download
from pages._kit.faults import as_input_error, error_box
from pages._kit.html import el
from pages._kit.keeping import pin, pinned_figures, unpin
from pages._kit.session import dataset

WIDTHS = {COLUMN: "84 mm, a column", PAGE: "174 mm, a page", SLIDE: "254 mm, a slide"}
SIZES = {COLUMN: (7.0, POINTS, 9.0), PAGE: (7.0, POINTS, 9.0), SLIDE: (12.0, 14.0, 18.0)}
"""Points of the text on a paper of each width, the usual ones in the middle."""
COLOURS = ("colour", "greyscale-safe")
KINDS: tuple[Kind, ...] = ("svg", "pdf", "png")
MIMES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
PIXELS = 96 / 25.4
"""Of a millimetre, as browsers count."""
WIDEST = 669
"""Of the preview, px: a slide is shown smaller."""

Command = Callable[[Sequence[str]], str]
"""The command that draws a chart from the data, with the options of its figure."""


class Paper(NamedTuple):
    """What was chosen above the preview: mm, points of the smallest text, and greys in place of colours."""

    width: float
    points: float
    greyscale: bool


def figure_drawer(draw: Callable[[], Figure], stem: str, *, caption: str, command: Command | None = None) -> None:
    """A button beside the downloads of a chart that opens the drawer.

    Args:
        draw: Draws the chart in the colours of ``LIGHT``; called when the drawer is opened.
        stem: Name of the files, and key of the button.
        caption: What title and legend would say.
        command: The command that writes the same figure to a file from the data, where there is one.
    """
    if st.button("Figure …", icon=":material/crop_original:", type="tertiary", key=f"{stem}-figure"):
        _drawer(draw(), stem, caption, command)


@st.dialog("Figure", width="large", icon=":material/crop_original:")
def _drawer(chart: Figure, stem: str, caption: str, command: Command | None) -> None:
    """A chart in light colours, with what its title and legend would say, and what draws it again from the data."""
    try:
        need("a figure for a paper", PRINTS)
    except UsageError as missing:
        st.html(el("p", f"On this machine {missing}", cls="fv-counts"))
        return
    paper = _paper()
    try:
        files = _files(chart, figure_json(chart), paper)
    except FairvizError as error:
        error_box(as_input_error(error))
        return
    options = [f"--chart {shlex.quote(f'{stem}.pdf')}", f"--width {paper.width:g}", f"--points {paper.points:g}"]
    options += ["--greyscale"] if paper.greyscale else []
    made = PrintedFigure(
        stem=stem,
        caption=caption,
        command=command(options) if command else "",
        svg=files["svg"],
        pdf=files["pdf"],
        fingerprint=dataset().fingerprint,
    )
    across = paper.width * PIXELS
    st.image(made.svg.decode(), width=round(min(across, WIDEST)))
    size = "True size on paper" if across <= WIDEST else "Smaller than on the slide"
    st.html(el("p", f"{size} · smallest text {paper.points:g} pt · always light", cls="fv-counts"))
    with st.container(horizontal=True, gap="small"):
        for kind, content in files.items():
            key = f"{stem}-figure-{kind}"
            download(kind.upper(), content, file_name=f"{stem}.{kind}", mime=MIMES[kind], key=key, kind="secondary")
        key = f"{stem}-figure-pin"
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
    if made.command:
        st.caption("The command that draws it")
        st.code(made.command, language="bash", wrap_lines=True)


def _paper() -> Paper:
    """The choices above the preview."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        width = st.segmented_control(
            "Width", list(WIDTHS), default=COLUMN, format_func=WIDTHS.__getitem__, required=True
        )
        width = width or COLUMN
        sizes = SIZES[width]
        points = st.segmented_control(
            "Text", sizes, default=sizes[1], format_func="{:g} pt".format, required=True, key=f"figure-text-{width:g}"
        )
        colour = st.segmented_control("Colour", COLOURS, default=COLOURS[0], required=True)
    return Paper(width, points or sizes[1], colour == COLOURS[1])


@st.cache_data(max_entries=32, show_spinner="Drawing the figure …")
def _files(_chart: Figure, content: str, paper: Paper) -> dict[Kind, bytes]:
    """The figure in each kind of file; its content is what the cache knows it by."""
    return dict(zip(KINDS, printed(_chart, *KINDS, **paper._asdict()), strict=True))
