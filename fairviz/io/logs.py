"""Logs of evaluation tools: recognised, and read into an answer, what it answers, and who gave it.

Each tool has a section: lm-evaluation-harness, Inspect, HELM, OpenAI Batch. It recognises its files and reads them into
:class:`Logged` answers; :mod:`fairviz.io.log_answers` makes bias questions, answers to them or answers to variants of
these.
"""

import math
import re
import unicodedata
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

from fairviz.errors import InputError
from fairviz.io.answer_text import loosely
from fairviz.io.bbq_targets import folded, says_unknown
from fairviz.io.closed_answers import LETTERS, read_letter
from fairviz.io.json import Json, as_text, json_records, parse_json
from fairviz.io.names import folded_record
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import Source
from fairviz.io.text import whole_text
from fairviz.numerals import count, plural


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


# Samples of lm-evaluation-harness (``--log_samples``), one JSON object a line.
#
# ``doc`` is the question as its data set has it, ``resps`` what the model gave for each request, ``filtered_resps``
# what the task's filter made of it, ``arguments`` the requests: an array of ``[context, continuation]``, since version
# 0.4.3 an object ``gen_args_0: {arg_0, arg_1}``. Of questions asked as multiple choice a response is ``[log-likelihood,
# whether it is greedy]`` (some versions write both as strings) and the answer is the likeliest continuation: one of the
# two groups in the order ans0–2 without the unknown one, or one of ten spellings of "unknown" (the task ``bbq``).
# Several filters give several lines for one ``doc_id``; then the unfiltered response is read, once.

LM_EVAL = "lm-evaluation-harness"


def is_lm_eval(keys: set[str]) -> bool:
    """Whether the keys of a record are those of a logged sample.

    Examples:
        >>> is_lm_eval({"doc_id", "doc", "target", "arguments", "resps", "filtered_resps"})
        True
    """
    return "doc" in keys and bool({"resps", "filtered_resps"} & keys)


def lm_eval_answers(source: Source, notes: NoteBook) -> list[Logged]:
    """The answers of a log.

    Raises:
        InputError: A line is no sample.
    """
    with closing(json_records(source, notes)) as records:
        samples = list(records)
    filters = {field_text(sample, "filter") for _, sample in samples}
    seen: set[str] = set()
    answers: list[Logged] = []
    n_errors = 0
    for line, sample in samples:
        doc = sample.get("doc")
        if not isinstance(doc, dict):
            reason = "doc must be an object: the question as its data set has it"
            raise InputError(reason, file=source.name, line=line, fix="Log samples with --log_samples.")
        number = field_text(sample, "doc_id") or str(line)
        if len(filters) > 1:
            if number in seen:
                continue
            seen.add(number)
        record = folded_record(doc, file=source.name, line=line)
        choice, words = _lm_eval_answer(sample, record, filtered=len(filters) == 1)
        n_errors += choice is None and not words.strip()
        options = _options(record)
        answers.append(Logged(line, record, words, choice, options, field_text(sample, "target")))
    if len(filters) > 1:
        named = ", ".join(sorted(name or "none" for name in filters))
        notes.add(f"{len(filters)} filters ({named}): the unfiltered response is read, once for each doc_id")
    return answers


def _options(record: dict[str, Json]) -> tuple[str, ...]:
    options = tuple(field_text(record, f"ans{k}") for k in range(3))
    if all(options):
        return options
    choices = record.get("choices", record.get("options"))
    if isinstance(choices, dict):
        choices = choices.get("text")
    return tuple(text_of(choice) for choice in choices) if isinstance(choices, list) else ()


def _lm_eval_answer(sample: dict[str, Json], record: dict[str, Json], *, filtered: bool) -> tuple[int | None, str]:
    """The place of the option, or the words, of a sample."""
    responses = sample.get("filtered_resps")
    raw = sample.get("resps")
    if not isinstance(responses, list) or not responses:
        responses = (
            [each[0] if isinstance(each, list) and each else each for each in raw] if isinstance(raw, list) else []
        )
    likelihoods = [_likelihood(response) for response in responses]
    if len(likelihoods) > 1 and all(value is not None for value in likelihoods):
        scored = [-math.inf if value is None or math.isnan(value) else value for value in likelihoods]
        best = scored.index(max(scored))
        return _chosen(best, _continuation(sample.get("arguments"), best), len(likelihoods), record)
    words = text_of(responses[0]) if responses else ""
    if (not filtered or words.strip() in ("", "[invalid]")) and isinstance(raw, list) and raw:
        first = raw[0]
        words = text_of(first[0] if isinstance(first, list) and first else first)
    return None, words


