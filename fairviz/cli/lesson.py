"""``fairviz lesson``: lessons as single HTML files, for any learning platform."""

import argparse
from pathlib import Path
from typing import Any

from fairviz.cli._common import Commands
from fairviz.errors import OutputError, UsageError
from fairviz.io.whole import write_whole
from fairviz.lessons.lesson import Lesson
from fairviz.lessons.page import file_name, lesson_html
from fairviz.lessons.plan import LESSONS, lesson_called

EXAMPLES = """\
examples:
  fairviz lesson --output lessons
  fairviz lesson exposure 4 --output lessons

Two files for each lesson, which need no server and no network: one for students, which asks and takes a guess and holds
no answer, and one for teachers, which shows it after a guess. A lesson is named by its number or its word.
"""


def add_parser(subparsers: Commands) -> None:
    """Add the ``lesson`` command."""
    parser = subparsers.add_parser("lesson", help="lessons as single files, with and without answers", epilog=EXAMPLES)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"which (default: all): {', '.join(lesson.slug for lesson in LESSONS)}, or 1 to {len(LESSONS)}",
    )
    parser.add_argument(
        "--output", dest="folder", type=Path, required=True, metavar="FOLDER", help="where the files are written"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the files; nothing is printed."""
    chosen = [_called(name) for name in args.names] or list(LESSONS)
    folder: Path = args.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot be made ({error.strerror})", file=str(folder)) from error
    for lesson in chosen:
        for teacher in (False, True):
            content = lesson_html(lesson, teacher=teacher)
            write_whole(folder / file_name(lesson, teacher=teacher), content.encode())
    return 0


def _called(name: str) -> Lesson[Any]:
    lesson = lesson_called(name)
    if lesson is None:
        known = ", ".join(one.slug for one in LESSONS)
        raise UsageError(f"no lesson is called {name!r}; there are: {known}, or 1 to {len(LESSONS)}")
    return lesson
