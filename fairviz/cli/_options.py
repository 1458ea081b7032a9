"""The parser of the command line and its options: as ``content/commands.yaml`` declares them; settings of studies."""

import argparse
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn, Protocol

from fairviz.cli._streams import InputFile
from fairviz.errors import UsageError
from fairviz.numerals import count
from fairviz.resources import CONTENT, content
from fairviz.studies.study import Option, Settings

FORMATS = ("table", "json", "csv", "latex")
LONGEST_SHOWN = 40
"""Characters shown of what is no number."""


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
            add_output_options(parser, formats=tuple(entry["output"]))
        elif "title" in entry:
            together = parser.add_argument_group(entry["title"], entry["description"])
            for option in entry["options"]:
                _add_option(together.add_argument, **option)
        else:
            _add_option(parser.add_argument, **entry)


def _add_option(
    add: Callable[..., object],
    *,
    flags: str,
    type: str | None = None,
    whole: tuple[int, ...] = (),
    **keywords: Any,
) -> None:
    kind = whole_number(*whole) if whole else None if type is None else TYPES[type]
    if kind is not None:
        keywords["type"] = kind
    if keywords.get("action") in ("append", "extend"):
        keywords["default"] = []
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


class _Formatting(Once):
    """An option that also says in which format results are printed."""

    format: Once | None = None


class _OutputFile(_Formatting):
    """A file for results, whose ending names the format unless ``--format`` does."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Keep the name, and the format that it implies."""
        super().__call__(parser, namespace, values, option_string)
        implied = next((how for ending, how in ENDINGS.items() if str(values).lower().endswith(ending)), None)
        option = self.format
        if option is not None and implied in (option.choices or ()) and not option.stored_in(namespace):
            setattr(namespace, option.dest, implied)


class _Json(_Formatting):
    """``-j``: short for ``--format json``."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Set the format."""
        if self.format is not None:
            self.format(parser, namespace, "json", option_string)


ENDINGS = {".csv": "csv", ".json": "json", ".tex": "latex", ".html": "html", ".zip": "bundle"}
"""The format that the name of an output file stands for."""


def add_output_options(parser: argparse.ArgumentParser, *, formats: tuple[str, ...] = FORMATS) -> None:
    """``--format``, unless results have one format only, and ``--output``."""
    how = None
    if formats:
        endings = [ending for ending, name in ENDINGS.items() if name in formats]
        how = parser.add_argument(
            "-f",
            "--format",
            choices=formats,
            default=formats[0],
            help=f"how to print results (default {formats[0]}, or by the ending of --output: {' '.join(endings)})",
        )
    short = None
    if "json" in formats:
        short = parser.add_argument("-j", action=_Json, nargs=0, default=argparse.SUPPRESS, help="--format json")
    file = parser.add_argument(
        "-o",
        "--output",
        action=_OutputFile,
        dest="output_file",
        metavar="FILE",
        help="write results there, whole or not at all; it may be one of the files read (default: standard output)",
    )
    for setter in (file, short):
        if isinstance(setter, _Formatting) and isinstance(how, Once):
            setter.format = how


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
            vars(argument)["completer"] = _completer(option.kind)  # which argcomplete asks


def _completer(words: tuple[str, ...]) -> Callable[..., tuple[str, ...]]:
    def completer(**_: object) -> tuple[str, ...]:
        return words

    return completer


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
            return option.value(text) if option.read is None else option.read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return value
