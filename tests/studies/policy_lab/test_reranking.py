"""Whole runs re-ranked: by hand, and what every re-ranker keeps."""

import numpy as np
import pytest

from fairviz.errors import UsageError
from fairviz.model import Qrels, RankingSample, Run, Target
from fairviz.points.reranking import rerank_all, rerank_lists
from fairviz.reranking.catalogue import RERANKERS, Reranker, find_reranker
from tests.metrics.labels import labels_of
from tests.nouns import qrels_of, run_of
from tests.studies.policy_lab.reranked import ids, rerank

LISTS = [each for each in RERANKERS if not each.is_policy]

RUN = run_of({"q1": {"a": 5, "b": 4, "c": 3, "d": 2, "e": 1}, "q2": {"e": 2, "a": 1}})
HALVES = Target(groups=("north", "south"), shares=np.array([0.5, 0.5]))


NORTH, SOUTH = {"north": 1.0}, {"south": 1.0}
LABELS = labels_of({"a": NORTH, "b": NORTH, "c": NORTH, "d": SOUTH, "e": SOUTH})


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def ranked_by(method: str | Reranker, *, run: Run = RUN, **options: object) -> Run:
    """One list for each query, where both halves are due unless something else is said."""
    known = {"labels": LABELS, "target": HALVES, "rng": rng()} | options
    return rerank(run, method, **known)  # type: ignore[arg-type]


def drawn_by(method: str, **options: object) -> RankingSample:
    """Several lists for each query, likewise."""
    return rerank(RUN, method, **({"labels": LABELS, "target": HALVES, "rng": rng()} | options))  # type: ignore[arg-type]


def test_by_hand() -> None:
    """q1, ½ each: a, then the south is late: d; b, then e; c. q2 is e, a: both fit."""
    ranked = ranked_by("DetGreedy", k=4)
    assert ids(ranked, 0) == ["a", "d", "b", "e", "c"]
    assert ids(ranked, 1) == ["e", "a"]
    assert ranked.scores.tolist() == [4, 3, 2, 1, 0, 1, 0]
    assert ranked.system == "sys+det-greedy"


def test_below_k_the_run_goes_on() -> None:
    assert ids(ranked_by("det-greedy", k=2), 0) == ["a", "d", "b", "c", "e"]


@pytest.mark.parametrize("method", [m for m in LISTS if m.uses_target], ids=lambda m: m.name)
def test_one_group_leaves_the_run(method: Reranker) -> None:
    everyone = labels_of(dict.fromkeys("abcde", NORTH))
    protected = {"group": "north"} if method.protects_one else {}
    ranked = ranked_by(method, labels=everyone, target="uniform", k=3, **protected)
    assert ranked.docs.tolist() == RUN.docs.tolist()


def test_repeats_are_a_sample() -> None:
    drawn = drawn_by("fair-epsilon-greedy", k=5, repeats=3, epsilon=0.5, irm="nDCG")
    assert (drawn.system, drawn.policy, drawn.alpha) == ("sys", "fair-epsilon-greedy", 0.5)
    assert drawn.n_samples.tolist() == [3, 3]
    assert np.diff(drawn.sample_offsets).tolist() == [5, 5, 5, 2, 2, 2]


def test_judgements_are_gains_and_aspects() -> None:
    """RJ: only d is useful, so nDCG's gain puts it first whatever the run says; ε = 0, one group
    per item does not matter at KL equal for north and south."""
    qrels = qrels_of({"q1": {"d": 2, "a": 0}})
    ranked = ranked_by("fair-epsilon-greedy", k=1, qrels=qrels, epsilon=0.0, irm="nDCG")
    assert ids(ranked, 0) == ["d", "a", "b", "c", "e"]
    subtopics = Qrels(
        name="s",
        query_ids=("q1",),
        doc_ids=("b", "c"),
        offsets=np.array([0, 3]),
        docs=np.array([0, 1, 1], dtype=np.int32),
        grades=np.array([1, 1, 1]),
        subtopics=np.array([0, 0, 1], dtype=np.int32),
        subtopic_ids=("1", "2"),
    )
    ranked = ranked_by("novelty", target=None, k=5, qrels=subtopics, novelty=0.5)
    assert ids(ranked, 0) == ["c", "b", "a", "d", "e"]  # c covers two subtopics, then b's one


def test_queries_without_a_target_stay_and_are_named() -> None:
    target = Target(groups=("north", "south"), shares=np.array([[0.0, 1.0]]), query_ids=("q2",))
    lists = rerank_lists(RUN, labels=LABELS, target=target)
    ranked, notes = rerank_all(lists, find_reranker("det-greedy"), k=5)
    assert ids(ranked, 0) == ids(RUN, 0)
    told = [note.message for note in notes]
    assert "1 query (q1) without a target: the order stays as it is" in told
    first, _ = rerank_all(lists, find_reranker("fa-ir"), k=5, group="south", options={"least_share": 1.0})
    assert ids(first, 0) == ids(RUN, 0)


