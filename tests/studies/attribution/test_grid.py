"""Systems of a task side by side: paths, ends, differences from a baseline; by hand and over the table."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_rel

from fairviz.display.theme import LIGHT
from fairviz.model import Factors
from fairviz.points.figures_panels import panels_alt, panels_figure
from fairviz.points.generations import by_generator, by_policy
from fairviz.points.outputs import OutputPoints, output_points
from fairviz.points.panels import Layout, lay_out
from fairviz.stats.tests import holm
from fairviz.studies.attribution.columns import differences_table
from fairviz.studies.attribution.grid import UseComparison, compare_uses, corners, use_curves
from fairviz.studies.attribution.settings import AttributionSettings
from tests.studies.attribution.recorded import recorded

CITED = {"small": 1, "large": 2, "huge": 2}
"""Items of four that most answers of each generator cite."""


def measured(retriever: str, generator: str, *, alpha: float | None, policy: str = "plackett-luce") -> OutputPoints:
    """Two answers to each of 14 queries: ab and cd given, all but some answers cite as many as usual."""
    draw = np.random.default_rng([len(retriever), CITED[generator], int(10 * (alpha or 0))])
    answers = {
        f"q{q}": [(given, given[: CITED[generator] - int(draw.random() < 0.3)], 0.5) for given in ("abcd", "cdab")]
        for q in range(14)
    }
    outputs = recorded(answers, task="qa", retriever=retriever, generator=generator, policy=policy, alpha=alpha)
    return output_points(outputs, k=4)


@pytest.fixture(scope="module")
def points() -> list[OutputPoints]:
    return [
        measured(retriever, generator, alpha=alpha, policy="deterministic" if alpha is None else "plackett-luce")
        for retriever in ("bm25", "dense!")
        for generator in CITED
        for alpha in (4.0, 1.0, None)
    ]


BASE = Factors("qa", "bm25", "small", "plackett-luce")
BY = ("retriever", "generator")


def compared(points: list[OutputPoints], alpha: float = 4.0) -> UseComparison | None:
    systems, setting = by_policy(by_generator(points)), f"α = {alpha:g}"
    how = AttributionSettings(axes="EED-EAR")
    return compare_uses(systems, how, setting=setting, alpha=alpha, baseline=BASE, by=BY)


def test_a_policy_of_a_system_is_a_path_with_the_deterministic_list_as_its_end(points: list[OutputPoints]) -> None:
    systems = by_policy(by_generator(points))
    assert [use.factors for use in systems] == [
        Factors("qa", retriever, generator, "plackett-luce") for retriever in ("bm25", "dense!") for generator in CITED
    ]
    first = systems[0]
    assert first.path == (points[1], points[0])
    assert first.end is points[2]
    assert (first.at(1.0), first.at(None), first.at(9.0)) == (points[1], points[2], None)
    (alone,) = by_policy(by_generator([points[2]]))
    assert (alone.factors.policy, alone.path, alone.end) == ("deterministic", (points[2],), None)
    assert alone.at(None) is points[2]
    two = [measured("bm25", "small", alpha=1.0, policy=policy) for policy in ("plackett-luce", "optimal")]
    assert [use.factors.policy for use in by_policy(by_generator(two))] == ["plackett-luce", "optimal"]


def test_a_path_joins_the_means_of_the_queries_that_have_both(points: list[OutputPoints]) -> None:
    use = by_policy(by_generator(points))[0]
    drawn = use_curves(use, "EED-EAR", "share", seed=0)
    assert drawn is not None
    assert drawn.line.alphas.tolist() == [1.0, 4.0]
    assert drawn.line.x == pytest.approx([1 / 4, 1 / 4])  # two lists of the same four: each is given every time
    assert drawn.line.y == pytest.approx([np.mean(one.rate) for one in use.path])
    assert drawn.deterministic is not None
    assert drawn.deterministic.y == pytest.approx([np.mean(use.end.rate)])  # type: ignore[union-attr]
    assert drawn.band is not None
    assert (drawn.band.low < drawn.line.y).all()
    assert (drawn.line.y < drawn.band.high).all()
    for place in range(len(use.path)):  # an interval is of its own point, whatever stands before it
        one = use_curves(use._replace(points=use.path[place : place + 1]), "EED-EAR", "share", seed=0)
        assert one is not None
        assert one.band is not None
        assert (one.band.low[0], one.band.high[0]) == (drawn.band.low[place], drawn.band.high[place])
    alone = use_curves(use._replace(points=use.path[:1]), "EED-EAR", "share", seed=0)
    assert alone is not None
    assert alone.band is not None
    assert (alone.band.low, alone.band.high) == (drawn.band.low[:1], drawn.band.high[:1])
    view = lay_out([alone], Layout("generator"), x="EE-D share", y="EAR")
    traces = {str(trace["name"]): trace for trace in panels_figure(view, by=BY, colours=LIGHT).to_dict()["data"]}
    low, high, end = traces["interval own"]["y"]
    assert (low < high, end) == (True, None)  # of one point the interval is a line
    nothing = use._replace(points=(measured("bm25", "small", alpha=1.0),))
    assert use_curves(nothing, "EER-EAR", "share", seed=0) is None  # no judgements, no EE-R


def test_differences_are_paired_tests_corrected_over_the_table(points: list[OutputPoints]) -> None:
    found = compared(points)
    assert found is not None
    rates = {use.factors: use.at(4.0).rate for use in by_policy(by_generator(points))}  # type: ignore[union-attr]
    assert next(iter(found.means)) == BASE
    assert BASE not in found.gaps
    expected = {factors: ttest_rel(rate, rates[BASE]).pvalue for factors, rate in rates.items() if factors != BASE}
    corrected = dict(zip(expected, holm(np.array(list(expected.values()))), strict=True))
    for factors, gap in found.gaps.items():
        assert gap.difference == pytest.approx(np.mean(rates[factors] - rates[BASE]))
        assert gap.p == pytest.approx(expected[factors])
        assert gap.p_holm == pytest.approx(corrected[factors])
    ordered = [found.gaps[factors].difference for factors in found.means if factors != BASE]
    assert ordered == sorted(ordered, reverse=True)
    assert len(ordered) == 5


def test_the_table_has_a_column_for_each_factor(points: list[OutputPoints]) -> None:
    found = compared(points)
    assert found is not None
    table = differences_table([found], k=4)
    assert table.keys[:5] == ("task", "retriever", "generator", "policy", "lists")
    assert [row[:3] for row in table.rows] == [tuple(factors[:3]) for factors in [*found.means][1:]]
    assert "minus that of bm25 + small" in table.caption
    assert "Holm over 5 tests" in table.caption
    twice = differences_table([found, found], k=4)
    assert len(twice.rows) == 10
    assert "Holm over 5, 5 tests, task by task" in twice.caption


def test_a_baseline_without_the_setting_leaves_nothing_to_compare(points: list[OutputPoints]) -> None:
    none = compared(points, alpha=9.0)
    assert none is None
    assert corners(none) == {}


def test_every_colour_is_named_above_the_panels(points: list[OutputPoints]) -> None:
    drawn = [use_curves(use, "EED-EAR", "share", seed=0) for use in by_policy(by_generator(points))]
    known = [one for one in drawn if one is not None]
    view = lay_out(known, Layout("retriever", colour="generator"), x="EE-D share", y="EAR")
    figure = panels_figure(view, by=BY, colours=LIGHT).to_dict()
    lines = {trace["name"]: trace["line"]["color"] for trace in figure["data"] if "line" in trace}
    (key,) = (note["text"] for note in figure["layout"]["annotations"] if "●" in note["text"])
    assert [part.split("</span>")[1].strip() for part in key.split("<span")[1:]] == list(CITED)
    assert len({lines[name] for name in CITED}) == 3
    assert all(f"color:{lines[name]}'>●</span> {name}" in key for name in CITED)
    plain = panels_figure(
        lay_out(known, Layout("retriever", "generator"), x="EE-D share", y="EAR"), by=BY, colours=LIGHT
    )
    assert not any("●" in note["text"] for note in plain.to_dict()["layout"]["annotations"])


def test_each_system_has_a_panel_with_its_numbers_and_the_others_grey(points: list[OutputPoints]) -> None:
    many = [replace(p, unbiased_disparity=p.disparity, unbiased_attributed=p.attributed_disparity) for p in points]
    systems = by_policy(by_generator(many))  # as of many lists, whose shares are far from 0
    drawn = [use_curves(use, "EED-EAED", "share", seed=0) for use in systems]
    found = compared(points)
    assert found is not None
    view = lay_out(
        [one for one in drawn if one is not None],
        Layout("generator", "retriever", baseline=BASE),
        corners=corners(found),
        x="EE-D share",
        y="EAE-D share",
    )._replace(counted="EAR", diagonal=True)
    assert (view.rows, view.columns) == (("small", "large", "huge"), ("bm25", "dense!"))
    for panel in view.panels:
        (own,) = panel.own
        assert own.corner.value == f"{found.means[own.factors][0]:.3f}"
    (base,) = (own for panel in view.panels for own in panel.own if own.factors == BASE)
    assert base.corner.change == "baseline"
    traces = {str(trace["name"]): trace for trace in panels_figure(view, by=BY, colours=LIGHT).to_dict()["data"]}
    assert sum(x is None for x in traces["y = x"]["x"]) == 6
    assert sum(x is None for x in traces["others"]["x"]) + sum(x is None for x in traces["baseline"]["x"]) == 6 * 5
    assert panels_alt(view, by=BY).startswith("6 panels, EAE-D share against EE-D share in each. bm25 + small: EAR 0.")
