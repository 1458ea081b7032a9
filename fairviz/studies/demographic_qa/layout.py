"""Which rows a study has, and which answers each is of: known of a whole file before its answers are counted.

Answers are of few kinds: what is recorded of who answered, and whom the variant mentions. So one answer of each kind
says which combinations there are, which attributes, and which groups; the answers of any range of questions are then
told apart alike, whether or not each group occurs there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairviz.model import IntArray
from fairviz.model.variants import NOT_MENTIONED, VariantAnswers, of_own_names, of_rows
from fairviz.stats.disaggregation import Codes, combinations_of
from fairviz.studies.demographic_qa.sheet import By, Grouping, combinations, condition_rows, groupings


class KindGroups(NamedTuple):
    """The groups of one attribute, or the conditions of reference.

    Attributes:
        attribute: "race"; "race+gender"; "all"; "" for conditions.
        values: G names of groups.
        alone: False where the attribute occurs in intersectional variants only.
        of: (K) group of each kind of answer, −1 = about none of them.
    """

    attribute: str
    values: tuple[str, ...]
    alone: bool
    of: IntArray

    def grouping(self, rows: IntArray, kinds: IntArray) -> Grouping:
        """The groups among some rows, of which each kind is given."""
        groups = self.of[kinds]
        about = groups >= 0
        return Grouping(
            attribute=self.attribute, values=self.values, rows=rows[about], groups=groups[about], alone=self.alone
        )


class KindsOf(NamedTuple):
    """One combination of columns.

    Attributes:
        by: The columns with their values.
        references: Its conditions of reference.
        attributes: Its attributes, single ones first.
    """

    by: By
    references: KindGroups
    attributes: tuple[KindGroups, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layout:
    """Rows of a study, by kinds of answers.

    Attributes:
        kinds: One answer of each of K kinds.
        combinations: The combinations of columns that occur, in the order of their values.
        of_kinds: (K) the combination of each kind.
    """

    kinds: VariantAnswers
    combinations: tuple[KindsOf, ...]
    of_kinds: IntArray

    def kinds_of(self, answers: VariantAnswers) -> IntArray:
        """(R) kind of each answer of the file, or of a range of its questions."""
        columns = [
            np.concatenate([kind, row]) for kind, row in zip(_recorded(self.kinds), _recorded(answers), strict=True)
        ]
        n_kinds = len(self.kinds)
        together = combinations_of(columns, n_kinds + len(answers)).of
        places = np.full(int(together.max(initial=-1)) + 1, NOT_MENTIONED)
        places[together[:n_kinds]] = np.arange(n_kinds)
        return places[together[n_kinds:]]


def layout(answers: VariantAnswers, by: Sequence[str], *, pooled: bool = False) -> Layout:
    """Lay out a whole file.

    Args:
        answers: The answers, or at least one of each kind.
        by: Columns that rows are kept apart by.
        pooled: Whether all values of all attributes side by side are a row, too.

    Raises:
        UsageError: A name that is no such column, or named twice.
    """
    found = combinations_of(_recorded(answers), len(answers))
    first = np.full(found.n, len(answers), dtype=np.int64)
    np.minimum.at(first, found.of, np.arange(len(answers)))
    kinds = of_own_names(of_rows(answers, first))
    of_kinds = np.zeros(len(kinds), dtype=np.int64)
    laid: list[KindsOf] = []
    for place, (pairs, rows) in enumerate(combinations(kinds, by)):
        of_kinds[rows] = place
        attributes = tuple(_groups(grouping, len(kinds)) for grouping in groupings(kinds, rows, pooled=pooled))
        laid.append(KindsOf(pairs, _groups(condition_rows(kinds, rows), len(kinds)), attributes))
    return Layout(kinds=kinds, combinations=tuple(laid), of_kinds=of_kinds)


def _recorded(answers: VariantAnswers) -> list[Codes]:
    """The columns that tell kinds of answers apart."""
    return [*(factor.codes for factor in answers.factors), *answers.given.T, answers.condition]


def _groups(grouping: Grouping, n_kinds: int) -> KindGroups:
    of = np.full(n_kinds, NOT_MENTIONED, dtype=np.int64)
    of[grouping.rows] = grouping.groups
    return KindGroups(grouping.attribute, grouping.values, grouping.alone, of)
