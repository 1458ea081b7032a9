"""Attribution by the answer itself: it rests on the documents whose numbers it cites."""

import re
from collections.abc import Sequence

from fairviz.experiments.protocols import Prompt

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
