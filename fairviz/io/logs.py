"""Logs of evaluation tools: an answer, what it answers, who gave it; and what stands in nearly all of them.

Each tool has a module, which recognises its files and reads them into :class:`Logged` answers, and a line in ``TOOLS``
of :mod:`fairviz.io.log_answers`, which makes bias questions, answers to them or answers to variants of these.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from fairviz.errors import InputError
from fairviz.io.json import Json, as_text, parse_json
from fairviz.io.notes import NoteBook
from fairviz.io.source import Source
from fairviz.io.text import whole_text


class Logged(NamedTuple):
    """One answer of a log.

    Attributes:
        line: Where it stands; in a log that is one JSON value, the number of the record.
        record: What the log says of the question, by folded names: the item's fields, or those of a variant.
        words: The answer in words, "" where there is none.
        choice: The place of the option that the log says was chosen, None where words say it.
        options: The options in the order of the log, () where it does not say.
        gold: The right answer as the log has it, "" where it does not say.
        model: Who answered, "" where the log does not say.
        asked: The text that was asked, "" where the log does not say.
    """

    line: int
    record: dict[str, Json]
    words: str
    choice: int | None = None
    options: tuple[str, ...] = ()
    gold: str = ""
    model: str = ""
    asked: str = ""


def whole_object(source: Source, notes: NoteBook) -> dict[str, Json]:
    """The object that a file is.

    Raises:
        InputError: It is no JSON object.
    """
    value = parse_json(whole_text(source, notes), file=source.name)
    if not isinstance(value, dict):
        raise InputError(
            "expected one JSON object", file=source.name, line=1, fix="Give the log as the tool writes it."
        )
    return value


def objects(value: Json) -> list[dict[str, Json]]:
    """The objects of an array; of anything else, none."""
    return [element for element in value if isinstance(element, dict)] if isinstance(value, list) else []


def within(value: Json, *path: str) -> Json:
    """What stands at a path of names, None where it ends before."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def text_of(content: Json) -> str:
    """The words of a message: a string, or the text parts of a list; thinking is none of them.

    Examples:
        >>> text_of([{"type": "reasoning", "reasoning": "…"}, {"type": "text", "text": "B"}])
        'B'
    """
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        kind = content.get("type")
        if kind in ("reasoning", "thinking", "redacted_thinking", "tool_use", "image", "image_url"):
            return ""
        return text_of(content.get("text", content.get("refusal", content.get("content"))))
    if isinstance(content, list):
        return "\n".join(text for part in content if (text := text_of(part)))
    return as_text(content) or ""


def field_text(record: dict[str, Json], *names: str) -> str:
    """The first of these fields that holds a text or a number."""
    for name in names:
        text = as_text(record.get(name))
        if text:
            return text
    return ""


_ASKED = re.compile(
    r"(?:^|\n)\s*(?:Context|Passage)\s*:\s*(?P<context>.*?)\s*\n+\s*(?:Question|Q)\s*:\s*(?P<question>[^\n]*)",
    re.DOTALL,
)


def context_and_question(asked: str) -> tuple[str, str]:
    r"""The context and the question of a text that was asked, ("", "") where it is not told.

    Examples:
        >>> context_and_question("Passage: Two came.\nQuestion: Who?")
        ('Two came.', 'Who?')
    """
    found = _ASKED.search(asked)
    return (found["context"].strip(), found["question"].strip()) if found else ("", "")


def text_key(context: str, question: str, options: Sequence[str]) -> str:
    """What makes two questions the same where ids do not say it: their letters and digits, options in any order.

    Examples:
        >>> text_key("Two came.", "Who?", ("A", "B")) == text_key("two came", "who", ("B", "A."))
        True
    """
    parts = (context, question, *sorted(_alphanumeric(option) for option in options))
    return "|".join(_alphanumeric(part) for part in parts)


def _alphanumeric(text: str) -> str:
    return "".join(character for character in unicodedata.normalize("NFKC", text).casefold() if character.isalnum())
