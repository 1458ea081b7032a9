"""Group measures against ``ranking-metrics/expected.tsv``: each row, by a measure string.

What cannot be said as a measure string is named in ``not_ours``, with the reason.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fairviz.evaluation.evaluate import evaluate
from fairviz.metrics.catalogue import parse_measure
from fairviz.model import GroupLabels, Qrels, RankingSample, Run, Target
from tests.metrics import labels
from tests.nouns import qrels_of, run_of, sample_of

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "ranking-metrics"
LN2 = math.log(2)


class Row(NamedTuple):
    family: str
    case: str
    metric: str
    params: Mapping[str, Any]
    value: Any
    tolerance: float
    authority: str


def rows_of(*families: str) -> list[Row]:
    if not SHARED.is_dir():
        return []
    lines = (SHARED / "expected.tsv").read_text(encoding="utf-8").splitlines()[1:]
    cells = [line.split("\t") for line in lines]
    return [
        Row(c[0], c[1], c[2], json.loads(c[3]), json.loads(c[4]), float(c[5]), c[6]) for c in cells if c[0] in families
    ]


class Case(NamedTuple):
    ranked: Run | RankingSample
    qrels: Qrels
    labels: GroupLabels
    target: Target | None
    protected: str
    length: int


@cache
def cases() -> dict[str, Case]:
    read = {
        name: json.loads((SHARED / "inputs" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("single", "sequences")
    }
    result = {case["id"]: single(case) for case in read["single"]}
    return result | {case["id"]: sequence(case) for case in read["sequences"]}


def single(case: Mapping[str, Any]) -> Case:
    ranking = case["ranking"]
    run = run_of({"q": {doc: -float(rank) for rank, doc in enumerate(ranking)}})
    qrels = qrels_of({"q": case["rel"]})
    if case["subtopics"]:
        qrels = with_subtopics(qrels, case["subtopics"])
    target = Target(groups=tuple(case["target"]), shares=np.array(list(case["target"].values()), dtype=float))
    labels = labels_of(case["names"], case["align"])
    return Case(run, qrels, labels, target, case["protected"], len(ranking))


def sequence(case: Mapping[str, Any]) -> Case:
    align = {doc: {group: 1.0} for doc, group in case["label"].items() if group}
    return Case(
        sample_of({"q": case["sequences"]}),
        qrels_of({"q": case["rel"]}),
        labels_of(case["names"], align),
        None,
        case["protected"],
        max(map(len, case["sequences"])),
    )


def labels_of(names: list[str], align: Mapping[str, Mapping[str, float]]) -> GroupLabels:
    return labels.labels_of({doc: weights for doc, weights in align.items() if any(weights.values())}, names)


def with_subtopics(qrels: Qrels, subtopics: Mapping[str, list[str]]) -> Qrels:
    """One row per relevant (document, subtopic), and one of grade 0 for the others."""
    rows = [
        (doc, subtopic, int(grade))
        for doc, grade in zip(qrels.doc_ids, qrels.grades.tolist(), strict=True)
        for subtopic in (subtopics.get(doc) or ["none"])
    ]
    names = sorted({subtopic for _, subtopic, _ in rows})
    index = {doc: d for d, doc in enumerate(qrels.doc_ids)}
    return replace(
        qrels,
        offsets=np.array([0, len(rows)]),
        docs=np.array([index[doc] for doc, _, _ in rows], dtype=np.int32),
        grades=np.array([grade if subtopic != "none" else 0 for _, subtopic, grade in rows], dtype=np.int64),
        subtopics=np.array([names.index(s) for _, s, _ in rows], dtype=np.int32),
        subtopic_ids=tuple(names),
    )


BROWSING = {
    "cascade": "browsing='cascade', p=0.5, phi=0.5, gain='binary'",
    "gerr": "browsing='cascade', p=0.5, phi=0.5",
    "geometric": "browsing='geometric'",
    "log_dcg": "browsing='dcg'",
    "log_max2": "browsing='log'",
    "rbp": "browsing='rbp', p=0.5",
}


def measure_of(row: Row) -> tuple[str, float]:
    """Measure string, and what its value is multiplied by to be the row's."""
    name, _, weighting = row.metric.partition(":")
    browsing, case, k = BROWSING.get(weighting, ""), cases()[row.case], row.params.get("k")
    group = f"group={row.params.get('group', case.protected)!r}"
    match row.family, name:
        case "awrf", "AWRF_JSD2":
            return f"AWRF({browsing})", 1 / LN2
        case "awrf", ("AWRF_JSD" | "AWRF_KL" | "AWRF_L1"):
            return f"AWRF(distance='{name[5:].lower()}', {browsing})", 1.0
        case "awrf", "AWRF_absdiff":
            return f"AWRF(distance='absdiff', {group}, {browsing})", 1.0
        case "awrf", "boise":
            model = BROWSING[weighting.removeprefix("awrf:")]
            return f"AWRF(distance='absdiff', {group}, {model})", 1.0
        case "awrf", _:
            return "FairTrecAWRF", 1.0
        case "ndkl", "nDKL":
            return "nDKL", 1 / LN2 if row.params["log"] == "2" else 1.0
        case "ndkl", "nDRKL":
            return f"nDRKL@{k}", 1.0
        case "skew", "minSkew":
            return f"MinSkew@{k}", 1.0
        case "skew", "maxSkew":
            return f"MaxSkew@{k}", 1.0
        case "infeasible", ("InfeasibleCount" | "InfeasibleIndex"):
            return name, 1.0
        case "infeasible", "InfeasibleCount_k<n":
            return f"InfeasibleCount@{case.length - 1}", 1.0
        case "fair_binomial", _:
            return f"FAIRBinomial({group}, p={row.params['p']})", 1.0
        case "pref", _:
            distance = name.split("_")[1]
            normalise = not name.endswith("_raw")
            step = row.params["step"]
            return f"PreF(distance='{distance}', step={step}, {group}, normalise={normalise})", 1.0
        case "pair", _:
            return f"PAIR(kind='{name.removeprefix('PAIR_')}', {group})", 1.0
        case "logratio", _:
            aggregate = row.params["exposure"].removeprefix("group ")
            plus = row.params["plus"]
            return f"{name}(group={plus!r}, {browsing}, aggregate='{aggregate}')", 1.0
        case "iaa", _:
            by = "item" if name == "IAA_individual" else "group"
            return f"IAA(by='{by}', {browsing})", 1.0
        case "ee", _:
            by = "item" if name.endswith("individual") else "group"
            return f"{name[:3]}({browsing}, norm='none', by='{by}')", 1.0
        case "fair_gao", "FAIR_RBP":
            return f"FAIR(irm='RBP', p={row.params['p']})@{k}", 1.0
        case "fair_gao", "FAIR_nDCG":
            return f"FAIR(irm='nDCG')@{k}", 1.0
        case "fair_gao", "FAIR_alpha_nDCG":
            return f"FAIR(alpha={row.params['alpha']})@{k}", 1.0
        case _:
            raise AssertionError(f"no measure for {row}")


