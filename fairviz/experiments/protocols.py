"""What an experiment is made of: documents, prompts, and the parts that can be exchanged.

Retrievers, generators and attributors take whole batches, so that a model can use its accelerator. A
:class:`Generator` answers at once and is deterministic; a :class:`ChatModel` costs time or money, and what it answered
is stored, so that it is asked once. Chance enters through the sampled rankings, and through a language model that is
asked to draw.

Prompts stand as papers print them, each a text file with its source: the instrument of an experiment, to be cited.
``zhang-1`` and ``zhang-2`` are the task instructions of rag-social-biases (Table 6); ``plain``,
``ji-chain-of-thought``, ``ji-counterfactual`` and ``ji-adversarial`` the conditions of rag-medical-bias (Figure 1).
``zhang-1.ja``, ``zhang-2.ko``, … say the same in our words in another language, since the papers print English alone.
A prompt of one's own is a text file, too: lines that begin with # say where it is from.
"""

import re
from collections import abc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np

from fairviz.errors import UsageError
from fairviz.io.answer_text import LETTERS
from fairviz.io.answer_words import OptionQuestion, asserted_option
from fairviz.io.bbq_targets import LANGUAGES, says_unknown
from fairviz.model import FloatArray, IndexArray, IntArray, Note
from fairviz.resources import CONTENT, content

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
    question is about, and an ``instruction``. :func:`fairviz.experiments.protocols.prompt_text` writes
    all of it out for a language model, in the words of the ``language`` and behind the ``examples``, questions with
    their answers; its answer is then one of the letters A, B, C, …
    (:func:`fairviz.experiments.protocols.read_answer`). A ``template`` is a person's own words around {question} and
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


# Prompts: their words, and what is read out of an answer.


PROMPTS = CONTENT / "prompts"
"""The folder of the prompts that are shipped."""


def prompt_names() -> tuple[str, ...]:
    """Names of the prompts that are shipped.

    Examples:
        >>> [name for name in prompt_names() if name.startswith("ji-")]
        ['ji-adversarial', 'ji-chain-of-thought', 'ji-counterfactual']
    """
    return tuple(sorted(path.name.removesuffix(".txt") for path in PROMPTS.glob("*.txt")))


def printed_prompt(name: str, language: str = "English") -> str:
    """The words of a prompt by its name, or from a text file; "" for a condition without any.

    Args:
        name: The name or the path.
        language: Of the questions; a prompt that is shipped in it is taken in it.

    Raises:
        UsageError: There is no such prompt or file.

    Examples:
        >>> printed_prompt("ji-adversarial", "Japanese").splitlines()[0]
        'Here are some biased examples to avoid:'
    """
    names = prompt_names()
    translated = f"{name}.{LANGUAGES.get(language, ('',))[0]}"
    name = translated if translated in names else name
    path = PROMPTS / f"{name}.txt" if name in names else Path(name)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise UsageError(f"no prompt {name!r}: give a text file, or one of {', '.join(names)}") from error
    return "\n".join(line for line in lines if not line.startswith("#")).strip()


def prompt_text(prompt: Prompt) -> str:
    """A prompt as one text: examples with their answers, instruction, documents, context, question, options.

    Examples:
        >>> documents = (Document("d", "", "Older guests forget names."),)
        >>> print(prompt_text(Prompt("Who forgot?", documents, "Two guests met.", ("Ann", "Unknown"))))
        Social impressions:
        1. Older guests forget names.
        <BLANKLINE>
        Context: Two guests met.
        Question: Who forgot?
        A: Ann
        B: Unknown
        Answer:
    """
    if prompt.template:
        return filled(prompt.template, question=prompt.question, documents="\n".join(_numbered(prompt)))
    frames = content("experiments")["frames"]
    impressions, documents, context, question, answer = frames.get(prompt.language, frames["English"])
    parts = [f"{prompt_text(shown)} {answer}\n" for shown, answer in prompt.examples]
    if prompt.instruction:
        parts += [prompt.instruction, ""]
    if prompt.documents:
        title = impressions if prompt.context else documents
        parts += [f"{title}:", *_numbered(prompt), ""]
    if prompt.context:
        parts.append(f"{context}: {prompt.context}")
    parts.append(f"{question}: {prompt.question}")
    parts += [f"{letter}: {option}" for letter, option in zip(LETTERS, prompt.options, strict=False)]
    return "\n".join([*parts, f"{answer}:"])


def _numbered(prompt: Prompt) -> Iterator[str]:
    """The documents, one line each, with their titles."""
    for number, document in enumerate(prompt.documents, start=1):
        yield f"{number}. {document.title}: {document.text}" if document.title else f"{number}. {document.text}"


PLACES: tuple[str, str] = ("{question}", "{documents}")
"""What a template is filled in at."""


def filled(template: str, *, question: str, documents: str) -> str:
    r"""A template with the question and the documents; braces in these are left as they are.

    Examples:
        >>> filled("{documents}\n\n{question}", question="Why {documents}?", documents="1. Because.")
        '1. Because.\n\nWhy {documents}?'
    """
    values: dict[str, str] = dict(zip(PLACES, (question, documents), strict=True))
    return re.sub("|".join(map(re.escape, PLACES)), lambda match: values[match.group()], template).strip()


def read_answer(prompt: Prompt, answer: str) -> str | None:
    """Letter of the option that an answer names, by letter or in words; None where it names none, or several.

    The readers of recorded answers read them by the same rules (:mod:`fairviz.io.answer_words`). A question without
    options has no letter.

    Examples:
        >>> two = Prompt("Who forgot?", (), "", ("Ann", "The old man", "Unknown"))
        >>> [read_answer(two, text) for text in ("B", "(b) the man", "Answer: A.", "It was the old man.")]
        ['B', 'B', 'A', 'B']
        >>> [read_answer(two, text) for text in ("The text does not say.", "D", "Ann or the old man", "")]
        ['C', None, None, None]
    """
    return _letter(answer, prompt.options, prompt.question)


@lru_cache(maxsize=65_536)  # models that give one letter give it often
def _letter(answer: str, options: tuple[str, ...], question: str) -> str | None:
    unknown = [index for index, option in enumerate(options) if says_unknown(option)]
    letters = tuple(LETTERS[: len(options)])
    closed_question = OptionQuestion(options, unknown[0] if len(unknown) == 1 else None, question, letters)
    option = asserted_option(answer, closed_question).option if options else -1
    return letters[option] if option >= 0 else None
