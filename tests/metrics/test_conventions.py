"""Conformance with the two published reference programs (../shared/data/expected-exposure)."""

import csv
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from fairviz.attention import Attention, Cascade, RankBiased, TopK
from fairviz.exposure import effective_gains, sample_exposure
from fairviz.metrics.exposure import References, ee_disparity, ee_loss, ee_relevance, expeval, fair_rag
from fairviz.model import Pools, RankingSample
from fairviz.pool import pool
from tests.nouns import qrels_of, sample_of

NAMES = {"disparity": "disparity", "relevance": "relevance", "difference": "loss"}


class ExpevalInput:
    """One pair of expeval files as nouns, with the groups of column 2."""

    def __init__(self, folder: Path, name: str) -> None:
        grades: dict[str, dict[str, int]] = defaultdict(dict)
        self.groups: dict[str, dict[str, list[str]]] = defaultdict(dict)
        for line in (folder / f"{name}.qrels.tsv").read_text().splitlines():
            query, group, doc, grade = line.split("\t")
            grades[query][doc] = int(grade)
            self.groups[query][doc] = group.split("|")
        ranked: dict[str, dict[str, list[tuple[int, str]]]] = defaultdict(lambda: defaultdict(list))
        for line in (folder / f"{name}.run.tsv").read_text().splitlines():
            query, sample, doc, rank, *_ = line.split("\t")
            ranked[query][sample].append((int(rank), doc))
        self.sample = sample_of({q: [[doc for _, doc in sorted(r)] for r in s.values()] for q, s in ranked.items()})
        self.pools = pool(self.sample, qrels_of(grades))


def browsing(model: str, patience: float, utility: float) -> Attention | Cascade:
    return RankBiased(patience) if model == "rbp" else Cascade(patience, utility)


def reference_values(
    given: ExpevalInput, model: str, patience: float, utility: float, flags: set[str]
) -> tuple[Pools, References]:
    # GERR: any grade above 0 is relevant, so exposure always reads binary gains.
    binary = with_gains(given.pools, "binary")
    pools = binary if "-B" in flags else given.pools
    exposure = sample_exposure(given.sample, binary, browsing(model, patience, utility)).exposure
    values = expeval(
        exposure,
        pools,
        patience=patience,
        utility=None if model == "rbp" else utility,
        complete="-C" in flags,
    )
    return pools, values


def with_gains(pools: Pools, gain: str) -> Pools:
    from dataclasses import replace

    return replace(pools, gains=effective_gains(pools.gains, gain, 1))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def inputs(shared: Path) -> dict[str, ExpevalInput]:
    folder = shared / "data/expected-exposure/expeval"
    return {name: ExpevalInput(folder, name) for name in ("graded", "binary", "groups")}


def test_expeval_individual_rows(shared: Path, inputs: dict[str, ExpevalInput]) -> None:
    """All rows without -G: 4,746 values printed by expeval to six digits."""
    rows = read_rows(shared)
    settings = {row[:5] for row in rows if "-G" not in row[4]}
    computed = {s: reference_values(inputs[s[0]], s[1], float(s[2]), float(s[3]), set(s[4].split())) for s in settings}
    n_checked = 0
    for row in rows:
        if row[:5] not in computed:
            continue
        pools, values = computed[row[:5]]
        q = pools.query_ids.index(row[6])
        reference = getattr(values, NAMES[row[5]])
        got = reference.raw[q] if "-U" in row[4] else reference.normalised[q]
        assert got == pytest.approx(float(row[7]), abs=1e-6), row
        n_checked += 1
    assert n_checked == sum("-G" not in row[4] for row in rows) > 4000


def test_expeval_leaves_queries_without_relevant_items_undefined(
    inputs: dict[str, ExpevalInput],
) -> None:
    pools, values = reference_values(inputs["graded"], "rbp", 0.8, 0.5, set())
    assert np.isnan(values.disparity.normalised[pools.query_ids.index("q004")])


