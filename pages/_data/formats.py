"""What fairviz reads, each format with a file of the example to look at."""

from pathlib import Path

import streamlit as st

from fairviz.resources import content, example_folder
from pages._kit import Column, counts_line, download, el, html_table

EXAMPLES = (
    "bm25.run",
    "samples.alpha-2.run.gz",
    "usefulness.qrels",
    "region.tsv",
    "target.json",
    "outputs.alpha-2.jsonl.gz",
    "references.jsonl",
    "queries.jsonl",
    "corpus.jsonl",
    "bias/items.csv.gz",
    "bias/predictions.csv.gz",
    "variants/answers.jsonl.gz",
)


def show() -> None:
    """The table of formats and the example's files to download, each made when opened."""
    known = st.expander("What can be read: formats, one line of each", on_change="rerun", key="formats")
    if known.open:
        with known:
            counts_line("What is repaired is said with its line, and no file is half loaded.")
            html_table(
                [Column(label=name) for name in ("File", "One line of it", "Rules")],
                [[one["format"], el("code", one["line"]), one["rules"]] for one in content("formats")],
                caption="Formats",
            )
    files = st.expander("Files to look at: the example's own", on_change="rerun", key="example_files")
    if not files.open:
        return
    folder = example_folder()
    with files, st.container(horizontal=True, gap="small"):
        for name in EXAMPLES:
            download(name, (folder / name).read_bytes, file_name=Path(name).name, key=f"example-{name}")
