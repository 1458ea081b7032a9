"""Parts of the page Agreement: measures of all systems, how they agree, and FAIR beside others at every rank."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.display.html import Figure, Section, html_text, section_of
from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.display.theme import in_both_themes, plotly_script
from fairviz.display.words import interval, listing, number, percent, plural
from fairviz.evaluation.compare import short_names
from fairviz.evaluation.evaluate import Evaluation
from fairviz.evaluation.figures import metric_results_alt, metric_results_figure, strips
from fairviz.evaluation.joins import of_collection
from fairviz.grouping import Missing
from fairviz.metrics.fair import Irm
from fairviz.model import Dataset, RankingSample, Run, Target
from fairviz.report.group_pages import AgreementSettings
from fairviz.stats.correlation import VARIANTS, Variant
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.agreement.agreement import (
    Agreement,
    ConsistentPair,
    Measured,
    Measuring,
    agreement,
    agreement_measures,
    consistent_pairs,
)
from fairviz.studies.agreement.figures import (
    IRM_LABELS,
    agreement_alt,
    agreement_figure,
    rank_series_alt,
    rank_series_figure,
)
from fairviz.studies.agreement.findings import (
    agreement_sentence,
    agreement_title,
    choice_sentences,
    consistent_sentence,
    consistent_title,
)
from fairviz.studies.agreement.series import (
    Gains,
    RankSeries,
    SeriesCorrelation,
    SeriesMetric,
    rank_series,
    series_correlations,
)
from fairviz.studies.agreement.tables import AgreementResults, tables
from fairviz.studies.policy_lab.reranking import rerank
from pages._kit import callout, colours, counts_line, section, show_figure, user_text
from pages._kit.cache import cached
from pages._kit.commands import held_against, page_commands
from pages._kit.downloads import download, download_row
from pages._kit.html import Column, Two
from pages._kit.table import Drawing, Row, muted, page_table
from pages._kit.target import standing_target

MOST_AT_ONCE = 1_000_000
"""Ranked places × measures up to which the comparison follows the target by itself: half a second,
after all that stands above it is repainted."""
MOST_UNASKED = 12_000_000
"""The same up to which it is made at all without a button: some seconds."""

Shares = tuple[float, ...]


class DataSet(NamedTuple):
    """One set of labels with the target it is held against; plain values, to be a key.

    Attributes:
        attribute: Index of the labels.
        groups: Groups of the target.
        shares: Their shares.
    """

    attribute: int
    groups: tuple[str, ...]
    shares: Shares

    @property
    def target(self) -> Target:
        """The target."""
        return Target(groups=self.groups, shares=np.array(self.shares))


class Compared(NamedTuple):
    """What the section shows.

    Attributes:
        measured: One per data set.
        agreements: Likewise.
        consistent: Pairs with one sign of τ in all of them.
    """

    measured: tuple[Measured, ...]
    agreements: tuple[Agreement, ...]
    consistent: tuple[ConsistentPair, ...]


def systems(loaded: Dataset) -> tuple[Run | RankingSample, ...]:
    """All that is ranked, under distinct names: runs, then samples with their α or number."""
    taken = {run.system for run in loaded.runs}
    named: list[Run | RankingSample] = [*loaded.runs]
    for i, sample in enumerate(loaded.samples, start=1):
        mark = f"sample {i}" if sample.alpha is None else f"α = {sample.alpha:g}"
        name = f"{sample.system}, {mark}" if sample.system in taken else sample.system
        name = f"{name} ({i})" if name in taken else name
        taken.add(name)
        named.append(replace(sample, system=name))
    return tuple(named)


def systems_judged(loaded: Dataset, judgements: int | None) -> list[Run | RankingSample]:
    """Those of the collection of some judgements; all without judgements."""
    return of_collection(systems(loaded), () if judgements is None else (loaded.qrels[judgements],))


def n_places(loaded: Dataset) -> int:
    """Ranked places of all systems."""
    return sum(system.docs.size for system in systems(loaded))


def _measuring(loaded: Dataset, attribute: int, judgements: int | None, measures: tuple[str, ...]) -> Measuring:
    qrels = () if judgements is None else (loaded.qrels[judgements],)
    return Measuring(systems_judged(loaded, judgements), qrels, loaded.labels[attribute], measures)


@cached
def without_target(loaded: Dataset, attribute: int, judgements: int | None, measures: tuple[str, ...]) -> Evaluation:
    """Measures that no target moves; those that need one are among the refused."""
    return _measuring(loaded, attribute, judgements, measures).unmoved()


@cached
def measured(loaded: Dataset, data: DataSet, judgements: int | None, measures: tuple[str, ...]) -> Measured:
    """Every measure of every system; what the data do not allow is refused with a reason."""
    fixed = without_target(loaded, data.attribute, judgements, measures)
    return _measuring(loaded, data.attribute, judgements, measures).held_against(data.target, fixed)


def compared(
    loaded: Dataset,
    data_sets: tuple[DataSet, ...],
    judgements: int | None,
    measures: tuple[str, ...],
    variant: Variant,
) -> Compared:
    """Agreement on each data set, and over all of them."""
    by_data = tuple(measured(loaded, data, judgements, measures) for data in data_sets)
    agreements = tuple(agreement(data_measured.table, variant=variant) for data_measured in by_data)
    return Compared(by_data, agreements, consistent_pairs(agreements) if len(agreements) > 1 else ())


N_RESAMPLES = 500
"""Resamples behind the intervals of the FAIR table."""
N_REPEATS = 20
"""Lists that a random re-ranker is averaged over."""

EPSILONS = (0.0, 0.3, 0.5, 0.7, 1.0)
"""Of FAIR ε-greedy in the paper."""
PANELS: tuple[SeriesMetric, ...] = ("FAIR", "alpha_nDCG", "KL", "nDRKL")
"""The panels of the paper's figure."""
DEPTHS = (10, 20, 50)


