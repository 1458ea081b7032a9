"""Every measure of every system: where the dots stand, and which way the arrows point."""

import numpy as np
import polars as pl
import pytest

from fairviz.display.theme import DARK, LIGHT
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import Scores
from fairviz.studies.agreement.charts import AIR, metric_results_alt, metric_results_figure, strips
from fairviz.studies.agreement.correlations import values_of
from tests.display.views import named, texts

MEASURES = ["nDCG@5", "AWRF", "logDP"]


def table(values: list[list[float]]) -> pl.DataFrame:
    scored = [
        Scores(system=f"s{i}", measure=measure, query_ids=("q",), values=np.array([value]))
        for i, row in enumerate(values)
        for measure, value in zip(MEASURES, row, strict=True)
    ]
    return values_of(scored, parse_measures(MEASURES))


FOUND = table([[0.2, 0.1, -1.0], [0.6, np.nan, 0.5], [0.4, 0.3, np.inf]])


def test_dots_stand_where_their_values_are() -> None:
    figure = metric_results_figure(FOUND, colours=LIGHT, highlighted="s1", ends=strips([FOUND]))
    others, own = named(figure, "systems"), named(figure, "highlighted")
    middle = 0.5
    assert list(zip(own.x, own.y, strict=True)) == [
        (pytest.approx(1 - AIR), 0),
        (pytest.approx(1 - AIR), 2),  # undefined for AWRF: no dot
    ]
    by_place = {(row[0], row[1]): (x, y) for row, x, y in zip(others.customdata, others.x, others.y, strict=True)}
    assert by_place["s0", "nDCG@5"] == (pytest.approx(AIR), 0)
    assert by_place["s2", "nDCG@5"] == (pytest.approx(middle), 0)
    assert by_place["s2", "AWRF"] == (pytest.approx(1 - AIR), 1)
    assert by_place["s2", "logDP"] == (1.0, 2)  # infinite: at the very end
    assert set(own.marker.color) == {LIGHT.ink}


def test_infinite_dots_have_their_own_marker() -> None:
    figure = metric_results_figure(FOUND, colours=LIGHT, ends=strips([FOUND]))
    dots = named(figure, "systems")
    at = [row[1:] for row in dots.customdata].index(["logDP", "inf"])
    assert dots.marker.symbol[at] == "diamond-open"
    assert list(dots.marker.symbol).count("diamond-open") == 1


def test_arrows_say_the_direction_and_undefined_are_counted() -> None:
    shown = texts(metric_results_figure(FOUND, colours=DARK, ends=strips([FOUND])))
    assert any(text.endswith("→") and "higher" in text for text in shown)
    assert any(text.startswith("←") and text.endswith("undefined for 1") for text in shown)
    assert "→ 0 ←" in shown
    assert {"0.200", "0.600", "−1.000", "0.500"} <= set(shown)


def test_data_sets_share_their_strips_and_zero_is_held() -> None:
    second = table([[0.9, 0.5, 0.5], [0.1, 0.2, 0.7], [0.5, 0.5, 0.6]])
    ends = strips([FOUND, second])
    assert ends["nDCG@5"] == (0.1, 0.9)
    assert ends["AWRF"] == (0.1, 0.5)
    assert ends["logDP"] == (-1.0, 0.7)
    assert strips([second])["logDP"] == (0.0, 0.7)
    figure = metric_results_figure(FOUND, colours=LIGHT, ends=ends)
    dots = named(figure, "systems")
    assert min(dots.x) == pytest.approx(AIR)  # AWRF 0.1 and logDP −1
    assert dots.x[0] == pytest.approx(AIR + (1 - 2 * AIR) * 0.125)  # nDCG 0.2 of 0.1 … 0.9


def test_one_value_only_and_none_at_all() -> None:
    same = table([[0.5, np.nan, 1.0]] * 3)
    figure = metric_results_figure(same, colours=LIGHT, ends=strips([same]))
    assert named(figure, "systems").x[0] == 0.5
    assert "undefined for 3" in " ".join(texts(figure))
    none = table([])
    assert len(metric_results_figure(none, colours=LIGHT, ends=strips([none])).data) == 0
    assert "no measure" in metric_results_alt(none)


def test_alt_names_the_system_nearest_each_ideal() -> None:
    assert metric_results_alt(FOUND) == (
        "3 systems. Closest to its ideal by nDCG@5: s1 (0.600); AWRF: s0 (0.100); logDP: s1 (0.500)."
    )
