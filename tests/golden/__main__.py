"""What a tree says, draws and prints, kept to compare with another tree.

::

    python -m tests.golden record FOLDER [--inputs DIR]   # this tree's outputs, one file per item
    diff -ru FOLDER_A FOLDER_B                            # what differs between two trees
    python -m tests.golden accept                         # renews commands.json and the recorded signatures

Run it at the top of a checkout. It knows only what readers of the program know, so that a copy of
this folder in an older checkout records that one.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.golden.commands import INPUTS, ROOT

PARTS = ("commands", "demo", "pages", "moves")
"""Parts of a record; moves, each control of the example's pages by itself, take longest."""


def main() -> int:
    """Record or accept; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=(__doc__ or "").split("\n", 1)[0])
    actions = parser.add_subparsers(dest="action", required=True)
    record = actions.add_parser("record", help="write this tree's outputs to a new folder")
    record.add_argument("folder", type=Path)
    record.add_argument("--inputs", type=Path, default=INPUTS, help="other inputs (default ../shared/data)")
    record.add_argument("--only", choices=PARTS, help="one part of it")
    record.add_argument("--quick", action="store_true", help="leave out the moves")
    record.add_argument("--case", default="", help="one data of the pages, one page of the moves")
    actions.add_parser("accept", help="accept what commands print and how functions are called")
    args = parser.parse_args()
    if args.action == "record":
        inputs, moves = args.inputs.resolve(), not args.quick
        return _record(args.folder.resolve(), inputs, args.only, moves=moves, case=args.case)
    from tests.api import test_names
    from tests.golden.accepted import accept

    test_names.accept()
    _say(f"{accept()} outputs accepted")
    return 0


def _record(folder: Path, inputs: Path, only: str | None, *, moves: bool, case: str) -> int:
    if folder.exists() and any(folder.iterdir()):
        _say(f"{folder} is not empty")
        return 2
    given = inputs if inputs.is_dir() else None
    if given is None:
        _say(f"{inputs} is not there: only the example's files are used")
    with tempfile.TemporaryDirectory() as work:
        for part in PARTS:
            if part == only or (only is None and (moves or part != "moves")):
                began = time.monotonic()
                _part(part, folder / part, Path(work) / part, given, case=case)
                _say(f"{part}: {time.monotonic() - began:.0f} s")
    return 0


def _part(part: str, folder: Path, work: Path, inputs: Path | None, *, case: str) -> None:
    from tests.golden import commands, pages

    if part == "commands":
        commands.record_commands(folder, work, inputs)
    elif part == "demo":
        commands.record_demo(folder, work)
    else:
        os.chdir(ROOT)
        if part == "pages":
            pages.record_pages(folder, inputs, say=_say, only=case)
        else:
            pages.record_moves(folder, say=_say, only=case)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
