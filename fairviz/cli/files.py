"""Commands that read files alone: convert, validate, vary."""

import argparse
import json
from typing import TextIO, cast

from fairviz.cli._streams import name_of, print_json, print_lines, print_text, source_of, warn
from fairviz.display.words import noun
from fairviz.errors import InputError, UsageError
from fairviz.experiments.people import ATTRIBUTES, make_variants
from fairviz.io.corpus import read_queries
from fairviz.io.formats import sniff
from fairviz.io.notes import NoteBook
from fairviz.io.stored import convert_lists, convert_records
from fairviz.model import Note
from fairviz.numerals import count, plural

RECORDS = ("rag", "bias-predictions", "variants")


def convert(args: argparse.Namespace) -> int:
    """Convert, then say what was written."""
    source = source_of(args.file)
    if source.is_parquet:
        raise InputError(
            "it is Parquet already: there is nothing to convert", file=source.name, fix="Give it as it is."
        )
    content = sniff(source)
    roles = {content.role, content.also}
    if content.label in ("TREC run", "TREC qrels"):
        apart = args.multi_sample or args.subtopics or None
        notes = NoteBook(source.name)
        written = convert_lists(source, args.output, notes, judgements=content.role == "qrels", tell_apart=apart)
        warn(notes.collected)
    elif roles & set(RECORDS) or content.label.startswith("table"):
        written = convert_records(source, args.output)
    else:
        can = "runs, judgements, recorded outputs and answers can be converted"
        reason = f"holds {content.label}: {can}, in TREC's columns or a row each"
        raise InputError(reason, file=source.name, fix="Give other files as they are.")
    print(f"{args.output}: {written}")
    return 0


def validate(args: argparse.Namespace) -> int:
    """Read, then print."""
    from fairviz.io.join import validate as checked  # reads every format: not for the other two

    source = source_of(args.file)
    kind = args.kind or sniff(source).role
    other = getattr(args, "with")  # a word of Python
    report = checked(source, kind, against=other and source_of(other))
    warn(report.notes)
    if args.format == "json":
        body = {
            "file": source.name,
            "kind": kind,
            "format": report.format,
            "with": other and name_of(other),
            "summary": report.value,
        }
        print_json(body, report.notes)
    else:
        counts = ", ".join(f"{count(n)} {noun(what, n)}" for what, n in report.value.items())
        warnings = plural(len(report.notes), "warning") if report.notes else ""
        print_text(f"{source.name}: {'; '.join(filter(None, (report.format, counts, warnings)))}")
    return 0


def vary(args: argparse.Namespace) -> int:
    """Write variants of questions as JSON Lines; say which could not be made."""
    questions = read_queries(source_of(args.questions))
    variants, not_made = make_variants(
        questions.value,
        _attributes(cast("list[str]", args.attributes)),
        form=args.form,
        mention="every" if args.combine else "one",
    )
    reasons = [f"{plural(n, 'variant')} not made: {reason}" for reason, n in not_made.items()]
    warn([*questions.notes, *(Note(questions.file, None, reason) for reason in reasons)])

    def write(to: TextIO) -> None:
        for variant in variants:
            line = dict(zip(VARIANT, (variant.query_id, *variant), strict=True))
            to.write(json.dumps(line, ensure_ascii=False) + "\n")

    print_lines(write)
    return 0


VARIANT = ("query_id", "qid", "attribute", "value", "text")
"""Keys of a variant's line."""


def _attributes(texts: list[str]) -> dict[str, tuple[str, ...]]:
    if not texts:
        return dict(ATTRIBUTES)
    attributes: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, mark, values = text.partition("=")
        if not mark:
            raise UsageError(f"--attribute {text}: expected NAME=VALUE,VALUE,…")
        if name.strip() in attributes:
            raise UsageError(f"--attribute {text}: {name.strip()} is named twice")
        attributes[name.strip()] = tuple(value.strip() for value in values.split(","))
    return attributes
