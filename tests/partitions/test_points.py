"""Points and estimates of recorded answers by ranges of queries: the bits and the words of the whole."""

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.errors import UndefinedError
from fairviz.evaluation.pairing import Pairing
from fairviz.io.by_output import stored_outputs
from fairviz.io.convert_outputs import convert_outputs
from fairviz.io.dataset import read_example
from fairviz.io.rag import write_outputs
from fairviz.model import Qrels, RagOutputs, RankingSample, Run
from fairviz.model.ranges import of_queries
from fairviz.partitions.executors import Alone
from fairviz.partitions.outputs import PartitionedOutputs, outline
from fairviz.partitions.plan import Plan
from fairviz.partitions.points import VALUES, PartitionedPoints
from fairviz.resources import example_folder
from fairviz.studies.compare.measure import AnswersOf, InMemory, answer_conditions
from fairviz.studies.tradeoff.estimates import Estimate, Estimates
from tests.partitions.worlds import answers_world, world

ALPHAS = np.array([0.5, 1.5, 3.0])


def by_ranges(size: int) -> PartitionedPoints:
    return PartitionedPoints(PartitionedOutputs(Plan(Alone(), size=size)))


def material(seed: int) -> tuple[list[Run | RankingSample], list[RagOutputs], list[Pairing]]:
    """Answers that were made from a run, from samples that fit or do not, and from nobody knows what."""
    run, other, drawn, *_ = answers_world(seed)
    assert isinstance(run, Run)
    assert isinstance(drawn, RankingSample)
    assert not isinstance(other, RagOutputs)
    known = {one.system: one for one in answers_world(seed) if isinstance(one, RagOutputs)}
    drawn = replace(drawn, source=run)
    bare = replace(drawn, system="bare", source=None)
    feds = {
        "ranked": run,
        "listed": drawn.source,
        "guessing": None,
        "alone": drawn,
        "outside": bare,
        "cited": None,
    }
    outputs = [replace(known[name], retriever="r") if name in ("alone", "ranked") else known[name] for name in feds]
    more = [replace(known["guessing"], system="odd", generator="g"), replace(known["alone"], system="single")]
    pairs = [Pairing(name, None if fed is None else fed.system, "told") for name, fed in feds.items()]
    pairs += [Pairing("odd", "drawn", "told"), Pairing("single", "bare", "told")]
    return [run, other, drawn, bare], [*outputs, *more], pairs


def facts(how: AnswersOf, seed: int, qrels: Sequence[Qrels]) -> list[object]:
    rankings, outputs, pairs = material(seed)
    points, notes = how.points(outputs, pairs, rankings, qrels, k=3, gain="graded", rel=1, on_step=lambda: None)
    values = [
        (one.outputs.system, one.source, one.n_samples.tolist(), *(getattr(one, name).tobytes() for name in VALUES))
        for one in points
    ]
    best = [how.best(one, outputs).tobytes() for one in outputs]
    return [values, [str(note) for note in notes], best]


@cache
def whole(seed: int, judged: bool) -> list[object]:
    return facts(InMemory(), seed, [world(seed)[1]] if judged else [])


@settings(max_examples=6)
@given(seed=st.integers(0, 1), size=st.integers(1, 400), judged=st.booleans())
def test_wherever_it_is_cut_the_points_are_those_of_the_whole(seed: int, size: int, judged: bool) -> None:
    qrels = [world(seed)[1]] if judged else []
    assert facts(by_ranges(size), seed, qrels) == whole(seed, judged)


def test_the_material_has_what_could_go_wrong() -> None:
    rankings, outputs, pairs = material(0)
    points, notes = InMemory().points(outputs, pairs, rankings, [], k=3, gain="graded", rel=1, on_step=lambda: None)
    assert [note.file for note in notes] == ["guessing", "odd"]
    assert "another number of rankings" in notes[1].message
    known = {one.outputs.system: one for one in points}
    assert np.isnan(known["cited"].disparity).all()
    assert not np.isnan(known["cited"].rate).all()
    assert not np.isnan(known["ranked"].disparity).all()


