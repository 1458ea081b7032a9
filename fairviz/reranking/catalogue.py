"""Every re-ranker there is, with what a person needs to know of it, and how to find one by its name."""

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from fairviz.errors import UsageError
from fairviz.extras import load_entry_points, parameters_of
from fairviz.kernels.gains import greedy_novelty_order
from fairviz.metrics.describe import Parameter, check_parameters, parameter_of
from fairviz.model import IntArray
from fairviz.remembered import forget
from fairviz.reranking.candidates import Candidates, Draws, LegacyDraws, among_labelled, completed
from fairviz.reranking.det import det_cons, det_const_sort, det_greedy, det_relaxed
from fairviz.reranking.fa_ir import fa_ir
from fairviz.reranking.fair_epsilon_greedy import coverage, fair_epsilon_greedy
from fairviz.resources import content

Value: TypeAlias = float | str

Judgements: TypeAlias = Literal["unused", "optional", "aspects"]
"""What judgements do: nothing, give the gains, or give gains and the aspects of items."""


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
    grid: Sequence[float]
    weakest: str
    strongest: str


Settings: TypeAlias = Mapping[str, Any]
"""What a re-ranker is told besides its candidates: its options by name, and where it reads them ``rng``, the source of
chance, and ``group``, the column of the protected group."""

Ordering: TypeAlias = Callable[..., IntArray]
"""Candidates of a query, and settings by name -> a permutation of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranker:
    """A re-ranker, described once: pages, tables and the command line read this.

    All but its function stands in ``fairviz/content/methods/rerankers.yaml``.

    Attributes:
        name: As typed ("det-greedy").
        label: As printed in papers ("DetGreedy").
        order: One query's candidates to its new order; None for a policy, a distribution over
            rankings, which the Policy lab makes from whole runs.
        draws: From a seed to the source of chance that published results were made with.
        plain: What it does in a few words, for those who know no paper.
        summary: What it does, in one sentence.
        citation: Paper and place.
        caution: What a person is told who chose it, or nothing.
        spellings: Further names that are understood, besides ``name`` and ``label``.
        uses_groups: Whether labels play a part.
        uses_target: Whether a target does.
        hard_labels: Whether a soft label counts by its largest weight.
        protects_one: Whether it is about one group and the rest: the group must be named.
        judgements: What judgements do where they are given.
        random: Whether chance plays a part in each list, so that repeats differ.
        all_queries: Whether the target is of all queries together: it takes bounds, and lists of one query depend on
            those of the others.
        options: What may be chosen.
        strength: The option that says how far it goes; None where it has one setting only.
        is_own: Whether somebody added it.
    """

    name: str
    label: str
    order: Ordering | None
    draws: Callable[[int], Draws]
    plain: str
    summary: str
    citation: str
    caution: str = ""
    spellings: Sequence[str] = ()
    uses_groups: bool = True
    uses_target: bool = True
    hard_labels: bool = False
    protects_one: bool = False
    judgements: Judgements = "unused"
    random: bool = False
    all_queries: bool = False
    options: tuple[Parameter, ...] = ()
    strength: Strength | None = None
    is_own: bool = False

    @property
    def full_name(self) -> str:
        """What sentences call it: plain words, the name of the paper beside them."""
        return f"“{self.plain}” ({self.label})"

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
        values: dict[str, Any] = {option.name: option.default for option in self.options if option.default is not None}
        values |= check_parameters(self.name, self.options, options)
        if self.random:
            values["rng"] = rng
        if self.protects_one:
            values["group"] = protected
        return values


def novelty(candidates: Candidates, *, novelty: float = 0.5) -> IntArray:
    """Rank after rank the item of the largest gain G[i] (Gao et al., Eq. 4), ties by run order.

    It looks at no target: the paper's IDCG, the baseline that fairness-aware lists are compared
    with.

    Args:
        candidates: The query; aspects from judgements, else its groups, of useful items.
        novelty: 0 counts every covered aspect alike; 1 counts an aspect once.
    """
    order = greedy_novelty_order(coverage(candidates), novelty, candidates.places)
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
    for position in range(min(candidates.places, candidates.n - 1)):
        if rng.random() < epsilon:
            other = int(rng.integers(position + 1, candidates.n))
            order[[position, other]] = order[[other, position]]
    return completed(order[: candidates.places], candidates.n)


ORDERINGS: Mapping[str, Ordering] = {
    "det-greedy": partial(among_labelled, order=det_greedy),
    "det-cons": partial(among_labelled, order=det_cons),
    "det-relaxed": partial(among_labelled, order=det_relaxed),
    "det-const-sort": partial(among_labelled, order=det_const_sort),
    "fair-epsilon-greedy": fair_epsilon_greedy,
    "fa-ir": fa_ir,
    "novelty": novelty,
    "epsilon-greedy": epsilon_greedy,
}
"""The functions of those that give every query a list; the others are policies."""

DRAWS: Mapping[str, Callable[[int], Draws]] = {"epsilon-greedy": LegacyDraws}
"""Sources of chance other than NumPy's of today."""


def _declared(
    name: str, *, options: Mapping[str, Any] | None = None, strength: Mapping[str, Any] | None = None, **record: Any
) -> Reranker:
    """A record of ``methods/rerankers.yaml`` and its function."""
    return Reranker(
        name=name,
        order=ORDERINGS.get(name),
        draws=DRAWS.get(name, np.random.default_rng),
        options=tuple(parameter_of(key, option) for key, option in (options or {}).items()),
        strength=Strength(**strength) if strength else None,
        **record,
    )


