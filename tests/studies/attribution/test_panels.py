"""Recorded outputs by system: settings, names, points on two axes."""

import polars as pl
import pytest

from fairviz.model import Dataset, Factors, RagOutputs
from fairviz.points.outputs import SCALED, by_system, output_summaries, systems_of
from fairviz.studies.attribution.analysis import points_table, results_of, summary_table
from fairviz.studies.attribution.charts import attribution_alt, consumption_panel, drawn_points
from fairviz.studies.attribution.settings import AttributionSettings
from tests.studies.attribution.recorded import judged, measured, recorded

TWO = {"q1": [("abc", "ab", 0.5), ("abd", "a", 0.7)], "q2": [("abc", "c", 1.0), ("abc", "", 0.0)]}


def made(**factors: object) -> RagOutputs:
    return recorded(TWO, **factors)  # type: ignore[arg-type]


def systems(*outputs: RagOutputs) -> pl.DataFrame:
    return by_system(measured(*outputs, k=3, qrels=judged({"q1": "aD", "q2": "bE"})))


def untested(points: pl.DataFrame) -> pl.DataFrame:
    """A row per system and setting, none of which is tested."""
    return output_summaries(points, seed=0).with_columns(p_holm=pl.lit(None, pl.Float64))


def settings(points: pl.DataFrame) -> list[tuple[str, str]]:
    """Names of systems and of their settings."""
    return points.select("name", "lists").unique(maintain_order=True).rows()


def test_settings_rise_with_alpha_and_end_with_the_deterministic_list() -> None:
    points = systems(
        made(generator="g", policy="deterministic"),
        made(generator="g", policy="plackett-luce", alpha=4.0),
        made(generator="g", policy="plackett-luce", alpha=1.0),
    )
    assert settings(points) == [("g", "α = 1"), ("g", "α = 4"), ("g", "deterministic")]
    assert points["place"].unique(maintain_order=True).to_list() == [2, 1, 0]


@pytest.mark.parametrize("n", [9, 10])
def test_of_under_ten_queries_nothing_is_tested(n: int) -> None:
    lists = [("abc", "ab", 0.5), ("abd", "a", 0.7)], [("abc", "c", 0.5), ("bde", "be", 0.7)]
    outputs = recorded({f"q{i}": lists[i % 2] for i in range(n)}, generator="g", policy="plackett-luce", alpha=1.0)
    (row,) = results_of(Dataset(outputs=(outputs,)), AttributionSettings(k=3)).rows.to_dicts()
    assert row["tested"]
    assert row["n_compared"] == n
    assert (row["p_holm"] is not None) == (n == 10)


def test_oracle_outputs_are_no_setting() -> None:
    points = systems(made(generator="g", alpha=1.0), made(generator="g", policy="oracle"))
    assert settings(points) == [("g", "α = 1")]


def test_outputs_that_record_nothing_stand_alone_under_their_system() -> None:
    assert settings(systems(made(system="a"), made(system="b"))) == [("a", "as recorded"), ("b", "as recorded")]


def test_names_say_what_tells_systems_apart() -> None:
    def names(*outputs: RagOutputs) -> list[str]:
        return [name for name, _ in settings(systems(*outputs))]

    assert names(*(made(generator="g", retriever=r, alpha=1.0) for r in ("r1", "r2"))) == ["r1", "r2"]
    both = [made(generator=g, retriever=r, alpha=1.0) for r in ("r1", "r2") for g in ("g1", "g2")]
    assert names(*both) == ["r1 + g1", "r1 + g2", "r2 + g1", "r2 + g2"]
    assert names(made(retriever="r", alpha=1.0)) == ["r"]


