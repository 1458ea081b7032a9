"""The shipped answers of a real language model: whole and readable."""

import pytest

from fairviz.io.dataset import read_shipped
from fairviz.io.manifest import faults
from fairviz.resources import recorded_folder

RECORDED = recorded_folder()
KINDS = ("rankings", "bias", "variants")


@pytest.mark.parametrize("kind", KINDS)
def test_every_file_is_as_its_manifest_says(kind: str) -> None:
    assert not faults(RECORDED / kind)
    assert not list((RECORDED / kind).glob("*.sqlite*"))


def test_they_are_one_data_set_with_the_words_of_the_example() -> None:
    loaded = read_shipped(RECORDED)
    assert {run.system for run in loaded.runs} == {"bm25", "minilm"}
    assert {outputs.generator for outputs in loaded.outputs} == {"smollm2-135m"}
    assert {outputs.retriever for outputs in loaded.outputs} == {"bm25", "minilm"}
    assert {outputs.alpha for outputs in loaded.outputs} == {None, 1, 2, 4, 8}
    assert loaded.texts
    assert loaded.bias_items
    assert loaded.bias_predictions
    assert loaded.variants
