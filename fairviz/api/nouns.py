"""What a notebook holds, as nouns: files, frames, dicts, PyTerrier's frames and ranx' objects.

Every function of the library takes any of these where it takes a noun, so that these functions are needed for a name or
an option only, or to have a large file read once.
"""

from __future__ import annotations  # signatures in the names of types, as people read them

import pathlib
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import IOBase
from os import PathLike
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, cast, runtime_checkable

import polars as pl

from fairviz.api.door import public, tell
from fairviz.errors import InputError, UsageError
from fairviz.evaluation.systems import distinct_systems, with_subtopics
from fairviz.io.bbq import read_bias_items
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.io.columns import DOC, QUERY, Stream, columns_of, is_rows, read_object, read_records, records_source
from fairviz.io.corpus import read_references
from fairviz.io.formats import sniff
from fairviz.io.groups import labels_from_qrels, labels_of_columns, read_groups
from fairviz.io.join import join_systems, refuse_missing_groups
from fairviz.io.names import folded
from fairviz.io.notes import Parsed, shown
from fairviz.io.qrels import qrels_of_columns, qrels_of_dict, read_qrels
from fairviz.io.rag import read_outputs
from fairviz.io.rankings import only_system, rankings_of_columns, read_rankings, run_of_dict
from fairviz.io.tables import read_factors, read_popularity, read_weights
from fairviz.io.targets import read_target_or_bounds
from fairviz.io.variants import read_variants
from fairviz.kernels.grouping import PRESETS, Preset
from fairviz.model import (
    BiasItems,
    BiasPredictions,
    Factors,
    GroupLabels,
    Qrels,
    RagOutputs,
    RankingSample,
    Run,
    ShareBounds,
    Target,
    TieOrder,
    VariantAnswers,
    collections,
    with_labels,
    with_tasks,
)
from fairviz.points.targets import by_attribute

Path: TypeAlias = str | PathLike[str]
Ranked: TypeAlias = Run | RankingSample


@runtime_checkable
class Convertible(Protocol):
    """A run or judgements of ranx: has ``to_dict()``, and a ``name``."""

    def to_dict(self) -> Any:
        """``{query: {document: score or grade}}``."""
        ...


Tabular: TypeAlias = Stream | pl.LazyFrame | Iterable[Mapping[str, Any] | tuple[Any, ...]]
"""A table: a frame of pandas, Polars (also lazy) or Arrow, or rows as dicts or named tuples (ir_measures' Qrel)."""
Rankings: TypeAlias = Ranked | Path | Tabular | Convertible | Mapping[Any, Mapping[Any, float] | Sequence[Any]]
"""Rankings: a noun, a file, a table, ranx' Run, ``{query: {document: score}}`` or ``{query: [best, …, last]}``."""
Judgements: TypeAlias = Qrels | Path | Tabular | Convertible | Mapping[Any, Mapping[Any, int] | Collection[Any]]
"""Judgements: a noun, a file, a table, ranx' Qrels, ``{query: {document: grade}}`` or ``{query: [relevant, …]}``."""
Labels: TypeAlias = GroupLabels | Path | Stream | Mapping[Any, Any]
"""Group labels: a noun, a file, a frame, ``{document: group}`` or ``{document: {group: weight}}``."""
Shares: TypeAlias = Target | ShareBounds | Path | Mapping[Any, Any]
"""A target: a noun, a preset such as "uniform", a file, ``{group: share}`` or ``{attribute: {group: bound}}``."""
Answers: TypeAlias = RagOutputs | Path | Stream | Sequence[Mapping[str, Any]]
"""Recorded outputs: a noun, a file, a frame, or a list of dicts."""
Frequencies: TypeAlias = Path | Stream | Mapping[Any, float]
"""How often queries are asked: a file, a frame, ``{query: weight}``."""
Counted: TypeAlias = Path | Stream | Mapping[Any, float]
"""How often documents were chosen: a file, a frame, ``{document: count}``."""
Factored: TypeAlias = Path | Stream | Mapping[str, Mapping[str, Any]]
"""What systems are made of: a table with a column ``system``, a frame of it, or ``{system: {factor: value}}``; a
``label`` is a system's name in every row."""
T = TypeVar("T")


