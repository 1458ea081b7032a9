"""Models that PyTorch runs: with stand-ins for its packages everywhere, with tiny random weights where it is installed.

The stand-ins show which files are read, what we ask of the packages and what we make of what they give back. They
cannot show that the packages take these arguments, nor that a text gives the same bits alone and among others; the
tests of tiny models do, on an installation with the extra ``torch``.
"""

import json
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fairviz.errors import InputError, UsageError
from fairviz.experiments.components.dense import dense_retriever
from fairviz.experiments.components.nli import NliAttributor
from fairviz.experiments.components.registry import chosen
from fairviz.experiments.components.safetensors_model import PairModel, SentenceModel, folder_of
from fairviz.experiments.protocols import Document, Prompt
from fairviz.experiments.store import Store
from tests.experiments.tiny_onnx import LABELS, WORDS, classifier, probabilities

CORPUS = [Document("a", "", "heat pump"), Document("b", "the", "roof"), Document("c", "", "cold rain " * 40)]

PROMPTS = [Prompt("?", tuple(CORPUS[:2])), Prompt("?", ())]

installed = pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="the extra torch is not there")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return files(
        tmp_path / "model", {"model.safetensors": "weights", "config.json": "{}", "1_Pooling/config.json": "{}"}
    )


def files(folder: Path, contents: Mapping[str, str]) -> Path:
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


