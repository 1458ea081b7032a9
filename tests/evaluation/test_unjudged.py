"""How far unjudged documents could move a difference: by hand, and against every way to judge them."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.display.html import html_table
from fairviz.display.latex import latex_text
from fairviz.evaluation.baseline import bounded
from fairviz.evaluation.compare import Comparison, compare_all
from fairviz.evaluation.evaluate import evaluate
from fairviz.evaluation.tables import comparison_table
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


@pytest.mark.parametrize(("ours", "theirs"), [("ab", "ba"), ("abu", "bav")], ids=["all judged", "below the cutoff"])
def test_without_unjudged_documents_above_the_cutoff_nothing_can_move(ours: str, theirs: str) -> None:
    qrels = qrels_of({"q": {"a": 1, "b": 0}})
    row = compared(ranked({"q": ours}, "ours"), ranked({"q": theirs}, "theirs"), qrels, "P@1")
    assert (row.n_unjudged, row.bounds) == (0, (1.0, 1.0))


EXACT = ("P@3", "RBP(p=0.5)", "RR", "RR(rel=2)@2", "Success@2", "R@3", "R(rel=2)@2", "nDCG", "nDCG@2", "nDCG@3")


@settings(max_examples=20, deadline=None)
@given(
    st.permutations("abcdefg"),
    st.permutations("abcdefg"),
    st.integers(2, 4),
    st.dictionaries(st.sampled_from("abcdefz"), st.integers(0, 2), min_size=1, max_size=4),
)
def test_exact_bounds_are_the_ends_of_what_every_judgement_could_give(
    ours: list[str], theirs: list[str], depth: int, grades: dict[str, int]
) -> None:
    """Every unjudged document that either list shows above the cutoff, at every grade up to the largest."""
    lists = {"ours": ours[:depth], "theirs": theirs[:depth]}
    runs = [ranked({"q": "".join(order)}, name) for name, order in lists.items()]
    for spec in parse_measures(EXACT):
        unjudged = sorted({doc for order in lists.values() for doc in order[: spec.cutoff]} - grades.keys())
        levels = range(max(1, *grades.values(), 1) + 1)
        judged = (grades | dict(zip(unjudged, each, strict=True)) for each in product(levels, repeat=len(unjudged)))
        worlds = {f"q{i}": world for i, world in enumerate(judged)}
        whole = [ranked(dict.fromkeys(worlds, "".join(order)), name) for name, order in lists.items()]
        first, second = evaluate(whole, [spec], qrels=[qrels_of(worlds)]).scores
        assert isinstance(first, Scores)
        assert isinstance(second, Scores)
        possible = first.values - second.values
        row = compared(runs[0], runs[1], qrels_of({"q": grades}), spec.text)
        assert row.bounds == pytest.approx((possible.min(), possible.max()), abs=1e-9), spec.text


def test_every_query_has_ends_of_its_own() -> None:
    """R@1 of two queries: a is useful in q, u in r could be: 1 − 0 to 1 − 0, and 0 − 1 to 1 − 0."""
    ours, theirs = ranked({"q": "a", "r": "u"}, "ours"), ranked({"q": "b", "r": "v"}, "theirs")
    row = compared(ours, theirs, qrels_of({"q": {"a": 1, "b": 0}, "r": {"b": 0}}), "R@1")
    assert (row.difference, row.n_unjudged, row.bounds) == (0.5, 2, (0, 1))


@pytest.mark.parametrize(
    ("measures", "heading"), [("P@2, RBP, nDCG@2, RR, R@2", "if judged"), ("P@2, AP", "if judged, about")]
)
def test_bounds_that_are_not_exact_are_called_rough(measures: str, heading: str) -> None:
    ours, theirs = ranked({"q": "aux"}, "ours"), ranked({"q": "vbx"}, "theirs")
    qrels = qrels_of({"q": {"a": 1, "b": 0}})
    rows = [compared(ours, theirs, qrels, measure) for measure in measures.split(", ")]
    table = comparison_table(rows, seed=0)
    headings = dict(zip(table.keys, table.headings, strict=True))
    assert (headings["unjudged_low"], headings["unjudged_high"]) == (heading, heading)
    assert f">{heading}<" in html_table(table)
    assert heading in latex_text(table)
