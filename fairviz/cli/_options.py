"""The parser of the command line and its options: as ``content/commands.yaml`` declares them; settings of studies."""

import argparse
import os
import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from fairviz.cli._streams import InputFile
from fairviz.errors import UsageError
from fairviz.numerals import count
from fairviz.resources import CONTENT, content
from fairviz.studies.study import Option, Settings

LONGEST_SHOWN = 40
"""Characters shown of what is no number."""


def examples(command: str) -> str:
    """Examples that the help of a command ends with, of ``fairviz/content/commands``; a new study may have none."""
    file = CONTENT / "commands" / f"{command}.txt"
    return file.read_text(encoding="utf-8") if file.exists() else ""


class Parser(argparse.ArgumentParser):
    """Raises :class:`UsageError` where argparse would print usage and leave."""

    def __init__(self, *, description: str | None = None, help: str | None = None, **keywords: Any) -> None:
        usual: dict[str, Any] = {"allow_abbrev": False, "formatter_class": argparse.RawDescriptionHelpFormatter}
        super().__init__(description=description or help, **usual, **keywords)
        self._mixes = False
        self.register("action", None, Once)
        self.register("action", "store", Once)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse words; files may stand before, between and behind options.

        Help, completion and actions of a command take words as argparse does: it refuses to mix those.
        """
        words = sys.argv[1:] if args is None else list(args)
        if self._mixes or self._subparsers or {"-h", "--help"} & {*words} or "_ARGCOMPLETE" in os.environ:
            return super().parse_known_args(words, namespace)
        self._mixes = True
        try:
            return self.parse_known_intermixed_args(words, namespace)
        finally:
            self._mixes = False

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        raise UsageError(f"{message} (see {self.prog} --help)")


class Once(argparse.Action):
    """Stores one value; an option that is repeated is an error, where argparse would keep the last value only."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: object, option_string: str | None = None
    ) -> None:
        """Keep the value, or refuse a second one."""
        value = self.const if self.nargs == 0 else values
        stored: set[str] = vars(namespace).setdefault("stored", set())
        if option_string is not None and self.dest in stored:
            first = getattr(namespace, self.dest)
            parser.error(f"{option_string} is given twice, with {first} and with {value}, and takes one value")
        stored.add(self.dest)
        setattr(namespace, self.dest, value)


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
        excerpt = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
        limits = f"at least {self.low} and at most {count(self.high)}"
        raise argparse.ArgumentTypeError(f"expected a whole number of {limits}, got {excerpt!r}")


# Options as they are declared.


def add_options(
    parser: argparse.ArgumentParser,
    entries: Iterable[str | Mapping[str, Any]],
    *,
    settings: type[Settings] = Settings,
    own: Callable[[argparse.ArgumentParser], None] | None = None,
) -> None:
    """The options of a command, in their order.

    Args:
        parser: Of the command.
        entries: Its options as ``content/commands.yaml`` has them.
        settings: What stands for ``settings`` among them.
        own: Adds what stands for ``own``: options that depend on what there is.
    """
    shared: Mapping[str, list[str | Mapping[str, Any]]] = content("commands")["shared"]
    for entry in entries:
        if entry == "settings":
            add_settings(parser, settings)
        elif entry == "own" and own is not None:
            own(parser)
        elif isinstance(entry, str):
            add_options(parser, shared[entry])
        elif "output" in entry:
            add_output_options(parser, (*entry["output"], *settings.formats))
        elif "title" in entry:
            together = parser.add_argument_group(entry["title"], entry["description"])
            for option in entry["options"]:
                _add_option(together.add_argument, **option)
        else:
            _add_option(parser.add_argument, **entry)


def _add_option(
    add: Callable[..., object], *, flags: str, type: str | None = None, whole: tuple[int, ...] = (), **keywords: Any
) -> None:
    kind = whole_number(*whole) if whole else None if type is None else TYPES[type]
    if kind is not None:
        keywords["type"] = kind
    if keywords.get("action") in ("append", "extend"):
        keywords["default"] = list[str]()
    add(*flags.split(), **keywords)


def _price(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number above 0, got {text!r}")
    return number


def _label(text: str) -> str:
    if not re.fullmatch("[A-Za-z0-9:_.-]*", text):
        raise argparse.ArgumentTypeError(f"expected letters, digits and :-_. only, got {text!r}")
    return text


TYPES: Mapping[str, Callable[[str], Any]] = {
    "file": InputFile,
    "path": Path,
    "int": int,
    "float": float,
    "price": _price,
    "label": _label,
}
"""Types of arguments by their names in ``content/commands.yaml``."""


# Where results go.


ENDINGS = {".csv": "csv", ".json": "json", ".tex": "latex", ".md": "markdown", ".html": "html"} | {
    ".zip": "bundle",
    ".xml": "junit",
    ".parquet": "parquet",
}
"""The format that the name of an output file stands for."""


def add_output_options(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """``--output``, and ``--format`` unless results have one format only."""
    if formats:
        endings = [ending for ending, name in ENDINGS.items() if name in formats]
        parser.add_argument(
            "-f",
            "--format",
            choices=formats,
            help=f"how to print results (default {formats[0]}, or by the ending of --output: {' '.join(endings)})",
        )
        parser.set_defaults(formats=formats)
    if "json" in formats:
        parser.add_argument("-j", dest="format", action=Once, nargs=0, const="json", help="--format json")
    parser.add_argument(
        "-o",
        "--output",
        dest="output_file",
        metavar="FILE",
        help="write results there, whole or not at all; it may be one of the files read (default: standard output)",
    )


def choose_format(args: argparse.Namespace) -> None:
    """Let the ending of ``--output`` say the format where nobody does, else take the first."""
    formats: tuple[str, ...] = getattr(args, "formats", ())
    if formats and args.format is None:
        file = str(args.output_file).lower()
        implied = [name for ending, name in ENDINGS.items() if file.endswith(ending) and name in formats]
        args.format = (*implied, *formats)[0]


# The settings of a study.


def add_settings(parser: argparse.ArgumentParser, settings: type[Settings]) -> None:
    """Every setting as an option."""
    for name, option in settings.options().items():
        keywords: dict[str, Any] = {"dest": name, "default": None, "help": _help(option)}
        if option.kind is bool:
            parser.add_argument(*option.flags, action=argparse.BooleanOptionalAction, **keywords)
            continue
        if isinstance(option.kind, tuple):
            keywords["metavar"] = option.metavar or f"{{{','.join(option.kind)}}}"
        else:
            keywords["metavar"] = option.metavar or {int: "N", float: "X"}.get(option.kind, name.upper())
        if option.several:
            keywords["action"] = "append"
        argument = parser.add_argument(*option.flags, type=_type(option), **keywords)
        if isinstance(option.kind, tuple):
            vars(argument)["completer"] = partial(_completed, option.kind)  # which argcomplete asks


def _completed(words: tuple[str, ...], **_: object) -> tuple[str, ...]:
    return words


def _help(option: Option) -> str:
    if option.default in (None, "", ()) or option.default != option.default or option.kind is bool:
        return option.help.replace("%", "%%")
    usual = option.default if not option.several else ", ".join(map(str, option.default))
    return f"{option.help} (default {f'{usual:g}' if isinstance(usual, float) else usual})".replace("%", "%%")


def _type(option: Option) -> Callable[[str], Any]:
    """The type of an argument: its messages are those of the setting."""
    if option.kind is int and option.read is None:
        return whole_number(int(option.low), int(option.high))

    def value(text: str) -> Any:
        try:
            return (option.read or option.value)(option.opened(text))
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return value
