"""Sections of the Agreement page: triangles of τ, strips of every measure, series down the ranks, files."""

from collections.abc import Callable
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.display.html import Figure, Section, html_text, section_of
from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.display.theme import in_both_themes, plotly_script
from fairviz.display.words import listing, percent, plural
from fairviz.evaluation.compare import short_names
from fairviz.evaluation.figures import metric_results_alt, metric_results_figure, strips
from fairviz.grouping import Missing
from fairviz.model import Dataset, Target
from fairviz.report.group_pages import AgreementSettings
from fairviz.stats.kendall import VARIANTS, Variant
from fairviz.studies.agreement.agreement import agreement_measures
from fairviz.studies.agreement.figures import agreement_alt, agreement_figure
from fairviz.studies.agreement.findings import (
    agreement_sentence,
    agreement_title,
    choice_sentences,
    consistent_sentence,
    consistent_title,
)
from fairviz.studies.agreement.tables import AgreementResults, tables
from pages._agreement.results import (
    MOST_AT_ONCE,
    MOST_UNASKED,
    Compared,
    DataSet,
    compared,
    n_places,
    systems,
    systems_judged,
)
from pages._agreement.series import series_section
from pages._kit import Row, callout, colours, counts_line, download_row, page_table, section, show_figure, user_text
from pages._kit.commands import held_against, page_commands
from pages._kit.target_editor import standing_target

NOBODY = "none"
STEM = "fairviz-agreement"
CELL = 38
"""Pixels across that a measure of a triangle needs for its numbers; a narrower screen scrolls."""

USUAL = (
    "AWRF",
    "nDKL",
    "MinSkew",
    "MaxSkew",
    "logDP",
    "logEUR",
    "logRUR",
    "IAA",
    "PAIR",
    "EED",
    "EEL",
    "FAIR",
    "nDCG",
)
"""Measures that are compared unless others are chosen, by name."""
TAU: dict[Variant, str] = {"c": "τ-c", "b": "τ-b"}


def agreement_sections(
    loaded: Dataset,
    say: Callable[[str, str], None],
    *,
    attribute: int,
    system: int,
    judgements: int | None = None,
    unlabelled: Missing = "drop",
    k: int = 10,
) -> None:
    """Whether the measures agree on the order of the systems; with metrics down the ranks.

    A comparison of much data waits for a button when the target was moved, and says for which target it stands.

    Args:
        loaded: The data, with labels.
        say: Puts the finding above the page: title and sentence.
        attribute: Which labels come first; further attributes are further data sets.
        system: Whose pools the presets of the target look at, and who is highlighted.
        judgements: Which judgements, None for none.
        unlabelled: As in the target editor.
        k: Cutoff of measures of the top.
    """
    top = st.container()
    with st.expander("Measures that are compared"):
        measures = _measures(loaded, attribute, k, judged=judgements is not None)
        variant = st.segmented_control(
            "Kendall's τ",
            VARIANTS,
            default=VARIANTS[0],
            format_func=TAU.__getitem__,
            key="tau",
            required=True,
            bind="query-params",
            help="They differ only where systems are tied.",
        )
    now = tuple(
        _data_set(standing_target(loaded, attribute=i, system=system, judgements=judgements, unlabelled=unlabelled), i)
        for i in (attribute, *(j for j in range(len(loaded.labels)) if j != attribute))
    )
    if len(measures) < 2:
        say("Choose two measures to compare", "Choose them in the list below.")
        return
    with top:
        data_sets = _held(loaded, now, len(measures))
        if data_sets is None:
            n_systems = plural(len(systems_judged(loaded, judgements)), "system")
            say(f"{len(measures)} measures of {n_systems} can be compared", "That takes a while on these data.")
            return
        with st.spinner("Measuring all systems …"):
            comparison = compared(loaded, data_sets, judgements, tuple(measures), cast("Variant", variant))
        first = comparison.agreements[0]
        say(agreement_title(first), agreement_sentence(first, len(_left_out(comparison, 0))))
        heatmaps(comparison, data_sets)
    with st.expander("Every measure of every system"):
        names = [one.system for one in systems_judged(loaded, judgements)]
        results(comparison, names, names.index(systems(loaded)[system].system))
    if judgements is not None:
        with st.expander("FAIR and other metrics at every rank"):
            series_section(loaded, data_sets[0], system=system, judgements=judgements)

    def told() -> AgreementSettings:
        return AgreementSettings(
            measures=tuple(measures),
            tau=cast("Variant", variant),
            judgements=judgements or 0,
            against=held_against(loaded, attribute, data_sets[0].target),
        )

    downloads(comparison, told)


def _measures(loaded: Dataset, attribute: int, k: int, *, judged: bool) -> list[str]:
    """The measures that a person wants compared."""
    groups, group = loaded.labels[attribute].groups, None
    if len(groups) > 2:
        picked = st.selectbox(
            "Compare one group with the others",
            [NOBODY, *groups],
            key="agreement-group",
            help="Measures of two groups (logDP, PreF, …) compare one group with all others together.",
        )
        group = None if picked == NOBODY else picked
    offered = agreement_measures(k, judged=judged, group=group)
    names = dict(zip(offered, short_names(offered), strict=True))
    return st.multiselect(
        "Measures",
        offered,
        [text for text in offered if names[text].split("@")[0] in USUAL],
        format_func=lambda text: names[text],
        key=f"agreement-measures-{k}-{group}-{judged}",
    )


