"""ir_measures computes fairviz's measures: the same numbers, beside its own, from any input it takes."""

import math
from typing import Any

import ir_measures
import pandas as pd
import pytest
from ir_measures import AP, Qrel, ScoredDoc, nDCG

import fairviz as fv
from fairviz.bridges import ir_measures as bridge
from fairviz.bridges.ir_measures import AWRF, EED, EER, FeasibleRank, InfeasibleCount, logDP, nDKL
from fairviz.errors import UsageError
from fairviz.metrics.describe import Measure
from fairviz.metrics.exposure_measures import EXPOSURE_MEASURES
from fairviz.metrics.group_measures import GROUP_MEASURES
from fairviz.metrics.standard import registry, standard_names

pytestmark = pytest.mark.filterwarnings("ignore::fairviz.errors.DataWarning")

RUN = {"q1": {"a": 4.0, "b": 3.0, "c": 2.0}, "q2": {"b": 2.0, "c": 1.0}, "q3": {"a": 1.0}}
QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"b": 0, "c": 0}, "q4": {"a": 1}}
REGION = {"a": "north", "b": "south", "c": "south"}
UNIFORM = {"groups": REGION, "target": "uniform"}
ASKED: dict[Any, str] = {
    EER @ 2: "EER@2",
    EED(norm="none") @ 2: "EED(norm='none')@2",
    AWRF(**UNIFORM) @ 2: "AWRF@2",
    nDKL(**UNIFORM) @ 2: "nDKL@2",
    logDP(group="north", over="query", **UNIFORM) @ 2: "logDP(group='north', over='query')@2",
    InfeasibleCount(aggregate="max", **UNIFORM) @ 2: "InfeasibleCount(aggregate='max')@2",
    FeasibleRank(**UNIFORM) @ 2: "FeasibleRank@2",  # the smallest over queries, unless another is asked for
}


def expected() -> pd.DataFrame:
    return fv.evaluate(RUN, QRELS, list(ASKED.values()), groups=REGION, target="uniform").frame().set_index("measure")


def test_every_measure_of_rankings_is_there() -> None:
    for described in (*EXPOSURE_MEASURES, *GROUP_MEASURES):
        assert getattr(bridge, described.name) == ir_measures.parse_measure(described.name)


def test_the_means_are_those_of_evaluate_and_ir_measures_keeps_its_own() -> None:
    means = ir_measures.calc_aggregate([*ASKED, nDCG @ 2, AP], QRELS, RUN)
    for measure, text in ASKED.items():
        assert means[measure] == pytest.approx(expected().value[text], nan_ok=True), text
    assert means[AP] == pytest.approx(ir_measures.pytrec_eval.calc_aggregate([AP], QRELS, RUN)[AP])


@pytest.mark.parametrize("shape", ["dicts", "rows", "frames", "generators"])
def test_any_input_of_ir_measures_gives_the_same(shape: str) -> None:
    rows = [ScoredDoc(q, d, s) for q, docs in RUN.items() for d, s in docs.items()]
    judged = [Qrel(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()]
    run, qrels = {
        "dicts": (RUN, QRELS),
        "rows": (rows, judged),
        "frames": (pd.DataFrame(rows), pd.DataFrame(judged)),
        "generators": (iter(rows), iter(judged)),
    }[shape]
    means = ir_measures.calc_aggregate([EER @ 2, nDCG @ 2], qrels, run)
    assert means[EER @ 2] == pytest.approx(expected().value["EER@2"])


def test_undefined_queries_are_nan_and_leave_the_mean() -> None:
    # q2 has one gain only, q4 is not in the run: EE-R is undefined there. q1: two of three places, gains 1, 0, 2:
    # ε* = (1, 0, 1) at k = 2, and ε = (1, 1, 0), so ⟨ε, ε*⟩ = 1, the least that two places can have (b and one useful)
    # is 1 and the most 2: 0.
    values = {metric.query_id: metric.value for metric in ir_measures.iter_calc([EER @ 2], QRELS, RUN)}
    assert values.keys() == QRELS.keys()
    assert values["q1"] == pytest.approx(0.0)
    assert math.isnan(values["q2"])
    assert math.isnan(values["q4"])


def test_what_is_one_value_of_a_system_is_asked_per_query() -> None:
    whole = logDP(group="north", **UNIFORM) @ 2
    with pytest.raises(UsageError, match=r"logDP\(group='north'.*,over='query'\)@2, or use fairviz.evaluate"):
        ir_measures.calc_aggregate([whole], QRELS, RUN)


@pytest.mark.parametrize("described", [*EXPOSURE_MEASURES, *GROUP_MEASURES], ids=lambda one: one.name)
def test_every_measure_has_values_per_query(described: Measure) -> None:
    known = {parameter.name for parameter in described.parameters}
    params = {"over": "query"} if "over" in known else {}
    measure = getattr(bridge, described.name)(**UNIFORM, **params, cutoff=2)
    assert {one.query_id for one in ir_measures.iter_calc([measure], QRELS, RUN)} >= QRELS.keys()


def test_other_labels_are_another_measure_and_files_can_be_typed(tmp_path) -> None:
    file = tmp_path / "region.tsv"
    file.write_text("doc_id\tregion\n" + "".join(f"{doc}\t{group}\n" for doc, group in REGION.items()))
    typed = ir_measures.parse_measure(f"nDKL(groups='{file}', target='uniform')@2")
    swapped = nDKL(groups={"a": "south", "b": "north", "c": "north"}, target={"north": 0.9, "south": 0.1}) @ 2
    means = ir_measures.calc_aggregate([typed, swapped, nDKL(**UNIFORM) @ 2], QRELS, RUN)
    assert len(means) == 3
    assert means[typed] == pytest.approx(means[nDKL(**UNIFORM) @ 2])
    assert means[swapped] != pytest.approx(means[typed])
    assert nDKL(groups=REGION) != nDKL(groups=REGION | {"c": "north"})  # the same documents and groups


def test_what_is_not_accepted_is_said_in_words() -> None:
    for text, words in (
        ("EED(norm='nonsense')@5", "norm='nonsense' is not accepted"),
        ("EED(depth=3)@5", "no parameter 'depth'"),
        ("EED", "needs a cutoff"),
        ("AWRF@5", "group labels are needed"),
    ):
        with pytest.raises(UsageError, match=words):
            ir_measures.calc_aggregate([ir_measures.parse_measure(text)], QRELS, RUN)


def test_an_empty_run_has_no_value() -> None:
    assert math.isnan(ir_measures.calc_aggregate([EER @ 2], QRELS, {})[EER @ 2])


def test_fairviz_does_not_take_its_own_measures_for_those_of_ir_measures() -> None:
    assert "EED" not in registry()
    assert "EED" not in standard_names()
