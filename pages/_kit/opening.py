"""What a fresh session begins with: files that the dashboard was started with; and whether they are still the same."""

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from fairviz.cli.app import OPENED
from fairviz.display.words import listing, plural
from fairviz.errors import OutputError
from fairviz.io.manifest import DataPath, Stamps, changed, from_text, recognised, stamps
from fairviz.io.workspace import KeptFile, Workspace
from fairviz.model import Dataset, Note
from pages._kit import callout, keeping, uploads
from pages._kit.html import el
from pages._kit.keeping import restore_pins
from pages._kit.session import SIGNED, example, is_example, recorded_example, set_dataset, whole_dataset, wrote
from pages._kit.settings import restore_settings

if TYPE_CHECKING:
    from fairviz.reporting.study_file import Study

BEGUN, READ_AT, FROM_BEFORE = "begun", "read_at", "from_before"
LOOK = 2.0
"""Seconds between two looks at files of the disk."""
NAMED = 3
"""Files that a notice names before it counts."""
ALONE = "is a saved study with data and settings of its own: open it alone"
"""What is said of a study file among the data of a folder."""


def given() -> tuple[DataPath, ...]:
    """Files and folders that the command named."""
    return from_text(os.environ.get(OPENED, ""))


def begin() -> None:
    """Open the files, or what is kept, in a fresh session; call it before anything else looks at the data."""
    if BEGUN in st.session_state:
        return
    st.session_state[BEGUN] = True
    if "dataset" in st.session_state:
        return
    if given():
        load()
        _forget_own_mark()
    elif (place := keeping.workspace()) is not None:
        restore(place)
        if not is_example() and _asks_for_shipped():
            uploads.forget()
            set_dataset(None)
        elif not is_example() and not _forget_own_mark():
            day = datetime.fromtimestamp(max(place.stamps(), default=(0, 0))[0] / 1e9).astimezone()
            n = plural(len(uploads.accepted()), "file")
            st.session_state[FROM_BEFORE] = f"Opened what you had on {day.day} {day:%B}: {n}."


def _forget_own_mark() -> bool:
    """Whether this browser wrote the address: it was reloaded, and its settings are for the files as they are now."""
    own = wrote(st.query_params.get(SIGNED, ""), st.query_params.get("data", ""))
    if own:
        del st.query_params["data"]
    return own


def _asks_for_shipped() -> bool:
    """Whether the address is of data that come with fairviz: what is kept then waits on Data."""
    asked = st.query_params.get("data", "")
    if asked == "" or whole_dataset().fingerprint.startswith(asked):
        return False
    return any(one.fingerprint.startswith(asked) for one in (example(), recorded_example()))


def restore(place: Workspace) -> None:
    """Work on what is kept."""
    try:
        if files := place.files():
            name = keeping.kept_name(uploads.NAME)
            uploads.adopt(read_kept(place.folder, tuple(files), name, place.stamps()), shared=True)
        restore_settings(keeping.kept_settings())
        restore_pins(keeping.kept_pins())
        if keeping.kept_study() is not None:
            from pages._kit.study import restore_opened  # reports and bundles: where there is one

            restore_opened()
    except OutputError as error:
        st.session_state[keeping.FAILED] = error


@st.cache_resource(max_entries=1, show_spinner="Reading what is kept …")
def read_kept(
    folder: Path, files: tuple[KeptFile, ...], name: str, stamps: tuple[tuple[int, int], ...]
) -> uploads.Opened:
    """The kept files, read once for all sessions as long as they stay what they are; a damaged one is refused."""
    del stamps  # they are of the key
    place = Workspace(folder)
    reasons = {file: place.why_not(file) for file in files}
    refused = [uploads.refused_kept(file, reason) for file, reason in reasons.items() if reason]
    whole = [file for file, reason in reasons.items() if not reason]
    found = uploads.opened(((file.name, place.path(file.digest), keeping.options_of(file)) for file in whole), name)
    return found._replace(refused=[*refused, *found.refused])