def _likelihood(response: Json) -> float | None:
    """The log-likelihood of a response, None where it is words."""
    while isinstance(response, list) and len(response) == 1:
        response = response[0]
    if not isinstance(response, list) or len(response) != 2:
        return None
    value, greedy = response
    if isinstance(value, str) and (isinstance(greedy, bool) or greedy in ("True", "False")):
        try:
            return float(value)
        except ValueError:
            return None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _continuation(arguments: Json, at: int) -> str:
    """The words of a request that were scored."""
    request: Json = None
    if isinstance(arguments, dict):
        request = arguments.get(f"gen_args_{at}")
        if isinstance(request, dict):
            return text_of(request.get("arg_1")).strip()
    if isinstance(arguments, list) and at < len(arguments):
        request = arguments[at]
    return text_of(request[1]).strip() if isinstance(request, list) and len(request) > 1 else ""


def _chosen(best: int, words: str, n_requests: int, record: dict[str, Json]) -> tuple[int | None, str]:
    """The option of the likeliest continuation, by its words where they are logged, else by its place."""
    options = _options(record)
    unknown = [k for k, option in enumerate(options) if says_unknown(option)]
    names = [loosely(option) for option in options]
    if words and loosely(words) in names:
        return names.index(loosely(words)), words
    if words and says_unknown(words) and len(unknown) == 1:
        return unknown[0], words
    if n_requests == len(options):
        return best, words
    if len(options) == 3 and len(unknown) == 1 and not words:
        groups = [k for k in range(3) if k != unknown[0]]
        return groups[best] if best < len(groups) else unknown[0], words
    return None, words


# Logs of Inspect (inspect_ai) as JSON: ``samples`` with ``choices``, ``metadata`` and ``output``.
#
# The answer is the text of the first choice of ``output`` (a string, or parts of which only texts count), else its
# ``completion``. ``target`` is a letter or words; ``choices`` are as the model saw them, and letters mean these.
# Samples that ended in an error are no answers: they are left out and counted; of several epochs the first is read.

INSPECT = "Inspect"
_WITH_SAMPLES = "Write it with its samples: inspect log convert --to json LOG.eval --output-dir FOLDER"


def is_inspect(keys: set[str]) -> bool:
    """Whether the names in the first part of a file are those of a log.

    Examples:
        >>> is_inspect({"version", "status", "eval", "plan", "samples", "id"})
        True
    """
    return {"status", "eval"} <= keys and bool({"samples", "plan", "task_id", "run_id"} & keys)


def inspect_answers(source: Source, notes: NoteBook) -> list[Logged]:
    """The answers of a log.

    Raises:
        InputError: It holds no samples.
    """
    log = whole_object(source, notes)
    samples = objects(log.get("samples"))
    if not samples:
        raise InputError("this Inspect log holds no samples", file=source.name, fix=_WITH_SAMPLES)
    status = field_text(log, "status")
    if status not in ("", "success"):
        notes.add(f"the run ended with status {status}: only the samples that it logged are read")
    model = as_text(within(log, "eval", "model")) or ""
    answers: list[Logged] = []
    seen: set[str] = set()
    n_errors = n_epochs = 0
    for line, sample in enumerate(samples, start=1):
        identifier = field_text(sample, "id") or str(line)
        if sample.get("error"):
            n_errors += 1
            continue
        if identifier in seen:
            n_epochs += 1
            continue
        seen.add(identifier)
        answers.append(_inspect_answer(sample, line, identifier, model, source.name))
    if n_errors:
        notes.add(f"{count(n_errors)} of {plural(len(samples), 'sample')} ended in an error: left out")
    if n_epochs:
        notes.add(f"{plural(n_epochs, 'sample is', 'samples are')} of later epochs: the first of each question is read")
    if not answers:
        raise InputError("every sample of this Inspect log ended in an error", file=source.name, fix="Run it again.")
    return answers


def _inspect_answer(sample: dict[str, Json], line: int, identifier: str, model: str, file: str) -> Logged:
    output = sample.get("output")
    choices = objects(within(output, "choices"))
    words = text_of(within(choices[0], "message", "content")) if choices else ""
    words = words or text_of(within(output, "completion"))
    metadata = sample.get("metadata")
    record = folded_record(metadata, file=file, line=line) if isinstance(metadata, dict) else {}
    record.setdefault("id", identifier)
    options = sample.get("choices")
    target = sample.get("target")
    return Logged(
        line=line,
        record=record,
        words=words,
        options=tuple(text_of(option) for option in options) if isinstance(options, list) else (),
        gold=text_of(target[0] if isinstance(target, list) and target else target),
        model=as_text(within(output, "model")) or model.rsplit("/", 1)[-1],
        asked=_asked(sample.get("input")),
    )


def _asked(value: Json) -> str:
    """What was asked: a string, or the last message of the user."""
    if isinstance(value, str):
        return value
    messages = [message for message in objects(value) if message.get("role") in (None, "user")]
    return text_of(messages[-1].get("content")) if messages else ""


