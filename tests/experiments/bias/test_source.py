"""The bias questions of the example, and the experiment that answers them."""

import csv
import gzip
from pathlib import Path

import pytest

from fairviz.errors import DescriptionError, InputError
from fairviz.experiments.runner import Experiment

pytestmark = pytest.mark.usefixtures("word_counting")

DEMO = Path(__file__).resolve().parents[3] / "tests" / "small" / "data" / "demo" / "bias"


def text_of(path: Path) -> bytes:
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def table(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text_of(DEMO / name).decode().splitlines()))


@pytest.mark.slow
def test_the_files_are_reproduced_byte_for_byte(tmp_path: Path) -> None:
    report = Experiment(DEMO / "experiment.toml", output=tmp_path).run()
    for made in report.files:
        assert text_of(made) == text_of(DEMO / made.name), made.name
    written = {"templates.toml", "memory.jsonl", "experiment.toml", "manifest.json"}
    made = {path.name for path in report.files}
    assert {path.name for path in DEMO.iterdir()} == made | written, "nothing stale, nothing else"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("chooser-cautious", "chooser-bold", "model: holds 'chooser-bold' twice"),
        ("margin = 0.25", "margin = 2", r"model\[1\]\.generator\.margin: Input should be less than or equal to 1"),
    ],
)
def test_what_is_not_accepted_is_told(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (DEMO / "experiment.toml").read_text()
    assert old in text
    path = tmp_path / "x.toml"
    path.write_text(text.replace(old, new))
    (tmp_path / "memory.jsonl").touch()
    with pytest.raises(DescriptionError, match=message):
        Experiment(path).run()


def test_a_memory_without_words_is_told(tmp_path: Path) -> None:
    text = (DEMO / "experiment.toml").read_text()
    templates = (DEMO / "templates.toml").as_posix()
    (tmp_path / "memory.jsonl").write_text('{"doc_id": "m", "text": "the"}\n')
    (tmp_path / "x.toml").write_text(text.replace('"templates.toml"', f'"{templates}"'))
    with pytest.raises(InputError, match="at least one word"):
        Experiment(tmp_path / "x.toml").run()


def test_two_instructions_are_asked_one_by_one_and_answered_as_the_example_is(tmp_path: Path) -> None:
    text = (DEMO / "experiment.toml").read_text()
    path = DEMO / "experiment.toml"
    changed = text.replace("instructions = [1]", "instructions = [1, 2]").replace("[1, 3, 5, 10]", "[1]")
    for name in ("templates.toml", "memory.jsonl"):
        changed = changed.replace(f'"{name}"', f'"{(path.parent / name).as_posix()}"')
    (tmp_path / "x.toml").write_text(changed)
    report = Experiment(tmp_path / "x.toml").run()
    rows = csv.DictReader(text_of(report.files[-1]).decode().splitlines())
    # The chooser reads neither, so both have the answers of one.
    by: dict[str, list[dict[str, str]]] = {"1": [], "2": []}
    for row in rows:
        by[row.pop("instruction")].append(row)
    shipped = [row for row in table("predictions.csv.gz") if row["k"] in ("", "1")]
    assert {row.pop("instruction") for row in shipped} == {"1"}
    assert by["1"] == by["2"] == shipped
    assert len(by["1"]) == 688 * 2 * 7
