"""The component of target rows: ``_assets/target_rows``, a file of this server, which the content policy allows.

A component whose script is a string would be loaded as a blob, from where no script may come. Streamlit serves files of
components that packages declare; this one is declared here, since the dashboard also runs from a checkout.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

PACKAGE, COMPONENT = "fairviz", "target_rows"
NAME = f"{PACKAGE}.{COMPONENT}"
FOLDER = Path(__file__).parents[1] / "_assets" / COMPONENT


def target_rows(data: Mapping[str, Any], *, key: str, on_move: Callable[[], None]) -> None:
    """Show the rows; shares and locks come back as one state, ``st.session_state[key]["target"]``.

    Args:
        data: What the rows show: see the script.
        key: Key of the element.
        on_move: Called when a person has moved a target or a lock.
    """
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(NAME) is None:  # each server, and each test of a page, has its own
        declared = ComponentManifest(
            name=PACKAGE, version="", components=[ComponentConfig(name=COMPONENT, asset_dir=FOLDER.name)]
        )
        manager.register_from_manifest(declared, FOLDER.parent)
    _component()(data=dict(data), key=key, on_target_change=on_move)


@cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component(NAME, js="target_rows.js", css="target_rows.css", isolate_styles=False)
