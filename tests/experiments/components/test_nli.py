"""Entailment by a classifier of a few kilobytes, against its arithmetic in numpy."""

from pathlib import Path

import pytest

from fairviz.errors import InputError
from fairviz.experiments.components.nli import NliAttributor
from fairviz.experiments.components.onnx_model import OnnxModel
from fairviz.experiments.protocols import Document, Prompt
from fairviz.experiments.store import Store
from tests.experiments.tiny_onnx import classifier, probabilities

DOCUMENTS = (
    Document("a", "", "heat pump cold"),
    Document("b", "the roof", "rain . cold"),
    Document("c", "", "rain rain rain"),
    Document("d", "", "unheard words"),
)
PROMPTS = [Prompt("?", DOCUMENTS), Prompt("?", DOCUMENTS[:2]), Prompt("?", ())]
ANSWERS = ["the heat pump . cold roof .", "rain", "rain"]


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.7])
def test_a_document_supports_what_it_entails(tmp_path: Path, threshold: float) -> None:
    weights = classifier(tmp_path)
    found = NliAttributor(folder=tmp_path, threshold=threshold).attribute(PROMPTS, ANSWERS)
    expected = [
        [
            probabilities(weights, f"{given.title} {given.text}".strip(), answer)[2] >= threshold
            for given in prompt.documents
        ]
        for prompt, answer in zip(PROMPTS, ANSWERS, strict=True)
    ]
    assert found == expected


def test_one_entailed_sentence_is_enough(tmp_path: Path) -> None:
    weights = classifier(tmp_path, seed=3)
    sentences = ["the heat pump .", "cold roof ."]  # as the classifier's words are cut
    of_each = [
        [probabilities(weights, f"{given.title} {given.text}".strip(), sentence)[2] for sentence in sentences]
        for given in DOCUMENTS
    ]
    best = sorted(map(max, of_each))
    threshold = (best[1] + best[2]) / 2
    attributor = NliAttributor(folder=tmp_path, hypothesis="sentences", threshold=threshold)
    (found,) = attributor.attribute(PROMPTS[:1], ["the heat pump. cold roof."])
    assert found == [max(of_document) >= threshold for of_document in of_each]
    assert sum(found) == 2


def test_which_class_is_entailment_is_read_off_the_labels(tmp_path: Path) -> None:
    weights = classifier(tmp_path, labels=("ENTAILMENT", "neutral", "contradiction"))
    (found, *_) = NliAttributor(folder=tmp_path).attribute(PROMPTS, ANSWERS)
    premises = [f"{given.title} {given.text}".strip() for given in DOCUMENTS]
    assert found == [probabilities(weights, premise, ANSWERS[0])[0] >= 0.5 for premise in premises]


def test_an_empty_answer_is_supported_by_nothing(tmp_path: Path) -> None:
    classifier(tmp_path)
    assert NliAttributor(folder=tmp_path, threshold=0.01).attribute(PROMPTS[:2], ["", " "]) == [
        [False] * 4,
        [False] * 2,
    ]


def test_a_probability_is_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    classifier(tmp_path / "model")
    store = Store(tmp_path / "store.sqlite")
    first = NliAttributor(folder=tmp_path / "model", numbers=store).attribute(PROMPTS, ANSWERS)
    monkeypatch.setattr(OnnxModel, "outputs", lambda self, texts: pytest.fail("asked again") if texts else iter(()))
    assert NliAttributor(folder=tmp_path / "model", numbers=store).attribute(PROMPTS, ANSWERS) == first
    classifier(tmp_path / "model", seed=1)
    with pytest.raises(pytest.fail.Exception, match="asked again"):  # other weights are another model
        NliAttributor(folder=tmp_path / "model", numbers=store).attribute(PROMPTS, ANSWERS)
    store.close()


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("config.json", None, "cannot be read"),
        ("config.json", "{", "cannot be read"),
        ("config.json", "[]", "no label is .entailment.; labels: none"),
        ("config.json", '{"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}', "labels: LABEL_0, LABEL_1"),
        ("model.onnx", None, "there is no such file"),
        ("tokenizer.json", None, "there is no such file"),
    ],
)
def test_a_folder_without_a_model_is_told(tmp_path: Path, file: str, content: str | None, said: str) -> None:
    classifier(tmp_path)
    if content is None:
        (tmp_path / file).unlink()
    else:
        (tmp_path / file).write_text(content)
    with pytest.raises(InputError, match=said) as caught:
        NliAttributor(folder=tmp_path)
    assert caught.value.file == str(tmp_path / file)
    assert caught.value.fix


@pytest.mark.parametrize(("file", "said"), [("model.onnx", "is no model"), ("tokenizer.json", "is no tokenizer")])
def test_broken_files_are_told(tmp_path: Path, file: str, said: str) -> None:
    classifier(tmp_path)
    (tmp_path / file).write_bytes(b"\x80\x02broken")
    with pytest.raises(InputError, match=said) as caught:
        NliAttributor(folder=tmp_path).attribute(PROMPTS, ANSWERS)
    assert "\n" not in str(caught.value)
