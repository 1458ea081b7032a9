import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from fairviz.experiments.protocols import Document
from fairviz.experiments.retrievers import Bm25Index, Bm25Retriever

TERMS = st.sampled_from([*"abcdefghij", "heat", "pump"])
CORPORA = st.lists(st.lists(TERMS, max_size=12), min_size=1, max_size=12).filter(any)


@given(
    corpus=CORPORA,
    question=st.lists(TERMS | st.just("nowhere"), max_size=8),
    k1=st.floats(0.1, 3),
    b=st.floats(0, 0.99),  # at 1 the library divides 0 by 0 for a document without words
    epsilon=st.floats(0, 1),
)
def test_scores_are_those_of_rank_bm25(
    corpus: list[list[str]], question: list[str], k1: float, b: float, epsilon: float
) -> None:
    theirs = BM25Okapi(corpus, k1=k1, b=b, epsilon=epsilon).get_scores(question)
    ours = Bm25Index(corpus, k1=k1, b=b, epsilon=epsilon).scores(question)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


def test_default_parameters_are_those_of_rank_bm25() -> None:
    corpus = [["a", "b"], ["a", "a", "c"], ["d"], ["e", "f", "g"]]
    theirs = BM25Okapi(corpus).get_scores(["a", "c"])
    np.testing.assert_allclose(Bm25Index(corpus).scores(["a", "c"]), theirs, atol=1e-12)


def test_by_hand() -> None:
    # N = 3, mean length 5/3; "b" is in one document: idf = ln 2.5 − ln 1.5.
    # tf = 1, |d| = 2: 1.5 · (1 − 0.75 + 0.75 · 2 / (5/3)) = 1.725; weight = idf · 2.5 / 2.725
    index = Bm25Index([["a", "b"], ["a"], ["c", "d"]])
    expected = (math.log(2.5) - math.log(1.5)) * 2.5 / 2.725
    np.testing.assert_allclose(index.scores(["b"]), [expected, 0, 0])


def test_a_word_asked_twice_counts_twice() -> None:
    index = Bm25Index([["a", "b"], ["c"], ["d"]])
    np.testing.assert_allclose(index.scores(["a", "a"]), 2 * index.scores(["a"]))


def test_a_corpus_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one word"):
        Bm25Index([[], []])


def _documents(*texts: str) -> list[Document]:
    return [Document(f"d{row}", "", text) for row, text in enumerate(texts)]


def test_only_documents_with_a_positive_score_are_retrieved() -> None:
    retriever = Bm25Retriever(_documents("heat pump", "tap water", "bicycle", "coffee", "pump"))
    hits = retriever.retrieve({"q": "Which pump?"}, depth=100)[0]
    assert hits.positions.tolist() == [4, 0]  # the shorter document first
    assert (hits.scores > 0).all()


def test_depth_cuts_and_ties_go_by_id_descending() -> None:
    retriever = Bm25Retriever(_documents("pump", "pump", "pump", "b", "c", "d", "e", "f"))
    assert retriever.retrieve({"q": "pump"}, depth=2)[0].positions.tolist() == [2, 1]


def test_titles_are_searched() -> None:
    corpus = [Document("a", "Heat pumps", "one"), *_documents("two", "three", "four")]
    assert Bm25Retriever(corpus).retrieve({"q": "pumps"}, depth=9)[0].positions.tolist() == [0]


def test_a_question_of_unknown_words_finds_nothing() -> None:
    assert Bm25Retriever(_documents("a b", "c")).retrieve({"q": "zzz"}, depth=9)[0].positions.size == 0
