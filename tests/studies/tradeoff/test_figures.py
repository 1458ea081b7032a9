"""The disparity–quality chart: what is in it, in which colours, and that labels keep apart."""

from dataclasses import replace

import numpy as np
import pytest

from fairviz.display.theme import DARK, LIGHT
from fairviz.points.view import AlphaPoint, EstimatedPoints, Line, TradeoffView
from fairviz.studies.tradeoff.charts import frame_of, tradeoff_alt, tradeoff_caption, tradeoff_figure
from tests.display.views import label_boxes, line, named, overlaps, point, texts, view
from tests.studies.tradeoff.curves import curve

TWELVE = [line(system=f"system-{i}", bend=1.5 + i / 5, top=0.6 + i / 40) for i in range(11)]


def test_every_policy_has_its_trace_and_dash() -> None:
    figure = tradeoff_figure(view(sampled=True), colours=LIGHT, point=view().at(2))
    names = [trace.name for trace in figure.data]
    assert names == [
        "band",
        "oracle",
        "optimal",
        "plackett-luce",
        "alphas",
        "sampled",
        "uniform",
        "deterministic",
        "connector",
        "same quality",
        "here",
    ]
    dashes = [named(figure, n).line.dash for n in ("plackett-luce", "optimal", "oracle")]
    assert dashes == ["solid", "8px,3px", "dot"]
    assert named(figure, "uniform").marker.color == LIGHT.page  # open square
    assert named(figure, "deterministic").marker.color == LIGHT.ink  # full square


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_a_colour_means_one_policy(colours) -> None:  # type: ignore[no-untyped-def]
    figure = tradeoff_figure(view(), colours=colours, point=view().at(2))
    assert named(figure, "plackett-luce").line.color == colours.plackett_luce.line
    assert named(figure, "optimal").line.color == colours.optimal.line
    assert named(figure, "oracle").line.color == colours.oracle.line
    assert named(figure, "here").marker.color == colours.plackett_luce.line
    inks = {label.text: label.font.color for label in figure.layout.annotations}
    assert inks["<b>optimal</b>"] == colours.optimal.text
    assert inks["<b>oracle limit</b>"] == colours.oracle.text


def test_the_line_goes_through_the_means_and_ends_at_the_list() -> None:
    shown = view()
    drawn = named(tradeoff_figure(shown, colours=LIGHT), "plackett-luce")
    np.testing.assert_array_equal(drawn.x, [*shown.line.x, 1.0])
    np.testing.assert_array_equal(drawn.y, [*shown.line.y, 0.8])
    alone = named(tradeoff_figure(view(joined=False), colours=LIGHT), "plackett-luce")
    np.testing.assert_array_equal(alone.x, shown.line.x)


def test_the_band_has_a_shape_for_each_stretch_in_which_it_is_known() -> None:
    shown = view()
    assert shown.band is not None
    low = shown.band.low.copy()
    low[[0, 10, -2, -1]] = np.nan
    drawn = named(tradeoff_figure(replace(shown, band=shown.band._replace(low=low)), colours=LIGHT), "band")
    gap = np.flatnonzero(np.isnan(drawn.x))
    assert gap.tolist() == [18]  # nine places forward and back, then those behind the gap
    for corners in (slice(18), slice(19, None)):
        half = drawn.x[corners].size // 2
        np.testing.assert_array_equal(drawn.x[corners][:half], drawn.x[corners][::-1][:half])
        np.testing.assert_allclose(drawn.y[corners][::-1][:half] - drawn.y[corners][:half], 0.1)


def test_the_papers_alphas_are_marked() -> None:
    marks = named(tradeoff_figure(view(), colours=LIGHT), "alphas")
    assert list(marks.customdata) == [1, 2, 4, 8]


@pytest.mark.parametrize("alpha", [0, 1, 2, 3, 4, 8])
@pytest.mark.parametrize("others", [[], TWELVE], ids=["one", "twelve"])
def test_labels_cover_no_other_label(alpha: float, others: list[Line]) -> None:
    shown = view(others=others)
    figure = tradeoff_figure(shown, colours=LIGHT, point=shown.at(alpha))
    frame = frame_of(shown)
    for width in frame.widths:
        assert overlaps(label_boxes(figure, frame, width)) == []


