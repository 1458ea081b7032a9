"""Retrieval beside consumption, query by query."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.evaluation.evaluate import evaluate
from fairviz.kernels.attribution import attribution
from fairviz.metrics.spec import parse_measures
from fairviz.points.outputs import (
    cited_by_rank,
    concentration_change,
    output_points,
    points_columns,
)
from tests.nouns import run_of
from tests.studies.attribution.recorded import Output, judged, recorded
from tests.studies.tradeoff.curves import seed

NAN = math.nan

# q1: two different lists, one shared item; q2: the same list twice, one item ever attributed
BOT = recorded(
    {"q1": [("ab", "a", 0.5), ("ac", "ac", 1)], "q2": [("ab", "a", 0), ("ab", "a", 0)]},
    retriever="bm25",
    generator="bot",
    policy="plackett-luce",
    alpha=2,
)
RUN = run_of({query: {"a": 4, "b": 3, "c": 2, "d": 1} for query in ("q1", "q2")}, "bm25")


def test_the_three_scales_by_hand() -> None:
    points = output_points(BOT, k=2, paired=RUN)
    # q1: ε = 1, 1/2, 1/2: ‖ε‖² = 1.5, Σε = 2; ε_a = 1, 0, 1/2: 1.25 and 1.5. q2: 2, 2; 1, 1
    np.testing.assert_allclose(points.on("k")[0], [0.75, 1])
    np.testing.assert_allclose(points.on("k")[1], [0.625, 0.5])
    # shares are unbiased: q1 (2·1.5 − 2) / 2² and (2·1.25 − 1.5) / 1.5²; q2 (2·2 − 2) / 2² and (2·1 − 1) / 1²
    for estimate in ("plugin", "unbiased"):
        share = output_points(BOT, k=2, paired=RUN, estimate=estimate).on("share")
        np.testing.assert_allclose(share, [[1 / 4, 1 / 2], [1 / 2.25, 1]])
    # four items in the pool: ‖ε‖² lies between 2²/4 = 1 and 2
    np.testing.assert_allclose(points.on("minmax")[0], [0.5, 1])
    np.testing.assert_allclose(points.on("minmax")[1], [0.625, 0.5])
    np.testing.assert_allclose(points.rate, [0.75, 0.5])
    np.testing.assert_allclose(points.utility, [0.75, 0])
    assert np.isnan(points.relevance).all()


def test_judged_items_join_the_pool_and_give_relevance() -> None:
    points = output_points(BOT, k=2, paired=RUN, qrels=judged({"q1": "bEFGH"}))
    # q1: eight items, ‖ε‖² between 4/8 and 2: (1.5 − .5)/1.5; q2 is not judged: as without
    np.testing.assert_allclose(points.on("minmax")[0], [2 / 3, 1])
    # b alone is useful: ε* = 1 there and 1/7 elsewhere; ⟨ε, ε*⟩ = 1/2 + 1.5/7, between 2/7 and 8/7
    wanted = (1 / 2 + 1.5 / 7 - 2 / 7) / (6 / 7)
    np.testing.assert_allclose(points.relevance, [wanted, NAN])


def test_lists_given_stand_in_the_pool_of_their_sample() -> None:
    """EE-D and EE-R of lists given to a generator are those that ``evaluate`` gives of the sample they were."""
    qrels = judged({"q1": "bEFGH", "q2": "a"})
    points = output_points(BOT, k=2, paired=RUN, qrels=qrels)
    assert points.source == "bm25"
    scores = evaluate(
        [replace(points.matches.given, tag="bm25"), RUN], parse_measures(["EED@2", "EER@2"]), qrels=[qrels]
    )
    disparity, relevance = (score for score in scores.scores if score.system == "bot")
    assert points.attainable_disparity.mean() == pytest.approx(disparity.value)
    assert points.relevance.mean() == pytest.approx(relevance.value)
    assert output_points(BOT, k=2).source is None  # the documents of the lists alone


def test_both_axes_use_one_estimator() -> None:
    points = output_points(BOT, k=2, paired=RUN, estimate="unbiased")
    # q1: 2·1.5 − 2 = 1 and 2·1.25 − 1.5 = 1: the two lists share a alone, and use it twice
    np.testing.assert_allclose(points.on("k")[0], [0.5, 1])
    np.testing.assert_allclose(points.on("k")[1], [0.5, 0.5])
    one = output_points(recorded({"q1": [("ab", "a", 1)]}), k=2, estimate="unbiased")
    assert np.isnan(one.on("k")[0]).all()
    assert one.single_sample


def test_what_cannot_be_said_is_undefined() -> None:
    outputs = recorded({"q1": [("", "", NAN)], "q2": [("ab", "", NAN)]})
    points = output_points(outputs, k=2)
    for scale in ("minmax", "share", "k"):
        assert np.isnan(points.on(scale)[0][0])
        assert np.isnan(points.on(scale)[1][0])
    assert math.isnan(points.on("share")[1][1])  # nothing is attributed: no shares
    assert math.isnan(points.on("minmax")[0][1])  # the pool is the context: nothing can differ
    assert points.on("k")[1][1] == 0
    assert np.isnan(points.utility).all()


outputs_of_a_query = st.lists(
    st.permutations("abcde").flatmap(
        lambda order: st.tuples(
            st.just("".join(order[:3])),
            st.lists(st.sampled_from(order[:3]), unique=True).map("".join),
            st.just(0.0),
        )
    ),
    min_size=1,
    max_size=6,
)


@given(outputs_of_a_query)
def test_no_point_lies_above_the_diagonal_on_k(answers: list[Output]) -> None:
    points = output_points(recorded({"q": answers}), k=3)
    x, y = points.on("k")
    assert y[0] <= x[0] + 1e-12  # ε_a ≤ ε item by item
    chance = points_columns([points])["y_chance"][0]
    assert isinstance(chance, float)
    if points.rate[0] > 0:
        given = points.disparity / points.exposure**2
        used = points.attributed_disparity / points.attributed_exposure**2
        # the line of equal chance is y = x of the plug-in shares
        assert (y[0] > chance + 1e-9) == (used[0] > given[0] + 1e-9 / points.rate[0] ** 2)


def test_points_have_declared_columns() -> None:
    columns = points_columns([output_points(BOT, k=2, paired=RUN), output_points(BOT, k=2)])
    assert {len(cells) for cells in columns.values()} == {4}
    row = {name: cells[0] for name, cells in columns.items()}
    assert (row["system"], row["generator"], row["alpha"], row["query_id"]) == (
        "bot",
        "bot",
        2.0,
        "q1",
    )
    assert row["y_chance"] == pytest.approx(0.75**2 * 0.75)


def test_concentration_is_compared_on_shares() -> None:
    change = concentration_change(output_points(BOT, k=2), rng=seed())
    # q1 1/2.25 − 1/4, q2 1 − 1/2
    assert change.difference == pytest.approx((4 / 9 - 1 / 4 + 1 / 2) / 2)
    assert change.n_queries == 2


def test_citations_by_rank() -> None:
    outputs = recorded({"q1": [("ab", "a", 1), ("ca", "a", 1)], "q2": [("bcd", "bd", 1)]})
    # rank 1: a and b of a, c, b; rank 2: a of b, a, c; rank 3: d; nobody was given a fourth
    shares = cited_by_rank(attribution(outputs, k=4))
    np.testing.assert_allclose(shares, [2 / 3, 1 / 3, 1, NAN])
