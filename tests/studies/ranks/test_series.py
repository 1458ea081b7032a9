from dataclasses import replace
from typing import get_args

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import fairviz as fv
from fairviz.evaluation.evaluate import evaluate
from fairviz.kernels.grouping import Preset
from fairviz.metrics.catalogue import parse_measures
from fairviz.metrics.effectiveness import standard_values
from fairviz.metrics.fair import Irm
from fairviz.model import Qrels, RankingSample, Run, Target
from fairviz.studies.ranks.analysis import SERIES, SeriesMetric, counts_sentence, rank_series
from tests.metrics.labels import hard_labels
from tests.nouns import qrels_of, run_of, sample_of
from tests.strategies import DOCS, judged, runs, samples

DEPTH = 6


def first(ranked: Run | RankingSample, k: int) -> RankingSample:
    """The first k items of every ranking."""
    lists: dict[str, list[list[str]]] = {query: [] for query in ranked.query_ids}
    bounds = ranked.offsets if isinstance(ranked, Run) else ranked.sample_offsets
    each = np.arange(len(ranked.query_ids) + 1)
    cuts = each if isinstance(ranked, Run) else ranked.query_offsets
    for q, query in enumerate(ranked.query_ids):
        for s in range(cuts[q], cuts[q + 1]):
            docs = ranked.docs[bounds[s] : bounds[s + 1]][:k]
            lists[query].append([ranked.doc_ids[doc] for doc in docs])
    return sample_of(lists)


def series_at(values: np.ndarray, metric: SeriesMetric) -> np.ndarray:
    return values[SERIES.index(metric)]


