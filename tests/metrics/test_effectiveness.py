"""The kernels of the usual measures against trec_eval, as ir-measures calls it: the same bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.metrics import effectiveness
from fairviz.metrics.catalogue import parse_measure, parse_measures
from fairviz.metrics.effectiveness import standard_values
from tests.nouns import qrels_of, run_of, sample_of

TEXTS = (
    "nDCG nDCG@3 nDCG@10 AP AP@3 AP(rel=2) AP(rel=2)@5 P@3 P(rel=2)@4 R@3 R(rel=2)@10 Rprec Rprec(rel=2) RR RR@3"
    " RR(rel=2) Success@2 Success(rel=2)@3 MAP NDCG@5 Precision@5 Recall@5 RPrec MRR"
)
DOCS = st.sampled_from("abcdefgh")
RANKED = st.dictionaries(DOCS, st.integers(0, 5), min_size=1)
# trec_eval leaves its memory where all grades of a query are negative, and may never come back
GRADED = st.dictionaries(DOCS, st.integers(-2, 3)).map(lambda grades: {"x": 0, **grades})
QUERIES = st.sampled_from(["q1", "q2", "q3"])


@given(st.dictionaries(QUERIES, RANKED, min_size=1), st.dictionaries(QUERIES, GRADED, min_size=1))
def test_kernels_have_the_bits_of_trec_eval(runs: dict[str, dict[str, int]], grades: dict[str, dict[str, int]]) -> None:
    """Ties, queries that were not ranked, grades below 0, cutoffs beyond the list."""
    run = run_of({query: {doc: float(score) for doc, score in ranked.items()} for query, ranked in runs.items()})
    qrels, specs = qrels_of(grades), parse_measures(TEXTS.split())
    ours = standard_values(run, qrels, specs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(effectiveness, "kernel_of", lambda *_: None)
        theirs = standard_values(run, qrels, specs)
    for spec, one, other in zip(specs, ours, theirs, strict=True):
        assert one.values.tolist() == other.values.tolist(), spec
        assert one.flags["n_zero_by_rule"] == other.flags["n_zero_by_rule"], spec


def test_samples_are_means_over_their_rankings() -> None:
    """AP of [a, b] with b useful is 1/2, of [b, a] 1; an empty ranking counts as 0."""
    sample = sample_of({"q": [["a", "b"], ["b", "a"], []]})
    (result,) = standard_values(sample, qrels_of({"q": {"b": 1}}), [parse_measure("AP")])
    np.testing.assert_allclose(result.values, [1.5 / 3])


def test_a_query_of_negative_grades_only_is_zero() -> None:
    (result,) = standard_values(run_of({"q": {"a": 1.0}}), qrels_of({"q": {"a": -1}}), [parse_measure("nDCG")])
    assert result.values.tolist() == [0]
    assert result.flags["n_zero_by_rule"] == 1


@pytest.mark.parametrize("text", ["AP(rel=0)", "P(judged_only=True)@3", "nDCG(gains={2:5})", "nDCG(dcg='log2')@3"])
def test_what_trec_eval_does_beyond_them_it_is_asked_for(text: str) -> None:
    spec = parse_measure(text)
    assert effectiveness.kernel_of(spec.name, spec) is None
