"""Blocks of whole lines: nothing lost, every line by its number, line ends settled."""

from collections.abc import Generator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import InputError
from fairviz.io import source, text
from fairviz.io.dataset import add_file
from fairviz.io.notes import NoteBook
from fairviz.io.source import Source
from fairviz.io.text import Block, line_blocks, opened, read_ahead, whole_text
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


@pytest.mark.parametrize("size", [1, 3, 8, 1000])
def test_lines_keep_their_numbers(size: int) -> None:
    content = b"".join(b"%d\n" % n for n in range(1, 60))
    for block in blocks_of(content, size):
        numbers = [int(text) for text in block.text.split()]
        assert numbers == list(range(block.line, block.line + len(numbers)))


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
