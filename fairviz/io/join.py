"""Do two files speak of the same queries, documents, groups, items or systems? What matches, what does not, and why.

A file can be read for its notes alone, and matched with another one: :func:`validate`.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, cast

import polars as pl

from fairviz.errors import InputError, UsageError
from fairviz.io.bbq_answers import carried_predictions
from fairviz.io.bbq_targets import folded
from fairviz.io.formats import READERS, answers_in, sniff
from fairviz.io.logs import text_key
from fairviz.io.notes import NoteBook, Parsed, literal, shown
from fairviz.io.rag import RecordedOutputs
from fairviz.io.source import FileInput, Role, Source, as_source, reader
from fairviz.io.text import head_of
from fairviz.kernels.grouping import missing_groups
from fairviz.model import (
    BiasItems,
    BiasPredictions,
    Dataset,
    Factors,
    GroupLabels,
    Note,
    Qrels,
    RagOutputs,
    RankingSample,
    Run,
    Target,
    VariantAnswers,
)
from fairviz.model.answers import NO_TARGET, OUT_OF_CHOICE
from fairviz.model.arrays import Ids, read_once
from fairviz.model.rankings import aligned
from fairviz.numerals import count, part_of, plural

NAMED_SYSTEMS = 3
"""Systems that a note names; more are counted."""
FEW = 0.1
"""Share of documents below which a person is told that few match."""


def join_qrels(
    ranked: Run | RankingSample, qrels: Qrels, *, file: str | None = None, lines: Mapping[str, int] | None = None
) -> tuple[Note, ...]:
    """What a person should know of how rankings match judgements.

    Args:
        ranked: A run or sampled rankings.
        qrels: Judgements.
        file: The file to name in notes; the system by default.
        lines: First line of each query of the rankings, where known.

    Raises:
        InputError: They have no query in common.
    """
    notes = NoteBook(file or ranked.system)
    only_ranked, only_judged = _unmatched(ranked.query_ids, qrels.query_ids, notes, "query", "the qrels")
    _note_each(only_ranked, "query {} is not in the qrels: ignored", notes, lines)
    reason = "query {} has judgements but no results: undefined, counted (0 in ir-measures)"
    _note_each(only_judged, reason, notes)
    n_rows, n_judged = judged_rows(ranked, qrels)
    if n_judged <= FEW * n_rows:
        examples = f": {shown(ranked.doc_ids[0], 30)} here, {shown(qrels.doc_ids[0], 30)} there"
        share = f"{100 * n_judged / max(n_rows, 1):.0f} % of retrieved documents are judged"
        notes.add(share + ("" if n_judged else examples))
    return notes.collected


def judged_rows(ranked: Run | RankingSample, qrels: Qrels) -> tuple[int, int]:
    """Retrieved documents of judged queries, and how many of them are judged."""
    rows, judged = aligned(ranked, qrels)
    of_judged = rows.filter(pl.col("query") >= 0)
    return of_judged.height, of_judged.join(judged, on=("query", "doc"), how="semi").height


def join_groups(ranked: Run | RankingSample, labels: GroupLabels, *, file: str | None = None) -> tuple[Note, ...]:
    """What a person should know of how rankings match group labels.

    Args:
        ranked: A run or sampled rankings.
        labels: Group labels.
        file: The file to name in notes; the attribute by default.

    Raises:
        InputError: No labelled document occurs in the rankings.
    """
    notes = NoteBook(file or labels.attribute)
    n_rows, n_labelled = labelled_rows(ranked, labels)
    if not n_labelled and n_rows == ranked.docs.size:
        ranked_ids = ", ".join(shown(doc, 30) for doc in ranked.doc_ids[:2])
        labelled_ids = ", ".join(shown(doc, 30) for doc in labels.doc_ids[:2])
        reason = f"no labelled document occurs in the run: {labelled_ids} here, {ranked_ids} there"
        raise notes.wrong(reason, "Label documents by the ids that the run uses.")
    if n_rows and n_labelled <= FEW * n_rows:
        share = 100 * n_labelled / n_rows
        notes.add(f"{share:.0f} % of retrieved documents have a group label")
    return notes.collected


def labelled_rows(ranked: Run | RankingSample, labels: GroupLabels) -> tuple[int, int]:
    """Retrieved documents to which the attribute applies, as far as labels say, and how many of them have a label."""
    docs, named = Ids.of(ranked.doc_ids).column, Ids.of(labels.doc_ids).column
    in_groups = docs.is_in(named.filter(~labels.not_applicable).implode())
    outside = docs.is_in(named.implode()) & ~in_groups
    n_labelled, n_outside = (int(mask.to_numpy()[ranked.docs].sum()) for mask in (in_groups, outside))
    return ranked.docs.size - n_outside, n_labelled


def join_target(
    labels: GroupLabels, target: Target, *, file: str | None = None, lines: Mapping[str, int] | None = None
) -> tuple[Note, ...]:
    """What a person should know of how group labels match target shares.

    Args:
        labels: Group labels.
        target: Shares per group.
        file: The file to name in notes; the attribute by default.
        lines: First line of each group, where known.

    Raises:
        InputError: They have no group in common.
    """
    notes = NoteBook(file or labels.attribute)
    only_labelled, only_aimed = _unmatched(labels.groups, target.groups, notes, "group", "the target")
    _note_each(only_labelled, "group {} has no target share", notes, lines)
    _note_each(only_aimed, "target group {} has no labelled document", notes)
    return notes.collected


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
        reason = f"no label names {misnamed(labels, missing)}, which the target gives a share"
        named = f"The labels name {', '.join(map(shown, labels.groups))}."
        fix = f"{named} Mend the name, or give {allow} where the group is meant to have no document."
        raise InputError(reason, file=file, fix=fix)


def misnamed(labels: GroupLabels, groups: Sequence[str]) -> str:
    """Groups that no label names, each with the nearest label where one is near."""
    near = {group: get_close_matches(group, labels.groups, n=1) for group in groups}
    return ", ".join(
        f"{shown(group)} (nearest: {shown(like[0])})" if like else shown(group) for group, like in near.items()
    )


def join_outputs(
    outputs: RagOutputs, queries: Sequence[str], *, file: str | None = None, other_file: str = "the run"
) -> tuple[Note, ...]:
    """What a person should know of how recorded outputs match the queries of a run or of judgements.

    Args:
        outputs: Recorded outputs.
        queries: Query ids of the other file.
        file: The file to name in notes; the system by default.
        other_file: What to call the other file.

    Raises:
        InputError: They have no query in common.
    """
    notes = NoteBook(file or outputs.system)
    unmatched, _ = _unmatched(outputs.query_ids, queries, notes, "query", other_file)
    _note_each(unmatched, f"query {{}} is not in {literal(other_file)}", notes)
    return notes.collected


def _unmatched(
    left: Sequence[str], right: Sequence[str], notes: NoteBook, what: str, other: str
) -> tuple[list[str], list[str]]:
    """What only one side names, and what only the other does.

    Raises:
        InputError: They have nothing in common.
    """
    known_left, known_right = set(left), set(right)
    if known_left.isdisjoint(known_right):
        examples = (", ".join(shown(name, 30) for name in side[:2]) for side in (left, right))
        reason = f"no {what} in common with {other}: {' here, '.join(examples)} there"
        raise notes.wrong(reason, _likely_cause(known_left, known_right))
    return [name for name in left if name not in known_right], [name for name in right if name not in known_left]


def _note_each(names: Sequence[str], message: str, notes: NoteBook, lines: Mapping[str, int] | None = None) -> None:
    """Note the first of some names, on its line, and how many they are."""
    for name in names[:1]:
        notes.add(message.format(shown(name)), (lines or {}).get(name), kind=message, count=len(names))


def _likely_cause(left: Collection[str], right: Collection[str]) -> str:
    if {name.casefold() for name in left} & {name.casefold() for name in right}:
        return "The ids differ only by upper and lower case; write them alike."
    if _numbers(left) & _numbers(right):
        return "The ids hold the same numbers, written differently (1, 001, q1); write them alike."
    return "Check that both files belong to the same collection."


def _numbers(names: Collection[str]) -> set[str]:
    digits = ("".join(c for c in name if c.isdigit()) for name in names)
    return {number.lstrip("0") or "0" for number in digits if number}


def join_answers(
    predictions: BiasPredictions, items: BiasItems, *, file: str | None = None, other_file: str = ""
) -> tuple[Note, ...]:
    """What a person should know of how answers match the items that they are to.

    They are matched by category and id, by id without a category, by the words that were asked where ids say nothing.

    Args:
        predictions: Answers.
        items: Bias questions.
        file: The file to name in notes; the predictions' name by default.
        other_file: The file of the items.

    Raises:
        InputError: They have no item in common.
    """
    notes = NoteBook(file or predictions.name)
    source = shown(other_file or "the items")
    nothing = pl.lit("")
    if predictions.has("asked"):
        words = items.frame.select("context", "question", "options").iter_rows()
        questions = pl.DataFrame({"id": [text_key(*item) for item in words]}).with_columns(category=nothing)
        answers = predictions.frame.select(id="asked", category=nothing)
    else:
        category = pl.col("category") if predictions.has("category") else nothing
        questions = items.frame.select("id", category=category)
        answers = predictions.frame.select(id="example_id", category=category)
    questions, answers = _named(questions), _named(answers)
    lost = answers.join(questions, on=("category", "id"), how="anti", maintain_order="left")
    if lost.height == answers.height:
        why = f"{shown(lost['name'][0])} here, {shown(questions['name'][0])} there"
        fix = "Check that category and example_id are written alike in both files."
        if predictions.has("asked"):
            why = "no question with these words"
            fix = "Give the questions that were asked: context, question and options must be theirs."
        raise notes.wrong(f"no item in common with {source}: {why}", fix)
    if lost.height:
        such = "" if predictions.has("asked") else f", such as {shown(lost['name'][0])}"
        notes.add(f"{plural(int(lost['n'].sum()), 'answer is', 'answers are')} to no item of {source}{such}")
    if n_open := questions.join(answers, on=("category", "id"), how="anti").height:
        notes.add(f"{part_of(n_open, plural(questions.height, 'item'), 'is', 'are')} not answered")
    return notes.collected


def _named(rows: pl.DataFrame) -> pl.DataFrame:
    """Items by ``category``, without case and blanks, and ``id``: the ``name`` of each, how many rows (n) name it."""
    in_order = [column.cast(pl.Enum(column.unique(maintain_order=True).cast(pl.String))) for column in rows]
    rows = pl.DataFrame(in_order).group_by("category", "id").len("n").sort("category", "id")
    rows = rows.with_columns(pl.col("category", "id").cast(pl.String)).with_columns(
        category=read_once(rows.select("category"), folded),
        name=(pl.col("category") + " " + pl.col("id")).str.strip_chars_start(" "),
    )
    return rows.group_by("category", "id", maintain_order=True).agg(pl.col("name").first(), pl.col("n").sum())


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
    names = {*systems, *(labels.name for labels in qrels)}
    unmet = [name for name in table if name not in names]
    rows = f"rows that name no system that is loaded: {count(len(unmet))} of {count(len(table))}"
    notes = [f"{rows} ({_first(unmet)}); loaded: {_first(systems) or 'none'}"] if unmet else []
    taken = [factors.label for name, factors in table.items() if factors.label in systems and factors.label != name]
    notes += [f"the label {shown(label)} is the name of another system: not used" for label in taken if label]
    return tuple(Note(file, None, note) for note in notes)


def rows_that_meet_nothing(dataset: Dataset) -> tuple[Note, ...]:
    """Rows of the tables of systems that name nothing of a dataset."""
    if not dataset.systems:
        return ()
    systems = (*dataset.runs, *dataset.samples, *dataset.unjoined, *dataset.outputs)
    names = list(dict.fromkeys(system.system for system in systems))
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
    return distinct_names(tags, [Source(file).stem for file in files], files)


def distinct_names(names: Sequence[str], *others: Sequence[str]) -> list[str]:
    """Names, all that share one replaced by other names of theirs, and numbered where that is not enough.

    Args:
        names: Of each system.
        others: What each is called where its name is shared, and where that is shared, too.

    Examples:
        >>> distinct_names(["a", "b", "a", "a"], ["a at 1", "b at 1", "a at 2", "a at 2"])
        ['a at 1', 'b', 'a at 2', 'a at 2 (2)']
    """
    names = list(names)
    for called in others:
        shared = Counter(names)
        names = [other if shared[name] > 1 else name for name, other in zip(names, called, strict=True)]
    seen: Counter[str] = Counter()
    for i, name in enumerate(names):
        seen[name] += 1
        names[i] = f"{name} ({seen[name]})" if seen[name] > 1 else name
    return names


# Files that are read for their notes alone, and matched with another one.


@reader
def read_predictions(source: Source) -> Parsed[BiasItems] | Parsed[BiasPredictions] | Parsed[VariantAnswers]:
    """Read answers to demographic variants, bias questions, or answers to these.

    Args:
        source: A path or ``(name, bytes)``. What has the columns of neither is read as answers to
            demographic variants, which says what it lacks.

    Returns:
        Of bias questions that carry their answers within, the answers, with the notes on both.

    Raises:
        InputError: The file cannot be read.
    """
    recognised = answers_in(source)
    parsed = READERS[recognised.role if recognised else "variants"](source)
    answers = carried_predictions(source) if recognised and recognised.also else None
    if answers is None:
        return parsed
    return replace(answers, format=f"{parsed.format}; {answers.format}", notes=(*parsed.notes, *answers.notes))


@reader
def validate(
    source: Source, kind: str | None = None, *, against: FileInput | Source | None = None
) -> Parsed[dict[str, int]]:
    """Read a file, and match it with another one.

    Args:
        source: A path or ``(name, bytes)``.
        kind: What the file should hold, one of :data:`KINDS` or a role; None: what it is recognised as.
        against: A file that belongs to it: qrels or a run, a group table, a target.

    Returns:
        Counts, such as queries and documents, with notes on what was repaired and what does not match.

    Raises:
        InputError: The file cannot be read, or nothing in it matches the other file.
        UsageError: An unknown kind, or two kinds that do not belong together.
    """
    if kind not in (None, *KINDS, *READERS):
        raise UsageError(f"unknown kind {kind!r}; known are {', '.join(KINDS)}")
    source_role = kind or sniff(source).role
    parsed = _read(source, source_role)
    notes = tuple(note for noun in parsed.every for note in noun.notes)
    if against is not None:
        other = as_source(against)
        role = sniff(other).role
        if role not in _MATCHED:
            raise UsageError(f"{other.name} ({role}) cannot be matched with a file of {source_role}")
        others = READERS[role](other).every
        notes += tuple(note for noun in parsed.every for each in others for note in _match_files(noun, each))
    counts = _counts(parsed.value)
    if parsed.more and isinstance(parsed.value, GroupLabels):
        counts |= {"attributes": len(parsed.every), "groups": sum(len(noun.value.groups) for noun in parsed.every)}
    elif parsed.more:
        counts = {"systems": len(parsed.every), "rows": sum(_counts(noun.value)["rows"] for noun in parsed.every)}
    formats = dict.fromkeys(noun.format for noun in parsed.every)
    return replace(parsed, format="; ".join(formats), value=counts, notes=notes, more=())


KINDS = ("run", "qrels", "groups", "target", "rag", "predictions", "archive")
"""What a file can be validated as."""
_MATCHED = (*KINDS, "bias-items", "bias-predictions", "variants")


def _read(source: Source, kind: str) -> Parsed[Any]:
    if kind in ("predictions", "variants", "bias-items", "bias-predictions"):
        return read_predictions(source)
    if kind == "archive":  # refused by name when it is opened; nothing else is one
        head_of(source)
        raise source.wrong("not an archive", "Give the kind that it is.")
    return READERS[cast("Role", kind)](source)


_ORDER = (
    *(RecordedOutputs, GroupLabels, Run, RankingSample, Qrels, Target),
    *(BiasPredictions, BiasItems, VariantAnswers),
)
"""Of two nouns that are matched, the one that is led by stands first."""


def _match_files(parsed: Parsed[Any], other: Parsed[Any]) -> tuple[Note, ...]:
    """Notes on how two files match.

    Raises:
        InputError: Nothing matches; the first file is named.
        UsageError: The two kinds do not belong together.
    """
    left, right = sorted((parsed, other), key=lambda file: _ORDER.index(type(file.value)))
    try:
        match left.value, right.value:
            case (Run() | RankingSample()) as ranked, Qrels() as qrels:
                return join_qrels(ranked, qrels, file=left.file, lines=left.lines)
            case GroupLabels() as labels, (Run() | RankingSample()) as ranked:
                return join_groups(ranked, labels, file=left.file)
            case GroupLabels() as labels, Target() as target:
                return join_target(labels, target, file=left.file, lines=left.lines)
            case RecordedOutputs() as recorded, (Run() | RankingSample() | Qrels()) as there:
                return tuple(
                    note
                    for outputs in recorded.outputs
                    for note in join_outputs(outputs, there.query_ids, file=left.file, other_file=right.file)
                )
            case BiasPredictions() as answers, BiasItems() as items:
                return join_answers(answers, items, file=left.file, other_file=right.file)
            case _:
                raise UsageError(f"cannot match {left.format} with {right.format}")
    except InputError as error:
        raise InputError(error.reason, file=parsed.file, line=error.line, fix=error.fix) from error


def _counts(value: Any) -> dict[str, int]:
    match value:
        case Run() | Qrels() | RankingSample():
            n_lists = {"rankings": value.sample_offsets.size - 1} if isinstance(value, RankingSample) else {}
            counts = {"queries": len(value.query_ids), **n_lists}
            return counts | {"rows": value.docs.size, "documents": len(value.doc_ids)}
        case GroupLabels():
            return {"documents": len(value.doc_ids), "groups": len(value.groups)}
        case Target():
            return {"groups": len(value.groups)}
        case RecordedOutputs():
            return {
                "systems": len(value.outputs),
                "queries": len({q for outputs in value.outputs for q in outputs.query_ids}),
                "outputs": sum(len(outputs.texts) for outputs in value.outputs),
                "attributed": sum(outputs.attributed.size for outputs in value.outputs),
            }
        case BiasItems():
            return {
                "items": len(value),
                "categories": len(value.names("category")),
                "templates": len(value.names("template")),
                "without a biased option": int((value.frame["target"] == NO_TARGET).sum()),
            }
        case BiasPredictions():
            return {
                "answers": len(value),
                "items": value.frame.select(value.of_items).n_unique(),
                "out of choice": int((value.frame["choice"] == OUT_OF_CHOICE).sum()),
            }
        case VariantAnswers():
            return {
                "questions": len(value.names("question")),
                "answers": len(value),
                "groups": sum(map(len, value.groups.values())),
                "not read": value.n_unread,
            }
        case _:  # words and factors, which their format counts, and a manifest
            return {}
