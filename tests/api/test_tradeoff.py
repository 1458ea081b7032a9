"""``fv.tradeoff``: the numbers of ``fairviz tradeoff``, its chart, and what a notebook shows."""

from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

import fairviz as fv
from fairviz.api.results import Result
from tests.api.conftest import Command, Same

pytestmark = pytest.mark.filterwarnings("ignore::fairviz.DataWarning")


@pytest.fixture(scope="module")
def curve(example: Path) -> Result:
    qrels = example / "usefulness.qrels"
    return fv.tradeoff(example / "bm25.run", qrels, k=5, policy="all", alpha=[0, 1, 8], rel=2, seed=3)


def test_points_and_areas_are_those_of_the_command_line(
    fairviz: Command, example: Path, curve: Result, same: Same
) -> None:
    command = fairviz(
        *("tradeoff", example / "bm25.run", "--qrels", example / "usefulness.qrels", "-k", 5, "--policy", "all"),
        *("--alpha", "0,1,8", "--rel", 2, "--seed", 3, "--format", "json"),
    )
    assert curve.tables == tuple(command.json["tables"])
    for table in curve.tables:
        same(curve.frame(table), command.json["tables"][table])


def test_the_chart_draws_these_points(curve: Result) -> None:
    points = curve.frame().query("policy == 'plackett-luce'")
    drawn = [trace for trace in curve.figure().data if trace.x is not None]
    assert any(set(points["EED"].round(9)) <= {round(x, 9) for x in trace.x if x is not None} for trace in drawn)


def test_the_chart_is_saved_for_a_paper(curve: Result, tmp_path: Path) -> None:
    curve.save(tmp_path / "figure.svg", width=90)
    assert f'width="{90 / 25.4 * 96:.3f}' in (tmp_path / "figure.svg").read_text()  # px
    with pytest.raises(fv.FairvizError, match=r"figure.eps: expected a name that ends in .svg, .pdf or .png$"):
        curve.save(tmp_path / "figure.eps")


def test_a_notebook_shows_the_chart_else_the_areas(curve: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    import plotly.io as pio

    monkeypatch.setattr(pio.renderers, "_default_renderers", list(pio.renderers._default_renderers))
    monkeypatch.setattr(pio.renderers, "_default_name", pio.renderers._default_name)
    pio.renderers.default = "plotly_mimetype"
    assert "application/vnd.plotly.v1+json" in curve._repr_mimebundle_()
    pio.renderers.default = "browser"
    shown = curve._repr_mimebundle_()
    assert "Plackett–Luce" in shown["text/html"]
    assert "plackett-luce" in shown["text/plain"]


def test_what_is_missing_is_said_in_one_line_with_the_way_to_install_it(
    curve: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = {"kaleido"}
    monkeypatch.setattr("fairviz.extras.find_spec", lambda name: None if name in absent else find_spec(name))
    with pytest.raises(fv.FairvizError, match=r'needs kaleido: .* -m pip install .*\[print\]"$'):
        curve.save(tmp_path / "figure.svg")
    absent.add("plotly")
    with pytest.raises(fv.FairvizError, match=r'^a chart needs plotly: .* -m pip install .*\[app\]"$'):
        curve.figure()
    assert "Plackett–Luce" in curve._repr_mimebundle_()["text/html"]


def test_samples_have_no_curve(example: Path) -> None:
    with pytest.raises(fv.FairvizError, match=r"^curves are made from the scores of runs"):
        fv.tradeoff(example / "samples.alpha-4.run.gz", example / "usefulness.qrels", k=5)
    assert isinstance(fv.tradeoff({"q": {"a": 2, "b": 1}}, {"q": {"a": 1, "b": 0}}, k=1).frame(), pd.DataFrame)