@public
def run(source: Rankings, *, name: str | None = None, samples: bool | None = None, ties: TieOrder = "id") -> Ranked:
    """The run, or the sample of rankings, that a file, a table or a dict holds.

    A table has columns query_id (or qid), doc_id (or docno), score, and any of rank, sample, system (or name): those
    that PyTerrier and ir_datasets write. The score decides, ties by document id descending, as trec_eval has it.
    Functions that compare take a table of several systems as it is.

    Args:
        source: A path (TREC, FairTREC, JSON, tables), a frame or lazy frame, rows (dicts, ir_measures' ScoredDoc),
            ranx' Run, ``{query: {document: score}}``, or ``{query: [best, …, last]}``.
        name: What to call the system; without, as the source names it, else "run".
        samples: Whether the source holds several rankings of a query, drawn from a policy; None: found out. A dict
            holds one.
        ties: What orders tied scores of a run: "id", document ids; "rank", its ranks, where these are meant.

    Returns:
        The ``Run`` (``system``, ``query_ids``, ``doc_ids``, ``offsets`` (Q+1), ``docs`` and ``scores`` (M), best
        first), or the ``RankingSample`` where the source holds several rankings of a query.

    Raises:
        InputError: It cannot be read: names the file and line, or the frame, row and column; or holds several systems.
        UsageError: ``samples`` of a dict.

    Examples:
        >>> import fairviz as fv
        >>> bm25 = fv.run({"q1": {"a": 2.0, "b": 1.0}}, name="bm25")
        >>> bm25.system, [bm25.doc_ids[d] for d in bm25.docs]
        ('bm25', ['a', 'b'])
    """
    ranking = noun_of(only_system(_rankings(source, name=name, samples=samples, ties=ties)))
    return replace(ranking, system=name) if name else ranking


def rankings_of(source: Rankings) -> list[Ranked]:
    """The rankings of every system that a source holds; their notes are told."""
    return [noun_of(parsed) for parsed in _rankings(source).every]


def _rankings(
    source: Rankings, *, name: str | None = None, samples: bool | None = None, ties: TieOrder = "id"
) -> Parsed[Ranked]:
    """The rankings of a source; of a table those of every system that it names."""
    if isinstance(source, Run | RankingSample):
        return Parsed(value=source, file=source.system, format="")
    if isinstance(source, (str, PathLike)):
        return read_rankings(source, multi_sample=samples, ties=ties)
    lists, named = _plain(source), name or _name_of(source)
    if not isinstance(lists, Mapping):
        return rankings_of_columns(
            columns_of(lists, name=named), unnamed=named or "run", multi_sample=samples, ties=ties
        )
    if samples:
        raise UsageError("samples=True: a dict holds one ranking of a query; give a frame with a column sample")
    return run_of_dict(lists, name=named, ties=ties)


@public
def qrels(
    source: Judgements, *, name: str | None = None, generator: str | None = None, subtopics: bool | None = None
) -> Qrels:
    """The judgements that a file, a table or a dict holds.

    A table has columns query_id (or qid), doc_id (or docno), grade (or relevance, label), and optionally subtopic.
    True and False are grades of 1 and 0.

    Args:
        source: A path (TREC, JSON, tables), a frame or lazy frame, rows (dicts, ir_measures' Qrel), ranx' Qrels,
            ``{query: {document: grade}}``, or ``{query: [relevant, …]}``.
        name: What to call them.
        generator: The generator whose utility gain the grades record; None for people's.
        subtopics: Whether subtopics count; None: where a document is judged twice for a query.

    Returns:
        The ``Qrels``: ``query_ids``, ``doc_ids``, ``offsets`` (Q+1), ``docs`` and ``grades`` (M); a grade of 0 or
        less is not relevant.

    Raises:
        InputError: It cannot be read: names the file and line, or the frame, row and column.

    Examples:
        >>> import fairviz as fv
        >>> fv.qrels({"q1": {"a": 1, "b": 0}}).grades.tolist()
        [1, 0]
    """
    if isinstance(source, Qrels):
        judgements = replace(source, generator=generator) if generator else source
    elif isinstance(source, (str, PathLike)):
        judgements = noun_of(read_qrels(source, subtopics=subtopics, generator=generator))
    else:
        lists, named = _plain(source), name or _name_of(source)
        if isinstance(lists, Mapping):
            judgements = noun_of(qrels_of_dict(lists, name=named, subtopics=subtopics, generator=generator))
        else:
            table = columns_of(lists, name=named)
            judgements = noun_of(qrels_of_columns(table, name=named, subtopics=subtopics, generator=generator))
    return replace(judgements, name=name) if name else judgements


