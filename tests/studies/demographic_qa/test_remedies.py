"""Sentences about models, prompts, retrieval and votes: what tests tell, and nothing else."""

import pytest

from fairviz.model import Dataset, VariantAnswers
from fairviz.stats.bootstrap import Interval
from fairviz.studies.demographic_qa.answers import Record
from fairviz.studies.demographic_qa.combinations import measured_rows, vote_gains
from fairviz.studies.demographic_qa.findings import change_finding, levels_finding, vote_title
from fairviz.studies.demographic_qa.measures import Difference
from fairviz.studies.demographic_qa.rows import difference_cells
from fairviz.studies.demographic_qa.settings import VariantsSettings
from tests.studies.demographic_qa.measured import variant_rows
from tests.studies.demographic_qa.variants_by_hand import ALIKE, APART, answers, rows, strategy_rows

(BLANK,) = variant_rows(answers(APART), n_resamples=2, n_permutations=1)
YES = Difference(0.13, Interval(0.1, 0.2), 0.01, 40)
NO = YES._replace(p=0.4)


def with_p(name: str, difference: Difference) -> Record:
    """What stands in a row beside a difference, with p corrected."""
    return difference_cells(name, difference) | {f"{name}_p_holm": difference.p, f"{name}_n_tests": 4}


PLAIN = BLANK | {"by": (("strategy", "plain"),), **with_p("dp", YES)}


def prompt(name: str, change: Difference, level: Difference = NO, **more: object) -> Record:
    """A row by another prompt, compared with the plain one."""
    row = PLAIN | {"by": (("strategy", name),), **with_p("dp", level._replace(value=0.13 + change.value))}
    return row | {"base": PLAIN["by"], "natural": True, **with_p("ddp", change), **more}


LESS = Difference(-0.03, Interval(-0.05, -0.01), 0.01, 40)
MORE = LESS._replace(value=0.03, interval=Interval(0.01, 0.05))
SAME = LESS._replace(p=0.4)


def said(*some: Record) -> str:
    return change_finding(some, without="with the plain prompt")


def test_prompts_are_told_as_far_as_tests_allow() -> None:
    cot, x = prompt("COT", LESS), prompt("x", SAME)
    assert said(PLAIN, cot) == "Chain-of-Thought narrows the race gap by 3 points (1 to 5), to 10"
    assert said(PLAIN, cot, x).endswith("; no significant change in the other")
    widens = prompt("x", MORE, YES)
    assert said(PLAIN, cot, widens).endswith("; x widens the race gap by 3 points (1 to 5), to 16")
    assert said(PLAIN, x) == "no significant change of the gap with the plain prompt (race 13 points)"
    # what the groups of one's own cannot be told apart in is not widened, nor narrowed
    assert "widens" not in said(PLAIN, prompt("x", MORE))
    alike = PLAIN | with_p("dp", NO)
    assert said(alike, cot) == ("no significant change of the gap with the plain prompt (race 13 points)")
    several = [row | {"attribute": "sex"} for row in (alike, cot)]
    assert said(alike, cot, *several).startswith(
        "no significant change of the gaps with the plain prompt (race 13 points, sex 13 points)"
    )


def test_what_is_no_claim_is_not_counted() -> None:
    cot, removed = prompt("COT", LESS), prompt("no-mention", LESS, by_construction=True)
    assert said(PLAIN, cot, removed).endswith("; No mention: 0 by construction, as nobody is mentioned")
    assert said(PLAIN, removed).startswith("no significant change")
    assert said(PLAIN, cot | {"natural": False}) == ""  # a file's first strategy is no natural baseline
    assert said(PLAIN) == ""
    assert said(PLAIN, *(prompt(name, LESS) for name in "abcd")).count("narrows") == 3


def test_nothing_is_said_of_what_was_not_read() -> None:
    """Three of twelve answers about each group name no option: above a fifth."""
    unread = PLAIN | {"groups": [group | {"n_unparsed": 3} for group in PLAIN["groups"]]}
    cot = prompt("COT", LESS)
    assert said(unread, cot) == "no verdict: too many answers are unread in 1 of 2 conditions"
    assert levels_finding([unread], what="model") == "no verdict: too many answers are unread"
    assert vote_title([{"change": 0.2, "n": 40, "p": 0.001}], [unread]).startswith("no verdict")


def test_conditions_are_counted_by_attribute() -> None:
    low = PLAIN | with_p("dp", NO._replace(value=0.02))
    assert levels_finding([PLAIN, low], what="model") == "race: significant gap in 1 of 2 models (2 to 13 points)"
    assert levels_finding([low, low], what="model") == "race: no significant gap in any of 2 models (2 points)"
    sex = low | {"attribute": "sex"}
    assert levels_finding([PLAIN, sex], what="setting") == (
        "race: significant gap in 1 of 1 setting (13 points); sex: no significant gap in any (2 points)"
    )
    assert levels_finding([PLAIN | {"by_construction": True}], what="model") == "no two groups to compare"


def gains(of_file: VariantAnswers) -> list[Record]:
    """What a vote changes in every combination of a file."""
    data, usual = Dataset(variants=(of_file,)), VariantsSettings()
    return vote_gains(data, usual, [*measured_rows(data, usual, cells=False)])


def test_votes_are_said_by_their_test() -> None:
    more = rows({"white": 12, "black": 2}) + rows({"male": 12, "female": 12}, attribute="sex")
    (gain,) = gains(answers(more))
    # question 2–11: three of four right, vote right: + 0.25 each; 0, 1: all right; 2 of 2^10 coins agree
    assert gain["change"] == pytest.approx(10 * 0.25 / 12)
    assert (gain["n"], gain["p"]) == (12, 2 / 2**10)
    assert vote_title([gain]) == "a vote over all variants adds right answers in 1 of 1 condition (+20.8 points)"
    (same,) = strategy_rows(answers(rows({"white": 6, "black": 6})), "race")
    assert vote_title([same]) == "no significant change in right answers by a vote over all variants (±0.0 points)"
    assert vote_title([gain, same]) == (
        "a vote over all variants adds right answers in 1 of 2 conditions (±0.0 to +20.8 points)"
    )
    less = gain | {"change": -0.2}
    assert vote_title([gain, less]) == (
        "a vote over all variants adds right answers in 1 and costs some in 1 of 2 conditions (−20.0 to +20.8 points)"
    )
    assert "adds right answers in 1 of 2 " in vote_title([gain | {"p": 0.03}, same | {"n": 9, "p": 0.2}])
    assert vote_title([]) == "no vote to take"
    (one,) = gains(answers(ALIKE))
    assert one["n"] == 12  # one attribute: its own groups vote
