"""Groups & targets: where attention goes by group, against a target set by hand."""

import streamlit as st

from fairviz.studies.groups.findings import headline
from pages._groups import sections
from pages._groups.measures import measures, unknown_labels
from pages._groups.results import BROWSING, seen, settings, shares_view, systems
from pages._groups.sections import agreement, one_query
from pages._kit import counts_line, dataset, empty_state, header, paint_first, rule, section
from pages._kit.target_editor import target_editor

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
def look() -> None:
    """All of it: title, controls and charts follow the target."""
    top = st.container()
    chosen = settings(loaded)
    found = seen(loaded, chosen)
    options = {
        "attribute": chosen.attribute,
        "system": chosen.system,
        "judgements": chosen.judgements,
        "unlabelled": chosen.unlabelled,
    }
    rule()
    sections.sizes(loaded, chosen)
    rule()
    left, right = st.columns([5, 6], gap="large")
    with left:
        section("Your target", "Move one share and the others make room. Lock a share to hold it.")
        target = target_editor(loaded, **options, now=found.exposure.shares)
    with right:
        view = shares_view(loaded, chosen, target.shares)
        sections.shares(view, found, target.shares, len(view.other_names))
    with top:
        system = systems(loaded)[chosen.system].system
        said = headline(
            found.exposure,
            found.ends.shares,
            target.shares,
            where=f"{system}, attention {BROWSING[chosen.browsing]} over the first {chosen.k}.",
        )
        header(f"Groups & targets · {loaded.name} · k = {chosen.k}", *said, how=HOW)
    paint_first()
    rule()
    sections.by_rank(found, target.shares, chosen)
    rule()
    sections.per_document(found)
    rule()
    measures(loaded, chosen, found, target)
    rule()
    unknown_labels(loaded, chosen, target)
    rule()
    one_query(loaded, chosen)
    rule()
    agreement(loaded, chosen, target)
    rule()
    counts_line("The address of this page holds its settings and the target: copy it to share.")


look()
