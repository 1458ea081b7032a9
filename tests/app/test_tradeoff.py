"""The Trade-off page: its finding, its chart, what moves with α and what does not."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.delta_generator import DeltaGenerator
from streamlit.testing.v1 import AppTest

from fairviz.display.theme import DARK, LIGHT
from fairviz.io.dataset import add_file
from fairviz.kernels.attention import TopK
from fairviz.kernels.pool import pool
from fairviz.model import Dataset
from fairviz.points.curves import CurveSettings, tradeoff_curve
from fairviz.points.estimates import estimated
from fairviz.policies import PlackettLuce
from pages._kit.link import name_mark
from pages._kit.session import example
from tests.app.conftest import OpenPage
from tests.app.reading import QRELS, RUN, grey, of_files, title, words

SECOND = RUN.replace("sysA", "sysB").replace("d1 1 8", "d1 8 1.5").replace("d8 8 1", "d8 1 8.5")


def chart(at: AppTest, key: str) -> dict[str, Any]:
    """A chart of the page, as it goes to the browser."""
    (found,) = (c for c in at.get("plotly_chart") if key in c.proto.id)
    return json.loads(found.proto.spec)


def trace(at: AppTest, name: str, key: str = "tradeoff") -> dict[str, Any]:
    (found,) = (t for t in chart(at, key)["data"] if t.get("name") == name)
    return found


def numbers(values: Any) -> np.ndarray:
    """Values of a trace: a list, or plotly's packed form."""
    if isinstance(values, dict):
        import base64

        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])
    return np.array(values, dtype=float)


def two_runs() -> Dataset:
    loaded, other = of_files(run=RUN, qrels=QRELS), of_files(run=SECOND)
    return replace(loaded, runs=(*loaded.runs, *other.runs), files=(*loaded.files, *other.files))


@pytest.fixture(scope="module")
def exact() -> tuple[float, float]:
    """EE-D and EE-R of the example at α = 2, k = 5, graded gain, computed without the page."""
    loaded = example()
    curve = tradeoff_curve(
        pool(loaded.runs[0], loaded.qrels[0]),
        CurveSettings(alphas=np.array([2.0]), attention=TopK(5)),
        system="x",
        policy="plackett-luce",
    )
    return float(curve.mean_disparity[0]), float(curve.mean_quality[0])


def with_manifest(**configuration: object) -> Dataset:
    body = {"schema": 1, "files": {"a.run": {"size": 3, "sha256": "0a"}}, "configuration": configuration}
    return add_file(example(), ("manifest.json", json.dumps(body).encode()))


def test_the_cutoff_is_that_of_a_manifest_else_of_the_answers_else_as_deep_as_samples(app_test: OpenPage) -> None:
    """A manifest of bias questions draws no rankings: its k is another's. Samples lie on the curve of their depth."""
    loaded = example()
    answers = replace(loaded, outputs=tuple(replace(one, k=3) for one in loaded.outputs))
    drawn = PlackettLuce(2.0).sample(loaded.runs[0], depth=3, n_samples=2, rng=np.random.default_rng(0))
    samples = replace(loaded, outputs=(), samples=(drawn,), files=loaded.files[:2])
    of_bias = with_manifest(k=[4])
    for dataset, k in (
        (with_manifest(alphas=[1], k=[3]), 3),
        (of_bias, loaded.outputs[0].k),
        (answers, 3),
        (samples, 3),
    ):
        at = app_test("tradeoff", dataset=dataset)
        assert [one.value for one in at.number_input if one.label == "Cutoff k"] == [k]


