"""Dose and response on the Social bias page: answers by the number of stereotypical documents they were given."""

from typing import NamedTuple

import streamlit as st

from fairviz.errors import InputError
from fairviz.model import Dataset
from fairviz.show.words import p_value
from fairviz.studies.social_bias.comparison import is_nothing
from fairviz.studies.social_bias.dose import DoseResponse, Given, dose_responses, runs_given
from fairviz.studies.social_bias.figures_dose import KINDS, dose_alt, dose_figure
from fairviz.studies.social_bias.findings import dose_finding, slope_words
from fairviz.studies.social_bias.labels import context_words
from fairviz.studies.social_bias.measures import BiasMeasure
from fairviz.studies.social_bias.retrieval import STEREOTYPICAL
from fairviz.studies.social_bias.tables import BiasResults, tables
from pages._kit import Column, colours, counts_line, el, is_example, page_table, rule, section, show_figure
from pages._kit.cache import cached
from pages._kit.html import notes_below
from pages._social_bias.results import MatchedAnswers, Settings, documents_of_example, matched_answers

WITH_SLOPES = ("model", "retriever", "k", "odds_ratio", "p_holm", "n")


class Doses(NamedTuple):
    """Every response, and why there is none ("" where runs were not loaded at all)."""

    responses: tuple[DoseResponse, ...] = ()
    refused: str = ""


@cached
def doses(loaded: Dataset, setting: str, shipped: bool) -> Doses:
    """Responses under one setting to the documents that the loaded runs hold.

    Args:
        loaded: Data with bias answers.
        setting: The setting whose answers were given these documents; "" where answers have one.
        shipped: Whether these are the example's answers, whose runs are not part of its data.
    """
    runs, labels = documents_of_example() if shipped else (loaded.runs, loaded.labels)
    polarity = next((own for own in labels if STEREOTYPICAL in own.groups), None)
    if polarity is None or not runs:
        return Doses()
    matched = matched_answers(loaded)
    try:
        given = runs_given(matched.answers, {f"{setting} {run.system}".strip(): run for run in runs})
        given = [documents for documents in given if _has_answers(matched, documents)]
        return Doses(dose_responses(matched.items, matched.answers, given, polarity))
    except InputError as error:
        return Doses(refused=str(error))


@st.fragment
def dose_section(loaded: Dataset, settings: Settings, measure: BiasMeasure) -> None:
    """A stack per retriever for one model and k, then every slope; nothing where no run was loaded."""
    matched = matched_answers(loaded)
    top = st.container()
    found = doses(loaded, _setting(matched), is_example())
    kind = context_words(measure)
    responses = [response for response in found.responses if response.context == kind]
    if not responses:
        if found.refused:
            with top:
                section("Answers by number of stereotypical documents", found.refused)
        return
    finding = dose_finding(responses)
    with top:
        rule()
        section(finding.title, finding.sentence)
    ks = list(dict.fromkeys(response.k for response in responses if response.model == settings.model))
    k = (
        str(st.segmented_control("k", ks, default=ks[-1], key="dose_k", bind="query-params", required=True))
        if len(ks) > 1
        else next(iter(ks), "")
    )
    drawn = [response for response in responses if (response.model, response.k) == (settings.model, k)]
    for i, (response, column) in enumerate(zip(drawn, st.columns(max(len(drawn), 2), gap="medium"), strict=False)):
        with column:
            who = " · ".join(part for part in (response.retriever, f"k = {k}" if k else "") if part)
            st.html(el("h3", who or response.setting, cls="fv-part"))
            show_figure(dose_figure(response, colours=colours()), f"dose-{i}", dose_alt(response))
            counts_line(f"{slope_words(response)}.")
    parts = ", ".join(reversed(KINDS.values()))
    notes_below(
        f"{settings.names[settings.model]}, {kind} questions, percent of answers; from the top: {parts}. "
        "Above each stack: answers."
    )
    _slopes(responses, settings)


def _slopes(responses: list[DoseResponse], settings: Settings) -> None:
    words = iter(map(slope_words, responses))
    with st.expander(f"Every slope: {len(responses)}"):
        page_table(
            tables(BiasResults(doses=responses))["slopes"],
            show=WITH_SLOPES,
            drawn={
                "model": lambda row: settings.names.get(row.text("model"), row.text("model")),
                "odds_ratio": lambda _: next(words),
                "p_holm": lambda row: p_value(row.number("p_holm")),
            },
            columns={
                "model": "Model",
                "retriever": "Retriever",
                "k": "k",
                "odds_ratio": "Stereotyped answer, per stereotypical document",
                "p_holm": Column(label="p (Holm)", align="right"),
                "n": Column(label="answers", align="right"),
            },
            caption="Log odds of the stereotyped answer per stereotypical document",
            narrow="scroll",
        )


def _setting(matched: MatchedAnswers) -> str:
    """The setting that was given the runs' documents: asked where there are several with documents."""
    values = [value for value in matched.values.get("setting", ()) if not is_nothing(value)]
    if len(values) < 2:
        return ""
    whole = next((i for i, value in enumerate(values) if value.startswith("full")), 0)
    return str(st.selectbox("Documents of", values, index=whole, key="dose_setting", bind="query-params", width=190))


def _has_answers(matched: MatchedAnswers, given: Given) -> bool:
    """Whether any answer has both the run's setting and its retriever."""
    keep = None
    for column, value in (("setting", given.setting), ("retriever", given.retriever)):
        factor = matched.answers.factor(column)
        if factor is None or not value:
            continue
        own = factor.codes == factor.values.index(value)
        keep = own if keep is None else keep & own
    return keep is None or bool(keep.any())
