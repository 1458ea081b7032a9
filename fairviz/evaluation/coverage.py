"""What each loaded system has and lacks: judged queries, judged and labelled documents at k, recorded outputs.

Counted for all systems alike, so that a gap stands where it is: a measure of a system is undefined, or a bound, where
its row has one. Systems are runs, sampled rankings, and recorded outputs that no loaded ranking fed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from fairviz.display.words import DOCUMENTS, Finding, count, listing, plural
from fairviz.evaluation.systems import Pairing, Ranked, depth_of, judging_without, unjoined
from fairviz.kernels.attention import TopK
from fairviz.kernels.exposure import exposure_bounds, target_exposure, varies
from fairviz.kernels.grouping import membership, unlabelled_part
from fairviz.kernels.pool import pool
from fairviz.model import Dataset, GroupLabels, Note, Qrels, RagOutputs, RankingSample, Run
from fairviz.model.arrays import segment_places

Kind: TypeAlias = Literal["run", "samples", "outputs"]


Queries: TypeAlias = frozenset[str]


def families(of: Iterable[Queries]) -> list[tuple[list[Queries], Queries]]:
    """Sets of queries that meet, directly or through others, with all queries of each family; empty sets are in none.

    Examples:
        >>> [(len(members), "".join(sorted(all))) for members, all in families(map(frozenset, ("ab", "c", "bd", "")))]
        [(1, 'c'), (2, 'abd')]
    """
    made: list[tuple[list[Queries], Queries]] = []
    for queries in filter(None, of):
        met = [family for family in made if not family[1].isdisjoint(queries)]
        members = [queries, *(member for inner, _ in met for member in inner)]
        reach = queries.union(*(reach for _, reach in met))
        made = [*(family for family in made if family not in met), (members, reach)]
    return made


def not_ranked_by_all(labels: Qrels, rankings: Sequence[Ranked]) -> Queries:
    """Judged queries that only some of the rankings have, of those that share any: curves are over the others."""
    judged = frozenset(labels.query_ids)
    return not_of_all(judged.intersection(ranked.query_ids) for ranked in rankings)


def not_of_all(of: Iterable[Queries]) -> Queries:
    """Queries that only some sets of a family have; of a family without a common query none, since no other would stay.

    Examples:
        >>> [sorted(not_of_all(map(frozenset, of))) for of in (("ab", "abc", "d"), ("ab", "bc", "cd"))]
        [['c'], []]
    """
    left_out: list[Queries] = []
    for (first, *more), reach in families(dict.fromkeys(of)):
        common = first.intersection(*more)
        left_out += [reach - common] if common else []
    return frozenset[str]().union(*left_out)


def without_common(of: Mapping[str, Queries]) -> dict[str, int]:
    """Systems that share queries with others, of a family that has none in common, with how many each has of its own.

    Examples:
        >>> without_common({"a": frozenset("pq"), "b": frozenset("qrs"), "c": frozenset("sp"), "d": frozenset("x")})
        {'a': 2, 'b': 3, 'c': 2}
    """
    chained = [reach for (first, *more), reach in families(of.values()) if not first.intersection(*more)]
    return {name: len(own) for name, own in of.items() if any(own and own <= reach for reach in chained)}


def on_own_queries(system: str, n: int) -> Note:
    """What is said of a system whose numbers are over n queries that not all beside it have."""
    why = f"over its own {plural(n, 'query', 'queries')}: none is common to all systems that share some with it"
    return Note(system, None, why)


def on_common_queries(labels: Qrels, rankings: Sequence[Ranked]) -> Qrels:
    """The judgements without queries that not all of the rankings have, see :func:`not_ranked_by_all`."""
    left_out = not_ranked_by_all(labels, rankings)
    return judging_without(labels, left_out) if left_out else labels


class Covered(NamedTuple):
    """So many of so many.

    Examples:
        >>> Covered(3, 4).share, Covered(0, 0).share
        (0.75, nan)
    """

    n: int
    of: int

    @property
    def share(self) -> float:
        """``n / of``, NaN of nothing."""
        return self.n / self.of if self.of else float("nan")

    @property
    def lacking(self) -> int:
        """How many are missing."""
        return self.of - self.n


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRankings:
    """Rankings beside the judgements that they are measured against.

    Attributes:
        qrels: Name of the judgements.
        evaluated, alike, unjudged: Queries of the rankings: with a value of EE-D and EE-R at k, whose candidates all
            have one gain (undefined), without judgements.
        missing: Judged queries that the rankings lack.
        places: Of the first k places of judged queries, those with a judged document.
        grades: Ranked documents of the judged queries by grade: 0 or less, 1, 2, 3 or more.
        items_unjudged: Ranked documents of the judged queries without a judgement.
        trouble: (reason, remedy) where the two have no query in common.
    """

    qrels: str
    evaluated: int
    alike: int
    unjudged: int
    missing: tuple[str, ...]
    places: Covered
    grades: tuple[int, int, int, int]
    items_unjudged: int
    trouble: tuple[str, str] | None

    @property
    def queries(self) -> Covered:
        """Judged queries, of those of the rankings."""
        n = self.evaluated + self.alike
        return Covered(n, n + self.unjudged)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemCoverage:
    """One system's row.

    Attributes:
        system, kind, policy, alpha: What it is; a policy is None for a run and where none is recorded.
        n_queries, n_lists: Queries with a list, and lists: several for each query where they are sampled.
        depth: Documents in its longest list; 0 without lists.
        judged: Beside its judgements; None where no judgements are loaded, or the system has no lists.
        labelled: Of the places of the first k that an attribute applies to, those with a label, for each attribute;
            empty without lists.
        n_answers: Recorded outputs that were made from its lists.
        answered: Its queries that have one.
        generators: Who wrote them.
    """

    system: str
    kind: Kind
    policy: str | None = None
    alpha: float | None = None
    n_queries: int
    n_lists: int
    depth: int
    judged: JudgedRankings | None
    labelled: tuple[Covered, ...]
    n_answers: int
    answered: Covered
    generators: tuple[str, ...]


def coverage(
    loaded: Dataset, judgements: Sequence[Qrels | None], pairs: Sequence[Pairing], *, k: int
) -> tuple[SystemCoverage, ...]:
    """The row of every system: runs, then samples, then outputs that belong to none of them.

    Args:
        loaded: The data.
        judgements: What each of its runs and samples is measured against, in their order; None for nothing. Outputs
            with lists of their own are measured against the first that speak of their queries.
        pairs: Which run fed each of its outputs, in their order.
        k: Documents that count.
    """
    ranked = [*loaded.runs, *loaded.samples]
    made: list[list[RagOutputs]] = [[] for _ in ranked]
    alone: list[RagOutputs] = []
    for outputs, pairing in zip(loaded.outputs, pairs, strict=True):
        at = _source(outputs, pairing, ranked)
        (alone if at is None else made[at]).append(outputs)
    rows = [
        _row(ranking, qrels, loaded.labels, outputs, k)
        for ranking, qrels, outputs in zip(ranked, judgements, made, strict=True)
    ]
    candidates = [qrels for qrels in (*judgements, *loaded.qrels) if qrels is not None]
    return (*rows, *(_alone(outputs, _first_of(outputs, candidates), loaded.labels, k) for outputs in alone))


def n_systems(loaded: Dataset, pairs: Sequence[Pairing]) -> int:
    """How many systems the data have: the rows of :func:`coverage`."""
    ranked = [*loaded.runs, *loaded.samples]
    fed = (_source(outputs, pairing, ranked) for outputs, pairing in zip(loaded.outputs, pairs, strict=True))
    return len(ranked) + sum(source is None for source in fed)


def lead_of(loaded: Dataset, pairs: Sequence[Pairing]) -> str:
    """What is loaded, and its mark."""
    systems = n_systems(loaded, pairs)
    files = plural(len({file.name for file in loaded.files}), "file")
    judged = {query for qrels in loaded.qrels for query in qrels.query_ids}
    queries = f" and {plural(len(judged), 'judged query', 'judged queries')}" if judged else ""
    return f"{plural(systems, 'system') if systems else files}{queries}, fingerprint {loaded.fingerprint[:12]}."


def _first_of(outputs: RagOutputs, qrels: Sequence[Qrels]) -> Qrels | None:
    """The first judgements that speak of the queries of outputs; the first of all where none do."""
    queries = set(outputs.query_ids)
    return next(
        (judgements for judgements in qrels if not queries.isdisjoint(judgements.query_ids)), next(iter(qrels), None)
    )


def evaluable_title(rows: Sequence[SystemCoverage]) -> str:
    """How many queries can be evaluated, of several systems how many; empty where nothing is judged."""
    judged = [row.judged for row in rows if row.judged is not None]
    if not judged:
        return ""
    if len(judged) == 1:
        return f"{count(judged[0].evaluated)} of {plural(judged[0].queries.of, 'query', 'queries')} can be evaluated"
    evaluated = [of.evaluated for of in judged]
    usable = sorted(n for n in evaluated if n)
    each = " each" if len(usable) > 1 else ""
    ends = " to ".join(dict.fromkeys(count(n) for n in usable[:-1][:1] + usable[-1:]))
    queries = f" ({ends} {'query' if ends == '1' else 'queries'}{each})" if usable else ""
    whole = "Both" if len(evaluated) == 2 else f"All {len(evaluated)}"
    systems = whole if len(usable) == len(evaluated) else f"{len(usable)} of {len(evaluated)}"
    return f"{systems} systems can be used{queries}"


def coverage_finding(
    rows: Sequence[SystemCoverage], attributes: Sequence[str], *, k: int, unit: str = DOCUMENTS
) -> Finding:
    """How many systems have a gap, and which; outputs are a gap only where some system has them.

    Args:
        rows: A row per system.
        attributes: Names of the loaded labels.
        k: Ranks that are examined.
        unit: What is ranked.
    """
    judged = [row.judged for row in rows if row.judged is not None]
    answered = any(row.n_answers for row in rows)
    unlabelled = [row for row in rows if any(part.lacking for part in row.labelled)]
    kinds = (
        ([row for row in rows if row.judged is not None and row.judged.queries.lacking], "queries without judgements"),
        (
            [row for row in rows if row.judged is not None and row.judged.places.lacking],
            f"unjudged {unit} among the first {k}",
        ),
        (unlabelled, f"unlabelled {unit} ({listing(list(attributes))})"),
        ([row for row in rows if answered and not row.n_answers], "no recorded outputs"),
    )
    clauses = [f"{count(len(some))} {'has' if len(some) == 1 else 'have'} {what}" for some, what in kinds if some]
    gaps = {id(row) for some, _ in kinds for row in some}
    loaded = (("judgements", judged), ("group labels", attributes), ("outputs", answered))
    absent = [what for what, presence in loaded if not presence]
    none = [f"No {listing(absent, 'or')} are loaded."] if absent else []
    sentence = " ".join([f"{'; '.join(clauses)}."] * bool(clauses) + none)
    if not gaps and not judged:
        return Finding("No judgements to compare with", sentence)
    if len(rows) == 1:
        return Finding(f"{rows[0].system} has {'' if gaps else 'no '}gaps", sentence)
    have = "has" if len(gaps) == 1 else "have"
    number = count(len(gaps)) if gaps else "None"
    return Finding(f"{number} of {plural(len(rows), 'system')} {have} gaps", sentence)


def _source(outputs: RagOutputs, pairing: Pairing, ranked: Sequence[Ranked]) -> int | None:
    """Place of the rankings that fed outputs: those of their policy and α, else the run where they had its list."""
    of_policy = outputs.policy not in (None, "deterministic")
    for at, ranking in enumerate(ranked):
        if ranking.system != pairing.run:
            continue
        if isinstance(ranking, Run):
            if not (of_policy and outputs.given_from == "ranking"):
                return at
        elif (ranking.policy, ranking.alpha) == (outputs.policy, outputs.alpha):
            return at
    return None


def _row(
    ranked: Ranked, qrels: Qrels | None, attributes: Sequence[GroupLabels], made: Sequence[RagOutputs], k: int
) -> SystemCoverage:
    lists = ranked.to_polars().filter(pl.col("rank") <= k)
    answered = {query for outputs in made for query in outputs.query_ids} & set(ranked.query_ids)
    sampled = isinstance(ranked, RankingSample)
    return SystemCoverage(
        system=ranked.system,
        kind="samples" if sampled else "run",
        policy=ranked.policy if sampled else None,
        alpha=ranked.alpha if sampled else None,
        n_queries=len(ranked.query_ids),
        n_lists=ranked.sample_offsets.size - 1 if sampled else len(ranked.query_ids),
        depth=depth_of(ranked),
        judged=None if qrels is None else _judged(ranked, qrels, lists, k),
        labelled=tuple(_labelled(lists, labels) for labels in attributes),
        n_answers=sum(len(outputs.texts) for outputs in made),
        answered=Covered(len(answered), len(ranked.query_ids)),
        generators=tuple(dict.fromkeys(outputs.generator or outputs.system for outputs in made)),
    )


def _alone(outputs: RagOutputs, qrels: Qrels | None, attributes: Sequence[GroupLabels], k: int) -> SystemCoverage:
    """The row of outputs that no loaded ranking fed: their own lists, where they record them, else none."""
    recorded = outputs.given_from == "ranking"
    no_lists = np.zeros(1, dtype=np.int64)
    lists = RankingSample(
        system=outputs.system,
        policy=outputs.policy,
        alpha=outputs.alpha,
        query_ids=outputs.query_ids if recorded else (),
        doc_ids=outputs.doc_ids,
        query_offsets=outputs.offsets if recorded else no_lists,
        sample_offsets=outputs.given_offsets if recorded else no_lists,
        docs=outputs.given if recorded else outputs.given[:0],
    )
    n = len(outputs.query_ids)
    row = _row(lists, qrels if recorded else None, attributes if recorded else (), (outputs,), k)
    return replace(row, kind="outputs", answered=Covered(n, n))


def _judged(ranked: Ranked, qrels: Qrels, places: pl.DataFrame, k: int) -> JudgedRankings:
    pools = pool(ranked, qrels)
    attention = TopK(k)
    bounds = exposure_bounds(target_exposure(pools, attention), pools.offsets, attention)
    has_ranking = pools.n_retrieved > 0
    defined = has_ranking & varies(*bounds.relevance) & varies(*bounds.disparity)
    retrieved = segment_places(pools.offsets) < np.repeat(pools.n_retrieved, pools.sizes)
    steps = np.clip(pools.gains[retrieved & pools.judged], 0, 3).astype(int)
    grade_0, grade_1, grade_2, grade_3 = np.bincount(steps, minlength=4).tolist()
    judged = qrels.to_polars()
    of_judged = places.filter(pl.col("query_id").is_in(list(qrels.query_ids)))
    trouble = None
    if not has_ranking.any():
        reasons = ((ranking.reason, ranking.fix) for ranking in unjoined([ranked], [qrels]))
        trouble = next(reasons, ("no query has ranked items", ""))
    return JudgedRankings(
        qrels=qrels.name,
        evaluated=int(defined.sum()),
        alike=int((has_ranking & ~defined).sum()),
        unjudged=len(pools.unjudged_queries),
        missing=pools.missing_queries,
        places=Covered(of_judged.join(judged, on=["query_id", "doc_id"], how="semi").height, of_judged.height),
        grades=(grade_0, grade_1, grade_2, grade_3),
        items_unjudged=int((retrieved & ~pools.judged).sum()),
        trouble=trouble,
    )


def _labelled(places: pl.DataFrame, labels: GroupLabels) -> Covered:
    rows = pl.DataFrame({"doc_id": list(labels.doc_ids), "outside": labels.not_applicable})
    keys = ["doc_id"]
    if labels.query_ids is not None:
        query_ids = pl.Series(list(labels.query_ids), dtype=pl.String)
        rows, keys = rows.with_columns(query_id=query_ids), ["query_id", "doc_id"]
    outside = places.join(rows, on=keys)["outside"]
    n_outside = int(outside.sum())
    return Covered(outside.len() - n_outside, places.height - n_outside)


class GroupSizes(NamedTuple):
    """Documents of each group of one attribute, soft labels counted by weight.

    Attributes:
        sizes: (group, documents).
        not_applicable: Ranked documents to which the attribute does not apply.
        unlabelled: Ranked documents without a label, and parts of documents.
        n_documents: Other ranked documents; those of the table where no ranking is loaded.
        n_elsewhere: Labelled documents that no ranking has.
        system: The one whose documents are counted, once per query, where labels differ per query; else empty.
        is_ranked: Whether rankings are loaded.
    """

    sizes: tuple[tuple[str, float], ...]
    not_applicable: int
    unlabelled: float
    n_documents: int
    n_elsewhere: int
    system: str
    is_ranked: bool

    def whose(self, unit: str) -> str:
        """Whose documents, a ``unit`` each, are counted, and how often."""
        if self.system:
            return f"the {unit} of {self.system}, once per query"
        return f"the {unit} that the loaded rankings hold" if self.is_ranked else f"the labelled {unit}"


def group_sizes(data: Dataset, labels: GroupLabels) -> GroupSizes:
    """Count what the loaded rankings hold by group; of the table itself without a ranking."""
    ranked, system = (*data.runs, *data.samples), ""
    if labels.query_ids is not None and ranked:
        pools, system = pool(ranked[0], None), ranked[0].system
        members = membership(pools, labels)
        weights, unlabelled, total = members.weights, float(members.unlabelled.sum()), pools.docs.size
        outside = int(members.not_applicable.sum())
        n_labelled = int((weights.sum(axis=1) > 0).sum())
    else:
        doc_ids = {doc for each in ranked for doc in each.doc_ids}
        rows = [row for row, doc in enumerate(labels.doc_ids) if doc in doc_ids or not doc_ids]
        weights, outside = labels.weights[rows], int(labels.not_applicable[rows].sum())
        total = len(doc_ids) or len(labels.doc_ids)
        weight_sums = np.asarray(weights.sum(axis=1), dtype=np.float64).reshape(-1, 1)
        unlabelled = total - len(rows) + float(unlabelled_part(weight_sums).sum()) - outside
        n_labelled = len(rows) - outside
    sizes = np.asarray(weights.sum(axis=0), dtype=np.float64).ravel()
    return GroupSizes(
        sizes=tuple(zip(labels.groups, sizes.tolist(), strict=True)),
        not_applicable=outside,
        unlabelled=unlabelled,
        n_documents=total - outside,
        n_elsewhere=max(int((~labels.not_applicable).sum()) - n_labelled, 0),
        system=system,
        is_ranked=bool(ranked),
    )
