"""Collections: files that share queries, directly or through others; those of two collections share none.

Numbers of two collections are never compared or averaged: each is a task.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fairviz.model.factors import Factors, factors_of
from fairviz.model.judgements import Qrels
from fairviz.model.outputs import RagOutputs
from fairviz.model.rankings import RankingSample, Run


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
    for one in (*systems, *qrels):
        shared = [part for part in parts if not part.isdisjoint(one.query_ids)]
        parts = [part for part in parts if part not in shared] if len(shared) > 1 else parts
        if len(shared) == 1:
            shared[0].update(one.query_ids)
        else:
            parts.append(set(one.query_ids).union(*shared))
    found: list[tuple[list[Run | RankingSample | RagOutputs], list[Qrels]]] = []
    for part in parts if len(parts) > 1 else ():
        own = [one for one in systems if not part.isdisjoint(one.query_ids)]
        judged = [one for one in qrels if not part.isdisjoint(one.query_ids)]
        if own and (judged or not qrels):
            found.append((own, judged))
    if len(found) < 2:
        return ()
    called = _told_apart([(judged[0].name if judged else own[0].system) for own, judged in found])
    made: list[Collection] = []
    for name, (own, judged) in zip(called, found, strict=True):
        said = {table.get(one.system, Factors()).over(factors_of(one)).task for one in own} - {None}
        task = said.pop() if len(said) == 1 else None
        queries = frozenset(query for one in judged or own for query in one.query_ids)
        made.append(Collection(task or name, queries, tuple(dict.fromkeys(one.system for one in own))))
    return tuple(made)


def with_tasks(table: Mapping[str, Factors], found: Sequence[Collection]) -> dict[str, Factors]:
    """What systems are made of, each of the task of its collection where it says none.

    Args:
        table: Name of a system -> what it is made of.
        found: See :func:`collections`.
    """
    tasks = {system: Factors(task=one.name) for one in found for system in one.systems}
    return {**table, **{name: table.get(name, Factors()).over(task) for name, task in tasks.items()}}


def _told_apart(names: Sequence[str]) -> list[str]:
    """Names without the words that all have, unless nothing or the same is left of some; numbered where all is equal.

    Examples:
        >>> _told_apart(["qrels.dl19-passage", "qrels.dl20-passage"]), _told_apart(["cacm", "rag24.test"])
        (['dl19', 'dl20'], ['cacm', 'rag24.test'])
        >>> _told_apart(["qrels", "qrels"])
        ['qrels', 'qrels (2)']
    """
    words = [re.findall(r"\w+", name) for name in names]
    every = set(words[0]).intersection(*words)
    short = [" ".join(word for word in of_name if word not in every) for of_name in words] if every else list(names)
    best = short if all(short) and len({*short}) == len(names) else list(names)
    return [name if name not in best[:i] else f"{name} ({best[:i].count(name) + 1})" for i, name in enumerate(best)]
