"""The library as a notebook has it, beside the command line: the same data have to give the same numbers."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.cli.conftest import Command, fairviz, files

__all__ = ["Command", "example", "fairviz", "files", "same"]

Same = Callable[[pd.DataFrame, list[dict[str, Any]]], None]


@pytest.fixture(scope="session")
def example() -> Path:
    return Path(__file__).parent.parent.parent / "tests" / "small" / "data" / "demo"


@pytest.fixture
def same() -> Same:
    """``same(frame, rows)``: every column that the command prints, cell by cell; undefined is undefined in both."""

    def check(frame: pd.DataFrame, rows: list[dict[str, Any]]) -> None:
        assert len(frame) == len(rows)
        assert not rows or {*frame.columns} == {key for row in rows for key in row}
        for here, there in zip(frame.to_dict("records"), rows, strict=True):
            for column, cell in here.items():
                other = there.get(str(column))
                undefined = cell is None or (isinstance(cell, float) and math.isnan(cell))
                infinite = other in ("inf", "-inf") and cell == float(other)
                assert (undefined and other is None) or infinite or cell == other, (column, cell, other)

    return check
