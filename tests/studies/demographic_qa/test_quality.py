"""Ranking quality per variant: by hand, and the expected values of real runs."""

import json
from pathlib import Path

import numpy as np
import pytest

from fairviz.errors import UsageError
from fairviz.io.qrels import read_qrels
from fairviz.io.rankings import read_ranked_run, read_run
from fairviz.model import Run
from fairviz.studies.demographic_qa.answers import Record
from fairviz.studies.demographic_qa.retrieval import variant_quality
from tests.nouns import qrels_of, run_of

QRELS = qrels_of({"q1": {"a": 1, "b": 1}, "q2": {"c": 1}})
RUNS: dict[tuple[str, str], Run] = {
    ("none", "neutral"): run_of({"q1": {"a": 2, "b": 1}, "q2": {"c": 2, "x": 1}}),
    ("race", "Asian"): run_of({"q1": {"a": 2, "x": 1}, "q2": {"c": 2, "x": 1}}),
    ("race", "Hispanic"): run_of({"q1": {"x": 2, "y": 1}, "q2": {"x": 2, "c": 1}}),
}
"""P@2: neutral 1, 1/2; Asian 1/2, 1/2; Hispanic 0, 1/2."""


def test_by_hand() -> None:
    """Means 3/4, 1/2, 1/4. Differences −1/4 and −1/2; gap 1/4. P@1: 1, 1, 0; gap 1."""
    rows, gaps, notes = variant_quality(RUNS, QRELS, ["P@2", "P@1"])
    assert [(r["attribute"], r["value"], r["measure"], r["mean"], r["difference"]) for r in rows] == [
        ("", "neutral", "P@2", 0.75, pytest.approx(np.nan, nan_ok=True)),
        ("race", "Asian", "P@2", 0.5, -0.25),
        ("race", "Hispanic", "P@2", 0.25, -0.5),
        ("", "neutral", "P@1", 1, pytest.approx(np.nan, nan_ok=True)),
        ("race", "Asian", "P@1", 1, 0),
        ("race", "Hispanic", "P@1", 0, -1),
    ]
    assert [tuple(gap[key] for key in ("attribute", "measure", "gap", "best", "worst")) for gap in gaps] == [
        ("race", "P@2", 0.25, "Asian", "Hispanic"),
        ("race", "P@1", 1, "Asian", "Hispanic"),
    ]
    hispanic = rows[2]
    assert (hispanic["n_questions"], hispanic["n_undefined"], hispanic["n_compared"]) == (2, 0, 2)
    assert (hispanic["difference_low"], hispanic["difference_high"]) == (-1, 0)  # q1 −1, q2 0
    assert (gaps[0]["low"], gaps[0]["high"]) == (0, 0.5)
    assert not notes


def test_without_neutral_there_is_no_difference_but_a_gap() -> None:
    values = {key: run for key, run in RUNS.items() if key[0] == "race"}
    rows, gaps, _ = variant_quality(values, QRELS, ["P@2"])
    assert np.isnan([row["difference"] for row in rows]).all()
    assert gaps[0]["gap"] == 0.25


def test_a_gap_is_over_the_questions_of_both_values() -> None:
    """On q1, which both have, Asian is 1/2 ahead; its own mean, 3/4, is of q2, too."""
    one = run_of({"q1": {"x": 2, "y": 1}})
    judged = qrels_of({"q1": {"a": 1}, "q2": {"c": 1, "x": 1}})
    _, (gap,), _ = variant_quality({**RUNS, ("race", "Hispanic"): one}, judged, ["P@2"])
    assert (gap["gap"], gap["best"], gap["worst"], gap["n_questions"]) == (0.5, "Asian", "Hispanic", 1)


def test_one_value_has_no_gap() -> None:
    rows, gaps, _ = variant_quality({("race", "Asian"): RUNS["race", "Asian"]}, QRELS)
    assert rows[0]["measure"] == "nDCG@10"
    assert np.isnan(gaps[0]["gap"])


def test_mistakes() -> None:
    with pytest.raises(UsageError, match="no_such"):
        variant_quality(RUNS, QRELS, ["no_such@3"])


def means(rows: list[Record]) -> dict[tuple[str, str], float]:
    return {(row["value"], row["measure"]): row["mean"] for row in rows}


def test_real_variants(shared: Path) -> None:
    """RBP of the expected file breaks equal scores by the order of lines, the others by id."""
    folder = shared / "data/real/variants"
    expected = json.loads((folder / "expected_variants.json").read_text())["bm25"]
    attribute_of = {"neutral": "none", "male": "gender", "female": "gender", "non-binary": "gender"}
    files = {
        (attribute_of.get(value, "race"), value): folder / f"bm25.{value.replace(' ', '_')}.run.gz"
        for value in expected["effectiveness"]
    }
    by_score = {key: read_run(file).value for key, file in files.items()}
    qrels = read_qrels(folder / "bioasq-yn.qrels").value
    rows, gaps, _ = variant_quality(by_score, qrels, ["nDCG@10", "AP", "P@5", "R@20"])
    assert len(rows) == 32
    for (value, measure), mean in means(rows).items():
        assert mean == pytest.approx(expected["effectiveness"][value][measure], abs=1e-9)
    for gap in gaps[:2]:
        assert gap["gap"] == pytest.approx(expected[f"max-min nDCG@10 {gap['attribute']}"], abs=1e-9)
        assert gap["low"] > 0
    by_line = {  # the order of ties moves each
        key: read_ranked_run(file).value for key, file in files.items() if key[1] in ("neutral", "female")
    }
    for (value, measure), mean in means(variant_quality(by_line, qrels, ["RBP(rel=1)"])[0]).items():
        assert mean == pytest.approx(expected["effectiveness"][value][measure], abs=1e-6)
