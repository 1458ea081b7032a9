"""Sentences about groups, conditions and votes: every branch; corrected tests, and what could have been shown."""

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from fairviz.model import BoolArray, Dataset, VariantAnswers
from fairviz.stats.bootstrap import Interval
from fairviz.studies.demographic_qa.answers import CASES, Record, error_cases
from fairviz.studies.demographic_qa.columns import gaps_table
from fairviz.studies.demographic_qa.combinations import measured_rows, vote_gains
from fairviz.studies.demographic_qa.findings import (
    agreement_words,
    alone_words,
    cells_finding,
    change_finding,
    counts_words,
    detectable,
    doses_title,
    equal_opportunity_words,
    errors_title,
    from_neutral,
    gap_words,
    headline,
    levels_finding,
    next_step,
    panels_title,
    question_title,
    questions_needed,
    unread_of,
    verdict_words,
    vote_title,
    widest_ends,
    widest_first,
    would_show,
)
from fairviz.studies.demographic_qa.measures import Difference
from fairviz.studies.demographic_qa.names import people
from fairviz.studies.demographic_qa.rows import difference_cells
from fairviz.studies.demographic_qa.settings import VariantsSettings
from tests.studies.demographic_qa.answered_variants import (
    ALIKE,
    APART,
    Said,
    answering,
    answers,
    rows,
    strategy_rows,
    variant_answers,
    variant_rows,
)


def test_who_gets_fewer_right_answers() -> None:
    found = headline(variant_rows(answers(APART, ALIKE)), who="answers of m")
    assert found.title == (
        "Questions about black people get 83 points fewer right answers than the same questions about white people "
        "(54 to 100; 12 questions)"
    )
    assert found.sentence == (
        "12 questions, each asked about 4 groups; answers of m. About black people: 17\u202f% right answers, about "
        # 10 coins: 2 · Σ |2i − 10| C(10, i) / 2^10 / 12 = 0.205
        "white people: 100\u202f% (chance alone: 21 points). The interval is widened because the widest of 2 gaps was "
        "picked. Corrected for 2 tests."
    )
    one_lacks = headline(variant_rows(answers(APART[1:])), who="answers of m").sentence
    assert one_lacks.startswith("12 questions, each asked about up to 2 groups; answers of m.")
    assert next_step(variant_rows(answers(APART, ALIKE))).startswith(
        "Next: read the questions that are answered worse about black people"
    )


def test_the_widest_of_several_comes_first() -> None:
    """The group with the lowest rate has the smaller gap."""
    low = rows({"a": 11, "b": 0}, n=24)
    wide = rows({"x": 24, "y": 3}, n=24, attribute="sex")
    found = headline(variant_rows(answers(low, wide)), who="m")
    assert found.title.startswith(
        "Questions about “y” get 88 points fewer right answers than the same questions about “x”"
    )
    assert "Also significant: race (questions about “b” 46 points below those about “a”)." in found.sentence


def test_what_a_rate_counts_is_said() -> None:
    found = variant_rows(answers(APART))
    assert headline([row | {"unit": "ROUGE-L"} for row in found], who="m").title.startswith(
        "Questions about black people get answers with a mean ROUGE-L 83 points lower than the same questions about "
    )
    assert headline([row | {"unit": "answers with ROUGE-L ≥ 0.5"} for row in found], who="m").title.startswith(
        "Answers to questions about black people reach ROUGE-L ≥ 0.5 83 points less often than to the same questions "
    )


def test_the_neutral_question_is_remarked() -> None:
    apart = headline(variant_rows(answers(rows({"white": 2, "black": 4, "neutral": 12}))), who="m")
    assert apart.title == (
        "Mentioning any group lowers right answers by 67 to 83 points; no significant difference between groups "
        "(17 to 33\u202f% correct): 12 questions are too few, only a gap of 50 points or more would show"
    )
    assert "is 67 to 83 points higher than for each of the 2 groups (mean " in apart.sentence
    # where two groups differ, who gets fewer comes first
    both = headline(variant_rows(answers(rows({"a": 12, "b": 4, "neutral": 24}, n=24))), who="m")
    assert both.title.startswith("Questions about “b” get 33 points fewer right answers than ")
    assert "With nobody mentioned, the share of right answers is 50 to 83 points higher" in both.sentence


