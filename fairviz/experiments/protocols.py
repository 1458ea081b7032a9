"""What an experiment is made of: documents, prompts, and the parts that can be exchanged.

Retrievers, generators and attributors take whole batches, so that a model can use its accelerator. A
:class:`Generator` answers at once and is deterministic; a :class:`ChatModel` costs time or money, and what it answered
is stored, so that it is asked once. Chance enters through the sampled rankings, and through a language model that is
asked to draw.
"""

from collections import abc
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np

from fairviz.model import FloatArray, IndexArray, IntArray, Note

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"


class Document(NamedTuple):
    """One item of the corpus; its polarity is "stereo", "anti" or "neutral" in collections that test for bias."""

    doc_id: str
    title: str
    text: str
    polarity: str = ""


class Prompt(NamedTuple):
    """A question with the documents given to the generator, best first; none = no context.

    Questions with options also have ``options`` to choose from, sometimes a ``context`` that the
    question is about, and an ``instruction``. :func:`fairviz.experiments.prompts.prompt_text` writes
    all of it out for a language model, in the words of the ``language`` and behind the ``examples``, questions with
    their answers; its answer is then one of the letters A, B, C, …
    (:func:`fairviz.experiments.prompts.read_answer`). A ``template`` is a person's own words around {question} and
    {documents}, in the place of all others.
    """

    question: str
    documents: tuple[Document, ...]
    context: str = ""
    options: tuple[str, ...] = ()
    instruction: str = ""
    language: str = "English"
    examples: "tuple[tuple[Prompt, str], ...]" = ()
    template: str = ""


class Hits(NamedTuple):
    """Retrieved documents, best first.

    Attributes:
        positions: (N) places in the corpus.
        scores: (N) finite.
        decimals: How many of a score mean something; None where all do. They are cut before sampling: what is written
            is what is sampled.
    """

    positions: IndexArray
    scores: FloatArray
    decimals: int | None = 6


def tie_order(corpus: Sequence[Document]) -> IntArray:
    """(D) place of each document in a tie: by id descending, the order in which trec_eval and fairviz read a run."""
    by_id = sorted(range(len(corpus)), key=lambda row: corpus[row].doc_id, reverse=True)
    order = np.empty(len(corpus), dtype=np.int64)
    order[by_id] = np.arange(len(corpus))
    return order


def best_hits(scores: FloatArray, tie_order: IntArray, depth: int) -> Hits:
    """The ``depth`` documents with the best positive scores."""
    positive = np.flatnonzero(scores > 0)
    return top_hits(positive, scores[positive], tie_order, depth)


def top_hits(rows: IntArray, scores: FloatArray, tie_order: IntArray, depth: int) -> Hits:
    """The ``depth`` best of some documents, whatever the sign of their scores.

    Args:
        rows: (N) which documents.
        scores: (N) theirs.
        tie_order: (D) place of every document in a tie.
        depth: How many, at most.
    """
    best = np.lexsort((tie_order[rows], -scores))[:depth]
    return Hits(rows[best].astype(np.int32), scores[best])


class Retriever:
    """Scores the documents of one corpus for questions.

    Attributes:
        name: Written into every run and output.
        notes: What a reader of its results should know.
        identity: By which its weights are known: component, sha256 of files, revision, or a name; empty: it has none.
    """

    name: str
    notes: tuple[Note, ...] = ()
    identity: Mapping[str, Json] = {}

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        """For each question, given by its query id, at most ``depth`` documents, best first."""
        raise NotImplementedError


class Generator(Protocol):
    """Writes an answer from a question and the documents given with it."""

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        """One answer per prompt; equal prompts get equal answers."""
        ...


COUNTED = ("prompt_tokens", "completion_tokens")
"""Facts of an answer that are numbers."""


class Reply(NamedTuple):
    """What came back for one request.

    Attributes:
        place: Which of the requests; of a file its line.
        text: The answer; "" is one, too, unless there is an error.
        facts: What the server said of it: finish reason, tokens, the model that answered.
        error: Why there is no answer, "" where there is one.
    """

    place: int
    text: str
    facts: Mapping[str, Json] = {}
    error: str = ""


@runtime_checkable
class ChatModel(Protocol):
    """A language model that is sent chat completions, by a server or in this process."""

    @property
    def identity(self) -> Mapping[str, Json]:
        """Component and revision of the weights: with the body they say which answer this is."""
        ...

    @property
    def price(self) -> tuple[float, float] | None:
        """Prices of a million prompt tokens and of a million answer tokens; None = unknown."""
        ...

    def body(self, text: str) -> Mapping[str, Json]:
        """The chat completion that asks for an answer to a text: model, messages and every parameter."""
        ...

    def replies(self, bodies: Iterable[Mapping[str, Json]]) -> abc.Generator[Reply, None, None]:
        """One reply per body, in the order of their coming.

        A body is drawn when it is to be sent, so that whoever gives them can end them; closing the generator cancels
        what is under way.
        """
        ...


Identities: TypeAlias = Mapping[str, Mapping[str, Mapping[str, Json]]]
"""Of components, by kind ("retriever") and label; empty ones have no weights."""
