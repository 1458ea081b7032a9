"""What the order of tied documents could make of a value: by hand, and against every order."""

from dataclasses import replace
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.evaluation.baseline import against_baseline
from fairviz.evaluation.evaluate import evaluate
from fairviz.metrics.spec import parse_measures
from fairviz.model import Qrels, Run, Scores
from tests.nouns import qrels_of, run_of

MONOTONE = "P@2, R@2, nDCG, nDCG@3, AP, AP(rel=2)@3, RR, Success@1, Rprec, RBP(p=0.5), RBP(rel=2), EER@2, EEL@2"


def scored(run: Run, qrels: Qrels, measures: str) -> dict[str, Scores]:
    found = evaluate([run], parse_measures([measures]), qrels=[qrels]).scores
    return {score.measure: score for score in found if isinstance(score, Scores)}


def test_the_band_of_ties_at_the_cutoff_by_hand() -> None:
    # q: c is first, a and b are tied for rank 2, b is useful: P@2 is 0 or 1/2; p has no tie: 1/2
    run = run_of({"q": {"c": 3.0, "a": 1.0, "b": 1.0}, "p": {"a": 2.0, "c": 1.0}}, "run")
    found = scored(run, qrels_of({"q": {"b": 1}, "p": {"a": 1}}), "P@2")["P@2"]
    assert found.values.tolist() == [0.5, 0.5]  # by document id, descending: b before a
    assert found.tied is not None
    assert found.tied.tolist() == [[0, 0.5], [0.5, 0.5]]
    assert found.tie_band == (0.25, 0.5)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(0, 2), min_size=4, max_size=5),
    st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2), min_size=1, max_size=4),
)
def test_the_band_is_that_of_every_order_of_tied_documents(levels: list[int], grades: dict[str, int]) -> None:
    scores = dict(zip("abcde", map(float, levels), strict=False))
    qrels = qrels_of({"q": grades})
    found = scored(run_of({"q": scores}), qrels, MONOTONE)
    blocks = [sorted(doc for doc in scores if scores[doc] == level) for level in sorted(set(scores.values()))[::-1]]
    possible: dict[str, list[float]] = {measure: [] for measure in found}
    for parts in product(*map(permutations, blocks)):
        order = [doc for part in parts for doc in part]
        one = run_of({"q": {doc: float(-place) for place, doc in enumerate(order)}})
        for measure, score in scored(one, qrels, MONOTONE).items():
            possible[measure].append(score.value)
    for measure, score in found.items():
        ends = (min(possible[measure]), max(possible[measure]))
        band = score.tie_band or (score.value, score.value)
        assert band == pytest.approx(ends, nan_ok=True), measure


@pytest.mark.parametrize("measure", ["nDCG(gains={0: 1, 1: 0})@2", "Judged@2", "nDCG(judged_only=True)@2", "EED@2"])
def test_a_measure_whose_ends_sorting_does_not_find_has_no_band(measure: str) -> None:
    run = run_of({"q": {"c": 3.0, "a": 1.0, "b": 1.0}})
    assert scored(run, qrels_of({"q": {"b": 1, "c": 0}}), measure)[measure].tie_band is None


def test_ties_that_change_nothing_have_no_band_and_no_remark() -> None:
    run = run_of({"q": {"a": 3.0, "b": 1.0, "c": 1.0}}, "run")
    evaluation = evaluate([run], parse_measures(["P@2"]), qrels=[qrels_of({"q": {"a": 1}})])
    assert [note.message for note in evaluation.notes] == []


def test_a_remark_names_the_band_of_each_measure_and_who_it_is_of() -> None:
    run = run_of({"q": {"c": 3.0, "a": 1.0, "b": 1.0}}, "run")
    evaluation = evaluate([run], parse_measures(["P@2, RR"]), qrels=[qrels_of({"q": {"b": 1}})])
    assert [(note.file, note.message) for note in evaluation.notes] == [
        ("run", "tied scores: P@2 from 0.000 to 0.500, RR from 0.333 to 0.500 over all orders")
    ]


def test_a_difference_carries_the_band_of_both_orders() -> None:
    # ours is 0 or 1, theirs 0 or 1 (P@1, both tie a and b): the difference is −1 to 1
    ours, theirs = (run_of({"q": {"a": 1.0, "b": 1.0}}, name) for name in ("ours", "theirs"))
    specs = parse_measures(["P@1"])
    evaluation = evaluate([ours, theirs], specs, qrels=[qrels_of({"q": {"a": 1}})])
    (row,) = against_baseline(evaluation, [ours, theirs], specs, ["theirs"]).rows
    assert row.tie_band == (-1, 1)


def test_an_order_that_the_ranks_gave_has_no_band() -> None:
    run = replace(run_of({"q": {"c": 3.0, "a": 1.0, "b": 1.0}}), ties="rank")
    assert scored(run, qrels_of({"q": {"b": 1}}), "P@2")["P@2"].tie_band is None
