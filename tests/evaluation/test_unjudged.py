"""How far unjudged documents could move a difference: by hand, and against every way to judge them."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.display.html import html_table
from fairviz.evaluation.compare import Comparison, compare_all
from fairviz.evaluation.evaluate import evaluate
from fairviz.evaluation.tables import comparison_table
from fairviz.evaluation.unjudged import bounded
from fairviz.metrics.spec import parse_measures
from fairviz.model import Qrels, Run, Scores
from tests.nouns import qrels_of, run_of


def ranked(orders: dict[str, str], system: str) -> Run:
    return run_of({q: {doc: float(-i) for i, doc in enumerate(order)} for q, order in orders.items()}, system)


def compared(ours: Run, theirs: Run, qrels: Qrels, measure: str) -> Comparison:
    measures = parse_measures([measure])
    evaluation = evaluate([ours, theirs], measures, qrels=[qrels])
    scores = [score for score in evaluation.scores if isinstance(score, Scores)]
    (row,) = bounded(compare_all([(scores[0], scores[1])], seed=0), measures, [ours, theirs], evaluation.judged)
    return row


def test_bounds_by_hand() -> None:
    # P@2: ours shows a u (u unjudged), theirs v b (v unjudged); a is useful, b is not: 1/2 − 0
    # at most: u useful, v not: 2/2 − 0; at least: v useful, u not: 1/2 − 1/2
    row = compared(
        ranked({"q": "aux"}, "ours"), ranked({"q": "vbx"}, "theirs"), qrels_of({"q": {"a": 1, "b": 0}}), "P@2"
    )
    assert (row.difference, row.n_unjudged) == (0.5, 2)
    assert row.bounds == (0.0, 1.0)


def test_without_unjudged_documents_nothing_can_move() -> None:
    qrels = qrels_of({"q": {"a": 1, "b": 0}})
    row = compared(ranked({"q": "ab"}, "ours"), ranked({"q": "ba"}, "theirs"), qrels, "P@1")
    assert (row.n_unjudged, row.bounds) == (0, (1.0, 1.0))


def test_what_is_below_the_cutoff_does_not_count() -> None:
    qrels = qrels_of({"q": {"a": 1, "b": 0}})
    row = compared(ranked({"q": "abu"}, "ours"), ranked({"q": "bav"}, "theirs"), qrels, "P@1")
    assert (row.n_unjudged, row.bounds) == (0, (1.0, 1.0))


@settings(max_examples=25)
@given(
    st.permutations("abcde"),
    st.permutations("abcde"),
    st.dictionaries(st.sampled_from("abcde"), st.integers(0, 1), min_size=1, max_size=3),
)
def test_bounds_of_additive_measures_are_what_every_judgement_could_give(
    ours: list[str], theirs: list[str], grades: dict[str, int]
) -> None:
    runs = ranked({"q": "".join(ours)}, "ours"), ranked({"q": "".join(theirs)}, "theirs")
    row = compared(*runs, qrels_of({"q": grades}), "RBP(p=0.5)")
    unjudged = sorted(set("abcde") - set(grades))
    possible: list[float] = []
    for given_grades in product((0, 1), repeat=len(unjudged)):
        whole = qrels_of({"q": grades | dict(zip(unjudged, given_grades, strict=True))})
        possible.append(compared(*runs, whole, "RBP(p=0.5)").difference)
    assert row.bounds == pytest.approx((min(possible), max(possible)))


@pytest.mark.parametrize(("measures", "heading"), [("P@2, RBP", "if judged"), ("P@2, nDCG@2", "if judged, about")])
def test_bounds_of_measures_with_an_ideal_are_called_rough(measures: str, heading: str) -> None:
    ours, theirs = ranked({"q": "aux"}, "ours"), ranked({"q": "vbx"}, "theirs")
    qrels = qrels_of({"q": {"a": 1, "b": 0}})
    rows = [compared(ours, theirs, qrels, measure) for measure in measures.split(", ")]
    table = comparison_table(rows, seed=0)
    headings = dict(zip(table.keys, table.headings, strict=True))
    assert (headings["unjudged_low"], headings["unjudged_high"]) == (heading, heading)
    assert f">{heading}<" in html_table(table)
