"""The disparity–quality chart and that of queries: what is in it, in which colours; rankings drawn from a policy."""

from dataclasses import replace

import numpy as np
import pytest

from fairviz.display.theme import DARK, LIGHT
from fairviz.errors import UsageError
from fairviz.kernels.attention import TopK
from fairviz.kernels.exposure import sample_exposure
from fairviz.kernels.pool import pool
from fairviz.metrics.exposure import ee_disparity
from fairviz.model import Qrels, RankingSample
from fairviz.points.curves import CurveSettings, Drawing, draw_rankings, drawn_by_query, tradeoff_curve
from fairviz.points.intervals import disparity_by_alpha
from fairviz.points.view import AlphaPoint, EstimatedPoints, Line, TradeoffView
from fairviz.policies import PlackettLuce
from fairviz.studies.attribution.charts import cited_by_rank_alt, cited_by_rank_figure
from fairviz.studies.tradeoff.charts import (
    correlation_alt,
    correlation_figure,
    ee_distribution_alt,
    ee_distribution_figure,
    frame_of,
    tradeoff_alt,
    tradeoff_caption,
    tradeoff_figure,
)
from tests.display.views import label_boxes, line, named, overlaps, point, texts, view
from tests.nouns import qrels_of, run_of
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
    assert list(named(figure, "alphas").customdata) == [1, 2, 4, 8]  # those of the paper


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
    low = shown.band.low.copy()
    low[[0, 10, -2, -1]] = np.nan
    drawn = named(tradeoff_figure(replace(shown, band=shown.band._replace(low=low)), colours=LIGHT), "band")
    gap = np.flatnonzero(np.isnan(drawn.x))
    assert gap.tolist() == [18]  # nine places forward and back, then those behind the gap
    for corners in (slice(18), slice(19, None)):
        half = drawn.x[corners].size // 2
        np.testing.assert_array_equal(drawn.x[corners][:half], drawn.x[corners][::-1][:half])
        np.testing.assert_allclose(drawn.y[corners][::-1][:half] - drawn.y[corners][:half], 0.1)


@pytest.mark.parametrize("alpha", [0, 1, 2, 3, 4, 8])
@pytest.mark.parametrize("others", [[], TWELVE], ids=["one", "twelve"])
def test_labels_cover_no_other_label(alpha: float, others: list[Line]) -> None:
    shown = view(others=others)
    figure = tradeoff_figure(shown, colours=LIGHT, point=shown.at(alpha))
    frame = frame_of(shown)
    for width in frame.widths:
        boxes = label_boxes(figure, frame, width)
        assert overlaps(boxes) == []
        assert not others or all(box[2] <= width + 1 for _, box in boxes), "names of systems stand right of the plot"


def test_names_of_systems_have_room_beside_the_plot() -> None:
    long = [replace(line(), system=f"reciprocal-rank-fusion-of-{n}-mmmm") for n in range(3)]
    figure = tradeoff_figure(view(others=long), colours=LIGHT)
    names = [note for note in figure.layout.annotations if note.xref == "paper" and note.x == 1]
    assert len(names) == 4
    assert all(0.6 * note.font.size * len(note.text) <= figure.layout.margin.r - note.xshift for note in names)


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


def test_axes_name_their_direction_nothing_can_be_zoomed_and_nothing_is_smaller_than_12_px() -> None:
    figure = tradeoff_figure(view(others=TWELVE), colours=LIGHT, point=view().at(2))
    assert figure.layout.xaxis.fixedrange
    assert figure.layout.yaxis.fixedrange
    assert not figure.layout.showlegend
    assert "↓ lower" in figure.layout.xaxis.title.text
    assert any("↑ higher" in text for text in texts(figure))
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


SPREADS = disparity_by_alpha(curve([[0.1, 0.2, 0.3], [0.6, 0.9, 0.9]], [[0.5] * 3, [0.6] * 3]))


def test_boxes_are_the_quartiles_and_diamonds_the_means() -> None:
    figure = ee_distribution_figure(SPREADS, colours=LIGHT)
    box, mean = named(figure, "EE-D"), named(figure, "mean")
    assert list(box.x) == ["0", "1"]
    assert list(box.median) == pytest.approx([0.2, 0.9])
    assert list(box.q1) == pytest.approx([0.15, 0.75])
    assert list(box.lowerfence) == pytest.approx([0.1, 0.6])
    assert list(mean.y) == pytest.approx([0.2, 0.8])
    assert box.line.color == LIGHT.plackett_luce.line


