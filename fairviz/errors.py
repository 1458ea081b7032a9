"""Every exception that fairviz raises on purpose.

The tree::

    FairvizError
    ├── InputError        a file cannot be read: names file, line and reason
    │   ├── DescriptionError  the description of an experiment has mistakes: all of them, a line each
    │   └── UnreadableError   a reader failed on it as nobody foresaw: a bug of fairviz, with the way to report it
    ├── OutputError       a file cannot be written: names file and reason
    ├── UsageError        a command, parameter or measure string cannot be understood
    └── UndefinedError    what was asked for has no value on this data

A wrong argument of a library function is a plain ``ValueError``. What a person should know of data that were read is no
exception: the command line prints it, and a notebook is warned of it with a :class:`DataWarning`.
"""

from collections.abc import Sequence

from fairviz.numerals import THIN


class FairvizError(Exception):
    """Base of every exception raised on purpose; catch this one."""


class InputError(FairvizError):
    """A file cannot be read.

    The text is ``FILE[:LINE]: reason``.

    Args:
        reason: What is wrong, one line, without file or line.
        file: Name of the file as the person gave it.
        line: 1-based line, where one can be named.
        fix: How to mend it, one sentence.
        row: Row that the reason names, from 0, of what has rows and no lines.
    """

    def __init__(
        self, reason: str, *, file: str = "", line: int | None = None, fix: str = "", row: int | None = None
    ) -> None:
        self.reason = reason
        self.file = file
        self.line = line
        self.fix = fix
        self.row = row
        super().__init__(str(self))

    def __str__(self) -> str:
        location = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{location}: {self.reason}" if location else self.reason


class UnreadableError(InputError):
    """A reader failed on a file in a way that nobody foresaw; the exception that it met is the cause.

    It is shown as any other error of a file, so that the other files stay usable, and says how to report it.

    Args:
        fault: What the reader met.
        file: Name of the file as the person gave it.
    """

    def __init__(self, fault: Exception, *, file: str) -> None:
        message = printable(str(fault)[:200]).strip()
        what = f"{type(fault).__name__}: {message}" if message else type(fault).__name__
        reason = f"this file could not be read, which is a bug in fairviz ({what})"
        fix = "Report it to the developers, with the file or a part of it that still fails; other files are unharmed."
        super().__init__(reason, file=file, fix=fix)


class DescriptionError(InputError):
    """The description of an experiment has mistakes; its text holds a line for each.

    Args:
        mistakes: At least one, each with the path of its key.

    Attributes:
        mistakes: As given.
    """

    def __init__(self, mistakes: Sequence[InputError]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__(mistakes[0].reason, file=mistakes[0].file, line=mistakes[0].line)

    def __str__(self) -> str:
        return "\n".join(map(str, self.mistakes))


class OutputError(FairvizError):
    """A file cannot be written, and nothing of it was: what had its name before is as it was.

    The text is ``FILE: reason``.

    Args:
        reason: What is wrong, one line, without the file.
        file: Name of the file as the person gave it.
        fix: How to mend it, one sentence.
    """

    def __init__(self, reason: str, *, file: str, fix: str = "") -> None:
        self.reason = reason
        self.file = file
        self.fix = fix
        super().__init__(f"{file}: {reason}")


class UsageError(FairvizError):
    """A command, parameter or measure string is not understood; the text names what is accepted."""


class UndefinedError(FairvizError):
    """What was asked for has no value on this data; the text says why."""


class DataWarning(UserWarning):
    """What a reader repaired, or a person should know of the data: ``FILE[:LINE]: message``."""


def printable(text: str) -> str:
    r"""Text of a person on one line, with the characters that reverse, hide or command spelled out.

    The narrow blank of our own counts stays.

    Examples:
        >>> printable("a\tb\x1b[31m"), printable("run\u202etxt")
        ('a b\\x1b[31m', 'run\\u202etxt')
        >>> printable("1\u202f000") == "1\u202f000"
        True
    """
    return text if text.isprintable() else "".join(map(_spelled, text))


def _spelled(char: str) -> str:
    if char.isprintable() or char == THIN:
        return char
    return " " if char in "\t\n" else char.encode("unicode_escape", "surrogatepass").decode()
