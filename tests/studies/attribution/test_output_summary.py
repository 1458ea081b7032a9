"""Consumption in a few numbers: effective sources, and how citations fall with rank."""

import numpy as np
import pytest

from fairviz.evaluation.evaluate import score_intervals
from fairviz.kernels.attribution import attribution
from fairviz.model import Scores
from fairviz.points.generations import by_generator, consumption_panel, output_summaries, rank_decline
from fairviz.points.outputs import Recorded, cited_by_rank, output_points
from fairviz.studies.attribution.analysis import analysed
from tests.studies.attribution.recorded import Output, recorded
from tests.studies.tradeoff.curves import seed


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
