"""Retrieval by vectors: the search against sorting everything, and what a model of sentence-transformers is asked."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import InputError, UsageError
from fairviz.experiments.dense import Dense, DenseRetriever, Vectors
from fairviz.experiments.protocols import Document, Json
from fairviz.experiments.store import Store


class Listed:
    """Gives texts the vectors of a list, and writes down what it was asked."""

    def __init__(self, vectors: Mapping[str, Sequence[float]], revision: str = "1") -> None:
        self._vectors = vectors
        self.identity: Mapping[str, Json] = {"component": "listed", "revision": revision}
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> Iterator[tuple[Sequence[int], Vectors]]:
        for place in reversed(range(len(texts))):  # parts come in any order
            self.asked.append(texts[place])
            yield [place], np.array([self._vectors[texts[place]]], dtype=np.float32)


def documents(*texts: str) -> list[Document]:
    return [Document(f"d{row}", "", text) for row, text in enumerate(texts)]


def test_scores_by_hand() -> None:
    # Cosines with (1, 0): (3, 4) → 3/5, (−2, 0) → −1, (1, 0) → 1; all are ranked.
    encoder = Listed({"a": (3, 4), "b": (-2, 0), "c": (1, 0), "q": (1, 0)})
    corpus = documents("a", "b", "c")
    (hits,) = DenseRetriever(corpus, encoder).retrieve({"1": "q"}, depth=9)
    assert hits.positions.tolist() == [2, 0, 1]
    assert hits.scores == pytest.approx([1, 0.6, -1], abs=1e-7)
    (hits,) = DenseRetriever(corpus, encoder, similarity="dot").retrieve({"1": "q"}, depth=2)
    assert (hits.positions.tolist(), hits.scores.tolist()) == ([0, 2], [3, 1])


def test_equal_texts_are_tied_and_ordered_by_id_descending_also_at_the_cut() -> None:
    retriever = DenseRetriever(documents(*"abababab"), Listed({"a": (1, 2), "b": (2, 1), "q": (1, 0)}))
    (hits,) = retriever.retrieve({"1": "q"}, depth=6)
    assert hits.positions.tolist() == [7, 5, 3, 1, 6, 4]
    assert len(set(hits.scores.tolist())) == 2


@given(seed=st.integers(0, 2**32 - 1), depth=st.integers(1, 80), coarse=st.booleans(), dot=st.booleans())
def test_the_search_finds_what_sorting_everything_finds(seed: int, depth: int, coarse: bool, dot: bool) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(70, 8)).astype(np.float32)
    if coarse:  # ties
        vectors = np.sign(vectors)
    names = [f"t{row}" for row in range(70)]
    encoder = Listed(dict(zip(names, vectors.tolist(), strict=True)))
    corpus = documents(*names[:30], *names[:30])
    retriever = DenseRetriever(corpus, encoder, similarity="dot" if dot else "cosine")
    found = retriever.retrieve({name: name for name in names[30:]}, depth=depth)
    exact = vectors.astype(np.float64)
    if not dot:
        exact = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    for name, hits in zip(names[30:], found, strict=True):
        scores = np.tile(exact[:30], (2, 1)) @ exact[names.index(name)]
        expected = sorted(range(60), key=lambda d, s=scores: (round(s[d], 6), corpus[d].doc_id), reverse=True)[:depth]
        given_order = [
            (round(score, 6), corpus[d].doc_id) for score, d in zip(hits.scores, hits.positions, strict=True)
        ]
        assert hits.scores == pytest.approx(scores[expected], abs=1e-6)
        assert given_order == sorted(given_order, reverse=True)
        assert len(set(hits.positions.tolist())) == min(depth, 60)


def test_a_blank_text_points_nowhere_and_a_blank_question_finds_nothing() -> None:
    retriever = DenseRetriever(documents("a", " ", "b"), Listed({"a": (1, 0), "b": (-1, 0), "q": (1, 0)}))
    found = retriever.retrieve({"1": "", "2": "q", "3": "q"}, depth=5)
    assert [hits.positions.tolist() for hits in found] == [[], [0, 1, 2], [0, 1, 2]]
    assert found[1].scores.tolist() == [1, 0, -1]
    assert retriever.retrieve({"1": " "}, depth=5)[0].positions.size == 0
    with pytest.raises(ValueError, match="at least one text"):
        DenseRetriever(documents("", " "), Listed({}))


def test_a_vector_is_computed_once_and_never_again(tmp_path: Path) -> None:
    vectors = {"a": (1.0, 2.0), "b": (2.0, 1.0), "q": (0.1, 0.7)}
    encoders = [Listed(vectors), Listed(vectors), Listed(vectors, revision="2")]
    results: list[list[float]] = []
    for encoder in encoders:
        store = Store(tmp_path / "store.sqlite")
        retriever = DenseRetriever(documents("a", "b", "a"), encoder, numbers=store)
        results += [hits.scores.tolist() for hits in retriever.retrieve({"1": "q", "2": "q"}, depth=3)]
        store.close()
    assert [sorted(encoder.asked) for encoder in encoders] == [["a", "b", "q"], [], ["a", "b", "q"]]
    assert all(scores == results[0] for scores in results)


def test_what_was_encoded_before_a_stop_is_kept(tmp_path: Path) -> None:
    class Stopped(Listed):
        def encode(self, texts: Sequence[str]) -> Iterator[tuple[Sequence[int], Vectors]]:
            for encoded in super().encode(texts):
                yield encoded
                if len(self.asked) == 2:
                    raise KeyboardInterrupt

    vectors = {name: (1.0, place) for place, name in enumerate("abcq")}
    store = Store(tmp_path / "store.sqlite")
    with pytest.raises(KeyboardInterrupt):
        DenseRetriever(documents(*"abc"), Stopped(vectors), numbers=store).retrieve({"1": "q"}, depth=3)
    again = Listed(vectors)
    DenseRetriever(documents(*"abc"), again, numbers=store).retrieve({"1": "q"}, depth=3)
    store.close()
    assert again.asked == ["b", "a"]  # the question and the last document were there


class Transformer:
    """As much of sentence-transformers as is used: a text's vector is its length and its number of words."""

    def __init__(self, model: str, **settings: object) -> None:
        if model == "none":
            raise OSError("none is not a local folder")
        self.settings = settings
        self.max_seq_length = 99

    def encode_document(self, texts: list[str], *, show_progress_bar: bool) -> np.ndarray:
        return np.array([[len(text), len(text.split())] for text in texts])

    def encode_query(self, texts: list[str], *, show_progress_bar: bool) -> np.ndarray:
        return self.encode_document([f"query: {text}" for text in texts], show_progress_bar=show_progress_bar)


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("sentence_transformers")
    module.__spec__ = ModuleSpec("sentence_transformers", None)
    module.SentenceTransformer = Transformer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


