"""LensKit computes fairviz's measures over its own lists."""

import pytest

import fairviz as fv

lenskit = pytest.importorskip("lenskit", reason="lenskit is absent: it brings PyTorch, 5.6 GB")

pytestmark = pytest.mark.filterwarnings("ignore::fairviz.errors.DataWarning")

REGION = {"a": "north", "b": "south", "c": "south"}


def test_a_run_of_lists_has_the_value_of_evaluate() -> None:
    from lenskit.data import ItemList, ItemListCollection
    from lenskit.metrics import NDCG, RunAnalysis

    from fairviz.bridges.lenskit import Fairness

    output = ItemListCollection.from_dict(
        {1: ItemList(["a", "b", "c"], ordered=True), 2: ItemList(["b", "c"], ordered=True)}, key="user_id"
    )
    test = ItemListCollection.from_dict(
        {1: ItemList(["a", "c"], rating=[1, 2]), 2: ItemList(["c"], rating=[3])}, key="user_id"
    )
    analysis = RunAnalysis()
    analysis.add_metric(NDCG(2))
    analysis.add_metric(Fairness("AWRF@2", groups=REGION, target="uniform"))
    analysis.add_metric(Fairness("EER@2", grade="rating"))
    found = analysis.measure(output, test).global_metrics()
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"b": 2.0, "c": 1.0}}
    qrels = {"1": {"a": 1, "c": 2}, "2": {"c": 3}}
    means = fv.evaluate(run, qrels, "AWRF@2, EER@2", groups=REGION, target="uniform").frame().set_index("measure").value
    assert found["AWRF@2"] == pytest.approx(means["AWRF@2"])
    assert found["EER@2"] == pytest.approx(means["EER@2"])
