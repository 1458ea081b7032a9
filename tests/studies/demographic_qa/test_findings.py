"""Sentences about groups: the widest gap, the neutral question, gaps, cells, counts, errors; every branch."""

import math

import polars as pl
from scipy import stats

from fairviz.studies.demographic_qa.answers import CASES, error_cases
from fairviz.studies.demographic_qa.findings import (
    agreement_words,
    alone_words,
    cells_finding,
    counts_words,
    doses_title,
    equal_opportunity_words,
    errors_title,
    gap_words,
    headline,
    next_step,
    panels_title,
    question_title,
    unread_of,
    verdict_words,
)
from fairviz.studies.demographic_qa.names import people
from tests.studies.demographic_qa.measured import variant_rows
from tests.studies.demographic_qa.variants_by_hand import ALIKE, APART, answers, rows


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
    # 71 questions by the variance of these (test_conditions)
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


def test_the_gap_in_words_of_a_table() -> None:
    race, sex = variant_rows(answers(APART, ALIKE))
    assert alone_words(race) == "10 questions right only for white people, none for black people."
    assert alone_words(race | {"unit": "ROUGE-L"}).startswith("10 questions better for white people")
    assert [verdict_words(row) for row in (race, sex)] == ["significant", "not significant"]
    assert verdict_words(variant_rows(answers(APART), min_size=20)[0]) == "too few to say"
    (same,) = variant_rows(answers(rows({"white": 6, "black": 6})))
    assert alone_words(same) == "The same result on each of 12 questions."


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
    assert people("race", "Black") == "Black people"
    assert people("gender", "female") == "women"
    assert people("race+gender", "Asian+male") == "Asian men"
    assert people("race+income", "Asian+low_income") == "Asian people with a low income"
    assert people("race", "people of colour") == "people of colour"
    assert people("job", "doctor") == "“doctor”", "a noun: no “doctor people”"
    assert people("race", "A") == "“A”", "a code is quoted"