@public
def labels(source: Labels, *, name: str | None = None, labels: Literal["one", "split"] = "one") -> GroupLabels:
    """The groups of documents that a file, a frame or a dict holds.

    A table has columns doc_id (or docno), one of groups for each attribute, and any of weight, query_id. What has no
    label is unlabelled, never a group of its own; "does not apply" is no missing label: such a document is in the base
    of no share.

    Args:
        source: A path (a table with a header), a frame, a series of groups whose index holds the documents,
            ``{document: group}`` or ``{document: {group: weight}}``.
        name: What the groups are groups of ("region"); without, the name of the column. Of a table of several
            attributes the one that is wanted: :func:`load` takes them all.
        labels: What two labels of a document without weights mean: "one" refuses them, "split" gives half to each.

    Returns:
        The ``GroupLabels``: ``groups`` (G names), ``doc_ids``, ``weights`` (sparse, a row for each labelled document
        and a column for each group; a row sums to at most 1, to 0 where the attribute does not apply).

    Raises:
        InputError: It cannot be read: names the file and line, or the frame, row and column; or it has several
            attributes, and ``name`` is none of them.

    Examples:
        >>> import fairviz as fv
        >>> fv.labels({"a": "north", "b": "south", "c": None}, name="region").groups
        ('north', 'south')
    """
    if isinstance(source, GroupLabels):
        group_labels = source
    else:
        usual = None if isinstance(source, (str, PathLike)) else "group"
        group_labels = noun_of(_attribute(_labels_read(source, name=name or "", labels=labels), name or usual))
    return replace(group_labels, attribute=name) if name else group_labels


@public
def target(source: Shares) -> Target | ShareBounds | Preset:
    """The share of attention that each group should get.

    Args:
        source: ``{group: share}``, a series of it, or ``{query: {group: share}}``, a path of such JSON, or the name of
            a target that the data set: "uniform", "population", "corpus" or "relevance". Bounds of shares over all
            queries together are ``{attribute: {group: (least, largest)}}``, None for an open end, a share for an exact
            one.

    Returns:
        The ``Target`` (``groups``, ``shares`` from 0 to 1 that sum to 1), the ``ShareBounds`` (``attributes``,
        ``groups``, ``low``, ``high``), or the name of the target that the data set.

    Raises:
        InputError: Shares are negative or do not sum to 1; a least share is above the largest.

    Examples:
        >>> import fairviz as fv
        >>> fv.target({"north": 0.25, "south": 0.75}).shares.tolist()
        [0.25, 0.75]
    """
    if isinstance(source, Target | ShareBounds):
        return source
    if _is_series(source):
        source = cast("dict[Any, Any]", cast("Any", source).to_dict())
    if isinstance(source, Mapping):
        return noun_of(read_object(read_target_or_bounds, source))
    if not isinstance(cast("Any", source), (str, PathLike)):
        raise InputError(f"expected a path, a preset or a dict of shares, found {type(source).__name__}")
    preset: Preset | None = next((name for name in PRESETS if str(source).lower() == name), None)
    if preset is None and not pathlib.Path(source).exists():
        fix = f"Name a JSON file of shares, or a target that the data set: {', '.join(PRESETS)}."
        raise InputError("file not found", file=str(source), fix=fix)
    return noun_of(read_target_or_bounds(source)) if preset is None else preset


@public
def outputs(source: Answers) -> tuple[RagOutputs, ...]:
    """The recorded outputs of generators that a file, a frame or a list of dicts holds, one noun per system.

    Args:
        source: A path (JSON Lines as fairviz, TREC RAG, Ragas and others write it), a frame or a list of dicts with
            query_id, text, ranking or references, attributed, utility and what produced them.

    Returns:
        A ``RagOutputs`` for each system, in the order in which they first appear.

    Raises:
        InputError: It cannot be read: names the file and line, or the row.

    Examples:
        >>> import fairviz as fv
        >>> fv.outputs([{"system": "tiny", "query_id": "q1", "text": "Yes.", "utility": 0.5}])[0].utilities.tolist()
        [0.5]
    """
    if isinstance(source, RagOutputs):
        return (source,)
    if isinstance(cast("Any", source), Mapping):
        raise InputError("expected a path, a frame or a list of dicts, found one dict", fix="Give a list of it: [{…}].")
    return noun_of(read_records(read_outputs, source)).outputs


# What functions make of their arguments: one or several of each, with names apart.


