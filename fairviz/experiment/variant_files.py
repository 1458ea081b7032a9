"""Files of generated variants: JSON Lines that an experiment reads as its questions, too."""

import json
from collections.abc import Iterable
from contextlib import closing
from typing import TextIO

from fairviz.errors import InputError
from fairviz.experiment.variants import Variant
from fairviz.formats.fields import Fields
from fairviz.formats.json_lines import json_records
from fairviz.formats.notes import NoteBook, Parsed, shown
from fairviz.formats.source import FileInput, Source, as_source


def read_variant_questions(file: FileInput | Source) -> Parsed[tuple[Variant, ...]]:
    """Read variants ``{query_id, qid, attribute, value, text, gold?}``.

    The names of the published queries, ``variant_id`` and ``question``, are read as well.

    Raises:
        InputError: A record lacks a field, or a variant id stands twice.
    """
    source = as_source(file)
    book = NoteBook(source.name)
    variants: list[Variant] = []
    lines: dict[str, int] = {}
    with closing(json_records(source, book)) as records:
        for line, record in records:
            fields = Fields(record, line, source.name)
            key = "variant_id" if "variant_id" in record else "query_id"
            query_id = fields.identifier(key)
            if lines.setdefault(query_id, line) != line:
                reason = f"{key} {shown(query_id)} stands twice (first on line "
                reason += f"{lines[query_id]})"
                raise InputError(reason, file=source.name, line=line, fix="Keep one.")
            variants.append(
                Variant(
                    query_id=query_id,
                    question_id=fields.identifier("qid"),
                    attribute=fields.identifier("attribute"),
                    value=fields.identifier("value"),
                    text=fields.identifier("text" if "text" in record else "question"),
                    gold=fields.text("gold"),
                )
            )
    n = len({variant.question_id for variant in variants})
    label = f"{len(variants):,} variants of {n:,} questions"
    return Parsed(value=tuple(variants), file=source.name, format=label, notes=book.notes, lines=lines)


def write_variant_questions(variants: Iterable[Variant], to: TextIO) -> None:
    """Write variants; :func:`read_variant_questions` gives them back.

    Args:
        variants: What to write, one line each.
        to: An open text file.
    """
    for one in variants:
        record = {
            "query_id": one.query_id,
            "qid": one.question_id,
            "attribute": one.attribute,
            "value": one.value,
            "text": one.text,
        }
        if one.gold:
            record["gold"] = one.gold
        to.write(json.dumps(record, ensure_ascii=False) + "\n")
