"""Buttons that hand out files or pin tables, and the drawer that prints a chart; what went wrong, in words.

A file is written when its button is pressed; where that fails, why stands beside it. Behind "Figure…" are a chart at
the size of a paper, its caption, the command that draws it, and its pin, which Export puts into the bundle.
"""

import logging
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import streamlit as st
from plotly.graph_objects import Figure
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from fairviz.display.bundle import PinnedTable
from fairviz.display.paper import COLUMN, PAGE, POINTS, SLIDE, Kind, PrintedFigure, printed
from fairviz.display.theme import figure_json
from fairviz.display.words import plural
from fairviz.errors import FairvizError, InputError, UsageError
from fairviz.extras import PRINTS, need
from fairviz.resources import content
from pages._kit.html import el
from pages._kit.keeping import address, pin, pinned_figures, pinned_tables, unpin
from pages._kit.session import dataset

# What went wrong: of an input, or of fairviz itself.


def as_input_error(error: Exception) -> InputError:
    """Any failure as one that can be shown: the reason of an error on purpose, else how to report a fault of ours.

    It is a new one, without the traceback of the first: that holds all that the code had at hand, whole files too.
    """
    match error:
        case InputError():
            return InputError(error.reason, file=error.file, line=error.line, fix=error.fix, row=error.row)
        case FairvizError():
            return InputError(str(error))
        case MemoryError():
            return InputError("the server's memory ended", fix="Give it in parts, or try again when fewer work here.")
        case _:
            logging.getLogger(__name__).error("A fault in fairviz", exc_info=error)
            reason = f"this is a fault in fairviz, not in your data: {type(error).__name__}: {error}"
            return InputError(reason, fix="Please report it, with these words and what led to them.")


def error_box(error: InputError, lines: Mapping[int, str] | None = None) -> None:
    """``FILE, line N: reason``, the line between its neighbours, and how to mend it.

    Args:
        error: What a reader of files raised.
        lines: Texts of the lines or rows around the fault, by their numbers.
    """
    location = error.file if error.line is None else f"{error.file}, line {error.line}"
    head = f"{location}: {error.reason}" if location else error.reason
    fix = el("p", el("strong", "To fix: "), error.fix) if error.fix else None
    shown = (
        el(
            "div",
            el("span", str(n), cls="fv-line"),
            el("span", text),
            cls="fv-bad" if n in (error.line, error.row) else "",
        )
        for n, text in (lines or {}).items()
    )
    label = "The lines around the fault"
    source = el("div", *shown, cls="fv-source", tabindex=0, role="group", aria_label=label) if lines else None
    st.html(el("div", el("p", el("strong", head)), source, fix, cls="fv-callout", role="alert"))


# Files.


Content: TypeAlias = str | bytes
Failures: TypeAlias = dict[str, InputError]


def download(
    label: str,
    content: Content | Callable[[], Content],
    file_name: str,
    *,
    key: str = "",
    icon: str = ":material/download:",
    kind: Literal["primary", "secondary", "tertiary"] = "tertiary",
    help: str | None = None,
    notes: Sequence[str] = (),
) -> None:
    """A button that hands out a file.

    Args:
        label: What stands on it.
        content: What is in the file, or a function that is called when the button is pressed, outside of the page's
            run: it may raise, and the page then says why.
        file_name: What the file is called; its ending says what it holds.
        key: Key of the button; the file's name with hyphens unless given, which is needed where names follow the data.
        icon: What stands before the label.
        kind: How much the button stands out.
        help: What is said of the file where somebody points at the button.
        notes: Where the function leaves what the page says of the file; the page is shown again if there is any.
    """
    failures: Failures = st.session_state.setdefault("failed_downloads", {})
    key = key or file_name.replace(".", "-")
    st.download_button(
        label,
        _telling(content, key, failures, notes) if callable(content) else content,
        file_name=file_name,
        icon=icon,
        type=kind,
        on_click="ignore",
        key=key,
        help=help,
    )
    if error := failures.pop(key, None):
        error_box(InputError(f"{file_name} could not be written: {error}", fix=error.fix))


LABELS = {"csv": "CSV", "tex": "LaTeX", "html": "HTML"}
"""What stands on the buttons of files, by their endings."""


