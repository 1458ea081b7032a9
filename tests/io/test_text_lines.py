"""Lines around a fault."""

import gzip

import pytest

from fairviz.io.text import lines_around

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
