"""The demographic variants of the example, and the experiment that answers them."""

import gzip
from pathlib import Path

import pytest

from fairviz.experiments.runner import Experiment
from tests.experiments.test_runner import records

pytestmark = pytest.mark.usefixtures("word_counting")

DEMO = Path(__file__).resolve().parents[3] / "tests" / "small" / "data" / "demo" / "variants"


def test_the_files_are_reproduced_byte_for_byte(tmp_path: Path) -> None:
    report = Experiment(DEMO / "experiment.toml", output=tmp_path).run()
    for made in report.files:
        assert records(made) == records(DEMO / made.name), made.name
        packed = (DEMO / made.name).read_bytes()
        assert gzip.decompress(made.read_bytes()) == gzip.decompress(packed), made.name
    written = {"questions.jsonl", "people.jsonl", "experiment.toml", "manifest.json"}
    made = {path.name for path in report.files}
    assert {path.name for path in DEMO.iterdir()} == made | written, "nothing stale, nothing else"
