"""``fairviz variants``: accuracy, parity, votes and retrieval over demographic variants."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np

from fairviz.cli._common import (
    MAX_WIDTH,
    Commands,
    add_measures_option,
    add_output_options,
    add_seed_option,
    examples,
    print_json,
    print_lines,
    print_tables,
    warn,
    whole_number,
)
from fairviz.cli._files import InputFile, source_of
from fairviz.cli._inputs import open_study
from fairviz.counts import count
from fairviz.display.table import Table, display_width, plain_text
from fairviz.errors import InputError, UsageError
from fairviz.evaluation.joins import renamed
from fairviz.experiments.variants.people import (
    ATTRIBUTES,
    FORMS,
    described,
    make_variants,
    not_made,
    write_variant_questions,
)
from fairviz.io.corpus import read_queries
from fairviz.io.notes import Parsed
from fairviz.io.qrels import read_qrels
from fairviz.io.rankings import read_ranked_run
from fairviz.io.variants import read_variants
from fairviz.model import Note, Qrels, RankedRun
from fairviz.model.arrays import segment_ids
from fairviz.studies.demographic_qa.analysis import MIN_SIZE, OUTCOMES, answer_results, of_one_table
from fairviz.studies.demographic_qa.columns import LEVELS, VOTED, answers_body, retrieval_body, tables
from fairviz.studies.demographic_qa.frames import ANSWERABLE, COLUMNS
from fairviz.studies.demographic_qa.loaded import answer_notes, recorded_columns
from fairviz.studies.demographic_qa.runs import RetrievalResults, retrieval_results
from fairviz.studies.demographic_qa.votes import CLUSTER_THRESHOLD, TIE_RULES, VOTERS, VoteRule

TABLES = ("rows", "groups", "gaps", "strategies", "errors", "overlap", "overlap_values", "quality", "quality_gaps")
"""What ``--table`` can ask for, in the order of printing."""

WIDTH = 160
"""Characters of a line that a terminal is thought to have."""
SHORT_NAMES = {"n_questions": "n", "vote_accuracy": "vote", "overlap_all": "overlap"}
"""Names of columns that a terminal shows shorter."""

DISPENSABLE = (
    *(f"{name}_{what}" for name in ("deo", "eo", "ddp", "dp") for what in ("low", "high", "p")),
    *("deo_p_holm", "deo", "eo_p_holm", "eo_chance", "answerable", "vote_by_construction"),
    *("vote_dp", "any_correct", "all_correct", "overlap_neutral", "overlap_pairwise", "n_ties", "agree", "one_answer"),
    *("base", "ddp_p_holm", "ddp", "by_construction", "dp_p_holm", "dp_chance"),
)
"""Columns that a terminal can do without, the first to go first."""

WIDE = {"strategies": ("dp_macro", "dp_max", "n_ties", *VOTED), "errors": ("n",)}
"""Columns of --format csv and latex for which a terminal has no room."""


def add_parser(subparsers: Commands) -> None:
    """Add the ``variants`` command."""
    parser = subparsers.add_parser(
        "variants", help="answers to demographic variants of questions", epilog=examples("variants")
    )
    parser.add_argument(
        "files", type=InputFile, nargs="*", metavar="FILE", help="recorded answers to variants, or a study's folder"
    )
    parser.add_argument(
        "--by",
        metavar="COLUMNS",
        help=f"columns that rows are kept apart by, with commas: any of {', '.join(COLUMNS)} "
        "(default: every recorded one)",
    )
    parser.add_argument(
        "--vote",
        choices=VOTERS,
        default="all",
        help="who votes: all variants and the neutral question (all, default), all variants "
        "(groups), or the variants about one group (within)",
    )
    parser.add_argument(
        "--ties",
        choices=TIE_RULES,
        default="neutral",
        help="a tied vote: the neutral question's answer if it is among the tied ones, else the "
        "first in the alphabet (neutral, default); no answer (abstain); the answer given first; "
        "the first in the alphabet",
    )
    parser.add_argument(
        "--unreadable",
        choices=("vote", "leave"),
        default="vote",
        help="unreadable answers vote, as one answer of their own (default), or leave the vote",
    )
    parser.add_argument(
        "--similarity",
        type=_share,
        default=CLUSTER_THRESHOLD,
        metavar="S",
        help=f"open answers are alike in the vote from this cosine on (default {CLUSTER_THRESHOLD:g})",
    )
    parser.add_argument(
        "--outcome",
        choices=OUTCOMES,
        default="correct",
        help="what parity is of: right answers (correct, default), or also each option (letters)",
    )
    parser.add_argument(
        "--threshold",
        type=_share,
        metavar="T",
        help="open answers are right from this ROUGE-L on (default: ROUGE-L itself is compared)",
    )
    parser.add_argument(
        "--answerable",
        choices=ANSWERABLE,
        default="evidence",
        help="which questions eo counts, where FILE has no column answerable (which wins): the evidence given was "
        "right, by --qrels or FILE's column evidence (evidence, default); the neutral question was answered right "
        "(neutral); any variant of it was (any)",
    )
    parser.add_argument(
        "--min-size",
        type=whole_number(1),
        default=MIN_SIZE,
        metavar="N",
        help="groups with fewer answers are marked small and leave dp and eo to the others, unless "
        f"fewer than two others remain: then all are compared (default {MIN_SIZE})",
    )
    parser.add_argument(
        "--qrels",
        type=InputFile,
        metavar="FILE",
        help="judgements by question id: ranking quality of --run; with retrieved documents in "
        "FILE, whether the evidence was right",
    )
    parser.add_argument(
        "-k",
        type=_depths,
        default=(),
        metavar="K,…",
        help="depths of the retrieval overlap (default: whole lists; of --run: 10,15,20)",
    )
    add_run_options(parser)
    add_measures_option(parser, " (ranking quality of --run; default nDCG@10)")
    add_generate_options(parser)
    add_seed_option(parser, "the bootstrap over questions")
    add_output_options(parser)
    parser.add_argument(
        "--table",
        choices=TABLES,
        help="print this table only; --format csv and latex print one table (default rows; of --run alone overlap)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, measure, then print; or write the variants of questions."""
    try:
        return _run(args)
    except UsageError as error:
        raise UsageError(f"{error} (see fairviz variants --help)") from None


