"""The tools whose logs are read: how a file of each is known, and where an answer and its question stand in it.

A further tool is a module with a :class:`~fairviz.io.logs.LogTool`, whose function reads a file into
:class:`~fairviz.io.logs.Logged` answers, and a line of :data:`TOOLS`. Paths are those of :func:`~fairviz.io.logs.at`.
Records that are no answers (failed, perturbed, repeated) are left out and counted.
"""

import math
import re
from collections import Counter
from collections.abc import Callable

from fairviz.io.answer_text import LETTERS, loosely, read_letter
from fairviz.io.bbq_targets import WORDS, folded, says_unknown
from fairviz.io.json import Head, Json, as_text, json_records
from fairviz.io.logs import AnswerLog, Logged, LogTool, at, field_text, first, objects, text_at, text_of, whole_object
from fairviz.io.names import folded_record
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import Source
from fairviz.numerals import count, plural

# Samples of lm-evaluation-harness (``--log_samples``), one JSON object a line.
#
# ``doc`` is the question as its data set has it, ``resps`` what the model gave for each request, ``filtered_resps``
# what the task's filter made of it, ``arguments`` the requests: an array of ``[context, continuation]``, since version
# 0.4.3 an object ``gen_args_0: {arg_0, arg_1}``. Of questions asked as multiple choice a response is ``[log-likelihood,
# whether it is greedy]`` (some versions write both as strings) and the answer is the likeliest continuation: one of the
# two groups in the order ans0-2 without the unknown one, or one of ten spellings of "unknown" (the task ``bbq``).
# Several filters give several lines for one ``doc_id``; then the unfiltered response is read, once.


def _lm_eval(source: Source, notes: NoteBook) -> list[Logged]:
    samples = list(json_records(source, notes))
    filters = {field_text(sample, "filter") for _, sample in samples}
    seen: set[str] = set()
    answers: list[Logged] = []
    for line, sample in samples:
        doc = sample.get("doc")
        if not isinstance(doc, dict):
            reason = "doc must be an object: the question as its data set has it"
            raise source.wrong(reason, "Log samples with --log_samples.", line)
        number = field_text(sample, "doc_id") or str(line)
        if len(filters) > 1 and number in seen:
            continue
        seen.add(number)
        record = folded_record(doc, file=source.name, line=line)
        options = _lm_eval_options(record)
        choice, words = _lm_eval_answer(sample, options, filtered=len(filters) == 1)
        answers.append(Logged(line, record, words, choice, options, field_text(sample, "target")))
    if len(filters) > 1:
        named = ", ".join(sorted(name or "none" for name in filters))
        notes.add(f"{len(filters)} filters ({named}): the unfiltered response is read, once for each doc_id")
    return answers


def _lm_eval_options(record: dict[str, Json]) -> tuple[str, ...]:
    options = tuple(field_text(record, f"ans{k}") for k in range(3))
    if all(options):
        return options
    choices = record.get("choices", record.get("options"))
    if isinstance(choices, dict):
        choices = choices.get("text")
    return tuple(map(text_of, choices)) if isinstance(choices, list) else ()


def _lm_eval_answer(sample: dict[str, Json], options: tuple[str, ...], *, filtered: bool) -> tuple[int | None, str]:
    """The place of the option, or the words, of a sample."""
    responses, raw = sample.get("filtered_resps"), sample.get("resps")
    unfiltered = [first(each) for each in raw] if isinstance(raw, list) else []
    if not isinstance(responses, list) or not responses:
        responses = unfiltered
    likelihoods = [_likelihood(response) for response in responses]
    if len(likelihoods) > 1 and all(value is not None for value in likelihoods):
        scored = [-math.inf if value is None or math.isnan(value) else value for value in likelihoods]
        best = scored.index(max(scored))
        return _chosen(best, _continuation(sample.get("arguments"), best), len(likelihoods), options)
    words = text_of(responses[0]) if responses else ""
    if unfiltered and (not filtered or words.strip() in ("", "[invalid]")):
        words = text_of(unfiltered[0])
    return None, words


