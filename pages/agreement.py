"""Agreement of measures: do measures of groups order the systems alike, and which one answers a question?"""

from functools import partial

import streamlit as st

from fairviz.display.words import plural
from fairviz.errors import FairvizError
from fairviz.evaluation.systems import rankings_by_alpha
from fairviz.studies.agreement.analysis import analyse, systems_judged
from fairviz.studies.agreement.findings import agreement_sentence
from fairviz.studies.agreement.settings import AgreementSettings
from pages._agreement import choose_measures, downloads, heatmaps, of_few, results, series_section, standing_settings
from pages._kit import control_row, counts_line, page_head, rule, without_data
from pages._kit.commands import against_target
from pages._kit.controls import choose, choose_cutoff, choose_judgements, choose_place, choose_unlabelled
from pages._kit.session import dataset
from pages._kit.target import choose_labels, editing

K = 10

loaded = dataset()
if not loaded.labels or not (loaded.runs or loaded.samples):
    without_data("agreement")
    st.stop()


@st.fragment
def page() -> None:
    """What is compared, then what measures say of few systems, or whether they agree on the order of many.

    Further attributes are further data sets, each beside its own target.
    """
    say = page_head("agreement")
    row, options = control_row()
    ranked = rankings_by_alpha(loaded)
    with options:
        system = choose_place("Highlighted system", [ranking.system for ranking in ranked], "system", width=280)
        k = choose_cutoff("Cutoff k", usual=K, most=1000, width=105)
        unlabelled = choose_unlabelled()
    with row:
        attribute = choose_labels(loaded, width=160)
        judgements = choose_judgements(loaded, ranked[system], width=180) if loaded.qrels else None
    with options:
        measures = choose_measures(loaded.attributes[attribute].groups, k, judged=judgements is not None)
        variant = choose("tau", required=True)
    if len(measures) < 2:
        say("Choose two measures to compare", "Choose them among the options.")
        return
    standing = partial(editing, loaded, system=system, judgements=judgements, unlabelled=unlabelled)
    sets = (attribute, *(other for other in range(len(loaded.labels)) if other != attribute))
    first, *beside = (against_target(loaded, labels, standing(attribute=labels).target) for labels in sets)
    by = judgements or 0
    systems = [judged.system for judged in systems_judged(loaded, by)]
    now = AgreementSettings(measures=measures, k=k, tau=variant, judgements=by, against=first, beside=tuple(beside))
    settings = standing_settings(loaded, now)
    if settings is None:
        title = f"{len(measures)} measures of {plural(len(systems), 'system')} can be compared"
        say(title, "That takes a while on these data.")
        return
    try:
        with st.spinner("Measuring all systems …"):
            analysis = analyse(loaded, settings)
    except FairvizError as error:
        say("None of these measures can be computed", str(error))
        return
    say(*analysis.findings[0])
    of_set = analysis.agreements[0]
    if of_set.orders is None:
        heatmaps(analysis, settings)
    else:
        of_few(analysis.agreements)
        with st.expander("How far measures agree in general: Kendall's τ, which needs ten systems to tell"):
            counts_line(agreement_sentence(of_set, len({refusal.measure for refusal in of_set.refused})))
            heatmaps(analysis, settings)
    with st.expander("Every measure of every system"):
        results(analysis.agreements, ranked[system].system)
    if judgements is not None:
        with st.expander("FAIR and other metrics at every rank"):
            series_section(loaded, first, system=system, judgements=judgements)
    downloads(loaded, analysis, settings)


page()
rule()
with st.container(horizontal=True):
    st.page_link("pages/groups.py", label="Set the target", icon=":material/tune:")
    st.page_link(
        "pages/learn.py",
        label="Which measure answers your question?",
        icon=":material/school:",
        query_params={"chapter": "Choose a metric"},
    )
counts_line("The address of this page holds its settings: copy it to share.")
