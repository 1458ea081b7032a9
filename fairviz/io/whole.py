"""Files that are whole or absent: written beside their name, then put in its place in one step.

The bytes of ``NAME`` go to ``.NAME.part`` in the same folder, are brought to the disk, and take the name at once.
Whoever looks finds the old file, the new one or none, whenever the writer stops. Meanwhile the writer holds
``.NAME.lock``: a second one is refused. The system frees the lock of a process that dies, and the next writer clears
away what it left.
"""

import errno
import gzip
import io
import os
import re
import stat
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from hashlib import file_digest
from pathlib import Path
from typing import BinaryIO, TextIO

from filelock import BaseFileLock, FileLock, Timeout

from fairviz import system
from fairviz.errors import OutputError
from fairviz.resources import content

StrPath = str | os.PathLike[str]
GLANCE = 0.2
"""Seconds that a writer waits for a lock: longer than a look at who holds it takes, which holds it, too."""


@contextmanager
def whole_file(path: StrPath) -> Generator[BinaryIO, None, None]:
    """A file to fill, which takes its name where the ``with`` block ends well, and leaves nothing where it does not.

    A link is followed: its target is replaced. An existing file keeps its permissions. What is no file on a disk,
    such as a pipe, a terminal or ``/dev/null``, is written as it comes.

    Args:
        path: What to write. It may be read in the block: the old bytes stay until the end.

    Raises:
        OutputError: It cannot be written, or another process is writing it.
    """
    named = os.fspath(path)
    with _in_words(named):
        if _is_stream(named):  # appending: standard output may be a file that holds something already
            with _filled(io.FileIO(named, "ab")) as file:
                yield file
            return
        target, mode = _destination(named)
        lock, part = (target.with_name(f".{target.name}.{ending}") for ending in ("lock", "part"))
        with sole_writer(lock, named):
            try:
                part.unlink(missing_ok=True)  # of a writer that died: we have its lock
                with _filled(io.FileIO(part, "xb")) as file:
                    if mode is not None:
                        with suppress(PermissionError):  # file systems without permissions
                            part.chmod(mode)
                    yield file
                    file.flush()
                    os.fsync(file.fileno())
                part.replace(target)
            except BaseException:
                with suppress(OSError):
                    part.unlink()
                raise
            system.sync_folder(target.parent)


@contextmanager
def _filled(raw: io.FileIO) -> Generator[BinaryIO, None, None]:
    """An open file behind a buffer, closed at the end; on an error what the buffer holds is dropped."""
    with raw:
        file: BinaryIO = io.BufferedWriter(raw, 2**16)
        yield file
        file.flush()


def write_whole(path: StrPath, content: bytes) -> None:
    """Write a whole file at once; see :func:`whole_file`."""
    with whole_file(path) as file:
        file.write(content)


def write_text(path: Path, write: Callable[[TextIO], object]) -> None:
    """Let ``write`` fill a file with text; a name in ``.gz`` is compressed. It may be larger than memory.

    The gzip header carries no time and no name. Builds of zlib differ in the bytes they make of
    the same text, so a compressed file that already holds the text is left as it is.
    """
    with suppress(_HeldAlreadyError), whole_file(path) as file:
        if path.suffix != ".gz":
            _filled_with_text(file, write)
            return
        packed = gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)
        with io.BufferedWriter(packed) as buffered:  # its own flush would mark the stream
            _filled_with_text(buffered, write)
        file.flush()
        if _digest_held(Path(file.name)) == _digest_held(path):
            raise _HeldAlreadyError


class _HeldAlreadyError(Exception):
    """The file holds the text, and keeps its bytes."""