def test_labels_of_policies_stand_still_when_alpha_moves() -> None:
    def still(alpha: float) -> list[tuple[float, float]]:
        figure = tradeoff_figure(view(), colours=LIGHT, point=view().at(alpha))
        return [
            (a.x, a.y) for a in figure.layout.annotations if "α" not in a.text and "%" not in a.text.replace("95 %", "")
        ]

    assert still(1) == still(6)


def test_ranges_do_not_move_with_alpha_and_hold_everything() -> None:
    shown = view(others=TWELVE)
    ranges = [
        (tuple(f.layout.xaxis.range), tuple(f.layout.yaxis.range))
        for f in (tradeoff_figure(shown, colours=LIGHT, point=shown.at(a)) for a in (0, 8))
    ]
    assert ranges[0] == ranges[1]
    (left, right), (low, high) = ranges[0]
    for each in [*shown.lines, *shown.references]:
        assert left <= each.x.min() <= each.x.max() <= right
        assert low <= each.y.min() <= each.y.max() <= high


def test_twelve_systems_need_few_traces_and_every_name_is_there_once() -> None:
    figure = tradeoff_figure(view(others=TWELVE), colours=LIGHT, point=view().at(2))
    assert len(figure.data) <= 13
    merged = named(figure, "others")
    assert sum(value is None for value in merged.x) == len(TWELVE)
    for other in TWELVE:
        assert texts(figure).count(other.system) == 1
    names = [a for a in figure.layout.annotations if a.text in {o.system for o in TWELVE}]
    heights = np.sort([float(a.y) for a in names])
    frame = frame_of(view(others=TWELVE))
    apart = np.diff(heights) / (frame.y[1] - frame.y[0]) * frame.height
    assert apart.min() >= 15 - 1e-6


def test_saving_is_written_with_its_sign() -> None:
    shown = view()
    point = shown.at(3)
    change = round(100 * (point.optimal_x / point.x - 1))
    assert change < 0
    figure = tradeoff_figure(shown, colours=LIGHT, point=point)
    assert f"<b>−{-change} %</b>" in texts(figure)
    assert "<b>α = 3</b>" in texts(figure)


def test_a_quality_that_optimal_never_has_draws_no_diamond() -> None:
    shown = replace(view(), policies=view().policies | {"optimal": line("optimal", bend=1.2, top=0.5)})
    figure = tradeoff_figure(shown, colours=LIGHT, point=shown.at(8))
    assert "same quality" not in [trace.name for trace in figure.data]


def test_a_curve_that_turns_back_gets_the_width() -> None:
    """``offset=0``: all disparity below 0.05; the deterministic list is named on the edge."""
    hook = replace(line(), x=0.05 - 0.02 * (line().alphas / 8))
    shown = TradeoffView(
        lines=[hook],
        system="bm25",
        joined=False,
        policies={"uniform": point("uniform", 0, 0.3), "deterministic": point("deterministic", 1.0, 0.8)},
    )
    figure = tradeoff_figure(shown, colours=LIGHT, point=shown.at(2))
    right = figure.layout.xaxis.range[1]
    assert 0.05 < right < 0.1
    end = named(figure, "deterministic")
    assert (list(end.x), end.marker.symbol) == ([right], "triangle-right")
    assert "deterministic, EE-D 1.00" in texts(figure)
    assert "1.000" in end.hovertemplate.replace("%{customdata:.3f}", f"{end.customdata[0]:.3f}")


def test_names_of_people_are_text() -> None:
    bad = line(system="<a href='http://x'>run</a>")
    shown = TradeoffView(lines=[line(), bad], system="bm25")
    figure = tradeoff_figure(shown, colours=LIGHT, point=shown.at(2))
    assert "<a" not in figure.to_json().replace("\\u003c", "<")


def test_a_view_without_a_point_is_drawn_empty() -> None:
    nothing = replace(line(), alphas=np.empty(0), x=np.empty(0), y=np.empty(0))
    shown = TradeoffView(lines=[nothing], system="bm25")
    figure = tradeoff_figure(shown, colours=LIGHT)
    assert figure.layout.xaxis.range[0] < 0 < 1 < figure.layout.xaxis.range[1]
    assert "no point" in tradeoff_alt(shown)


def test_an_exposure_that_rounds_to_0_has_no_minus_in_words() -> None:
    tiny = replace(line(), x=np.concatenate([[-1e-17], line().x[1:]]))
    assert "runs from EE-D 0.00," in tradeoff_alt(TradeoffView(lines=[tiny], system="bm25"))


