"""Models of the transformers package: with stand-ins for it everywhere, with tiny random weights where it is installed.

The stand-ins show what we ask of the package and what we make of what it gives back. They cannot show that the package
takes these arguments; the tests of tiny models do, on an installation with the extra ``torch``.
"""

import json
import sys
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from fairviz.errors import InputError, UsageError
from fairviz.experiments.components.chat_parameters import TransformersParameters
from fairviz.experiments.components.transformers_models import TransformersModel
from fairviz.experiments.protocols import ChatModel, Reply

COMMIT = "0123456789" * 4


def model(folder: Path | str, **given: Any) -> TransformersModel:
    return TransformersModel(TransformersParameters(model=str(folder), **{"max_tokens": 4, **given}), name="own")


def asked(transformers: TransformersModel, *texts: str) -> list[Reply]:
    return list(transformers.replies(transformers.body(text) for text in texts))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "flan"
    made.mkdir()
    (made / "model.safetensors").write_bytes(b"weights")
    (made / "config.json").write_text("{}")
    return made


class Ids(list[int]):
    """One row of token ids, as the package gives it."""

    shape = property(lambda self: (1, len(self)))


class Inputs(dict[str, Ids]):
    def to(self, device: str) -> "Inputs":
        return self


class Tokenizer:
    """A token is a word; its id is the place of the word among those that were seen."""

    def __init__(self, chat_template: str | None) -> None:
        self.chat_template = chat_template
        self.words = ["<end>", "older", "man.", "The", "is", "old"]

    def __call__(self, text: str, *, return_tensors: str) -> Inputs:
        for word in text.split():
            if word not in self.words:
                self.words.append(word)
        return Inputs(input_ids=Ids(self.words.index(word) for word in text.split()))

    def apply_chat_template(
        self, messages: Any, *, add_generation_prompt: bool, return_dict: bool, **more: str
    ) -> Inputs:
        assert add_generation_prompt
        assert return_dict
        return self(f"<user> {messages[0]['content']} <assistant>", **more)

    def decode(self, tokens: list[int], *, skip_special_tokens: bool) -> str:
        assert skip_special_tokens
        return " ".join(self.words[token] for token in tokens if token)


class Package:
    """Stands for transformers: keeps what it was asked."""

    def __init__(self, *, encoder_decoder: bool, answer: list[int], context: int | None = None) -> None:
        self.loaded: list[tuple[str, dict[str, Any]]] = []
        self.generated: list[dict[str, Any]] = []
        self.answer = answer
        self.config = SimpleNamespace(is_encoder_decoder=encoder_decoder)
        if context:
            self.config.max_position_embeddings = context
        self.device = "cpu"
        self.tokenizer = Tokenizer(None if encoder_decoder else "template")
        self.logging = SimpleNamespace(set_verbosity_error=lambda: None, disable_progress_bar=lambda: None)

    def __getattr__(self, name: str) -> Any:
        made = {"AutoTokenizer": self.tokenizer, "AutoConfig": self.config}.get(name, self)
        if not name.startswith("Auto"):
            raise AttributeError(name)

        def from_pretrained(where: str, **given: Any) -> Any:
            self.loaded.append((name, given))
            return made

        return SimpleNamespace(from_pretrained=from_pretrained)

    def to(self, device: str) -> "Package":
        self.device = device
        return self

    def eval(self) -> "Package":
        return self

    def generate(self, *, input_ids: Ids, **given: Any) -> list[list[int]]:
        self.generated.append(given)
        return [[0, *self.answer] if self.config.is_encoder_decoder else [*input_ids, *self.answer]]


@pytest.fixture
def standing(monkeypatch: pytest.MonkeyPatch) -> Any:
    def stand(**given: Any) -> Package:
        package = Package(**given)
        monkeypatch.setitem(sys.modules, "transformers", package)
        seeds: list[int] = []
        monkeypatch.setitem(
            sys.modules, "torch", SimpleNamespace(inference_mode=nullcontext, manual_seed=seeds.append, seeds=seeds)
        )
        return package

    return stand


def test_no_code_and_no_pickle_is_loaded(standing: Any, folder: Path) -> None:
    package = standing(encoder_decoder=True, answer=[1, 2, 0])
    asked(model(folder), "Who?")
    assert [name for name, _ in package.loaded] == ["AutoTokenizer", "AutoConfig", "AutoModelForSeq2SeqLM"]
    assert all(given["trust_remote_code"] is False for _, given in package.loaded)
    _, weights = package.loaded[-1]
    assert weights["use_safetensors"]
    assert weights["weights_only"]


def test_an_encoder_decoder_answers(standing: Any, folder: Path) -> None:
    package = standing(encoder_decoder=True, answer=[1, 2, 0])
    flan = model(folder, stop=["."])
    assert isinstance(flan, ChatModel)
    (reply,) = asked(flan, "Who is old?")
    assert reply == Reply(
        0, "older man", {"finish_reason": "stop", "model": "flan", "prompt_tokens": 3, "completion_tokens": 3}
    )
    (given,) = package.generated
    assert (given["do_sample"], given["num_beams"], given["max_new_tokens"]) == (False, 1, 4)
    assert given["stop_strings"] == ["."]


