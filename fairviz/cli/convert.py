"""``fairviz convert``: files of any size as Parquet, rankings and judgements sorted by query."""

import argparse

from fairviz.cli._common import warn
from fairviz.cli._files import source_of
from fairviz.errors import InputError
from fairviz.io.formats import sniff
from fairviz.io.notes import NoteBook
from fairviz.io.source import is_parquet

RECORDS = ("rag", "bias-predictions", "variants")


def run(args: argparse.Namespace) -> int:
    """Convert, then say what was written."""
    from fairviz.io.convert import convert_lists, convert_records  # Polars is loaded for this command alone

    source = source_of(args.file)
    if is_parquet(source):
        raise InputError(
            "it is Parquet already: there is nothing to convert", file=source.name, fix="Give it as it is."
        )
    content = sniff(source)
    roles = {content.role, content.also}
    if content.label.startswith("TREC"):
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
