"""``fv.experiment``: what ``fairviz experiment`` does, and the data that come of it."""

import json
from pathlib import Path

import pytest

import fairviz as fv
from fairviz.io.variants import read_variants

DESCRIPTION = """
kind = "variants"
name = "medicine"
questions = ["questions.jsonl"]
corpus = "corpus.jsonl"
settings = ["w/o RAG"]
people = { race = ["Asian", "Black"] }

[[retriever]]
name = "bm25"

[[generator]]
name = "chooser"
label = "word-counter"
"""


@pytest.fixture
def description(tmp_path: Path) -> Path:
    question = {
        "question": "Which drug cools a fever?",
        "options": {"A": "Aspirin", "B": "Caffeine"},
        "answer_idx": "A",
    }
    (tmp_path / "questions.jsonl").write_text(json.dumps(question))
    (tmp_path / "corpus.jsonl").write_text(json.dumps({"doc_id": "d", "text": "Aspirin cools a fever."}))
    (tmp_path / "study.toml").write_text(DESCRIPTION)
    return tmp_path / "study.toml"


@pytest.mark.filterwarnings("ignore::fairviz.DataWarning")
@pytest.mark.usefixtures("word_counting")
def test_an_experiment_ends_as_data(description: Path, tmp_path: Path) -> None:
    study = fv.experiment(description, output=tmp_path / "made")
    assert (study.n_missing, study.bill().empty) == (0, True)  # stand-ins answer at once
    data = study.run()
    written = read_variants(study.folder / "answers.jsonl.gz").value
    assert [len(one) for one in data.variants] == [len(written)] != [0]
    assert (data.name, study.folder) == ("medicine", tmp_path / "made")


def test_a_description_with_mistakes_names_them(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text('kind = "bias"\n')
    with pytest.raises(fv.FairvizError, match=r"x\.toml"):
        fv.experiment(tmp_path / "x.toml")
