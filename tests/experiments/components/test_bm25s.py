"""The package's own retrieval says what must come out."""

import math
from typing import Literal

import bm25s
import numpy as np
import pytest

from fairviz import extras
from fairviz.errors import UsageError
from fairviz.experiments.components.bm25s import Bm25sRetriever, Method
from fairviz.experiments.protocols import Document

METHODS: tuple[Method, ...] = ("lucene", "robertson", "atire", "bm25l", "bm25+")
TERMS = [f"w{i}" for i in range(30)]


def documents(*texts: str) -> list[Document]:
    return [Document(f"d{row:03}", "", text) for row, text in enumerate(texts)]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4)])
def test_scores_and_order_are_those_of_the_package(method: Method, k1: float, b: float) -> None:
    rng = np.random.default_rng(5)
    common = 1 / np.arange(1, 31)
    texts = [list(rng.choice(TERMS, rng.integers(1, 40), p=common / common.sum())) for _ in range(60)]
    retriever = Bm25sRetriever(documents(*map(" ".join, texts)), method=method, k1=k1, b=b)
    theirs = bm25s.BM25(method=method, k1=k1, b=b)
    theirs.index(texts, show_progress=False)
    for _ in range(10):
        asked = [*rng.choice(TERMS, 4), "unknown"]
        found, scores = theirs.retrieve([asked], k=60, show_progress=False)
        holding = [place for place, text in enumerate(texts) if set(text) & set(asked)]
        (hits,) = retriever.retrieve({"q": " ".join(asked)}, depth=60)
        assert sorted(hits.positions.tolist()) == holding
        by_place = dict(zip(found[0].tolist(), scores[0].tolist(), strict=True))
        assert hits.scores.tolist() == [by_place[place] for place in hits.positions.tolist()]
        assert hits.scores.tolist() == sorted(hits.scores.tolist(), reverse=True)


def test_by_hand() -> None:
    # Lucene: idf = ln(1 + (3 − 1 + 0.5) / (1 + 0.5)), no factor k1 + 1; |d| = 2, mean 5/3, tf = 1:
    # weight = idf / (1 + 1.5 (0.25 + 0.75 · 2 / (5/3)))
    (hits,) = Bm25sRetriever(documents("heat pump", "pump", "tap water")).retrieve({"q": "heat"}, depth=5)
    expected = math.log(1 + 2.5 / 1.5) / (1 + 1.5 * (0.25 + 0.75 * 2 / (5 / 3)))
    assert hits.scores == pytest.approx([expected], rel=1e-6)


def test_ties_go_by_id_descending_and_unknown_words_find_nothing() -> None:
    retriever = Bm25sRetriever(documents("a1 x", "b1", "a1 y", "a1 z"))
    found = retriever.retrieve({"1": "A1!", "2": "nowhere", "3": ""}, depth=2)
    assert [hits.positions.tolist() for hits in found] == [[3, 2], [], []]


def test_a_corpus_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one word"):
        Bm25sRetriever(documents("", "the of"))


def test_a_missing_package_is_told_with_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Literal[None]:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(extras, "import_module", missing)
    with pytest.raises(UsageError, match=r'bm25s needs bm25s: .* -m pip install .*\[bm25s\]"'):
        Bm25sRetriever(documents("word"))
