"""Which run fed which recorded outputs: as told, the only one, else the one whose first k hold what the outputs cite.

It is one setting of the data: command, pages, export and bundle read the same answer. Where two runs fit alike, a
person is asked; a list of references is never silently taken for what a generator was given while a run is there.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from fairviz.attribution import coverage
from fairviz.errors import UsageError
from fairviz.model import Factors, Note, RagOutputs, RankingSample, Run

RECORDED = "recorded"
"""Told in place of a run: what the outputs themselves list."""
MARGIN = 0.05
"""Share by which the best run must lead the next: below, both fit alike and a person is asked."""
USUAL_CONTEXT = 20
"""Documents that a context holds where outputs do not record it, as TREC RAG gives."""


How: TypeAlias = Literal["recorded", "told", "only", "guessed", "unclear", "alone"]


class Candidate(NamedTuple):
    """A run and the share of the documents that outputs name which its first k hold."""

    run: str
    share: float


class Pairing(NamedTuple):
    """Which run fed the outputs of one system.

    Attributes:
        outputs: Name of the outputs' system.
        run: Name of the run; None: what the outputs list, if they do.
        how: "recorded" (the outputs hold the lists they were given), "told", "only" (there is one
            run), "guessed" by coverage, "unclear" (runs fit alike), "alone" (there is no run).
        candidates: Runs by falling coverage, where it was asked for.
        k: Documents that a context holds.
    """

    outputs: str
    run: str | None
    how: How
    candidates: tuple[Candidate, ...] = ()
    k: int = USUAL_CONTEXT

    @property
    def evidence(self) -> str:
        """The best runs with their coverage, in words; empty where none was asked for."""
        named = [f"{name} {100 * share:.0f} %" for name, share in self.candidates[:2]]
        return f"of the documents cited, the first {self.k} of each list hold: {', '.join(named)}" if named else ""

    @property
    def question(self) -> str:
        """What to ask a person, where runs fit alike; otherwise empty."""
        if self.how != "unclear":
            return ""
        return f"several runs may have fed {self.outputs} ({self.evidence})"

    @property
    def note(self) -> Note | None:
        """What the reader of a guess should know."""
        if self.how != "guessed":
            return None
        message = f"taken as made from {self.run} ({self.evidence}); --pair {self.outputs}={self.run} says so"
        return Note(self.outputs, None, message)


def pairings(
    outputs: Sequence[RagOutputs],
    rankings: Sequence[Run | RankingSample],
    told: Mapping[str, str] | None = None,
    factors: Mapping[str, Factors] | None = None,
) -> tuple[Pairing, ...]:
    """Which run fed each system's outputs, in their order.

    Outputs of one system (at several α) were made from one run, and are judged together.

    Args:
        outputs: Systems of outputs.
        rankings: Systems of rankings.
        told: Name of an output system -> name of its run, or :data:`RECORDED`.
        factors: Name of a run -> what it is made of, where a table says so; else a run is named by its retriever.

    Raises:
        UsageError: A pair names a system that is not there.
    """
    told, factors = told or {}, factors or {}
    runs = {ranked.system: ranked for ranked in rankings}
    known = [recorded.system for recorded in outputs]
    for output, run in told.items():
        for name, names in ((output, known), (run, [*runs, RECORDED])):
            if name not in names:
                raise UsageError(f"--pair: no system {name!r}; there are: {', '.join(names)}")
    decided: dict[str, Pairing] = {}
    for name in dict.fromkeys(known):
        members = [recorded for recorded in outputs if recorded.system == name]
        decided[name] = _pairing(name, members, runs, told.get(name), factors)
    return tuple(decided[name] for name in known)


def _pairing(
    name: str,
    members: Sequence[RagOutputs],
    runs: Mapping[str, Run | RankingSample],
    told: str | None,
    factors: Mapping[str, Factors],
) -> Pairing:
    k = members[0].k or USUAL_CONTEXT
    if told is not None:
        return Pairing(name, None if told == RECORDED else told, "told", k=k)
    unrecorded = [recorded for recorded in members if recorded.given_from != "ranking"]
    if not unrecorded:
        return Pairing(name, _of_retriever(members[0], runs, factors), "recorded", k=k)
    if len(runs) < 2:
        return Pairing(name, next(iter(runs), None), "only" if runs else "alone", k=k)
    candidates = sorted(
        (Candidate(run, _share(unrecorded, ranked, k)) for run, ranked in runs.items()),
        key=lambda candidate: -candidate.share,
    )
    clear = candidates[0].share - candidates[1].share > MARGIN
    return Pairing(name, candidates[0].run if clear else None, "guessed" if clear else "unclear", tuple(candidates), k)


def _of_retriever(
    recorded: RagOutputs, runs: Mapping[str, Run | RankingSample], factors: Mapping[str, Factors]
) -> str | None:
    """The run of the retriever that the outputs record; None where none is, or several are."""
    if recorded.retriever is None or recorded.retriever in runs:
        return recorded.retriever
    said = {run: factors.get(run, Factors()) for run in runs}
    named = [run for run, made in said.items() if made.retriever == recorded.retriever]
    same_task = [run for run in named if said[run].task == recorded.task]
    found = same_task or [run for run in named if said[run].task is None]
    return found[0] if len(found) == 1 else None


def _share(members: Sequence[RagOutputs], ranked: Run | RankingSample, k: int) -> float:
    inside = of = 0
    for recorded in members:
        try:
            n_inside, n = coverage(recorded, ranked, k=k)
        except ValueError:  # a sample with another number of rankings fed no such outputs
            return 0.0
        inside, of = inside + n_inside, of + n
    return inside / of if of else 0.0


def generators_fed(
    outputs: Sequence[RagOutputs], found: Sequence[Pairing], rankings: Sequence[Run | RankingSample]
) -> dict[str, frozenset[str]]:
    """Generators whose outputs were made from each run, where both are known."""
    only = rankings[0].system if len(rankings) == 1 else None
    fed: dict[str, set[str]] = {}
    for recorded, pairing in zip(outputs, found, strict=True):
        run = pairing.run or only
        if run is not None and recorded.generator:
            fed.setdefault(run, set()).add(recorded.generator)
    return {run: frozenset(generators) for run, generators in fed.items()}
