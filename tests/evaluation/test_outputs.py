"""EU, EAR and EAE-D of recorded outputs, and which run fed which."""

import csv
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from fairviz.errors import InputError, UsageError
from fairviz.evaluation.evaluate import evaluate
from fairviz.evaluation.outputs import AnswerUtilities, utility_values
from fairviz.evaluation.systems import RECORDED, pairings
from fairviz.kernels.attention import TopK
from fairviz.kernels.attribution import attribution, coverage
from fairviz.kernels.pool import pool
from fairviz.metrics.catalogue import parse_measures
from fairviz.metrics.utility import OF_TEXTS, reference_scale
from fairviz.model import Dataset, Factors, RagOutputs, with_sources
from fairviz.points.curves import CurveSettings, sampled_curve
from tests.nouns import qrels_of, run_of, sample_of
from tests.studies.attribution.recorded import recorded

NAN = math.nan

# q1: two outputs of the same list; q2: one that attributes an item it was not given
BOT = recorded({"q1": [("ab", "a", 0.2), ("ab", "ab", 0.4)], "q2": [("cd", "ce", NAN)]})


def test_the_best_is_looked_for_in_all_runs_of_the_generator() -> None:
    own = recorded({"q1": [("a", "", 0.2), ("a", "", 0.4)], "q2": [("a", "", 0)]}, generator="g")
    oracle = recorded({"q1": [("a", "", 0.6)]}, generator="g", policy="oracle")
    other = recorded({"q1": [("a", "", 1)]}, generator="h")
    elsewhere = recorded({"q1": [("a", "", 1)]})
    best = AnswerUtilities().best(own, [own, oracle, other, elsewhere])
    np.testing.assert_array_equal(best, [0.6, 0])
    shares = utility_values(own, AnswerUtilities(), [oracle, other], norm="best")
    np.testing.assert_allclose(shares, [0.3 / 0.6, NAN])  # 0/0


def test_answers_are_compared_with_their_references_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def counted(text: str, references: object) -> float:
        seen.append(text)
        return 1.0

    monkeypatch.setitem(cast("dict[str, object]", OF_TEXTS), "rougeL", counted)
    systems = [recorded({"q1": [("a", "", 0)] * 2}, texts=["same", "same"], generator="g", alpha=a) for a in (1, 2, 3)]
    answers = AnswerUtilities({"q1": ["right"]})
    for each in systems:
        utility_values(each, answers, systems, utility="rougeL", norm="best")
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
    np.testing.assert_allclose(utility_values(outputs, AnswerUtilities(references), utility="accuracy"), [0.5, NAN])
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
    answers = AnswerUtilities()
    raw = {key: utility_values(run, answers) for key, run in runs.items()}
    best = {key: utility_values(run, answers, list(runs.values()), norm="best") for key, run in runs.items()}
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


FED = run_of({"q1": {"a": 3, "b": 2, "c": 1}, "q2": {"d": 3, "e": 2, "f": 1}}, system="fed")
OTHER = run_of({"q1": {"a": 3, "g": 2, "h": 1}, "q2": {"g": 3, "h": 2, "d": 1}}, system="other")
CITED = recorded({"q1": [("ab", "a", 1.0)], "q2": [("de", "de", 0.0)]}, source="references")


def test_coverage_counts_distinct_documents_named_in_the_first_k() -> None:
    # named: a, b of q1 and d, e of q2
    assert coverage(CITED, FED, k=3) == (4, 4)
    assert coverage(CITED, FED, k=1) == (2, 4)
    assert coverage(CITED, OTHER, k=3) == (2, 4)
    assert coverage(CITED, OTHER, k=2) == (1, 4)
    assert coverage(replace(CITED, given_from="nowhere"), FED, k=3) == (3, 3)  # a, d, e are cited


def test_the_run_that_holds_what_is_cited_is_guessed_and_said() -> None:
    (pairing,) = pairings([CITED], [OTHER, FED])
    assert (pairing.run, pairing.how) == ("fed", "guessed")
    assert pairing.candidates == (("fed", 1.0), ("other", 0.5))
    found = evaluate([OTHER, FED, CITED], parse_measures(["EAR@3"]))
    assert found.scores[0].value == 0.5  # (1 + 2) / 2 of 3 given
    told = "of the documents cited, the first 20 of each list hold: fed 100 %, other 50 %"
    assert any(str(n) == f"bot: taken as made from fed ({told}); --pair bot=fed says so" for n in found.notes)


