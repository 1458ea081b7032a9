"""Where bytes come from: a path or an upload, plain or gzip'ed, never larger than the limits."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import BinaryIO, TypeAlias

from fairviz.errors import InputError
from fairviz.formats.gunzip import GZIP, Inflating, Reader
from fairviz.formats.limits import MAX_TEXT, MAX_UPLOAD
from fairviz.formats.unreadable import refuse_packed

FileInput: TypeAlias = str | PathLike[str] | tuple[str, bytes]
"""A path, or an upload: its name and its bytes."""


@dataclass(frozen=True, slots=True)
class Source:
    """A named input that can be opened more than once.

    Attributes:
        name: As the person gave it; used in every message.
        path: Where it is stored, or None for an upload.
        content: The bytes of an upload.
    """

    name: str
    path: Path | None = None
    content: bytes = b""

    @property
    def stem(self) -> str:
        """File name without folder and suffixes of compression and format."""
        base = self.name.replace("\\", "/").rsplit("/", 1)[-1]
        if base.lower().endswith(".gz"):
            base = base[:-3]
        return base.rsplit(".", 1)[0] if "." in base[1:] else base

    @contextmanager
    def open(self) -> Generator[Reader, None, None]:
        """A reader of the decompressed bytes, closed where the ``with`` block ends.

        Raises:
            InputError: Missing, a folder, not permitted, empty, an archive, a broken gzip file.
        """
        with self._stored() as stored:
            head = stored.read(16)
            if not head:
                fix = "It has 0 bytes; produce or download it again."
                raise InputError("empty file", file=self.name, fix=fix)
            refuse_packed(head, self.name)
            gzipped = head.startswith(GZIP)
            if self.name.lower().endswith(".gz") and not gzipped:
                fix = "Rename it without .gz, or compress it."
                raise InputError("not a gzip file (plain text named .gz)", file=self.name, fix=fix)
            rest = _Chained(head, stored)
            yield Inflating(rest, self.name) if gzipped else _Counting(rest, self.name)

    def digest(self) -> str:
        """Sha256 of the bytes as stored."""
        state = sha256()
        with self._stored() as stored:
            while piece := stored.read(1024**2):
                state.update(piece)
        return state.hexdigest()

    def _stored(self) -> BinaryIO:
        if self.path is None:
            return BytesIO(self.content)
        try:
            return self.path.open("rb")
        except FileNotFoundError:
            reason, fix = "file not found", "Check the path and the spelling."
        except IsADirectoryError:
            reason, fix = "is a directory", "Give one file."
        except PermissionError:
            reason, fix = "is a directory or may not be read", "Give a file that you may read."
        except OSError as error:
            reason, fix = f"cannot be opened: {error.strerror}", "Check the path."
        raise InputError(reason, file=self.name, fix=fix)


def as_source(file: FileInput | Source) -> Source:
    """The input as a :class:`Source`.

    Args:
        file: A path, ``(name, bytes)``, or a source.

    Raises:
        InputError: An upload larger than the limit.
    """
    if isinstance(file, Source):
        return file
    if not isinstance(file, tuple):
        return Source(str(file), Path(file))
    name, content = file
    if len(content) > MAX_UPLOAD:
        reason = f"the upload is larger than the limit of {MAX_UPLOAD // 1024**2} MB"
        raise InputError(reason, file=name, fix="Compress it with gzip, or use the command line.")
    return Source(name, None, content)


class _Chained:
    """The bytes already looked at, then the rest."""

    def __init__(self, head: bytes, rest: Reader) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int, /) -> bytes:
        if not self._head:
            return self._rest.read(size)
        head, self._head = self._head[:size], self._head[size:]
        return head + self._rest.read(size - len(head)) if size > len(head) else head


class _Counting:
    """Plain text, refused beyond the limit."""

    def __init__(self, raw: Reader, name: str) -> None:
        self._raw = raw
        self._name = name
        self._seen = 0

    def read(self, size: int, /) -> bytes:
        piece = self._raw.read(size)
        self._seen += len(piece)
        if self._seen > MAX_TEXT:
            reason = f"the file is larger than the limit of {MAX_TEXT // 1024**3} GiB"
            raise InputError(reason, file=self._name, fix="Split it into several files.")
        return piece
