"""Data: add files, see what was found in them, how they join, and what needs a fix."""

from dataclasses import replace

import streamlit as st

from pages._data import files, formats, groups, joins
from pages._kit import dataset, header, is_example, rule, section, uploads
from pages._kit.link import choose_naming, linked_files
from pages._kit.session import RECORDED, open_recorded, whole_dataset

if is_example() and linked_files() is not None:
    header("Data", "Load your files", "The address asks for files that are not loaded.")
    files.add_files()
    files.needs_fix()
    files.correct()
    formats.show()
    st.stop()

loaded = replace(whole_dataset(), pairs=dataset().pairs)
top = st.container()
left, right = st.columns([4, 8], gap="large")
with left:
    files.add_files()
    files.needs_fix()
    files.correct()
    if not is_example() or uploads.refused():
        st.button("Back to the example", on_click=uploads.reset, icon=":material/undo:", type="tertiary")
    if loaded.name != RECORDED:
        st.button(
            "The example as a small language model answers it",
            on_click=open_recorded,
            icon=":material/smart_toy:",
            type="tertiary",
            help="SmolLM2-135M-Instruct on what BM25 and MiniLM find: so small a model mostly copies or guesses.",
        )
with right:
    files.loaded_files(loaded)
    if not is_example():
        choose_naming()
rule()
coverage = None
if not joins.alone(loaded):
    left, right = st.columns([1, 1], gap="large")
    with left:
        section("Coverage: runs, qrels, labels", "Queries and items of the rankings beside the judgements.")
        coverage = joins.coverage(loaded)
        joins.queries_and_items(loaded, coverage)
    with right:
        groups.groups(loaded)
    joins.answers(loaded)
joins.show(loaded)
with top:
    header(
        f"Data · {loaded.name}",
        joins.title(loaded, coverage),
        joins.sentence(loaded, coverage, example=is_example()),
    )
    joins.depths(loaded)
rule()
formats.show()
