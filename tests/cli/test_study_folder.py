"""A study's folder in the place of its files: the same numbers, with k, judgements and systems from its manifest."""

import shutil
from pathlib import Path

import pytest

from fairviz.io.manifest import DataPath
from fairviz.resources import example_folder
from tests.cli.conftest import Command

DATA = Path(__file__).resolve().parents[2] / "data"
DEMO = example_folder()


def by_files(*patterns: str, folder: Path = DEMO) -> list[Path]:
    return [path for pattern in patterns for path in sorted(folder.glob(pattern))]


def test_evaluate_takes_rankings_answers_and_the_labels_of_its_generator(fairviz: Command) -> None:
    options = ("-m", "nDCG@10, EED@5, EU", "--format", "csv")
    qrels = f"extractive={DEMO / 'utility.qrels'}"
    files = (*by_files("*.run", "*.run.gz"), "--outputs", *by_files("outputs.*"), "--qrels", qrels)
    assert fairviz("evaluate", DEMO, *options).out == fairviz("evaluate", *files, *options).out != ""


def test_tradeoff_takes_k_and_systems(fairviz: Command) -> None:
    folder = DATA / "recorded" / "rankings"
    options = ("--table", "areas", "--format", "csv")
    found = fairviz("tradeoff", folder, *options)
    outputs, runs = by_files("outputs.*", folder=folder), by_files("*.run", "*.run.gz", folder=folder)
    qrels = f"smollm2-135m={folder / 'utility.qrels'}"
    more = ("--qrels", qrels, "--systems", folder / "systems.tsv", "-k", 3)
    assert found.out == fairviz("tradeoff", *runs, "--outputs", *outputs, *more, *options).out
    assert found.out.splitlines()[1].startswith("bm25,")


@pytest.mark.slow
def test_bias_takes_items_runs_and_polarity(fairviz: Command) -> None:
    folder = DEMO / "bias"
    options = ("--table", "slopes", "--format", "csv")
    runs = [word for run in by_files("*.run.gz", folder=folder) for word in ("--run", run)]
    more = ("--items", folder / "items.csv.gz", *runs, "--groups", folder / "polarity.tsv")
    assert fairviz("bias", folder, *options).out == fairviz("bias", folder / "predictions.csv.gz", *more, *options).out


@pytest.mark.slow
def test_variants_takes_the_answers(fairviz: Command) -> None:
    folder = DEMO / "variants"
    files = by_files("answers.jsonl.gz", "open.jsonl.gz", folder=folder)
    assert fairviz("variants", folder, "--by", "model").out == fairviz("variants", *files, "--by", "model").out != ""


@pytest.mark.slow
def test_report_takes_k_and_references(fairviz: Command) -> None:
    assert "EE-D" in fairviz("report", DEMO).out


def test_a_folder_that_does_not_serve_is_one_line(fairviz: Command) -> None:
    refusal = fairviz("bias", DATA / "published").refusal
    assert "published: a folder without manifest.json: name its files" in refusal


def test_a_studys_folder_is_its_results_and_what_they_were_made_from(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    for path in by_files("*.run", "*.gz", "*.qrels", "manifest.json"):
        shutil.copy(path, folder)
    for name in ("answers.sqlite", "answers_read.csv", "run.log", "notes.md"):
        (folder / name).write_text("x")
    for name in ("queries.jsonl", "corpus.jsonl", "references.jsonl", "experiment.toml"):
        shutil.copy(DEMO / name, tmp_path)
    (tmp_path / "corpus.jsonl").write_text("another")
    files = {path.name for path in DataPath(folder).files}
    assert {"bm25.run", "utility.qrels", "manifest.json", "queries.jsonl", "references.jsonl"} <= files
    assert not files & {"answers.sqlite", "answers_read.csv", "run.log", "notes.md", "corpus.jsonl", "experiment.toml"}
    assert DataPath(folder).options_of(folder / "utility.qrels").generator == "extractive"