def test_a_system_is_its_task_data_set_retriever_and_generator() -> None:
    every = [
        Factors(task=task, dataset=data, retriever="r", generator="g") for task in ("qa", "chat") for data in ("a", "b")
    ]
    points = systems(
        *(
            made(task=one.task, dataset=one.dataset, retriever="r", generator="g", policy="plackett-luce", alpha=alpha)
            for one in every
            for alpha in (2.0, 1.0)
        )
    )
    assert list(systems_of(points)) == every
    for part in systems_of(points).values():
        assert part["lists"].unique(maintain_order=True).to_list() == ["α = 1", "α = 2"]
    table = summary_table(untested(points), k=3)
    assert table.keys[:5] == ("task", "dataset", "retriever", "generator", "lists")
    assert table.keys[-2:] == ("policy", "alpha")
    first, second, *_ = table.rows
    assert first[:5] == ("qa", "a", "r", "g", "α = 1")
    assert (first[-2:], second[-2:]) == (("plackett-luce", 1.0), ("plackett-luce", 2.0))
    each = points_table(points)
    assert {row[each.keys.index("dataset")] for row in each.rows} == {"a", "b"}


def test_the_generator_has_a_column_though_nothing_is_recorded() -> None:
    table = summary_table(untested(systems(made(system="a"))), k=3)
    assert table.keys[:2] == ("generator", "lists")
    assert table.rows[0][:2] == ("a", "as recorded")


def test_two_outputs_of_one_setting_are_two_settings() -> None:
    two = systems(*(made(generator="g", policy=p, alpha=2.0) for p in ("plackett-luce", "optimal")))
    assert [lists for _, lists in settings(two)] == ["α = 2, plackett-luce", "α = 2, optimal"]
    alike = systems(*(made(generator="g", system=name, policy="optimal", alpha=2.0) for name in ("a", "b")))
    assert [lists for _, lists in settings(alike)] == ["α = 2, optimal", "α = 2, optimal, b"]


@pytest.mark.parametrize("scale", ["minmax", "share", "k"])
@pytest.mark.parametrize(("pair", "columns"), [("EED-EAED", "xy"), ("EED-EAR", "x."), ("EER-EAR", "..")])
def test_a_panel_holds_the_points_of_every_setting(pair, columns, scale) -> None:  # type: ignore[no-untyped-def]
    points = systems(*(made(generator="g", alpha=a) for a in (1.0, 2.0)))
    panel = consumption_panel(points, AttributionSettings(axes=pair, scale=scale))
    assert panel.select("query_id", "lists").rows() == [(q, f"α = {a}") for a in (1, 2) for q in ("q1", "q2")]
    x = SCALED[scale][0] if columns[0] == "x" else "EER"
    y = SCALED[scale][1] if columns[1] == "y" else "EAR"
    assert panel.select("x", "y").rows() == points.select(x, y).rows()


def test_means_count_queries_with_both_values() -> None:
    """By hand, share: q1 cites ab, a: ε_a = (1, .5), (2·1.25 − 1.5) / 1.5² = 0.444; q2 cites c once: 2·¼ − ½ = 0."""
    shown = AttributionSettings(axes="EED-EAED", scale="share")
    panel = consumption_panel(systems(made(generator="g", alpha=1.0)), shown)
    assert panel["y"].to_list() == pytest.approx([1 / 2.25, 0.0])
    assert f", {1 / 2.25 / 2:.3f}." in attribution_alt(panel, shown)
    assert drawn_points(panel, "α = 1").height == 2
    assert drawn_points(panel, "α = 9").height == 0


def test_equal_chance_is_a_line_on_the_k_scale_only() -> None:
    """EAR: q1 (2 + 1) / 2 / 3 = .5, q2 .5 / 3 = 1/6; mean 1/3, squared 1/9."""
    points = systems(made(generator="g", alpha=1.0))
    panel = consumption_panel(points, AttributionSettings(axes="EED-EAED", scale="k"))
    assert panel["chance"].to_list() == pytest.approx([1 / 9] * 2)
    for pair, scale in (("EED-EAED", "share"), ("EED-EAED", "minmax"), ("EED-EAR", "k")):
        shown = AttributionSettings(axes=pair, scale=scale)  # type: ignore[arg-type]
        assert consumption_panel(points, shown)["chance"].is_null().all()
