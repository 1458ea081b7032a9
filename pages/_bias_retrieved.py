"""What retrievers found: the share of stereotypical documents, where it can be known."""

import streamlit as st

from fairviz.analysis.stereotype_share import STEREOTYPICAL, StereotypeShare, stereotype_share
from fairviz.model import Dataset, GroupLabels, Run
from fairviz.resources import example_folder
from pages._bias_settings import Chosen
from pages._kept import kept
from pages._shared import counts_line, interval, is_example, listing, number

EXAMPLE_SETTING = "full"
"""The collection that the example's runs are about: only there both polarities can be retrieved."""


def retrieved_line(loaded: Dataset, chosen: Chosen) -> None:
    """One line below the table, where retrievers are compared and their runs are known."""
    if chosen.column != "retriever":
        return
    setting = dict(chosen.compared.fixed).get("setting", EXAMPLE_SETTING)
    if is_example() and not setting.startswith(EXAMPLE_SETTING):
        return
    k = dict(chosen.compared.fixed).get("k", "")
    found = shares(loaded, chosen.values, int(k) if k.isdigit() and int(k) else 0, is_example())
    if not found:
        return
    parts = [
        f"{name} {number(one.share, 1)} % ({interval(*one.interval, 1)}; "
        f"{one.n_documents} labelled documents of {one.n_queries} queries)"
        for name, one in found.items()
    ]
    collection = next(iter(found.values())).collection
    counts_line(
        f"Stereotypical among the documents retrieved{f', k = {k}' if k else ''}: {listing(parts)}."
        f" In the collection: {number(collection, 1)} %. 95 % bootstrap over queries."
    )


@kept
def shares(loaded: Dataset, retrievers: tuple[str, ...], k: int, shipped: bool) -> dict[str, StereotypeShare]:
    """The share of each retriever that has a run: its tag is, or holds, the retriever's name."""
    runs, labels = _of_example() if shipped else (loaded.runs, loaded.labels)
    polarity = next((one for one in labels if STEREOTYPICAL in one.groups), None)
    if polarity is None:
        return {}
    found: dict[str, StereotypeShare] = {}
    for name in retrievers:
        run = _run_of(name, runs)
        if run is not None:
            found[name] = stereotype_share(run, polarity, k=k or None)
    return found


def _run_of(retriever: str, runs: tuple[Run, ...]) -> Run | None:
    wanted = retriever.casefold()
    if not wanted:
        return None
    exact = [run for run in runs if run.system.casefold() == wanted]
    return next(iter([*exact, *(run for run in runs if wanted in run.system.casefold())]), None)


@st.cache_resource(show_spinner=False)
def _of_example() -> tuple[tuple[Run, ...], tuple[GroupLabels, ...]]:
    """Runs and polarities that the example's answers were made with; no part of its data set."""
    from fairviz.formats.dataset import load_dataset

    folder = example_folder() / "bias"
    files = [*sorted(folder.glob("full-set.*.run.gz")), folder / "polarity.tsv"]
    read = load_dataset([path for path in files if path.is_file()]).dataset
    return read.runs, read.labels
