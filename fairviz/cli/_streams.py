"""The streams of a command: files that it reads, results, notes and progress that it prints.

Nothing here reads a file before a command does, so that ``--help`` and errors come at once.
"""

import argparse
import io
import os
import stat
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stdout
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO, cast

from fairviz.display.table import Json, json_text, plain_text
from fairviz.errors import UsageError
from fairviz.extras import need
from fairviz.numerals import THIN, count
from fairviz.steps import listening

if TYPE_CHECKING:
    from fairviz.bridges.ir_datasets import Part
    from fairviz.io.source import Source
    from fairviz.model import Note

DASH = "-"
CATALOGUE = "irds:"
"""What names of data sets of ir_datasets' catalogue begin with."""


class InputFile(str):
    """A file that a command reads, as typed: the ``type`` of each such argument.

    It may stand behind a name, as in ``GENERATOR=FILE``.
    """

    __slots__ = ()


def source_of(file: str, part: "Part | None" = None) -> "Source":
    """The input that a person names; to be made once per argument, since a stream is read here.

    Args:
        file: As typed: a path, "-", or "irds:" and the name of a data set of ir_datasets' catalogue.
        part: What of such a data set stands here.

    Raises:
        InputError: A stream that gives nothing, or more than the limit; a data set that cannot be had.
        UsageError: A data set has no place here, is not known, or ir_datasets is not installed.
    """
    from fairviz.io.source import as_source, standard_input

    if not file.startswith(CATALOGUE):
        return standard_input() if file == DASH else as_source(file)
    if part is None:
        raise UsageError(f"{file}: a data set can stand for runs and judgements alone")
    need(f"{CATALOGUE}NAME", {"ir_datasets": "irds"})
    from fairviz.bridges import ir_datasets

    return ir_datasets.source(file.removeprefix(CATALOGUE), part, name=file)


def name_of(file: str) -> str:
    """What a file is called in messages, without opening it."""
    from fairviz.io.source import STANDARD_INPUT

    return STANDARD_INPUT if file == DASH else file


def refuse_shared_streams(args: argparse.Namespace) -> None:
    """Refuse one pipe, FIFO, device or standard input for two arguments: the second would find nothing, or wait.

    Raises:
        UsageError: Two arguments name one stream.
    """
    seen: dict[tuple[int, int], str] = {}
    for file in _input_files(args):
        stream = _stream(file)
        if stream is None:
            continue
        if stream in seen:
            both = dict.fromkeys((name_of(seen[stream]), name_of(file)))
            what = f"{' and '.join(both)} {'are one stream' if len(both) > 1 else 'is given twice'}"
            raise UsageError(f"{what}, which can be read once only: save it in a file, and give that")
        seen[stream] = file


def _input_files(args: argparse.Namespace) -> Iterator[str]:
    """The files that a command reads, as typed: alone, or behind ``NAME=``."""
    for value in vars(args).values():
        for argument in cast("list[object]", value) if isinstance(value, list) else [value]:
            if isinstance(argument, InputFile):
                yield argument
                yield argument.partition("=")[2]


def _stream(file: str) -> tuple[int, int] | None:
    """What tells a stream from others; None for a file on the disk, which can be read again, and for none."""
    try:
        status = os.fstat(0) if file == DASH else Path(file).stat()
    except (OSError, ValueError):
        return None
    stored = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    return None if stored and file != DASH else (status.st_dev, status.st_ino)


# Where results go: to standard output, or to the file of ``--output``, which is then whole or as it was.


FOR_FILES = ("html", "bundle", "parquet")
"""Formats that no terminal shows as what they are."""


@contextmanager
def results_to_output(args: argparse.Namespace) -> Generator[None, None, None]:
    """Let the block print to where the arguments say.

    The file of ``--output`` is found writable before the work begins, and takes its name after all inputs were read:
    it may be one of them.

    Args:
        args: The arguments; ``output_file`` where the command prints results.

    Raises:
        OutputError: The file cannot be written.
        UsageError: Standard output is closed, a terminal that nobody could read the format on, or a file that is read
            and that the shell has emptied for it.
    """
    file = getattr(args, "output_file", None)
    if file == "":
        raise UsageError("--output: expected the name of a file")
    _refuse_emptied_input(args)
    with ExitStack() as opened:
        if file is not None and file != DASH:
            from fairviz.io.whole import whole_file  # readers load Arrow: not for --help

            to = _as_text(opened.enter_context(whole_file(file)))
        elif sys.stdout is not None:
            how = getattr(args, "format", None)
            if file is None and how in FOR_FILES and sys.stdout.isatty():
                raise UsageError(f"{how} is not for a terminal: name a file with --output FILE (- is the terminal)")
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


def _as_text(file: BinaryIO) -> io.TextIOWrapper:
    return io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="\n")


