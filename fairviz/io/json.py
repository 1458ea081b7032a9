"""JSON as the standard has it (no repeated keys, no NaN), typed fields, records of JSON Lines or of one array."""

import ast
import json
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import accumulate, filterfalse
from typing import Any, NamedTuple, NoReturn, TypeAlias, TypeVar, cast

from fairviz.errors import InputError
from fairviz.io.limits import MAX_JSON_DEPTH, MAX_JSON_LINE, MAX_WHOLE
from fairviz.io.names import header_names, is_blank, refuse_repeated
from fairviz.io.notes import NoteBook, shown
from fairviz.io.parquet import as_json, parquet_table
from fairviz.io.source import Source
from fairviz.io.text import head_of, line_blocks, lines_in, whole_text
from fairviz.numerals import count

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"?|([\[{])|([\]}])', re.DOTALL)
_MAX_DIGITS = 100
_PYTHON = re.compile(r"[\[{]\s*'")


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_LINE_END = re.compile(r"\r\n?")


class _Token(NamedTuple):
    """A name or a value of a JSON text.

    Attributes:
        text: As it is written.
        path: Names and places that lead to it, its own name included.
        is_key: Whether it is a name.
        line: 1-based line within the text.
    """

    text: str
    path: tuple[str, ...]
    is_key: bool
    line: int


class _RefusedError(ValueError):
    """Valid for Python's parser, not for us.

    Args:
        reason: Why not.
        text: How its token begins, whose line the parser does not tell.
        again: Whether it is a name that stands where it stood before.
    """

    def __init__(self, reason: str, text: str, *, again: bool = False) -> None:
        super().__init__(reason)
        self._text = text
        self._paths: set[tuple[str, ...]] | None = set() if again else None

    def at(self, token: _Token) -> bool:
        """Whether a token is the one that is refused; asked of each in order."""
        if self._paths is None:
            return token.text.startswith(self._text)
        if not token.is_key or token.path[-1] != self._text:
            return False
        before = len(self._paths)
        self._paths.add(token.path)
        return len(self._paths) == before


def parse_json(text: str, *, file: str, line: int | None = None, of_log: bool = False) -> Json:
    """Parse one JSON value.

    Args:
        text: The value.
        file: Name of the file, for messages.
        line: Line on which ``text`` starts; None in a file that is one JSON value, where the line
            of a fault is counted.
        of_log: Whether NaN and infinities are null: tools log values of their own that nobody reads.

    Raises:
        InputError: Invalid JSON, a repeated key, NaN, a huge number, a lone surrogate, nesting
            deeper than the limit.
    """
    if too_deep(text):
        reason = f"JSON nested too deeply (limit {MAX_JSON_DEPTH})"
        raise InputError(reason, file=file, line=line or 1, fix="No format needs such nesting.")
    try:
        value: Json = (_OF_LOGS if of_log else _STRICT).decode(text)
    except json.JSONDecodeError as error:
        if line is None and error.msg == "Extra data" and are_lines(text):
            reason = "this is JSON Lines, where one JSON value is expected"
            raise InputError(reason, file=file, line=2, fix=_OTHER_KIND) from error
        at = error.lineno if line is None else line + error.lineno - 1
        reason = f"invalid JSON: {_why(text, error)} (column {error.colno})"
        fix = "Check the file with a JSON validator."
        if error.msg == "Expecting value" and (words := text[error.pos :].strip()) and not text[: error.pos].strip():
            reason, fix = f"no JSON: {shown(words.split(chr(10), 1)[0])}", _OTHER_KIND if line is None else _ONE_EACH
        raise InputError(reason, file=file, line=at, fix=fix) from error
    except _RefusedError as error:
        at = _line_where(text, error.at, line)
        raise InputError(str(error), file=file, line=at, fix="Write standard JSON.") from error
    if "\\u" in text and not is_encodable(value):
        fix = "Replace the half character; it cannot be written as UTF-8."
        at = _line_where(text, lambda token: token.text[0] == '"' and not is_encodable(json.loads(token.text)), line)
        raise InputError("lone surrogate in text", file=file, line=at, fix=fix)
    return _plain(value) if "\\r" in text or "\\u000" in text else value


