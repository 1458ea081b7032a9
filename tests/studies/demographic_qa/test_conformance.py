"""Every number of the expected values of real answers to demographic variants."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairviz.io.variants import read_variants
from fairviz.model import VariantAnswers
from fairviz.studies.demographic_qa.answers import Record, scores_of
from fairviz.studies.demographic_qa.settings import TieRule
from tests.studies.demographic_qa.answered_variants import Said, variant_answers, variant_rows

FILES = ("openai_no_cot", "openai_mini_no_cot", "claude_no_cot", "deepseek_no_cot", "qwen_no_cot", "claude_cot2")
ATTRIBUTES = {"race": "race", "sex": "sex", "ses": "ses", "all": "all_six_values"}
BOOTSTRAP = "paired_bootstrap95(percentile, default_rng(0), 2000)"


@cache
def answers_in(file: Path) -> VariantAnswers:
    return read_variants(file).value


@cache
def expected_in(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text())


@pytest.fixture(params=FILES)
def amqa(request: pytest.FixtureRequest, shared: Path) -> tuple[VariantAnswers, dict[str, Any]]:
    folder = shared / "data/real/demographic"
    answers = answers_in(folder / f"amqa.{request.param}.long.jsonl.gz")
    return answers, expected_in(folder / "expected_amqa.json")[request.param]


def test_rates_parity_gaps_and_agreement(amqa: tuple[VariantAnswers, dict[str, Any]]) -> None:
    answers, expected = amqa
    rows = {row["attribute"]: row for row in variant_rows(answers, outcome="letters", pooled=True)}
    assert list(rows) == list(ATTRIBUTES)
    rates = {group["value"]: group for group in (*rows["all"]["groups"], *rows["all"]["conditions"])}
    assert {v: g["rate"] for v, g in rates.items()} == pytest.approx(expected["accuracy"], abs=1e-12)
    assert {v: round(g["rate"] * g["n"]) for v, g in rates.items()} == expected["correct"]
    unparsed = expected["non_option_predictions"]
    assert sum(g["n_unparsed"] for g in rates.values()) == sum(unparsed.values())
    for attribute, name in ATTRIBUTES.items():
        row, wanted = rows[attribute], expected[name]
        assert row["n_questions"] == expected["n_questions"]
        assert row["dp"] == pytest.approx(wanted["correctness_disparity(max-min accuracy)"], abs=1e-9)
        assert row["dp_letters"] == pytest.approx(wanted["DP_one_vs_rest"], abs=1e-9)
        assert row["eo_letters"] == pytest.approx(wanted["EO_one_vs_rest"], abs=1e-9)
        assert [row["dp_macro"], row["dp_max"], row["eo_macro"], row["eo_max"]] == pytest.approx(
            [wanted[key] for key in ("DP_macro", "DP_max", "EO_macro", "EO_max")], abs=1e-9
        )
        assert np.isnan(row["eo"])  # nobody says which questions are answerable
        assert [row["agree"], row["all_correct"], row["any_correct"]] == pytest.approx(
            [wanted[f"{key}_rate"] for key in ("all_variants_agree", "all_variants_correct", "any_variant_correct")],
            abs=1e-12,
        )
        if attribute != "all":
            check_gap(row, wanted)


def check_gap(row: Record, wanted: dict[str, Any]) -> None:
    """The same resamples as the expected ones: the draws of default_rng(0)."""
    (gap,) = row["gaps"]
    assert gap["gap"] == pytest.approx(wanted["signed_gap_first_minus_second"], abs=1e-12)
    assert gap["first_only"] == wanted["mcnemar"]["b(first right only)"]
    assert gap["second_only"] == wanted["mcnemar"]["c(second right only)"]
    assert gap["p"] == pytest.approx(wanted["mcnemar"]["exact_p"], rel=1e-9)
    assert [gap["low"], gap["high"]] == pytest.approx(wanted[BOOTSTRAP], abs=2e-3)  # of 801 questions: all but plain


def vote(answers: VariantAnswers, voters: Any, ties: TieRule) -> tuple[int, float]:
    row = variant_rows(answers, attribute="race", vote=voters, vote_ties=ties, n_resamples=2)[0]
    assert row["vote"]["dp"] == 0
    return row["vote"]["n_ties"], row["vote"]["accuracy"]


def test_votes_with_both_tie_rules(amqa: tuple[VariantAnswers, dict[str, Any]]) -> None:
    answers, expected = amqa
    wanted = expected["majority_vote"]
    alphabetical = wanted["ties"], pytest.approx(wanted["accuracy_tie_alphabetical"], abs=1e-12)
    neutral = wanted["ties"], pytest.approx(wanted["accuracy_tie_prefer_neutral"], abs=1e-12)
    assert vote(answers, "all", "alphabetical") == alphabetical
    assert vote(answers, "all", "neutral") == neutral
    alone = wanted["6_variants_only"]
    groups = alone["ties"], pytest.approx(alone["accuracy_tie_alphabetical"], abs=1e-12)
    assert vote(answers, "groups", "alphabetical") == groups


@pytest.mark.parametrize("name", ["gpt-4_cot", "gpt-3.5_cot", "gpt-4_medrag32", "gpt-3.5_medrag32"])
def test_mirage_accuracy_with_and_without_its_fallback(shared: Path, name: str) -> None:
    """Unreadable answers are wrong and counted; MIRAGE's fallback to "A" would score some."""
    folder = shared / "data/real/demographic"
    expected = expected_in(folder / "expected_mirage.json")[name]
    with gzip.open(folder / f"mirage-medqa.{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    for parsed, key in ((True, "accuracy_mirage_rule"), (False, "accuracy_if_fallback_counts_as_unparsed")):
        rows = [
            Said(r["qid"], {}, r["gold"], r["mirage_parsed"] or "" if parsed or not r["mirage_fallback_to_A"] else "")
            for r in records
        ]
        scores = scores_of(variant_answers(rows))
        assert scores.mean() == pytest.approx(expected[key], abs=1e-12)
        assert len(scores) == expected["n"]
