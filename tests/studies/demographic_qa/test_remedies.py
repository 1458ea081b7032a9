"""Sentences about remedies: gaps narrower and wider, disparities, votes, scores."""

import math

import numpy as np
import pytest

from fairviz.stats.bootstrap import UNDEFINED
from fairviz.studies.demographic_qa.chance import Difference
from fairviz.studies.demographic_qa.conditions import Condition, ConditionGap, condition_gaps
from fairviz.studies.demographic_qa.remedies import (
    Disparity,
    disparities_title,
    disparity_notes,
    gaps_title,
    panel_title,
    score_range,
    scores_title,
    vote_counts,
    vote_title,
    vote_within_words,
)
from fairviz.studies.demographic_qa.rows import variant_rows
from fairviz.studies.demographic_qa.strategies import strategy_rows, with_votes
from fairviz.studies.demographic_qa.votes import VoteRule
from tests.studies.demographic_qa.variants_by_hand import ALIKE, APART, Rows, answers, rows

NAN = math.nan


def gaps(*conditions: tuple[str, str, Rows]) -> list[ConditionGap]:
    some = [
        Condition(name=name, strategy=strategy, rows=variant_rows(answers(each))) for name, strategy, each in conditions
    ]
    return [gap for each in condition_gaps(some).values() for gap in each]


def test_gaps_with_a_remedy_are_counted_in_pairs() -> None:
    narrow = rows({"white": 12, "black": 11})
    found = gaps(("m", "Plain", APART), ("m", "COT", narrow), ("n", "COT", APART))
    assert gaps_title(found) == "With Chain-of-Thought, 0 of 1 gap is significant; without, 1"
    left = gaps(("m", "Plain", APART), ("m", "COT", APART))
    assert gaps_title(left) == "With Chain-of-Thought, 1 of 1 gap is significant; without, 1"
    never = gaps(("m", "Plain", ALIKE), ("m", "x", ALIKE))
    assert gaps_title(never) == "With x, as without: none of 1 gap is significant"


def test_gaps_without_remedies_are_counted() -> None:
    found = gaps(("m", "", APART), ("n", "", rows({"white": 7, "black": 6})))
    assert gaps_title(found) == "1 of 2 gaps is significant; the widest is 83 points (m, race)"
    assert gaps_title(gaps(("m", "", ALIKE))) == "None of 1 gap is significant"
    assert gaps_title(gaps(("m", "", APART))).startswith("The gap is significant")
    assert gaps_title([]) == "No gap to show"
    assert panel_title(found) == "white minus black"
    three = gaps(("a", "", rows({"x": 12, "y": 6, "z": 2})), ("b", "", rows({"x": 2, "y": 12})))
    assert panel_title(three) == "Race: widest gap"


PLAIN = Disparity("Plain", True, 0.13, 0.11, 0.187)
COT = Disparity("COT", False, 0.10, 0.09, 0.205)
VOTE = Disparity("Vote", False, 0.07, 0.06, 0.229)


def test_published_disparities_are_counted_against_plain() -> None:
    def printed(*some: Disparity) -> str:
        return disparities_title(some, published=True).removeprefix("Published: ")

    assert printed(PLAIN, COT, VOTE) == (
        "every strategy narrows both disparities and none scores below Plain; Vote does most"
    )
    worse = COT._replace(dp=0.2, score=0.1)
    assert printed(PLAIN, worse, VOTE) == (
        "1 of 2 narrows both disparities and 1 of 2 scores below Plain; Vote does most"
    )
    assert printed(PLAIN, worse, worse._replace(name="x")) == (
        "none narrows both disparities and every strategy scores below Plain"
    )
    assert printed(*(row._replace(eo=NAN) for row in (PLAIN, COT))).startswith("every strategy narrows DP and none")
    assert printed(COT, VOTE) == "DP from 7 points (Vote) to 10 points (COT)"


YES = Difference(0.02, UNDEFINED, 0.001, 40, 0.01, 4)
NO = YES._replace(p_holm=0.4)


