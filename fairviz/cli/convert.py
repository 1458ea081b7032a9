"""``fairviz convert``: runs, samples, judgements and recorded outputs of any size as Parquet, sorted by query."""

import argparse
from dataclasses import replace

from fairviz.cli._common import Commands, Progress, add_progress_option, warn
from fairviz.cli._files import InputFile, source_of
from fairviz.counts import count
from fairviz.errors import InputError
from fairviz.io.convert import ANY_SIZE, Told, convert
from fairviz.io.sniff import sniff
from fairviz.io.source import Source

EXAMPLES = """\
examples:
  fairviz convert bm25.run.gz --output bm25.parquet
  fairviz convert test.qrels --output qrels.parquet
  fairviz evaluate bm25.parquet --qrels qrels.parquet -m "nDCG@10, EED@5" --workers 2
  fairviz convert answers.jsonl --output answers.parquet
  fairviz evaluate bm25.parquet --outputs answers.parquet -m "EU, EAR@5" --workers 2

The lines may stand in any order and be more than memory holds: they are sorted in pieces beside the result, which takes
its name when it is whole. evaluate, curve and tradeoff read such files by ranges of queries, other commands in memory;
the numbers are those of the original to the last bit.
"""


def add_parser(subparsers: Commands) -> None:
    """Add the ``convert`` command."""
    parser = subparsers.add_parser(
        "convert", help="runs, judgements and recorded outputs of any size as Parquet, sorted by query", epilog=EXAMPLES
    )
    parser.add_argument(
        "file", type=InputFile, metavar="FILE", help="a run, samples, or judgements in TREC's columns; recorded outputs"
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
    role = sniff(source).role
    if role not in ("run", "qrels", "rag"):
        reason = f"holds {role}: runs, samples, judgements and recorded outputs can be converted"
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

        told = Told(read, sorting, progress.step)
        if role == "rag":
            return _outputs(source, args.output, told)
        converted = convert(
            source,
            args.output,
            judgements=role == "qrels",
            multi_sample=args.multi_sample or None,
            subtopics=args.subtopics or None,
            told=told,
        )
    warn(converted.notes)
    about = converted.about
    what = {"run": "a run", "samples": "samples", "qrels": "judgements"}[about.kind]
    print(f"{args.output}: {what}, {count(about.n_queries)} queries, {count(sum(about.sizes))} documents")
    return 0


def _outputs(source: Source, to: str, told: Told) -> int:
    """Convert recorded outputs, then say what was written."""
    from fairviz.io.convert_outputs import convert_outputs

    converted = convert_outputs(source, to, told=told)
    warn(converted.notes)
    n_systems = len(converted.systems)
    what = "recorded outputs" if n_systems == 1 else f"recorded outputs of {count(n_systems)} systems"
    print(f"{to}: {what}, {count(converted.n_queries)} queries, {count(converted.n_answers)} answers")
    return 0
