"""Requests and responses as lines of OpenAI's Batch format, so that any batch runner or script can answer.

A request is ``{"custom_id", "method": "POST", "url": "/v1/chat/completions", "body"}``; a response is ``{"custom_id",
"response": {"status_code", "body": CHAT COMPLETION}, "error"}``. The custom_id ends in the beginning of the key under
which the answer is stored, so that an answer to another plan is found out, whatever the order of the lines.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any, NamedTuple, TextIO, cast

from fairviz.errors import InputError
from fairviz.experiment.asking import Request
from fairviz.experiment.protocols import Json
from fairviz.io.json import Fields, json_records
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import FileInput, Source, as_source

URL = "/v1/chat/completions"


def write_requests(requests: Iterable[Request], to: TextIO) -> int:
    """Write one line per request; gives their number."""
    n_lines = 0
    for request in requests:
        line = {"custom_id": request.custom_id, "method": "POST", "url": URL, "body": request.body}
        to.write(json.dumps(line, ensure_ascii=False) + "\n")
        n_lines += 1
    return n_lines


class Response(NamedTuple):
    """One line of responses.

    Attributes:
        line: Its number in the file.
        custom_id: Of the request.
        answer: The text, "" where there is none.
        facts: What was said of it: finish reason, tokens, model.
        error: Why there is no answer, "" where there is one.
    """

    line: int
    custom_id: str
    answer: str
    facts: Mapping[str, Json]
    error: str


def read_responses(file: FileInput | Source) -> Iterator[Response]:
    """Responses in the order of their lines.

    Raises:
        InputError: A line is no response.
    """
    source = as_source(file)
    with closing(json_records(source, NoteBook(source.name))) as records:
        for line, record in records:
            custom_id = Fields(record, line, source.name).identifier("custom_id")
            response = record.get("response")
            error = record.get("error")
            if not isinstance(response, dict) and not error:
                raise InputError(
                    f"no response to {shown(custom_id)}",
                    file=source.name,
                    line=line,
                    fix='Give the lines of a batch\'s output: "custom_id", "response" with "body", "error".',
                )
            yield _response(line, custom_id, cast("Mapping[str, Any]", response or {}), error)


def _response(line: int, custom_id: str, response: Mapping[str, Any], error: object) -> Response:
    body = response.get("body")
    status = response.get("status_code", 200)
    if error or status != 200 or not isinstance(body, dict):
        said = error if error else f"status {status}"
        return Response(line, custom_id, "", {}, _words_of(said))
    answer, facts = answer_of(cast("Mapping[str, Any]", body))
    return Response(line, custom_id, answer, facts, "" if answer.strip() else "an empty answer")


def answer_of(body: Mapping[str, Any]) -> tuple[str, dict[str, Json]]:
    """Text and facts of a chat completion; no text where it has no first choice.

    Examples:
        >>> answer_of({"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}], "model": "m"})
        ('A', {'finish_reason': 'stop', 'model': 'm'})
    """
    try:
        first = body["choices"][0]
        text = first["message"]["content"]
    except (KeyError, IndexError, TypeError):
        return "", {}
    usage = cast("Mapping[str, Any]", body.get("usage") or {})
    facts = {
        "finish_reason": first.get("finish_reason"),
        "model": body.get("model"),
        "system_fingerprint": body.get("system_fingerprint"),
        **{name: usage.get(name) for name in ("prompt_tokens", "completion_tokens")},
    }
    said: dict[str, Json] = {name: value for name, value in facts.items() if isinstance(value, str | int)}
    return text if isinstance(text, str) else "", said


def _words_of(error: object) -> str:
    if isinstance(error, Mapping):
        said = cast("Mapping[str, object]", error)
        return str(said.get("message", said))[:200]
    return str(error)[:200]
