"""The demographic variants of the example, and the experiment that answers them."""

import gzip
from pathlib import Path

import pytest

from fairviz.errors import DescriptionError
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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('race = ["White", ', 'race = ["Black", ', r"people\.race: holds 'Black' twice"),
        ("[closed]\n", "[closed]\nk = 2\n", r"closed\.k: is no key"),
        ("ks = [10, 15, 20]", "ks = [10, 10]", "ks: holds 10 twice"),
        ("[open.generator]", "[open.answerer]", r"open\.answerer: is no key"),
    ],
)
def test_what_is_not_accepted_is_told(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (DEMO / "experiment.toml").read_text()
    assert old in text
    path = tmp_path / "x.toml"
    path.write_text(text.replace(old, new))
    with pytest.raises(DescriptionError, match=message):
        Experiment(path).run()
