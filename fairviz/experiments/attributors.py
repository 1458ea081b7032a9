"""Attributors: by shared words, by what an answer cites, by recorded scores, by textual entailment.

What a document did for an answer: whether the answer rests on it (Kim & Diaz 2025, 3.3.3).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from pydantic import Field

from fairviz.errors import InputError
from fairviz.experiments.dense import Encoder, Vectors, encoded, from_hub
from fairviz.experiments.description import Component, FileBeside, ModelNamed, PositiveShare
from fairviz.experiments.protocols import Document, Json, Prompt
from fairviz.experiments.retrievers import sentences, words
from fairviz.experiments.store import Store
from fairviz.extras import need, optional
from fairviz.io.json import FileRow, json_records
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import as_source
from fairviz.numerals import count


class Attributor(Component):
    """Decides which of the given documents an answer rests on."""

    def attribute(
        self, prompts: Sequence[Prompt], answers: Sequence[str], numbers: Store | None = None
    ) -> list[list[bool]]:
        """Per prompt and answer: for each given document, whether it supports the answer.

        Args:
            prompts: What was asked.
            answers: What came back.
            numbers: Where arrays that are dear to compute are kept.

        Raises:
            InputError: What decides cannot be read, or says nothing of a pair.
        """
        return [
            [self.supports(number, document, answer) for number, document in enumerate(prompt.documents, start=1)]
            for prompt, answer in zip(prompts, answers, strict=True)
        ]

    def supports(self, number: int, document: Document, answer: str) -> bool:
        """Whether the document that a prompt gives under this number, from 1, supports an answer."""
        raise NotImplementedError


class Lexical(Attributor):
    """A document supports an answer if it holds enough words of one of its sentences."""

    # Shared words stand in the place of textual entailment: the paper (3.3.3) asks an inference model whether a
    # document entails the output. This one sees no paraphrase and no negation, and is named as what it is.

    name: Literal["lexical"] = "lexical"
    threshold: PositiveShare = 0.6
    """Share of a sentence's distinct words that a document must hold."""

    def supports(self, number: int, document: Document, answer: str) -> bool:
        """Whether it holds enough of one sentence of the answer; empty sentences never."""
        document_words = _distinct_words(document.text)
        return any(
            claimed and len(claimed & document_words) >= self.threshold * len(claimed)
            for claimed in map(_distinct_words, sentences(answer))
        )


@lru_cache(maxsize=16_384)
def _distinct_words(text: str) -> frozenset[str]:
    return frozenset(words(text))


_CITATION = re.compile(r"\[\s*(\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*)\s*\]")
_RANGE = re.compile(r"(\d+)\s*[–-]\s*(\d+)")


class Citations(Attributor):
    """A document supports an answer that cites its number: [1], [2, 3], [2-4]."""

    name: Literal["citations"] = "citations"

    def supports(self, number: int, document: Document, answer: str) -> bool:
        """Whether it is cited; numbers that no given document has are citations of nothing."""
        return number in cited_numbers(answer)


@lru_cache(maxsize=16_384)
def cited_numbers(answer: str) -> frozenset[int]:
    """The numbers that stand in square brackets.

    Examples:
        >>> sorted(cited_numbers("Heat rises [2]. Cold falls [1, 4-6], in 1999 (3) and [a7]."))
        [1, 2, 4, 5, 6]
    """
    numbers: set[int] = set()
    for (listed,) in map(re.Match[str].groups, _CITATION.finditer(answer)):
        for first, last in _RANGE.findall(listed):
            numbers.update(range(int(first), int(last)))  # the last is a number as all others are
        numbers.update(map(int, re.findall(r"\d+", listed)))
    return frozenset(numbers)


class RecordedScores(Attributor):
    """A document supports an answer if their recorded score reaches a threshold."""

    # The score depends on the document and the whole text of the answer, whatever the question and the ranking.

    name: Literal["scores"] = "scores"
    file: FileBeside
    """JSONL {doc_id, answer, score}."""
    threshold: float = 0.5
    """The score that is enough."""

    def prepare(self) -> None:
        """Read the scores.

        Raises:
            InputError: The file cannot be read, or has two scores for a document and an answer.
        """
        _ = self._scores

    def attribute(
        self, prompts: Sequence[Prompt], answers: Sequence[str], numbers: Store | None = None
    ) -> list[list[bool]]:
        """For each prompt and answer, which of the given documents have a high enough score.

        Raises:
            InputError: A pair has no score.
        """
        pairs = [
            (document.doc_id, answer)
            for prompt, answer in zip(prompts, answers, strict=True)
            for document in prompt.documents
        ]
        missing = list(dict.fromkeys(pair for pair in pairs if pair not in self._scores))
        if missing:
            doc_id, answer = missing[0]
            reason = (
                f"lacks {count(len(missing))} scores that are needed, such as of {shown(doc_id)} and “{shown(answer)}”"
            )
            raise InputError(reason, file=str(self.file), fix='Add lines {"doc_id": …, "answer": …, "score": …}.')
        return super().attribute(prompts, answers)

    def supports(self, number: int, document: Document, answer: str) -> bool:
        """Whether their score is high enough."""
        return self._scores[document.doc_id, answer] >= self.threshold

    @cached_property
    def _scores(self) -> Mapping[tuple[str, str], float]:
        source = as_source(str(self.file))
        scores: dict[tuple[str, str], float] = {}
        notes = NoteBook(source.name)
        for line, record in json_records(source, notes):
            fields = FileRow(record, line, notes)
            pair = fields.identifier("doc_id"), fields.text("answer")
            score = record.get("score")
            if isinstance(score, bool) or not isinstance(score, int | float) or score != score:
                reason, fix = f"score {shown(repr(score))} is no number", 'Write "score": 0.5.'
            elif scores.get(pair, score) != score:
                reason, fix = f"{shown(pair[0])} and this answer have another score on a line before", "Keep one."
            else:
                scores[pair] = float(score)
                continue
            raise source.wrong(reason, fix, line)
        return scores