def test_the_axis_of_boxes_is_0_to_1_unless_all_is_small() -> None:
    low, high = ee_distribution_figure(SPREADS, colours=LIGHT).layout.yaxis.range
    assert low <= 0 < 1 <= high
    small = disparity_by_alpha(curve([[0.01, 0.03]], [[0.5, 0.5]]))
    assert ee_distribution_figure(small, colours=LIGHT).layout.yaxis.range[1] < 0.05


def test_alphas_without_a_value_are_left_out() -> None:
    spreads = disparity_by_alpha(curve([[np.nan], [0.4]], [[0.5], [0.5]]))
    assert list(named(ee_distribution_figure(spreads, colours=LIGHT), "EE-D").x) == ["1"]
    none = disparity_by_alpha(curve([[np.nan]], [[0.5]]))
    assert len(ee_distribution_figure(none, colours=LIGHT).data) == 0
    assert "0.90" in ee_distribution_alt(SPREADS)


def test_correlation_shows_common_points_and_the_mean_of_each_alpha() -> None:
    x = np.array([[0.1, 0.3, np.nan], [0.5, 0.7, 0.9]])
    y = np.array([[0.2, 0.4, 0.9], [np.nan, 0.8, 0.6]])
    figure = correlation_figure(
        replace(curve(x, y), alphas=np.array([1.0, 2.0]), query_ids=("a", "b", "c"), x="EER", y="EU"), colours=DARK
    )
    dots, path = named(figure, "queries"), named(figure, "mean per α")
    assert list(zip(dots.x, dots.y, strict=True)) == [(0.1, 0.2), (0.3, 0.4), (0.7, 0.8), (0.9, 0.6)]
    assert [tuple(data) for data in dots.customdata] == [("a", 1), ("b", 1), ("b", 2), ("c", 2)]
    assert list(path.x) == pytest.approx([0.2, 0.8])
    assert list(path.y) == pytest.approx([0.3, 0.7])
    assert list(path.customdata) == [1, 2]
    assert path.line.color == DARK.ink
    low, high = figure.layout.xaxis.range
    assert low < 0.1 < 0.9 < high
    assert any("EU" in text for text in texts(figure))
    assert "Spearman 0.31" in correlation_alt(0.2, 0.31, 4)


def test_correlation_of_nothing_is_an_empty_chart() -> None:
    nothing = np.full((1, 2), np.nan)
    figure = correlation_figure(curve(nothing, nothing), colours=LIGHT)
    assert len(named(figure, "queries").x) == 0


def test_first_and_last_rank_carry_their_number() -> None:
    shares = np.array([0.42, 0.3, 0.2, 0.07])
    figure = cited_by_rank_figure(shares, colours=LIGHT)
    bars = named(figure, "cited")
    np.testing.assert_array_equal(bars.y, shares)
    assert [text for text in texts(figure) if "%" in text] == ["<b>42 %</b>", "<b>7 %</b>"]
    assert bars.marker.color[0] == bars.marker.color[3] == LIGHT.plackett_luce.line
    assert bars.marker.color[1] != bars.marker.color[0]


def test_the_highest_share_stands_inside_the_chart_and_none_needs_more_than_all_answers() -> None:
    for top, end in ((0.2, 1.16 * 0.2), (0.0, 1.16 * 0.05), (1.0, 1.16)):
        assert cited_by_rank_figure(np.array([top, 0.0]), colours=LIGHT).layout.yaxis.range[1] == pytest.approx(end)


def test_ranks_that_nobody_was_given_have_no_number() -> None:
    shares = np.array([0.5, 0.25, np.nan])
    figure = cited_by_rank_figure(shares, colours=LIGHT)
    assert [text for text in texts(figure) if "%" in text] == ["<b>50 %</b>", "<b>25 %</b>"]
    assert "rank 2 in 25%" in cited_by_rank_alt("bot", shares)
    assert "no answer" in cited_by_rank_alt("bot", np.full(2, np.nan))


RUN = run_of(
    {"q1": {"a": 5.0, "b": 4.0, "c": 2.0, "d": 1.0, "e": 0.5, "f": 0.2}, "q2": {"a": 1.0, "f": 3.0, "g": 2.5, "h": 2.0}}
)
QRELS = qrels_of({"q1": {"b": 2, "c": 1}, "q2": {"g": 1, "h": 2}})


