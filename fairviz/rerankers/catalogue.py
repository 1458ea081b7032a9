"""Every re-ranker there is, described once, and how to find one by its name."""

import difflib

import numpy as np

from fairviz.errors import UsageError
from fairviz.gains import greedy_novelty_order
from fairviz.model import SCORE_SCALES, IntArray
from fairviz.rerankers.candidates import Candidates, Draws, LegacyDraws, among_labelled, completed
from fairviz.rerankers.describe import Option, Reranker
from fairviz.rerankers.det import det_cons, det_const_sort, det_greedy, det_relaxed
from fairviz.rerankers.fa_ir import fa_ir
from fairviz.rerankers.fair_epsilon_greedy import fair_epsilon_greedy
from fairviz.rerankers.utility import coverage


def novelty(candidates: Candidates, *, alpha: float = 0.5) -> IntArray:
    """Rank after rank the item of the largest gain G[i] (Gao et al., Eq. 4), ties by run order.

    It looks at no target: the paper's IDCG, the baseline that fairness-aware lists are compared
    with.

    Args:
        candidates: The query; aspects from judgements, else its groups, of useful items.
        alpha: 0 counts every covered aspect alike; 1 counts an aspect once.
    """
    order = greedy_novelty_order(coverage(candidates), alpha, candidates.places)
    return completed(order, candidates.n)


def epsilon_greedy(candidates: Candidates, *, rng: Draws, epsilon: float = 0.5) -> IntArray:
    """From the top, each rank swaps its item with a random one below, with chance ε (Feng & Shah, AAAI 2022).

    Not to be taken for FAIR ε-greedy, which chooses what it explores.

    Args:
        candidates: The query; labels and target play no part.
        rng: Source of chance: one number per rank, one more for each swap.
        epsilon: 0 leaves the run as it is; 1 shuffles it.

    Returns:
        (n) item positions, the first min(k, n) re-ranked.
    """
    order = np.arange(candidates.n)
    for place in range(min(candidates.places, candidates.n - 1)):
        if rng.random() < epsilon:
            other = int(rng.integers(place + 1, candidates.n))
            order[[place, other]] = order[[other, place]]
    return completed(order[: candidates.places], candidates.n)


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
SCORES = Option(
    name="scores",
    default=SCORE_SCALES[0],
    choices=SCORE_SCALES,
    meaning="what the policy sees of the scores of a query: given, min-max; ranks, min-max of the ranks; zscore, "
    "max(0, 1/2 + z/4)",
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


RERANKERS = (
    Reranker(
        name="det-greedy",
        label="DetGreedy",
        order=lambda candidates, _: among_labelled(candidates, det_greedy),
        hard_labels=True,
    ),
    Reranker(
        name="det-cons",
        label="DetCons",
        order=lambda candidates, _: among_labelled(candidates, det_cons),
        hard_labels=True,
        spellings=("DetConservative",),
    ),
    Reranker(
        name="det-relaxed",
        label="DetRelaxed",
        order=lambda candidates, _: among_labelled(candidates, det_relaxed),
        hard_labels=True,
    ),
    Reranker(
        name="det-const-sort",
        label="DetConstSort",
        order=lambda candidates, settings: among_labelled(
            candidates, lambda labelled: det_const_sort(labelled, bound=settings.bound)
        ),
        options=(BOUND,),
        hard_labels=True,
        spellings=("DetConstrainedSort",),
    ),
    Reranker(
        name="fair-epsilon-greedy",
        label="FAIR ε-greedy",
        order=lambda candidates, settings: fair_epsilon_greedy(
            candidates,
            rng=settings.rng,
            epsilon=settings.epsilon,
            irm=settings.irm,
            alpha=settings.alpha,
            criterion=settings.criterion,
        ),
        options=(EPSILON, IRM, NOVELTY, CRITERION),
        spellings=("FAIR-eps-greedy", "FAIR-e-greedy", "FAIRGreedy"),
        judgements="aspects",
        random=True,
    ),
    Reranker(
        name="fa-ir",
        label="FA*IR",
        order=lambda candidates, settings: fa_ir(
            candidates, group=settings.protected, p=settings.p, significance=settings.significance
        ),
        options=(P, SIGNIFICANCE),
        hard_labels=True,
        protects_one=True,
    ),
    Reranker(
        name="fairness-of-exposure",
        label="Fairness of exposure",
        order=None,
        options=(CONSTRAINT, SLACK),
        spellings=("FOE", "FoE-LP", "Singh-Joachims"),
        judgements="optional",
    ),
    Reranker(
        name="plackett-luce",
        label="Plackett–Luce",
        order=None,
        options=(CONTROL, SCORES),
        spellings=("PL",),
        uses_groups=False,
        uses_target=False,
    ),
    Reranker(
        name="optimal",
        label="Optimal",
        order=None,
        options=(CONTROL, SCORES),
        uses_groups=False,
        uses_target=False,
    ),
    Reranker(
        name="novelty",
        label="α-DCG greedy",
        order=lambda candidates, settings: novelty(candidates, alpha=settings.alpha),
        options=(NOVELTY,),
        spellings=("alpha-DCG", "alpha-nDCG", "α-nDCG", "IDCG"),
        uses_target=False,
        judgements="aspects",
    ),
    Reranker(
        name="epsilon-greedy",
        label="ε-greedy (random swaps)",
        order=lambda candidates, settings: epsilon_greedy(candidates, rng=settings.rng, epsilon=settings.epsilon),
        options=(EPSILON,),
        spellings=("EpsilonGreedy", "random-swaps"),
        uses_groups=False,
        uses_target=False,
        random=True,
        draws=LegacyDraws,
    ),
)
"""All re-rankers, in the order people read them: for a target first, then policies, baselines."""


def find_reranker(text: str) -> Reranker:
    """The re-ranker of a name, whatever its case, blanks, hyphens and Greek letters.

    Raises:
        UsageError: Naming the nearest one, or all.

    Examples:
        >>> [find_reranker(text).name for text in ("DetConstSort", "FA*IR", "FAIR ε-greedy")]
        ['det-const-sort', 'fa-ir', 'fair-epsilon-greedy']
    """
    known = {
        _plain(spelling): reranker
        for reranker in RERANKERS
        for spelling in (reranker.name, reranker.label, *reranker.spellings)
    }
    if _plain(text) in known:
        return known[_plain(text)]
    names = {reranker.name: reranker.name for reranker in RERANKERS} | {
        plain: reranker.name for plain, reranker in known.items()
    }
    near = difflib.get_close_matches(text.lower(), names, n=1)
    hint = f"did you mean {names[near[0]]}?" if near else "there are: "
    everything = "" if near else ", ".join(reranker.name for reranker in RERANKERS)
    raise UsageError(f"unknown re-ranker {text!r}; {hint}{everything}")


def _plain(text: str) -> str:
    """Letters and digits alone, Greek ones by name."""
    spelled = text.lower().replace("ε", "epsilon").replace("α", "alpha")
    return "".join(c for c in spelled if c.isalnum())
