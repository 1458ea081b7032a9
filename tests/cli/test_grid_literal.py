"""``fairviz grid`` on a grid of known truth: every cell of every table, computed once more from the rows."""

import contextlib
import io
import json
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from scipy import stats

from fairviz.cli.main import main
from tests.cli.literal_grid import (
    ALPHAS,
    GENERATORS,
    N_QUERIES,
    N_SAMPLES,
    NARROW,
    RETRIEVERS,
    TASKS,
    K,
    Literal,
    Model,
    answers,
    expanded,
    holm,
    judgements,
)

Row: TypeAlias = dict[str, Any]
FEW = 10
"""Queries below which nothing is concluded."""


ONE_SEED, EQUAL = 100, 258
"""Seeds; of the second, all queries of one interval of EE-R differ from their deterministic list by the same."""


@cache
def literal(quality: str, seed: int) -> Literal:
    return Literal(answers(seed), judgements(), quality)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Row]:
    """``printed(seed, "--quality", "EU")``: what the command prints of the grid; the same words are run once."""

    @cache
    def folder(seed: int) -> Path:
        files, rows = tmp_path_factory.mktemp("grid"), answers(seed)
        for task in TASKS:
            of_task = (json.dumps(row) for row in rows if row["task"] == task)
            (files / f"{task}.jsonl").write_text("\n".join(of_task) + "\n")
            own = {query: docs for query, docs in judgements().items() if query.startswith(f"{task}-")}
            judged = (f"{query} 0 {doc} {grade}\n" for query, docs in own.items() for doc, grade in docs.items())
            (files / f"{task}.qrels").write_text("".join(judged))
        return files

    @cache
    def body(seed: int, *words: str) -> Row:
        outputs = [f"{task}.jsonl" for task in TASKS]
        labels = [word for task in TASKS for word in ("--qrels", f"{task}.qrels")]
        by = ("--by", "task,retriever,generator", "--format", "json")
        out = io.StringIO()
        with contextlib.chdir(folder(seed)), contextlib.redirect_stdout(out):
            assert main(["grid", "--outputs", *outputs, *labels, "-k", str(K), *by, *words]) == 0
        return json.loads(out.getvalue(), parse_constant=pytest.fail)["tables"]

    return body


def model_of(row: Row) -> Model:
    return row["task"], row["retriever"], row["generator"]


def matches(value: float | None, wanted: float) -> None:
    if np.isnan(wanted):
        assert value is None
    else:
        assert value == pytest.approx(wanted, rel=1e-7, abs=1e-9)


def said(difference: float, p: float, n: int) -> str:
    if np.isnan(p) or n < FEW:
        return "too few to test"
    return "no significant difference" if p >= 0.05 else "higher" if difference > 0 else "lower"


def check_points(rows: Sequence[Row], truth: Literal) -> None:
    assert [(*model_of(row), row["alpha"]) for row in rows] == [(*m, a) for m in truth.models for a in ALPHAS]
    for row in rows:
        at, model = ALPHAS.index(row["alpha"]), model_of(row)
        matches(row["EED"], truth.x[model][at].mean())
        matches(row["quality"], truth.y[model][at].mean())
        assert (row["n_queries"], row["n_samples"]) == (N_QUERIES, N_SAMPLES)


def check_areas(body: Row, truth: Literal) -> None:
    assert [model_of(row) for row in body["areas"]] == [model for task in TASKS for model in truth.kept(task)]
    for task in TASKS:
        known = truth.areas(task)
        first = truth.kept(task)[0]
        gaps: list[tuple[Model, float, tuple[float, float], float]] = []
        for row in (row for row in body["areas"] if row["task"] == task):
            area, slope = known[model_of(row)]
            for name, drawn in (("auc", area), ("slope", slope)):
                matches(row[name], drawn[0])
                low, high = expanded(drawn[1:], N_QUERIES)
                matches(row[f"{name}_low"], low)
                matches(row[f"{name}_high"], high)
            if model_of(row) != first:
                drawn = area - known[first][0]
                error = drawn[1:].std(ddof=1) * np.sqrt(N_QUERIES / (N_QUERIES - 1))
                p = 2 * stats.t.sf(abs(drawn[0]) / error, N_QUERIES - 1)
                gaps.append((model_of(row), float(drawn[0]), expanded(drawn[1:], N_QUERIES), float(p)))
        adjusted = dict(zip((gap[0] for gap in gaps), holm([gap[3] for gap in gaps]), strict=True))
        shown = [row for row in body["differences"] if row["task"] == task]
        ordered = sorted(gaps, key=lambda gap: -gap[1])
        assert [model_of(row) for row in shown] == [gap[0] for gap in ordered]
        for row, (model, difference, (low, high), p) in zip(shown, ordered, strict=True):
            wanted = {"difference": difference, "low": low, "high": high, "p": p, "p_holm": adjusted[model]}
            for name, value in wanted.items():
                matches(row[name], value)
            assert row["verdict"] == said(difference, adjusted[model], N_QUERIES)


