"""Re-rankers against the shared rows: every one agrees, or is named here with the reason."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from fairviz.reranking.candidates import Candidates, LegacyDraws
from fairviz.reranking.catalogue import epsilon_greedy
from fairviz.reranking.det import det_cons, det_const_sort, det_greedy, det_relaxed
from fairviz.reranking.fa_ir import adjusted_significance, fa_ir, fail_probability, minimum_table
from tests.metrics.test_group_conformance import Row, rows_of
from tests.reranking.test_fa_ir import meets_minimums

CONTRADICTED = {
    ("s2022-rr12", "DetGreedy", "reference"),
    ("s2022-rr13", "DetGreedy", "reference"),
    ("s2022-rr13", "DetRelaxed", "reference"),
}
"""``reranking`` 0.3.6 stops looking at groups as soon as one of them has run out; the rows
"literal" of the same lists pass over that group alone, and agree with ours."""


class List(NamedTuple):
    ids: list[str]
    candidates: Candidates
    protected: int


@pytest.fixture(scope="session")
def rows(shared: Path) -> list[Row]:
    return rows_of("rerank", "infeasible", "fastar")


@pytest.fixture(scope="session")
def lists(shared: Path) -> dict[str, List]:
    cases = json.loads((shared / "data/ranking-metrics/inputs/rerank.json").read_text("utf-8"))
    return {case["id"]: list_of(case) for case in cases}


def list_of(case: dict[str, Any]) -> List:
    groups = [*case["target"]]
    weights = [[float(group == other) for other in groups] for _, group, _ in case["items"]]
    candidates = Candidates(weights=np.array(weights), target=np.array([*case["target"].values()]), depth=case["k"])
    return List([item[0] for item in case["items"]], candidates, groups.index(case["protected"]))


def ordered(given: List, metric: str, params: dict[str, Any]) -> np.ndarray:
    whole = Candidates(weights=given.candidates.weights, target=given.candidates.target, depth=len(given.ids))
    match metric:
        case "DetGreedy":
            return det_greedy(given.candidates)
        case "DetCons":
            return det_cons(given.candidates)
        case "DetRelaxed":
            return det_relaxed(given.candidates)
        case "DetConstSort":
            return det_const_sort(given.candidates, bound=params.get("bound", "feasible"))
        case "EpsilonGreedy":
            draws = LegacyDraws(params["seed"])
            return epsilon_greedy(whole, rng=draws, epsilon=params["eps"])
        case _:
            raise AssertionError(metric)


def test_re_ranked_lists(rows: list[Row], lists: dict[str, List]) -> None:
    checked = [row for row in rows if row.family == "rerank" and "Infeasible" not in row.metric]
    for row in checked:
        given = lists[row.case]
        assert given.candidates.depth == row.params.get("k", given.candidates.depth)
        order = ordered(given, row.metric, row.params)
        result = [given.ids[item] for item in order[: len(row.value)]]
        agrees = (row.case, row.metric, row.authority) not in CONTRADICTED
        assert (result == row.value) == agrees, row
    assert len(checked) == 145


def infeasible_count(given: List, order: np.ndarray, ranks: int) -> int:
    """Σ over prefixes and groups of [count < ⌊p k⌋], k = 1 … ranks."""
    count = np.cumsum(given.candidates.weights[order], axis=0)[:ranks]
    wanted = np.arange(1, ranks + 1)[:, None] * given.candidates.target
    return int((count < np.floor(wanted + 1e-9)).sum())


def test_prefixes_short_of_a_minimum(rows: list[Row], lists: dict[str, List]) -> None:
    checked = 0
    for row in rows:
        given = lists.get(row.case)
        if given is None or "InfeasibleCount" not in row.metric:
            continue
        if "top-k of input" in row.metric:
            order, ranks = np.arange(len(given.ids)), row.params["k"] - 1
        else:
            metric = row.metric.removeprefix("InfeasibleCount(").rstrip(")")
            order, ranks = ordered(given, metric, row.params), row.params["k"]
        assert infeasible_count(given, order, ranks) == row.value, row
        checked += 1
    assert checked == 84


def test_fa_ir(rows: list[Row], lists: dict[str, List]) -> None:
    """Any adjusted α with the row's table is right; rr00's lies 1e-15 beyond F(0; 4, ½)."""
    checked = [row for row in rows if row.family == "fastar"]
    tables = {row.case: row.value for row in checked if row.metric == "FA*IR mtable adjusted"}
    for row in checked:
        given = lists[row.case]
        k, p, alpha = row.params["k"], row.params["p"], row.params["alpha"]
        adjusted = adjusted_significance(k, p, alpha)
        table = minimum_table(k, p, adjusted)
        protected = given.candidates.weights[:, given.protected] > 0
        order = fa_ir(given.candidates, group=given.protected, least_share=p, significance=alpha)
        fails = fail_probability(minimum_table(k, p, alpha), p)
        result: dict[str, Callable[[], object]] = {
            "alpha adjusted": lambda table=table, case=row.case: table.tolist() == tables[case],
            "fail probability exact (unadjusted mtable)": lambda row=row, fails=fails: (
                row.value if abs(fails - row.value) <= row.tolerance else fails
            ),
            "is_fair(input top-k)": lambda p=protected, t=table: meets_minimums(p, t),
            "mtable adjusted": table.tolist,
            "mtable unadjusted": minimum_table(k, p, alpha).tolist,
            "re-ranked (adjusted)": lambda given=given, order=order, k=k: [given.ids[item] for item in order[:k]],
        }
        wanted = True if row.metric == "FA*IR alpha adjusted" else row.value
        assert result[row.metric.removeprefix("FA*IR ")]() == wanted, row
    assert len(checked) == 56
