"""Recorded outputs by generator: settings, names, points and mean paths."""

import numpy as np
import pytest

from fairviz.model import Factors
from fairviz.points.generations import (
    PAIRS,
    Generation,
    by_generator,
    consumption_panel,
    output_summaries,
    setting_name,
)
from fairviz.points.outputs import OutputPoints, output_points
from fairviz.studies.attribution.columns import points_table, summary_table
from tests.studies.attribution.recorded import judged, recorded

TWO = {"q1": [("abc", "ab", 0.5), ("abd", "a", 0.7)], "q2": [("abc", "c", 1.0), ("abc", "", 0.0)]}


def measured(**more: object) -> OutputPoints:
    outputs = recorded(TWO, **more)  # type: ignore[arg-type]
    return output_points(outputs, k=3, qrels=judged({"q1": "aD", "q2": "bE"}))


def test_settings_rise_with_alpha_and_end_with_the_deterministic_list() -> None:
    points = [
        measured(generator="g", policy="deterministic"),
        measured(generator="g", policy="plackett-luce", alpha=4.0),
        measured(generator="g", policy="plackett-luce", alpha=1.0),
    ]
    (group,) = by_generator(points)
    assert group.name == "g"
    assert group.settings == ("α = 1", "α = 4", "deterministic")
    assert group.points == (points[2], points[1], points[0])


def test_oracle_outputs_are_no_setting() -> None:
    (group,) = by_generator([measured(generator="g", alpha=1.0), measured(generator="g", policy="oracle")])
    assert group.settings == ("α = 1",)


def test_outputs_that_record_nothing_stand_alone_under_their_system() -> None:
    groups = by_generator([measured(system="a"), measured(system="b")])
    assert [(g.name, g.settings) for g in groups] == [("a", ("as recorded",)), ("b", ("as recorded",))]


def test_names_say_what_tells_systems_apart() -> None:
    same = by_generator([measured(generator="g", retriever=r, alpha=1.0) for r in ("r1", "r2")])
    assert [group.name for group in same] == ["r1", "r2"]
    both = by_generator([measured(generator=g, retriever=r, alpha=1.0) for r in ("r1", "r2") for g in ("g1", "g2")])
    assert [group.name for group in both] == ["r1 + g1", "r1 + g2", "r2 + g1", "r2 + g2"]
    (alone,) = by_generator([measured(retriever="r", alpha=1.0)])
    assert alone.name == "r"


def test_a_system_is_its_task_data_set_retriever_and_generator() -> None:
    made = [
        Factors(task=task, dataset=data, retriever="r", generator="g") for task in ("qa", "chat") for data in ("a", "b")
    ]
    points = [
        measured(task=one.task, dataset=one.dataset, retriever="r", generator="g", policy="plackett-luce", alpha=alpha)
        for one in made
        for alpha in (2.0, 1.0)
    ]
    groups = by_generator(points)
    assert [group.factors for group in groups] == made
    assert all(group.settings == ("α = 1", "α = 2") for group in groups)
    rows = output_summaries(groups, seed=0)
    table = summary_table(rows, k=3)
    assert table.keys[:5] == ("task", "dataset", "retriever", "generator", "lists")
    assert table.keys[-2:] == ("policy", "alpha")
    first, second, *_ = table.rows
    assert first[:5] == ("qa", "a", "r", "g", "α = 1")
    assert (first[-2:], second[-2:]) == (("plackett-luce", 1.0), ("plackett-luce", 2.0))
    each = points_table(points)
    assert {row[each.keys.index("dataset")] for row in each.rows} == {"a", "b"}


def test_the_generator_has_a_column_though_nothing_is_recorded() -> None:
    rows = output_summaries(by_generator([measured(system="a")]), seed=0)
    table = summary_table(rows, k=3)
    assert table.keys[:2] == ("generator", "lists")
    assert table.rows[0][:2] == ("a", "as recorded")


def test_two_policies_at_one_alpha_are_two_settings() -> None:
    (group,) = by_generator([measured(generator="g", policy=p, alpha=2.0) for p in ("plackett-luce", "optimal")])
    assert len(set(group.settings)) == 2
    assert any("optimal" in setting for setting in group.settings)


def test_a_setting_is_called_by_alpha_then_policy() -> None:
    assert setting_name(recorded(TWO, alpha=2.0, policy="optimal")) == "α = 2"
    assert setting_name(recorded(TWO, policy="deterministic")) == "deterministic"
    assert setting_name(recorded(TWO)) == "as recorded"


@pytest.mark.parametrize("scale", ["minmax", "share", "k"])
@pytest.mark.parametrize("pair", PAIRS)
def test_a_panel_holds_the_points_of_every_setting(pair, scale) -> None:  # type: ignore[no-untyped-def]
    points = [measured(generator="g", alpha=a) for a in (1.0, 2.0)]
    (group,) = by_generator(points)
    panel = consumption_panel(group, pair, scale)
    assert panel.curve.query_ids == ("q1", "q2")
    assert panel.settings == ("α = 1", "α = 2")
    given, used = points[0].on(scale)
    x, y = {
        "EED-EAED": (given, used),
        "EED-EAR": (given, points[0].rate),
        "EER-EAR": (points[0].relevance, points[0].rate),
    }[pair]
    np.testing.assert_array_equal(panel.curve.disparity[0], x)
    np.testing.assert_array_equal(panel.curve.quality[0], y)


def test_means_count_queries_with_both_values() -> None:
    """By hand, share: q1 cites ab, a: ε_a = (1, .5), (2·1.25 − 1.5) / 1.5² = 0.444; q2 cites c once: 2·¼ − ½ = 0."""
    (group,) = by_generator([measured(generator="g", alpha=1.0)])
    panel = consumption_panel(group, "EED-EAED", "share")
    assert panel.curve.quality[0] == pytest.approx([1 / 2.25, 0.0])
    assert panel.curve.mean_quality == pytest.approx([1 / 2.25 / 2])
    assert panel.n_points("α = 1") == 2
    assert panel.n_points("α = 9") == 0


def test_equal_chance_is_a_line_on_the_k_scale_only() -> None:
    """EAR: q1 (2 + 1) / 2 / 3 = .5, q2 .5 / 3 = 1/6; mean 1/3, squared 1/9."""
    (group,) = by_generator([measured(generator="g", alpha=1.0)])
    assert consumption_panel(group, "EED-EAED", "k").chance == pytest.approx([1 / 9])
    for pair, scale in (("EED-EAED", "share"), ("EED-EAED", "minmax"), ("EED-EAR", "k")):
        assert np.isnan(consumption_panel(group, pair, scale).chance).all()  # type: ignore[arg-type]


def test_a_generator_has_one_sample_only_where_every_setting_has() -> None:
    one = output_points(recorded({"q1": [("ab", "a", 1.0)]}, generator="g"), k=2)
    two = measured(generator="g", alpha=1.0)
    assert Generation("g", Factors(), ("a",), (one,)).single_sample
    assert not Generation("g", Factors(), ("a", "b"), (one, two)).single_sample