RERANKERS = [_declared(name, **record) for name, record in content("methods/rerankers").items()]
"""All re-rankers, in the order people read them: for a target first, then policies, baselines, those of their own."""


def add_reranker(reranker: Reranker) -> None:
    """Put a re-ranker of somebody's own beside the others; one of its name takes the place of an earlier own one.

    Raises:
        UsageError: A re-ranker of fairviz has the name.
    """
    alike = [at for at, other in enumerate(RERANKERS) if _plain(other.name) == _plain(reranker.name)]
    if any(not RERANKERS[at].is_own for at in alike):
        raise UsageError(f"{reranker.name} is the name of another re-ranker: choose one of your own")
    RERANKERS[:] = [other for at, other in enumerate(RERANKERS) if at not in alike] + [reranker]
    forget()


def find_reranker(text: str) -> Reranker:
    """The re-ranker of a name, whatever its case, blanks, hyphens and Greek letters.

    Raises:
        UsageError: Naming the nearest one, or all.

    Examples:
        >>> [find_reranker(text).name for text in ("DetConstSort", "FA*IR", "FAIR ε-greedy")]
        ['det-const-sort', 'fa-ir', 'fair-epsilon-greedy']
    """
    spellings = {
        _plain(spelling): reranker
        for reranker in RERANKERS
        for spelling in (reranker.name, reranker.label, *reranker.spellings)
    }
    if _plain(text) in spellings:
        return spellings[_plain(text)]
    if load_entry_points("rerankers"):
        return find_reranker(text)
    names = {reranker.name: reranker.name for reranker in RERANKERS} | {
        plain: reranker.name for plain, reranker in spellings.items()
    }
    near = difflib.get_close_matches(text.lower(), names, n=1)
    hint = f"did you mean {names[near[0]]}?" if near else "there are: "
    everything = "" if near else ", ".join(reranker.name for reranker in RERANKERS)
    raise UsageError(f"unknown re-ranker {text!r}; {hint}{everything}")


def _plain(text: str) -> str:
    """Letters and digits alone, Greek ones by name."""
    spelled = text.lower().replace("ε", "epsilon").replace("α", "alpha")
    return "".join(c for c in spelled if c.isalnum())


# Re-rankers of people's own: a function of arrays, whose parameters say what it reads.

ARRAYS = ("groups", "target", "gains", "n", "k", "rng")
"""What a function may read, by the name of its parameter.

``groups`` (n, G) the part of each document, best first, that belongs to each group; ``target`` (G) the share that
each group should have; ``gains`` (n) usefulness, None where nobody judged; ``n`` how many documents there are; ``k``
how many ranks are decided; ``rng`` a ``numpy.random.Generator``.
"""


def own_reranker(function: Callable[..., Any], name: str, *, label: str = "", summary: str = "") -> Reranker:
    """A function as a re-ranker.

    Args:
        function: Takes what :data:`ARRAYS` names, and keyword-only parameters with a number as default, which become
            options; returns positions of documents, best first: the first k, or all of them.
        name: As typed: lower case, with hyphens.
        label: As printed; else the name.
        summary: What it does, in a sentence; else the first line of the function's docstring.

    Raises:
        UsageError: A parameter is neither of :data:`ARRAYS` nor one with a number.

    Examples:
        >>> own_reranker(lambda n: range(n)[::-1], "upside-down").uses_groups
        False
    """
    reads, options = parameters_of(function, name, "re-ranker", ARRAYS)
    if wrong := [each.name for each in options if type(each.default) not in (int, float)]:
        raise UsageError(f"{name}: option {wrong[0]!r} needs a number as its default")
    in_words = summary or (inspect.getdoc(function) or name).partition("\n")[0]
    return Reranker(
        name=name,
        label=label or name,
        order=partial(_order, function=function, name=name, reads=reads),
        draws=np.random.default_rng,
        plain=in_words,
        summary=in_words,
        citation="own",
        uses_groups=bool({"groups", "target"} & {*reads}),
        uses_target="target" in reads,
        judgements="optional" if "gains" in reads else "unused",
        random="rng" in reads,
        options=tuple(
            Parameter(name=each.name, kind="number", default=float(each.default), meaning="of the re-ranker")
            for each in options
        ),
        is_own=True,
    )


def _order(
    candidates: Candidates, *, function: Callable[..., Any], name: str, reads: tuple[str, ...], **settings: Any
) -> IntArray:
    """The order that an own function gives, completed by the order of the run."""
    arrays = {
        "groups": candidates.weights,
        "target": candidates.target,
        "gains": candidates.gains,
        "n": candidates.n,
        "k": candidates.places,
        "rng": settings.pop("rng", None),
    }
    try:
        chosen = np.asarray(function(*(arrays[each] for each in reads), **settings))
    except Exception as error:  # whatever somebody's own function raises is about their function
        raise UsageError(f"{name}: {type(error).__name__}: {error}") from error
    first = chosen[: candidates.places]
    positions = {*range(candidates.n)}
    if first.ndim != 1 or len({*first.tolist()} & positions) != candidates.places:
        raise UsageError(
            f"{name}: returns {first.tolist()}, expected {candidates.places} different positions below {candidates.n}"
        )
    return completed(first.astype(np.int64), candidates.n)
