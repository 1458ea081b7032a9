"""Group measures in plain words: what is good, and what this value says, for a person.

A measure stands with the place where it is best and a sentence that a value fills in
``fairviz/content/methods/group_rows.yaml``; what it is, its formula and its source stand in the catalogue.
"""

import math
from typing import Literal, NamedTuple, TypeAlias

from fairviz.display.markup import written
from fairviz.display.words import count, number
from fairviz.resources import content
from fairviz.studies.groups.findings import labelled, one_of, points

Section: TypeAlias = Literal["target", "groups", "quality"]

SECTIONS: dict[Section, str] = {
    "target": "Against your target",
    "groups": "One group against another, no target needed",
    "quality": "With quality",
}

SMALLEST, LARGEST = 0.01, 1_000
"""Factors beyond these are said to be so: their digits are those of a smoothing constant."""


class MeasureContext(NamedTuple):
    """What the words need to know besides the value.

    Attributes:
        group: The group of interest, G+.
        k: Ranks seen.
        n_groups: How many groups there are.
    """

    group: str
    k: int
    n_groups: int


class Row(NamedTuple):
    """One measure of the table, a record of ``fairviz/content/methods/group_rows.yaml``.

    Attributes:
        section: Where it stands.
        measure: Measure string; ``{k}``, ``{group}`` (quoted), ``{missing}`` and ``{browsing}`` are
            filled in.
        label: Its name in the table.
        goal: Where it is best, in words.
        best: Where it is best as a number.
        words: A template of what a value says.
        infinite: What is said instead of a value without end; "" where that says the same.
    """

    section: Section
    measure: str
    label: str
    goal: str
    best: float
    words: str
    infinite: str = ""

    def says(self, value: float, context: MeasureContext) -> str:
        """A value in plain words."""
        return written(
            self.infinite if self.infinite and math.isinf(value) else self.words,
            value=value,
            k=context.k,
            documents=labelled(context.group),
            one=one_of(context.group),
            others="the other group" if context.n_groups == 2 else "all the others together",
            ln_2=math.log(2),
            points=points,
            times=times,
        )


def times(log_ratio: float) -> str:
    """A log ratio as a factor.

    Examples:
        >>> times(0.405), times(-0.223)
        ('1.5 times', '0.80 times')
        >>> times(-15.3), times(15.3)
        ('less than 0.01 times', 'more than 1\u202f000 times')
    """
    factor = math.exp(min(log_ratio, 50.0))
    if factor < SMALLEST:
        return f"less than {SMALLEST:g} times"
    if factor > LARGEST:
        return f"more than {count(LARGEST)} times"
    return f"{number(factor, 1 if factor >= 1.05 else 2)} times"


ROWS = tuple(Row(**record) for record in content("methods/group_rows"))
STILL = tuple(row for row in ROWS if row.section == "groups" or row.label == "nDCG")
"""Rows that no target moves."""


def filled(row: Row, *, k: int, group: str, missing: str, browsing: str) -> str:
    """The measure string of a row."""
    return row.measure.format(k=k, group=repr(group), missing=missing, browsing=browsing)
