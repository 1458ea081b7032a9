"""Gzip, one member or more, checked while it is read: truncation, damage, decompression bombs."""

import zlib
from typing import Protocol

from fairviz.errors import InputError
from fairviz.formats.limits import MAX_RATIO, MAX_TEXT, RATIO_FREE

GZIP = b"\x1f\x8b"
"""What a gzip stream begins with."""

_HEADER = 31  # zlib: largest window, gzip header and checksum
_INTAKE = 256 * 1024


class Reader(Protocol):
    """What text is read from."""

    def read(self, size: int, /) -> bytes:
        """Up to ``size`` bytes; empty at the end."""
        ...


class Inflating:
    """The text of a gzip stream.

    Args:
        raw: The stream, from its first byte.
        name: Name of the file, for messages.
    """

    def __init__(self, raw: Reader, name: str) -> None:
        self._raw = raw
        self._name = name
        self._inflate = zlib.decompressobj(wbits=_HEADER)
        self._pending = b""
        self._taken = 0
        self._given = 0
        self._done = False

    def read(self, size: int, /) -> bytes:
        """Up to ``size`` bytes of text; empty at the end.

        Raises:
            InputError: The stream is damaged, or its text larger than the limits.
        """
        pieces: list[bytes] = []
        missing = size
        while missing > 0 and not self._done:
            piece = self._step(missing)
            pieces.append(piece)
            missing -= len(piece)
            self._given += len(piece)
            if self._given > min(MAX_TEXT, max(RATIO_FREE, MAX_RATIO * self._taken)):
                self._refuse_bomb()
        return b"".join(pieces)

    def _step(self, size: int) -> bytes:
        if self._inflate.eof:
            self._next_member()
            return b""
        if not self._pending:
            self._pending = self._raw.read(_INTAKE)
            self._taken += len(self._pending)
        ended = not self._pending
        try:
            piece = self._inflate.decompress(self._pending, size)
        except zlib.error as error:
            broken = "checksum mismatch" if "check" in str(error) else "stream is damaged"
            fix = "Copy or download it again."
            raise InputError(f"gzip {broken}", file=self._name, fix=fix) from error
        if ended and not piece and not self._inflate.eof:
            fix = "The file was cut off; copy or download it again."
            raise InputError("gzip stream is truncated", file=self._name, fix=fix)
        self._pending = self._inflate.unconsumed_tail or self._inflate.unused_data
        return piece

    def _next_member(self) -> None:
        following = self._pending
        while len(following.lstrip(b"\0")) < 2 and (more := self._raw.read(_INTAKE)):
            self._taken += len(more)
            following = following.lstrip(b"\0") + more
        following = following.lstrip(b"\0")  # tapes pad the end with zeros
        if not following:
            self._done = True
            return
        if not following.startswith(GZIP):
            fix = "Compress the file again."
            raise InputError("other bytes follow the gzip stream", file=self._name, fix=fix)
        self._pending = following
        self._inflate = zlib.decompressobj(wbits=_HEADER)

    def _refuse_bomb(self) -> None:
        limit = f"{MAX_TEXT // 1024**3} GiB" if self._given > MAX_TEXT else f"{MAX_RATIO} times the compressed size"
        raise InputError(
            f"decompressed size exceeds the limit of {limit}",
            file=self._name,
            fix="If the file is what it should be, decompress it yourself and give the plain file.",
        )