def test_nothing_told_too_few_and_nobody() -> None:
    alike = variant_rows(answers(ALIKE))
    assert headline(alike, who="m").title == (
        "No significant difference between groups (50 to 58\u202f% correct): "
        "12 questions are too few, only a gap of 50 points or more would show"
    )
    # 71 questions by the variance of these (below)
    assert next_step(alike) == (
        "Next: about 71 questions would be enough to detect a gap of 10 points (4 times out of 5)."
    )
    many = rows({"x": 100, "y": 100}, n=200)
    assert next_step(variant_rows(answers(many))) == (
        "These questions are enough to detect a gap of 10 points (4 times out of 5); a smaller one takes more."
    )
    few = variant_rows(answers(APART), min_size=20)
    assert headline(few, who="m").title == "Too few answers to compare groups"
    assert "2 groups below the minimum size; the smallest has 12." in headline(few, who="m").sentence
    assert next_step(few) == "Next: ask at least 10 questions about each of two groups."


def test_long_names_keep_both_ends() -> None:
    one, two = (f"people {'of a group ' * 8}{place}" for place in "12")
    title = headline(variant_rows(answers(rows({one: 12, two: 2}))), who="m").title
    assert title.startswith("Questions about “people of a group of a group of")
    assert "a group 2” get 83 points fewer" in title
    assert len(title) < 230


def test_above_a_fifth_unread_there_is_no_verdict() -> None:
    """Three of twelve answers about each group name no option; two of twelve are a sixth."""
    told = variant_rows(answers(APART))

    def unread(n: int):  # type: ignore[no-untyped-def]
        return [row | {"groups": [group | {"n_unparsed": n} for group in row["groups"]]} for row in told]

    assert unread_of(unread(3)) == (6, 24)
    assert headline(unread(3), who="m").title == "Too many answers are unread to compare groups"
    assert next_step(unread(3)) == "Next: find out why so many answers name no option, and ask again."
    assert "are empty" in next_step([row | {"unit": "ROUGE-L"} for row in unread(3)])
    (race,) = unread(3)
    assert verdict_words(race) == "no verdict: too many unread"
    assert gap_words(race).endswith("No verdict: too many answers are unread.")
    assert panels_title([race]).endswith("too many answers are unread to compare groups")
    assert headline(unread(2), who="m").title == headline(told, who="m").title


def test_titles_of_panels_name_attributes() -> None:
    assert panels_title(variant_rows(answers(APART, ALIKE))).endswith(
        "a significant gap by race, no significant gap by sex"
    )
    assert panels_title(variant_rows(answers(APART))).endswith("a significant gap by race")
    assert "no significant gap by sex" in panels_title(variant_rows(answers(ALIKE)))
    assert "too few answers" in panels_title(variant_rows(answers(APART), min_size=20))


def test_a_gap_has_one_interval_that_says_how_many_pairs_were_searched() -> None:
    """x, y, z: three pairs of one row; 10 of 12 questions are right only for x, se² = (10/12)(2/12)/11."""
    (row,) = variant_rows(answers(rows({"x": 12, "y": 6, "z": 2})))
    reach = 100 * stats.t.isf(0.05 / 2 / 3, 11) * math.sqrt(10 / 12 * 2 / 12 / 11)
    ends = (1000 / 12 - reach, min(100, 1000 / 12 + reach))
    found = headline([row], who="answers")
    assert f"({ends[0]:.0f} to {ends[1]:.0f}; 12 questions)" in found.title
    assert "The interval is widened because the widest of 3 gaps was picked." in found.sentence
    assert f"{ends[0]:.1f} to {ends[1]:.1f}, widened because the widest of 3 gaps was picked (" in gap_words(row)


def test_an_interval_of_a_significant_gap_that_holds_0_says_why() -> None:
    (row,) = variant_rows(answers(rows({"x": 12, "y": 6, "z": 2})))
    wide = row | {"gaps": [gap | {"se": 0.4} for gap in row["gaps"]]}
    found = headline([wide], who="answers")
    assert "100 as the widest of 3 gaps; 12 questions)" in found.title
    assert "The interval is widened because the widest of 3 gaps was picked, more than the test corrects." in (
        found.sentence
    )