def several(source: Any, types: type | tuple[type, ...] = (), *, rows: Collection[str] | None = None) -> list[Any]:
    """The members of a sequence or an iterator; a text, dict or table is a list by itself.

    Args:
        source: An argument of a function.
        types: Nouns that stand by themselves.
        rows: Columns by which rows of a table are known (:func:`~fairviz.io.columns.is_rows`); None: there are none.
    """
    if source is None:
        return []
    single = (str, PathLike, Mapping, Stream, Convertible)
    if not isinstance(source, Iterable) or isinstance(source, (single, types)):
        return [source]
    members = list(cast("Iterable[Any]", source))
    return [members] if rows is not None and is_rows(members, rows) else members


def systems_of(runs: Any, recorded: Any = ()) -> tuple[list[Ranked], list[RagOutputs]]:
    """Rankings and outputs, with names apart; a dict of rankings names them."""
    if isinstance(runs, Mapping) and all(map(_is_ranking, cast("Mapping[Any, Any]", runs).values())):
        by_name = cast("Mapping[Any, Any]", runs)
        ranked = [(run(system, name=str(name)), file_of(system)) for name, system in by_name.items()]
    else:
        sources = several(runs, (Run, RankingSample), rows=QUERY)
        ranked = [(ranking, file_of(source)) for source in sources for ranking in rankings_of(source)]
    answers = [(part, file_of(system)) for system in several(recorded, RagOutputs, rows=()) for part in outputs(system)]
    return (
        distinct_systems([system for system, _ in ranked], [file or system.system for system, file in ranked]),
        distinct_systems([system for system, _ in answers], [file or system.system for system, file in answers]),
    )


def _is_ranking(source: Any) -> bool:
    """Whether a value of a dict is a system's rankings, and not the scores of a query."""
    if isinstance(source, Mapping):
        scores = list(cast("Mapping[Any, Any]", source).values())
        return bool(scores) and all(isinstance(score, (Mapping, list, tuple)) for score in scores)
    kinds = (Run, RankingSample, str, PathLike, Stream, pl.LazyFrame, Convertible)
    return is_rows(source, QUERY) or isinstance(source, kinds)


def _labels_read(source: Any, *, name: str = "", labels: Literal["one", "split"] = "one") -> Parsed[GroupLabels]:
    """The labels by every attribute of a file, a frame, a series or a dict."""
    if isinstance(source, (str, PathLike)):
        return read_groups(cast("Path", source), labels=labels)
    if _is_series(source):  # whose index holds the documents
        source = source.rename_axis("doc_id").rename(source.name or "group").reset_index()
    by_doc = _weights_of_labels(cast("Any", source)) if isinstance(source, Mapping) else source
    return labels_of_columns(columns_of(by_doc, name=name), name=name, labels=labels)


def _attribute(parsed: Parsed[GroupLabels], name: str | None) -> Parsed[GroupLabels]:
    """The labels by one attribute of a table.

    Raises:
        InputError: It has several, and none is called so.
    """
    by_name = {folded(each.value.attribute): each for each in parsed.every}
    if name is not None and folded(name) in by_name:
        return by_name[folded(name)]
    if parsed.more:
        reason = (
            f"which column holds the groups? It has: {', '.join(shown(each.value.attribute) for each in parsed.every)}"
        )
        raise InputError(reason, file=parsed.file, fix="Say name=… of one of them, or load them all by fv.load.")
    return parsed


def _weights_of_labels(labels: Mapping[Any, Any]) -> pl.DataFrame:
    """Rows of documents, groups and weights of ``{document: {group: weight}}`` or ``{document: group}``."""
    rows: list[tuple[str, str, str | None]] = []
    for doc, label in labels.items():
        if isinstance(label, (list, tuple, set)):
            kind = type(cast("Any", label)).__name__
            reason = f"document {shown(str(doc))}: expected a group or {{group: weight}}, found {kind}"
            raise InputError(reason, file=type(labels).__name__, fix="Give {document: {group: weight}}.")
        weights = cast("Mapping[Any, Any]", label) if isinstance(label, Mapping) else {label: 1.0}
        named = ((group, weight) for group, weight in weights.items() if group is not None)  # None is no label
        rows += [(str(doc), str(group), None if weight is None else str(weight)) for group, weight in named]
    return pl.DataFrame(rows, schema=dict.fromkeys(("doc_id", "group", "weight"), pl.String), orient="row")


