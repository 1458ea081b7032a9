"""``fairviz bias``: accuracy and Diff-Bias of answers to BBQ-style questions, and their changes."""

import argparse
from collections.abc import Sequence
from typing import cast

from fairviz.cli._common import (
    Commands,
    add_output_options,
    add_seed_option,
    print_json,
    print_tables,
    warn,
    whole_number,
)
from fairviz.cli._files import InputFile, source_of
from fairviz.errors import InputError, UsageError
from fairviz.io.bbq import read_bias_items
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.io.groups import read_groups
from fairviz.io.notes import Parsed
from fairviz.io.rankings import read_run
from fairviz.io.sniff import sniff
from fairviz.io.source import Source
from fairviz.model import BiasAnswers, BiasItems, BiasPredictions, Note
from fairviz.studies.social_bias.changes import BiasChange, bias_changes
from fairviz.studies.social_bias.dose import DoseResponse, dose_responses, runs_given
from fairviz.studies.social_bias.matching import Answered, answered, merged_items, reading_json
from fairviz.studies.social_bias.measures import OutOfChoice
from fairviz.studies.social_bias.retrieval import STEREOTYPICAL, StereotypeShare, stereotype_share
from fairviz.studies.social_bias.rows import bias_rows, default_columns, pooled_columns, reference_setting
from fairviz.studies.social_bias.tables import BiasResults, bias_json, tables, tables_to_read
from fairviz.studies.social_bias.unread import worst_case_words

EXAMPLES = """\
examples:
  fairviz bias predictions.csv.gz --items bbq_items.csv.gz --by model,category
  fairviz bias predictions.csv --items Age.jsonl Religion.jsonl --by model,category,setting,k
  fairviz bias samples_bbq_generate.jsonl                      (a log of lm-eval, with its questions)
  fairviz bias predictions.csv --items items.csv --against model=llama3-8b --format json
  fairviz bias predictions.csv --items items.csv --run full-set.run --groups polarity.tsv -k 10
  fairviz bias predictions.csv --items items.csv --run full-set.run --groups polarity.tsv --table slopes --format csv

Values are percent. Diff-Bias > 0: answers follow the stereotype; < 0: they go against it; 0 says as
often one as the other, also where a model only answers "unknown" (then Acc_d tells). Intervals are
95 % bootstraps over templates. Changes are paired by item; their test flips signs by template, with
Holm's correction over the tested rows of one retriever, k, ... (n_tests says how many). Columns that
--by leaves out are pooled, but instruction, which is averaged over.
"""

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
        "bias", help="accuracy and Diff-Bias of answers to BBQ-style questions", epilog=EXAMPLES
    )
    parser.add_argument(
        "predictions", type=InputFile, nargs="+", metavar="PREDICTIONS", help="recorded answers, one row each"
    )
    parser.add_argument(
        "--items",
        type=InputFile,
        nargs="+",
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
    if bool(args.runs) != bool(args.groups):
        raise UsageError("--run and --groups belong together: documents and their polarity")
    predictions = [source_of(file) for file in args.predictions]  # once: questions and answers may be in one stream
    items_read = [read_bias_items(items) for items in map(source_of, args.items or ())]
    items_read = items_read or [read_bias_items(file) for file in _holding_items(predictions)]
    read = [read_bias_predictions(file) for file in predictions]
    items = merged_items([parsed.value for parsed in items_read])
    matched = _answered(items, read)
    answers = matched.answers
    shares, responses, run_notes = _documents(args, items, answers)
    notes = list(dict.fromkeys(note for parsed in (*items_read, *read) for note in parsed.notes))
    notes += [Note(read[0].file, None, text) for text in matched.notes] + run_notes
    notes += _hints(answers, args.against, read[0].file)
    ooc = cast("OutOfChoice", args.ooc)
    by = _columns(args.by) or default_columns(answers)
    if pooled := pooled_columns(answers, by):
        notes.append(Note(read[0].file, None, f"rows pool {pooled}: name them in --by to part them"))
    rows = bias_rows(items, answers, by=by, ooc=ooc, seed=args.seed)
    notes += [Note(read[0].file, None, text) for text in (worst_case_words(rows, "diffbias_a"),) if text]
    results = BiasResults(rows, _changes(args, items, answers, by, ooc), shares, responses)
    warn(notes)
    if args.format == "json":
        print_json({**bias_json(results), **reading_json(matched)}, notes)
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


def _answered(items: BiasItems, read: Sequence[Parsed[BiasPredictions]]) -> Answered:
    """Answers with their items; what cannot be matched is said of the file as typed."""
    try:
        return answered(items, [parsed.value for parsed in read])
    except InputError as error:
        files = {parsed.value.name: parsed.file for parsed in read}
        file = files.get(error.file, error.file)
        raise InputError(error.reason, file=file, line=error.line, fix=error.fix) from error


def _hints(answers: BiasAnswers, against: str | None, file: str) -> list[Note]:
    """Settings are not compared where none says that it is without retrieval."""
    settings = answers.factor("setting")
    if against or settings is None or len(settings.values) < 2:
        return []
    if reference_setting(settings.values) is not None:
        return []
    text = f"no setting says that it is without retrieval ({', '.join(settings.values)}): nothing "
    return [Note(file, None, text + "is compared; name the reference with --against setting=NAME")]


def _changes(
    args: argparse.Namespace,
    items: BiasItems,
    answers: BiasAnswers,
    by: Sequence[str],
    ooc: OutOfChoice,
) -> tuple[BiasChange, ...]:
    """Against the reference that is named, else against the setting without retrieval, if there is one."""
    against = _pair(args.against) if args.against else None
    settings = answers.factor("setting")
    if against is None and settings is not None and len(settings.values) > 1:
        reference = reference_setting(settings.values)
        against = None if reference is None else ("setting", reference)
    if against is None:
        return ()
    return bias_changes(items, answers, by=by, against=against, ooc=ooc, groups=args.by_group, seed=args.seed)


def _documents(
    args: argparse.Namespace, items: BiasItems, answers: BiasAnswers
) -> tuple[list[StereotypeShare], Sequence[DoseResponse], list[Note]]:
    """What was retrieved, and answers by it where the queries of the runs are items."""
    if not args.runs:
        return [], (), []
    labels = read_groups(source_of(args.groups))
    runs = [read_run(source_of(file)) for file in args.runs]
    notes = [note for parsed in (labels, *runs) for note in parsed.notes]
    stereotypical = [group for group in labels.value.groups if group.casefold().startswith(STEREOTYPICAL)]
    group = stereotypical[0] if stereotypical else STEREOTYPICAL
    shares = [stereotype_share(run.value, labels.value, k=args.k, group=group, seed=args.seed) for run in runs]
    try:
        given = runs_given(answers, {run.file: run.value for run in runs})
        responses = dose_responses(items, answers, given, labels.value, group=group, k=args.k)
    except InputError as error:
        text = f"answers are not counted by stereotypical documents: {error.reason}"
        return (
            shares,
            (),
            [*notes, Note(error.file or runs[0].file, None, f"{text}; {error.fix}" if error.fix else text)],
        )
    return shares, responses, notes


def _columns(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _pair(text: str) -> tuple[str, str]:
    column, mark, value = text.partition("=")
    if not mark or not column:
        raise UsageError(f"--against {text}: expected COLUMN=VALUE, such as setting='w/o RAG'")
    return column, value