def not_ours(row: Row) -> str | None:
    """Why a row is no measure string of fairviz, if it is none."""
    if row.metric == "meanAbsSkew":
        return "AIF360's mean of absolute skews is in neither paper"
    if row.params.get("eps") == 1e-12 and (row.case == "s2022-edge-zerotarget" or float(row.value) < -10):
        return "eps inside the logarithm makes a finite number of an infinite divergence"
    if row.case == "s2022-edge-nolabel" and row.family == "awrf":
        return "the track's program takes a list without labels for uniform exposure"
    if row.family == "infeasible" and row.metric.endswith("input)"):
        return "an input of a re-ranker: tests/rerankers"
    if row.metric.startswith("InfeasibleCount_k<n") and cases()[row.case].length == 1:
        return "a list of one document has no rank below its length"
    if row.params.get("docs") == "relevant only":
        return "fair-trec-tools leaves out items that are not relevant; the paper does not"
    if row.family == "fair_gao" and row.metric in ("RBP", "nDCG", "alpha_nDCG"):
        return "effectiveness alone comes from ir-measures: tests/metrics/test_standard.py"
    if row.params.get("M") == 1:
        return "M is the ideal of the same gains; the unnormalised sum is checked below"
    return None


FAMILIES = ("awrf", "ndkl", "skew", "infeasible", "fair_binomial", "pref", "pair", "logratio", "iaa", "ee", "fair_gao")


def values_of(texts: list[str], case: Case) -> dict[str, float]:
    """Each measure by its string, as the command line computes it."""
    texts = list(dict.fromkeys(texts))
    measures = [parse_measure(text) for text in texts]
    found = evaluate([case.ranked], measures, qrels=[case.qrels], labels=case.labels, target=case.target)
    return {text: scores.value for text, scores in zip(texts, found.scores, strict=True)}


def agrees(got: float, wanted: object, tolerance: float) -> bool:
    if wanted is None:
        return math.isnan(got)
    if isinstance(wanted, str):
        return got == float(wanted)
    return abs(got - float(str(wanted))) <= tolerance * max(1.0, abs(float(str(wanted))))


def test_rows_agree(shared: Path) -> None:
    """All measures of a list at once; of each family at least a third of the rows."""
    rows = [row for row in rows_of(*FAMILIES) if row.case in cases()]
    ours = [row for row in rows if not not_ours(row)]
    wrong: list[str] = []
    for name, case in cases().items():
        asked = [(row, *measure_of(row)) for row in ours if row.case == name]
        found = values_of([text for _, text, _ in asked], case)
        for row, text, factor in asked:
            if not agrees(found[text] * factor, row.value, row.tolerance):
                wrong.append(f"{row.case} {row.metric} {dict(row.params)}: {text} = {found[text]}, {row.value}")
    assert not wrong, f"{len(wrong)} of {len(ours)}:\n" + "\n".join(wrong[:20])
    checked, all_rows = (Counter(row.family for row in some) for some in (ours, rows))
    assert checked.keys() == set(FAMILIES)
    assert all(checked[family] >= n / 3 for family, n in all_rows.items())


def test_fair_with_rbp_is_the_sum_over_the_ideal(shared: Path) -> None:
    """FAIR_RBP with M = 1 is our value times the ideal RBP@k, (1 − p) Σ p^(i−1) over useful."""
    for row in rows_of("fair_gao"):
        if row.metric == "FAIR_RBP" and row.params["M"] == 1:
            case, k, p = cases()[row.case], row.params["k"], row.params["p"]
            useful = len(set(case.qrels.docs[case.qrels.grades > 0].tolist()))
            (got,) = values_of([f"FAIR(irm='RBP', p={p})@{k}"], case).values()
            assert agrees(got * (1 - p ** min(useful, k)), row.value, row.tolerance), row
