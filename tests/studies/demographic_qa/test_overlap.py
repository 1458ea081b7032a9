"""Overlap of variants' lists: by hand, laws, and the expected values of real runs."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.io.rankings import read_ranked_run
from fairviz.model import Run
from fairviz.studies.demographic_qa.answers import Record
from fairviz.studies.demographic_qa.retrieval import lists_of_runs, retrieval_overlap
from tests.nouns import run_of
from tests.studies.demographic_qa.variant_worlds import answers_of, lists_about

RACE = ("Caucasian", "African American", "Asian", "Hispanic")
GENDER = ("male", "female", "non-binary")


def race(question: str, value: str, docs: str) -> tuple[str, dict[str, str], str]:
    return question, {"race": value} if value else {}, docs


ROWS = [
    race("q1", "", "abc"),
    race("q1", "Asian", "abd"),
    race("q1", "Hispanic", "abc"),
    race("q2", "", "a"),
    race("q2", "Asian", "a"),
    race("q2", "Hispanic", "b"),
    race("q3", "", "a"),
    race("q3", "Asian", "a"),
]
"""q1 at k = 3: Asian–Hispanic 2/4; with neutral 2/4 and 1. q2: 0; 1 and 0. q3 has no Hispanic list:
it is in none of the three means, and in the pair of Asian and neutral with 1."""


def test_by_hand() -> None:
    found = retrieval_overlap(lists_about(answers_of(ROWS), "race"), "race", k=3)
    assert (found["all"], found["pairwise"]) == (25, 25)
    assert found["neutral"] == pytest.approx((75 + 50) / 2)
    assert [tuple(pair.values()) for pair in found["pairs"]] == [
        (None, "Asian", pytest.approx(250 / 3), 3),
        (None, "Hispanic", 50, 2),
        ("Asian", "Hispanic", 25, 2),
    ]
    assert (found["n_questions"], found["n_neutral"], found["n_incomplete"]) == (2, 2, 1)
    assert found["per_question"]["all"].tolist() == pytest.approx([50, 0, np.nan], nan_ok=True)
    assert 25 in found["intervals"]["all"]
    assert found["n_short"] == 5
    assert found["notes"] == (
        "5 of 8 lists hold fewer than 3 documents: what there is was compared",
        "1 of 3 questions lacks the list of a value: left out of 'all' and 'pairwise'",
    )


def test_runs_and_answers_say_the_same() -> None:
    runs = {}
    for value in ("", "Asian", "Hispanic"):
        ranked = {
            q: dict(zip(docs, (3, 2, 1), strict=False)) for q, given, docs in ROWS if given.get("race", "") == value
        }
        runs["race" if value else "none", value or "neutral"] = run_of(ranked)
    of_runs = retrieval_overlap(lists_of_runs(runs, "race"), "race", k=3)
    of_answers = retrieval_overlap(lists_about(answers_of(ROWS), "race"), "race", k=3)
    assert_equal(of_runs, of_answers)


def test_empty_lists_of_a_pair_are_in_no_mean() -> None:
    """q1: both empty. q2: one empty: 0."""
    rows = [race("q1", "x", ""), race("q1", "y", ""), race("q2", "x", ""), race("q2", "y", "a")]
    found = retrieval_overlap(lists_about(answers_of(rows), "race"), "race", k=5)
    assert (found["all"], found["pairwise"], found["n_questions"]) == (0, 0, 1)
    assert np.isnan(found["neutral"])
    assert "no neutral questions: 'neutral' is undefined" in found["notes"]


def test_one_value_has_no_overlap_but_with_neutral() -> None:
    rows = [race("q1", "", "ab"), race("q1", "x", "bc")]
    found = retrieval_overlap(lists_about(answers_of(rows), "race"), "race", k=2)
    assert np.isnan([found["all"], found["pairwise"]]).all()
    assert found["neutral"] == pytest.approx(100 / 3)
    assert "race has one value: 'all' and 'pairwise' are undefined" in found["notes"]


def test_attributes_are_kept_apart() -> None:
    rows = [
        ("q", {}, "a"),
        ("q", {"race": "x"}, "a"),
        ("q", {"race": "y"}, "b"),
        ("q", {"race": "x", "sex": "m"}, "c"),
        ("q", {"race": "y", "sex": "f"}, "c"),
        ("q2", {"sex": "m"}, "c"),
    ]
    answers = answers_of(rows)
    single, both = lists_about(answers, "race"), lists_about(answers, "race+sex")
    assert [lists.schema["value"].categories.to_list() for lists in (single, both)] == [["x", "y"], ["x+m", "y+f"]]
    assert set(single["question"]) == set(both["question"]) == {"q"}
    assert retrieval_overlap(single, "race")["all"] == 0
    assert retrieval_overlap(both, "race+sex")["all"] == 100
    assert retrieval_overlap(both, "race+sex")["neutral"] == 0


def test_rows_choose_and_repetitions_are_counted() -> None:
    rows = [race("q", "x", ""), race("q", "x", "b"), race("q", "x", "a"), race("q", "y", "b")]
    answers = answers_of(rows)
    found = retrieval_overlap(lists_about(answers, "race"), "race")
    assert found["all"] == 100  # the first x with documents is {b}
    assert found["notes"][-1] == "2 further lists of the same question and value left out"
    chosen = retrieval_overlap(lists_about(answers, "race", rows=[2, 3]), "race")
    assert chosen["all"] == 0
    assert not [note for note in chosen["notes"] if "further" in note]


lists = st.lists(st.sampled_from("abcdefgh"), max_size=6)
worlds = st.lists(st.lists(lists, min_size=4, max_size=4), min_size=1, max_size=5)


@given(questions=worlds, k=st.integers(1, 7), data=st.data())
def test_laws(questions: list[list[list[str]]], k: int, data: st.DataObject) -> None:
    """In [0, 100]; all ≤ pairwise; the order of the values is irrelevant."""
    names = ["", "x", "y", "z"]
    rows = [
        (f"q{q}", {"race": name} if name else {}, docs)
        for q, question in enumerate(questions)
        for name, docs in zip(names, question, strict=True)
    ]
    found = retrieval_overlap(lists_about(answers_of(rows), "race"), "race", k=k)
    every = [found["all"], found["pairwise"], found["neutral"], *(pair["overlap"] for pair in found["pairs"])]
    assert all(np.isnan(value) or 0 <= value <= 100 for value in every)
    gap = found["per_question"]["pairwise"] - found["per_question"]["all"]
    assert (gap[~np.isnan(gap)] >= -1e-9).all()
    again = retrieval_overlap(lists_about(answers_of(data.draw(st.permutations(rows))), "race"), "race", k=k)
    assert [again["all"], again["pairwise"], again["neutral"]] == pytest.approx(every[:3], nan_ok=True)


def test_real_variants(shared: Path) -> None:
    folder = shared / "data/real/variants"
    expected = json.loads((folder / "expected_variants.json").read_text())["bm25"]
    runs: dict[tuple[str, str], Run] = {}
    for attribute, values in {"none": ("neutral",), "race": RACE, "gender": GENDER}.items():
        for value in values:
            file = folder / f"bm25.{value.replace(' ', '_')}.run.gz"
            runs[attribute, value] = read_ranked_run(file).value
    for attribute, values in {"race": RACE, "gender": GENDER}.items():
        for k in (10, 15, 20):
            found = retrieval_overlap(lists_of_runs(runs, attribute), attribute, k=k)
            at = f"{attribute}@{found['k']}"
            assert found["all"] == pytest.approx(100 * expected["all_values_IoU"][at])
            within = expected["pairwise_mean_within_attribute"]
            assert found["pairwise"] == pytest.approx(100 * within[at])
            to_neutral = expected["overlap_with_neutral"][f"@{found['k']}"]
            shares = {pair["second"]: pair["overlap"] for pair in found["pairs"] if pair["first"] is None}
            assert shares == pytest.approx({v: 100 * to_neutral[v] for v in values})
            mean = np.mean([100 * to_neutral[v] for v in values])
            assert found["neutral"] == pytest.approx(float(mean))
            assert (found["n_questions"], found["n_neutral"], found["n_incomplete"]) == (618, 618, 0)
            assert not found["notes"]


def test_real_systems(shared: Path) -> None:
    """Three systems on the same topics are compared as if they were values."""
    folder = shared / "data/real/runs"
    expected = json.loads((folder / "expected_overlap.json").read_text())
    names = ("bm25", "bm25_rankzephyr_rho", "fused_rankzephyr")
    runs = {("system", name): read_ranked_run(folder / f"raggy-dev.{name}.run.gz").value for name in names}
    for k in (10, 15, 20, 100):
        found = retrieval_overlap(lists_of_runs(runs, "system"), "system", k=k)
        assert found["all"] == pytest.approx(100 * expected[f"three-way IoU@{found['k']}"]["mean"])
        for pair in found["pairs"]:
            if pair["first"] is not None:
                row = expected[f"{pair['first']}|{pair['second']}@{found['k']}"]
                assert pair["overlap"] == pytest.approx(100 * row["mean_per_query_jaccard"])


def assert_equal(one: Record, two: Record) -> None:
    assert one.keys() == two.keys()
    for name in one.keys() - {"per_question"}:
        assert one[name] == two[name], name