def test_the_gap_in_a_line() -> None:
    (race,) = variant_rows(answers(APART))
    said = gap_words(race)
    assert said.startswith("Gap 83.3 points, ")
    assert "(chance alone: 21 points). " in said
    assert said.endswith("10 questions right only for white people, none for black people. Significant.")
    (sex,) = variant_rows(answers(ALIKE))
    assert gap_words(sex).endswith("1 question right only for men, none for women. Not significant.")
    (same,) = variant_rows(answers(rows({"white": 6, "black": 6})))
    assert gap_words(same) == "No gap. The same result on each of 12 questions."
    (three,) = variant_rows(answers(rows({"x": 12, "y": 6, "z": 2})))
    assert "between “x” and “z”" in gap_words(three)
    assert alone_words(race | {"unit": "ROUGE-L"}).startswith("10 questions better for white people")
    assert verdict_words(variant_rows(answers(APART), min_size=20)[0]) == "too few to say"


def test_cells_name_both_groups() -> None:
    cells = rows({"A+f": 12, "A+m": 2, "B+f": 12, "B+m": 11}, attribute="race+sex")
    row = next(r for r in variant_rows(answers(cells)) if r["attribute"] == "race+sex")
    found = cells_finding(row)
    assert found.title.startswith(
        "Questions about “A × m” get 83 points fewer right answers than the same questions about “A × f” ("
    )
    assert found.sentence.startswith("4 combinations of race × sex.")
    few = variant_rows(answers(cells), min_size=20)
    small = cells_finding(next(r for r in few if r["attribute"] == "race+sex"))
    assert small.title == "Race × sex: too few answers to compare cells"
    assert "4 cells with too few answers" in small.sentence


def test_counts_stand_beside_rates() -> None:
    some = variant_rows(answers(APART))
    assert counts_words(some) == "Answers: white 12, black 12"
    assert counts_words([]) == "No answers about groups"
    odd = rows({"white": 12, "black": 12})
    odd[-1]["prediction"] = "no idea"
    assert "black 12 (1 unreadable)" in counts_words(variant_rows(answers(odd)))
    # q0, q1 right for both; q2–q11 right for white alone
    assert agreement_words(some) == (
        "Race: same answer for all in 17\u202f%, all right in 17\u202f%, "
        "at least one right in 100\u202f% of 12 questions"
    )


def test_equal_opportunity_says_why_not() -> None:
    assert equal_opportunity_words(variant_rows(answers(APART))) == (
        "EO undefined: neither an “answerable” column nor the evidence says which questions can be answered; "
        "“More” has two definitions by the answers"
    )
    known = [row | {"answerable": row["qid"] != "q0"} for row in APART]
    assert equal_opportunity_words(variant_rows(answers(known))) == (
        "EO rests on 22 answers to answerable questions (marked answerable in the file)"
    )
    assert equal_opportunity_words([]) == ""


def case(attribute: str, value: str, *n: int) -> dict[str, object]:
    """Answers of each case, then those that are not known."""
    return {"attribute": attribute, "value": value, "n": sum(n[:4])} | dict(zip((*CASES, "n_unknown"), n, strict=True))


def test_errors_are_counted_by_evidence() -> None:
    cases = pl.DataFrame(
        [
            case("race", "a", 5, 2, 1, 2, 1),
            case("race", "b", 5, 1, 1, 3, 0),
            case("sex", "c", 0, 9, 0, 1, 0),
            case("", "neutral", 6, 1, 1, 2, 0),
        ]
    )
    # of race: wrong 2 + 2 + 1 + 3, with right evidence 2 + 1
    assert errors_title(cases) == "3 of 8 wrong answers (race) came with the right evidence, 5 without it"
    assert errors_title(pl.DataFrame([case("race", "a", 5, 0, 1, 0, 0)])).startswith("No answer")
    assert errors_title(pl.DataFrame([case("race", "a", 0, 0, 0, 0, 3)])) == ""


def test_without_evidence_retrieval_is_told_by_its_documents() -> None:
    some = [row | {"retrieved": ["a", "b" if row["value"] == "white" else "c"]} for row in APART]
    found = variant_rows(answers(some))
    assert doses_title(error_cases(answers(some)), found) == (
        "With a group in the question, 33 to 100\u202f% of the documents stay as with nobody mentioned"
    )


def test_questions_that_depend_on_an_attribute() -> None:
    assert question_title(205, 801, "race") == "205 of 801 questions are answered differently by race"
    assert question_title(0, 12, "race+sex").startswith("No answer depends on race × sex")