def test_runs_that_fit_alike_are_asked_for() -> None:
    twin = replace(FED, system="twin")
    (pairing,) = pairings([CITED], [FED, twin])
    assert (pairing.run, pairing.how) == (None, "unclear")
    with pytest.raises(
        UsageError, match=r"several runs may have fed bot .*fed 100 %, twin 100 %.*: give --pair bot=RUN"
    ):
        evaluate([FED, twin, CITED], parse_measures(["EAR@3"]))
    asked = evaluate([FED, twin, CITED], parse_measures(["EAR@3", "EU"]), refuse=False)
    assert [score.measure for score in asked.scores] == ["EU"]
    told = evaluate([FED, twin, CITED], parse_measures(["EAR@3"]), pairs={"bot": "twin"})
    assert told.scores[0].value == 0.5


def test_outputs_that_record_their_lists_are_not_asked_about() -> None:
    ranked = replace(CITED, given_from="ranking", retriever="other")
    (pairing,) = pairings([ranked], [FED, OTHER])
    assert (pairing.run, pairing.how) == ("other", "recorded")
    assert pairings([replace(ranked, retriever="lost")], [FED, OTHER])[0].run is None


def test_told_only_and_alone() -> None:
    assert pairings([CITED], [FED, OTHER], {"bot": "other"})[0] == ("bot", "other", "told", (), 20)
    assert pairings([CITED], [FED, OTHER], {"bot": RECORDED})[0].run is None
    assert pairings([CITED], [FED])[0][:3] == ("bot", "fed", "only")
    assert pairings([CITED], [])[0][:3] == ("bot", None, "alone")
    with pytest.raises(UsageError, match="no system 'nobody'"):
        pairings([CITED], [FED], {"bot": "nobody"})


def test_outputs_of_one_system_are_judged_together() -> None:
    """Alone, the first would be taken for the other run's."""
    first = recorded({"q1": [("ag", "ag", 1.0)]}, source="references", alpha=1.0)
    found = pairings([first, replace(CITED, alpha=2.0)], [FED, OTHER])
    assert [pairing.run for pairing in found] == ["fed", "fed"]  # 5 of 6 against 4 of 6


def test_a_sample_with_another_number_of_rankings_fed_nobody() -> None:
    drawn = sample_of({"q1": [["a"], ["b"], ["c"]], "q2": [["d"], ["e"], ["f"]]}, system="drawn")
    twice = recorded({"q1": [("a", "a", 1.0), ("b", "b", 1.0)]}, source="references")
    assert pairings([twice], [drawn, FED])[0].run == "fed"


def test_outputs_of_other_queries_than_their_run() -> None:
    elsewhere = recorded({"301": [("ab", "a", 1.0)]}, source="references")
    with pytest.raises(InputError, match="no query in common with fed: 301 here, q1, q2 there"):
        evaluate([FED, elsewhere], parse_measures(["EAR@3"]))
    both = evaluate([FED, replace(elsewhere, system="lost"), CITED], parse_measures(["EAR@3"]))
    assert [score.system for score in both.scores] == ["bot"]
    assert any("lost: left out of EAR@3: no query in common with fed" in str(note) for note in both.notes)


def test_references_that_hold_only_what_was_cited() -> None:
    cited = recorded({"q1": [("ab", "ab", 1.0)], "q2": [("de", "de", 0.0)]}, source="references")
    assert attribution(cited, k=3).only_cited
    assert not attribution(CITED, k=3).only_cited  # b is listed, not cited: 3 of 4
    assert not attribution(cited, k=3, paired=FED).only_cited
    assert not attribution(replace(cited, given_from="ranking"), k=3).only_cited
    found = evaluate([cited], parse_measures(["EAR@3"]))
    assert any("taken from the references, which hold what was cited" in str(note) for note in found.notes)


BM25 = run_of({"q1": {"a": 3, "b": 2, "c": 1}}, system="bm25")
DRAWN = sample_of({"q1": [["a", "b"], ["b", "a"]]}, system="bm25")
JUDGED = qrels_of({"q1": {"a": 1}})


def values(*systems: object) -> list[float]:
    found = evaluate([*systems], parse_measures(["EED@1", "EER@1"]), qrels=[JUDGED])  # type: ignore[list-item]
    return [score.value for score in found.scores if score.system == "drawn"]


