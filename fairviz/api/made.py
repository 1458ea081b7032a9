"""Runs made of runs, fused or re-ranked towards a target; the two catalogues, and what people add to them."""

from __future__ import annotations  # signatures in the names of types, as people read them

from collections.abc import Callable, Iterable, Mapping
from json import dumps
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from fairviz.api.door import Result, frame_of, public, tell
from fairviz.api.functions import check
from fairviz.api.nouns import (
    Frequencies,
    Judgements,
    Labels,
    Ranked,
    Rankings,
    Shares,
    aim_for,
    frequencies_of,
    groups_of,
    judgements_of,
    systems_of,
)
from fairviz.api.nouns import run as run_of
from fairviz.display.methods import measures_table, rerankers_table
from fairviz.errors import InputError, UsageError
from fairviz.evaluation.fuse import fusion_notes, reciprocal_rank_fusion
from fairviz.io.formats import READERS, Format, add_format
from fairviz.io.source import Role
from fairviz.kernels.attention import add_attention
from fairviz.metrics.catalogue import add_measure
from fairviz.metrics.describe import Better
from fairviz.metrics.own import own_measure
from fairviz.model import Run
from fairviz.points.curves import with_scores
from fairviz.points.limits import words_of
from fairviz.points.reranking import rerank_run
from fairviz.reranking.catalogue import add_reranker, find_reranker, own_reranker
from fairviz.studies.check.analysis import CheckAnalysis

if TYPE_CHECKING:
    import pandas as pd


@public
def rerank(
    run: Rankings,
    method: str,
    *,
    groups: Labels | Iterable[Labels] | Literal["qrels"] | None = None,
    target: Shares | None = None,
    weights: Frequencies | None = None,
    allow_missing_groups: bool = False,
    k: int | None = None,
    qrels: Judgements | Iterable[Judgements] | None = None,
    group: str | None = None,
    repeats: int = 1,
    samples: int | None = None,
    seed: int = 0,
    **options: float | str,
) -> Ranked:
    """Re-rank every query of a run towards a target.

    What ``fairviz rerank`` writes. Lists keep all their items: below rank k they follow in the order of the run. A
    query without a target keeps its order.

    Args:
        run: A run with scores, see :func:`run`.
        method: "det-greedy", "det-cons", "fa-ir" and others; ``fairviz rerank --help`` lists them with their options.
        groups: Groups of documents, see :func:`labels`; "qrels": the subtopics of the judgements. For "amortised" by
            several attributes, of which the first counts where the target names none.
        target: Share of attention of each group, see :func:`target`; for "amortised" also bounds of several attributes,
            ``{"region": {"Africa": (0.15, None)}}``.
        weights: How often each query is asked, above 0, for "amortised": ``{query: weight}``, or a file or frame with
            the columns query_id and weight. Queries without keep their lists. None: all are asked alike.
        allow_missing_groups: Let the target give a share to a group that no label has, which is often misspelt.
        k: Ranks to decide; None: all.
        qrels: Judgements, for methods that read them.
        group: The protected group, for fa-ir; None: the smaller of two.
        repeats: Independent lists of a random method.
        samples: Rankings drawn from a policy, k ranks each; None: 100, for "amortised" one list of each query.
        seed: Of the draws.
        **options: The method's own, such as ``epsilon=0.3``.

    Returns:
        A run, called SYSTEM+METHOD, whose scores fall by 1 from rank to rank; of a policy, or with repeats, a sample.

    Raises:
        InputError: Something cannot be read, or no document has a group.
        UsageError: The method or an option is not known, or something that it needs is missing.

    Examples:
        >>> import fairviz as fv
        >>> bm25 = fv.run({"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}, name="bm25")
        >>> region = {"a": "north", "b": "north", "c": "south", "d": "south"}
        >>> fair = fv.rerank(bm25, "det-greedy", groups=region, target="uniform", k=4)
        >>> fair.system, [fair.doc_ids[d] for d in fair.docs]
        ('bm25+det-greedy', ['a', 'c', 'b', 'd'])

        Over all queries together the cheapest lists change:

        >>> both = fv.run({"q": {"a": 4.0, "b": 3.0, "c": 1.0}, "r": {"a": 4.0, "b": 3.9, "c": 3.8}}, name="bm25")
        >>> region = fv.labels({"a": "north", "b": "north", "c": "south"}, name="region")
        >>> fair = fv.rerank(both, "amortised", groups=region, target={"region": {"south": (0.15, None)}}, k=2)
        >>> [fair.doc_ids[d] for d in fair.docs]
        ['a', 'b', 'c', 'a', 'c', 'b']
    """
    reranker = find_reranker(method)
    ranked = run_of(run)
    judged = judgements_of(qrels)
    several = reranker.all_queries
    every = groups_of(groups, judged)
    aim = aim_for(target, every, several_attributes=several, allow_missing_groups=allow_missing_groups)
    reranked, notes = rerank_run(
        with_scores(ranked, ranked.system),
        reranker,
        labels=every,
        target=aim,
        judged=judged,
        k=k,
        seed=seed,
        group=group,
        repeats=repeats,
        samples=samples,
        options=options,
        frequencies=frequencies_of(weights),
    )
    tell(notes)
    return reranked