def _likelihood(response: Json) -> float | None:
    """The log-likelihood of a response, None where it is words."""
    while isinstance(response, list) and len(response) == 1:
        response = response[0]
    if not isinstance(response, list) or len(response) != 2:
        return None
    value, greedy = response
    if value is None and isinstance(greedy, bool):  # NaN
        return -math.inf
    if isinstance(value, str) and (isinstance(greedy, bool) or greedy in ("True", "False")):
        try:
            return float(value)
        except ValueError:
            return None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _continuation(arguments: Json, index: int) -> str:
    """The words of a request that were scored."""
    if isinstance(arguments, dict) and isinstance(named := arguments.get(f"gen_args_{index}"), dict):
        return text_of(named.get("arg_1")).strip()
    request = arguments.get(f"gen_args_{index}") if isinstance(arguments, dict) else None
    if isinstance(arguments, list) and index < len(arguments):
        request = arguments[index]
    return text_of(request[1]).strip() if isinstance(request, list) and len(request) > 1 else ""


def _chosen(best: int, words: str, n_requests: int, options: tuple[str, ...]) -> tuple[int | None, str]:
    """The option of the likeliest continuation, by its words where they are logged, else by its place."""
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
# Samples that ended in an error are no answers; of several epochs the first is read.


def _inspect(source: Source, notes: NoteBook) -> list[Logged]:
    log = whole_object(source, notes)
    samples = objects(log.get("samples"))
    if not samples:
        fix = "Write it with its samples: inspect log convert --to json LOG.eval --output-dir FOLDER"
        raise source.wrong("this Inspect log holds no samples", fix)
    status, model = field_text(log, "status"), as_text(at(log, "eval.model")) or ""
    if status not in ("", "success"):
        notes.add(f"the run ended with status {status}: only the samples that it logged are read")
    answers: dict[str, Logged] = {}
    n_errors = n_epochs = 0
    for line, sample in enumerate(samples, start=1):
        identifier = field_text(sample, "id") or str(line)
        if sample.get("error"):
            n_errors += 1
        elif identifier in answers:
            n_epochs += 1
        else:
            metadata, options = sample.get("metadata"), sample.get("choices")
            record = folded_record(metadata, file=source.name, line=line) if isinstance(metadata, dict) else {}
            answers[identifier] = Logged(
                line=line,
                record=record | {"id": record.get("id", identifier)},
                words=text_at(sample, "output.choices.0.message.content", "output.completion"),
                options=tuple(map(text_of, options)) if isinstance(options, list) else (),
                gold=text_of(first(sample.get("target"))),
                model=as_text(at(sample, "output.model")) or model.rsplit("/", 1)[-1],
                question=_last_asked(sample.get("input")),
            )
    if n_errors:
        notes.add(f"{count(n_errors)} of {plural(len(samples), 'sample')} ended in an error: left out")
    if n_epochs:
        notes.add(f"{plural(n_epochs, 'sample is', 'samples are')} of later epochs: the first of each question is read")
    return list(answers.values())


def _last_asked(value: Json) -> str:
    """What was asked: a string, or the last message of the user."""
    if isinstance(value, str):
        return value
    messages = [message for message in objects(value) if message.get("role") in (None, "user")]
    return text_of(messages[-1].get("content")) if messages else ""


# HELM's ``scenario_state.json``: requests with the instance that each asks.
#
# An instance has an ``input`` (``text``, or ``passage`` and ``question``) and ``references``; its id numbers the
# instances of the run, so that answers are joined with questions by passage, question and options. Letters are those of
# ``output_mapping``. Requests of later trials, and those of perturbed instances, are no answers.


_HELM_LEAVES_OUT: dict[str, Callable[[dict[str, Json]], bool]] = {
    "requests of later trials": lambda request: request.get("train_trial_index") not in (None, 0),
    "requests of perturbed instances": lambda request: at(request, "instance.perturbation") is not None,
    "requests without a completion": lambda request: (
        at(request, "result.success") is False or at(request, "result.completions.0") is None
    ),
}


