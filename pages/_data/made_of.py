"""What systems are made of, asked of the person: the answers become a table of systems, a file like every other."""

from collections.abc import Mapping, Sequence
from io import StringIO

import streamlit as st

from fairviz.display.words import plural
from fairviz.io.factors import is_factors, write_factors
from fairviz.model import Dataset, Factors, factors_of, with_tasks
from pages._kit import is_example, uploads

ASKED = ("label", "task", "retriever", "generator")
FILE = "systems.tsv"
NOT_SAID = Factors()


def ask(loaded: Dataset) -> None:
    """A table to fill in, where a person loaded several systems."""
    known = recorded(loaded)
    if is_example() or len(known) < 2:
        return
    n_open = sum(factors.task is None or factors.retriever is None for factors in known.values())
    found = f"{plural(n_open, 'system')} without task or retriever" if n_open else "task and retriever of all are known"
    details = st.expander(f"What systems are made of: {found}", on_change="rerun", key="made_of", bind="query-params")
    with details:
        if details.open:
            _table(known)


def recorded(loaded: Dataset) -> dict[str, Factors]:
    """What is known of each system: from its files where those agree, over that from a table of systems.

    Of several collections each is a task, where nothing else says one.
    """
    known: dict[str, Factors] = {}
    for one in (*loaded.runs, *loaded.samples, *loaded.outputs):
        factors = factors_of(one)
        before = known.setdefault(one.system, factors)
        agreed = {name: value for name, value in before.known.items() if getattr(factors, name) == value}
        known[one.system] = NOT_SAID._replace(**agreed)
    said = with_tasks(loaded.systems or {}, loaded.collections)
    return {name: said.get(name, NOT_SAID).over(factors) for name, factors in known.items()}


def filled_in(known: Mapping[str, Factors], cells: Mapping[str, Sequence[str | None]]) -> str:
    """The table of systems as its file.

    Args:
        known: What is known of each system already; what was not asked for stays.
        cells: Columns of ``ASKED``, a cell for each system in the order of ``known``; an empty one says nothing.
    """
    rows = zip(*(cells[name] for name in ASKED), strict=True)
    given = [dict(zip(ASKED, ((cell or "").strip() or None for cell in row), strict=True)) for row in rows]
    told = {name: known[name]._replace(**row) for name, row in zip(known, given, strict=True)}
    text = StringIO()
    write_factors(told, text)
    return text.getvalue()


def _table(known: dict[str, Factors]) -> None:
    st.markdown(
        "Every figure and table calls a system by its label. Trade-off, Compare and Attribution arrange systems by the "
        "other columns; nothing is compared across tasks. "
        "Cells can be pasted from a spreadsheet."
    )
    cells = st.data_editor(
        {"system": list(known), **{name: [getattr(f, name) or "" for f in known.values()] for name in ASKED}},
        disabled=["system"],
        hide_index=True,
        width="stretch",
        key="made_of_cells",
    )
    if st.button("Use these", help=f"They become the file {FILE}, which can be removed like every other."):
        made = filled_in(known, cells)
        if is_factors(made.partition("\n")[0]):  # a cell at least is filled in
            uploads.put(FILE, made.encode(), "systems")
        elif FILE in uploads.accepted():
            uploads.remove(FILE)
        st.rerun(scope="app")
