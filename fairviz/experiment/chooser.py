"""A chooser among options: it counts words, it knows nothing.

A stand-in for a language model that answers multiple-choice questions. What it is given decides
what it chooses, so that a collection with a slant gives answers with a slant; it sees no
paraphrase, no negation and no instruction.
"""

from collections.abc import Sequence

from fairviz.experiment.protocols import Prompt
from fairviz.experiment.words import sentence_words, words
from fairviz.formats.letters import LETTERS

NO_CHOICE = "unknown"
"""What it says where no option has support and none of them says "unknown"."""

UNKNOWN_OPTIONS = frozenset(
    (
        *("can t answer", "can t be determined", "cannot answer", "cannot be determined"),
        *("not answerable", "not enough info", "not enough information", "not known"),
        *("undetermined", "unknown"),
    )
)
"""Options that mean "the text does not say", in lower case and without marks."""


class Chooser:
    """Chooses the option with the most support among context and documents, by its letter.

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
    """

    name = "chooser"

    def __init__(
        self,
        *,
        n_shared: int = 2,
        context: float = 3.0,
        fading: float = 0.8,
        margin: float = 0.1,
    ) -> None:
        self._n_shared = n_shared
        self._context = context
        self._fading = fading
        self._margin = margin

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        """The letter of one option per prompt, or :data:`NO_CHOICE`."""
        return [self.choose(prompt) for prompt in prompts]

    def choose(self, prompt: Prompt) -> str:
        """The answer to one prompt."""
        unknown = next((i for i, o in enumerate(prompt.options) if _says_unknown(o)), None)
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
        asked = frozenset(words(prompt.question))
        own = _own_words(options)
        sentences = [(self._context * (1 + len(asked & holds)), holds) for _, holds in sentence_words(prompt.context)]
        for rank, document in enumerate(prompt.documents):
            for _, holds in sentence_words(document.text):
                n_shared = len(asked & holds)
                if n_shared >= self._n_shared:
                    sentences.append((self._fading**rank * n_shared, holds))
        return [
            sum((weight * len(said & holds) / len(said) for weight, holds in sentences), 0.0) if said else 0.0
            for said in own
        ]


def _own_words(options: Sequence[str]) -> list[frozenset[str]]:
    """Words of each option without those that all of them have."""
    sets = [frozenset(words(option)) for option in options]
    if len(sets) < 2:
        return sets
    common = sets[0].intersection(*sets[1:])
    return [held - common for held in sets]


def _says_unknown(option: str) -> bool:
    plain = "".join(c if c.isalnum() else " " for c in option.lower())
    return " ".join(plain.split()) in UNKNOWN_OPTIONS