# HELM's ``scenario_state.json``: requests with the instance that each asks.
#
# An instance has an ``input`` (``text``, or ``passage`` and ``question``) and ``references``; its id numbers the
# instances of the run, so that answers are joined with questions by passage, question and options. Letters are those of
# ``output_mapping``. Requests of later trials, and those of perturbed instances, are left out and counted.

HELM = "HELM"
_JOINT = "Run it with the adapter method multiple_choice_joint or generation."


def is_helm(keys: set[str]) -> bool:
    """Whether the names in the first part of a file are those of a scenario state.

    Examples:
        >>> is_helm({"adapter_spec", "method", "request_states", "instance"})
        True
    """
    return "request_states" in keys or {"adapter_spec", "instance", "references"} <= keys


def helm_answers(source: Source, notes: NoteBook) -> list[Logged]:
    """The answers of a scenario state.

    Raises:
        InputError: It holds no requests, or one for each option.
    """
    state = whole_object(source, notes)
    requests = objects(state.get("request_states"))
    if not requests:
        raise InputError(
            "this HELM scenario state holds no requests", file=source.name, fix="Give scenario_state.json."
        )
    method = as_text(within(state, "adapter_spec", "method")) or ""
    if "separate" in method or any(request.get("reference_index") is not None for request in requests):
        reason = f"this HELM log asks for each option apart (method {method or 'multiple_choice_separate'})"
        raise InputError(reason, file=source.name, fix=_JOINT)
    model = as_text(within(state, "adapter_spec", "model")) or ""
    answers: list[Logged] = []
    n_trials = n_perturbed = n_failed = 0
    for line, request in enumerate(requests, start=1):
        if request.get("train_trial_index") not in (None, 0):
            n_trials += 1
        elif within(request, "instance", "perturbation") is not None:
            n_perturbed += 1
        elif within(request, "result", "success") is False or not objects(within(request, "result", "completions")):
            n_failed += 1
        else:
            answers.append(_helm_answer(request, line, model))
    for n, what in (
        (n_trials, "requests of later trials"),
        (n_perturbed, "requests of perturbed instances"),
        (n_failed, "requests without a completion"),
    ):
        if n:
            notes.add(f"{count(n)} of {count(len(requests))} {what}: left out")
    if not answers:
        raise InputError("no request of this HELM log was completed", file=source.name, fix="Run it again.")
    return answers


def _helm_answer(request: dict[str, Json], line: int, model: str) -> Logged:
    instance = request.get("instance")
    references = objects(within(instance, "references"))
    options = tuple(text_of(reference.get("output")) for reference in references)
    right = [k for k, reference in enumerate(references) if "correct" in _tags(reference)]
    mapping = request.get("output_mapping")
    mapped = {key: text_of(value) for key, value in mapping.items()} if isinstance(mapping, dict) else {}
    words = text_of(objects(within(request, "result", "completions"))[0].get("text"))
    letter = read_letter(words, [key for key in mapped if key in LETTERS])
    asked = within(instance, "input")
    record: dict[str, Json] = {"id": field_text(instance, "id") or str(line)} if isinstance(instance, dict) else {}
    if isinstance(asked, dict) and asked.get("passage") is not None:
        record |= {"context": asked.get("passage"), "question": asked.get("question")}
    return Logged(
        line=line,
        record=record,
        words=mapped[letter] if letter is not None else words,
        options=options,
        gold=options[right[0]] if len(right) == 1 else "",
        model=model.split("/", 1)[-1],
        asked=text_of(asked),
    )


def _tags(reference: dict[str, Json]) -> list[Json]:
    tags = reference.get("tags")
    return tags if isinstance(tags, list) else []


# Output of the OpenAI Batch API, of ``vllm run-batch``, and of Anthropic's batches: JSON Lines with ``custom_id``.
#
# ``custom_id`` says what was asked: CATEGORY|EXAMPLE_ID (a setting may follow: Age|12|full-set), or QID|ATTRIBUTE|VALUE
# of a variant. A line holds
# ``response {status_code, body}``: a chat completion, a completion, or the body of ``/v1/responses``. Lines with an
# ``error``, or a status other than 200, are no answers: they are left out and counted.

OPENAI = "OpenAI Batch"
_BETWEEN = re.compile(r"\s*[|\t]\s*")
_CATEGORIES = frozenset(
    (
        *("age", "disabilitystatus", "gender", "genderidentity", "nationality", "physicalappearance", "race"),
        *("raceethnicity", "racexgender", "racexses", "religion", "ses", "sexualorientation"),
    )
)
"""Bias types that are known without a bar behind them ("Age_12", "Religion:7")."""
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
