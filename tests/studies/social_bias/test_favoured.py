"""Who is favoured by answers towards the stereotype: named from the items, where nearly all agree."""

import numpy as np
import pytest

from fairviz.model import BiasItems
from fairviz.studies.social_bias.labels import Sides, favoured_groups
from tests.studies.social_bias.bias_world import answers_of, items_of, with_columns

OLD, YOUNG = "old", "nonOld"
OLDER, YOUNGER = "favours older people", "favours younger people"


def items(*, n: int, other_way: int = 0, nonnegative: int = 0) -> BiasItems:
    """Option 0 is the biased one; the stereotype is about old people but in the last ``other_way`` items."""
    made = items_of([("T", "a")] * n)
    groups = [(YOUNG, OLD, "") if i >= n - other_way else (OLD, YOUNG, "") for i in range(n)]
    asked = np.arange(n) < nonnegative
    groups = [(b, a, c) if swap else (a, b, c) for (a, b, c), swap in zip(groups, asked, strict=True)]
    return with_columns(made, groups=groups, nonnegative=asked)


def sides(of: BiasItems, answered: range | None = None) -> Sides:
    said = dict.fromkeys(answered or range(len(of)), "u")
    return favoured_groups(of, answers_of(of, [({"model": "m"}, said)]))["Age"]


@pytest.mark.parametrize("nonnegative", [0, 3, 10])
def test_the_group_that_is_not_stereotyped_is_favoured_however_the_question_is_put(nonnegative: int) -> None:
    assert sides(items(n=10, nonnegative=nonnegative)) == Sides(YOUNGER, OLDER)


def test_a_group_is_named_from_nine_items_of_ten() -> None:
    assert sides(items(n=10, other_way=1)).above == YOUNGER
    assert sides(items(n=10, other_way=2)) == Sides("towards the stereotype", "against the stereotype")


def test_only_answered_items_count() -> None:
    assert sides(items(n=10, other_way=5), range(5)).above == YOUNGER


def test_without_groups_or_targets_nobody_is_named() -> None:
    said = answers_of(items(n=2), [({"model": "m"}, {0: "u", 1: "s"})])
    assert favoured_groups(items_of([("T", "a")] * 2), said) == {}
    undefined = with_columns(items(n=2), target=[-1, -1])
    assert favoured_groups(undefined, said) == {}
    blank = with_columns(items(n=2), groups=[["", "", ""]] * 2)
    assert favoured_groups(blank, said) == {"Age": Sides()}


def test_bias_types_are_named_apart() -> None:
    both = with_columns(items(n=4, other_way=2), category=["Age", "Age", "SES", "SES"])
    named = favoured_groups(both, answers_of(both, [({"model": "m"}, dict.fromkeys(range(4), "u"))]))
    assert named == {
        "Age": Sides(YOUNGER, OLDER),
        "SES": Sides(OLDER, YOUNGER),
    }
