"""Typed access to the fields of a JSON record; a wrong type names field and line."""

from typing import NamedTuple

from fairviz.errors import InputError
from fairviz.formats.notes import shown
from fairviz.formats.strict_json import Json, json_type


class Fields(NamedTuple):
    """A JSON object and where it stands."""

    record: dict[str, Json]
    line: int
    file: str

    def identifier(self, key: str, default: str | None = None) -> str:
        """A string or integer as an id; integers become their digits."""
        value = self.record.get(key, default)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str) or not value:
            raise self._wrong(key, "a string or an integer", value)
        return value

    def text(self, key: str) -> str:
        """A string; absent or null is empty."""
        return self.optional_text(key) or ""

    def optional_text(self, key: str) -> str | None:
        """A string, or None where it is absent or null."""
        value = self.record.get(key)
        if value is None or isinstance(value, str):
            return value
        raise self._wrong(key, "a string", value)

    def number(self, key: str) -> float | None:
        """A finite number, or None where it is absent or null."""
        value = self.record.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(key, "a number", value)
        return float(value)

    def whole(self, key: str) -> int | None:
        """An integer, or None where it is absent or null."""
        value = self.record.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong(key, "an integer", value)
        return value

    def identifiers(self, key: str) -> list[str]:
        """An array of ids; absent is empty."""
        value = self.record.get(key, [])
        if not isinstance(value, list):
            raise self._wrong(key, "an array", value)
        ids: list[str] = []
        for element in value:
            if isinstance(element, bool) or not isinstance(element, str | int):
                raise self._wrong(f"an element of {key}", "a string or an integer", element)
            ids.append(str(element))
        return ids

    def _wrong(self, key: str, wanted: str, value: Json) -> InputError:
        if value is None:
            present = ", ".join(shown(name, 20) for name in list(self.record)[:8])
            reason = f"missing {key} (found: {present})"
        elif value == "":
            reason = f"{key} is empty"
        else:
            reason = f"{key} must be {wanted}, found {json_type(value)}"
        return InputError(reason, file=self.file, line=self.line, fix=f"Give {key} as {wanted}.")
