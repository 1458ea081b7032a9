"""``fairviz variants``: accuracy, parity, votes and retrieval over demographic variants."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from fairviz.cli._common import (
    MAX_WIDTH,
    Commands,
    add_measures_option,
    add_output_options,
    add_seed_option,
    print_json,
    print_tables,
    warn,
    whole_number,
)
from fairviz.cli.variant_runs import add_generate_options, add_run_options, generate, of_runs, run_files
from fairviz.errors import UsageError
from fairviz.io.notes import Parsed
from fairviz.io.qrels import read_qrels
from fairviz.io.variants import read_variants
from fairviz.model import Note, Qrels, VariantAnswers
from fairviz.model.variants import UNKNOWN
from fairviz.show.table import Table, display_width, plain_text
from fairviz.studies.demographic_qa.conditions import with_votes
from fairviz.studies.demographic_qa.overlap import REPEATED
from fairviz.studies.demographic_qa.questions import ErrorCase, error_cases
from fairviz.studies.demographic_qa.rows import MIN_SIZE, OUTCOMES, VariantRow, variant_rows
from fairviz.studies.demographic_qa.sheet import ALL_VALUES, COLUMNS, combinations
from fairviz.studies.demographic_qa.tables import Measured, answer_tables, answers_body
from fairviz.studies.demographic_qa.votes import VOTERS, VoteRule
from fairviz.studies.demographic_qa.voting import CLUSTER_THRESHOLD, TIE_RULES

# Tables that ``fairviz variants`` prints: which, and how wide.


TABLES = ("rows", "groups", "gaps", "strategies", "errors", "overlap", "overlap_values", "quality", "quality_gaps")
"""What ``--table`` can ask for, in the order of printing."""

WIDTH = 160
"""Characters of a line that a terminal is thought to have."""

_SHORT = {"n_questions": "n", "vote_accuracy": "vote", "overlap_all": "overlap"}

_LESS = ("vote_dp", "any_correct", "all_correct", "overlap_neutral", "overlap_pairwise", "n_ties", "agree")
"""Columns that a terminal can do without, the first to go first."""


def to_print(tables: Mapping[str, Table], how: str, chosen: str | None) -> list[Table]:
    """All tables for people; one for programs and papers, the first that has rows.

    Args:
        tables: Name -> table.
        how: "table", "csv" or "latex".
        chosen: The only table wanted, None if none was named.

    Raises:
        UsageError: The table that was named has no rows.
    """
    filled = {name: tables[name] for name in TABLES if name in tables and tables[name].rows}
    if chosen and chosen not in filled:
        has = ", ".join(filled) or "none"
        raise UsageError(f"--table {chosen}: it has no rows here; those that have: {has}")
    if chosen or how != "table":
        filled = {name: filled[name] for name in ([chosen] if chosen else list(filled)[:1])}
    if how == "table" and "rows" in filled:
        filled["rows"] = narrowed(filled["rows"])
    return list(filled.values())


def narrowed(table: Table) -> Table:
    """The table at most :data:`WIDTH` wide, if shorter headings and fewer columns can do it.

    What was left out is said above it.
    """
    if _width(table) <= WIDTH:
        return table
    found = replace(table, columns=tuple(replace(one, key=_SHORT.get(one.key, one.key)) for one in table.columns))
    gone: list[str] = []
    for name in _LESS:
        if _width(found) <= WIDTH:
            break
        if name in found.keys:
            gone.append(name)
            found = found.select([key for key in found.keys if key != name])
    said = f"in --format csv and json only: {', '.join(gone)}" if gone else table.caption
    return replace(found, caption=said)


def _width(table: Table) -> int:
    lines = plain_text(replace(table, caption=""), max_width=MAX_WIDTH).splitlines()
    return max(map(display_width, lines), default=0)


# What a reader of the numbers of ``fairviz variants`` should know.


def remarks(read: Sequence[Parsed[VariantAnswers]], found: Sequence[Measured], by: Sequence[str]) -> list[Note]:
    """Notes on the rows of every file, then one on the columns that they pool."""
    notes = [
        Note(parsed.file, None, text)
        for parsed, one in zip(read, found, strict=True)
        for text in _of_file(one, parsed.value)
    ]
    varying = {parsed.file: pooled(parsed.value, by) for parsed in read}
    names = [name for name in COLUMNS if any(name in one for one in varying.values())]
    if names:
        rows = [row for one in found for row in one.rows]
        documents = any(note.endswith(REPEATED) for row in rows for one in row.overlap for note in one.notes)
        rates = "rates are over all of them"
        overlap = ", the overlap is of the first list of each question and value"
        what = f"{rates}{overlap if documents else ''}"
        them = "it" if len(names) == 1 else "them"
        text = f"rows pool {', '.join(names)}: {what}; add {them} to --by"
        notes.append(Note(next(file for file, one in varying.items() if one), None, text))
    return notes


def pooled(answers: VariantAnswers, by: Sequence[str]) -> list[str]:
    """Recorded columns that vary within a combination of the columns of ``by``."""
    factors = [factor for factor in answers.factors if factor.name not in by]
    rows = [rows for _, rows in combinations(answers, by)]
    return [f.name for f in factors if any(np.unique(f.codes[one]).size > 1 for one in rows)]


def _of_file(found: Measured, answers: VariantAnswers) -> list[str]:
    said = [note for row in found.rows for overlap in row.overlap for note in overlap.notes]
    said = [note for note in said if not note.endswith(REPEATED)]
    scored = any(group.n for row in found.rows for group in row.groups)
    if not (answers.answerable != UNKNOWN).any():
        said += ["no row says whether its question is answerable: eo is undefined (null)"] * bool(found.rows)
    elif scored:
        said += [text for row in found.rows for text in _on_eo(row, answers)]
    for row in found.rows:
        small = [group.value for group in row.groups if group.small]
        if small and any(group.n for group in row.groups):
            all_small = "; all are compared" if row.small else ""
            said.append(f"{row.attribute}: fewer than the minimum of answers for {', '.join(small)}{all_small}")
        if not row.alone:
            said.append(f"{row.attribute} is varied in combinations only: their answers count for it")
    return list(dict.fromkeys(said))


def _on_eo(row: VariantRow, answers: VariantAnswers) -> list[str]:
    """Why eo is undefined, leaves groups out, or says what dp says."""
    known = answers.answerable[answers.answerable != UNKNOWN]
    if not known.any():
        return ["no question is answerable: eo is undefined (null)"]
    without = [group.value for group in row.groups if group.n and not group.n_answerable]
    if without:
        left = "is undefined (null)" if row.eo != row.eo else "leaves them out"
        return [f"{row.attribute}: no answerable question about {', '.join(without)}: eo {left}"]
    if known.size == answers.answerable.size and known.all():
        return ["every question is answerable: eo is dp"]
    return []


EXAMPLES = """\
examples:
  fairviz variants answers.jsonl --by model,strategy
  fairviz variants answers.jsonl --vote within --ties abstain --format json
  fairviz variants answers.jsonl --outcome letters --min-size 30
  fairviz variants answers.jsonl --format csv --table groups > groups.csv
  fairviz variants --run neutral=plain.run --run race:Asian=asian.run \\
      --run race:Hispanic=hispanic.run --qrels test.qrels -k 10,15,20
  fairviz variants --generate questions.jsonl --attribute "race=Asian,Hispanic" > variants.jsonl

