"""Recorded answers of a grid: two tasks with queries of their own, two generators each."""

import csv
import io
import json
import re
from typing import Any

import numpy as np
import pytest
import streamlit as st

from fairviz.io.dataset import load_dataset
from fairviz.model import Dataset
from pages._kit.link import name_mark
from tests.app.conftest import OpenPage
from tests.app.reading import markup, title, words

TASKS = {"lamp-1": "a", "lamp-2": "b"}
"""Task -> first letter of its queries."""
LIFT = {"small": 0.0, "large": 0.2}
"""Utility of each generator's answers above that of the other; both tasks alike."""


def answers(task: str, generator: str, alpha: float | None, *, letter: str) -> bytes:
    """Two answers to each of 14 queries: five of ten documents given, one or two of them used."""
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
                "attributed": given[: 1 + sample],
            }
            lines.append(json.dumps(row))
    return "\n".join(lines).encode()


@pytest.fixture(scope="module", params=["disjoint", "same"])
def grid(request: pytest.FixtureRequest) -> Dataset:
    """The grid, its tasks with queries of their own, or with queries of the same names."""
    files = [
        (
            f"{task}.{generator}.{alpha}.jsonl",
            answers(task, generator, alpha, letter=letter if request.param == "disjoint" else "q"),
        )
        for task, letter in TASKS.items()
        for generator in LIFT
        for alpha in (1.0, 2.0, 8.0, None)
    ]
    found = load_dataset(files, name="Grid")
    assert not found.errors
    return found.dataset


def test_every_model_can_be_chosen(app_test: OpenPage, grid: Dataset) -> None:
    at = app_test("tradeoff", dataset=grid)
    names = list(at.selectbox(key="model").options)
    assert len(names) == len(set(names)) == 4
    assert all(any(task in name for name in names) for task in TASKS)
    curves = set()
    for name in names:
        at.selectbox(key="model").set_value(name).run()
        assert not at.exception
        assert at.selectbox(key="model").value == name
        (chart,) = (c for c in at.get("plotly_chart") if "tradeoff-utility" in c.proto.id)
        line = next(t for t in json.loads(chart.proto.spec)["data"] if t.get("name") == "plackett-luce")
        curves.add(json.dumps(line["y"]))
    assert len(curves) == 4  # each draws its own


def test_what_a_model_is_made_of_are_columns_of_its_files(
    app_test: OpenPage, grid: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: dict[str, str] = {}

    def button(label: str, data: Any, *, file_name: str, **_: Any) -> bool:
        content = data() if callable(data) else data
        texts[file_name] = content if isinstance(content, str) else ""
        return False

    monkeypatch.setattr(st, "download_button", button)
    at = app_test("tradeoff", dataset=grid, link={"model": name_mark("lamp-2 + large")})
    assert at.selectbox(key="model").value == "lamp-2 + large"
    rows = list(csv.DictReader(io.StringIO(texts["fairviz-tradeoff-utility.csv"])))
    assert {(row["task"], row["retriever"], row["generator"]) for row in rows} == {
        ("lamp-2", "bm25", "large"),
        ("lamp-2", "bm25", "small"),
    }


def test_models_are_compared_within_their_task(app_test: OpenPage, grid: Dataset) -> None:
    at = app_test("tradeoff", dataset=grid)
    for name in at.selectbox(key="model").options:
        at.selectbox(key="model").set_value(name).run()
        said = re.sub(r"\s+", " ", words(at))
        task = next(task for task in TASKS if task in name)
        (other,) = (task_ for task_ in TASKS if task_ != task)
        assert other not in said.replace(name, "")
        way, rival = ("higher", "large") if "small" in name else ("lower", "small")
        assert f"{rival} has a {way} AUC than {name.removeprefix(f'{task} + ')}" in said
        assert re.search(r"above their deterministic list, .*? of 2", said)
        assert " of 4" not in said  # the models of one task are two


def test_use_is_ranked_within_a_task(app_test: OpenPage, grid: Dataset) -> None:
    at = app_test("attribution", dataset=grid)
    assert not at.exception
    panels = re.findall(r'<h3 class="fv-part">(.*?)</h3>', markup(at))
    assert len(set(panels)) >= 4
    assert all(any(task in panel for panel in panels) for task in TASKS)
    assert title(at)


def test_export_pairs_systems_of_one_task(app_test: OpenPage, grid: Dataset) -> None:
    at = app_test("export", dataset=grid, link={"rows": "Two systems", "measures": ["EU"]})
    for name in at.selectbox(key="one").options:
        at.selectbox(key="one").set_value(name).run()
        assert not at.exception
        task = next(task for task in TASKS if task in name)
        others = at.selectbox(key="other").options
        assert others
        assert all(task in other for other in others)
