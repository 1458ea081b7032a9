"""What the agreement section shows: triangles of τ, and every measure of every system."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.figures.agreement import agreement_alt, agreement_figure
from fairviz.figures.metric_results import metric_results_alt, metric_results_figure, strips
from fairviz.report.agreement_findings import (
    agreement_sentence,
    agreement_title,
    choice_sentences,
    consistent_sentence,
)
from fairviz.report.agreement_tables import refused_content
from pages._agreement_results import Compared, DataSet
from pages._shared import (
    Column,
    colours,
    counts_line,
    html_table,
    listing,
    percent,
    plural,
    section,
    show_figure,
    user_text,
)

NOBODY = "none"


def heatmaps(found: Compared, data_sets: tuple[DataSet, ...]) -> None:
    """The finding, a triangle per data set, and what it means for a choice."""
    first, n = found.agreements[0], len(found.agreements)
    section(agreement_title(first), agreement_sentence(first, len(_left_out(found, 0))))
    if len(found.measured[0].table.systems) < 2:
        user_text("Load more runs or samples of the same queries to see whether measures agree.")
        return
    left, right = st.columns([7, 4], gap="large")
    with left:
        _heatmap(found, data_sets, 0)
    with right:
        for text in choice_sentences(first):
            user_text(text)
    if n > 1:
        section(
            "Does it hold for other groups of the same documents?",
            consistent_sentence(found.consistent, [one.name for one in found.agreements]),
        )
        for columns in _pairs_of_columns(n - 1, at_least=2):
            for at, column in columns:
                with column:
                    _heatmap(found, data_sets, at + 1)
    refused = refused_content([one for each in found.measured for one in each.refused])
    if refused.rows:
        with st.expander("Why measures could not be computed"):
            html_table(
                ["Measure", Column(label="Why")],
                [[str(cell) for cell in row] for row in refused.rows],
                caption="Measures that these data do not allow",
            )


def _heatmap(found: Compared, data_sets: tuple[DataSet, ...], at: int) -> None:
    agreement = found.agreements[at]
    if len(data_sets) > 1:
        user_text(f"Groups: {agreement.name}")
    show_figure(agreement_figure(agreement, colours=colours()), f"agreement-{at}", agreement_alt(agreement))
    counts_line(
        f"{plural(len(found.measured[at].table.systems), 'system')} · "
        f"{plural(len(agreement.pairs), 'pair')} · "
        f"{len(agreement.pairs) - len(agreement.defined)} undefined · target: "
        f"{_words(data_sets[at])}"
    )
    if missing := _left_out(found, at):
        counts_line(f"Not computed: {listing(missing)}.")


def _left_out(found: Compared, at: int) -> list[str]:
    """Measures that no system of a data set has."""
    return list(dict.fromkeys(one.measure for one in found.measured[at].refused))


def results(found: Compared, names: list[str], system: int) -> None:
    """Strips of every measure, data sets side by side on one scale."""
    picked = st.selectbox("In ink", [*names, NOBODY], index=system, key="agreement-ink", width=260)
    tables = [one.table for one in found.measured]
    scales = strips(tables)
    for columns in _pairs_of_columns(len(tables)):
        for at, column in columns:
            table = tables[at]
            with column:
                if len(tables) > 1:
                    user_text(f"Groups: {table.name}")
                figure = metric_results_figure(table, colours=colours(), highlighted=picked, scales=scales)
                show_figure(figure, f"results-{at}", metric_results_alt(table))
    counts_line(
        "A dot is a system, on the scale of each measure; open diamonds are infinite. Means over "
        "queries; undefined systems are counted beside the measure."
    )


def _words(data: DataSet) -> str:
    shares = [f"{g} {percent(s)}" for g, s in zip(data.groups, data.shares, strict=True)]
    return listing(shares) if len(shares) < 8 else f"{len(shares)} groups"


def _pairs_of_columns(n: int, *, at_least: int = 1) -> list[list[tuple[int, DeltaGenerator]]]:
    """Places side by side, two to a row."""
    return [
        list(
            zip(
                range(start, min(start + 2, n)),
                st.columns(min(max(n, at_least), 2), gap="large"),
                strict=False,
            )
        )
        for start in range(0, n, 2)
    ]
