"""Retrieval for variants: runs by name, overlap and quality by hand, laws, values of real runs, sentences."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.io.qrels import read_qrels
from fairviz.io.rankings import read_ranked_run, read_run
from fairviz.model import Run
from fairviz.studies.demographic_qa.answers import Record
from fairviz.studies.demographic_qa.findings import estimators_words, overlap_title, quality_title, quality_words
from fairviz.studies.demographic_qa.retrieval import (
    compared_attributes,
    lists_of_runs,
    retrieval_overlap,
    variant_quality,
    variant_runs,
)
from tests.nouns import qrels_of, run_of
from tests.studies.demographic_qa.answered_variants import answers_of, lists_about


def named_run(name: str) -> Run:
    return read_run((f"{name}.run", f"q1 Q0 d1 1 2.0 {name}\n".encode())).value


def test_names_end_in_a_value_after_a_separator() -> None:
    names = (
        "bm25-African_American",
        "bm25-non-binary",
        "bm25-neutral",
        "bm25-female",
        "bm25-Male",
        "lsa.Asian",
        "lsa.Hispanic",
    )
    families = variant_runs([named_run(name) for name in names])
    assert list(families) == ["bm25", "lsa"]
    assert list(families["bm25"]) == [
        ("none", "neutral"),
        ("race", "African American"),
        ("gender", "male"),
        ("gender", "female"),
        ("gender", "non-binary"),
    ]
    assert compared_attributes(families["bm25"]) == ["race", "gender"]
    assert compared_attributes(families["lsa"]) == ["race"]


def test_other_names_are_no_variants() -> None:
    assert variant_runs([named_run(name) for name in ("bm25", "female", "colbert-v2", "bm25x.Asian")]) == {}
    assert variant_runs([named_run("a.neutral")]) == {}


def test_values_of_a_file_are_known_too() -> None:
    values = ("low_income", "high_income")
    found = variant_runs([named_run(f"x_{value}") for value in values], {"ses": values})["x"]
    assert found.keys() == {("ses", value) for value in values}


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


def test_overlap_by_hand() -> None:
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


def test_overlap_of_real_variants(shared: Path) -> None:
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


QRELS = qrels_of({"q1": {"a": 1, "b": 1}, "q2": {"c": 1}})
RUNS: dict[tuple[str, str], Run] = {
    ("none", "neutral"): run_of({"q1": {"a": 2, "b": 1}, "q2": {"c": 2, "x": 1}}),
    ("race", "Asian"): run_of({"q1": {"a": 2, "x": 1}, "q2": {"c": 2, "x": 1}}),
    ("race", "Hispanic"): run_of({"q1": {"x": 2, "y": 1}, "q2": {"x": 2, "c": 1}}),
}
"""P@2: neutral 1, 1/2; Asian 1/2, 1/2; Hispanic 0, 1/2."""


def test_quality_by_hand() -> None:
    """Means 3/4, 1/2, 1/4. Differences −1/4 and −1/2; gap 1/4. P@1: 1, 1, 0; gap 1."""
    rows, gaps, notes = variant_quality(RUNS, QRELS, ["P@2", "P@1"])
    assert [(r["attribute"], r["value"], r["measure"], r["mean"], r["difference"]) for r in rows] == [
        ("", "neutral", "P@2", 0.75, pytest.approx(np.nan, nan_ok=True)),
        ("race", "Asian", "P@2", 0.5, -0.25),
        ("race", "Hispanic", "P@2", 0.25, -0.5),
        ("", "neutral", "P@1", 1, pytest.approx(np.nan, nan_ok=True)),
        ("race", "Asian", "P@1", 1, 0),
        ("race", "Hispanic", "P@1", 0, -1),
    ]
    assert [tuple(gap[key] for key in ("attribute", "measure", "gap", "best", "worst")) for gap in gaps] == [
        ("race", "P@2", 0.25, "Asian", "Hispanic"),
        ("race", "P@1", 1, "Asian", "Hispanic"),
    ]
    hispanic = rows[2]
    assert (hispanic["n_questions"], hispanic["n_undefined"], hispanic["n_compared"]) == (2, 0, 2)
    assert (hispanic["difference_low"], hispanic["difference_high"]) == (-1, 0)  # q1 −1, q2 0
    assert (gaps[0]["low"], gaps[0]["high"]) == (0, 0.5)
    assert not notes


def test_without_neutral_there_is_no_difference_but_a_gap() -> None:
    values = {key: run for key, run in RUNS.items() if key[0] == "race"}
    rows, gaps, _ = variant_quality(values, QRELS, ["P@2"])
    assert np.isnan([row["difference"] for row in rows]).all()
    assert gaps[0]["gap"] == 0.25


def test_a_gap_is_over_the_questions_of_both_values() -> None:
    """On q1, which both have, Asian is 1/2 ahead; its own mean, 3/4, is of q2, too."""
    one = run_of({"q1": {"x": 2, "y": 1}})
    judged = qrels_of({"q1": {"a": 1}, "q2": {"c": 1, "x": 1}})
    _, (gap,), _ = variant_quality({**RUNS, ("race", "Hispanic"): one}, judged, ["P@2"])
    assert (gap["gap"], gap["best"], gap["worst"], gap["n_questions"]) == (0.5, "Asian", "Hispanic", 1)


def test_one_value_has_no_gap() -> None:
    rows, gaps, _ = variant_quality({("race", "Asian"): RUNS["race", "Asian"]}, QRELS)
    assert rows[0]["measure"] == "nDCG@10"
    assert np.isnan(gaps[0]["gap"])


def test_mistakes() -> None:
    with pytest.raises(UsageError, match="no_such"):
        variant_quality(RUNS, QRELS, ["no_such@3"])


def means(rows: list[Record]) -> dict[tuple[str, str], float]:
    return {(row["value"], row["measure"]): row["mean"] for row in rows}


def test_quality_of_real_variants(shared: Path) -> None:
    """RBP of the expected file breaks equal scores by the order of lines, the others by id."""
    folder = shared / "data/real/variants"
    expected = json.loads((folder / "expected_variants.json").read_text())["bm25"]
    attribute_of = {"neutral": "none", "male": "gender", "female": "gender", "non-binary": "gender"}
    files = {
        (attribute_of.get(value, "race"), value): folder / f"bm25.{value.replace(' ', '_')}.run.gz"
        for value in expected["effectiveness"]
    }
    by_score = {key: read_run(file).value for key, file in files.items()}
    qrels = read_qrels(folder / "bioasq-yn.qrels").value
    rows, gaps, _ = variant_quality(by_score, qrels, ["nDCG@10", "AP", "P@5", "R@20"])
    assert len(rows) == 32
    for (value, measure), mean in means(rows).items():
        assert mean == pytest.approx(expected["effectiveness"][value][measure], abs=1e-9)
    for gap in gaps[:2]:
        assert gap["gap"] == pytest.approx(expected[f"max-min nDCG@10 {gap['attribute']}"], abs=1e-9)
        assert gap["low"] > 0
    by_line = {  # the order of ties moves each
        key: read_ranked_run(file).value for key, file in files.items() if key[1] in ("neutral", "female")
    }
    for (value, measure), mean in means(variant_quality(by_line, qrels, ["RBP(rel=1)"])[0]).items():
        assert mean == pytest.approx(expected["effectiveness"][value][measure], abs=1e-6)


def run_over(docs: str, n: int = 1) -> Run:
    text = "".join(f"q{q} Q0 {doc} {rank} {9 - rank} x\n" for q in range(n) for rank, doc in enumerate(docs, 1))
    return read_run(("x.run", text.encode())).value


def overlaps(neutral: str | None, male: str, female: str) -> Record:
    runs = {("gender", "male"): run_over(male), ("gender", "female"): run_over(female)}
    if neutral is not None:
        runs["none", "neutral"] = run_over(neutral)
    return retrieval_overlap(lists_of_runs(runs, "gender"), "gender", k=3)


def test_overlap_has_a_range_and_names_no_value() -> None:
    far = overlaps("abc", "abd", "abc")  # male: a, b of a, b, c, d
    assert overlap_title([far], retriever="bm25") == (
        "With a group in the question, 50 to 100\u202f% of bm25’s top 3 stay as with nobody mentioned"
    )
    assert overlap_title([overlaps("abc", "abc", "abc")]) == (
        "With a group in the question, all of the top 3 stay as with nobody mentioned"
    )
    assert overlap_title([overlaps(None, "abd", "abc")]) == "Two groups share 50\u202f% of the top 3"
    assert overlap_title([overlaps(None, "abc", "abc")]) == "All variants have the same top 3"
    assert overlap_title([]) == "No two variants were retrieved for"


def test_three_estimators_in_a_line() -> None:
    # all: a, b of a, b, c, d; pairwise the same; neutral: 50 and 100
    said = estimators_words(overlaps("abc", "abd", "abc"))
    assert said == ("gender, k = 3: all 50.0\u202f%; pairwise 50.0\u202f%; neutral 75.0\u202f%; 1 question")
    assert "neutral undefined" in estimators_words(overlaps(None, "abd", "abc"))


def test_quality_names_value_gap_or_nothing() -> None:
    qrels = read_qrels(("x.qrels", "".join(f"q{q} 0 a 1\n" for q in range(12)).encode())).value
    same, lower = run_over("abc", 12), run_over("bca", 12)
    some = {("none", "neutral"): same, ("gender", "male"): lower, ("gender", "female"): same}
    rows, gaps, _ = variant_quality(some, qrels)
    # nDCG 1 against 1 / log2(4) = 0.5
    assert quality_title(rows, gaps) == ("With “male” in the question, nDCG@10 is 0.500 lower than without")
    assert quality_words(gaps) == (
        "Largest gap by attribute: gender 0.500 (no interval): female over male, 12 questions."
    )
    pairs = {key: value for key, value in some.items() if key[0] == "gender"}
    assert quality_title(*variant_quality(pairs, qrels)[:2]) == ("nDCG@10 differs by 0.500 between “female” and “male”")
    same = {key: run_over("abc", 12) for key in some}
    assert "No significant difference" in quality_title(*variant_quality(same, qrels)[:2])