def _helm(source: Source, notes: NoteBook) -> list[Logged]:
    state = whole_object(source, notes)
    requests = objects(state.get("request_states"))
    if not requests:
        raise source.wrong("this HELM scenario state holds no requests", "Give scenario_state.json.")
    method, model = (as_text(at(state, f"adapter_spec.{name}")) or "" for name in ("method", "model"))
    if "separate" in method or any(request.get("reference_index") is not None for request in requests):
        reason = f"this HELM log asks for each option apart (method {method or 'multiple_choice_separate'})"
        raise source.wrong(reason, "Run it with the adapter method multiple_choice_joint or generation.")
    why = [next((name for name, is_so in _HELM_LEAVES_OUT.items() if is_so(request)), "") for request in requests]
    left_out = Counter(why)
    for name in _HELM_LEAVES_OUT:
        if left_out[name]:
            notes.add(f"{count(left_out[name])} of {count(len(requests))} {name}: left out")
    numbered = enumerate(zip(requests, why, strict=True), start=1)
    return [_helm_answer(request, line, model.split("/", 1)[-1]) for line, (request, left) in numbered if not left]


def _helm_answer(request: dict[str, Json], line: int, model: str) -> Logged:
    instance, mapping = request.get("instance"), request.get("output_mapping")
    references = objects(at(instance, "references"))
    options = tuple(text_of(reference.get("output")) for reference in references)
    tags = [reference.get("tags") for reference in references]
    right = [k for k, of_reference in enumerate(tags) if isinstance(of_reference, list) and "correct" in of_reference]
    mapped = {key: text_of(value) for key, value in mapping.items()} if isinstance(mapping, dict) else {}
    words = text_at(request, "result.completions.0.text")
    letter = read_letter(words, [key for key in mapped if key in LETTERS])
    prompt = at(instance, "input")
    record: dict[str, Json] = {"id": field_text(instance, "id") or str(line)} if isinstance(instance, dict) else {}
    if isinstance(prompt, dict) and prompt.get("passage") is not None:
        record |= {"context": prompt.get("passage"), "question": prompt.get("question")}
    return Logged(
        line=line,
        record=record,
        words=mapped[letter] if letter is not None else words,
        options=options,
        gold=options[right[0]] if len(right) == 1 else "",
        model=model,
        question=text_of(prompt),
    )


# Output of the OpenAI Batch API, of ``vllm run-batch``, and of Anthropic's batches: JSON Lines with ``custom_id``.
#
# ``custom_id`` says what was asked: CATEGORY|EXAMPLE_ID (a setting may follow: Age|12|full-set), or QID|ATTRIBUTE|VALUE
# of a variant. A line holds ``response {status_code, body}``: a chat completion, a completion, or the body of
# ``/v1/responses``. Lines with an ``error``, or a status other than 200, are no answers.


_BETWEEN = re.compile(r"\s*[|\t]\s*")
_CATEGORIES = {category for categories in WORDS["categories"] for category in categories}
_LOOSELY_BETWEEN = re.compile(r"^(?P<category>[A-Za-z_]+?)\s*[:/#;,_-]+\s*(?P<id>\d+)$")


def _openai(source: Source, notes: NoteBook) -> list[Logged]:
    answers: list[Logged] = []
    errors: list[str] = []
    for line, record in json_records(source, notes):
        body, error = _body(record)
        if body is None:
            errors.append(error)
            continue
        custom = field_text(record, "custom_id")
        about = asked_by(custom)
        if about is None:
            fix = "Write CATEGORY|EXAMPLE_ID (bias questions) or QID|ATTRIBUTE|VALUE (variants)."
            reason = f"custom_id {shown(custom)} does not say which question was asked" if custom else "no custom_id"
            raise source.wrong(reason, fix, line)
        answers.append(Logged(line, about, _words(body), model=as_text(body.get("model")) or ""))
    if errors:
        message = f"{count(len(errors))} of {count(len(errors) + len(answers))} requests failed: left out"
        first_error = next(filter(None, errors), "")
        notes.add(message + (f" (first: {shown(first_error)})" if first_error else ""))
    return answers


