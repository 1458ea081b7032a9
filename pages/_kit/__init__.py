"""The page grammar: kicker, finding, grey sentence, sections, read-outs, charts, downloads, errors.

Text of people (run names, documents, answers) goes through
:func:`user_text`, widgets, or the HTML builder, never through Markdown: a Markdown image is
fetched from wherever it points to.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, TypeVar

import streamlit as st
from plotly.graph_objects import Figure
from streamlit.delta_generator import DeltaGenerator

from fairviz.display.markup import written
from fairviz.display.theme import LIGHT, Palette, ThemeName, chart_config, palette
from fairviz.resources import CONTENT, content
from pages import TITLES
from pages._kit.downloads import figure_drawer
from pages._kit.html import Html, Tone, el, escaped, join
from pages._kit.session import dataset


def theme() -> ThemeName:
    """The theme that the browser shows; light where it is not known."""
    return "dark" if st.context.theme.type == "dark" else "light"


def colours() -> Palette:
    """The figures' palette for the theme that the browser shows."""
    return palette(theme())


def kicker(text: str) -> None:
    """Small capitals above a title: page · data · k."""
    st.html(el("p", text, cls="fv-kicker"))


def header(kick: str, title: str, sentence: str, *, how: str = "", wide: bool = False) -> None:
    """Head of a page: kicker, today's finding as H1, one grey sentence, "How to read".

    Where the title needs results of controls below it, make ``top = st.container()`` first and
    call this ``with top:``.

    Args:
        kick: Page · data · k.
        title: The finding, computed; it is for the data and does not move with α.
        sentence: Data, n, what was scored.
        how: What stands in the popover, a text of ``fairviz/content/how_to_read`` by its name.
        wide: Leave no more room beside the title than the popover needs.
    """
    left, right = st.columns([17, 3] if wide else [7, 3], gap="medium")
    left.html(heading(kick, title, sentence))
    if how:
        with right:
            how_to_read(how)


def page_head(page: str, *, subject: str = "", wide: bool = False) -> Callable[..., None]:
    """The place at the top of a page, and the function that writes its head there, once the controls below are read.

    Args:
        page: Its script: the kicker has its title, "How to read" its text.
        subject: What is looked at; the loaded data unless given.
        wide: Leave no more room beside the title than the popover needs.

    Returns:
        A function of the finding, the grey sentence, and facts for the kicker, of which empty ones are left out.
    """
    top = st.container()

    def write(title: str, sentence: str = "", *facts: str) -> None:
        kick = " · ".join(filter(None, (TITLES[page], subject or dataset().name, *facts)))
        with top:
            header(kick, title, sentence, how=page, wide=wide)

    return write


def control_row() -> tuple[DeltaGenerator, DeltaGenerator]:
    """A row for the few controls of a page, and the popover behind them that holds all others."""
    whole = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    row = whole.container(horizontal=True, vertical_alignment="bottom", gap="medium", width="content")
    return row, whole.popover("Options", icon=":material/tune:", width="content")


def heading(kick: str, title: str, sentence: str) -> Html:
    """Kicker, finding and grey sentence as markup, for a head that is written more than once in a run."""
    return join(el("p", kick, cls="fv-kicker"), el("h1", title, cls="fv-title"), el("p", sentence, cls="fv-lead"))


def how_to_read(page: str) -> None:
    """Popover with the formula and how to look at the chart: Markdown of ``fairviz/content/how_to_read``."""
    with (
        st.container(horizontal=True, horizontal_alignment="right"),
        st.popover("How to read", icon=":material/help:", type="tertiary"),
    ):
        st.markdown((CONTENT / "how_to_read" / f"{page}.md").read_text(encoding="utf-8"))


T = TypeVar("T")
MOMENT = 0.5
"""Seconds of computing from which a person is told how far it is."""


def step_by_step(
    steps: Sequence[tuple[str, Callable[[], object]]],
    draw: Callable[[int], Figure | None] | None = None,
    *,
    container: DeltaGenerator | None = None,
    key: str = "",
) -> None:
    """Do one step after the other; once that takes a moment, say how far it is, and draw what there is.

    The chart is drawn again whenever all has taken twice as long: a drawing takes as long as a step. What is
    remembered takes no time: then nothing is said.

    Args:
        steps: What each one computes, in words, and the function that does and remembers it.
        draw: The chart after so many steps; None where there is none yet.
        container: The container of the chart, where what is drawn of all steps comes afterwards.
        key: Of the chart.
    """
    start, bar, chart, due = time.monotonic(), st.empty(), container, MOMENT
    for n, (_, step) in enumerate(steps, start=1):
        step()
        seconds = time.monotonic() - start
        if n == len(steps) or seconds < MOMENT:
            continue
        bar.progress(n / len(steps), f"{steps[n][0]} … ({n} of {len(steps)} done)")
        if seconds >= due and draw is not None and chart is not None and (figure := draw(n)) is not None:
            chart = chart.plotly_chart(figure, theme=None, key=f"{key}-after-{n}", config=chart_config(key))
            due = max(2 * due, seconds)
    bar.empty()
    if chart is not None and chart is not container:
        chart.empty()


def section(title: str, subtitle: str = "") -> None:
    """Head of a section: its finding as a sentence, then unit, encoding, interval, test."""
    st.html(join(el("h2", title, cls="fv-section"), el("p", subtitle, cls="fv-sub") if subtitle else None))


