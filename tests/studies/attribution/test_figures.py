"""Scatter panels of consumption: points, paths, the two lines, axes, names of axes."""

import numpy as np
import polars as pl
import pytest

from fairviz.display.marks import Frame
from fairviz.display.theme import DARK, LIGHT
from fairviz.studies.attribution.charts import (
    attribution_alt,
    attribution_figure,
    axes_of,
    axis_names,
    dot_unit,
    drawn_points,
    n_off_scale,
    sources_picture,
)
from fairviz.studies.attribution.settings import AttributionSettings
from tests.display.views import label_boxes, named, overlaps, texts

SETTINGS = ("α = 1", "α = 2", "deterministic")


def panel(
    name: str = "bot", *, low: float = 0.02, chance: float | None = None, zero: bool = False, queries: str = "q{}"
) -> pl.DataFrame:
    """Twelve queries under three settings; use falls below exposure; one value is undefined."""
    rng = np.random.default_rng(1)
    x = np.stack([rng.uniform(low, 0.1, 12), rng.uniform(0.1, 0.4, 12), np.full(12, 1.0)])
    y = x * rng.uniform(0.1, 0.5, (3, 12))
    if zero:
        y[[0, 1], [0, 1]] = 0.0
    y[0, 5] = np.nan
    columns = {
        "name": name,
        "lists": np.repeat(SETTINGS, 12),
        "query_id": [queries.format(i) for i in range(12)] * 3,
        "x": x.ravel(),
        "y": pl.Series(y.ravel(), nan_to_null=True),
    }
    return pl.DataFrame(columns).with_columns(chance=pl.lit(chance, pl.Float64))


def means(shown: pl.DataFrame) -> pl.DataFrame:
    return drawn_points(shown).group_by("lists", maintain_order=True).agg(pl.mean("x", "y"))


def draw(shown: pl.DataFrame, setting: str = "α = 2", *, scale="k", pair="EED-EAED", **more):  # type: ignore[no-untyped-def]
    colours = more.pop("colours", LIGHT)
    settings = AttributionSettings(axes=pair, scale=scale)
    return attribution_figure(shown, settings, setting=setting, colours=colours, **more)


def test_points_of_the_setting_are_coloured_and_the_others_grey() -> None:
    shown = panel()
    figure = draw(shown)
    chosen, others = named(figure, "α = 2"), named(figure, "other settings")
    assert len(chosen.x) == 12
    assert len(others.x) == 23  # one of the 24 is undefined
    np.testing.assert_allclose(chosen.x, drawn_points(shown, "α = 2")["x"])
    assert [data[0] for data in chosen.customdata] == [f"q{i}" for i in range(12)]
    assert chosen.marker.color.startswith("rgba(0,114,178")
    assert draw(shown, colours=DARK).data[1].marker.color.startswith("rgba(86,180,233")


def test_the_path_joins_the_means_in_the_order_of_settings() -> None:
    shown = panel()
    path = named(draw(shown), "mean over queries")
    np.testing.assert_allclose(path.x, means(shown)["x"])
    assert list(path.text) == list(SETTINGS)
    assert list(path.marker.size) == [8, 11, 8]


def test_the_identity_is_drawn_between_two_disparities_only() -> None:
    line = named(draw(panel()), "y = x")
    np.testing.assert_array_equal(line.x, line.y)
    other = draw(panel(), pair="EED-EAR")
    assert "y = x" not in [trace.name for trace in other.data]
    assert "y = x" not in texts(other)


def test_the_line_of_equal_chance_has_the_slope_it_is_given() -> None:
    line = named(draw(panel(chance=0.09)), "equal chance")
    np.testing.assert_allclose(np.array(line.y) / np.array(line.x), 0.09)
    assert "equal chance" not in [trace.name for trace in draw(panel()).data]


def test_two_disparities_have_logarithmic_axes_that_hold_every_point() -> None:
    for shown in (panel("a"), panel("b", low=0.001)):
        figure = draw(shown)
        assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
        assert n_off_scale(shown, "EED-EAED") <= 1  # the range starts at the 0.5 % quantile
        assert axes_of(shown, "EED-EAED")[0].high >= 1
        assert not axes_of(shown, "EED-EAR")[0].log


def test_what_a_logarithm_cannot_hold_stands_on_the_edge_and_is_counted() -> None:
    shown = panel(zero=True)
    axes = axes_of(shown, "EED-EAED")
    assert n_off_scale(shown, "EED-EAED") >= 2
    dots = named(draw(shown), "α = 2")
    (at,) = np.flatnonzero(np.array([data[3] for data in dots.customdata]) == 0)
    assert dots.marker.symbol[at] == "triangle-down"
    assert dots.y[at] == pytest.approx(axes[1].low * 1.03)
    assert n_off_scale(shown, "EED-EAR") == 0