def _run(args: argparse.Namespace) -> int:
    if args.generate:
        if args.files or args.runs:
            raise UsageError("--generate writes variants of questions: give no FILE or --run")
        return generate(args)
    open_study(args, "files", {"variants": "files"})
    if not args.files and not args.runs:
        raise UsageError("nothing to measure: give FILE, --run VALUE=RUN or --generate QUESTIONS")
    if args.table and args.format == "json":
        raise UsageError("--table: --format json has everything; choose table, csv or latex")
    files = run_files(cast("list[str]", args.runs))
    parsed = [read_variants(source_of(file)) for file in args.files]
    kinds = [answers.value for answers in parsed]
    judged = read_qrels(source_of(args.qrels, "qrels")) if args.qrels else None
    qrels = judged.value if judged else None
    retrieval, run_notes = run_results(args, files, qrels)
    by = _columns(args.by) if args.by else recorded_columns(kinds)
    of_files = [
        answer_results(
            answers,
            by=by,
            rule=VoteRule(voters=args.vote, ties=args.ties, unreadable=args.unreadable, threshold=args.similarity),
            outcome=args.outcome,
            threshold=args.threshold,
            min_size=args.min_size,
            depths=args.k,
            qrels=qrels,
            answerable=args.answerable,
            seed=args.seed,
        )
        for answers in kinds
    ]
    results = of_one_table(of_files)
    notes = [note for file in (*parsed, *([judged] if judged else [])) for note in file.notes]
    of_kinds = [(answers.file, of_file) for answers, of_file in zip(parsed, kinds, strict=True)]
    notes += [*answer_notes(of_kinds, results, by), *run_notes]
    if args.format == "json":
        warn(notes)
        print_json({**answers_body(results), **(retrieval_body(retrieval) if files else {})}, notes)
        return 0
    printed = to_print(tables(answers=results, retrieval=retrieval), args.format, args.table)
    warn(notes)
    print_tables(printed, args.format)
    return 0


def to_print(tables: Mapping[str, Table], form: str, selection: str | None) -> list[Table]:
    """All tables for people; one for programs and papers, the first that has rows.

    Args:
        tables: Name -> table.
        form: "table", "csv" or "latex".
        selection: The only table asked for, None if none was named.

    Raises:
        UsageError: The table that was named has no rows.
    """
    filled = {name: tables[name] for name in TABLES if name in tables and tables[name].rows}
    if selection and selection not in filled:
        has = ", ".join(filled) or "none"
        raise UsageError(f"--table {selection}: it has no rows here; those that have: {has}")
    if selection or form != "table":
        filled = {name: filled[name] for name in ([selection] if selection else list(filled)[:1])}
    if form != "table":
        return list(filled.values())
    return [
        narrowed(table)
        if name == "rows"
        else table.select([key for key in table.keys if key not in WIDE.get(name, ())])
        for name, table in filled.items()
    ]


def narrowed(table: Table) -> Table:
    """The table at most :data:`WIDTH` wide, if shorter headings and fewer columns can do it.

    What was left out is said above it.
    """
    if _width(table) <= WIDTH:
        return table
    narrow = replace(
        table, columns=tuple(replace(column, key=SHORT_NAMES.get(column.key, column.key)) for column in table.columns)
    )
    left_out: list[str] = []
    for name in DISPENSABLE:
        if _width(narrow) <= WIDTH:
            break
        if name in narrow.keys:
            left_out.append(name)
            narrow = narrow.select([key for key in narrow.keys if key != name])
    named = [name for name in left_out if name not in LEVELS]
    if len(named) < len(left_out):
        named.append("more tests of dp and eo")
    caption = f"in --format csv and json only: {', '.join(named)}" if named else table.caption
    return replace(narrow, caption=caption)


