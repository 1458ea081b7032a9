"""Which group measure answers which question: Raj et al. 2022, Sections 2.6 and 4, in plain words.

What the paper recommends is marked with its section; what follows from the formulas alone is
marked as ours. No measure settles what should be aimed for: that is the first question. The words
and what leads to which are ``content/chooser.yaml``.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from fairviz.resources import content

Lists: TypeAlias = Literal["single", "sequence"]
Goal: TypeAlias = Literal["parity", "opportunity", "both"]
Aim: TypeAlias = Literal["equal", "set"]
Groups: TypeAlias = Literal["two", "more"]
Judged: TypeAlias = Literal["full", "sparse", "none"]


_RECORDS = content("chooser")
QUESTIONS: Sequence[Mapping[str, Any]] = _RECORDS["questions"]
"""In the order in which they are asked: ``name``, a parameter of :func:`choose`, ``text``, and ``answers``, the words
of each value, the usual one first."""
RECOMMENDATIONS: Mapping[str, Mapping[str, Any]] = _RECORDS["recommendations"]
"""``measures`` as typed, the ``reason`` in plain words, and its ``source``: paper and section, or that it is ours; by
the name that stands before each in the file."""
CAVEATS: Mapping[str, str] = _RECORDS["caveats"]
"""Likewise."""


class Choice(NamedTuple):
    """What the answers lead to.

    Attributes:
        recommended: Measures, the first one first.
        also: Measures that show one more side.
        caveats: What a reader of the numbers should keep in mind.
    """

    recommended: list[Mapping[str, Any]]
    also: list[Mapping[str, Any]]
    caveats: list[str]


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
        >>> choose(lists="sequence", goal="opportunity", judged="sparse").recommended[0]["measures"]
        ["IAA(utility='score')"]
    """
    answers = {"lists": lists, "goal": goal, "aim": aim, "judged": judged}
    rule: Mapping[str, Any] = next(rule for rule in _RECORDS["rules"] if rule["when"].items() <= answers.items())
    of_two: Mapping[str, Sequence[str]] = rule.get("two", {}) if groups == "two" else {}
    also: list[str] = [*rule.get("also", ()), *of_two.get("also", ())]
    caveats: list[str] = [*rule["caveats"], *of_two.get("caveats", ())]
    caveats += ["unlabelled_items"] if missing else []
    caveats += ["unjudged_items"] if goal != "parity" and judged == "sparse" else []
    first, second = ([RECOMMENDATIONS[name] for name in names] for names in (rule["recommended"], also))
    return Choice(first, second, [CAVEATS[name] for name in caveats])
