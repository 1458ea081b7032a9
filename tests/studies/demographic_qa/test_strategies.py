"""Strategies with and without the vote, retriever × k: by hand."""

import numpy as np
import pytest

from fairviz.stats.bootstrap import Resampling
from tests.studies.demographic_qa.answered_variants import Said, answering, variant_answers
from tests.studies.demographic_qa.variants_by_hand import strategy_rows

PLAIN = {"q1": "ABA", "q2": "BAB", "q3": "BBA", "q4": "AAA"}
FILTERED = {"q1": "AAA", "q2": "AAB", "q3": "BBA", "q4": "AAA"}
"""Answers to neutral, a, b; A is right.

Plain: a 2/4 (q2, q4), b 3/4: score 5/8, DP 1/4. The vote: q1 A, q2 B, q3 B, q4 A: 2/4.
By question: vote 1 0 0 1 against means 1/2 1/2 1/2 1: change (1/2 − 1/2 − 1/2 + 0)/4 = −1/8.
Filtered: a 3/4, b 3/4: 6/8; the vote: A A B A: 3/4; change (0 + 1/2 − 1/2 + 0)/4 = 0.
"""


def answers_by(strategies: dict[str, dict[str, str]]) -> list[Said]:
    return [
        Said(question, {"race": value} if value else {}, "A", word, by={"strategy": name})
        for name, questions in strategies.items()
        for question, words in questions.items()
        for value, word in zip(("", "a", "b"), words, strict=True)
    ]


def test_the_ablation_by_hand() -> None:
    answers = variant_answers(answers_by({"Plain": PLAIN, "Filtered": FILTERED}))
    plain, filtered = strategy_rows(answers, "race", by=("strategy",), min_size=1)
    assert (dict(plain["by"])["strategy"], dict(filtered["by"])["strategy"]) == ("Plain", "Filtered")
    assert (plain["score"], plain["vote_score"], plain["change"], plain["n"]) == (5 / 8, 0.5, -1 / 8, 4)
    assert plain["low"] <= plain["change"] <= plain["high"]
    assert (plain["dp"], plain["vote_within_dp"]) == (0.25, 0.25)
    assert (filtered["score"], filtered["vote_score"], filtered["change"]) == (0.75, 0.75, 0)
    assert filtered["dp"] == 0
    assert plain["by"] == (("strategy", "Plain"),)


def test_a_change_by_the_vote_is_tested_by_coins() -> None:
    """Neutral, a and b are A on 8 questions; on 4 b alone is B: the vote adds 1/2 there, and 2 of 2^4 coins agree."""
    words = {f"q{q}": "AAB" if q < 4 else "AAA" for q in range(12)}
    (row,) = strategy_rows(variant_answers(answers_by({"Plain": words})), "race", by=(), min_size=1)
    assert (row["change"], row["p"]) == (pytest.approx(4 * 0.5 / 12), 2 / 2**4)


def asked_thrice(wrong: int) -> list[Said]:
    """Twelve questions about a and b at three ages; answers about b are right, of those about a ``wrong`` are not."""
    return [
        Said(f"q{q}", {"race": race, "age": age}, "A", "B" if race == "a" and place < wrong else "A")
        for race in "ab"
        for place, age in enumerate(("young", "middle-aged", "old"))
        for q in range(12)
    ]


def test_what_a_vote_within_groups_changes_is_tested_in_the_table_of_votes() -> None:
    """One of three answers about a is wrong, every time: DP 1/3, and 0 with the vote; coins say so in 2 of 2^12.

    Where two are wrong the vote makes DP larger. EO is undefined: the tests are of score, DP and change of DP.
    """
    for wrong, value in ((1, -1 / 3), (2, 1 / 3)):
        (row,) = strategy_rows(variant_answers(asked_thrice(wrong)), "race", by=(), min_size=1)
        assert row["vote_within_ddp"] == pytest.approx(value)
        assert row["vote_within_ddp_p"] < 0.002
        assert (row["vote_within_ddp_n"], row["vote_within_ddp_n_tests"], row["vote_within_dp_n_tests"]) == (12, 3, 3)
        assert row["vote_within_ddp_p"] <= row["vote_within_ddp_p_holm"] < 0.05
    (alike,) = strategy_rows(variant_answers(asked_thrice(0)), "race", by=(), min_size=1)
    assert alike["vote_within_ddp_p"] == 1


def test_a_change_by_a_vote_is_none_where_neither_difference_is_more_than_chance() -> None:
    """Answers at random, of which votes differ more: by swaps alone 12 % of 150 such worlds had a change."""
    sheet, rng = variant_answers(asked_thrice(0)), np.random.default_rng(0)
    n_changed = 0
    for _ in range(20):
        choices = rng.choice(["A", "B"], size=len(sheet)).tolist()
        (row,) = strategy_rows(answering(sheet, choices), "race", by=(), min_size=1, resampling=Resampling(0, 2))
        larger = "vote_within_dp_p" if row["vote_within_ddp"] > 0 else "dp_p"
        assert row["vote_within_ddp_p"] >= row[larger]
        n_changed += row["vote_within_ddp_p"] < 0.05
    assert n_changed <= 3
