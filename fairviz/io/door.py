"""The door of the readers: behind it any exception becomes an error of the file that was given."""

import gc
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from fairviz.errors import FairvizError, InputError, UnreadableError
from fairviz.io.source import FileInput, Source, as_source

P = ParamSpec("P")
R = TypeVar("R")


_lock = threading.Lock()
_n_reading = 0
_collected = True
"""Whether garbage was looked for before anybody read."""


@contextmanager
def _garbage_waits() -> Generator[None]:
    """While any thread reads, nobody looks for garbage.

    What a reader makes is kept: to go through a million objects again and again takes a third of its time.
    """
    global _n_reading, _collected
    with _lock:
        if not _n_reading:
            _collected = gc.isenabled()
        _n_reading += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _n_reading -= 1
            if _collected and not _n_reading:
                gc.enable()


def reader(read: Callable[Concatenate[FileInput | Source, P], R]) -> Callable[Concatenate[FileInput | Source, P], R]:
    """A function that reads a file, as everybody may call it.

    Whatever it raises names the file: what a person can mend as it is, the medium's fault in words, all else as an
    :class:`~fairviz.errors.UnreadableError`.

    Args:
        read: The function; the file is its first argument.
    """

    @wraps(read)
    def guarded(file: FileInput | Source, /, *args: P.args, **kwargs: P.kwargs) -> R:
        source = as_source(file)
        try:
            with _garbage_waits():
                return read(source, *args, **kwargs)
        except FairvizError:
            raise
        except OSError as error:
            reason, fix = f"cannot be read to its end: {error.strerror or error}", "Check the disk, or copy the file."
            raise InputError(reason, file=source.name, fix=fix) from error
        except Exception as error:  # the door: nothing else passes, nor takes the other files along
            raise UnreadableError(error, file=source.name) from error

    return guarded
