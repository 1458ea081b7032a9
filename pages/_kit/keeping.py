"""What of a session outlives it: files, settings and pins, in the workspace of a person's own machine.

On where the server listens on this machine alone, in the folder of the person's data unless another is named; off where
a server is shared or stands behind a proxy, and where the dashboard was started with files, which stay where they are.
Pins of other data than is loaded wait until it is loaded again.
"""

import base64
import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

import streamlit as st

from fairviz.cli.app import OFF, OPENED, WORKSPACE
from fairviz.display.bundle import PinnedTable
from fairviz.display.paper import PrintedFigure
from fairviz.errors import OutputError
from fairviz.io.source import Options, options_from, stated_options
from fairviz.io.workspace import KeptFile, Workspace, usual_folder
from pages._kit.session import SIGNED, dataset, on_this_machine

if TYPE_CHECKING:
    from fairviz.reporting.study_file import PageSettings


NAME, PINS, OPENED_STUDY = "name", "pins", "opened"
FAILED, WRITTEN = "keeping_failed", "kept_settings"


def workspace() -> Workspace | None:
    """Where things are kept, None where nothing is."""
    folder = os.environ.get(WORKSPACE, "")
    if folder == OFF or os.environ.get(OPENED) or not on_this_machine():
        return None
    return Workspace(Path(folder) if folder else usual_folder())


def _kept(change: Callable[[Workspace], object], *, mends: bool = False) -> bool:
    """Whether there is a workspace that took a change; why not is remembered, and the session goes on.

    Args:
        change: What to do.
        mends: Whether a failure before is over with it.
    """
    store = workspace()
    if store is None:
        return False
    try:
        change(store)
    except OutputError as error:
        st.session_state[FAILED] = error
        return False
    if mends:
        st.session_state.pop(FAILED, None)
    return True


# Files.


def keep_file(name: str, content: bytes, options: Options, *, instead_of: str | None) -> bool:
    """Keep a file; whether it is on the disk."""
    options_text = json.dumps(stated_options(options))
    return _kept(lambda store: store.add(name, content, options_text, instead_of=instead_of), mends=True)


def keep_files(name: str, files: Iterable[tuple[str, bytes, Options]]) -> bool:
    """Keep these files, and no others, under a name for all of them; whether they are on the disk."""
    rows = [(called, content, json.dumps(stated_options(options))) for called, content, options in files]

    def change(store: Workspace) -> None:
        if rows or store.files():
            store.replace(rows)
            store.keep(NAME, {"": name})

    return _kept(change, mends=True)


def drop_file(name: str) -> None:
    """Keep a file no more."""
    _kept(lambda store: store.remove(name))


def kept_files() -> list[KeptFile]:
    """The files that are kept; none where the workspace cannot be read, which is remembered."""
    files: list[KeptFile] = []
    _kept(lambda store: files.extend(store.files()))
    return files


def options_of(file: KeptFile) -> Options:
    """How a kept file is read; as it is found where this version does not know what is said."""
    try:
        return options_from(json.loads(file.options))
    except ValueError:
        return Options()


# Settings.


def keep_settings(settings: "PageSettings") -> None:
    """Keep what has changed of the settings since they were kept last."""
    if workspace() is None:
        return
    before: dict[str, dict[str, str]] = st.session_state.get(WRITTEN, {})
    now = _texts(settings.model_dump())
    for kind, values in now.items():
        previous = before.get(kind, {})
        changes = {name: values.get(name) for name in {*previous, *values} if values.get(name) != previous.get(name)}
        if changes and not _kept(lambda store, kind=kind, changes=changes: store.keep(kind, changes)):
            return
    st.session_state[WRITTEN] = now


def kept_settings() -> "PageSettings":
    """The settings that are kept; those that this version does not know are left out."""
    from fairviz.reporting.study_file import PageSettings  # pydantic, where something is kept

    store = workspace()
    settings: dict[str, Any] = {}
    for kind, usual in PageSettings().model_dump().items():
        try:
            values = {name: json.loads(value) for name, value in store.values(kind).items()} if store else {}
            kind_values = values.get("", []) if isinstance(usual, list) else values
            PageSettings.model_validate_json(json.dumps({kind: kind_values}))
        except ValueError:  # also of another version
            continue
        settings[kind] = kind_values
    st.session_state[WRITTEN] = _texts(settings)
    return PageSettings.model_validate_json(json.dumps(settings))


