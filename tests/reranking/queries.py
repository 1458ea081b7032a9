"""Small queries for the tests of re-rankers."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from fairviz.reranking.candidates import Candidates


def query(
    labels: str,
    target: Sequence[float],
    depth: int,
    gains: Sequence[float] | None = None,
) -> Candidates:
    """Items "AAB-" in run order; "-" is unlabelled, "A" the first group of the target."""
    groups = "ABCDEFGH"[: len(target)]
    weights = [[float(label == group) for group in groups] for label in labels]
    return Candidates(
        weights=np.array(weights).reshape(len(labels), len(target)),
        target=np.array(target, dtype=np.float64),
        depth=depth,
        gains=None if gains is None else np.array(gains, dtype=np.float64),
    )


@st.composite
def targets(draw: st.DrawFn, most: int = 4) -> list[float]:
    """Shares, some of them 0, over one to ``most`` groups."""
    parts = draw(st.lists(st.integers(0, 6), min_size=1, max_size=most).filter(any))
    return [part / sum(parts) for part in parts]


@st.composite
def queries(draw: st.DrawFn, *, unlabelled: bool = True, most: int = 4) -> Candidates:
    """Up to 14 items in up to ``most`` groups, with or without gains, k beyond n at times."""
    target = draw(targets(most))
    alphabet = "ABCDEFGH"[: len(target)] + ("-" if unlabelled else "")
    labels = draw(st.text(alphabet, max_size=14))
    gains = draw(st.none() | st.lists(st.integers(0, 2), min_size=14, max_size=14))
    return query(labels, target, draw(st.integers(1, 16)), gains and gains[: len(labels)])


@st.composite
def soft_queries(draw: st.DrawFn) -> Candidates:
    """Items that belong to two or three groups in eighths, some in part unlabelled."""
    target = draw(targets(3))
    n = draw(st.integers(0, 9))
    row = st.lists(st.integers(0, 2), min_size=len(target), max_size=len(target))
    weights = np.array(draw(st.lists(row, min_size=n, max_size=n)), dtype=np.float64) / 8
    return Candidates(
        weights=weights.reshape(n, len(target)),
        target=np.array(target),
        depth=draw(st.integers(1, 10)),
    )
