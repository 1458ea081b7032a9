"""Parquet files whose pages are damaged are refused before a reader that could not be stopped sees them."""

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest

from fairviz.io.parquet import refuse_damaged_pages

ROWS = 600
TABLE = pl.DataFrame(
    {
        "query_id": [f"q{i // 100}" for i in range(ROWS)],
        "score": [None if i % 7 == 0 else i / 10 for i in range(ROWS)],
        "relevant": [None, True, False] * (ROWS // 3),
        "cited": [["a", "b"], [], None] * (ROWS // 3),
    }
)


def by_polars(**how: Any) -> bytes:
    file = BytesIO()
    TABLE.write_parquet(file, row_group_size=250, **how)
    return file.getvalue()


def by_arrow(**how: Any) -> bytes:
    file = BytesIO()
    pq.write_table(TABLE.to_arrow(), file, data_page_size=256, **how)
    return file.getvalue()


WHOLE = {
    "zstd": by_polars(),
    "not compressed": by_polars(compression="uncompressed"),
    "pages of version 1": by_arrow(data_page_version="1.0"),
    "pages of version 2": by_arrow(data_page_version="2.0", use_dictionary=False),
}


@pytest.mark.parametrize("content", WHOLE.values(), ids=WHOLE)
def test_whole_files_are_whole_as_bytes_and_where_they_are_stored(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "whole.parquet").write_bytes(content)
    refuse_damaged_pages(content)
    refuse_damaged_pages(tmp_path / "whole.parquet")


@pytest.mark.parametrize("n_values", [b"\x81\x00", b"\xfe\x7f", b"\x84\x00"], ids=["-1", "8191", "2"])
@pytest.mark.parametrize("content", WHOLE.values(), ids=WHOLE)
def test_a_page_of_another_number_of_values_is_refused(content: bytes, n_values: bytes) -> None:
    """Polars ends the process at the first of these. The header of data is a struct whose field 1 is their number."""
    header = re.search(rb"[\x2c\x5c]\x15[\x80-\xff][\x00-\x7f]", content)
    assert header is not None
    with pytest.raises(ValueError, match=r"page of the file is damaged|lacks pages"):
        refuse_damaged_pages(content[: header.end() - 2] + n_values + content[header.end() :])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PAR1",
        b"PAR1" + b"\x19\xfc" + b"\xff" * 9 + b"\x7f" + b"\0" * 20 + (31).to_bytes(4, "little") + b"PAR1",
        WHOLE["zstd"][:-8] + (10**9).to_bytes(4, "little") + b"PAR1",
    ],
    ids=["nothing", "a mark alone", "a list without end", "a footer larger than its file"],
)
def test_what_is_no_structure_is_refused_at_once(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"structure of the file is damaged"):
        refuse_damaged_pages(content)
