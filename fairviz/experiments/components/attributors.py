"""Attributors that need no model: by shared words, by what an answer cites, by recorded scores.

What a document did for an answer: whether the answer rests on it (Kim & Diaz 2025, 3.3.3).
"""

import re
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path

from fairviz.errors import InputError
from fairviz.experiments.components.tokenization import sentences, words
from fairviz.experiments.protocols import Prompt
from fairviz.io.json import Fields, json_records
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import as_source
from fairviz.numerals import count


class LexicalAttributor:
    """A document supports an answer if it holds enough words of one of its sentences.

    Shared words stand in the place of textual entailment: the paper (3.3.3) asks an inference model
    whether a document entails the output. This one sees no paraphrase and no negation, and is named
    as what it is.

    Args:
        threshold: Share of a sentence's distinct words, in (0, 1], that a document must hold.
        name: What to call it.
    """

    def __init__(self, *, threshold: float = 0.6, name: str = "lexical") -> None:
        self.name = name
        self._threshold = threshold

    def attribute(self, prompts: Sequence[Prompt], answers: Sequence[str]) -> list[list[bool]]:
        """For each prompt and answer, which of the given documents support it."""
        return [
            [self.supports(document.text, answer) for document in prompt.documents]
            for prompt, answer in zip(prompts, answers, strict=True)
        ]

    def supports(self, text: str, answer: str) -> bool:
        """Whether a text holds enough of one sentence of the answer; empty sentences never."""
        held = _distinct_words(text)
        return any(
            claimed and len(claimed & held) >= self._threshold * len(claimed)
            for claimed in map(_distinct_words, sentences(answer))
        )


@lru_cache(maxsize=16_384)
def _distinct_words(text: str) -> frozenset[str]:
    return frozenset(words(text))


_CITATION = re.compile(r"\[\s*(\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*)\s*\]")
_RANGE = re.compile(r"(\d+)\s*[–-]\s*(\d+)")


class CitationAttributor:
    """A document supports an answer that cites its number: [1], [2, 3], [2-4].

    Documents are numbered from 1 in the order in which a prompt gives them. Numbers that no given document has are
    citations of nothing.

    Args:
        name: Shown beside attribution measures.
    """

    def __init__(self, *, name: str = "citations") -> None:
        self.name = name

    def attribute(self, prompts: Sequence[Prompt], answers: Sequence[str]) -> list[list[bool]]:
        """For each prompt and answer, which of the given documents are cited."""
        return [
            [number in numbers for number in range(1, len(prompt.documents) + 1)]
            for prompt, numbers in zip(prompts, map(cited_numbers, answers), strict=True)
        ]


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


class RecordedScores:
    """A document supports an answer if their recorded score reaches a threshold.

    The file has lines ``{"doc_id": …, "answer": …, "score": …}``: the score depends on the document and the whole text
    of the answer, whatever the question and the ranking.

    Args:
        name: Shown beside attribution measures.
        file: The scores.
        threshold: The score that is enough.

    Raises:
        InputError: The file cannot be read, or has two scores for a document and an answer.
    """

    def __init__(self, *, name: str = "scores", file: Path, threshold: float = 0.5) -> None:
        self.name = name
        self._file = str(file)
        self._threshold = threshold
        self._scores = _read_scores(file)

    def attribute(self, prompts: Sequence[Prompt], answers: Sequence[str]) -> list[list[bool]]:
        """For each prompt and answer, which of the given documents have a high enough score.

        Raises:
            InputError: A pair has no score.
        """
        asked = [
            [(document.doc_id, answer) for document in prompt.documents]
            for prompt, answer in zip(prompts, answers, strict=True)
        ]
        missing = {pair: None for of_answer in asked for pair in of_answer if pair not in self._scores}
        if missing:
            doc_id, answer = next(iter(missing))
            reason = (
                f"lacks {count(len(missing))} scores that are needed, such as of {shown(doc_id)} and “{shown(answer)}”"
            )
            raise InputError(reason, file=self._file, fix='Add lines {"doc_id": …, "answer": …, "score": …}.')
        return [[self._scores[pair] >= self._threshold for pair in of_answer] for of_answer in asked]


def _read_scores(file: Path) -> dict[tuple[str, str], float]:
    source = as_source(str(file))
    scores: dict[tuple[str, str], float] = {}
    with closing(json_records(source, NoteBook(source.name))) as records:
        for line, record in records:
            fields = Fields(record, line, source.name)
            pair = fields.identifier("doc_id"), fields.text("answer")
            score = record.get("score")
            if isinstance(score, bool) or not isinstance(score, int | float) or score != score:
                reason, fix = f"score {shown(repr(score))} is no number", 'Write "score": 0.5.'
            elif scores.get(pair, score) != score:
                reason, fix = f"{shown(pair[0])} and this answer have another score on a line before", "Keep one."
            else:
                scores[pair] = float(score)
                continue
            raise InputError(reason, file=source.name, line=line, fix=fix)
    return scores
