"""What retrievers found: the share of stereotypical documents, where it can be known."""

from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.model import Dataset, GroupLabels, Run
from fairviz.resources import example_folder
from fairviz.show.words import interval, listing, number
from fairviz.studies.social_bias.drill import STEREOTYPICAL, StereotypeShare, stereotype_share
from fairviz.studies.social_bias.figures import KLine, by_k_alt, by_k_figure, k_bounds
from fairviz.studies.social_bias.findings import MEASURE_LABELS, POOLED, points, span_words, type_label
from fairviz.studies.social_bias.measures import BiasMeasure
from fairviz.studies.social_bias.rows import BiasRow, is_without_rag
from fairviz.studies.social_bias.views import is_nothing
from pages._kit import colours, counts_line, el, is_example, section, show_figure
from pages._kit.cache import cached
from pages._social_bias.results import Chosen, own, rows_by_k

# How many documents: bias and accuracy of one model by k, in both contexts.


MEASURES: tuple[BiasMeasure, ...] = ("diffbias_a", "diffbias_d", "acc_a", "acc_d")


class Step(NamedTuple):
    """Difference of a setting between its smallest and its largest k."""

    setting: str
    change: float


@st.fragment
def curves(loaded: Dataset, chosen: Chosen, measure: BiasMeasure) -> None:
    """Four charts, where answers have at least two numbers of documents."""
    mine = own(loaded)
    known = [value for value in mine.values.get("k", ()) if not is_nothing(value)]
    if len(known) < 2:
        return
    fixed = tuple(pair for pair in chosen.compared.fixed if pair[0] not in ("k", "setting"))
    if chosen.compared.column not in ("k", "setting", "model"):
        fixed = (*fixed, (chosen.compared.column, chosen.value))
    rows = rows_by_k(loaded, fixed, chosen.model, chosen.ooc)
    top = st.container()
    types = list(dict.fromkeys(row.get("category") for row in rows))
    picked = st.selectbox(
        "Bias type",
        types,
        key="k_type",
        bind="query-params",
        width=230,
        format_func=lambda name: type_label(name) if name else POOLED,
    )
    here = [row for row in rows if row.get("category") == picked]
    with top:
        who = chosen.names[chosen.model]
        about = "percent. Bands: 95 % bootstrap over templates. Dashed level: without documents."
        section(_title(_lines(here, measure), measure), f"{who}, {about}")
    for pair in (MEASURES[:2], MEASURES[2:]):
        bounds = [k_bounds(_lines(here, one), one) for one in pair]
        both = (min(low for low, _ in bounds), max(high for _, high in bounds))
        for one, column in zip(pair, st.columns(2, gap="medium"), strict=True):
            with column:
                way = "(↑ more right answers)" if one.startswith("acc") else "(+ = stereotype)"
                st.html(el("h3", f"{MEASURE_LABELS[one]} {way}", cls="fv-part"))
                lines = _lines(here, one)
                figure = by_k_figure(lines, one, bounds=both, colours=colours())
                show_figure(figure, f"by-k-{one}", by_k_alt(lines, MEASURE_LABELS[one]))
    sizes = [row.n_items for row in here]
    counts_line(f"{span_words(min(sizes), max(sizes))} items in a point")


def _lines(rows: list[BiasRow], measure: BiasMeasure) -> list[KLine]:
    """A line per setting, and a level for what has no documents."""
    settings = dict.fromkeys(row.get("setting") for row in rows)
    found: list[KLine] = []
    for setting in settings:
        here = [row for row in rows if row.get("setting") == setting]
        flat = is_without_rag(setting) or all(is_nothing(row.get("k")) for row in here)
        here = here[:1] if flat else [row for row in here if not is_nothing(row.get("k"))]
        here.sort(key=lambda row: _k(row.get("k")))
        ends = np.array([row.intervals[measure] for row in here], dtype=np.float64)
        found.append(
            KLine(
                name=setting,
                k=np.array([] if flat else [_k(row.get("k")) for row in here], dtype=np.float64),
                values=np.array([row.values[measure] for row in here]),
                low=ends[:, 0],
                high=ends[:, 1],
            )
        )
    return found


def _k(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _title(lines: list[KLine], measure: BiasMeasure) -> str:
    """How far each setting is from its smallest k at its largest; no test, so no verdict."""
    moving = [line for line in lines if line.k.size > 1]
    if not moving:
        return "Answers by number of documents"
    low, high = f"{moving[0].k[0]:g}", f"{moving[0].k[-1]:g}"
    parts = [
        f"{points(float(line.values[-1] - line.values[0]), sign=True)} with {line.name or 'RAG'}" for line in moving
    ]
    what = MEASURE_LABELS[measure].replace("Accuracy", "accuracy")
    return f"From {low} to {high} documents, {what} changes by {listing(parts)}"


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


@cached
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
    from fairviz.io.dataset import load_dataset

    folder = example_folder() / "bias"
    files = [*sorted(folder.glob("full-set.*.run.gz")), folder / "polarity.tsv"]
    read = load_dataset([path for path in files if path.is_file()]).dataset
    return read.runs, read.labels
