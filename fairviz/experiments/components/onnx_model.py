"""Transformer encoders in ONNX: model.onnx and tokenizer.json of a folder, computed by this machine's processors.

Each text is computed alone and by one thread, as many texts at once as there are processors. What a text gives then
depends on no other text and on no number of threads, and nothing is padded; batches sorted by length took as long.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairviz.errors import InputError
from fairviz.experiments.protocols import Json
from fairviz.extras import optional

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
"""What the encoders of BERT's family read; some leave out the last."""


class OnnxModel:
    """A transformer whose first output is wanted: states of tokens, or logits of classes.

    Args:
        model: The graph with its weights.
        tokenizer: The tokenizer, in the format of the package tokenizers.
        max_tokens: Longer texts are cut; of a pair the longer one.
        component: Who needs it, for messages.

    Raises:
        InputError: A file is missing.
    """

    def __init__(self, model: Path, tokenizer: Path, *, max_tokens: int, component: str) -> None:
        for path in (model, tokenizer):
            if not path.is_file():
                fix = "A folder of a model in ONNX holds model.onnx and tokenizer.json."
                raise InputError("there is no such file", file=str(path), fix=fix)
        self._model = model
        self._tokenizer_file = tokenizer
        self._max_tokens = max_tokens
        self._component = component

    @cached_property
    def identity(self) -> Mapping[str, Json]:
        """sha256 of weights and tokenizer, and the length at which texts are cut."""
        files = {path.name: sha256_of(path) for path in (self._model, self._tokenizer_file)}
        return {"files": files, "max_tokens": self._max_tokens}

    def outputs(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> Iterator[NDArray[np.float32]]:
        """For each text or pair, in order, the first output without its axis of texts: (tokens, W), or (classes)."""
        # A tokenizer is asked for all at once; it has its own threads.
        encoded = self._tokenizer.encode_batch(list(texts))
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            yield from pool.map(self._output, encoded)

    def _output(self, encoding: Any) -> NDArray[np.float32]:
        known: dict[str, list[int]] = dict(
            zip(INPUTS, (encoding.ids, encoding.attention_mask, encoding.type_ids), strict=True)
        )
        given = {name: np.array([known[name]], dtype=np.int64) for name in self._inputs}
        return self._session.run(None, given)[0][0]

    @cached_property
    def _inputs(self) -> tuple[str, ...]:
        return tuple(wanted.name for wanted in self._session.get_inputs())

    @cached_property
    def _tokenizer(self) -> Any:
        package = optional("tokenizers", extra="dense", component=self._component)
        try:
            tokenizer = package.Tokenizer.from_file(str(self._tokenizer_file))
        except Exception as error:  # the package raises nothing narrower
            raise InputError(f"is no tokenizer ({error})", file=str(self._tokenizer_file)) from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._max_tokens)
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        package = optional("onnxruntime", extra="dense", component=self._component)
        options = package.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            session = package.InferenceSession(str(self._model), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # the package raises a class per fault, without a base of its own
            first = str(error).splitlines()[0]
            raise InputError(f"is no model that onnxruntime runs ({first})", file=str(self._model)) from error
        unknown = [wanted.name for wanted in session.get_inputs() if wanted.name not in INPUTS]
        if unknown:
            reason = f"reads {unknown[0]!r}; an encoder reads {', '.join(INPUTS)} and nothing else"
            raise InputError(reason, file=str(self._model))
        return session


def sha256_of(path: Path) -> str:
    """sha256 of a file's bytes, in hexadecimal digits."""
    with path.open("rb") as file:
        digest = sha256()
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()
