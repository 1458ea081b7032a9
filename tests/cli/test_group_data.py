"""The shared lists and FairTREC's data through files and the command line."""

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.group_evidence import GroupMeasure
from tests.cli.conftest import Command
from tests.cli.test_groups import BASE, JSON, measures, number
from tests.metrics.test_group_conformance import (
    FAMILIES,
    SHARED,
    agrees,
    measure_of,
    not_ours,
    rows_of,
)

# --- every conformance row, through files ---


def write_case(case: Mapping[str, Any], to: Path) -> list[str]:
    """A list as TREC run, qrels, weighted labels and target; the arguments that name them."""
    n = len(case["ranking"])
    run = [f"q Q0 {doc} {i + 1} {n - i} sys\n" for i, doc in enumerate(case["ranking"])]
    qrels: list[str] = []
    for doc, grade in case["rel"].items():
        topics = case["subtopics"].get(doc) if case["subtopics"] else None
        useful = grade if topics or not case["subtopics"] else 0
        qrels += [f"q {topic} {doc} {useful}\n" for topic in topics or ["0"]]
    labels = [
        f"{doc}\t{group}\t{weight}\n" for doc, weights in case["align"].items() for group, weight in weights.items()
    ]
    (to / "run").write_text("".join(run))
    (to / "qrels").write_text("".join(qrels))
    (to / "groups.tsv").write_text("doc_id\tgroup\tweight\n" + "".join(labels))
    (to / "target.json").write_text(json.dumps(case["target"]))
    subtopics = ["--subtopics"] if case["subtopics"] else []
    named = ["run", "--qrels", "qrels", "--groups", "groups.tsv", "--target", "target.json", "--allow-missing-groups"]
    return [*named, *subtopics]


def single_cases() -> dict[str, Any]:
    file = SHARED / "inputs" / "single.json"
    return {case["id"]: case for case in json.loads(file.read_text())} if file.exists() else {}


@pytest.mark.parametrize("name", single_cases())
def test_every_row_of_a_case_agrees(name: str, fairviz: Command, files: Path) -> None:
    case = single_cases()[name]
    arguments = write_case(case, files)
    if not any(any(weights.values()) for weights in case["align"].values()):
        (files / "groups.tsv").write_text("doc_id\tgroup\n" + "elsewhere\tA\nnowhere\tB\n")
    rows = [row for row in rows_of(*FAMILIES) if row.case == name and not not_ours(row)]
    texts = [measure_of(row)[0] for row in rows]
    done = fairviz("evaluate", *arguments, "--format", "json", *measures(*dict.fromkeys(texts)))
    if name == "s2022-edge-nolabel":  # its labels are of other documents: refused, not 0
        assert "groups.tsv: no labelled document occurs in the run: elsewhere, nowhere here, " in done.err
        return
    assert done.code == 0, done.err
    values = {row["measure"]: number(row["value"]) for row in done.json["tables"]["means"]}
    for row, text in zip(rows, texts, strict=True):
        got = values[text] * measure_of(row)[1]
        assert agrees(got, row.value, row.tolerance), (text, got, row)


# --- all lists in one file ---

TOGETHER = {
    "awrf": ("AWRF",),
    "ndkl": ("nDKL", "nDRKL"),
    "skew": ("minSkew", "maxSkew"),
    "infeasible": ("InfeasibleIndex", "InfeasibleCount"),
    "fair_gao": ("FAIR_nDCG",),
}
"""Families and beginnings of measures that name no group."""


def test_all_lists_as_queries_of_one_run(fairviz: Command, files: Path, shared: Path) -> None:
    """Labels and target per query, though documents have the same names in all of them."""
    cases = {name: case for name, case in single_cases().items() if name != "s2022-edge-nolabel"}
    rows = [
        row
        for row in rows_of(*TOGETHER)
        if row.case in cases and row.metric.startswith(TOGETHER[row.family]) and not not_ours(row)
    ]
    rows = [row for row in rows if "absdiff" not in row.metric]
    lines: dict[str, list[str]] = {
        "run": [],
        "qrels": [],
        "groups.tsv": ["query_id\tdoc_id\tg\tweight\n"],
    }
    for name, case in cases.items():
        n = len(case["ranking"])
        ranking = enumerate(case["ranking"])
        lines["run"] += [f"{name} Q0 {doc} {i + 1} {n - i} sys\n" for i, doc in ranking]
        lines["qrels"] += [f"{name} 0 {doc} {grade}\n" for doc, grade in case["rel"].items()]
        lines["groups.tsv"] += [
            f"{name}\t{doc}\t{group}\t{weight}\n"
            for doc, weights in case["align"].items()
            for group, weight in weights.items()
        ]
    for file, written in lines.items():
        (files / file).write_text("".join(written))
    (files / "target").write_text(json.dumps({name: c["target"] for name, c in cases.items()}))
    texts = dict.fromkeys(measure_of(row)[0] for row in rows)
    done = fairviz(*BASE, "--target", "target", *JSON, *measures(*texts))
    assert done.code == 0, done.err
    values = {(row["query_id"], row["measure"]): row["value"] for row in done.json["tables"]["per-query"]}
    for row in rows:
        text, factor = measure_of(row)
        got = number(values[row.case, text]) * factor
        assert agrees(got, row.value, row.tolerance), (text, got, row)
    assert len(rows) > 1000


