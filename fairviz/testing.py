"""Laws that a measure, a re-ranker, attention or a format of your own has to keep, as helpers for tests.

Each raises AssertionError with what is broken, on small collections that are drawn by a seed.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.evaluate import evaluate
from fairviz.io.dataset import add_file
from fairviz.io.formats import sniff
from fairviz.kernels.attention import OWN, Attention, is_attention
from fairviz.metrics.catalogue import CATALOGUE, parse_measure
from fairviz.model import Dataset, FloatArray, Scores
from fairviz.reranking.candidates import Candidates
from fairviz.reranking.catalogue import find_reranker

N_WORLDS = 30
DEEP = 1000
SAME = 1e-12
"""Values that differ by less are equal but for the order of additions."""


class World(NamedTuple):
    """A small collection: lists of documents by query, grades, and groups of documents."""

    lists: dict[str, list[str]]
    grades: dict[str, dict[str, int]]
    groups: dict[str, str]

    def renamed(self, mark: str) -> "World":
        """The same under other names of documents."""
        return World(
            {query: [f"{mark}{doc}" for doc in docs] for query, docs in self.lists.items()},
            {query: {f"{mark}{doc}": grade for doc, grade in of.items()} for query, of in self.grades.items()},
            {f"{mark}{doc}": group for doc, group in self.groups.items()},
        )

    def without(self, query: str) -> "World":
        """Without one query."""
        lists, grades = ({name: of for name, of in part.items() if name != query} for part in self[:2])
        return World(lists, grades, self.groups)  # type: ignore[arg-type] -- the two in their order

    @property
    def data(self) -> Dataset:
        """As files are loaded."""
        run = "".join(
            f"{query} Q0 {doc} {rank} {100 - rank} system\n"
            for query, docs in self.lists.items()
            for rank, doc in enumerate(docs, start=1)
        )
        qrels = "".join(f"{query} 0 {doc} {grade}\n" for query, of in self.grades.items() for doc, grade in of.items())
        groups = "doc_id,side\n" + "".join(f"{doc},{group}\n" for doc, group in self.groups.items())
        files = (("a.run", run), ("a.qrels", qrels), ("side.csv", groups), ("target.json", '{"x": 0.4, "y": 0.6}'))
        loaded = Dataset()
        for name, text in files:
            loaded = add_file(loaded, (name, text.encode()))
        return loaded


def worlds(seed: int = 0) -> Iterator[World]:
    """Small collections of two to four queries: lists of 1 to 12 documents, grades 0 to 3, two groups."""
    rng = np.random.default_rng(seed)
    docs = [f"d{i:02}" for i in range(15)]
    for _ in range(N_WORLDS):
        groups = dict(zip(docs, rng.choice(["x", "y"], size=len(docs)).tolist(), strict=True)) | {
            "d00": "x",
            "d01": "y",
        }
        lists, grades = dict[str, list[str]](), dict[str, dict[str, int]]()
        for query in range(int(rng.integers(2, 5))):
            lists[f"q{query}"] = rng.permutation(docs)[: rng.integers(1, 13)].tolist()
            judged = rng.permutation(docs)[: rng.integers(1, 9)].tolist()
            grades[f"q{query}"] = {doc: int(rng.integers(0, 4)) for doc in judged} | {judged[0]: 1}
        yield World(lists, grades, groups)


def check_measure(text: str) -> None:
    """Hold a measure to its laws.

    Its values lie in its range or are undefined; the names of documents, other queries, and being asked twice change
    nothing.

    Args:
        text: As typed, such as ``"Coverage@5"``; it has to be added before.

    Raises:
        AssertionError: A law is broken; the message says which, and by what value.
        UsageError: There is no such measure.

    Examples:
        >>> check_measure("AWRF@5")
    """
    low, high = CATALOGUE[parse_measure(text).name].range
    for world in worlds():
        values = _values(text, world)
        outside = [value for value in values.values() if value == value and not low - SAME <= value <= high + SAME]
        assert not outside, f"{text}: {outside[0]} lies outside its range, {low:g} to {high:g}"
        _assert_same(values, _values(text, world), f"{text}: it differs when it is measured again")
        _assert_same(values, _values(text, world.renamed("a-")), f"{text}: it depends on the names of documents")
        first = next(iter(world.lists))
        rest = {query: value for query, value in values.items() if query != first}
        _assert_same(rest, _values(text, world.without(first)), f"{text}: a query's value depends on other queries")


def _values(text: str, world: World) -> dict[str, float]:
    """The measure of every query."""
    data = world.data
    evaluation = evaluate(data.runs, [parse_measure(text)], qrels=data.qrels, labels=data.labels[0], target=data.target)
    scores = [score for score in evaluation.scores if isinstance(score, Scores)]
    assert scores, f"{text}: it has no value per query"
    return dict(zip(scores[0].query_ids, scores[0].values.tolist(), strict=True))


def _assert_same(values: dict[str, float], others: dict[str, float], message: str) -> None:
    for query, value in values.items():
        other = others[query]
        assert (value != value and other != other) or abs(value - other) <= SAME, f"{message}: {value} and {other}"


def check_attention(name: str) -> None:
    """Hold a model of attention to its laws.

    It is above 0 at the first rank, finite, never below 0, never rises down to rank 1,000, and is the same when it is
    asked again; attention-weighted fairness under it keeps the laws of a measure.

    Args:
        name: As typed; it has to be added before.

    Raises:
        AssertionError: A law is broken; the message says which.
        UsageError: There is no such attention.

    Examples:
        >>> check_attention("dcg")
    """
    assert name in OWN or is_attention(name), f"{name}: it was not added"
    try:
        Attention(name, cutoff=DEEP).weights(DEEP)
    except UsageError as error:
        raise AssertionError(str(error)) from error
    if name in OWN:
        first, second = ([OWN[name](rank) for rank in range(1, 11)] for _ in range(2))
        assert first == second, f"{name}: it differs when it is asked again"
    check_measure(f"AWRF(browsing={name!r})@5")


def check_reranker(name: str, **options: Any) -> None:
    """Hold a re-ranker to its laws.

    It gives every document once, keeps the order of the run below the ranks that it decides, gives the same again from
    the same seed, and takes one document, one group, and more ranks than documents.

    Args:
        name: As typed; it has to be added before.
        options: Its own.

    Raises:
        AssertionError: A law is broken; the message says which.
        UsageError: There is no such re-ranker, or its function fails.

    Examples:
        >>> check_reranker("det-greedy")
    """
    method = find_reranker(name)
    assert method.order is not None, f"{name}: it is a policy, not a function that orders a list"
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 8, 20):
        for n_groups in (1, 2, 4):
            candidates = _candidates(rng, n, n_groups)
            protected = 0 if method.protects_one else None
            again = [method.settings(options, rng=method.draws(7), protected=protected) for _ in range(2)]
            first, second = (method.order(candidates, **settings).tolist() for settings in again)
            assert sorted(first) == list(range(n)), f"{name}: {first} is no order of {n} documents"
            rest = first[candidates.places :]
            assert rest == sorted(rest), f"{name}: below rank {candidates.places} the run's order changes: {rest}"
            assert first == second, f"{name}: it differs when it is asked again with the same seed"


def _candidates(rng: np.random.Generator, n: int, n_groups: int) -> Candidates:
    weights: FloatArray = np.eye(n_groups)[rng.integers(n_groups, size=n)]
    target = rng.dirichlet(np.ones(n_groups))
    depth = int(rng.integers(1, 12))
    return Candidates(weights=weights, target=target, depth=depth, gains=rng.integers(0, 4, size=n).astype(float))


def check_format(sample: bytes, *, label: str, others: Iterator[bytes] | tuple[bytes, ...] = ()) -> None:
    """Hold a format to its laws.

    A sample is recognised and read, other files are not taken for it, and a damaged one is refused in one line or read.

    Args:
        sample: A file of the format.
        label: As it was added.
        others: Files of other formats, besides a TREC run and TREC judgements.

    Raises:
        AssertionError: A law is broken; the message says which.
        InputError: The sample cannot be read.
    """
    assert sniff(("sample", sample)).label == label, f"{label}: the sample is taken for another format"
    loaded = add_file(Dataset(), ("sample", sample))
    assert loaded.files, f"{label}: nothing was read of the sample"
    for other in (b"q1 Q0 d1 1 2.5 bm25\n", b"q1 0 d1 1\n", *others):
        assert sniff(("other", other)).label != label, f"{label}: it takes a file of another format for its own"
    for end in range(0, len(sample), max(1, len(sample) // 40)):
        refusal = _refusal(sample[:end])
        assert refusal is None or isinstance(refusal, FairvizError), (
            f"{label}: a file cut after {end} bytes raises {type(refusal).__name__}: {refusal}"
        )
        assert "\n" not in str(refusal), f"{label}: a file cut after {end} bytes is refused in more than a line"


def _refusal(damaged: bytes) -> Exception | None:
    """What reading a damaged file raises."""
    try:
        add_file(Dataset(), ("damaged", damaged))
    except Exception as error:  # what it is, is what is looked at
        return error
    return None
