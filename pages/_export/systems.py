"""What can be measured in the loaded data: systems under distinct names, and measures that fit; work that waits."""

from typing import Literal, NamedTuple, TypeAlias

import streamlit as st

from fairviz.display.methods import AgainstTarget
from fairviz.evaluation.evaluate import Evaluation
from fairviz.exposure import Gain
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.spec import parse_measure
from fairviz.model import Dataset
from fairviz.report.assemble import evaluated
from fairviz.studies.agreement.agreement import agreement_measures
from pages._kit.cache import cached
from pages._kit.recorded_outputs import pairs_of, usual_k
from pages._tradeoff.results import has_utility


def requested(key: str, settings: object, label: str, *, icon: str, light: bool = False) -> bool:
    """Whether the work was asked for with these settings; else shows the button that asks.

    Args:
        key: Of the session's memory.
        settings: What the work depends on; other settings ask again.
        label: Of the button.
        icon: Of the button.
        light: Whether the work takes a moment only and needs no button.
    """
    if light or st.session_state.get(key) == settings:
        return True
    st.button(label, icon=icon, type="primary", key=f"{key}_button", on_click=_remember, args=(key, settings))
    return False


def _remember(key: str, settings: object) -> None:
    st.session_state[key] = settings


Form: TypeAlias = Literal["means", "queries", "compared"]
SEED = 0


class MeasureSelection(NamedTuple):
    """What the table shows.

    Attributes:
        measures: Measure strings.
        form: Means, values per query, or two systems compared.
        against: Groups and target, where there are labels.
    """

    measures: tuple[str, ...]
    form: Form
    against: AgainstTarget | None = None


OF_RANKINGS = (
    "EED@5",
    "EER@5",
    "EER(rel=1)@5",
    "EEL@5",
    "nDCG@10",
    "EED(norm='none')@5",
    "EED(browsing='rbp', p=0.8)",
    "AP",
    "P@5",
    "RR",
    "R@20",
    "Judged@5",
)
CUTOFF = 10
OF_GROUPS = (
    "Skew@10",
    *(m for m in agreement_measures(CUTOFF, judged=False)),
    "AWRF(distance='l1', over='system')",
    "FAIR(irm='nDCG')@10",
    "FAIR(irm='RBP')@10",
    "FAIR(irm='ERR_IA')@10",
    "IAA(utility='score')",
)
OF_ANSWERS = ("EU(norm='best')",)
OF_REFERENCES = ("EU(utility='rougeL')", "EU(utility='f1')", "EU(utility='accuracy')")


def offered(loaded: Dataset) -> list[str]:
    """Measures that the data has something for; any other can be typed."""
    measures: list[str] = []
    if loaded.runs or loaded.samples:
        measures += [text for text in OF_RANKINGS if loaded.qrels or not _needs_judgements(text)]
    if can_group(loaded):
        measures += [text for text in OF_GROUPS if loaded.qrels or not _needs_judgements(text)]
    if loaded.outputs:
        k = usual_k(loaded)
        measures += ["EU", *OF_ANSWERS] if has_utility(loaded) else []
        measures += [f"EAR@{k}", f"EAED@{k}", f"EAED(norm='none')@{k}"]
        measures += OF_REFERENCES if loaded.references else ()
    return measures


def usual(loaded: Dataset, gain: Gain = "graded") -> list[str]:
    """Where to begin: the measures of the page's first look, relevance counted as on every page."""
    k = usual_k(loaded)
    first_look = ["EER@5" if gain == "graded" else "EER(rel=1)@5", "nDCG@10", "AWRF", "nDKL@10"]
    first_look += ["EU", f"EAR@{k}", f"EAED@{k}"]
    if loaded.samples:
        first_look.append("EED@5")  # of one fixed list it is always 1
    return [measure for measure in offered(loaded) if measure in first_look]


def can_judge(loaded: Dataset) -> bool:
    """Whether rankings and judgements are there."""
    return bool((loaded.runs or loaded.samples) and loaded.qrels)


def can_group(loaded: Dataset) -> bool:
    """Whether rankings and group labels are there."""
    return bool((loaded.runs or loaded.samples) and loaded.labels)


def is_light(loaded: Dataset) -> bool:
    """Whether measuring takes a moment: then nobody has to press a button first."""
    rows = sum(ranked.docs.size for ranked in (*loaded.runs, *loaded.samples))
    return rows + sum(len(outputs.samples) for outputs in loaded.outputs) <= 100_000


@cached
def evaluation(loaded: Dataset, measures: tuple[str, ...], against: AgainstTarget | None) -> Evaluation:
    """Every measure of every system that it fits; measures that the data do not allow are listed.

    Args:
        loaded: The data.
        measures: Measure strings.
        against: Groups and target, for measures of groups.
    """
    return evaluated(loaded, measures, against, pairs_of(loaded))


def _needs_judgements(text: str) -> bool:
    spec = parse_measure(text)
    measure = CATALOGUE.get(spec.name)
    return measure is None or "qrels" in measure.needed(spec.params)
