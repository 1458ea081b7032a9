"""HELM's ``scenario_state.json``: requests with the instance that each asks.

An instance has an ``input`` (``text``, or ``passage`` and ``question``) and ``references``; its id numbers the
instances of the run, so that answers are joined with questions by passage, question and options. Letters are those of
``output_mapping``. Requests of later trials, and those of perturbed instances, are left out and counted.
"""

from fairviz.errors import InputError
from fairviz.io.closed_answers import LETTERS, read_letter
from fairviz.io.json import Json, as_text
from fairviz.io.logs import Logged, field_text, objects, text_of, whole_object, within
from fairviz.io.notes import NoteBook
from fairviz.io.source import Source
from fairviz.numerals import count

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
    tags = [reference.get("tags") for reference in references]
    right = [k for k, of_reference in enumerate(tags) if isinstance(of_reference, list) and "correct" in of_reference]
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
