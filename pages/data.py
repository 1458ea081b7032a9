"""Data: drop files, see what was found in them, what each system has and lacks, and what needs a fix."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from fairviz.evaluation.coverage import SystemCoverage
from fairviz.io.formats import known_as
from fairviz.resources import content, example_folder
from pages._data import files, joins, systems
from pages._kit import counts_line, header, uploads
from pages._kit.downloads import download
from pages._kit.html import PageColumn, el, html_table
from pages._kit.link import choose_naming, linked_files
from pages._kit.session import RECORDED, described_dataset, is_example, open_recorded, whole_dataset


def formats() -> None:
    """The table of formats and the example's files to download, each made when opened."""
    expander = st.expander("What can be read: formats, one line of each", on_change="rerun", key="formats")
    if expander.open:
        with expander:
            counts_line("What is repaired is said with its line, and no file is half loaded.")
            html_table(
                [PageColumn(name) for name in ("File", "One line of it", "Rules", "Recognised")],
                [
                    [
                        *(row["format"], el("code", row["line"]), row["rules"]),
                        row.get("recognised") or "; ".join(known_as(*row["roles"])),
                    ]
                    for row in content("formats")
                ],
                caption="Formats",
            )
    files_to_see = st.expander("Files to look at: the example's own", on_change="rerun", key="example_files")
    if not files_to_see.open:
        return
    folder = example_folder()
    with files_to_see, st.container(horizontal=True, gap="small"):
        names = [name for row in content("formats") for name in row.get("examples", ())]
        for name in (name for name in names if (folder / name).is_file()):  # an example of one's own may lack some
            download(name, (folder / name).read_bytes, Path(name).name, key=f"example-{name}")


if is_example() and linked_files() is not None:
    header("Data", "Load your files", "The address asks for files that are not loaded.")
    files.add_files()
    files.needs_fix()
    files.awaited()
    formats()
    st.stop()

loaded = described_dataset()
top = st.empty()


def head(rows: Sequence[SystemCoverage]) -> None:
    """The page's title, in its place: what can be evaluated follows k."""
    with top.container():
        header(f"Data · {loaded.name}", joins.title(loaded, rows), joins.sentence(loaded, rows, example=is_example()))
        joins.depths(loaded)
        joins.unmet_rows(whole_dataset())


with st.container(key="start", gap="small"):
    files.add_files()
    files.needs_fix()
    files.awaited()
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        if not is_example() or uploads.refused():
            st.button("Back to the example", on_click=uploads.reset, icon=":material/undo:", type="tertiary")
        if loaded.name != RECORDED:
            st.button(
                "Load the SmolLM2 example",
                on_click=open_recorded,
                icon=":material/smart_toy:",
                type="tertiary",
                help="The same questions, answered by SmolLM2-135M-Instruct from what BM25 and MiniLM find: a model so "
                "small mostly copies or guesses.",
            )
    systems.kept_line()
systems.opened_study_line()
left, right = st.columns([7, 4], gap="large")
with left:
    if joins.alone(loaded):
        head(())
    else:
        systems.coverage(loaded, head)
        systems.ask(whole_dataset())
        joins.groups(loaded)
        joins.answers(loaded)
    joins.bias(loaded)
    joins.variants(loaded)
with right:
    files.loaded_files(loaded)
    if not is_example():
        choose_naming()
formats()
