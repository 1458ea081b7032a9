import numpy as np
import pytest

from data.make_demo.lsa import LsaRetriever
from fairviz.experiments.protocols import Document

TEXTS = ["apple pear", "apple plum", "car road", "car bridge road", ""]
CORPUS = [Document(f"d{i}", "", text) for i, text in enumerate(TEXTS)]


def test_scores_are_those_of_a_singular_value_decomposition() -> None:
    terms = ["apple", "pear", "plum", "car", "road", "bridge"]
    counts = np.array([[text.split().count(term) for term in terms] for text in TEXTS[:4]])
    weights = counts * (1 + np.log(5 / (counts > 0).sum(axis=0)))
    weights /= np.linalg.norm(weights, axis=1, keepdims=True)
    u, s, vt = np.linalg.svd(weights, full_matrices=False)
    for rank in (1, 2, 3):
        query = vt[:rank] @ np.eye(6)[terms.index("plum")]
        places = u[:, :rank] * s[:rank]
        lengths = np.linalg.norm(places, axis=1) * np.linalg.norm(query)
        expected = np.sort(places @ query / np.where(lengths > 1e-9, lengths, 1))[::-1]
        hits = LsaRetriever(CORPUS, rank=rank).retrieve({"q": "plum"}, depth=5)[0]
        assert hits.scores == pytest.approx(expected[expected > 1e-8], abs=1e-8)


def test_related_words_are_found_at_low_rank() -> None:
    # Two directions: fruit and traffic. "pear" finds "apple plum", which has no word of it.
    hits = LsaRetriever(CORPUS, rank=2).retrieve({"q": "pear"}, depth=5)[0]
    assert hits.positions.tolist() == [1, 0], "equal scores: by id, descending"
    assert hits.scores == pytest.approx([1, 1], abs=1e-6)


def test_depth_cuts_and_empty_documents_are_never_found() -> None:
    retriever = LsaRetriever(CORPUS, rank=4)
    assert retriever.retrieve({"q": "apple car"}, depth=2)[0].positions.size == 2
    assert 4 not in retriever.retrieve({"q": "apple car"}, depth=5)[0].positions


def test_a_corpus_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one word"):
        LsaRetriever([Document("d", "", "the of")])
