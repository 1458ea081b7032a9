"""Small curves to test with."""

from types import SimpleNamespace

import numpy as np
import polars as pl

from fairviz.model import Curve


def curve(disparity: object, quality: object, *, policy: str = "plackett-luce") -> Curve:
    """A curve of (A, Q) points, or (A) points of a single query; α = 0, 1, 2, …"""
    x = np.array(disparity, dtype=np.float64)
    y = np.array(quality, dtype=np.float64)
    x, y = (axis[:, None] if axis.ndim == 1 else axis for axis in (x, y))
    return Curve(
        system="bm25",
        policy=policy,
        query_ids=tuple(f"q{q}" for q in range(x.shape[1])),
        alphas=np.arange(x.shape[0], dtype=np.float64),
        disparity=x,
        quality=y,
        score=np.full(x.shape, np.nan),
    )


def rows_of(frame: pl.DataFrame) -> list[SimpleNamespace]:
    """The rows of a result with a field for each column, NaN = undefined."""
    rows = frame.to_dicts()
    return [SimpleNamespace(**{name: np.nan if cell is None else cell for name, cell in row.items()}) for row in rows]


def seed(number: int = 0) -> np.random.Generator:
    return np.random.default_rng(number)
