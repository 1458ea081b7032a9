"""What retrievers found: the share of stereotypical documents, where it can be known."""

import streamlit as st

from fairviz.model import Dataset, GroupLabels, Run
from fairviz.resources import example_folder
from fairviz.show.words import interval, listing, number
from fairviz.studies.social_bias.retrieval import STEREOTYPICAL, StereotypeShare, stereotype_share
from pages._kit import counts_line, is_example
from pages._kit.cache import cached
from pages._social_bias.results import Settings

EXAMPLE_SETTING = "full"
"""The collection that the example's runs are about: only there both polarities can be retrieved."""


def retrieved_line(loaded: Dataset, settings: Settings) -> None:
    """One line below the table, where retrievers are compared and their runs are known."""
    if settings.column != "retriever":
        return
    setting = dict(settings.compared.fixed).get("setting", EXAMPLE_SETTING)
    if is_example() and not setting.startswith(EXAMPLE_SETTING):
        return
    k = dict(settings.compared.fixed).get("k", "")
    share_of = shares(loaded, settings.values, int(k) if k.isdigit() and int(k) else 0, is_example())
    if not share_of:
        return
    parts = [
        f"{name} {number(share.share, 1)} % ({interval(*share.interval, 1)}; "
        f"{share.n_documents} labelled documents of {share.n_queries} queries)"
        for name, share in share_of.items()
    ]
    collection = next(iter(share_of.values())).collection
    counts_line(
        f"Stereotypical among the documents retrieved{f', k = {k}' if k else ''}: {listing(parts)}."
        f" In the collection: {number(collection, 1)} %. 95 % bootstrap over queries."
    )


@cached
def shares(loaded: Dataset, retrievers: tuple[str, ...], k: int, shipped: bool) -> dict[str, StereotypeShare]:
    """The share of each retriever that has a run: its tag is, or holds, the retriever's name."""
    runs, labels = _of_example() if shipped else (loaded.runs, loaded.labels)
    polarity = next((own for own in labels if STEREOTYPICAL in own.groups), None)
    if polarity is None:
        return {}
    share_of: dict[str, StereotypeShare] = {}
    for name in retrievers:
        run = _run_of(name, runs)
        if run is not None:
            share_of[name] = stereotype_share(run, polarity, k=k or None)
    return share_of


def _run_of(retriever: str, runs: tuple[Run, ...]) -> Run | None:
    name = retriever.casefold()
    if not name:
        return None
    exact = [run for run in runs if run.system.casefold() == name]
    return next(iter([*exact, *(run for run in runs if name in run.system.casefold())]), None)


@st.cache_resource(show_spinner=False)
def _of_example() -> tuple[tuple[Run, ...], tuple[GroupLabels, ...]]:
    """Runs and polarities that the example's answers were made with; no part of its data set."""
    from fairviz.io.dataset import load_dataset

    folder = example_folder() / "bias"
    files = [*sorted(folder.glob("full-set.*.run.gz")), folder / "polarity.tsv"]
    read = load_dataset([path for path in files if path.is_file()]).dataset
    return read.runs, read.labels
