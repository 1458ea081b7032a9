"""What a fresh session begins with: files that the dashboard was started with or that are kept, and settings of pages.

A page's own settings are in its address; what it was is remembered when the page is left. What follows from page to
page, what is drawn, targets and pairs are in the session's memory.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import numpy as np
import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from fairviz.cli.app import OPENED
from fairviz.display.words import listing, plural
from fairviz.errors import InputError, OutputError
from fairviz.io.archive import unpacked_size
from fairviz.io.dataset import recognised
from fairviz.io.manifest import DataPath, Stamps, changed, from_text, stamps
from fairviz.io.source import Source
from fairviz.io.workspace import KeptFile, Workspace
from fairviz.kernels.grouping import UNLABELLED
from fairviz.model import Dataset, Note
from pages._kit import callout, keeping, uploads
from pages._kit.controls import choose_settings, chosen_settings
from pages._kit.html import el
from pages._kit.keeping import keep_settings, pin, restore_pins, unpin_all, workspace
from pages._kit.link import FED, begin_with_address
from pages._kit.session import (
    PAIRS,
    SIGNED,
    example,
    is_example,
    recorded_example,
    set_dataset,
    stated_pairs,
    whole_dataset,
    wrote,
)
from pages._kit.target import Edited, groups_of, session_key

if TYPE_CHECKING:
    from fairviz.reporting.study_file import (  # pydantic takes as long to load as NumPy
        PageSettings,
        StudyContents,
        TargetSetting,
    )


BEGUN, READ_AT, FROM_BEFORE, STUDY = "begun", "read_at", "from_before", "opened_study_file"
LOOK = 2.0
"""Seconds between two looks at files of the disk."""
NAMED = 3
"""Files that a notice names before it counts."""
ALONE = "is a saved study with data and settings of its own: open it alone"
"""What is said of a study file among the data of a folder."""


def named_paths() -> tuple[DataPath, ...]:
    """Files and folders that the command named."""
    return from_text(os.environ.get(OPENED, ""))


def begin() -> None:
    """Open the files, or what is kept, in a fresh session; call it before anything else looks at the data."""
    if BEGUN in st.session_state:
        return
    st.session_state[BEGUN] = True
    if "dataset" in st.session_state:
        return
    if named_paths():
        load()
        _forget_own_mark()
    elif (store := keeping.workspace()) is not None:
        restore(store)
        if not is_example() and _asks_for_shipped():
            uploads.forget()
            set_dataset(None)
        elif not is_example() and not _forget_own_mark():
            day = datetime.fromtimestamp(max(store.stamps(), default=(0, 0))[0] / 1e9).astimezone()
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
    mark = st.query_params.get("data", "")
    if mark == "" or whole_dataset().fingerprint.startswith(mark):
        return False
    return any(shipped.fingerprint.startswith(mark) for shipped in (example(), recorded_example()))


def restore(store: Workspace) -> None:
    """Work on what is kept."""
    try:
        if files := store.files():
            name = store.values(keeping.NAME).get("") or uploads.NAME
            uploads.adopt(read_kept(store.folder, tuple(files), name, store.stamps()), shared=True)
        restore_settings(keeping.kept_settings())
        restore_pins(keeping.kept_pins())
        restore_opened()
    except OutputError as error:
        st.session_state[keeping.FAILED] = error


@st.cache_resource(max_entries=1, show_spinner="Reading what is kept …")
def read_kept(
    folder: Path, files: tuple[KeptFile, ...], name: str, stamps: tuple[tuple[int, int], ...]
) -> uploads.Opened:
    """The kept files, read once for all sessions as long as they stay what they are; a damaged one is refused."""
    del stamps  # they are of the key
    store = Workspace(folder)
    reasons = {file: store.why_not(file) for file in files}
    refused = [uploads.refused_kept(file, reason) for file, reason in reasons.items() if reason]
    whole = [file for file, reason in reasons.items() if not reason]
    opened_files = uploads.opened(
        ((file.name, store.path(file.digest), keeping.options_of(file)) for file in whole), name
    )
    return opened_files._replace(refused=[*refused, *opened_files.refused])


def load() -> None:
    """Work on the files as they are now, all of them read anew if one has changed."""
    now = stamps(named_paths())
    st.session_state[READ_AT] = now
    opened_files, saved = _read(now)
    uploads.adopt(opened_files, shared=True)
    if saved is not None:
        take_up(saved, opened_files.dataset)


@st.cache_resource(max_entries=1, show_spinner="Reading the files …")
def _read(now: Stamps) -> "tuple[uploads.Opened, StudyContents | None]":
    """The files, or the study that is one, read once for all sessions as long as they stay what they are."""
    from fairviz.reporting.study_file import alone  # a study file is seldom opened

    del now  # it is the key
    try:
        if (source := alone(named_paths())) is not None:
            return read_saved(source)
    except Exception as error:  # it was whole when the dashboard was started
        return uploads.Opened(Dataset(name=uploads.NAME), {}, [uploads.refusal(named_paths()[0].path, error)]), None
    return _read_files(), None


def _read_files() -> uploads.Opened:
    from fairviz.reporting.study_file import studies_in  # a study file is seldom opened

    files, left_out = recognised(named_paths())
    folder = named_paths()[0].path
    name = folder.name if len(named_paths()) == 1 and folder.is_dir() else uploads.NAME
    opened_files = uploads.opened(((file.path.name, file.path, file.options) for file in files), name)
    studies = studies_in(left_out)
    notes = tuple(
        Note(path.name, None, ALONE if path in studies else "is not recognised and was left out") for path in left_out
    )
    return opened_files._replace(dataset=replace(opened_files.dataset, notes=(*opened_files.dataset.notes, *notes)))


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
    store = keeping.workspace()
    if store is not None:
        uploads.forget()
        set_dataset(None)
        restore(store)


def _look() -> None:
    names = changed(st.session_state[READ_AT], stamps(named_paths()))
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


# A study file, opened whole or not at all.


def opened_study() -> "StudyContents | None":
    """Name, note, numbers and versions of the study that a person works on; None where other data were loaded since.

    Its data, settings and pins are the session's.
    """
    study, fingerprint = st.session_state.get(STUDY, (None, ""))
    return study if fingerprint == whole_dataset().fingerprint else None


def open_saved(source: Source) -> bool:
    """Work on a study from now on: its data, its settings, what was pinned in it.

    Returns:
        Whether the archive is a study at all; nothing is done where it is none.

    Raises:
        InputError: It cannot be read, or one of its files cannot; the session stays as it is.
    """
    from fairviz.reporting.study_file import is_study  # a study file is seldom opened

    if not is_study(source):
        return False
    uploads.check(0, unpacked_size(source))
    data, study = read_saved(source, sent=True)
    uploads.adopt(data)
    forget_address()
    take_up(study, data.dataset)
    return True


def read_saved(source: Source, *, sent: bool = False) -> "tuple[uploads.Opened, StudyContents]":
    """A study and its data.

    Args:
        source: The study.
        sent: Whether a browser sent it.

    Raises:
        InputError: It cannot be read, or one of its files cannot.
    """
    from fairviz.reporting.study_file import read_study  # a study file is seldom opened

    study = read_study(source)
    files = [(file.name, file.content, file.options) for file in study.files if file.content is not None]
    data = uploads.opened(files, study.name, sent=sent)
    if data.refused:
        raise data.refused[0].error
    return data, study


def take_up(study: "StudyContents", loaded: Dataset) -> None:
    """Take settings and pins of a study whose data are loaded."""
    from fairviz.reporting.study_file import PageSettings, write_study

    of_labels = [(attribute, groups_of(loaded, attribute)) for attribute in range(len(loaded.labels))]
    places = {session_key(loaded, at, (*groups, *own)) for at, groups in of_labels for own in ((), (UNLABELLED,))}
    # No other name of a file becomes a place in the session's memory.
    targets = {where: target for where, target in study.settings.targets.items() if where in places}
    restore_settings(study.settings.model_copy(update={"targets": targets}))
    unpin_all()
    for pinned in (*study.figures, *study.tables):
        pin(pinned)
    bare_study = replace(study, files=(), figures=(), tables=(), settings=PageSettings())  # all else is loaded now
    st.session_state[STUDY] = bare_study, loaded.fingerprint
    keeping.keep_study(loaded.fingerprint, write_study(bare_study))


def restore_opened() -> None:
    """Know again which study was opened, from what is kept."""
    if (kept := keeping.kept_study()) is None:
        return
    from fairviz.reporting.study_file import read_study

    with suppress(InputError):  # of another version
        fingerprint, content = kept
        st.session_state[STUDY] = read_study(("kept", content)), fingerprint


# Settings of every page: written down from a session, and put into a fresh one.


ADDRESSES, WAITING = "addresses", "settings_waiting"
NO_SETTINGS = {"data", "file", SIGNED, FED}
"""Parameters that say which data an address is of."""


def leave_page(page: str) -> None:
    """Remember the address of the page that was shown before this one, as it was when it was left."""
    before, context = st.session_state.get("page", ""), get_script_run_ctx()
    if not before or before == page or context is None:
        return
    left = parse_qs(context.query_string, keep_blank_values=True)
    if "data" in left:  # else a link has put the settings of the new page there
        _remember(before, left)


def remember_page(page: str) -> None:
    """Remember the address of the page, and keep all settings; call it after the page has run."""
    _remember(page, {name: st.query_params.get_all(name) for name in st.query_params})
    if workspace() is not None:
        keep_settings(current_settings())


def _remember(page: str, params: dict[str, list[str]]) -> None:
    following = chosen_settings()
    own = {name: values for name, values in params.items() if name not in NO_SETTINGS and name not in following}
    st.session_state[ADDRESSES] = {**st.session_state.get(ADDRESSES, {}), page: own}


def enter_page(page: str) -> None:
    """Put settings of a study into the address of a page that is shown for the first time since.

    A link that a session begins with wins; what a page before this one has left in the address does not.
    """
    own: dict[str, list[str]] = st.session_state.get(WAITING, {}).pop(page, {})
    followed = "page" not in st.session_state and not NO_SETTINGS.issuperset(st.query_params)
    if not own or followed:
        return
    for name in own.keys() - NO_SETTINGS:
        with suppress(StreamlitAPIException):  # that of a control which is shown now
            st.query_params[name] = own[name]
    begin_with_address()


def current_settings() -> "PageSettings":
    """The settings of all pages as they are."""
    from fairviz.reporting.study_file import PageSettings

    return PageSettings(
        pages=st.session_state.get(ADDRESSES, {}),
        chosen=chosen_settings(),
        pairs=list(stated_pairs()),
        targets={
            str(where): _written(state)
            for where, state in st.session_state.items()
            if isinstance(state, Edited) and state.is_set
        },
    )


def restore_settings(settings: "PageSettings") -> None:
    """Work with these settings from now on; pages take them when they are shown."""
    st.session_state[ADDRESSES] = dict(settings.pages)
    st.session_state[WAITING] = dict(settings.pages)
    choose_settings(settings.chosen)
    st.session_state[PAIRS] = tuple(settings.pairs)
    for where, target in settings.targets.items():
        st.session_state[where] = _edited(target)


def forget_address() -> None:
    """Drop the settings of the address, which else win over others."""
    for name in {*st.query_params} - NO_SETTINGS:
        with suppress(StreamlitAPIException):  # that of a control which is shown now
            del st.query_params[name]


def _written(state: Edited) -> "TargetSetting":
    from fairviz.reporting.study_file import TargetSetting

    return TargetSetting(
        weights=state.weights.tolist(),
        locked=sorted(state.locked),
        preset=state.preset,
        file=None if state.file is None else state.file.tolist(),
    )


def _edited(target: "TargetSetting") -> Edited:
    return Edited(
        weights=np.array(target.weights),
        locked=frozenset(target.locked),
        preset=target.preset,
        file=None if target.file is None else np.array(target.file),
    )
