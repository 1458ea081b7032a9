"""Recognise what is not a text table, by its first bytes, and say so in one line."""

import re

from fairviz.errors import InputError

ARCHIVE = "archives are never unpacked"
_UNPACK = "Unpack it yourself and give the files inside; gzip'ed single files are read."
_NOT_TEXT = "Give a plain text file, or one compressed with gzip."

_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", f"this is a ZIP archive (or an Office file): {ARCHIVE}", _UNPACK),
    (b"PK\x05\x06", f"this is an empty ZIP archive: {ARCHIVE}", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", f"this is a 7-Zip archive: {ARCHIVE}", _UNPACK),
    (b"Rar!", f"this is a RAR archive: {ARCHIVE}", _UNPACK),
    (b"\xfd7zXZ\x00", "compressed with xz, only gzip is read", "Decompress it with: xz -d"),
    (b"BZh", "compressed with bzip2, only gzip is read", "Decompress it with: bzip2 -d"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd, only gzip is read", "Decompress it: zstd -d"),
    (b"\x89PNG", "not a text file (PNG)", _NOT_TEXT),
    (b"\xff\xd8\xff", "not a text file (JPEG)", _NOT_TEXT),
    (b"GIF8", "not a text file (GIF)", _NOT_TEXT),
    (b"%PDF", "not a text file (PDF)", _NOT_TEXT),
    (b"PAR1", "not a text file (Parquet)", _NOT_TEXT),
    (b"\x7fELF", "not a text file (a program)", _NOT_TEXT),
    (b"\x93NUMPY", "not a text file (a NumPy array)", _NOT_TEXT),
    (b"\xd0\xcf\x11\xe0", "not a text file (an old Office file)", _NOT_TEXT),
)
_UTF16 = "Save it as UTF-8 (in PowerShell: Out-File -Encoding utf8)."
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_HTML = re.compile(rb"\s*<(!doctype\s+html|html|head|body)\b", re.IGNORECASE)


def refuse_archive(head: bytes, name: str) -> None:
    """Refuse compressed containers other than gzip.

    Args:
        head: First bytes of the file as stored.
        name: Name of the file, for the message.

    Raises:
        InputError: It is an archive, or compressed with something else than gzip.
    """
    for magic, reason, fix in _MAGIC[:7]:
        if head.startswith(magic):
            raise InputError(reason, file=name, fix=fix)


def refuse_unreadable(head: bytes, name: str) -> None:
    """Refuse what is certainly no text table or JSON.

    Args:
        head: First bytes of the decompressed file, at least 512 where there are as many.
        name: Name of the file, for the message.

    Raises:
        InputError: An archive, a picture, UTF-16, an HTML page, a Git LFS pointer, a binary file.
    """
    for magic, reason, fix in _MAGIC:
        if head.startswith(magic):
            raise InputError(reason, file=name, line=1, fix=fix)
    if head[257:262] == b"ustar" or (
        name.lower().endswith((".tar", ".tar.gz", ".tgz")) and b"\0" in head
    ):
        raise InputError(f"this is a TAR archive: {ARCHIVE}", file=name, fix=_UNPACK)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        reason = "not UTF-8 (UTF-16 byte order mark)"
        raise InputError(reason, file=name, line=1, fix=_UTF16)
    if _every_other_is_nul(head):
        reason = "NUL bytes: this is not UTF-8 but looks like UTF-16"
        raise InputError(reason, file=name, line=1, fix=_UTF16)
    if _HTML.match(head):
        reason = "looks like an HTML page, not data"
        fix = "The download may have failed; open the file in an editor and fetch it again."
        raise InputError(reason, file=name, line=1, fix=fix)
    if head.startswith(b"version https://git-lfs"):
        reason = "this is a Git LFS pointer, not the data"
        raise InputError(reason, file=name, line=1, fix="Fetch the data with: git lfs pull")
    if _is_binary(head):
        raise InputError("not a text file", file=name, line=1, fix=_NOT_TEXT)


def _every_other_is_nul(head: bytes) -> bool:
    halves = head[0::2], head[1::2]
    return len(head) >= 8 and any(
        half.count(0) > 0.4 * len(half) and other.count(0) < 0.1 * len(other)
        for half, other in (halves, halves[::-1])
    )


def _is_binary(head: bytes) -> bool:
    controls = len(_CONTROLS.findall(head)) - head.count(0)
    if controls <= len(head) // 50:
        return False
    try:
        head[: len(head) - 3].decode()
    except UnicodeDecodeError:
        return True
    return False
