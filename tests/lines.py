"""Records as JSON Lines."""

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