def check_intervals(body: Row, truth: Literal) -> None:
    assert len(body["intervals"]) == len(truth.models) * 5
    for task in TASKS:
        wanted = [(model, cell) for model in truth.of_task(task) for cell in truth.intervals(model)]
        adjusted = holm([cell["p"] if cell["n_queries"] >= FEW else np.nan for _, cell in wanted])
        shown = [row for row in body["intervals"] if row["task"] == task]
        for row, (model, cell), p_holm in zip(shown, wanted, adjusted, strict=True):
            assert model_of(row) == model
            for name, value in cell.items():
                matches(row[name], value)
            matches(row["p_holm"], p_holm)
            assert row["verdict"] == said(cell["difference"], p_holm, int(cell["n_queries"]))
        above = [row for row in body["above"] if row["task"] == task]
        for b, row in enumerate(above):
            cells = [cell for _, cell in wanted][b::5]
            assert row["n_above"] == sum(cell["difference"] > 1e-9 for cell in cells)  # at its list is not above it
            assert row["n_models"] == sum(cell["n_points"] > 0 for cell in cells)
            assert row["n_higher"] == sum(one["verdict"] == "higher" for one in shown[b::5])


def check_disparity(body: Row, truth: Literal) -> None:
    for row in body["disparity"]:
        values = truth.x[model_of(row)][ALPHAS.index(row["alpha"])]
        quartiles = dict(zip(("minimum", "quarter", "median", "three_quarters", "maximum"), range(5), strict=True))
        matches(row["mean"], values.mean())
        for name, part in quartiles.items():
            matches(row[name], float(np.quantile(values, part / 4)))
    wanted = [test for model in truth.models for test in truth.alpha_tests(model)]
    adjusted = holm([p for _, p in wanted])  # one family: the whole table
    pairs = [(a, b) for _ in truth.models for a, b in combinations(ALPHAS, 2)]
    for row, (difference, p), p_holm, pair in zip(body["alpha-tests"], wanted, adjusted, pairs, strict=True):
        assert (row["alpha_low"], row["alpha_high"]) == pair
        for name, value in {"difference": difference, "p": p, "p_holm": p_holm}.items():
            matches(row[name], value)


@pytest.mark.parametrize(
    ("quality", "seed"),
    [
        ("EU", ONE_SEED),
        pytest.param("EU/best", ONE_SEED, marks=pytest.mark.slow),
        pytest.param("EER", EQUAL, marks=pytest.mark.slow),
    ],
)
def test_every_cell_is_what_the_rows_say(printed: Callable[..., Row], quality: str, seed: int) -> None:
    body = printed(seed, "--quality", quality)
    truth = literal(quality, seed)
    check_points(body["points"], truth)
    check_areas(body, truth)
    check_intervals(body, truth)
    check_disparity(body, truth)
    narrow = {model for task in TASKS for model in truth.of_task(task) if model not in truth.kept(task)}
    assert NARROW in narrow
    assert {model_of(row) for row in body["left-out"]} == narrow
    for row in [] if quality == "EER" else body["correlations"]:
        pearson, spearman = truth.correlations(model_of(row))
        matches(row["pearson"], pearson)
        matches(row["spearman"], spearman)
        assert (row["n_points"], row["n_queries"]) == (len(ALPHAS) * N_QUERIES, N_QUERIES)


def test_the_truth_is_found(printed: Callable[..., Row]) -> None:
    rows = printed(ONE_SEED, "--quality", "EU")["differences"]  # each minus the first, of bm25
    assert len(rows) == len(TASKS) * (len(RETRIEVERS) * len(GENERATORS) - 1) - 1  # a baseline each, and one left out
    for row in rows:
        better = row["retriever"] != "bm25"
        assert row["verdict"] == ("higher" if better else "no significant difference")