def test_alt_text_holds_the_numbers() -> None:
    alt = tradeoff_alt(view(), AlphaPoint(3, 0.45, 0.746, 0.215))
    for number in ("0.45", "0.75", "0.21", "α = 3", "0.02", "0.98"):
        assert number in alt


def test_words_and_caption_of_the_chart_name_who_would_narrow_the_common_range() -> None:
    shown = replace(view(), left_out=("short", "late"))
    told = "short and late have no area: with them the others would share less than 80 % of their common range of EE-D."
    own = curve([0.0], [0.0])
    assert told in tradeoff_alt(shown)
    assert tradeoff_caption(shown, own, k=5).endswith(told)
    assert "area" not in tradeoff_alt(view()) + tradeoff_caption(view(), own, k=5)


def test_directions_are_in_the_names_of_the_axes() -> None:
    figure = tradeoff_figure(view(), colours=LIGHT)
    assert "↓ lower" in figure.layout.xaxis.title.text
    assert any("↑ higher" in text for text in texts(figure))


def test_nothing_can_be_zoomed_and_nothing_is_smaller_than_12_px() -> None:
    figure = tradeoff_figure(view(others=TWELVE), colours=LIGHT, point=view().at(2))
    assert figure.layout.xaxis.fixedrange
    assert figure.layout.yaxis.fixedrange
    assert not figure.layout.showlegend
    sizes = [a.font.size for a in figure.layout.annotations if a.font.size]
    assert min(sizes) >= 12


def test_points_between_alphas_are_open_with_bars_of_two_standard_errors() -> None:
    own = line()
    at = np.array([8, 24, 40])
    some = Line(system="bm25", policy="plackett-luce", alphas=own.alphas[at], x=own.x[at], y=own.y[at] + 0.03)
    errors = np.array([0.05, 0.02, 0.01])
    drawn = replace(
        view(), estimated=EstimatedPoints(some, errors, some.y - 0.1, some.y + 0.1, np.array([30, 50, 90.0]))
    )
    figure = tradeoff_figure(drawn, colours=LIGHT)
    trace = named(figure, "estimated")
    assert trace.marker.color == LIGHT.page
    assert list(trace.error_y.array) == pytest.approx([0.1, 0.04, 0.02])
    assert [row[4] for row in trace.customdata] == [30, 50, 90]
    assert "effective size" in trace.hovertemplate
    assert "3 points between the recorded α estimated by re-weighting." in tradeoff_alt(drawn)
    frame = frame_of(drawn)
    assert not overlaps(label_boxes(figure, frame, 640))
    far = replace(drawn, estimated=drawn.estimated and drawn.estimated._replace(errors=np.array([0.05, 0.02, 0.9])))
    assert frame_of(far).y[1] > 1.8  # bars are in the frame


def test_policies_of_other_systems_are_thin_in_their_policys_colour() -> None:
    further = tuple(replace(line(system=name), policy=policy) for name in "ab" for policy in ("optimal", "oracle"))
    ends = tuple(replace(one, policy="uniform", x=one.x[:1] - 0.2, y=one.y[:1]) for one in further[:1])
    shown = replace(view(), further=(*further, *ends))
    figure = tradeoff_figure(shown, colours=LIGHT)
    assert [trace.name for trace in figure.data if trace.name.startswith("further")] == [
        "further oracle",
        "further optimal",
        "further uniform",
    ]
    thin, own = named(figure, "further optimal"), named(figure, "optimal")
    assert thin.line.width < own.line.width
    assert [x for x in thin.x if x is not None] == [*further[0].x, *further[2].x]
    assert set(thin.text) == {"a", "b"}
    assert frame_of(shown).x[0] < frame_of(view()).x[0]  # what is drawn is inside
    assert "Beside them 5 policies of other systems." in tradeoff_alt(shown)


def test_long_names_of_systems_are_cut_but_stay_apart() -> None:
    names = [f"contriever-msmarco + flan-t5-{size}" for size in ("base", "small", "xxl")]
    shown = replace(view(), lines=[*view().lines, *(line(system=name) for name in names)])
    drawn = [
        str(note.text) for note in tradeoff_figure(shown, colours=LIGHT).layout.annotations if note.xref == "paper"
    ]
    cut = {text for text in drawn if "…" in text}
    assert len(cut) == 3
    assert all(len(text) <= 17 for text in cut)