def _texts(settings: Mapping[str, object]) -> dict[str, dict[str, str]]:
    """Every value as JSON, by kind and name; what has no names is one value."""
    named = {kind: values if isinstance(values, dict) else {"": values} for kind, values in settings.items()}
    by_kind = cast("dict[str, dict[str, object]]", named)
    return {kind: {name: json.dumps(value) for name, value in values.items()} for kind, values in by_kind.items()}


# The study file that was opened.


def keep_study(fingerprint: str, content: bytes) -> None:
    """Keep which study file was opened.

    Args:
        fingerprint: Of its data.
        content: What is said of it, as a study file without data.
    """
    _keep(OPENED_STUDY, {"fingerprint": fingerprint, "content": base64.b64encode(content).decode()})


def kept_study() -> tuple[str, bytes] | None:
    """What :func:`keep_study` kept; None where nothing is."""
    store = workspace()
    fields = store.values(OPENED_STUDY) if store else {}
    return (fields["fingerprint"], base64.b64decode(fields["content"])) if len(fields) == 2 else None


# Pins.


def pin_name(pinned: PrintedFigure | PinnedTable) -> str:
    """What a pin is kept as: by its files, its data and what makes it, so that other settings give another."""
    if isinstance(pinned, PrintedFigure):
        return "\n".join([pinned.stem, pinned.fingerprint, pinned.command, sha256(pinned.svg).hexdigest()])
    return "\n".join([pinned.stem, pinned.fingerprint, *(command for _, command in pinned.commands)])


def _keep(kind: str, values: Mapping[str, str | None]) -> None:
    if values:
        _kept(lambda store: store.keep(kind, values))


def kept_pins() -> list[PrintedFigure | PinnedTable]:
    """What was pinned; a pin that this version does not know is left out."""
    store = workspace()
    pins: list[PrintedFigure | PinnedTable] = []
    for text in store.values(PINS).values() if store else ():
        with suppress(ValueError, TypeError, KeyError):
            fields: dict[str, Any] = json.loads(text)
            if "svg" in fields:
                fields |= {ending: base64.b64decode(fields[ending]) for ending in ("svg", "pdf")}
                pins.append(PrintedFigure(**fields))
            else:
                fields["commands"] = tuple((ending, command) for ending, command in fields["commands"])
                pins.append(PinnedTable(**fields))
    return pins


def delete() -> None:
    """Delete everything that is kept."""
    _kept(lambda store: store.delete())
    st.session_state.pop(WRITTEN, None)


# What a person pinned for the bundle: figures as they are printed, tables as pages show them.


def pinned_figures() -> list[PrintedFigure]:
    """Figures of the data at hand, in the order of their pins."""
    return [each for each in _of_data() if isinstance(each, PrintedFigure)]


def pinned_tables() -> list[PinnedTable]:
    """Tables of the data at hand, in the order of their pins."""
    return [each for each in _of_data() if isinstance(each, PinnedTable)]


def _of_data() -> list[PrintedFigure | PinnedTable]:
    return [each for each in _pins().values() if each.fingerprint == dataset().fingerprint]


def _pins() -> dict[str, PrintedFigure | PinnedTable]:
    """All pins of the session, by what they are kept as."""
    return st.session_state.get(PINS, {})


def pin(pinned: PrintedFigure | PinnedTable) -> None:
    """Keep a figure or a table for the bundle; the same one, made with the same settings, is kept once."""
    restore_pins([pinned])
    fields: dict[str, Any] = pinned._asdict() if isinstance(pinned, PinnedTable) else asdict(pinned)
    if isinstance(pinned, PrintedFigure):
        fields |= {ending: base64.b64encode(fields[ending]).decode() for ending in ("svg", "pdf")}
    _keep(PINS, {pin_name(pinned): json.dumps(fields)})


def unpin(pinned: PrintedFigure | PinnedTable) -> None:
    """Forget one."""
    gone = pin_name(pinned)
    st.session_state[PINS] = {name: other for name, other in _pins().items() if name != gone}
    _keep(PINS, {gone: None})


def settings_text() -> str:
    """Settings as they are in the address: without what is one browser's, or a name of a file."""
    params = {name: st.query_params.get_all(name) for name in st.query_params if name not in (SIGNED, "file")}
    return urlencode(params, doseq=True)


def address() -> str:
    """The page and its settings as they are in its address."""
    return f"{st.session_state.get('page', '')}, ?{settings_text()}"


def unpin_all() -> None:
    """Forget every pin."""
    _keep(PINS, dict.fromkeys(st.session_state.pop(PINS, {})))


def restore_pins(pins: Iterable[PrintedFigure | PinnedTable]) -> None:
    """Take these as pinned, which are kept already."""
    st.session_state[PINS] = {**_pins(), **{pin_name(pinned): pinned for pinned in pins}}