def test_sampled_lists(fairviz: Command, files: Path, shared: Path) -> None:
    """Several rankings of a query: column 2 names them."""
    cases = json.loads((SHARED / "inputs" / "sequences.json").read_text())
    for case in cases:
        (files / "run").write_text(
            "".join(
                f"q {s + 1} {doc} {i + 1} {99 - i} sys\n"
                for s, ranking in enumerate(case["sequences"])
                for i, doc in enumerate(ranking)
            )
        )
        (files / "qrels").write_text("".join(f"q 0 {d} {g}\n" for d, g in case["rel"].items()))
        labels = (f"{doc}\t{group}\n" for doc, group in case["label"].items() if group)
        (files / "groups.tsv").write_text("doc_id\tgroup\n" + "".join(labels))
        rows = [row for row in rows_of(*FAMILIES) if row.case == case["id"] and not not_ours(row)]
        texts = dict.fromkeys(measure_of(row)[0] for row in rows)
        done = fairviz(*BASE, *JSON, *measures(*texts))
        assert done.code == 0, done.err
        values = {row["measure"]: number(row["value"]) for row in done.json["tables"]["means"]}
        for row in rows:
            text, factor = measure_of(row)
            assert agrees(values[text] * factor, row.value, row.tolerance), (text, row)
    assert cases


# --- the track's own data: 157 of 4,992 documents are labelled ---


def labelled(data: Path) -> list[object]:
    judged = ["--qrels", data / "gender-subtopic.qrels.gz"]
    return [*judged, "--groups", data / "gender-labels.tsv", "--format", "json"]


@pytest.mark.parametrize("run", ["seq1.trec.run", "seq1-5.tsv"])
@pytest.mark.parametrize("target", ["uniform", "population", "corpus", "relevance"])
def test_fairtrec_gives_a_value_or_a_reason(run: str, target: str, fairviz: Command, shared: Path) -> None:
    data = shared / "data/real/fair"
    texts = [one.name for one in CATALOGUE.values() if isinstance(one, GroupMeasure)]
    texts += [f"{name}(by='group')@10" for name in ("EED", "EER", "EEL")]
    done = fairviz(
        "evaluate",
        data / f"fairtrec2022-task2-p09.{run}",
        *labelled(data),
        "--target",
        target,
        *measures(*texts),
    )
    assert done.code == 0, done.err
    told: defaultdict[str, list[str]] = defaultdict(list)
    for warning in done.json["warnings"]:
        told[warning["message"].split(":")[0]].append(warning["message"])
    for row in done.json["tables"]["means"]:
        reasons = [message for message in told[row["measure"]] if ": undefined, " in message]
        assert (row["value"] is None) == bool(reasons), row


@pytest.mark.parametrize("run", ["seq1.trec.run", "seq1-5.tsv"])
def test_fairtrec_shares_of_exposure(run: str, fairviz: Command, shared: Path) -> None:
    """All queries together: |share of the women's exposure − 1/2|, attention 1/log2(max(r, 2))."""
    data = shared / "data/real/fair"
    expected = json.loads((data / "expected_fair.json").read_text())[run.split(".")[0]]
    share = expected["exposure_share_labelled_only(disc=1/log2(max(r,2)))"]["female"]
    text = "AWRF(distance='absdiff', group='female', browsing='log', over='system')"
    done = fairviz(
        "evaluate",
        data / f"fairtrec2022-task2-p09.{run}",
        *labelled(data),
        "--target",
        "uniform",
        "-m",
        text,
    )
    (row,) = done.json["tables"]["means"]
    assert row["value"] == pytest.approx(0.5 - share)
