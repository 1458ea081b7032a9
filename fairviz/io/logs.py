"""Logs of evaluation tools: an answer, what it answers, who gave it; and what studies read of these.

:mod:`fairviz.io.log_tools` reads the files of each tool into :class:`Logged` answers; of them :class:`AnswerLog` makes
bias questions, answers to them, or answers to variants. Items come from the log where it holds them (a data set's own
record of each question, or its parts in the metadata). Answers without an example id are joined with questions by
context, question and options (:func:`text_key`).
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from fairviz.errors import InputError
from fairviz.io.answer_text import LETTERS, as_letter, is_letter, loosely
from fairviz.io.answer_words import BOXED, LETTER, LETTER_IN_WORDS, OptionQuestion, asserted_option
from fairviz.io.bbq_targets import says_unknown
from fairviz.io.json import Json, as_place, as_text, json_object
from fairviz.io.notes import NoteBook
from fairviz.io.source import Source


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
        question: The text that was asked, "" where the log does not say.
    """

    line: int
    record: dict[str, Json]
    words: str
    choice: int | None = None
    options: tuple[str, ...] = ()
    gold: str = ""
    model: str = ""
    question: str = ""


class LogTool(NamedTuple):
    """A tool that writes logs.

    Attributes:
        name: For people.
        file: Its name and which of its files, as the list of what is read has it.
        names: Those that its records have together, in one way or another. What such a log holds, answers to variants
            or to bias questions, is found by the names of their fields (:func:`fairviz.io.log_tools.holds`).
        read: The answers of a file, which may raise an :class:`InputError`.
    """

    name: str
    file: str
    names: tuple[set[str], ...]
    read: Callable[[Source, NoteBook], list[Logged]]

    def recognises(self, keys: set[str]) -> bool:
        """Whether names are its: those of the first record where that is one line, else all in a file's first part."""
        return any(names <= keys for names in self.names)


def whole_object(source: Source, notes: NoteBook) -> dict[str, Json]:
    """The object that a log of one JSON value is."""
    fix = "Give the log as the tool writes it."
    return json_object(source, notes, what="one JSON object", fix=fix)[0]


def objects(value: Json) -> list[dict[str, Json]]:
    """The objects of an array; of anything else, none."""
    return [element for element in value if isinstance(element, dict)] if isinstance(value, list) else []


def at(value: Json, path: str) -> Json:
    """What stands at a path of names with dots between, None where it ends before; a number is a place among objects.

    Examples:
        >>> at({"choices": [{"message": {"content": "B"}}]}, "choices.0.message.content")
        'B'
    """
    for name in path.split("."):
        if name.isdigit():
            value = next(iter(objects(value)[int(name) :]), None)
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return value


def first(value: Json) -> Json:
    """The first element of an array; any other value itself."""
    return value[0] if isinstance(value, list) and value else value


def text_at(value: Json, *paths: str) -> str:
    """The words at the first of some paths where there are any, "" where there are none."""
    return next(filter(None, (text_of(at(value, path)) for path in paths)), "")


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


_ASKED = r"\s*\n+\s*(?:Question|Q)\s*:\s*(?P<question>[^\n]*)"
_PROMPTS = (
    re.compile(r"(?:^|\n)\s*(?:Context|Passage)\s*:\s*(?P<context>.*?)" + _ASKED, re.DOTALL),
    re.compile(r"^\s*(?P<context>\S.*?)" + _ASKED, re.DOTALL),  # HELM's passages have no label
)


def context_and_question(prompt: str) -> tuple[str, str]:
    r"""The context and the question of a text that was asked, ("", "") where it is not told.

    Examples:
        >>> context_and_question("Passage: Two came.\nQuestion: Who?"), context_and_question("One.\nQuestion: Who?")
        (('Two came.', 'Who?'), ('One.', 'Who?'))
    """
    match = next(filter(None, (pattern.search(prompt) for pattern in _PROMPTS)), None)
    return (match["context"].strip(), match["question"].strip()) if match else ("", "")


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


_VARIANT = ("qid", "attribute", "value")
_IDS = ("example_id", "sample_id", "item_id")
_ITEM = ("context_condition", "question_polarity")
_NOT_READ = frozenset(("question", "query", "context", "id", "answer", "ground_truth", "label", "choices"))
Records: TypeAlias = list[tuple[int, dict[str, Json]]]
"""Records of a table of answers with the line of each."""


