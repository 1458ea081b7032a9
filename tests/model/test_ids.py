"""Joins of identifiers: against dictionaries of Python, on ids of every length and script."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.model import arrays
from fairviz.model.arrays import Ids, distinct_rows, encoded, positions, union

NAMES = st.lists(st.text(alphabet="ab\u00e9\u4e2d\U0001f600", max_size=3), max_size=12)
DISTINCT = st.lists(st.text(alphabet="ab\u00e9\u4e2d", max_size=3), max_size=12, unique=True)


@given(NAMES)
def test_identifiers_are_the_sequence_they_were_made_of(names: list[str]) -> None:
    ids = Ids.of(names)
    assert ids == tuple(names)
    assert [ids[i] for i in range(len(ids))] == names
    assert ids[1:] == tuple(names[1:])
    assert hash(ids) == hash(Ids.of(names))
    assert Ids.of(ids) is ids


@given(NAMES, DISTINCT)
def test_positions_are_those_of_a_dictionary(names: list[str], known: list[str]) -> None:
    """Whichever of the two is longer, and where an identifier is sought twice."""
    place = {name: i for i, name in enumerate(known)}
    assert positions(names, known).tolist() == [place.get(name, -1) for name in names]


@given(DISTINCT, DISTINCT)
def test_the_union_keeps_the_first_and_adds_what_is_new(first: list[str], second: list[str]) -> None:
    both, places = union(first, second)
    assert both == tuple(dict.fromkeys([*first, *second]))
    assert [both[i] for i in places.tolist()] == second


@pytest.mark.parametrize("few", [0, 1000])
@given(pieces=st.lists(NAMES, max_size=4))
def test_codes_number_identifiers_as_they_appear(few: int, pieces: list[list[str]]) -> None:
    rows = [name for piece in pieces for name in piece]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_FEWER", few)
        codes, ids = encoded(Ids.of(rows).column)
    assert ids == tuple(dict.fromkeys(rows))
    assert [ids[code] for code in codes.tolist()] == rows


@pytest.mark.parametrize("few", [0, 1000])
@given(rows=st.lists(st.tuples(st.sampled_from("ab"), st.integers(-1, 1)), min_size=1, max_size=12))
def test_rows_that_are_alike_have_one_number(few: int, rows: list[tuple[str, int]]) -> None:
    table = pl.DataFrame(rows, schema={"id": pl.String, "rank": pl.Int32}, orient="row")
    texts = table.select(pl.when(pl.col("rank") >= 0).then("id"))  # some are missing
    for frame in (table, texts, texts.cast(pl.Categorical())):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arrays, "_FEWER", few)
            codes, firsts = distinct_rows(frame)
        own = frame.rows()
        assert [own[firsts[code]] for code in codes.tolist()] == own
        assert firsts.tolist() == [own.index(row) for row in dict.fromkeys(own)]


def test_a_table_of_many_finds_each_of_them() -> None:
    names = [f"D{i:05d}" for i in np.random.default_rng(0).permutation(10_000)]
    assert positions([*names, "other"], sorted(names)).tolist() == [*(int(name[1:]) for name in names), -1]
    assert positions(names[:10], names).tolist() == list(range(10))
    codes, ids = encoded(Ids.of([*names, *names[::-1]]).column)
    assert ids == tuple(names)
    assert codes.tolist() == [*range(10_000), *range(9_999, -1, -1)]
