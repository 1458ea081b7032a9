"""``fairviz bias``: accuracy and Diff-Bias of answers to BBQ-style questions, and their changes."""

import argparse
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from fairviz.cli._common import (
    Commands,
    add_output_options,
    add_seed_option,
    examples,
    print_json,
    print_tables,
    warn,
    whole_number,
)
from fairviz.cli._files import InputFile, source_of
from fairviz.cli._inputs import open_study
from fairviz.errors import InputError, UsageError
from fairviz.evaluation.joins import renamed
from fairviz.io.bbq import read_bias_items
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.io.groups import read_groups
from fairviz.io.notes import Parsed
from fairviz.io.options import Role
from fairviz.io.rankings import read_run
from fairviz.io.sniff import sniff
from fairviz.io.source import Source
from fairviz.model import BiasPredictions, GroupLabels, Run
from fairviz.studies.social_bias.columns import bias_json, tables, tables_to_read
from fairviz.studies.social_bias.items import merged_items
from fairviz.studies.social_bias.matching import reading_json
from fairviz.studies.social_bias.measured import measured_bias

TABLES = ("rows", "changes", "retrieval", "dose", "slopes")
NO_ROWS = {
    "rows": "no answer is to a loaded item",
    "changes": "name a reference with --against COLUMN=VALUE",
    "retrieval": "give --run and --groups",
    "dose": "give the --run of these answers, its queries named by category and example id, and --groups",
    "slopes": "give the --run of these answers, its queries named by category and example id, and --groups",
}


def add_parser(subparsers: Commands) -> None:
    """Add the ``bias`` command."""
    parser = subparsers.add_parser(
        "bias", help="accuracy and Diff-Bias of answers to BBQ-style questions", epilog=examples("bias")
    )
    parser.add_argument(
        "predictions",
        type=InputFile,
        nargs="+",
        metavar="PREDICTIONS",
        help="recorded answers, one row each, or a study's folder",
    )
    parser.add_argument(
        "--items",
        type=InputFile,
        nargs="+",
        action="extend",
        default=[],
        metavar="ITEMS",
        help="the questions: BBQ, KoBBQ, CBBQ or JBBQ files, item tables, Parquet (default: those that a log holds)",
    )
    parser.add_argument(
        "--by",
        metavar="COLUMNS",
        help="columns that rows are kept apart by, with commas (default: model, category, setting "
        "and every other recorded column that varies, but instruction, which is averaged over)",
    )
    parser.add_argument(
        "--against",
        metavar="COLUMN=VALUE",
        help="what to compare with, pair by pair (default: the setting without retrieval)",
    )
    parser.add_argument(
        "--ooc",
        choices=("drop", "count"),
        default="drop",
        help="answers out of choice: leave n (default, as KoBBQ's code), or count in it",
    )
    parser.add_argument(
        "--by-group",
        action="store_true",
        help="also compare the items about each stereotyped group",
    )
    parser.add_argument(
        "--run",
        dest="runs",
        type=InputFile,
        action="append",
        default=[],
        metavar="RUN",
        help="documents that the answers were given: the share of stereotypical ones, and answers by their number; "
        "may be repeated, its name saying which setting and retriever (stereo-set.bm25.run)",
    )
    parser.add_argument(
        "--groups", type=InputFile, metavar="POLARITY", help="polarity of documents: doc_id, and stereo or anti"
    )
    parser.add_argument(
        "-k",
        type=whole_number(1),
        metavar="K",
        help="count the first K retrieved documents (default: all)",
    )
    parser.add_argument(
        "--table",
        choices=TABLES,
        default=TABLES[0],
        help="which table to print as CSV or LaTeX (default rows)",
    )
    add_seed_option(parser, "the bootstrap")
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, match, measure, compare, then print."""
    places: dict[Role, str] = {
        "bias-predictions": "predictions",
        "bias-items": "items",
        "run": "runs",
        "groups": "groups",
    }
    open_study(args, "predictions", places)
    if bool(args.runs) != bool(args.groups):
        raise UsageError("--run and --groups belong together: documents and their polarity")
    predictions = [source_of(file) for file in args.predictions]  # once: questions and answers may be in one stream
    item_files = [source_of(file) for file in args.items] or _holding_items(predictions)
    items_read = [read_bias_items(file) for file in item_files]
    items = merged_items([parsed.value for parsed in items_read])
    labels, runs = _documents(args)
    read = [read_bias_predictions(file) for file in predictions]
    with _naming(read):
        measured = measured_bias(
            items,
            [parsed.value for parsed in read],
            by=_columns(args.by),
            against=_pair(args.against) if args.against else None,
            ooc=args.ooc,
            groups=args.by_group,
            runs={run.file: run.value for run in runs},
            polarity=labels.value if labels else None,
            k=args.k,
            seed=args.seed,
        )
    files = {parsed.value.name: parsed.file for parsed in reversed(read)}
    notes = list(dict.fromkeys(note for parsed in (*items_read, *read) for note in parsed.notes))
    notes += [note for parsed in (*([labels] if labels else []), *runs) for note in parsed.notes]
    notes += [replace(note, file=files.get(note.file, note.file)) for note in measured.notes]
    results = measured.results
    warn(notes)
    if args.format == "json":
        print_json({**bias_json(results), **reading_json(measured.reading)}, notes)
        return 0
    by_name = tables(results) if args.format == "csv" else tables_to_read(results)
    if args.format == "table":
        print_tables([table for table in by_name.values() if table.rows], "table")
    elif by_name[args.table].rows:
        print_tables([by_name[args.table]], args.format)
    else:
        raise UsageError(f"--table {args.table}: there are none; {NO_ROWS[args.table]}")
    return 0


def _holding_items(predictions: Sequence[Source]) -> list[Source]:
    """The files of answers that hold the questions, too: logs of other tools, BBQ's published results.

    Raises:
        UsageError: None does.
    """
    holding = [file for file in predictions if sniff(file).role == "bias-items"]
    if not holding:
        raise UsageError(f"--items ITEMS is needed: {predictions[0].name} holds answers only")
    return holding


@contextmanager
def _naming(read: Sequence[Parsed[BiasPredictions]]) -> Generator[None]:
    """Errors on answers, as errors on their files."""
    try:
        yield
    except InputError as error:
        files = {parsed.value.name: parsed.file for parsed in read}
        raise renamed(error, files.get(error.file, error.file)) from error


def _documents(args: argparse.Namespace) -> tuple[Parsed[GroupLabels] | None, list[Parsed[Run]]]:
    """Documents that were given, and their polarity, where they are named."""
    if not args.runs:
        return None, []
    return read_groups(source_of(args.groups)), [read_run(source_of(file, "scoreddocs")) for file in args.runs]


def _columns(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _pair(text: str) -> tuple[str, str]:
    column, mark, value = text.partition("=")
    if not mark or not column:
        raise UsageError(f"--against {text}: expected COLUMN=VALUE, such as setting='w/o RAG'")
    return column, value
