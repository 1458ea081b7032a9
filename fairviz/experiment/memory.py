"""A generator that has read something before it is asked."""

from collections.abc import Sequence

from fairviz.experiment.protocols import Document, Generator, Prompt, Retriever


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
        self,
        generator: Generator,
        memory: Sequence[Document],
        retriever: Retriever,
        *,
        n_memory: int,
        name: str,
    ) -> None:
        self.name = name
        self._generator = generator
        self._memory = memory
        self._retriever = retriever
        self._n_memory = n_memory

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        """One answer per prompt."""
        return self._generator.generate([self._reminded(prompt) for prompt in prompts])

    def _reminded(self, prompt: Prompt) -> Prompt:
        found = self._retriever.retrieve(f"{prompt.context} {prompt.question}", depth=self._n_memory)
        places: list[int] = found.positions.tolist()
        remembered = (self._memory[place] for place in places)
        return prompt._replace(documents=(*prompt.documents, *remembered))