def json_object(source: Source, notes: NoteBook, *, what: str, fix: str) -> tuple[dict[str, Json], str]:
    """The object that a file is, and its text.

    Args:
        source: The file.
        notes: Where repairs are noted.
        what: What the object should be, for the error.
        fix: What to give instead of another value.

    Raises:
        InputError: It is no JSON object.
    """
    text = whole_text(source, notes)
    value = parse_json(text, file=source.name, of_log=notes.of_log)
    if not isinstance(value, dict):
        raise source.wrong(f"expected {what}, found {json_type(value)}", fix, 1)
    return value, text


def key_line(text: str, *path: str) -> int | None:
    r"""The 1-based line of a JSON text on which a name stands, None where it is not there.

    Args:
        text: One JSON value.
        path: The names that lead to it, from the outermost; places in arrays count from 0, as text.

    Examples:
        >>> key_line('{"q1": {"a": 1},\n"q2": {"a": 2}}', "q2", "a")
        2
    """
    return _line_where(text, lambda token: token.is_key and token.path == path, None)


def wrong_in(text: str, file: str) -> Callable[..., InputError]:
    """The maker of errors of a JSON text: of the reason, how to mend it, and the names that lead to the place."""

    def wrong(reason: str, fix: str, *path: str) -> InputError:
        lines = (key_line(text, *path[:end]) for end in range(len(path), 0, -1))  # within a list there is no name
        return InputError(reason, file=file, line=next(filter(None, lines), 1), fix=fix)

    return wrong


def _line_where(text: str, at: Callable[[_Token], bool], line: int | None) -> int | None:
    """The line of the first token that is meant, where the text starts on ``line``; that line where there is none."""
    number = None
    with suppress(ValueError, IndexError):  # behind a fault the text need not be JSON
        number = next((token.line for token in _tokens(text) if at(token)), None)
    return line if number is None else number + (line or 1) - 1


def _tokens(text: str) -> Iterator[_Token]:
    """Names and values of JSON, in order; it fails where the text is none."""
    path: list[str] = []
    in_object: list[bool] = []
    expects_key = False
    line, seen = 1, 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        line += text.count("\n", seen, match.start())
        seen = match.start()
        if token in "{[":
            in_object.append(token == "{")
            path.append("" if token == "{" else "0")
            expects_key = token == "{"
        elif token in "}]":
            in_object.pop()
            path.pop()
            expects_key = False
        elif token == ",":
            expects_key = in_object[-1]
            if not expects_key:
                path[-1] = str(int(path[-1]) + 1)
        elif token != ":":
            if expects_key:
                path[-1] = json.loads(token)
            yield _Token(token, tuple(path), expects_key, line)
            expects_key = False


def _plain(value: Json) -> Json:
    """The value with line feeds as only line ends of its texts, as every file is read, and without NUL."""
    if isinstance(value, str):
        return _LINE_END.sub("\n", value).replace("\0", "\ufffd")
    if isinstance(value, list):
        return [_plain(element) for element in value]
    return {key: _plain(inner) for key, inner in value.items()} if isinstance(value, dict) else value


def are_lines(text: str) -> bool:
    r"""Whether the first two lines are JSON values of their own.

    Examples:
        >>> are_lines('{"a": 1}\n{"a": 2}'), are_lines('{"a": 1,\n"b": 2}')
        (True, False)
    """
    lines = [line for line in text.split("\n", 8)[:8] if line.strip()][:2]
    try:
        return len(lines) == 2 and all(isinstance(json.loads(line), (dict, list)) for line in lines)
    except (json.JSONDecodeError, RecursionError, ValueError):
        return False


def json_type(value: Any) -> str:
    """What JSON calls the type of a value, such as object, array or number."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    names = {dict: "object", list: "array", str: "string", int: "number", float: "number"}
    return names[type(value)]


def as_place(text: str) -> int | None:
    """The number that up to six ASCII digits write: a place in a list; None for any other text.

    Examples:
        >>> as_place("12"), as_place("-1"), as_place("١٢"), as_place("9" * 5000)
        (12, None, None, None)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 6 else None


