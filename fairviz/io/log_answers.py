"""Logs of evaluation tools as what studies read: bias questions and answers to them, answers to variants.

Items come from the log where it holds them (a data set's own record of each question, or its parts in the metadata).
Answers without an example id are joined with questions by context, question and options
(:func:`fairviz.io.logs.text_key`).
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from fairviz.errors import InputError
from fairviz.io.answer_text import loosely
from fairviz.io.answer_words import UNREADABLE, letter_alone
from fairviz.io.closed_answers import LETTERS, as_letter, is_letter
from fairviz.io.json import Json, as_place, as_text, json_head
from fairviz.io.log_helm import helm_answers, is_helm
from fairviz.io.log_inspect import inspect_answers, is_inspect
from fairviz.io.log_lm_eval import is_lm_eval, lm_eval_answers
from fairviz.io.log_openai import asked_by, is_openai_batch, openai_answers
from fairviz.io.logs import Logged, context_and_question, field_text, text_key
from fairviz.io.notes import NoteBook
from fairviz.io.source import Source


class AnswerLog(NamedTuple):
    """The answers of a log, and the tool that wrote it."""

    tool: str
    answers: list[Logged]


class LogTool(NamedTuple):
    """A tool that writes logs: its name, whether the names in a file's first part are its, and what its logs hold."""

    name: str
    recognises: Callable[[set[str]], bool]
    read: Callable[[Source, NoteBook], list[Logged]]


TOOLS = (
    LogTool("lm-evaluation-harness", is_lm_eval, lm_eval_answers),
    LogTool("Inspect", is_inspect, inspect_answers),
    LogTool("HELM", is_helm, helm_answers),
    LogTool("OpenAI Batch", is_openai_batch, openai_answers),
)
_VARIANT = ("qid", "attribute", "value")
Records: TypeAlias = list[tuple[int, dict[str, Json]]]
"""Records of a table of answers with the line of each."""
_CUSTOM_ID = re.compile(r'"custom_id"\s*:\s*"([^"]*)"')
_IDS = ("example_id", "sample_id", "item_id")
_ITEM = ("context_condition", "question_polarity")


def holds(keys: set[str], text: str) -> str:
    """What a log holds, by its first part: "variants", "items" (and answers), or "answers".

    Args:
        keys: Names in its first record.
        text: Its first part, where names of deeper records stand, too.
    """
    custom = _CUSTOM_ID.search(text) if is_openai_batch(keys) else None
    of_variant = custom is not None and "qid" in (asked_by(custom[1]) or {})
    if of_variant or all(f'"{name}"' in text for name in _VARIANT):
        return "variants"
    return "items" if all(f'"{name}"' in text for name in _ITEM) or '"biased_answer"' in text else "answers"


def read_log(source: Source, notes: NoteBook) -> AnswerLog | None:
    """The answers of a log, None where the file is none.

    Raises:
        InputError: It is a log that cannot be read.
    """
    _, keys = json_head(source)
    tool = next((tool for tool in TOOLS if tool.recognises(keys)), None)
    return None if tool is None else AnswerLog(tool.name, tool.read(source, notes))


# Bias questions and the answers to them.


def item_records(log: AnswerLog, source: Source) -> Records:
    """The questions of a log, each once, as records of BBQ's fields.

    Raises:
        InputError: It holds answers only.
    """
    records: dict[tuple[str, str], tuple[int, dict[str, Json]]] = {}
    for answer in log.answers:
        record = answer.record
        if not (all(name in record for name in _ITEM) or "biased_answer" in record):
            reason = f"this is a log of {log.tool} with answers only: it does not hold the questions"
            fix = "Give the questions too (BBQ's files, or a table of items)."
            raise InputError(reason, file=source.name, line=answer.line, fix=fix)
        identifier = field_text(record, *_IDS, "id")
        key = (field_text(record, "category"), identifier)
        if key not in records:
            records[key] = answer.line, _item(answer)
    return list(records.values())


