"""``fairviz convert``: files of any size as Parquet, sorted by query, item or question."""

import argparse
from collections.abc import Callable
from dataclasses import replace

from fairviz.cli._common import Commands, Progress, add_progress_option, warn
from fairviz.cli._files import InputFile, source_of
from fairviz.counts import count
from fairviz.errors import InputError
from fairviz.io.convert import ANY_SIZE, Told, convert
from fairviz.io.parquet import is_parquet
from fairviz.io.sniff import sniff
from fairviz.io.source import Source

EXAMPLES = """\
examples:
  fairviz convert bm25.run.gz --output bm25.parquet
  fairviz convert test.qrels --output qrels.parquet
  fairviz evaluate bm25.parquet --qrels qrels.parquet -m "nDCG@10, EED@5" --workers 2
  fairviz convert outputs.jsonl --output outputs.parquet
  fairviz evaluate bm25.parquet --outputs outputs.parquet -m "EU, EAR@5" --workers 2
  fairviz convert predictions.csv --output predictions.parquet
  fairviz bias predictions.parquet --items bbq_items.csv --workers 2
  fairviz convert answers.jsonl --output answers.parquet
  fairviz variants answers.parquet --workers 2

The lines may stand in any order and be more than memory holds: they are sorted in pieces beside the result, which takes
its name when it is whole. evaluate, curve and tradeoff read such files by ranges of queries, bias of items, variants of
questions, other commands in memory; the numbers are those of the original to the last bit.
"""


def add_parser(subparsers: Commands) -> None:
    """Add the ``convert`` command."""
    parser = subparsers.add_parser(
        "convert", help="runs, judgements, outputs and answers of any size as sorted Parquet", epilog=EXAMPLES
    )
    parser.add_argument(
        "file",
        type=InputFile,
        metavar="FILE",
        help="a run, samples or judgements in TREC's columns; recorded outputs; answers to bias questions or variants",
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
    add_progress_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Convert, then say what was written."""
    source = replace(source_of(args.file), limit=ANY_SIZE)
    if is_parquet(source):
        from fairviz.io.converted_upload import converted_role  # Arrow's Parquet is loaded for such files alone

        if (converted := converted_role(source)) is not None:
            raise InputError(f"{converted[1]}: there is nothing to convert", file=source.name, fix="Give it as it is.")
    found = sniff(source)
    known = [role for role in (found.also, found.role) if role in CONVERTERS]
    if not known:
        reason = f"holds {found.role}: runs, samples, judgements, recorded outputs and answers can be converted"
        raise InputError(reason, file=source.name, fix="Give other files as they are.")
    size = source.stamp.size if source.stamp else len(source.content)
    with Progress(size, "reading bytes", force=args.progress, timed=True) as progress:
        done = 0

        def read(n: int) -> None:
            nonlocal done
            progress.step(n - done)
            done = n

        def sorting(n: int) -> None:
            progress.restart("writing lines", n)

        written = CONVERTERS[known[0]](args, source, Told(read, sorting, progress.step))
    print(f"{args.output}: {written}")
    return 0


def _lists(args: argparse.Namespace, source: Source, told: Told, *, judgements: bool = False) -> str:
    converted = convert(
        source,
        args.output,
        judgements=judgements,
        multi_sample=args.multi_sample or None,
        subtopics=args.subtopics or None,
        told=told,
    )
    warn(converted.notes)
    about = converted.about
    what = {"run": "a run", "samples": "samples", "qrels": "judgements"}[about.kind]
    return f"{what}, {count(about.n_queries)} queries, {count(sum(about.sizes))} documents"


def _judgements(args: argparse.Namespace, source: Source, told: Told) -> str:
    return _lists(args, source, told, judgements=True)


def _outputs(args: argparse.Namespace, source: Source, told: Told) -> str:
    from fairviz.io.convert_outputs import convert_outputs

    converted = convert_outputs(source, args.output, told=told)
    warn(converted.notes)
    n_systems = len(converted.systems)
    what = "recorded outputs" if n_systems == 1 else f"recorded outputs of {count(n_systems)} systems"
    return f"{what}, {count(converted.n_queries)} queries, {count(converted.n_answers)} answers"


def _answers(args: argparse.Namespace, source: Source, told: Told) -> str:
    from fairviz.io.convert_answers import convert_answers

    converted = convert_answers(source, args.output, told=told)
    warn(converted.notes)
    n_answers = sum(converted.about.sizes)
    return f"answers to bias questions, {count(converted.n_items)} items, {count(n_answers)} answers"


def _variants(args: argparse.Namespace, source: Source, told: Told) -> str:
    from fairviz.io.convert_variants import convert_variants

    converted = convert_variants(source, args.output, told=told)
    warn(converted.notes)
    about = converted.about
    n_variants, n_answers = count(len(about.variants)), count(sum(about.sizes))
    return f"answers to {n_variants} variants of {count(about.n_questions)} questions, {n_answers} answers"


CONVERTERS: dict[str, Callable[[argparse.Namespace, Source, Told], str]] = {
    "run": _lists,
    "qrels": _judgements,
    "rag": _outputs,
    "bias-predictions": _answers,
    "variants": _variants,
}
"""(options, file, who is told) -> what was written, in words, by what the file holds."""
