"""What is said for each group measure: Raj et al. 2020, Sections 2 and 4, in plain words."""

from typing import NamedTuple

RECOMMENDATIONS = "Raj et al. 2020, Section 4"
DESIGN = "Raj et al. 2020, Section 2.6"
OURS = "ours, from the formula"


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
