"""What is refused, and how it is said."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest

from fairviz.errors import InputError


@contextmanager
def refused(
    told: str = "", *, match: str | None = None, reason: str | None = None, line: int | None = None, fix: str = ""
) -> Generator[None]:
    """A block that ends in the error of a file, which has a remedy.

    Args:
        told: A part of ``FILE:LINE: REASON``.
        match: A pattern of it.
        reason: The reason, word for word.
        line: Where the fault is, if that is not told.
        fix: A part of the remedy.
    """
    with pytest.raises(InputError, match=match) as caught:
        yield
    assert told in str(caught.value)
    assert caught.value.fix
    assert fix in caught.value.fix
    assert reason in (None, caught.value.reason)
    assert line in (None, caught.value.line)