def test_by_hand() -> None:
    # one list a b c d; groups X Y X Y, target half and half; useful: a and d
    run = run_of({"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}})
    qrels = qrels_of({"q": {"a": 1, "b": 0, "c": 0, "d": 1}})
    labels = hard_labels({"a": "X", "b": "Y", "c": "X", "d": "Y"})
    result = rank_series(run, qrels=qrels, labels=labels, target="uniform", depth=5, irm="nDCG")
    # KL of 1/0, 1/2 1/2, 2/3 1/3, 1/2 1/2 from 1/2 1/2: ln 2, 0, 0.0566, 0; then the whole list
    thirds = 2 / 3 * np.log(4 / 3) + 1 / 3 * np.log(2 / 3)
    np.testing.assert_allclose(result.of("KL"), [np.log(2), 0, thirds, 0, 0], atol=1e-12)
    # DCG 1, 1, 1, 1.4307; ideal 1, 1.6309 …; FAIR: the first term over ln 2 + 1, the last over 1
    ideal = 1 + 1 / np.log2(3)
    last = 1 / np.log2(5)
    np.testing.assert_allclose(result.of("nDCG"), [1, 1 / ideal, 1 / ideal, (1 + last) / ideal, (1 + last) / ideal])
    first = 1 / (np.log(2) + 1)
    np.testing.assert_allclose(result.of("FAIR"), [first, first / ideal, first / ideal, *[(first + last) / ideal] * 2])
    np.testing.assert_allclose(result.of("RBP"), [0.2, 0.2, 0.2, 0.2 + 0.2 * 0.8**3] * 1 + [0.3024])
    # each group has one useful item, so its α-nDCG is nDCG
    np.testing.assert_allclose(result.of("alpha_nDCG"), result.of("nDCG"))
    discount = 1 / np.log2(np.arange(2, 6))
    close = 1 / (np.array([np.log(2), 0, thirds, 0]) + 1)
    ndrkl_at = np.cumsum(close * discount) / np.cumsum(discount)
    np.testing.assert_allclose(result.of("nDRKL"), [*ndrkl_at, ndrkl_at[-1]])
    assert (result.n_queries == 1).all()
    below = rank_series(
        run, qrels=qrels, labels=hard_labels({"b": "Y", "c": "X"}), target="uniform", depth=5, irm="nDCG"
    )
    assert counts_sentence(below) == "sys: 1 judged query · FAIR undefined for none of them, at rank 1 for 1 more"


@given(
    runs() | samples(),
    judged(),
    st.dictionaries(st.sampled_from(DOCS), st.sampled_from("XYZ"), min_size=1),
    st.sampled_from(["uniform", "population"]),
    st.sampled_from(get_args(Irm)),
)
def test_each_rank_is_the_measure_at_that_cutoff(
    ranked: Run | RankingSample, qrels: Qrels, groups: dict[str, str], target: Preset, irm: Irm
) -> None:
    assume(set(ranked.query_ids) & set(qrels.query_ids))  # what joins nothing is an error
    assume({ranked.doc_ids[doc] for doc in ranked.docs} & set(groups))
    labels = hard_labels(groups)
    result = rank_series(ranked, qrels=qrels, labels=labels, target=target, depth=DEPTH, irm=irm)
    typed: dict[SeriesMetric, str] = {"FAIR": f"FAIR(irm='{irm}')", "KL": "KL", "nDRKL": "nDRKL"}
    for metric, name in typed.items():
        specs = parse_measures([f"{name}@{k}" for k in range(1, DEPTH + 1)])
        told = evaluate([ranked], specs, qrels=[qrels], labels=labels, target=target).scores
        for k, one in enumerate(told):
            theirs = dict(zip(one.query_ids, one.values, strict=True))
            for query, ours in zip(result.query_ids, series_at(result.values, metric), strict=True):
                np.testing.assert_allclose(ours[k], theirs.get(query, np.nan), atol=1e-12, err_msg=f"{metric}@{k + 1}")


@given(runs() | samples(), judged())
def test_usefulness_is_ir_measures_at_every_rank(ranked: Run | RankingSample, qrels: Qrels) -> None:
    labels = hard_labels({doc: "XY"[i % 2] for i, doc in enumerate(DOCS)})
    result = rank_series(ranked, qrels=qrels, labels=labels, target="uniform", depth=DEPTH)
    specs = parse_measures([f"nDCG@{k}" for k in range(1, DEPTH + 1)])
    for k, one in enumerate(standard_values(ranked, qrels, specs)):
        np.testing.assert_allclose(series_at(result.values, "nDCG")[:, k], one.values, atol=1e-6)
    for k in range(1, DEPTH + 1):  # RBP has no cutoff there, so the rankings are cut
        [one] = standard_values(first(ranked, k), qrels, parse_measures(["RBP(p=0.8)"]))
        np.testing.assert_allclose(series_at(result.values, "RBP")[:, k - 1], one.values, atol=1e-6)


def test_queries_without_a_value_are_counted_not_zero() -> None:
    run = run_of({"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0, "b": 0.5}})
    qrels = qrels_of({"q1": {"a": 1}, "q2": {"c": 0}, "q3": {"a": 1}})
    labels = hard_labels({"a": "X", "b": "Y"})
    result = rank_series(run, qrels=qrels, labels=labels, target="uniform", depth=2)
    # q2: nothing useful, and unlabelled at rank 1; q3: not ranked
    counts = dict(zip(SERIES, result.n_queries.tolist(), strict=True))
    assert counts["FAIR"] == counts["alpha_nDCG"] == [1, 1]
    assert counts["KL"] == counts["nDRKL"] == [1, 2]
    assert counts["nDCG"] == counts["RBP"] == [3, 3]
    np.testing.assert_allclose(result.of("nDCG"), [1 / 3, 1 / 3])


def test_a_group_that_the_target_rules_out() -> None:
    run = run_of({"q": {"a": 2.0, "b": 1.0}})
    qrels = qrels_of({"q": {"a": 1, "b": 1}})
    none_of_x = Target(groups=("X", "Y"), shares=np.array([0.0, 1.0]))
    labels = hard_labels({"a": "X", "b": "Y"})
    result = rank_series(run, qrels=qrels, labels=labels, target=none_of_x, depth=2)
    assert np.isinf(result.of("KL")).all()
    assert (result.of("FAIR") == 0).all()
    assert (result.of("nDRKL") == 0).all()


def test_subtopics_are_the_aspects_where_there_are_any() -> None:
    # a and b are both of subtopic 0, c of 1: α-nDCG@2 of a b is (1 + 0.5/log2 3)/(1 + 1/log2 3)
    run = run_of({"q": {"a": 3.0, "b": 2.0, "c": 1.0}})
    qrels = replace(
        qrels_of({"q": {"a": 1, "b": 1, "c": 1}}),
        subtopics=np.array([0, 0, 1], dtype=np.int32),
        subtopic_ids=("0", "1"),
    )
    labels = hard_labels({"a": "X", "b": "Y", "c": "Y"})
    result = rank_series(run, qrels=qrels, labels=labels, target="uniform", depth=2)
    second = 1 / np.log2(3)
    np.testing.assert_allclose(result.of("alpha_nDCG")[1], (1 + 0.5 * second) / (1 + second))


def test_ranks_beyond_the_longest_list_repeat_nothing_and_are_in_no_correlation() -> None:
    docs = [[f"{query}{rank}" for rank in range(8)] for query in "abcdefghijkl"]
    run = {own[0]: {doc: -float(rank) for rank, doc in enumerate(own)} for own in docs}
    judged = {own[0]: {own[1]: 2, own[2]: 1, own[6]: 1} for own in docs}
    groups = {doc: "AB"[rank % 3 == 0] for own in docs for rank, doc in enumerate(own)}
    found = fv.ranks(run, judged, groups=groups, target="uniform", depth=20)
    assert found.to_polars("series")["rank"].max() == 8
    assert set(found.to_polars("correlations").select("k", "n_ranks").rows()) == {(8, 8)}