def as_text(value: Json) -> str | None:
    """A cell or a JSON value as text: numbers as written, null as "", objects and arrays None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return None


def as_whole(value: Json) -> Json:
    """A fraction without any as the integer that it is, where a float tells it from its neighbours."""
    if not isinstance(value, float) or abs(value) >= 2**53:
        return value
    whole = int(value)
    return whole if whole == value else value


def too_deep(text: str) -> bool:
    """Whether arrays and objects are nested deeper than the limit."""
    if text.count("[") + text.count("{") <= MAX_JSON_DEPTH:
        return False
    depths = accumulate(bool(bracket[1]) - bool(bracket[2]) for bracket in _BRACKETS.finditer(text))
    return any(depth > MAX_JSON_DEPTH for depth in depths)


def _distinct_keys(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RefusedError(f'duplicate key "{shown(key)}"', key, again=True)
            seen.add(key)
    return value


def _no_constant(name: str) -> NoReturn:
    raise _RefusedError(f"{name} is not valid JSON", name)


def _no_value(_: str) -> None:
    """What NaN and infinities are in a log."""


def _moderate_int(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise _RefusedError(f"number too large: {len(digits)} digits", digits)
    return int(digits)


def _finite_float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise _RefusedError(f"number too large: {shown(text)}", text)
    return value


_STRICT, _OF_LOGS = (
    json.JSONDecoder(
        object_pairs_hook=_distinct_keys, parse_constant=constant, parse_int=_moderate_int, parse_float=_finite_float
    )
    for constant in (_no_constant, _no_value)
)
"""Python's parser, with what it takes and standard JSON does not refused; of logs NaN and infinities are null."""


