"""``fairviz convert``: files of any size as Parquet, rankings and judgements sorted by query."""

import argparse

from fairviz.cli._common import Commands, examples
from fairviz.cli._files import InputFile, source_of
from fairviz.errors import InputError
from fairviz.io.formats import sniff
from fairviz.io.parquet import is_parquet

RECORDS = ("rag", "bias-predictions", "variants")


def add_parser(subparsers: Commands) -> None:
    """Add the ``convert`` command."""
    parser = subparsers.add_parser(
        "convert", help="runs, judgements, outputs and answers of any size as Parquet", epilog=examples("convert")
    )
    parser.add_argument(
        "file",
        type=InputFile,
        metavar="FILE",
        help="a run, samples or judgements in TREC's columns or with a header; recorded outputs; answers to bias "
        "questions or variants",
    )
    parser.add_argument(
        "--output", required=True, metavar="FILE.parquet", help="the file to write, whole or not at all"
    )
    parser.add_argument(
        "--multi-sample", action="store_true", help="column 2 of a run names the sample, and the rank decides"
    )
    parser.add_argument(
        "--subtopics",
        action="store_true",
        help="column 2 of judgements names subtopics (else only where a document is judged twice)",
    )
    parser.set_defaults(run=run)


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
        written = convert_lists(source, args.output, judgements=content.role == "qrels", tell_apart=apart)
    elif roles & set(RECORDS) or content.label.startswith("table"):
        written = convert_records(source, args.output)
    else:
        can = "runs, judgements, recorded outputs and answers can be converted"
        reason = f"holds {content.label}: {can}, in TREC's columns or a row each"
        raise InputError(reason, file=source.name, fix="Give other files as they are.")
    print(f"{args.output}: {written}")
    return 0
