"""Points of a price written down by hand, and settings of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from fairviz.model import FloatArray, Resamples
from fairviz.stats.bootstrap import bootstrap_counts
from fairviz.studies.policy_lab.bench import PricePoint, Resampled, Row, settings_frame
from fairviz.studies.policy_lab.budget import judged

N = 12
"""Queries of these points: enough to say something."""
DRAWN = bootstrap_counts(N, rng=np.random.default_rng(0))
FIXED, MANY = (1, 1), (3, 5)
"""Lists per query: the same always; one of three to five."""


def points(*pairs: tuple[float, float], n: int = N) -> list[PricePoint]:
    """Points (off, quality), the same for every query but for a wobble that cancels.

    The target is all attention for the second group: the first group's percents are the points off target.
    """
    wobble = np.where(np.arange(n) % 2, 0.01, -0.01)
    return [
        PricePoint(float(i), np.tile([off / 100, 1 - off / 100], (n, 1)), quality + wobble)
        for i, (off, quality) in enumerate(pairs)
    ]


(NOW,) = points((40, 0.8))
TARGET = np.array([0.0, 1.0])


def summary(
    off: float, change: float, *, method: str = "det-greedy", was: float = 31.0, n: int = 14, share: float = 0.16
) -> Row:
    """A setting (off, change) of some queries: 9 worse, 4 better, the rest unchanged; shares of two groups."""
    counted = {"n_queries": n, "n_undefined": 0, "n_worse": 9, "n_better": 4, "n_unchanged": n - 13, "n_labelled": n}
    return (
        {"method": method, "strength": 0.5, "off": float(off), "moved": float(was - off)}
        | {"quality": 0.8 * (1 + change), "change": float(change), "shares": np.array([share, 1 - share])}
        | counted
        | {"is_fixed": False, "is_few": n < 10}
    )


def setting(
    off: float,
    change: float,
    low: float | None = None,
    *,
    lists: tuple[int, int] = FIXED,
    ratio: float = 9.0,
    **more: Any,
) -> Row:
    """A setting that moves, whose interval reaches as far up as down; 9 standard errors, resamples far below that."""
    below = change - 0.01 if low is None else float(low)
    row = summary(off, change, **more)
    return (
        row
        | {"is_fixed": lists == FIXED}
        | {"change_low": below, "change_high": 2 * change - below}
        | {"ratio": ratio, "worst": 0.0}
        | {"excess": np.array([0.5, 1.0, 2.0] * 20), "changes": np.full(60, float(change)), "swings": np.zeros(60)}
        | {"gains": np.full(2, np.nan), "gain_errors": np.full(2, np.nan)}
    )


NONE = settings_frame([setting(0, 0.0)]).clear()


def tried_of(*rows: Row) -> pl.DataFrame:
    """Rows as a frame; none of them as one without rows."""
    return settings_frame(list(rows)) if rows else NONE


def judged_of(*rows: Row, budget: float = 0.03, p: float = 1 / 61) -> pl.DataFrame:
    """What may be said of settings whose intervals are what they are; a row may have a p of its own."""
    own = [row.get("p", p) for row in rows]
    frame = tried_of(*({key: row[key] for key in NONE.columns} for row in rows))
    return judged(frame.with_columns(p=pl.Series(own, dtype=pl.Float64)), budget)


def settings_of(
    tried: Sequence[PricePoint], now: PricePoint = NOW, drawn: Resamples = DRAWN, target: FloatArray = TARGET
) -> list[Row]:
    """Every point as a setting of one method."""
    resampled = Resampled(now, target, drawn)
    return [resampled.setting("m", point) for point in tried]
