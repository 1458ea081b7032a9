"""Attribution: what a generator was given beside what its answers use."""

import streamlit as st

from fairviz.show.words import count
from pages._attribution import selected
from pages._attribution.downloads import downloads, rank_row, result_section
from pages._attribution.panels import PAIR_TITLES, Look, counted, scatter_row
from pages._attribution.results import Results, Settings, pair_control, results, setting_control, settings
from pages._kit import callout, dataset, empty_state, header, section

HOW_TO_READ = r"""
**Right: attention in retrieval is more concentrated. Up: use is more concentrated.** A point is a
query under one setting; the black diamonds are means.

$$\text{EE-D}=\lVert\varepsilon\rVert^2\quad \text{EAE-D}=\lVert\varepsilon_a\rVert^2$$

$\varepsilon_d$ is how often item $d$ was given, $\varepsilon_{a,d}$ how often answers cite it;
**EAR** is the share of the list that is cited. Scales:

- *share*, $\lVert\varepsilon\rVert^2/(\sum\varepsilon)^2$: $1/20$ reads "as if 20 sources shared
  alike". Only here a point above $y=x$ means that use is more concentrated than retrieval.
- *min-max*: attainable EE-D beside EAE-D$/k$, the paper's.
- *k*: both over $k$. No point can lie above $y=x$. Above $y=\text{EAR}^2x$ (every given item
  equally likely to be used) the generator concentrates attention further.

*Kim & Diaz 2025, 3.3.3–3.3.5.*
"""

WARNED = "Were these outputs made from it? Items that were not given count nowhere on this page."


def page() -> None:
    """Read the controls, look up what was measured, show."""
    loaded = dataset()
    if not loaded.outputs:
        about = "This page compares what a generator was given with what its answers cite."
        header(f"Attribution · {loaded.name}", "Attribution needs recorded answers", about)
        empty_state(
            f"{loaded.name} has no RAG outputs",
            "Load TREC RAG or fairviz JSONL files; a run beside them says what was given.",
        )
        return
    top = st.container()
    chosen = settings(loaded)
    found = results(loaded, chosen)
    with top:
        kick = f"Attribution · {loaded.name} · k = {chosen.k}"
        header(kick, found.finding.title, found.finding.sentence, how=HOW_TO_READ)
    warnings(found)
    if not found.groups:
        return
    st.fragment(look)(chosen)
    downloads(loaded.name, chosen, found)


def warnings(found: Results) -> None:
    """Outputs that could not be measured, and those made from other lists than assumed."""
    for problem in found.problems:
        callout("These outputs could not be measured", problem)
    doubtful = [(group.name, points.found) for group in found.groups for points in group.points if points.found.warning]
    if doubtful:
        told = [f"{name}: {count(each.n_outside)} of {count(each.n_cited)}" for name, each in doubtful]
        first = doubtful[0][1]
        where = f"the first {first.k} of {first.paired or 'the recorded lists'}"
        callout(f"Many cited documents are not in {where}", f"{' · '.join(told)}. {WARNED}")


def look(chosen: Settings) -> None:
    """What moves with the setting and the selected query."""
    loaded = dataset()
    found = results(loaded, chosen)
    setting = setting_control(found.groups)
    if found.single_sample:
        rank_row(found, setting)
    charts, below, box = st.container(), st.container(), st.container(border=True)
    with box:
        query = selected.query_control(loaded, found)
        if query is not None:
            selected.selected_head(loaded, query)
            selected.query_table(found, chosen, setting, query)
            selected.answers(loaded, found, setting, query)
    with charts:
        pair = None
        if len(found.groups) > 1:
            pair = pair_control()
            section(PAIR_TITLES[pair], f"A point is a query, {setting}; the diamond is the mean")
        scatter_row(found, pair, Look(chosen, setting, query, selected.pick))
        counted(found, chosen, setting)
    with below:
        result_section(found, setting)


page()
