"""``fairviz validate``: read a file for its warnings alone, and match it with another one."""

import argparse

from fairviz.cli._common import print_json, print_text, warn
from fairviz.cli._files import name_of, source_of
from fairviz.numerals import count, plural


def run(args: argparse.Namespace) -> int:
    """Read, then print."""
    from fairviz.io.formats import sniff  # NumPy and Arrow: not for --help
    from fairviz.io.validate import validate

    source = source_of(args.file)
    kind = args.kind or sniff(source).role
    report = validate(source, kind, against=args.against and source_of(args.against))
    warn(report.notes)
    if args.format == "json":
        body = {
            "file": source.name,
            "kind": kind,
            "format": report.format,
            "against": args.against and name_of(args.against),
            "summary": report.value,
        }
        print_json(body, report.notes)
    else:
        counts = ", ".join(f"{count(n)} {what}" for what, n in report.value.items())
        warnings = plural(len(report.notes), "warning") if report.notes else ""
        print_text(f"{source.name}: {'; '.join(filter(None, (report.format, counts, warnings)))}")
    return 0
