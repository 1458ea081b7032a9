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
def standard_input_of(descriptor: int) -> Generator[None]:
    """This process with an open file on its standard input."""
    before = os.dup(0)
    os.dup2(descriptor, 0)
    try:
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)


@contextmanager
def sent(content: bytes) -> Generator[None]:
    """This process with the bytes on its standard input."""
    with piped(content) as path, standard_input_of(int(path.rsplit("/", 1)[1])):
        yield


def written(to: int, content: bytes) -> None:
    """Write all to a descriptor and close it; whoever reads may leave early."""
    with suppress(BrokenPipeError), os.fdopen(to, "wb") as pipe:
        pipe.write(content)
