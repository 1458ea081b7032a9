"""Who counts the steps of a computation."""

from collections.abc import Generator
from contextlib import contextmanager

from fairviz.steps import listening


class Counted:
    """Steps that were announced, and those that were done."""

    def __init__(self) -> None:
        self.expected = self.done = 0

    def expect(self, n: int) -> None:
        self.expected += n

    def step(self, n: int = 1) -> None:
        self.done += n


@contextmanager
def counted() -> Generator[Counted]:
    """Count the steps of the block."""
    steps = Counted()
    with listening(steps):
        yield steps
