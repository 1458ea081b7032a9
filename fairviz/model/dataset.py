"""What a person has loaded: all nouns together, what systems are made of, and the notes that reading them left.

Files that share queries, directly or through others, are a collection. Numbers of two collections are never compared
or averaged: each is a task.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import combinations
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from fairviz.model.answers import BiasItems, BiasPredictions, VariantAnswers
from fairviz.model.judgements import GroupLabels, Qrels, ShareBounds, Target, crossed
from fairviz.model.rankings import RagOutputs, RankingSample, Run, with_sources

# What systems are made of.


FACTORS = ("task", "dataset", "retriever", "generator", "policy", "alpha", "k")
"""What a system is made of, in the order of columns."""
COLOURS = ("black", "blue", "amber", "green", "purple", "brown", "grey", "violet")
"""Names of colours that a table may give a system; each theme has its own shade of them."""
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "dashdotdot", "loosedot")
"""Names of dashes that a table may give the line of a system."""


class Look(NamedTuple):
    """How a system is drawn in every chart.

    Attributes:
        colour: One of ``COLOURS``, or ``#RRGGBB``; None: as the chart has it.
        dash: One of ``DASHES``; None: as the chart has it.
    """

    colour: str | None = None
    dash: str | None = None


class Factors(NamedTuple):
    """What a system is made of; None = not said. A factor is a column, never part of a name or read from one.

    ``label`` is no factor but a name of one's own for tables and figures, see :func:`with_labels`; ``date`` says when a
    system ran, as a year, a month or a day (2026-03-01), and ``colour`` and ``dash`` how it is drawn, see
    :class:`Look`: none of them tells systems apart.
    """

    task: str | None = None
    retriever: str | None = None
    generator: str | None = None
    policy: str | None = None
    dataset: str | None = None
    alpha: float | None = None
    k: int | None = None
    label: str | None = None
    date: str | None = None
    colour: str | None = None
    dash: str | None = None

    @property
    def made_of(self) -> "Factors":
        """The factors without what tells no systems apart."""
        return self._replace(label=None, date=None, colour=None, dash=None)

    def over(self, other: "Factors") -> "Factors":
        """Factors, with those of another system where these are not set."""
        values = {name: value for name, value in self._asdict().items() if value is not None}
        return other._replace(**values)

    def with_values(self, values: Mapping[str, Any]) -> "Factors":
        """Factors with some of them replaced by values under their names, such as cells of a table's row."""
        return self._replace(**values)

    @property
    def stated(self) -> dict[str, str | float]:
        """Factors that are set, in the order of columns."""
        return {name: value for name in FACTORS if (value := getattr(self, name)) is not None}


def factors_of(system: Run | RankingSample | RagOutputs) -> Factors:
    """What is recorded of a system: in the fields of answers, or the tag of sampled rankings.

    Examples:
        >>> import numpy as np
        >>> factors_of(RankingSample(
        ...     system="drawn", tag="bm25", policy="plackett-luce", alpha=2.0, query_ids=(), doc_ids=(),
        ...     query_offsets=np.array([0]), sample_offsets=np.array([0]), docs=np.array([], dtype=np.int32),
        ... )).stated
        {'retriever': 'bm25', 'policy': 'plackett-luce', 'alpha': 2.0}
    """
    if isinstance(system, RagOutputs):
        return Factors(**{name: getattr(system, name) for name in FACTORS})
    if isinstance(system, RankingSample) and system.policy is not None:
        return Factors(retriever=system.tag, policy=system.policy, alpha=system.alpha)
    return Factors()


S = TypeVar("S", RagOutputs, RankingSample)


def described(system: S, factors: Factors) -> S:
    """A system with the factors that a table names for it; what that leaves out stays as recorded."""
    whole = factors.over(factors_of(system))
    if isinstance(system, RankingSample):
        return replace(system, policy=whole.policy, alpha=whole.alpha)
    return replace(system, **{name: getattr(whole, name) for name in FACTORS})


N = TypeVar("N", bound=Run | RankingSample | RagOutputs)


