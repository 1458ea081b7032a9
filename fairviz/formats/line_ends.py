"""Text as bytes with the line feed as only line end, byte order mark removed, no text refused."""

from collections.abc import Generator
from contextlib import contextmanager

from fairviz.errors import InputError
from fairviz.formats.gunzip import Reader
from fairviz.formats.notes import NoteBook
from fairviz.formats.source import Source
from fairviz.formats.unreadable import refuse_unreadable

_BOM = b"\xef\xbb\xbf"


@contextmanager
def opened(source: Source, book: NoteBook | None = None, *, note_crlf: bool = False) -> Generator[Reader, None, None]:
    """The bytes of a text, every line ended by a line feed, closed where the ``with`` block ends.

    Args:
        source: The input.
        book: Where a removed byte order mark and odd line ends are noted.
        note_crlf: Whether Windows line ends are worth a note.

    Raises:
        InputError: The input cannot be opened or is no text.
    """
    with source.open() as raw:
        yield _LineEnds(raw, source.name, book or NoteBook(source.name), note_crlf=note_crlf)


class _LineEnds:
    """Reads with the line feed as only line end; looks at the first bytes, removes the mark."""

    def __init__(self, raw: Reader, name: str, book: NoteBook, *, note_crlf: bool) -> None:
        self._raw = raw
        self._name = name
        self._book = book
        self._note_crlf = note_crlf
        self._started = False
        self._held = b""

    def read(self, size: int) -> bytes:
        piece = self._held + self._raw.read(size)
        self._held = b""
        if not self._started:
            piece = self._look(piece)
        if b"\r" not in piece:
            return piece
        if piece.endswith(b"\r"):  # its \n may be in the next piece
            following = self._raw.read(1)
            if following == b"\n":
                piece += following
            else:
                self._held = following
        if b"\r\n" in piece:
            piece = piece.replace(b"\r\n", b"\n")
            if self._note_crlf:
                self._book.add("CRLF line endings", kind="crlf", count=0)
        if b"\r" in piece:
            piece = piece.replace(b"\r", b"\n")
            self._book.add("CR-only line endings (old Mac)", kind="cr", count=0)
        return piece

    def _look(self, piece: bytes) -> bytes:
        self._started = True
        refuse_unreadable(piece[:4096], self._name)
        if piece.startswith(_BOM):
            self._book.add("UTF-8 byte order mark removed", 1)
            piece = piece[len(_BOM) :]
            if not piece:
                fix = "It holds a byte order mark and nothing else."
                raise InputError("empty file", file=self._name, fix=fix)
        return piece
