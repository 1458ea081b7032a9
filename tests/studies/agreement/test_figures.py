"""The triangle of τ and metrics at every rank: what is drawn, where, and in words."""

import numpy as np

from fairviz.display.theme import DARK, LIGHT, Palette, cell_fill, ink_on
from fairviz.studies.agreement.charts import agreement_alt, agreement_figure, tau_text
from fairviz.studies.agreement.findings import classes_sentence
from fairviz.studies.ranks.analysis import SERIES, RankSeries, SeriesMetric
from fairviz.studies.ranks.charts import rank_series_alt, rank_series_figure
from tests.display.test_theme import THEMES, contrast
from tests.display.views import named, texts
from tests.studies.agreement.test_agreement import pairs_of

NAN = float("nan")


FOUND = (("AWRF", "nDKL@10", 0.75, 16), ("AWRF", "logEUR", -0.5, 15), ("nDKL@10", "logEUR", NAN, 1))
AGREEMENT = pairs_of(*FOUND)


def test_cells_and_numbers_stand_at_their_measures() -> None:
    """Measures of one order are neighbours: logEUR, 1.5 from AWRF, stands at the other end of nDKL@10.

    Of two pairs each is beyond chance at 2.5 %: τ = 0.75 of 16 systems is, −0.5 of 15 is too (|τ| ≥ 0.45).
    """
    figure = agreement_figure(AGREEMENT, colours=LIGHT)
    columns = [one.text for one in figure.layout.annotations]
    assert [columns[0], *figure.layout.yaxis.ticktext] == AGREEMENT.clustered
    assert columns == AGREEMENT.clustered[:-1]
    place = {measure: at for at, measure in enumerate(AGREEMENT.clustered)}
    numbers = named(figure, "numbers")
    cells = zip(numbers.x, numbers.y, numbers.hovertext, numbers.text, strict=True)
    defined = (cell[:3] for cell in cells if cell[3] != "–")
    for (a, b, tau, n), (x, y, hover) in zip(FOUND, defined, strict=False):
        assert (x, y) == (min(place[a], place[b]), max(place[a], place[b]) - 1)
        assert named(figure, "τ").z[y][x] == tau
        assert hover.startswith(f"{a} and {b}: ")
        assert hover.endswith(f"<br>τ = {tau:.3f}, {n} systems".replace("-", "−"))
    assert set(numbers.text) == {".75", "−.50", "–"}


def test_like_measures_stand_beside_each_other() -> None:
    """A and C are alike, B and D are alike, everything else is reversed."""
    taus = {("A", "B"): -0.8, ("A", "C"): 0.9, ("A", "D"): -0.9, ("B", "C"): -0.7, ("B", "D"): 0.8, ("C", "D"): -0.8}
    order = pairs_of(*((*pair, tau, 12) for pair, tau in taus.items())).clustered
    assert {frozenset(order[:2]), frozenset(order[2:])} == {frozenset("AC"), frozenset("BD")}


def test_a_pair_that_chance_could_give_is_unrelated_and_grey() -> None:
    """τ = 0.2 of 12 systems: chance gives more in one of three; 0.9 and −0.9 are beyond it."""
    found = pairs_of(("A", "B", 0.2, 12), ("A", "C", 0.9, 12), ("B", "C", -0.9, 12))
    assert found.classes["says"].to_list() == ["unrelated", "same order", "opposite"]
    figure = agreement_figure(found, colours=LIGHT)
    assert np.isfinite(np.array(named(figure, "τ").z, dtype=np.float64)).sum() == 2
    colour_of = dict(zip(named(figure, "numbers").text, named(figure, "numbers").textfont.color, strict=True))
    assert colour_of[".20"] == LIGHT.mute
    assert colour_of[".90"] != LIGHT.mute
    assert classes_sentence(found) == (
        "Same order (teal): 1 pair; opposite (amber): 1; unrelated, or not significantly related (grey numbers): 1."
    )


def test_undefined_cells_are_dashes_not_zero() -> None:
    numbers = named(agreement_figure(AGREEMENT, colours=LIGHT), "numbers")
    (at,) = [at for at, text in enumerate(numbers.text) if text == "–"]
    assert numbers.hovertext[at] == "nDKL@10 and logEUR<br>undefined: 1 systems have both, or one is equal for all"
    assert "1 undefined" in agreement_alt(AGREEMENT)


def test_the_scale_is_fixed_and_reads_top_down() -> None:
    figure = agreement_figure(AGREEMENT, colours=LIGHT)
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
    assert agreement_alt(AGREEMENT) == (
        "Kendall's τ-c of 2 pairs of measures, from -0.50 (AWRF and logEUR) to 0.75 (AWRF and nDKL@10); 1 undefined."
    )


