"""Uploads of a browser session: read once, kept across pages, private; faults with their lines."""

from dataclasses import dataclass, replace

import streamlit as st

from fairviz.errors import InputError
from fairviz.io.dataset import Options, add_file
from fairviz.io.text import Line, lines_around
from fairviz.model import Dataset
from pages._kit.session import PAIRS, is_example, set_dataset, whole_dataset

NAME = "Your files"
NOUNS = (
    "runs",
    "samples",
    "qrels",
    "labels",
    "outputs",
    "bias_items",
    "bias_predictions",
    "variants",
)
WORDS = ("texts", "passages", "references")


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that was read.

    Attributes:
        content: Its bytes, to read it again in another way.
        options: How it was read.
        nouns: What it brought.
        words: Ids that it has words for, for each of ``WORDS``.
    """

    content: bytes
    options: Options
    nouns: tuple[object, ...]
    words: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A file that could not be read, with the lines around the fault."""

    name: str
    content: bytes
    options: Options
    error: InputError
    lines: tuple[Line, ...]


def take(name: str, content: bytes, options: Options | None = None) -> bool:
    """Read one upload into the session; the first one replaces the example.

    Returns:
        Whether it brought anything new; False also where it could not be read, see ``refused``.
    """
    how = options or Options()
    before = Dataset(name=NAME) if is_example() else whole_dataset()
    dismiss(name)
    try:
        after = add_file(before, (name, content), how)
    except InputError as error:
        lines = lines_around((name, content), error.line) if error.line else ()
        refused().append(Refused(name=name, content=content, options=how, error=error, lines=lines))
        return False
    if after is before:
        return False
    nouns, words = _brought(before, after)
    accepted()[after.files[-1].name] = Upload(content=content, options=how, nouns=nouns, words=words)
    set_dataset(after)
    return True


def read_again(name: str, options: Options) -> None:
    """Read a file in another way, whether or not it could be read before."""
    known = accepted().get(name) or next(file for file in refused() if file.name == name)
    if name in accepted():
        remove(name)
    take(name, known.content, options)


def remove(name: str) -> None:
    """Drop one file and all that it brought; dropping the last one returns to the example."""
    loaded, gone = whole_dataset(), accepted().pop(name)
    files = tuple(file for file in loaded.files if file.name != name)
    if not files:
        set_dataset(None)
        return
    changes: dict[str, object] = {
        noun: tuple(x for x in getattr(loaded, noun) if not _among(x, gone.nouns)) for noun in NOUNS
    }
    for kind, ids in zip(WORDS, gone.words, strict=True):
        remaining = {key: text for key, text in (getattr(loaded, kind) or {}).items() if key not in ids}
        changes[kind] = remaining or None
    if _among(loaded.target, gone.nouns):
        changes["target"] = None
    notes = tuple(note for note in loaded.notes if note.file != name)
    set_dataset(replace(loaded, files=files, notes=notes, **changes))


def dismiss(name: str) -> None:
    """Forget a file that could not be read."""
    st.session_state["refused"] = [file for file in refused() if file.name != name]


def reset() -> None:
    """Back to the shipped example."""
    st.session_state["uploads"] = {}
    st.session_state["refused"] = []
    st.session_state.pop(PAIRS, None)
    set_dataset(None)


def accepted() -> dict[str, Upload]:
    """Files that were read, by the name that the dataset has for them."""
    return st.session_state.setdefault("uploads", {})


def refused() -> list[Refused]:
    """Files that could not be read and have not been replaced since."""
    return st.session_state.setdefault("refused", [])


def _brought(before: Dataset, after: Dataset) -> tuple[tuple[object, ...], tuple[frozenset[str], ...]]:
    new: list[object] = []
    for noun in NOUNS:
        new += [x for x in getattr(after, noun) if not _among(x, getattr(before, noun))]
    if after.target is not None and after.target is not before.target:
        new.append(after.target)
    words = (frozenset(getattr(after, kind) or ()) - frozenset(getattr(before, kind) or ()) for kind in WORDS)
    return tuple(new), tuple(words)


def _among(noun: object, nouns: tuple[object, ...]) -> bool:
    """By identity: nouns hold arrays and are not compared."""
    return any(noun is other for other in nouns)
