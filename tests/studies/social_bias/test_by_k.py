"""A measure by number of documents: lines, a level without retrieval, a title without a verdict."""

import pytest

from fairviz.studies.social_bias.by_k import k_lines, k_title
from fairviz.studies.social_bias.rows import bias_rows
from tests.studies.social_bias.bias_world import C, S, U, answers_of, items_of

ITEMS = items_of([("A", "a"), ("B", "a")])
SIDES = [
    ({"model": "m", "setting": "w/o RAG", "k": ""}, {0: U, 1: U}),
    ({"model": "m", "setting": "stereo-set", "k": "10"}, {0: S, 1: S}),
    ({"model": "m", "setting": "stereo-set", "k": "5"}, {0: S, 1: U}),
    ({"model": "m", "setting": "anti-set", "k": "5"}, {0: C, 1: C}),
]
"""Diff-Bias_a: 0 without retrieval; 50 and 100 with 5 and 10 stereotypical documents; −100."""

ROWS = bias_rows(ITEMS, answers_of(SIDES), by=("setting", "k"), n_resamples=20)


def test_a_line_rises_in_k_and_no_retrieval_is_a_level() -> None:
    lines = {line.name: line for line in k_lines(ROWS, "diffbias_a")}
    assert lines["stereo-set"].k.tolist() == [5.0, 10.0]
    assert lines["stereo-set"].values.tolist() == [50.0, 100.0]
    assert lines["w/o RAG"].flat
    assert lines["w/o RAG"].values.tolist() == [0.0]
    assert not lines["anti-set"].flat


@pytest.mark.parametrize(("measure", "change"), [("diffbias_a", "+50 points"), ("acc_a", "−50 points")])
def test_the_title_says_how_far_a_line_moves(measure, change) -> None:  # type: ignore[no-untyped-def]
    title = k_title(k_lines(ROWS, measure), measure)
    assert title.startswith("From 5 to 10 documents, ")
    assert title.endswith(f"changes by {change} with stereo-set")
    assert k_title(k_lines(ROWS[:1], measure), measure) == "Answers by number of documents"
