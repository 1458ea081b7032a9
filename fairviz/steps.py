"""How far a long computation is: said by who computes, heard by who waits for it, passed through nobody's arguments."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Listener(Protocol):
    """Who waits."""

    def expect(self, n: int) -> None:
        """There are ``n`` steps more."""
        ...

    def step(self, n: int = 1) -> None:
        """``n`` more are done."""
        ...


_LISTENING: ContextVar[Listener | None] = ContextVar("listening", default=None)


def expect(n: int) -> None:
    """Say that ``n`` more steps follow; nothing happens where nobody listens."""
    if (listener := _LISTENING.get()) is not None:
        listener.expect(n)


def step(n: int = 1) -> None:
    """Say that ``n`` more steps are done."""
    if (listener := _LISTENING.get()) is not None:
        listener.step(n)


@contextmanager
def listening(listener: Listener) -> Generator[None]:
    """Hear the steps of what is computed in the block, by this thread."""
    token = _LISTENING.set(listener)
    try:
        yield
    finally:
        _LISTENING.reset(token)
