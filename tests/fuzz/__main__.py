"""Damages files of every format at length and says where a reader breaks its law.

::

    python -m tests.fuzz                      # 20,000 mutants
    python -m tests.fuzz --mutants 100000 --from 20000
    python -m tests.fuzz --seconds 600 --keep FOLDER
    python -m tests.fuzz --one 4711           # that mutant again, with the traceback

A mutant is known by its number: the same number is the same file, in every run of the same tree.
"""

import argparse
import faulthandler
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from fairviz.errors import InputError
from tests.fuzz.law import check
from tests.fuzz.mutate import numbered
from tests.fuzz.seeds import found

PATIENCE = 20
"""Seconds that all readings of one mutant may take."""


class HangError(BaseException):
    """A reader did not end in time."""


@contextmanager
def patience() -> Iterator[None]:
    """An alarm for what does not end, and a stop for what does not hear it."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise HangError

    signal.signal(signal.SIGALRM, ring)
    signal.alarm(PATIENCE)
    faulthandler.dump_traceback_later(3 * PATIENCE, exit=True)
    try:
        yield
    finally:
        signal.alarm(0)
        faulthandler.cancel_dump_traceback_later()


def main() -> int:
    """Make mutants, tell each new kind of fault once; returns 1 where there was one."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--mutants", type=int, default=20_000, help="how many")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the number of the first")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--keep", type=Path, help="a folder for one file of each kind of fault")
    parser.add_argument("--one", type=int, help="that mutant alone")
    args = parser.parse_args()
    seeds = found()
    if args.one is not None:
        kind, content, readings = numbered(args.one, seeds)
        _say(f"{kind}, {len(content)} bytes, read as {', '.join(readings)}:\n{content[:2000]!r}")
        check(content, readings)
        return 0
    faults: Counter[str] = Counter()
    formats: Counter[str] = Counter()
    n_read = 0
    end = time.monotonic() + args.seconds
    number = args.first
    for number in range(args.first, args.first + args.mutants):
        if time.monotonic() > end:
            break
        name, content, readings = numbered(number, seeds)
        formats[name] += 1
        try:
            with patience():
                outcomes = check(content, readings)
        except (Exception, HangError) as error:
            kind = _kind(error)
            faults[kind] += 1
            if faults[kind] == 1:
                _say(f"mutant {number} ({name}): {kind}: {str(error)[:300]}")
                if args.keep:
                    args.keep.mkdir(parents=True, exist_ok=True)
                    (args.keep / f"{number}.bin").write_bytes(content)
            continue
        n_read += any(error is None for error in outcomes.values())
        if number % 5000 == 4999:
            _say(f"… {number + 1}: {n_read:,} read, {sum(faults.values()):,} faults of {len(faults)} kinds")
    n = sum(formats.values())
    _say(f"{n:,} mutants of {len(formats)} files and formats, the next is {args.first + n}: {n_read:,} were read")
    for kind, count in faults.most_common():
        _say(f"  {count:6,} × {kind}")
    return 1 if faults else 0


def _kind(error: BaseException) -> str:
    """Where it came from, to tell each kind of fault once."""
    cause = error.__cause__ if error.__cause__ is not None and not isinstance(error.__cause__, InputError) else error
    frames = [frame for frame in traceback.extract_tb(cause.__traceback__) if "fairviz" in frame.filename]
    where = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames[:-4:-1])
    return f"{type(cause).__name__} at {where}" + (
        f" ({str(error).split(':')[0]})" if isinstance(cause, AssertionError) else ""
    )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
