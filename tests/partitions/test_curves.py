"""Curves by ranges of queries, the bits of the whole."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.attention import TopK
from fairviz.errors import UsageError
from fairviz.evaluation.joins import joined
from fairviz.partitions.curves import PartitionedCurves
from fairviz.partitions.executors import Alone
from fairviz.partitions.plan import Plan
from fairviz.studies.tradeoff.measured import CurveSettings, CurvesOf, MeasuredCurves, measured_curves, run_curves
from fairviz.studies.tradeoff.tables import tables
from tests.partitions.worlds import world

ALPHAS = np.array([0.0, 1.0, 4.0])


def measured(seed: int, curves_of: CurvesOf, **how: object) -> MeasuredCurves:
    run, qrels, _ = world(seed)
    asked = {"policies": ("plackett-luce",), "alphas": ALPHAS, "attention": TopK(3), "k": 3, "seed": 1} | how
    how_made = CurveSettings(**asked)  # pyright: ignore[reportArgumentType]
    return measured_curves(joined([run], [qrels]), how_made, curves_of=curves_of)


@settings(max_examples=4)
@given(seed=st.integers(0, 3), size=st.integers(1, 90))
def test_wherever_it_is_cut_the_bits_are_those_of_the_whole(seed: int, size: int) -> None:
    parts, whole = measured(seed, PartitionedCurves(Plan(Alone(), size=size)).of), measured(seed, run_curves)
    assert repr(tables(parts.results)) == repr(tables(whole.results))
    assert parts.notes == whole.notes
    for one, other in zip(parts.results.curves, whole.results.curves, strict=True):
        assert one.disparity.tobytes() == other.disparity.tobytes()
        assert one.query_ids == other.query_ids


@pytest.mark.parametrize(("how", "named"), [({"policies": ("oracle",)}, "oracle"), ({"samples": 5}, "--samples")])
def test_what_needs_all_queries_at_once_is_refused_by_its_name(how: dict[str, object], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        measured(0, PartitionedCurves(Plan(Alone())).of, **how)