def judgements_of(sources: Any) -> list[Qrels]:
    """Judgements of people, and of generators: one of each for a query.

    Raises:
        UsageError: Two of one generator, or two of people, judge the same query.
    """
    judgements = [qrels(source) for source in several(sources, Qrels, rows=QUERY)]
    judged: set[tuple[str | None, str]] = set()
    for source in judgements if len(judgements) > 1 else ():
        own = {(source.generator, query) for query in source.query_ids}
        if shared := own & judged:
            owner = "people" if source.generator is None else repr(source.generator)
            whom = f"{owner} for query {min(query for _, query in shared)}"
            raise UsageError(f"--qrels: two judgements of {whom}; name the generator of one: fv.qrels(…, generator=…)")
        judged |= own
    return judgements


def groups_of(
    sources: Labels | Iterable[Labels] | Literal["qrels"] | None, judged: Sequence[Qrels]
) -> list[GroupLabels]:
    """Groups of documents by every attribute of one source or several, a table's columns in turn.

    Args:
        sources: What holds them; "qrels": the subtopics of the judgements; None: there are none.
        judged: The judgements.

    Raises:
        UsageError: Two attributes have one name.
    """
    if sources is None or (isinstance(sources, str) and sources == "qrels"):
        return [labels_from_qrels(with_subtopics(judged))] if sources else []
    labellings: list[GroupLabels] = []
    for source in several(sources, GroupLabels, rows=DOC):
        is_noun = isinstance(source, GroupLabels)
        labellings += [source] if is_noun else [noun_of(each) for each in _labels_read(source).every]
    attributes = [labelling.attribute for labelling in labellings]
    if shared_name := next((name for name in attributes if attributes.count(name) > 1), None):
        raise UsageError(f"--groups: two attributes are called {shared_name!r}; name one: fv.labels(…, name=…)")
    return labellings


def aim_for(
    shares: Shares | None, every: Sequence[GroupLabels], *, several_attributes: bool, allow_missing_groups: bool
) -> Target | ShareBounds | Preset | None:
    """A target of groups of the first attribute, or what is asked of several attributes.

    Args:
        shares: The target.
        every: Labels by each attribute; none: the target is taken as it is.
        several_attributes: Whether bounds, and shares of several attributes, can be kept to.
        allow_missing_groups: Whether a group without a label may have a share.

    Raises:
        InputError: A target gives a share to a group that no label has, and nobody allowed that.
        UsageError: It bounds shares, and these cannot be kept to.
    """
    aim = None if shares is None else target(shares)
    if isinstance(aim, ShareBounds) and not several_attributes:
        only = 'only policy_lab and rerank(…, "amortised") keep to'
        raise UsageError(f"target= holds least and largest shares, which {only}")
    of_one = isinstance(aim, Target) and not (several_attributes and by_attribute(aim, every))
    if of_one and every and not allow_missing_groups:
        refuse_missing_groups(every[0], aim, file=file_of(shares), allow="allow_missing_groups=True")
    return aim


def references_of(source: Path | Mapping[Any, Any] | None) -> Mapping[str, tuple[str, ...]] | None:
    """Right answers per query: a file, or ``{query: answers}``."""
    if isinstance(source, Mapping):
        rows = [{"query_id": query, "answers": several(answers)} for query, answers in source.items()]
        return noun_of(read_records(read_references, rows))
    return None if source is None else noun_of(read_references(source))


def frequencies_of(source: Frequencies | None) -> dict[str, float] | None:
    """How often queries are asked: a file, a frame, or ``{query: weight}``."""
    return _amounts_of(source, read_weights, "query_id", "weight")


def popularity_of(source: Counted | None) -> dict[str, float] | None:
    """How often documents were chosen: a file, a frame, or ``{document: count}``."""
    return _amounts_of(source, read_popularity, "doc_id", "count")


def _amounts_of(
    source: Counted | None, read: Callable[..., Parsed[dict[str, float]]], key: str, value: str
) -> dict[str, float] | None:
    """A number for each id: of a file, of a frame with two columns, or of a mapping."""
    if source is None:
        return None
    rows = [{key: name, value: n} for name, n in source.items()] if isinstance(source, Mapping) else source
    return noun_of(read_records(read, rows))


