"""Effectiveness measures: what ir-measures and trec_eval print for real and odd files; our kernels, bit by bit."""

import csv
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.evaluation.evaluate import evaluate
from fairviz.io.qrels import read_qrels
from fairviz.io.rankings import read_rankings
from fairviz.metrics import effectiveness
from fairviz.metrics.catalogue import checked_measure, parse_measure, parse_measures
from fairviz.metrics.effectiveness import standard_values
from fairviz.metrics.standard import REFUSED, registry, standard_names, standard_parameters
from fairviz.model import Qrels, Run, Scores
from tests.nouns import qrels_of, run_of, sample_of


def scores_of(run: Path, qrels: Path, measures: list[str]) -> tuple[Scores, ...]:
    judged = read_qrels(str(qrels)).value
    ranked = read_rankings(str(run)).value
    return evaluate([ranked], parse_measures(measures), qrels=[judged]).scores


# --- expected values ---


def test_real_runs_have_the_values_of_ir_measures(shared: Path) -> None:
    folder = shared / "data/real/runs"
    expected = json.loads((folder / "expected_metrics.json").read_text())
    per_query = json.loads((folder / "expected_per_query.json").read_text())
    del expected["_"]
    for run, want in expected.items():
        means: dict[str, float] = want["mean_over_qrels_queries(-c)"]
        scores = scores_of(folder / run, folder / want["qrels"], list(means))
        for one in scores:
            assert one.value == pytest.approx(means[one.measure], abs=1e-6), (run, one.measure)
            for query, value in zip(one.query_ids, one.values, strict=True):
                known = per_query[run].get(query, {}).get(one.measure)
                assert known is None or value == pytest.approx(known, abs=1e-6), (run, query)


def test_rbp_without_rel_counts_grades_from_one_on(shared: Path) -> None:
    folder = shared / "data/real/runs"
    with (folder / "expected_compact.csv").open() as lines:
        for row in csv.DictReader(lines):
            columns = {"nDCG@10": "nDCG@10_linear", "AP": "AP", "RBP(p=0.8)": "RBP(p=0.8,rel=1)"}
            scores = scores_of(folder / row["run"], folder / row["qrels"], list(columns))
            for one in scores:
                assert one.value == pytest.approx(float(row[columns[one.measure]]), abs=2e-6)
                assert one.n_queries == int(row["n_queries"])


def conformance_rows(shared: Path, family: str) -> list[dict[str, str]]:
    """Rows of ir-measures' names; ``ERR`` and other packages' own names are none of fairviz."""
    with (shared / "data/ranking-metrics/expected.tsv").open() as lines:
        result = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        rows = [row for row in result if row["family"] == family and ":" not in row["metric"]]
    return [row for row in rows if not row["metric"].startswith("ERR@")]


def check_rows(rows: list[dict[str, str]], run: Run, qrels: Qrels) -> None:
    measures = parse_measures(sorted({row["metric"] for row in rows}))
    by_name = {one.measure: one for one in evaluate([run], measures, qrels=[qrels], missing="zero").scores}
    for row in rows:
        one = by_name[row["metric"]]
        by_query = dict(zip(one.query_ids, one.values.tolist(), strict=True))
        value = one.value if row["case"] == "all" else by_query[row["case"]]
        want, tolerance = float(row["value"]), float(row["tol_abs"])
        assert abs(value - want) <= tolerance * max(1, abs(want)), row


def ordered_run(file: Path, *, ties: str) -> Run:
    """The run in the order that a provider makes of tied scores by itself."""
    lists: dict[str, list[tuple[float, str]]] = {}
    for line in file.read_text().splitlines():
        query, _, doc, _, score, _ = line.split()
        lists.setdefault(query, []).append((-float(score), doc))
    for rows in lists.values():
        rows.sort(key=None if ties == "ascending" else lambda row: row[0])
    return run_of({q: {doc: float(-i) for i, (_, doc) in enumerate(rows)} for q, rows in lists.items()})


def test_odd_topics_have_the_values_of_the_public_packages(shared: Path) -> None:
    """Tied scores, judged but not retrieved, nothing relevant, retrieved but unjudged.

    Two topics have many ties. trec_eval orders them by id descending, as fairviz does for all;
    the expected values of RBP are of cwl_eval's own order, which is the file's, and those of
    diversity of ndeval's, which is by id ascending: these are compared in that order.
    """
    inputs = shared / "data/ranking-metrics/inputs"
    as_read = read_rankings(str(inputs / "run.trec")).value
    qrels = read_qrels(str(inputs / "qrels.trec")).value
    rows = conformance_rows(shared, "relevance")
    rbp = [row for row in rows if row["metric"].startswith("RBP")]
    others = [row for row in rows if row not in rbp]
    assert (len(rbp), len(others)) == (45, 210)
    check_rows(others, as_read, qrels)
    check_rows(rbp, ordered_run(inputs / "run.trec", ties="as in the file"), qrels)
    check_rows([row for row in rbp if row["case"] not in ("4", "8", "all")], as_read, qrels)


