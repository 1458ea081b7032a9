"""Agreement of measures, a section of Groups & targets: do they order the systems alike?"""

from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.analysis.agreement import short_names
from fairviz.analysis.agreement_measures import agreement_measures
from fairviz.analysis.kendall import VARIANTS, Variant
from fairviz.groups import Missing
from fairviz.model import Dataset, Target
from pages._agreement_charts import NOBODY, heatmaps, results
from pages._agreement_downloads import downloads
from pages._agreement_results import MOST_AT_ONCE, DataSet, compared, n_places, systems
from pages._agreement_series import series_section
from pages._metric_chooser import chooser
from pages._shared import callout, section
from pages._target_editor import standing_target

USUAL = (
    "AWRF", "nDKL", "MinSkew", "MaxSkew", "logDP", "logEUR", "logRUR", "IAA", "PAIR", "EED", "EEL",
    "FAIR", "nDCG",
)  # fmt: skip
"""Measures that are compared unless others are chosen, by name."""
TAU: dict[Variant, str] = {"c": "τ-c", "b": "τ-b"}


@st.fragment
def agreement_section(
    loaded: Dataset,
    *,
    attribute: int,
    system: int,
    judgements: int | None = None,
    unlabelled: Missing = "drop",
    k: int = 10,
) -> None:
    """Do the measures order the systems alike? With the chooser, and metrics down the ranks.

    Call it where the page reruns it when the target moves; a comparison of much data waits for a
    button then, and says for which target it stands.

    Args:
        loaded: The data, with labels.
        attribute: Which labels come first; further attributes are further data sets.
        system: Whose pools the presets of the target look at, and who is highlighted.
        judgements: Which judgements, None for none.
        unlabelled: As in the target editor.
        k: Cutoff of measures of the top.
    """
    top = st.container()
    group = _group(loaded, attribute)
    offered = agreement_measures(k, judged=judgements is not None, group=group)
    shown = dict(zip(offered, short_names(offered), strict=True))
    usual = [text for text in offered if shown[text].split("@")[0] in USUAL]
    with st.expander("Measures that are compared"):
        measures = st.multiselect(
            "Measures", offered, usual, format_func=lambda text: shown[text],
            key=f"agreement-measures-{k}-{group}-{judgements}",
        )  # fmt: skip
        variant = st.segmented_control(
            "Kendall's τ", VARIANTS, default=VARIANTS[0], format_func=lambda one: TAU[one],
            key="tau", required=True, bind="query-params",
            help="They differ only where systems are tied.",
        )  # fmt: skip
    now = tuple(
        _data_set(standing_target(loaded, attribute=i, system=system, judgements=judgements,
                                  unlabelled=unlabelled), i)
        for i in (attribute, *(j for j in range(len(loaded.labels)) if j != attribute))
    )  # fmt: skip
    if len(measures) < 2:
        with top:
            section("Choose two measures to compare", "They stand in the list below.")
        return
    data_sets = _held(loaded, now, len(measures), top)
    found = compared(loaded, data_sets, judgements, tuple(measures), cast("Variant", variant))
    with top:
        heatmaps(found, data_sets)
    with st.expander("Every measure of every system"):
        results(found, [one.system for one in systems(loaded)], system)
    if judgements is not None:
        with st.expander("FAIR and other metrics at every rank"):
            series_section(loaded, data_sets[0], system=system, judgements=judgements)
    with st.expander("Which measure answers your question?"):
        chooser()
    downloads(found)


def _held(
    loaded: Dataset, now: tuple[DataSet, ...], n_measures: int, top: DeltaGenerator
) -> tuple[DataSet, ...]:
    """The data sets to compare: those of now, or with much data those last asked for."""
    if n_places(loaded) * n_measures * len(now) <= MOST_AT_ONCE:
        return now
    key = f"agreement-held-{loaded.fingerprint[:12]}-{now[0].attribute}"
    held = st.session_state.setdefault(key, now)
    if held != now:
        with top:
            callout("The target has moved since these measures were compared", calm=True)
            if st.button("Compare for the target above", key="agreement-again"):
                st.session_state[key] = held = now
    return held


def _group(loaded: Dataset, attribute: int) -> str | None:
    """With more than two groups: whom measures of two groups look at."""
    groups = loaded.labels[attribute].groups
    if len(groups) < 3:
        return None
    picked = st.selectbox(
        "Compare one group with the others", [NOBODY, *groups], key="agreement-group", width=260,
        help="Measures of two groups (logDP, PreF, …) need one group to hold against the rest.",
    )  # fmt: skip
    return None if picked == NOBODY else picked


def _data_set(target: Target, attribute: int) -> DataSet:
    return DataSet(attribute, target.groups, tuple(target.shares.tolist()))