def with_labels(
    systems: Sequence[N], table: Mapping[str, Factors]
) -> tuple[tuple[N, ...], dict[str, Factors], dict[str, str]]:
    """Systems under the labels that a table gives them, in its order, before those without a label.

    A label that is another system's name is not used.

    Args:
        systems: Under distinct names, or one name for what is of one system.
        table: Name of a system -> what it is made of.

    Returns:
        The systems, as they were but for their names; what they are made of, by these names; and the label of each that
        has one, by the name that it had.
    """
    names = {system.system for system in systems}
    labels = {name: factors.label for name, factors in table.items() if name in names and factors.label}
    labels = {name: label for name, label in labels.items() if label not in names}
    order = {name: index for index, name in enumerate(labels)}
    in_order = sorted(systems, key=lambda system: order.get(system.system, len(order)))
    made_of = {labels.get(name, name): factors._replace(label=None) for name, factors in table.items()}
    return tuple(_called(system, labels) for system in in_order), made_of, labels


def _called(system: N, labels: Mapping[str, str]) -> N:
    if isinstance(system, RankingSample) and system.source is not None:
        system = replace(system, source=_called(system.source, labels))
    return replace(system, system=labels[system.system]) if system.system in labels else system


# Files that share queries.


class Collection(NamedTuple):
    """Systems and judgements of the same queries.

    Attributes:
        name: The task that its systems say, else what tells the name of its judgements from the others'.
        query_ids: Queries of its judgements; of its systems where no judgements are loaded.
        systems: Names of its rankings and outputs, each once.
    """

    name: str
    query_ids: frozenset[str]
    systems: tuple[str, ...]


def collections(
    systems: Sequence[Run | RankingSample | RagOutputs], qrels: Sequence[Qrels], table: Mapping[str, Factors]
) -> tuple[Collection, ...]:
    """The collections of several files; none where there are fewer than two.

    Systems that share no query with any judgements are of none of them, unless no judgements are loaded.

    Args:
        systems: Rankings and outputs.
        qrels: All judgements.
        table: Name of a system -> what it is made of.
    """
    parts: list[set[str]] = []
    for member in (*systems, *qrels):
        shared = [part for part in parts if not part.isdisjoint(member.query_ids)]
        parts = [part for part in parts if part not in shared] if len(shared) > 1 else parts
        if len(shared) == 1:
            shared[0].update(member.query_ids)
        else:
            parts.append(set(member.query_ids).union(*shared))
    candidates: list[tuple[list[Run | RankingSample | RagOutputs], list[Qrels]]] = []
    for part in parts if len(parts) > 1 else ():
        own = [member for member in systems if not part.isdisjoint(member.query_ids)]
        judged = [member for member in qrels if not part.isdisjoint(member.query_ids)]
        if own and (judged or not qrels):
            candidates.append((own, judged))
    if len(candidates) < 2:
        return ()
    called = _shortened([(judged[0].name if judged else own[0].system) for own, judged in candidates])
    made: list[Collection] = []
    for name, (own, judged) in zip(called, candidates, strict=True):
        tasks = {table.get(member.system, Factors()).over(factors_of(member)).task for member in own} - {None}
        task = tasks.pop() if len(tasks) == 1 else None
        queries = frozenset(query for member in judged or own for query in member.query_ids)
        made.append(Collection(task or name, queries, tuple(dict.fromkeys(member.system for member in own))))
    return tuple(made)


def with_tasks(table: Mapping[str, Factors], test_collections: Sequence[Collection]) -> dict[str, Factors]:
    """What systems are made of, each of the task of its collection where it says none.

    Args:
        table: Name of a system -> what it is made of.
        test_collections: See :func:`collections`.
    """
    tasks = {system: Factors(task=collection.name) for collection in test_collections for system in collection.systems}
    return {**table, **{name: table.get(name, Factors()).over(task) for name, task in tasks.items()}}


