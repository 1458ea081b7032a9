"""What files take of the server's memory: one upload while it is read, and a session for as long as it has files.

Streamlit refuses an upload of more bytes than ``server.maxUploadSize``; here its text is held to the same number, so
that a compressed file is no way around it. Files are read one after the other, whoever sent them: their peaks do not
meet. What a session keeps is the text of its files times a factor of their kind, and is refused before it is read.
"""

from collections.abc import Generator
from contextlib import contextmanager
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from fairviz.cli.hosting import SESSION_MEMORY, asked
from fairviz.display.words import count
from fairviz.errors import InputError
from fairviz.io.source import GZIP, PARQUET, Limited, Source

if TYPE_CHECKING:
    from fairviz.io.options import Role

MB = 1024**2
"""A megabyte wherever one is said, as in ``server.maxUploadSize``."""

SESSION_DEFAULT = 1024
"""MB that a session may keep."""


class Factor(NamedTuple):
    """Bytes of memory that a byte of a file's text takes.

    Attributes:
        peak: While it is read, with the upload itself.
        kept: Afterwards, with the upload itself, as long as the session has it.
    """

    peak: float
    kept: float


MEMORY: "dict[Role, Factor]" = {
    "run": Factor(10, 2),
    "qrels": Factor(11, 2),
    "groups": Factor(23, 9),
    "target": Factor(26, 7),
    "rag": Factor(11, 3),
    "references": Factor(9, 5),
    "corpus": Factor(7, 4),
    "queries": Factor(8, 5),
    "bias-items": Factor(15, 9),
    "bias-predictions": Factor(7, 3),
    "variants": Factor(22, 5),
    "systems": Factor(39, 27),
    "manifest": Factor(8, 2),
}
"""Measured by ``benchmarks/memory.py`` and rounded up."""

IN_PARQUET = 10
"""About how many times larger its text is than a Parquet file; a gzip file is looked into."""

_READING = Lock()


@contextmanager
def reading(source: Source, role: "Role | None", held: int) -> Generator[int]:
    """Wait for one's turn to read a file, where there is room for it; gives the bytes that are kept of it.

    Args:
        source: The file, with its bytes.
        role: What it holds; None: found out by its content.
        held: Bytes that the session keeps of others.

    Raises:
        InputError: There is no room, or nobody knows what the file is.
    """
    from fairviz.io.formats import sniff  # it knows every format: when the first file comes

    size, largest = text_size(source), st.get_option("server.maxUploadSize") * MB
    if size > largest:
        raise InputError(
            f"its text takes {megabytes(size)}, and a file that is added here may hold {megabytes(largest)}",
            fix="Use the command line on your own machine, or ask who runs this server for a larger --max-upload.",
        )
    kept = round(size * MEMORY[role or sniff(source).role].kept)
    check(held, kept)
    with _READING:
        yield kept


def check(held: int, kept: int) -> None:
    """Whether a session may keep more.

    Args:
        held: Bytes that it keeps.
        kept: Bytes that it would keep, too.

    Raises:
        InputError: It may not.
    """
    most = (int(asked(SESSION_MEMORY) or SESSION_DEFAULT)) * MB
    if held + kept > most:
        raise InputError(
            f"no room for it in this session: it takes {megabytes(kept)}, your files take {megabytes(held)}, "
            f"and a session may hold {megabytes(most)}",
            fix="Remove a file that you do not need, or ask who runs this server for a larger --session-memory.",
        )


def is_reading() -> bool:
    """Whether somebody's file is being read now, so that the next one waits."""
    return _READING.locked()


def text_size(source: Source) -> int:
    r"""Bytes of a file's text.

    Raises:
        InputError: A gzip stream is damaged, or larger than any file that is read.

    Examples:
        >>> text_size(Source("my.qrels", None, b"q1 0 d1 1\n" * 1000))
        10000
    """
    if source.content.startswith(GZIP):
        text, size = Limited(BytesIO(source.content), source.name, gzipped=True), 0
        while piece := text.read(MB):
            size += len(piece)
        return size
    return len(source.content) * (IN_PARQUET if PARQUET.match(source.content) else 1)


def megabytes(size: int) -> str:
    """A size as it is said; never less than 1 MB."""
    return f"{count(max(1, round(size / MB)))} MB"
