"""Two systems compared."""

import math

import numpy as np
import pytest

from fairviz.analysis.comparison import compare
from fairviz.errors import UndefinedError
from fairviz.model import Scores
from tests.analysis.curves import seed


def scores(system: str, values: dict[str, float], measure: str = "EU") -> Scores:
    return Scores(
        system=system,
        measure=measure,
        query_ids=tuple(values),
        values=np.array(list(values.values()), dtype=np.float64),
    )


A = scores("a", {"q1": 1.0, "q2": 2.0, "q3": math.nan, "q4": 5.0})
B = scores("b", {"q2": 1.0, "q1": 0.5, "q3": 1.0, "q5": 0.0})


def test_common_queries_are_paired_by_name() -> None:
    found = compare(A, B, rng=seed())
    # q1 1 − .5 and q2 2 − 1; q3, q4 and q5 lack a partner
    assert found.difference == pytest.approx(0.75)
    assert (found.n_queries, found.n_left_out) == (2, 3)
    assert found.interval == pytest.approx((0.5, 1.0))
    assert found.verdict == "higher"
    assert compare(B, A, rng=seed()).verdict == "lower"


def test_a_system_cannot_be_told_from_itself() -> None:
    found = compare(A, A, rng=seed())
    assert (found.difference, found.interval) == (0, (0, 0))
    assert found.verdict == "not distinguishable"


def test_what_cannot_be_compared() -> None:
    one = compare(scores("a", {"q": 1}), scores("b", {"q": 0}), rng=seed())
    assert one.verdict == "too few to test"
    with pytest.raises(ValueError, match="cannot compare EU with EER"):
        compare(A, scores("b", {"q1": 1}, "EER"), rng=seed())
    with pytest.raises(UndefinedError, match="no query with a value of EU"):
        compare(A, scores("b", {"other": 1}), rng=seed())
