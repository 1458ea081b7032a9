import itertools

import pytest

from fairviz.metrics.spec import parse_measures
from fairviz.studies.groups.measures import CAVEATS, QUESTIONS, RECOMMENDATIONS, Choice, choose

OURS = "ours, from the formula"
ANSWERS = {question["name"]: list(question["answers"]) for question in QUESTIONS}


def every_choice() -> list[tuple[dict[str, str], Choice]]:
    result = []
    for values in itertools.product(*ANSWERS.values()):
        asked = dict(zip(ANSWERS, values, strict=True))
        kinds = {**asked, "missing": asked["missing"] == "yes"}
        result.append((asked, choose(**kinds)))  # pyright: ignore[reportArgumentType]
    return result


def names(choice: Choice) -> set[str]:
    return {
        measure.split("(")[0].split("@")[0]
        for one in (*choice.recommended, *choice.also)
        for measure in one["measures"]
    }


def test_every_answer_leads_somewhere_and_gives_its_source() -> None:
    for asked, choice in every_choice():
        assert choice.recommended, asked
        for one in (*choice.recommended, *choice.also):
            assert one["reason"]
            assert one["source"] == OURS or "et al." in one["source"]
        assert choice.caveats, asked


def test_every_measure_can_be_typed() -> None:
    for _, choice in every_choice():
        for one in (*choice.recommended, *choice.also):
            assert len(parse_measures(one["measures"])) == len(one["measures"])


def test_section_4_word_for_word() -> None:
    single = choose(lists="single", goal="parity")
    assert single.recommended[0]["measures"] == ["AWRF"]
    parity = choose(lists="sequence", goal="parity", aim="equal")
    assert parity.recommended[0]["measures"] == ["EED(by='group', norm='none', browsing='rbp')"]
    merit = choose(lists="sequence", goal="opportunity")
    assert [text.split("(")[0] for text in merit.recommended[0]["measures"]] == ["EEL", "EER"]
    sparse = choose(lists="sequence", goal="opportunity", judged="sparse")
    assert sparse.recommended[0]["measures"] == ["IAA(utility='score')"]
    for choice in (single, parity, merit, sparse):
        assert choice.recommended[0]["source"] == "Raj et al. 2020, Section 4"


@pytest.mark.parametrize("binomial", ["logDP", "logEUR", "logRUR", "FAIRBinomial", "PAIR"])
def test_binomial_measures_are_not_offered_for_more_groups(binomial: str) -> None:
    offered = [asked for asked, choice in every_choice() if binomial in names(choice)]
    assert offered
    assert all(asked["groups"] == "two" for asked in offered)


def test_without_judgements_nothing_needs_them() -> None:
    for asked, choice in every_choice():
        if asked["judged"] == "none" and asked["goal"] != "parity":
            assert names(choice) <= {"IAA", "AWRF", "nDKL", "FAIRBinomial"}, asked


def test_missing_labels_and_sparse_judgements_are_told() -> None:
    told = choose(missing=True).caveats
    assert any("PreF is no choice" in text for text in told)
    assert not any("PreF" in text for text in choose().caveats)
    sparse = choose(lists="sequence", goal="opportunity", judged="sparse").caveats
    assert any("not useful" in text for text in sparse)


def test_a_target_of_ones_own_is_no_question_for_eed() -> None:
    assert choose(lists="sequence", aim="set").recommended[0]["source"] == OURS
    assert "AWRF" in names(choose(lists="sequence", aim="set"))


def test_every_text_of_the_file_is_reached() -> None:
    choices = [choice for _, choice in every_choice()]
    reached = [one for choice in choices for one in (*choice.recommended, *choice.also)]
    assert all(one in reached for one in RECOMMENDATIONS.values())
    assert {text for choice in choices for text in choice.caveats} == set(CAVEATS.values())
