"""Systems × measures, compared with a literal implementation of DESIGN 2.2 and 2.5."""

import gzip
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import settings as with_settings
from hypothesis import strategies as st

from fairviz.display.table import is_undefined, records
from fairviz.errors import UsageError
from fairviz.evaluation.evaluate import RESULT_COLUMNS, evaluate, score_intervals
from fairviz.evaluation.tables import measured_tables, queries_table, results_table
from fairviz.io.rag import read_outputs
from fairviz.io.rankings import read_rankings
from fairviz.metrics.catalogue import CATALOGUE, parse_measure, parse_measures
from fairviz.model import RagOutputs, RankingSample, Run
from fairviz.numerals import count
from tests.evaluation.literal import exposure_measures, mean_of_defined, output_measures
from tests.nouns import qrels_of, run_of, sample_of
from tests.studies.attribution.recorded import DOCS, recorded

QUERIES = ("q1", "q2", "q3", "q4")
ITEMS = tuple("abcdefghij")
NAN = math.nan

# --- random worlds: queries may be unjudged, judged but not ranked, or barren ---

grades = st.dictionaries(
    st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(ITEMS), st.integers(-2, 3), min_size=1), min_size=1
)
scored = st.dictionaries(
    st.sampled_from(QUERIES),
    st.dictionaries(st.sampled_from(ITEMS), st.integers(-3, 3).map(float), min_size=1),
    min_size=1,
)
rankings = st.lists(st.sampled_from(ITEMS), min_size=1, unique=True)
drawn = st.dictionaries(st.sampled_from(QUERIES), st.lists(rankings, min_size=1, max_size=5), min_size=1)


@st.composite
def settings_of(draw: st.DrawFn) -> dict[str, object]:
    """Parameters of EED, EER and EEL, as typed; cutoffs reach beyond any pool."""
    browsing = draw(st.sampled_from(["topk", "rbp", "geometric", "log", "dcg", "cascade"]))
    norms = ["none"] if browsing == "cascade" else ["attainable", "none"]
    cutoffs = st.integers(1, 14)
    return {
        "browsing": browsing,
        "cutoff": draw(cutoffs if browsing == "topk" else st.none() | cutoffs),
        "p": draw(st.sampled_from([0.2, 0.8, 0.95])),
        "gamma": draw(st.sampled_from([0.1, 0.5])),
        "phi": draw(st.sampled_from([0.3, 1.0])),
        "norm": draw(st.sampled_from(norms)),
        "gain": draw(st.sampled_from(["graded", "binary"])),
        "rel": draw(st.integers(1, 3)),
        "pool": draw(st.sampled_from(["run+judged", "run"])),
        "estimate": draw(st.sampled_from(["plugin", "unbiased"])),
    }


def typed(name: str, settings: dict[str, object]) -> str:
    """The measure string of some settings."""
    cutoff = "" if settings["cutoff"] is None else f"@{settings['cutoff']}"
    parameters = ", ".join(f"{key}={v!r}" for key, v in settings.items() if key != "cutoff")
    return f"{name}({parameters}){cutoff}"


def ranked_lists(system: Run | RankingSample) -> dict[str, list[list[str]]]:
    """The rankings of each query as lists of ids."""
    if isinstance(system, Run):
        bounds, per_query = system.offsets, range(len(system.query_ids) + 1)
    else:
        bounds, per_query = system.sample_offsets, system.query_offsets.tolist()
    return {
        query: [
            [system.doc_ids[d] for d in system.docs[bounds[s] : bounds[s + 1]]]
            for s in range(per_query[q], per_query[q + 1])
        ]
        for q, query in enumerate(system.query_ids)
    }