def download_row(
    stem: str,
    title: str,
    files: Mapping[str, Callable[[], str]],
    *,
    commands: Callable[[], Mapping[str, str]] = dict,
    source: str = "",
) -> None:
    """Buttons that hand out what is shown, and pin its table; functions are called only when a button is pressed.

    Args:
        stem: Name of the files.
        title: What they hold, before the buttons.
        files: What is in each, by its ending: of the table ``csv`` and ``tex``, the page to be kept ``html``.
        commands: What prints the files of the table from the data, by their endings.
        source: The paper, of its own tables: nothing computes them.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(el("p", title, cls="fv-counts fv-files"), width="content")
        for ending, content in files.items():
            download(LABELS[ending], content, f"{stem}.{ending}")
        if table := {ending: content for ending, content in files.items() if ending != "html"}:
            _pin_button(stem, table, commands, source)


def _pin_button(
    stem: str, files: Mapping[str, Callable[[], str]], commands: Callable[[], Mapping[str, str]], source: str
) -> None:
    """Keeps the table for the bundle of Export, or forgets it."""
    key = f"{stem}-pin"
    failures: Failures = st.session_state.setdefault("failed_downloads", {})

    def keep() -> None:
        try:
            texts = {ending: text() for ending, text in files.items()}
            printing = tuple(commands().items())
        except Exception as error:  # whatever it is, the page stands
            failures[key] = as_input_error(error)
            return
        csv, tex = texts.get("csv", ""), texts.get("tex", "")
        pin(PinnedTable(stem, csv, tex, address(), dataset().fingerprint, printing, source))

    same = [table for table in pinned_tables() if table.stem == stem]
    printing = tuple(commands().items()) if same else ()
    pinned = next((table for table in same if table.commands == printing), None)  # other settings are another table
    if pinned is not None:
        st.button("Unpin", icon=":material/keep_off:", type="tertiary", key=key, on_click=unpin, args=(pinned,))
    else:
        words = "Export puts the table into its bundle, as CSV and LaTeX"
        st.button("Pin", icon=":material/keep:", type="tertiary", key=key, on_click=keep, help=words)
    if error := failures.pop(key, None):
        error_box(InputError(f"{stem} could not be pinned: {error}", fix=error.fix))


def _telling(
    content: Callable[[], Content], key: str, failures: Failures, notes: Sequence[str] = ()
) -> Callable[[], Content]:
    """The function, which where it fails leaves the reason to the page and has the page shown again."""
    context = get_script_run_ctx()
    session = context.session_id if context else ""

    def written() -> Content:
        try:
            made = content()
        except Exception as error:
            failures[key] = as_input_error(error)
            _show_again(session)
            raise
        if notes:
            _show_again(session)
        return made

    return written


def _show_again(session: str) -> None:
    """Run the session's page as it stands; Streamlit does so when a file of an app has changed."""
    app = Runtime.instance().get_app_session(session)
    if app is not None:
        app.request_rerun(app._client_state)  # noqa: SLF001 - it has no public name, and without it controls lose their values


def brief_part(kind: str, write: Callable[[Mapping[str, str]], str], file_name: str, **usual: str) -> None:
    """Who decides and why, then the button of the brief, which is written when it is pressed.

    Args:
        kind: Whose fields, of ``content/briefs.yaml``.
        write: Writes it with the texts of its fields by name.
        file_name: What the file is called.
        **usual: What stands in a field at first.
    """
    with st.popover("Who decides, and why", icon=":material/edit_note:"):
        decided = {
            name: st.text_input(
                field["label"],
                usual.get(name, ""),
                key=f"{kind}_brief_{name}_{usual.get(name, '')}",
                placeholder=field["hint"],
                max_chars=240,
            )
            for name, field in content("briefs")[kind].items()
        }
    download("One-page brief", lambda: write(decided), file_name, icon=":material/description:", kind="primary")


# The drawer of a chart.


WIDTHS = {COLUMN: "84 mm, a column", PAGE: "174 mm, a page", SLIDE: "254 mm, a slide"}
SIZES = {COLUMN: (7.0, POINTS, 9.0), PAGE: (7.0, POINTS, 9.0), SLIDE: (12.0, 14.0, 18.0)}
"""Points of the text on a paper of each width, the usual ones in the middle."""
COLOURS = ("colour", "greyscale-safe")
KINDS: tuple[Kind, ...] = ("svg", "pdf", "png")
PIXELS = 96 / 25.4
"""Of a millimetre, as browsers count."""
WIDEST = 669
"""Of the preview, px: a slide is shown smaller."""

Command = Callable[[Sequence[str]], str]
"""The command that draws a chart from the data, with the options of its figure."""


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
    width, points, greyscale = _paper()
    try:
        files = _files(chart, figure_json(chart), width, points, greyscale)
    except FairvizError as error:
        error_box(as_input_error(error))
        return
    options = [f"--chart {shlex.quote(f'{stem}.pdf')}", f"--width {width:g}", f"--points {points:g}"]
    options += ["--greyscale"] if greyscale else []
    made = PrintedFigure(
        stem=stem,
        caption=caption,
        command=command(options) if command else "",
        svg=files["svg"],
        pdf=files["pdf"],
        fingerprint=dataset().fingerprint,
    )
    across = width * PIXELS
    st.image(made.svg.decode(), width=round(min(across, WIDEST)))
    size = "True size on paper" if across <= WIDEST else "Smaller than on the slide"
    st.html(el("p", f"{size} · smallest text {points:g} pt · always light", cls="fv-counts"))
    with st.container(horizontal=True, gap="small"):
        for kind, content in files.items():
            download(kind.upper(), content, f"{stem}.{kind}", key=f"{stem}-figure-{kind}", kind="secondary")
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


def _paper() -> tuple[float, float, bool]:
    """What is chosen above the preview: mm, points of the smallest text, and whether greys stand for colours."""
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
    return width, points or sizes[1], colour == COLOURS[1]


@st.cache_data(max_entries=32, show_spinner="Drawing the figure …")
def _files(_chart: Figure, content: str, width: float, points: float, greyscale: bool) -> dict[Kind, bytes]:
    """The figure in each kind of file; its content is what the cache knows it by."""
    return dict(zip(KINDS, printed(_chart, *KINDS, width=width, points=points, greyscale=greyscale), strict=True))
