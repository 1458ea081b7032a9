"""What an experiment is made of: documents, prompts, and the three parts that can be exchanged.

Generators and attributors take whole batches, so that a language model can use its accelerator.
All parts are deterministic: chance enters an experiment through the sampled rankings alone.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from fairviz.model import FloatArray, IndexArray


class Document(NamedTuple):
    """One item of the corpus."""

    doc_id: str
    title: str
    text: str


class Prompt(NamedTuple):
    """A question with the documents given to the generator, best first; none = no context.

    Questions with options also have ``options`` to choose from, sometimes a ``context`` that the
    question is about, and an ``instruction``. :func:`fairviz.experiment.prompts.text.prompt_text` writes
    all of it out for a language model, whose answer is then one of the letters A, B, C, …
    """

    question: str
    documents: tuple[Document, ...]
    context: str = ""
    options: tuple[str, ...] = ()
    instruction: str = ""


class Hits(NamedTuple):
    """Retrieved documents: positions in the corpus and finite scores, best first."""

    positions: IndexArray
    scores: FloatArray


class Retriever(Protocol):
    """Scores the documents of one corpus for a question."""

    @property
    def name(self) -> str:
        """Written into every run and output."""
        ...

    def retrieve(self, question: str, *, depth: int) -> Hits:
        """At most ``depth`` documents, best first."""
        ...


class Generator(Protocol):
    """Writes an answer from a question and the documents given with it."""

    @property
    def name(self) -> str:
        """Written into every output; utility labels belong to it."""
        ...

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        """One answer per prompt; equal prompts get equal answers."""
        ...


class Attributor(Protocol):
    """Decides which of the given documents an answer rests on."""

    @property
    def name(self) -> str:
        """Shown beside attribution measures."""
        ...

    def attribute(self, prompts: Sequence[Prompt], answers: Sequence[str]) -> list[list[bool]]:
        """Per prompt and answer: for each given document, whether it supports the answer."""
        ...
