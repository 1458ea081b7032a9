"""Read a file for its notes alone, and match it with another one."""

from dataclasses import replace
from typing import Any, cast

from fairviz.errors import InputError, UsageError
from fairviz.io.bbq_answers import carried_predictions
from fairviz.io.formats import READERS, answers_in, sniff
from fairviz.io.join import join_answers, join_groups, join_outputs, join_qrels, join_target
from fairviz.io.notes import Parsed
from fairviz.io.options import Role
from fairviz.io.rag import RecordedOutputs
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.io.text import head_of
from fairviz.model import (
    BiasItems,
    BiasPredictions,
    GroupLabels,
    Note,
    Qrels,
    RankingSample,
    Run,
    Target,
    VariantAnswers,
)
from fairviz.model.answers import NO_TARGET, OUT_OF_CHOICE


@reader
def read_predictions(
    source: Source,
) -> Parsed[BiasItems] | Parsed[BiasPredictions] | Parsed[VariantAnswers]:
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
    if parsed.more:
        counts |= {"attributes": len(parsed.every), "groups": sum(len(noun.value.groups) for noun in parsed.every)}
    return replace(parsed, format="; ".join(noun.format for noun in parsed.every), value=counts, notes=notes, more=())


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
        case Run() | Qrels():
            return {"queries": len(value.query_ids), "rows": value.docs.size, "documents": len(value.doc_ids)}
        case RankingSample():
            counts = {"queries": len(value.query_ids), "rankings": value.sample_offsets.size - 1}
            return {**counts, "rows": value.docs.size, "documents": len(value.doc_ids)}
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
