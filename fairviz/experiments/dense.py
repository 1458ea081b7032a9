"""Retrieval by vectors: every document is scored by the cosine, or the product, of its vector and the question's.

The search is exact. A product of matrices in single precision finds the documents that can be among the best, and
their scores are computed in double precision, so that equal texts are tied and neither blocks nor threads can be seen
in a run. Vectors are in memory: 100,000 documents of 384 numbers take 154 MB, a million 1.5 GB; from there on, let an
index of approximate neighbours write a run, and give it to ``runs``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fairviz.errors import InputError, UndefinedError
from fairviz.experiments.description import Component, ModelNamed, ServerParameters
from fairviz.experiments.openai_server import Body, Connection, from_server
from fairviz.experiments.protocols import Document, Hits, Json, Retriever, tie_order, top_hits
from fairviz.experiments.store import Store, key_of
from fairviz.extras import need, optional
from fairviz.model import IntArray

Vectors: TypeAlias = NDArray[np.float32]
"""Single precision, as they come from models and are stored."""

Text = TypeVar("Text", str, tuple[str, str])
"""A text, or a pair such as premise and hypothesis."""


class Encoder(NamedTuple):
    """Gives every text a vector.

    Attributes:
        identity: Component and revision of the weights: with a text they say which vector this is.
        encode: Gives vectors of texts in parts, as they come: (B) which texts, and (B, W) their vectors.
    """

    identity: Mapping[str, Json]
    encode: Callable[[Sequence[Any]], Iterator[tuple[Sequence[int], Vectors]]]


def encoded(texts: Sequence[Text], encoder: Encoder, numbers: Store | None) -> dict[Text, Vectors]:
    """(W) the vector of each distinct text.

    Each part is stored as soon as it is there, so that whatever stops a run, the next one computes, or pays for, what
    is missing and nothing else.

    Args:
        texts: Equal ones are encoded once.
        encoder: Gives vectors.
        numbers: Where vectors are kept; None keeps nothing.
    """
    distinct = list(dict.fromkeys(texts))
    keys = [key_of({**encoder.identity, "text": text}) for text in distinct]
    stored = numbers.arrays(keys) if numbers else {}
    vectors = {text: stored[key] for text, key in zip(distinct, keys, strict=True) if key in stored}
    missing = [(text, key) for text, key in zip(distinct, keys, strict=True) if key not in stored]
    for places, part_vectors in encoder.encode([text for text, _ in missing]):
        of_part = [missing[index] for index in places]
        if numbers:
            numbers.keep({key: vector for (_, key), vector in zip(of_part, part_vectors, strict=True)})
        vectors.update((text, vector) for (text, _), vector in zip(of_part, part_vectors, strict=True))
    return vectors


Similarity: TypeAlias = Literal["cosine", "dot"]

QUESTIONS_AT_ONCE = 32
"""Their scores of all documents are in memory together: 13 MB for 100,000 documents."""


class DenseRetriever(Retriever):
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

    def __init__(
        self,
        corpus: Sequence[Document],
        encoder: Encoder,
        *,
        of_questions: Encoder | None = None,
        name: str = "dense",
        similarity: Similarity = "cosine",
        numbers: Store | None = None,
    ) -> None:
        self.name = name
        self._texts = [f"{document.title} {document.text}".strip() for document in corpus]
        if not any(self._texts):
            raise ValueError("a corpus needs at least one text")
        self._encoder = encoder
        self._of_questions = of_questions or encoder
        self._similarity = similarity
        self._numbers = numbers
        self.identity = encoder.identity
        self.tie_order = tie_order(corpus)

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        """For each question, the ``depth`` documents that are nearest to it; none for one without a text."""
        texts = [text for text in dict.fromkeys(questions.values()) if text.strip()]
        neighbours = self._nearest(self._vectors(texts, self._of_questions), depth) if texts else ()
        hits = dict(zip(texts, neighbours, strict=True))
        nothing = Hits(np.empty(0, np.int32), np.empty(0))
        return [hits.get(text, nothing) for text in questions.values()]

    def _nearest(self, questions: Vectors, depth: int) -> Iterator[Hits]:
        documents = self._documents
        # A product in single precision is wrong by at most about W · 2⁻²⁴ · |d| |q|, and two of them are compared.
        largest = np.linalg.norm(documents, axis=1).max() * np.linalg.norm(questions, axis=1)
        wrong = 2.1 * documents.shape[1] * 2.0**-24 * largest
        for start in range(0, len(questions), QUESTIONS_AT_ONCE):
            block = slice(start, start + QUESTIONS_AT_ONCE)
            for about, vector, slack in zip(
                questions[block] @ documents.T, questions[block], wrong[block], strict=True
            ):
                rows = _candidates(about, depth, slack)
                # Row by row, so that equal rows give equal sums wherever they stand.
                scores = np.einsum("rw,w->r", documents[rows].astype(np.float64), vector.astype(np.float64))
                yield top_hits(rows, scores, self.tie_order, depth)

    @cached_property
    def _documents(self) -> Vectors:
        return self._vectors(self._texts, self._encoder)

    def _vectors(self, texts: Sequence[str], encoder: Encoder) -> Vectors:
        """(N, W) a vector per text; a blank one points nowhere."""
        encodings = encoded([text for text in texts if text.strip()], encoder, self._numbers)
        nowhere = np.zeros_like(next(iter(encodings.values())))
        vectors = np.stack([encodings.get(text, nowhere) for text in texts])
        if self._similarity == "dot":
            return vectors
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.divide(vectors, np.where(lengths > 0, lengths, 1), dtype=np.float32)


def _candidates(about: Vectors, depth: int, slack: float) -> IntArray:
    """Rows that can be among the ``depth`` best, where scores are known up to half the slack."""
    cutoff = about.size - depth
    if cutoff <= 0:
        return np.arange(about.size)
    return np.flatnonzero(about >= np.partition(about, cutoff)[cutoff] - slack)


def from_hub(load: Callable[..., Any], model: str, revision: str) -> Any:
    """A model in safetensors, which holds no pickles: of a folder, or a name on the hub.

    Args:
        load: Of a package; takes ``revision`` and ``model_kwargs``.
        model: The folder or the name.
        revision: The commit on the hub; empty: the newest.

    Raises:
        InputError: It cannot be loaded.
    """
    try:
        return load(revision=revision or None, model_kwargs={"use_safetensors": True})
    except (OSError, ValueError) as error:
        fix = "Give a folder or a name on the hub, in safetensors."
        raise InputError(f"cannot be loaded ({error})", file=model, fix=fix) from error


PER_PART = 64
"""Texts encoded before their vectors are stored: about a second's work."""