def _shortened(names: Sequence[str]) -> list[str]:
    """Names without the words that all have, unless nothing or the same is left of some; numbered where all is equal.

    Examples:
        >>> _shortened(["qrels.dl19-passage", "qrels.dl20-passage"]), _shortened(["cacm", "rag24.test"])
        (['dl19', 'dl20'], ['cacm', 'rag24.test'])
        >>> _shortened(["qrels", "qrels"])
        ['qrels', 'qrels (2)']
    """
    words: list[list[str]] = [re.findall(r"\w+", name) for name in names]
    every = set(words[0]).intersection(*words)
    short = [" ".join(word for word in of_name if word not in every) for of_name in words] if every else list(names)
    best = short if all(short) and len({*short}) == len(names) else list(names)
    return [name if name not in best[:i] else f"{name} ({best[:i].count(name) + 1})" for i, name in enumerate(best)]


@dataclass(frozen=True, slots=True)
class Note:
    """Something a reader repaired or a person should know: ``FILE[:LINE]: message``."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        location = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{location}: {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One loaded file.

    Attributes:
        role: What it holds.
        name: As it was given.
        format: Found in it.
        digest: Sha256 of its bytes.
        folder: Of a file that comes with fairviz, seen from where its data are ("data/demo/bias/"); else empty.
    """

    role: str
    name: str
    format: str
    digest: str
    folder: str = ""

    @property
    def path(self) -> str:
        """Where commands look for it."""
        return f"{self.folder}{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True, repr=False)
