"""Samples of lm-evaluation-harness (``--log_samples``), one JSON object a line.

``doc`` is the question as its data set has it, ``resps`` what the model gave for each request, ``filtered_resps``
what the task's filter made of it, ``arguments`` the requests: an array of ``[context, continuation]``, since version
0.4.3 an object ``gen_args_0: {arg_0, arg_1}``. Of questions asked as multiple choice a response is ``[log-likelihood,
whether it is greedy]`` (some versions write both as strings) and the answer is the likeliest continuation: one of the
two groups in the order ans0–2 without the unknown one, or one of ten spellings of "unknown" (the task ``bbq``).
Several filters give several lines for one ``doc_id``; then the unfiltered response is read, once.
"""

import math
from contextlib import closing

from fairviz.errors import InputError
from fairviz.io.answer_text import loosely
from fairviz.io.bbq_targets import says_unknown
from fairviz.io.json import Json, json_records
from fairviz.io.logs import Logged, field_text, text_of
from fairviz.io.names import folded_record
from fairviz.io.notes import NoteBook
from fairviz.io.source import Source


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
