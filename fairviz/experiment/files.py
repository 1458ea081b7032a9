"""Writes files so that equal results are equal bytes."""

import gzip
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path
from typing import TextIO


def write_text(path: Path, write: Callable[[TextIO], object]) -> None:
    """Let ``write`` fill a file; a name in ``.gz`` is compressed.

    The gzip header carries no time and no name. Builds of zlib differ in the bytes they make of
    the same text, so a compressed file that already holds the text is left as it is.
    """
    text = StringIO(newline="\n")
    write(text)
    content = text.getvalue().encode()
    if path.suffix != ".gz":
        path.write_bytes(content)
    elif _held(path) != content:
        packed = BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
            file.write(content)
        path.write_bytes(packed.getvalue())


def _held(path: Path) -> bytes | None:
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError):
        return None
