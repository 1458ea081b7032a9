"""``fairviz validate``: read a file for its warnings alone, and match it with another one."""

import argparse

from fairviz.cli._common import Commands, add_output_options, examples, print_json, print_text, warn
from fairviz.cli._files import InputFile, name_of, source_of
from fairviz.numerals import count, plural

KINDS = ("run", "qrels", "groups", "target", "rag", "predictions", "archive")
"""In the order people meet them."""


def add_parser(subparsers: Commands) -> None:
    """Add the ``validate`` command."""
    parser = subparsers.add_parser(
        "validate", help="check that a file can be read, and say what is odd in it", epilog=examples("validate")
    )
    parser.add_argument("file", type=InputFile, metavar="FILE", help="the file, plain or gzip'ed")
    parser.add_argument(
        "--kind",
        choices=KINDS,
        help="what it should hold (predictions: answers to demographic variants, bias questions, "
        "or answers to bias questions; default: what its content says)",
    )
    parser.add_argument(
        "--against",
        type=InputFile,
        metavar="FILE",
        help="a file that belongs to it, such as the qrels of a run, the run of outputs, or the questions of answers",
    )
    add_output_options(parser, formats=("table", "json"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, then print."""
    from fairviz.io.validate import validate  # NumPy and Arrow: not for --help

    source = source_of(args.file)
    report = validate(source, args.kind, against=args.against and source_of(args.against))
    warn(report.notes)
    if args.format == "json":
        body = {
            "file": source.name,
            "kind": report.kind,
            "format": report.format,
            "against": args.against and name_of(args.against),
            "summary": report.summary,
        }
        print_json(body, report.notes)
    else:
        counts = ", ".join(f"{count(n)} {what}" for what, n in report.summary.items())
        warnings = plural(len(report.notes), "warning") if report.notes else ""
        print_text(f"{source.name}: {'; '.join(filter(None, (report.format, counts, warnings)))}")
    return 0