def _held(loaded: Dataset, now: tuple[DataSet, ...], n: int) -> tuple[DataSet, ...] | None:
    """The data sets to compare by n measures: those of now, or with much data when asked."""
    work = n_places(loaded) * n * len(now)
    if work <= MOST_AT_ONCE:
        return now
    key = f"agreement-held-{loaded.fingerprint[:12]}-{now[0].attribute}"
    if work <= MOST_UNASKED:
        st.session_state.setdefault(key, now)
    held: tuple[DataSet, ...] | None = st.session_state.get(key)
    if held is None:
        label = "Compare the measures"
    elif held != now:
        callout("The target has changed since these measures were compared", calm=True)
        label = "Compare for the current target"
    else:
        return held
    if st.button(label, key="agreement-again"):
        st.session_state[key] = held = now
    return held


def _data_set(target: Target, attribute: int) -> DataSet:
    return DataSet(attribute, target.groups, tuple(target.shares.tolist()))


# Triangles of τ, and every measure of every system.


def heatmaps(comparison: Compared, data_sets: tuple[DataSet, ...]) -> None:
    """A triangle per data set, and what it means for a choice."""
    first, n = comparison.agreements[0], len(comparison.agreements)
    if len(comparison.measured[0].table.systems) < 2:
        user_text("Load more runs or samples of the same queries to see whether measures agree.")
        return
    left, right = st.columns([7, 4], gap="large")
    with left:
        _heatmap(comparison, data_sets, 0)
    with right:
        for text in choice_sentences(first):
            user_text(text)
    if n > 1:
        names = [agreement.name for agreement in comparison.agreements]
        section(consistent_title(comparison.consistent, names), consistent_sentence(comparison.consistent, names))
        for columns in _pairs_of_columns(n - 1, at_least=2):
            for at, column in columns:
                with column:
                    _heatmap(comparison, data_sets, at + 1)
    refused = [refusal for measured in comparison.measured for refusal in measured.refused]
    left_out = tables(AgreementResults(refused=refused))["left-out-read"]
    if left_out.rows:
        with st.expander("Why measures could not be computed"):
            page_table(
                left_out,
                drawn={"reason": _why},
                columns={"left out": "Measure", "reason": "Why"},
                caption="Measures that these data do not allow",
            )


def _why(row: Row) -> str:
    """What a command takes as an option is a choice on this page."""
    why = row.text("reason")
    return f"Choose one group to compute {row.text('left out')}" if "group=" in why else why


def _heatmap(comparison: Compared, data_sets: tuple[DataSet, ...], at: int) -> None:
    agreement = comparison.agreements[at]
    if len(data_sets) > 1:
        user_text(f"Groups: {agreement.name}")
    st.html(f"<style>.st-key-heatmap-{at} > * {{ min-width: {CELL * len(agreement.measures)}px; }}</style>")
    with st.container(key=f"heatmap-{at}"):
        show_figure(agreement_figure(agreement, colours=colours()), f"agreement-{at}", agreement_alt(agreement))
    counts_line(
        f"{plural(len(comparison.measured[at].table.systems), 'system')} · "
        f"{plural(len(agreement.pairs), 'pair of measures', 'pairs of measures')}, "
        f"{len(agreement.pairs) - len(agreement.defined) or 'none'} of them undefined · target: "
        f"{_words(data_sets[at])}"
    )
    if missing := _left_out(comparison, at):
        counts_line(f"Not computed: {listing(missing)}.")


def _left_out(comparison: Compared, at: int) -> list[str]:
    """Measures that no system of a data set has."""
    return list(dict.fromkeys(refusal.measure for refusal in comparison.measured[at].refused))


def results(comparison: Compared, names: list[str], system: int) -> None:
    """Strips of every measure, data sets side by side on one scale."""
    picked = st.selectbox("In ink", [*names, NOBODY], index=system, key="agreement-ink", width=260)
    data_sets = [measured.table for measured in comparison.measured]
    scales = strips(data_sets)
    for columns in _pairs_of_columns(len(data_sets)):
        for at, column in columns:
            table = data_sets[at]
            with column:
                if len(data_sets) > 1:
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


# Downloads: pairs for the chosen groups, which a command prints again, as CSV and LaTeX; all groups as HTML.


def downloads(comparison: Compared, told: Callable[[], AgreementSettings]) -> None:
    """The row of buttons; files are written when one is pressed."""
    known = tables(AgreementResults(agreements=comparison.agreements[:1]))
    download_row(
        STEM,
        "Pairs of measures, and this page",
        frame_csv=lambda: csv_text(known["pairs"]),
        latex=lambda: latex_text(known["pairs"], label="tab:pairs"),
        html=lambda: html_text("Agreement of measures", report_sections(comparison), plotly_js=plotly_script()),
        commands=lambda: page_commands("agreement", told(), csv="pairs", latex=["pairs"]),
    )


def report_sections(comparison: Compared) -> list[Section]:
    """What a report says: a triangle and the values of each data set, then all together."""
    sections: list[Section] = []
    for measured, agreement in zip(comparison.measured, comparison.agreements, strict=True):
        light, dark = in_both_themes(lambda colours, agreement=agreement: agreement_figure(agreement, colours=colours))
        alt = agreement_alt(agreement)
        known = tables(AgreementResults(measured=measured.table, refused=measured.refused))
        figure = Figure(light, dark, alt, caption=agreement.name, name=STEM)
        blocks = (figure, "systems", *(["left-out-read"] if measured.refused else []))
        sentences = (agreement_sentence(agreement), *choice_sentences(agreement))
        sections.append(section_of(known, agreement_title(agreement), *sentences, blocks=blocks))
    if len(comparison.agreements) > 1:
        names = [each_agreement.name for each_agreement in comparison.agreements]
        known = tables(AgreementResults(consistent=(comparison.consistent, names)))
        sentence = consistent_sentence(comparison.consistent, names)
        sections.append(section_of(known, "In all data sets", sentence, blocks=["consistent"]))
    return sections
