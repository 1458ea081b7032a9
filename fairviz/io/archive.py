"""Zip archives of ours, written the same every time, and read as if somebody meant harm.

Nothing is unpacked to a disk: members are read into memory by their name, after the list of all of them was found
harmless. What it says of sizes is held to while it is read.
"""

import re
import stat
import struct
import zlib
from collections import Counter
from collections.abc import Mapping
from io import BytesIO
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from fairviz.errors import InputError, printable
from fairviz.io.limits import MAX_LIST, MAX_MEMBERS, MAX_RATIO, MAX_TEXT, RATIO_FREE
from fairviz.io.source import Source
from fairviz.numerals import count

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""What an archive begins with; the second is of an empty one."""

MOMENT = (2020, 1, 1, 0, 0, 0)
"""Time of every member: equal content gives equal bytes, whenever it is made."""

_ENCRYPTED = 0x1
_END = struct.Struct("<4s4H2LH")
"""What an archive ends with: among other things the size of the list of members."""
_TAIL = 2**16 + _END.size
"""Bytes in which it stands, with a comment after it."""
_AGAIN = "Copy or download it again."
_FOREIGN = "Archives that fairviz wrote have none; use the file as it was saved."
_BROKEN = (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, LookupError, OSError)
"""What Python's reader of archives ends in where one is damaged."""


def archive(files: Mapping[str, str | bytes]) -> bytes:
    """Files as a zip archive, in the order given, without the time of day."""
    written = BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED, compresslevel=6) as packed:
        for name, content in files.items():
            info = ZipInfo(name, MOMENT)
            info.compress_type = ZIP_DEFLATED
            info.create_system = 3  # Unix, on every system
            info.external_attr = (0o755 if name.endswith(".sh") else 0o644) << 16
            packed.writestr(info, content.encode() if isinstance(content, str) else content)
    return written.getvalue()


def is_archive(source: Source) -> bool:
    """Whether it begins as a zip archive does.

    Raises:
        InputError: It cannot be read.
    """
    with source.stored() as file:
        return file.read(4) in ZIP


def unpacked_size(source: Source) -> int:
    """Bytes that the members of an archive say they have together; while they are read they are held to it.

    Raises:
        InputError: As :class:`Archive`.
    """
    with source.stored() as file:
        return Archive(source, file).size


class Archive:
    """The members of an archive, by name.

    Args:
        source: The archive.
        file: Its bytes, open for as long as members are read.

    Raises:
        InputError: It is damaged, or has members that no archive of ours has: outside of it, links, encrypted, of one
            name, or too large.
    """

    def __init__(self, source: Source, file: BinaryIO) -> None:
        self._name = source.name
        self._refuse_long_list(file)
        try:
            self._zip = ZipFile(file)
            members = self._zip.infolist()
        except _BROKEN as error:
            raise self._refused("the archive is damaged or cut off", _AGAIN) from error
        size = file.seek(0, 2)
        self._refuse_many(members, size)
        for member in members:
            self._refuse_strange(member)
        self._members = {member.filename: member for member in members}

    @property
    def names(self) -> list[str]:
        """Names of the members, in their order."""
        return list(self._members)

    @property
    def size(self) -> int:
        """Bytes of all members together, unpacked."""
        return sum(member.file_size for member in self._members.values())

    def read(self, name: str) -> bytes:
        """The bytes of a member.

        Raises:
            InputError: There is none of this name, or it is damaged.
        """
        if name not in self._members:
            raise self._refused(f"{name!r} is missing", _AGAIN)
        try:
            return self._zip.read(self._members[name])
        except _BROKEN as error:
            raise self._refused(f"{printable(name[:120])} is damaged", _AGAIN) from error

    def _refused(self, reason: str, fix: str) -> InputError:
        return InputError(reason, file=self._name, fix=fix)

    def _refuse_long_list(self, file: BinaryIO) -> None:
        """Before the list of members is read: millions of them fit into a file that fits through the door."""
        file.seek(max(file.seek(0, 2) - _TAIL, 0))
        tail = file.read()
        at = len(tail) - _END.size if tail[-_END.size :].startswith(b"PK\x05\x06") else tail.rfind(b"PK\x05\x06")
        if at >= 0 and len(tail) - at >= _END.size and _END.unpack_from(tail, at)[5] > MAX_LIST:
            reason = f"the list of its members is longer than {MAX_LIST // 1024**2} MB"
            raise self._refused(reason, _FOREIGN)

    def _refuse_many(self, members: list[ZipInfo], size: int) -> None:
        if len(members) > MAX_MEMBERS:
            raise self._refused(f"it has {count(len(members))} members, more than {count(MAX_MEMBERS)}", _FOREIGN)
        duplicates = [name for name, n in Counter(member.filename for member in members).items() if n > 1]
        if duplicates:
            raise self._refused(f"two members are called {duplicates[0][:120]!r}", _FOREIGN)
        text = sum(member.file_size for member in members)
        if text > MAX_TEXT:
            raise self._refused(f"unpacked it is larger than the limit of {MAX_TEXT // 1024**3} GiB", _FOREIGN)
        if sum(member.compress_size for member in members) > size:
            raise self._refused("its members overlap", _FOREIGN)

    def _refuse_strange(self, member: ZipInfo) -> None:
        name, kind = member.filename[:120], stat.S_IFMT(member.external_attr >> 16)
        if not is_inside(member.filename) or member.filename != member.orig_filename:
            raise self._refused(f"the member {name!r} lies outside of the archive", _FOREIGN)
        if member.is_dir() or kind not in (0, stat.S_IFREG):
            raise self._refused(f"the member {name!r} is no file", _FOREIGN)
        if member.flag_bits & _ENCRYPTED:
            raise self._refused(f"the member {name!r} is encrypted", "Save it without a password.")
        if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise self._refused(f"the member {name!r} is compressed in a way that is not read", _FOREIGN)
        if member.file_size > max(RATIO_FREE, MAX_RATIO * member.compress_size):
            raise self._refused(f"the member {name!r} unpacks to more than {MAX_RATIO} times its size", _FOREIGN)


_PART = re.compile(r"[^/\\:\x00-\x1f\x7f]+")


def is_inside(name: str) -> bool:
    r"""Whether a name leads to a place inside of an archive on every system.

    Examples:
        >>> is_inside("data/1.run"), is_inside("../1.run"), is_inside("/1.run"), is_inside("C:1.run"), is_inside("a\\b")
        (True, False, False, False, False)
    """
    return all(_PART.fullmatch(part) and part not in (".", "..") for part in name.split("/"))
