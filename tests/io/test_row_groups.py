"""Row groups are read whole, in part and by ranges of ids, and hold what was written."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from fairviz.errors import InputError
from fairviz.io.row_groups import (
    CODES,
    TEXTS,
    GroupWriter,
    coded,
    factor_among,
    factor_of,
    flat,
    lists,
    numbers_or,
    offsets_in,
    read_between,
    read_groups,
    texts,
)

_pa: Any = pyarrow

GROUPS = [["a", "aa"], ["b"], ["c", "d", "e"], ["f"]]
FIRSTS = tuple(group[0] for group in GROUPS)
SCHEMA = _pa.schema([("id", _pa.string()), ("place", _pa.int64()), ("docs", TEXTS), ("model", CODES)])
KEY = b"ours"


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> str:
    path = tmp_path / "a.parquet"
    with path.open("wb") as file, GroupWriter(file, SCHEMA) as writer:
        for ids in GROUPS:
            n = len(ids)
            docs = lists(np.arange(n + 1), texts(np.arange(n, dtype=np.int32), [f"d{name}" for name in ids]))
            model = coded(np.full(n, len(writer.sizes) % 2, dtype=np.int32), ("M", "m"))
            writer._add({"id": ids, "place": np.arange(n), "docs": docs, "model": model})
        assert writer.sizes == [len(ids) for ids in GROUPS]
        writer._end(KEY, 7, {"name": "x"})
    return str(path)


def test_a_file_says_what_it_was_ended_with(path: str) -> None:
    metadata = pyarrow.parquet.read_metadata(path)
    assert (metadata.metadata or {})[KEY] == b'{"version": 7, "name": "x"}'
    assert metadata.num_row_groups == len(GROUPS)
    assert json.loads((metadata.metadata or {})[KEY]) == {"version": 7, "name": "x"}


def test_a_row_group_is_one_however_many_rows_it_has(tmp_path: Path) -> None:
    n = 2**20 + 1  # more than Arrow puts into one of its own accord
    path = tmp_path / "a.parquet"
    with path.open("wb") as file, GroupWriter(file, _pa.schema([("place", _pa.int64())])) as writer:
        writer._add([_pa.array(np.zeros(n, dtype=np.int64))])
        writer._end(KEY, 1, {})
    assert pyarrow.parquet.read_metadata(path).num_row_groups == 1


@pytest.mark.parametrize("first", [0, 1, 2])
def test_a_range_holds_the_rows_whose_ids_are_in_it(path: str, first: int) -> None:
    ids = [name for group in GROUPS[first:] for name in group]
    for low in ["", *"aabcdefg", "ab"]:
        for high in [None, "", *"abcdefg", "ab"]:
            wanted = [name for name in ids if name >= low and (high is None or name < high)]
            found = read_between(path, "id", FIRSTS[first:], low, high, first_group=first)
            assert found["id"].to_pylist() == wanted
            assert found["docs"].to_pylist() == [[f"d{name}"] for name in wanted]


def test_a_column_has_a_piece_of_each_row_group_and_one_where_nothing_is_read(path: str) -> None:
    assert [len(piece) for piece in read_groups(path, [0, 2])["place"].chunks] == [2, 3]
    for nothing in (read_groups(path, []), read_between(path, "id", FIRSTS, "g", None)):
        assert {len(column.chunks) for column in nothing.columns} == {1}
        assert (nothing.num_rows, nothing.column_names) == (0, SCHEMA.names)
        assert offsets_in(nothing["docs"].chunks).tolist() == [0]
        assert numbers_or(-1, nothing["place"].chunks).size == 0
        assert factor_of("id", nothing["id"].chunks).values == ()
        assert factor_of("docs", flat(nothing["docs"].chunks)).values == ()
        assert factor_among("model", ("m", "M"), nothing["model"].chunks).codes.size == 0


def test_only_some_columns_are_read(path: str) -> None:
    for groups in ([1], []):
        assert set(read_groups(path, groups, ["place", "id"]).column_names) == {"place", "id"}


def test_words_have_the_codes_that_are_asked_for(path: str) -> None:
    pieces = read_groups(path, range(4))["model"].chunks
    assert factor_among("model", ("m", "x", "M"), pieces).codes.tolist() == [2, 2, 0, 2, 2, 2, 0]
    with pytest.raises(KeyError, match="m"):
        factor_among("model", ("M",), pieces)


def test_null_is_an_empty_list_and_a_number_that_is_missing() -> None:
    pieces = [_pa.array([["a", "b"], None]), _pa.array([[], ["c"]], TEXTS)]
    assert offsets_in(pieces).tolist() == [0, 2, 2, 2, 3]
    assert [piece.to_pylist() for piece in flat(pieces)] == [["a", "b"], ["c"]]
    assert numbers_or(-1, [_pa.array([1, None], _pa.int8()), _pa.array([3], _pa.int8())]).tolist() == [1, -1, 3]


@pytest.mark.parametrize("groups", [[9], [0]])
def test_what_is_not_there_is_refused(path: str, groups: list[int]) -> None:
    if groups == [0]:
        Path(path).write_bytes(Path(path).read_bytes()[:100])
    with pytest.raises(InputError, match="this Parquet file cannot be read"):
        read_groups(path, groups)
