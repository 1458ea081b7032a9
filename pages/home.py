"""Home: what this is, what to drop, what the loaded data show, and three doors.

A finding stands there for each page that has one: its title is the page's own, computed as there.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import isnan

import numpy as np
import polars as pl
import streamlit as st

from fairviz.display.table import polars_frame
from fairviz.display.words import THIN, listing, plural, signed
from fairviz.errors import FairvizError, InputError
from fairviz.model import Dataset
from fairviz.points.columns import policy_words
from fairviz.points.summary import Saving
from fairviz.resources import content
from fairviz.stats.tests import SIGNIFICANCE
from fairviz.studies.attribution.analysis import results_of
from fairviz.studies.attribution.charts import most_given_picture
from fairviz.studies.attribution.settings import AttributionSettings
from fairviz.studies.baseline.analysis import analyse as analyse_differences
from fairviz.studies.baseline.analysis import ranked_title
from fairviz.studies.baseline.settings import BaselineSettings
from fairviz.studies.demographic_qa.combinations import measured_combinations
from fairviz.studies.demographic_qa.findings import headline as answers_headline
from fairviz.studies.demographic_qa.findings import widest_pair
from fairviz.studies.demographic_qa.settings import VariantsSettings
from fairviz.studies.groups.analysis import beside_target
from fairviz.studies.groups.settings import GroupsSettings
from fairviz.studies.social_bias.analysis import headline as bias_headline
from fairviz.studies.social_bias.analysis import matched_answers, measured_rows, shown_levels
from fairviz.studies.social_bias.labels import type_label
from fairviz.studies.tradeoff.analysis import saving_headline, saving_of, system_curves
from fairviz.studies.tradeoff.settings import TradeoffSettings
from pages import TITLES
from pages._data import files
from pages._kit import counts_line, heading
from pages._kit.commands import usual_against
from pages._kit.controls import relevance, score_policy, standing_unit, usual_judgements
from pages._kit.html import Html, Tone, around_zero, bar, el, escaped, glyph, join, on_range, small_picture
from pages._kit.recorded_outputs import usual_k
from pages._kit.session import cached, dataset, is_example
from pages._kit.shell import inventory
from pages._kit.target import first_attribute
from pages._social_bias import usual_settings as usual_bias_settings
from pages._social_bias_sections import SIGNS
from pages._tradeoff import can_rank

NAMED = 3
"""Names that a finding lists before it counts."""
DRAWN = 4
"""Rows of a small picture."""

Found = tuple[str, str, Html | None]
"""A page's finding; of what, over how many, how sure; and what it says, drawn small."""


def show(page: str, title: str, sure: str, picture: Html | None) -> None:
    """A finding as the door to its page, its picture beside it."""
    left, right = st.columns([3, 7], gap="medium")
    if picture:
        left.html(picture)
    with right, st.container(gap=None):
        st.html(el("p", TITLES[page], cls="fv-kicker"))
        st.page_link(
            f"pages/{page}.py",
            label=escaped(title),
            icon=":material/arrow_forward:",
            icon_position="right",
            width="stretch",
        )
        if sure:
            st.html(el("p", sure, cls="fv-counts"))


def door(*, kind: str, title: str, text: str, ways: Mapping[str, str]) -> None:
    """One box: for whom, what, and the ways in, labels of links by their pages."""
    with st.container(border=True, gap="xxsmall"):
        st.html(join(el("p", kind, cls="fv-kicker"), el("h2", title, cls="fv-section"), el("p", text, cls="fv-door")))
        with st.container(horizontal=True, gap="small"):
            for page, label in ways.items():
                st.page_link(f"pages/{page}.py", label=label, icon=":material/arrow_forward:", icon_position="right")


def intervals(rows: Iterable[tuple[str, float, float, float, Tone]], *, at_zero: bool = True) -> Html | None:
    """The first values with their intervals beside a line at 0, else at the lowest end; filled where significant."""
    drawn = [row for row in rows if not isnan(row[2])][:DRAWN]
    if not drawn:
        return None
    ends = [end for _, _, low, high, _ in drawn for end in (low, high)]
    span = around_zero(ends) if at_zero else (min(ends), max(ends))
    zero = 0.0 if at_zero else span[0]
    return small_picture(
        (name, glyph(value, low, high, span=span, tone=tone, zero=zero)) for name, value, low, high, tone in drawn
    )


