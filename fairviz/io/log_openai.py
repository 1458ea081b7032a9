"""Output of the OpenAI Batch API, of ``vllm run-batch``, and of Anthropic's batches: JSON Lines with ``custom_id``.

``custom_id`` says what was asked: CATEGORY|EXAMPLE_ID (a setting may follow: Age|12|full-set), or QID|ATTRIBUTE|VALUE
of a variant. A line holds
``response {status_code, body}``: a chat completion, a completion, or the body of ``/v1/responses``. Lines with an
``error``, or a status other than 200, are no answers: they are left out and counted.
"""

import re
from contextlib import closing

from fairviz.errors import InputError
from fairviz.io.bbq_targets import WORDS, folded
from fairviz.io.json import Json, as_text, json_records
from fairviz.io.logs import Logged, field_text, objects, text_of, within
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import Source
from fairviz.numerals import count

_BETWEEN = re.compile(r"\s*[|\t]\s*")
_CATEGORIES = {category for categories in WORDS["categories"] for category in categories}
_LOOSELY_BETWEEN = re.compile(r"^(?P<category>[A-Za-z_]+?)\s*[:/#;,_-]+\s*(?P<id>\d+)$")


def is_openai_batch(keys: set[str]) -> bool:
    """Whether the keys of a record are those of a batch's output.

    Examples:
        >>> is_openai_batch({"id", "custom_id", "response", "error"}), is_openai_batch({"custom_id", "method", "body"})
        (True, False)
    """
    return "custom_id" in keys and bool({"response", "result"} & keys) and "method" not in keys


def openai_answers(source: Source, notes: NoteBook) -> list[Logged]:
    """The answers of a batch.

    Raises:
        InputError: A custom_id says no question, or every request failed.
    """
    answers: list[Logged] = []
    n = n_failed = 0
    first_error = ""
    with closing(json_records(source, notes)) as records:
        for line, record in records:
            n += 1
            body, error = _body(record)
            if body is None:
                n_failed += 1
                first_error = first_error or error
                continue
            custom = field_text(record, "custom_id")
            about = asked_by(custom)
            if about is None:
                reason = f"custom_id {shown(custom)} does not say which question was asked"
                fix = "Write CATEGORY|EXAMPLE_ID (bias questions) or QID|ATTRIBUTE|VALUE (variants)."
                raise InputError(reason, file=source.name, line=line, fix=fix)
            answers.append(Logged(line, about, _words(body), model=as_text(body.get("model")) or ""))
    if n_failed:
        message = f"{count(n_failed)} of {count(n)} requests failed: left out"
        notes.add(message + (f" (first: {shown(first_error)})" if first_error else ""))
    if not answers:
        raise InputError("every request of this batch failed", file=source.name, fix="Send them again.")
    return answers


def _body(record: dict[str, Json]) -> tuple[dict[str, Json] | None, str]:
    """The body of a successful response, else None and what went wrong."""
    result = record.get("result")
    if isinstance(result, dict) and "response" not in record:  # Anthropic's
        message = result.get("message")
        failed = result.get("type") not in (None, "succeeded") or not isinstance(message, dict)
        return (None, field_text(result, "type")) if failed else (message if isinstance(message, dict) else None, "")
    error = record.get("error")
    response = record.get("response")
    if error or not isinstance(response, dict):
        return None, as_text(within(error, "message")) or as_text(within(error, "code")) or text_of(error)
    body = response.get("body", response if "choices" in response else None)
    status = response.get("status_code", 200)
    if as_text(status) != "200" or not isinstance(body, dict) or body.get("error"):
        return None, as_text(within(body, "error", "message")) or f"status {as_text(status)}"
    return body, ""


def _words(body: dict[str, Json]) -> str:
    choices = objects(body.get("choices"))
    if choices:
        message = choices[0].get("message")
        if isinstance(message, dict):
            return text_of(message.get("content")) or text_of(message.get("refusal"))
        return text_of(choices[0].get("text"))
    outputs = [part for part in objects(body.get("output")) if part.get("type", "message") == "message"]
    if outputs:
        return text_of(outputs[-1].get("content"))
    return text_of(body.get("output_text")) or text_of(body.get("content"))


def asked_by(custom_id: str) -> dict[str, Json] | None:
    """What a custom_id says was asked, None where it says nothing known.

    Examples:
        >>> asked_by("Age|12"), asked_by("v1|race|Asian")["value"], asked_by("request-7")
        ({'category': 'Age', 'example_id': '12'}, 'Asian', None)
    """
    parts = [part for part in _BETWEEN.split(custom_id.strip()) if part]
    if len(parts) == 2:
        return {"category": parts[0], "example_id": parts[1]}
    if len(parts) == 3 and folded(parts[0]) in _CATEGORIES and parts[1].isdecimal():
        return {"category": parts[0], "example_id": parts[1], "setting": parts[2]}
    if len(parts) == 3:
        return {"qid": parts[0], "attribute": parts[1], "value": parts[2]}
    loose = _LOOSELY_BETWEEN.match(custom_id.strip())
    if loose is None or folded(loose["category"]) not in _CATEGORIES:
        return None
    return {"category": loose["category"], "example_id": loose["id"]}
