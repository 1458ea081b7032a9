"""The shipped example keeps what a class needs to see."""

from pathlib import Path

import numpy as np
import pytest

import fairviz as fv
from fairviz.evaluation.evaluate import evaluate
from fairviz.io.qrels import read_qrels
from fairviz.io.rag import read_outputs
from fairviz.io.rankings import read_run
from fairviz.kernels.attention import TopK
from fairviz.kernels.pool import pool
from fairviz.metrics.catalogue import parse_measure
from fairviz.points.curves import CurveSettings, tradeoff_curve

DEMO = Path(__file__).resolve().parents[2] / "data" / "demo"
LABELS = ["usefulness.qrels", "utility.qrels"]


@pytest.mark.parametrize("name", LABELS)
def test_the_trade_off_is_there_to_see(name: str) -> None:
    run = read_run(DEMO / "bm25.run").value
    pools = pool(run, read_qrels(DEMO / name).value)

    def curve(policy, *alphas: float) -> tuple[np.ndarray, np.ndarray]:
        curve = tradeoff_curve(
            pools, CurveSettings(alphas=np.array(alphas), attention=TopK(5)), system="bm25", policy=policy
        )
        return curve.mean_disparity, curve.mean_quality

    _, (deterministic,) = curve("deterministic")
    disparity, (_, low, middle, high) = curve("plackett-luce", 1, 2, 4, 8)
    assert deterministic < 0.85, "the oracle reaches 1"
    assert low < middle < high
    assert high == pytest.approx(deterministic, abs=0.03)
    assert 0.3 < disparity[2] < 0.8
    _, (optimal,) = curve("optimal", 3)
    _, (at_three,) = curve("plackett-luce", 3)
    assert optimal > at_three + 0.005


def test_what_is_consumed_follows_alpha_in_its_own_way() -> None:
    names = ["alpha-1", "alpha-2", "alpha-4", "alpha-8", "deterministic", "oracle"]
    systems = [read_outputs(DEMO / f"outputs.{name}.jsonl.gz").value.outputs[0] for name in names]
    evaluation = evaluate(systems, [parse_measure("EU"), parse_measure("EAED@5")])
    eu = dict(zip(names, (s.value for s in evaluation.scores if s.measure == "EU"), strict=True))
    eaed = dict(zip(names, (s.value for s in evaluation.scores if s.measure == "EAED@5"), strict=True))
    # Spreading exposure costs nothing down to α = 4, and something below; the oracle is above all.
    assert eu["alpha-1"] < eu["alpha-2"] < eu["deterministic"] - 0.01
    assert min(eu["alpha-4"], eu["alpha-8"]) > eu["deterministic"]
    assert eu["oracle"] > max(eu[name] for name in names[:-1]) + 0.02
    # Attributed exposure grows with α, neither nothing nor all of what is shown.
    grown = [eaed[name] for name in names[:-1]]
    assert grown == sorted(grown)
    assert 0.02 < grown[0] < 0.1 < 0.4 < grown[-1] < 0.9


@pytest.mark.filterwarnings("ignore::fairviz.errors.DataWarning")  # of ties
def test_systems_differ_and_two_fair_margins_hide_an_unfair_crossing() -> None:
    """What Compare and Groups say of it: dense and fusion are above BM25, and small African providers are left out."""
    names = ("bm25", "dense", "rrf")
    runs = {name: fv.run(DEMO / f"{name}.run") for name in names}
    quality = fv.compare(runs, DEMO / "usefulness.qrels", "nDCG@10").frame()
    assert set(quality["verdict"]) == {"higher"}
    labelled = fv.load(DEMO / "bm25.run", DEMO / "providers.tsv")
    for aspect, group, word in (
        ("region", "Africa", "no significant gap"),
        ("size", "small", "no significant gap"),
        ("region+size", "Africa × small", "points under"),
    ):
        shares = fv.groups(labelled, k=5, groups_by=aspect).frame("shares").set_index("group")
        assert word in shares["gap"][group], aspect
