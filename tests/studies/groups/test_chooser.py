import itertools
from typing import Any

import pytest

from fairviz.metrics.catalogue import parse_measures
from fairviz.studies.groups.measures import CAVEATS, QUESTIONS, RECOMMENDATIONS, choose

OURS = "ours, from the formula"
ANSWERS = {question["name"]: list(question["answers"]) for question in QUESTIONS}


USUAL = {"lists": "single", "goal": "parity", "aim": "set", "groups": "two", "judged": "full", "missing": "no"}


def chosen(**answers: str) -> dict[str, list[Any]]:
    return choose(USUAL | answers)


def every_choice() -> list[tuple[dict[str, str], dict[str, list[Any]]]]:
    asked = [dict(zip(ANSWERS, values, strict=True)) for values in itertools.product(*ANSWERS.values())]
    return [(answers, choose(answers)) for answers in asked]


def records(choice: dict[str, list[Any]]) -> list[Any]:
    return [*choice["recommended"], *choice["also"]]


def names(choice: dict[str, list[Any]]) -> set[str]:
    return {measure.split("(")[0].split("@")[0] for one in records(choice) for measure in one["measures"]}


def test_every_answer_leads_somewhere_and_gives_its_source() -> None:
    for asked, choice in every_choice():
        assert choice["recommended"], asked
        for one in records(choice):
            assert one["reason"]
            assert one["source"] == OURS or "et al." in one["source"]
        assert choice["caveats"], asked


def test_every_measure_can_be_typed() -> None:
    for _, choice in every_choice():
        for one in records(choice):
            assert len(parse_measures(one["measures"])) == len(one["measures"])


def test_section_4_word_for_word() -> None:
    single = chosen(lists="single", goal="parity")
    assert single["recommended"][0]["measures"] == ["AWRF"]
    parity = chosen(lists="sequence", goal="parity", aim="equal")
    assert parity["recommended"][0]["measures"] == ["EED(by='group', norm='none', browsing='rbp')"]
    merit = chosen(lists="sequence", goal="opportunity")
    assert [text.split("(")[0] for text in merit["recommended"][0]["measures"]] == ["EEL", "EER"]
    sparse = chosen(lists="sequence", goal="opportunity", judged="sparse")
    assert sparse["recommended"][0]["measures"] == ["IAA(utility='score')"]
    for choice in (single, parity, merit, sparse):
        assert choice["recommended"][0]["source"] == "Raj et al. 2020, Section 4"


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
    told = chosen(missing="yes")["caveats"]
    assert any("PreF is no choice" in text for text in told)
    assert not any("PreF" in text for text in chosen()["caveats"])
    sparse = chosen(lists="sequence", goal="opportunity", judged="sparse")["caveats"]
    assert any("not useful" in text for text in sparse)


def test_a_target_of_ones_own_is_no_question_for_eed() -> None:
    assert chosen(lists="sequence", aim="set")["recommended"][0]["source"] == OURS
    assert "AWRF" in names(chosen(lists="sequence", aim="set"))


def test_every_text_of_the_file_is_reached() -> None:
    choices = [choice for _, choice in every_choice()]
    reached = [one for choice in choices for one in records(choice)]
    assert all(one in reached for one in RECOMMENDATIONS.values())
    assert {text for choice in choices for text in choice["caveats"]} == set(CAVEATS.values())
