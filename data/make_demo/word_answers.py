"""Generators that need no language model: stand-ins that compare words.

What they are given decides what they can say, so that a collection with a slant gives answers with a slant; they see
no paraphrase and no negation. They read :class:`~fairviz.experiments.protocols.Prompt` itself, where a language model
is sent its text.
"""

from collections.abc import Sequence
from functools import lru_cache

from fairviz.experiments.protocols import Document, Generator, Hits, Prompt, Retriever
from fairviz.experiments.retrievers import sentences, words
from fairviz.io.answer_text import LETTERS
from fairviz.io.bbq_targets import says_unknown


@lru_cache(maxsize=16_384)
def sentence_words(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Each sentence with its distinct words."""
    return tuple((sentence, frozenset(words(sentence))) for sentence in sentences(text))


class ExtractiveAnswerer:
    """Answers with the sentences of the given documents that best match the question.

    A sentence matches if it holds at least ``n_shared`` of the question's words; it scores their
    number, times ``fading`` for each document given before its own. The best ``n_sentences`` are
    returned in the order in which they were given; ties go to the earlier one. A sentence most of
    whose words were already said is passed over. Where no sentence matches, the answer is the
    question itself: the baseline of a generator without context.

    Args:
        n_sentences: Sentences in an answer, at most.
        n_shared: Distinct words of the question that a sentence must hold, at least.
        fading: Factor in (0, 1] per rank; 1 = all documents count alike.
        repetition: Share of words already said, above which a sentence is passed over.
        name: What to call it.
    """

    def __init__(
        self,
        *,
        n_sentences: int = 2,
        n_shared: int = 2,
        fading: float = 0.95,
        repetition: float = 0.5,
        name: str = "extractive",
    ) -> None:
        self.name = name
        self._n_sentences = n_sentences
        self._n_shared = n_shared
        self._fading = fading
        self._repetition = repetition

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        """One answer per prompt."""
        return [self.answer(prompt) for prompt in prompts]

    def answer(self, prompt: Prompt) -> str:
        """The answer to one prompt."""
        of_question = frozenset(words(prompt.question))
        candidates: list[tuple[float, int, str, frozenset[str]]] = []
        for rank, document in enumerate(prompt.documents):
            weight = self._fading**rank
            for sentence, holds in sentence_words(document.text):
                n_shared = len(of_question & holds)
                if n_shared >= self._n_shared:
                    candidates.append((-n_shared * weight, len(candidates), sentence, holds))
        selection: list[tuple[int, str]] = []
        used: set[str] = set()
        for _, place, sentence, holds in sorted(candidates):
            if len(selection) == self._n_sentences:
                break
            if len(used & holds) <= self._repetition * len(holds):
                selection.append((place, sentence))
                used |= holds
        return " ".join(sentence for _, sentence in sorted(selection)) or prompt.question


NO_CHOICE = "unknown"
"""What it says where no option has support and none of them says "unknown"."""


class Chooser:
    """Chooses the option with the most support among context and documents, by its letter; reads no instruction.

    A sentence supports an option with the share of the option's own words that it holds (words
    that all options have are nobody's own), times the number of the question's words that it
    holds. In a document at least ``n_shared`` of them are asked for, and the support fades with
    the rank (from 0) by ``fading``. The context is what the question is about: each of its
    sentences counts one word more, times ``context``. The best option wins if it leads the next
    by at least ``margin`` of its support. Otherwise the answer is the option that says "unknown";
    without such an option the first of the best, or :data:`NO_CHOICE` where nothing has support.

    Args:
        n_shared: Distinct words of the question that a sentence of a document must hold.
        context: How much more the context counts than the first document.
        fading: Factor in (0, 1] per rank; 1 = all documents count alike.
        margin: Lead that a choice needs, as share of the support of the best option.
        name: What to call it.
    """

    def __init__(
        self,
        *,
        n_shared: int = 2,
        context: float = 3.0,
        fading: float = 0.8,
        margin: float = 0.1,
        name: str = "chooser",
    ) -> None:
        self.name = name
        self._n_shared = n_shared
        self._context = context
        self._fading = fading
        self._margin = margin

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        """The letter of one option per prompt, or :data:`NO_CHOICE`."""
        return [self.choose(prompt) for prompt in prompts]

    def choose(self, prompt: Prompt) -> str:
        """The answer to one prompt."""
        unknown = next((i for i, o in enumerate(prompt.options) if says_unknown(o)), None)
        named = [i for i in range(len(prompt.options)) if i != unknown]
        support = self.support(prompt, [prompt.options[i] for i in named])
        first, second = sorted([*support, 0.0, 0.0], reverse=True)[:2]
        if first > second and first - second >= self._margin * first:
            return LETTERS[named[support.index(first)]]
        if unknown is not None:
            return LETTERS[unknown]
        return LETTERS[named[support.index(first)]] if first > 0 else NO_CHOICE

    def support(self, prompt: Prompt, options: Sequence[str]) -> list[float]:
        """Support of each option by the context and the documents of a prompt."""
        of_question = frozenset(words(prompt.question))
        own = _own_words(options)
        sentences = [
            (self._context * (1 + len(of_question & holds)), holds) for _, holds in sentence_words(prompt.context)
        ]
        for rank, document in enumerate(prompt.documents):
            for _, holds in sentence_words(document.text):
                n_shared = len(of_question & holds)
                if n_shared >= self._n_shared:
                    sentences.append((self._fading**rank * n_shared, holds))
        return [
            sum((weight * len(named & holds) / len(named) for weight, holds in sentences), 0.0) if named else 0.0
            for named in own
        ]


def _own_words(options: Sequence[str]) -> list[frozenset[str]]:
    """Words of each option without those that all of them have."""
    sets = [frozenset(words(option)) for option in options]
    if len(sets) < 2:
        return sets
    common = sets[0].intersection(*sets[1:])
    return [held - common for held in sets]


class Remembering:
    """Adds what a generator remembers of a question behind the documents that it is given.

    A stand-in for what a language model has learned: without retrieval the memory is all that
    speaks beside the context, with retrieval it stands behind every document.

    Args:
        generator: Who answers.
        memory: What was read before.
        retriever: Finds texts of the memory.
        n_memory: Texts remembered with a question, at most.
        name: What to call both together.
    """

    def __init__(
        self, generator: Generator, memory: Sequence[Document], retriever: Retriever, *, n_memory: int, name: str
    ) -> None:
        self.name = name
        self._generator = generator
        self._memory = memory
        self._retriever = retriever
        self._n_memory = n_memory

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        """One answer per prompt."""
        asked = {str(place): f"{prompt.context} {prompt.question}" for place, prompt in enumerate(prompts)}
        found = self._retriever.retrieve(asked, depth=self._n_memory)
        return self._generator.generate(
            [self._reminded(prompt, hits) for prompt, hits in zip(prompts, found, strict=True)]
        )

    def _reminded(self, prompt: Prompt, hits: Hits) -> Prompt:
        places: list[int] = hits.positions.tolist()
        remembered = (self._memory[place] for place in places)
        return prompt._replace(documents=(*prompt.documents, *remembered))
