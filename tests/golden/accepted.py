"""The accepted outputs of the documentation's commands, as hashes that a test holds."""

import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.golden.commands import every, normal, shown_commands, standing_in
from tests.golden.text import sha256

ACCEPTED = Path(__file__).with_name("commands.json")
RENEW = "python -m tests.golden accept"
DIGITS = 6
"""Significant digits that are held: sums differ in their last ones between processors."""
MARKED = 200
"""Lines of an output that are marked one by one, so that a test can show those that changed."""
SHOWN = 8


def outputs() -> Iterator[tuple[str, str]]:
    """The documentation's commands as typed and in JSON: command, output. CSV is of the tables that JSON has."""
    with tempfile.TemporaryDirectory() as folder, standing_in(Path(folder)):
        for done in every(shown_commands(), ("json",)):
            form = f" --format {done.form}" if done.form else ""
            yield f"fairviz {done.command}{form}", f"exit {done.code}\n{normal(done, DIGITS)}"


def entry(text: str) -> dict[str, str]:
    """What is kept of an output: its hash, and two letters for each of its first lines."""
    marks = "".join(_mark(line) for line in text.splitlines()[:MARKED])
    return {"sha256": sha256(text.encode()), "marks": marks}


def changed(kept: Mapping[str, str], text: str) -> list[str]:
    """The first lines of an output that are not those accepted."""
    old = [kept["marks"][place : place + 2] for place in range(0, len(kept["marks"]), 2)]
    lines = text.splitlines()
    found = [
        f"line {number}: {line[:200]}"
        for number, line in enumerate(lines[:MARKED], start=1)
        if number > len(old) or old[number - 1] != _mark(line)
    ]
    if len(lines) < len(old):
        found.append(f"it has {len(lines)} lines, fewer than before")
    return found[:SHOWN] or [f"the change is after line {MARKED}"]


def accept() -> int:
    """Accept what the commands print now; returns how many outputs that are."""
    kept = {command: entry(text) for command, text in outputs()}
    ACCEPTED.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return len(kept)


def accepted() -> dict[str, dict[str, str]]:
    """The accepted outputs by command."""
    return json.loads(ACCEPTED.read_text(encoding="utf-8"))


def _mark(line: str) -> str:
    return hashlib.sha256(line.encode()).hexdigest()[:2]