def _body(record: dict[str, Json]) -> tuple[dict[str, Json] | None, str]:
    """The body of a successful response, else None and what went wrong."""
    result, response, error = record.get("result"), record.get("response"), record.get("error")
    if isinstance(result, dict) and "response" not in record:  # Anthropic's
        body = result.get("message") if result.get("type") in (None, "succeeded") else None
        return (body, "") if isinstance(body, dict) else (None, field_text(result, "type"))
    if error or not isinstance(response, dict):
        return None, as_text(at(error, "message")) or as_text(at(error, "code")) or text_of(error)
    body = response.get("body", response if "choices" in response else None)
    status = as_text(response.get("status_code", 200))
    if status != "200" or not isinstance(body, dict) or body.get("error"):
        return None, as_text(at(body, "error.message")) or f"status {status}"
    return body, ""


def _words(body: dict[str, Json]) -> str:
    if isinstance(at(body, "choices.0.message"), dict):
        return text_at(body, "choices.0.message.content", "choices.0.message.refusal")
    if objects(body.get("choices")):
        return text_at(body, "choices.0.text")
    outputs = [part for part in objects(body.get("output")) if part.get("type", "message") == "message"]
    return text_of(outputs[-1].get("content")) if outputs else text_at(body, "output_text", "content")


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


_OF_LM_EVAL = {"doc", "resps"}, {"doc", "filtered_resps"}
_OF_INSPECT = tuple({"status", "eval", name} for name in ("samples", "plan", "task_id", "run_id"))
_OF_HELM = {"request_states"}, {"adapter_spec", "instance", "references"}
_OF_OPENAI = {"custom_id", "response"}, {"custom_id", "result"}
TOOLS = (
    LogTool("lm-evaluation-harness", "lm-eval (--log_samples)", _OF_LM_EVAL, _lm_eval),
    LogTool("Inspect", "Inspect (JSON)", _OF_INSPECT, _inspect),
    LogTool("HELM", "HELM (scenario_state.json)", _OF_HELM, _helm),
    LogTool("OpenAI Batch", "OpenAI Batch", _OF_OPENAI, _openai),
)
_CUSTOM_ID = re.compile(r'"custom_id"\s*:\s*"([^"]*)"')


def holds(keys: set[str], text: str) -> str:
    """What a log holds, by its first part: "variants", "items" (and answers), or "answers".

    Args:
        keys: Names in its first record.
        text: Its first part, where names of deeper records stand, too.

    Examples:
        >>> holds({"custom_id", "response"}, '{"custom_id": "q1|race|Asian", "response": {}}')
        'variants'
    """
    custom = _CUSTOM_ID.search(text) if "custom_id" in keys else None
    of_variant = custom is not None and "qid" in (asked_by(custom[1]) or {})
    if of_variant or all(f'"{name}"' in text for name in ("qid", "attribute", "value")):
        return "variants"
    of_item = all(f'"{name}"' in text for name in ("context_condition", "question_polarity"))
    return "items" if of_item or '"biased_answer"' in text else "answers"


def read_log(source: Source, notes: NoteBook) -> AnswerLog | None:
    """The answers of a log, None where the file is none.

    Raises:
        InputError: It is a log that cannot be read.
    """
    keys = Head(source).record_keys
    tool = next((tool for tool in TOOLS if tool.recognises(keys)), None)
    if tool is None:
        return None
    notes.of_log = True
    answers = tool.read(source, notes)
    if not answers:
        raise source.wrong(f"every request of this log of {tool.name} failed", "Run it again.")
    return AnswerLog(tool.name, answers, source.name)