FILE: JSON Lines, CSV or TSV {qid, attribute, value, gold, prediction}, with any of model, dataset,
strategy, retriever, k, retrieved, answerable, evidence. Rates are shares (0 to 1), overlaps are
percent. dp and eo are the largest difference between two groups; the neutral question is no group.
Variants swap a string: gaps say how answers react to the mention, not how people are treated.
"""


def add_parser(subparsers: Commands) -> None:
    """Add the ``variants`` command."""
    parser = subparsers.add_parser("variants", help="answers to demographic variants of questions", epilog=EXAMPLES)
    parser.add_argument("files", nargs="*", metavar="FILE", help="recorded answers to variants")
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
        "--min-size",
        type=whole_number(1),
        default=MIN_SIZE,
        metavar="N",
        help="groups with fewer answers are marked small and leave dp and eo to the others, unless "
        f"fewer than two others remain: then all are compared (default {MIN_SIZE})",
    )
    parser.add_argument(
        "--qrels",
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
    if not args.files and not args.runs:
        raise UsageError("nothing to measure: give FILE, --run VALUE=RUN or --generate QUESTIONS")
    if args.table and args.format == "json":
        raise UsageError("--table: --format json has everything; choose table, csv or latex")
    files = run_files(cast("list[str]", args.runs))
    read = [read_variants(file) for file in cast("list[str]", args.files)]
    judged = read_qrels(args.qrels) if args.qrels else None
    qrels = judged.value if judged else None
    retrieval = of_runs(args, files, qrels)
    by = _columns(args.by) if args.by else recorded([parsed.value for parsed in read])
    found = [answers_of(parsed.value, by, args, qrels) for parsed in read]
    notes = [note for parsed in (*read, *([judged] if judged else [])) for note in parsed.notes]
    notes += [*remarks(read, found, by), *retrieval.notes]
    tables = {**answer_tables(found), **retrieval.tables}
    shown = to_print(tables, args.format, args.table) if args.format != "json" else []
    warn(notes)
    if args.format == "json":
        print_json({**answers_body(found), **retrieval.body}, notes)
        return 0
    print_tables(shown, args.format)
    return 0


def answers_of(answers: VariantAnswers, by: Sequence[str], args: argparse.Namespace, qrels: Qrels | None) -> Measured:
    """Everything that one file of answers says."""
    rule = VoteRule(voters=args.vote, ties=args.ties, unreadable=args.unreadable, threshold=args.similarity)
    rows = variant_rows(
        answers,
        by=by,
        rule=rule,
        outcome=args.outcome,
        min_size=args.min_size,
        threshold=args.threshold,
        depths=args.k,
        pooled=True,
        seed=args.seed,
    )
    single = tuple(row for row in rows if row.attribute != ALL_VALUES)
    return Measured(
        rows=single,
        all_values=tuple(row for row in rows if row.attribute == ALL_VALUES),
        strategies=with_votes(
            answers,
            single,
            rule=rule,
            threshold=args.threshold,
            min_size=args.min_size,
            seed=args.seed,
        ),
        cases=_cases(answers, by, args, qrels),
        outcome="rouge_l" if _by_rouge(answers, args) else args.outcome,
    )


def recorded(answers: Sequence[VariantAnswers]) -> list[str]:
    """Columns that any file records; the model (a file's name if it records none) of several."""
    several = len(answers) > 1
    return [
        name
        for name in COLUMNS
        if any(one.factor(name) is not None for one in answers) or (name == "model" and several)
    ]


def _cases(
    answers: VariantAnswers, by: Sequence[str], args: argparse.Namespace, qrels: Qrels | None
) -> tuple[ErrorCase, ...]:
    """Evidence × answer, where both are known."""
    known = bool((answers.evidence != UNKNOWN).any())
    documents = qrels is not None and answers.retrieved.size > 0
    if _by_rouge(answers, args) or not (known or documents):
        return ()
    judged = qrels if documents else None
    k = max(args.k) if args.k else None
    return error_cases(answers, by=by, threshold=args.threshold, qrels=judged, k=k)


def _by_rouge(answers: VariantAnswers, args: argparse.Namespace) -> bool:
    return answers.kind == "open" and args.threshold is None


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