def test_nothing_to_compare() -> None:
    assert len(agreement_figure(pairs_of(), colours=DARK).data) == 0
    assert "no pair" in agreement_alt(pairs_of())


def test_markup_in_measures_is_text() -> None:
    odd = "AWRF(group='<b>x</b>')"
    figure = agreement_figure(pairs_of((odd, "KL", 0.1, 3)), colours=LIGHT)
    assert "<b>" not in "".join([*figure.layout.yaxis.ticktext, *(one.text for one in figure.layout.annotations)])
    assert "<b>" not in named(figure, "numbers").hovertext[0].replace("<br>", "")


def test_tau_as_printed() -> None:
    assert [tau_text(tau) for tau in (0.05, -1.0, -0.001)] == [".05", "−1.00", ".00"]


def series(system: str, **rows: list[float]) -> RankSeries:
    depth = len(next(iter(rows.values())))
    values = np.full((len(SERIES), 1, depth), np.nan)
    for metric, row in rows.items():
        values[SERIES.index(metric), 0] = row  # type: ignore[arg-type]
    return RankSeries(system=system, irm="nDCG", query_ids=("q",), values=values)


LINES = [
    series("bm25", FAIR=[0.1, 0.2, 0.3], KL=[np.inf, 0.4, 0.2]),
    series("bm25 · re-ranked", FAIR=[0.4, 0.5, 0.6], KL=[0.3, 0.1, 0.05]),
    series("other", FAIR=[np.nan, 0.9, 0.8], KL=[np.nan] * 3),
]


def test_lines_are_the_means_at_each_rank() -> None:
    figure = rank_series_figure(LINES, "FAIR", colours=LIGHT, highlighted=["bm25"])
    line = named(figure, "bm25")
    assert list(line.x) == [1, 2, 3]
    assert list(line.y) == [0.1, 0.2, 0.3]
    np.testing.assert_equal(np.array(named(figure, "other").y), [np.nan, 0.9, 0.8])
    low, high = figure.layout.yaxis.range
    assert low < 0.1 < 0.9 < high


def test_highlighted_lines_are_named_and_the_others_grey() -> None:
    figure = rank_series_figure(
        LINES, "FAIR", colours=DARK, highlighted=["bm25", "bm25 · re-ranked"], dashed=["bm25 · re-ranked"]
    )
    assert named(figure, "other").line.color == DARK.faint
    assert named(figure, "bm25").line.color == DARK.ink
    own = named(figure, "bm25 · re-ranked")
    assert own.line.color == DARK.plackett_luce.line
    assert own.line.dash != "solid"
    assert named(figure, "bm25").line.dash == "solid"
    shown = " ".join(texts(figure))
    assert "<b>bm25</b>" in shown
    assert "re-ranked" in shown
    assert "other" not in shown


def test_the_axis_says_the_direction_and_the_gains() -> None:
    shown = {metric: texts(rank_series_figure(LINES, metric, colours=LIGHT))[0] for metric in SERIES}
    assert shown["FAIR"].startswith("FAIR (nDCG gains)  (↑")
    assert "↓" in shown["KL"]
    assert all("↑" in text or "↓" in text for text in shown.values())


def test_infinite_and_undefined_ranks_are_gaps() -> None:
    figure = rank_series_figure(LINES, "KL", colours=LIGHT, highlighted=["bm25", "other"])
    np.testing.assert_equal(np.array(named(figure, "bm25").y), [np.nan, 0.4, 0.2])
    assert np.isnan(np.array(named(figure, "other").y)).all()
    assert not any("other" in text for text in texts(figure))  # nothing to name
    low, high = figure.layout.yaxis.range
    assert low <= 0 < 0.4 < high


def test_nothing_and_markup() -> None:
    assert len(rank_series_figure([], "KL", colours=LIGHT).data) == 0
    odd = [series("<b>x</b>", KL=[0.1, 0.2])]
    figure = rank_series_figure(odd, "KL", colours=LIGHT, highlighted=["<b>x</b>"])
    assert "<b>x" not in figure.data[0].hovertemplate
    assert "&lt;b&gt;x" in " ".join(texts(figure))


def test_alt_tells_where_each_line_begins_and_ends() -> None:
    metric: SeriesMetric = "KL"
    assert rank_series_alt(LINES, metric) == (
        "KL at each rank. bm25 from 0.40 at rank 2 to 0.20 at rank 3; bm25 · re-ranked from 0.30 "
        "at rank 1 to 0.05 at rank 3."
    )
    assert "No rank" in rank_series_alt([], metric)


def test_pairs_over_too_few_queries_have_no_colour() -> None:
    figure = agreement_figure(pairs_of(*FOUND, few=True), colours=LIGHT)
    assert np.isnan(named(figure, "τ").z.astype(float)).all()
    assert set(named(figure, "numbers").textfont.color) == {LIGHT.mute}
