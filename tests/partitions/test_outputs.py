"""Measures of recorded outputs by ranges of queries: the bits and the words of the whole, wherever it is cut."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.errors import UndefinedError, UsageError
from fairviz.evaluation.evaluate import Evaluation, System, evaluate
from fairviz.evaluation.outputs import OutputScorer
from fairviz.io.by_output import stored_outputs
from fairviz.io.convert_outputs import convert_outputs
from fairviz.io.rag import read_outputs, write_outputs
from fairviz.metrics.spec import parse_measures
from fairviz.model import MeasureSpec, RagOutputs, RankingSample
from fairviz.partitions import outputs as room
from fairviz.partitions.executors import Alone
from fairviz.partitions.outputs import PartitionedOutputs, outline
from fairviz.partitions.plan import Plan
from tests.partitions.test_scores import bits
from tests.partitions.worlds import answers_world

MEASURES = parse_measures(
    [
        "EU, EU(norm='best'), EU(utility='f1'), EU(utility='mae', norm='best')",
        "EAR@2, EAED@2, EAED(norm='none')@2, EAED(estimate='unbiased')@2, EAR@5, EAED@5",
    ]
)
REFERENCES = {f"q{i}": [str(i % 5), str(3)] for i in range(2, 40)}


def said(evaluation: Evaluation) -> list[object]:
    """Everything that is printed of it, the notes in their order."""
    return [*bits(evaluation), list(map(str, evaluation.notes)), evaluation.refused]


def measured(
    systems: Sequence[System],
    ranges: PartitionedOutputs | None,
    *,
    specs: Sequence[MeasureSpec] = MEASURES,
    refuse: bool = True,
) -> Evaluation:
    return evaluate(
        systems,
        specs,
        references=REFERENCES,
        pairs={"cited": "recorded"} if len(systems) > 3 else None,
        refuse=refuse,
        output_scorer=ranges.scorer if ranges else OutputScorer,
        covered=ranges.coverage if ranges else None,
    )


@cache
def whole(seed: int) -> list[object]:
    return said(measured(answers_world(seed), None))


@settings(max_examples=6)
@given(seed=st.integers(0, 1), size=st.integers(1, 300))
def test_wherever_it_is_cut_the_bits_and_the_notes_are_those_of_the_whole(seed: int, size: int) -> None:
    found = said(measured(answers_world(seed), PartitionedOutputs(Plan(Alone(), size=size))))
    assert found == whole(seed)


@pytest.mark.parametrize("size", [1, 70, 100_000])
def test_converted_outputs_give_the_bits_of_the_file_they_were_made_of(tmp_path: Path, size: int) -> None:
    kept = [one for one in answers_world(0) if isinstance(one, RagOutputs)]
    rankings = [one for one in answers_world(0) if not isinstance(one, RagOutputs)]
    with (tmp_path / "answers.jsonl").open("w", encoding="utf-8") as file:
        write_outputs(kept, file)
    convert_outputs(str(tmp_path / "answers.jsonl"), str(tmp_path / "a.parquet"), group=500)
    stored, _ = stored_outputs(tmp_path / "a.parquet") or ([], ())
    assert min(len(one.about.firsts) for one in stored) > 3
    held = read_outputs(str(tmp_path / "answers.jsonl")).value.outputs
    ranges = PartitionedOutputs(Plan(Alone(), size=size))
    found = measured([*rankings, *map(outline, stored)], ranges)
    assert said(found) == said(measured([*rankings, *held], None))


def test_the_world_has_what_could_go_wrong() -> None:
    notes = " ".join(map(str, measured(answers_world(0), None).notes))
    for words in (
        "no utility for",
        "cited documents are not in",
        "taken as made from",
        "hardly more",
        "one output per",
    ):
        assert words in notes, words
    flags = [score.flags for score in measured(answers_world(0), None).scores if "single_sample" in score.flags]
    assert {flag["single_sample"] for flag in flags} == {True, False}


@pytest.mark.parametrize("size", [1, 40, 10_000])
def test_what_is_refused_is_refused_in_the_same_words(size: int) -> None:
    ranges = PartitionedOutputs(Plan(Alone(), size=size))
    _, _, drawn, *outputs = answers_world(0)
    assert isinstance(drawn, RankingSample)
    two = next(one for one in outputs if isinstance(one, RagOutputs) and one.system == "guessing")
    for systems in ([drawn, two], [two], [replace(two, given_from="nowhere")]):
        one, other = measured(systems, None, refuse=False), measured(systems, ranges, refuse=False)
        assert said(one) == said(other)
        for found in (None, ranges):
            if one.refused:
                with pytest.raises(UndefinedError) as raised:
                    measured(systems, found, specs=MEASURES[4:])
                assert str(raised.value) == one.refused[0].reason


def test_missing_references_are_a_usage_error_before_a_range_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_measured", lambda _: pytest.fail("was read"))
    ranges = PartitionedOutputs(Plan(Alone()))
    with pytest.raises(UsageError, match="give references"):
        evaluate(
            answers_world(0)[3:],
            parse_measures(["EU(utility='f1')"]),
            output_scorer=ranges.scorer,
            covered=ranges.coverage,
        )


def test_a_query_is_compared_with_its_references_by_the_scale_of_all() -> None:
    outputs = [one for one in answers_world(0) if isinstance(one, RagOutputs)][:1]
    specs = parse_measures(["EU(utility='mae')"])
    ranges = PartitionedOutputs(Plan(Alone(), size=1))
    (one,), (other,) = (measured(outputs, how, specs=specs).scores for how in (None, ranges))
    np.testing.assert_array_equal(one.values, other.values)  # pyright: ignore[reportAttributeAccessIssue]