def test_a_sample_finds_its_run_by_the_tag_whatever_both_are_called() -> None:
    """Half the first places each for a and b: (1/2 − 1/3) / (1 − 1/3) in the run's pool, 0 in what it shows."""
    run, sample = replace(BM25, system="a.run"), replace(DRAWN, system="drawn")
    assert with_sources([sample], [OTHER, run])[0].source is run
    assert values(run, sample) == pytest.approx([0.25, 0.5])
    assert values(sample) == pytest.approx([0.0, 0.5])
    assert values(replace(sample, source=run)) == pytest.approx([0.25, 0.5])  # as a data set knows it
    (linked,) = Dataset(runs=(run,), samples=(sample,)).samples
    assert linked.source is run
    named = replace(DRAWN, tag="my_run")
    assert with_sources([named], [replace(BM25, tag="my run")])[0].source is not None  # a tag holds no blank


def test_of_several_runs_of_its_tag_the_one_that_holds_what_a_sample_shows() -> None:
    half = replace(run_of({"q1": {"a": 2, "x": 1}}, system="half"), tag="bm25")
    assert with_sources([DRAWN], [half, BM25])[0].source is BM25
    assert with_sources([DRAWN], [BM25, replace(BM25, system="twin")])[0].source is None
    elsewhere = replace(run_of({"301": {"a": 1}}), tag="bm25")
    assert with_sources([DRAWN], [elsewhere])[0].source is None


def test_a_sample_without_its_run_says_what_its_candidates_are() -> None:
    def said(*systems: object) -> list[str]:
        found = evaluate([*systems], parse_measures(["EED@1"]), qrels=[JUDGED])  # type: ignore[list-item]
        return [note.message for note in found.notes if "candidates" in note.message]

    (alone,) = said(DRAWN)
    assert alone.startswith("candidates: the documents that it shows, 2 per query, and the judged ones; its run (tag")
    assert said(DRAWN, BM25) == ["candidates: the documents of bm25, 3 per query, and the judged ones"]
    assert pool(DRAWN, JUDGED).sizes.tolist() == [2]


def test_samples_along_alpha_have_one_set_of_candidates_wherever_they_are_measured() -> None:
    """α = 8 shows a alone, α = 1 a, b and c: all three are candidates of both, with no run beside them."""
    flat = replace(sample_of({"q1": [["a"], ["b"], ["c"]]}, system="bm25"), alpha=1.0)
    steep = replace(sample_of({"q1": [["a"], ["a"], ["a"]]}, system="bm25"), alpha=8.0)
    found = evaluate([flat, replace(steep, system="steep")], parse_measures(["EED@1"]), qrels=[JUDGED])
    assert [score.value for score in found.scores] == pytest.approx([0.0, 1.0])
    said = [note.message for note in found.notes if "candidates" in note.message]
    assert len(said) == 2
    assert all(
        text.startswith("candidates: the documents that samples of bm25 show, 3 per query, and ") for text in said
    )
    curve = sampled_curve(with_sources([flat, steep], []), JUDGED, CurveSettings(attention=TopK(1)))
    assert curve.disparity.ravel().tolist() == pytest.approx([0.0, 1.0])
    of_data = Dataset(samples=(flat, replace(steep, system="steep"))).samples
    assert of_data[0].source is of_data[1].source is not None
    twins = with_sources([flat, replace(flat, system="twin")], [])
    assert [sample.source for sample in twins] == [None, None]


def test_a_table_says_which_run_is_the_retrievers_of_the_task() -> None:
    def found(retriever: str | None, task: str | None, **table: Factors) -> str | None:
        answers = replace(CITED, given_from="ranking", retriever=retriever, task=task)
        return pairings([answers], [OTHER, FED], factors=table)[0].run

    of_a, of_b = Factors(task="a", retriever="bm25"), Factors(task="b", retriever="bm25")
    assert [found("bm25", task, other=of_a, fed=of_b) for task in ("a", "b", "c", None)] == ["other", "fed", None, None]
    assert found("bm25", "a", fed=Factors(retriever="bm25")) == "fed"
    assert found("bm25", "a", fed=Factors(retriever="bm25"), other=Factors(retriever="bm25")) is None
    assert found("other", "a", fed=Factors(retriever="other")) == "other"  # named by its retriever
    assert found(None, None, fed=Factors(task="a")) is None
