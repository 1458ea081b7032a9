"""Buttons that hand out files or pin tables: written when one is pressed; where that fails, why stands beside it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import streamlit as st
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from fairviz.display.bundle import PinnedTable
from fairviz.errors import InputError
from pages._kit.faults import as_input_error, error_box
from pages._kit.html import el
from pages._kit.keeping import address, pin, pinned_tables, unpin
from pages._kit.session import dataset

Content: TypeAlias = str | bytes
Failures: TypeAlias = dict[str, InputError]


def download(
    label: str,
    content: Content | Callable[[], Content],
    *,
    file_name: str,
    key: str,
    mime: str | None = None,
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
        file_name: What the file is called.
        key: Key of the button.
        mime: Type of the content; found out where it is not said.
        icon: What stands before the label.
        kind: How much the button stands out.
        help: What is said of the file where somebody points at the button.
        notes: Where the function leaves what the page says of the file; the page is shown again if there is any.
    """
    failures: Failures = st.session_state.setdefault("failed_downloads", {})
    st.download_button(
        label,
        _telling(content, key, failures, notes) if callable(content) else content,
        file_name=file_name,
        mime=mime,
        icon=icon,
        type=kind,
        on_click="ignore",
        key=key,
        help=help,
    )
    if error := failures.pop(key, None):
        error_box(InputError(f"{file_name} could not be written: {error}", fix=error.fix))


def download_row(
    stem: str,
    title: str,
    *,
    frame_csv: str | Callable[[], str] | None = None,
    latex: str | Callable[[], str] | None = None,
    html: str | Callable[[], str] | None = None,
    commands: Callable[[], Mapping[str, str]] | None = None,
    source: str = "",
) -> None:
    """Buttons that hand out what is shown, and pin its table; functions are called only when a button is pressed.

    Args:
        stem: Name of the files.
        title: What they hold, before the buttons.
        frame_csv: The table as CSV.
        latex: The same for papers.
        html: The page to be kept.
        commands: What prints the files "csv" and "tex" from the data.
        source: The paper, of its own tables: nothing computes them.

    Raises:
        ValueError: There is a table, and neither commands nor a paper.
    """
    kinds = (
        ("CSV", frame_csv, "csv", "text/csv"),
        ("LaTeX", latex, "tex", "application/x-tex"),
        ("HTML", html, "html", "text/html"),
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(el("p", title, cls="fv-counts"), width="content")
        for label, content, suffix, mime in kinds:
            if content is not None:
                download(label, content, file_name=f"{stem}.{suffix}", mime=mime, key=f"{stem}-{suffix}")
        if frame_csv is not None or latex is not None:
            if commands is None and not source:
                raise ValueError(f"{stem}: say which commands print it, or which paper printed it")
            _pin_button(stem, frame_csv, latex, commands, source)


def _pin_button(
    stem: str,
    frame_csv: str | Callable[[], str] | None,
    latex: str | Callable[[], str] | None,
    commands: Callable[[], Mapping[str, str]] | None,
    source: str,
) -> None:
    """Keeps the table for the bundle of Export, or forgets it."""
    key = f"{stem}-pin"
    failures: Failures = st.session_state.setdefault("failed_downloads", {})

    def keep() -> None:
        try:
            csv, tex = (text() if callable(text) else text or "" for text in (frame_csv, latex))
            said = commands() if commands else {}
            unsaid = [ending for ending, text in (("csv", csv), ("tex", tex)) if text and ending not in said]
            if unsaid and not source:
                raise ValueError(f"no command prints {stem}.{unsaid[0]}")
        except Exception as error:  # whatever it is, the page stands
            failures[key] = as_input_error(error)
            return
        pin(PinnedTable(stem, csv, tex, address(), dataset().fingerprint, tuple(said.items()), source))

    same = [table for table in pinned_tables() if table.stem == stem]
    printing = tuple(commands().items()) if commands and same else ()
    here = next((table for table in same if table.commands == printing), None)  # other settings are another table
    if here is not None:
        st.button("Unpin", icon=":material/keep_off:", type="tertiary", key=key, on_click=unpin, args=(here,))
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
        app.request_rerun(app._client_state)  # it has no public name, and without it controls lose their values
