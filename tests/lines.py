"""Records as JSON Lines, and lists as the lines of a run."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def json_lines(records: Iterable[Mapping[str, Any]]) -> str:
    """A line for each record."""
    return "".join(json.dumps(record) + "\n" for record in records)


def write_lines(folder: Path, **files: Iterable[Mapping[str, Any]]) -> None:
    """Write files ``NAME.jsonl`` of records."""
    for name, records in files.items():
        (folder / f"{name}.jsonl").write_text(json_lines(records))


def run_lines(system: str, lists: Mapping[str, Iterable[str]]) -> str:
    """A run of lists, best first, of some queries: scores fall by one from 8 on."""
    return "".join(
        f"{query} Q0 {doc} {rank} {9 - rank} {system}\n"
        for query, docs in lists.items()
        for rank, doc in enumerate(docs, start=1)
    )


def write_run(folder: Path, system: str, lists: Mapping[str, Iterable[str]]) -> None:
    """Write the file ``SYSTEM.run``."""
    (folder / f"{system}.run").write_text(run_lines(system, lists))
