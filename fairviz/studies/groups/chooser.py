"""Which group measure answers which question: Raj et al. 2022, Sections 2.6 and 4, in plain words.

What the paper recommends is marked with its section; what follows from the formulas alone is
marked as ours. No measure settles what should be aimed for: that is the first question. The words
and what leads to which are ``content/chooser.yaml``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

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
    answers = {"lists": lists, "goal": goal, "aim": aim, "judged": judged}
    rule: Mapping[str, Any] = next(rule for rule in _RECORDS["rules"] if rule["when"].items() <= answers.items())
    of_two: Mapping[str, Sequence[str]] = rule.get("two", {}) if groups == "two" else {}
    also: list[str] = [*rule.get("also", ()), *of_two.get("also", ())]
    caveats: list[str] = [*rule["caveats"], *of_two.get("caveats", ())]
    caveats += ["unlabelled_items"] if missing else []
    caveats += ["unjudged_items"] if goal != "parity" and judged == "sparse" else []
    return Choice(
        recommended=tuple(RECOMMENDATIONS[name] for name in rule["recommended"]),
        also=tuple(RECOMMENDATIONS[name] for name in also),
        caveats=tuple(CAVEATS[name] for name in caveats),
    )
