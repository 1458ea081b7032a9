"""An argument parser whose every complaint is one line, and the options that commands share."""

import argparse
from typing import NoReturn, Protocol

from fairviz.errors import UsageError

FORMATS = ("table", "json", "csv", "latex")


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

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        raise UsageError(f"{message} (see {self.prog} --help)")


class Commands(Protocol):
    """Where a command adds its parser."""

    def add_parser(self, name: str, *, help: str, epilog: str = "") -> argparse.ArgumentParser:
        """A new command of that name."""
        ...


def add_output_options(parser: argparse.ArgumentParser, *, formats: tuple[str, ...] = FORMATS) -> None:
    """``--format``, with its default ``table``."""
    parser.add_argument(
        "--format",
        choices=formats,
        default=formats[0],
        help=f"how to print results (default {formats[0]})",
    )


def add_progress_option(parser: argparse.ArgumentParser) -> None:
    """``--progress``: a bar on standard error although it is no terminal."""
    parser.add_argument(
        "--progress",
        action="store_true",
        help="show progress on standard error although it is no terminal",
    )


def add_qrels_option(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """``--qrels``, once for people's judgements and once per generator."""
    parser.add_argument(
        "--qrels",
        action="append",
        default=[],
        required=required,
        metavar="[GENERATOR=]FILE",
        help="judgements; may be given once per generator whose utility they record",
    )


def add_measures_option(parser: argparse.ArgumentParser, more: str = "") -> None:
    """``-m``, which may be given more than once; ``more`` is said of its default."""
    parser.add_argument(
        "-m",
        "--measure",
        dest="measures",
        action="append",
        default=[],
        metavar="MEASURE",
        help=f"a measure, or a list of them; may be given more than once{more}",
    )


def add_seed_option(parser: argparse.ArgumentParser, purpose: str, default: int = 0) -> None:
    """``--seed``, a whole number of at least 0."""
    parser.add_argument(
        "--seed",
        type=whole_number(0),
        default=default,
        metavar="N",
        help=f"seed of {purpose} (default {default})",
    )


class whole_number:  # noqa: N801 -- argparse shows this name in its message
    """A type for argparse: a whole number of at least ``low``."""

    def __init__(self, low: int) -> None:
        self.low = low

    def __call__(self, text: str) -> int:
        """The number that a text is."""
        if not text.isascii() or not text.isdigit() or len(text) > 12 or int(text) < self.low:
            raise argparse.ArgumentTypeError(f"expected a whole number of at least {self.low}, got {text!r}")
        return int(text)
