"""How far answers lean under one setting: rows in the order they are read, their shares, and what may be said of each.

A row is one model on one bias type in one kind of context. Its answers fall into parts that sum to 100: in ambiguous
contexts against the stereotype, "unknown" (which is right), towards it; in disambiguated ones those that are wrong
either way, "unknown" (which is wrong), and the right ones.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from fairviz.studies.social_bias.labels import AGAINST, TOWARDS, Sides, place_words, type_label
from fairviz.studies.social_bias.measures import Leaning
from fairviz.studies.social_bias.rows import BiasRow

Sort: TypeAlias = Literal["widest lean first", "as in the file", "by name"]
SORTS: tuple[Sort, ...] = ("widest lean first", "as in the file", "by name")
PartKind: TypeAlias = Literal["against", "unknown", "right", "towards"]


class Part(NamedTuple):
    """Answers of one kind.

    Attributes:
        kind: What they are.
        n: How many.
        share: Percent of the answers that count.
    """

    kind: PartKind
    n: int
    share: float


def parts(row: BiasRow, measure: Leaning) -> tuple[Part, ...]:
    """The answers of a row by kind, from against to towards; none where the row has no such question."""
    n = row.counts
    counted: dict[PartKind, int] = (
        {"against": n.n_ac, "unknown": n.n_au, "towards": n.n_as}
        if measure == "diffbias_a"
        else {"against": n.n_sc, "unknown": n.n_su + n.n_cu, "right": n.n_ss + n.n_cc, "towards": n.n_cs}
    )
    whole = n.n_a if measure == "diffbias_a" else n.n_s + n.n_c
    return tuple(Part(kind, some, 100 * some / whole) for kind, some in counted.items()) if whole else ()


def n_questions(row: BiasRow, measure: Leaning) -> int:
    """Questions with an answer that counts; a mean over task instructions."""
    n = row.counts
    return (n.n_a if measure == "diffbias_a" else n.n_s + n.n_c) // row.n_instructions


def is_tested(row: BiasRow, measure: Leaning) -> bool:
    """Whether there are questions, templates and read answers enough for a verdict."""
    return not math.isnan(row.p_holm.get(measure, math.nan))


def by_type(rows: Sequence[BiasRow], measure: Leaning, sort: Sort = "widest lean first") -> dict[str, list[BiasRow]]:
    """Rows of each bias type, in the order they are read.

    The widest significant lean comes first, then the widest that is not, then what is too small to be tested.
    """
    types: dict[str, list[BiasRow]] = {}
    for row in rows:
        types.setdefault(row.get("category"), []).append(row)
    if sort == "as in the file":
        return types
    if sort == "by name":
        return dict(sorted(types.items(), key=lambda pair: type_label(pair[0]).casefold()))
    return dict(sorted(types.items(), key=lambda pair: _rank(pair[1], measure)))


def _rank(rows: Sequence[BiasRow], measure: Leaning) -> tuple[float, float, float]:
    """Widest first: of the significant ones, of the tested ones, of all."""
    significant = [row for row in rows if row.leans(measure)]
    tested = [row for row in rows if is_tested(row, measure)]
    return (
        -_widest(row.values[measure] for row in significant),
        -_widest(row.values[measure] for row in tested),
        -_widest(row.values[measure] for row in rows),
    )


def _widest(values: Iterable[float]) -> float:
    return max((abs(value) for value in values if not math.isnan(value)), default=-1.0)


def verdict_words(row: BiasRow, measure: Leaning, sides: Mapping[str, Sides]) -> str:
    """What may be said of a row: which way it leans, whom that favours where a group is named, or why nothing is said.

    Args:
        row: A row of a table whose p is corrected.
        measure: Diff-Bias in one of the contexts.
        sides: Whom either sign favours, by bias type.
    """
    if math.isnan(row.values[measure]):
        return "no such question"
    if row.one_place:
        return place_words(row.one_place)
    if not is_tested(row, measure):
        return "too few to say" if row.readable else "too many unread"
    way = row.leans(measure)
    if not way:
        return "not significant"
    side = sides.get(row.get("category"), Sides())
    named = side.above if way > 0 else side.below
    word = "towards" if way > 0 else "against"
    return word if named in (TOWARDS, AGAINST) else f"{word}: {named}"