def is_encodable(value: Json) -> bool:
    r"""Whether a value can be written as UTF-8: no text in it has half a character, such as ``\ud800``."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


@lru_cache(maxsize=1024)  # few stand in many rows
def value_in(text: str) -> dict[str, Json] | list[Json] | None:
    r"""The list or object that a cell writes, in JSON or as Python does (pandas, Hugging Face's CSV); else None.

    Examples:
        >>> value_in('["old", 1]'), value_in("{'a': [\"don't\"]}"), value_in("[old]"), value_in("old")
        (['old', 1], {'a': ["don't"]}, None, None)
    """
    if text.lstrip()[:1] not in ("[", "{") or too_deep(text):
        return None
    try:
        value: Any = json.loads(text, parse_constant=_no_value)
    except (ValueError, RecursionError):
        try:
            value = json.loads(json.dumps(ast.literal_eval(text.strip())))
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            return None
    return cast("Any", _plain(value)) if isinstance(value, (list, dict)) and is_encodable(value) else None


def _why(text: str, error: json.JSONDecodeError) -> str:
    if _PYTHON.match(text.lstrip()):
        return "single quotes (Python repr?)"
    if text.startswith("\ufeff"):
        return "unexpected UTF-8 BOM (decode using utf-8-sig)"
    return error.msg[0].lower() + error.msg[1:]


_KEY = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:\s*(.)', re.DOTALL)


class Head:
    """The first part of a file, by which its format is known.

    Attributes:
        raw: As it is.
        text: Without blanks before it.
        is_json: Whether it begins as JSON does.
        is_array: Whether as an array.
        first: The first line of a table that is no comment.
        keys: Names in the first record of JSON, or all there are where it is one object on several lines; of a table
            those of its header.
    """

    def __init__(self, source: Source) -> None:
        self.raw = head_of(source)
        whole = self.raw.decode(errors="replace")
        self.text = whole.lstrip()
        self.is_array = self.text.startswith("[")
        self.is_json = self.is_array or self.text.startswith("{")
        self.first = next((line for line in whole.split("\n") if line.strip() and not line.startswith("#")), "")
        if self.is_json:
            one_line = first_keys(self.text)
            self.keys = {match[1] for match in _KEY.finditer(self.text)} if one_line is None else one_line
        else:
            self.keys = header_names(self.first)

    @property
    def record_keys(self) -> set[str]:
        """Names in the first record of JSON; of any other file none."""
        return self.keys if self.is_json else set()


def first_keys(text: str) -> set[str] | None:
    """The names of the first record, in an array or on a line of its own; nothing else of it is looked at.

    Examples:
        >>> first_keys('[{"a": 1}, {"b": 2}]'), first_keys('{"a": 1}'), first_keys('{"a":')
        ({'a'}, {'a'}, None)
    """
    try:
        if text.startswith("["):
            value: Any = json.JSONDecoder().raw_decode(text[1:].lstrip())[0]
        else:
            value = json.loads(text.partition("\n")[0])
    except (json.JSONDecodeError, RecursionError, ValueError):
        return None
    return set(cast("dict[str, Json]", value)) if isinstance(value, dict) else None


def first_value(text: str) -> str | None:
    """How the value of the first name begins, None where there is no name."""
    match = _KEY.search(text)
    return None if match is None else match[2]


# Typed access to the fields of a record; a wrong type names field and line.


K = TypeVar("K", dict[str, Json], list[Json], str)
_KINDS: dict[type, str] = {dict: "an object", list: "an array", str: "a string"}


class FileRow(NamedTuple):
    """A record and where it stands.

    Attributes:
        record: What it holds by name; JSON has values, a table texts.
        line: Where it starts.
        notes: Where repairs are noted.
        in_table: Whether it is a line of a table, in which every cell is text.
    """

    record: Mapping[str, Json]
    line: int
    notes: NoteBook
    in_table: bool = False

    def wrong(self, reason: str, fix: str) -> InputError:
        """The error of this record."""
        return self.notes.wrong(reason, fix, self.line)

    def lacks(self, name: str, *, fix: str, n_names: int = 8) -> InputError:
        """The error of a record without a field, with the first names that it has."""
        names = ", ".join(shown(key, 20) for key in list(self.record)[:n_names])
        return self.wrong(f"missing {name} (found: {names})", fix)

    def unfilled(self, name: str) -> InputError:
        """The error of a row in which a cell is absent or blank."""
        fix = f"Give {name} in every row."
        return self.wrong(f"{name} is empty", fix) if name in self.record else self.lacks(name, fix=fix, n_names=12)

    def note(self, message: str, kind: str = "") -> None:
        """Note something about this record; the first of its ``kind`` keeps its words and line."""
        self.notes.add(message, self.line, kind=kind)

    def refuse_again(self, lines: dict[str, int], name: str, what: str, fix: str) -> None:
        """Refuse a name that stood on a line before; ``lines`` keeps the first of each."""
        first = lines.setdefault(name, self.line)
        if first != self.line:
            raise self.wrong(f"{what} stands twice (first on line {first})", fix)

    def of_kind(self, kind: type[K], value: Json, name: str, fix: str) -> K:
        """A value within the record, which must be an object, an array or a string."""
        if not isinstance(value, kind):
            raise self.wrong(f"{name} must be {_KINDS[kind]}, found {json_type(value)}", fix)
        return value

    def identifier(self, key: str, default: str | None = None) -> str:
        """A string or integer as an id; integers become their digits, also those that pandas wrote as 1.0."""
        value = as_whole(self.record.get(key, default))
        if not is_id(value):
            raise self._of_other_type(key, "a string or an integer", value)
        return str(value)

    def text(self, key: str) -> str:
        """A string; absent or null is empty."""
        return self.optional_text(key) or ""

    def optional_text(self, key: str) -> str | None:
        """A string, or None where it is absent or null."""
        return self._value(key, "a string", str)

    def number(self, key: str) -> float | None:
        """A finite number, or None where it is absent or null."""
        value = self._value(key, "a number", int | float)
        return None if value is None else float(value)

    def integer(self, key: str, least: int = 0) -> int | None:
        """An integer from ``least`` on, also as 1.0, or None where it is absent or null."""
        value: int | None = self._value(key, "an integer", int)
        if value is not None and not least <= value <= MAX_WHOLE:
            fix = f"Give {key} between {least} and {count(MAX_WHOLE)}."
            raise self.wrong(f"{key} is out of range: {count(value)}", fix)
        return value

    def identifiers(self, key: str) -> list[str]:
        """An array of ids; absent is empty."""
        value = self.record.get(key, [])
        if not isinstance(value, list):
            raise self._of_other_type(key, "an array", value)
        for element in filterfalse(is_id, value):
            raise self._of_other_type(f"an element of {key}", "a string or an integer", element)
        return list(map(str, value))

    def _value(self, key: str, expected: str, kind: Any) -> Any:
        """A value of a type, true and false of none; None where it is absent or null."""
        value = self.record.get(key)
        value = as_whole(value) if kind is int else value
        if value is None or (isinstance(value, kind) and not isinstance(value, bool)):
            return value
        raise self._of_other_type(key, expected, value)

    def _of_other_type(self, key: str, expected: str, value: Json) -> InputError:
        fix = f"Give {key} as {expected}."
        if value is None:
            return self.lacks(key, fix=fix)
        if isinstance(value, str) and is_blank(value):
            return self.wrong(f"{key} is empty" if value == "" else f"{key} is blank: '{shown(value)}'", fix)
        return self.wrong(f"{key} must be {expected}, found {json_type(value)}", fix)


def is_id(value: Json) -> bool:
    """Whether a value can be an id: an integer, or a string in which something can be seen."""
    return not is_blank(value) if isinstance(value, str) else isinstance(value, int) and not isinstance(value, bool)


_OTHER_KIND = "Give the kind of file that it is; known kinds are found by their fields."
_ONE_EACH = "Write one JSON object on each line, or give the kind of file that it is."
_OPEN_ENDS = ("{", "[", ",", ":")


def json_records(source: Source, notes: NoteBook) -> Generator[tuple[int, dict[str, Json]], None, None]:
    """The objects of a file with the line of each.

    Args:
        source: The file.
        notes: Where repairs are noted.

    Yields:
        Line and object; in a file that is one array, and in Parquet, the number of the record as its line.

    Raises:
        InputError: A line is no JSON object, two keys of one differ only by case or blanks, or the file holds none.
    """
    empty = True
    shapes: set[tuple[str, ...]] = set()
    for line, value in _values(source, notes):
        empty = False
        yield line, checked_record(value, line, source.name, shapes)
    if empty:
        raise source.wrong("no data lines", "The file holds blanks only.")


def _values(source: Source, notes: NoteBook) -> Iterator[tuple[int, Json]]:
    """The rows of Parquet, the elements of an array, or the values on lines, each with its number."""
    if source.is_parquet:
        rows = parquet_table(source).iter_rows(named=True)
        yield from values_on(enumerate(map(as_json, rows), start=1), notes)
    elif Head(source).is_array:
        yield from enumerate(_array(source, notes), start=1)
    else:
        for block in line_blocks(source, notes, max_line=MAX_JSON_LINE):
            yield from values_on(enumerate(lines_in(block, source.name), start=block.line), notes)


def checked_record(value: Json, line: int, file: str, shapes: set[tuple[str, ...]]) -> dict[str, Json]:
    """A value that must be an object whose keys do not differ by case or blanks alone.

    Args:
        value: The value.
        line: Where it stands.
        file: Name of the file.
        shapes: Keys of records that were checked before.

    Raises:
        InputError: It is another value, or has a key twice.
    """
    if not isinstance(value, dict):
        reason = f"expected an object, found {json_type(value)}"
        raise InputError(reason, file=file, line=line, fix="Write one JSON object on each line.")
    keys = tuple(value)
    if keys not in shapes:
        refuse_repeated(keys, "key", file=file, line=line)
        shapes.add(keys)
    return value


def _array(source: Source, notes: NoteBook) -> list[Json]:
    """The records of an array, which is parsed as one text."""
    text = whole_text(source, notes)
    if are_lines(text):
        raise source.wrong("expected an object, found array", "Write one JSON object on each line.", 1)
    records = cast("list[Json]", parse_json(text, file=source.name, of_log=notes.of_log))
    notes.add(f"file is one JSON array, read as {count(len(records))} records", 1)
    if "\\u0000" in text:
        notes.add("NUL character in text: read as U+FFFD")
    return records


def values_on(lines: Iterable[tuple[int, str]], notes: NoteBook) -> Iterator[tuple[int, Json]]:
    """The values on numbered lines of JSON Lines.

    Raises:
        InputError: A line is no JSON value.
    """
    for line, text in lines:
        if text.strip():
            yield line, parse_line(text, line, notes)
        else:
            notes.add("blank line skipped", line)


def parse_line(text: str, line: int, notes: NoteBook) -> Json:
    """The value on a line of JSON Lines.

    Args:
        text: The line.
        line: Its number.
        notes: Where repairs are noted.

    Raises:
        InputError: It is no JSON value.
    """
    if "\\u0000" in text:
        notes.add("NUL character in text: read as U+FFFD", line)
    try:
        return parse_json(text, file=notes.file, line=line, of_log=notes.of_log)
    except InputError as error:
        if line == 1 and text.rstrip().endswith(_OPEN_ENDS):
            reason = "the record spans several lines, or is cut off"
            raise notes.wrong(reason, "Write each record on one line (jq -c . FILE).", line) from error
        raise
