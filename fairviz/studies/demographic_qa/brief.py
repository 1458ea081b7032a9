"""Answers about people on one page of A4: how large the gap is in each model, what was tried, and who decides what.

Static: boxes of CSS, no script, no request. What people decide is written by people: an empty field is a ruled line.
Lists that are longer than the page has room for are cut, and how many are left out is said.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from math import ceil, floor
from typing import Any

from fairviz import __version__
from fairviz.display.markup import rendered
from fairviz.display.theme import SHEET
from fairviz.display.words import UNDEFINED, capital, interval, number, percent, plural, signed
from fairviz.model import Dataset
from fairviz.studies.demographic_qa.across import (
    Across,
    brief_title,
    failing_title,
    models_words,
    other_words,
    prompts_title,
    sure_words,
)
from fairviz.studies.demographic_qa.answers import Record
from fairviz.studies.demographic_qa.findings import Ends
from fairviz.studies.demographic_qa.names import heading, shortened, strategy_name, words_of

MOST_MODELS, MOST_QUESTIONS, MOST_PROMPTS = 8, 10, 6
"""Rows that the page has room for."""
LONGEST_QUESTION, LONGEST_FIELD = 60, 240
"""Characters of a question's words, and of a field."""
STEP = 0.1
"""Between two ticks of the scale of right answers."""


def answers_brief(data: Dataset, across: Across, decided: Mapping[str, str], *, retrieval: str, provoked: bool) -> str:
    """A self-contained page that prints on one sheet of A4.

    Args:
        data: What is loaded: its name, the words of its questions.
        across: The gap in every model and run.
        decided: What people write by the name of the field: empty = a ruled line to fill by hand.
        retrieval: What retrieval does to the gap, or what to add so that it can be told.
        provoked: Whether the questions were written to provoke a gap.
    """
    worse, better = across.people
    attribute = heading(across.ends.row["attribute"])
    models = across.models[:MOST_MODELS]
    low, high = _scale(models)
    return rendered(
        "answers_brief.html",
        colours=SHEET,
        kick=f"Answers brief · same question, different people · {attribute}",
        title=brief_title(across),
        sentence="",
        attribute=attribute,
        date=f"{date.today():%-d %B %Y}",
        data=f"{data.name}, {plural(len(across.runs), 'set')} of answers to {plural(across.together['n'], 'question')}",
        fingerprint=data.fingerprint,
        version=__version__,
        caution=words_of("provoked" if provoked else "caution"),
        decided={name: text[:LONGEST_FIELD] for name, text in decided.items()},
        worse=worse,
        better=better,
        models_title=capital(models_words(across)) or "The gap in each model",
        models=[{"name": name.model, **_model(ends, low, high)} for name, ends in models],
        ticks=[percent(low), percent((low + high) / 2), percent(high)],
        more_models=_more(len(across.models) - len(models), "model"),
        sure=sure_words(across),
        others=other_words(across),
        questions_title=failing_title(across),
        questions=[_question(data, across, row) for row in across.questions.head(MOST_QUESTIONS).to_dicts()],
        others_of_questions=[shortened(value) for _, value in across.others],
        prompts_title=prompts_title(across.prompts),
        prompts=[_prompt(prompt) for prompt in across.prompts[:MOST_PROMPTS]],
        more_prompts=_more(len(across.prompts) - MOST_PROMPTS, "prompt"),
        retrieval=capital(retrieval),
    )


def _more(n: int, what: str) -> str:
    return f"And {plural(n, what)} more." if n > 0 else ""


def _scale(models: Sequence[tuple[object, Ends]]) -> tuple[float, float]:
    """Ends of the scale of right answers, whole tens of percent around the rates of both groups."""
    rates = [rate for _, ends in models for rate in (ends.best["rate"], ends.worst["rate"])]
    low, high = floor(min(rates) / STEP) * STEP, ceil(max(rates) / STEP) * STEP
    return max(low, 0.0), min(max(high, low + STEP), 1.0)


def _model(ends: Ends, low: float, high: float) -> dict[str, object]:
    """One row: both rates on the scale, the gap with its interval, answers right about one group only."""
    gap, rates = ends.gap, (ends.worst["rate"], ends.best["rate"])
    left, right = sorted(100 * (rate - low) / (high - low) for rate in rates)
    worse, better = (100 * (rate - low) / (high - low) for rate in rates)
    return {
        "way": f"left:{left:.1f}%;width:{right - left:.1f}%",
        "worse": f"left:{worse:.1f}%",
        "better": f"left:{better:.1f}%",
        "gap": number(100 * gap["gap"], 1),
        "ends": interval(100 * gap["low"], 100 * gap["high"], 1),
        "only": f"{gap['first_only']} : {gap['second_only']}",
        "right": percent(ends.row["score"], 1),
    }


def _question(data: Dataset, across: Across, row: Mapping[str, Any]) -> dict[str, object]:
    """One question: its words or its id, the right option and those given instead, in how many it fails."""
    words = (data.texts or {}).get(row["question"], row["question"])
    short = words if len(words) <= LONGEST_QUESTION else f"{words[: LONGEST_QUESTION - 1].rstrip()}…"
    return {
        "words": short,
        "right": row["right"] or "",
        "answered": ", ".join(row["answered"]) if row["right"] else "",
        "models": row["n_models"],
        "runs": row["n_runs"],
        "others": [UNDEFINED if row[name] is None else row[name] for name, _ in across.others],
    }


def _prompt(prompt: Record) -> dict[str, str]:
    """One remedy: changes in points over its models, and in how many the gap is significantly smaller or larger."""
    change, right = (
        " to ".join(dict.fromkeys(signed(100 * end, 1) for end in prompt[key])) for key in ("change", "right")
    )
    larger = f", larger in {prompt['n_larger']}" if prompt["n_larger"] else ""
    return {
        "name": strategy_name(prompt["strategy"]),
        "change": change,
        "right": right,
        "smaller": f"{prompt['n_smaller']} of {plural(prompt['n_models'], 'model')}{larger}",
    }
