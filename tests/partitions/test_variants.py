"""Answers to variants by ranges of questions: the bits of the whole file, wherever it is cut and whoever counts."""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.io import read_variants, write_variants
from fairviz.io.convert_variants import convert_variants
from fairviz.io.variants_by_question import StoredVariants, stored_variants
from fairviz.model import Qrels, VariantAnswers
from fairviz.partitions import executors, variants
from fairviz.partitions.executors import Alone, Work, workers
from fairviz.partitions.plan import Plan
from fairviz.partitions.variants import PartitionedVariants
from fairviz.studies.demographic_qa.results import answer_notes, answer_results
from fairviz.studies.demographic_qa.tallies import Countable, Counting, Whole
from fairviz.studies.demographic_qa.votes import VoteRule
from tests.studies.demographic_qa.variants_at_random import answers_at_random, leaves

T = TypeVar("T")
R = TypeVar("R")

BY = ("strategy", "retriever")

FEW = 99
"""Resamples and permutations: equal totals draw the same ones, however many."""


USEFUL = Qrels(
    name="useful",
    query_ids=("q3", "unasked", "q1", "d2/q4"),
    doc_ids=("d1", "d7", "elsewhere"),
    offsets=np.array([0, 1, 2, 4, 5]),
    docs=np.array([0, 0, 1, 2, 1], dtype=np.int32),
    grades=np.array([1, 1, 2, 1, 1]),
)


@cache
def asked(kind: str) -> VariantAnswers:
    return answers_at_random(3, kind=kind, n_questions=9)


def tallied(kind: str, file: Countable) -> dict[str, object]:
    """All that is counted."""
    closed = kind == "closed"
    counting = Counting(
        threshold=None if closed else 0.5,
        letters=closed,
        rule=VoteRule(voters="within", ties="first"),
        voters=("all", "within", "groups"),
        depths=(1, None),
        cases=True,
        evidence_depth=2,
    )
    return dict(leaves(file.tallies(counting, by=BY, pooled=True, qrels=USEFUL)))


def bits(kind: str, file: Countable) -> dict[str, object]:
    """All numbers, words and notes."""
    found = answer_results(
        file,
        by=BY,
        rule=VoteRule(voters="within"),
        outcome="letters" if kind == "closed" else "correct",
        threshold=None if kind == "closed" else 0.5,
        depths=(1, 2),
        qrels=USEFUL,
        n_resamples=FEW,
        n_permutations=FEW,
    )
    return dict(leaves({"results": found, "notes": answer_notes([("m.jsonl", file.kinds)], [found], BY)}))


@cache
def whole(kind: str) -> dict[str, object]:
    return bits(kind, Whole(asked(kind)))


@cache
def whole_tallies(kind: str) -> dict[str, object]:
    return tallied(kind, Whole(asked(kind)))


def by_ranges(kind: str, work: Work, size: int = 1_000_000) -> PartitionedVariants:
    return PartitionedVariants(Plan(work, size=size), asked(kind))


def stored(kind: str, folder: Path) -> tuple[VariantAnswers, StoredVariants]:
    """The same answers in a file, and in a converted one of row groups as small as can be."""
    original, to = folder / f"{kind}.jsonl", folder / f"{kind}.parquet"
    with original.open("w") as file:
        write_variants(asked(kind), file)
    convert_variants(str(original), str(to), group=1)
    found = stored_variants(to)
    assert found is not None
    return read_variants(str(original)).value, found


@settings(max_examples=10)
@given(kind=st.sampled_from(("closed", "open")), size=st.integers(1, 600))
def test_wherever_it_is_cut_the_tallies_are_those_of_the_whole(kind: str, size: int) -> None:
    assert tallied(kind, by_ranges(kind, Alone(), size)) == whole_tallies(kind)


@pytest.mark.parametrize("kind", ["closed", "open"])
@pytest.mark.parametrize("size", [1, 100])
def test_a_converted_file_gives_the_tallies_and_results_of_the_original(tmp_path: Path, kind: str, size: int) -> None:
    original, converted = stored(kind, tmp_path)
    by_ranges = PartitionedVariants(Plan(Alone(), size=size), converted)
    assert tallied(kind, by_ranges) == tallied(kind, Whole(original))
    assert bits(kind, by_ranges) == bits(kind, Whole(original))


def test_results_and_notes_are_those_of_the_whole() -> None:
    assert bits("open", by_ranges("open", Alone(), 100)) == whole("open")


def test_ranges_are_of_whole_questions_and_hold_no_words_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[str]] = []
    counted = variants._counted

    def looked_at(task: variants._Task) -> variants.Tallies:
        answers, names = task.answers.read(), set(task.answers.question_ids)
        assert {answers.question_ids[q] for q in answers.questions} == names
        assert set(answers.words.codes.tolist()) == set(range(len(answers.words.values)))
        assert set(answers.retrieved.tolist()) == set(range(len(answers.doc_ids)))
        assert task.qrels is not None
        assert set(task.qrels.query_ids) <= names
        seen.append(names)
        return counted(task)

    monkeypatch.setattr(variants, "_counted", looked_at)
    tallied("closed", by_ranges("closed", Alone(), 200))
    assert len(seen) > 3
    assert sum(map(len, seen)) == len(set().union(*seen)) == 9


@dataclass(frozen=True)
class Mortal:
    """Does the work with others, of which the one that does the third task first dies, once."""

    work: Work
    mark: Path

    @property
    def n_workers(self) -> int:
        return self.work.n_workers

    def results(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        return self.work.results(die_once, [(self.mark, n, function, task) for n, task in enumerate(tasks)])


def die_once(task: tuple[Path, int, Callable[[T], R], T]) -> R:
    mark, n, function, given = task
    if n == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return function(given)


@pytest.fixture
def own_main(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new process imports the main module again, in whose place a page that was under test has left app.py."""
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))


@pytest.mark.slow
@pytest.mark.usefixtures("own_main")
def test_two_processes_give_the_same_bits_also_where_one_is_killed(tmp_path: Path) -> None:
    with workers(2) as work:
        original, converted = stored("closed", tmp_path)
        assert bits("closed", PartitionedVariants(Plan(work), converted)) == bits("closed", Whole(original))
        assert bits("open", by_ranges("open", Mortal(work, tmp_path / "died"))) == whole("open")
    assert (tmp_path / "died").exists()


@pytest.mark.slow
@pytest.mark.skipif(find_spec("distributed") is None, reason='pip install "fairviz[scale]"')
@pytest.mark.usefixtures("own_main")
def test_a_cluster_gives_the_same_bits_also_where_a_worker_is_killed(tmp_path: Path) -> None:
    distributed = executors.optional("distributed", extra="scale", component="this test")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    cluster = distributed.LocalCluster(host="127.0.0.1", **options)
    with cluster, workers(dask=cluster.scheduler_address) as work:
        original, converted = stored("closed", tmp_path)
        assert bits("closed", PartitionedVariants(Plan(work), converted)) == bits("closed", Whole(original))
        assert bits("open", by_ranges("open", Mortal(work, tmp_path / "died"))) == whole("open")
    assert (tmp_path / "died").exists()
