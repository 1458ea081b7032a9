"""The frontier: what is in it, in which of three states, what has no place."""

import json

import numpy as np
import pytest

from fairviz.display.theme import DARK, LIGHT
from fairviz.studies.policy_lab.bench import Distance
from fairviz.studies.policy_lab.budget import Outcome
from fairviz.studies.policy_lab.charts import HEIGHT, MARGIN, frontier_alt, frontier_figure
from tests.display.views import named, overlaps, texts
from tests.studies.policy_lab.curves import setting
from tests.studies.policy_lab.test_methods_findings import BEST, NOW, SURE, bought

OVER, FALLEN, BEATEN = setting(5, -0.038), setting(3, -0.3, method="plackett-luce"), setting(20, 0.0)
FOUND = bought(SURE, BEST, OVER, FALLEN, BEATEN)


def drawn(found: Outcome = FOUND, colours=LIGHT):  # type: ignore[no-untyped-def]
    return frontier_figure(found, colours=colours)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_the_line_joins_what_nothing_beats_and_marks_say_how_sure(colours) -> None:  # type: ignore[no-untyped-def]
    figure = drawn(colours=colours)
    assert list(named(figure, "best").x) == [11, 9, 5]
    assert list(named(figure, "certain").x) == [11]
    assert list(named(figure, "estimate").x) == list(named(figure, "cannot tell").x) == [9]
    assert list(named(figure, "over").x) == [5]
    assert named(figure, "over").marker.color == colours.page
    assert list(named(figure, "numbers").text) == ["<b>1</b>", "<b>2</b>", "<b>3</b>"]
    assert list(named(figure, "beaten").x) == [20]
    assert list(named(figure, "today").x) == [31]


def test_no_name_is_in_the_plot_and_the_scale_is_three_budgets_deep() -> None:
    figure = drawn()
    said = " ".join(texts(figure)).replace("\u202f", " ")
    assert "change of quality (nDCG@10), %" in said
    assert "over your budget of 3 %" in said
    assert "DetCons" not in json.dumps(figure.to_plotly_json(), default=str)
    assert -9 <= figure.layout.yaxis.range[0] < -5.6
    assert -30 not in named(figure, "best").y
    assert figure.layout.xaxis.range[0] > 31 > 0 > figure.layout.xaxis.range[1]
    alt = frontier_alt(FOUND)
    assert alt.startswith("Change of quality (nDCG@10) by distance from the target, 31 points off target today. ")
    assert "2: 9 points off target, −2.1 %, moves, cannot tell whether it stays in budget" in alt
    assert "4: 3 points off target, −30.0 %, moves, over budget" in alt


def test_the_words_on_the_budget_stand_where_fewer_settings_are_over_it() -> None:
    far = bought(BEST, *(setting(off, -0.05) for off in (28, 26)))
    for found, side in ((FOUND, "left"), (far, "right")):
        (words,) = [note for note in drawn(found).layout.annotations if note.text.startswith("over your budget")]
        assert words.xanchor == side


PHONE, CHARACTER, LINE = 358, 6.0, 13.0
"""Width of the chart on a phone, and of a letter; height of a line, px."""


def phone_boxes(figure) -> list[tuple[str, np.ndarray]]:  # type: ignore[no-untyped-def]
    """(text, [left, top, right, bottom]) of today, the words on the budget, and the numbers with their marks."""
    (x0, x1), (y0, y1) = figure.layout.xaxis.range, figure.layout.yaxis.range
    width, height = PHONE - MARGIN["l"] - MARGIN["r"], HEIGHT - MARGIN["t"] - MARGIN["b"]

    def box(text: str, left: float, bottom: float) -> tuple[str, np.ndarray]:
        return text, np.array([left, bottom - LINE, left + CHARACTER * len(text), bottom])

    def across(x: float) -> float:
        return width * (x - x0) / (x1 - x0)

    def down(y: float) -> float:
        return height * (y1 - y) / (y1 - y0)

    boxes = []
    for label in figure.layout.annotations:
        text = label.text.replace("<b>", "").replace("</b>", "")
        if text == "today" or text.startswith("over your"):
            at = width * label.x if label.xref == "paper" else across(label.x)
            left = at + (label.xshift or 0) - (CHARACTER * len(text) if label.xanchor == "right" else 0)
            boxes.append(box(text, left, down(label.y) + (LINE if label.yanchor == "top" else 0)))
    numbers = named(figure, "numbers")
    for x, y, text, side in zip(numbers.x, numbers.y, numbers.text, numbers.textposition, strict=True):
        left, low = {"top": (0, -8), "bot": (0, 8 + LINE), "mid": (12 if "right" in side else -12, LINE / 2)}[side[:3]]
        boxes.append(box(text[3:-4], across(x) - CHARACTER / 2 + left, down(y) + low))
    return boxes


@pytest.mark.parametrize(
    "settings",
    [
        [(29.5, -0.01), (20, -0.028), (19, -0.034), (10, -0.06), (8, -0.07)],
        [(29.5, 0.01), (29, 0.005), (20, -0.05), (14, -0.055), (9, -0.06), (2, -0.07)],
        [(25, -0.035), (24.5, -0.036), (15, -0.05)],
        [(28, -0.012), (21, -0.03), (20, -0.036), (12, -0.072), (10, -0.078)],
    ],
)
def test_no_label_lies_on_another_on_a_phone(settings: list[tuple[float, float]]) -> None:
    assert overlaps(phone_boxes(drawn(bought(*(setting(off, change) for off, change in settings))))) == []


def test_a_measure_without_an_ideal_has_no_target_line() -> None:
    distance = Distance("MinSkew@10", 0.1, float("nan"), 3)
    assert "on target" not in " ".join(texts(drawn(FOUND._replace(distance=distance))))
    assert "on target" in " ".join(texts(drawn()))


def test_nothing_nearer_draws_an_empty_line() -> None:
    assert list(named(drawn(bought(now=NOW)), "best").x) == []
