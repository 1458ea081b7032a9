"""Strategies with and without the vote, retriever × k: by hand."""

from fairviz.studies.demographic_qa.strategies import strategy_rows
from tests.studies.demographic_qa.answered_variants import Said, variant_answers

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
    assert (plain.get("strategy"), filtered.get("strategy")) == ("Plain", "Filtered")
    assert (plain.row.score, plain.all.accuracy, plain.change, plain.n) == (5 / 8, 0.5, -1 / 8, 4)
    assert plain.change in plain.interval
    assert (plain.row.dp, plain.within.dp, plain.all.dp) == (0.25, 0.25, 0)
    assert (filtered.row.score, filtered.all.accuracy, filtered.change) == (0.75, 0.75, 0)
    assert filtered.row.dp == 0
    assert plain.by == (("strategy", "Plain"),)


def test_an_attribute_that_is_absent_has_no_rows() -> None:
    assert strategy_rows(variant_answers(answers_by({"Plain": PLAIN})), "sex") == ()
