"""FAIR beside other metrics at every rank: Gao et al.'s Figure 1 and Table 3 for these systems."""

from collections.abc import Callable
from typing import cast

import numpy as np
import streamlit as st

from fairviz.analysis.rank_series import RankSeries, SeriesMetric
from fairviz.analysis.series_correlation import SeriesCorrelation
from fairviz.figures.rank_series import IRM_LABELS, rank_series_alt, rank_series_figure
from fairviz.metrics.fair import Irm
from fairviz.model import Dataset
from fairviz.report.agreement_tables import correlation_content, series_content
from fairviz.report.csv import csv_text
from pages._agreement_results import DataSet, systems
from pages._series_results import (
    ALGORITHMS,
    N_REPEATS,
    correlations_of,
    reranked_series,
    series_of,
)
from pages._shared import (
    Cell,
    Two,
    colours,
    counts_line,
    html_table,
    interval,
    number,
    p_value,
    show_figure,
)

PANELS: tuple[SeriesMetric, ...] = ("FAIR", "alpha_nDCG", "KL", "nDRKL")
"""The panels of the paper's figure."""
DEPTHS = (10, 20, 50)


def series_section(loaded: Dataset, data: DataSet, *, system: int, judgements: int) -> None:
    """Figure 1 and Table 3, for the systems that are loaded."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        depth = int(st.segmented_control("Ranks, K", DEPTHS, default=20, key="series-depth", required=True))
        irm = cast(
            "Irm",
            st.selectbox(
                "FAIR discounts the gains of",
                list(IRM_LABELS),
                key="series-irm",
                width=170,
                format_func=lambda name: IRM_LABELS[name],
            ),
        )
        again = _algorithms() if system < len(loaded.runs) else []
    series = [series_of(loaded, data, judgements, depth, irm, i) for i in range(len(systems(loaded)))]
    series += [reranked_series(loaded, data, judgements, depth, irm, system, name) for name in again]
    named = [series[system].system, *again]
    dashed = [name for name in again if not ALGORITHMS[name].judged]
    for start in (0, 2):
        for column, metric in zip(st.columns(2), PANELS[start : start + 2], strict=True):
            with column:
                figure = rank_series_figure(series, metric, colours=colours(), highlighted=named, dashed=dashed)
                show_figure(figure, f"series-{metric}", rank_series_alt(series, metric))
    counts_line(_counts(series[system]))
    rows = correlations_of(loaded, data, judgements, depth, irm, system)
    html_table(
        ["K", "FAIR and", "Pearson", "p", "Spearman", "p", "Pearson, over queries", "Spearman, over queries"],
        [_row(one) for one in rows],
        caption=f"Correlation of FAIR with other metrics, {series[system].system}",
    )
    counts_line(
        "Over ranks: FAIR@i against the metric at i = 1 … K, means over queries (Gao et al. 2022, "
        "Table 3). p as if ranks were independent, which they are not: each holds all above it. "
        "Over queries: at K, ours, with a 95 % bootstrap over queries."
    )
    with st.container(horizontal=True, gap="small"):
        _csv("Ranks, CSV", "fairviz-series", lambda: csv_text(series_content(series)))
        _csv("Table, CSV", "fairviz-fair", lambda: csv_text(correlation_content(rows)))


def _csv(label: str, stem: str, content: Callable[[], str]) -> None:
    st.download_button(
        label,
        content,
        file_name=f"{stem}.csv",
        mime="text/csv",
        type="tertiary",
        icon=":material/download:",
        on_click="ignore",
        key=f"{stem}-csv",
    )


def _algorithms() -> list[str]:
    return st.multiselect(
        "Re-ranked too, the system in ink",
        list(ALGORITHMS),
        key="series-rerank",
        max_selections=3,
        width=380,
        help="Gao et al.'s algorithms: RJ sees the judgements, NoRJ (dashed) takes every item as "
        "useful; DetCons follows the scores. Lists are evaluated with the judgements either way; "
        f"random ones are the mean of {N_REPEATS} lists.",
    )


def _counts(found: RankSeries) -> str:
    n = found.n_queries[:, -1]
    undefined = len(found.query_ids) - int(n[0])
    first = int(np.max(found.n_queries[0]) - found.n_queries[0, 0])
    later = f" · {first} of them only below rank 1" if first else ""
    return f"{found.system}: {len(found.query_ids)} judged queries · FAIR undefined for {undefined}{later}"


def _row(one: SeriesCorrelation) -> list[Cell]:
    over = one.queries
    return [
        str(one.cutoff),
        one.metric,
        number(one.ranks.pearson),
        p_value(one.ranks.pearson_p),
        number(one.ranks.spearman),
        p_value(one.ranks.spearman_p),
        Two(top=number(over.pearson), below=interval(*over.pearson_interval, 2)),
        Two(top=number(over.spearman), below=interval(*over.spearman_interval, 2)),
    ]
