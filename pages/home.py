"""Home: what this is, what to drop, what the loaded data show, and three doors.

A finding stands there for each page that has one: its title is the page's own, computed as there.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from fairviz.display.words import THIN, listing, plural, signed
from fairviz.errors import FairvizError, InputError
from fairviz.kernels.attention import Browsing
from fairviz.model import Dataset
from fairviz.points.columns import policy_words
from fairviz.points.summary import Saving
from fairviz.points.targets import as_shares, exposure_of
from fairviz.resources import content
from fairviz.studies.attribution.analysis import results_of
from fairviz.studies.attribution.charts import most_given_picture
from fairviz.studies.attribution.settings import AttributionSettings
from fairviz.studies.baseline.analysis import analyse as analyse_differences
from fairviz.studies.baseline.analysis import ranked_title
from fairviz.studies.baseline.settings import BaselineSettings
from fairviz.studies.demographic_qa.combinations import measured_combinations
from fairviz.studies.demographic_qa.findings import headline as answers_headline
from fairviz.studies.demographic_qa.settings import VariantsSettings
from fairviz.studies.groups.findings import headline
from fairviz.studies.social_bias.analysis import headline as bias_headline
from fairviz.studies.social_bias.analysis import matched_answers, measured_rows, shown_levels
from fairviz.studies.tradeoff.analysis import saving_headline, saving_of, system_curves
from fairviz.studies.tradeoff.settings import TradeoffSettings
from pages import TITLES
from pages._data import files
from pages._home import differences_picture, leans_picture, rates_picture, shares_picture
from pages._kit import counts_line, heading
from pages._kit.controls import relevance, score_policy, standing_unit, usual_judgements
from pages._kit.html import Html, Tone, bar, el, escaped, join, small_picture
from pages._kit.recorded_outputs import usual_k
from pages._kit.session import cached, dataset, is_example
from pages._kit.shell import inventory
from pages._kit.target import first_attribute, further_groups, matching_target
from pages._social_bias import usual_settings as usual_bias_settings
from pages._tradeoff import can_rank

NAMED = 3
"""Names that a finding lists before it counts."""


class PageFinding(NamedTuple):
    """What one page has found.

    Attributes:
        page: Its script.
        title: Its finding.
        sure: Of what, over how many, how sure.
        picture: What the title says, drawn small; None for no picture.
    """

    page: str
    title: str
    sure: str = ""
    picture: Html | None = None


def show(finding: PageFinding) -> None:
    """A finding as the door to its page, its picture beside it."""
    left, right = st.columns([3, 7], gap="medium")
    if finding.picture:
        left.html(finding.picture)
    with right, st.container(gap=None):
        st.html(el("p", TITLES[finding.page], cls="fv-kicker"))
        label = escaped(finding.title)
        st.page_link(
            f"pages/{finding.page}.py",
            label=label,
            icon=":material/arrow_forward:",
            icon_position="right",
            width="stretch",
        )
        if finding.sure:
            st.html(el("p", finding.sure, cls="fv-counts"))


def door(*, kind: str, title: str, text: str, ways: Mapping[str, str]) -> None:
    """One box: for whom, what, and the ways in, labels of links by their pages."""
    with st.container(border=True, gap="xxsmall"):
        st.html(join(el("p", kind, cls="fv-kicker"), el("h2", title, cls="fv-section"), el("p", text, cls="fv-door")))
        with st.container(horizontal=True, gap="small"):
            for page, label in ways.items():
                st.page_link(f"pages/{page}.py", label=label, icon=":material/arrow_forward:", icon_position="right")


def at_once(loaded: Dataset) -> list[PageFinding]:
    """Findings that take no time worth waiting for, in the order in which people ask."""
    made = (_attention(loaded, standing_unit()), _answers(loaded), _leaning(loaded), _compared(loaded), _used(loaded))
    return [finding for finding in made if finding is not None]


# Who gets the attention.


BROWSING: Browsing = "dcg"
GROUPS_CUTOFF = 10
"""Attention as the Groups & targets page begins with."""


@cached
def _attention(loaded: Dataset, unit: str) -> PageFinding | None:
    """What the first system's lists do beside the loaded target, else beside equal shares."""
    if not loaded.labels or not (loaded.runs or loaded.samples):
        return None
    attribute = first_attribute(loaded)
    finding = exposure_of(
        loaded, "", attribute, None, "drop", further_groups(loaded, attribute), BROWSING, GROUPS_CUTOFF
    )
    file = matching_target(loaded, attribute)
    shares = None if file is None else as_shares(file, finding.groups)
    n = len(finding.groups)
    target = np.full(n, 1 / n) if shares is None else shares
    title = headline(finding, target, is_set=shares is not None, unit=unit).title
    for phrase in ("their target", "your target"):
        title = title.replace(phrase, "the target")
    system = (*loaded.runs, *loaded.samples)[0].system
    queries = plural(len(finding.query_ids), "query", "queries")
    sure = f"{system} by {loaded.attributes[attribute].attribute}, {queries}, first {GROUPS_CUTOFF} ranks"
    return PageFinding("groups", title, sure, shares_picture(finding.groups, finding.shares, target))


