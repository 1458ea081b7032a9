"""Expected-exposure measures by their strings: values printed by published programs."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from fairviz.evaluation.evaluate import evaluate
from fairviz.io.qrels import read_qrels
from fairviz.io.rankings import read_rankings
from fairviz.metrics.catalogue import CATALOGUE, parse_measure, parse_measures
from fairviz.model import Qrels, RankingSample, Run
from tests.nouns import qrels_of, sample_of

NAMES = {"disparity": "EED", "relevance": "EER", "difference": "EEL"}


def per_query(system: Run | RankingSample, qrels: Qrels, measures: Sequence[str]) -> dict[str, dict[str, float]]:
    """Measure string -> query -> value."""
    result = evaluate([system], parse_measures(measures), qrels=[qrels], missing="zero")
    return {one.measure: dict(zip(one.query_ids, one.values.tolist(), strict=True)) for one in result.scores}


# --- expeval (Diaz et al. 2020) ---


def expeval_string(row: dict[str, str], norm: str) -> str:
    name = NAMES[row["metric"]]
    gain = "binary" if "-B" in row["flags"] else "graded"
    p, u = float(row["patience"]), float(row["utility"])
    if row["user_model"] == "rbp":
        return f"{name}(browsing='rbp', p={p}, gain='{gain}', norm='{norm}')"
    if norm == "none":  # GERR: any grade above 0 satisfies alike
        gain = "binary"
    return f"{name}(browsing='cascade', p={p}, phi={u}, gain='{gain}', norm='{norm}')"


def measured_as(row: dict[str, str]) -> str | None:
    """The measure string that means what a row does; None where only expeval means that.

    Its retrieval setting is its own convention. Where judgements are complete and every item is
    ranked (its setting -C, input ``binary``), raw values are the definition's, and its bounds for
    RBP are the attainable ones. Raw EE-D needs no target, so that it is the definition's always.
    """
    flags = set(row["flags"].split()) - {"none"}
    if "-G" in flags or row["note"]:
        return None
    if flags <= {"-B"}:
        return expeval_string(row, "expeval")
    complete = "-C" in flags and row["input"] == "binary"
    if "-U" in flags and (complete or row["metric"] == "disparity"):
        return expeval_string(row, "none")
    if complete and row["user_model"] == "rbp" and "-U" not in flags:
        return expeval_string(row, "attainable")
    return None


def test_rows_of_expeval(shared: Path) -> None:
    folder = shared / "data/expected-exposure/expeval"
    with (folder / "expected_cli.tsv").open() as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    n_checked = dict.fromkeys(("expeval", "none", "attainable"), 0)
    for name in ("graded", "binary"):
        run = read_rankings(str(folder / f"{name}.run.tsv"), multi_sample=True).value
        qrels = read_qrels(str(folder / f"{name}.qrels.tsv")).value
        wanted = [(row, text) for row in rows if row["input"] == name if (text := measured_as(row))]
        values = per_query(run, qrels, list(dict.fromkeys(text for _, text in wanted)))
        for row, text in wanted:
            value, norm = values[text][row["qid"]], text.split("norm='")[1].split("'")[0]
            if norm != "expeval" and np.isnan(value):
                continue  # undefined here: not ranked, or nothing can differ
            assert value == pytest.approx(float(row["value"]), abs=1e-6), (text, row)
            n_checked[norm] += 1
    assert n_checked == {"expeval": 609, "none": 1155, "attainable": 180}


# --- Fair-RAG (Kim & Diaz) ---


def test_rows_of_fair_rag(shared: Path) -> None:
    folder = shared / "data/expected-exposure/fairrag"
    queries = {q["qid"]: q for q in json.loads((folder / "queries.json").read_text())}
    grades = {q: dict(zip(d["pids"], d["rel"], strict=True)) for q, d in queries.items()}
    with (folder / "expected_ee.tsv").open() as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    for retriever, alpha in {(row["retriever"], row["alpha"]) for row in rows}:
        drawn = json.loads((folder / f"rankings_{retriever}_alpha{alpha}.json").read_text())
        lists: dict[str, list[list[str]]] = {}
        for query, rankings in drawn.items():
            order = list(grades[query])
            if retriever == "gold":  # useful ones first, then by id, both descending
                pairs = sorted(((rel, pid) for pid, rel in grades[query].items()), reverse=True)
                order = [pid for _, pid in pairs]
            lists[query] = [[order[i] for i in ranking] for ranking in rankings]
        measures = [f"{name}(norm='fair-rag')@5" for name in NAMES.values()]
        values = per_query(sample_of(lists), qrels_of(grades), [*measures, "EED(norm='none')@5"])
        for row in rows:
            if (row["retriever"], row["alpha"]) != (retriever, alpha):
                continue
            raw = values["EED(norm='none')@5"][row["qid"]]
            assert raw == pytest.approx(float(row["disparity_raw"]), rel=1e-9)
            for column, name in NAMES.items():
                value = values[f"{name}(norm='fair-rag')@5"][row["qid"]]
                assert value == pytest.approx(float(row[f"{column}_norm"]), abs=1e-6), row


def test_edge_cases_of_fair_rag(shared: Path) -> None:
    """Hand-made; undefined where the published code raises."""
    file = shared / "data/expected-exposure/fairrag/edge_cases.json"
    for case in json.loads(file.read_text()):
        sample, qrels = sample_of({"q": case["rankings"]}), qrels_of({"q": case["relevance"]})
        for column, name in NAMES.items():
            text = f"{name}(norm='fair-rag')@{case['k']}"
            value = per_query(sample, qrels, [text])[text]["q"]
            if "exception" in case["raw"]:
                assert np.isnan(value), case["name"]
            else:
                assert value == pytest.approx(case["normalized"][column], abs=1e-6), case["name"]


# --- by hand ---


def test_four_items_by_hand() -> None:
    """a useful, b c d not; k = 2; rankings [a b], [b c].

    ε = (1/2, 1, 1/2, 0): EE-D = 1/4 + 1 + 1/4 = 3/2 in [(Σv)²/n, Σv²] = [1, 2]: 1/2.
    ε* = (1, 1/3, 1/3, 1/3): EE-R = 1/2 + 1/3 + 1/6 = 1 in [2/3, 4/3]: 1/2.
    EE-L = 3/2 − 2 + (1 + 1/3) = 5/6 in [0, 2 + 4/3 − 4/3]: 5/12.
    """
    sample = sample_of({"q": [["a", "b"], ["b", "c"]]})
    qrels = qrels_of({"q": {"a": 3, "d": 0}})
    raw = per_query(sample, qrels, [f"{name}(norm='none')@2" for name in NAMES.values()])
    assert [one["q"] for one in raw.values()] == pytest.approx([3 / 2, 1, 5 / 6])
    scaled = per_query(sample, qrels, [f"{name}@2" for name in NAMES.values()])
    assert [one["q"] for one in scaled.values()] == pytest.approx([1 / 2, 1 / 2, 5 / 12])
    # mean ‖ε_π‖² = 2, so the unbiased EE-D is (2 · 3/2 − 2)/(2 − 1) = 1
    text = "EED(norm='none', estimate='unbiased')@2"
    assert per_query(sample, qrels, [text])[text]["q"] == pytest.approx(1)


def test_a_cascade_is_measured_against_all_judgements() -> None:
    """Grade 2 of a largest 4 satisfies with φ = 1/4, whichever items make the pool.

    ε = (1, 0.8 · 3/4): EE-D = 1 + 0.36.
    """
    run = sample_of({"q": [["a", "b"]], "r": [["a"]]})
    qrels = qrels_of({"q": {"a": 2}, "r": {"z": 4}})
    for pool in ("run", "run+judged"):
        text = f"EED(browsing='cascade', norm='none', pool='{pool}')"
        assert per_query(run, qrels, [text])[text]["q"] == pytest.approx(1.36)
        binary = f"EED(browsing='cascade', norm='none', gain='binary', pool='{pool}')"
        assert per_query(run, qrels, [binary])[binary]["q"] == pytest.approx(1 + 0.4**2)


def test_the_measure_string_chooses_the_gain() -> None:
    """Graded: a is the better of two useful items; binary: both fill one block."""
    sample = sample_of({"q": [["a", "b", "c"]]})
    qrels = qrels_of({"q": {"a": 2, "b": 1, "c": 0}})
    texts = ["EER(norm='none')@1", "EER(norm='none', gain='binary')@1", "EER(norm='none', gain='binary', rel=2)@1"]
    values = per_query(sample, qrels, texts)
    assert [values[text]["q"] for text in texts] == [1, 1 / 2, 1]
    assert parse_measure(texts[2]).params["rel"] == 2


@pytest.mark.parametrize("rel", [1, 2])
def test_a_threshold_alone_means_binary_gain(rel: int) -> None:
    """``EER(rel=1)``, as in ``P(rel=1)`` of ir-measures; graded gain has no threshold, and says so."""
    sample = sample_of({"q": [["a", "b", "c"]]})
    qrels = qrels_of({"q": {"a": 2, "b": 1, "c": 0}})
    short, long = f"EER(rel={rel}, norm='none')@1", f"EER(norm='none', gain='binary', rel={rel})@1"
    values = per_query(sample, qrels, [short, long])
    assert values[short]["q"] == values[long]["q"] == 1 / (3 - rel)
    measure = CATALOGUE["EER"]
    assert measure.idle({"rel": rel}) == {}
    assert measure.idle({"rel": rel, "gain": "graded"}) == {"rel": "gain='binary'"}