def test_own_disparities_are_counted_as_far_as_tests_allow() -> None:
    plain, cot = PLAIN._replace(dp_level=YES, n=80), COT._replace(dp_level=NO, natural=True, n=80)
    less, more = Difference(-0.03, UNDEFINED, 0.001, 40, 0.01, 4), Difference(0.03, UNDEFINED, 0.001, 40, 0.01, 4)
    narrows, widens = cot._replace(dp_change=less), cot._replace(dp_change=more, dp_level=YES)
    nothing = cot._replace(dp_change=less._replace(p_holm=0.4))
    assert disparities_title([plain, narrows, nothing]) == "1 of 2 narrows DP significantly"
    assert disparities_title([plain, narrows, widens]) == (
        "1 of 2 narrows DP significantly; 1 of 2 widens DP significantly"
    )
    assert disparities_title([plain, nothing]) == "no significant change of the baseline gap (13 points) by 1 strategy"
    # what the groups of one's own cannot be told apart in is not widened
    assert "widens" not in disparities_title([plain, widens._replace(dp_level=NO)])
    assert disparities_title([plain._replace(dp_level=NO), narrows]) == (
        "the baseline gap (13 points) is not significant, so no reduction can be shown"
    )
    constructed = narrows._replace(by_construction=True)
    assert disparities_title([plain, narrows, constructed]) == "every strategy narrows DP significantly"
    assert disparities_title([plain, constructed]) == "DP is significant (13.0 points)"
    assert disparity_notes([plain, constructed]) == (
        "p: permutation within questions, changes by swapping whole questions; Holm over 4 tests. "
        "COT: 0 by construction, as nobody is mentioned any more; not counted."
    )
    # a file's first strategy is no natural baseline
    assert disparities_title([plain, narrows._replace(natural=False)]) == (
        "DP is significant in 1 of 2 conditions (10.0–13.0 points)"
    )


def test_own_disparities_without_a_plain_condition() -> None:
    assert disparities_title([COT._replace(dp_level=NO, n=80)]) == "DP is not significant (10.0 points)"
    assert disparities_title([COT._replace(dp_level=NO, n=80), VOTE._replace(dp_level=NO, n=80)]) == (
        "no significant DP in any of 2 conditions (7.0–10.0 points)"
    )
    assert "no largest difference" in disparities_title([COT._replace(dp=NAN)])


def test_votes_are_named_by_their_interval() -> None:
    more = rows({"white": 12, "black": 2}) + rows({"male": 12, "female": 12}, attribute="sex")
    every = variant_rows(answers(more), pooled=True)
    pooled = [row for row in every if row.attribute == "all"]
    (gain,) = with_votes(answers(more), pooled, rule=VoteRule(voters="all"))
    # question 2–11: three of four right, vote right: + 0.25 each; 0, 1: all right
    assert gain.change == pytest.approx(10 * 0.25 / 12)
    assert vote_title([gain]) == "A majority vote over the variants adds 20.8 points"
    (same,) = strategy_rows(answers(rows({"white": 6, "black": 6})), "race")
    assert vote_title([same]) == "No significant change in score by a majority vote"
    assert vote_title([gain, same]) == (
        "Majority voting helps 1 of 2 conditions; the other 1 shows no significant change"
    )
    assert vote_title([]) == "No vote to take"
    assert vote_counts([gain]).startswith("12 votes of 4 answers on average")
    assert "0 ties, decided by: the neutral variant's answer" in vote_counts([gain])
    assert "nothing to vote over" in vote_within_words([same])


def test_votes_within_groups_are_said_where_they_can_do_anything() -> None:
    cells = rows({"A+f": 12, "A+m": 2, "B+f": 12, "B+m": 12}, attribute="race+sex")
    cells += rows({"A": 12, "B": 12}, attribute="race")
    (race,) = strategy_rows(answers(cells), "race")
    # A: votes of A, A × f, A × m: 2 of 3 right wherever A × m is wrong; so all right, as for B
    assert vote_within_words([race]) == ("DP without and with a vote within each group: race 0.0 points → 0.0 points.")


def test_scores_name_the_highest_and_its_ties() -> None:
    values = np.array([[1.0, 2.0], [1.0, 3.0]])
    assert scores_title(("a", "b"), values) == "b scores highest in all of 2 rows"
    assert scores_title(("a", "b"), np.array([[1.0, 2.0], [3.0, 3.0]])) == (
        "b scores highest in all of 2 rows (alone or with others)"
    )
    assert scores_title(("a", "b"), np.array([[1.0, 2.0], [4.0, 3.0]])) == ("a scores highest in 1 of 2 rows")
    assert "no row has two" in scores_title(("a", "b"), np.array([[1.0, NAN]]))
    assert score_range([0.5, 0.75, NAN]) == "Scores of 2 conditions: 50.0\u202f% to 75.0\u202f%"
    assert score_range([]) == "No condition has a score"
