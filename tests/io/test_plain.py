"""The fast pass over a block: it reads what the exact pass reads, bit for bit, or leaves it."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.errors import InputError
from fairviz.io.limits import MAX_GRADE
from fairviz.io.notes import NoteBook
from fairviz.io.text import Block
from fairviz.io.trec import exact_rows, plain_rows

RUN = ("query", "doc", "rank", "score", "tag")


def _exact(text: bytes) -> Mapping[str, list[Any]] | None:
    """The rows of the exact pass; None where it notes or refuses anything but a plain table."""
    notes = NoteBook("a.run")
    try:
        part = exact_rows(Block(text, 1), "run", RUN, notes)
    except InputError:
        return None
    return None if notes.collected else _listed(part)


def _listed(rows: pl.DataFrame) -> Mapping[str, list[Any]]:
    return {
        column.name: [float(n).hex() for n in column] if column.dtype.is_numeric() else column.to_list()
        for column in rows
    }


CELLS = st.text("ab\u00e9#0123456789.-+eExX_", min_size=1, max_size=5)
NUMBERS = st.one_of(
    st.integers(-5, 10**12).map(str),
    st.floats(allow_nan=False).map(repr),
    st.sampled_from(
        ["1.", ".5", ".", "-", "", "1e5", "1E-3", "1e", "+2", "0x1A", "nan", "inf", "007", "1e999", "-0.0"]
    ),
)
LINES = st.tuples(CELLS, CELLS, NUMBERS, NUMBERS, CELLS)


@settings(max_examples=20)
@given(st.lists(LINES, min_size=1, max_size=4), st.sampled_from([" ", "\t", "  ", "\f"]), st.booleans())
def test_what_it_reads_the_exact_pass_reads_alike(lines: list[tuple[str, ...]], blank: str, comment: bool) -> None:
    text = "".join(blank.join(line) + "\n" for line in lines).encode()
    text = b"# so be it\n" + text if comment else text
    part = plain_rows(Block(text, 1), RUN)
    if part is not None:
        assert _listed(part) == _exact(text)


def _written() -> Iterator[str]:
    """Numbers as rankers write them, and those at which a careless reader errs."""
    rng = np.random.default_rng(0)
    drawn = rng.standard_normal(200) * 10.0 ** rng.integers(-30, 30, size=200)
    for number in drawn.tolist():
        yield from (repr(number), f"{number:.6f}", f"{number:.17e}", f"{number:.3g}")
    yield from ("9007199254740993", "9007199254740992", "1e22", "1e23", "-1e-22", "123456789012345678", "0e400000")
    yield from ("0.1", "2.2250738585072011e-308", "4.9e-324", "0" * 21 + ".5", "1" + "0" * 30, "0." + "1" * 40)


def test_scores_are_the_nearest_doubles() -> None:
    texts = [text for text in _written() if np.isfinite(float(text))]
    part = plain_rows(Block("".join(f"{text}\n" for text in texts).encode(), 1), ("score",))
    assert part is not None
    assert [value.hex() for value in part["score"].to_list()] == [float(text).hex() for text in texts]


ODD = (
    *("q d 1 0.5\n", "q d 1 0.5 t u\n", "q  d 1 0.5 t\n", " q d 1 0.5 t\n", "q d 1 0.5 t \n", "q d\t1 0.5 t\n"),
    *("q d 1 0.5 t\n\n", "#q d 1 0.5 t\n", "q d 1 1e999 t\n", "q d -1 0.5 t\n", "q d 12345678901 0.5 t\n"),
    *("q d 1.0 0.5 t\n", "q d 1 0.5x t\n", "q d 1 nan t\n", "q d 1 0.5 \udcff\n"),
)


@pytest.mark.parametrize("text", ODD)
def test_what_is_odd_is_left_to_the_exact_pass(text: str) -> None:
    assert plain_rows(Block(text.encode(errors="surrogateescape"), 1), RUN) is None


def test_grades_above_the_limit_are_left_to_the_exact_pass() -> None:
    assert plain_rows(Block(f"{MAX_GRADE}\n".encode(), 1), ("grade",)) is not None
    assert plain_rows(Block(f"{MAX_GRADE + 1}\n".encode(), 1), ("grade",)) is None
