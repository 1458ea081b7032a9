"""Uploads of this session: read once, kept across pages, private; errors kept with their lines."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import streamlit as st

from fairviz.errors import InputError
from fairviz.formats.dataset import Options, add_file
from fairviz.formats.excerpt import Line, lines_around
from fairviz.formats.sniff import Role
from fairviz.model import Dataset
from pages._shared import dataset, is_example, set_dataset

NAME = "Your files"
NOUNS = ("runs", "samples", "qrels", "labels", "outputs")
WORDS = ("texts", "passages", "references")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A file that could not be read, with the lines around the fault."""

    name: str
    error: InputError
    lines: tuple[Line, ...]


class Part(NamedTuple):
    """What one file brought: its nouns, and the ids that it has words for."""

    nouns: tuple[object, ...]
    words: tuple[frozenset[str], ...]


def take(name: str, content: bytes, role: Role | None = None) -> bool:
    """Read one upload into the session; the first one replaces the example.

    Returns:
        Whether it brought anything new; False also where it could not be read, see ``refused``.
    """
    before = Dataset(name=NAME) if is_example() else dataset()
    _forget_refusal(name)
    try:
        after = add_file(before, (name, content), Options(role=role))
    except InputError as error:
        lines = lines_around((name, content), error.line) if error.line else ()
        refused().append(Refused(name=name, error=error, lines=lines))
        return False
    if after is before:
        return False
    _parts()[after.files[-1].name] = _part(before, after)
    set_dataset(after)
    return True


def remove(name: str) -> None:
    """Drop one file and all that it brought; dropping the last one returns to the example."""
    loaded = dataset()
    part = _parts().pop(name, None)
    files = tuple(file for file in loaded.files if file.name != name)
    if part is None or not files:
        reset()
        return
    changes: dict[str, object] = {
        noun: tuple(x for x in getattr(loaded, noun) if not any(x is gone for gone in part.nouns))
        for noun in NOUNS
    }
    for kind, gone in zip(WORDS, part.words, strict=True):
        kept = {key: text for key, text in (getattr(loaded, kind) or {}).items() if key not in gone}
        changes[kind] = kept or None
    if any(loaded.target is x for x in part.nouns):
        changes["target"] = None
    notes = tuple(note for note in loaded.notes if note.file != name)
    set_dataset(replace(loaded, files=files, notes=notes, **changes))


def reset() -> None:
    """Back to the shipped example."""
    st.session_state["parts"] = {}
    st.session_state["refused"] = []
    set_dataset(None)


def refused() -> list[Refused]:
    """Files that could not be read and have not been replaced since."""
    return st.session_state.setdefault("refused", [])


def _part(before: Dataset, after: Dataset) -> Part:
    new: list[object] = []
    for noun in NOUNS:
        known = getattr(before, noun)
        new += [x for x in getattr(after, noun) if not any(x is y for y in known)]
    if after.target is not before.target and after.target is not None:
        new.append(after.target)
    words = (
        frozenset(getattr(after, kind) or ()) - frozenset(getattr(before, kind) or ())
        for kind in WORDS
    )
    return Part(tuple(new), tuple(words))


def _parts() -> dict[str, Part]:
    return st.session_state.setdefault("parts", {})


def _forget_refusal(name: str) -> None:
    st.session_state["refused"] = [one for one in refused() if one.name != name]
