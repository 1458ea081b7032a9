"""Do two files speak of the same queries, documents, groups, items or systems? What matches, what does not, and why."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple, TypeAlias

import numpy as np

from fairviz.errors import InputError
from fairviz.io.bbq_targets import folded
from fairviz.io.logs import text_key
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import Source
from fairviz.kernels.grouping import missing_groups
from fairviz.model import (
    BiasItems,
    BiasPredictions,
    Dataset,
    Factor,
    Factors,
    GroupLabels,
    IntArray,
    Note,
    Qrels,
    RagOutputs,
    RankingSample,
    Run,
    Target,
)
from fairviz.model.arrays import segment_ids
from fairviz.numerals import count, part_of, plural

NAMED_SYSTEMS = 3
"""Systems that a note names; more are counted."""
FEW = 0.1
"""Share of documents below which a person is told that few match."""


class Join(NamedTuple):
    """How two files match.

    Attributes:
        common: What both name (queries, or groups).
        only_left: What only the first names.
        only_right: What only the second names.
        n_rows: Rows of the first that could match (retrieved documents).
        n_matched: Those that do (judged or labelled documents).
        notes: What a person should know.
    """

    common: tuple[str, ...]
    only_left: tuple[str, ...]
    only_right: tuple[str, ...]
    n_rows: int
    n_matched: int
    notes: tuple[Note, ...]


def join_qrels(
    ranked: Run | RankingSample,
    qrels: Qrels,
    *,
    file: str | None = None,
    lines: Mapping[str, int] | None = None,
) -> Join:
    """Match rankings with judgements.

    Args:
        ranked: A run or sampled rankings.
        qrels: Judgements.
        file: The file to name in notes; the system by default.
        lines: First line of each query of the rankings, where known.

    Raises:
        InputError: They have no query in common.
    """
    notes = NoteBook(file or ranked.system)
    join = _match(ranked.query_ids, qrels.query_ids, notes, "query", "the qrels")
    for query in join.only_left:
        message = f"query {shown(query)} is not in the qrels: ignored"
        notes.add(message, (lines or {}).get(query), kind="not judged")
    for query in join.only_right:
        message = f"query {shown(query)} has judgements but no results: undefined, counted"
        notes.add(f"{message} (0 in ir-measures)", kind="no results")
    n_rows, n_judged = _judged(ranked, qrels)
    if n_judged <= FEW * n_rows:
        examples = f": {shown(ranked.doc_ids[0], 30)} here, {shown(qrels.doc_ids[0], 30)} there"
        share = f"{100 * n_judged / max(n_rows, 1):.0f} % of retrieved documents are judged"
        notes.add(share + ("" if n_judged else examples))
    return join._replace(n_rows=n_rows, n_matched=n_judged, notes=notes.collected)


def join_groups(ranked: Run | RankingSample, labels: GroupLabels, *, file: str | None = None) -> Join:
    """Match rankings with group labels.

    Args:
        ranked: A run or sampled rankings.
        labels: Group labels.
        file: The file to name in notes; the attribute by default.

    Raises:
        InputError: No labelled document occurs in the rankings.
    """
    notes = NoteBook(file or labels.attribute)
    in_groups = {
        doc for doc, outside in zip(labels.doc_ids, labels.not_applicable.tolist(), strict=True) if not outside
    }
    n_labelled, n_outside = (
        int(np.array([doc in docs for doc in ranked.doc_ids], dtype=np.bool_)[ranked.docs].sum())
        for docs in (in_groups, set(labels.doc_ids) - in_groups)
    )
    n_rows = ranked.docs.size - n_outside  # to the others the attribute does not apply: they lack no label
    if n_labelled + n_outside == 0:
        there = ", ".join(shown(doc, 30) for doc in ranked.doc_ids[:2])
        here = ", ".join(shown(doc, 30) for doc in labels.doc_ids[:2])
        reason = f"no labelled document occurs in the run: {here} here, {there} there"
        fix = "Label documents by the ids that the run uses."
        raise InputError(reason, file=notes.file, fix=fix)
    if n_rows and n_labelled <= FEW * n_rows:
        share = 100 * n_labelled / n_rows
        notes.add(f"{share:.0f} % of retrieved documents have a group label")
    return Join(labels.groups, (), (), n_rows, n_labelled, notes.collected)


def join_target(
    labels: GroupLabels,
    target: Target,
    *,
    file: str | None = None,
    lines: Mapping[str, int] | None = None,
) -> Join:
    """Match group labels with target shares.

    Args:
        labels: Group labels.
        target: Shares per group.
        file: The file to name in notes; the attribute by default.
        lines: First line of each group, where known.

    Raises:
        InputError: They have no group in common.
    """
    notes = NoteBook(file or labels.attribute)
    join = _match(labels.groups, target.groups, notes, "group", "the target")
    for group in join.only_left:
        message = f"group {shown(group)} has no target share"
        notes.add(message, (lines or {}).get(group), kind="no share")
    for group in join.only_right:
        notes.add(f"target group {shown(group)} has no labelled document", kind="no document")
    return join._replace(notes=notes.collected)


def refuse_missing_groups(labels: GroupLabels, target: Target, *, file: str, allow: str) -> None:
    """Refuse a target that gives a share to a group which no label has: all documents would miss it.

    Args:
        labels: Group labels.
        target: Shares per group.
        file: The target's file; empty where it is none.
        allow: How the caller says that the group is meant to have no document.

    Raises:
        InputError: Naming the group, the nearest label and those that there are.
    """
    if missing := missing_groups(labels, target):
        raise InputError(
            f"no label names {misnamed(labels, missing)}, which the target gives a share",
            file=file,
            fix=f"The labels name {', '.join(map(shown, labels.groups))}. Mend the name, or give {allow} where the "
            "group is meant to have no document.",
        )


def misnamed(labels: GroupLabels, groups: Sequence[str]) -> str:
    """Groups that no label names, each with the nearest label where one is near."""
    near = {group: get_close_matches(group, labels.groups, n=1) for group in groups}
    return ", ".join(
        f"{shown(group)} (nearest: {shown(like[0])})" if like else shown(group) for group, like in near.items()
    )


def join_outputs(
    outputs: RagOutputs, queries: Sequence[str], *, file: str | None = None, there: str = "the run"
) -> Join:
    """Match recorded outputs with the queries of a run or of judgements.

    Args:
        outputs: Recorded outputs.
        queries: Query ids of the other file.
        file: The file to name in notes; the system by default.
        there: What to call the other file.

    Raises:
        InputError: They have no query in common.
    """
    notes = NoteBook(file or outputs.system)
    join = _match(outputs.query_ids, queries, notes, "query", there)
    for query in join.only_left:
        notes.add(f"query {shown(query)} is not in {there}", kind="not there")
    return join._replace(notes=notes.collected)


def _match(left: Sequence[str], right: Sequence[str], notes: NoteBook, what: str, other: str) -> Join:
    known_left, known_right = set(left), set(right)
    common = tuple(name for name in left if name in known_right)
    if not common:
        examples = (", ".join(shown(name, 30) for name in side[:2]) for side in (left, right))
        reason = f"no {what} in common with {other}: {' here, '.join(examples)} there"
        raise InputError(reason, file=notes.file, fix=_likely_cause(known_left, known_right))
    only_left = tuple(name for name in left if name not in known_right)
    only_right = tuple(name for name in right if name not in known_left)
    return Join(common, only_left, only_right, 0, 0, ())


def _likely_cause(left: Collection[str], right: Collection[str]) -> str:
    if {name.casefold() for name in left} & {name.casefold() for name in right}:
        return "The ids differ only by upper and lower case; write them alike."
    if _numbers(left) & _numbers(right):
        return "The ids hold the same numbers, written differently (1, 001, q1); write them alike."
    return "Check that both files belong to the same collection."


def _numbers(names: Collection[str]) -> set[str]:
    digits = ("".join(c for c in name if c.isdigit()) for name in names)
    return {number.lstrip("0") or "0" for number in digits if number}


def _judged(ranked: Run | RankingSample, qrels: Qrels) -> tuple[int, int]:
    """Retrieved documents of judged queries, and how many of them are judged."""
    query_of = {query: q for q, query in enumerate(qrels.query_ids)}
    doc_of = {doc: d for d, doc in enumerate(qrels.doc_ids)}
    queries = np.array([query_of.get(query, -1) for query in ranked.query_ids], dtype=np.int64)
    docs = np.array([doc_of.get(doc, -1) for doc in ranked.doc_ids], dtype=np.int64)
    bounds = ranked.offsets if isinstance(ranked, Run) else _query_bounds(ranked)
    row_query, row_doc = queries[segment_ids(bounds)], docs[ranked.docs]
    has_qrels = row_query >= 0
    both = has_qrels & (row_doc >= 0)
    judged = segment_ids(qrels.offsets) * len(doc_of) + qrels.docs
    rows = row_query[both] * len(doc_of) + row_doc[both]
    return int(has_qrels.sum()), int(np.isin(rows, judged).sum())


def _query_bounds(sample: RankingSample) -> IntArray:
    return sample.sample_offsets[sample.query_offsets]


_Key: TypeAlias = tuple[str, str]


def join_answers(predictions: BiasPredictions, items: BiasItems, *, file: str | None = None, there: str = "") -> Join:
    """Match answers with the items they are to: by category and id, by id without a category.

    Args:
        predictions: Answers.
        items: Bias questions.
        file: The file to name in notes; the predictions' name by default.
        there: The file of the items.

    Returns:
        Items are named "CATEGORY ID"; ``n_rows`` are answers, ``n_matched`` those to known items.

    Raises:
        InputError: They have no item in common.
    """
    notes = NoteBook(file or predictions.name)
    if predictions.asked is not None:
        return _join_asked(predictions.asked, items, notes, shown(there or "the items"))
    item_categories, answer_categories = items.categories, predictions.categories
    item_codes: list[int] = item_categories.codes.tolist()
    known: dict[_Key, str] = {}
    for code, name in zip(item_codes, items.ids, strict=True):
        category = item_categories.values[code] if answer_categories is not None else ""
        known.setdefault((folded(category), name), f"{category} {name}".lstrip())
    ids = predictions.example_ids
    n_ids = len(ids.values)
    of_category = (
        np.zeros(len(ids), np.int64) if answer_categories is None else answer_categories.codes.astype(np.int64)
    )
    pairs, counts = np.unique(of_category * n_ids + ids.codes, return_counts=True)
    pair_codes: list[int] = pairs.tolist()
    n_answers: dict[_Key, int] = {}
    names: dict[_Key, str] = {}
    for pair, n_of_pair in zip(pair_codes, counts.tolist(), strict=True):
        category, name = (
            "" if answer_categories is None else answer_categories.values[pair // n_ids],
            ids.values[pair % n_ids],
        )
        key = (folded(category), name)
        n_answers[key] = n_answers.get(key, 0) + n_of_pair
        names.setdefault(key, f"{category} {name}".lstrip())
    common = [key for key in known if key in n_answers]
    lost = [key for key in n_answers if key not in known]
    source = shown(there or "the items")
    if not common:
        here, its = shown(next(iter(names.values()))), shown(next(iter(known.values())))
        reason = f"no item in common with {source}: {here} here, {its} there"
        fix = "Check that category and example_id are written alike in both files."
        raise InputError(reason, file=notes.file, fix=fix)
    if lost:
        n = sum(n_answers[key] for key in lost)
        notes.add(f"{plural(n, 'answer is', 'answers are')} to no item of {source}, such as {shown(names[lost[0]])}")
    n_open = len(known) - len(common)
    if n_open:
        notes.add(f"{part_of(n_open, plural(len(known), 'item'), 'is', 'are')} not answered")
    return Join(
        common=tuple(known[key] for key in common),
        only_left=tuple(names[key] for key in lost),
        only_right=tuple(name for key, name in known.items() if key not in n_answers),
        n_rows=len(ids),
        n_matched=sum(n_answers[key] for key in common),
        notes=notes.collected,
    )


def _join_asked(asked: Factor, items: BiasItems, notes: NoteBook, source: str) -> Join:
    """The same for answers that say what was asked in words."""
    keys = [text_key(*item) for item in zip(items.contexts, items.questions, items.options, strict=True)]
    names = {
        key: f"{items.categories.values[code]} {name}"
        for key, code, name in zip(keys, items.categories.codes.tolist(), items.ids, strict=True)
    }
    known = np.array([key in names for key in asked.values], dtype=np.bool_)
    n_matched = int(known[asked.codes].sum())
    if not n_matched:
        fix = "Give the questions that were asked: context, question and options must be theirs."
        raise InputError(f"no item in common with {source}: no question with these words", file=notes.file, fix=fix)
    if n_matched < len(asked):
        notes.add(f"{plural(len(asked) - n_matched, 'answer is', 'answers are')} to no item of {source}")
    common = tuple(names[key] for key in asked.values if key in names)
    only_right = tuple(name for key, name in names.items() if key not in set(asked.values))
    if only_right:
        notes.add(f"{part_of(len(only_right), plural(len(names), 'item'), 'is', 'are')} not answered")
    return Join(common, (), only_right, len(asked), n_matched, notes.collected)


def join_systems(
    table: Mapping[str, Factors], systems: Sequence[str], qrels: Sequence[Qrels], file: str
) -> tuple[Note, ...]:
    """Notes on the rows of a table of systems that name none of those loaded, and on labels that cannot be used.

    Args:
        table: The systems that it names, and what they are made of.
        systems: Names of those loaded.
        qrels: Judgements that are loaded: the table may say of them whose labels they are.
        file: The table.
    """
    known = {*systems, *(labels.name for labels in qrels)}
    unmet = [name for name in table if name not in known]
    rows = f"rows that name no system that is loaded: {count(len(unmet))} of {count(len(table))}"
    notes = [f"{rows} ({_first(unmet)}); loaded: {_first(systems) or 'none'}"] if unmet else []
    taken = [said.label for name, said in table.items() if said.label in systems and said.label != name]
    notes += [f"the label {shown(label)} is the name of another system: not used" for label in taken if label]
    return tuple(Note(file, None, note) for note in notes)


def rows_that_meet_nothing(dataset: Dataset) -> tuple[Note, ...]:
    """Rows of the tables of systems that name nothing of a dataset."""
    if not dataset.systems:
        return ()
    systems = (*dataset.runs, *dataset.samples, *dataset.unjoined, *dataset.outputs)
    names = list(dict.fromkeys(one.system for one in systems))
    file = next((file.name for file in dataset.files if file.role == "systems"), "systems")
    return join_systems(dataset.systems, names, dataset.qrels, file)


def _first(names: Sequence[str]) -> str:
    return ", ".join([*map(shown, names[:NAMED_SYSTEMS]), *(["…"] if len(names) > NAMED_SYSTEMS else [])])


def names_of_systems(tags: Sequence[str], files: Sequence[str]) -> list[str]:
    """Distinct names of systems: the tags that they have; all that share one are called by their files.

    By the file's name without its ending; where that is shared, too, by the file; and last with a number.

    Args:
        tags: Of each system, as its file has it.
        files: That each was read from.

    Examples:
        >>> names_of_systems(["rank", "bm25", "rank"], ["a/one.run", "a/two.run", "a/three.run.gz"])
        ['one', 'bm25', 'three']
        >>> names_of_systems(["rank", "rank", "rank"], ["a/x.run", "b/x.run", "b/x.run"])
        ['a/x.run', 'b/x.run', 'b/x.run (2)']
    """
    names = list(tags)
    for called in ([Source(file).stem for file in files], files):
        shared = Counter(names)
        names = [other if shared[name] > 1 else name for name, other in zip(names, called, strict=True)]
    seen: Counter[str] = Counter()
    for i, name in enumerate(names):
        seen[name] += 1
        names[i] = f"{name} ({seen[name]})" if seen[name] > 1 else name
    return names
