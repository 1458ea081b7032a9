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
from fairviz.errors import InputError, UsageError
from fairviz.io.bbq import read_bias_items
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.io.groups import read_groups
from fairviz.io.notes import Parsed
from fairviz.io.rankings import read_run
from fairviz.model import BiasAnswers, BiasItems, BiasPredictions, Note
from fairviz.show.table import Cell, Json, Table, keyed, records
from fairviz.studies.social_bias.changes import BiasChange, bias_changes
from fairviz.studies.social_bias.drill import STEREOTYPICAL, StereotypeShare, stereotype_share
from fairviz.studies.social_bias.matching import Answered, answered, merged_items
from fairviz.studies.social_bias.measures import MEASURES, BiasMeasure, OutOfChoice
from fairviz.studies.social_bias.rows import (
    BiasCounts,
    BiasRow,
    bias_rows,
    default_columns,
    pooled_columns,
    reference_setting,
)

# Tables of the command ``bias``: rows, changes, documents retrieved.


DIFF_BIAS: tuple[BiasMeasure, ...] = ("diffbias_a", "diffbias_d")


def rows_table(rows: Sequence[BiasRow], *, whole: bool) -> Table:
    """One line per row: its columns, the six measures, intervals, n; ``whole``: all counts, too."""
    by = tuple(column for column, _ in rows[0].by) if rows else ()
    shown = MEASURES if whole else DIFF_BIAS
    ends = tuple(f"{name}_{end}" for name in shown for end in ("low", "high"))
    counts = BiasCounts._fields if whole else ("n_a", "n_s", "n_c")
    lines = tuple(
        (
            *(value for _, value in row.by),
            *(row.values[name] for name in MEASURES),
            *(end for name in shown for end in row.intervals[name]),
            *(getattr(row.counts, name) for name in counts),
        )
        for row in rows
    )
    return Table(keyed(*by, *MEASURES, *ends, *counts), lines, decimals=2)


def changes_table(changes: Sequence[BiasChange], *, whole: bool) -> Table:
    """One line per row and context: Diff-Bias in the reference and here, its change, the test."""
    by = tuple(column for column, _ in changes[0].by) if changes else ()
    if whole:
        columns = (
            "measure",
            "against",
            "reference",
            "value",
            "change",
            "low",
            "high",
            "change_abs",
            "abs_low",
            "abs_high",
            "p",
            "p_holm",
            "n_items",
            "n_templates",
            "n_towards",
            "n_away",
            "n_unused",
            "verdict",
        )
    else:
        columns = ("measure", "reference", "value", "change", "low", "high", "p_holm", "n_items", "verdict")
    lines = tuple(
        tuple(cells[column] for column in (*by, *columns)) for cells in (_change(one, exact=whole) for one in changes)
    )
    caption = "" if whole or not changes else f"changes against {'='.join(changes[0].against)}"
    return Table(keyed(*by, *columns), lines, caption=caption, decimals=3 if whole else 2)


def _change(one: BiasChange, *, exact: bool) -> dict[str, Cell]:
    """The cells of a change by column; for reading, small p are said in words."""
    p_holm = one.p_holm if exact or not one.tested else _p_words(one.p_holm)
    return {
        **dict(one.by),
        "measure": one.measure,
        "against": "=".join(one.against),
        "reference": one.reference,
        "value": one.value,
        "change": one.change,
        "low": one.interval.low,
        "high": one.interval.high,
        "change_abs": one.change_abs,
        "abs_low": one.interval_abs.low,
        "abs_high": one.interval_abs.high,
        "p": one.p,
        "p_holm": p_holm,
        "n_items": one.n_items,
        "n_templates": one.n_templates,
        "n_towards": one.n_towards,
        "n_away": one.n_away,
        "n_unused": one.n_unused,
        "verdict": one.verdict,
    }