@with_settings(max_examples=30)
@given(system=scored.map(run_of) | drawn.map(sample_of), judged=grades, settings=settings_of())
def test_exposure_is_the_literal_one(
    system: Run | RankingSample, judged: dict[str, dict[str, int]], settings: dict[str, object]
) -> None:
    assume(judged.keys() & set(system.query_ids))
    specs = parse_measures([typed(name, settings) for name in ("EED", "EER", "EEL")])
    found = evaluate([system], specs, qrels=[qrels_of(judged)])
    lists = ranked_lists(system)
    largest = max(max(grades.values()) for grades in judged.values())
    wanted = {q: exposure_measures(lists.get(q, []), judged[q], largest=largest, **settings) for q in judged}
    for one in found.scores:
        name = one.measure[:3]
        values = [wanted[query][name] for query in judged]
        assert one.query_ids == tuple(judged)
        np.testing.assert_allclose(one.values, values, rtol=1e-9, atol=1e-9)
        assert one.n_queries == len(judged)
        assert one.n_undefined == sum(map(math.isnan, values))
        np.testing.assert_allclose(one.value, mean_of_defined(values), rtol=1e-9, atol=1e-9)


@given(lists=drawn, settings=settings_of())
def test_disparity_needs_no_judgements(lists: dict[str, list[list[str]]], settings: dict[str, object]) -> None:
    """Candidates are then the items of the run, queries those that were ranked."""
    settings = settings | ({"browsing": "dcg"} if settings["browsing"] == "cascade" else {})
    found = evaluate([sample_of(lists)], parse_measures([typed("EED", settings)]))
    (one,) = found.scores
    assert one.query_ids == tuple(lists)
    wanted = [exposure_measures(lists[query], {}, **settings)["EED"] for query in lists]
    np.testing.assert_allclose(one.values, wanted, rtol=1e-9, atol=1e-9)
    told = [note.message for note in found.notes if note.message.startswith("no judgements")]
    assert len(told) == (settings["pool"] == "run+judged")


@pytest.mark.parametrize("browsing", ["topk", "rbp", "dcg"])
def test_the_unbiased_estimate_is_unbiased(browsing: str) -> None:
    """Mean over all 27 samples of 3 from a policy over 3 rankings = the policy's own value.

    The plug-in lies above it by (mean_π‖ε_π‖² − ‖ε‖²)/N.
    """
    policy = [["a", "b", "c", "d"], ["c", "a", "d", "b"], ["d", "c", "b", "a"]]
    judged = {"q": {"a": 2, "c": 1, "x": 1}}
    exact = exposure_measures(policy, judged["q"], browsing=browsing, cutoff=2, norm="none")
    for name in ("EED", "EEL"):
        spec, plugin = (
            parse_measure(f"{name}(browsing={browsing!r}, norm='none', estimate={how!r})@2")
            for how in ("unbiased", "plugin")
        )
        values = [
            [
                one.value
                for one in evaluate([sample_of({"q": list(sample)})], [spec, plugin], qrels=[qrels_of(judged)]).scores
            ]
            for sample in itertools.product(policy, repeat=3)
        ]
        unbiased, biased = np.mean(values, axis=0)
        assert unbiased == pytest.approx(exact[name], abs=1e-12)
        assert biased > exact[name] + 0.05


# --- recorded outputs ---

item_strings = st.lists(st.sampled_from(DOCS), unique=True).map("".join)
utilities = st.floats(0, 1) | st.just(NAN)
answers = st.dictionaries(
    st.sampled_from(QUERIES),
    st.lists(st.tuples(item_strings, item_strings, utilities), min_size=1, max_size=4),
    min_size=1,
)


