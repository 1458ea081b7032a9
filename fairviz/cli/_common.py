"""What commands share: a parser and its options, JSON, tables and notes in the terminal, a progress bar.

Nothing here reads a file but the examples of a command, so that ``--help`` and errors come at once.
"""

import argparse
import sys
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn, Protocol, TextIO

from fairviz.display.latex import latex_text
from fairviz.display.table import Json, Table, csv_text, json_text, plain_text
from fairviz.errors import InputError, UsageError
from fairviz.numerals import THIN, count
from fairviz.resources import CONTENT
from fairviz.steps import listening

if TYPE_CHECKING:
    from fairviz.model import Note

FORMATS = ("table", "json", "csv", "latex")


def examples(command: str) -> str:
    """Examples that the help of a command ends with, of ``fairviz/content/commands``; a new study may have none."""
    file = CONTENT / "commands" / f"{command}.txt"
    return file.read_text(encoding="utf-8") if file.exists() else ""


class Parser(argparse.ArgumentParser):
    """Raises :class:`UsageError` where argparse would print usage and leave."""

    def __init__(
        self,
        prog: str | None = None,
        help: str | None = None,
        description: str | None = None,
        epilog: str | None = None,
    ) -> None:
        super().__init__(
            prog=prog,
            description=description or help,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self.register("action", None, Once)
        self.register("action", "store", Once)

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        raise UsageError(f"{message} (see {self.prog} --help)")


class Once(argparse.Action):
    """Stores one value; an option that is repeated is an error, where argparse would keep the last value only."""

    _namespace: argparse.Namespace | None = None

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Keep the value, or refuse a second one."""
        if option_string is not None and self.stored_in(namespace):
            first = getattr(namespace, self.dest)
            parser.error(f"{option_string} is given twice, with {first} and with {values}, and takes one value")
        self._namespace = namespace
        setattr(namespace, self.dest, values)

    def stored_in(self, namespace: argparse.Namespace) -> bool:
        """Whether the option was written on the command line that became this namespace."""
        return self._namespace is namespace


class Commands(Protocol):
    """Where a command adds its parser."""

    def add_parser(self, name: str, *, help: str, epilog: str = "") -> argparse.ArgumentParser:
        """A new command of that name."""
        ...


LARGEST = 10**12 - 1
"""Largest seed, cutoff or size that an option takes."""


class whole_number:  # noqa: N801 -- argparse shows this name in its message
    """A type for argparse: a whole number from ``low`` to ``high``."""

    def __init__(self, low: int, high: int = LARGEST) -> None:
        self.low = low
        self.high = high

    def __call__(self, text: str) -> int:
        """The number that a text is."""
        digits = text.lstrip("0") or "0"
        if text.isascii() and text.isdigit() and len(digits) <= len(str(self.high)):
            number = int(digits)
            if self.low <= number <= self.high:
                return number
        given = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
        limits = f"at least {self.low} and at most {count(self.high)}"
        raise argparse.ArgumentTypeError(f"expected a whole number of {limits}, got {given!r}")


LONGEST_SHOWN = 40
"""Characters shown of what is no number."""


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
    text = StringIO()
    write(text)
    print_text(text.getvalue())


@contextmanager
def ids_without_blanks(files: str) -> Generator[None]:
    """Name the files whose identifiers a writer of TREC files refuses in the block.

    Raises:
        InputError: One is empty or holds a blank.
    """
    try:
        yield
    except ValueError as error:
        fix = "TREC files separate columns by blanks; give ids without them."
        raise InputError(str(error), file=files, fix=fix) from None


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


def print_tables(tables: Sequence[Table], how: str, *, shrink: Sequence[str] = ()) -> None:
    """Print tables one below the other.

    Args:
        tables: One at least.
        how: "table", "csv" (full precision) or "latex".
        shrink: Keys of columns whose names give way in text where a line is too long for a terminal.
    """
    print_text("\n".join(_text(table, how, shrink) for table in tables))


def _text(table: Table, how: str, shrink: Sequence[str]) -> str:
    if how == "csv":
        return csv_text(table, escape_formulas=False)  # programs read it
    if how == "latex":
        return latex_text(table)
    known = [key for key in shrink if key in table.keys]
    return plain_text(table, max_width=MAX_WIDTH, line_width=TERMINAL, shrink=known)


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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._heard.__exit__(kind, error, trace)
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

        said = f"  {count(self.done)} of {count(self.total)}"
        if not 0 < self.done < self.total:
            return said
        return f"{said}, about {duration((now - self._begun) / self.done * (self.total - self.done))} left"

    def _draw(self, line: str) -> None:
        """Over the line before, however long that was: ``what`` may change on the way."""
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)