def _refuse_emptied_input(args: argparse.Namespace) -> None:
    """``fairviz … own.run > own.run``: the shell has emptied the file before the command begins."""
    try:
        output = os.fstat(sys.stdout.fileno())
    except (AttributeError, OSError):  # closed, or caught by a program: no file
        return
    if not stat.S_ISREG(output.st_mode) or output.st_size:
        return
    for name in _input_files(args):
        try:
            same = os.path.samestat(Path(name).stat(), output)
        except (OSError, ValueError):
            continue
        if same:
            reason = f"{name} is the output, too, and the shell has emptied it"
            raise UsageError(f"{reason}: bring it back, then use --output {name}")


# Standard output and standard error: JSON, tables, text without control characters, notes.


def print_json(body: Mapping[str, Json], notes: "Iterable[Note]") -> None:
    """One object with its schema and warnings; undefined = null, infinite = "inf" / "-inf"."""
    print(json_text({**body, "warnings": [{"file": n.file, "line": n.line, "message": n.message} for n in notes]}))


def print_text(text: str) -> None:
    """Text on standard output, free of characters that would steer a terminal."""
    print("\n".join(map(visible, text.rstrip("\n").split("\n"))))


def print_lines(write: Callable[[TextIO], object]) -> None:
    """What a writer of files writes: to a terminal as text is printed there, to a file or pipe as it is."""
    if not sys.stdout.isatty():
        write(sys.stdout)
        return
    text = io.StringIO()
    write(text)
    print_text(text.getvalue())


def warn(notes: "Iterable[Note]") -> None:
    """``warning: FILE[:LINE]: …`` on standard error."""
    for note in notes:
        print(one_line(f"warning: {note}"), file=sys.stderr)


def one_line(text: str) -> str:
    """Text as exactly one line."""
    return visible(text.replace("\r\n", " ").replace("\n", " "))


def visible(text: str) -> str:
    r"""Text with control and direction characters spelled out; a tab is a blank, and so is the narrow one of counts.

    Examples:
        >>> visible("a\tb\x1b[31m"), visible("1\u202f000")
        ('a b\\x1b[31m', '1 000')
    """
    return "".join(c if c.isprintable() else BLANKS.get(c) or c.encode("unicode_escape").decode() for c in text)


BLANKS = {"\t": " ", THIN: " "}


MAX_WIDTH = 180
"""Widest text in a terminal: measure strings and formulas are read whole."""
TERMINAL = 120
"""Columns of a terminal, where names can give way."""


terminal_text = partial(plain_text, max_width=MAX_WIDTH, line_width=TERMINAL)
"""A table as a terminal shows it; ``shrink`` has the keys of columns that give way where a line is too long."""


# A progress bar on standard error, for work that a person would otherwise wonder about.


WIDTH = 30
PATIENCE = 0.5
"""Seconds before a bar appears: shorter work needs none."""


class Progress:
    """Counts the steps of what is computed in its block; draws a bar where standard error is a terminal, or on request.

    Args:
        what: What is being done, in one or two words.
        force: Draw although standard error is no terminal.
        timed: Say how many are done, and how long the rest will take at this speed.
    """

    def __init__(self, what: str, *, force: bool = False, timed: bool = False) -> None:
        self.total = 0
        self.what = what
        self.done = 0
        self._shown = force or sys.stderr.isatty()
        self._force = force
        self._timed = timed
        self._start = self._begun = time.monotonic()
        self._drawn = 0.0
        self._width = 0
        self._heard = listening(self)

    def __enter__(self) -> "Progress":
        self._heard.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._heard.__exit__(*error)
        if self._width:
            self._draw("")
            sys.stderr.write("\r")
            sys.stderr.flush()

    def expect(self, n: int) -> None:
        """Count to ``n`` more."""
        self.total += n

    def step(self, n: int = 1) -> None:
        """Count ``n`` more steps as done."""
        self.done += n
        now = time.monotonic()
        patient = self._force or now - self._start > PATIENCE
        if self._shown and patient and (now - self._drawn > 0.1 or self.done >= self.total):
            self._drawn = now
            total = max(self.total, self.done, 1)
            filled = WIDTH * self.done // total
            bar = "#" * filled + "." * (WIDTH - filled)
            share = 100 * self.done // total
            self._draw(f"{self.what} [{bar}] {share:3d} %{self._rest(now) if self._timed else ''}")

    def restart(self, what: str, total: int) -> None:
        """Count something else, from its first step on."""
        self.what, self.total, self.done = what, max(total, 1), 0
        self._begun = time.monotonic()

    def _rest(self, now: float) -> str:
        from fairviz.display.words import duration

        progress = f"  {count(self.done)} of {count(self.total)}"
        if not 0 < self.done < self.total:
            return progress
        return f"{progress}, about {duration((now - self._begun) / self.done * (self.total - self.done))} left"

    def _draw(self, line: str) -> None:
        """Over the line before, however long that was: ``what`` may change on the way."""
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)