def test_groups_are_told_as_people() -> None:
    assert people("gender", "female") == "women"
    assert people("race+gender", "Asian+male") == "Asian men"
    assert people("race+income", "Asian+low_income") == "Asian people with a low income"
    assert people("race", "people of colour") == "people of colour"
    assert people("job", "doctor") == "“doctor”", "a noun: no “doctor people”"


def test_ends_are_tested_over_all_pairs() -> None:
    race, sex = widest_ends(variant_rows(answers(APART, ALIKE)))
    assert (race.best["value"], race.worst["value"]) == ("white", "black")
    assert race.row["dp_p_holm"] == pytest.approx(2 * 2 * 0.5**10)  # Holm over two pairs
    assert race.significant
    assert (sex.best["value"], sex.worst["value"], sex.significant) == ("male", "female", False)


def test_equal_groups_have_a_gap_of_zero() -> None:
    (row,) = variant_rows(answers(rows({"white": 6, "black": 6})))
    (found,) = widest_ends([row])
    assert (found.gap["gap"], found.gap["first"], found.gap["second"]) == (0.0, "white", "black")
    assert (found.best["value"], found.worst["value"]) == ("white", "black")


def test_the_widest_of_many_pairs_was_searched() -> None:
    """x, z: 10 to 0 questions. x is right in all and another in none of them by one of six ways in 3¹⁰."""
    (row,) = variant_rows(answers(rows({"x": 12, "y": 6, "z": 2})))
    (found,) = widest_ends([row])
    assert found.row["dp_p_holm"] == pytest.approx(6 / 3**10, abs=3e-4)
    assert found.significant


def test_fewer_than_ten_questions_are_too_few() -> None:
    (row,) = variant_rows(answers(rows({"x": 9, "y": 0}, n=9)))
    assert row["dp_p"] < 0.01
    assert math.isnan(row["dp_p_holm"])
    assert (row["dp_n_tests"], row["gaps"][0]["n_tests"]) == (0, 0)
    assert not any(found.significant for found in widest_ends([row]))


def test_a_pair_of_groups_asked_too_few_questions_is_in_no_family() -> None:
    """z was asked nine questions: one pair of three is tested, and McNemar's p of it stays what it is."""
    (row,) = variant_rows(answers(rows({"x": 12, "y": 2}), rows({"z": 5}, n=9)))
    (xy, *others) = row["gaps"]
    assert (xy["p_holm"], xy["n_tests"]) == (xy["p"], 1)
    assert all(math.isnan(gap["p_holm"]) and gap["p"] <= 1 for gap in others)
    assert "Holm over 1 pair" in gaps_table([row]).caption


def test_what_can_be_told_apart_comes_before_what_is_wide() -> None:
    """Ten of twelve questions go one way; of sex five go one way and four the other; of age eight, two the other."""
    wide = rows({"young": 8, "old": 2}, attribute="age")
    for place, row in enumerate(wide[12:]):
        row["prediction"] = "A" if place > 9 else "B"
    found = widest_first(variant_rows(answers(ALIKE, wide, APART)))
    assert [row["attribute"] for row in found] == ["race", "age", "sex"]


def test_questions_that_would_show_a_gap() -> None:
    """One of 12 questions differs: variance (1/12)(11/12) · 12/11 = 1/12, less than 0.1 − 0.1²; one test, one pair.

    (1.960 + 0.842)² · 0.09 / 0.1² = 70.6; where ten differ: (1.960 + 0.842)² · (10/12)(2/12)(12/11) / 0.1² = 118.9.
    """
    assert questions_needed(variant_rows(answers(ALIKE)), 0.1) == 71
    assert questions_needed(variant_rows(answers(APART)), 0.1) == 119
    assert questions_needed(variant_rows(answers(APART), min_size=20), 0.1) == 0


def test_the_smallest_gap_that_could_have_been_significant() -> None:
    # two groups, 12 questions, one test: right only for male 1, for female 0. Six in one direction: 2 · 0.5^6 = 0.031
    (sex,) = variant_rows(answers(ALIKE))
    assert detectable([sex]) == 6 / 12
    # three pairs: 0.05 / 3 takes seven, 2 · 0.5^7 = 0.016
    three = variant_rows(answers(rows({"x": 6, "y": 6, "z": 7})))
    assert detectable(three) == 7 / 12
    (few,) = variant_rows(answers(rows({"x": 9, "y": 0}, n=9)), min_size=2)
    assert detectable([few]) != detectable([few])  # nothing: too few questions
    assert would_show([few]) == "9 questions are too few, between some groups no gap would show"
    assert would_show([few, sex]) == "12 questions are too few, between some groups no gap would show"