@pytest.mark.usefixtures("package")
def test_questions_and_documents_are_encoded_each_in_their_way() -> None:
    retriever = Dense(model="m", similarity="dot").build(documents("one two three", "four"))
    (hits,) = retriever.retrieve({"1": "and"}, depth=2)
    # The question is "query: and": 10 characters in 2 words.
    assert hits.positions.tolist() == [0, 1]
    assert hits.scores.tolist() == [10 * 13 + 2 * 3, 10 * 4 + 2 * 1]


@pytest.mark.usefixtures("package")
def test_weights_are_read_in_safetensors_alone_and_cut_where_it_is_set() -> None:
    model = Dense(model="m", revision="abc", max_tokens=16)
    assert model.loaded.settings == {"revision": "abc", "model_kwargs": {"use_safetensors": True}}
    assert model.loaded.max_seq_length == 16
    assert Dense(model="m").loaded.max_seq_length == 99
    settings = {"component": "dense", "model": "m", "revision": "abc", "max_tokens": 16}
    assert model.build(documents("a")).identity == {**settings, "role": "document"}


@pytest.mark.usefixtures("package")
def test_a_model_that_is_not_there_is_told() -> None:
    with pytest.raises(InputError, match=r"none: cannot be loaded \(none is not a local folder\)"):
        Dense(model="none").build(documents("a")).retrieve({"1": "q"}, depth=1)


def test_a_missing_package_is_told_with_the_install_line() -> None:
    with pytest.raises(UsageError, match=r'dense needs sentence_transformers: .* -m pip install .*\[dense\]"'):
        Dense().build(documents("a"))
