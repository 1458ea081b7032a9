"""Text of a file: blocks of whole numbered lines, all of it as one string, or the few lines around a fault."""

import re
import tomllib
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fairviz.errors import InputError
from fairviz.io.limits import MAX_LINE
from fairviz.io.notes import NoteBook
from fairviz.io.parquet import row_lines
from fairviz.io.source import FileInput, Reader, Source, as_source, reader, refuse_unreadable

_BOM = b"\xef\xbb\xbf"


@contextmanager
def opened(source: Source, notes: NoteBook | None = None, *, note_crlf: bool = False) -> Generator[Reader, None, None]:
    """The bytes of a text, every line ended by a line feed, closed where the ``with`` block ends.

    Args:
        source: The input.
        notes: Where a removed byte order mark and odd line ends are noted.
        note_crlf: Whether Windows line ends are worth a note.

    Raises:
        InputError: The input cannot be opened or is no text.
    """
    with source.open() as raw:
        yield _LineEnds(raw, source.name, notes or NoteBook(source.name), note_crlf=note_crlf)


class _LineEnds:
    """Reads with the line feed as only line end; looks at the first bytes, removes the mark."""

    def __init__(self, raw: Reader, name: str, notes: NoteBook, *, note_crlf: bool) -> None:
        self._raw = raw
        self._name = name
        self._notes = notes
        self._note_crlf = note_crlf
        self._started = False

    def read(self, size: int) -> bytes:
        piece = self._raw.read(size)
        if not self._started:
            piece = self._look(piece)
        while piece.endswith(b"\r") and (following := self._raw.read(1)):  # it may be the \n of a Windows line end
            piece += following
        if b"\r" not in piece:  # one byte is found fifty times sooner than two
            return piece
        if b"\r\n" in piece:
            piece = piece.replace(b"\r\n", b"\n")
            if self._note_crlf:
                self._notes.tally("CRLF line endings")
        if b"\r" in piece:
            piece = piece.replace(b"\r", b"\n")
            self._notes.tally("CR-only line endings (old Mac)")
        return piece

    def _look(self, piece: bytes) -> bytes:
        self._started = True
        refuse_unreadable(piece[:4096], self._name)
        if piece.startswith(_BOM):
            self._notes.add("UTF-8 byte order mark removed", 1)
            piece = piece[len(_BOM) :]
            if not piece:
                fix = "It holds a byte order mark and nothing else."
                raise InputError("empty file", file=self._name, fix=fix)
        return piece


# Text of an input: blocks of whole numbered lines, or all of it as one string of UTF-8.


FIRST_BLOCK = 1024**2
"""A small first block: a wrong file fails after one of these, not after all of it."""

BLOCK = 8 * 1024**2
"""Beyond about 16 MiB each block costs fresh pages of memory, and time."""

_CACHED = 256 * 1024  # pieces that stay in a processor's cache


class Block(NamedTuple):
    r"""Consecutive whole lines, each ended by a line feed.

    Attributes:
        text: The bytes; ``\r\n`` and lone ``\r`` have become ``\n``.
        line: 1-based number of the first line.
        cut: Whether the last line had no line end in the file.
    """

    text: bytes
    line: int
    cut: bool = False


def line_blocks(
    source: Source, notes: NoteBook, *, max_line: int = MAX_LINE, note_crlf: bool = False
) -> Generator[Block, None, None]:
    """The lines of an input in blocks, so that memory does not grow with the file.

    Args:
        source: The input.
        notes: Where a removed byte order mark and odd line ends are noted.
        max_line: Bytes that a line may have.
        note_crlf: Whether Windows line ends are worth a note.

    Yields:
        Blocks in file order.

    Raises:
        InputError: The input is no text, or a line is longer than ``max_line`` or holds NUL.
    """
    source.refuse_large()
    with opened(source, notes, note_crlf=note_crlf) as lines:
        line, rest, want = 1, b"", FIRST_BLOCK
        while fresh := lines.read(want):
            cut = fresh.rfind(b"\n") + 1
            if cut == 0:
                rest += fresh
                if len(rest) > max_line:
                    _skip_to_line_end(lines)
                    raise _too_long(source.name, line, max_line)
                continue
            block = b"".join((rest, memoryview(fresh)[:cut]))  # one copy, not two
            rest = fresh[cut:]
            _check_lines(block, line, max_line, source.name)
            yield Block(block, line)
            line += n_of("\n", block)
            want = BLOCK
    if rest:
        _check_lines(rest + b"\n", line, max_line, source.name)
        yield Block(rest + b"\n", line, cut=True)


def read_ahead(blocks: Generator[Block, None, None]) -> Generator[Block, None, None]:
    """The blocks of :func:`line_blocks`, of which a thread reads the next while the caller works on one."""
    with closing(blocks), ThreadPoolExecutor(1) as thread:
        following = thread.submit(next, blocks, None)
        while (block := following.result()) is not None:
            following = thread.submit(next, blocks, None)
            yield block


