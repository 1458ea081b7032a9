"""Conformance with expeval (../shared/data/expected-exposure): values, bounds and targets in full precision."""

import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fairviz.kernels.attention import Attention, Cascade
from fairviz.kernels.exposure import effective_gains, sample_exposure
from fairviz.kernels.pool import pool
from fairviz.metrics.exposure import Part, Reference, _expeval_target, expeval
from fairviz.model import Pools
from tests.nouns import qrels_of, sample_of

NAMES: dict[str, Part] = {"disparity": "disparity", "relevance": "relevance", "difference": "loss"}


class ExpevalInput:
    """One pair of expeval files as nouns."""

    def __init__(self, folder: Path, name: str) -> None:
        grades: dict[str, dict[str, int]] = defaultdict(dict)
        for line in (folder / f"{name}.qrels.tsv").read_text().splitlines():
            query, _, doc, grade = line.split("\t")
            grades[query][doc] = int(grade)
        ranked: dict[str, dict[str, list[tuple[int, str]]]] = defaultdict(lambda: defaultdict(list))
        for line in (folder / f"{name}.run.tsv").read_text().splitlines():
            query, sample, doc, rank, *_ = line.split("\t")
            ranked[query][sample].append((int(rank), doc))
        self.sample = sample_of({q: [[doc for _, doc in sorted(r)] for r in s.values()] for q, s in ranked.items()})
        self.pools = pool(self.sample, qrels_of(grades))


def reference_values(part: Part, given: ExpevalInput, model: str, patience: float, utility: float) -> Reference:
    # GERR: any grade above 0 is relevant, so exposure always reads binary gains.
    binary = replace(given.pools, gains=effective_gains(given.pools.gains, "binary", 1))
    browsing = Attention("rbp", patience=patience) if model == "rbp" else Cascade(patience, utility)
    exposure = sample_exposure(given.sample, binary, browsing).exposure
    return expeval(part, exposure, given.pools, patience=patience, utility=None if model == "rbp" else utility)


@pytest.fixture(scope="module")
def inputs(shared: Path) -> dict[str, ExpevalInput]:
    folder = shared / "data/expected-exposure/expeval"
    return {name: ExpevalInput(folder, name) for name in ("graded", "binary", "groups")}


def test_expeval_leaves_queries_without_relevant_items_undefined(inputs: dict[str, ExpevalInput]) -> None:
    values = reference_values("disparity", inputs["graded"], "rbp", 0.8, 0.5)
    assert np.isnan(values.normalised[inputs["graded"].pools.query_ids.index("q004")])


def test_expeval_full_precision(shared: Path, inputs: dict[str, ExpevalInput]) -> None:
    """The program's retrieval setting: values, bounds and targets; that of complete judgements is no measure here."""
    path = shared / "data/expected-exposure/expeval/expected_full_precision.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    checked = 0
    for want in records:
        if want["complete"]:
            continue
        checked += 1
        given = inputs[want["input"]]
        q = given.pools.query_ids.index(want["qid"])
        assert_target(given.pools, q, want)
        if given.pools.n_retrieved[q] == 0:
            continue  # the record of a query that the run lacks holds its target alone
        for name, field in NAMES.items():
            reference = reference_values(field, given, want["user_model"], want["patience"], want["utility"])
            got = [reference.raw[q], reference.low[q], reference.high[q], reference.normalised[q]]
            wanted = [want[name][key] for key in ("value", "lower", "upper", "normalized")]
            assert got == pytest.approx(wanted, rel=1e-9, abs=1e-12), (want["qid"], name)
    assert checked > 20


def assert_target(pools: Pools, q: int, want: dict) -> None:
    utility = 0.0 if want["user_model"] == "rbp" else want["utility"]
    target = _expeval_target(pools, want["patience"], utility)
    rows = range(pools.offsets[q], pools.offsets[q + 1])
    got = {pools.doc_ids[pools.docs[row]]: target[row] for row in rows if target[row] > 0}
    assert got == pytest.approx(want["target"], rel=1e-9)