def test_expeval_group_rows(shared: Path, inputs: dict[str, ExpevalInput]) -> None:
    """Exposure and target summed over the items of a group, then the same three kernels.

    Raw values (-U) agree. Of the normalised ones, relevance is always expeval's default 1 (its
    bound is computed as 0), disparity has coinciding bounds for RBP: default 0, where nine printed
    values are one rounding error divided by another and are not reproduced.
    """
    given = inputs["groups"]
    n_checked = 0
    cache: dict[tuple[str, ...], dict[str, np.ndarray]] = {}
    for row in read_rows(shared):
        if "-G" not in row[4]:
            continue
        model, patience, utility, flags = row[1], float(row[2]), float(row[3]), set(row[4].split())
        key = row[1:5]
        if key not in cache:
            cache[key] = group_values(given, model, patience, utility, "-C" in flags)
        values = cache[key]
        q = given.pools.query_ids.index(row[6])
        expected = float(row[7])
        if "-U" in flags:
            assert values[row[5]][q] == pytest.approx(expected, abs=1e-6), row
        elif row[5] == "relevance":
            assert expected == 1.0
        elif row[8] == "reference_rounding_artifact":
            assert values["disparity_high"][q] == pytest.approx(values["disparity_low"][q])
        else:
            low = values[f"{row[5]}_low"][q]
            high = values[f"{row[5]}_high"][q]
            same = high - low <= 1e-12 * abs(high)
            scaled = 0.0 if same else (values[row[5]][q] - low) / (high - low)
            assert scaled == pytest.approx(expected, abs=1e-6), row
        n_checked += 1
    assert n_checked == 1260


def group_values(
    given: ExpevalInput, model: str, patience: float, utility: float, complete: bool
) -> dict[str, np.ndarray]:
    """EE by group: one row per (query, group) that occurs among the items that count."""
    pools = given.pools
    exposure = sample_exposure(given.sample, pools, browsing(model, patience, utility)).exposure
    flags = {"-C"} if complete else set()
    individual_target = expeval_target(pools, model, patience, utility, flags)
    parts: list[dict[str, list[float]]] = []
    for q, query in enumerate(pools.query_ids):
        groups: dict[str, list[float]] = {}
        for row in range(pools.offsets[q], pools.offsets[q + 1]):
            doc = pools.doc_ids[pools.docs[row]]
            if not pools.judged[row] or not (complete or pools.gains[row] > 0):
                continue
            for group in given.groups[query][doc]:
                sums = groups.setdefault(group, [0.0, 0.0])
                sums[0] += exposure[row]
                sums[1] += individual_target[row]
        parts.append(groups)
    offsets = np.cumsum([0, *(len(groups) for groups in parts)])
    flat = np.array([sums for groups in parts for sums in groups.values()]).reshape(-1, 2)
    eps, target = flat[:, 0], flat[:, 1]
    n_relevant = np.array(
        [(pools.gains[a:b] > 0).sum() for a, b in zip(pools.offsets[:-1], pools.offsets[1:], strict=True)]
    )
    n_groups = np.diff(offsets)
    mass = (1 - patience**n_relevant) / (1 - patience)
    base = patience if model == "rbp" else patience * utility
    low_mass = (1 - base**n_relevant) / (1 - base)
    one = n_groups == 1
    lost = np.add.reduceat(target**2, offsets[:-1])
    gained = np.add.reduceat((np.repeat(mass, n_groups) - target) ** 2, offsets[:-1])
    return {
        "disparity": ee_disparity(eps, offsets),
        "relevance": ee_relevance(eps, target, offsets),
        "difference": ee_loss(eps, target, offsets),
        "disparity_low": np.where(one, 0, n_groups * low_mass**2),
        "disparity_high": np.where(one, 0, n_groups * mass**2),
        "difference_low": np.zeros(one.size),
        "difference_high": np.maximum(lost, gained),
    }


def expeval_target(pools: Pools, model: str, patience: float, utility: float, flags: set[str]) -> np.ndarray:
    from fairviz.metrics.exposure import _expeval_target

    kept = pools.judged if "-C" in flags else pools.gains > 0
    return _expeval_target(pools, kept, patience, 0.0 if model == "rbp" else utility)


def read_rows(shared: Path) -> list[tuple[str, ...]]:
    path = shared / "data/expected-exposure/expeval/expected_cli.tsv"
    with path.open() as lines:
        return [tuple(row) for row in csv.reader(lines, delimiter="\t")][1:]


