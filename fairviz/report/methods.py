"""A paragraph for the methods section of a paper: what was computed, how, and on what."""

from collections.abc import Sequence

from fairviz import __version__
from fairviz.analysis.uncertainty import N_RESAMPLES
from fairviz.exposure import Gain
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.model import Dataset, MeasureSpec
from fairviz.report.against_target import AgainstTarget, reads_groups
from fairviz.report.citations import (
    COMPARING,
    EXPECTED_EXPOSURE,
    FAIR_METRIC,
    FAIRVIZ,
    TOWARDS_FAIR_RAG,
    Citation,
)
from fairviz.report.words import count, listing, plural

NORMS = {
    "attainable": "scaled per query between the smallest and the largest value that any policy over the pool can have",
    "none": "not normalised",
    "fair-rag": "normalised as in the code published with Kim & Diaz (2025)",
    "expeval": "normalised as in expeval",
}


def methods_paragraph(
    loaded: Dataset,
    measures: Sequence[MeasureSpec],
    *,
    curves: tuple[int, Gain, str] | None = None,
    against: AgainstTarget | None = None,
    seed: int = 0,
) -> str:
    """The paragraph, in plain text.

    Args:
        loaded: The data.
        measures: What was measured.
        curves: k, gain and grid of α (lo:hi:n) of the trade-off curves, where there are some.
        against: Groups and target, where some measure is of groups.
        seed: Of the bootstrap.
    """
    parts = [
        f"Results were computed with fairviz {__version__} on {_inventory(loaded)} (fingerprint "
        f"{loaded.fingerprint[:12]})."
    ]
    if measures:
        parts.append(f"Measures: {listing([spec.text or spec.name for spec in measures])}.")
    parts += _definitions(measures)
    of_groups = any(map(reads_groups, measures))
    if against and of_groups:
        parts.append(_grouping(loaded, against))
    if curves:
        k, gain, alphas = curves
        low, high, n = alphas.split(":")
        useful = "grades ≥ 1 count as useful" if gain == "binary" else "grades counted in steps"
        parts.append(
            "Trade-off curves show expected exposure of Plackett–Luce policies with control α "
            f"(offset 1; Kim & Diaz, 2025), computed exactly at {n} values of α from {low} to "
            f"{high}, k = {k}, {useful}; the optimal policy and the oracle limit are compared "
            "at the mean EE-D that Plackett–Luce has at each α."
        )
    of_systems = " (measures of whole systems: of exposure averaged over queries first)" if of_groups else ""
    parts.append(
        f"Values are means over the queries on which a measure is defined{of_systems}; undefined "
        "queries are counted. Intervals are 95 % percentile bootstraps over queries "
        f"({count(N_RESAMPLES)} resamples, seed {seed}); p values of several comparisons are "
        "corrected by Holm."
    )
    cited = listing([f"{one.short} [{one.key}]" for one in _cited(measures)])
    return " ".join([*parts, f"Cite {cited}."])


def _cited(measures: Sequence[MeasureSpec]) -> list[Citation]:
    """What a paper with these measures cites."""
    of_groups = any(map(reads_groups, measures))
    by_gao = any(spec.name in CATALOGUE and "Gao et al. 2022" in CATALOGUE[spec.name].citation for spec in measures)
    return [
        TOWARDS_FAIR_RAG,
        EXPECTED_EXPOSURE,
        *([COMPARING] if of_groups else []),
        *([FAIR_METRIC] if by_gao else []),
        FAIRVIZ,
    ]


def _grouping(loaded: Dataset, against: AgainstTarget) -> str:
    labels = against.labels(loaded)
    return (
        f"Groups are those of “{labels.attribute}” ({listing(list(labels.groups))}); attention on "
        "documents without a label counts for no group unless a measure says missing='group'. "
        f"Target shares of attention: {against.words(loaded)}."
    )


def _inventory(loaded: Dataset) -> str:
    judged = {query for qrels in loaded.qrels for query in qrels.query_ids}
    parts = [
        plural(len(loaded.runs), "run") if loaded.runs else "",
        plural(len(loaded.samples), "file", "files") + " of sampled rankings" if loaded.samples else "",
        plural(len(loaded.outputs), "set") + " of recorded outputs" if loaded.outputs else "",
        plural(len(judged), "judged query", "judged queries") if judged else "",
    ]
    return f"“{loaded.name}”: {listing([part for part in parts if part]) or 'no data'}"


def _definitions(measures: Sequence[MeasureSpec]) -> list[str]:
    """One sentence per measure of fairviz; those of ir-measures are named together."""
    told: dict[str, None] = {}
    for spec in measures:
        if spec.name not in CATALOGUE:
            continue
        measure = CATALOGUE[spec.name]
        params = measure.with_defaults(spec.params)
        norm = NORMS.get(str(params.get("norm")), "") if "rankings" in measure.needs else ""
        norm = "of groups instead of items, not normalised" if reads_groups(spec) and norm else norm
        source = f"{measure.formula} ({measure.citation})"
        told[f"{measure.label} is {source}{', ' + norm if norm else ''}."] = None
    others = [spec.text or spec.name for spec in measures if spec.name not in CATALOGUE]
    if others:
        told[f"{listing(others)} from ir-measures."] = None
    return list(told)
