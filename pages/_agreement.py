"""Parts of the page Agreement: measures of all systems, how they agree, and FAIR beside others at every rank."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import cast, get_args

import streamlit as st

from fairviz.display.marks import narrowest
from fairviz.display.methods import AgainstTarget
from fairviz.display.words import listing, percent, plural
from fairviz.evaluation.compare import short_names
from fairviz.evaluation.systems import rankings_by_alpha
from fairviz.metrics.fair import Irm
from fairviz.model import Dataset
from fairviz.studies.agreement.analysis import AgreementAnalysis, agreement_measures, analyse, order_parts
from fairviz.studies.agreement.charts import metric_results_alt, metric_results_figure, strips
from fairviz.studies.agreement.correlations import Agreement
from fairviz.studies.agreement.findings import choice_sentences, classes_sentence, orders_finding, report_finding
from fairviz.studies.agreement.settings import AgreementSettings
from fairviz.studies.ranks.analysis import N_REPEATS
from fairviz.studies.ranks.analysis import analyse as analyse_ranks
from fairviz.studies.ranks.charts import IRM_LABELS
from fairviz.studies.ranks.settings import Algorithm, RanksSettings
from pages._kit import at_least, callout, colours, counts_line, fold, in_rows, section, show_figure, user_text
from pages._kit.analysis import show
from pages._kit.commands import report, study_files
from pages._kit.controls import ONE_OF_GROUPS, choose_one, choose_several
from pages._kit.html import Html, PageColumn, PageRow, join, page_table
from pages._kit.link import name_mark

MOST_AT_ONCE = 1_000_000
"""Ranked places × measures up to which the comparison follows the target by itself: half a second,
after all that stands above it is repainted."""
MOST_UNASKED = 12_000_000
"""Ranked places × measures up to which the comparison is made at all without a button: some seconds."""

DEPTHS = ("10", "20", "50")


def series_section(loaded: Dataset, against: AgainstTarget, *, system: int, judgements: int) -> None:
    """Figure 1 and Table 3, for the systems that are loaded."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        depth = int(choose_one("Ranks, K", DEPTHS, "ranks", usual="20", draw=st.segmented_control, required=True))
        look = {"width": 170, "format_func": IRM_LABELS.get}
        irm = cast("Irm", choose_one("FAIR discounts the gains of", IRM_LABELS, "irm", **look))
        again: tuple[str, ...] = ()
        if system < len(loaded.runs):
            again = choose_several(
                "Also show re-ranked (highlighted system)",
                get_args(Algorithm),
                "rerank",
                max_selections=3,
                width=380,
                help="Gao et al.'s algorithms: RJ sees the judgements, NoRJ (dashed) takes every item as "
                "useful; DetCons follows the scores. Lists are evaluated with the judgements either way; "
                f"random ones are the mean of {N_REPEATS} lists.",
            )
    name = rankings_by_alpha(loaded)[system].system
    settings = RanksSettings(system=name, depth=depth, irm=irm, rerank=cast("tuple[Algorithm, ...]", again))
    settings = replace(settings, judgements=judgements, against=against)
    analysis = analyse_ranks(loaded, settings)
    counts_line(analysis.findings[0].sentence)
    show("ranks", settings, analysis, loaded, in_a_row=2)


USUAL = ("AWRF", "nDKL", "MinSkew", "MaxSkew", "logDP", "logEUR", "logRUR", "IAA", "PAIR", "EED", "EEL", "FAIR", "nDCG")
"""Measures that are compared unless others are chosen, by name."""


def choose_measures(groups: Sequence[str], k: int, *, judged: bool) -> tuple[str, ...]:
    """Which measures are compared, and of more than two groups the one that measures of one group look at."""
    group = ""
    if len(groups) > 2:
        about = "Measures of two groups (logDP, PreF, …) compare one group with all others together."
        words = {"": "none", **{name: name for name in groups}}
        look = {"mark": name_mark, "format_func": words.get, "help": about}
        group = choose_one("Compare one group with the others", list(words), ONE_OF_GROUPS, **look)
    offered = agreement_measures(k, judged=judged, group=group or None)
    shown = short_names(offered)
    names = [text.partition("@")[0] for text in shown]  # the address holds no k twice
    usual, at_k = [name for name in names if name in USUAL], dict(zip(names, shown, strict=True))
    chosen = choose_several("Measures", names, "agree", usual=usual, empty=True, format_func=at_k.get)
    return tuple(offered[names.index(name)] for name in chosen)


def standing_settings(loaded: Dataset, now: AgreementSettings) -> AgreementSettings | None:
    """What is compared: what is set now, or with much data the targets for which it was asked; None: a button waits."""
    n_places = sum(system.docs.size for system in (*loaded.runs, *loaded.samples))
    work = n_places * len(now.measures) * (1 + len(now.beside))
    if work <= MOST_AT_ONCE:
        return now
    key = f"agreement-held-{loaded.fingerprint[:12]}-{now.against.attribute if now.against else 0}"
    if work <= MOST_UNASKED:
        st.session_state.setdefault(key, (now.against, now.beside))
    standing = st.session_state.get(key)
    if standing is None:
        label = "Compare the measures"
    elif standing != (now.against, now.beside):
        callout("The target has changed since these measures were compared", calm=True)
        label = "Compare for the current target"
    else:
        return now
    if st.button(label, key="agreement-again"):
        st.session_state[key] = standing = (now.against, now.beside)
    return None if standing is None else replace(now, against=standing[0], beside=standing[1])