def test_diversity_has_the_values_of_ndeval(shared: Path) -> None:
    inputs = shared / "data/ranking-metrics/inputs"
    qrels = read_qrels(str(inputs / "qrels.div.trec")).value
    rows = conformance_rows(shared, "diversity")
    assert len(rows) == 182
    check_rows(rows, ordered_run(inputs / "run.trec", ties="ascending"), qrels)
    untied = [row for row in rows if row["case"] not in ("4", "8", "all")]
    check_rows(untied, read_rankings(str(inputs / "run.trec")).value, qrels)


# --- what is handed over ---


class Recorder:
    """Stands for a provider, and keeps what it is asked."""

    NAME = "recorder"

    def __init__(self) -> None:
        self.runs: list[Mapping[str, Mapping[str, float]]] = []

    def iter_calc(self, measures: object, qrels: object, run: Mapping[str, Mapping[str, float]]) -> Iterator[object]:
        self.runs.append(run)
        return iter(())


def test_every_provider_sees_strictly_falling_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tied, infinitely close and huge scores: n − rank after our tie rule (id descending)."""
    recorder = Recorder()
    monkeypatch.setattr(effectiveness, "provider_of", lambda _: recorder)
    tied = run_of({"q": {"a": 1.0, "c": 1.0, "b": 1.0, "d": 1e300, "e": 1.0 - 1e-17}, "u": {"a": 1}})
    standard_values(tied, qrels_of({"q": {"a": 1}}), [parse_measure("Bpref")])
    (handed,) = recorder.runs
    assert handed == {"q": {"d": 5.0, "e": 4.0, "c": 3.0, "b": 2.0, "a": 1.0}}
    assert list(handed["q"].values()) == sorted(handed["q"].values(), reverse=True)


def test_ties_count_alike_for_every_provider() -> None:
    """All tied: the last id stands first, for trec_eval, cwl and ndeval alike."""
    run = run_of({"q": dict.fromkeys("abcde", 1.0)})
    qrels = qrels_of({"q": {"e": 1, "a": 0}})
    texts = ["P@1", "RR", "RBP(p=0.5)", "Compat(p=0.5)", "StRecall@1", "Success@1"]
    scores = evaluate([run], parse_measures(texts), qrels=[qrels]).scores
    assert [one.values[0] for one in scores] == pytest.approx([1, 1, 0.5, 1, 1, 1])


def test_measures_asked_for_together_have_the_values_they_have_alone() -> None:
    """Also those that trec_eval takes for one, those asked for twice, and those that differ in a parameter only."""
    run = run_of({"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "r": {"b": 2.0, "a": 1.0}})
    qrels = qrels_of({"r": {"a": 1, "c": 2}, "q": {"a": 0, "b": 2, "c": 1, "d": -1}, "unranked": {"a": 1}})
    texts = "AP AP(rel=1) AP(rel=2) MAP nDCG@2 nDCG nDCG@3 RR Compat(p=0.5) P@1 alpha_nDCG(alpha=0.2)@3 alpha_nDCG@3"
    texts += " Bpref Bpref(rel=1) BPref Bpref(rel=2) infAP infAP(rel=1) IPrec@0.1 IPrec(rel=1)@0.1 Bpref"
    measures = parse_measures(texts.split())
    together = standard_values(run, qrels, measures)
    for measure, ours in zip(measures, together, strict=True):
        (alone,) = standard_values(run, qrels, [measure])
        assert ours.values.tolist() == alone.values.tolist(), measure
        assert ours.flags["n_zero_by_rule"] == alone.flags["n_zero_by_rule"]


@pytest.mark.parametrize("lowest", [-2, -3, -900])
def test_grades_below_minus_one_count_as_minus_one(lowest: int) -> None:
    """trec_eval itself leaves its memory where a grade is -2 or less, and takes the process with it."""
    ranked = run_of({"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}})
    measures = parse_measures(["nDCG@2", "AP", "Bpref", "infAP", "Rprec"])
    low, known = (
        standard_values(ranked, qrels_of({"q": {"a": 0, "b": 2, "c": grade, "d": 1}}), measures)
        for grade in (lowest, -1)
    )
    for ours, theirs in zip(low, known, strict=True):
        assert np.array_equal(ours.values, theirs.values)


def test_samples_are_averaged_over_their_rankings() -> None:
    """P@1 of [a…], [b…], [a…] with a useful: 2/3; of two rankings, of which one is empty and counts as 0: 1/2."""
    sample = sample_of({"q": [["a", "b"], ["b", "a"], ["a", "b"]], "r": [[], ["c", "b"]]})
    qrels = qrels_of({"r": {"c": 2}, "q": {"a": 1}, "missing": {"a": 1}})
    (result,) = standard_values(sample, qrels, [parse_measure("P@1")])
    np.testing.assert_allclose(result.values, [1 / 2, 2 / 3, 0])
    assert (result.flags["n_zero_by_rule"], result.unranked.tolist()) == (0, [False, False, True])


def test_zeros_by_rule_are_counted_apart_from_earned_ones() -> None:
    run = run_of({"ranked": {"a": 1.0}, "missed": {"b": 1.0}, "barren": {"a": 1.0}})
    grades = {"ranked": {"a": 2}, "missed": {"a": 2}, "barren": {"a": 1}, "absent": {"a": 2}}
    (result,) = standard_values(run, qrels_of(grades), [parse_measure("AP(rel=2)")])
    np.testing.assert_allclose(result.values, [1, 0, 0, 0])
    assert result.flags["n_zero_by_rule"] == 1  # barren


def test_diversity_without_subtopics_is_said() -> None:
    result = evaluate([run_of({"q": {"a": 1.0}})], parse_measures(["alpha_nDCG@5"]), qrels=[qrels_of({"q": {"a": 1}})])
    told = [note.message for note in result.notes]
    assert told == ["alpha_nDCG@5: the judgements have no subtopics, it counts one"]


# --- all of ir-measures ---

RUN = run_of({"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "text id": {"b": 1.0, "a": 0.5}})
QRELS = qrels_of({"q1": {"a": 1, "b": 0, "c": 2}, "text id": {"a": 1, "d": 0}, "none": {"a": 0}})


@pytest.mark.parametrize("name", [name for name in registry() if registry()[name].NAME not in REFUSED])
def test_every_name_has_a_value(name: str) -> None:
    """Aliases included, with the parameters that must be typed."""
    needed = {"max_rel": 2, "recall": 0.5}
    params = {p.name: needed[p.name] for p in standard_parameters(name) if p.required}
    takes_cutoff = "cutoff" in registry()[name].SUPPORTED_PARAMS and name != "RBP"
    cutoff = 2 if takes_cutoff else None
    spec = checked_measure(name, params, cutoff)
    (result,) = standard_values(RUN, QRELS, [spec])
    assert result.values.shape == (3,)
    assert np.isfinite(result.values).all()


def test_listed_names_are_no_aliases() -> None:
    assert "nDCG" in standard_names()
    assert not {"MAP", "NDCG", "Precision", "α_nDCG", "ERR"} & set(standard_names())
    assert all(re.fullmatch("[A-Za-z_0-9]+", name) for name in standard_names())


# Our kernels beside trec_eval, as ir-measures calls it.


TEXTS = (
    "nDCG nDCG@3 nDCG@10 AP AP@3 AP(rel=2) AP(rel=2)@5 P@3 P(rel=2)@4 R@3 R(rel=2)@10 Rprec Rprec(rel=2) RR RR@3"
    " RR(rel=2) Success@2 Success(rel=2)@3 MAP NDCG@5 Precision@5 Recall@5 RPrec MRR"
)
DOCS = st.sampled_from("abcdefgh")
RANKED = st.dictionaries(DOCS, st.integers(0, 5), min_size=1)
# trec_eval leaves its memory where all grades of a query are negative, and may never come back
GRADED = st.dictionaries(DOCS, st.integers(-2, 3)).map(lambda grades: {"x": 0, **grades})
QUERIES = st.sampled_from(["q1", "q2", "q3"])


@given(st.dictionaries(QUERIES, RANKED, min_size=1), st.dictionaries(QUERIES, GRADED, min_size=1))
def test_kernels_have_the_bits_of_trec_eval(runs: dict[str, dict[str, int]], grades: dict[str, dict[str, int]]) -> None:
    """Ties, queries that were not ranked, grades below 0, cutoffs beyond the list."""
    run = run_of({query: {doc: float(score) for doc, score in ranked.items()} for query, ranked in runs.items()})
    qrels, specs = qrels_of(grades), parse_measures(TEXTS.split())
    ours = standard_values(run, qrels, specs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(effectiveness, "kernel_of", lambda *_: None)
        theirs = standard_values(run, qrels, specs)
    for spec, one, other in zip(specs, ours, theirs, strict=True):
        assert one.values.tolist() == other.values.tolist(), spec
        assert one.flags["n_zero_by_rule"] == other.flags["n_zero_by_rule"], spec


def test_a_query_of_negative_grades_only_is_zero() -> None:
    (result,) = standard_values(run_of({"q": {"a": 1.0}}), qrels_of({"q": {"a": -1}}), [parse_measure("nDCG")])
    assert result.values.tolist() == [0]
    assert result.flags["n_zero_by_rule"] == 1


@pytest.mark.parametrize("text", ["AP(rel=0)", "P(judged_only=True)@3", "nDCG(gains={2:5})", "nDCG(dcg='log2')@3"])
def test_what_trec_eval_does_beyond_them_it_is_asked_for(text: str) -> None:
    spec = parse_measure(text)
    assert effectiveness.kernel_of(spec.name, spec) is None
