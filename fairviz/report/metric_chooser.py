"""Which group measure answers which question: Raj et al. 2022, Sections 2.6 and 4, in plain words.

What the paper recommends is marked with its section; what follows from the formulas alone is
marked as ours. No measure settles what should be aimed for: that is the first question.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from fairviz.report import metric_advice as say
from fairviz.report.metric_advice import Recommendation

Lists: TypeAlias = Literal["single", "sequence"]
Goal: TypeAlias = Literal["parity", "opportunity", "both"]
Aim: TypeAlias = Literal["equal", "set"]
Groups: TypeAlias = Literal["two", "more"]
Judged: TypeAlias = Literal["full", "sparse", "none"]


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


QUESTIONS = (
    Question(
        "lists",
        "What do people see?",
        {
            "single": "one list per query, each judged alone",
            "sequence": "many lists: over queries, or drawn anew each time",
        },
    ),
    Question(
        "goal",
        "What should attention on groups follow?",
        {
            "parity": "a share per group, whatever the items' usefulness",
            "opportunity": "usefulness: a group gets attention as its items deserve it",
            "both": "a share per group, and lists that stay useful, in one number",
        },
    ),
    Question(
        "aim",
        "Which share per group?",
        {"set": "one that I set, or that the data give", "equal": "the same for every group"},
    ),
    Question(
        "groups",
        "How many groups, how sure?",
        {
            "two": "two, and every item is in one of them",
            "more": "more than two, or items that belong to a group in part",
        },
    ),
    Question(
        "judged",
        "Who has judged the items?",
        {
            "full": "most of what is shown is judged",
            "sparse": "few of the items shown are judged",
            "none": "nobody",
        },
    ),
    Question(
        "missing",
        "Are group labels missing?",
        {"no": "no, or few", "yes": "yes, for many items"},
    ),
)
"""In the order in which they are asked."""


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
        ("IAA(utility='score')",)
    """
    if goal == "both":
        found = _joined(judged)
    elif goal == "parity":
        found = _parity(lists, aim, groups)
    else:
        found = _opportunity(lists, groups, judged)
    caveats = list(found.caveats)
    if missing:
        caveats.append(say.UNLABELLED_ITEMS)
    if goal != "parity" and judged == "sparse":
        caveats.append(say.UNJUDGED_ITEMS)
    return replace(found, caveats=tuple(caveats))


def _parity(lists: Lists, aim: Aim, groups: Groups) -> Choice:
    two = groups == "two"
    if lists == "single":
        return Choice(
            recommended=(say.AWRF,),
            also=(say.TOP, say.TOO_FEW) if two else (say.TOP,),
            caveats=(say.BLIND_TO_USEFULNESS, say.NAME_THE_DISTANCE),
        )
    ratio = (say.PARITY_RATIO,) if two else ()
    if aim == "equal":
        return Choice(recommended=(say.EED,), also=ratio, caveats=(say.BLIND_TO_USEFULNESS,))
    return Choice(
        recommended=(say.AWRF_OF_THE_SYSTEM,),
        also=(say.EED, *ratio),
        caveats=(say.BLIND_TO_USEFULNESS, say.NAME_THE_DISTANCE),
    )


def _opportunity(lists: Lists, groups: Groups, judged: Judged) -> Choice:
    two = groups == "two"
    if judged == "none":
        return Choice(recommended=(say.IAA,), also=(), caveats=(say.TRUSTS_SCORES,))
    if lists == "single":
        return Choice(
            recommended=(say.AWRF_BY_MERIT,),
            also=(say.PAIRS,) if two else (),
            caveats=(say.ONE_LIST,),
        )
    ratios = (say.MERIT_RATIOS, say.PAIRS) if two else ()
    told = (say.BLIND_TO_DIRECTION, say.BRITTLE_RATIOS) if two else (say.BLIND_TO_DIRECTION,)
    if judged == "sparse":
        return Choice(
            recommended=(say.IAA,),
            also=(say.EEL_AND_EER, *ratios),
            caveats=(say.TRUSTS_SCORES, *told),
        )
    return Choice(recommended=(say.EEL_AND_EER,), also=ratios, caveats=told)


def _joined(judged: Judged) -> Choice:
    if judged == "none":
        parity = _parity("single", "set", "more")
        return replace(parity, caveats=(say.NOTHING_TO_JOIN, *parity.caveats))
    return Choice(recommended=(say.FAIR,), also=(say.ITS_PARTS,), caveats=(say.ONE_IRM, say.OUT_OF_REACH))
