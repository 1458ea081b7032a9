"""What experiments make from the files of others opens on its page without a question."""

from pathlib import Path

import pytest

from fairviz.experiments.runner import Experiment
from fairviz.model import Dataset
from tests.app.conftest import OpenPage
from tests.app.reading import words
from tests.experiments.bias.test_files import study as bias_study
from tests.experiments.variants.test_files import study as variant_study
from tests.loaded import dataset_of

pytestmark = pytest.mark.usefixtures("word_counting")
__all__ = ["bias_study", "variant_study"]


def made(description: Path) -> Dataset:
    report = Experiment(description).run()
    files = [(path.name, path.read_bytes()) for path in report.files if path.name != "examples.csv.gz"]
    return dataset_of(files, name="Made")


def test_bias_questions_of_two_languages(app_test: OpenPage, bias_study: Path) -> None:
    said = words(app_test("social_bias", dataset=made(bias_study)))
    assert "word-counter" in said
    assert "stereo-set" in said


def test_variants_of_two_files(app_test: OpenPage, variant_study: Path) -> None:
    said = words(app_test("demographic_qa", dataset=made(variant_study)))
    assert "medqa" in said
    assert "each asked about 4 groups" in said
