"""What the rows of one item say together: groups, weights, and what cannot be true of both."""

import math
from typing import Literal, NamedTuple

from fairviz.errors import InputError
from fairviz.formats.group_rows import GroupRow
from fairviz.formats.notes import NoteBook, shown
from fairviz.model.judgements import WEIGHT_TOLERANCE


class Label(NamedTuple):
    """One row of an item: a group (None = unlabelled), its weight where given, its line."""

    group: int | None
    weight: float | None
    line: int


class GroupNames:
    """Group names as they are met; spellings that differ by case or blanks are one group.

    Attributes:
        names: The first spelling of each group.
        lines: Its line.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.lines: dict[str, int] = {}
        self._codes: dict[str, int] = {}
        self._spellings: list[dict[str, int]] = []

    def code(self, label: str, line: int) -> int:
        """The index of the group that a label on a line names."""
        code = self._codes.setdefault(folded(label), len(self.names))
        if code == len(self.names):
            self.names.append(label)
            self.lines[label] = line
            self._spellings.append({})
        self._spellings[code].setdefault(label, line)
        return code

    def note_spellings(self, book: NoteBook) -> None:
        """Say which spellings were read as one."""
        for spellings in self._spellings:
            if len(spellings) > 1:
                names = ", ".join(shown(name) for name in list(spellings)[:5])
                line = list(spellings.values())[1]
                book.add(f"labels differ only by case or space: {names}: read as one", line)


class ItemLabels:
    """The labels of one item.

    Args:
        doc: The item, for messages.
    """

    def __init__(self, doc: str) -> None:
        self._doc = shown(doc)
        self._by_group: dict[int | None, Label] = {}

    def add(
        self,
        label: Label,
        groups: GroupNames,
        book: NoteBook,
        *,
        labels: Literal["one", "split"],
    ) -> None:
        """Take in one more row.

        Args:
            label: What it says.
            groups: The names, for messages.
            book: Where a repeated row is noted.
            labels: What two unweighted labels mean: "one" refuses them.

        Raises:
            InputError: The row contradicts an earlier one.
        """
        other = self._by_group.get(label.group)
        if other is not None and other.weight == label.weight:
            book.add(f"duplicate row for {self._doc}", label.line, kind="duplicate row")
            return
        if other is None and labels == "one" and self._by_group:
            first = next(iter(self._by_group.values()))  # an unweighted one stands alone
            other = first if first.weight is None or label.weight is None else None
        if other is not None:
            names = (
                "no group" if group is None else shown(groups.names[group]) for group in (other.group, label.group)
            )
            what = "weights" if other.group == label.group else "group labels"
            raise InputError(
                f"{self._doc} has two {what}: {f' (line {other.line}), '.join(names)}",
                file=book.file,
                line=label.line,
                fix="Keep one, give weights, or read with labels=split.",
            )
        self._by_group[label.group] = label

    def shares(self, book: NoteBook) -> dict[int, float]:
        """Weight per group; labels without weights share 1.

        Raises:
            InputError: The weights sum to more than 1, or to 0.
        """
        found = list(self._by_group.values())
        equal = 1 / len(found)
        weights = [equal if label.weight is None else label.weight for label in found]
        total, line = sum(weights), found[-1].line
        if total > 1 + WEIGHT_TOLERANCE or total == 0:
            percent = " (percentages?)" if abs(total - 100) < 0.1 else ""
            raise InputError(
                f"group weights of {self._doc} sum to {total:g}, expected 1{percent}",
                file=book.file,
                line=line,
                fix="Make the weights of an item sum to 1; less leaves the rest unlabelled.",
            )
        if total < 1 - WEIGHT_TOLERANCE:
            message = f"group weights of {self._doc} sum to {total:g}: the rest is unlabelled"
            book.add(message, line, kind="weights below 1")
        pairs = zip(found, weights, strict=True)
        return {x.group: w for x, w in pairs if x.group is not None and w > 0}


def folded(label: str) -> str:
    """A label without case and blanks: what makes two spellings one group."""
    return " ".join(label.split()).casefold()


def weight_of(row: GroupRow, file: str) -> float | None:
    """The weight that a row gives, None where it gives none.

    Raises:
        InputError: It is no finite number >= 0.
    """
    if not row.weight:
        return None
    try:
        weight = float(row.weight) if row.weight.isascii() and "_" not in row.weight else None
    except ValueError:
        weight = None
    if weight is None:
        what = "not a number"
    elif not math.isfinite(weight):
        what = "not finite"
    elif weight < 0:
        what = "negative"
    else:
        return weight
    reason = f"group weight is {what}: {shown(row.weight)}"
    raise InputError(reason, file=file, line=row.line, fix="Give weights between 0 and 1.")
