"""Retrieval beside consumption, query by query and in a few numbers: sources, citations by rank, one pool per model."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.evaluation.evaluate import evaluate, score_intervals
from fairviz.kernels.attribution import attribution
from fairviz.metrics.spec import parse_measures
from fairviz.model import RagOutputs, Scores
from fairviz.points.generations import by_generator, consumption_panel, output_summaries, rank_decline
from fairviz.points.outputs import (
    Recorded,
    cited_by_rank,
    concentration_change,
    output_points,
    points_columns,
    shared_candidates,
)
from fairviz.studies.attribution.analysis import analysed
from tests.nouns import run_of
from tests.studies.attribution.recorded import DOCS, Output, judged, recorded
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
            st.just("".join(order[:3])), st.lists(st.sampled_from(order[:3]), unique=True).map("".join), st.just(0.0)
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
    assert (row["system"], row["generator"], row["alpha"], row["query_id"]) == ("bot", "bot", 2.0, "q1")
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


def model(alpha: float, lists: str, generator: str = "bot") -> RagOutputs:
    answers = {"q1": [(shown, "", 1.0) for shown in lists.split()]}
    return recorded(answers, alpha=alpha, retriever="bm25", generator=generator, policy="plackett-luce")


def test_every_list_of_a_model_is_a_candidate_at_each_alpha() -> None:
    narrow, wide = model(8, "ab ab"), model(1, "ab cd")
    among = shared_candidates([narrow, wide], [None, None], k=2)
    points = [output_points(one, k=2, candidates=each) for one, each in zip((narrow, wide), among, strict=True)]
    # pool a, b, c, d: EE-D between 2²/4 = 1 and 2; ab twice has 2, four of 1/2 have 1
    np.testing.assert_allclose([one.attainable_disparity[0] for one in points], [1, 0])
    assert np.isnan(output_points(narrow, k=2).attainable_disparity[0])  # alone, a and b are all there is


def test_models_do_not_share_with_others() -> None:
    one, other = model(8, "ab ab"), model(1, "ab cd", generator="bigger")
    (own, _) = shared_candidates([one, other], [None, None], k=2)
    assert own is not None
    assert [own.doc_ids[doc] for doc in own.docs] == ["a", "b"]


def test_a_run_that_fed_all_is_the_pool_and_one_that_fed_some_joins_it() -> None:
    run = run_of({"q1": {DOCS[0]: 3, DOCS[1]: 2, DOCS[4]: 1}}, "bm25")
    members = [model(8, "ab ab"), model(1, "ab cd")]
    assert shared_candidates(members, [run, run], k=2) == (run, run)
    (joined, _) = shared_candidates(members, [run, None], k=2)
    assert joined is not None
    assert {joined.doc_ids[doc] for doc in joined.docs} == {"a", "b", "c", "d", DOCS[4]}


def test_effective_sources_by_hand() -> None:
    """q1 is given ab and cd, without a source in common: 2·1 − 2 = 0 of 4; it cites a, c: 2·½ − 1 = 0 of 1.

    q2 is given ab twice: 2·2 − 2 = 2 of 4; it cites a twice: 1 of 1.
    """
    outputs = recorded(
        {"q1": [("ab", "a", 1.0), ("cd", "c", 0.5)], "q2": [("ab", "a", 0.2), ("ab", "a", 0.4)]},
        generator="g",
        alpha=1.0,
    )
    (row,) = output_summaries(by_generator([output_points(outputs, k=2)]), seed=0)
    assert (row.name, row.setting, row.n_queries, row.n_outputs) == ("g", "α = 1", 2, 4)
    assert row.given == pytest.approx(1 / ((0 + 1 / 2) / 2))
    assert row.used == pytest.approx(1 / ((0 + 1) / 2))
    assert row.change.difference == pytest.approx(((0 - 0) + (1 - 0.5)) / 2)
    assert row.rate == pytest.approx(0.5)
    assert row.utility == pytest.approx((0.75 + 0.3) / 2)
    assert not row.single_sample
    assert np.isnan(row.relevance)


def test_sources_never_contradict_the_change_between_them() -> None:
    """q1 is given six sources alike and cites all; the others are given ab twice, and cite a alone.

    A query that cites nothing has no concentration of use, so what it was given counts in neither.
    """
    lists = {f"q{i}": [("ab", "a", 0.0), ("ab", "a", 0.0)] for i in range(5)}
    lists |= {"q5": [("abcdef", "abcdef", 0.0), ("fedcba", "abcdef", 0.0)], "q6": [("ab", "", 0.0), ("ab", "", 0.0)]}
    (row,) = output_summaries(by_generator([output_points(recorded(lists, generator="g", alpha=1.0), k=6)]), seed=0)
    assert row.change.difference > 0
    assert row.used < row.given
    given = (5 * 1 / 2 + 1 / 6) / 6
    assert row.given == pytest.approx(1 / given)
    assert 1 / row.used - 1 / row.given == pytest.approx(row.change.difference)


def test_intervals_of_a_row_are_of_its_own_answers_and_the_seed_alone() -> None:
    points = [
        output_points(recorded(many(first, last), generator="g", alpha=alpha), k=3)
        for alpha, first, last in ((1.0, 30, 20), (2.0, 35, 5), (4.0, 12, 3))
    ]
    together = output_summaries(by_generator(points), seed=0)
    assert [row.setting for row in together] == ["α = 1", "α = 2", "α = 4"]
    for row, one in zip(together, points, strict=True):
        (alone,) = output_summaries(by_generator([one]), seed=0)
        assert (alone.rate_interval, alone.change.interval) == (row.rate_interval, row.change.interval)
        ear = Scores(system="g", measure="EAR@3", query_ids=one.outputs.query_ids, values=one.rate)
        assert score_intervals([ear], seed=0) == [row.rate_interval], "the interval that evaluate gives"
    assert output_summaries(by_generator(points), seed=1)[0].rate_interval != together[0].rate_interval


def many(first: int, last: int, *, n: int = 40) -> dict[str, list[Output]]:
    """n queries with a list of three; the first ``first`` cite a, the first ``last`` cite c."""
    return {f"q{i}": [("abc", ("a" if i < first else "") + ("c" if i < last else ""), 0.0)] for i in range(n)}


def test_decline_is_the_ratio_of_the_first_to_the_last_rank() -> None:
    found = rank_decline(attribution(recorded(many(32, 8)), k=3), rng=seed())
    assert (found.first, found.last, found.last_rank) == pytest.approx((0.8, 0.2, 3))
    assert found.ratio == pytest.approx(4)
    assert 1 < found.interval.low < 4 < found.interval.high
    assert found.n_queries == 40


def test_no_decline_has_an_interval_around_1() -> None:
    found = rank_decline(attribution(recorded(many(20, 19)), k=3), rng=seed())
    assert 1 in found.interval


def test_a_last_rank_that_is_never_cited_is_infinitely_rarer() -> None:
    found = rank_decline(attribution(recorded(many(20, 0)), k=3), rng=seed())
    assert found.ratio == np.inf


def test_shares_agree_with_those_that_are_drawn() -> None:
    """Lists of unequal length: rank 3 is given in 3 of 4 answers, rank 4 in one, too rare."""
    answers = {"q1": [("abc", "ac", 0.0), ("abcd", "d", 0.0)], "q2": [("ab", "b", 0.0)], "q3": [("cba", "ca", 0.0)]}
    found = attribution(recorded(answers), k=4)
    shares, decline = cited_by_rank(found), rank_decline(found, rng=seed())
    assert decline.last_rank == 3
    assert (decline.first, decline.last) == pytest.approx((shares[0], shares[2]))
    assert (shares[0], shares[2]) == pytest.approx((2 / 4, 2 / 3))


def test_a_list_of_one_has_no_decline() -> None:
    found = rank_decline(attribution(recorded({"q1": [("a", "a", 0.0)]}), k=1), rng=seed())
    assert np.isnan(found.ratio)
    assert np.isnan(found.interval.low)


def test_the_table_counts_sources_as_the_sentence_above_it_does() -> None:
    """The plug-in share of few draws is too large: the sentence is about the unbiased one, and so is the table."""
    drawn = {f"q{i}": [("ab", "a", 0.0), ("bc", "b", 0.0), ("ca", "a", 0.0)] for i in range(12)}
    outputs = recorded(drawn, generator="g", alpha=1.0)
    for estimate in ("plugin", "unbiased"):
        points = (output_points(outputs, k=2, estimate=estimate),)
        results = analysed(Recorded(points, (), ()), None)
        ((row,), (group,)) = results.rows, results.groups
        assert results.finding.title.endswith(f"{row.given:.1f} given, {row.used:.1f} used")
        panel = consumption_panel(group, "EED-EAED", "share")
        assert (1 / panel.curve.mean_disparity, 1 / panel.curve.mean_quality) == (
            pytest.approx(row.given),
            pytest.approx(row.used),
        )
