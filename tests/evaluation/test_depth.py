"""How deep lists are read where systems are compared: the smallest depth of those that share queries, by hand."""

import pytest

from fairviz.errors import UsageError
from fairviz.evaluation.joins import Depth, at_common_depth, at_depth, depth_of
from fairviz.model import Dataset, Factors, RankingSample, Run
from tests.nouns import run_of, sample_of


def run(system: str, *lengths: int, first: int = 0) -> Run:
    """Lists of these lengths for q0, q1, …: d0 is the best."""
    lists = {f"q{first + i}": {f"d{j}": float(-j) for j in range(n)} for i, n in enumerate(lengths)}
    return run_of(lists, system)


def lengths(one: object) -> list[int]:
    assert isinstance(one, Run)
    return [end - start for start, end in zip(one.offsets[:-1].tolist(), one.offsets[1:].tolist(), strict=True)]


def test_the_depth_of_a_system_is_its_longest_list() -> None:
    assert depth_of(run("a", 2, 5, 3)) == 5


@pytest.mark.parametrize(
    ("depth", "expected", "words"),
    [
        ("common", [[2, 3], [3, 1]], "lists cut to their common depth of 3"),
        (2, [[2, 2], [2, 1]], "lists cut to a depth of 2"),
        ("full", [[2, 5], [3, 1]], ""),
    ],
)
def test_lists_are_cut_to_the_smallest_depth_of_a_system_and_none_to_its_shortest_list(
    depth: Depth, expected: list[list[int]], words: str
) -> None:
    found = at_depth([run("deep", 2, 5), run("flat", 3, 1)], depth)
    assert [lengths(one) for one in found.systems] == expected
    assert found.words == words


def test_who_was_cut_is_said_with_the_depth_that_it_had() -> None:
    found = at_depth([run("deep", 5), run("flat", 3)])
    assert [(note.file, note.message) for note in found.notes] == [
        ("deep", "lists of up to 5 documents cut to 3, the common depth of the systems compared (--depth full: none)")
    ]


def test_a_list_keeps_its_first_documents_its_tag_and_its_order_of_ties() -> None:
    (cut, _) = at_depth([run("deep", 4), run("flat", 2)]).systems
    assert isinstance(cut, Run)
    assert [cut.doc_ids[doc] for doc in cut.docs] == ["d0", "d1"]
    assert (cut.system, cut.tag, cut.ties) == ("deep", "deep", "id")


def test_one_system_and_systems_of_other_queries_or_tasks_are_no_reason_to_cut() -> None:
    deep, flat, elsewhere = run("deep", 5), run("flat", 3), run("elsewhere", 1, first=7)
    assert at_depth([deep]).systems == (deep,)
    assert at_depth([deep, elsewhere]).systems == (deep, elsewhere)
    tasks = {"deep": Factors(task="one"), "flat": Factors(task="other")}
    assert at_depth([deep, flat], table=tasks).systems == (deep, flat)


def test_samples_neither_decide_nor_are_cut() -> None:
    sample = sample_of({"q0": [["d0", "d1"], ["d1", "d0"]]}, "drawn")
    deep = run("deep", 5)
    assert at_depth([deep, sample]).systems == (deep, sample)
    drawn = at_depth([deep, run("flat", 1), sample]).systems[2]
    assert isinstance(drawn, RankingSample)
    assert drawn.docs.tolist() == sample.docs.tolist()


def test_a_sample_in_compared_data_has_the_candidates_of_the_run_that_was_cut() -> None:
    loaded = Dataset(runs=(run("deep", 5), run("flat", 3)), samples=(sample_of({"q0": [["d0"], ["d1"]]}, "deep"),))
    found, words = at_common_depth(loaded)
    assert words == "lists cut to their common depth of 3"
    assert found.samples[0].source is found.runs[0]
    assert lengths(found.runs[0]) == [3]


def test_a_depth_below_one_is_refused() -> None:
    with pytest.raises(UsageError, match="depth"):
        at_depth([run("a", 2)], 0)
