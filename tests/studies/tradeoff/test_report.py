"""A trade-off that plays: at each α the file holds what the curves have there, in the words of the page."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from fairviz.display.html import Figure, Play
from fairviz.io.qrels import read_qrels
from fairviz.io.rankings import read_run
from fairviz.model import Dataset
from fairviz.resources import example_folder
from fairviz.studies.tradeoff.analysis import TradeoffAnalysis, of_system, report_sections
from fairviz.studies.tradeoff.findings import point_words, readings
from fairviz.studies.tradeoff.settings import TradeoffSettings

ALPHAS = np.array([0.0, 2.0, 3.0, 8.0])


@cache
def example() -> TradeoffAnalysis:
    run = read_run(example_folder() / "bm25.run").value
    judged = read_qrels(example_folder() / "usefulness.qrels").value
    data = Dataset(name="example", runs=(run,), qrels=(judged,))
    return of_system(data, TradeoffSettings(quality="EER", system=run.system, alpha=tuple(ALPHAS.tolist()), k=5))


def test_a_stop_holds_exactly_what_the_curves_have_there() -> None:
    made = example()
    play = report_sections(made, stem="curves")[0]
    assert (play.stops, play.start) == (("α = 0", "α = 2", "α = 3", "α = 8"), 2)
    for i, (alpha, frame) in enumerate(zip(ALPHAS.tolist(), play.frames, strict=True)):
        strip, chart, points = frame.blocks
        at = {row[1]: row[2:] for row in points.rows}
        for curve in made.curves:
            place = i if curve.policy in ("plackett-luce", "optimal", "oracle") else 0
            assert at[curve.policy] == (curve.mean_disparity[place], curve.mean_quality[place])
        here = next(trace for trace in json.loads(chart.light)["data"] if trace["name"] == "here")
        assert (*here["x"], *here["y"]) == pytest.approx(at["plackett-luce"], rel=1e-6)  # digits that a chart can show
        point = made.view.at(alpha)
        assert frame.paragraphs[-1] == point_words(made.view, point)
        assert strip.rows[0] == tuple(value for value, _, _ in readings(made.view, point))


def test_without_a_point_at_an_alpha_the_chart_stands_still() -> None:
    end = next(curve for curve in example().curves if curve.policy == "deterministic")
    first = report_sections(replace(example(), curves=(end,)), stem="curves")[0]
    assert not isinstance(first, Play)
    assert [type(block) for block in first.blocks] == [Figure]