def test_what_a_person_is_told() -> None:
    labels = labels_of({"a": {"north": 0.6, "south": 0.4}, "b": SOUTH, "e": {"west": 1.0}})
    target = Target(groups=("north", "south", "east"), shares=np.array([0.5, 0.25, 0.25]))
    lists = rerank_lists(RUN, labels=labels, target=target)
    told = [note.message for note in rerank_all(lists, find_reranker("det-cons"), k=2)[1]]
    assert told == [
        "2 of 7 items have no label (29 %)",
        "2 items belong to groups in part: the largest weight counts",
        "group 'west' is not in the target: its share is 0",
        "group 'east' has a share but no item in 2 queries (q1, q2)",
    ]
    _, soft = rerank_all(lists, find_reranker("fair-epsilon-greedy"), k=2, rng=rng())
    assert not any("largest weight" in note.message for note in soft)


def test_documents_to_which_the_attribute_does_not_apply_keep_their_ranks_and_lack_no_label() -> None:
    labels = labels_of({"a": NORTH, "b": {}, "c": NORTH, "d": SOUTH, "e": SOUTH})
    target = Target(groups=("north", "south"), shares=np.array([0.0, 1.0]))
    ranked, notes = rerank_all(rerank_lists(RUN, labels=labels, target=target), find_reranker("det-greedy"), k=5)
    assert ids(ranked, 0).index("b") == ids(RUN, 0).index("b")
    assert notes[0].message == "the attribute does not apply to 1 of 7 items"
    assert not any("no label" in note.message for note in notes)


def test_fa_ir_protects_the_smaller_of_two_groups() -> None:
    ranked, notes = rerank_all(
        rerank_lists(RUN, labels=LABELS, target=HALVES), find_reranker("FA*IR"), k=5, options={"least_share": 1.0}
    )
    assert ids(ranked, 0) == ["d", "e", "a", "b", "c"]
    assert "FA*IR protects 'south', the smaller of two groups" in notes[0].message
    alike = labels_of({"a": NORTH, "b": NORTH, "d": SOUTH, "e": SOUTH})
    _, notes = rerank_all(rerank_lists(RUN, labels=alike, target=HALVES), find_reranker("FA*IR"), k=5)
    assert any("FA*IR protects 'south', the second of two of one size" in note.message for note in notes)


def test_fairness_of_exposure_shares_exposure() -> None:
    """q2 is e (south), a (north): equal exposure needs both orders alike."""
    drawn = drawn_by("FOE", target=None, k=2, samples=400, constraint="DP")
    first = drawn.docs[drawn.sample_offsets[400:800]]
    share = np.mean([drawn.doc_ids[doc] == "e" for doc in first])
    assert share == pytest.approx(0.5, abs=0.1)


def test_a_constraint_that_cannot_be_met_is_told() -> None:
    """Both items of q2 in the north: the south cannot have half of the exposure."""
    labels = labels_of({"a": NORTH, "e": NORTH, "d": SOUTH})
    ranked, notes = rerank_all(rerank_lists(RUN, labels=labels, target=HALVES), find_reranker("FOE"), k=2, rng=rng())
    told = [note.message for note in notes]
    assert "group 'south' has a share but no item in 1 query (q2)" in told
    why = "cannot meet the constraint (possible from --slack 0.5)"
    assert f"1 query (q2) {why}: the order stays as it is" in told
    rows = ranked.docs[ranked.sample_offsets[100] :]
    assert {ranked.doc_ids[doc] for doc in rows[::2]} == {"e"}


@pytest.mark.parametrize(
    ("method", "options", "reason"),
    [
        ("det-gredy", {}, "did you mean det-greedy"),
        ("det-greedy", {"epsilon": 0.5}, "has no parameter 'epsilon'; it has: none"),
        ("fair-epsilon-greedy", {"epsilon": 2.0}, "epsilon: a number in [0, 1]"),
        ("det-const-sort", {"bound": "loose"}, "bound: 'feasible' | 'printed'"),
        ("det-greedy", {"repeats": 2}, "repeats would all be equal"),
        ("plackett-luce", {"repeats": 2}, "give --samples N"),
        ("fa-ir", {"group": "east"}, "no group is named 'east'; groups: north, south"),
        ("det-greedy", {"labels": None}, "give --groups FILE"),
        ("det-greedy", {"target": None}, "needs a target"),
        ("det-greedy", {"target": "relevance"}, "give --qrels FILE"),
        ("fair-epsilon-greedy", {"rng": None}, "needs a source of chance"),
    ],
)
def test_refusals(method: str, options: dict[str, object], reason: str) -> None:
    given_: dict[str, object] = {"labels": LABELS, "target": HALVES, "k": 3, "rng": rng()}
    with pytest.raises(UsageError) as refused:
        rerank(RUN, method, **(given_ | options))  # type: ignore[arg-type]
    assert reason in str(refused.value)


def test_an_empty_run() -> None:
    assert ranked_by("det-const-sort", run=run_of({}), target="uniform", k=3).docs.size == 0
