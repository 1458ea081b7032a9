"""Curves of recorded outputs."""

import math

import numpy as np

from fairviz.model import RagOutputs
from fairviz.points.conditions import Condition, answering, output_curves
from tests.studies.attribution.recorded import judged, measured, recorded

NAN = math.nan
QRELS = judged({"q1": "abCDEF"})


def curves(*outputs: RagOutputs) -> tuple[Condition, ...]:
    return output_curves(measured(*outputs, k=2, qrels=QRELS), outputs)


def made(utility: float, *, alpha: float | None, policy: str = "plackett-luce", **more: str):
    lists = [("ab", "a", utility), ("cd", "c", utility)]
    outputs = {"q1": lists if alpha == 1 else lists[:1] * 2}
    names = {"retriever": "bm25", "generator": "g", **more}
    return recorded(outputs, policy=policy, alpha=alpha, **names)


def test_outputs_of_one_model_make_a_curve_ordered_by_alpha() -> None:
    (model,) = curves(
        made(0.5, alpha=8),
        made(0.6, alpha=None, policy="deterministic"),
        made(0.2, alpha=1),
        made(1.0, alpha=8, policy="oracle"),
    )
    assert model.places == (2, 0)
    assert model.factors[1:4] == ("bm25", "g", "plackett-luce")
    np.testing.assert_array_equal(model.answered.alphas, [1, 8])
    np.testing.assert_array_equal(model.answered.quality, [[0.2], [0.5]])
    assert (model.answered.y, model.relevance.y) == ("EU", "EER")
    # α = 1: ε = 1/2 on four of six items: ‖ε‖² = 1 between 4/6 and 2; α = 8: one list
    np.testing.assert_allclose(model.answered.disparity, [[0.25], [1]])
    # a and b are useful: half of the slots at α = 1, all at α = 8
    np.testing.assert_allclose(model.relevance.quality, [[0.5], [1]])
    np.testing.assert_array_equal(model.ends["EU"].quality, [[0.6]])
    assert "EER" in model.ends
    assert model.answered.n_samples == 2


def test_outputs_that_record_nothing_of_their_origin_stand_alone() -> None:
    outputs = [recorded({"q1": [("ab", "a", 1)]}, system=name, alpha=1) for name in ("one", "two")]
    models = answering(measured(*outputs, k=2), outputs)
    assert [(m.name, m.answered.system, m.factors.policy) for m in models] == [
        ("one", "one", "recorded"),
        ("two", "two", "recorded"),
    ]
    assert curves(recorded({"q1": [("ab", "a", 1)]})) == ()  # without an α they are no curve


def test_queries_that_one_alpha_lacks_are_in_no_point() -> None:
    two = recorded(
        {"q2": [("ab", "a", 0.3)], "q1": [("ab", "a", 0.4)]},
        retriever="bm25",
        generator="g",
        policy="plackett-luce",
        alpha=2,
    )
    (model,) = curves(made(0.2, alpha=1), two)
    assert model.answered.query_ids == ("q1",)
    np.testing.assert_array_equal(model.answered.quality, [[0.2], [0.4]])