# Who gets right answers, and which way answers lean.


@cached
def _answers(loaded: Dataset) -> PageFinding | None:
    """The first answers to variants: the widest difference between groups that is significant."""
    if not loaded.variants:
        return None
    first = measured_combinations(loaded, VariantsSettings())[0]
    rows = [row for row in first.rows if "+" not in row["attribute"]]
    finding = answers_headline(rows, who=f"answers of {first.words}")
    return PageFinding("demographic_qa", finding.title, first.words, rates_picture(rows))


@cached
def _leaning(loaded: Dataset) -> PageFinding | None:
    """Which way answers to bias questions lean, under the usual setting."""
    if not (loaded.bias_items and loaded.bias_predictions):
        return None
    try:
        matched = matched_answers(loaded)
    except InputError as error:
        return PageFinding("social_bias", "These answers cannot be matched with their questions", str(error))
    settings = usual_bias_settings(loaded, matched)
    levels = shown_levels(measured_rows(loaded, settings.compared), settings)
    finding = bias_headline(levels.rows(named=True), settings, matched.names)
    who = listing([*map(matched.name, settings.models)], most=NAMED)
    return PageFinding("social_bias", finding.title, who, leans_picture(levels, matched.name))


# Systems.


RANKED = "nDCG@10"
MANY = 500_000
"""Rows of all runs beyond which comparing them takes time that people notice."""


@cached
def _compared(loaded: Dataset) -> PageFinding | None:
    """Who ranks better than the first run; of large runs, that they can be compared."""
    systems = list(dict.fromkeys(run.system for run in loaded.runs))
    if len(systems) < 2 or not loaded.qrels:
        return None
    later = PageFinding("compare", f"{plural(len(systems), 'system')} can be compared: {listing(systems, most=NAMED)}")
    if sum(run.docs.size for run in loaded.runs) > MANY:
        return later
    runs = replace(loaded, samples=(), outputs=(), pairs=())
    try:
        compared = analyse_differences(runs, BaselineSettings(measures=(RANKED,))).tables["compared"]
    except FairvizError:
        return later
    if not compared.rows:
        return later
    rows: list[dict[str, Any]] = [dict(zip(compared.keys, row, strict=True)) for row in compared.rows]
    counts = [row["n_queries"] for row in rows]
    queries = f"{min(counts)}–" * (min(counts) < max(counts)) + plural(max(counts), "query", "queries")
    sure = f"{RANKED} of {plural(len(rows), 'system')} minus that of {rows[0]['reference']}, {queries}"
    return PageFinding("compare", ranked_title(compared), sure, differences_picture(rows))


@cached
def _used(loaded: Dataset) -> PageFinding | None:
    """What the answers cite of what they were given."""
    if not loaded.outputs:
        return None
    k = usual_k(loaded)
    try:
        results = results_of(loaded, AttributionSettings(k=k, rel=relevance(loaded)))
        title = results.finding.title
    except FairvizError as error:
        return PageFinding("attribution", "The recorded answers cannot be measured", str(error))
    answers = plural(sum(len(outputs.texts) for outputs in loaded.outputs), "recorded answer")
    picture = most_given_picture(results.rows)
    return PageFinding("attribution", title, f"{answers}, k = {k}", picture and el("div", picture, cls="fv-small"))


# What equal quality costs two policies.


def tradeoff(loaded: Dataset) -> PageFinding | None:
    """What the optimal policy saves; None without a run or judgements, or where no query has a value.

    The curves are those of the Trade-off page, which finds them computed.
    """
    if not can_rank(loaded):
        return None
    # As the Trade-off page begins, and as was chosen.
    run, k, policy = loaded.runs[0], usual_k(loaded), score_policy()
    selection = TradeoffSettings(
        system=run.system, judgements=usual_judgements(loaded, run), k=k, rel=relevance(loaded)
    )
    selection = replace(selection, quality="EER", **policy)
    view, (main, *_) = system_curves(loaded, selection, 2)
    if not main.defined.any():
        return None
    saved = saving_of(loaded, selection)
    title = saving_headline(loaded, selection, view, main).title
    queries = plural(main.n_defined, "query", "queries")
    details = [
        "optimal spreading beside chance by scores (Plackett–Luce)",
        queries,
        selection.quality_name,
        policy_words(**policy),
    ]
    details.append(_how_sure(saved))
    title = f"{selection.system}: {title[:1].lower()}{title[1:]}"
    return PageFinding("tradeoff", title, ", ".join(filter(None, details)), _needs(saved))


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
    findings = at_once(loaded)
    for finding in findings:
        show(finding)
    with st.spinner("Computing the curves …"):
        price = tradeoff(loaded)
    if price is not None:
        show(price)
    elif not findings:
        counts_line("Nothing can be compared yet: add a run with judgements or group labels, or answers of a model.")
