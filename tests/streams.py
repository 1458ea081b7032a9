"""Bytes that come through a pipe, as a shell's ``<(command)`` and ``command |`` give them."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from threading import Thread


@contextmanager
def piped(content: bytes) -> Generator[str, None, None]:
    """The path of a pipe that a thread of its own writes the bytes to."""
    reading, writing = os.pipe()
    writer = Thread(target=written, args=(writing, content))
    writer.start()
    try:
        yield f"/dev/fd/{reading}"
    finally:
        os.close(reading)
        writer.join()


@contextmanager
def sent(content: bytes) -> Generator[None, None, None]:
    """This process with the bytes on its standard input."""
    before = os.dup(0)
    try:
        with piped(content) as path:
            os.dup2(int(path.rsplit("/", 1)[1]), 0)
            try:
                yield
            finally:
                os.dup2(before, 0)
    finally:
        os.close(before)


def written(to: int, content: bytes) -> None:
    """Write all to a descriptor and close it; whoever reads may leave early."""
    with suppress(BrokenPipeError), os.fdopen(to, "wb") as pipe:
        pipe.write(content)
