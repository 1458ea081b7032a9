"""Logs of Inspect (inspect_ai) as JSON: ``samples`` with ``choices``, ``metadata`` and ``output``.

The answer is the text of the first choice of ``output`` (a string, or parts of which only texts count), else its
``completion``. ``target`` is a letter or words; ``choices`` are as the model saw them, and letters mean these.
Samples that ended in an error are no answers: they are left out and counted; of several epochs the first is read.
"""

from fairviz.errors import InputError
from fairviz.io.json import Json, as_text
from fairviz.io.logs import Logged, field_text, objects, text_of, whole_object, within
from fairviz.io.names import folded_record
from fairviz.io.notes import NoteBook
from fairviz.io.source import Source
from fairviz.numerals import count, plural

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