def in_rows(parts: Sequence[T], n: int, *, gap: Literal["small", "medium", "large"] = "medium") -> Iterator[T]:
    """Parts beside each other, n to a row: what is shown of each stands in a column of its own, below it on a phone."""
    for start in range(0, len(parts), n):
        for column, part in zip(st.columns(n, gap=gap), parts[start : start + n], strict=False):
            with column:
                yield part


def rule() -> None:
    """A hairline between parts of a page."""
    st.html(el("hr", cls="fv-rule"))


def readouts(values: Sequence[tuple[str, str, Tone]]) -> None:
    """The ruled strip that moves with the controls: value above label, in the tone's colour."""
    pairs = (
        el("div", el("dt", label), el("dd", value, cls=f"fv-tone-{tone}" if tone else ""))
        for value, label, tone in values
    )
    st.html(el("dl", *pairs, cls="fv-readouts"))


def counts_line(text: str) -> None:
    """The line under every chart: n, undefined, what was left out."""
    st.html(el("p", text, cls="fv-counts"))


def user_text(text: str) -> None:
    """Text of people, exactly as it is: no Markdown, no markup, nothing fetched."""
    st.html(el("p", text, cls="fv-text"))


def show_figure(
    figure: Figure,
    key: str,
    alt: str,
    *,
    on_select: Callable[[], None] | Literal["ignore", "rerun"] = "ignore",
    brush: bool = False,
) -> Any:
    """Show a chart with its own SVG download; returns the selection where one is asked for.

    Args:
        figure: A figure of the library, in the palette of :func:`colours`.
        key: Key of the element, also the name of the downloaded file.
        alt: What a person who does not see the chart should know of it.
        on_select: "rerun" or a callback to make points selectable.
        brush: Whether several can be selected at once, with a frame or a lasso.
    """
    return st.plotly_chart(
        figure,
        theme=None,
        key=key,
        alt=alt,
        config=chart_config(f"fairviz-{key}", brush=brush),
        on_select=on_select,
        selection_mode=("points", "box", "lasso") if brush else "points",
    )


def show_chart(
    draw: Callable[..., Figure],
    key: str,
    alt: str,
    *,
    on_select: Callable[[], None] | Literal["ignore", "rerun"] = "ignore",
    brush: bool = False,
) -> Any:
    """Show a chart with its download and the drawer that prints it; returns the selection where one is asked for.

    Args:
        draw: Draws it in the palette ``colours``: that of the page, and the light one on paper.
        key: Key of the element, also the name of its files.
        alt: What a person who does not see the chart should know of it; the caption of the printed figure.
        on_select: "rerun" or a callback to make points selectable.
        brush: Whether several can be selected at once.
    """
    selection = show_figure(draw(colours=colours()), key, alt, on_select=on_select, brush=brush)
    figure_drawer(partial(draw, colours=LIGHT), f"fairviz-{key}", caption=alt)
    return selection


@contextmanager
def at_least(width: int, key: str) -> Generator[None]:
    """A part that keeps a width in px: a narrower screen scrolls it sideways.

    Args:
        width: Under which its numbers would touch.
        key: Of its container: ``panels``, or ``heatmap-…``, see ``dashboard.css``.
    """
    st.html(f"<style>.st-key-{key} > * {{ min-width: {width}px; }}</style>")
    with st.container(key=key):
        yield


def callout(title: str, text: str = "", *, calm: bool = False, role: str = "note") -> None:
    """A boxed caveat (orange) or hint (blue, ``calm``) of plain text; read out at once where its role is "alert"."""
    box = f"fv-callout{' fv-calm' if calm else ''}"
    st.html(el("div", el("p", el("strong", title)), el("p", text) if text else None, cls=box, role=role))


def empty_state(title: str, text: str, *, link: str = "Load files") -> None:
    """What a page shows when the data has nothing for it: what is missing and where to get it."""
    st.html(el("div", el("h2", title, cls="fv-section"), el("p", text), cls="fv-empty"))
    st.page_link("pages/data.py", label=link, icon=":material/arrow_forward:")


def without_data(page: str, *, subject: str = "", **values: str) -> None:
    """A page that has nothing to work on: what it is for, what is missing, what to load.

    Args:
        page: Its script, by which ``content/without_data.yaml`` has its words.
        subject: What is looked at; the loaded data unless given.
        **values: What names in the words stand for.
    """
    subject = subject or dataset().name
    words = {name: written(text, data=subject, **values) for name, text in content("without_data")[page].items()}
    page_head(page, subject=subject)(words["title"], words["sentence"])
    empty_state(words["lacks"], words["load"])


@contextmanager
def fold(name: str, finding: str, *, key: str) -> Generator[bool]:
    """A row that says what was found, which opens into the details. Yields whether it is open.

    Args:
        name: What the row is about, in words of ours.
        finding: What was found, plain text, which may hold names of people.
        key: Of the fold, also in the address.
    """
    label = f"**{name}**\u2002{escaped(finding)}"
    if key in st.session_state:  # an expander is known by its label, too: another finding would close it
        st.session_state[key] = bool(st.session_state[key])
    with st.expander(label, key=key, on_change="rerun", bind="query-params") as details:
        yield bool(details.open)
