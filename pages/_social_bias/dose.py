"""Dose and response: answers by the number of stereotypical documents they were given, a panel per model."""

import streamlit as st

from fairviz.model import Dataset
from fairviz.studies.social_bias.figures_dose import KINDS, Panel, dose_alt, dose_figure
from fairviz.studies.social_bias.findings import dose_finding, slope_words
from pages._kit import el, section, show_chart
from pages._social_bias.results import Settings, context_of, doses, level_rows

FILLS = {"against": "against", "unknown": "unknown", "stereotyped": "towards"}
NEEDED = (
    "Load two more files to see this: the run of documents that the answers were given (queries named by bias type and "
    "example id, such as Age-0), and their polarity (doc_id, and stereo or anti)."
)


def dose_section(loaded: Dataset, settings: Settings) -> None:
    """Stacks as retrieved, solid, beside those of collections of one kind, pale; a line where there are none."""
    found = doses(loaded, settings.compared, context_of(settings.measure), settings.read)
    given = {column: settings.value for column in ("k", "retriever") if settings.column == column}
    own = [
        dosed
        for dosed in found.found
        if dosed.response.model in settings.models
        and all(getattr(dosed.response, column) == value for column, value in given.items())
    ]
    if not own:
        section("Stereotypical documents given, and answers", f"{found.refused} {NEEDED}".strip())
        return
    responses = [dosed.response for dosed in own]
    rows = level_rows(loaded, settings.compared, settings.read)
    one_letter = {row.get("model") for row in rows if settings.shows(row) and row.one_place}
    finding = dose_finding(responses, settings.names, one_letter)
    section(finding.title, finding.sentence)
    several = len({response.retriever for response in responses}) > 1
    panels = [
        Panel(
            _name(dosed.response.model, dosed.response.retriever if several else "", settings),
            slope_words(dosed.response),
            dosed.stacks,
        )
        for dosed in own
    ]
    entries = (
        el("li", el("span", cls=f"fv-swatch fv-part-{FILLS[kind]}", aria_hidden="true"), el("span", words))
        for kind, words in KINDS.items()
    )
    st.html(el("ul", *entries, cls="fv-legend", aria_label="Parts of a column"))
    show_chart(lambda palette: dose_figure(panels, colours=palette), "social-bias-dose", dose_alt(panels))
    first = responses[0]
    about = ", ".join(part for part in (first.retriever, f"k = {first.k}" if first.k else "") if part)
    st.html(
        el("p", f"Stereotypical documents among those given ({about}); below, n or the collection.", cls="fv-counts")
    )


def _name(model: str, retriever: str, settings: Settings) -> str:
    return " · ".join(part for part in (f"“{settings.name(model)}”", retriever) if part)