@given(
    made=answers,
    k=st.integers(1, 9),
    norm=st.sampled_from(["k", "none"]),
    estimate=st.sampled_from(["plugin", "unbiased"]),
)
def test_consumption_is_the_literal_one(
    made: dict[str, list[tuple[str, str, float]]], k: int, norm: str, estimate: str
) -> None:
    eaed = f"EAED(norm={norm!r}, estimate={estimate!r})@{k}"
    found = evaluate([recorded(made)], parse_measures(["EU", f"EAR@{k}", eaed]))
    utility, rate, disparity = found.scores
    wanted = {
        query: output_measures(
            [items for items, _, _ in rows], [cited for _, cited, _ in rows], k, norm=norm, estimate=estimate
        )
        for query, rows in made.items()
    }
    expected_utility = [mean_of_defined([u for _, _, u in rows]) for rows in made.values()]
    np.testing.assert_allclose(utility.values, expected_utility, atol=1e-12)
    np.testing.assert_allclose(rate.values, [w["EAR"] for w in wanted.values()], atol=1e-12)
    np.testing.assert_allclose(disparity.values, [w["EAED"] for w in wanted.values()], atol=1e-12)
    assert utility.query_ids == tuple(made)


@given(made=answers, lists=drawn, k=st.integers(1, 9))
def test_items_given_are_the_paired_run_where_none_are_recorded(
    made: dict[str, list[tuple[str, str, float]]], lists: dict[str, list[list[str]]], k: int
) -> None:
    """A query that the run lacks was given nothing: undefined."""
    assume(made.keys() & lists.keys())
    run = sample_of({query: rankings[:1] for query, rankings in lists.items()})
    outputs = recorded(made, source="references")
    found = evaluate([run, outputs], parse_measures([f"EAR@{k}"]))
    wanted = [
        output_measures([lists.get(q, [[]])[0]] * len(rows), [c for _, c, _ in rows], k)["EAR"]
        for q, rows in made.items()
    ]
    np.testing.assert_allclose(found.scores[0].values, wanted, atol=1e-12)


def test_one_output_per_query_makes_both_measures_one_and_is_said() -> None:
    one = recorded({"q1": [("abc", "ab", 1.0)], "q2": [("abc", "", 0.0)]})
    found = evaluate([one], parse_measures(["EAR@3", "EAED@3"]))
    assert [scores.flags["single_sample"] for scores in found.scores] == [True, True]
    np.testing.assert_allclose(*(scores.values for scores in found.scores))
    assert [str(note) for note in found.notes] == ["bot: one output per query: EAE-D/k equals EAR identically"]


def test_citations_outside_what_was_given_are_told_above_a_tenth() -> None:
    paired = sample_of({"q": [["a", "b"]]}, system="bm25")
    outside = recorded({"q": [("", "abc", 1.0), ("", "a", 1.0)]}, source="references")
    found = evaluate([paired, outside], parse_measures(["EAR@2"]))
    assert found.scores[0].value == pytest.approx(3 / 4)
    assert [note.message for note in found.notes] == [
        "1 of 4 cited documents are not in the first 2 of bm25: were these outputs made from it?"
    ]
    within = recorded({"q": [("", "ab", 1.0)] * 5 + [("", "c", 1.0)]}, source="references")
    assert not evaluate([paired, within], parse_measures(["EAR@2"])).notes


# --- order, coverage, frames ---

