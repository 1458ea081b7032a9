"""Factors: what one system is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar

from fairviz.model.outputs import RagOutputs
from fairviz.model.rankings import RankingSample, Run

FACTORS = ("task", "dataset", "retriever", "generator", "policy", "alpha", "k")
"""What a system is made of, in the order of columns."""


class Factors(NamedTuple):
    """What a system is made of; None = not said. A factor is a column, never part of a name or read from one.

    ``label`` is no factor but a name of one's own for tables and figures, see :func:`with_labels`.
    """

    task: str | None = None
    retriever: str | None = None
    generator: str | None = None
    policy: str | None = None
    dataset: str | None = None
    alpha: float | None = None
    k: int | None = None
    label: str | None = None

    def over(self, other: "Factors") -> "Factors":
        """These factors, and those of another where these say nothing."""
        said = {name: value for name, value in self._asdict().items() if value is not None}
        return other._replace(**said)

    @property
    def known(self) -> dict[str, str | float]:
        """Those that are said, in the order of columns."""
        return {name: value for name in FACTORS if (value := getattr(self, name)) is not None}


def factors_of(system: Run | RankingSample | RagOutputs) -> Factors:
    """What is recorded of a system: in the fields of answers, or the tag of sampled rankings.

    Examples:
        >>> factors_of(RankingSample(
        ...     system="drawn", tag="bm25", policy="plackett-luce", alpha=2.0, query_ids=(), doc_ids=(),
        ...     query_offsets=np.array([0]), sample_offsets=np.array([0]), docs=np.array([], dtype=np.int32),
        ... )).known
        {'retriever': 'bm25', 'policy': 'plackett-luce', 'alpha': 2.0}
    """
    if isinstance(system, RagOutputs):
        return Factors(**{name: getattr(system, name) for name in FACTORS})
    if isinstance(system, RankingSample) and system.policy is not None:
        return Factors(retriever=system.tag, policy=system.policy, alpha=system.alpha)
    return Factors()


S = TypeVar("S", RagOutputs, RankingSample)


def described(system: S, said: Factors) -> S:
    """A system with the factors that a table names for it; what that leaves out stays as recorded."""
    whole = said.over(factors_of(system))
    if isinstance(system, RankingSample):
        return replace(system, policy=whole.policy, alpha=whole.alpha)
    return replace(system, **{name: getattr(whole, name) for name in FACTORS})


N = TypeVar("N", bound=Run | RankingSample | RagOutputs)


class Labelled(NamedTuple, Generic[N]):
    """Systems under their labels.

    Attributes:
        systems: As they were, but for their names.
        table: What they are made of, by these names.
        labels: Of each system that has one, by the name that it had.
    """

    systems: tuple[N, ...]
    table: dict[str, Factors]
    labels: dict[str, str]


def with_labels(systems: Sequence[N], table: Mapping[str, Factors]) -> Labelled[N]:
    """Systems under the labels that a table gives them; one that is another system's name is not used.

    Args:
        systems: Under distinct names, or one name for what is of one system.
        table: Name of a system -> what it is made of.
    """
    names = {one.system for one in systems}
    labels = {name: said.label for name, said in table.items() if name in names and said.label}
    labels = {name: label for name, label in labels.items() if label not in names}
    return Labelled(
        tuple(_called(one, labels) for one in systems) if labels else tuple(systems),
        {labels.get(name, name): said._replace(label=None) for name, said in table.items()},
        labels,
    )


def _called(system: N, labels: Mapping[str, str]) -> N:
    if isinstance(system, RankingSample) and system.source is not None:
        system = replace(system, source=_called(system.source, labels))
    return replace(system, system=labels[system.system]) if system.system in labels else system
