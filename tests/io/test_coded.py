"""What rows say, each once, and where."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fairviz.io.answer_table import Coded


@given(said=st.lists(st.sampled_from(["a", "A", "b", "B", "c"]), min_size=1))
def test_what_rows_say_is_known_row_by_row(said: list[str]) -> None:
    values = tuple(dict.fromkeys(said))
    column = Coded(values, np.array([values.index(word) for word in said], dtype=np.int32))
    lower = column.mapped(str.lower)
    assert lower.values == tuple(dict.fromkeys(word.lower() for word in said))
    assert [lower.at(row) for row in range(len(said))] == [word.lower() for word in said]
    assert lower.firsts == [[word.lower() for word in said].index(word) for word in lower.values]
    assert column.column.to_list() == said
    assert column.told(str.isupper).tolist() == [word.isupper() for word in said]
