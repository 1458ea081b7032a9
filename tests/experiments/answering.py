"""A language model for tests: its answer is a digest of what it is sent, or what a rule says."""

from collections.abc import Callable, Generator, Iterable, Mapping
from hashlib import sha256
from itertools import islice
from typing import Any

from fairviz.experiments.protocols import Json, Reply


def digest(text: str) -> str:
    """One of the letters A to C, by the text."""
    return "ABC"[sha256(text.encode()).digest()[0] % 3]


class Oracle:
    """Counts what it is asked."""

    def __init__(
        self,
        name: str = "oracle",
        *,
        answer: Callable[[str], str] = digest,
        price: tuple[float, float] | None = None,
        revision: str = "1",
    ) -> None:
        self.name = name
        self.answer = answer
        self.price = price
        self.identity: Mapping[str, Json] = {"component": "oracle", "revision": revision}
        self.asked: list[str] = []

    def body(self, text: str) -> Mapping[str, Json]:
        return {"model": self.name, "messages": [{"role": "user", "content": text}], "max_tokens": 8}

    def replies(self, bodies: Iterable[Mapping[str, Any]]) -> Generator[Reply, None, None]:
        """Two are under way at once, and the later one comes first."""
        numbered = enumerate(bodies)
        while under_way := list(islice(numbered, 2)):
            for place, body in reversed(under_way):
                yield self._reply(place, body["messages"][0]["content"])

    def _reply(self, place: int, text: str) -> Reply:
        self.asked.append(text)
        answer = self.answer(text)
        facts: dict[str, Json] = {"prompt_tokens": len(text) // 5, "completion_tokens": 2}
        return Reply(place, answer, facts if answer else {}, "" if answer else "busy")
