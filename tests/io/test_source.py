"""Bytes of a path or an upload: gzip, limits, what is no text, files that are closed."""

import gzip
import hashlib
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import InputError
from fairviz.io import source
from fairviz.io.corpus import read_references
from fairviz.io.notes import NoteBook
from fairviz.io.rag import read_outputs
from fairviz.io.rankings import read_rankings, read_run
from fairviz.io.source import Source, as_source
from fairviz.io.text import whole_text
from tests.refused import refused

LINE = b"q Q0 d 1 1.0 s\n"


def read_all(of: Source, size: int = 1000) -> bytes:
    pieces: list[bytes] = []
    with of.open() as reader:
        while piece := reader.read(size):
            pieces.append(piece)
    return b"".join(pieces)


@given(st.binary(min_size=1), st.integers(1, 50), st.lists(st.integers(0, 200), max_size=3))
def test_gzip_members_are_one_text(text: bytes, size: int, cuts: list[int]) -> None:
    text = b"x" + text  # nothing that looks like an archive
    ends = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    parts = [text[a:b] for a, b in pairwise(ends)]
    packed = b"".join(gzip.compress(part) for part in parts)
    assert read_all(Source("a.gz", None, packed), size) == text
    assert read_all(Source("a", None, packed + b"\0" * 512), size) == text  # tapes pad with zeros
    assert read_all(Source("a", None, text), size) == text


GZIPPED = gzip.compress(LINE, mtime=0)
"""Without the time of day: every process collects tests of the same names."""


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty file"),
        (GZIPPED[:-9], "gzip stream is truncated"),
        (GZIPPED[:12], "gzip stream is truncated"),
        (GZIPPED[:-8] + b"\0" * 8, "gzip checksum mismatch"),
        (GZIPPED[:10] + b"\xff" * 20, "gzip stream is damaged"),
        (GZIPPED + b"more", "other bytes follow the gzip stream"),
        (GZIPPED[:20] + GZIPPED, "gzip"),
        (LINE, "not a gzip file"),
    ],
)
def test_broken_gzip(content: bytes, reason: str) -> None:
    with refused(match=rf"^a\.run\.gz: {reason}"):
        read_all(Source("a.run.gz", None, content))


def test_limits_of_size_and_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(LINE * 10_000)
    ratio = len(LINE) * 10_000 / len(packed)
    monkeypatch.setattr(source, "RATIO_FREE", 1000)
    monkeypatch.setattr(source, "MAX_RATIO", ratio + 1)
    assert len(read_all(Source("a", None, packed))) == len(LINE) * 10_000
    monkeypatch.setattr(source, "MAX_RATIO", ratio - 1)
    with pytest.raises(InputError, match=r"exceeds the limit of .* times the compressed size"):
        read_all(Source("a", None, packed))
    monkeypatch.setattr(source, "MAX_TEXT", 5000)
    for content in (packed, LINE * 400):
        with pytest.raises(InputError, match="the limit of 0 GiB"):
            read_all(Source("a", None, content))
    monkeypatch.setattr(source, "MAX_UPLOAD", len(LINE) - 1)
    with pytest.raises(InputError, match=r"^a: the upload is larger than the limit"):
        as_source(("a", LINE))


def test_a_packed_text_that_says_it_is_too_large_is_refused_unread(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"".join(b"q Q0 d%d 1 1.0 s\n" % i for i in range(1000))))
    monkeypatch.setattr(source, "MAX_TEXT", 5000)
    monkeypatch.setattr(source.Limited, "read", None)
    with refused("decompressed size exceeds the limit of 0 GiB", fix="Split others into several files."):
        whole_text(Source(str(tmp_path / "a.gz"), tmp_path / "a.gz"), NoteBook("a"))


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (b"PK\x03\x04", "this is a ZIP archive"),
        (b"7z\xbc\xaf\x27\x1c", "this is a 7-Zip archive"),
        (b"Rar!\x1a\x07\x01", "this is a RAR archive"),
        (b"\xfd7zXZ\x00", "compressed with xz"),
        (b"BZh91AY&SY", "compressed with bzip2"),
        (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
        (b"\x89PNG\r\n", r"not a text file \(PNG\)"),
        (b"PAR1\x15\x04", r"(this Parquet file cannot be read|not a text file \(Parquet\))"),
        (b"\xff\xfeq\0", "not UTF-8"),
        (("query " * 5).encode("utf-16-be"), "NUL bytes"),
        (b"<!DOCTYPE html>", "looks like an HTML page"),
        (b"version https://git-lfs.github.com/spec/v1", "this is a Git LFS pointer"),
        (b"x" * 257 + b"ustar", "this is a TAR archive"),
    ],
)
def test_what_is_no_text_is_named(head: bytes, reason: str) -> None:
    content = head + b" Q0 d 1 1.0 s\n"
    for upload in (("a.run", content), ("a.run.gz", gzip.compress(content))):
        with refused(match=rf": {reason}"):
            read_rankings(upload)


@pytest.mark.parametrize("query", ["PK", "BZh9", "PAR1", "GIF8", "Rar!", "%PDF", "<b>", "7z"])
def test_ids_that_only_begin_like_another_format(query: str) -> None:
    assert read_run(("a.run", f"{query} Q0 d 1 1.0 s\n".encode())).value.query_ids == (query,)


def test_the_digest_is_of_the_bytes_as_stored(tmp_path: Path) -> None:
    packed = gzip.compress(LINE)
    (tmp_path / "a.gz").write_bytes(packed)
    wanted = hashlib.sha256(packed).hexdigest()
    assert as_source(str(tmp_path / "a.gz")).digest() == wanted
    assert as_source(("other name", packed)).digest() == wanted


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a directory"):
        read_rankings(tmp_path)
    with pytest.raises(InputError, match="file not found"):
        read_rankings(tmp_path / "none.run")
    with pytest.raises(InputError, match="cannot be read"):
        read_rankings(tmp_path / ("x" * 5000))


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_rankings, "q Q0 d 1 1.0 t\n" * 2),  # a repeated document, found while reading
        (read_outputs, '{"query_id": "q"}\n{"x": 1}\n'),
        (read_outputs, '{"query_id": "q"}\n7\n'),
        (read_references, '{"query_id": "q", "answers": []}\n{}\n'),
    ],
)
def test_files_are_closed_while_the_error_is_still_held(
    tmp_path: Path, read: Callable[[Path], object], text: str
) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        with pytest.raises(InputError) as held:
            read(path)
        assert str(path) not in open_files()
    assert held.value.line == 2


def open_files() -> list[str]:
    folder = Path("/proc/self/fd")
    if not folder.is_dir():
        return []
    return [str(link.readlink()) for link in folder.iterdir() if link.is_symlink()]
