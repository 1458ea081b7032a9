"""What rows say, each once, and where."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.io.answer_table import Coded, distinct, pairs


@given(keys=st.lists(st.integers(0, 12)))
@pytest.mark.parametrize("spread", [1, 10**12])  # by a table, and by sorting
def test_distinct_keys_are_numbered_by_their_first_row(keys: list[int], spread: int) -> None:
    found = distinct(np.array(keys, dtype=np.int64) * spread)
    values = list(dict.fromkeys(keys))
    assert found.first.tolist() == [keys.index(value) for value in values]
    assert found.of.tolist() == [values.index(key) for key in keys]


def test_two_numbers_as_one_do_not_leave_their_type() -> None:
    first, second = np.array([60_000, 60_000, 0], dtype=np.int32), np.array([70_000, 0, 70_000], dtype=np.int32)
    together = pairs(first, second)
    assert together.tolist() == [60_000 * 70_001 + 70_000, 60_000 * 70_001, 70_000]


@given(said=st.lists(st.sampled_from(["a", "A", "b", "B", "c"]), min_size=1), data=st.data())
def test_some_rows_say_what_they_said_in_their_own_order(said: list[str], data: st.DataObject) -> None:
    values = tuple(dict.fromkeys(said))
    column = Coded(values, np.array([values.index(word) for word in said], dtype=np.int32))
    rows = [row for row in range(len(said)) if data.draw(st.booleans())]
    some = column.of_rows(np.array(rows, dtype=np.int64))
    own = [said[row] for row in rows]
    assert some.values == tuple(dict.fromkeys(own))
    assert [some.values[code] for code in some.codes] == own
    lower = column.mapped(str.lower)
    assert lower.values == tuple(dict.fromkeys(word.lower() for word in said))
    assert [lower.at(row) for row in range(len(said))] == [word.lower() for word in said]
    assert dict(column.counted()) == {word: said.count(word) for word in column.values}
    assert column.told(str.isupper).tolist() == [word.isupper() for word in said]


def test_no_rows_say_nothing() -> None:
    assert Coded(("x",), np.zeros(0, dtype=np.int32)).of_rows(np.zeros(0, dtype=np.int64)).values == ()
