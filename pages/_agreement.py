"""Agreement of measures, a section of Groups & targets: do they order the systems alike?"""

from typing import cast

import streamlit as st

from fairviz.analysis.agreement_measures import agreement_measures
from fairviz.analysis.kendall import VARIANTS, Variant
from fairviz.analysis.measured_systems import short_names
from fairviz.groups import Missing
from fairviz.model import Dataset, Target
from pages._agreement_charts import NOBODY, heatmaps, results
from pages._agreement_downloads import downloads
from pages._agreement_results import (
    MOST_AT_ONCE,
    MOST_UNASKED,
    DataSet,
    compared,
    n_places,
    systems,
)
from pages._agreement_series import series_section
from pages._shared import callout, plural, section
from pages._target_editor import standing_target

USUAL = (
    "AWRF",
    "nDKL",
    "MinSkew",
    "MaxSkew",
    "logDP",
    "logEUR",
    "logRUR",
    "IAA",
    "PAIR",
    "EED",
    "EEL",
    "FAIR",
    "nDCG",
)
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
    """Do the measures order the systems alike? With metrics down the ranks.

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
    with st.expander("Measures that are compared"):
        measures = _measures(loaded, attribute, k, judged=judgements is not None)
        variant = st.segmented_control(
            "Kendall's τ",
            VARIANTS,
            default=VARIANTS[0],
            format_func=lambda one: TAU[one],
            key="tau",
            required=True,
            bind="query-params",
            help="They differ only where systems are tied.",
        )
    now = tuple(
        _data_set(standing_target(loaded, attribute=i, system=system, judgements=judgements, unlabelled=unlabelled), i)
        for i in (attribute, *(j for j in range(len(loaded.labels)) if j != attribute))
    )
    if len(measures) < 2:
        with top:
            section("Choose two measures to compare", "They stand in the list below.")
        return
    with top:
        data_sets = _held(loaded, now, len(measures))
        if data_sets is None:
            return
        with st.spinner("Measuring all systems …"):
            found = compared(loaded, data_sets, judgements, tuple(measures), cast("Variant", variant))
        heatmaps(found, data_sets)
    with st.expander("Every measure of every system"):
        results(found, [one.system for one in systems(loaded)], system)
    if judgements is not None:
        with st.expander("FAIR and other metrics at every rank"):
            series_section(loaded, data_sets[0], system=system, judgements=judgements)
    downloads(found)


def _measures(loaded: Dataset, attribute: int, k: int, *, judged: bool) -> list[str]:
    """The measures that a person wants compared."""
    groups, group = loaded.labels[attribute].groups, None
    if len(groups) > 2:
        picked = st.selectbox(
            "Compare one group with the others",
            [NOBODY, *groups],
            key="agreement-group",
            help="Measures of two groups (logDP, PreF, …) need one to hold against the rest.",
        )
        group = None if picked == NOBODY else picked
    offered = agreement_measures(k, judged=judged, group=group)
    shown = dict(zip(offered, short_names(offered), strict=True))
    return st.multiselect(
        "Measures",
        offered,
        [text for text in offered if shown[text].split("@")[0] in USUAL],
        format_func=lambda text: shown[text],
        key=f"agreement-measures-{k}-{group}-{judged}",
    )


def _held(loaded: Dataset, now: tuple[DataSet, ...], n: int) -> tuple[DataSet, ...] | None:
    """The data sets to compare by n measures: those of now, or with much data when asked."""
    work = n_places(loaded) * n * len(now)
    if work <= MOST_AT_ONCE:
        return now
    key = f"agreement-held-{loaded.fingerprint[:12]}-{now[0].attribute}"
    if work <= MOST_UNASKED:
        st.session_state.setdefault(key, now)
    held: tuple[DataSet, ...] | None = st.session_state.get(key)
    if held is None:
        section(
            "Do the measures order the systems alike?",
            f"{n} measures of {plural(len(systems(loaded)), 'system')} take a while on these data.",
        )
        wanted = "Compare the measures"
    elif held != now:
        callout("The target has moved since these measures were compared", calm=True)
        wanted = "Compare for the target above"
    else:
        return held
    if st.button(wanted, key="agreement-again"):
        st.session_state[key] = held = now
    return held


def _data_set(target: Target, attribute: int) -> DataSet:
    return DataSet(attribute, target.groups, tuple(target.shares.tolist()))