class AnswerLog(NamedTuple):
    """The answers of a log, the tool that wrote it, and the name of the file."""

    tool: str
    answers: list[Logged]
    file: str

    def items(self) -> Records:
        """The questions, each once, as records of BBQ's fields.

        Raises:
            InputError: It holds answers only.
        """
        records: dict[tuple[str, str], tuple[int, dict[str, Json]]] = {}
        for answer in self.answers:
            record = answer.record
            if not (all(name in record for name in _ITEM) or "biased_answer" in record):
                reason = f"this is a log of {self.tool} with answers only: it does not hold the questions"
                raise self._wrong(answer, reason, "Give the questions too (BBQ's files, or a table of items).")
            key = (field_text(record, "category"), field_text(record, *_IDS, "id"))
            if key not in records:
                self._refuse_shuffled(answer)
                records[key] = answer.line, _item(answer)
        return list(records.values())

    def to_items(self, factors: Sequence[str]) -> Records:
        """The answers to bias questions, as records of a table of answers.

        Args:
            factors: Names of columns that say who answered how.

        Raises:
            InputError: An answer says neither an example id nor what was asked.
        """
        by_text = not any(name in answer.record for answer in self.answers[:1] for name in _IDS)
        has_options = any(answer.choice is not None for answer in self.answers)
        records: Records = []
        for answer in self.answers:
            record: dict[str, Json] = {name: as_text(answer.record.get(name)) or None for name in factors}
            record |= {"example_id": field_text(answer.record, *_IDS, "id"), "raw_prediction": _option_words(answer)}
            record["model"] = answer.model or record["model"]
            if has_options:
                record["pred"] = answer.choice
            if by_text:
                record["question_key"] = self._key(answer)
            elif "category" in answer.record:
                record["category"] = field_text(answer.record, "category")
            records.append((answer.line, {name: value for name, value in record.items() if value is not None}))
        return records

    def to_variants(self) -> Records:
        """The answers to variants, as records of ``qid attribute value gold prediction`` and what else is known.

        Raises:
            InputError: It does not say which variant an answer is to.
        """
        records: Records = []
        for answer in self.answers:
            record = dict(answer.record)
            lacking = ", ".join(name for name in _VARIANT if name not in record)
            if lacking:
                reason = f"this is a log of {self.tool} without {lacking}: it does not say which variant was asked"
                fix = "Log qid, attribute, value and gold with each question, or write a table of them."
                raise self._wrong(answer, reason, fix)
            if is_letter(answer.gold):  # of the options as they were asked, whose order may be another
                record["gold"] = answer.gold
            elif "gold" not in record:
                record["gold"] = field_text(record, "answer", "ground_truth", "label") or answer.gold
            is_letter_of = answer.choice is not None and answer.choice < len(LETTERS)
            record["prediction"] = LETTERS[answer.choice or 0] if is_letter_of else answer.words
            if "options" not in record and (answer.options or "choices" in record):
                record["options"] = list(answer.options) or record["choices"]
            if answer.model and "model" not in record:
                record["model"] = answer.model
            records.append((answer.line, {name: record[name] for name in record if name not in _NOT_READ}))
        return records

    def _key(self, answer: Logged) -> str:
        context, question = field_text(answer.record, "context"), field_text(answer.record, "question")
        if not context:
            context, question = context_and_question(answer.question)
        if not context or len(answer.options) != 3:
            lacking = "no example_id, context and question"
            reason = f"this log of {self.tool} does not say which question was asked: {lacking}"
            columns = "category, example_id, raw_prediction"
            fix = f"Log example_id and category with each question, or write a table: {columns}."
            raise self._wrong(answer, reason, fix)
        return text_key(context, question, answer.options)

    def _refuse_shuffled(self, answer: Logged) -> None:
        """Groups of ``answer_info`` are those of ans0-2, not of options that were shuffled before they were asked."""
        groups = [at(answer.record, f"answer_info.ans{k}") for k in range(3)]
        named = [k for k, group in enumerate(groups) if isinstance(group, list) and group[-1:] == ["unknown"]]
        unknown = _unknown_in(answer.options)
        if "ans0" not in answer.record and unknown is not None and len(named) == 1 and unknown != named[0]:
            reason = f"the options of this log of {self.tool} were shuffled: the unknown one is not that of answer_info"
            fix = "Give BBQ's questions with --items and the log with --answers, or log ans0, ans1 and ans2, too."
            raise self._wrong(answer, reason, fix)

    def _wrong(self, answer: Logged, reason: str, fix: str) -> InputError:
        return InputError(reason, file=self.file, line=answer.line, fix=fix)


def _item(answer: Logged) -> dict[str, Json]:
    record = dict(answer.record)
    if "biased_answer" in record:  # KoBBQ's
        return record
    if len(answer.options) == 3:
        for k, option in enumerate(answer.options):
            record.setdefault(f"ans{k}", option)
    context, question = context_and_question(answer.question)
    if context:
        record.setdefault("context", context)
        record.setdefault("question", question)
    if "label" not in record and "answer_label" not in record:
        right = _place_of(answer.gold, answer.options)
        if right is not None:
            record["label"] = right
    return record


def _place_of(gold: str, options: Sequence[str]) -> int | None:
    """The option that a right answer names: a letter, a place, or words."""
    names = [loosely(option) for option in options]
    if gold and loosely(gold) in names:
        return names.index(loosely(gold))
    if is_letter(gold):
        return LETTERS.index(as_letter(gold))
    index = as_place(gold)
    return index if index is not None and index < max(len(options), 3) else None


def _unknown_in(options: Sequence[str]) -> int | None:
    """The place of the one option that says "unknown"."""
    places = [k for k, option in enumerate(options) if says_unknown(option)]
    return places[0] if len(places) == 1 else None


def _option_words(answer: Logged) -> str:
    """The words of an answer; where it names a letter, the option that this means in the log's own order."""
    own = tuple(field_text(answer.record, f"ans{k}") for k in range(3))
    if answer.options and own != answer.options:
        letters, question = tuple(LETTERS[: len(answer.options)]), context_and_question(answer.question)[1]
        problem = OptionQuestion(answer.options, _unknown_in(answer.options), question, letters)
        option, rule = asserted_option(answer.words, problem)
        if rule in (LETTER, LETTER_IN_WORDS, BOXED):
            return answer.options[option]
    return answer.words
