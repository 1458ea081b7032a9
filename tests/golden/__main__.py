"""What a tree says, draws and prints, kept to compare with another tree.

::

    python -m tests.golden record FOLDER [--inputs DIR]   # this tree's outputs, one file per item
    python -m tests.golden compare FOLDER_A FOLDER_B      # exits with 1 where they differ
    python -m tests.golden accept                         # renews commands.json and the recorded signatures

Run it at the top of a checkout. It knows only what readers of the program know, so that a copy of
this folder in an older checkout records that one. ``compare`` takes checkouts too and records them.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.golden.commands import INPUTS, ROOT

PARTS = ("commands", "demo", "pages", "moves")
"""Parts of a record; moves, each control of the example's pages by itself, take longest."""


def main() -> int:
    """Record, compare or accept; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=(__doc__ or "").split("\n", 1)[0])
    actions = parser.add_subparsers(dest="action", required=True)
    record = actions.add_parser("record", help="write this tree's outputs to a new folder")
    record.add_argument("folder", type=Path)
    record.add_argument("--inputs", type=Path, default=INPUTS, help="other inputs (default ../shared/data)")
    record.add_argument("--only", choices=PARTS, help="one part of it")
    record.add_argument("--quick", action="store_true", help="leave out the moves")
    record.add_argument("--case", default="", help="one data of the pages, one page of the moves")
    both = actions.add_parser("compare", help="say what differs between two records, or two checkouts")
    both.add_argument("before", type=Path)
    both.add_argument("after", type=Path)
    both.add_argument("--columns-renamed", action="store_true", help="let CSV pass where only column names differ")
    both.add_argument("--inputs", type=Path, default=INPUTS, help="other inputs, for checkouts")
    actions.add_parser("accept", help="accept what commands print and how functions are called")
    args = parser.parse_args()
    if args.action == "record":
        inputs, moves = args.inputs.resolve(), not args.quick
        return _record(args.folder.resolve(), inputs, args.only, moves=moves, case=args.case)
    if args.action == "compare":
        return _compare(args.before, args.after, args.inputs.resolve(), renamed=args.columns_renamed)
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
                there = Path(work) / part
                _part(part, folder / part, there, given, case=case)
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


def _compare(before: Path, after: Path, inputs: Path, *, renamed: bool) -> int:
    from tests.golden.compare import differences, items

    with tempfile.TemporaryDirectory() as work:
        old = _record_of(before, Path(work) / "before", inputs)
        new = _record_of(after, Path(work) / "after", inputs)
        found = list(differences(old, new))
        for one in found:
            _say("\n  ".join([f"{one.item}: {one.what}", *one.lines]))
        passed = sum(renamed and one.passes for one in found)
        said = f", {passed} of them only in names of columns" if passed else ""
        _say(f"{len(items(old))} items before, {len(items(new))} after: {len(found)} differ{said}")
    return int(len(found) > passed)


def _record_of(folder: Path, work: Path, inputs: Path) -> Path:
    """A record as it is; of a checkout, one that is made now, by this recorder."""
    if not (folder / "app.py").is_file():
        return folder
    tree = folder.resolve()
    here = Path(__file__).parent
    with tempfile.TemporaryDirectory() as copied:
        copy = Path(copied) / "tree"
        shutil.copytree(tree, copy, ignore=shutil.ignore_patterns(".venv", ".git", "__pycache__"))
        shutil.copytree(here, copy / "tests" / "golden", dirs_exist_ok=True)
        subprocess.run(
            [sys.executable, "-m", "tests.golden", "record", str(work), "--inputs", str(inputs)],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy)},
            check=True,
        )
    return work


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
