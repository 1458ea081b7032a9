"""Files named on the command line: ``-`` is standard input, and what can be read once is named once.

Nothing here reads a file before a command does, so that ``--help`` and errors come at once.
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING, cast

from fairviz.errors import UsageError
from fairviz.extras import need

if TYPE_CHECKING:
    from fairviz.bridges.ir_datasets import Part
    from fairviz.io.source import Source

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
    for value in vars(args).values():
        for one in cast("list[object]", value) if isinstance(value, list) else [value]:
            if isinstance(one, InputFile):
                yield one
                yield one.partition("=")[2]


def _stream(file: str) -> tuple[int, int] | None:
    """What tells a stream from others; None for a file on the disk, which can be read again, and for none."""
    try:
        found = os.fstat(0) if file == DASH else Path(file).stat()
    except (OSError, ValueError):
        return None
    stored = S_ISREG(found.st_mode) or S_ISDIR(found.st_mode)
    return None if stored and file != DASH else (found.st_dev, found.st_ino)
