"""Which group measure answers which question: Raj et al. 2022, Sections 2.6 and 4, in plain words.

What the paper recommends is marked with its section; what follows from the formulas alone is
marked as ours. No measure settles what should be aimed for: that is the first question. The words
are ``content/chooser.yaml``; what leads to which is decided here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from fairviz.resources import content

Lists: TypeAlias = Literal["single", "sequence"]
Goal: TypeAlias = Literal["parity", "opportunity", "both"]
Aim: TypeAlias = Literal["equal", "set"]
Groups: TypeAlias = Literal["two", "more"]
Judged: TypeAlias = Literal["full", "sparse", "none"]


class Recommendation(NamedTuple):
    """A measure for the question asked.

    Attributes:
        measures: As typed, to be evaluated.
        reason: Why, in plain words.
        source: Paper and section, or that it is ours.
    """

    measures: Sequence[str]
    reason: str
    source: str


class Question(NamedTuple):
    """One question of the chooser.

    Attributes:
        name: Parameter of :func:`choose`.
        text: As a person is asked.
        answers: Value -> words, the usual one first.
    """

    name: str
    text: str
    answers: Mapping[str, str]


_RECORDS = content("chooser")
QUESTIONS = tuple(Question(**record) for record in _RECORDS["questions"])
"""In the order in which they are asked."""
RECOMMENDATIONS = {name: Recommendation(**record) for name, record in _RECORDS["recommendations"].items()}
"""By the name that stands before each in the file."""
CAVEATS: Mapping[str, str] = _RECORDS["caveats"]
"""Likewise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the answers lead to.

    Attributes:
        recommended: Measures, the first one first.
        also: Measures that show one more side.
        caveats: What a reader of the numbers should keep in mind.
    """

    recommended: tuple[Recommendation, ...]
    also: tuple[Recommendation, ...]
    caveats: tuple[str, ...]


def choose(
    *,
    lists: Lists = "single",
    goal: Goal = "parity",
    aim: Aim = "set",
    groups: Groups = "two",
    judged: Judged = "full",
    missing: bool = False,
) -> Choice:
    """Measures for the question asked, with the paper's reason and caveats.

    Args:
        lists: Single rankings, or a sequence or policy whose exposure is averaged first.
        goal: Statistical parity, equality of opportunity, or parity joined with usefulness.
        aim: Whether parity means equal exposure or a target of one's own.
        groups: Two definite groups, or more, or soft membership.
        judged: How far relevance is known.
        missing: Whether many items have no group label.

    Examples:
        >>> choose(lists="sequence", goal="opportunity", judged="sparse").recommended[0].measures
        ["IAA(utility='score')"]
    """
    if goal == "both":
        named = _joined(judged)
    elif goal == "parity":
        named = _parity(lists, aim, groups)
    else:
        named = _opportunity(lists, groups, judged)
    caveats = named.caveats
    if missing:
        caveats += ("unlabelled_items",)
    if goal != "parity" and judged == "sparse":
        caveats += ("unjudged_items",)
    return Choice(
        recommended=tuple(RECOMMENDATIONS[name] for name in named.recommended),
        also=tuple(RECOMMENDATIONS[name] for name in named.also),
        caveats=tuple(CAVEATS[name] for name in caveats),
    )


class _Named(NamedTuple):
    """A choice by the names of its texts."""

    recommended: tuple[str, ...]
    also: tuple[str, ...]
    caveats: tuple[str, ...]


def _parity(lists: Lists, aim: Aim, groups: Groups) -> _Named:
    two = groups == "two"
    if lists == "single":
        return _Named(("awrf",), ("top", "too_few") if two else ("top",), ("blind_to_usefulness", "name_the_distance"))
    ratio = ("parity_ratio",) if two else ()
    if aim == "equal":
        return _Named(("eed",), ratio, ("blind_to_usefulness",))
    return _Named(("awrf_of_the_system",), ("eed", *ratio), ("blind_to_usefulness", "name_the_distance"))


def _opportunity(lists: Lists, groups: Groups, judged: Judged) -> _Named:
    two = groups == "two"
    if judged == "none":
        return _Named(("iaa",), (), ("trusts_scores",))
    if lists == "single":
        return _Named(("awrf_by_merit",), ("pairs",) if two else (), ("one_list",))
    ratios = ("merit_ratios", "pairs") if two else ()
    caveats = ("blind_to_direction", "brittle_ratios") if two else ("blind_to_direction",)
    if judged == "sparse":
        return _Named(("iaa",), ("eel_and_eer", *ratios), ("trusts_scores", *caveats))
    return _Named(("eel_and_eer",), ratios, caveats)


def _joined(judged: Judged) -> _Named:
    if judged == "none":
        parity = _parity("single", "set", "more")
        return parity._replace(caveats=("nothing_to_join", *parity.caveats))
    return _Named(("fair",), ("its_parts",), ("one_irm", "out_of_reach"))
