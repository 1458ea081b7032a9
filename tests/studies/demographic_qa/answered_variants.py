"""Answers to variants from literals, and what is counted about them one answer at a time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
import polars as pl

from fairviz.model import VariantAnswers
from tests.nouns import enum_of


@dataclass(frozen=True)
class Said:
    """One answer: "" as gold or answer is unknown or unreadable; {} mentions nobody."""

    question: str
    about: Mapping[str, str]
    gold: str
    answer: str
    condition: str = ""
    by: Mapping[str, str] = field(default_factory=dict)
    answerable: bool | None = None
    evidence: bool | None = None
    docs: Sequence[str] = ()


def variant_answers(
    rows: Sequence[Said], *, kind: str = "closed", words: Sequence[str] | None = None
) -> VariantAnswers:
    """The noun; options are those that are answered or right, in alphabetical order."""
    attributes = pl.Enum(list(dict.fromkeys(name for row in rows for name in row.about)))
    conditions = [row.condition or (None if row.about else "neutral") for row in rows]
    kinds = sorted({name for name in conditions if name}, key=lambda name: (name != "neutral", name))
    closed = kind == "closed"
    options = pl.Enum(sorted({w for row in rows for w in (row.gold, row.answer) if w}) if closed else [])
    factors = {name: [row.by[name] for row in rows] for name in dict.fromkeys(name for row in rows for name in row.by)}
    mentioned = [[name for name in attributes.categories if name in row.about] for row in rows]
    enums = {"question": [row.question for row in rows], **factors}
    columns = {
        "attributes": pl.Series(mentioned, dtype=pl.List(attributes)),
        "values": pl.Series([[row.about[a] for a in own] for row, own in zip(rows, mentioned, strict=True)]),
        "condition": pl.Series(conditions, dtype=pl.Enum(kinds)),
        "gold": [row.gold for row in rows],
        "words": list(words or [row.answer for row in rows]),
        "right": pl.Series([row.gold or None if closed else None for row in rows], dtype=options),
        "choice": pl.Series([row.answer or None if closed else None for row in rows], dtype=options),
        "answerable": pl.Series([row.answerable for row in rows], dtype=pl.Boolean),
        "evidence": pl.Series([row.evidence for row in rows], dtype=pl.Boolean),
        "retrieved": pl.Series([list(row.docs) or None for row in rows], dtype=pl.List(pl.String)),
        "offered": pl.Series([None] * len(rows), dtype=pl.List(pl.String)),
    }
    named = {name: enum_of(name, values) for name, values in enums.items()}
    return VariantAnswers("answers", "closed" if closed else "open", pl.DataFrame(named | columns))


def answering(answers: VariantAnswers, choices: Sequence[str]) -> VariantAnswers:
    """The same questions with other options chosen."""
    options = pl.Enum(sorted({*answers.names("choice"), *choices}))
    frame = answers.frame.with_columns(pl.col("right").cast(options), choice=pl.Series(choices, dtype=options))
    return replace(answers, frame=frame)


def share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else float("nan")


def spread(rates: Sequence[float]) -> float:
    """Largest difference of any two rates, by looking at every pair."""
    if len(rates) < 2 or any(np.isnan(rates)):
        return float("nan")
    return max(abs(a - b) for a, b in combinations(rates, 2))


def about(rows: Sequence[Said], attribute: str) -> dict[str, list[Said]]:
    """Value -> answers that mention this attribute and nothing else."""
    found: dict[str, list[Said]] = {}
    for row in rows:
        if set(row.about) == {attribute}:
            found.setdefault(row.about[attribute], []).append(row)
    return found


def literal_vote(rows: Sequence[Said], ties: str, neutral: str | None = None) -> tuple[str, bool]:
    """Winner ("" = none) and whether it is tied; "~" sorts unreadable answers last."""
    ballots = [row.answer or "~" for row in rows]
    counts = Counter(ballots)
    leading = sorted(a for a, n in counts.items() if n == max(counts.values()))
    if neutral is None:
        neutral = next((r.answer for r in rows if r.condition == "neutral"), None)
    winner = leading[0]
    if len(leading) > 1 and ties == "abstain":
        winner = ""
    if len(leading) > 1 and ties == "first":
        winner = next(b for b in ballots if b in leading)
    if len(leading) > 1 and ties == "neutral" and neutral is not None:
        winner = (neutral or "~") if (neutral or "~") in leading else winner
    return winner.replace("~", ""), len(leading) > 1
