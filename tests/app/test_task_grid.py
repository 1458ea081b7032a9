"""Recorded answers of a grid: two tasks with queries of their own, two generators each."""

import csv
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from fairviz.model import Dataset
from pages._kit.link import name_mark
from tests.app.conftest import OpenPage
from tests.app.reading import press, title, words
from tests.app.test_tradeoff import chart
from tests.loaded import dataset_of

TASKS = {"lamp-1": "a", "lamp-2": "b"}
"""Task -> first letter of its queries."""
LIFT = {"small": 0.0, "large": 0.2}
"""Utility of each generator's answers above that of the other; both tasks alike."""


def answers(task: str, generator: str, alpha: float | None, *, letter: str) -> bytes:
    """Two answers to each of 14 queries: five of ten documents given, one or two of them used, more by large."""
    draw = np.random.default_rng(int(task[-1]) + int(10 * (alpha or 0)))
    lines: list[str] = []
    for query in range(14):
        for sample in range(2):
            given = [f"d{d}" for d in (range(5) if alpha is None else draw.permutation(10)[:5])]
            row: dict[str, Any] = {
                "system": f"{task}-{generator}",
                "task": task,
                "retriever": "bm25",
                "generator": generator,
                "policy": "deterministic" if alpha is None else "plackett-luce",
                "alpha": alpha,
                "k": 5,
                "query_id": f"{letter}{query}",
                "sample": f"s{sample}",
                "ranking": given,
                "text": "x",
                "utility": round(0.4 + LIFT[generator] + 0.1 * float(draw.random()), 4),
                "attributed": given[: 1 + sample + int(task[-1]) * (generator == "large")],
            }
            lines.append(json.dumps(row))
    return "\n".join(lines).encode()


def of_tasks(*tasks: str, queries: str) -> Dataset:
    """The files of some tasks, with queries of their own, or of the same names."""
    files = [
        (
            f"{task}.{generator}.{alpha}.jsonl",
            answers(task, generator, alpha, letter=TASKS[task] if queries == "disjoint" else "q"),
        )
        for task in tasks
        for generator in LIFT
        for alpha in (1.0, 2.0, 8.0, None)
    ]
    return dataset_of(files, name="Grid")


@pytest.fixture(scope="module")
def grid() -> Dataset:
    """Both tasks, whose queries have the same names."""
    return of_tasks(*TASKS, queries="same")


def test_every_model_can_be_chosen_and_is_compared_within_its_task(app_test: OpenPage, grid: Dataset) -> None:
    at = app_test("tradeoff", dataset=grid)
    names = list(at.selectbox(key="model").options)
    assert len(names) == len(set(names)) == 4
    curves = set()
    for name in names:
        at.selectbox(key="model").set_value(name).run()
        assert at.selectbox(key="model").value == name
        line = next(t for t in chart(at, "tradeoff-utility")["data"] if t.get("name") == "plackett-luce")
        curves.add(json.dumps(line["y"]))
        said = re.sub(r"\s+", " ", words(at))
        (task,) = (task for task in TASKS if task in name)
        assert not any(other in said.replace(name, "") for other in TASKS if other != task)
        way, rival = ("higher", "large") if "small" in name else ("lower", "small")
        assert f"{rival} has a {way} AUC than {name.removeprefix(f'{task} + ')}" in said
        assert re.search(r"above their deterministic list, .*? of 2", said)
        assert " of 4" not in said  # the models of one task are two
    assert len(curves) == 4  # each draws its own


def test_what_a_model_is_made_of_are_columns_of_its_files(
    app_test: OpenPage, grid: Dataset, downloads: dict[str, str]
) -> None:
    at = app_test("tradeoff", dataset=grid, link={"model": name_mark("lamp-2 + large")})
    assert at.selectbox(key="model").value == "lamp-2 + large"
    rows = list(csv.DictReader(io.StringIO(downloads["fairviz-tradeoff-utility.csv"])))
    assert {(row["task"], row["retriever"], row["generator"]) for row in rows} == {
        ("lamp-2", "bm25", "large"),
        ("lamp-2", "bm25", "small"),
    }


def panels(at: AppTest) -> tuple[dict[str, list[float]], set[str]]:
    """Means of each system along α in its own panel, and what stands in the corners."""
    traces = chart(at, "attribution-grid")["data"]
    points = [cells for trace in traces if trace["name"].startswith("own") for cells in trace["customdata"] if cells]
    means: dict[str, list[float]] = {}
    for name, _, _, y, *_ in points:
        means.setdefault(name, []).append(y)
    return means, {text for trace in traces if trace["name"] == "corner" for text in trace["text"]}


@pytest.mark.parametrize("queries", ["disjoint", "same"])
def test_use_is_compared_within_a_task(app_test: OpenPage, queries: str) -> None:
    """What stands on the page of a task is what stands there where the other one is not loaded."""
    link = {"axes": "EE-D, EAR", "side_by_side": "true"}
    at = app_test("attribution", dataset=of_tasks(*TASKS, queries=queries), link=link)
    assert title(at).startswith("On lamp-1, ")
    first = panels(at)
    assert set(first[0]) == {"small", "large"}
    at.segmented_control(key="task").set_value("lamp-2").run()
    assert title(at).startswith("On lamp-2, ")
    second = panels(at)
    assert first[1] == {"\N{THIN SPACE}0.300 baseline", "\N{THIN SPACE}0.500 <b>+0.200</b>"}  # 1 or 2 of 5; 2 or 3
    assert second[1] == {"\N{THIN SPACE}0.300 baseline", "\N{THIN SPACE}0.700 <b>+0.400</b>"}  # 3 or 4
    other = app_test(
        "attribution", dataset=of_tasks("lamp-2", queries=queries), link={"axes": "EE-D, EAR", "side_by_side": "true"}
    )
    assert f"On lamp-2, {title(other)[:1].lower()}{title(other)[1:]}" == title(at)
    assert panels(other) == second


def test_a_link_opens_a_system_and_what_stands_beside_it(app_test: OpenPage, grid: Dataset) -> None:
    opened = {"side_by_side": "true", "other_axes": "true"}
    link = {"task": "lamp-2", "base": "large", "answers_of": "small", "panel_rows": "generator", **opened}
    at = app_test("attribution", dataset=grid, link=link)
    assert at.selectbox(key="answers_of").value == "small"
    assert "small · k = 5" in words(at)
    keys = [
        key for key in ("eed-eaed", "eed-ear") for c in at.get("plotly_chart") if f"attribution-{key}" in c.proto.id
    ]
    assert keys == ["eed-eaed", "eed-ear"]  # both pairs of axes of the system
    assert "EAE-D share beside large" in words(at)


def test_files_hold_every_task_with_its_factors_in_columns(app_test: OpenPage, grid: Dataset) -> None:
    at = app_test("export", dataset=grid)
    press(at, "Prepare the bundle")
    with zipfile.ZipFile(io.BytesIO(at.session_state["export_bundle_ready"][1])) as archive:
        held = {
            stem: list(csv.DictReader(io.StringIO(archive.read(name).decode())))
            for name in archive.namelist()
            if name.endswith(".csv") and (stem := Path(name).stem).startswith("consumption")
        }
    for rows in held.values():
        assert {row["task"] for row in rows} == set(TASKS)
        assert {row["retriever"] for row in rows} == {"bm25"}
        assert {row["generator"] for row in rows} <= set(LIFT)
    assert {stem: len(rows) for stem, rows in held.items()} == {
        "consumption": 2 * 2 * 4,
        "consumption-points": 2 * 2 * 4 * 14,
        "consumption-differences": 2,  # one beside the baseline of each task
    }