def factors_of_systems(
    source: Factored | None, systems: Sequence[Ranked | RagOutputs], qrels: Sequence[Qrels]
) -> tuple[tuple[Ranked | RagOutputs, ...], dict[str, Factors], dict[str, str]]:
    """Systems under their labels with what they are made of, collections as tasks; rows that name none are told."""
    factors = {} if source is None else _factors(source)
    if source is not None:
        tell(join_systems(factors, [system.system for system in systems], qrels, file_of(source) or "systems"))
    return with_labels(systems, with_tasks(factors, collections(systems, qrels, factors)))


def _factors(source: Factored) -> dict[str, Factors]:
    if isinstance(source, Mapping):
        for name, factors in source.items():
            if not isinstance(cast("Any", factors), Mapping):
                raise UsageError(f"systems= says of {name} no dict of factors, such as {{'retriever': 'bm25'}}")
        source = cast("Any", [{"system": name, **factors} for name, factors in source.items()])
    elif not isinstance(cast("Any", source), (str, PathLike, Stream)):
        raise UsageError(f"systems= takes a path, a frame or a dict of dicts, found a {type(source).__name__}")
    return noun_of(read_records(read_factors, cast("Any", source)))


def noun_of(parsed: Parsed[T]) -> T:
    """What was read; its notes are told."""
    tell(parsed.notes)
    return parsed.value


def _is_series(source: Any) -> bool:
    """Whether it is a series of pandas; where nobody has loaded pandas, it is none."""
    pandas: Any = sys.modules.get("pandas")
    return pandas is not None and isinstance(source, pandas.Series)


def _plain(source: Any) -> Any:
    """Ranx' objects as the dicts that they hold, iterators as the rows that they give."""
    if isinstance(source, Convertible) and not (isinstance(source, (Stream, Mapping)) or _is_series(source)):
        return source.to_dict()  # a series of pandas, which is no stream before 2.3, is refused by its name
    return list(source) if isinstance(source, Iterator) and not isinstance(source, IOBase) else source


def _name_of(source: Any) -> str:
    """What ranx calls its object."""
    name = getattr(source, "name", None)
    return name if isinstance(name, str) and not isinstance(source, Stream) else ""


def file_of(source: Any) -> str:
    """Where it was read from; "" where it was in memory."""
    return str(cast("Path", source)) if isinstance(source, (str, PathLike)) else ""


N = TypeVar("N", BiasItems, BiasPredictions, VariantAnswers)


def bias_of(answers: Any, items: Any) -> tuple[list[BiasItems], list[BiasPredictions]]:
    """Questions and answers to them.

    Args:
        answers: One or several files, frames or lists of dicts.
        items: One or several files, frames or lists of dicts; None: those that logs hold.

    Raises:
        InputError: Something cannot be read.
        UsageError: There are no questions.
    """
    answered = several(answers, BiasPredictions, rows=())
    questions = several(items, BiasItems, rows=()) or [source for source in answered if _holds_items(source)]
    if not questions:
        raise UsageError("items= is needed: what was given holds answers only")
    return (
        [_read(read_bias_items, source, BiasItems) for source in questions],
        [_read(read_bias_predictions, source, BiasPredictions) for source in answered],
    )


def variants_of(answers: Any) -> list[VariantAnswers]:
    """Answers to variants of questions, one or several files, frames or lists of dicts."""
    return [_read(read_variants, source, VariantAnswers) for source in several(answers, VariantAnswers, rows=())]


def runs_by_name(runs: Any) -> dict[str, Run]:
    """Runs by what says of which questions they are: the key of a dict, else their file."""
    by_key: Mapping[str, Any] = cast("Mapping[str, Any]", runs) if isinstance(runs, Mapping) else {}
    named: dict[str, Run] = {}
    for name, source in by_key.items() or [(file_of(source), source) for source in several(runs, Run, rows=QUERY)]:
        ranked = _one_ranking(run(source))
        named[name or ranked.system] = ranked
    return named


def _read(read: Callable[[Any], Parsed[N]], source: Any, noun: type[N]) -> N:
    if isinstance(source, noun):
        return source
    return noun_of(read_records(read, source))


def _holds_items(source: Any) -> bool:
    """Whether answers come with their questions: logs of other tools, BBQ's published results."""
    if isinstance(source, BiasPredictions):
        return False
    file = cast("Path", source) if isinstance(source, (str, PathLike)) else records_source(source)
    return sniff(file).role == "bias-items"


def _one_ranking(ranked: Ranked) -> Run:
    if not isinstance(ranked, Run):
        fix = "Give a run with one ranking per query."
        raise InputError("a sample of rankings, not a run", file=ranked.system, fix=fix)
    return ranked