class Dense(Component):
    """Vectors of a model of sentence-transformers, such as all-MiniLM-L6-v2 or Contriever."""

    packages = ("sentence-transformers", "torch")

    name: Literal["dense"] = "dense"
    model: ModelNamed = "sentence-transformers/all-MiniLM-L6-v2"
    """In safetensors: a folder, or a name on the hub."""
    revision: str = ""
    """The commit on the hub; not set: the newest."""
    similarity: Literal["cosine", "dot"] = "cosine"
    """Of vectors; "dot" for models that are trained so, as Contriever is."""
    max_tokens: Annotated[int, Field(ge=8, le=8_192)] | None = None
    """Longer texts are cut; not set: as the model does."""

    def build(self, corpus: Sequence[Document], *, numbers: Store | None = None) -> Retriever:
        """The retriever over a corpus; the model is loaded with the first text.

        Raises:
            UsageError: The package is missing.
        """
        need("dense", {"sentence_transformers": "dense"})
        documents, questions = self._encoder("document"), self._encoder("query")
        return DenseRetriever(
            corpus, documents, of_questions=questions, name=self.label, similarity=self.similarity, numbers=numbers
        )

    def _encoder(self, role: str) -> Encoder:
        """Some models read questions and documents differently, each behind a prompt of its own."""
        weights = {"model": self.model, "revision": self.revision, "max_tokens": self.max_tokens}
        return Encoder({"component": "dense", **weights, "role": role}, partial(self._encode, f"encode_{role}"))

    def _encode(self, method: str, texts: Sequence[str]) -> Iterator[tuple[Sequence[int], Vectors]]:
        for start in range(0, len(texts), PER_PART):
            part = range(start, min(start + PER_PART, len(texts)))
            vectors = getattr(self.loaded, method)([texts[index] for index in part], show_progress_bar=False)
            yield part, np.asarray(vectors, dtype=np.float32)

    @cached_property
    def loaded(self) -> Any:
        """The package's model.

        Raises:
            InputError: It cannot be loaded.
        """
        package = optional("sentence_transformers", extra="dense", component="dense")
        model = from_hub(partial(package.SentenceTransformer, self.model), self.model, self.revision)
        if self.max_tokens is not None:
            model.max_seq_length = self.max_tokens
        return model


class Endpoint(ServerParameters):
    """Vectors of a server that speaks OpenAI's /v1/embeddings."""

    packages = ("openai",)

    name: Literal["endpoint"] = "endpoint"
    batch: Annotated[int, Field(ge=1, le=2048)] = 64
    """Texts in one request."""
    similarity: Literal["cosine", "dot"] = "cosine"
    """Of vectors."""

    def build(self, corpus: Sequence[Document], *, numbers: Store | None = None) -> Retriever:
        """The retriever over a corpus; where the server stands is no part of its identity."""
        identity = {"component": "endpoint", "model": self.model, "revision": self.revision}
        encoder = Encoder(identity, self._encode)
        return DenseRetriever(corpus, encoder, name=self.label, similarity=self.similarity, numbers=numbers)

    def _encode(self, texts: Sequence[str]) -> Iterator[tuple[Sequence[int], Vectors]]:
        """Vectors of texts, a request at a time, in the order of their coming.

        Raises:
            UsageError: The package is missing, or the variable that should hold the key is not set.
            UndefinedError: A request was not answered; what came before it is kept.
        """
        if not texts:
            return
        parts = [range(start, min(start + self.batch, len(texts))) for start in range(0, len(texts), self.batch)]
        bodies: Iterator[Body] = (
            {"model": self.model, "input": [texts[index] for index in part], "encoding_format": "float"}
            for part in parts
        )
        for index, response, error in from_server(self, bodies, Connection.embeddings):
            vectors = None if error else _vectors(response, len(parts[index]))
            if vectors is None:
                reason = error or f"no {len(parts[index])} vectors came back"
                raise UndefinedError(f"{self.model}: texts without vectors: {reason}; run it again")
            yield parts[index], vectors


def _vectors(response: Any, n: int) -> Vectors | None:
    """(n, W) the vectors of a response in the order of its indices; None where it is none."""
    listed: Any = cast("dict[str, Any]", response).get("data") if isinstance(response, dict) else None
    try:
        by_index = {int(embedding["index"]): embedding["embedding"] for embedding in listed}
        vectors = np.array([by_index[index] for index in range(n)], dtype=np.float32)
    except (KeyError, TypeError, ValueError):
        return None
    return vectors if len(by_index) == n and vectors.ndim == 2 and vectors.size and np.isfinite(vectors).all() else None
