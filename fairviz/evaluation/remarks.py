"""What scoring finds worth saying, as counts: parts of a collection are measured apart, and said of together.

Two sentences such as "3 of 40 ranked places hold documents without a label" cannot be added up; their counts can.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fairviz.attribution import ONLY_CITED
from fairviz.model import Note

When: TypeAlias = Literal["some", "many", "nearly", "every", "none", "undefined"]
"""Of two counts, n of N: said where n is at least 1, where it is more than a tenth of N, nearly all of them or all of
them; or where it is 0.
Why a measure is undefined is said where it is on the whole."""
MANY = 0.1


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a reader of the numbers should know, of a part of the queries or of all.

    Attributes:
        system: Whose numbers.
        words: The sentence; {0} and {1} stand for the counts, {queries} for the noun in the number of the first,
            {measures} for what other remarks of the same words and counts are about, too.
        counts: Numbers of this part, which add up; none where the sentence has none.
        when: Where it is said at all.
        measure: What it is about, where the words say so.
    """

    system: str
    words: str
    counts: tuple[int, ...] = ()
    when: When = "some"
    measure: str = ""

    @property
    def is_said(self) -> bool:
        """Whether the counts are such that it is said."""
        if not self.counts or self.when == "undefined":
            return True  # a part makes a remark without counts where it is to be said
        n, of = self.counts[0], self.counts[-1]
        if self.when in ("none", "nearly"):
            return n == 0 if self.when == "none" else n >= ONLY_CITED * of
        return n > (MANY * of if self.when == "many" else of - 1 if self.when == "every" else 0)


def added(parts: Iterable[Sequence[Remark]], *, defined: Collection[str]) -> list[Remark]:
    """Remarks on a whole from those on its parts, in the order in which they were first made.

    Args:
        parts: The remarks on each.
        defined: Measures that have a value on the whole, though they may have none on a part.
    """
    totals: dict[Remark, tuple[int, ...]] = {}
    undefined: dict[str, Remark] = {}
    for part in parts:
        for remark in part:
            if remark.when == "undefined" and remark.measure not in defined:
                held = undefined.setdefault(remark.measure, remark)
                undefined[remark.measure] = max(held, remark, key=lambda one: one.counts)
            if remark.when == "undefined":
                continue
            kind = Remark(remark.system, remark.words, (), remark.when, remark.measure)
            so_far = totals.get(kind, (0,) * len(remark.counts))
            totals[kind] = tuple(a + b for a, b in zip(so_far, remark.counts, strict=True))
    whole = [Remark(kind.system, kind.words, counts, kind.when, kind.measure) for kind, counts in totals.items()]
    return [*whole, *undefined.values()]


def noted(remarks: Sequence[Remark]) -> list[Note]:
    """The remarks that are said, each sentence once, naming all measures that it is about."""
    about: dict[tuple[str, str, tuple[int, ...]], list[str]] = {}
    for remark in remarks:
        if remark.is_said:
            about.setdefault((remark.system, remark.words, remark.counts), []).append(remark.measure)
    return [
        Note(system, None, _sentence(words, counts, measures)) for (system, words, counts), measures in about.items()
    ]


def _sentence(words: str, counts: tuple[int, ...], measures: Sequence[str]) -> str:
    if not counts:
        return words
    filled = words.replace("{queries}", queries(counts[0])).replace("{measures}", ", ".join(measures))
    for place, n in enumerate(counts):
        filled = filled.replace(f"{{{place}}}", str(n))
    return filled


def queries(n: int) -> str:
    """The noun in its number."""
    return "query" if n == 1 else "queries"
