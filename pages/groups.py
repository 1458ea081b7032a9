"""Groups & targets: where attention goes by group, against a target set by hand."""

import streamlit as st

from fairviz.display.markup import style
from fairviz.points.shares import off_target
from fairviz.studies.groups.findings import (
    MANY,
    headline,
    headline_group,
    moving_sentence,
    unknown_sentence,
    unknown_title,
)
from fairviz.studies.groups.questions import answers_title
from fairviz.studies.groups.rows import target_rows
from pages._groups import measures as folds
from pages._groups.measures import Asked, all_measures, answers, answers_table
from pages._groups.results import (
    Settings,
    edited_target,
    rows_section,
    see_costs,
    settings,
    system_exposure,
    systems,
    unknown_of,
    unknown_strip,
)
from pages._kit import empty_state, header, rule, section
from pages._kit.controls import standing_group
from pages._kit.session import dataset
from pages._kit.target import keep_in_link, one_group

loaded = dataset()
if not loaded.labels or not systems(loaded):
    header("Groups & targets", "No group labels are loaded", "Attention by group, and a target.")
    empty_state(
        "Load rankings and group labels",
        "A table with the columns doc_id and group (and weight, if a document belongs to several), "
        "one file per attribute. The example has two: the region and the size of providers.",
    )
    st.stop()


@st.fragment
def page() -> None:
    """All of it: title, rows and answers follow the target."""
    with st.container(key="groups_page"):
        st.html(style("groups"))
        whole()


def whole() -> None:
    """The page from top to bottom."""
    top = st.container()
    selected = settings(loaded)
    exposures, unknown = system_exposure(loaded, selected), unknown_of(loaded, selected)
    exposure, edit = exposures.exposure, edited_target(loaded, selected)
    target, system = edit.target, systems(loaded)[selected.system].system
    chosen = standing_group(edit.groups)
    moved = edit.groups.index(chosen) if chosen else None
    off = off_target(exposure.shares, exposures.ends.drawn, target.shares, exposure.n_labelled)
    is_set = edit.state.is_set
    found = headline(exposure, target.shares, where=f"{system},", moved=moved, is_set=is_set)
    said = "" if exposure.is_few or len(edit.groups) == 1 else moving_sentence(off, target.shares, is_set=is_set)
    with top:
        kick = f"Groups & targets · {loaded.name} · first {selected.k} ranks"
        header(kick, found.title, f"{said} {found.sentence}".strip(), how="groups", wide=True)
    own_group = selected.unlabelled == "group"
    unknown_strip(unknown, unknown_title(unknown), unknown_sentence(unknown, own_group=own_group))
    rule()
    if len(edit.groups) == 1:
        one_group(loaded, selected.attribute, unlabelled=bool(exposure.unlabelled_candidates.sum() > 0))
        return
    nearest = exposures.reach.nearest(target.shares)
    rows = target_rows(exposure, exposures.ends.shares, target.shares, nearest, is_set=is_set)
    keep_in_link(edit.where, edit.presets)
    rows_section(edit, rows, off, exposure.n_labelled)
    see_costs(edit, exposures.reach, nearest, edit.groups, judged=_has_price(selected))
    at = headline_group(exposure, target.shares) if moved is None else moved
    group = edit.groups[at if at is not None else rows.rows[-1].group]
    asked = Asked(loaded, selected, exposures, target, group)
    rule()
    five = answers(asked, off, is_set=is_set)
    many = len(edit.groups) > MANY
    if not many:
        section("Five questions about these lists")
        answers_table(five, exposure.n_labelled, len(edit.groups))
    with st.container(key="groups_folds"):
        if many:
            with folds.fold(
                "Five questions", answers_title(five, int((exposure.shares == 0).sum()), is_set=is_set)
            ) as is_open:
                if is_open:
                    answers_table(five, exposure.n_labelled, len(edit.groups))
        all_measures(asked, rows)
        folds.by_rank(exposures, target.shares, selected.k)
        folds.missing_labels(unknown, target, is_set=is_set)
        folds.per_document(exposures)


def _has_price(selected: Settings) -> bool:
    """Whether the Policy lab can say what a target costs."""
    return selected.system < len(loaded.runs) and selected.judgements is not None


page()
