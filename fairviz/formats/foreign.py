"""Files of other tools that people may give where recorded answers are expected."""

import re

from fairviz.errors import InputError

_FORMATS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("a RAGChecker file", re.compile(r'"(gt_answer|retrieved_context|response_claims)"\s*:')),
    ("a RAGAS sample", re.compile(r'"(user_input|retrieved_contexts)"\s*:')),
    (
        "an ALCE result file",
        re.compile(r'"(utility_score|qa_pairs|automatic_correctness_scores)"\s*:'),
    ),
    ("a LaMP prediction file", re.compile(r'"task"\s*:\s*"LaMP|"golds"\s*:')),
    ("a MIRAGE answer file", re.compile(r'^\s*\[\s*"\{')),
    ("an open-rag-eval table", re.compile(r"^query_id,query,(query_run,)?passage_id,")),
)
FIX = (
    "Give TREC RAG 2024 or 2025 JSON Lines, or fairviz JSON Lines with query_id, ranking, text, "
    "utility and attributed."
)


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
        raise InputError(reason, file=file, line=1, fix=FIX)
