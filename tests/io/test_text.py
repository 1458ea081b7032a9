"""Blocks of whole lines: nothing lost, every line by its number, line ends settled; the lines around a fault."""

import gzip
from collections.abc import Generator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import InputError
from fairviz.io import source, text
from fairviz.io.dataset import add_file
from fairviz.io.notes import NoteBook
from fairviz.io.source import Source
from fairviz.io.text import Block, line_blocks, lines_around, opened, read_ahead, whole_text
from fairviz.model import Dataset

pieces = st.lists(st.sampled_from(["a", "bc", "é", "\n", "\n", "\r\n", "\r", "\ufeff"]), max_size=40)


def blocks_of(content: bytes, size: int, **options: int) -> list[Block]:
    before = text.FIRST_BLOCK, text.BLOCK
    text.FIRST_BLOCK = text.BLOCK = size
    try:
        return list(line_blocks(Source("a", None, content), NoteBook("a"), **options))
    finally:
        text.FIRST_BLOCK, text.BLOCK = before


@given(pieces, st.integers(1, 9))
def test_blocks_are_the_text_in_order(parts: list[str], size: int) -> None:
    content = "x" + "".join(parts)
    wanted = content.replace("\r\n", "\n").replace("\r", "\n")
    blocks = blocks_of(content.encode(), size)
    joined = b"".join(block.text for block in blocks).decode()
    assert joined == wanted + ("" if wanted.endswith("\n") else "\n")
    assert [block.cut for block in blocks[:-1]] == [False] * (len(blocks) - 1)
    assert blocks[-1].cut == (not wanted.endswith("\n"))
    line = 1
    for block in blocks:
        assert block.line == line
        assert block.text.endswith(b"\n")
        line += block.text.count(b"\n")
    assert whole_text(Source("a", None, content.encode()), NoteBook("a")) == wanted


@given(pieces, st.integers(1, 4))
def test_reading_a_little_at_a_time_changes_nothing(parts: list[str], size: int) -> None:
    content = "x" + "".join(parts)
    got = b""
    with opened(Source("a", None, content.encode())) as lines:
        while piece := lines.read(size):
            got += piece
    assert got.decode() == content.replace("\r\n", "\n").replace("\r", "\n")


def test_reading_ahead_tells_a_fault_after_the_blocks_before_it_and_closes_where_the_caller_stops() -> None:
    closed: list[bool] = []

    def blocks() -> Generator[Block, None, None]:
        try:
            yield Block(b"a\n", 1)
            yield Block(b"b\n", 2)
            raise InputError("NUL byte", file="a", line=3)
        finally:
            closed.append(True)

    ahead = read_ahead(blocks())
    assert [next(ahead).line, next(ahead).line] == [1, 2]
    with pytest.raises(InputError, match="NUL byte"):
        next(ahead)
    left = blocks()
    ahead = read_ahead(left)
    assert next(ahead).line == 1
    ahead.close()
    assert closed == [True, True]


def test_what_was_repaired_is_noted() -> None:
    notes = NoteBook("a")
    content = b"\xef\xbb\xbfa\r\nb\rc\n"
    (block,) = line_blocks(Source("a", None, content), notes, note_crlf=True)
    assert block.text == b"a\nb\nc\n"
    assert [(note.line, note.message) for note in notes.collected] == [
        (1, "UTF-8 byte order mark removed"),
        (None, "CRLF line endings"),
        (None, "CR-only line endings (old Mac)"),
    ]


@pytest.mark.parametrize("size", [1, 5, 100])
@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (b"ab\ncd\n" + b"x" * 12 + b"\nef\n", 3, "line longer than the limit"),
        (b"ab\n" + b"x" * 12, 2, "line longer than the limit"),
        (b"ab\nc\0d\n", 2, "NUL byte"),
        (b"ab\n\n\nc\0", 4, "NUL byte"),
    ],
)
def test_bad_lines_by_number(size: int, content: bytes, line: int, reason: str) -> None:
    with pytest.raises(InputError, match=rf"^a:{line}: {reason}"):
        blocks_of(content, size, max_line=8)
    blocks_of(content.replace(b"\0", b"0"), size, max_line=13)  # just short enough


def test_a_file_of_nothing_but_a_mark_is_empty() -> None:
    with pytest.raises(InputError, match=r"^a: empty file"):
        blocks_of(b"\xef\xbb\xbf", 10)


def test_a_file_that_is_read_ahead_and_hashed_beside_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"".join(b"q%d Q0 d%d %d %d a\n" % (row // 3, row, row % 3, -row) for row in range(3000))
    small = add_file(Dataset(), ("a.run", content))
    monkeypatch.setattr(source, "LARGE", 0)
    monkeypatch.setattr(text, "FIRST_BLOCK", 500)
    monkeypatch.setattr(text, "BLOCK", 1000)
    large = add_file(Dataset(), ("a.run", content))
    assert small.files == large.files
    assert list(small.runs[0].doc_ids) == list(large.runs[0].doc_ids)
    assert (small.runs[0].docs == large.runs[0].docs).all()


LINES = "".join(f"line {n}\n" for n in range(1, 6)).encode()


def test_the_line_with_its_neighbours() -> None:
    wanted = {2: "line 2", 3: "line 3", 4: "line 4"}
    assert lines_around(("a.run", LINES), 3) == wanted
    assert lines_around(("a.run.gz", gzip.compress(LINES)), 3) == wanted
    assert lines_around(("a.run", LINES.replace(b"\n", b"\r\n")), 3) == wanted


@pytest.mark.parametrize(("line", "wanted"), [(1, [1, 2]), (5, [4, 5]), (6, [5]), (7, []), (900, [])])
def test_nothing_beyond_the_ends(line: int, wanted: list[int]) -> None:
    assert [*lines_around(("a", LINES), line)] == wanted


def test_blank_lines_count_and_a_last_line_needs_no_line_end() -> None:
    assert lines_around(("a", b"x\n\ny"), 2) == {1: "x", 2: "", 3: "y"}


def test_far_into_a_large_file_and_across_the_pieces_that_are_read() -> None:
    text = b"".join(b"%d %s\n" % (n, b"x" * 90) for n in range(1, 40_001))  # 3.8 MB
    found = lines_around(("a", text), 30_000, longest=5)
    assert found == {29_999: "29999", 30_000: "30000", 30_001: "30001"}
    for line in range(11_000, 11_400):  # the first MiB ends among these
        assert lines_around(("a", text), line, reach=0, longest=5) == {line: str(line)}


def test_long_lines_are_cut_and_bytes_that_are_no_text_are_shown() -> None:
    text = b"a" * 3_000_000 + b"\n\xe9\n\0\n"
    found = lines_around(("a", text), 2, longest=10)
    assert found == {1: "a" * 10, 2: "\N{REPLACEMENT CHARACTER}", 3: "\0"}


def test_what_cannot_be_opened_has_no_lines() -> None:
    assert lines_around("no/such/file.run", 1) == {}
    assert lines_around(("a.zip", b"PK\x03\x04 and so on"), 1) == {}
