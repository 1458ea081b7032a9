"""Curves by number of documents: lines, levels, labels apart."""

import numpy as np

from fairviz.show.theme import DARK, LIGHT
from fairviz.studies.social_bias.by_k import KLine
from fairviz.studies.social_bias.figures_by_k import apart, by_k_alt, by_k_figure, k_bounds


def line(name: str, k: list[float], values: list[float]) -> KLine:
    y = np.array(values)
    return KLine(name=name, k=np.array(k), values=y, low=y - 2, high=y + 2)


LINES = [
    line("w/o RAG", [], [4.0]),
    line("stereo-set", [1, 5, 10], [10.0, 20.0, 15.0]),
    line("anti-set", [1, 5, 10], [-5.0, -6.0, -7.0]),
]


def test_a_line_a_setting_and_a_level_without_documents() -> None:
    figure = by_k_figure(LINES, "diffbias_a", bounds=k_bounds(LINES, "diffbias_a"), colours=LIGHT)
    by_name = {t.name: t for t in figure.data}
    assert list(by_name["stereo-set"]["x"]) == [1, 5, 10]
    assert list(by_name["stereo-set"]["y"]) == [10, 20, 15]
    assert by_name["stereo-set"]["line"]["color"] == LIGHT.optimal.line
    assert by_name["anti-set"]["line"]["color"] == LIGHT.plackett_luce.line
    assert set(by_name["w/o RAG"]["y"]) == {4.0}
    assert list(figure.layout.xaxis.ticktext) == ["1", "5", "10"]


def test_ranges_hold_intervals_and_zero_and_accuracy_is_fixed() -> None:
    low, high = k_bounds(LINES, "diffbias_a")
    assert low < -9
    assert high > 22
    assert k_bounds(LINES, "acc_d") == (0.0, 100.0)
    assert k_bounds([], "diffbias_a")[0] < 0


def test_labels_at_the_right_end_do_not_touch() -> None:
    lines = [line(name, [1, 2], [5.0, value]) for name, value in (("a", 9.0), ("b", 9.1))]
    figure = by_k_figure(lines, "diffbias_a", bounds=(-5, 15), colours=DARK)
    places = sorted(a.y for a in figure.layout.annotations)
    assert places[1] - places[0] >= 15 * 20 / 190 - 1e-9
    assert apart([3.0, 2.0], 0.5, (0, 10)) == [3.0, 2.0]


def test_alt_says_every_value() -> None:
    assert by_k_alt(LINES, "Diff-Bias") == (
        "Diff-Bias by number of retrieved documents, in percent. no RAG 4.0; stereo 10.0 at k = 1, "
        "20.0 at k = 5, 15.0 at k = 10; anti −5.0 at k = 1, −6.0 at k = 5, −7.0 at k = 10."
    )
