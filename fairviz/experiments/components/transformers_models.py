"""Language models run by the transformers package: Flan-T5 and its like, and causal models with a chat template.

Weights are read from safetensors or GGUF and from nothing that is executed: no pickles, no code that comes with a
model. A folder is known by the sha256 of its files, a name on the hub by the commit that must be given with it.
"""

import re
from collections.abc import Generator, Iterable, Mapping
from functools import cached_property
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, cast

from fairviz.errors import InputError, UsageError, printable
from fairviz.experiments.components.chat import Body, LanguageModel
from fairviz.experiments.components.chat_parameters import MAX_TOKENS, TransformersParameters
from fairviz.experiments.exchange import LONGEST
from fairviz.experiments.protocols import Json, Reply
from fairviz.extras import optional

PACKAGES = ("torch", "transformers")

READ = frozenset({".safetensors", ".gguf", ".json", ".jinja", ".model", ".txt"})
"""Files of a model that are read."""


class TransformersModel(LanguageModel):
    """A model of the transformers package, in this process.

    Args:
        parameters: Which one and how it is asked.
        name: Its name in outputs.

    Raises:
        UsageError: It is no folder, and no commit is given.
        InputError: The folder holds no weights that can be read.
    """

    component = "transformers"

    def __init__(self, parameters: TransformersParameters, *, name: str) -> None:
        super().__init__(parameters, model=Path(parameters.model).name, name=name)
        self._parameters = parameters
        if not Path(parameters.model).is_dir():
            if not parameters.revision:
                fix = "give the folder of a model, or the commit on the hub as revision"
                raise UsageError(f"model: {parameters.model!r} is no folder; {fix}")
        elif not list(Path(parameters.model).glob(parameters.gguf_file or "*.safetensors")):
            reason = f"holds no {parameters.gguf_file or 'weights in safetensors'}"
            fix = "Save the model with safe_serialization=True; pickles are not read."
            raise InputError(reason, file=parameters.model, fix=fix)

    @property
    def revision(self) -> str:
        """The commit, or the sha256 of the folder's files."""
        return self._parameters.revision or self._sha256

    @property
    def identity(self) -> Mapping[str, Json]:
        """Component, weights and file."""
        return {"component": self.component, "revision": self.revision, "gguf_file": self._parameters.gguf_file}

    @cached_property
    def _sha256(self) -> str:
        """Of the names and the sha256 of what is read."""
        digest = sha256()
        for path in sorted(Path(self._parameters.model).iterdir()):
            if path.suffix in READ:
                with path.open("rb") as file:
                    digest.update(f"{path.name} {file_digest(file, 'sha256').hexdigest()}\n".encode())
        return digest.hexdigest()

    def replies(self, bodies: Iterable[Body]) -> Generator[Reply, None, None]:
        """One reply per body, one after another.

        Raises:
            UsageError: A package is missing, or the model cannot be loaded.
        """
        loaded = self._loaded
        for place, body in enumerate(bodies):
            try:
                yield loaded.reply(place, body, self._model)
            except (RuntimeError, ValueError, IndexError) as error:  # no memory, no such position, a broken template
                said = printable(" ".join(str(error).split())) or type(error).__name__
                yield Reply(place, "", {}, said[:LONGEST])

    @cached_property
    def _loaded(self) -> "_Loaded":
        given = self._parameters
        torch, transformers = (optional(name, extra="torch", component="transformers") for name in PACKAGES)
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        which: dict[str, Any] = {"revision": given.revision or None, "trust_remote_code": False}
        if given.gguf_file:
            which["gguf_file"] = given.gguf_file
        else:
            which["use_safetensors"] = True
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(given.model, **which)
            config = transformers.AutoConfig.from_pretrained(given.model, **which)
            kind = (
                transformers.AutoModelForSeq2SeqLM if config.is_encoder_decoder else transformers.AutoModelForCausalLM
            )
            model = kind.from_pretrained(given.model, weights_only=True, **which)
            return _Loaded(torch, tokenizer, model.to(given.device).eval())
        except Exception as error:  # of three packages, each with exceptions of its own
            said = printable(" ".join(str(error).split()))[:LONGEST]
            raise UsageError(f"model: {given.model} cannot be loaded ({said})") from error


class _Loaded:
    """A tokenizer and weights."""

    def __init__(self, torch: Any, tokenizer: Any, model: Any) -> None:
        self._torch = torch
        self._tokenizer = tokenizer
        self._model = model

    def reply(self, place: int, body: Body, name: str) -> Reply:
        """Greedy at temperature 0, else drawn with the seed."""
        settings = cast("Mapping[str, Any]", body)
        inputs = self._inputs(settings["messages"]).to(self._model.device)
        n_read = int(inputs["input_ids"].shape[-1])
        n_most = int(settings.get("max_tokens") or MAX_TOKENS)
        context = getattr(self._model.config, "max_position_embeddings", None)
        if context and n_read + n_most > context:
            said = f"a prompt of {n_read} tokens and {n_most} for the answer exceed the context of {context} tokens"
            return Reply(place, "", {}, said)
        stop: list[str] = list(settings.get("stop") or ())
        with self._torch.inference_mode():
            (written,) = self._model.generate(
                **inputs, **self._sampling(settings), max_new_tokens=n_most, **self._stopping(stop)
            )
        # A causal model gives the prompt back, an encoder-decoder its start token.
        tokens = written[1 if self._model.config.is_encoder_decoder else n_read :]
        text = _until(self._tokenizer.decode(tokens, skip_special_tokens=True), stop)
        facts: dict[str, Json] = {
            "finish_reason": "length" if len(tokens) >= n_most else "stop",
            "model": name,
            "prompt_tokens": n_read,
            "completion_tokens": len(tokens),
        }
        return Reply(place, text, facts, "" if text.strip() else "an empty answer")

    def _inputs(self, messages: Any) -> Any:
        """Token ids, by the chat template where there is one."""
        if self._tokenizer.chat_template is None:
            return self._tokenizer("\n".join(message["content"] for message in messages), return_tensors="pt")
        return self._tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, return_tensors="pt", return_dict=True
        )

    def _sampling(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        temperature = settings.get("temperature") or 0.0
        if temperature == 0:
            return {"do_sample": False, "num_beams": 1, "temperature": None, "top_p": None, "top_k": None}
        self._torch.manual_seed(settings.get("seed") or 0)
        drawn = {"do_sample": True, "num_beams": 1, "temperature": temperature, "top_k": 0}
        return {**drawn, "top_p": settings.get("top_p", 1.0)}

    def _stopping(self, stop: list[str]) -> dict[str, Any]:
        return {"stop_strings": stop, "tokenizer": self._tokenizer} if stop else {}


def _until(text: str, stop: list[str]) -> str:
    """A text up to the first of some ends."""
    return re.split("|".join(map(re.escape, stop)), text, maxsplit=1)[0] if stop else text
