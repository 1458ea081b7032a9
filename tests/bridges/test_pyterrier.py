"""PyTerrier's Experiment computes fairviz's measures beside its own, through ir_measures."""

import pandas as pd
import pytest
from ir_measures import nDCG

import fairviz as fv

pyterrier = pytest.importorskip("pyterrier", reason="PyTerrier is absent: pip install python-terrier")

pytestmark = pytest.mark.filterwarnings("ignore")  # PyTerrier's own

REGION = {"a": "north", "b": "south", "c": "south"}
UNIFORM = {"groups": REGION, "target": "uniform"}


def frame(column: str, **lists: str) -> pd.DataFrame:
    """Documents of each query with 3, 2, 1 in the order of the letters."""
    rows = [(query, doc, 3 - place) for query, docs in lists.items() for place, doc in enumerate(docs)]
    return pd.DataFrame(rows, columns=["qid", "docno", column])


def test_an_experiment_has_the_means_and_values_of_evaluate() -> None:
    from fairviz.bridges.ir_measures import AWRF, EER

    one, other = frame("score", q1="abc", q2="bca"), frame("score", q1="cba", q2="abc")
    topics = pd.DataFrame({"qid": ["q1", "q2"], "query": ["x", "y"]})
    judged = frame("label", q1="ab", q2="cab")
    measures = [nDCG @ 2, EER @ 2, AWRF(**UNIFORM) @ 2]
    means = pyterrier.Experiment([one, other], topics, judged, measures, names=["one", "other"]).set_index("name")
    values = pyterrier.Experiment([one, other], topics, judged, measures, names=["one", "other"], perquery=True)
    for name, run in (("one", one), ("other", other)):
        asked = (fv.run(run, name=name), judged, "nDCG@2, EER@2, AWRF@2")
        for measure, value in zip(measures, fv.evaluate(*asked, **UNIFORM).frame()["value"], strict=True):
            assert means.loc[name, str(measure)] == pytest.approx(value)
        expected = fv.evaluate(*asked, **UNIFORM).frame("per-query")["value"]
        assert sorted(values[values["name"] == name]["value"]) == pytest.approx(sorted(expected))


def test_a_baseline_is_tested_against() -> None:
    from fairviz.bridges.ir_measures import EER

    runs = [frame("score", q1="abc", q2="bca", q3="abc"), frame("score", q1="cba", q2="abc", q3="acb")]
    topics = pd.DataFrame({"qid": ["q1", "q2", "q3"], "query": ["x", "y", "z"]})
    judged = frame("label", q1="ab", q2="cab", q3="ab")
    found = pyterrier.Experiment(runs, topics, judged, [EER @ 2], names=["one", "other"], baseline=0)
    assert {"EER@2 +", "EER@2 -", "EER@2 p-value"} <= set(found.columns)
