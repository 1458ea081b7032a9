"""One query before and after re-ranking, counted by hand."""

import math

from hypothesis import given
from hypothesis import strategies as st

from fairviz.studies.policy_lab.lists import before_after


def test_entries_exits_and_moves() -> None:
    """First 3 of abcde become a, e, b: e enters from rank 5, c leaves to 4; c was useful."""
    found = before_after("q", "abcde", "aebcd", k=3, useful={"c", "a"}, groups={"e": "x"}, quality=(0.9, 0.7))
    assert [move.doc_id for move in found.before] == ["a", "b", "c"]
    assert [move.doc_id for move in found.after] == ["a", "e", "b"]
    assert (found.n_entered, found.n_left, found.n_useful_lost, found.n_useful_gained) == (
        1,
        1,
        1,
        0,
    )
    by_id = {move.doc_id: move for move in found.moves}
    assert [by_id[doc].climbed for doc in "abce"] == [0, -1, -1, 3]
    assert (by_id["e"].group, by_id["a"].group) == ("x", "")
    assert by_id["c"].useful
    assert not by_id["e"].useful


def test_a_list_shorter_than_k() -> None:
    found = before_after("q", "ab", "ba", k=10, useful=set(), groups={})
    assert [move.doc_id for move in found.after] == ["b", "a"]
    assert (found.n_entered, found.n_left) == (0, 0)
    assert math.isnan(found.quality_after)


def test_a_document_that_one_list_lacks() -> None:
    found = before_after("q", "ab", "az", k=2, useful={"z"}, groups={})
    assert (found.n_entered, found.n_left, found.n_useful_gained) == (1, 1, 1)
    assert {move.doc_id: (move.before, move.after) for move in found.moves} == {
        "a": (1, 1),
        "b": (2, None),
        "z": (None, 2),
    }


@given(st.permutations("abcdefgh"), st.integers(1, 10))
def test_as_many_enter_as_leave(after: list[str], k: int) -> None:
    found = before_after("q", "abcdefgh", after, k=k, useful=set("bdf"), groups={})
    assert found.n_entered == found.n_left
    assert [move.doc_id for move in found.after] == list(after[:k])
    assert [move.doc_id for move in found.before] == list("abcdefgh"[:k])
