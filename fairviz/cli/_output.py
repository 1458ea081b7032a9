"""Where results go: to standard output, or to the file of ``--output``, which is then whole or as it was."""

import argparse
import io
import os
import stat
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from typing import BinaryIO, cast

from fairviz.errors import UsageError

STANDARD_OUTPUT = "-"


@contextmanager
def results_to_output(args: argparse.Namespace) -> Generator[None, None, None]:
    """Let the block print to where the arguments say.

    The file of ``--output`` is found writable before the work begins, and takes its name after all inputs were read:
    it may be one of them.

    Args:
        args: The arguments; ``output_file`` where the command prints results.

    Raises:
        OutputError: The file cannot be written.
        UsageError: Standard output is closed, or a file that is read and that the shell has emptied for it.
    """
    file = getattr(args, "output_file", None)
    if file == "":
        raise UsageError("--output: expected the name of a file")
    _refuse_emptied_input(args)
    with ExitStack() as opened:
        if file is not None and file != STANDARD_OUTPUT:
            from fairviz.io.whole import whole_file  # readers load Arrow: not for --help

            to = _text(opened.enter_context(whole_file(file)))
        elif sys.stdout is not None:
            yield
            return
        elif hasattr(args, "output_file"):
            raise UsageError("standard output is closed, nobody would see the results: name a file with --output FILE")
        else:
            to = opened.enter_context(Path(os.devnull).open("w", encoding="utf-8"))  # it prints no results
        with redirect_stdout(to):
            yield
            to.flush()


def occupy_closed_streams() -> None:
    """Nothing in the place of standard streams that are closed, so that no file opened later gets their numbers.

    ``sys.stdout`` stays None where it is: results cannot be printed.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)


def write_any_text() -> None:
    """Names in any script, whatever the terminal's encoding."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def close_quietly() -> None:
    """Point standard output and error at nothing, so that Python's last flush does not complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in filter(None, (sys.stdout, sys.stderr)):
        os.dup2(nowhere, stream.fileno())


def _text(file: BinaryIO) -> io.TextIOWrapper:
    return io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="\n")


def _refuse_emptied_input(args: argparse.Namespace) -> None:
    """``fairviz … own.run > own.run``: the shell has emptied the file before the command begins."""
    try:
        output = os.fstat(sys.stdout.fileno())
    except (AttributeError, OSError):  # closed, or caught by a program: no file
        return
    if not stat.S_ISREG(output.st_mode) or output.st_size:
        return
    for name in _names(vars(args).values()):
        try:
            same = os.path.samestat(Path(name).stat(), output)
        except (OSError, ValueError):
            continue
        if same:
            reason = f"{name} is the output, too, and the shell has emptied it"
            raise UsageError(f"{reason}: bring it back, then use --output {name}")


def _names(values: Iterable[object]) -> Iterator[str]:
    """Every text among arguments that may name a file: alone, or behind ``NAME=``."""
    for value in values:
        if isinstance(value, str | Path):
            yield str(value)
            yield from (str(value)[i + 1 :] for i, character in enumerate(str(value)) if character == "=")
        elif isinstance(value, list | tuple):
            yield from _names(cast("Iterable[object]", value))
