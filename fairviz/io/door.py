"""The door of the readers: behind it any exception becomes an error of the file that was given."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from fairviz.errors import FairvizError, InputError, UnreadableError
from fairviz.io.source import FileInput, Source, as_source

P = ParamSpec("P")
R = TypeVar("R")


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
            return read(source, *args, **kwargs)
        except FairvizError:
            raise
        except OSError as error:
            reason, fix = f"cannot be read to its end: {error.strerror or error}", "Check the disk, or copy the file."
            raise InputError(reason, file=source.name, fix=fix) from error
        except Exception as error:  # the door: nothing else passes, nor takes the other files along
            raise UnreadableError(error, file=source.name) from error

    return guarded