# Who gets the attention.


GROUPS_CUTOFF = 10
"""Ranks that the Groups & targets page begins with."""


def groups(loaded: Dataset) -> Found | None:
    """What the first system's lists do beside the target."""
    if not loaded.labels or not (loaded.runs or loaded.samples):
        return None
    attribute = first_attribute(loaded)
    against, unit = usual_against(loaded, attribute), standing_unit()
    beside = beside_target(loaded, GroupsSettings(k=GROUPS_CUTOFF, unit=unit, against=against))
    queries = plural(len(beside.fixed.exposure.query_ids), "query", "queries")
    system = beside.targeted.of.ranked.system
    sure = f"{system} by {loaded.attributes[attribute].attribute}, {queries}, first {GROUPS_CUTOFF} ranks"
    # The groups furthest off, beside lines of their targets.
    off = (pl.col("share") - pl.col("target")).abs()
    rows = beside.rows.filter(pl.col("share").is_not_nan()).top_k(DRAWN, by=off).sort("at")
    largest, none = beside.rows.select(pl.max_horizontal(pl.max("share", "target"))).item(), (np.nan, np.nan)
    picture = small_picture(
        (group, on_range(share, none, span=(0.0, largest), best=target, target=True))
        for group, share, target in rows.select("group", "share", "target").rows()
    )
    return beside.findings[0].title, sure, picture if rows.height else None


# Who gets right answers, and which way answers lean.


@cached
def demographic_qa(loaded: Dataset) -> Found | None:
    """The first answers to variants: the widest difference between groups that is significant."""
    if not loaded.variants:
        return None
    first = measured_combinations(loaded, VariantsSettings())[0]
    rows = [row for row in first.rows if "+" not in row["attribute"]]
    title = answers_headline(rows, who=f"answers of {first.words}").title
    pairs = [(pair, row) for row in rows if (pair := widest_pair(row))]
    if not pairs:
        return title, first.words, None
    pair, row = max(pairs, key=lambda each: abs(each[0].gap["gap"]))
    tone: Tone = "ink" if pair.significant else ""
    rates = ((group["value"], group["rate"], group["low"], group["high"], tone) for group in row["groups"])
    return title, first.words, intervals(rates, at_zero=False)


@cached
def social_bias(loaded: Dataset) -> Found | None:
    """Which way answers to bias questions lean, under the usual setting."""
    if not (loaded.bias_items and loaded.bias_predictions):
        return None
    try:
        matched = matched_answers(loaded)
    except InputError as error:
        return "These answers cannot be matched with their questions", str(error), None
    settings = usual_bias_settings(loaded, matched)
    levels = shown_levels(measured_rows(loaded, settings.compared), settings).rows(named=True)
    who = listing([*map(matched.name, settings.models)], most=NAMED)
    leans = (
        (
            f"{type_label(row['category'])}, {matched.name(row['model'])}",
            *(row[key] for key in ("value", "low", "high")),
            SIGNS[row["value"] > 0] if row["p_holm"] is not None and row["p_holm"] < SIGNIFICANCE else "",
        )
        for row in levels
    )
    return bias_headline(levels, settings, matched.names).title, who, intervals(leans)


# Systems.


RANKED = "nDCG@10"
MANY = 500_000
"""Rows of all runs beyond which comparing them takes time that people notice."""


@cached
def compare(loaded: Dataset) -> Found | None:
    """Who ranks better than the first run; of large runs, that they can be compared."""
    systems = list(dict.fromkeys(run.system for run in loaded.runs))
    if len(systems) < 2 or not loaded.qrels:
        return None
    later = f"{plural(len(systems), 'system')} can be compared: {listing(systems, most=NAMED)}", "", None
    if sum(run.docs.size for run in loaded.runs) > MANY:
        return later
    runs = replace(loaded, samples=(), outputs=(), pairs=())
    try:
        compared = analyse_differences(runs, BaselineSettings(measures=(RANKED,))).tables["compared"]
    except FairvizError:
        return later
    if not compared.rows:
        return later
    rows = polars_frame(compared).with_columns(pl.col("low", "high").fill_null(np.nan))
    least, most = rows.select(pl.min("n_queries"), pl.max("n_queries").alias("most")).row(0)
    queries = f"{least}–" * (least < most) + plural(most, "query", "queries")
    sure = f"{RANKED} of {plural(rows.height, 'system')} minus that of {rows['reference'][0]}, {queries}"
    tones: dict[str, Tone] = {"higher": "gain", "lower": "loss"}
    differences = (
        (system, *ends, tones.get(verdict, ""))
        for system, *ends, verdict in rows.select("system", "difference", "low", "high", "verdict").rows()
    )
    return ranked_title(compared), sure, intervals(differences)