# What measures say of few systems.


def of_few(agreements: Sequence[Agreement]) -> None:
    """Each measure's order of the systems, best first, and which measures to report; further groups in folds."""
    for at, agreement in enumerate(agreements):
        if agreement.orders is not None and not at:
            _order_sections(agreement)
            if (reported := report_finding(agreement.orders)) is not None:
                callout(*reported, calm=True)
        elif agreement.orders is not None:
            with fold(
                f"By {agreement.name}", orders_finding(agreement.orders).title, key=f"orders-{agreement.name}"
            ) as is_open:
                if is_open:
                    _order_sections(agreement)


def _order_sections(agreement: Agreement) -> None:
    for part in order_parts(agreement):
        if part.blocks:
            section(part.title, " ".join(part.paragraphs))
            st.html(join(*(block for block in part.blocks if isinstance(block, Html))))
        else:
            counts_line(f"{part.title}: {' '.join(part.paragraphs)}")


# Triangles of τ, and every measure of every system.


def heatmaps(analysis: AgreementAnalysis, settings: AgreementSettings) -> None:
    """A triangle per data set, and what it means for a choice."""
    first, n = analysis.agreements[0], len(analysis.agreements)
    if first.values["system"].n_unique() < 2:
        user_text("Load more runs or samples of the same queries to see whether measures agree.")
        return
    _heatmap(analysis, settings, 0)
    for text in choice_sentences(first):
        user_text(text)
    if n > 1:
        section(*analysis.findings[-1])
        for at in in_rows(range(1, n), 2, gap="large"):
            _heatmap(analysis, settings, at)
    left_out = analysis.tables["left-out"]
    if left_out.rows:

        def why(row: PageRow) -> str:
            """What a command takes as an option is a choice on this page."""
            reason = row.text("reason")
            return f"Choose one group to compute {row.text('left out')}" if "group=" in reason else reason

        with st.expander("Why measures could not be computed"):
            page_table(
                left_out,
                {"left out": PageColumn("Measure"), "data": PageColumn("Groups"), "reason": PageColumn("Why", why)},
                caption="Measures that these data do not allow",
            )


def _heatmap(analysis: AgreementAnalysis, settings: AgreementSettings, at: int) -> None:
    agreement = analysis.agreements[at]
    if len(analysis.agreements) > 1:
        user_text(f"Groups: {agreement.name}")
    chart = analysis.charts[agreement.name]
    figure = chart.draw(colours=colours())
    with at_least(narrowest(figure), f"heatmap-{at}"):
        show_figure(figure, f"agreement-{at}", chart.alt)
    against = (settings.against, *settings.beside)[at]
    target = against.target if against is not None and not isinstance(against.target, str) else ()
    shares = [f"{group} {percent(share)}" for group, share in target]
    counts_line(
        f"{plural(agreement.values['system'].n_unique(), 'system')} · "
        f"{plural(agreement.pairs.height, 'pair of measures', 'pairs of measures')}, "
        f"{agreement.pairs.height - agreement.defined.height or 'none'} of them undefined · target: "
        f"{listing(shares) if len(shares) < 8 else f'{len(shares)} groups'}"
    )
    counts_line(classes_sentence(agreement))
    if missing := list(dict.fromkeys(refusal.measure for refusal in agreement.refused)):
        counts_line(f"Not computed: {listing(missing)}.")


def results(agreements: Sequence[Agreement], highlighted: str) -> None:
    """Strips of every measure, data sets side by side on one scale."""
    scales = strips([agreement.values for agreement in agreements])
    for at, agreement in enumerate(in_rows(agreements, min(len(agreements), 2), gap="large")):
        if len(agreements) > 1:
            user_text(f"Groups: {agreement.name}")
        figure = metric_results_figure(
            agreement.values, colours=colours(), highlighted=highlighted, ends=scales, looks=agreement.looks
        )
        show_figure(figure, f"results-{at}", metric_results_alt(agreement.values))
    counts_line(
        "A dot is a system, on the scale of each measure; open diamonds are infinite. Means over "
        "queries; undefined systems are counted beside the measure."
    )


# Downloads: the table on screen for the chosen groups, which a command prints again; all groups as HTML.


def downloads(loaded: Dataset, analysis: AgreementAnalysis, settings: AgreementSettings) -> None:
    """The row of buttons; files are written when one is pressed."""
    alone, stem = replace(settings, beside=()), "orders" if "orders" in analysis.tables else "pairs"
    title = "Orders of the systems, and this page" if stem == "orders" else "Pairs of measures, and this page"
    tables, html = (lambda: analyse(loaded, alone).tables), partial(report, "Agreement of measures", analysis.in_report)
    study_files("fairviz-agreement", title, ("agreement", alone), tables, csv=stem, latex=[stem], html=html)
