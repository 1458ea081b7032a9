"""What a session holds: the data it works on, its own or the shipped example.

Uploads live in the session, and on a personal machine in the workspace, too (:mod:`pages._kit.keeping`). The shipped
example is read once and shared: nouns are frozen.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from fairviz.io.dataset import read_shipped
from fairviz.model import Dataset
from fairviz.resources import example_folder, recorded_folder

if TYPE_CHECKING:
    from fairviz.evaluation.joins import LeftOut

_SHIPPED: set[str] = set()
"""Fingerprint of the example, once it was read."""


def example() -> Dataset:
    """The shipped example, read once for all sessions."""
    loaded = _read_example()
    _SHIPPED.add(loaded.fingerprint)
    return loaded


@st.cache_resource(show_spinner=False)
def _read_example() -> Dataset:
    return read_shipped(example_folder())


def recorded_example() -> Dataset:
    """What a language model answered to the example's questions, read once for all sessions."""
    loaded = _read_recorded()
    _SHIPPED.add(loaded.fingerprint)
    return loaded


@st.cache_resource(show_spinner="Reading the answers of a language model …")
def _read_recorded() -> Dataset:
    return read_shipped(recorded_folder())


RECORDED = "SmolLM2 example"
"""Name of what :func:`recorded_example` gives."""


def open_recorded() -> None:
    """Work on what a language model answered to the example's questions."""
    set_dataset(recorded_example())


def is_shipped(loaded: Dataset) -> bool:
    """Whether data came from :func:`example`; where nobody has read it, nothing did."""
    return loaded.fingerprint in _SHIPPED


def whole_dataset() -> Dataset:
    """What the browser session works on: the uploads, or the example until there are any."""
    loaded = st.session_state.get("dataset")
    return loaded if isinstance(loaded, Dataset) else example()


def dataset() -> Dataset:
    """The same as pages compare it: with what a person said of systems and pairs, without rankings that join nothing.

    Where no ranking joins, all stay: there is nothing to compare them with, and it is said on the page.
    """
    loaded = described_dataset()
    return loaded.without({one.system for one in left_out_of(loaded)})


def described_dataset() -> Dataset:
    """All that the session works on, with what a person said of systems and pairs."""
    loaded = replace(whole_dataset(), pairs=said_pairs()).described if said_pairs() else whole_dataset().described
    pairs = tuple((output, run) for output, run in loaded.pairs if _known_pair(loaded, output, run))
    return replace(loaded, pairs=pairs) if pairs != loaded.pairs else loaded


def left_out_of(loaded: Dataset) -> "tuple[LeftOut, ...]":
    """Rankings of the data that have no query in common with any of its judgements."""
    if not loaded.qrels or not (loaded.runs or loaded.samples):
        return ()
    from fairviz.evaluation.joins import unjoined  # heavy: only when first needed

    ranked = [*loaded.runs, *loaded.samples, *loaded.unjoined]
    return tuple({one.system: one for one in unjoined(ranked, loaded.qrels)}.values())


PAIRS = "said_pairs"


def said_pairs() -> tuple[tuple[str, str], ...]:
    """(system of outputs, run that fed it), as a person or a link said."""
    return st.session_state.get(PAIRS, ())


def say_pair(output: str, run: str) -> None:
    """Take a run as the one that fed a system's outputs, on every page."""
    st.session_state[PAIRS] = (*(pair for pair in said_pairs() if pair[0] != output), (output, run))


def _known_pair(loaded: Dataset, output: str, run: str) -> bool:
    from fairviz.evaluation.outputs import RECORDED

    runs = {one.system for one in (*loaded.runs, *loaded.unjoined)} | {RECORDED}
    return run in runs and any(outputs.system == output for outputs in loaded.outputs)


def set_dataset(loaded: Dataset | None) -> None:
    """Work on other data from now on; None returns to the example."""
    if loaded is None:
        st.session_state.pop("dataset", None)
    else:
        st.session_state["dataset"] = loaded


def is_example() -> bool:
    """Whether the browser session works on the shipped example."""
    return not isinstance(st.session_state.get("dataset"), Dataset)