def whole_text(source: Source, notes: NoteBook) -> str:
    """All of an input as one string.

    Raises:
        InputError: The input is no UTF-8 text.
    """
    source.refuse_large()
    with opened(source, notes) as lines:
        text = b"".join(iter(partial(lines.read, BLOCK), b""))
    _refuse_nul(text, 1, source.name)
    return decoded(text, source.name, 1)


def lines_of(text: str) -> Generator[str]:
    r"""The lines of a text with their ends, one at a time; a ``StringIO`` takes four times the text.

    Examples:
        >>> list(lines_of("a\n\nb"))
        ['a\n', '\n', 'b']
    """
    start = 0
    while end := text.find("\n", start) + 1:
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def head_of(source: Source, size: int = 64 * 1024) -> bytes:
    """The first bytes of the text, without byte order mark, for looking at the format; of Parquet of rows as JSON.

    Of JSON they are more: a record may hold long texts.
    """
    if source.is_parquet:
        text = ""
        for line in row_lines(source):
            text += line
            if len(text) > size:
                break
        return text.encode()
    with opened(source) as lines:
        head = lines.read(size)
        return head + lines.read(3 * size) if head.lstrip()[:1] in (b"{", b"[") else head


def decoded(text: bytes, name: str, line: int) -> str:
    """UTF-8 text as a string.

    Raises:
        InputError: A byte that is not UTF-8, with its line; ``line`` is that of the first byte.
    """
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        reason, at = f"invalid UTF-8 byte 0x{text[error.start]:02X}", line + text.count(b"\n", 0, error.start)
        raise InputError(reason, file=name, line=at, fix="Save the file as UTF-8.") from error


def lines_in(block: Block, name: str) -> list[str]:
    """The lines of a block as strings, without their ends.

    Raises:
        InputError: A byte that is not UTF-8, with its line.
    """
    return decoded(block.text, name, block.line).split("\n")[:-1]


def n_of(character: str, block: bytes, start: int = 0) -> int:
    """How often a character of ASCII stands in a block; ``bytes.count`` takes longer where it stands often."""
    text = np.frombuffer(block, dtype=np.uint8)
    pieces = range(start, text.size, _CACHED)
    return sum(int(np.count_nonzero(text[at : at + _CACHED] == ord(character))) for at in pieces)


def _check_lines(block: bytes, line: int, max_line: int, name: str) -> None:
    start = 0
    while len(block) - start > max_line:
        end = block.rfind(b"\n", start, start + max_line + 1) + 1
        if end == 0:
            raise _too_long(name, line + block.count(b"\n", 0, start), max_line)
        start = end
    _refuse_nul(block, line, name)


def _refuse_nul(text: bytes, line: int, name: str) -> None:
    nul = text.find(b"\0")
    if nul >= 0:
        fix = "The file may be damaged or of another kind; NUL never occurs in these formats."
        raise InputError("NUL byte", file=name, line=line + text.count(b"\n", 0, nul), fix=fix)


def _skip_to_line_end(lines: Reader) -> None:
    """Read on, so that a file that is a decompression bomb is called that."""
    while piece := lines.read(FIRST_BLOCK):
        if b"\n" in piece:
            return


def _too_long(name: str, line: int, max_line: int) -> InputError:
    reason = f"line longer than the limit of {max_line // 1024**2} MiB"
    return InputError(reason, file=name, line=line, fix="Check that the file has line breaks.")


# The lines around a fault, for a person to look at: read again, a few at a time.


_BYTES_PER_CHARACTER = 4  # at most, in UTF-8


def lines_around(file: FileInput | Source, line: int, *, reach: int = 1, longest: int = 200) -> dict[int, str]:
    """A line and its neighbours by their numbers, however large the file.

    What cannot be read is left out, bytes that are not UTF-8 are shown as replacement characters:
    the file is probably damaged, that is why somebody asks.

    Args:
        file: A path or ``(name, bytes)``, plain or gzip'ed.
        line: The line in the middle, 1-based.
        reach: How many lines before and after it.
        longest: Characters of a line that are returned.
    """
    first, last = max(line - reach, 1), line + reach
    texts: dict[int, bytes] = {}
    number = 1
    with suppress(InputError), opened(as_source(file)) as lines:
        while number <= last and (piece := lines.read(FIRST_BLOCK)):
            ends = piece.count(b"\n")
            if number + ends >= first:
                for at, text in enumerate(piece.split(b"\n"), start=number):
                    if first <= at <= last and (text or at < number + ends):
                        prefix = texts.get(at, b"")
                        texts[at] = prefix + text[: longest * _BYTES_PER_CHARACTER - len(prefix)]
            number += ends
    return {at: text.decode(errors="replace")[:longest] for at, text in sorted(texts.items())}


# Tables of TOML.


@reader
def read_toml(source: Source) -> dict[str, Any]:
    """Read the tables of a TOML file.

    Raises:
        InputError: The file cannot be read or is no TOML.
    """
    try:
        return tomllib.loads(whole_text(source, NoteBook(source.name)))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"line (\d+)", str(error))
        fix = "Write names = values: words in quotes, a comma between the values of a list."
        raise source.wrong(f"is no TOML: {error}", fix, int(line.group(1)) if line else None) from error