def test_a_causal_model_answers_by_its_template(standing: Any, folder: Path) -> None:
    standing(encoder_decoder=False, answer=[3, 5, 4, 5])
    (reply,) = asked(model(folder), "Who is?")
    assert reply.text == "The old is old"
    # <user> Who is? <assistant>
    assert (reply.facts["prompt_tokens"], reply.facts["finish_reason"]) == (4, "length")


def test_what_is_drawn_depends_on_the_seed_and_on_no_other_request(standing: Any, folder: Path) -> None:
    package = standing(encoder_decoder=False, answer=[1])
    asked(model(folder, temperature=0.5, seed=7, top_p=0.9), "a", "b")
    assert sys.modules["torch"].seeds == [7, 7]
    assert all(
        (given["do_sample"], given["temperature"], given["top_p"]) == (True, 0.5, 0.9) for given in package.generated
    )


def test_what_cannot_be_answered_is_said(standing: Any, folder: Path) -> None:
    package = standing(encoder_decoder=False, answer=[0], context=10)
    long, empty = asked(model(folder), "a b c d e f g", "a")
    assert long.error == "a prompt of 9 tokens and 4 for the answer exceed the context of 10 tokens"
    assert empty.error == "an empty answer"

    def no_memory(**given: Any) -> Any:
        raise RuntimeError("out of memory:\nall of it")

    package.generate = no_memory
    (reply,) = asked(model(folder), "a")
    assert reply.error == "out of memory: all of it"


def test_a_model_is_known_by_its_files_or_its_commit(folder: Path) -> None:
    before = model(folder).identity
    (folder / "notes.md").write_text("nothing that is read")
    assert model(folder).identity == before
    (folder / "config.json").write_text('{"d_model": 1}')
    assert model(folder).identity != before
    hub = model("google/flan-t5-small", revision=COMMIT)
    assert (hub.revision, hub.body("Who?")["model"]) == (COMMIT, "flan-t5-small")


def test_mistakes_are_told(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match="'google/flan-t5-small' is no folder; give the folder of a model, or the commit"
    ):
        model("google/flan-t5-small")
    with pytest.raises(ValidationError, match="revision"):
        model("google/flan-t5-small", revision="main")
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x02")
    with pytest.raises(InputError, match="holds no weights in safetensors"):
        model(tmp_path)
    with pytest.raises(InputError, match=r"holds no small\.gguf"):
        model(tmp_path, gguf_file="small.gguf")
    with pytest.raises(ValidationError, match="gguf_file"):
        model(tmp_path, gguf_file="../small.gguf")


def test_a_folder_is_taken_from_the_description(folder: Path) -> None:
    context = {"file": folder.parent / "study.toml"}
    assert TransformersParameters.model_validate({"model": "flan"}, context=context).model == str(folder)
    assert TransformersParameters.model_validate({"model": "google/flan"}, context=context).model == "google/flan"


def test_without_the_packages_the_way_to_them_is_told(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UsageError, match=r'-m pip install .*\[torch\]"'):
        asked(model(folder), "Who?")


# Tiny random weights.


installed = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("transformers") is None, reason="torch and transformers are not there"
)


def tokenizer_in(folder: Path, *, chat: bool) -> int:
    """Save a tokenizer of bytes; gives its number of tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: place for place, token in enumerate(["<pad>", "</s>", *letters])}
    made = Tokenizer(models.BPE(vocabulary, []))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", eos_token="</s>")
    if chat:
        fast.chat_template = "{% for m in messages %}{{ m.role[0] }}{{ m.content }}{% endfor %}a"
    fast.save_pretrained(folder)
    return len(vocabulary)


@pytest.fixture(params=["t5", "llama"])
def tiny(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A random model of one layer, the same each time."""
    import torch
    import transformers

    torch.manual_seed(0)
    n_tokens = tokenizer_in(tmp_path, chat=request.param == "llama")
    if request.param == "t5":
        shape = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2, "decoder_start_token_id": 0}
        config = transformers.T5Config(vocab_size=n_tokens, eos_token_id=1, pad_token_id=0, **shape)
        made = transformers.T5ForConditionalGeneration(config)
    else:
        shape = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
        config = transformers.LlamaConfig(
            vocab_size=n_tokens, eos_token_id=1, pad_token_id=0, max_position_embeddings=64, **shape
        )
        made = transformers.LlamaForCausalLM(config)
    made.save_pretrained(tmp_path)
    return tmp_path


@installed
def test_real_weights_answer_the_same_each_time(tiny: Path) -> None:
    kind = json.loads((tiny / "config.json").read_text())["model_type"]
    drawn = {"temperature": 1.0, "seed": 3}
    first, again = asked(model(tiny, **drawn), "Who?", "When?"), asked(model(tiny, **drawn), "When?", "Who?")
    assert [reply.text for reply in first] == [reply.text for reply in reversed(again)]
    assert [reply.facts["completion_tokens"] for reply in first] == [4, 4]
    # The template adds the u of the user and an a.
    assert [reply.facts["prompt_tokens"] for reply in first] == ([4, 5] if kind == "t5" else [6, 7])
    greedy = asked(model(tiny), "Who?", "Who?", "long " * 20)
    assert greedy[0].text == greedy[1].text
    assert bool(greedy[2].error) == (kind == "llama")


@installed
def test_a_broken_file_of_weights_is_told(tiny: Path) -> None:
    (tiny / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(UsageError, match=r"cannot be loaded \("):
        asked(model(tiny), "Who?")
