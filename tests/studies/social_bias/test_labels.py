"""What bias types, groups and settings are called; who is favoured, named where nearly all items agree."""

import numpy as np
import pytest

from fairviz.model import BiasItems
from fairviz.studies.social_bias.labels import favoured_groups, group_words
from tests.studies.social_bias.bias_world import answers_of, items_of, with_columns

OLD, YOUNG = "old", "nonOld"
OLDER, YOUNGER = "favours older people", "favours younger people"
NOBODY = ("Age", "towards the stereotype", "against the stereotype")


def items(*, n: int, other_way: int = 0, nonnegative: int = 0) -> BiasItems:
    """Option 0 is the biased one; the stereotype is about old people but in the last ``other_way`` items."""
    made = items_of([("T", "a")] * n)
    groups = [(YOUNG, OLD, "") if i >= n - other_way else (OLD, YOUNG, "") for i in range(n)]
    asked = np.arange(n) < nonnegative
    groups = [(b, a, c) if swap else (a, b, c) for (a, b, c), swap in zip(groups, asked, strict=True)]
    return with_columns(made, groups=groups, nonnegative=asked)


def sides(of: BiasItems, answered: range | None = None) -> list[tuple[str, str, str]]:
    said = dict.fromkeys(answered or range(len(of)), "u")
    return favoured_groups(of, answers_of(of, [({"model": "m"}, said)])).rows()


@pytest.mark.parametrize("nonnegative", [0, 3, 10])
def test_the_group_that_is_not_stereotyped_is_favoured_however_the_question_is_put(nonnegative: int) -> None:
    assert sides(items(n=10, nonnegative=nonnegative)) == [("Age", YOUNGER, OLDER)]


def test_a_group_is_named_from_nine_items_of_ten() -> None:
    assert sides(items(n=10, other_way=1))[0][1] == YOUNGER
    assert sides(items(n=10, other_way=2)) == [NOBODY]


def test_only_answered_items_count() -> None:
    assert sides(items(n=10, other_way=5), range(5))[0][1] == YOUNGER


def test_without_groups_or_targets_nobody_is_named() -> None:
    assert sides(items_of([("T", "a")] * 2)) == [NOBODY]
    assert sides(with_columns(items(n=2), target=[-1, -1])) == [NOBODY]
    assert sides(with_columns(items(n=2), groups=[["", "", ""]] * 2)) == [NOBODY]


def test_bias_types_are_named_apart() -> None:
    both = with_columns(items(n=4, other_way=2), category=["Age", "Age", "SES", "SES"])
    assert sides(both) == [("Age", YOUNGER, OLDER), ("SES", OLDER, YOUNGER)]


@pytest.mark.parametrize(
    ("category", "group", "words"),
    [
        ("Age", "old", "older people"),
        ("Gender_identity", "Transgender women + transgender men + trans", "transgender women or transgender men"),
        ("SES", "lowSES", "people with little money"),
        ("Religion", "Muslim + Mormon + Orthodox + Catholic", "Muslim, Mormon, Orthodox or Catholic people"),
        ("Sexual_orientation", "lesbian + gay", "lesbian women or gay people"),
        ("Disability_status", "disabled + autistic people", "autistic people"),
        ("Disability_status", "disabled", "people with a disability"),
        ("Race_ethnicity", "African American", "African American people"),
        ("Nationality", "Sri Lankan", "Sri Lankan people"),
        ("Physical_appearance", "negDress", "people in shabby or unusual clothes"),
        ("Religion", "nonChristian", "people who are not Christian"),
    ],
)
def test_codes_are_put_in_words(category: str, group: str, words: str) -> None:
    assert group_words(category, group) == words


def test_many_groups_are_counted() -> None:
    many = " + ".join(("Eritrean", "Ethiopian", "Kenyan", "Guinean", "Nigerian"))
    assert group_words("Nationality", many) == "Eritrean people, Ethiopian people, Kenyan people or 2 more groups"
