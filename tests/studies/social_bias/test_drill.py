"""Items whose answer changed: by hand."""

import pytest

from fairviz.errors import UsageError
from fairviz.studies.social_bias.drill import changed_items
from fairviz.studies.social_bias.rows import is_without_rag, ordered_settings, reference_setting
from tests.studies.social_bias.bias_world import OUT, C, S, U, answers_of, items_of

ITEMS = items_of([("A", "a"), ("A", "a"), ("B", "s"), ("B", "c")], no_target=[3])
ANSWERS = answers_of([({"model": "m1"}, {0: U, 1: S, 2: S, 3: C}), ({"model": "m2"}, {0: S, 1: S, 2: OUT, 3: U})])


def test_changed_answers_are_named_for_what_they_are() -> None:
    found = changed_items(ITEMS, ANSWERS, {"model": "m1"}, {"model": "m2"})
    assert [(x.item, x.before, x.after) for x in found] == [(0, 2, 0), (2, 0, -1), (3, 1, 2)]
    kinds = [(x.before_kind, x.after_kind) for x in found]
    assert kinds == [
        ("unknown", "stereotyped"),
        ("stereotyped", "out of choice"),
        ("no biased answer", "no biased answer"),
    ]


def test_all_items_and_one_bias_type() -> None:
    one, two = {"model": "m1"}, {"model": "m2"}
    assert len(changed_items(ITEMS, ANSWERS, one, two, all_items=True)) == 4
    assert changed_items(ITEMS, ANSWERS, one, two, category="Religion") == ()
    assert changed_items(ITEMS, ANSWERS, one, {"model": "nobody"}) == ()


def test_a_producer_needs_one_answer_an_item() -> None:
    with pytest.raises(UsageError, match="answers an item more than once"):
        changed_items(ITEMS, ANSWERS, {}, {"model": "m2"})


def test_settings_stand_in_the_papers_order() -> None:
    assert ordered_settings(["x", "anti-set", "full-set", "no_RAG"]) == (
        "no_RAG",
        "full-set",
        "anti-set",
        "x",
    )
    assert reference_setting(["full-set", "W/O rag"]) == "W/O rag"
    assert reference_setting(["full-set"]) is None
    assert not is_without_rag("full-set")
