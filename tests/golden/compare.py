"""What differs between two records: items that are gone or new, lines, headers of tables."""

import csv
import difflib
import filecmp
import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

HINT_LINES = 24
"""Lines of a difference that are shown, so that hundreds of them can be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """An item that two records have differently.

    Attributes:
        item: Its path in both.
        what: What differs, in words.
        lines: The first lines of the difference.
        passes: Whether only the names of columns differ.
    """

    item: str
    what: str
    lines: tuple[str, ...] = ()
    passes: bool = False


def differences(before: Path, after: Path) -> Iterator[Difference]:
    """Compare two records item by item, in the order of their names."""
    old, new = items(before), items(after)
    for item in sorted(old | new):
        if item not in new:
            yield Difference(item=item, what="is gone")
        elif item not in old:
            yield Difference(item=item, what="is new")
        elif not filecmp.cmp(before / item, after / item, shallow=False):
            yield difference(item, _text(before / item), _text(after / item))


def items(record: Path) -> set[str]:
    """Paths of a record's items."""
    return {path.relative_to(record).as_posix() for path in record.rglob("*") if path.is_file()}


def difference(item: str, before: str, after: str) -> Difference:
    """What differs between two texts of an item."""
    lines = tuple(islice(_lines(before, after), HINT_LINES))
    if item.endswith(".csv"):
        renamed = _renamed(before, after)
        if renamed is not None:
            what, equal = renamed
            values = "values equal" if equal else "values differ too"
            return Difference(
                item=item, what=f"headers differ: {what}; {values}", lines=() if equal else lines, passes=equal
            )
    return Difference(item=item, what="differs", lines=lines)


def _lines(before: str, after: str) -> Iterator[str]:
    shown = difflib.unified_diff(before.splitlines(), after.splitlines(), "before", "after", lineterm="", n=1)
    return (line[:300] for line in islice(shown, 2, None))


def _renamed(before: str, after: str) -> tuple[str, bool] | None:
    """How the headers of two CSV texts differ and whether the values agree; None: they are equal.

    Columns may stand in another order: those of one name are compared with each other.
    """
    old, new = (list(csv.reader(io.StringIO(text))) for text in (before, after))
    if not old or not new or old[0] == new[0]:
        return None
    gone = [name for name in old[0] if name not in new[0]]
    come = [name for name in new[0] if name not in old[0]]
    words = [f"{one} -> {other}" for one, other in zip(gone, come, strict=False)]
    words += [f"{name} is gone" for name in gone[len(come) :]]
    words += [f"{name} is new" for name in come[len(gone) :]]
    unlike = len(gone) != len(come) or len(set(old[0])) != len(old[0])
    if unlike or {len(row) for row in old + new} != {len(old[0])} or len(old[0]) != len(new[0]):
        return ", ".join(words) or "another order", old[1:] == new[1:]
    names = dict(zip(gone, come, strict=True))
    places = [new[0].index(names.get(name, name)) for name in old[0]]
    if not words:
        words = ["another order"]
    return ", ".join(words), old[1:] == [[row[place] for place in places] for row in new[1:]]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="backslashreplace")
