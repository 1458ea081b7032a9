"""Recognise what is not a text table, by its first bytes, and say so in one line."""

import codecs
import re

from fairviz.errors import InputError

ARCHIVE = "archives are never unpacked"
_UNPACK = "Unpack it yourself and give the files inside; gzip'ed single files are read."
_NOT_TEXT = "Give a plain text file, or one compressed with gzip."

_PACKED: tuple[tuple[re.Pattern[bytes], str, str], ...] = (
    (
        re.compile(rb"PK\x03\x04"),
        f"this is a ZIP archive (or an Office file): {ARCHIVE}",
        _UNPACK,
    ),
    (re.compile(rb"PK\x05\x06"), f"this is an empty ZIP archive: {ARCHIVE}", _UNPACK),
    (re.compile(rb"7z\xbc\xaf\x27\x1c"), f"this is a 7-Zip archive: {ARCHIVE}", _UNPACK),
    (re.compile(rb"Rar!\x1a\x07"), f"this is a RAR archive: {ARCHIVE}", _UNPACK),
    (
        re.compile(rb"\xfd7zXZ\x00"),
        "compressed with xz, only gzip is read",
        "Decompress it with: xz -d",
    ),
    (
        re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P)"),
        "compressed with bzip2, only gzip is read",
        "Decompress it with: bzip2 -d",
    ),
    (
        re.compile(rb"\x28\xb5\x2f\xfd"),
        "compressed with zstd, only gzip is read",
        "Decompress it with: zstd -d",
    ),
)
_BINARY: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"\x89PNG"), "PNG"),
    (re.compile(rb"\xff\xd8\xff"), "JPEG"),
    (re.compile(rb"GIF8[79]a"), "GIF"),
    (re.compile(rb"%PDF-"), "PDF"),
    (re.compile(rb"PAR1[\x00-\x1f]"), "Parquet"),
    (re.compile(rb"\x7fELF"), "a program"),
    (re.compile(rb"\x93NUMPY"), "a NumPy array"),
    (re.compile(rb"\xd0\xcf\x11\xe0"), "an old Office file"),
)
_UTF16 = "Save it as UTF-8 (in PowerShell: Out-File -Encoding utf8)."
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_HTML = re.compile(rb"\s*<(!doctype\s+html|html|head|body)\b", re.IGNORECASE)


def refuse_packed(head: bytes, name: str) -> None:
    """Refuse compressed containers other than gzip.

    Args:
        head: First bytes of the file as stored, at least 16 where there are as many.
        name: Name of the file, for the message.

    Raises:
        InputError: It is an archive, or compressed with something else than gzip.
    """
    for magic, reason, fix in _PACKED:
        if magic.match(head):
            raise InputError(reason, file=name, fix=fix)


def refuse_unreadable(head: bytes, name: str) -> None:
    """Refuse what is certainly no text table or JSON.

    Args:
        head: First bytes of the decompressed file, at least 512 where there are as many.
        name: Name of the file, for the message.

    Raises:
        InputError: An archive, a picture, UTF-16, an HTML page, a Git LFS pointer, a binary file.
    """
    refuse_packed(head, name)
    for magic, what in _BINARY:
        if magic.match(head):
            raise InputError(f"not a text file ({what})", file=name, line=1, fix=_NOT_TEXT)
    if head[257:262] == b"ustar" or (name.lower().endswith((".tar", ".tar.gz", ".tgz")) and b"\0" in head):
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
        half.count(0) > 0.4 * len(half) and other.count(0) < 0.1 * len(other) for half, other in (halves, halves[::-1])
    )


def _is_binary(head: bytes) -> bool:
    controls = len(_CONTROLS.findall(head)) - head.count(0)
    if controls <= len(head) // 50:
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # a character may be cut at the end
    except UnicodeDecodeError:
        return True
    return False
