"""What the cache needs to count its results in bytes."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np

from fairviz import system


def weight(*things: object, apart_from: Iterable[object] = ()) -> int:
    """Bytes of arrays, texts and containers that nouns hold; what is shared counts once.

    Args:
        things: What is weighed.
        apart_from: Counts nothing, wherever it is met: it is counted elsewhere.

    Examples:
        >>> weight(np.zeros(1000)) >= 8000
        True
        >>> shared = np.zeros(1000)
        >>> weight(shared, shared) == weight(shared)
        True
    """
    total, seen, open_ = 0, {id(thing) for thing in apart_from}, list(things)
    while open_:
        thing = open_.pop()
        if isinstance(thing, str | int | float | bytes | None):
            total += sys.getsizeof(thing)
            continue
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, np.ndarray):
            total += thing.nbytes
            continue
        total += sys.getsizeof(thing)
        open_ += _inside(thing)
    return total


def _inside(thing: object) -> Iterable[object]:
    if is_dataclass(thing):
        return [getattr(thing, field.name) for field in fields(thing)]
    if isinstance(thing, Mapping):
        return [*thing.keys(), *thing.values()]
    if isinstance(thing, tuple | list | set | frozenset):
        return thing
    return vars(thing).values() if type(thing).__module__.startswith("fairviz.") and hasattr(thing, "__dict__") else ()


def memory_of_machine() -> int:
    """Bytes of memory that this process may use: the machine's, or the limit of its control group."""
    said = (file.read_text(encoding="ascii").strip() for file in _limit_files() if file.is_file())
    limits = (int(text) for text in said if text.isdigit())  # else "max"
    return min([system.memory_of_machine(), *limits])


def _limit_files() -> list[Path]:
    """Where Linux says the limits of the control groups, of version 1 and 2, that this process is in."""
    groups, root = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")
    files: list[Path] = []
    for line in groups.read_text(encoding="utf-8", errors="surrogateescape").splitlines() if groups.is_file() else []:
        _, controllers, path = line.split(":", 2)
        top, name = (root, "memory.max") if not controllers else (root / "memory", "memory.limit_in_bytes")
        if controllers in {"", "memory"}:
            own = top / path.lstrip("/")
            files += [folder / name for folder in (own, *own.parents) if folder.is_relative_to(top)]
    return files
