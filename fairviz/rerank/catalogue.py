"""Every re-ranker there is, described once, and how to find one by its name."""

import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from fairviz.errors import UsageError
from fairviz.model import IntArray
from fairviz.rerank.baselines import among_labelled, novelty
from fairviz.rerank.candidates import Candidates, Draws, Irm, LegacyDraws
from fairviz.rerank.det import Bound, det_cons, det_const_sort, det_greedy, det_relaxed
from fairviz.rerank.epsilon_greedy import Criterion, epsilon_greedy, fair_epsilon_greedy
from fairviz.rerank.fa_ir import fa_ir
from fairviz.rerank.fairness_of_exposure import Constraint

# What a person needs to know of a re-ranker, as data.


Value: TypeAlias = float | str

Judgements: TypeAlias = Literal["unused", "optional", "aspects"]
"""What judgements do: nothing, give the gains, or give gains and the aspects of items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One thing a person may choose about a re-ranker.

    Attributes:
        name: As typed: ``--name`` and ``rerank(…, name=…)``.
        default: Where it is not typed; None for a value that depends on the data.
        meaning: One line in plain words.
        choices: The accepted words, default first; empty for a number.
        low: Smallest accepted number.
        high: Largest.
        open: Whether ``low`` and ``high`` themselves are refused.
    """

    name: str
    default: Value | None
    meaning: str
    choices: tuple[str, ...] = ()
    low: float = 0.0
    high: float = math.inf
    open: bool = False

    @property
    def accepted(self) -> str:
        """What may be typed."""
        if self.choices:
            return " | ".join(self.choices)
        if self.high == math.inf:
            return f"a number of at least {self.low:g}"
        if self.open:
            return f"a number strictly between {self.low:g} and {self.high:g}"
        return f"a number from {self.low:g} to {self.high:g}"

    def check(self, value: object) -> Value:
        """The value, if it is accepted.

        Raises:
            UsageError: Naming what is.
        """
        if self.choices:
            known = {choice.lower(): choice for choice in self.choices}
            if isinstance(value, str) and value.lower() in known:
                return known[value.lower()]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            inside = self.low < value < self.high if self.open else self.low <= value <= self.high
            if inside and math.isfinite(value):
                return float(value)
        raise UsageError(f"{self.name}={value} is not accepted; {self.name}: {self.accepted}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """The one number that says how far a re-ranker goes.

    Attributes:
        option: Its name among the options.
        symbol: As papers write it.
        grid: Values from the weakest, closest to the run, to full strength.
        weakest: What the first of them does, in words.
        strongest: What the last of them does.
    """

    option: str
    symbol: str
    grid: tuple[float, ...]
    weakest: str
    strongest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a re-ranker is told besides its candidates; each reads what its options name.

    Attributes:
        rng: Source of chance.
        epsilon: Chance of exploring at a rank.
        alpha: Novelty discount; or the fairness control of a policy.
        irm: Whose gains are optimised.
        criterion: What gain is divided by.
        bound: How far an item may be pushed down.
        protected: Column of the protected group, where there must be one.
        p: Least share of that group; None: its share in the target.
        significance: Of FA*IR's test.
        constraint: What fairness of exposure compares.
        slack: How far groups may be apart there.
    """

    rng: Draws
    epsilon: float = 0.5
    alpha: float = 0.5
    irm: Irm = "alpha_nDCG"
    criterion: Criterion = "kl+1"
    bound: Bound = "feasible"
    protected: int = 0
    p: float | None = None
    significance: float = 0.1
    constraint: Constraint = "target"
    slack: float = 0.0


Ordering: TypeAlias = Callable[[Candidates, Settings], IntArray]
"""Candidates of a query -> a permutation of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranker:
    """A re-ranker, described once: pages, tables and the command line read this.

    Attributes:
        name: As typed ("det-greedy").
        label: As printed in papers ("DetGreedy").
        summary: What it does, in one sentence.
        citation: Paper and place.
        order: One query's candidates to its new order; None for a policy, a distribution over
            rankings, which ``analysis`` makes from whole runs.
        options: What may be chosen.
        strength: The option that says how far it goes; None where it has one setting only.
        spellings: Further names that are understood, besides ``name`` and ``label``.
        uses_groups: Whether labels play a part.
        uses_target: Whether a target does.
        hard_labels: Whether a soft label counts by its largest weight.
        protects_one: Whether it is about one group and the rest: the group must be named.
        judgements: What judgements do where they are given.
        random: Whether chance plays a part in each list, so that repeats differ.
        draws: From a seed to the source of chance that published results were made with.
        caution: What a person is told who chose it, or nothing.
    """

    name: str
    label: str
    summary: str
    citation: str
    order: Ordering | None
    options: tuple[Option, ...] = ()
    strength: Strength | None = None
    spellings: tuple[str, ...] = ()
    uses_groups: bool = True
    uses_target: bool = True
    hard_labels: bool = False
    protects_one: bool = False
    judgements: Judgements = "unused"
    random: bool = False
    draws: Callable[[int], Draws] = field(default=np.random.default_rng)
    caution: str = ""

    @property
    def is_policy(self) -> bool:
        """Whether it is a distribution over rankings, from which samples are drawn."""
        return self.order is None

    def needs_target(self, options: Mapping[str, object]) -> bool:
        """Whether a target plays a part with these options: parity of exposure has none."""
        return self.uses_target and str(options.get("constraint", "target")) == "target"

    def settings(self, options: Mapping[str, object], *, rng: Draws, protected: int | None = None) -> Settings:
        """Checked settings: defaults, and what was chosen.

        Args:
            options: What was chosen.
            rng: Source of chance.
            protected: Column of the protected group, where one was named.

        Raises:
            UsageError: An option is unknown, a value not accepted, or the group missing.
        """
        if self.protects_one and protected is None:
            raise UsageError(f"{self.label} protects one group: name it with --group")
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                has = ", ".join(known) or "none"
                raise UsageError(f"{self.name} has no option {name!r}; it has: {has}")
        values = {one.name: one.default for one in self.options if one.default is not None}
        values |= {name: known[name].check(value) for name, value in options.items()}
        return replace(Settings(rng=rng, protected=protected or 0), **values)


# Options that re-rankers share, described once.


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

GEYIK = "Geyik, Ambler & Kenthapadi, KDD 2019"

TENTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

CONTROLS = (8.0, 4.0, 2.0, 1.5, 1.0, 0.75, 0.5, 0.25, 0.0)

RERANKERS = (
    Reranker(
        name="det-greedy",
        label="DetGreedy",
        summary="At each rank takes the best item of the groups below their minimum, else of those "
        "that may still grow.",
        citation=f"{GEYIK}, algorithm 1",
        order=lambda candidates, _: among_labelled(candidates, det_greedy),
        hard_labels=True,
    ),
    Reranker(
        name="det-cons",
        label="DetCons",
        summary="As DetGreedy, but of the groups that may grow it prefers the one whose minimum rises soonest.",
        citation=f"{GEYIK}, algorithm 2",
        order=lambda candidates, _: among_labelled(candidates, det_cons),
        hard_labels=True,
        spellings=("DetConservative",),
    ),
    Reranker(
        name="det-relaxed",
        label="DetRelaxed",
        summary="As DetCons, but compares whole ranks, so that the better item decides more often.",
        citation=f"{GEYIK}, algorithm 2",
        order=lambda candidates, _: among_labelled(candidates, det_relaxed),
        hard_labels=True,
    ),
    Reranker(
        name="det-const-sort",
        label="DetConstSort",
        summary="Sorts by score under the constraint that every group keeps its minimum at every rank.",
        citation=f"{GEYIK}, algorithm 3",
        order=lambda candidates, said: among_labelled(
            candidates, lambda labelled: det_const_sort(labelled, bound=said.bound)
        ),
        options=(BOUND,),
        hard_labels=True,
        spellings=("DetConstrainedSort",),
    ),
    Reranker(
        name="fair-epsilon-greedy",
        label="FAIR ε-greedy",
        summary="At each rank takes the item with the most gain for its divergence from the "
        "target; with chance ε the one with the least divergence.",
        citation="Gao et al. 2022, section 4, algorithm 1",
        order=lambda candidates, said: fair_epsilon_greedy(
            candidates,
            rng=said.rng,
            epsilon=said.epsilon,
            irm=said.irm,
            alpha=said.alpha,
            criterion=said.criterion,
        ),
        options=(EPSILON, IRM, NOVELTY, CRITERION),
        strength=Strength(
            option="epsilon",
            symbol="ε",
            grid=TENTHS,
            weakest="weighs gain against divergence",
            strongest="looks at divergence alone",
        ),
        spellings=("FAIR-eps-greedy", "FAIR-e-greedy", "FAIRGreedy"),
        judgements="aspects",
        random=True,
    ),
    Reranker(
        name="fa-ir",
        label="FA*IR",
        summary="Keeps the order of the run, but moves items of one protected group up where a "
        "prefix has significantly few of them.",
        citation="Zehlike et al., CIKM 2017",
        order=lambda candidates, said: fa_ir(
            candidates, group=said.protected, p=said.p, significance=said.significance
        ),
        options=(P, SIGNIFICANCE),
        strength=Strength(
            option="p",
            symbol="p",
            grid=TENTHS,
            weakest="leaves the run as it is",
            strongest="puts the protected group first",
        ),
        hard_labels=True,
        protects_one=True,
    ),
    Reranker(
        name="fairness-of-exposure",
        label="Fairness of exposure",
        summary="The most useful policy among those whose exposure is shared between groups as asked.",
        citation="Singh & Joachims, KDD 2018, sections 3 and 4",
        order=None,
        options=(CONSTRAINT, SLACK),
        strength=Strength(
            option="slack",
            symbol="slack",
            grid=(1.0, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.05, 0.02, 0.0),
            weakest="leaves the most useful list as it is",
            strongest="meets the constraint exactly",
        ),
        spellings=("FOE", "FoE-LP", "Singh-Joachims"),
        judgements="optional",
    ),
    Reranker(
        name="plackett-luce",
        label="Plackett–Luce",
        summary="Draws items one after another with chances that follow their scores; looks at no group.",
        citation="Kim & Diaz, section 3.2",
        order=None,
        options=(CONTROL,),
        strength=Strength(
            option="alpha",
            symbol="α",
            grid=CONTROLS,
            weakest="follows the run almost always",
            strongest="gives every item the same chance",
        ),
        spellings=("PL",),
        uses_groups=False,
        uses_target=False,
    ),
    Reranker(
        name="optimal",
        label="Optimal",
        summary="The policy of the highest scores among all that are as even between items as "
        "Plackett–Luce; looks at no group.",
        citation="fairviz, documented in DESIGN 2.4",
        order=None,
        options=(CONTROL,),
        strength=Strength(
            option="alpha",
            symbol="α",
            grid=CONTROLS,
            weakest="follows the run almost always",
            strongest="gives every item the same chance",
        ),
        uses_groups=False,
        uses_target=False,
    ),
    Reranker(
        name="novelty",
        label="α-DCG greedy",
        summary="At each rank takes the item that adds most that is new: the greedy ideal of "
        "α-nDCG, which looks at no target.",
        citation="Clarke et al., SIGIR 2008; Gao et al. 2022, section 3.2",
        order=lambda candidates, said: novelty(candidates, alpha=said.alpha),
        options=(NOVELTY,),
        strength=Strength(
            option="alpha",
            symbol="α",
            grid=(0.0, 0.25, 0.5, 0.75, 0.9, 1.0),
            weakest="counts every covered group alike",
            strongest="counts a group once",
        ),
        spellings=("alpha-DCG", "alpha-nDCG", "α-nDCG", "IDCG"),
        uses_target=False,
        judgements="aspects",
    ),
    Reranker(
        name="epsilon-greedy",
        label="ε-greedy (random swaps)",
        summary="From the top, swaps each item with a random one below with chance ε; looks at no group.",
        citation="Feng & Shah, AAAI 2022",
        order=lambda candidates, said: epsilon_greedy(candidates, rng=said.rng, epsilon=said.epsilon),
        options=(EPSILON,),
        strength=Strength(
            option="epsilon",
            symbol="ε",
            grid=TENTHS,
            weakest="leaves the run as it is",
            strongest="shuffles it",
        ),
        spellings=("EpsilonGreedy", "random-swaps"),
        uses_groups=False,
        uses_target=False,
        random=True,
        draws=LegacyDraws,
        caution="epsilon-greedy swaps at random and looks at no group; the algorithm that "
        "weighs gain against divergence is fair-epsilon-greedy",
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
    known = {_plain(spelling): each for each in RERANKERS for spelling in (each.name, each.label, *each.spellings)}
    if _plain(text) in known:
        return known[_plain(text)]
    names = {each.name: each.name for each in RERANKERS} | {plain: each.name for plain, each in known.items()}
    near = difflib.get_close_matches(text.lower(), names, n=1)
    hint = f"did you mean {names[near[0]]}?" if near else "there are: "
    everything = "" if near else ", ".join(each.name for each in RERANKERS)
    raise UsageError(f"unknown re-ranker {text!r}; {hint}{everything}")


def _plain(text: str) -> str:
    """Letters and digits alone, Greek ones by name."""
    spelled = text.lower().replace("ε", "epsilon").replace("α", "alpha")
    return "".join(c for c in spelled if c.isalnum())
