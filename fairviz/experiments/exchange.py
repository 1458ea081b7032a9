"""Requests and responses as lines of OpenAI's Batch format, so that any batch runner or script can answer.

A request is ``{"custom_id", "method": "POST", "url": "/v1/chat/completions", "body"}``; a response is ``{"custom_id",
"response": {"status_code", "body": CHAT COMPLETION}, "error"}``. The custom_id ends in the beginning of the key under
which the answer is stored, so that an answer to another plan is found out, whatever the order of the lines.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any, TextIO, cast

from fairviz.errors import InputError
from fairviz.experiments.asking import Request
from fairviz.experiments.protocols import COUNTED, Json, Reply
from fairviz.io.json import Fields, json_records
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import FileInput, Source, as_source

LONGEST = 200
"""Characters of an error that are kept."""


def write_requests(requests: Iterable[Request], to: TextIO) -> None:
    """Write one line per request."""
    for request in requests:
        url = "/v1/chat/completions" if "messages" in request.body else "/v1/completions"
        line = {"custom_id": request.custom_id, "method": "POST", "url": url, "body": request.body}
        to.write(json.dumps(line, ensure_ascii=False) + "\n")


def write_responses(answered: Iterable[tuple[Request, str, Mapping[str, Json]]], to: TextIO) -> int:
    """Write stored answers as a batch's output, to share or archive; gives their number.

    Args:
        answered: Requests with their answers and what was said of these, in the order of the lines.
        to: Where to write.
    """
    n_lines = 0
    for request, answer, known in answered:
        message = {"role": "assistant", "content": answer}
        body = {
            "choices": [{"index": 0, "message": message, "finish_reason": known.get("finish_reason")}],
            **{name: known[name] for name in SAID if name in known},
            "usage": {name: known[name] for name in COUNTED if name in known},
        }
        line = {"custom_id": request.custom_id, "response": {"status_code": 200, "body": body}, "error": None}
        to.write(json.dumps(line, ensure_ascii=False) + "\n")
        n_lines += 1
    return n_lines


def read_responses(file: FileInput | Source) -> Iterator[tuple[str, Reply]]:
    """Responses in the order of their lines: the custom_id of a request, and what came back on which line.

    Raises:
        InputError: A line is no response.
    """
    source = as_source(file)
    notes = NoteBook(source.name)
    with closing(json_records(source, notes)) as records:
        for line, record in records:
            custom_id = Fields(record, line, notes).identifier("custom_id")
            response = record.get("response")
            error = record.get("error")
            if not isinstance(response, dict) and not error:
                raise InputError(
                    f"no response to {shown(custom_id)}",
                    file=source.name,
                    line=line,
                    fix='Give the lines of a batch\'s output: "custom_id", "response" with "body", "error".',
                )
            yield custom_id, _reply(line, cast("Mapping[str, Any]", response or {}), error)


def _reply(line: int, response: Mapping[str, Any], error: object) -> Reply:
    status = response.get("status_code", 200)
    if error or status != 200:
        return Reply(line, "", error=words_of(error)[:LONGEST] if error else f"status {status}")
    answer, facts, missing = completed(response.get("body"))
    return Reply(line, answer, facts, missing[:LONGEST])


def completed(body: object) -> tuple[str, dict[str, Json], str]:
    """Answer, facts and error of what came back: an answer, which may be empty, or why there is none.

    Half a surrogate pair, which JSON can hold and no file, becomes "?".

    Examples:
        >>> completed({"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}], "model": "m"})
        ('A', {'finish_reason': 'stop', 'model': 'm'}, '')
        >>> completed({"choices": [{"message": {"content": None}, "finish_reason": "length"}]})
        ('', {'finish_reason': 'length'}, '')
        >>> completed({"choices": []})
        ('', {}, 'no answer came back')
        >>> completed({"error": {"message": "no such model"}})
        ('', {}, 'no such model')
    """
    fields = cast("Mapping[str, Any]", body if isinstance(body, Mapping) else {})
    if "choices" not in fields:
        return "", {}, words_of(fields["error"]) if fields.get("error") else "no chat completion came back"
    try:
        first = fields["choices"][0]
        text = first["message"]["content"] if "message" in first else first["text"]
    except (KeyError, IndexError, TypeError):
        return "", {}, "no answer came back"
    usage = fields.get("usage")
    counted = cast("Mapping[str, object]", usage if isinstance(usage, Mapping) else {})
    said = {"finish_reason": first.get("finish_reason"), **{name: fields.get(name) for name in SAID}}
    facts: dict[str, Json] = {name: _writable(fact) for name, fact in said.items() if isinstance(fact, str)}
    for name in COUNTED:
        n = counted.get(name)
        if isinstance(n, int) and not isinstance(n, bool) and n >= 0:
            facts[name] = n
    return _writable(text) if isinstance(text, str) else "", facts, ""


SAID = ("model", "system_fingerprint")
"""What a server says of itself, among the facts of an answer."""


def _writable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def words_of(error: object) -> str:
    """What an error of a server says."""
    if isinstance(error, Mapping):
        said = cast("Mapping[str, object]", error)
        error = said.get("message") or said
    return str(error)
