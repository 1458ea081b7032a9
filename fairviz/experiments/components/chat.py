"""What all language models share: how they are set, what they are sent, and how many requests are under way.

An answer is known by the component, the revision of its weights and the whole request. Where a server stands is no
part of that: it may move.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import islice
from typing import TypeAlias, TypeVar

from fairviz.experiments.components.chat_parameters import ChatParameters
from fairviz.experiments.protocols import Json, Reply

Body: TypeAlias = Mapping[str, Json]

Answer = TypeVar("Answer")

SAMPLING = ("temperature", "max_tokens", "max_completion_tokens", "seed", "top_p", "stop")
"""Parameters that stand in a request."""


class LanguageModel(ABC):
    """A model that is sent chat completions; what is left to each is whose weights they are and how it is asked.

    Args:
        parameters: As described.
        model: Its name in requests.
        name: Its name in outputs.
    """

    component: str
    """Its name in descriptions of experiments."""

    def __init__(self, parameters: ChatParameters, *, model: str, name: str) -> None:
        self.name = name
        self._settings = parameters
        self._model = model

    @property
    @abstractmethod
    def revision(self) -> str:
        """Of the weights."""

    @property
    def identity(self) -> Mapping[str, Json]:
        """Component and revision of the weights."""
        return {"component": self.component, "revision": self.revision}

    @property
    def price(self) -> tuple[float, float] | None:
        """Of a million prompt tokens and of a million answer tokens, None unless both are given."""
        read, written = self._settings.price_input, self._settings.price_output
        return None if read is None or written is None else (read, written)

    def body(self, text: str) -> Body:
        """The chat completion that asks for an answer to a text."""
        given = self._settings.model_dump(mode="json", include=set(SAMPLING), exclude_none=True)
        return {"model": self._model, "messages": [{"role": "user", "content": text}], **given}

    @abstractmethod
    def replies(self, bodies: Iterable[Body]) -> Generator[Reply, None, None]:
        """One reply per body, in the order of their coming; closing the generator stops asking."""


def in_flight(
    bodies: Iterable[Body], begin: Callable[[int, Body], "Future[Answer]"], n: int
) -> Generator[Answer, None, None]:
    """Keep up to n requests under way, and give replies as they come.

    A body is drawn when it is to be sent, after every reply that came before was taken: whoever gives the bodies can
    end them. Closing the generator cancels what is under way.

    Args:
        bodies: What is asked.
        begin: Sends one; what it gives can be cancelled.
        n: Requests under way, at most.
    """
    numbered = enumerate(bodies)
    under_way: set[Future[Answer]] = set()
    try:
        while True:
            under_way |= {begin(place, body) for place, body in islice(numbered, n - len(under_way))}
            if not under_way:
                return
            came = wait(under_way, return_when=FIRST_COMPLETED).done.pop()
            under_way.remove(came)
            yield came.result()
    finally:
        for one in under_way:
            one.cancel()