def load() -> None:
    """Work on the files as they are now, all of them read anew if one has changed."""
    now = stamps(given())
    st.session_state[READ_AT] = now
    found, saved = _read(now)
    uploads.adopt(found, shared=True)
    if saved is not None:
        from pages._kit.study import take_up  # likewise

        take_up(saved, found.dataset)


@st.cache_resource(max_entries=1, show_spinner="Reading the files …")
def _read(now: Stamps) -> "tuple[uploads.Opened, Study | None]":
    """The files, or the study that is one, read once for all sessions as long as they stay what they are."""
    from fairviz.reporting.study_file import alone  # likewise
    from pages._kit.study import read_saved

    del now  # it is the key
    try:
        if (source := alone(given())) is not None:
            return read_saved(source)
    except Exception as error:  # it was whole when the dashboard was started
        return uploads.Opened(Dataset(name=uploads.NAME), {}, [uploads.refusal(given()[0].path, error)]), None
    return _read_files(), None


def _read_files() -> uploads.Opened:
    from fairviz.reporting.study_file import studies_in  # likewise

    files, left_out = recognised(given())
    folder = given()[0].path
    name = folder.name if len(given()) == 1 and folder.is_dir() else uploads.NAME
    found = uploads.opened(((file.path.name, file.path, file.options) for file in files), name)
    studies = studies_in(left_out)
    notes = tuple(
        Note(path.name, None, ALONE if path in studies else "is not recognised and was left out") for path in left_out
    )
    return found._replace(dataset=replace(found.dataset, notes=(*found.dataset.notes, *notes)))


def say_changed() -> None:
    """A line where files of the disk are no longer what was read, with a button that reads them again."""
    if READ_AT in st.session_state:
        st.fragment(_look, run_every=LOOK)()
    elif differs_from_kept():
        _say("Another tab changed which files are kept", "This one goes on with its own.", open_kept)
    elif FROM_BEFORE in st.session_state:
        # Files of an earlier session, until a person goes on with them or without.
        line = el("p", el("strong", st.session_state[FROM_BEFORE]), " Files that you add join them.")
        with st.container(key="from_before"):
            st.html(el("div", line, cls="fv-callout fv-calm", role="note"))
            with st.container(horizontal=True):
                st.button("Go on", type="tertiary", on_click=_go_on)
                drops = "Drops the copies that are kept here; your own files stay where they are."
                anew = {"help": drops, "on_click": _go_on, "kwargs": {"anew": True}}
                st.button("Start anew", icon=":material/restart_alt:", type="tertiary", **anew)


def _go_on(*, anew: bool = False) -> None:
    st.session_state.pop(FROM_BEFORE, None)
    if anew:
        uploads.reset()


def differs_from_kept() -> bool:
    """Whether a session that works on files of its own has others than are kept."""
    own = {name: file.digest for name, file in uploads.accepted().items() if file.source.path is not None}
    if not own or keeping.workspace() is None:
        return False
    kept = {file.name: file.digest for file in keeping.kept_files()}
    unread = {file.name for file in uploads.refused()}
    return bool(own.items() - kept.items() or kept.keys() - own.keys() - unread)


def open_kept() -> None:
    """Work on what is kept now instead of what is loaded."""
    place = keeping.workspace()
    if place is not None:
        uploads.forget()
        set_dataset(None)
        restore(place)


def _look() -> None:
    names = changed(st.session_state[READ_AT], stamps(given()))
    if not names:
        return
    title = f"{listing(names, most=NAMED)} changed on the disk"
    text = "What you see is of the files as they were read before; all of them are read again together."
    _say(title, text, load)


def _say(title: str, text: str, again: Callable[[], None]) -> None:
    with st.container(key="changed"):
        callout(title, text, role="alert")
        if st.button("Load again", icon=":material/refresh:", type="tertiary"):
            again()
            st.rerun()
