"""Retrieval beside consumption, query by query and in a few numbers: sources, citations by rank, one pool per model."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.display.table import records
from fairviz.evaluation.evaluate import evaluate, score_intervals
from fairviz.kernels.attribution import attribution
from fairviz.metrics.catalogue import parse_measures
from fairviz.metrics.consumption import Scale
from fairviz.model import Dataset, FloatArray, RagOutputs, RankingSample, Run, Scores
from fairviz.points import outputs as points_of
from fairviz.points.outputs import (
    SCALED,
    Recorded,
    by_system,
    cited_by_rank,
    output_summaries,
    rank_declines,
    shared_candidates,
)
from fairviz.studies.attribution.analysis import analyse, analysed, points_table, results_of
from fairviz.studies.attribution.charts import consumption_panel
from fairviz.studies.attribution.settings import AttributionSettings
from tests.nouns import run_of
from tests.studies.attribution.recorded import DOCS, Output, judged, measured, recorded

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


def axes(points: pl.DataFrame, scale: Scale) -> FloatArray:
    """(2, Q) disparity of retrieval and of consumption."""
    return points.select(SCALED[scale]).to_numpy().T


def test_the_three_scales_by_hand() -> None:
    points = measured(BOT, k=2, run=RUN)
    # q1: ε = 1, 1/2, 1/2: ‖ε‖² = 1.5, Σε = 2; ε_a = 1, 0, 1/2: 1.25 and 1.5. q2: 2, 2; 1, 1
    np.testing.assert_allclose(axes(points, "k"), [[0.75, 1], [0.625, 0.5]])
    # shares are unbiased: q1 (2·1.5 − 2) / 2² and (2·1.25 − 1.5) / 1.5²; q2 (2·2 − 2) / 2² and (2·1 − 1) / 1²
    for estimate in ("plugin", "unbiased"):
        share = axes(measured(BOT, k=2, run=RUN, estimate=estimate), "share")
        np.testing.assert_allclose(share, [[1 / 4, 1 / 2], [1 / 2.25, 1]])
    # four items in the pool: ‖ε‖² lies between 2²/4 = 1 and 2
    np.testing.assert_allclose(axes(points, "minmax"), [[0.5, 1], [0.625, 0.5]])
    np.testing.assert_allclose(points["EAR"], [0.75, 0.5])
    np.testing.assert_allclose(points["EU"], [0.75, 0])
    assert points["EER"].is_null().all()


def test_judged_items_join_the_pool_and_give_relevance() -> None:
    points = measured(BOT, k=2, run=RUN, qrels=judged({"q1": "bEFGH"}))
    # q1: eight items, ‖ε‖² between 4/8 and 2: (1.5 − .5)/1.5; q2 is not judged: as without
    np.testing.assert_allclose(points["EED"], [2 / 3, 1])
    # b alone is useful: ε* = 1 there and 1/7 elsewhere; ⟨ε, ε*⟩ = 1/2 + 1.5/7, between 2/7 and 8/7
    wanted = (1 / 2 + 1.5 / 7 - 2 / 7) / (6 / 7)
    assert points["EER"].to_list() == [pytest.approx(wanted), None]


def test_lists_given_stand_in_the_pool_of_their_sample() -> None:
    """EE-D and EE-R of lists given to a generator are those that ``evaluate`` gives of the sample they were."""
    qrels = judged({"q1": "bEFGH", "q2": "a"})
    points, given = measured(BOT, k=2, run=RUN, qrels=qrels), attribution(BOT, k=2, paired=RUN).given
    scores = evaluate([replace(given, tag="bm25", source=RUN), RUN], parse_measures(["EED@2", "EER@2"]), qrels=[qrels])
    disparity, relevance = (score for score in scores.scores if score.system == "bot")
    assert points["EED"].mean() == pytest.approx(disparity.value)
    assert points["EER"].mean() == pytest.approx(relevance.value)


def test_both_axes_use_one_estimator() -> None:
    # q1: 2·1.5 − 2 = 1 and 2·1.25 − 1.5 = 1: the two lists share a alone, and use it twice
    np.testing.assert_allclose(axes(measured(BOT, k=2, run=RUN, estimate="unbiased"), "k"), [[0.5, 1], [0.5, 0.5]])
    one = measured(recorded({"q1": [("ab", "a", 1)]}), k=2, estimate="unbiased")
    assert one["x_k"].is_null().all()


def test_what_cannot_be_said_is_undefined() -> None:
    outputs = recorded({"q1": [("", "", NAN)], "q2": [("ab", "", NAN)]})
    nothing, uncited = measured(outputs, k=2).to_dicts()
    for of_given, of_used in SCALED.values():
        assert nothing[of_given] is nothing[of_used] is None
    assert uncited["y_share"] is None  # nothing is attributed: no shares
    assert uncited["EED"] is None  # the pool is the context: nothing can differ
    assert uncited["EAED"] == 0
    assert nothing["EU"] is uncited["EU"] is None


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
    (point,) = measured(recorded({"q": answers}), k=3).to_dicts()
    x, y, rate, chance = (point[name] for name in ("x_k", "EAED", "EAR", "y_chance"))
    assert y <= x + 1e-12  # ε_a ≤ ε item by item
    if rate > 0:  # Σε = k and Σε_a = EAR · k: the line of equal chance is y = x of the plug-in shares
        assert (y > chance + 1e-9) == (y / (3 * rate**2) > x / 3 + 1e-9 / rate**2)


def test_points_have_declared_columns() -> None:
    table = points_table(measured(BOT, BOT, k=2, run=RUN))
    assert len(table.rows) == 4
    row = dict(zip(table.keys, table.rows[0], strict=True))
    assert (row["system"], row["generator"], row["alpha"], row["query_id"]) == ("bot", "bot", 2.0, "q1")
    assert row["y_chance"] == pytest.approx(0.75**2 * 0.75)


def model(alpha: float, lists: str, generator: str = "bot") -> RagOutputs:
    answers = {"q1": [(shown, "", 1.0) for shown in lists.split()]}
    return recorded(answers, alpha=alpha, retriever="bm25", generator=generator, policy="plackett-luce")


def candidates(members: Sequence[RagOutputs], runs: Sequence[Run | None]) -> list[Run | RankingSample]:
    matches = [attribution(one, k=2, paired=run) for one, run in zip(members, runs, strict=True)]
    return shared_candidates(members, matches, runs)


def items(ranked: Run | RankingSample) -> list[str]:
    return [ranked.doc_ids[doc] for doc in ranked.docs]


def test_every_list_of_a_model_is_a_candidate_at_each_alpha() -> None:
    narrow, wide = model(8, "ab ab"), model(1, "ab cd")
    among = candidates([narrow, wide], [None, None])
    points = [measured(one, k=2, candidates=each) for one, each in zip((narrow, wide), among, strict=True)]
    # pool a, b, c, d: EE-D between 2²/4 = 1 and 2; ab twice has 2, four of 1/2 have 1
    np.testing.assert_allclose([one["EED"][0] for one in points], [1, 0])
    assert measured(narrow, k=2)["EED"][0] is None  # alone, a and b are all there is


def test_of_a_system_recorded_at_several_k_the_answers_at_this_k_count() -> None:
    data = Dataset(outputs=tuple(replace(BOT, system=f"k{k}", k=k) for k in (1, 2)))
    assert {k: [*points_of.recorded(data, k, "graded").matches] for k in (1, 2, 3)} == {1: [0], 2: [1], 3: [0, 1]}


def test_models_do_not_share_with_others() -> None:
    own, _ = candidates([model(8, "ab ab"), model(1, "ab cd", generator="bigger")], [None, None])
    assert items(own) == ["a", "b"]


def test_a_run_that_fed_all_is_the_pool_and_one_that_fed_some_joins_it() -> None:
    run = run_of({"q1": {DOCS[0]: 3, DOCS[1]: 2, DOCS[4]: 1}}, "bm25")
    members = [model(8, "ab ab"), model(1, "ab cd")]
    assert candidates(members, [run, run]) == [run, run]
    joined, _ = candidates(members, [run, None])
    assert {*items(joined)} == {"a", "b", "c", "d", DOCS[4]}


def test_effective_sources_by_hand() -> None:
    """q1 is given ab and cd, without a source in common: 2·1 − 2 = 0 of 4; it cites a, c: 2·½ − 1 = 0 of 1.

    q2 is given ab twice: 2·2 − 2 = 2 of 4; it cites a twice: 1 of 1.
    """
    outputs = recorded(
        {"q1": [("ab", "a", 1.0), ("cd", "c", 0.5)], "q2": [("ab", "a", 0.2), ("ab", "a", 0.4)]},
        generator="g",
        alpha=1.0,
    )
    (row,) = output_summaries(by_system(measured(outputs, k=2)), seed=0).to_dicts()
    assert (row["name"], row["lists"], row["n_queries"], row["n_outputs"]) == ("g", "α = 1", 2, 4)
    assert row["sources_given"] == pytest.approx(1 / ((0 + 1 / 2) / 2))
    assert row["sources_used"] == pytest.approx(1 / ((0 + 1) / 2))
    assert (row["share_change"], row["n_compared"]) == (pytest.approx(((0 - 0) + (1 - 0.5)) / 2), 2)
    assert row["EAR"] == pytest.approx(0.5)
    assert row["EU"] == pytest.approx((0.75 + 0.3) / 2)
    assert not row["single"]
    assert row["EER"] is None
    apart = recorded({"q": [(d, d, 0.0) for d in "abcdef"]}, generator="g", alpha=1.0)  # 6·6·(1/6)² − 1 = 0, rounded
    (row,) = output_summaries(by_system(measured(apart, k=2)), seed=0).to_dicts()
    assert (row["sources_given"], row["sources_used"]) == (None, None)


def test_sources_never_contradict_the_change_between_them() -> None:
    """q1 is given six sources alike and cites all; the others are given ab twice, and cite a alone.

    A query that cites nothing has no concentration of use, so what it was given counts in neither.
    """
    lists = {f"q{i}": [("ab", "a", 0.0), ("ab", "a", 0.0)] for i in range(5)}
    lists |= {"q5": [("abcdef", "abcdef", 0.0), ("fedcba", "abcdef", 0.0)], "q6": [("ab", "", 0.0), ("ab", "", 0.0)]}
    points = measured(recorded(lists, generator="g", alpha=1.0), k=6)
    (row,) = output_summaries(by_system(points), seed=0).to_dicts()
    assert row["share_change"] > 0
    assert row["sources_used"] < row["sources_given"]
    given = (5 * 1 / 2 + 1 / 6) / 6
    assert row["sources_given"] == pytest.approx(1 / given)
    assert 1 / row["sources_used"] - 1 / row["sources_given"] == pytest.approx(row["share_change"])
    shares = Scores(system="g", measure="share", query_ids=tuple(lists), values=points["y_share"].to_numpy())
    ((low, high),) = score_intervals([shares], seed=0)
    assert (row["sources_used_low"], row["sources_used_high"]) == (pytest.approx(1 / high), pytest.approx(1 / low))


def test_intervals_of_a_row_are_of_its_own_answers_and_the_seed_alone() -> None:
    outputs = [
        recorded(many(first, last), generator="g", alpha=alpha)
        for alpha, first, last in ((1.0, 30, 20), (2.0, 35, 5), (4.0, 12, 3))
    ]
    points = measured(*outputs, k=3)
    together = output_summaries(by_system(points), seed=0)
    assert together["lists"].to_list() == ["α = 1", "α = 2", "α = 4"]
    ends = ("EAR_low", "EAR_high", "share_change_low", "share_change_high")
    for place, one in enumerate(outputs):
        alone = output_summaries(by_system(measured(one, k=3)), seed=0)
        assert alone.select(ends).row(0) == together.select(ends).row(place)
        values = points.filter(pl.col("place") == place)["EAR"].to_numpy()
        ear = Scores(system="g", measure="EAR@3", query_ids=one.query_ids, values=values)
        assert score_intervals([ear], seed=0) == [together.select(ends[:2]).row(place)], "the interval of evaluate"
    assert output_summaries(by_system(points), seed=1).select(ends).row(0) != together.select(ends).row(0)


def many(first: int, last: int, *, n: int = 40) -> dict[str, list[Output]]:
    """n queries with a list of three; the first ``first`` cite a, the first ``last`` cite c."""
    return {f"q{i}": [("abc", ("a" if i < first else "") + ("c" if i < last else ""), 0.0)] for i in range(n)}


def decline(answers: Mapping[str, Sequence[Output]], k: int = 3) -> dict[str, Any]:
    (row,) = rank_declines({("g", "α = 1"): attribution(recorded(answers), k=k)}, seed=0).to_dicts()
    return row


def test_decline_is_the_ratio_of_the_first_to_the_last_rank() -> None:
    found = decline(many(32, 8))  # 0.8 and 0.2
    assert (found["name"], found["lists"], found["last_rank"], found["n_queries"]) == ("g", "α = 1", 3, 40)
    assert (found["first"], found["last"], found["p_holm"]) == pytest.approx((0.8, 0.2, found["p"]))
    assert found["ratio"] == pytest.approx(4)
    assert 1 < found["ratio_low"] < 4 < found["ratio_high"]


def test_declines_of_all_settings_are_one_family() -> None:
    """Of two settings Holm doubles the smaller p; one of five queries is in no family."""
    sets = {("g", "α = 1"): many(32, 8), ("g", "α = 2"): many(26, 14), ("g", "α = 4"): many(3, 0, n=5)}
    matches = {key: attribution(recorded(answers), k=3) for key, answers in sets.items()}
    first, second, few = rank_declines(matches, seed=0).to_dicts()
    assert first["p"] < second["p"]
    assert first["p_holm"] == pytest.approx(2 * first["p"])
    assert second["p_holm"] == pytest.approx(max(second["p"], 2 * first["p"]))
    assert few["p_holm"] is None


def test_no_decline_has_an_interval_around_1() -> None:
    found = decline(many(20, 19))
    assert found["ratio_low"] <= 1 <= found["ratio_high"]


def test_a_last_rank_that_is_never_cited_is_infinitely_rarer() -> None:
    assert decline(many(20, 0))["ratio"] == np.inf


def test_shares_agree_with_those_that_are_drawn() -> None:
    """Lists of unequal length: rank 3 is given in 3 of 4 answers, rank 4 in one, too rare."""
    answers = {"q1": [("abc", "ac", 0.0), ("abcd", "d", 0.0)], "q2": [("ab", "b", 0.0)], "q3": [("cba", "ca", 0.0)]}
    shares, found = cited_by_rank(attribution(recorded(answers), k=5)), decline(answers, k=4)
    np.testing.assert_allclose(shares, [2 / 4, 1 / 4, 2 / 3, 1, NAN])  # nobody was given a fifth
    assert (found["last_rank"], found["ratio"]) == (3, pytest.approx(shares[0] / shares[2]))


def test_a_list_of_one_has_no_decline() -> None:
    found = decline({"q1": [("a", "a", 0.0)]}, k=1)
    assert (found["last_rank"], found["ratio"], found["ratio_low"]) == (0, None, None)


def test_settings_side_by_side_are_over_the_queries_that_all_answer() -> None:
    """Under α = 2 five of 15 queries have no answer: those of α = 1 that cite all of a list count nowhere."""
    first = recorded({f"q{i}": [("ab", "ab" if i < 5 else "a", 0.0)] for i in range(15)}, generator="g", alpha=1.0)
    second = recorded({f"q{i}": [("ab", "a", 0.0)] for i in range(5, 15)}, generator="g", alpha=2.0)
    found = analyse(Dataset(name="two", outputs=(first, second)), AttributionSettings(k=2))
    rows = records(found.tables["consumption"])
    assert [(row["EAR"], row["n_queries"]) for row in rows] == [(0.5, 10), (0.5, 10)]
    assert "without queries that not all systems answer (5 queries of g)" in found.tables["consumption"].caption
    assert [str(note) for note in found.notes] == ["g: means leave out 5 queries that not all systems answer"]
    assert len(found.tables["consumption-points"].rows) == 25
    results = results_of(Dataset(name="two", outputs=(first, second)), AttributionSettings(k=2))
    assert results.declines["n_queries"].to_list() == [10, 10]


def test_the_table_counts_sources_as_the_sentence_above_it_does() -> None:
    """The plug-in share of few draws is too large: the sentence is about the unbiased one, and so is the table."""
    drawn = {f"q{i}": [("ab", "a", 0.0), ("bc", "b", 0.0), ("ca", "a", 0.0)] for i in range(12)}
    outputs = recorded(drawn, generator="g", alpha=1.0)
    for estimate in ("plugin", "unbiased"):
        points = measured(outputs, k=2, estimate=estimate)
        results = analysed(Recorded(points, {0: attribution(outputs, k=2)}, (), ()), None)
        (row,) = results.rows.to_dicts()
        said = f"{row['sources_given']:.0f} sources given, {row['sources_used']:.0f} used"
        assert results.finding.title == said
        panel = consumption_panel(results.points, AttributionSettings(axes="EED-EAED", scale="share"))
        assert (1 / panel["x"].mean(), 1 / panel["y"].mean()) == (  # type: ignore[operator]
            pytest.approx(row["sources_given"]),
            pytest.approx(row["sources_used"]),
        )
