import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.kernels.attention import TopK
from fairviz.kernels.pool import pool
from fairviz.model import Qrels, Run
from fairviz.points.curves import CurveSettings, sampled_curve, tradeoff_curve
from tests.nouns import qrels_of, run_of, sample_of
from tests.strategies import judged, literal_target, runs

ALPHAS = np.array([0.0, 1.0, 3.0])


def enumerated(logits: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """

    import itertools
    ε by summing over all n! rankings."""
    chances = np.exp(logits - logits.max())
    exposure = np.zeros(logits.size)
    for ranking in itertools.permutations(range(logits.size)):
        probability = 1.0
        for i, doc in enumerate(ranking):
            probability *= chances[doc] / chances[list(ranking[i:])].sum()
        for rank, doc in enumerate(ranking):
            exposure[doc] += probability * weights[rank]
    return exposure


def literal_point(run: Run, qrels: Qrels, k: int, alpha: float) -> tuple[float, float, float, int]:
    """EE-D, EE-R, ⟨ε, s̄⟩ and undefined queries by dictionaries and n! rankings."""
    values = []
    for i, query in enumerate(qrels.query_ids):
        graded = {
            qrels.doc_ids[qrels.docs[r]]: max(int(qrels.grades[r]), 0)
            for r in range(qrels.offsets[i], qrels.offsets[i + 1])
        }
        j = run.query_ids.index(query)
        rows = range(run.offsets[j], run.offsets[j + 1])
        scores = {run.doc_ids[run.docs[r]]: float(run.scores[r]) for r in rows}
        items = [*scores, *(doc for doc in graded if doc not in scores)]
        gains = [float(graded.get(doc, 0)) for doc in items]
        v = TopK(k).weights(len(items))
        low, high = min(scores.values()), max(scores.values())
        s_bar = np.array([(s - low) / (high - low) if high > low else 0.0 for s in scores.values()])
        seen = enumerated((s_bar + 1) ** alpha, v[: len(scores)])
        eps = np.concatenate([seen, np.zeros(len(items) - len(scores))])
        target = np.array(literal_target(gains, v))
        low_d, high_d = v.sum() ** 2 / len(items), (v**2).sum()
        low_r = float(v @ np.sort(target))
        high_r = float(v @ np.sort(target)[::-1])
        if high_d - low_d < 1e-12 or high_r - low_r < 1e-12:
            continue
        values.append(
            (
                (eps @ eps - low_d) / (high_d - low_d),
                (eps @ target - low_r) / (high_r - low_r),
                float(seen @ s_bar),
            )
        )
    mean = np.mean(values, axis=0) if values else np.full(3, np.nan)
    return (*(float(x) for x in mean), len(qrels.query_ids) - len(values))  # type: ignore[return-value]


@settings(max_examples=20, deadline=None)
@given(run=runs(queries=2), qrels=judged(queries=2), k=st.integers(1, 4))
def test_curve_equals_a_literal_implementation(run: Run, qrels: Qrels, k: int) -> None:
    curve = tradeoff_curve(
        pool(run, qrels), CurveSettings(alphas=ALPHAS, attention=TopK(k)), system="s", policy="plackett-luce"
    )
    for i, alpha in enumerate(ALPHAS):
        wanted = literal_point(run, qrels, k, float(alpha))
        got = (curve.mean_disparity[i], curve.mean_quality[i], curve.mean_score[i])
        assert got == pytest.approx(wanted[:3], abs=1e-8, nan_ok=True)
        assert curve.n_undefined[i] == wanted[3]


def test_missing_and_alike_queries_are_undefined_and_counted() -> None:
    run = run_of({"a": {"x": 2.0, "y": 1.0, "z": 0.0}, "alike": {"x": 2.0, "y": 1.0}})
    qrels = qrels_of({"a": {"x": 1}, "alike": {"x": 1, "y": 1}, "missing": {"x": 1, "y": 0}})
    for policy in ("plackett-luce", "optimal", "oracle", "uniform", "deterministic"):
        curve = tradeoff_curve(
            pool(run, qrels), CurveSettings(alphas=ALPHAS, attention=TopK(1)), system="s", policy=policy
        )
        assert set(curve.n_undefined) == {2}, policy
    # deterministic: the one useful item first.
    assert curve.mean_quality.tolist() == [1]
    assert curve.mean_disparity.tolist() == [1]


def test_optimal_and_oracle_have_the_mean_disparity_of_plackett_luce() -> None:
    run = run_of({f"q{i}": {f"d{j}": float((i * 7 + j * 3) % 11) for j in range(9)} for i in range(4)})
    qrels = qrels_of({f"q{i}": {f"d{i}": 2, f"d{i + 1}": 1, "d8": 1} for i in range(4)})
    pools = pool(run, qrels)
    curves = {
        policy: tradeoff_curve(pools, CurveSettings(alphas=ALPHAS, attention=TopK(2)), system="s", policy=policy)
        for policy in ("plackett-luce", "optimal", "oracle")
    }
    for policy in ("optimal", "oracle"):
        assert curves[policy].mean_disparity == pytest.approx(curves["plackett-luce"].mean_disparity, abs=1e-9)


def test_sampled_curve_is_ordered_by_alpha_and_counts_its_samples() -> None:
    qrels = qrels_of({"q": {"a": 1, "b": 0, "c": 0}})
    many = sample_of({"q": [["a"], ["b"]]}, alpha=4.0)
    few = sample_of({"q": [["a"]]}, alpha=1.0)
    both = [many, few]
    curve = sampled_curve(both, qrels, CurveSettings(attention=TopK(1)))
    assert curve.alphas.tolist() == [1, 4]
    assert curve.n_samples == 2
    # One fixed list: 1. Two of three items half the time: (1/2 − 1/3)/(1 − 1/3) = 1/4.
    assert curve.mean_disparity == pytest.approx([1, 0.25])
    assert curve.mean_quality == pytest.approx([1, 0.5])
