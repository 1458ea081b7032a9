"""The grounds of cells: neutral at zero, full at their end, text read on each of them."""

import pytest

from fairviz.show.fills import ink_on
from fairviz.show.theme import DARK, LIGHT
from fairviz.studies.social_bias.cell_colours import bias_fill, bias_style


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_the_ground_of_a_cell_is_neutral_at_zero_and_full_at_its_end(colours) -> None:  # type: ignore[no-untyped-def]
    assert bias_fill(0.0, "diffbias_a", colours) == colours.page.lower()
    assert bias_fill(50.0, "diffbias_a", colours) == colours.positive.lower()
    assert bias_fill(-25.0, "diffbias_d", colours) == colours.negative.lower()
    assert bias_fill(-25.0, "diffbias_a", colours) != colours.negative.lower()
    assert bias_fill(float("nan"), "acc_a", colours) == colours.page.lower()


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colours", [LIGHT, DARK])
@pytest.mark.parametrize("measure", ["diffbias_a", "acc_a"])
def test_text_is_read_on_every_ground(colours, measure) -> None:  # type: ignore[no-untyped-def]
    for value in range(-100, 101, 5):
        fill = bias_fill(float(value), measure, colours)
        pair = sorted([luminance(fill), luminance(ink_on(fill))])
        assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5


def test_a_cell_has_both_themes() -> None:
    style = bias_style(50.0, "diffbias_a")
    assert LIGHT.positive.lower() in style
    assert DARK.positive.lower() in style