def test_while_curves_are_computed_each_is_drawn_as_it_comes(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a moment a bar says how far it is, and the chart has what there is; at the end neither is left."""
    said: list[tuple[float, str]] = []
    charts: list[set[str]] = []
    drawn = DeltaGenerator.plotly_chart

    def bar(_: DeltaGenerator, value: float, text: str) -> None:
        said.append((value, text))

    def draw(self: DeltaGenerator, figure: go.Figure, **more: Any) -> Any:
        if "-after-" in more["key"]:
            charts.append({trace.name for trace in figure.data} & {"plackett-luce", "optimal", "oracle", "others"})
        return drawn(self, figure, **more)

    monkeypatch.setattr("pages._kit.MOMENT", -1)
    monkeypatch.setattr(DeltaGenerator, "progress", bar)
    monkeypatch.setattr(DeltaGenerator, "plotly_chart", draw)
    both = two_runs()
    at = app_test("tradeoff", dataset=both, link={"k": "2"})
    assert said[:3] == [
        (0.2, "Optimal policy of sysA … (1 of 5 done)"),
        (0.4, "Oracle limit of sysA … (2 of 5 done)"),
        (0.6, "Plackett–Luce of sysB … (3 of 5 done)"),
    ]
    assert charts[:3] == [{"plackett-luce"}, {"plackett-luce", "optimal"}, {"plackett-luce", "optimal", "oracle"}]
    assert not [one for one in at.get("plotly_chart") if "-after-" in one.proto.id]
    assert {"plackett-luce", "optimal", "oracle", "others"} <= {t.get("name") for t in chart(at, "tradeoff")["data"]}


def test_the_example_has_a_finding_all_policies_and_tables(app_test: OpenPage, exact: tuple[float, float]) -> None:
    at = app_test("tradeoff", link={"alpha": "2"})
    assert title(at).startswith("The same quality is possible with attention spread ")
    names = {t.get("name") for t in chart(at, "tradeoff")["data"]}
    assert names >= {
        *("plackett-luce", "optimal", "oracle", "uniform", "deterministic", "sampled", "band", "here", "same quality")
    }
    assert len(chart(at, "tradeoff")["data"]) <= 13
    here = trace(at, "here")
    assert (numbers(here["x"])[0], numbers(here["y"])[0]) == pytest.approx(exact, abs=1e-9)
    said = words(at)
    for part in ("AUC", "slope", "Difference in AUC", "0.2", "0.4", "p\u00a0(Holm)", "EE-D of 14", f"{exact[0]:.3f}"):
        assert part in said
    assert "Disparity (EE-D) differs significantly between all α" in said
    assert "depends on how scores are spaced, not only on their order" in said
    assert at.radio(key="scores").value == "given"
    assert "Holm" not in grey(at), "small text counts the tests, the help names the correction"
    for part in ("Δ paired by query (one test", "paired t (all 5 tests", "paired t (all 6 tests"):
        assert f"{part} considered)" in grey(at)
    assert "corrected for all its tests (Holm)" in at.markdown[0].value


def test_moving_alpha_moves_the_marker_and_computes_nothing_else(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = app_test("tradeoff", theme="dark")
    before, heading = chart(at, "tradeoff"), title(at)
    assert trace(at, "plackett-luce")["line"]["color"] == DARK.plackett_luce.line != LIGHT.plackett_luce.line
    at.slider(key="alpha").set_value(1.0).run()
    after = chart(at, "tradeoff")
    assert title(at) == heading
    for axis in ("xaxis", "yaxis"):
        assert before["layout"][axis]["range"] == after["layout"][axis]["range"]
    still = {"plackett-luce", "optimal", "oracle", "band", "uniform", "deterministic"}
    for name in still:
        old, new = (next(t for t in each["data"] if t.get("name") == name) for each in (before, after))
        assert old["x"] == new["x"]
        assert old["y"] == new["y"]
    moved = next(t for t in after["data"] if t.get("name") == "here")
    assert numbers(moved["x"])[0] < 0.1

    def computed(*_: Any, **__: Any) -> Any:
        raise AssertionError("exposure was computed on a move")

    # The query's own exposures are there since the first move.
    monkeypatch.setattr("fairviz.policies.plackett_luce.PlackettLuce.exposure", computed)
    for name in ("exposure_bounds", "sample_exposure", "target_exposure"):
        monkeypatch.setattr(f"fairviz.points.curves.{name}", computed)
    for alpha in (0.5, 6.125):
        at.slider(key="alpha").set_value(alpha).run()
        assert f"α = {alpha:g}" in json.dumps(chart(at, "tradeoff"), ensure_ascii=False)


def test_offset_0_is_drawn_but_not_joined(app_test: OpenPage) -> None:
    at = app_test("tradeoff", link={"offset": "0, as printed"})
    assert "turns back" in words(at)
    assert "not joined" in words(at)
    drawn = trace(at, "plackett-luce")
    assert numbers(drawn["x"]).max() < 0.9
    assert trace(at, "deterministic")["y"] is not None


def test_utility_of_recorded_answers(app_test: OpenPage) -> None:
    at = app_test("tradeoff", link={"quality": "EU"})
    assert "utility" in title(at).lower()
    own = trace(at, "plackett-luce", "tradeoff-utility")
    assert len(numbers(own["x"])) == 5  # α = 1, 2, 4, 8 and the deterministic list
    assert chart(at, "correlation")["data"]
    assert "Spearman" in words(at)
    best = app_test("tradeoff", link={"quality": "EU, normalised"})
    assert numbers(trace(best, "plackett-luce", "tradeoff-utility")["y"]).max() <= 1
    assert "EU / best" in words(best)
    # Points between the recorded α.
    points = trace(at, "estimated", "tradeoff-utility")
    assert numbers(points["x"]).size == 9  # the quarters between 1, 2, 4 and 8
    assert (numbers(points["error_y"]["array"]) > 0).all()
    assert "9 points between the recorded α, estimated from the same answers" in words(at)
    loaded = example()
    known = [one for one in loaded.outputs if one.alpha is not None]
    labels = next(one for one in loaded.qrels if one.generator)
    made = estimated(loaded.runs[0], known, np.array([3.0]), k=5, qrels=labels)
    assert numbers(points["y"])[4] == pytest.approx(made.utility.means[0])
    assert numbers(points["x"])[4] == pytest.approx(made.disparity[0].mean())
    assert f"{made.utility.means[0]:.3f}" in words(at)
    alone = app_test("tradeoff", dataset=replace(loaded, runs=(), qrels=(), samples=(), files=loaded.files[:1]))
    assert "Nothing is estimated between the recorded α: the run with the scores" in words(alone)
    assert all(found.get("name") != "estimated" for found in chart(alone, "tradeoff-utility")["data"])


def test_any_policy_of_any_system_is_in_the_link_and_no_move_computes(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = two_runs()
    names = [run.system for run in both.runs]
    link: dict[str, str | list[str]] = {"k": "2", "optimal": [name_mark(names[1])], "oracle": ["none"]}
    at = app_test("tradeoff", dataset=both, link=link)
    drawn = {t.get("name") for t in chart(at, "tradeoff")["data"]}
    assert {"plackett-luce", "others", "further optimal", "uniform", "deterministic"} <= drawn
    assert not {"optimal", "oracle", "further oracle"} & drawn
    assert f"of {names[1]}." in words(at)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("a move of α computes")

    monkeypatch.setattr(PlackettLuce, "exposure", never)
    at.slider(key="alpha").set_value(4.0).run()
    picked = next(one for one in at.multiselect if one.label == "Plackett–Luce of systems beside " + names[0])
    picked.set_value([]).run()
    assert "others" not in {t.get("name") for t in chart(at, "tradeoff")["data"]}
    assert at.query_params["plackett-luce"] in ("none", ["none"])
    assert at.query_params["optimal"] in (name_mark(names[1]), [name_mark(names[1])])


def test_nothing_defined_says_why_and_one_query_has_numbers_but_no_interval(app_test: OpenPage) -> None:
    at = app_test("tradeoff", dataset=of_files(run=RUN, qrels=QRELS), link={"k": "50"})
    assert title(at) == "No query has a trade-off to show"
    assert "2 with no more than 50 documents" in words(at)
    assert not at.get("plotly_chart")
    one = "".join(line for line in QRELS.splitlines(keepends=True) if line.startswith("q1"))
    at = app_test("tradeoff", dataset=of_files(run=RUN, qrels=one), link={"k": "2"})
    assert title(at) == "Too few queries to compare policies"
    assert "1 query in every point of the curves" in words(at)
    assert "candidates: the documents of sysA, 8 per query, and the judged ones" in words(at)
    assert "nan" not in words(at).lower()
