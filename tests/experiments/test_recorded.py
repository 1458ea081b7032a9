"""The results that are shipped: whole, made of what is shipped beside them, and readable as one data set."""

from hashlib import sha256
from pathlib import Path

import pytest

from fairviz.io.dataset import read_shipped
from fairviz.io.manifest import faults, manifest_in
from fairviz.resources import dashboard_folder, recorded_folder

RECORDED, DEMO = recorded_folder(), dashboard_folder() / "data" / "demo"
FOLDERS = [*(RECORDED / kind for kind in ("rankings", "bias", "variants")), DEMO, DEMO / "bias", DEMO / "variants"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_every_file_and_every_input_is_as_the_manifest_says(folder: Path) -> None:
    assert not faults(folder)
    for entry in manifest_in(folder)["inputs"]:
        assert sha256((folder / entry["name"]).read_bytes()).hexdigest() == entry["sha256"], entry["name"]
    assert not list(folder.glob("*.sqlite*"))


def test_they_are_one_data_set_with_the_words_of_the_example() -> None:
    loaded = read_shipped("recorded")
    assert {run.system for run in loaded.runs} == {"bm25", "minilm"}
    assert {outputs.generator for outputs in loaded.outputs} == {"smollm2-135m"}
    assert {outputs.retriever for outputs in loaded.outputs} == {"bm25", "minilm"}
    assert {outputs.alpha for outputs in loaded.outputs} == {None, 1, 2, 4, 8}
    assert loaded.texts
    assert loaded.bias_items
    assert loaded.bias_predictions
    assert loaded.variants