@public
def fuse(
    runs: Rankings | Iterable[Rankings],
    *,
    rrf_k: int = 60,
    depth: int | None = None,
    top: int | None = None,
    tag: str = "rrf",
) -> Run:
    """Merge runs by reciprocal rank fusion: a score is the sum of 1 / (rrf_k + rank) over the runs that rank the item.

    The same as ``fairviz fuse``. Cormack et al. (2009), "Reciprocal rank fusion outperforms Condorcet and individual
    rank learning methods", SIGIR.

    Args:
        runs: Two or more: nouns, files, frames, ranx' Runs or dicts, see :func:`run`; ``{name: run}`` names them.
        rrf_k: How little the first ranks stand out.
        depth: The last rank of each run that counts; None: all.
        top: Documents kept per query; None: all.
        tag: What the fused system is called.

    Returns:
        The queries of all runs, each with all documents ranked for it by any run.

    Raises:
        InputError: Something cannot be read.
        UsageError: There are fewer than two runs, or one holds several rankings of a query.

    Examples:
        >>> import fairviz as fv
        >>> fused = fv.fuse([{"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0, "c": 1.0}}])
        >>> [fused.doc_ids[d] for d in fused.docs]
        ['b', 'a', 'c']
    """
    ranked, _ = systems_of(runs)
    if len(ranked) < 2:
        raise UsageError("fuse needs two or more runs")
    if sample := next((system for system in ranked if not isinstance(system, Run)), None):
        raise UsageError(f"{sample.system}: a sample of rankings, not a run")
    fused_runs = [run for run in ranked if isinstance(run, Run)]
    fused = reciprocal_rank_fusion(fused_runs, k=rrf_k, depth=depth, top=top, name=tag)
    tell(fusion_notes(fused_runs, fused))
    return fused


@public
def measures(*names: str) -> pd.DataFrame:
    """Every measure of fairviz: its formula, which way it improves, its range, what it needs, and its source.

    The same as ``fairviz measures``, which lists those of ir_measures and the parameters, too.

    Args:
        *names: Only these, such as "EED".

    Returns:
        A row per measure.

    Raises:
        UsageError: There is no measure of that name.

    Examples:
        >>> import fairviz as fv
        >>> fv.measures("AWRF")[["name", "better"]].values.tolist()
        [['AWRF', 'lower']]
    """
    return frame_of(measures_table(names))


@public
def rerankers(*names: str) -> pd.DataFrame:
    """The methods of :func:`rerank`: what each does, its options, what it needs, and its source.

    Args:
        *names: Only these, such as "det-greedy".

    Returns:
        A row per method.

    Raises:
        UsageError: There is no method of that name.

    Examples:
        >>> import fairviz as fv
        >>> fv.rerankers("fa-ir")["needs"].tolist()
        ['groups, target']
    """
    return frame_of(rerankers_table(names))


def assert_within(limits: Any, /, *args: Any, **kwargs: Any) -> None:
    """Hold systems to limits in a test: nothing happens unless one is broken.

    Args:
        limits: A file of limits, a statement such as ``"nDCG@10 >= 0.4"``, or a list of these.
        args: Data, as :func:`check` takes them.
        kwargs: Further data and settings of :func:`check`; with ``strict=True`` a limit of which nobody can tell fails,
            too.

    Raises:
        AssertionError: A limit is broken; a line for each.
        FairvizError: As :func:`check`.
    """
    refuse_broken(check(*args, limits=limits, **kwargs))


def refuse_broken(result: Result) -> None:
    """Fail on the result of :func:`check`, as a test does.

    Raises:
        AssertionError: A limit is broken, or nobody can tell and the check was strict; a line for each.
    """
    analysis = cast("CheckAnalysis", result.analysis)
    if analysis.code:
        failed = ("broken", "cannot tell") if analysis.strict else ("broken",)
        raise AssertionError("\n".join(words_of(row) for row in analysis.judged if row.outcome in failed))


