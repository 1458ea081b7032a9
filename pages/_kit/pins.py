"""What a person pinned for the bundle of the Export page: figures as they are printed, tables as pages show them.

Pins stay with the session, and with the workspace where there is one; those of other data than is loaded wait until it
is loaded again.
"""

from collections.abc import Iterable
from urllib.parse import urlencode

import streamlit as st

from fairviz.display.bundle import PinnedTable
from fairviz.display.paper import PrintedFigure
from pages._kit import keeping
from pages._kit.browser import SIGNED
from pages._kit.session import dataset

FIGURES, TABLES = "pinned_figures", "pinned_tables"


def pinned_figures() -> list[PrintedFigure]:
    """Figures of the data at hand, in the order of their pins."""
    kept: dict[str, PrintedFigure] = st.session_state.get(FIGURES, {})
    return [figure for figure in kept.values() if figure.fingerprint == dataset().fingerprint]


def pinned_tables() -> list[PinnedTable]:
    """Tables of the data at hand, in the order of their pins."""
    kept: dict[str, PinnedTable] = st.session_state.get(TABLES, {})
    return [table for table in kept.values() if table.fingerprint == dataset().fingerprint]


def pin(one: PrintedFigure | PinnedTable) -> None:
    """Keep a figure or a table for the bundle; the same one, made with the same settings, is kept once."""
    restore_pins([one])
    keeping.keep_pin(one)


def unpin(one: PrintedFigure | PinnedTable) -> None:
    """Forget one."""
    gone = keeping.pin_name(one)
    kind, of = (TABLES, keeping.TABLES) if isinstance(one, PinnedTable) else (FIGURES, keeping.FIGURES)
    kept: dict[str, PrintedFigure | PinnedTable] = st.session_state.get(kind, {})
    st.session_state[kind] = {name: other for name, other in kept.items() if name != gone}
    keeping.drop_pins(of, [gone, one.stem])  # the stem alone is what version 0.9 kept it as


def address() -> str:
    """The page and its settings as they are in its address: without what is one browser's, or a name of a file."""
    params = {name: st.query_params.get_all(name) for name in st.query_params if name not in (SIGNED, "file")}
    return f"{st.session_state.get('page', '')}, ?{urlencode(params, doseq=True)}"


def unpin_all() -> None:
    """Forget every pin."""
    for kind, of in ((FIGURES, keeping.FIGURES), (TABLES, keeping.TABLES)):
        gone: dict[str, PrintedFigure | PinnedTable] = st.session_state.pop(kind, {})
        keeping.drop_pins(of, [*gone, *(one.stem for one in gone.values())])


def restore_pins(pins: Iterable[PrintedFigure | PinnedTable]) -> None:
    """Take these as pinned, which are kept already."""
    for one in pins:
        kind = TABLES if isinstance(one, PinnedTable) else FIGURES
        st.session_state[kind] = {**st.session_state.get(kind, {}), keeping.pin_name(one): one}
