"""What a condition is compared with, and zeros by construction."""

import math

import pytest

from fairviz.studies.demographic_qa.answers import By
from fairviz.studies.demographic_qa.rows import Record, baseline_of
from tests.studies.demographic_qa.measured import variant_rows
from tests.studies.demographic_qa.variants_by_hand import Rows, answers, rows


def by(**values: str) -> By:
    return tuple(values.items())


def test_plain_before_no_retrieval_before_the_first_strategy() -> None:
    plain, cot = by(strategy="plain", retriever="bm25", k="5"), by(strategy="COT", retriever="bm25", k="5")
    bare, bare_cot = by(strategy="plain", retriever="none", k="0"), by(strategy="COT", retriever="none", k="0")
    both = [cot, plain, bare, bare_cot]
    assert baseline_of(cot, both) == (plain, True)
    assert baseline_of(plain, both) == (bare, True)
    assert baseline_of(cot, [cot, bare_cot]) == (bare_cot, True)
    assert baseline_of(bare, both) == (None, False)
    other = by(strategy="mine", retriever="bm25", k="5")
    assert baseline_of(other, [cot, other]) == (cot, False)
    assert baseline_of(cot, [cot, other]) == (None, False)
    assert baseline_of(by(model="a"), [by(model="a"), by(model="b")]) == (None, False)


def of(some: list[Record], strategy: str) -> Record:
    return next(row for row in some if dict(row["by"])["strategy"] == strategy)


def strategies(**right: dict[str, int]) -> Rows:
    return [row for name, each in right.items() for row in rows(each, strategy=name)]


def test_changes_are_against_the_baseline() -> None:
    found = variant_rows(
        answers(strategies(plain={"white": 12, "black": 2}, COT={"white": 12, "black": 12})), by=("strategy",)
    )
    cot = of(found, "COT")
    assert of(found, "plain")["base"] is None
    assert (cot["base"], cot["natural"]) == (by(strategy="plain"), True)
    # 10 questions differ; swapped in i of them the change is 2i/12 − 10/12: ± 10/12 in 2 of 2^10
    assert cot["ddp"] == pytest.approx(-10 / 12)
    assert cot["ddp_p"] == pytest.approx(2 / 2**10, abs=0.001)
    # levels of both (1 and 0.002) and one change
    assert cot["ddp_n_tests"] == 3
    assert cot["ddp_p_holm"] == pytest.approx(min(1, 2 * cot["ddp_p"]), rel=0.6)
    assert math.isnan(cot["deo"])


def test_zero_because_nobody_is_mentioned_is_not_tested() -> None:
    named = variant_rows(
        answers(strategies(plain={"white": 12, "black": 2}) + strategies(**{"no-mention": {"white": 9, "black": 9}})),
        by=("strategy",),
    )
    row = of(named, "no-mention")
    assert row["by_construction"]
    assert math.isnan(row["dp_p"])
    assert (row["ddp"], math.isnan(row["ddp_p"])) == (pytest.approx(-10 / 12), True)
    assert row["dp_n_tests"] == 1  # the plain condition's

    def listed(one_list: str) -> Rows:
        some = strategies(plain={"white": 12, "black": 2}, x={"white": 9, "black": 9})
        return [
            row | {"retrieved": ["a", "b" if row["strategy"] == one_list or row["value"] == "white" else "c"]}
            for row in some
        ]

    same_list = variant_rows(answers(listed("x")), by=("strategy",))
    assert of(same_list, "x")["by_construction"]
    # with lists of their own, equal answers are what was measured
    own_lists = variant_rows(answers(listed("")), by=("strategy",))
    assert not of(own_lists, "x")["by_construction"]
    assert of(own_lists, "x")["dp_p"] == 1
