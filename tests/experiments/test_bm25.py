import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from fairviz.experiments.protocols import Document
from fairviz.experiments.retrievers import STOP_WORDS, Bm25Index, Bm25Retriever, sentences, words

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


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("A thumb's width, 500–800 km: l'été!", ["thumb", "width", "500", "800", "km", "l", "été"]),
        (" ".join(sorted(STOP_WORDS)), []),
        ("老人迟到，我2次BBQ了", ["老人", "人迟", "迟到", "我", "2", "次", "bbq", "了"]),
        ("高齢者はカフェ", ["高齢", "齢者", "者は", "はカ", "カフ", "フェ"]),
        ("노인이 늦었다", ["노인", "인이", "늦었", "었다"]),
    ],
)
def test_words_are_lower_case_runs_without_function_words_or_pairs_of_characters(text: str, cut: list[str]) -> None:
    assert words(text) == cut


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (" It cost 2.5 coins. Really?\nYes! ", ["It cost 2.5 coins.", "Really?", "Yes!"]),
        ("  ", []),
        ("一个人。两个人！谁？ 我。", ["一个人。", "两个人！", "谁？", "我。"]),
    ],
)
def test_sentences_end_before_white_space_and_ideographic_ones_anywhere(text: str, cut: list[str]) -> None:
    assert sentences(text) == cut


def test_default_parameters_are_those_of_rank_bm25() -> None:
    corpus = [["a", "b"], ["a", "a", "c"], ["d"], ["e", "f", "g"]]
    theirs = BM25Okapi(corpus).get_scores(["a", "c"])
    np.testing.assert_allclose(Bm25Index(corpus).scores(["a", "c"]), theirs, atol=1e-12)


def test_by_hand_and_a_corpus_without_words_is_refused() -> None:
    # N = 3, mean length 5/3; "b" is in one document: idf = ln 2.5 − ln 1.5.
    # tf = 1, |d| = 2: 1.5 · (1 − 0.75 + 0.75 · 2 / (5/3)) = 1.725; weight = idf · 2.5 / 2.725
    index = Bm25Index([["a", "b"], ["a"], ["c", "d"]])
    expected = (math.log(2.5) - math.log(1.5)) * 2.5 / 2.725
    np.testing.assert_allclose(index.scores(["b"]), [expected, 0, 0])
    np.testing.assert_allclose(index.scores(["b", "b"]), [2 * expected, 0, 0])
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


def test_titles_are_searched_and_unknown_words_find_nothing() -> None:
    corpus = [Document("a", "Heat pumps", "one"), *_documents("two", "three", "four")]
    hits = Bm25Retriever(corpus).retrieve({"q": "pumps", "r": "zzz"}, depth=9)
    assert [of.positions.tolist() for of in hits] == [[0], []]