class Packages:
    """Stand for torch, transformers and sentence_transformers; keep what they were asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.loaded: list[tuple[str, str, dict[str, Any]]] = []
        self.encoded: list[tuple[str, str]] = []
        self.threads: list[int] = []
        self.missing: list[str] = []
        self.max_seq_length: int | None = 512
        self.logits: Any = None
        torch = SimpleNamespace(set_num_threads=self.threads.append, inference_mode=nullcontext)
        auto = {"AutoTokenizer": lambda: self.tokenizer, "AutoModelForSequenceClassification": self.classified}
        loaders = {name: SimpleNamespace(from_pretrained=self._loader(name, made)) for name, made in auto.items()}
        logging = SimpleNamespace(disable_progress_bar=lambda: None)
        monkeypatch.setitem(sys.modules, "torch", torch)
        monkeypatch.setitem(sys.modules, "transformers", SimpleNamespace(logging=logging, **loaders))
        sentences = SimpleNamespace(SentenceTransformer=self._loader("SentenceTransformer", lambda: self))
        monkeypatch.setitem(sys.modules, "sentence_transformers", sentences)

    def _loader(self, name: str, made: Any) -> Any:
        def load(folder: str, **given: Any) -> Any:
            self.loaded.append((name, folder, given))
            return made()

        return load

    def encode_query(self, texts: list[str], **given: Any) -> Any:
        return self._vectors("query", texts, **given)

    def encode_document(self, texts: list[str], **given: Any) -> Any:
        return self._vectors("document", texts, **given)

    def _vectors(self, role: str, texts: list[str], *, batch_size: int, show_progress_bar: bool) -> Any:
        assert (len(texts), batch_size, show_progress_bar) == (1, 1, False)
        self.encoded += [(role, text) for text in texts]
        return np.array([[text.count(word) for word in WORDS[3:]] for text in texts], dtype=np.float64)

    tokenizer_limit = 20

    @property
    def tokenizer(self) -> Any:
        def read(premise: str, hypothesis: str, **given: Any) -> dict[str, Any]:
            assert given == {"truncation": "longest_first", "max_length": self.tokenizer_limit, "return_tensors": "pt"}
            return {"pair": (premise, hypothesis)}

        tokenizer: Any = read
        tokenizer.model_max_length = self.tokenizer_limit
        return tokenizer

    def classified(self) -> Any:
        def model(*, pair: tuple[str, str]) -> Any:
            row = SimpleNamespace(float=lambda: SimpleNamespace(numpy=lambda: self.logits(*pair)))
            return SimpleNamespace(logits=[row])

        return SimpleNamespace(eval=lambda: model), {"missing_keys": self.missing}


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> Packages:
    return Packages(monkeypatch)


def test_questions_and_documents_are_read_as_the_model_was_trained(packages: Packages, folder: Path) -> None:
    retriever = dense_retriever(CORPUS, model=str(folder), similarity="dot", max_tokens=64)
    (hits,) = retriever.retrieve({"1": "cold heat"}, depth=3)
    # "cold" stands 40 times in c, "heat" once in a.
    assert (hits.positions.tolist(), hits.scores.tolist()) == ([2, 0, 1], [40, 1, 0])
    assert sorted(packages.encoded) == [
        ("document", "cold rain " * 39 + "cold rain"),
        ("document", "heat pump"),
        ("document", "the roof"),
        ("query", "cold heat"),
    ]
    assert packages.max_seq_length == 64
    assert set(packages.threads) == {1}


@pytest.mark.parametrize(("own", "used"), [(None, 256), (128, 128), (512, 256)])
def test_a_text_is_cut_where_the_model_ends(packages: Packages, folder: Path, own: int | None, used: int) -> None:
    packages.max_seq_length = own
    dense_retriever(CORPUS, model=str(folder)).retrieve({"1": "rain"}, depth=3)
    assert packages.max_seq_length == used


def test_no_code_no_pickle_and_no_network(packages: Packages, folder: Path) -> None:
    packages.logits = lambda premise, hypothesis: np.zeros(3, np.float32)
    (folder / "config.json").write_text(json.dumps({"id2label": dict(enumerate(LABELS))}))
    dense_retriever(CORPUS, model=str(folder)).retrieve({"1": "rain"}, depth=3)
    NliAttributor(model=str(folder)).attribute(PROMPTS, ["rain", "rain"])
    sentences, tokenizer, classes = packages.loaded
    assert {where for _, where, _ in packages.loaded} == {str(folder)}
    assert all(given["local_files_only"] and given["trust_remote_code"] is False for _, _, given in packages.loaded)
    assert sentences[2]["model_kwargs"] == {"use_safetensors": True}
    assert (sentences[2]["device"], tokenizer[0], classes[2]["use_safetensors"]) == ("cpu", "AutoTokenizer", True)


def test_entailment_is_what_the_same_classifier_says_in_onnx(
    packages: Packages, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = classifier(tmp_path / "onnx", labels=("neutral", "Entailment", "contradiction"))
    packages.logits = lambda *pair: np.log(probabilities(weights, *pair)).astype(np.float32) + 3
    (folder / "config.json").write_text((tmp_path / "onnx" / "config.json").read_text())
    store = Store(tmp_path / "store.sqlite")
    answers = ["heat pump .", "cold"]
    for threshold in (0.2, 0.4, 0.6):
        expected = NliAttributor(folder=tmp_path / "onnx", threshold=threshold).attribute(PROMPTS, answers)
        nli = NliAttributor(model=str(folder), threshold=threshold, numbers=store)
        assert nli.attribute(PROMPTS, answers) == expected
        packages.logits = None  # what was computed is kept
    store.close()


def test_vectors_are_kept_and_other_weights_are_another_model(packages: Packages, folder: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store.sqlite")
    n_encoded: list[int] = []
    for weights in ("weights", "weights", "others"):
        (folder / "model.safetensors").write_text(weights)
        dense_retriever(CORPUS, model=str(folder), numbers=store).retrieve({"1": "rain"}, depth=3)
        n_encoded.append(len(packages.encoded))
    store.close()
    assert n_encoded == [4, 4, 8]


def test_a_model_is_known_by_all_that_is_read_of_it(folder: Path) -> None:
    def identity(max_tokens: int = 64) -> Mapping[str, Any]:
        return SentenceModel(folder, max_tokens=max_tokens, component="dense").identity

    first = identity()
    # printf weights | sha256sum
    assert first["files"]["model.safetensors"] == "9a129038d9a00aed0cf6a7ea059ca50a813449061ab87848cf1a13eafdf33b2c"
    assert set(first["files"]) == {"model.safetensors", "config.json", "1_Pooling/config.json"}
    files(folder, {"README.md": "read by people", "onnx/config.json": "read by another program"})
    assert identity() == first
    assert identity(65) != first
    files(folder, {"1_Pooling/config.json": '{"pooling_mode_cls_token": true}'})
    assert identity() != first


@pytest.mark.parametrize(
    ("contents", "where", "said"),
    [
        ({"config.json": "{}"}, ".", "holds no weights"),
        ({"pytorch_model.bin": ""}, ".", r"pytorch_model.bin may be a pickle, and runs code"),
        ({"onnx/model.safetensors": ""}, ".", "holds no weights"),
        ({"model.safetensors": "", "2_Dense/pytorch_model.bin": ""}, "2_Dense", "may be a pickle"),
    ],
)
def test_weights_that_are_not_in_safetensors_are_refused(
    tmp_path: Path, contents: dict[str, str], where: str, said: str
) -> None:
    files(tmp_path, contents)
    with pytest.raises(InputError, match=said) as caught:
        dense_retriever(CORPUS, model=str(tmp_path))
    assert caught.value.file == str(tmp_path / where)


def test_a_pickle_beside_safetensors_is_not_read(folder: Path) -> None:
    files(folder, {"pytorch_model.bin": "", "openvino/openvino_model.bin": ""})
    assert SentenceModel(folder, max_tokens=64, component="dense").folder == folder


def test_which_class_is_entailment_must_be_said(folder: Path) -> None:
    (folder / "config.json").write_text('{"id2label": {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}}')
    with pytest.raises(InputError, match="labels: LABEL_0, LABEL_1, LABEL_2") as caught:
        NliAttributor(model=str(folder))
    assert "\n" not in str(caught.value)


def test_a_classifier_without_its_last_layer_is_refused(packages: Packages, folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps({"id2label": dict(enumerate(LABELS))}))
    packages.missing = ["classifier.weight", "classifier.bias"]
    with pytest.raises(InputError, match=r"is no classifier: its weights lack classifier\.bias"):
        NliAttributor(model=str(folder)).attribute(PROMPTS, ["rain", ""])


def test_what_cannot_be_loaded_is_one_line(packages: Packages, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(folder: str, **given: Any) -> None:
        raise KeyError("header\ntoo large")

    monkeypatch.setattr(sys.modules["sentence_transformers"], "SentenceTransformer", broken)
    with pytest.raises(InputError, match="cannot be loaded") as caught:
        dense_retriever(CORPUS, model=str(folder)).retrieve({"1": "rain"}, depth=1)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("package", ["sentence_transformers", "transformers", "torch"])
def test_a_missing_package_is_told_with_the_install_line(
    packages: Packages, folder: Path, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError, match=rf'dense needs {package}: .* -m pip install .*\[torch\]"'):
        dense_retriever(CORPUS, model=str(folder)).retrieve({"1": "rain"}, depth=1)


def test_a_name_is_a_package_or_in_the_cache_of_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files(tmp_path, {"one_model/__init__.py": "raise RuntimeError", "two_models/__init__.py": ""})
    one = files(tmp_path / "one_model" / "weights", {"model.safetensors": "", "2_Dense/model.safetensors": ""})
    files(tmp_path / "two_models", {"a/model.safetensors": "", "b/model.safetensors": ""})
    monkeypatch.syspath_prepend(tmp_path)
    cached = {"facebook/contriever": str(one)}

    def snapshot_download(name: str, *, local_files_only: bool) -> str:
        assert local_files_only
        if name not in cached:
            raise FileNotFoundError(name)
        return cached[name]

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=snapshot_download))
    assert folder_of("one-model", component="dense") == one
    assert folder_of("facebook/contriever", component="dense") == one
    with pytest.raises(UsageError, match="two-models brings 2 models in safetensors; give the folder of one"):
        folder_of("two-models", component="dense")
    with pytest.raises(UsageError, match=r"'no/such' is no folder, .*: hf download no/such"):
        folder_of("no/such", component="dense")


def test_a_description_names_one_model(folder: Path) -> None:
    dense = chosen("retriever", "dense", model=str(folder))
    assert (dense.label, dense.parameters["model"]) == ("model", str(folder))
    assert chosen("retriever", "dense").label == "dense"
    with pytest.raises(UsageError, match="has folder and model"):
        chosen("retriever", "dense", model="x", folder=folder)
    for given in ({}, {"model": "x", "folder": folder}):
        with pytest.raises(UsageError, match="needs either folder"):
            chosen("attributor", "nli", **given)
    with pytest.raises(UsageError, match="nli needs a classifier"):
        NliAttributor()


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of a few kilobytes with three classes, as transformers saves it."""
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tiny")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=32,
        id2label=dict(enumerate(LABELS)),
        initializer_range=1.0,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    special = {"unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[UNK]"}
    reads = ["input_ids", "token_type_ids", "attention_mask"]
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=32, model_input_names=reads, **special)
    fast.save_pretrained(folder)
    return folder


