"""Curves that stand side by side are over the queries that all systems have, whatever else each of them ranks."""

import json
from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np
import pytest

from fairviz.errors import UndefinedError
from fairviz.model import Dataset, Run
from fairviz.points.exact import left_out_of_curves, queries_of_judged
from fairviz.studies.baseline.analysis import analyse as baseline_analysis
from fairviz.studies.baseline.settings import BaselineSettings
from fairviz.studies.compare.analysis import analyse as compare_analysis
from fairviz.studies.compare.settings import GridSettings
from fairviz.studies.study import Analysis
from fairviz.studies.tradeoff.analysis import analyse
from fairviz.studies.tradeoff.settings import TradeoffSettings
from tests.loaded import dataset_of
from tests.nouns import qrels_of, run_of

QUERIES = [f"q{i}" for i in range(15)]
COMMON = QUERIES[3:]


def some_run(system: str, queries: Collection[str], seed: int) -> Run:
    rng = np.random.default_rng(seed)
    scores = {query: {f"d{j}": float(rng.random()) for j in range(8)} for query in QUERIES}
    return run_of({query: scores[query] for query in queries}, system)


def runs(queries: Collection[str]) -> Dataset:
    """Two runs, of which the second lacks some queries."""
    grades = {query: {f"d{(i + j) % 8}": 1 + j for j in range(2)} for i, query in enumerate(QUERIES)}
    qrels = qrels_of({query: grades[query] for query in queries})
    return Dataset(name="two", runs=(some_run("all", queries, 1), some_run("some", COMMON, 2)), qrels=(qrels,))


def answers(queries: Collection[str]) -> Dataset:
    """Answers of two generators at two α; one lacks some queries."""
    rng = np.random.default_rng(3)
    files: list[tuple[str, bytes]] = []
    utilities = {(name, query): float(rng.random()) for name in ("all", "some") for query in QUERIES}
    for name, answered in (("all", queries), ("some", COMMON)):
        for alpha in (1.0, 2.0):
            rows = [
                {
                    "generator": name,
                    "policy": "plackett-luce",
                    "alpha": alpha,
                    "query_id": query,
                    "ranking": [f"d{(i + sample * alpha) % 5:g}", f"d{5 + sample:g}"],
                    "sample": str(sample),
                    "utility": utilities[name, query],
                }
                for i, query in enumerate(QUERIES)
                if query in answered
                for sample in range(2)
            ]
            files.append((f"{name}-{alpha:g}.jsonl", "\n".join(map(json.dumps, rows)).encode()))
    return dataset_of(files)


def tradeoff(data: Dataset) -> Analysis:
    return analyse(data, TradeoffSettings(k=2))


def tradeoff_of_every_run(data: Dataset) -> Analysis:
    return analyse(data, TradeoffSettings(k=2, policy=("optimal",)))


def grid(data: Dataset) -> Analysis:
    return compare_analysis(data, GridSettings(k=2))


@pytest.mark.parametrize(
    ("data", "study"),
    [(runs, tradeoff), (runs, tradeoff_of_every_run), (runs, grid), (answers, tradeoff), (answers, grid)],
)
def test_all_numbers_are_those_of_the_common_queries(
    data: Callable[[Collection[str]], Dataset], study: Callable[[Dataset], Analysis]
) -> None:
    """As if the first system had ranked, or answered, no other query; and it is said how many are left out."""
    whole, common = study(data(QUERIES)), study(data(COMMON))
    for stem, table in common.tables.items():
        cells, wanted = ([list(map(str, row)) for row in each.rows] for each in (whole.tables[stem], table))
        assert cells == wanted, stem
    verb = "rank" if data is runs else "answer"
    assert f"all: curves leave out 3 queries that not all systems {verb}" in map(str, whole.notes)
    assert not any("leave out" in note.message for note in common.notes)


def test_what_has_no_curve_or_area_is_told() -> None:
    """A run whose scores are all tied has no area beside another, and pools no deeper than k give no curve."""
    data = runs(QUERIES)
    tied = replace(data.runs[1], scores=np.zeros(data.runs[1].scores.size))
    notes = baseline_analysis(replace(data, runs=(data.runs[0], tied)), BaselineSettings(measures=("AP",), auc=2)).notes
    assert "some: AUC of EER@2: none over a range of EE-D that curves share" in map(str, notes)
    with pytest.raises(UndefinedError, match="undefined for every query; where no pool has more than k = 50 documents"):
        compare_analysis(data, GridSettings(k=50))


def test_what_is_left_out_is_kept_with_the_data_and_not_found_at_each_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairviz.remembered._KEEPERS", [])  # the dashboard's gives copies
    data = runs(QUERIES)
    for remembered in (left_out_of_curves, queries_of_judged):
        assert remembered(data) is remembered(data)


def test_runs_without_a_common_query_do_not_narrow_each_other() -> None:
    data = Dataset(
        name="two", runs=(some_run("a", QUERIES[:7], 1), some_run("b", QUERIES[7:], 2)), qrels=runs(QUERIES).qrels
    )
    made = grid(data)
    areas = made.tables["areas"]
    assert [row[areas.keys.index("n_queries")] for row in areas.rows] == [7, 8]
    assert not made.notes


def test_runs_that_share_queries_two_by_two_alone_are_told_to_keep_their_own() -> None:
    thirds = (QUERIES[:10], QUERIES[5:], [*QUERIES[10:], *QUERIES[:5]])
    chain = tuple(some_run(name, queries, at) for at, (name, queries) in enumerate(zip("abc", thirds, strict=True)))
    notes = grid(Dataset(name="three", runs=chain, qrels=runs(QUERIES).qrels)).notes
    own = "over its own 10 queries: none is common to all systems that share some with it"
    assert [str(note) for note in notes] == [f"{name}: {own}" for name in "abc"]