def _item(answer: Logged) -> dict[str, Json]:
    record = dict(answer.record)
    if "biased_answer" in record:  # KoBBQ's
        return record
    if len(answer.options) == 3:
        for k, option in enumerate(answer.options):
            record.setdefault(f"ans{k}", option)
    context, question = context_and_question(answer.asked)
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
    place = as_place(gold)
    return place if place is not None and place < max(len(options), 3) else None


def answer_records(log: AnswerLog, source: Source, factors: Sequence[str]) -> Records:
    """The answers to bias questions of a log, as records of a table of answers.

    Args:
        log: The answers.
        source: The file.
        factors: Names of columns that say who answered how.

    Raises:
        InputError: An answer says neither an example id nor what was asked.
    """
    by_text = not any(name in answer.record for answer in log.answers[:1] for name in _IDS)
    has_options = any(answer.choice is not None for answer in log.answers)
    records: Records = []
    for answer in log.answers:
        record: dict[str, Json] = {name: as_text(answer.record.get(name)) or None for name in factors}
        record |= {"example_id": field_text(answer.record, *_IDS, "id"), "raw_prediction": _words(answer)}
        record["model"] = answer.model or record["model"]
        if has_options:
            record["pred"] = answer.choice
        if by_text:
            record["question_key"] = _key(answer, log, source)
        elif "category" in answer.record:
            record["category"] = field_text(answer.record, "category")
        records.append((answer.line, {name: value for name, value in record.items() if value is not None}))
    return records


def _words(answer: Logged) -> str:
    """The words of an answer; a letter alone becomes the option that it means in the log's own order."""
    own = tuple(field_text(answer.record, f"ans{k}") for k in range(3))
    if answer.options and own != answer.options:
        letter = letter_alone(answer.words, LETTERS[: len(answer.options)]).option
        if letter != UNREADABLE:
            return answer.options[letter]
    return answer.words


def _key(answer: Logged, log: AnswerLog, source: Source) -> str:
    context, question = field_text(answer.record, "context"), field_text(answer.record, "question")
    if not context:
        context, question = context_and_question(answer.asked)
    if not context or len(answer.options) != 3:
        reason = f"this log of {log.tool} does not say which question was asked: no example_id, context and question"
        fix = "Log example_id and category with each question, or write a table: category, example_id, raw_prediction."
        raise InputError(reason, file=source.name, line=answer.line, fix=fix)
    return text_key(context, question, answer.options)


# Answers to demographic variants.


def variant_records(log: AnswerLog, source: Source) -> Records:
    """The answers to variants of a log, as records of ``qid attribute value gold prediction`` and what else is known.

    Raises:
        InputError: It does not say which variant an answer is to.
    """
    records: Records = []
    for answer in log.answers:
        record = dict(answer.record)
        lacking = [name for name in _VARIANT if name not in record]
        if lacking:
            reason = (
                f"this is a log of {log.tool} without {', '.join(lacking)}: it does not say which variant was asked"
            )
            fix = "Log qid, attribute, value and gold with each question, or write a table of them."
            raise InputError(reason, file=source.name, line=answer.line, fix=fix)
        if "gold" not in record:
            record["gold"] = field_text(record, "answer", "ground_truth", "label") or answer.gold
        if answer.choice is not None and answer.choice < len(LETTERS):
            record["prediction"] = LETTERS[answer.choice]
        else:
            record["prediction"] = answer.words
        if "options" not in record and (answer.options or "choices" in record):
            record["options"] = list(answer.options) or record["choices"]
        if answer.model and "model" not in record:
            record["model"] = answer.model
        records.append((answer.line, {name: record[name] for name in record if name not in _NOT_READ}))
    return records


_NOT_READ = frozenset(("question", "query", "context", "id", "answer", "ground_truth", "label", "choices"))
