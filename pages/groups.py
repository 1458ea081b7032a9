"""Groups & targets: where attention goes by group, against a target set by hand."""

import numpy as np
import streamlit as st

from fairviz.studies.groups.findings import headline
from pages._groups import sections
from pages._groups.agreement import resting_agreement
from pages._groups.measures import measures
from pages._groups.query import one_query
from pages._groups.results import BROWSING, settings, shares_view, system_exposure, systems
from pages._groups.sections import unknown_labels
from pages._kit import counts_line, dataset, empty_state, header, paint_first, rule, section
from pages._kit.target_editor import one_group, target_editor

HOW = r"""
Each **large mark** is a group's share of the attention that falls on labelled documents,

$$\frac{\sum_q \varepsilon_{qg}}{\sum_q\sum_h \varepsilon_{qh}},\qquad
\varepsilon_{qg}=\sum_{r\le k} v_r\,[\,d_r\in g\,]$$

with attention $v_r$ falling by rank as chosen. The **line** is your target, the **bar** a 95 %
bootstrap over queries, the **pale band** what any re-ranking of each query's own candidates could
reach. *Sapiezynski et al. 2019; Raj et al. 2020.*
"""

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
    """All of it: title, controls and charts follow the target."""
    top = st.container()
    selected = settings(loaded)
    exposures = system_exposure(loaded, selected)
    system = systems(loaded)[selected.system].system
    where = f"{system}, attention {BROWSING[selected.browsing]} over the first {selected.k}."
    kick = f"Groups & targets · {loaded.name} · k = {selected.k}"
    sure = exposures.ends.shares_corrected
    if len(exposures.exposure.groups) == 1:
        with top:
            header(kick, *headline(exposures.exposure, sure, np.ones(1), where=where), how=HOW)
        rule()
        sections.sizes(loaded, selected)
        one_group(loaded, selected.attribute, unlabelled=bool(exposures.exposure.unlabelled_candidates.sum() > 0))
        rule()
        one_query(loaded, selected)
        return
    options = {
        "attribute": selected.attribute,
        "system": selected.system,
        "judgements": selected.judgements,
        "unlabelled": selected.unlabelled,
    }
    rule()
    sections.sizes(loaded, selected)
    rule()
    left, right = st.columns([5, 6], gap="large")
    with left:
        section("Your target", "Move one share and the others make room. Lock a share to hold it.")
        target = target_editor(loaded, **options, now=exposures.exposure.shares)
    with right:
        view = shares_view(loaded, selected, target.shares)
        sections.shares(view, exposures, target.shares, len(view.other_names))
    with top:
        header(kick, *headline(exposures.exposure, sure, target.shares, where=where), how=HOW)
    paint_first()
    rule()
    sections.by_rank(exposures, target.shares, selected)
    rule()
    sections.per_document(exposures)
    rule()
    measures(loaded, selected, exposures, target)
    rule()
    unknown_labels(loaded, selected, target)
    rule()
    one_query(loaded, selected)
    rule()
    resting_agreement(loaded, selected, target)
    rule()
    counts_line("The address of this page holds its settings and the target: copy it to share.")


page()
