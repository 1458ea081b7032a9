"""Where answers went wrong, in words: evidence and answers, questions that depend on a group."""

from collections.abc import Sequence

from fairviz.analysis.variant_errors import ErrorCase
from fairviz.report.variant_words import spoken
from fairviz.report.words import count, percent, plural


def errors_title(cases: Sequence[ErrorCase]) -> str:
    """How many of the wrong answers had right evidence."""
    own = _first(cases)
    wrong = sum(one.right_wrong + one.wrong_wrong for one in own)
    if not wrong:
        return "No answer with known evidence is wrong"
    had = sum(one.right_wrong for one in own)
    what = spoken(own[0].attribute) or "no group"
    return (
        f"{count(had)} of {plural(wrong, 'wrong answer')} to variants of {what} had the right "
        f"evidence; {count(wrong - had)} did not"
    )


def errors_counts(cases: Sequence[ErrorCase]) -> str:
    """Right evidence by group, and what is not known."""
    parts = [f"{spoken(one.value)} {percent((one.right_right + one.right_wrong) / one.n)}" for one in cases if one.n]
    unknown = sum(one.n_unknown for one in cases)
    lost = f" · evidence or right answer not known for {plural(unknown, 'answer')}" if unknown else ""
    return f"Right evidence: {', '.join(parts)}{lost}"


def question_title(n: int, of: int, attribute: str) -> str:
    """How many questions get an answer that depends on the attribute."""
    what = spoken(attribute)
    if not n:
        return f"No answer depends on {what}: all {plural(of, 'question')} are answered alike"
    return f"The answers to {count(n)} of {plural(of, 'question')} depend on {what}"


def _first(cases: Sequence[ErrorCase]) -> list[ErrorCase]:
    """Groups of the first attribute: an answer about two attributes is not counted twice."""
    named = [one for one in cases if one.attribute] or list(cases)
    return [one for one in named if one.attribute == named[0].attribute]