def test_the_neutral_question_stands_apart_where_every_group_does() -> None:
    below = variant_rows(answers(rows({"white": 2, "black": 4, "neutral": 12})))
    found = from_neutral(below)
    # 10 and 8 questions right only for neutral: 2 · 0.5^8, the larger p; Holm's first step is for the smaller
    assert found.title == "Mentioning any group lowers right answers by 67 to 83 points"
    # mean 9 / 12; se of black's gap, the widest: sqrt(4 / 12 · 8 / 12 / 11) = 0.142; t of 11 at 0.975 is 2.2
    assert found.sentence == (
        "With nobody mentioned, the share of right answers is 67 to 83 points higher than for each of the 2 groups "
        "(mean 44 to 100)."
    )
    assert {gap["n_tests"] for gap in below[0]["to_reference"]} == {2}
    assert from_neutral(variant_rows(answers(rows({"white": 2, "black": 10, "neutral": 12})))) is None
    assert from_neutral(variant_rows(answers(APART))) is None
    assert from_neutral(variant_rows(answers(ALIKE))) is None


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


N_QUESTIONS = 40
GROUPS = (("race", "a"), ("race", "b"), ("sex", "f"), ("sex", "m"))
STRATEGIES = ("plain", "COT")


def blank() -> VariantAnswers:
    """Every strategy's answers to every question about every group and about nobody, to be replaced."""
    return variant_answers(
        [
            Said(f"q{q}", dict([group] if group else []), "A", "B" if q else "A", by={"strategy": strategy})
            for strategy in STRATEGIES
            for group in (*GROUPS, None)
            for q in range(N_QUESTIONS)
        ]
    )


def claims(sheet: VariantAnswers, right: BoolArray) -> dict[str, bool]:
    """Which sentences claim something, of (strategy, group, question) right answers."""
    answers = answering(sheet, np.where(right.reshape(-1), "A", "B").tolist())
    rows = variant_rows(answers, by=("strategy",), n_resamples=2, n_permutations=999)
    plain = [row for row in rows if dict(row["by"])["strategy"] == "plain"]
    prompts = change_finding(rows, without="with the plain prompt")
    return {
        "headline": not headline(plain, who="m").title.startswith("No significant"),
        "panels": "a significant gap" in panels_title(plain),
        "lines": any(gap_words(row).endswith(" Significant.") for row in plain),
        "table": any(verdict_words(row) == "significant" for row in rows),
        "levels": "significant gap in 1" in levels_finding(rows, what="prompt").replace("no significant", ""),
        "change": "narrows" in prompts or "widens" in prompts,
    }


def test_sentences_claim_what_there_is() -> None:
    rng, sheet = np.random.default_rng(3), blank()
    worlds = {"levels": 15, "gap": 5, "neutral": 5}
    shares: dict[str, dict[str, float]] = {}
    for world, times in worlds.items():
        found: list[dict[str, bool]] = []
        for _ in range(times):
            chance = np.tile(rng.beta(2, 2, size=N_QUESTIONS), (len(STRATEGIES), len(GROUPS) + 1, 1))
            if world == "levels":  # one strategy is better, for every group
                chance[1] = np.minimum(chance[1] + 0.4, 1)
            if world == "gap":  # the first group is served badly, unless a strategy mends it
                chance[:, 1:], chance[0, 0], chance[1, 0] = 0.9, 0.2, 0.9
            if world == "neutral":
                chance[:, :-1], chance[:, -1] = 0.3, 0.95
            found.append(claims(sheet, rng.random(chance.shape) < chance))
        shares[world] = {name: float(np.mean([each[name] for each in found])) for name in found[0]}
    # 0.05 and about two standard errors of 15 worlds
    assert max(shares["levels"].values()) <= 0.15
    assert all(shares["gap"][name] == 1 for name in ("headline", "panels", "lines", "table", "levels", "change"))
    assert shares["neutral"]["headline"] == 1
    assert shares["neutral"]["panels"] <= 0.25