def test_expeval_full_precision(shared: Path, inputs: dict[str, ExpevalInput]) -> None:
    path = shared / "data/expected-exposure/expeval/expected_full_precision.jsonl"
    for line in path.read_text().splitlines():
        want = json.loads(line)
        pools, values = reference_values(
            inputs[want["input"]],
            want["user_model"],
            want["patience"],
            want["utility"],
            {"-C"} if want["complete"] else set(),
        )
        q = pools.query_ids.index(want["qid"])
        assert_target(pools, q, want)
        if pools.n_retrieved[q] == 0:
            continue  # the record of a query that the run lacks holds its target alone
        for name, field in NAMES.items():
            reference = getattr(values, field)
            got = [reference.raw[q], reference.low[q], reference.high[q], reference.normalised[q]]
            wanted = [want[name][key] for key in ("value", "lower", "upper", "normalized")]
            assert got == pytest.approx(wanted, rel=1e-9, abs=1e-12), (want["qid"], name)


def assert_target(pools: Pools, q: int, want: dict) -> None:
    flags = {"-C"} if want["complete"] else set()
    model = (want["user_model"], want["patience"], want["utility"])
    target = expeval_target(pools, *model, flags)
    rows = range(pools.offsets[q], pools.offsets[q + 1])
    got = {pools.doc_ids[pools.docs[row]]: target[row] for row in rows if target[row] > 0}
    assert got == pytest.approx(want["target"], rel=1e-9)


def test_fair_rag_rows(shared: Path) -> None:
    folder = shared / "data/expected-exposure/fairrag"
    queries = {q["qid"]: q for q in json.loads((folder / "queries.json").read_text())}
    with (folder / "expected_ee.tsv").open() as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    assert len(rows) == 250
    by_file: dict[tuple[str, str], tuple[Pools, References]] = {}
    for row in rows:
        key = (row["retriever"], row["alpha"])
        if key not in by_file:
            by_file[key] = fair_rag_values(folder, queries, *key)
        pools, values = by_file[key]
        q = pools.query_ids.index(row["qid"])
        for name, field in NAMES.items():
            reference = getattr(values, field)
            assert reference.raw[q] == pytest.approx(float(row[f"{name}_raw"]), rel=1e-9)
            assert reference.high[q] == pytest.approx(float(row[f"{name}_upper"]), rel=1e-6)
            assert reference.normalised[q] == pytest.approx(float(row[f"{name}_norm"]), abs=1e-6)


def fair_rag_values(folder: Path, queries: dict[str, dict], retriever: str, alpha: str) -> tuple[Pools, References]:
    rankings = json.loads((folder / f"rankings_{retriever}_alpha{alpha}.json").read_text())
    lists: dict[str, list[list[str]]] = {}
    for qid, drawn in rankings.items():
        query = queries[qid]
        order = list(query["pids"])
        if retriever == "gold":
            rel = dict(zip(query["pids"], query["rel"], strict=True))
            order.sort(key=lambda pid: (rel[pid], pid), reverse=True)
        lists[qid] = [[order[i] for i in ranking] for ranking in drawn]
    qrels = qrels_of({q: dict(zip(d["pids"], d["rel"], strict=True)) for q, d in queries.items()})
    sample = sample_of(lists)
    pools = pool(sample, qrels)
    return pools, fair_rag(sample_exposure(sample, pools, TopK(5)).exposure, pools, 5)


def test_fair_rag_edge_cases(shared: Path) -> None:
    """Hand-made cases; where the reference raises, the value is undefined."""
    folder = shared / "data/expected-exposure/fairrag"
    cases = json.loads((folder / "edge_cases.json").read_text())
    assert len(cases) == 15
    for case in cases:
        sample: RankingSample = sample_of({"q": case["rankings"]})
        pools = pool(sample, qrels_of({"q": case["relevance"]}))
        exposure = sample_exposure(sample, pools, TopK(case["k"])).exposure
        values = fair_rag(exposure, pools, case["k"])
        for name, field in NAMES.items():
            reference = getattr(values, field)
            if "exception" in case["raw"]:
                assert np.isnan(reference.normalised[0]), case["name"]
            else:
                assert reference.raw[0] == pytest.approx(case["raw"][name], abs=1e-6), case["name"]
                assert reference.normalised[0] == pytest.approx(case["normalized"][name], abs=1e-6), case["name"]
