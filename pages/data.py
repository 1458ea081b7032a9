"""Data: drop files, see what was found in them, what each system has and lacks, and what needs a fix."""

from dataclasses import replace

import streamlit as st

from pages._data import files, formats, groups, joins, systems
from pages._kit import dataset, header, is_example, uploads
from pages._kit.link import choose_naming, linked_files
from pages._kit.session import RECORDED, open_recorded, whole_dataset

if is_example() and linked_files() is not None:
    header("Data", "Load your files", "The address asks for files that are not loaded.")
    files.add_files()
    files.needs_fix()
    files.awaited()
    formats.show()
    st.stop()

loaded = replace(whole_dataset(), pairs=dataset().pairs)
top = st.container()
with st.container(key="start", gap="small"):
    files.add_files()
    files.needs_fix()
    files.awaited()
    with st.container(horizontal=True, gap="medium"):
        if not is_example() or uploads.refused():
            st.button("Back to the example", on_click=uploads.reset, icon=":material/undo:", type="tertiary")
        if loaded.name != RECORDED:
            st.button(
                "Load the example as a small language model answers it (SmolLM2)",
                on_click=open_recorded,
                icon=":material/smart_toy:",
                type="tertiary",
                help="SmolLM2-135M-Instruct on what BM25 and MiniLM find: so small a model mostly copies or guesses.",
            )
left, right = st.columns([7, 4], gap="large")
rows: tuple[systems.SystemCoverage, ...] = ()
with left:
    if not joins.alone(loaded):
        rows = systems.coverage(loaded)
        systems.detail(rows)
        groups.groups(loaded)
        joins.answers(loaded)
    joins.show(loaded)
with right:
    files.loaded_files(loaded)
    if not is_example():
        choose_naming()
with top:
    header(
        f"Data · {loaded.name}",
        joins.title(loaded, rows),
        joins.sentence(loaded, rows, example=is_example()),
    )
    joins.depths(loaded)
formats.show()
