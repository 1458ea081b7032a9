"""The edited target of a session: kept across pages, and in the address."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from fairviz.model import Dataset, FloatArray
from pages._target_shares import (
    alike,
    can_move,
    fastened,
    percents,
    read,
    written,
)

PARAM = "target"
LOADED = "Loaded file"
"""Name of the preset that is a file."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Edited:
    """One target under the editor.

    Attributes:
        weights: (G) unrounded shares.
        locked: Groups whose shares are held.
        preset: The preset that was chosen last, by name.
        file: (G) shares of a loaded file, None without one.
    """

    weights: FloatArray
    locked: frozenset[int] = frozenset()
    preset: str = ""
    file: FloatArray | None = None


def place(loaded: Dataset, attribute: str, n_groups: int) -> str:
    """Where a session keeps the target of these groups."""
    return f"edited-{loaded.fingerprint[:12]}-{attribute}-{n_groups}"


def share_key(where: str, group: int) -> str:
    """Key of the control of one share."""
    return f"{where}-share-{group}"


def lock_key(where: str, group: int) -> str:
    """Key of the lock of one share."""
    return f"{where}-lock-{group}"


def edited(where: str) -> Edited:
    """What is kept there; :func:`begin` comes first."""
    found: Edited = st.session_state[where]
    return found


def begin(where: str, presets: Mapping[str, FloatArray], file: FloatArray | None) -> Edited:
    """The kept target; a new one starts from the link, else the loaded file, else equal shares."""
    if where not in st.session_state:
        fallback = next(iter(presets.values()))
        start = Edited(weights=fallback if file is None else file, file=file)
        st.session_state[where] = _from_link(start, presets)
    return edited(where)


def choices(state: Edited, presets: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """All presets by name, a loaded file last."""
    return dict(presets) | ({} if state.file is None else {LOADED: state.file})


def chosen_preset(state: Edited, presets: Mapping[str, FloatArray]) -> str | None:
    """The preset that the shares are; the one chosen last where several are alike."""
    names = [n for n, shares in choices(state, presets).items() if alike(shares, state.weights)]
    return state.preset if state.preset in names else next(iter(names), None)


def set_lock(where: str, group: int) -> None:
    """A lock was switched; a locked share is exactly what is shown."""
    state = edited(where)
    if not st.session_state[lock_key(where, group)]:
        st.session_state[where] = replace(state, locked=state.locked - {group})
    elif can_move(state.weights.size, state.locked, group):
        weights = fastened(state.weights, group, state.locked)
        st.session_state[where] = replace(state, weights=weights, locked=state.locked | {group})
        show(where)


def set_locks(where: str, key: str) -> None:
    """Several locks at once, from one control."""
    state = edited(where)
    held = frozenset[int]()
    for group in st.session_state[key]:
        if can_move(state.weights.size, held, group):
            if group not in state.locked:
                state = replace(state, weights=fastened(state.weights, group, held))
            held |= {group}
    st.session_state[where] = replace(state, locked=held)
    show(where)


def set_weights(where: str, weights: FloatArray, *, preset: str = "") -> None:
    """Set every share."""
    state = replace(edited(where), weights=weights, locked=frozenset(), preset=preset)
    for group in range(weights.size):
        st.session_state[lock_key(where, group)] = False
    st.session_state[where] = state
    show(where)


def show(where: str, *, but: int | None = None) -> None:
    """Bring the controls to the shares, but for the one under a person's hand."""
    for group, percent in enumerate(percents(edited(where).weights)):
        if group != but:
            st.session_state[share_key(where, group)] = percent


def keep_in_link(state: Edited, presets: Mapping[str, FloatArray]) -> None:
    """Put the target into the address: the preset's name, or the shares."""
    name = chosen_preset(state, presets)
    text = slug(name) if name is not None and name != LOADED else written(state.weights)
    if st.query_params.get(PARAM) != text:
        st.query_params[PARAM] = text


def slug(name: str) -> str:
    """A preset's name in the address."""
    return name.lower().replace(" ", "-")


def _from_link(start: Edited, presets: Mapping[str, FloatArray]) -> Edited:
    """The target that the followed link asks for; heard once, later the session decides."""
    if "target_heard" in st.session_state or PARAM not in st.query_params:
        st.session_state["target_heard"] = True
        return start
    st.session_state["target_heard"] = True
    text = st.query_params[PARAM]
    for name, shares in presets.items():
        if slug(name) == text:
            return replace(start, weights=shares, preset=name)
    shares = read(text, start.weights.size)
    if shares is None:
        said = (PARAM, text, written(start.weights))
        st.session_state.setdefault("ignored", []).append(said)
        return start
    return replace(start, weights=shares)
