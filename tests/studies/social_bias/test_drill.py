"""Answers question by question, and how many moved: by hand."""

from collections import Counter

import pytest

from fairviz.errors import UsageError
from fairviz.studies.social_bias.answers import answer_sheet, moved, moves, n_along
from fairviz.studies.social_bias.labels import reference_setting
from tests.studies.social_bias.bias_world import OUT, C, S, U, answers_of, items_of

ITEMS = items_of([("A", "a"), ("A", "a"), ("B", "s"), ("B", "c")], no_target=[3])
ANSWERS = answers_of(ITEMS, [({"model": "m1"}, {0: U, 1: S, 2: S, 3: C}), ({"model": "m2"}, {0: S, 2: OUT, 3: U})])


def test_answers_are_named_for_what_they_are() -> None:
    sheet = answer_sheet(ITEMS, ANSWERS, [{"model": "m1"}, {"model": "m2"}])
    assert sheet["kind_1"].to_list() == ["stereotyped", None, "out of choice", "no biased answer"]
    assert [sheet[f"choice_{i}"].to_list() for i in (0, 1)] == [[2, 0, 0, 1], [0, None, -1, 2]]
    assert sheet.select(n_along(2)).to_series().to_list() == [1, 1, 1, 0]
    assert sheet["words_0"].to_list() == [None] * 4  # only options were recorded


def test_moves_are_counted_over_pairs_and_items() -> None:
    sheet = answer_sheet(ITEMS, ANSWERS, [{"model": "m1"}, {"model": "m2"}])
    found = Counter({("unknown", "stereotyped"): 1, ("stereotyped", "out of choice"): 1})
    assert moves(sheet, [(0, 1)]) == found  # item 1 has no partner, item 3 no biased answer before and after
    assert moves(sheet[:2], [(0, 1), (1, 0)]) == Counter({("unknown", "stereotyped"): 1, ("stereotyped", "unknown"): 1})
    of_first = sheet.select(moved([(0, 1)], ("unknown", "stereotyped"))).to_series()
    assert of_first.to_list() == [True, False, False, False]


def test_a_producer_needs_one_answer_an_item() -> None:
    with pytest.raises(UsageError, match="answers an item more than once"):
        answer_sheet(ITEMS, ANSWERS, [{}])


def test_the_reference_is_the_setting_without_retrieval() -> None:
    assert reference_setting(["full-set", "W/O rag"]) == "W/O rag"
    assert reference_setting(["full-set"]) is None
