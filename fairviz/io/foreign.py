"""Files of other tools that people give where recorded answers are expected: refused by the tool's name.

To read such a format instead, take its line out of ``_FORMATS`` and write a reader: :mod:`fairviz.io` says how. Those
in ``_UNREAD_LOGS`` come with the way to convert them.
"""

import re

from fairviz.errors import InputError

_AS_TABLE = "Write a table of its answers: model, category, example_id, raw_prediction."
_UNREAD_LOGS: tuple[tuple[str, str, str], ...] = (
    (
        "the summary of lm-evaluation-harness",
        r'^\s*\{\s*"results"\s*:\s*\{[\s\S]*"(n-shot|higher_is_better|config_general|lm_eval_version|configs)"\s*:',
        "Run it with --log_samples and give its samples_TASK_DATE.jsonl.",
    ),
    (
        "HELM's statistics",
        r'^\s*\[?\s*\{\s*"(instance_id|name)"\s*:[\s\S]{0,400}"(train_trial_index|perturbation|split)"\s*:',
        "Give scenario_state.json of the same run.",
    ),
    (
        "HELM's run specification",
        r'"scenario_spec"\s*:\s*\{[\s\S]*"adapter_spec"\s*:',
        "Give scenario_state.json of the same run.",
    ),
    (
        "requests of an OpenAI batch",
        r'"custom_id"\s*:[^\n]*"method"\s*:\s*"POST"',
        "Give the output file of the batch, whose lines hold responses.",
    ),
    ("a promptfoo result", r'"(evalId|promptIdx|testIdx)"\s*:', _AS_TABLE),
    (
        "a DeepEval test run",
        r'"(testCases|test_cases)"\s*:\s*\[[\s\S]{0,2000}"(actualOutput|actual_output)"\s*:',
        _AS_TABLE,
    ),
    ("a log of OpenAI evals", r'"(run_id|spec)"\s*:[\s\S]{0,400}"(event_id|completion_fns|eval_name)"\s*:', _AS_TABLE),
    ("a LightEval detail file", r'"(full_prompt|cont_tokens|pred_logits|gold_index)"\s*:', _AS_TABLE),
    ("a LangSmith run", r'"(dotted_order|reference_example_id|session_id)"\s*:[\s\S]{0,2000}"run_type"\s*:', _AS_TABLE),
)
"""Logs that are refused by name: name, how their first part looks, how to convert them."""

_FORMATS: tuple[tuple[str, re.Pattern[str]], ...] = (
    *((name, re.compile(pattern)) for name, pattern, _ in _UNREAD_LOGS),
    ("a RAGChecker file", re.compile(r'"(gt_answer|retrieved_context|response_claims)"\s*:')),
    ("a RAGAS sample", re.compile(r'"(user_input|retrieved_contexts)"\s*:')),
    (
        "an ALCE result file",
        re.compile(r'"(utility_score|qa_pairs|automatic_correctness_scores)"\s*:'),
    ),
    ("a LaMP prediction file", re.compile(r'"golds"\s*:|^(?!.*"query_id"\s*:).*"task"\s*:\s*"LaMP', re.DOTALL)),
    ("a MIRAGE answer file", re.compile(r'^\s*\[\s*"\{')),
    ("an open-rag-eval table", re.compile(r"^query_id,query,(query_run,)?passage_id,")),
)
_CONVERSIONS = {name: fix for name, _, fix in _UNREAD_LOGS}
_RAW_ANSWERS = re.compile(r'"raw"\s*:\s*\[')
FIX = (
    "Give TREC RAG 2024 or 2025 JSON Lines, or fairviz JSON Lines with query_id, ranking, text, utility and attributed."
)
FIX_LISTS = "Write rankings as query Q0 document rank score tag, judgements as query 0 document grade, a line each."
FIX_ANSWERS = "Give one record for each variant of a question: qid, attribute, value, gold, prediction."


def foreign_format(head: str) -> str | None:
    """Name of the tool's format that the first characters of a file show, or None.

    Examples:
        >>> foreign_format('{"user_input": "q", "response": "r"}')
        'a RAGAS sample'
    """
    for name, pattern in _FORMATS:
        if pattern.search(head):
            return name
    return None


def refuse_foreign(head: str, file: str) -> None:
    """Refuse the formats of other tools by name.

    Raises:
        InputError: The file looks like one of them.
    """
    name = foreign_format(head)
    if name is not None:
        reason = f"missing topic_id/references/answer (this looks like {name})"
        if name in _CONVERSIONS:
            reason = f"this is {name}, which holds no answers that can be read here"
        raise InputError(reason, file=file, line=1, fix=_CONVERSIONS.get(name, FIX))


def refuse_lists_as_records(keys: set[str], file: str) -> None:
    """Refuse rankings and judgements whose lines are records of a query and a document.

    Raises:
        InputError: The fields of the first record are those of such a line.
    """
    if keys & {"query_id", "qid", "topic_id"} and keys & {"doc_id", "docid", "docno"}:
        reason = "a record of a query and a document, where rankings and judgements are lines of TREC's columns"
        raise InputError(reason, file=file, line=1, fix=FIX_LISTS)


def refuse_foreign_answers(head: str, file: str) -> None:
    """Refuse formats of other tools where answers to variants of questions are expected.

    Raises:
        InputError: The file looks like one of them; none says which group a question is about.
    """
    refuse_raw_answers(head, file)
    name = foreign_format(head)
    if name == "a LaMP prediction file":
        reason = "LaMP prediction file: no demographic field"
    elif name == "a MIRAGE answer file":
        reason = "MIRAGE per-question file: expected records"
    elif name in _CONVERSIONS:
        reason = f"this is {name}, which holds no answers that can be read here"
        raise InputError(reason, file=file, line=1, fix=_CONVERSIONS[name])
    elif name is not None:
        reason = f"missing qid/attribute/value (this looks like {name})"
    else:
        return
    raise InputError(reason, file=file, line=1, fix=FIX_ANSWERS)


def refuse_raw_answers(head: str, file: str) -> None:
    """Refuse answers of MIRAGE with their reasoning, one record a question.

    Raises:
        InputError: The file looks like them.
    """
    first = head.split("\n", 1)[0]
    if _RAW_ANSWERS.search(first) and '"qid"' in first and '"attribute"' not in first:
        reason = "MIRAGE answers with their raw text: no demographic field"
        fix = f"Put answer_choice of raw into prediction. {FIX_ANSWERS}"
        raise InputError(reason, file=file, line=1, fix=fix)
