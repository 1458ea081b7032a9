"""What systems gave: one scored list per query, samples of a policy with their run, answers of a generator.

A sample names its run by the tag of its file. Systems are renamed to be told apart; tags stay, so that a sample finds
its run whatever both are called by now.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar, cast, get_args

import numpy as np
import polars as pl

from fairviz.model.arrays import (
    DocIds,
    FloatArray,
    Ids,
    IndexArray,
    IntArray,
    check_distinct,
    check_indices,
    check_offsets,
    frozen,
    offsets_of,
    positions,
    segment_ids,
    segment_places,
    union,
)
from fairviz.model.rows import Noun, TrecRows, ids_at, to_ranx

if TYPE_CHECKING:
    from fairviz.model.judgements import Qrels

TieOrder: TypeAlias = Literal["id", "rank"]
"""What orders documents of one score: their ids, descending, or the rank column of their file."""
System = TypeVar("System")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Run(TrecRows):
    """Scored documents per query, each query in ranked order.

    Ranked order is score descending, ties by document id descending (trec_eval's rule) unless ``ties`` says otherwise;
    position p within a query is rank p + 1.

    Attributes:
        system: Name of what produced the scores (the file's first run tag).
        query_ids: Q distinct query ids, in file order.
        doc_ids: D distinct document ids; ``docs`` points into them.
        offsets: (Q+1) rows of query q are ``offsets[q]:offsets[q+1]``.
        docs: (M) document index of each row.
        scores: (M) finite scores, falling within a query.
        tag: Name in the file, which stays when the system is renamed; the system's name unless given.
        ties: What orders tied documents: their ids, which is arbitrary, or the ranks of the file, which is meant.
        file: That it was loaded from; empty where it was not.
    """

    system: str
    query_ids: tuple[str, ...]
    doc_ids: DocIds
    offsets: IntArray
    docs: IndexArray
    scores: FloatArray
    tag: str = ""
    ties: TieOrder = "id"
    file: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tag", self.tag or self.system)
        check_distinct(self.query_ids, "query ids")
        check_offsets(self.offsets, len(self.query_ids), self.docs.size, "run")
        check_indices(self.docs, len(self.doc_ids), "run documents")
        if self.scores.shape != self.docs.shape or not np.isfinite(self.scores).all():
            raise ValueError("run: one finite score per row is needed")
        frozen(self.offsets, self.docs, self.scores)

    @property
    def query_rows(self) -> IntArray:
        """(Q+1) rows of query q are ``query_rows[q]:query_rows[q+1]``."""
        return self.offsets

    def to_polars(self) -> pl.DataFrame:
        """The rows as a Polars frame, best first; see :meth:`frame`."""
        query_ids, doc_ids = ids_at(self.query_ids, segment_ids(self.offsets)), ids_at(self.doc_ids, self.docs)
        ranked = {"rank": segment_places(self.offsets) + 1, "score": self.scores}
        rows = pl.DataFrame({"query_id": query_ids, "doc_id": doc_ids, **ranked})
        return rows.with_columns(system=pl.lit(self.system))

    def to_ranx(self) -> Any:
        """The run as ranx' ``Run``.

        Raises:
            ImportError: The package ranx is not installed.
        """
        return to_ranx(self, "Run", "score", name=self.system)


ScoreScale: TypeAlias = Literal["given", "ranks", "zscore"]
"""What a policy sees of the scores; see :mod:`fairviz.policies.scales`."""

SCORE_SCALES: tuple[ScoreScale, ...] = get_args(ScoreScale)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RankingSample(TrecRows):
    """Rankings drawn from a policy: S samples over Q queries.

    Attributes:
        system: Name of the system whose scores were randomised.
        policy: Name of the policy, where known ("plackett-luce", …).
        alpha: Its fairness control, where it has one.
        scores: What the policy saw of the scores.
        offset: Of its logits, (s + offset)^α.
        tag: Name of that system in the file, which stays when the sample is renamed.
        source: The run that it was drawn from, where it is loaded, else all that samples of that run show
            (:func:`with_sources`); its items are the candidates.
        query_ids: Q distinct query ids.
        doc_ids: D distinct document ids; ``docs`` points into them.
        query_offsets: (Q+1) samples of query q are ``query_offsets[q]:query_offsets[q+1]``.
        sample_offsets: (S+1) rows of sample s are ``sample_offsets[s]:sample_offsets[s+1]``.
        docs: (M) document index at each rank, best first.
        file: That it was loaded from; empty where it was not.
    """

    system: str
    query_ids: tuple[str, ...]
    doc_ids: DocIds
    query_offsets: IntArray
    sample_offsets: IntArray
    docs: IndexArray
    policy: str | None = None
    alpha: float | None = None
    scores: ScoreScale = "given"
    offset: float = 1.0
    tag: str = ""
    source: "Run | RankingSample | None" = None
    file: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tag", self.tag or self.system)
        check_distinct(self.query_ids, "query ids")
        n_samples = self.sample_offsets.size - 1
        check_offsets(self.query_offsets, len(self.query_ids), n_samples, "samples of queries")
        check_offsets(self.sample_offsets, n_samples, self.docs.size, "sampled rankings")
        check_indices(self.docs, len(self.doc_ids), "sampled documents")
        frozen(self.query_offsets, self.sample_offsets, self.docs)

    @property
    def n_samples(self) -> IntArray:
        """(Q) rankings drawn for each query."""
        return np.diff(self.query_offsets)

    @property
    def query_rows(self) -> IntArray:
        """(Q+1) rows of all samples of query q are ``query_rows[q]:query_rows[q+1]``."""
        return self.sample_offsets[self.query_offsets]

    @property
    def n_shown(self) -> IntArray:
        """(Q) distinct documents that the samples of each query show."""
        return np.diff(everything([self]).sample_offsets)

    def to_polars(self) -> pl.DataFrame:
        """The rows as a Polars frame, sample by sample, numbered from 1 within a query; see :meth:`frame`."""
        lists = segment_ids(self.sample_offsets)
        queries = segment_ids(self.query_offsets)[lists]
        samples = pl.Series(lists - self.query_offsets[queries] + 1).cast(pl.String)
        of_lists = {"query_id": ids_at(self.query_ids, queries), "sample": samples}
        ranked = {"doc_id": ids_at(self.doc_ids, self.docs), "rank": segment_places(self.sample_offsets) + 1}
        return pl.DataFrame(of_lists | ranked).with_columns(system=pl.lit(self.system))


def with_sources(systems: Iterable[System], runs: Sequence[Run]) -> list[System]:
    """The systems, samples with their candidates: the run that they were drawn from, else all that those of a tag show.

    EE-D is scaled by the candidates. Few documents are shown at a large α, more at a small one: if each sample had its
    own, EE-D would move with them, too. Where two samples of a tag are of one policy and α, they are not of one run.
    """
    matched: list[System | RankingSample] = [
        _with_run(system, runs) if isinstance(system, RankingSample) else system for system in systems
    ]
    of_tag: dict[str, list[RankingSample]] = {}
    for sample in matched:
        if isinstance(sample, RankingSample) and not isinstance(sample.source, Run):
            of_tag.setdefault(_as_tag(sample.tag), []).append(sample)
    shared: dict[int, RankingSample] = {}
    for members in of_tag.values():
        policies = {(member.policy, member.alpha, member.scores, member.offset) for member in members}
        if len(members) == len(policies) > 1:
            sources = {id(member.source): member.source for member in members if member.source is not None}
            if len(sources) != 1 or any(member.source is None for member in members):
                together = everything([*members, *sources.values()])
                shared |= {id(member): replace(member, source=together) for member in members}
    return [cast("System", shared.get(id(system), system)) for system in matched]


def everything(lists: Sequence[Run | RankingSample]) -> RankingSample:
    """Every document of any list, once per query."""
    queries, docs = Ids.of(()), Ids.of(())
    parts: list[pl.Series] = []
    for ranked in lists:
        (queries, query), (docs, doc) = union(queries, ranked.query_ids), union(docs, ranked.doc_ids)
        pairs = query[segment_ids(ranked.query_rows)].astype(np.int64) << 32 | doc[ranked.docs]  # as one number
        parts.append(pl.Series(pairs).unique(maintain_order=True))
    shown = pl.concat(parts).unique(maintain_order=True).to_numpy()
    shown = shown[np.argsort(shown >> 32, kind="stable")]
    return RankingSample(
        system=lists[0].system,
        query_ids=tuple(queries),
        doc_ids=docs,
        query_offsets=np.arange(len(queries) + 1),
        sample_offsets=offsets_of(shown >> 32, len(queries)),
        docs=shown.astype(np.int32),  # the lower half
    )


def candidates_words(sample: Run | RankingSample) -> str:
    """What EE-D, EE-R and EE-L are scaled by: whose documents are the candidates, and how many."""
    source, missing = sample.source if isinstance(sample, RankingSample) else sample, ""
    if isinstance(source, Run):
        whose, sizes = f"the documents of {source.system}", np.diff(source.offsets)
    else:
        whose = f"the documents that samples of {sample.tag} show" if source else "the documents that it shows"
        sizes = (source or cast("RankingSample", sample)).n_shown
        missing = f"; its run (tag {sample.tag}) is not loaded, or several of that tag fit alike: give that run, too"
    least, most = int(sizes.min(initial=sizes.max(initial=0))), int(sizes.max(initial=0))
    n = f", {least} to {most} per query" if least < most else f", {most} per query"
    return f"candidates: {whose}{n}, and the judged ones{missing}"


def _with_run(sample: RankingSample, runs: Sequence[Run]) -> RankingSample:
    """The sample with the run that it was drawn from; unchanged where that is not among these.

    It is the run of the sample's tag. Of several, the one that holds most of what the sample shows; where two hold as
    much, it is not known.
    """
    named = sources_of(sample, runs)
    if len(named) > 1:
        both = [aligned(sample, run) for run in named]
        overlaps = [shown.unique().join(rows, on=("query", "doc"), how="semi").height for shown, rows in both]
        named = [run for run, n in zip(named, overlaps, strict=True) if n == max(overlaps)]
    if len(named) != 1 or sample.source is named[0]:
        return sample
    return replace(sample, source=named[0])


def sources_of(sample: RankingSample, runs: Sequence[Run]) -> list[Run]:
    """Runs of the sample's tag that have a query in common with it."""
    named = [run for run in runs if _as_tag(run.tag) == _as_tag(sample.tag)]
    return [run for run in named if not set(run.query_ids).isdisjoint(sample.query_ids)]


def _as_tag(name: str) -> str:
    """A name as a file of TREC's columns holds it: without blanks."""
    return "_".join(name.split())


def aligned(ranked: Run | RankingSample, other: "Run | Qrels") -> tuple[pl.DataFrame, pl.DataFrame]:
    """``query`` and ``doc`` of the rows of rankings, and of another table: their places in its ids, −1 for none."""
    queries, docs = positions(ranked.query_ids, other.query_ids), positions(ranked.doc_ids, other.doc_ids)
    rows = pl.DataFrame({"query": queries[segment_ids(ranked.query_rows)], "doc": docs[ranked.docs]})
    return rows, pl.DataFrame({"query": segment_ids(other.offsets), "doc": other.docs.astype(np.int64)})


# Recorded outputs of retrieval-augmented generation.


GivenFrom: TypeAlias = Literal["ranking", "references", "nowhere"]
"""Where the items given to the generator were recorded."""


Sentence: TypeAlias = tuple[str, tuple[str, ...]]
"""A sentence of an answer, and the documents that it cites, each once."""


class RagAnswer(NamedTuple):
    """One recorded output.

    Attributes:
        sample: Its id within the query.
        text: The answer.
        sentences: Its sentences with the items that each cites; empty where that is not recorded.
        given: Items given to the generator, best first.
        used: Items that the answer uses.
        utility: As recorded; NaN where it was not.
        date: The day of it as 2026-03-01; empty where it is not recorded.
        paired: Whether ``given`` are the first items of the run, for want of a record.
    """

    sample: str
    text: str
    sentences: tuple[Sentence, ...]
    given: tuple[str, ...]
    used: tuple[str, ...]
    utility: float
    date: str = ""
    paired: bool = False

    @property
    def outside(self) -> tuple[str, ...]:
        """Items that it uses although they were not given."""
        return tuple(doc for doc in self.used if doc not in self.given)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RagOutputs(Noun):
    """O answers to Q queries by one system (retriever, policy, α, generator).

    Attributes:
        system: Name of the system (the file's run id).
        query_ids: Q distinct query ids.
        doc_ids: D distinct document ids; ``given`` and ``attributed`` point into them.
        offsets: (Q+1) outputs of query q are ``offsets[q]:offsets[q+1]``.
        samples: (O) sample id of each output, unique within a query.
        given_from: "ranking" if the list given to the generator was recorded, "references" if
            only a reference list is known, "nowhere" if neither.
        given_offsets: (O+1) rows of ``given`` of each output.
        given: Documents given to the generator, best first.
        attributed_offsets: (O+1) rows of ``attributed`` of each output.
        attributed: Distinct documents that the output cites.
        texts: (O) answers.
        utilities: (O) recorded utility, NaN where none was recorded.
        sentences: (O) the sentences of each answer, whose text they make with a space between them, as TREC RAG records
            it; () where no answer does.
        dates: (O) the day of each output as 2026-03-01, empty where it is not recorded; () where none is.
        retriever, generator, policy, alpha, task, k, dataset: What produced the outputs, where recorded;
            ``policy`` "deterministic" is the baseline, "oracle" counts for ``norm='best'``.
        tag: Name in the file, which stays when the system is renamed; the system's name unless given.
        file: That they were read from; empty where they were not read.
    """

    system: str
    query_ids: tuple[str, ...]
    doc_ids: DocIds
    offsets: IntArray
    samples: tuple[str, ...]
    given_from: GivenFrom
    given_offsets: IntArray
    given: IndexArray
    attributed_offsets: IntArray
    attributed: IndexArray
    texts: tuple[str, ...]
    utilities: FloatArray
    sentences: tuple[tuple[Sentence, ...], ...] = ()
    dates: tuple[str, ...] = ()
    task: str | None = None
    retriever: str | None = None
    generator: str | None = None
    policy: str | None = None
    alpha: float | None = None
    k: int | None = None
    dataset: str | None = None
    tag: str = ""
    file: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tag", self.tag or self.system)
        n_outputs = len(self.samples)
        check_distinct(self.query_ids, "query ids")
        check_offsets(self.offsets, len(self.query_ids), n_outputs, "outputs of queries")
        check_offsets(self.given_offsets, n_outputs, self.given.size, "given items")
        check_offsets(self.attributed_offsets, n_outputs, self.attributed.size, "attributed items")
        check_indices(self.given, len(self.doc_ids), "given items")
        check_indices(self.attributed, len(self.doc_ids), "attributed items")
        if len(self.texts) != n_outputs or self.utilities.shape != (n_outputs,):
            raise ValueError("outputs: one text and one utility per output are needed")
        if {len(self.dates), len(self.sentences)} - {0, n_outputs}:
            raise ValueError("outputs: a date of each is needed, and its sentences, or none of any")
        frozen(self.offsets, self.given, self.attributed, self.utilities)

    @property
    def n_samples(self) -> IntArray:
        """(Q) outputs recorded for each query."""
        return np.diff(self.offsets)

    def answers(self, q: int) -> list[RagAnswer]:
        """The outputs of query ``q``."""

        def names(docs: IndexArray) -> tuple[str, ...]:
            return tuple(self.doc_ids[doc] for doc in docs.tolist())

        return [
            RagAnswer(
                sample=self.samples[o],
                text=self.texts[o],
                sentences=self.sentences[o] if self.sentences else (),
                given=names(self.given[self.given_offsets[o] : self.given_offsets[o + 1]]),
                used=names(self.attributed[self.attributed_offsets[o] : self.attributed_offsets[o + 1]]),
                utility=float(self.utilities[o]),
                date=self.dates[o] if self.dates else "",
            )
            for o in range(int(self.offsets[q]), int(self.offsets[q + 1]))
        ]


class Mixture(NamedTuple):
    """A policy over R rankings of n items.

    Attributes:
        chances: (R) chance of each ranking, summing to 1.
        orders: (R, n) item positions of each, best first.

    Examples:
        >>> even = Mixture(np.array([0.5, 0.5]), np.array([[0, 1, 2], [1, 0, 2]]))
        >>> even.exposure(np.array([1.0, 0.5]))
        array([0.75, 0.75, 0.  ])
    """

    chances: FloatArray
    orders: IntArray

    @classmethod
    def of_list(cls, order: IntArray) -> "Mixture":
        """One ranking, which is always shown."""
        return cls(np.ones(1), order[None])

    def exposure(self, weights: FloatArray) -> FloatArray:
        """(n) expected attention of every item, for attention at ranks 1, 2, …; 0 below its end."""
        seen = self.orders[:, : weights.size]
        attention = np.outer(self.chances, weights[: seen.shape[1]])
        n_items = self.orders.shape[1]
        sums = np.bincount(seen.ravel(), attention.ravel(), minlength=n_items)
        return sums.astype(np.float64, copy=False)

    def draw(self, *, n_samples: int, rng: np.random.Generator) -> IntArray:
        """(n_samples, n) rankings drawn with these chances.

        Raises:
            ValueError: If there is no ranking to draw.
        """
        if not self.chances.size:
            raise ValueError("there is no ranking to draw: the policy is empty")
        return self.orders[rng.choice(self.chances.size, size=n_samples, p=self.chances)]