def bits(made: Estimates) -> list[object]:
    found: list[object] = [made.system, made.query_ids, made.recorded, made.alphas.tobytes(), made.disparity.tobytes()]
    for one in made.measures:
        found += [getattr(one, field.name) for field in fields(Estimate) if field.name == "measure"]
        found += [one.values.tobytes(), one.errors.tobytes(), one.sizes.tobytes(), one.means.tobytes()]
    return [*found, made.mean_disparity.tobytes()]


@cache
def example() -> tuple[Run, tuple[RagOutputs, ...], Qrels]:
    data = read_example(example_folder())
    answers = tuple(one for one in data.outputs if one.policy not in ("deterministic", "oracle"))
    run = of_queries(data.runs[0], np.arange(len(data.runs[0].query_ids))[::-1])  # in no order of ids
    assert isinstance(run, Run)
    return run, answers, data.qrels[0]


@pytest.mark.parametrize("size", [1, 700, 4_000])
@pytest.mark.parametrize("judged", [True, False])
def test_estimates_are_those_of_the_whole(size: int, judged: bool) -> None:
    run, outputs, qrels = example()
    asked = (run, outputs, np.array([1.5, 3.0]), 5, qrels if judged else None)
    assert bits(by_ranges(size).estimated(*asked)) == bits(InMemory().estimated(*asked))


@pytest.mark.parametrize("size", [1, 700])
def test_lists_that_do_not_fit_are_refused_in_the_same_words(size: int) -> None:
    run, outputs, _ = example()
    others = [replace(one, alpha=9 - (one.alpha or 0)) for one in outputs]
    foreign = replace(run, doc_ids=tuple(f"other {doc}" for doc in run.doc_ids))
    unsaid = [*outputs[:1], replace(outputs[1], alpha=None)]
    for scores, answers in ((run, others), (foreign, outputs), (run, unsaid), (run, [])):
        said: list[str] = []
        for how in (InMemory(), by_ranges(size)):
            with pytest.raises(UndefinedError) as raised:
                how.estimated(scores, answers, ALPHAS, 5, None)
            said.append(str(raised.value))
        assert said[0] == said[1]


@pytest.mark.parametrize("best", [True, False])
def test_conditions_of_converted_answers_are_those_of_the_files(tmp_path: Path, best: bool) -> None:
    run, outputs, qrels = example()
    with (tmp_path / "a.jsonl").open("w", encoding="utf-8") as file:
        write_outputs(outputs, file)
    convert_outputs(str(tmp_path / "a.jsonl"), str(tmp_path / "a.parquet"), group=100_000)
    stored, _ = stored_outputs(tmp_path / "a.parquet") or ([], ())
    assert len(stored) == len(outputs)
    pairs = [Pairing(one.system, run.system, "recorded") for one in outputs]
    grid = np.array([2.5, 3.0])
    one, other = (
        answer_conditions(answers, pairs, [run], [qrels], k=5, best=best, grid=grid, answers_of=how)
        for answers, how in ((outputs, None), (list(map(outline, stored)), by_ranges(900)))
    )
    assert one.notes == other.notes
    for a, b in zip(one.conditions, other.conditions, strict=True):
        assert a.factors == b.factors
        assert a.estimates is not None
        assert b.estimates is not None
        assert bits(a.estimates) == bits(b.estimates)
        for curve, again in ((a.relevance, b.relevance), (a.utility, b.utility)):
            assert curve is not None
            assert again is not None
            assert (curve.query_ids, curve.n_samples, curve.y) == (again.query_ids, again.n_samples, again.y)
            assert curve.disparity.tobytes() == again.disparity.tobytes()
            assert curve.quality.tobytes() == again.quality.tobytes()