class Algorithm(NamedTuple):
    """A re-ranker as Gao et al.'s case study has it.

    Attributes:
        method: Its name.
        epsilon: Of FAIR ε-greedy, None for others.
        judged: Whether it sees the judgements (RJ) or takes every item as useful (NoRJ).
    """

    method: str
    epsilon: float | None = None
    judged: bool = False


ALGORITHMS: dict[str, Algorithm] = {"DetCons": Algorithm("det-cons")} | {
    f"{label}, {'RJ' if judged else 'NoRJ'}": Algorithm(method, epsilon, judged)
    for label, method, epsilon in (
        ("greedy ideal", "novelty", None),
        *((f"{share:g}-greedy", "fair-epsilon-greedy", share) for share in EPSILONS),
    )
    for judged in (True, False)
}
"""The algorithms of the paper's Figure 1, by the name in the chart."""


@cached
def series_of(loaded: Dataset, data: DataSet, judgements: int, depth: int, irm: Irm, system: int) -> RankSeries:
    """Metrics of one system at every rank."""
    return rank_series(
        systems(loaded)[system],
        qrels=loaded.qrels[judgements],
        labels=loaded.labels[data.attribute],
        target=data.target,
        depth=depth,
        gains=Gains(irm=irm),
    )


@cached
def reranked_series(
    loaded: Dataset,
    data: DataSet,
    judgements: int,
    depth: int,
    irm: Irm,
    system: int,
    algorithm: str,
) -> RankSeries:
    """The same after re-ranking its run by one of :data:`ALGORITHMS`, under that name."""
    method, epsilon, judged = ALGORITHMS[algorithm]
    strength: dict[str, Any] = {} if epsilon is None else {"epsilon": epsilon}
    qrels, labels = loaded.qrels[judgements], loaded.labels[data.attribute]
    again = rerank(
        replace(loaded.runs[system], system=algorithm),
        method,
        labels=labels,
        target=data.target,
        k=depth,
        qrels=qrels if judged else None,
        rng=np.random.default_rng(0),
        repeats=N_REPEATS if epsilon is not None and 0 < epsilon < 1 else 1,
        **strength,
    )
    series = rank_series(again, qrels=qrels, labels=labels, target=data.target, depth=depth, gains=Gains(irm=irm))
    return replace(series, system=algorithm)


