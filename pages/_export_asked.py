"""Work that waits for a button: shown until it is pressed for the settings at hand."""

import streamlit as st


def asked_for(key: str, settings: object, label: str, *, icon: str, light: bool = False) -> bool:
    """Whether the work was asked for with these settings; else shows the button that asks.

    Args:
        key: Of the session's memory.
        settings: What the work depends on; other settings ask again.
        label: Of the button.
        icon: Of the button.
        light: Whether the work takes a moment only and needs no button.
    """
    if light or st.session_state.get(key) == settings:
        return True
    st.button(label, icon=icon, type="primary", key=f"{key}_button", on_click=_remember, args=(key, settings))
    return False


def _remember(key: str, settings: object) -> None:
    st.session_state[key] = settings