def of(policy: str = "plackett-luce", *, n: int = 50, **more: object) -> Drawing:
    return Drawing(policy=policy, alpha=2.0, attention=TopK(2), depth=2, n_samples=n, **more)  # type: ignore[arg-type]


def draw(
    policy: str = "plackett-luce", *, seed: int = 3, n: int = 50, qrels: Qrels | None = None, **more: object
) -> RankingSample:
    return draw_rankings(RUN, of(policy, n=n, **more), rng=np.random.default_rng(seed), qrels=qrels)


@pytest.mark.parametrize("policy", ["plackett-luce", "optimal", "oracle"])
def test_equal_seeds_give_equal_rankings_that_say_what_drew_them(policy: str) -> None:
    drawn, again, other = (draw(policy, seed=seed, qrels=QRELS) for seed in (3, 3, 4))
    np.testing.assert_array_equal(drawn.docs, again.docs)
    assert not np.array_equal(drawn.docs, other.docs)
    assert (drawn.system, drawn.policy, drawn.alpha) == ("sys", policy, 2.0)
    assert drawn.n_samples.tolist() == [50, 50]
    assert np.diff(drawn.sample_offsets).tolist() == [2] * 100
    lists = drawn.docs.reshape(-1, 2)
    assert (lists[:, 0] != lists[:, 1]).all()


@pytest.mark.parametrize("policy", ["plackett-luce", "optimal", "oracle"])
def test_query_by_query_the_same_rankings_are_drawn(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the noise of one query is drawn in several parts: of 6 items, in parts of 3 rankings."""
    whole = draw(policy, qrels=QRELS)
    monkeypatch.setattr("fairviz.policies.plackett_luce.NOISE_AT_ONCE", 18)
    parts = drawn_by_query(RUN, of(policy), rng=np.random.default_rng(3), qrels=QRELS)
    shown: list[str] = []
    for query, part in zip(whole.query_ids, parts, strict=True):
        assert (part.query_ids, part.n_samples.tolist(), part.policy) == ((query,), [50], policy)
        assert len(part.doc_ids) == np.unique(part.docs).size
        shown += [part.doc_ids[doc] for doc in part.docs]
    assert shown == [whole.doc_ids[doc] for doc in whole.docs]


def test_optimal_draws_meet_the_disparity_of_plackett_luce() -> None:
    drawn = draw("optimal", n=20_000)
    pools = pool(RUN, None)
    exact = PlackettLuce(2.0, 1.0).exposure(pools, TopK(2))
    found = sample_exposure(drawn, pools, TopK(2)).exposure
    # attainable EE-D of a query with n items: (‖ε‖² − k²/n) / (k − k²/n), so the mean of
    # ‖ε‖² with these weights agrees
    weights = 1 / (2 - 4 / pools.sizes)
    means = [float(weights @ ee_disparity(e, pools.offsets)) for e in (found, exact)]
    assert means[0] == pytest.approx(means[1], abs=0.02)
    assert not np.allclose(found, exact, atol=0.02)


def test_the_oracle_shows_more_useful_items() -> None:
    pools = pool(RUN, QRELS)
    oracle, plain = (draw(policy, n=4000, qrels=QRELS) for policy in ("oracle", "plackett-luce"))
    useful = [float(sample_exposure(each, pools, TopK(2)).exposure @ pools.gains) for each in (oracle, plain)]
    assert useful[0] > 1.2 * useful[1]


def test_frontiers_count_the_judged_queries_alone() -> None:
    """With judgements of q1 only, q2 is still drawn, and q1 meets its own disparity."""
    only = qrels_of({"q1": {"b": 2, "c": 1}})
    drawn = draw("optimal", n=20_000, qrels=only)
    curve = tradeoff_curve(
        pool(RUN, only), CurveSettings(alphas=np.array([2.0]), attention=TopK(2)), system="sys", policy="plackett-luce"
    )
    pools = pool(RUN, only)
    found = ee_disparity(sample_exposure(drawn, pools, TopK(2)).exposure, pools.offsets)
    # n = 6 items, k = 2: uniform has 4/6, a fixed list 2
    scaled = (found[0] - 4 / 6) / (2 - 4 / 6)
    assert scaled == pytest.approx(float(curve.mean_disparity[0]), abs=0.02)


def test_the_oracle_needs_judgements() -> None:
    with pytest.raises(UsageError, match="--qrels"):
        draw("oracle")