@cached
def attribution(loaded: Dataset) -> Found | None:
    """What the answers cite of what they were given."""
    if not loaded.outputs:
        return None
    k = usual_k(loaded)
    try:
        results = results_of(loaded, AttributionSettings(k=k, rel=relevance(loaded)))
        title = results.finding.title
    except FairvizError as error:
        return "The recorded answers cannot be measured", str(error), None
    answers = plural(sum(len(outputs.texts) for outputs in loaded.outputs), "recorded answer")
    picture = most_given_picture(results.rows)
    return title, f"{answers}, k = {k}", picture and el("div", picture, cls="fv-small")


AT_ONCE = (groups, demographic_qa, social_bias, compare, attribution)
"""Findings that take no time worth waiting for, in the order in which people ask; each is called as its page."""


# What equal quality costs two policies.


def tradeoff(loaded: Dataset) -> Found | None:
    """What the optimal policy saves; None without a run or judgements, or where no query has a value.

    The curves are those of the Trade-off page, which finds them computed.
    """
    if not can_rank(loaded):
        return None
    # As the Trade-off page begins, and as was chosen.
    run, policy = loaded.runs[0], score_policy()
    selection = TradeoffSettings(
        system=run.system,
        judgements=usual_judgements(loaded, run),
        k=usual_k(loaded),
        rel=relevance(loaded),
        quality="EER",
        **policy,
    )
    view, (main, *_) = system_curves(loaded, selection, 2)
    if not main.defined.any():
        return None
    saved = saving_of(loaded, selection)
    title = saving_headline(loaded, selection, view, main).title
    details = [
        "optimal spreading beside chance by scores (Plackett–Luce)",
        plural(main.n_defined, "query", "queries"),
        selection.quality_name,
        policy_words(**policy),
        _how_sure(saved),
    ]
    title = f"{selection.system}: {title[:1].lower()}{title[1:]}"
    return title, ", ".join(filter(None, details)), _needs(saved)


def _needs(saved: Saving | None) -> Html | None:
    """EE-D that both policies need for equal quality, as bars; None where one of them is undefined."""
    if saved is None or not np.isfinite([saved.reference, saved.other]).all():
        return None
    most = max(saved.reference, saved.other)
    needs: dict[str, tuple[Tone, float]] = {
        "chance by scores": ("plackett-luce", saved.reference),
        "optimal": ("optimal", saved.other),
    }
    return small_picture((name, bar(disparity / most, tone)) for name, (tone, disparity) in needs.items())


def _how_sure(saved: Saving | None) -> str:
    """The interval of a change that is not significant: its title has no number."""
    if saved is None or not saved.interval.low <= 0 <= saved.interval.high:
        return ""
    low, high = saved.interval
    return f"95{THIN}% interval of the change {signed(-100 * high, 0)}{THIN}% to {signed(-100 * low, 0)}{THIN}%"


loaded, home = dataset(), content("home")
with st.container(key="home"):
    left, right = st.columns([5, 6], gap="large")
with left:
    st.html(heading(home["kicker"], home["title"], home["lead"]))
    files.add_files(then="pages/data.py")
with right, st.container(key="doors", gap="small"):
    for box in home["doors"]:
        door(**box)
head = el("h2", "What the example shows" if is_example() else "What your data show", cls="fv-section")
st.html(join(head, el("p", " · ".join(inventory(loaded)), cls="fv-sub fv-wide")))
with st.container(key="findings", gap="small"):
    findings = {find.__name__: finding for find in AT_ONCE if (finding := find(loaded)) is not None}
    for page, finding in findings.items():
        show(page, *finding)
    with st.spinner("Computing the curves …"):
        price = tradeoff(loaded)
    if price is not None:
        show("tradeoff", *price)
    elif not findings:
        counts_line("Nothing can be compared yet: add a run with judgements or group labels, or answers of a model.")
