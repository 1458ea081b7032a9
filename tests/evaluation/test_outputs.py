"""EU, EAR and EAE-D of recorded outputs."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from fairviz.errors import UsageError
from fairviz.evaluation.outputs import (
    AnswerUtilities,
    attributed_disparity_scores,
    attribution_scores,
    utility_scores,
)
from fairviz.kernels.attribution import attribution
from fairviz.metrics.utility import reference_scale
from fairviz.model import RagOutputs
from tests.studies.attribution.recorded import recorded

NAN = math.nan

# q1: two outputs of the same list; q2: one that attributes an item it was not given
BOT = recorded({"q1": [("ab", "a", 0.2), ("ab", "ab", 0.4)], "q2": [("cd", "ce", NAN)]})


def test_three_measures_by_hand() -> None:
    found = attribution(BOT, k=2)
    np.testing.assert_allclose(utility_scores(BOT).values, [0.3, NAN])
    # q1 (1/2 + 2/2)/2; q2 1/2
    np.testing.assert_allclose(attribution_scores(found).values, [0.75, 0.5])
    # q1 ε_a = 1, 1/2: 1.25/2; q2 1/2
    scores = attributed_disparity_scores(found)
    np.testing.assert_allclose(scores.values, [0.625, 0.5])
    assert scores.flags == {"single_sample": False, "n_cited": 5, "n_outside": 1}
    raw = attributed_disparity_scores(found, norm="none")
    np.testing.assert_allclose(raw.values, [1.25, 1.0])
    # (N‖ε̂_a‖² − mean ‖ε_a,π‖²)/(N − 1) = 2·1.25 − (1 + 2)/2 = 1; one output has no estimate
    unbiased = attributed_disparity_scores(found, norm="none", estimate="unbiased")
    np.testing.assert_allclose(unbiased.values, [1.0, NAN])


def test_outputs_that_were_given_nothing_are_undefined() -> None:
    found = attribution(recorded({"q1": [("", "a", 1)], "q2": [("a", "", 1)]}), k=2)
    np.testing.assert_array_equal(attribution_scores(found).values, [NAN, 0])
    np.testing.assert_array_equal(attributed_disparity_scores(found).values, [NAN, 0])


def test_the_best_is_looked_for_in_all_runs_of_the_generator() -> None:
    own = recorded({"q1": [("a", "", 0.2), ("a", "", 0.4)], "q2": [("a", "", 0)]}, generator="g")
    oracle = recorded({"q1": [("a", "", 0.6)]}, generator="g", policy="oracle")
    other = recorded({"q1": [("a", "", 1)]}, generator="h")
    elsewhere = recorded({"q1": [("a", "", 1)]})
    best = AnswerUtilities().best(own, [own, oracle, other, elsewhere])
    np.testing.assert_array_equal(best, [0.6, 0])
    scores = utility_scores(own, recorded=[oracle, other], norm="best")
    np.testing.assert_allclose(scores.values, [0.3 / 0.6, NAN])  # 0/0
    assert scores.n_undefined == 1


def test_answers_are_compared_with_their_references_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def counted(text: str, references: object) -> float:
        seen.append(text)
        return 1.0

    monkeypatch.setattr("fairviz.metrics.utility.rouge_l", counted)
    systems = [recorded({"q1": [("a", "", 0)] * 2}, texts=["same", "same"], generator="g", alpha=a) for a in (1, 2, 3)]
    answers = AnswerUtilities({"q1": ["right"]})
    for each in systems:
        utility_scores(each, recorded=systems, utility="rougeL", norm="best", answers=answers)
    assert seen == ["same"] * 3  # once per system, not once per system and company


def test_tasks_do_not_share_their_best() -> None:
    own = recorded({"q1": [("a", "", 0.5)]}, generator="g", task="1")
    other = recorded({"q1": [("a", "", 4)]}, generator="g", task="3")
    untold = recorded({"q1": [("a", "", 1)]}, generator="g")
    np.testing.assert_array_equal(AnswerUtilities().best(own, [other, untold]), [1])


def test_answers_against_references() -> None:
    outputs = recorded({"q1": [("", "", 9), ("", "", 9)], "q2": [("", "", 9)]}, texts=["red fox", "fox", "sea"])
    references = {"q1": ["red fox", "dog"]}
    values = AnswerUtilities(references).of(outputs, "f1")
    np.testing.assert_allclose(values, [1, 2 / 3, NAN])
    np.testing.assert_allclose(
        utility_scores(outputs, utility="accuracy", answers=AnswerUtilities(references)).values,
        [0.5, NAN],
    )
    np.testing.assert_array_equal(AnswerUtilities().of(outputs), [9, 9, 9])


def test_the_scale_of_errors_is_that_of_all_references() -> None:
    outputs = recorded({"q1": [("", "", 0)], "q2": [("", "", 0)]}, texts=["3", "many"])
    references = {"q1": ["5"], "q2": ["2"], "q9": ["1"]}
    assert reference_scale(references) == (1, 5)
    # max = 4: 4 − 2; no number errs by 5 − 2 = 3
    values = AnswerUtilities(references).of(outputs, "mae")
    np.testing.assert_array_equal(values, [2, 1])


def test_missing_and_odd_references_are_usage_errors() -> None:
    with pytest.raises(UsageError, match="give references"):
        AnswerUtilities().of(BOT, "rougeL")
    with pytest.raises(UsageError, match="query q1 has 'five'"):
        AnswerUtilities({"q1": ["five"]}).of(BOT, "mae")
    with pytest.raises(UsageError, match="at least one"):
        AnswerUtilities({"q1": []}).of(BOT, "mae")


ALPHAS = ("1", "2", "4", "8")


@pytest.mark.parametrize("task", ["1", "3", "4"])
def test_conformance_expected_utility(shared: Path, task: str) -> None:
    folder = shared / "data/expected-exposure/fairrag"
    samples: dict[str, list[float]] = json.loads((folder / "utilities_per_sample.json").read_text())
    with (folder / "expected_eu.tsv").open() as file:
        known = [row for row in csv.DictReader(file, delimiter="\t") if row["lamp"] == task]
    assert known

    def outputs(retriever: str, alpha: str) -> RagOutputs:
        queries = [row["qid"] for row in known if (row["retriever"], row["alpha"]) == (retriever, alpha)]
        # task 3 records absolute errors on 1 to 5 stars, which enter as 4 − error
        values = {q: np.array(samples[f"{task}|{retriever}|{alpha}|{q}"]) for q in queries}
        return recorded(
            {q: [("", "", u) for u in (4 - v if task == "3" else v).tolist()] for q, v in values.items()},
            generator="stub",
            policy="oracle" if retriever == "gold" else None,
            alpha=float(alpha),
        )

    runs = {(r, a): outputs(r, a) for r, a in [("gold", "8"), *(("bm25", a) for a in ALPHAS)]}
    raw = {key: utility_scores(run).values for key, run in runs.items()}
    best = {key: utility_scores(run, recorded=list(runs.values()), norm="best").values for key, run in runs.items()}
    for row in known:
        key = row["retriever"], row["alpha"]
        q = runs[key].query_ids.index(row["qid"])
        value = 4 - raw[key][q] if task == "3" else raw[key][q]
        assert value == pytest.approx(float(row["EU"]), abs=1e-9)
        if row["EU_normalized"]:
            wanted = float(row["EU_normalized"])
            if np.isnan(best[key][q]):  # 0/0: the reference says 0 or 1, fairviz undefined
                assert raw[key][q] == 0
            else:
                assert best[key][q] == pytest.approx(wanted, abs=1e-8)
