"""Typed access to the cells of recorded answers, from JSON and from tables alike."""

from typing import NamedTuple

from fairviz.errors import InputError
from fairviz.formats.notes import NoteBook, shown
from fairviz.formats.strict_json import Json, json_type, parse_json
from fairviz.model.variants import UNKNOWN

_TRUTH = {"true": 1, "1": 1, "yes": 1, "false": 0, "0": 0, "no": 0, "": UNKNOWN}


class Cells(NamedTuple):
    """A record, with where it stands."""

    record: dict[str, Json]
    line: int
    book: NoteBook

    def wrong(self, reason: str, fix: str) -> InputError:
        """The error of this record."""
        return InputError(reason, file=self.book.file, line=self.line, fix=fix)

    def text(self, key: str) -> str:
        """A string, an integer as its digits; absent or null is empty."""
        value = self.record.get(key)
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        reason = f"{key} must be a string, found {json_type(value)}"
        raise self.wrong(reason, f"Give {key} as one string.")

    def truth(self, key: str) -> int:
        """1, 0, or unknown where the cell is empty."""
        value = self.record.get(key)
        if value is None:
            return UNKNOWN
        known = _TRUTH.get(str(int(value)) if isinstance(value, bool) else self.text(key).strip().lower())
        if known is None:
            reason = f"{key} must be true or false, found {shown(str(value), 20)}"
            raise self.wrong(reason, "Write true, false, 1, 0, yes, no, or nothing.")
        return known

    def documents(self, key: str, *, table: bool) -> tuple[str, ...] | None:
        """Ids in their order: a JSON array, or a cell with blanks or "|" between them.

        Args:
            key: Name of the cell.
            table: Whether the record is a line of a table, in which every cell is text; in JSON a
                string is read likewise, and noted.
        """
        value = self.record.get(key)
        if isinstance(value, str) and value.strip() and not table:
            self.book.add(
                f"{key} is a string, not an array: read as ids with blanks or | between them",
                self.line,
                kind=f"{key} is a string",
            )
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = parse_json(value, file=self.book.file, line=self.line)
        if not isinstance(value, list):
            cell = self.text(key).strip()
            ids = [each.strip() for each in (cell.split("|") if "|" in cell else cell.split())]
            return tuple(self._distinct([each for each in ids if each], key)) if cell else None
        ids: list[str] = []
        for element in value:
            if isinstance(element, bool) or not isinstance(element, str | int) or element == "":
                found = "an empty one" if element == "" else json_type(element)
                fix = f"Give {key} as an array of document ids."
                raise self.wrong(f"{key} must hold ids, found {found}", fix)
            ids.append(str(element))
        return tuple(self._distinct(ids, key))

    def _distinct(self, ids: list[str], key: str) -> list[str]:
        distinct = list(dict.fromkeys(ids))
        if len(distinct) < len(ids):
            twice = next(one for at, one in enumerate(ids) if one in ids[:at])
            message = f"{key} names {shown(twice)} twice: read once"
            self.book.add(message, self.line, kind="retrieved twice")
        return distinct
