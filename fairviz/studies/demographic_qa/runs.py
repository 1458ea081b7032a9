"""Runs of variants, recognised by their names: bm25.Asian, bm25-African_American."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fairviz.model import Dataset, Run
from fairviz.studies.demographic_qa.overlap import Overlap, lists_of_runs, retrieval_overlap

NEUTRAL = ("neutral", "none", "original", "plain")
"""What the run of the questions without attribute may end in."""
VALUES: dict[str, tuple[str, ...]] = {
    "race": ("Caucasian", "African American", "Asian", "Hispanic", "White", "Black"),
    "gender": ("male", "female", "non-binary"),
}
"""Values that are known without a file of answers."""


class VariantRuns(NamedTuple):
    """The runs of one retriever.

    Attributes:
        retriever: What their names have in common ("bm25").
        runs: (attribute, value) -> run; ("none", "neutral") for the questions without attribute.
    """

    retriever: str
    runs: dict[tuple[str, str], Run]

    @property
    def attributes(self) -> tuple[str, ...]:
        """Attributes with at least two values, or one beside the neutral run."""
        names = [name for name, _ in self.runs if name != "none"]
        neutral = any(name == "none" for name, _ in self.runs)
        return tuple(n for n in dict.fromkeys(names) if neutral or names.count(n) > 1)

    def overlaps(self, k: int) -> tuple[Overlap, ...]:
        """Overlap of the first k documents, attribute by attribute."""
        return tuple(retrieval_overlap(lists_of_runs(self.runs, attribute), k=k) for attribute in self.attributes)


def loaded_variant_runs(loaded: Dataset) -> tuple[VariantRuns, ...]:
    """Loaded runs that are variants by their names, of the values in loaded answers, too."""
    values = dict(VALUES)
    for answers in loaded.variants:
        values |= dict(zip(answers.attributes, answers.values, strict=True))
    return variant_runs(loaded.runs, values)


def variant_runs(runs: Sequence[Run], values: Mapping[str, Sequence[str]] = VALUES) -> tuple[VariantRuns, ...]:
    """Group runs whose names end in a value of an attribute, retriever by retriever.

    Blanks, hyphens, underscores and case of values do not matter; before the value stands a
    separator. A retriever with one recognised run is none. The neutral run comes first, the others
    in the order of the values.

    Args:
        runs: Runs, with names such as "bm25-African_American".
        values: Attribute -> values; the longest that fits counts.

    Examples:
        >>> split("bm25.non-binary", {"nonbinary": ("gender", "non-binary")})
        ('bm25', 'gender', 'non-binary')
    """
    known = {_bare(value): (name, value) for name, runs_of_values in values.items() for value in runs_of_values}
    known |= {_bare(value): ("none", "neutral") for value in NEUTRAL}
    runs_of_retrievers: dict[str, dict[tuple[str, str], Run]] = {}
    for run in runs:
        named = split(run.system, known)
        if named is not None:
            retriever, attribute, value = named
            runs_of_retrievers.setdefault(retriever, {}).setdefault((attribute, value), run)
    order = list(dict.fromkeys([("none", "neutral"), *known.values()]))
    grouped = (
        VariantRuns(name, dict(sorted(runs_of_values.items(), key=lambda pair: order.index(pair[0]))))
        for name, runs_of_values in runs_of_retrievers.items()
    )
    return tuple(family for family in grouped if family.attributes)


def split(name: str, known: Mapping[str, tuple[str, str]]) -> tuple[str, str, str] | None:
    """(retriever, attribute, value) of a name, None where it ends in no known value."""
    for cut in re.finditer(r"[._:\-\s]+", name):
        if cut.start() and (place := known.get(_bare(name[cut.end() :]))):
            return name[: cut.start()], *place
    return None


def _bare(value: str) -> str:
    """Letters and digits in small letters."""
    return re.sub(r"[\W_]+", "", value).lower()
