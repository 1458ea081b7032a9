"""Random rankings, judgements and labels, and what a measure string makes of them."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, currently_in_test_context
from hypothesis import strategies as st

from fairviz.evaluation.evaluate import Evaluation, evaluate
from fairviz.metrics.catalogue import parse_measure
from fairviz.model import GroupLabels, Qrels, RankingSample, Run, Scores, SystemScore, Target
from tests.metrics import labels, literal_groups
from tests.metrics.literal_groups import World, mean
from tests.metrics.test_group_conformance import with_subtopics
from tests.nouns import qrels_of, run_of, sample_of

DOCS = "abcdefgh"
QUERIES = ("q1", "q2", "q3")
PRESETS = ("uniform", "population", "corpus", "relevance")
Options = Mapping[str, Any]
Found = dict[str, float] | float
"""A value per query, or one of the system."""


# --- random worlds ---


@st.composite
def worlds(draw: st.DrawFn, *, hard: bool = False, n_groups: int | None = None) -> World:
    n = n_groups or draw(st.integers(2, 3))
    groups = ["A", "B", "C"][:n]
    ranking = st.lists(st.sampled_from(DOCS), min_size=1, max_size=7, unique=True)
    asked = draw(st.lists(st.sampled_from(QUERIES), min_size=1, unique=True))
    most = draw(st.sampled_from([1, 3]))
    rankings = {q: draw(st.lists(ranking, min_size=1, max_size=most)) for q in asked}
    grade = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1)
    judged = draw(st.lists(st.sampled_from(QUERIES), min_size=1, unique=True))
    quarters = [{"A": 1.0}, {"B": 1.0}, {groups[-1]: 1.0}, {}]
    if not hard:
        quarters += [{"A": 0.5, "B": 0.5}, {"A": 0.25, groups[-1]: 0.5}, {"B": 0.75}]
    label = draw(st.lists(st.sampled_from(quarters), min_size=len(DOCS), max_size=len(DOCS)))
    by_hand = st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any)
    target = draw(st.sampled_from(PRESETS) | by_hand)
    if isinstance(target, list):
        target = {g: share / sum(target) for g, share in zip(groups, target, strict=True)}
    labels = {doc: weights for doc, weights in zip(DOCS, label, strict=True) if weights}
    ranked = {doc for of_query in rankings.values() for one in of_query for doc in one}
    assume(set(asked) & set(judged))  # what joins nothing is an error: tests/evaluation/test_coverage.py
    assume(not labels or ranked & set(labels))
    return World(rankings, {q: draw(grade) for q in judged}, labels, groups, target)


def labels_of(world: World) -> GroupLabels:
    weights = {doc: {group: world.weight(doc, group) for group in world.groups} for doc in world.labels}
    return labels.labels_of(weights, world.groups)


def qrels_in(world: World) -> Qrels:
    qrels = qrels_of(world.grades)
    if not world.subtopics:
        return qrels
    ((query, _),) = world.grades.items()
    return with_subtopics(qrels, {d: sorted(t) for d, t in world.subtopics[query].items()})


def value(world: World, text: str) -> Found:
    """By its measure string, as the command line computes it."""
    return together(world, [text])[text]


def together(world: World, texts: Iterable[str]) -> dict[str, Found]:
    """Measures of one world, in one evaluation; what joins nothing is an error there, no world here."""
    if currently_in_test_context():
        ranked = {doc for of_query in world.rankings.values() for one in of_query for doc in one}
        assume(not world.labels or ranked & set(world.labels))
        assume(set(world.rankings) & set(world.grades))
    if all(len(each) == 1 for each in world.rankings.values()):
        falling = {
            q: {doc: float(-rank) for rank, doc in enumerate(ranking)} for q, (ranking,) in world.rankings.items()
        }
        system = run_of(falling)
    else:
        system = sample_of(world.rankings)
    asked = list(texts)
    return {text: _found(one) for text, one in zip(asked, evaluated(world, system, asked).scores, strict=True)}


def evaluated(world: World, system: Run | RankingSample, texts: Iterable[str]) -> Evaluation:
    """Measures of a system beside the judgements, labels and target of a world."""
    target = world.target
    if not isinstance(target, str):
        target = Target(groups=tuple(target), shares=np.array(list(target.values()), dtype=float))
    measures, qrels = [parse_measure(text) for text in texts], [qrels_in(world)]
    return evaluate([system], measures, qrels=qrels, labels=labels_of(world), target=target)  # type: ignore[arg-type]


def _found(scores: object) -> Found:
    if isinstance(scores, SystemScore):
        return scores.value
    assert isinstance(scores, Scores)
    return dict(zip(scores.query_ids, scores.values.tolist(), strict=True))


def agree_all(got: Mapping[str, Found], wanted: Mapping[str, Found]) -> None:
    """Each measure by itself, so that a failure names it."""
    assert got.keys() == wanted.keys()
    for text, one in wanted.items():
        agree(got[text], one, text)


def agree(got: Found, wanted: Found, of: str = "") -> None:
    if isinstance(got, dict) and isinstance(wanted, dict):
        assert got.keys() == wanted.keys()
        for query, one in wanted.items():
            assert got[query] == pytest.approx(one, abs=1e-9, nan_ok=True), (of, query)
    else:
        assert got == pytest.approx(wanted, abs=1e-9, nan_ok=True), of


def measure_string(name: str, options: Options, k: int | None = None) -> str:
    inside = ", ".join(f"{key}={value!r}" for key, value in options.items())
    return f"{name}({inside})" + (f"@{k}" if k else "")


def cut(ranking: Any, k: int | None) -> list[str]:
    return list(ranking)[:k] if k else list(ranking)


cutoffs = st.none() | st.integers(1, 3) | st.integers(1, 9)
missing = st.sampled_from(["drop", "group"])
browsing = st.sampled_from(
    [
        {"browsing": "geometric"},
        {"browsing": "geometric", "gamma": 0.3},
        {"browsing": "log"},
        {"browsing": "dcg"},
        {"browsing": "rbp", "p": 0.6},
        {"browsing": "topk"},
        {"browsing": "cascade"},
        {"browsing": "cascade", "p": 0.9, "phi": 0.25},
    ]
)


def largest(world: World) -> float:
    return float(max((g for each in world.grades.values() for g in each.values()), default=0))


def weights_in(world: World, query: str, ranking: list[str], options: Options) -> list[float]:
    return literal_groups.attention(options, ranking, world.gain(query), max(largest(world), 0.0))


def per_query(world: World, one: Callable[[str, list[str]], float], queries: Any) -> dict[str, float]:
    """Mean over the rankings of each query that have a value."""
    return {q: mean([one(q, list(r)) for r in world.rankings.get(q, ())]) for q in queries}
