"""τ between measures: which cell holds which number, and that it can be read."""

import numpy as np
import pytest

from fairviz.show.fills import cell_fill, ink_on
from fairviz.show.theme import DARK, LIGHT, Palette
from fairviz.studies.agreement.agreement import Agreement, PairAgreement
from fairviz.studies.agreement.figures import agreement_alt, agreement_figure, tau_text
from tests.show.test_theme import THEMES, contrast
from tests.show.views import named

NAN = float("nan")

FOUND = Agreement(
    name="data",
    variant="c",
    measures=("AWRF", "nDKL@10", "logEUR"),
    pairs=(
        PairAgreement("AWRF", "nDKL@10", 0.75, 16),
        PairAgreement("AWRF", "logEUR", -0.5, 15),
        PairAgreement("nDKL@10", "logEUR", NAN, 1),
    ),
)


def test_cells_and_numbers_stand_at_their_measures() -> None:
    figure = agreement_figure(FOUND, colours=LIGHT)
    assert list(figure.layout.xaxis.ticktext) == ["AWRF", "nDKL@10"]
    assert list(figure.layout.yaxis.ticktext) == ["nDKL@10", "logEUR"]
    np.testing.assert_equal(np.array(named(figure, "τ").z), [[0.75, NAN], [-0.5, NAN]])
    numbers = named(figure, "numbers")
    assert list(zip(numbers.x, numbers.y, numbers.text, strict=True)) == [
        (0, 0, ".75"),
        (0, 1, "−.50"),
    ]
    assert [row[3] for row in numbers.customdata] == [16, 15]


def test_undefined_cells_are_hatched_not_zero() -> None:
    undefined = named(agreement_figure(FOUND, colours=LIGHT), "undefined")
    assert list(zip(undefined.x, undefined.base, strict=True)) == [(1, 0.54)]
    assert undefined.marker.pattern.shape == "/"
    assert "1 undefined" in agreement_alt(FOUND)


def test_the_scale_is_fixed_and_reads_top_down() -> None:
    figure = agreement_figure(FOUND, colours=LIGHT)
    cells = named(figure, "τ")
    assert (cells.zmin, cells.zmax) == (-1, 1)
    top, bottom = figure.layout.yaxis.range
    assert top > bottom  # the first row is on top
    assert cells.colorscale[0][1] == LIGHT.oppose
    assert cells.colorscale[-1][1] == LIGHT.agree


@THEMES
def test_every_number_can_be_read_on_its_cell(colours: Palette) -> None:
    for tau in np.linspace(-1, 1, 81):
        fill = cell_fill(float(tau), colours)
        assert contrast(ink_on(fill), fill) >= 4.5, tau


def test_alt_names_both_ends() -> None:
    assert agreement_alt(FOUND) == (
        "Kendall's τ-c of 2 pairs of measures, from -0.50 (AWRF and logEUR) to 0.75 (AWRF and nDKL@10); 1 undefined."
    )


@pytest.mark.parametrize("measures", [(), ("AWRF",)])
def test_nothing_to_compare(measures: tuple[str, ...]) -> None:
    nothing = Agreement(name="data", variant="b", measures=measures, pairs=())
    assert len(agreement_figure(nothing, colours=DARK).data) == 0
    assert "no pair" in agreement_alt(nothing)


def test_markup_in_measures_is_text() -> None:
    odd = "AWRF(group='<b>x</b>')"
    found = Agreement(name="d", variant="c", measures=(odd, "KL"), pairs=(PairAgreement(odd, "KL", 0.1, 3),))
    figure = agreement_figure(found, colours=LIGHT)
    assert "<b>" not in "".join(figure.layout.xaxis.ticktext)
    assert "<b>" not in named(figure, "numbers").customdata[0][0]


def test_tau_as_printed() -> None:
    assert [tau_text(tau) for tau in (0.05, -1.0, -0.001)] == [".05", "−1.00", ".00"]