class Dataset:
    """All that is loaded in one session.

    Attributes:
        name: What to call it ("Example", "rag24.test").
        runs, samples, qrels, labels, outputs: The nouns, in the order they were loaded; samples know the run that
            they were drawn from, where it is loaded.
        target: Shares of attention per group, if one was loaded.
        bounds: What shares may be over all queries together, if that was loaded; there is no target then.
        files: The files behind them.
        notes: What the readers repaired.
        texts: Optional words for ids, to show people: query id -> question.
        passages: Optional words for ids, to show people: document id -> text.
        references: Optional reference answers: query id -> answers.
        weights: How often each query is asked, above 0, by its id; None where no file says so.
        popularity: How often each document was chosen, from 0 on, by its id; None where no file says so.
        systems: What a table says that systems are made of, by their names.
        bias_items: Questions that test for social bias, one noun per file.
        bias_predictions: Answers to them, one noun per file.
        variants: Answers to demographic variants of questions, one noun per file.
        depths: Documents that a context holds in each experiment that made some of these; None: it drew no rankings.
        pairs: (system of outputs, run that fed it), as a person said; the rest is found out.
        unjoined: Rankings that were loaded and are in ``runs`` and ``samples`` no more, because they
            have no query in common with any judgements.
    """

    name: str = "Empty"
    runs: tuple[Run, ...] = ()
    samples: tuple[RankingSample, ...] = ()
    qrels: tuple[Qrels, ...] = ()
    labels: tuple[GroupLabels, ...] = ()
    target: Target | None = None
    bounds: ShareBounds | None = None
    outputs: tuple[RagOutputs, ...] = ()
    files: tuple[SourceFile, ...] = ()
    notes: tuple[Note, ...] = ()
    texts: dict[str, str] | None = None
    passages: dict[str, str] | None = None
    references: dict[str, tuple[str, ...]] | None = None
    weights: dict[str, float] | None = None
    popularity: dict[str, float] | None = None
    systems: dict[str, Factors] | None = None
    bias_items: tuple[BiasItems, ...] = ()
    bias_predictions: tuple[BiasPredictions, ...] = ()
    variants: tuple[VariantAnswers, ...] = ()
    depths: tuple[int | None, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    unjoined: tuple[Run | RankingSample, ...] = ()

    def __post_init__(self) -> None:
        runs = [*self.runs, *(system for system in self.unjoined if isinstance(system, Run))]
        object.__setattr__(self, "samples", tuple(with_sources(self.samples, runs)))

    def __repr__(self) -> str:
        roles = Counter(file.role for file in self.files)
        return f"Dataset({', '.join([repr(self.name), *(f'{role} × {n}' for role, n in roles.items())])})"

    @property
    def attributes(self) -> tuple[GroupLabels, ...]:
        """The labels, then those by every two attributes together, see :func:`~fairviz.model.judgements.crossed`."""
        return tuple(labels for labels, _ in self._attributes)

    @property
    def _attributes(self) -> list[tuple[GroupLabels, tuple[int, ...]]]:
        """Attributes with the places of the labels that they are of; a page asks for them many times."""
        if self not in _ATTRIBUTES:
            every_two = combinations(range(len(self.labels)), 2)
            pairs = [(crossed(*map(self.labels.__getitem__, two)), two) for two in every_two]
            _ATTRIBUTES[self] = [(labels, (index,)) for index, labels in enumerate(self.labels)]
            _ATTRIBUTES[self] += [(labels, two) for labels, two in pairs if labels is not None]
        return _ATTRIBUTES[self]

    def files_of(self, attribute: int) -> tuple[SourceFile, ...]:
        """The files that brought the labels of an attribute; of two attributes together the files of both.

        Labels that came as objects have none.
        """
        files = [file for file in self.files if file.role == "groups"]
        own = (files[index] for index in self._attributes[attribute][1] if index < len(files))
        return tuple({file.digest: file for file in own}.values())

    @property
    def collections(self) -> tuple[Collection, ...]:
        """Collections that the files are of, see :func:`~fairviz.model.dataset.collections`."""
        return collections((*self.runs, *self.samples, *self.outputs), self.qrels, self.systems or {})

    @property
    def planned_k(self) -> int | None:
        """Documents that a context holds in the study that made the files; None where none did."""
        return next((k for k in self.depths if k is not None), None)

    @property
    def described(self) -> "Dataset":
        """The data with what the table of systems says: factors of outputs, and whose labels judgements are.

        Of several collections each is a task, in the table as if it said so. Systems are called by their labels.
        """
        table = with_tasks(self.systems or {}, self.collections)
        outputs = [described(member, table.get(member.system, Factors())) for member in self.outputs]
        systems, made_of, labels = with_labels((*self.runs, *self.samples, *outputs), table)
        of_answers = (*(member.system for member in self.outputs), *(member.name for member in self.qrels))
        if table == (self.systems or {}) and not labels and not any(name in table for name in of_answers):
            return self
        return replace(
            self,
            runs=tuple(member for member in systems if isinstance(member, Run)),
            samples=tuple(member for member in systems if isinstance(member, RankingSample)),
            outputs=tuple(member for member in systems if isinstance(member, RagOutputs)),
            systems=made_of,
            pairs=tuple((labels.get(member, member), labels.get(run, run)) for member, run in self.pairs),
            qrels=tuple(
                replace(member, generator=member.generator or table.get(member.name, Factors()).generator)
                for member in self.qrels
            ),
        )

    def look_of(self, *systems: str) -> Look:
        """How a system is drawn: as the table says of the first of these names that it gives a look."""
        looks = (Look(factors.colour, factors.dash) for name in systems if (factors := (self.systems or {}).get(name)))
        return next((look for look in looks if any(look)), Look())

    def without(self, names: Set[str]) -> "Dataset":
        """The data with rankings of these names set aside; all stay where none would be left."""
        ranked = (*self.runs, *self.samples)
        if not names or len(set(names)) == len({system.system for system in ranked}):
            return self
        return replace(
            self,
            runs=tuple(run for run in self.runs if run.system not in names),
            samples=tuple(sample for sample in self.samples if sample.system not in names),
            unjoined=tuple(system for system in ranked if system.system in names),
        )

    @property
    def fingerprint(self) -> str:
        """Sha256 over the sorted (role, digest) of the files: equal data, equal fingerprint."""
        lines = sorted(f"{file.role} {file.digest}" for file in self.files)
        return sha256("\n".join(lines).encode()).hexdigest()

    @property
    def arrangement(self) -> str:
        """Sha256 over the files in their order as read, pairs and what is left out: results depend on these."""
        lines = [self.name, *(f"{file.role} {file.digest} {file.format}" for file in self.files)]
        lines += [f"pair {output}\t{run}" for output, run in self.pairs]
        lines += [f"unjoined {system.system}" for system in self.unjoined]
        return sha256("\n".join(lines).encode()).hexdigest()


_ATTRIBUTES: WeakKeyDictionary[Dataset, list[tuple[GroupLabels, tuple[int, ...]]]] = WeakKeyDictionary()
"""Of the data that are loaded."""
