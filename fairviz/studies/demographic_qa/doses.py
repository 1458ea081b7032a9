"""What retrieval gave each group, and what became of it: documents in common, right evidence, right answers."""

from collections.abc import Sequence
from typing import NamedTuple

from fairviz.studies.demographic_qa.overlap import Overlap
from fairviz.studies.demographic_qa.questions import ErrorCase


class Dose(NamedTuple):
    """Dose and response of one group, shares of 1; NaN where there is none.

    Attributes:
        attribute: The attribute; "" for a condition of reference.
        value: The group, or the condition.
        overlap: Documents in common with the list of the question that mentions nobody, per document of either.
        n: Answers whose evidence and rightness are known.
        evidence: Share of them with the right evidence.
        n_with: How many that are.
        right_with: Right answers among them.
        right_without: Right answers among the others.
    """

    attribute: str
    value: str
    overlap: float
    n: int
    evidence: float
    n_with: int
    right_with: float
    right_without: float


def doses(cases: Sequence[ErrorCase], overlaps: Sequence[Overlap]) -> tuple[Dose, ...]:
    """One per group that either knows of, by attribute, then conditions of reference; () without any.

    Args:
        cases: Evidence × answer of one combination of columns.
        overlaps: Of its documents, one depth.
    """
    in_common = {
        (overlap.attribute, value): share / 100 for overlap in overlaps for value, share in overlap.by_value.items()
    }
    of_groups = {(case.attribute, case.value): case for case in cases}
    known = dict.fromkeys([key for key in (*of_groups, *in_common) if key[0]])
    attributes = list(dict.fromkeys(attribute for attribute, _ in known))
    named = sorted(known, key=lambda key: attributes.index(key[0]))
    references = [key for key in of_groups if not key[0]]
    if not in_common and not any(case.right_right + case.right_wrong for case in cases):
        return ()  # nothing was retrieved: no evidence is no dose
    return tuple(_dose(*key, of_groups.get(key), in_common.get(key, float("nan"))) for key in (*named, *references))


def _dose(attribute: str, value: str, case: ErrorCase | None, overlap: float) -> Dose:
    if case is None:
        case = ErrorCase((), attribute, value, 0, 0, 0, 0, 0)
    n_with = case.right_right + case.right_wrong
    return Dose(
        attribute,
        value,
        overlap,
        case.n,
        _share(n_with, case.n),
        n_with,
        _share(case.right_right, n_with),
        _share(case.wrong_right, case.n - n_with),
    )


def _share(n: int, of: int) -> float:
    return n / of if of else float("nan")
