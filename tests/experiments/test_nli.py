"""Entailment by a pipeline of transformers that a test puts in its place."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fairviz.errors import InputError, UsageError
from fairviz.experiments.attributors import Nli
from fairviz.experiments.protocols import Document, Prompt
from fairviz.experiments.store import Store

DOCUMENTS = (
    Document("a", "", "heat pump cold"),
    Document("b", "the roof", "rain cold"),
    Document("c", "", "rain rain rain"),
)
PROMPTS = [Prompt("?", DOCUMENTS), Prompt("?", DOCUMENTS[:2]), Prompt("?", ())]
ANSWERS = ["the cold roof.", "rain", "rain"]

Classes = list[dict[str, object]]


class Pipeline:
    """A pair is entailed with the share of the second text's words that stand in the first."""

    def __init__(self, entailment: str = "ENTAILMENT") -> None:
        self.entailment = entailment
        self.settings: Mapping[str, object] = {}
        self.asked: list[tuple[str, str]] = []

    def __call__(self, task: str, **settings: object) -> Callable[..., list[Classes]]:
        assert task == "text-classification"
        if settings["model"] == "none":
            raise OSError("none is not a local folder")
        self.settings = settings
        return self.classified

    def classified(self, pairs: Sequence[Mapping[str, str]], **how: object) -> list[Classes]:
        assert how == {"top_k": None, "truncation": True, "max_length": 512}
        self.asked += [(pair["text"], pair["text_pair"]) for pair in pairs]
        return [self._classes(pair["text"].split(), pair["text_pair"].replace(".", " ").split()) for pair in pairs]

    def _classes(self, premise: list[str], hypothesis: list[str]) -> Classes:
        share = sum(word in premise for word in hypothesis) / len(hypothesis)
        return [{"label": "neutral", "score": 1 - share}, {"label": self.entailment, "score": share}]


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> Pipeline:
    made = Pipeline()
    for name in ("transformers", "torch"):
        module = ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        module.pipeline = made  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, name, module)
    return made


@pytest.mark.parametrize(
    ("threshold", "first"), [(0.3, [True, True, False]), (0.5, [False, True, False]), (1.0, [False, True, False])]
)
def test_a_document_supports_what_it_entails(pipeline: Pipeline, threshold: float, first: list[bool]) -> None:
    """The answer's words are the, cold, roof: the documents hold one, three and none of them."""
    found = Nli(model="m", revision="abc", threshold=threshold).attribute(PROMPTS, ANSWERS)
    assert found == [first, [False, True], []]
    assert pipeline.settings == {"model": "m", "revision": "abc", "model_kwargs": {"use_safetensors": True}}


@pytest.mark.usefixtures("pipeline")
@pytest.mark.parametrize(
    ("answer", "settings", "supports"),
    [
        ("heat cold. roof.", {}, [True, True, False]),
        ("heat cold. roof.", {"threshold": 0.9}, [False] * 3),
        ("heat cold. roof.", {"threshold": 0.9, "hypothesis": "sentences"}, [True, True, False]),
        ("", {"threshold": 0.01}, [False] * 3),
        (" ", {"threshold": 0.01}, [False] * 3),
    ],
)
def test_one_entailed_sentence_is_enough_and_none_supports_nothing(
    answer: str, settings: dict[str, Any], supports: list[bool]
) -> None:
    assert Nli(model="m", **settings).attribute(PROMPTS[:1], [answer]) == [supports]


def test_a_probability_is_computed_once_for_a_model(pipeline: Pipeline, tmp_path: Path) -> None:
    store = Store(tmp_path / "store.sqlite")
    first = Nli(model="m").attribute(PROMPTS, ANSWERS, store)
    assert len(pipeline.asked) == len(set(pipeline.asked)) == 5
    assert Nli(model="m").attribute(PROMPTS, ANSWERS, store) == first
    assert len(pipeline.asked) == 5
    Nli(model="m", revision="2").attribute(PROMPTS, ANSWERS, store)
    assert len(pipeline.asked) == 10
    store.close()


def test_a_classifier_of_something_else_is_refused(pipeline: Pipeline) -> None:
    pipeline.entailment = "positive"
    with pytest.raises(InputError, match=r'm: no label is "entailment"; labels: neutral, positive'):
        Nli(model="m").attribute(PROMPTS, ANSWERS)


@pytest.mark.usefixtures("pipeline")
def test_a_model_that_is_not_there_is_told() -> None:
    with pytest.raises(InputError, match=r"none: cannot be loaded \(none is not a local folder\)"):
        Nli(model="none").attribute(PROMPTS, ANSWERS)


def test_a_missing_package_is_told_with_the_install_line() -> None:
    with pytest.raises(UsageError, match=r'nli needs transformers, torch: .* -m pip install .*\[nli\]"'):
        Nli(model="m").prepare()
