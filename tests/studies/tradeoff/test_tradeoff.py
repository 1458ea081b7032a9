"""Curves of a run against a literal implementation, two of them compared, and read at an α; lines and tables."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.display.latex import latex_text
from fairviz.errors import UndefinedError
from fairviz.kernels.attention import TopK
from fairviz.kernels.pool import pool
from fairviz.model import Qrels, Run
from fairviz.points.curves import CurveSettings, policy_curves, sampled_curve, tradeoff_curve
from fairviz.points.intervals import quality_by_interval
from fairviz.points.summary import compared_areas, disparity_saved
from fairviz.points.view import Line, TradeoffView
from fairviz.studies.tradeoff.columns import intervals_table, points_table, summary_table
from tests.display.views import line, point, view
from tests.nouns import qrels_of, run_of, sample_of
from tests.policies.exactly import decimal_levels, enumerated_exactly
from tests.steps import counted
from tests.strategies import judged, literal_target, runs
from tests.studies.tradeoff.curves import curve, seed

ALPHAS = np.array([0.0, 1.0, 4.0])


def literal_point(run: Run, qrels: Qrels, k: int, alpha: float) -> tuple[float, float, float, int]:
    """EE-D, EE-R, ⟨ε, s̄⟩ and undefined queries by dictionaries and n! rankings."""
    values = []
    for i, query in enumerate(qrels.query_ids):
        graded = {
            qrels.doc_ids[qrels.docs[r]]: max(int(qrels.grades[r]), 0)
            for r in range(qrels.offsets[i], qrels.offsets[i + 1])
        }
        j = run.query_ids.index(query)
        rows = range(run.offsets[j], run.offsets[j + 1])
        scores = {run.doc_ids[run.docs[r]]: float(run.scores[r]) for r in rows}
        items = [*scores, *(doc for doc in graded if doc not in scores)]
        gains = [float(graded.get(doc, 0)) for doc in items]
        v = TopK(k).weights(len(items))
        low, high = min(scores.values()), max(scores.values())
        s_bar = np.array([(s - low) / (high - low) if high > low else 0.0 for s in scores.values()])
        seen = enumerated_exactly(decimal_levels([*scores.values()]), alpha, 1, v[: len(scores)])
        eps = np.concatenate([seen, np.zeros(len(items) - len(scores))])
        target = np.array(literal_target(gains, v))
        low_d, high_d = v.sum() ** 2 / len(items), (v**2).sum()
        low_r = float(v @ np.sort(target))
        high_r = float(v @ np.sort(target)[::-1])
        if high_d - low_d < 1e-12 or high_r - low_r < 1e-12:
            continue
        values.append(
            ((eps @ eps - low_d) / (high_d - low_d), (eps @ target - low_r) / (high_r - low_r), float(seen @ s_bar))
        )
    mean = np.mean(values, axis=0) if values else np.full(3, np.nan)
    return (*(float(x) for x in mean), len(qrels.query_ids) - len(values))  # type: ignore[return-value]


@settings(max_examples=8, deadline=None)
@given(run=runs(queries=2), qrels=judged(queries=2), k=st.integers(1, 4))
def test_curve_equals_a_literal_implementation(run: Run, qrels: Qrels, k: int) -> None:
    curve = tradeoff_curve(
        pool(run, qrels), CurveSettings(alphas=ALPHAS, attention=TopK(k)), system="s", policy="plackett-luce"
    )
    for i, alpha in enumerate(ALPHAS):
        wanted = literal_point(run, qrels, k, float(alpha))
        got = (curve.mean_disparity[i], curve.mean_quality[i], curve.mean_score[i])
        assert got == pytest.approx(wanted[:3], abs=1e-8, nan_ok=True)
        assert curve.n_undefined[i] == wanted[3]


def test_missing_and_alike_queries_are_undefined_and_counted() -> None:
    run = run_of({"a": {"x": 2.0, "y": 1.0, "z": 0.0}, "alike": {"x": 2.0, "y": 1.0}})
    qrels = qrels_of({"a": {"x": 1}, "alike": {"x": 1, "y": 1}, "missing": {"x": 1, "y": 0}})
    for policy in ("plackett-luce", "optimal", "oracle", "uniform", "deterministic"):
        curve = tradeoff_curve(
            pool(run, qrels), CurveSettings(alphas=ALPHAS, attention=TopK(1)), system="s", policy=policy
        )
        assert set(curve.n_undefined) == {2}, policy
    # deterministic: the one useful item first.
    assert curve.mean_quality.tolist() == [1]
    assert curve.mean_disparity.tolist() == [1]


def test_sampled_curve_is_ordered_by_alpha_and_counts_its_samples() -> None:
    qrels = qrels_of({"q": {"a": 1, "b": 0, "c": 0}})
    many = sample_of({"q": [["a"], ["b"]]}, alpha=4.0)
    few = sample_of({"q": [["a"]]}, alpha=1.0)
    both = [many, few]
    curve = sampled_curve(both, qrels, CurveSettings(attention=TopK(1)))
    assert curve.alphas.tolist() == [1, 4]
    assert curve.n_samples == 2
    # One fixed list: 1. Two of three items half the time: (1/2 − 1/3)/(1 − 1/3) = 1/4.
    assert curve.mean_disparity == pytest.approx([1, 0.25])
    assert curve.mean_quality == pytest.approx([1, 0.5])


def test_a_line_is_the_means_over_queries_without_points_of_none() -> None:
    # α = 0: (0.1 + 0.3) / 2 = 0.2 and (0.5 + 0.7) / 2 = 0.6; α = 1 has no query with both axes
    drawn = Line.of(curve([[0.1, 0.3], [0.2, np.nan]], [[0.5, 0.7], [np.nan, 0.9]]))
    assert drawn.alphas.tolist() == [0]
    assert drawn.x == pytest.approx([0.2])
    assert drawn.y == pytest.approx([0.6])


def test_here_lies_on_the_line_between_its_points() -> None:
    own = replace(line(), alphas=np.array([0.0, 1.0]), x=np.array([0.0, 0.4]), y=np.array([0, 1.0]))
    best = replace(own, policy="optimal", x=np.array([0.0, 0.2]))
    shown = TradeoffView(lines=[own], system="bm25", policies={"optimal": best})
    drawn = shown.at(0.5)
    assert (drawn.x, drawn.y, drawn.optimal_x) == pytest.approx((0.2, 0.5, 0.1))
    assert drawn.saving == pytest.approx(0.5)


def test_alpha_outside_the_line_has_no_point() -> None:
    assert np.isnan(view().at(9).x)


def test_the_smallest_disparity_counts_where_a_frontier_turns() -> None:
    own = view().line
    best = point("optimal", 0.2, 0.9)
    best = replace(best, x=np.array([0.5, 0.1, 0.3]), y=np.array([0.6, 0.4, 0.8]), alphas=np.arange(3.0))
    drawn = replace(view(), lines=[own], policies={"optimal": best}).at(8)  # quality about 0.8
    assert drawn.optimal_x == pytest.approx(0.3, abs=0.01)


def test_the_highlighted_system_must_be_drawn() -> None:
    with pytest.raises(ValueError, match="other"):
        TradeoffView(lines=[line()], system="other")


X = [[0.1, 0.2], [0.5, 0.7], [0.9, 0.8]]
Y = [[0.3, 0.1], [0.4, 0.5], [0.6, 0.7]]


def test_points_say_how_relevance_was_counted() -> None:
    table = points_table([curve(X, Y)])
    assert (table.audience, table.keys[4], table.headings[4]) == ("programs", "EER", "EER")
    binary = points_table([replace(curve(X, Y), y="EER(rel=1)@5")])
    assert (binary.keys[4], binary.headings[4]) == ("EER", "EER(rel=1)@5")
    assert "EER(rel=1)@5" in binary.caption


def test_areas_name_their_range() -> None:
    table = summary_table(compared_areas([curve(X, Y), curve(X, Y, policy="optimal")], rng=seed()), quality="EE-R")
    assert "EE-D 0.15 to 0.85" in table.caption
    assert "Holm over 0 differences" in table.caption, "of two queries none is tested"
    assert table.rows[0][:2] == ("bm25", "plackett-luce")  # for programs; people read its name
    assert "2\u202f000 resamples" in table.caption
    assert "Plackett--Luce" in latex_text(table)
    cells = [dict(zip(table.keys, row, strict=True)) for row in table.rows]
    assert [cell["difference"] for cell in cells] == [None, 0.0]
    assert [cell["n_compared"] for cell in cells] == [None, 2]


def test_every_interval_has_a_row_also_where_it_is_empty() -> None:
    end = curve([[1.0, 1.0]], [[0.6, 0.8]], policy="deterministic")
    rows = quality_by_interval(curve(X, Y), end, rng=seed())
    table = intervals_table(rows, quality="EE-R", test="paired t")
    assert len(table.rows) == 5
    cells = [dict(zip(table.keys, row, strict=True)) for row in table.rows]
    assert [cell["n_queries"] for cell in cells] == [1, 1, 1, 1, 2]
    assert "paired t" in table.caption


def test_some_of_the_points_of_a_curve() -> None:
    points = curve(X, Y).only([0, 2])
    assert points.alphas.tolist() == [0, 2]
    np.testing.assert_array_equal(points.disparity, [X[0], X[2]])


# All curves of a run, and two of them compared: order, points that frontiers meet, samples, EE-D at equal quality.


RUN = run_of({"q1": {"a": 5.0, "b": 4.0, "c": 2.0, "d": 1.0, "e": 0.5}, "q2": {"a": 1.0, "f": 3.0, "g": 2.5, "h": 2.0}})
QRELS = qrels_of({"q1": {"b": 2, "c": 1, "d": 1}, "q2": {"g": 1, "h": 2}})


def curves(*policies: str, **more: object):  # type: ignore[no-untyped-def]
    made = CurveSettings(policies=policies, alphas=ALPHAS, attention=TopK(2), **more)  # type: ignore[arg-type]
    return policy_curves(RUN, pool(RUN, QRELS), made)


def test_curves_come_as_asked_then_the_fixed_points() -> None:
    found = curves("oracle", "plackett-luce")
    assert [c.policy for c in found] == ["oracle", "plackett-luce", "uniform", "deterministic"]
    assert [c.alphas.size for c in found] == [3, 3, 1, 1]


def test_frontiers_are_asked_at_the_disparity_of_plackett_luce() -> None:
    oracle, optimal, drawn, *_ = curves("oracle", "optimal", "plackett-luce")
    for frontier in (oracle, optimal):
        np.testing.assert_allclose(frontier.mean_disparity, drawn.mean_disparity, atol=1e-9)
    assert (oracle.mean_quality >= drawn.mean_quality - 1e-9).all()
    assert (optimal.mean_score >= drawn.mean_score - 1e-9).all()


def test_frontiers_alone_do_not_need_the_curve_that_places_them() -> None:
    (optimal, *_), (_, beside, *_) = curves("optimal"), curves("plackett-luce", "optimal")
    np.testing.assert_array_equal(optimal.quality, beside.quality)


def test_samples_approach_the_exact_curve() -> None:
    exact = curves("plackett-luce")[0]
    drawn = curves("plackett-luce", samples=20_000, seed=5)[0]
    assert (exact.n_samples, drawn.n_samples) == (None, 20_000)
    np.testing.assert_allclose(drawn.mean_quality, exact.mean_quality, atol=0.01)
    np.testing.assert_allclose(drawn.mean_disparity, exact.mean_disparity, atol=0.01)
    assert not np.array_equal(drawn.quality, exact.quality)


def test_frontiers_stay_exact_beside_samples() -> None:
    exact = curves("optimal")[0]
    _, beside, *_ = curves("plackett-luce", "optimal", samples=3, seed=5)
    np.testing.assert_array_equal(beside.disparity, exact.disparity)


def test_steps_are_counted() -> None:
    """Once per α of each computed curve: the exact reference and the samples."""
    with counted() as steps:
        curves("plackett-luce", "optimal")
    assert (steps.expected, steps.done) == (ALPHAS.size, ALPHAS.size)
    with counted() as steps:
        curves("plackett-luce", "optimal", samples=2)
    assert (steps.expected, steps.done) == (2 * ALPHAS.size, 2 * ALPHAS.size)


@pytest.mark.parametrize("gain", ["graded", "binary"])
def test_gain_changes_quality_but_not_disparity(gain) -> None:  # type: ignore[no-untyped-def]
    found, graded = curves("plackett-luce", gain=gain)[0], curves("plackett-luce")[0]
    np.testing.assert_array_equal(found.disparity, graded.disparity)
    assert np.array_equal(found.quality, graded.quality) == (gain == "graded")


REFERENCE = curve([0, 0.4, 0.8], [0, 0.4, 0.8])
CHEAPER = curve([0, 0.2, 0.8], [0, 0.4, 0.8], policy="optimal")


def test_saving_by_hand() -> None:
    # at α = 1 the reference has quality .4 for .4; the other reaches .4 at .2
    saving = disparity_saved(REFERENCE, CHEAPER, alpha=1, rng=seed())
    assert (saving.quality, saving.reference, saving.other) == (0.4, 0.4, 0.2)
    assert saving.share == 0.5
    assert saving.n_queries == 1
    assert math.isnan(saving.interval.low)


def test_a_curve_of_one_point_is_compared_there() -> None:
    """Plackett–Luce at α = 3 alone: EE-D 0.4, EE-R 0.6; the other curve reaches 0.6 half way from 0.2 to 0.4."""
    one = replace(curve([0.4], [0.6]), alphas=np.array([3.0]))
    saving = disparity_saved(one, curve([0.2, 0.4], [0.5, 0.7]), alpha=3, rng=seed())
    assert (saving.reference, saving.other, saving.share) == pytest.approx((0.4, 0.3, 0.25))


def test_between_points_lines_are_straight() -> None:
    # halfway to α = 2: .6 for .6; the other is at .4 + 1/2·.4 there, x = .5
    saving = disparity_saved(REFERENCE, CHEAPER, alpha=1.5, rng=seed())
    assert saving.reference == pytest.approx(0.6)
    assert saving.other == pytest.approx(0.5)


def test_a_quality_never_reached_saves_nothing_known() -> None:
    saving = disparity_saved(REFERENCE, curve([0, 1], [0, 0.1]), alpha=2, rng=seed())
    assert math.isnan(saving.other)
    assert math.isnan(saving.share)


def test_places_must_exist() -> None:
    with pytest.raises(UndefinedError, match="no point at 9"):
        disparity_saved(REFERENCE, CHEAPER, alpha=9, rng=seed())


def test_the_comparison_is_paired() -> None:
    """Queries differ by far in quality, but each saves about half: so does every resample."""
    shift = seed(1).normal(size=30)
    x = np.linspace(0, 1, 5)[:, None] + np.zeros(30)
    y = x + shift
    saving = disparity_saved(curve(x, y), curve(x / 2, y), alpha=3, rng=seed())
    assert saving.share == pytest.approx(0.5)
    assert np.isnan(saving.interval).all()  # all save the same
    uneven = disparity_saved(curve(x, y), curve(x * seed(2).uniform(0.4, 0.6, 30), y), alpha=3, rng=seed())
    assert 0.45 < uneven.interval.low < uneven.share < uneven.interval.high < 0.55