@installed
def test_a_text_gives_the_same_bits_alone_and_among_others(tiny: Path) -> None:
    from transformers import AutoModel

    model = SentenceModel(tiny, max_tokens=256, component="dense")
    texts = ["heat pump", "rain " * 100, "the cold roof .", "heat"]  # the second is cut at 32 tokens
    together = list(model.vectors(texts, role="document"))
    for text, vector in zip(texts, together, strict=True):
        (alone,) = model.vectors([text], role="query")
        assert alone.tobytes() == vector.tobytes()
    # Without a file of modules the states of the tokens are averaged: by hand, for the first text.
    ids = [[1, WORDS.index("heat"), WORDS.index("pump"), 2]]
    import torch

    states = AutoModel.from_pretrained(tiny).eval()(torch.tensor(ids)).last_hidden_state
    assert together[0] == pytest.approx(states[0].mean(dim=0).detach().numpy(), abs=1e-6)


@installed
def test_a_classifier_of_transformers_says_what_it_says_by_hand(tiny: Path) -> None:
    import torch
    from transformers import BertForSequenceClassification

    (logits,) = PairModel(tiny, max_tokens=512, component="nli").outputs([("heat pump", "cold")])
    ids = [[1, WORDS.index("heat"), WORDS.index("pump"), 2, WORDS.index("cold"), 2]]
    expected = BertForSequenceClassification.from_pretrained(tiny).eval()(
        torch.tensor(ids), token_type_ids=torch.tensor([[0, 0, 0, 0, 1, 1]])
    )
    assert logits == pytest.approx(expected.logits[0].detach().numpy(), abs=1e-5)
    odds = np.exp(logits.astype(np.float64))
    share = odds[2] / odds.sum()
    for threshold, entailed in ((share - 1e-4, True), (share + 1e-4, False)):
        nli = NliAttributor(model=str(tiny), threshold=threshold)
        assert nli.attribute([Prompt("?", (CORPUS[0],))], ["cold"]) == [[entailed]]


@installed
def test_weights_without_classes_are_refused(tiny: Path, tmp_path: Path) -> None:
    from transformers import AutoModel

    AutoModel.from_pretrained(tiny).save_pretrained(tmp_path)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((tiny / name).read_bytes())
    with pytest.raises(InputError, match=r"its weights lack classifier\.bias"):
        NliAttributor(model=str(tmp_path)).attribute(PROMPTS, ["rain", ""])


@installed
@pytest.mark.parametrize("kind", [SentenceModel, PairModel])
def test_broken_weights_are_one_line(tiny: Path, tmp_path: Path, kind: type[SentenceModel | PairModel]) -> None:
    for path in tiny.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"\x80\x02broken")
    broken = kind(tmp_path, max_tokens=16, component="dense")
    given: Any = [("heat", "rain")] if isinstance(broken, PairModel) else ["rain"]
    ask: Any = broken.outputs if isinstance(broken, PairModel) else partial(broken.vectors, role="query")
    with pytest.raises(InputError, match="cannot be loaded") as caught:
        list(ask(given))
    assert "\n" not in str(caught.value)
