"""Curves by ranges of queries, the bits of the whole."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.attention import TopK
from fairviz.errors import UsageError
from fairviz.evaluation.joins import joined
from fairviz.model import RankingSample, Run
from fairviz.model.ranges import of_queries
from fairviz.partitions.curves import PartitionedCurves
from fairviz.partitions.executors import Alone
from fairviz.partitions.plan import Plan
from fairviz.studies.compare.measure import samples_curve
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


def samples_of(run: Run, drawn: RankingSample, kind: str) -> list[RankingSample]:
    """Samples at two α, none of the first query and one of every second: of one run, of two, or of none."""
    kept = np.array([i for i, query in enumerate(drawn.query_ids) if query != "q0"])
    many, few = of_queries(drawn, kept), of_queries(drawn, kept[::2])
    assert isinstance(many, RankingSample)
    assert isinstance(few, RankingSample)
    other = replace(run, scores=run.scores[::-1].copy()) if kind == "two" else run
    sources = (None, None) if kind == "none" else (run, other)
    both = zip((many, few), sources, (4.0, 1.0), strict=True)
    return [replace(one, source=source, alpha=alpha) for one, source, alpha in both]


@settings(max_examples=6)
@given(seed=st.integers(0, 3), size=st.integers(1, 90), kind=st.sampled_from(["one", "two", "none"]))
def test_wherever_samples_are_cut_their_curve_is_that_of_the_whole(seed: int, size: int, kind: str) -> None:
    run, qrels, drawn = world(seed)
    asked = (samples_of(run, drawn, kind), qrels, TopK(3), "graded", 1)
    whole, parts = samples_curve(*asked), PartitionedCurves(Plan(Alone(), size=size)).of_samples(*asked)
    assert (parts.query_ids, parts.n_samples) == (qrels.query_ids, 3)
    for name in ("system", "policy", "query_ids", "n_samples", "y"):
        assert getattr(parts, name) == getattr(whole, name)
    for name in ("alphas", "disparity", "quality", "score"):
        assert getattr(parts, name).tobytes() == getattr(whole, name).tobytes()


@pytest.mark.parametrize(("how", "named"), [({"policies": ("oracle",)}, "oracle"), ({"samples": 5}, "--samples")])
def test_what_needs_all_queries_at_once_is_refused_by_its_name(how: dict[str, object], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        measured(0, PartitionedCurves(Plan(Alone())).of, **how)
