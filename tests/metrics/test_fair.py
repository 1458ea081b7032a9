"""FAIR by hand: what each rank adds (for every gain the sum of ir-measures), ideal lists, and its edges."""

import math
import shutil
from collections.abc import Mapping
from math import inf, nan

import ir_measures
import numpy as np
import pytest

from fairviz.metrics.fair import Irm, SumOverRanks, fair
from fairviz.model import FloatArray


def test_the_ideal_of_err_ia_is_greedy_by_its_own_gains() -> None:
    """α 0.9, aspects (0, 1/4), (0, 3/4), (1/2, 0), (1, 0): the last, then the second, then what adds most.

    ERR-IA: 0.225 · (1 − 0.675) = 0.073 of the first, 0.45 · 0.1 = 0.045 of the third; α-nDCG: 1/4 · 0.1^(3/4) = 0.044,
    1/2 · 0.1 = 0.05.
    """
    aspects, offsets, ties = np.array([[0, 0.25], [0, 0.75], [0.5, 0], [1.0, 0]]), np.array([0, 4]), np.arange(4)

    def order(irm: str) -> list[int]:
        ideal = SumOverRanks(irm, 0.9).ideal_order(np.ones(4), aspects, offsets, ties)  # type: ignore[arg-type]
        return ideal.tolist()

    assert order("ERR_IA") == [3, 1, 0, 2]
    assert order("alpha_nDCG") == order("NRBP") == [3, 1, 2, 0]


def test_fair_at_its_edges() -> None:
    """Infinite: term 0. No label yet: no discount. No label at all, nothing useful: undefined."""
    terms = np.array([1.0, 0.5])
    offsets = np.array([0, 2])

    def value(first: float, second: float, ideal: float = 2.0, *, additive: bool = True) -> float:
        divergence = np.array([first, second])
        return float(fair(terms, divergence, offsets, np.array([ideal]), additive=additive)[0])

    assert value(0, inf) == 0.5
    assert value(0, inf, additive=False) == 0
    assert value(nan, 0) == 0.75
    assert np.isnan(value(nan, nan))
    assert np.isnan(value(0, 0, ideal=0))


DIVERSE: tuple[Irm, ...] = ("alpha_nDCG", "NRBP", "ERR_IA")


def test_the_ideal_does_not_depend_on_the_order_of_groups() -> None:
    # weights in tenths: items of one gain whose sums differ in the last digit, by the order of the groups
    rng = np.random.default_rng(4)
    orders = [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]]
    for _ in range(200):
        tenths = rng.multinomial(10, [0.25] * 4, 8) / 10
        ties = rng.permutation(8)
        for irm in DIVERSE:
            lists = {
                tuple(SumOverRanks(irm).ideal_order(np.ones(8), tenths[:, order], np.array([0, 8]), ties).tolist())
                for order in orders
            }
            assert len(lists) == 1, irm


ALPHA, PATIENCE, DEPTH = 0.5, 0.8, 12
TOPICS = 3
NOVELTY = sum(ALPHA**i / math.log2(i + 2) for i in range(20))  # ndeval@20: a topic met at every rank
SUMS: Mapping[Irm, str] = {
    "nDCG": "nDCG",
    "RBP": f"RBP(p={PATIENCE}, rel=1)",
    "AP": "AP",
    "alpha_nDCG": f"alpha_DCG(alpha={ALPHA})@20",
    "ERR_IA": "ERR_IA@20",
    "NRBP": f"NRBP(alpha={ALPHA}, beta={PATIENCE})",
    "ERR": "ERR@20",
}
"""Measures of ir-measures that are a sum over ranks of what ``SumOverRanks`` gives, but for a constant."""


def constants(grades: FloatArray) -> dict[Irm, float]:
    """What ir-measures divides each sum by: it depends on the query alone, so that M has it as well."""
    ideal = np.sort(grades)[::-1] / np.log2(np.arange(2, DEPTH + 2))
    return {
        "nDCG": float(ideal.sum()),
        "RBP": 1.0,
        "AP": float((grades > 0).sum()),
        "alpha_nDCG": TOPICS * NOVELTY,
        "ERR_IA": sum(ALPHA**i / i for i in range(1, 21)),  # likewise, its own discount
        "NRBP": 1.0,
        "ERR": 1.0,
    }


@pytest.mark.parametrize("irm", SUMS)
def test_the_sum_over_ranks_is_the_measure(irm: Irm) -> None:
    if irm == "ERR" and shutil.which("perl") is None:
        pytest.skip("ir-measures computes ERR with a Perl program")
    rng = np.random.default_rng(5)
    docs = [f"d{i:02}" for i in range(DEPTH)]
    for _ in range(1 if irm == "ERR" else 5):
        covers = (rng.random((DEPTH, TOPICS)) < 0.4).astype(float)
        covers[0] = 1.0  # every topic has a relevant document
        grades = rng.integers(0, 5, DEPTH).astype(float)
        grades[1] = 4.0
        if irm in ("alpha_nDCG", "ERR_IA", "NRBP"):
            pairs = zip(*np.nonzero(covers), strict=True)
            qrels = [ir_measures.Qrel("1", docs[d], 1, str(topic)) for d, topic in pairs]
        else:
            qrels = [ir_measures.Qrel("1", doc, int(g)) for doc, g in zip(docs, grades, strict=True)]
        run = [ir_measures.ScoredDoc("1", doc, -i) for i, doc in enumerate(docs)]
        ((theirs),) = ir_measures.iter_calc([ir_measures.parse_measure(SUMS[irm])], qrels, run)
        gains = SumOverRanks(irm, ALPHA, PATIENCE).terms(grades, covers, np.array([0, DEPTH]))
        ours = float(gains.sum()) / constants(grades)[irm]
        assert ours == pytest.approx(theirs.value, abs=1e-5 if irm == "ERR" else 1e-9)


def test_err_has_the_scale_of_ir_measures_unless_a_larger_grade_is_judged() -> None:
    """(2^g − 1)/2^4 at rank 1 and, of what is left, half of it at rank 2; /2^6 where a 6 is judged."""
    grades, offsets = np.array([3.0, 1.0]), np.array([0, 2])

    def terms(largest: float) -> list[float]:
        aspects = np.zeros((2, 0))
        gains = SumOverRanks("ERR", largest_grade=largest).terms(grades, aspects, offsets)
        return gains.tolist()

    assert terms(3) == terms(4) == pytest.approx([7 / 16, 9 / 16 * 1 / 16 / 2])
    assert terms(6) == pytest.approx([7 / 64, 57 / 64 * 1 / 64 / 2])