def _filled_with_text(file: BinaryIO, write: Callable[[TextIO], object]) -> None:
    """Let ``write`` fill an open file, which stays open."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    write(text)
    text.detach()


def _digest_held(path: Path) -> bytes | None:
    """The sha256 of the text in a compressed file, None where it is missing or broken."""
    try:
        with gzip.open(path) as file:
            return file_digest(file, "sha256").digest()
    except (OSError, EOFError, zlib.error):
        return None


@contextmanager
def sole_writer(lock: Path, named: str, *, patience: float = GLANCE) -> Generator[None, None, None]:
    """Keep a second writer away; the lock file is gone where the ``with`` block ends.

    Args:
        lock: The lock file, which holds the number of the process meanwhile.
        named: What is written, for messages.
        patience: Seconds to wait for another process.

    Raises:
        OutputError: Another process holds the lock, or it cannot be made.
    """
    file_lock = _lock_of(lock, timeout=patience)
    try:
        with _in_words(named):
            file_lock.acquire()
    except Timeout:
        process = _written(lock)
        who = f"process {process}" if process else "another process"
        raise OutputError(f"{who} is writing it", file=named, fix="Wait for it, or name another.") from None
    try:
        with suppress(OSError):  # Windows lets nobody write a file that is locked, us included
            lock.write_text(f"{os.getpid()}\n", encoding="ascii")
        yield
    finally:
        with suppress(OSError):  # while it is held: who opened it meanwhile finds that it has gone, and makes another
            lock.unlink()
        file_lock.release()


def holder(lock: Path) -> int | None:
    """Number of the process that holds a lock, None where none does."""
    if not lock.exists():
        return None
    try:
        with _lock_of(lock, timeout=0):
            return None
    except Timeout:
        return _written(lock)
    except OSError:
        return None


def _lock_of(lock: Path, *, timeout: float) -> BaseFileLock:
    return FileLock(lock, timeout=timeout, poll_interval=GLANCE / 10, thread_local=False, fallback_to_soft=False)


def _written(lock: Path) -> int:
    """The number of a process that a lock file holds; 0 where the system lets nobody read it, as Windows does."""
    try:
        return int(lock.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0


_STREAM = re.compile(r"/dev/(stdout|stderr|fd/\d+)|/proc/[^/]+/fd/\d+")


def _is_stream(named: str) -> bool:
    """Whether it is no file on a disk, or an open file of this process by its number."""
    if _STREAM.fullmatch(str(Path(named).absolute())):
        return True
    try:
        mode = Path(named).stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _destination(named: str) -> tuple[Path, int | None]:
    """Where the file lies, behind any link, and the permissions that it has if it is there."""
    mode = None
    try:
        mode = Path(named).stat().st_mode
    except FileNotFoundError:
        if named.endswith(("/", os.sep)):
            raise IsADirectoryError(errno.EISDIR, "") from None
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "")
    if mode is not None and not os.access(named, os.W_OK):
        raise PermissionError(errno.EACCES, "")
    target = Path(named).resolve()
    if not target.parent.is_dir():  # the lock would make it
        raise FileNotFoundError(errno.ENOENT, "")
    return target, None if mode is None else stat.S_IMODE(mode)


# What the system refuses, in words.


@contextmanager
def _in_words(named: str) -> Generator[None, None, None]:
    """What the system refuses, as an error of the file that a person asked for.

    Raises:
        OutputError: The system refuses.
        Timeout: A lock is held.
        BrokenPipeError: The reader has gone.
    """
    try:
        yield
    except (Timeout, BrokenPipeError):
        raise
    except OSError as error:
        raise _refused(named, error) from error


def _refused(named: str, error: OSError) -> OutputError:
    if error.errno == errno.ENOENT:
        folder = Path(named).resolve().parent
        return OutputError("its folder does not exist", file=named, fix=f"Make it first: mkdir -p {folder}")
    otherwise = {"reason": f"cannot be written: {error.strerror}", "fix": "Name another file."}
    why = content("refused_files")["written"].get(errno.errorcode.get(error.errno or 0), otherwise)
    return OutputError(why["reason"], file=named, fix=why["fix"])
