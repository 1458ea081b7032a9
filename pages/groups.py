"""Groups & targets: where attention goes by group, against a target set by hand."""

from dataclasses import replace

import streamlit as st

from fairviz.display.markup import style
from fairviz.studies.groups.analysis import beside_target
from fairviz.studies.groups.findings import MANY, unknown_sentence, unknown_title
from fairviz.studies.groups.measures import answers_title
from pages import _groups as parts
from pages._kit import fold, page_head, rule, section, without_data
from pages._kit.session import dataset
from pages._kit.target import keep_in_link, one_group

loaded = dataset()
if not loaded.labels or not (loaded.runs or loaded.samples):
    without_data("groups")
    st.stop()


@st.fragment
def page() -> None:
    """All of it: title, rows and answers follow the target."""
    with st.container(key="groups_page"):
        st.html(style("groups"))
        page_body()


def page_body() -> None:
    """The page from top to bottom."""
    head = page_head("groups", wide=True)
    edit, settings, has_price = parts.choose(loaded)
    beside = beside_target(loaded, settings)
    exposure, many = beside.fixed.exposure, len(edit.groups) > MANY
    (title, sentence), moving_sentence = beside.findings[0], beside.moving if len(edit.groups) > 1 else ""
    head(title, f"{moving_sentence} {sentence}".strip(), f"first {settings.k} ranks")
    unknown, own_group = beside.unknown, settings.unlabelled == "group"
    parts.unknown_strip(unknown, unknown_title(unknown, settings.unit), unknown_sentence(unknown, own_group=own_group))
    rule()
    if len(edit.groups) == 1:
        one_group(loaded, beside.targeted.key[1], exposure)
        return
    keep_in_link(edit)
    parts.rows_section(edit, beside)
    parts.see_costs(beside, has_price=has_price)
    rule()
    if not many:
        section("Five questions about these lists")
        parts.answers_table(beside)
    with st.container(key="groups_folds"):
        if many:
            title = answers_title(beside.answers, int((exposure.shares == 0).sum()), is_set=beside.is_set)
            with fold("Five questions", title, key="five_questions") as is_open:
                if is_open:
                    parts.answers_table(beside)
        parts.all_measures(loaded, replace(settings, group=edit.groups[beside.group]))
        parts.by_rank(beside)
        parts.missing_labels(beside)
        parts.per_document(beside)


page()
