"""What a function of data gave stands as long as the data do, where nobody says otherwise."""

import gc
from weakref import ref

import pytest

from fairviz import remembered as module
from fairviz.model import Dataset
from fairviz.remembered import many_kept, remembered


class Result(list[int]):
    """A list that can be watched."""


def test_the_last_result_of_a_function_is_kept_with_its_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KEEPERS", [])
    asked: list[tuple[str, int]] = []

    @remembered
    def measured(data: Dataset, k: int = 5) -> Result:
        asked.append((data.name, k))
        return Result([k])

    one, other = Dataset(name="one"), Dataset(name="other")
    first = measured(one)
    assert measured(one, 5) is measured(one, k=5) is first
    assert (measured(one, 3), measured(other), measured(other)) == ([3], [5], [5])
    assert asked == [("one", 5), ("one", 3), ("other", 5)]
    with many_kept():
        assert (measured(one, 3), measured(one), measured(one, 3), measured(other)) == ([3], [5], [3], [5])
        assert asked[3:] == [("one", 3), ("one", 5)]
        kept = ref(measured(other, 7))
        del other
        gc.collect()
        assert kept() is None
    assert measured(one) == [5]
    assert measured(one, 3) == [3]
    assert asked[5:] == [("other", 7), ("one", 3)]
