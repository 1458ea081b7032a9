"""The edited target of a session: kept across pages, and in the address."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from fairviz.model import Dataset, FloatArray
from pages._kit.link import ignore
from pages._kit.target_shares import alike, can_move, fastened, moved, percents, read, room, written

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
    """Key of the control of one share; a new one after every change that is not its own.

    A browser reports all controls with every move, and after a fast second key press it does not
    know yet what the first one did to the others. What it says of them goes to their old keys.
    """
    return _key(where, f"share-{group}")


def lock_key(where: str, group: int) -> str:
    """Key of the lock of one share."""
    return _key(where, f"lock-{group}")


def preset_key(where: str, shown: str | None) -> str:
    """Key of the pills, which stand at ``shown``."""
    _bring(where, "preset", shown)
    return _key(where, "preset")


def edited(where: str) -> Edited:
    """What is kept there; :func:`begin` comes first."""
    state: Edited = st.session_state[where]
    return state


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


def set_share(where: str, group: int, key: str) -> None:
    """A share was moved: the others make room. Its own control is left alone."""
    if key != share_key(where, group):
        return  # an old control, reported by a browser that does not know the new one yet
    state = edited(where)
    percent = int(st.session_state[key])
    weights = moved(state.weights, group, percent, state.locked)
    st.session_state[where] = replace(state, weights=weights, preset="")
    # To write back the moved control would lose key presses that are under way.
    show(where, but=group if percent <= room(weights, state.locked, group) else None)


def set_lock(where: str, group: int, key: str) -> None:
    """A lock was switched; a locked share is exactly what is shown."""
    if key != lock_key(where, group):
        return
    state = edited(where)
    if not st.session_state[key]:
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


def set_preset(where: str, key: str, presets: Mapping[str, FloatArray]) -> None:
    """A preset was chosen; locks are opened, since a preset sets every share."""
    name, state = st.session_state[key], edited(where)
    if name and key == _key(where, "preset"):
        set_weights(where, choices(state, presets)[name], preset=name)


def set_weights(where: str, weights: FloatArray, *, preset: str = "") -> None:
    """Set every share."""
    state = replace(edited(where), weights=weights, locked=frozenset(), preset=preset)
    for group in range(weights.size):
        _bring(where, f"lock-{group}", False)
    st.session_state[where] = state
    show(where)


def show(where: str, *, but: int | None = None) -> None:
    """Bring the controls to the shares, but for the one under a person's hand."""
    for group, percent in enumerate(percents(edited(where).weights)):
        if group != but:
            _bring(where, f"share-{group}", percent)


def _key(where: str, control: str) -> str:
    generation: int = st.session_state.get(f"{where}-{control}-generation", 0)
    return f"{where}-{control}-{generation}"


def _bring(where: str, control: str, value: object) -> None:
    """Bring a control to a value, as a new one if it stands elsewhere."""
    key = _key(where, control)
    if key in st.session_state and st.session_state[key] != value:
        counter = f"{where}-{control}-generation"
        st.session_state[counter] = st.session_state.get(counter, 0) + 1
        key = _key(where, control)
    st.session_state[key] = value


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
        ignore(PARAM, text, written(start.weights))
        return start
    return replace(start, weights=shares)