def _width(table: Table) -> int:
    lines = plain_text(replace(table, caption=""), max_width=MAX_WIDTH).splitlines()
    return max(map(display_width, lines), default=0)


def _columns(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _depths(text: str) -> tuple[int, ...]:
    return tuple(map(whole_number(1), text.split(",")))


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"expected a number in (0, 1], got {text!r}")
    return value


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """``--run``, once per value."""
    parser.add_argument(
        "--run",
        dest="runs",
        type=InputFile,
        action="append",
        default=[],
        metavar="[ATTRIBUTE:]VALUE=RUN",
        help="the run of the questions about one value, or neutral; may be repeated",
    )


def add_generate_options(parser: argparse.ArgumentParser) -> None:
    """``--generate`` and how."""
    parser.add_argument(
        "--generate",
        type=InputFile,
        metavar="QUESTIONS",
        help="write the variants of questions (JSON Lines {query_id, text}) as JSON Lines",
    )
    parser.add_argument(
        "--attribute",
        dest="attributes",
        action="append",
        default=[],
        metavar="NAME=VALUE,…",
        help="an attribute of --generate; may be repeated (default: race and gender of the paper)",
    )
    parser.add_argument(
        "--form",
        choices=FORMS,
        default=FORMS[0],
        help="where the value stands: in a sentence before the question (prefix, default), or at "
        "the person that the question mentions",
    )
    parser.add_argument(
        "--combine",
        action="store_true",
        help="each variant mentions a value of every attribute, instead of one value",
    )


def generate(args: argparse.Namespace) -> int:
    """Write variants of questions on standard output; say which could not be made."""
    questions = read_queries(source_of(args.generate))
    attributes = _attributes(args.attributes)
    variants = make_variants(questions.value, attributes, form=args.form, combine=args.combine)
    not_made_variants = not_made(questions.value, attributes, form=args.form, combine=args.combine)
    notes = list(questions.notes)
    for reason in dict.fromkeys(variant.reason for variant in not_made_variants):
        n = sum(variant.reason == reason for variant in not_made_variants)
        noun = "variant" if n == 1 else "variants"
        notes.append(Note(questions.file, None, f"{count(n)} {noun} not made: {reason}"))
    warn(notes)
    print_lines(partial(write_variant_questions, variants))
    return 0


def run_files(texts: Sequence[str]) -> dict[tuple[str, str], str]:
    """(attribute, value) -> file, of the arguments of ``--run``.

    Raises:
        UsageError: A run is not ``[ATTRIBUTE:]VALUE=RUN``, or stands twice.
    """
    files: dict[tuple[str, str], str] = {}
    for text in texts:
        key, file = _run_argument(text)
        if key in files:
            raise UsageError(f"--run {text}: {key[1]} has a run already: {files[key]}")
        files[key] = file
    return files


def run_results(
    args: argparse.Namespace, files: Mapping[tuple[str, str], str], qrels: Qrels | None
) -> tuple[RetrievalResults, list[Note]]:
    """What runs of variants say, and notes on their files; nothing where there are none.

    Args:
        args: The arguments.
        files: From :func:`run_files`.
        qrels: The judgements.
    """
    if not files:
        return RetrievalResults(), []
    parsed = {key: read_ranked_run(source_of(file, "scoreddocs")) for key, file in files.items()}
    try:
        results = retrieval_results(
            {key: run.value for key, run in parsed.items()},
            qrels,
            measures=cast("list[str]", args.measures),
            depths=args.k,
            seed=args.seed,
        )
    except InputError as error:
        files_of = {value: run.file for (_, value), run in parsed.items()}
        raise renamed(error, files_of.get(error.file, error.file)) from error
    notes = [note for run in parsed.values() for note in run.notes]
    notes += [Note(next(iter(parsed.values())).file, None, text) for text in results.notes]
    if results.quality is not None:
        notes += [note for run in parsed.values() if (note := _tied(run)) is not None]
        notes += results.quality.notes
    return results, notes


def _tied(parsed: Parsed[RankedRun]) -> Note | None:
    """A note on equal scores, by which quality is measured, where the reader did not note them."""
    if any("tied scores" in note.message for note in parsed.notes):
        return None
    run = parsed.value.run
    equal = run.scores[1:] == run.scores[:-1]
    equal &= np.diff(segment_ids(run.offsets)) == 0
    tied = np.concatenate([[False], equal]) | np.concatenate([equal, [False]])
    n = int(tied.sum()) if equal.size else 0
    text = f"{count(n)} tied scores: quality orders them by document id, descending (as trec_eval)"
    return Note(parsed.file, None, text) if n else None


def _run_argument(text: str) -> tuple[tuple[str, str], str]:
    name, mark, file = text.partition("=")
    attribute, value = described(name)
    if not mark or not file or not value.strip() or not attribute.strip():
        raise UsageError(f"--run {text}: expected VALUE=RUN or ATTRIBUTE:VALUE=RUN")
    return (attribute, value), file


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
