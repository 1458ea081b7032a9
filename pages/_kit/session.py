"""What a session holds: the data it works on, its own or the shipped example.

Uploads live in the session alone. The shipped example is read once and shared: nouns are frozen.
"""

import streamlit as st

from fairviz.model import Dataset
from fairviz.resources import example_folder

_SHIPPED: set[str] = set()
"""Fingerprint of the example, once it was read."""


def example() -> Dataset:
    """The shipped example, read once for all sessions."""
    loaded = _read_example()
    _SHIPPED.add(loaded.fingerprint)
    return loaded


@st.cache_resource(show_spinner="Reading the example …")
def _read_example() -> Dataset:
    from fairviz.io.dataset import read_example  # heavy: only when first needed

    return read_example(example_folder())


def is_shipped(loaded: Dataset) -> bool:
    """Whether data came from :func:`example`; where nobody has read it, nothing did."""
    return loaded.fingerprint in _SHIPPED


def dataset() -> Dataset:
    """What the browser session works on: the uploads, or the example until there are any."""
    loaded = st.session_state.get("dataset")
    return loaded if isinstance(loaded, Dataset) else example()


def set_dataset(loaded: Dataset | None) -> None:
    """Work on other data from now on; None returns to the example."""
    if loaded is None:
        st.session_state.pop("dataset", None)
    else:
        st.session_state["dataset"] = loaded


def is_example() -> bool:
    """Whether the browser session works on the shipped example."""
    return not isinstance(st.session_state.get("dataset"), Dataset)
