"""Attribution by parts: workers do what is dear of it, each with an attributor that it builds once.

An attributor that keeps numbers is asked here and workers compute the numbers that the store lacks, so that one process
writes and a pair of texts is computed once, also where questions share it. Any other is asked in the workers, some
questions at a time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from fairviz.errors import UsageError
from fairviz.experiments.components.registry import ATTRIBUTORS, Choice, build_attributor
from fairviz.experiments.components.vectors import Encoded, Encoder, PairAttributor, Vectors
from fairviz.experiments.protocols import Attributor, Json, Numbers, Prompt, identity_of
from fairviz.experiments.store import canonical
from fairviz.partitions.executors import Work

PROMPTS = 200
"""A part has whole questions with about so many distinct prompts."""
ROUND = 2000
"""Distinct prompts whose numbers are computed before the first of them is attributed."""
PAIRS = 32
"""Pairs of texts in a part: about a second's work of a processor, and what is lost with a worker."""
MOST_BUILT = 8
"""Attributors that a process keeps: the workers of a cluster outlive the command."""

Supports: TypeAlias = list[list[bool]]
"""Per prompt: for each given document, whether it supports the answer."""


class Answered(NamedTuple):
    """The distinct prompts of one question, and an answer to each."""

    prompts: Sequence[Prompt]
    answers: Sequence[str]


class Attribution(Protocol):
    """Attributes the answers to question after question."""

    @property
    def identity(self) -> Mapping[str, Json]:
        """By which the weights of the attributor are known, if it has some."""
        ...

    def supports(self, questions: Iterable[Answered]) -> Iterator[Supports]:
        """What the attributor says of each question, in order."""
        ...


def attribution(choice: Choice, *, numbers: Numbers, work: Work | None) -> Attribution:
    """The chosen attributor at work.

    Args:
        choice: Which one.
        numbers: Where it keeps what was dear to compute.
        work: Who divides the work; None: nobody.

    Raises:
        InputError: A file of it cannot be read.
        UsageError: Its model or a package is missing.
    """
    attributor = build_attributor(choice, numbers=numbers)
    if work is None or not ATTRIBUTORS[choice.name].divided:
        return QuestionByQuestion(attributor)
    if isinstance(attributor, PairAttributor):
        return ManyAtOnce(attributor.through(DividedEncoder(attributor.encoder, choice, work)))
    return Divided(attributor, choice, work)


class QuestionByQuestion:
    """Asks the attributor here, for one question at a time."""

    def __init__(self, attributor: Attributor) -> None:
        self._attributor = attributor

    @property
    def identity(self) -> Mapping[str, Json]:
        """The attributor's."""
        return identity_of(self._attributor)

    def supports(self, questions: Iterable[Answered]) -> Iterator[Supports]:
        """What the attributor says of each question."""
        return (self._attributor.attribute(*question) for question in questions)


class ManyAtOnce(QuestionByQuestion):
    """Asks the attributor here, for many questions at once: its encoder then has enough to divide."""

    def supports(self, questions: Iterable[Answered]) -> Iterator[Supports]:
        """What the attributor says of each question."""
        for part in _parts(questions, ROUND):
            yield from _attributed(self._attributor, part)


class Divided(QuestionByQuestion):
    """Asks attributors of the workers, each for the questions of a part.

    Args:
        attributor: The same one here, which is not asked.
        choice: Which one it is.
        work: Who does the work.
    """

    def __init__(self, attributor: Attributor, choice: Choice, work: Work) -> None:
        super().__init__(attributor)
        self._choice, self._work = choice, work

    def supports(self, questions: Iterable[Answered]) -> Iterator[Supports]:
        """What the attributor says of each question."""
        tasks = (_Task(self._choice, part) for part in _parts(questions, PROMPTS))
        for of_part in self._work.results(_attributed_there, tasks):
            yield from of_part


class _Task(NamedTuple):
    """Some questions, and what attributes their answers."""

    choice: Choice
    questions: list[Answered]


def _attributed_there(task: _Task) -> list[Supports]:
    """Attribute the answers to some questions; in whichever process."""
    return list(_attributed(_built(task.choice, canonical({})), task.questions))


def _attributed(attributor: Attributor, questions: Sequence[Answered]) -> Iterator[Supports]:
    """What an attributor says of questions that it is asked for at once."""
    prompts = [prompt for question in questions for prompt in question.prompts]
    answers = [answer for question in questions for answer in question.answers]
    supports = iter(attributor.attribute(prompts, answers))
    return (list(islice(supports, len(question.prompts))) for question in questions)


def _parts(questions: Iterable[Answered], n: int) -> Iterator[list[Answered]]:
    """Whole questions, as many as bring ``n`` prompts together; the last part may have fewer."""
    part: list[Answered] = []
    n_prompts = 0
    for question in questions:
        part.append(question)
        n_prompts += len(question.prompts)
        if n_prompts >= n:
            yield part
            part, n_prompts = [], 0
    if part:
        yield part


class DividedEncoder:
    """Vectors of pairs that the encoders of workers compute.

    Args:
        encoder: The same one here, which computes nothing.
        choice: The attributor that it is part of.
        work: Who does the work.
    """

    def __init__(self, encoder: Encoder[tuple[str, str]], choice: Choice, work: Work) -> None:
        self._encoder, self._choice, self._work = encoder, choice, work

    @property
    def identity(self) -> Mapping[str, Json]:
        """The encoder's."""
        return self._encoder.identity

    def encode(self, texts: Sequence[tuple[str, str]]) -> Iterator[Encoded]:
        """Vectors of pairs, a part as soon as it and those before it are there."""
        identity = canonical(self.identity)
        parts = [range(start, min(start + PAIRS, len(texts))) for start in range(0, len(texts), PAIRS)]
        tasks = (_Pairs(self._choice, identity, [texts[place] for place in part]) for part in parts)
        for part, vectors in zip(parts, self._work.results(_encoded_there, tasks), strict=True):
            yield Encoded(part, vectors)


class _Pairs(NamedTuple):
    """Some pairs of texts, what encodes them, and by what its weights are known."""

    choice: Choice
    identity: str
    texts: list[tuple[str, str]]


def _encoded_there(task: _Pairs) -> Vectors:
    """Encode some pairs; in whichever process."""
    attributor = _built(task.choice, task.identity)
    if not isinstance(attributor, PairAttributor):
        raise TypeError(f"{task.choice.name} encodes no pairs")
    encoded = list(attributor.encoder.encode(task.texts))
    order = np.argsort([place for part in encoded for place in part.places])
    return np.concatenate([part.vectors for part in encoded])[order]


_BUILT: dict[tuple[str, str, str], Attributor] = {}
"""Attributors of this process, by name, parameters and weights; what they are called changes nothing that they say."""


def _built(choice: Choice, identity: str) -> Attributor:
    """The attributor of this process, which must have the weights that the command knows."""
    key = choice.name, repr(sorted(choice.parameters.items())), identity
    if key not in _BUILT:
        attributor = build_attributor(choice)
        if canonical(identity_of(attributor)) != identity:
            reason = "a worker finds other files under its path than this command"
            raise UsageError(f"attributor {choice.label}: {reason}; copy the same files to every machine")
        while len(_BUILT) >= MOST_BUILT:
            del _BUILT[next(iter(_BUILT))]
        _BUILT[key] = attributor
    return _BUILT[key]
