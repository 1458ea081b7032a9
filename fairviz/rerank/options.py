"""Options that re-rankers share, described once."""

from fairviz.rerank.description import Option

EPSILON = Option(name="epsilon", default=0.5, high=1.0, meaning="ε, the chance of exploring at each rank")
NOVELTY = Option(
    name="alpha",
    default=0.5,
    high=1.0,
    meaning="novelty discount of alpha_nDCG; chance that an item satisfies, for ERR_IA",
)
IRM = Option(
    name="irm",
    default="alpha_nDCG",
    choices=("alpha_nDCG", "nDCG", "RBP", "ERR_IA"),
    meaning="the measure whose gain is weighed against divergence",
)
CRITERION = Option(
    name="criterion",
    default="kl+1",
    choices=("kl+1", "printed"),
    meaning="divide gain by KL + 1 (Eq. 6), or by KL as the algorithm is printed",
)
BOUND = Option(
    name="bound",
    default="feasible",
    choices=("feasible", "printed"),
    meaning="push an item down to the rank where it is needed, or one further as printed",
)
P = Option(
    name="p",
    default=None,
    high=1.0,
    meaning="least share of the protected group (default: its share in the target)",
)
SIGNIFICANCE = Option(
    name="significance",
    default=0.1,
    high=1.0,
    open=True,
    meaning="α of the test, before it is adjusted for testing every rank",
)
CONTROL = Option(
    name="alpha",
    default=1.0,
    high=1000.0,
    meaning="fairness control: 0 is uniform, 8 almost the run itself",
)
CONSTRAINT = Option(
    name="constraint",
    default="target",
    choices=("target", "DP", "DT", "DI"),
    meaning="what must agree: shares of exposure with the target; exposure per item (DP), per "
    "usefulness (DT), or useful exposure per usefulness (DI) between groups",
)
SLACK = Option(
    name="slack",
    default=0.0,
    meaning="how far groups may be apart, in the unit of what is compared",
)