JUDGED = qrels_of({"q1": {"a": 1, "b": 0}, "q2": {"a": 1}, "q3": {"z": 0, "y": 0}})
ONE = run_of({"q1": {"b": 2.0, "a": 1.0}, "q3": {"z": 1.0}, "q9": {"a": 1.0}}, system="one")
TWO = run_of({"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}, "q3": {"y": 1.0}}, system="two")
BOT = recorded({"q1": [("ab", "a", 1.0)]})


def test_systems_come_first_then_measures_as_typed() -> None:
    specs = parse_measures(["EER(norm='none')@1 , P@1", "EU, EED(norm='none')@1"])
    found = evaluate([ONE, BOT, TWO], specs, qrels=[JUDGED])
    assert [(one.system, one.measure) for one in found.scores] == [
        ("one", "EER(norm='none')@1"),
        ("one", "P@1"),
        ("one", "EED(norm='none')@1"),
        ("bot", "EU"),
        ("two", "EER(norm='none')@1"),
        ("two", "P@1"),
        ("two", "EED(norm='none')@1"),
    ]


def test_a_table_is_over_the_queries_that_all_its_systems_rank_and_says_so() -> None:
    """a ranks q1 to q3, b q2 to q4, of which q3 is right in a alone; c ranks q9, which it shares with nobody."""

    def run(name: str, **tops: str) -> Run:
        return run_of({query: {top: 1.0} for query, top in tops.items()}, system=name)

    a, b = run("a", q1="g", q2="g", q3="g"), run("b", q2="g", q3="x", q4="x")
    judged = [qrels_of({query: {"g": 1, "x": 0} for query in ("q1", "q2", "q3", "q4", "q9")})]
    both = evaluate([a, b], parse_measures(["P@1"]), qrels=judged)
    assert [score.value for score in both.averaged] == [1.0, 0.5]
    assert [score.n_queries - score.n_undefined for score in both.averaged] == [2, 2]
    assert both.over == "Means over the 2 queries that both systems rank"
    alone = evaluate([a], parse_measures(["P@1"]), qrels=judged)
    assert (alone.averaged[0].value, alone.over) == (1.0, "Means over the 3 queries that the system ranks")
    apart = evaluate([a, b, run("c", q9="x")], parse_measures(["P@1"]), qrels=judged)
    assert [score.value for score in apart.averaged] == [1.0, 0.5, 0.0]
    assert apart.over == "Means over the 2 queries that both systems rank and the 1 query that the system ranks"
    table = measured_tables(apart)["means-1"]
    assert table.caption.startswith(f"{apart.over}, unless said otherwise")
    assert [row[-1] for row in table.rows] == ["2", "2", "1"]
    filled = evaluate([a, b], parse_measures(["P@1"]), qrels=judged, missing="zero")
    assert [score.value for score in filled.averaged] == [0.6, 0.2]


def test_a_chain_of_systems_without_a_query_of_all_keeps_its_own_and_says_so() -> None:
    chain = [run_of({query: {"g": 1.0} for query in pair}, system=pair) for pair in ("12", "23", "34")]
    judged = [qrels_of({query: {"g": 1} for query in "1234"})]
    found = evaluate(chain, parse_measures(["P@1"]), qrels=judged)
    assert [score.value for score in found.averaged] == [1.0] * 3
    assert found.over == "Means over each system's own queries, none being common to all 3"
    assert [note.file for note in found.notes if "over its own 2 queries" in note.message] == ["12", "23", "34"]


def test_short_rankings_and_values_outside_the_bounds_are_told() -> None:
    """min(k, n) = 3 of 4 items, one is ranked: EE-D = 1 < (Σv)²/n = 9/4, never clipped."""
    judged = qrels_of({"q": {"a": 1, "b": 0, "c": 0, "d": 0}})
    found = evaluate([run_of({"q": {"a": 1.0}})], parse_measures(["EED@3"]), qrels=[judged])
    assert found.scores[0].value == pytest.approx((1 - 9 / 4) / (3 - 9 / 4))
    told = [note.message for note in found.notes]
    assert any("1 query ranked shorter than min(k, n) at k = 3" in message for message in told)
    assert "EED@3: 1 query with a value outside [0, 1], not clipped" in told


def test_the_unbiased_estimate_of_one_ranking_is_undefined_and_said() -> None:
    spec = parse_measures(["EED(estimate='unbiased')@1", "EER(estimate='unbiased')@1"])
    disparity, relevance = evaluate([TWO], spec, qrels=[JUDGED]).scores
    assert disparity.n_undefined == 3
    assert relevance.n_undefined < 3  # linear in exposure, so one ranking is enough
    notes = evaluate([TWO], spec, qrels=[JUDGED]).notes
    assert any("needs two rankings per query" in note.message for note in notes)


@pytest.mark.parametrize(
    ("systems", "measures", "reason"),
    [
        ([BOT], "EED@5", "EED@5 needs rankings: give RUN"),
        ([ONE], "EU", "EU needs recorded outputs: give --outputs FILE"),
        ([ONE], "nDCG@10", "nDCG@10: judgements are needed: give --qrels FILE"),
    ],
)
def test_what_a_measure_needs_is_named(systems: list[Run | RagOutputs], measures: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        evaluate(systems, parse_measures([measures]))


def test_rows_have_declared_columns() -> None:
    scores = evaluate([ONE, TWO], parse_measures(["EED(norm='none')@1"]), qrels=[JUDGED]).scores
    means, per_query = results_table(scores, score_intervals(scores, seed=0), seed=0), queries_table(scores)
    assert (*means.keys,) == (*RESULT_COLUMNS, "better", "source")
    assert (*per_query.keys,) == ("system", "query_id", "measure", "value")
    assert len(per_query.rows) == 6
    rows = records(means)
    assert [row["n_undefined"] for row in rows] == [1, 0]
    # every value is 1: there is no interval
    assert [row["value"] for row in rows] == [1.0, 1.0]
    assert all(is_undefined(row[end]) for row in rows for end in ("low", "high"))


def test_real_answers_counted_by_hand(shared: Path) -> None:
    """EAR and EAE-D of a real file of answers, from its JSON alone."""
    folder = shared / "data/real"
    with gzip.open(folder / "runs/rag24.test.run.gz", "rt") as lines:
        scored: dict[str, list[tuple[float, str]]] = {}
        for line in lines:
            query, _, doc, _, score, *_ = line.split()
            scored.setdefault(query, []).append((float(score), doc))
    first = {q: {doc for _, doc in sorted(rows, reverse=True)[:20]} for q, rows in scored.items()}
    run = read_rankings(folder / "runs/rag24.test.run.gz").value
    for name in ("gpt-4o", "command-r-plus", "llama31-70b"):
        file = folder / f"rag/rag24.test.{name}.jsonl.gz"
        n_cited, used = 0, []
        with gzip.open(file, "rt") as lines:
            for answer in map(json.loads, lines):
                cited = {answer["references"][i] for part in answer["answer"] for i in part["citations"]}
                n_cited += len(cited)
                used.append(len(cited & first[str(answer["topic_id"])]))
        outputs = read_outputs(file).value.outputs
        found = evaluate([run, *outputs], parse_measures(["EAR@20", "EAED(norm='none')@20"]))
        rate, disparity = (one.value for one in found.scores)
        assert rate == pytest.approx(sum(used) / 20 / len(used), abs=1e-12)
        assert disparity == pytest.approx(sum(used) / len(used), abs=1e-12)
        told = f"{count(n_cited - sum(used))} of {count(n_cited)} cited documents are not in the first 20 of"
        assert any(note.message.startswith(told) for note in found.notes)


def test_parameters_typed_in_vain_are_told() -> None:
    spec = parse_measures(["EED(p=0.5, gain='graded', rel=2)@1", "EED(browsing='rbp', p=0.5, norm='none')@1"])
    told = [note.message for note in evaluate([TWO], spec, qrels=[JUDGED]).notes]
    assert "EED(p=0.5, gain='graded', rel=2)@1: p has no effect, it goes with browsing='rbp' or 'cascade'" in told
    assert "EED(p=0.5, gain='graded', rel=2)@1: rel has no effect, it goes with gain='binary'" in told
    assert sum("no effect" in message for message in told) == 2


def test_every_measure_of_outputs_is_computed() -> None:
    names = [name for name, one in CATALOGUE.items() if "outputs" in one.needs]
    specs = parse_measures([name if name == "EU" else f"{name}@1" for name in names])
    found = evaluate([recorded({"q1": [("a", "a", 0.5)]})], specs)
    assert [score.measure for score in found.scores] == [spec.shown for spec in specs]
