"""Which control a person moved: the one of several that a browser reports as changed.

A browser reports all its controls with every move. After a fast second key press it does not yet
know what the first one did to the others, and reports them as they stood before: an echo, which
must not count as a move. So controls only note what they report; :func:`settle` finds the move.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from fairviz.model import FloatArray
from pages._target_shares import moved, percents, room
from pages._target_state import choices, chosen_preset, edited, set_weights, share_key, show

ECHO_SECONDS = 1.0
"""How long a value that was shown before may still come back as an echo."""


class Shown(NamedTuple):
    """What the controls stood at, and when they were brought to something else."""

    until: float
    shares: list[int]
    preset: str | None


def note_share(where: str, group: int) -> None:
    """A control of a share reports a change."""
    key = f"{where}-reported"
    st.session_state.setdefault(key, {})[group] = int(st.session_state[share_key(where, group)])


def note_preset(where: str, key: str) -> None:
    """The pills report a change."""
    st.session_state[f"{where}-reported-preset"] = st.session_state[key]


def settle(where: str, presets: Mapping[str, FloatArray]) -> None:
    """Carry out the one move among the reported changes; call it before the controls are shown."""
    reported: dict[int, int] = st.session_state.pop(f"{where}-reported", {})
    preset: str | None = st.session_state.pop(f"{where}-reported-preset", None)
    if not reported and preset is None:
        return
    state = edited(where)
    past = _past(where)
    before = Shown(
        time.monotonic() + ECHO_SECONDS, percents(state.weights), chosen_preset(state, presets)
    )
    group = _moved(where, reported, past)
    if group is not None:
        weights = moved(state.weights, group, reported[group], state.locked)
        st.session_state[where] = replace(state, weights=weights, preset="")
        st.session_state[f"{where}-last"] = group
        # To write back the moved control would lose key presses that are under way.
        fits = reported[group] <= room(weights, state.locked, group)
        show(where, but=group if fits else None)
    elif preset is not None and not _echoed(where, preset, past):
        set_weights(where, choices(state, presets)[preset], preset=preset)
        st.session_state.pop(f"{where}-last", None)
    else:
        show(where)
    st.session_state[f"{where}-past"] = [*past, before]


def _moved(where: str, reported: Mapping[int, int], past: list[Shown]) -> int | None:
    """The share under a person's hand: the one moved last, else one that reports a new value."""
    last = st.session_state.get(f"{where}-last")
    if last in reported:
        return last
    return next(
        (
            group
            for group, asked in reported.items()
            if asked not in {each.shares[group] for each in past}
        ),
        None,
    )


def _echoed(where: str, preset: str, past: list[Shown]) -> bool:
    """Whether the pills repeat what they showed before a share was moved."""
    return f"{where}-last" in st.session_state and preset in {each.preset for each in past}


def _past(where: str) -> list[Shown]:
    """What was shown so lately that it may come back."""
    now = time.monotonic()
    kept: list[Shown] = st.session_state.get(f"{where}-past", [])
    return [each for each in kept if each.until > now]
