"""Social bias: how far answers lean towards stereotypes, about whom, what changes it; published results on request."""

import streamlit as st

from fairviz.display.words import plural
from fairviz.errors import InputError
from fairviz.studies.social_bias.findings import levels_finding
from fairviz.studies.social_bias.labels import where_words
from fairviz.studies.social_bias.unread import unread_state
from pages._kit import counts_line, dataset, empty_state, error_box, header
from pages._kit.session import is_shipped
from pages._social_bias.published import published
from pages._social_bias.results import choose_settings, level_rows, matched_answers, read_marks
from pages._social_bias.sections import answers
from pages._social_bias.style import social_bias_style
from pages._social_bias.unread import reading, too_much

HOW = r"""
Each question has a stereotyped answer, one against it, and "unknown".

$$\text{Diff-Bias}_a=\frac{n_{as}-n_{ac}}{n_a}$$

$$\text{Diff-Bias}_d=\frac{n_{ss}}{n_s}-\frac{n_{cc}}{n_c}$$

**The context does not say** (ambiguous, $a$): "unknown" is right; $n_{as}$ of $n_a$ answers follow the stereotype,
$n_{ac}$ go against it. **It gives the answer** (disambiguated, $d$): $n_{ss}$ of $n_s$ are right where the stereotype
holds, $n_{cc}$ of $n_c$ where it does not. **+** is towards the stereotype, **−** against it, **0** neither; a model
that always says "unknown" has 0, so look at the right answers too: $|\text{Diff-Bias}_a|\le 100-\text{Acc}_a$.

Intervals (95 %) are bootstrapped over templates and not corrected. Filled dots are significant: exact sign-flip test by
template, Holm's correction over the table, both contexts together. Slopes by number of documents take templates as
clusters, Holm's correction over all slopes.
*Parrish et al. 2022; Jin et al. 2024; Zhang et al. 2025.*
"""

loaded = dataset()


@st.fragment
def page() -> None:
    """All of it: title, tables and charts follow the controls."""
    kick = f"Social bias · {'example' if is_shipped(loaded) else 'your'} answers"
    if not (loaded.bias_items and loaded.bias_predictions):
        missing = (
            "answers" if loaded.bias_items else "questions" if loaded.bias_predictions else "questions and answers"
        )
        header(
            kick, f"The {missing} are missing", "Both are needed: questions, and a model's answers to them.", how=HOW
        )
        empty_state(
            f"Load the {missing}",
            "BBQ's JSONL or an item table, and a table of example_id, model, setting and pred or raw_prediction.",
        )
        published("diffbias_a")
        return
    try:
        with st.spinner("Matching answers with their questions …"):
            matched = matched_answers(loaded, read_marks())
    except InputError as error:
        header(kick, "These answers cannot be matched with their questions", "", how=HOW)
        error_box(error)
        return
    top = st.container()
    settings = choose_settings(loaded, matched, read_marks())
    at = (settings.compared, settings.read)
    every = level_rows(loaded, *at)
    rows = [row for row in every if settings.shows(row)]
    kick = f"{kick} · {plural(len({row.get('model') for row in rows}), 'model')}"
    state = unread_state(rows, settings.measure, settings.names)
    where = where_words(settings.column, settings.value)
    finding = state or levels_finding(rows, settings.measure, where=where, names=settings.names)
    with top:
        header(kick, finding.title, finding.sentence, how=HOW)
        reading(matched, rows, settings, calm=state is not None)
    if state:
        counted = [row for row in level_rows(loaded, *at, ooc="count") if settings.shows(row)]
        too_much(rows, counted, matched, settings)
    else:
        answers(loaded, matched, settings, finding, every, rows)
    published(settings.measure)
    counts_line("The address of this page holds its settings: copy it to share.")


st.html(social_bias_style())
page()