def _p_words(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def shares_table(shares: Sequence[StereotypeShare]) -> Table:
    """One line per run: percent of its labelled documents that are stereotypical."""
    columns = (
        "system",
        "k",
        "stereo_documents",
        "low",
        "high",
        "collection",
        "n_queries",
        "n_undefined",
        "n_documents",
        "n_unlabelled",
    )
    lines = tuple(
        (
            one.system,
            one.k,
            one.share,
            *one.interval,
            one.collection,
            one.n_queries,
            one.n_undefined,
            one.n_documents,
            one.n_unlabelled,
        )
        for one in shares
    )
    return Table(keyed(*columns), lines, decimals=2)


EXAMPLES = """\
examples:
  fairviz bias predictions.csv.gz --items bbq_items.csv.gz --by model,category
  fairviz bias predictions.csv --items Age.jsonl Religion.jsonl --by model,category,setting,k
  fairviz bias predictions.csv --items items.csv --against model=llama3-8b --format json
  fairviz bias predictions.csv --items items.csv --run full-set.run --groups polarity.tsv -k 10

Values are percent. Diff-Bias > 0: answers follow the stereotype; < 0: they go against it; 0 says as
often one as the other, also where a model only answers "unknown" (then Acc_d tells). Intervals are
95 % bootstraps over templates. Changes are paired by item; their test flips signs by template, with
Holm's correction over all tested rows of one kind of context. Columns that --by leaves out are
pooled, but instruction, which is averaged over.
"""

TABLES = ("rows", "changes", "retrieval")

NO_ROWS = {
    "rows": "no answer is to a loaded item",
    "changes": "name a reference with --against COLUMN=VALUE",
    "retrieval": "give --run and --groups",
}


def add_parser(subparsers: Commands) -> None:
    """Add the ``bias`` command."""
    parser = subparsers.add_parser(
        "bias", help="accuracy and Diff-Bias of answers to BBQ-style questions", epilog=EXAMPLES
    )
    parser.add_argument("predictions", nargs="+", metavar="PREDICTIONS", help="recorded answers, one row each")
    parser.add_argument(
        "--items",
        nargs="+",
        required=True,
        metavar="ITEMS",
        help="the questions: BBQ, KoBBQ, CBBQ or JBBQ files, or item tables",
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
        action="append",
        default=[],
        metavar="RUN",
        help="retrieved documents, for the share of stereotypical ones; may be repeated",
    )
    parser.add_argument("--groups", metavar="POLARITY", help="polarity of documents: doc_id, and stereo or anti")
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
    read_items = [read_bias_items(file) for file in cast("list[str]", args.items)]
    read = [read_bias_predictions(file) for file in cast("list[str]", args.predictions)]
    items = merged_items([parsed.value for parsed in read_items])
    matched = _answered(items, read)
    answers = matched.answers
    shares, share_notes = _shares(args)
    notes = [note for parsed in (*read_items, *read) for note in parsed.notes]
    notes += [Note(read[0].file, None, text) for text in matched.notes] + share_notes
    notes += _hints(answers, args.against, read[0].file)
    ooc = cast("OutOfChoice", args.ooc)
    by = _columns(args.by) or default_columns(answers)
    if pooled := pooled_columns(answers, by):
        notes.append(Note(read[0].file, None, f"rows pool {pooled}: name them in --by to part them"))
    rows = bias_rows(items, answers, by=by, ooc=ooc, seed=args.seed)
    changes = _changes(args, items, answers, by, ooc)
    warn(notes)
    if args.format == "json":
        print_json(_body(rows, changes, shares), notes)
        return 0
    tables = {
        "rows": rows_table(rows, whole=args.format == "csv"),
        "changes": changes_table(changes, whole=args.format == "csv"),
        "retrieval": shares_table(shares),
    }
    if args.format == "table":
        print_tables([table for table in tables.values() if table.rows], "table")
    elif tables[args.table].rows:
        print_tables([tables[args.table]], args.format)
    else:
        raise UsageError(f"--table {args.table}: there are none; {NO_ROWS[args.table]}")
    return 0


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
    """Against what was asked for, else against the setting without retrieval, if there is one."""
    against = _pair(args.against) if args.against else None
    settings = answers.factor("setting")
    if against is None and settings is not None and len(settings.values) > 1:
        reference = reference_setting(settings.values)
        against = None if reference is None else ("setting", reference)
    if against is None:
        return ()
    return bias_changes(items, answers, by=by, against=against, ooc=ooc, groups=args.by_group, seed=args.seed)


def _shares(args: argparse.Namespace) -> tuple[list[StereotypeShare], list[Note]]:
    if not args.runs:
        return [], []
    labels = read_groups(args.groups)
    read = [read_run(file) for file in cast("list[str]", args.runs)]
    notes = [note for parsed in (labels, *read) for note in parsed.notes]
    named = [group for group in labels.value.groups if group.casefold().startswith(STEREOTYPICAL)]
    group = named[0] if named else STEREOTYPICAL
    found = [stereotype_share(parsed.value, labels.value, k=args.k, group=group, seed=args.seed) for parsed in read]
    return found, notes


def _body(rows: Sequence[BiasRow], changes: Sequence[BiasChange], shares: Sequence[StereotypeShare]) -> dict[str, Json]:
    return {
        "rows": [_row(row) for row in rows],
        "changes": [
            {
                **dict(one.by),
                "measure": one.measure,
                "against": dict([one.against]),
                "value": one.value,
                "reference": one.reference,
                "change": one.change,
                "interval": list(one.interval),
                "change_abs": one.change_abs,
                "interval_abs": list(one.interval_abs),
                "p": one.p,
                "p_holm": one.p_holm,
                "exact": one.exact,
                "tested": one.tested,
                "verdict": one.verdict,
                "n_items": one.n_items,
                "n_templates": one.n_templates,
                "n_towards": one.n_towards,
                "n_away": one.n_away,
                "n_unused": one.n_unused,
            }
            for one in changes
        ],
        "retrieval": records(shares_table(shares)),
    }


def _row(row: BiasRow) -> dict[str, Json]:
    return {
        **dict(row.by),
        **row.counts._asdict(),
        **row.values,
        "intervals": {name: list(ends) for name, ends in row.intervals.items()},
        "bounds": {"diffbias_a": [-row.bound_a, row.bound_a], "diffbias_d": list(row.bound_d)},
        "n_items": row.n_items,
        "n_missing": row.n_missing,
        "n_templates": row.n_templates,
        "n_instructions": row.n_instructions,
        "small": row.small,
    }


def _columns(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _pair(text: str) -> tuple[str, str]:
    column, mark, value = text.partition("=")
    if not mark or not column:
        raise UsageError(f"--against {text}: expected COLUMN=VALUE, such as setting='w/o RAG'")
    return column, value