ENTAILMENT = "entailment"

PER_PART = 32
"""Pairs classified before their probabilities are stored: about a second's work."""


class Nli(Attributor):
    """A document supports an answer that it entails (Kim & Diaz 2025, 3.3.3)."""

    packages = ("transformers", "torch")

    name: Literal["nli"] = "nli"
    model: ModelNamed
    """A classifier of pairs with a label "entailment", in safetensors: a folder, or a name on the hub."""
    revision: str = ""
    """The commit on the hub; not set: the newest."""
    hypothesis: Literal["answer", "sentences"] = "answer"
    """The whole answer, or each of its sentences, of which one entailed is enough."""
    threshold: PositiveShare = 0.5
    """The probability of entailment that is enough."""
    max_tokens: Annotated[int, Field(ge=16, le=8_192)] = 512
    """Of premise and hypothesis together; the longer one is cut."""

    # The premise is the document, title and text; the hypothesis is the answer, as in the paper, or each of its
    # sentences. An empty answer is supported by nothing. The classifier is one of sentence pairs that was trained on
    # MNLI or its like, such as the paper's RoBERTa. It is loaded with the first pair.

    @property
    def identity(self) -> Mapping[str, Json]:
        """Component and model."""
        weights = {"model": self.model, "revision": self.revision, "max_tokens": self.max_tokens}
        return {"component": "nli", **weights}

    def prepare(self) -> None:
        """Tell which package is missing.

        Raises:
            UsageError: One is.
        """
        need("nli", {"transformers": "nli", "torch": "nli"})

    def attribute(
        self, prompts: Sequence[Prompt], answers: Sequence[str], numbers: Store | None = None
    ) -> list[list[bool]]:
        """For each prompt and answer, which of the given documents entail it.

        Raises:
            InputError: The classifier cannot be loaded, or has no label of entailment.
        """
        answer_pairs = [
            [self._pairs(document, answer) for document in prompt.documents]
            for prompt, answer in zip(prompts, answers, strict=True)
        ]
        pairs = [pair for of_answer in answer_pairs for of_document in of_answer for pair in of_document]
        probabilities = encoded(pairs, Encoder(self.identity, self._classified), numbers)
        entailed = {pair: bool(of_pair[0] >= self.threshold) for pair, of_pair in probabilities.items()}
        return [
            [any(entailed[pair] for pair in of_document) for of_document in of_answer] for of_answer in answer_pairs
        ]

    def _classified(self, texts: Sequence[tuple[str, str]]) -> Iterator[tuple[Sequence[int], Vectors]]:
        """(B, 1) the probability that the first of a pair entails the second, some pairs at a time."""
        for start in range(0, len(texts), PER_PART):
            part = range(start, min(start + PER_PART, len(texts)))
            pairs = [{"text": texts[index][0], "text_pair": texts[index][1]} for index in part]
            of_pairs: Any = self._classifier(pairs, top_k=None, truncation=True, max_length=self.max_tokens)
            yield part, np.array([[self._entailment(of_pair)] for of_pair in of_pairs], dtype=np.float32)

    @cached_property
    def _classifier(self) -> Any:
        package = optional("transformers", extra="nli", component="nli")
        load = partial(package.pipeline, "text-classification", model=self.model)
        return from_hub(load, self.model, self.revision)

    def _entailment(self, classes: Sequence[Mapping[str, Any]]) -> float:
        by_label = {str(class_["label"]).lower(): float(class_["score"]) for class_ in classes}
        if ENTAILMENT not in by_label:
            fix = "Take a classifier of entailment, whose config.json names its classes so."
            raise InputError(f'no label is "{ENTAILMENT}"; labels: {", ".join(by_label)}', file=self.model, fix=fix)
        return by_label[ENTAILMENT]

    def _pairs(self, document: Document, answer: str) -> list[tuple[str, str]]:
        premise = f"{document.title} {document.text}".strip()
        claims = [answer.strip()] if self.hypothesis == "answer" else sentences(answer)
        return [(premise, claim) for claim in claims if claim]


AttributorTable: TypeAlias = Annotated[Citations | Lexical | Nli | RecordedScores, Field(discriminator="name")]
