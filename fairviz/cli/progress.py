"""A progress bar on standard error, for work that a person would otherwise wonder about."""

import sys
import time
from types import TracebackType

WIDTH = 30
PATIENCE = 0.5
"""Seconds before a bar appears: shorter work needs none."""


class Progress:
    """Counts steps; draws a bar where standard error is a terminal, or on request.

    Args:
        total: Steps in all.
        what: What is being done, in one or two words.
        force: Draw although standard error is no terminal.
    """

    def __init__(self, total: int, what: str, *, force: bool = False) -> None:
        self.total = max(total, 1)
        self.what = what
        self.done = 0
        self._shown = force or sys.stderr.isatty()
        self._force = force
        self._start = time.monotonic()
        self._drawn = 0.0
        self._width = 0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._width:
            self._draw("")
            sys.stderr.write("\r")
            sys.stderr.flush()

    def step(self, n: int = 1) -> None:
        """Count ``n`` more steps as done."""
        self.done += n
        now = time.monotonic()
        patient = self._force or now - self._start > PATIENCE
        if self._shown and patient and (now - self._drawn > 0.1 or self.done >= self.total):
            self._drawn = now
            filled = WIDTH * self.done // self.total
            bar = "#" * filled + "." * (WIDTH - filled)
            share = 100 * self.done // self.total
            self._draw(f"{self.what} [{bar}] {share:3d} %")

    def _draw(self, line: str) -> None:
        """Over the line before, however long that was: ``what`` may change on the way."""
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)
