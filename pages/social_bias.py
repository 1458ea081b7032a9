"""Social bias: what retrieved documents do to answers, in print and in answers of your own."""

from collections.abc import Callable

import streamlit as st

from fairviz.show.words import Finding
from fairviz.studies.social_bias.measures import BiasMeasure
from fairviz.studies.social_bias.published import COLLECTIONS, collections_finding, view_grid
from pages._kit import callout, counts_line, dataset, empty_state, header, is_example, paint_first, rule, section
from pages._kit.style import social_bias_style
from pages._social_bias.answers import answers
from pages._social_bias.downloads import published_downloads
from pages._social_bias.published import more_published, published

HOW = r"""
Each question has a stereotyped answer, one against it, and "unknown".

$$\text{Diff-Bias}_a=\frac{n_{as}-n_{ac}}{n_a}$$

$$\text{Diff-Bias}_d=\frac{n_{ss}}{n_s}-\frac{n_{cc}}{n_c}$$

**Ambiguous** questions leave the answer open, "unknown" is right: $n_{as}$ of $n_a$ answers follow
the stereotype, $n_{ac}$ go against it. **Disambiguated** ones tell the answer: $n_{ss}$ of $n_s$
are right where the stereotype holds, $n_{cc}$ of $n_c$ where it does not. **+** is towards the
stereotype, **−** against it, **0** neither; a model that always says "unknown" has 0, so look at
accuracy too: $|\text{Diff-Bias}_a|\le 100-\text{Acc}_a$.

Changes are paired by item; p is the exact sign-flip test by template, with Holm's correction.
*Parrish et al. 2022; Jin et al. 2024; Zhang et al. 2025.*
"""

MEASURES: dict[tuple[str, str], BiasMeasure] = {
    ("Diff-Bias", "ambiguous"): "diffbias_a",
    ("Diff-Bias", "disambiguated"): "diffbias_d",
    ("accuracy", "ambiguous"): "acc_a",
    ("accuracy", "disambiguated"): "acc_d",
}

loaded = dataset()
has_answers = bool(loaded.bias_items and loaded.bias_predictions)
own_first = has_answers and not is_example()


@st.fragment
def tables_and_charts() -> None:
    """All of it: title, tables and charts follow the controls."""
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        kind = st.segmented_control(
            "Questions",
            ["ambiguous", "disambiguated"],
            default="ambiguous",
            required=True,
            key="questions",
            bind="query-params",
        )
        quantity = st.segmented_control(
            "Show",
            ["Diff-Bias", "accuracy"],
            default="Diff-Bias",
            required=True,
            key="show",
            bind="query-params",
        )
        measure = MEASURES[(quantity or "Diff-Bias", kind or "ambiguous")]

    def show_title(finding: Finding, name: str = loaded.name) -> None:
        with top:
            header(f"Social bias · {name}", finding.title, finding.sentence, how=HOW)

    missing = _missing()
    if own_first:
        answers(loaded, measure, first=True, show_title=show_title)
        rule()
        section("Beside it: the published results", "rag-social-biases (Zhang et al. 2025).")
    else:
        show_title(collections_finding(view_grid(COLLECTIONS, measure)), "published results")
    if missing:
        callout(
            f"The {missing} are missing",
            f"Answers need their questions: load the {missing} too "
            "and they are shown here, tested, beside the published results.",
        )
    highlighted = published(measure)
    paint_first()
    rule()
    more_published(measure, highlighted)
    published_downloads(measure)
    if not own_first:
        rule()
        _below(measure, show_title)
    counts_line("The address of this page holds its settings: copy it to share.")


def _missing() -> str:
    """What is missing where one of the two files is loaded."""
    if has_answers or not (loaded.bias_items or loaded.bias_predictions):
        return ""
    return "questions" if loaded.bias_predictions else "answers"


def _below(measure: BiasMeasure, show_title: Callable[[Finding], None]) -> None:
    """Answers that stand below the published tables, or what is missing to show any."""
    if has_answers:
        answers(loaded, measure, first=False, show_title=show_title)
        return
    empty_state(
        "Load your own answers",
        "BBQ's JSONL or an item table, and a table of example_id, model, setting and pred or "
        "raw_prediction. Then every difference is tested.",
    )


st.html(social_bias_style())
tables_and_charts()
