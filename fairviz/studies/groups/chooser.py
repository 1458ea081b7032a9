"""Which group measure answers which question: Raj et al. 2022, Sections 2.6 and 4, in plain words.

What the paper recommends is marked with its section; what follows from the formulas alone is
marked as ours. No measure settles what should be aimed for: that is the first question.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

RECOMMENDATIONS = "Raj et al. 2020, Section 4"
DESIGN = "Raj et al. 2020, Section 2.6"
OURS = "ours, from the formula"
BLIND_TO_USEFULNESS = (
    "Parity measures do not see usefulness: aimed at alone they may lower the quality of the "
    f"lists. Report nDCG or EE-R beside them ({DESIGN})."
)
NAME_THE_DISTANCE = f"The paper gives no advice on the distance: say which one was used ({RECOMMENDATIONS})."
ONE_LIST = (
    "One list cannot give equally useful items equal exposure: attention falls faster than "
    "usefulness. That is the case for sequences and policies (Raj et al. 2020, Section 2.3)."
)
BLIND_TO_DIRECTION = (
    "EEL and IAA do not say which group is short: 0 is best, and either direction adds (Raj et al. 2022, Section 2.4)."
)
BRITTLE_RATIOS = (
    "Ratios (logEUR, logRUR) run off or are undefined where a group has nothing useful or is "
    f"hardly shown: look at the counts beside them ({DESIGN})."
)
TRUSTS_SCORES = (
    "IAA trusts the system's scores: a system that underrates a group looks consistent with "
    "itself (Raj et al. 2020, Section 2.4)."
)
NOTHING_TO_JOIN = "Nothing joins usefulness with parity where nobody has judged usefulness."
ONE_IRM = "Values with different irm are not comparable, as nDCG is not with RBP (Gao et al. 2022, Section 6)."
OUT_OF_REACH = (
    "A list that cannot be on target is marked down all the same: see first what is attainable "
    "(Gao et al. 2022, Section 6)."
)
UNLABELLED_ITEMS = (
    "Read the share of unlabelled attention first. missing='drop' leaves unlabelled items out "
    "after attention was given; missing='group' makes them a group. PreF is no choice here: a "
    "list with fewer than 10 labelled items counts as perfect, and its normaliser needs all "
    f"labels ({DESIGN})."
)
UNJUDGED_ITEMS = f"An unjudged item counts as not useful: simple, but biased against what no judge has seen ({DESIGN})."

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

    measures: tuple[str, ...]
    reason: str
    source: str


AWRF = Recommendation(
    ("AWRF",),
    "Takes any number of groups and items that belong in part, any target, any way attention falls, and any distance.",
    RECOMMENDATIONS,
)


AWRF_OF_THE_SYSTEM = Recommendation(
    ("AWRF(over='system')",),
    "Averages exposure over queries first, then holds it against your target. EED and logDP have "
    "no target: they ask for equal exposure.",
    OURS,
)


AWRF_BY_MERIT = Recommendation(
    ("AWRF",),
    "With the target 'relevance', each group's mean usefulness. For one list the paper names no "
    "measure of opportunity.",
    OURS,
)


TOP = Recommendation(
    ("nDKL",),
    "If the very top should be on target too, not only the list as a whole: it looks at every prefix.",
    "Geyik et al. 2019; Gao et al. 2022, Section 3.3",
)


TOO_FEW = Recommendation(
    ("FAIRBinomial",),
    "If only too few items of one group are a harm, not too many. Definite labels, one group against the rest.",
    "Raj et al. 2020, Section 2.2",
)


EED = Recommendation(
    ("EED(by='group', norm='none', browsing='rbp')",),
    "Takes any number of groups and items that belong in part, and has no ratio that fails where "
    "a group gets nothing. Lowest where all groups are exposed alike.",
    RECOMMENDATIONS,
)


PARITY_RATIO = Recommendation(
    ("logDP",),
    "Says which of two groups gets more attention, and how many times as much.",
    "Raj et al. 2020, Section 2.3",
)


EEL_AND_EER = Recommendation(
    (
        "EEL(by='group', norm='none', browsing='rbp')",
        "EER(by='group', norm='none', browsing='rbp')",
    ),
    "Hold exposure against that under ideal rankings. Any number of groups and items that belong in part.",
    RECOMMENDATIONS,
)


IAA = Recommendation(
    ("IAA(utility='score')",),
    "Holds attention against the usefulness that the system itself estimates, so missing "
    "judgements do not matter. Takes any number of groups and items that belong in part.",
    RECOMMENDATIONS,
)


MERIT_RATIOS = Recommendation(
    ("logEUR", "logRUR"),
    "Say which of two groups gets more attention for its usefulness, and how many times.",
    "Raj et al. 2020, Section 2.4",
)


PAIRS = Recommendation(
    ("PAIR",),
    "Whether useful items are put above less useful ones as often in either group; no model of attention enters.",
    "Raj et al. 2020, Section 2.5",
)


FAIR = Recommendation(
    ("FAIR(irm='nDCG')@10",),
    "Each useful item counts less the further the list down to it is from the target. Where "
    "variety counts as usefulness, irm='alpha_nDCG'.",
    "Gao et al. 2022, Sections 3.1 and 3.2",
)


ITS_PARTS = Recommendation(
    ("nDCG@10", "nDRKL@10"),
    "Its two sides apart: equal values of FAIR can hide opposite strengths.",
    "Gao et al. 2022, Section 6",
)


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
        choice = _joined(judged)
    elif goal == "parity":
        choice = _parity(lists, aim, groups)
    else:
        choice = _opportunity(lists, groups, judged)
    caveats = list(choice.caveats)
    if missing:
        caveats.append(UNLABELLED_ITEMS)
    if goal != "parity" and judged == "sparse":
        caveats.append(UNJUDGED_ITEMS)
    return replace(choice, caveats=tuple(caveats))


def _parity(lists: Lists, aim: Aim, groups: Groups) -> Choice:
    two = groups == "two"
    if lists == "single":
        return Choice(
            recommended=(AWRF,),
            also=(TOP, TOO_FEW) if two else (TOP,),
            caveats=(BLIND_TO_USEFULNESS, NAME_THE_DISTANCE),
        )
    ratio = (PARITY_RATIO,) if two else ()
    if aim == "equal":
        return Choice(recommended=(EED,), also=ratio, caveats=(BLIND_TO_USEFULNESS,))
    return Choice(
        recommended=(AWRF_OF_THE_SYSTEM,),
        also=(EED, *ratio),
        caveats=(BLIND_TO_USEFULNESS, NAME_THE_DISTANCE),
    )


def _opportunity(lists: Lists, groups: Groups, judged: Judged) -> Choice:
    two = groups == "two"
    if judged == "none":
        return Choice(recommended=(IAA,), also=(), caveats=(TRUSTS_SCORES,))
    if lists == "single":
        return Choice(
            recommended=(AWRF_BY_MERIT,),
            also=(PAIRS,) if two else (),
            caveats=(ONE_LIST,),
        )
    ratios = (MERIT_RATIOS, PAIRS) if two else ()
    caveats = (BLIND_TO_DIRECTION, BRITTLE_RATIOS) if two else (BLIND_TO_DIRECTION,)
    if judged == "sparse":
        return Choice(
            recommended=(IAA,),
            also=(EEL_AND_EER, *ratios),
            caveats=(TRUSTS_SCORES, *caveats),
        )
    return Choice(recommended=(EEL_AND_EER,), also=ratios, caveats=caveats)


def _joined(judged: Judged) -> Choice:
    if judged == "none":
        parity = _parity("single", "set", "more")
        return replace(parity, caveats=(NOTHING_TO_JOIN, *parity.caveats))
    return Choice(recommended=(FAIR,), also=(ITS_PARTS,), caveats=(ONE_IRM, OUT_OF_REACH))