@cached
def correlations_of(
    loaded: Dataset, data: DataSet, judgements: int, depth: int, irm: Irm, system: int
) -> tuple[SeriesCorrelation, ...]:
    """FAIR against the other metrics, down the ranks and over queries."""
    return series_correlations(
        series_of(loaded, data, judgements, depth, irm, system),
        rng=np.random.default_rng(0),
        n_resamples=N_RESAMPLES,
    )


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
    every, wanted = systems(loaded), {one.system for one in systems_judged(loaded, judgements)}
    series = [series_of(loaded, data, judgements, depth, irm, i) for i, s in enumerate(every) if s.system in wanted]
    highlighted = next(one for one in series if one.system == every[system].system)
    series += [reranked_series(loaded, data, judgements, depth, irm, system, name) for name in again]
    named = [highlighted.system, *again]
    dashed = [name for name in again if not ALGORITHMS[name].judged]
    for start in (0, 2):
        for column, metric in zip(st.columns(2), PANELS[start : start + 2], strict=True):
            with column:
                figure = rank_series_figure(series, metric, colours=colours(), highlighted=named, dashed=dashed)
                show_figure(figure, f"series-{metric}", rank_series_alt(series, metric))
    counts_line(_counts(highlighted))
    rows = correlations_of(loaded, data, judgements, depth, irm, system)
    known = tables(AgreementResults(correlations=rows))
    page_table(
        known["correlations"],
        show=("k", "metric", "pearson", "p", "spearman", "p_spearman", "pearson_queries", "spearman_queries"),
        drawn={f"{side}_queries": _over_queries(side) for side in ("pearson", "spearman")}
        | {key: _of_ranks(key) for key in ("pearson", "spearman")},
        columns={"metric": Column(label="FAIR and", align="right"), "p_spearman": "p"},
        caption=f"Correlation of FAIR with other metrics, {highlighted.system}",
    )
    counts_line(
        "Over ranks: FAIR@i against the metric at i = 1 … K, means over queries (Gao et al. 2022, "
        "Table 3). p as if ranks were independent, which they are not: each holds all above it. "
        "Over queries: at K, ours, with a 95 % bootstrap over queries. Under ten queries: grey, without p or interval."
    )
    with st.container(horizontal=True, gap="small"):
        download(
            "Ranks, CSV",
            lambda: csv_text(tables(AgreementResults(series=series))["series"]),
            file_name="fairviz-series.csv",
            mime="text/csv",
            key="fairviz-series-csv",
        )
        download(
            "Table, CSV",
            lambda: csv_text(known["correlations"]),
            file_name="fairviz-fair.csv",
            mime="text/csv",
            key="fairviz-fair-csv",
        )


def _algorithms() -> list[str]:
    return st.multiselect(
        "Also show re-ranked (highlighted system)",
        list(ALGORITHMS),
        key="series-rerank",
        max_selections=3,
        width=380,
        help="Gao et al.'s algorithms: RJ sees the judgements, NoRJ (dashed) takes every item as "
        "useful; DetCons follows the scores. Lists are evaluated with the judgements either way; "
        f"random ones are the mean of {N_REPEATS} lists.",
    )


def _counts(series: RankSeries) -> str:
    n = series.n_queries[:, -1]
    undefined = len(series.query_ids) - int(n[0])
    first = int(np.max(series.n_queries[0]) - series.n_queries[0, 0])
    later = f" · {first} of them only below rank 1" if first else ""
    judged = f"{len(series.query_ids)} judged queries"
    return f"{series.system}: {judged} · FAIR undefined for {undefined or 'none'} of them{later}"


def _is_few(row: Row) -> bool:
    """Whether too few queries have both for p and intervals: then numbers are grey."""
    return row.number("n_queries") < MIN_UNITS


def _of_ranks(key: str) -> Drawing:
    """A correlation over ranks."""
    return lambda row: muted(number(row.number(key))) if _is_few(row) else number(row.number(key))


def _over_queries(side: str) -> Drawing:
    """A correlation over queries with its interval below."""
    return lambda row: (
        muted(number(row.number(f"{side}_queries")))
        if _is_few(row)
        else Two(
            top=number(row.number(f"{side}_queries")),
            below=interval(row.number(f"{side}_low"), row.number(f"{side}_high"), 2),
        )
    )


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
    for measured, one in zip(comparison.measured, comparison.agreements, strict=True):
        light, dark = in_both_themes(lambda colours, of=one: agreement_figure(of, colours=colours))
        alt = agreement_alt(one)
        known = tables(AgreementResults(measured=measured.table, refused=measured.refused))
        figure = Figure(light, dark, alt, caption=one.name, name=STEM)
        blocks = (figure, "systems", *(["left-out-read"] if measured.refused else []))
        sentences = (agreement_sentence(one), *choice_sentences(one))
        sections.append(section_of(known, agreement_title(one), *sentences, blocks=blocks))
    if len(comparison.agreements) > 1:
        names = [each_agreement.name for each_agreement in comparison.agreements]
        known = tables(AgreementResults(consistent=(comparison.consistent, names)))
        sentence = consistent_sentence(comparison.consistent, names)
        sections.append(section_of(known, "In all data sets", sentence, blocks=["consistent"]))
    return sections
