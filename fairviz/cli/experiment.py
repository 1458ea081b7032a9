"""``fairviz experiment run CONFIG.toml``: make the files that the dashboard shows."""

import argparse
from pathlib import Path
from typing import Any

from fairviz.cli._common import Parser, Progress, add_progress_option, print_text, warn
from fairviz.cli._files import DASH, InputFile
from fairviz.errors import UsageError

EPILOG = """\
The file names data and components, never code. Its kind is "rankings" (sampled rankings and answers
to them), "bias" (questions that test for social bias) or "variants" (questions about different
people); data/demo has one of each to start from: experiment.toml, bias/experiment.toml and
variants/experiment.toml.
The same file gives the same bytes each time. manifest.json is written last: without it, or where it
does not match, the files beside it are of a run that did not end; run it again.
"""


def add_parser(subparsers: Any) -> None:
    """Add the ``experiment`` command."""
    parser = subparsers.add_parser(
        "experiment",
        help="retrieve, sample, generate, attribute and label, from a TOML file",
        epilog=EPILOG,
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True, parser_class=Parser)
    action = actions.add_parser("run", help="run the experiment that a TOML file describes")
    action.add_argument("config", type=InputFile, metavar="CONFIG.toml", help="the description")
    action.add_argument("--output", type=Path, metavar="FOLDER", help="write there instead of where the file says")
    add_progress_option(action)
    action.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the experiment and list what it wrote."""
    from fairviz.experiment import run_experiment
    from fairviz.model import Note

    if args.config == DASH:
        raise UsageError("experiment run: give the description as a file; what it names is looked for beside it")
    config = Path(args.config)
    with Progress(1, "experiment", force=args.progress) as bar:

        def tell(what: str, done: int, total: int) -> None:
            bar.what, bar.total = what, total
            bar.step(done - bar.done)

        report = run_experiment(config, output=args.output, progress=tell)
    warn(report.notes)
    warn(
        Note(str(config), None, f"question {query_id} dropped: {n} useful documents")
        for query_id, n in report.n_useful.items()
        if query_id in report.dropped
    )
    print_text("\n".join(str(path) for path in (*report.files, report.manifest)))
    return 0
