"""A classifier of sentence pairs of a few kilobytes, written as ONNX by hand: no package that makes models is needed.

Logits of three classes: the mean over tokens of (vector of the token + vector of its side) · weights.
"""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WORDS = ("[UNK]", "[CLS]", "[SEP]", "heat", "pump", "cold", "roof", "rain", "the", ".")
LABELS = ("contradiction", "neutral", "entailment")
FLOAT, INT64 = 1, 7
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def classifier(folder: Path, *, seed: int = 0, labels: tuple[str, ...] = LABELS) -> dict[str, NDArray[np.float32]]:
    """Write model.onnx, tokenizer.json and config.json with random weights; the weights are returned."""
    rng = np.random.default_rng(seed)
    weights = {
        "words": rng.normal(size=(len(WORDS), 8)).astype(np.float32),
        "sides": rng.normal(size=(2, 8)).astype(np.float32),
        "classes": rng.normal(size=(8, len(labels))).astype(np.float32),
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(_model(weights))
    (folder / "config.json").write_text(json.dumps({"id2label": dict(enumerate(labels))}))
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return weights


def probabilities(weights: dict[str, NDArray[np.float32]], premise: str, hypothesis: str) -> NDArray[np.float64]:
    """What the classifier says, in numpy."""
    ids = [WORDS.index(word) if word in WORDS else 0 for word in premise.split()]
    others = [WORDS.index(word) if word in WORDS else 0 for word in hypothesis.split()]
    tokens, sides = [1, *ids, 2, *others, 2], [0] * (len(ids) + 2) + [1] * (len(others) + 1)
    states = weights["words"][tokens] + weights["sides"][sides]
    odds = np.exp(states.mean(axis=0).astype(np.float64) @ weights["classes"])
    return odds / odds.sum()


def _model(weights: dict[str, NDArray[np.float32]]) -> bytes:
    nodes = (
        _node("Gather", ("words", "input_ids"), "of_words"),
        _node("Gather", ("sides", "token_type_ids"), "of_sides"),
        _node("Add", ("of_words", "of_sides"), "states"),
        _node("ReduceMean", ("states",), "mean", _ints("axes", 1), _int("keepdims", 0)),
        _node("MatMul", ("mean", "classes"), "logits"),
    )
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, b"tiny")
    graph += b"".join(_field(5, _tensor(name, values)) for name, values in weights.items())
    graph += b"".join(_field(11, _value(name, INT64, 2)) for name in INPUTS)
    graph += _field(12, _value("logits", FLOAT, 2))
    return _number(1, 8) + _field(7, graph) + _field(8, _number(2, 13))  # IR version, graph, operators of version 13


# The wire format of protocol buffers: a number, or the length of bytes and the bytes, each behind its field.


def _varint(value: int) -> bytes:
    parts: list[int] = []
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _node(operator: str, inputs: tuple[str, ...], output: str, *attributes: bytes) -> bytes:
    named = b"".join(_field(1, name.encode()) for name in inputs) + _field(2, output.encode())
    return named + _field(4, operator.encode()) + b"".join(_field(5, attribute) for attribute in attributes)


def _int(name: str, value: int) -> bytes:
    return _field(1, name.encode()) + _number(3, value) + _number(20, 2)


def _ints(name: str, value: int) -> bytes:
    return _field(1, name.encode()) + _number(8, value) + _number(20, 7)


def _tensor(name: str, values: NDArray[np.float32]) -> bytes:
    dims = b"".join(_number(1, size) for size in values.shape)
    return dims + _number(2, FLOAT) + _field(8, name.encode()) + _field(9, values.tobytes())


def _value(name: str, kind: int, n_axes: int) -> bytes:
    shape = b"".join(_field(1, _field(2, f"{name}{axis}".encode())) for axis in range(n_axes))
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, kind) + _field(2, shape)))