def test_ticks_of_shares_are_numbers_of_sources() -> None:
    axis = draw(panel(), scale="share").layout.xaxis
    assert "1/10" in axis.ticktext
    at = axis.ticktext.index("1/10")
    assert axis.tickvals[at] == pytest.approx(0.1)
    assert "1/10" not in draw(panel(), scale="k").layout.xaxis.ticktext


def test_a_selected_query_is_ringed_under_the_setting() -> None:
    shown = panel()
    ring = named(draw(shown, selected="q3"), "selected")
    assert list(ring.x) == [shown["x"][12 + 3]]
    assert len(named(draw(shown, selected="elsewhere"), "selected").x) == 0


def test_a_setting_that_was_not_recorded_colours_nothing() -> None:
    figure = draw(panel(), setting="α = 8")
    assert len(named(figure, "α = 8").x) == 0
    assert not any("mean" in text for text in texts(figure))


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("chance", [None, 0.02, 0.3])
def test_labels_cover_no_other_label(setting: str, chance: float | None) -> None:
    shown = panel(chance=chance)
    axes = axes_of(shown, "EED-EAED")
    figure = draw(shown, setting)
    frame = Frame(axes[0].ends, axes[1].ends, (270.0, 310.0), 230.0)
    for width in frame.widths:
        boxes = label_boxes(figure, frame, width)
        assert len(boxes) == (2 if chance is None else 3)
        assert overlaps(boxes) == []


def test_axes_name_scale_and_direction() -> None:
    names = [axis_names(AttributionSettings(axes="EED-EAED", scale=each)) for each in ("minmax", "share", "k")]
    assert len({across for across, _ in names}) == 3
    assert all("↓" in name for own in names for name in own)


def test_names_of_people_are_text() -> None:
    figure = draw(panel(), selected="q1")
    assert "<q" not in "".join(named(figure, "α = 2").text)
    assert "&lt;i&gt;" in named(draw(panel(queries="<i>q</i>{}")), "α = 2").text[0]


def test_alt_text_holds_counts_and_means() -> None:
    shown = panel()
    alt = attribution_alt(shown, AttributionSettings(axes="EED-EAED", scale="k"), setting="α = 1")
    assert "11 queries" in alt
    assert f"{means(shown)['y'][0]:.3f}" in alt


# Given → used.


def sources(*rows: tuple[float | None, float | None, float | None, bool], names: str = "bbbb") -> pl.DataFrame:
    """Settings with sources given and used, p_holm, and whether they are tested."""
    schema = {"sources_given": pl.Float64, "sources_used": pl.Float64, "p_holm": pl.Float64, "tested": pl.Boolean}
    lists = [f"α = {2**place}" for place in range(len(rows))]
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        name=pl.Series(list(names[: len(rows)])), lists=pl.Series(lists), EAR=pl.lit(0.4)
    )


def counts(picture: str) -> tuple[int, int, int]:
    """Dots, those used, those used of settings without a significant difference."""
    return picture.count("<i"), picture.count("fv-used"), picture.count("fv-alike")


def test_a_dot_is_a_source_filled_where_it_is_used() -> None:
    picture = sources_picture(sources((5.0, 2.7, None, False), (42.8, 9.9, 0.01, True)))
    assert counts(picture) == (43 + 5, 10 + 3, 0)
    assert picture.index("α = 2") < picture.index("α = 1")  # most given first
    assert "43 given → <strong>10 used</strong>" in picture


def test_what_does_not_differ_significantly_is_grey_and_said_and_of_few_queries_nothing_is() -> None:
    picture = sources_picture(sources((8.2, 7.9, 0.4, True)))
    assert counts(picture) == (8, 0, 8)
    assert "no significant difference" in picture
    assert "significant" not in sources_picture(sources((8.2, 7.9, None, True)))
    assert "8.2 given → <strong>7.9 used</strong>" in picture  # whole numbers would be alike


def test_more_used_than_given_has_no_more_dots_than_given() -> None:
    assert counts(sources_picture(sources((3.0, 5.0, 0.3, True)))) == (3, 0, 3)


def test_above_60_dots_one_stands_for_more_sources() -> None:
    """130 given: 65 dots of two would be too many, 26 of five are not; 20 used are 4 dots."""
    rows = sources((130.0, 20.0, 0.01, True))
    assert dot_unit(rows) == 5
    assert counts(sources_picture(rows)) == (26, 4, 0)
    assert [dot_unit(sources((n, 1.0, None, False))) for n in (60.0, 61.0, 121.0)] == [1, 2, 5]


def test_nothing_cited_has_no_dots_and_several_systems_are_named() -> None:
    picture = sources_picture(sources((None, None, None, True)).with_columns(EAR=pl.lit(0.0)))
    assert counts(picture) == (0, 0, 0)
    assert "nothing is cited" in picture
    assert "too few answers per query" in sources_picture(sources((None, None, None, True)))
    assert "&lt;a&gt;, α = 1" in sources_picture(
        sources((5.0, 2.0, None, False), (4.0, 2.0, None, False)).with_columns(name=pl.Series(["<a>", "b"]))
    )
