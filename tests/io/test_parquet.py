"""Parquet files: rows of few distinct values take little room; damaged pages are refused before Polars sees them."""

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest

from fairviz.errors import InputError
from fairviz.io import parquet
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.io.corpus import read_corpus
from fairviz.io.formats import READERS, sniff
from fairviz.io.join import validate
from fairviz.io.parquet import refuse_damaged_pages
from fairviz.io.source import Role

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


# Rows.


def packed(table: dict[str, Any]) -> tuple[str, bytes]:
    file = BytesIO()
    pl.DataFrame(table).write_parquet(file)
    return "a.parquet", file.getvalue()


def test_answers_of_few_distinct_values_are_read_from_a_file_that_is_far_smaller_than_their_text() -> None:
    """The text of an answer is 300 characters long, as JSON Lines they are 60 MB, more than 200 times the file."""
    models, items = 50, 4000
    file = packed(
        {
            "model": [f"m{model}" for model in range(models) for _ in range(items)],
            "category": ["Age"] * (models * items),
            "example_id": [*range(items)] * models,
            "raw_prediction": [("I would say that it is the second. " * 9), "(c)"] * (models * items // 2),
        }
    )
    assert 200 * len(file[1]) < 30_000_000
    assert sniff(file).role == "bias-predictions"
    predictions = read_bias_predictions(file).value
    assert (len(predictions), len(predictions.names("model"))) == (models * items, models)
    assert predictions.frame["choice"].to_list()[:4] == [-2, 2, -2, 2]


def test_endless_equal_rows_are_refused_as_they_are_and_by_column(monkeypatch: pytest.MonkeyPatch) -> None:
    file = packed({"doc_id": ["d"] * 20_000, "text": ["the same"] * 20_000, "pred": [1] * 20_000})
    assert len(file[1]) < 2000
    monkeypatch.setattr(parquet, "MAX_UPLOAD", 1000)
    monkeypatch.setattr(parquet, "MAX_RATIO", 20)
    for read in (read_corpus, read_bias_predictions):
        with pytest.raises(InputError, match=r"a\.parquet: .* exceeds the limit of 20 times the compressed size"):
            read(file)


def test_rows_in_several_groups_are_read_as_one_table() -> None:
    run = {"query_id": ["q"] * 40, "doc_id": [f"d{i}" for i in range(40)], "score": [40.0 - i for i in range(40)]}
    file = BytesIO()
    pl.DataFrame(run).write_parquet(file, row_group_size=10)
    assert validate(("a.parquet", file.getvalue())).value == {"queries": 1, "rows": 40, "documents": 40}


def test_cells_of_all_kinds_are_those_of_json_lines() -> None:
    table = {
        "example_id": [1, 2, 3],
        "category": ["Age", "A\r\nge", "A\0ge"],
        "raw_prediction": ["B", None, "(c)"],
        "shots": [0.0, float("nan"), 1.5],
        "tuned": [True, None, False],
    }
    lines = b"".join(line.encode() for line in parquet.row_lines(parquet.Source("a", None, packed(table)[1])))
    read, by_line = read_bias_predictions(packed(table)), read_bias_predictions(("a.parquet", lines))
    assert read.value.frame.equals(by_line.value.frame)
    assert [str(note) for note in read.notes] == [
        f"a.parquet: row {note.line - 1}: {note.message}" for note in by_line.notes if note.line
    ]


ROWS_OF = {
    "corpus": ({"doc_id": ["a", "b", "b"], "text": ["x", "y", "z"]}, "row 2: doc_id b stands twice (first in row 1)"),
    "run": (
        {"query_id": ["q"] * 3, "doc_id": ["a", "b", "b"], "score": [3.0, 2.0, 1.0]},
        "row 2: duplicate document b for query q (first in row 1)",
    ),
    "groups": ({"doc_id": ["a", "b", "b"], "region": ["x", "y", "z"]}, "row 2: b has two group labels: y (row 1), z"),
    "bias-predictions": (
        {"example_id": ["1", "2", "2"], "pred": [0, 1, 2]},
        "row 2: second answer to 2 (first in row 1)",
    ),
    "rag": ({"query_id": ["1", "2", None], "text": ["x", "y", "z"]}, "row 2: missing query_id"),
}


@pytest.mark.parametrize("role", ROWS_OF)
def test_rows_of_every_noun_are_counted_from_0(role: Role) -> None:
    table, said = ROWS_OF[role]
    with pytest.raises(InputError) as error:
        READERS[role](packed(table))
    assert str(error.value).startswith(f"a.parquet: {said}")
    assert error.value.line is None


def test_notes_on_rows_are_of_their_file() -> None:
    tied = {"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "score": [3.0, 2.0, 2.0]}
    (note,) = validate(packed(tied)).notes
    assert (note.file, note.line) == ("a.parquet", None)
    assert note.message.startswith("row 1: 2 tied scores")