# People's own measures, re-rankers and formats beside those of fairviz.


F = TypeVar("F", bound=Callable[..., Any])


def _adding(add: Callable[[Any], object]) -> Callable[[F], F]:
    """A decorator that adds a function and gives it back."""

    def added(function: F) -> F:
        add(function)
        return function

    return added


def measure(name: str, *, better: Better, range: tuple[float, float] = (0.0, 1.0), title: str = "") -> Callable[[F], F]:
    """Add a measure: a function of arrays, one query or one list at a time.

    Its parameters say what it reads: ``gains`` and ``pool_gains`` (usefulness of the list's documents, of all
    candidates), ``groups`` (documents × groups), ``target``, ``scores``, ``k``; with ``exposure`` (attention on every
    candidate) it is called once per query, else once per list in the order of its ranks. Keyword-only parameters with
    a default stand in measure strings. It returns a number, NaN where it is undefined.

    Args:
        name: As typed, such as ``"Coverage@k"``: with ``@k`` it needs a cutoff.
        better: "higher", "lower" or "closest to 0".
        range: Smallest and largest value.
        title: In words; else the first line of the docstring.

    Returns:
        A decorator that gives the function back.

    Raises:
        UsageError: Another measure has the name, or a parameter is nothing that a measure reads.
    """
    return _adding(lambda function: add_measure(own_measure(function, name, better=better, range=range, title=title)))


def attention(name: str) -> Callable[[F], F]:
    """Add a model of attention: a function of one rank, 1, 2, …, that gives the attention which that rank gets.

    It is named wherever attention is: ``EED(browsing='NAME')@5`` and other measures, ``--attention``, ``--browsing``.
    Attention is above 0 at the first rank, never below 0, and never rises; what it is relative to does not matter for
    shares. Where weights are all there is to say, no function is needed: ``attention=[1, 0.6, 0.4]``.

    Args:
        name: As typed, such as ``"eyes-on-phones"``.

    Returns:
        A decorator that gives the function back.

    Raises:
        UsageError: Another model has the name.
    """
    return _adding(lambda function: add_attention(name, function))


def reranker(name: str, *, label: str = "", summary: str = "") -> Callable[[F], F]:
    """Add a re-ranker: a function that gives the positions of one query's documents in their new order.

    Its parameters say what it reads: ``groups`` (documents × groups, best first), ``target``, ``gains`` (None where
    nobody judged), ``n``, ``k``, ``rng``. Keyword-only parameters with a number as default are its options.

    Args:
        name: As typed, such as ``"round-robin"``.
        label: As printed; else the name.
        summary: What it does, in a sentence; else the first line of the docstring.

    Returns:
        A decorator that gives the function back.

    Raises:
        UsageError: Another re-ranker has the name, or a parameter is nothing that a re-ranker reads.
    """
    return _adding(lambda function: add_reranker(own_reranker(function, name, label=label, summary=summary)))


def format(label: str, role: Role, *, recognises: Callable[[str], bool]) -> Callable[[F], F]:
    """Add a format: a function that makes records of a file's text, which are read like any table.

    Args:
        label: In words for people, such as "lists of our search log".
        role: What files of it hold: "run" (records with query_id, doc_id, score or rank), "qrels" (query_id, doc_id,
            grade), "groups", "rag", "bias-predictions", "variants", and others, see the reference of formats.
        recognises: Whether the beginning of a text is of it.

    Returns:
        A decorator that gives the function back; it takes a text and returns mappings. What it raises is a line about
        the file that is read; what is wrong with a record names its row, counted from 0. Parquet is no text: its tables
        are read by the names of their columns, and refused where these are of no table.

    Raises:
        UsageError: Nothing is read of this role.
    """
    if role not in READERS:
        raise UsageError(f"{role!r} is nothing that a file holds; there are {', '.join(READERS)}")

    def add(function: Callable[[str], Iterable[Mapping[str, object]]]) -> None:
        def translate(text: str, file: str) -> bytes:
            try:
                lines = [dumps(dict(record), ensure_ascii=False) for record in function(text)]
            except Exception as error:  # whatever somebody's own function raises is about their function
                reason = f"{label}: {type(error).__name__}: {error}"
                raise InputError(reason, file=file, fix="Mend the file, or the function that reads it.") from error
            if not lines:
                raise InputError(f"{label}: no records", file=file, fix="Look into the file, or at what recognises it.")
            return "\n".join([*lines, ""]).encode()

        add_format(Format(role, label, lambda head: recognises(head.text), translate=translate))

    return _adding(add)
