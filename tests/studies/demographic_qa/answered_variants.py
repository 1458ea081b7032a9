"""Answers to variants from literals, and what is counted about them one answer at a time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from fairviz.model import Factor, VariantAnswers
from tests.nouns import codes_of, offsets_of


@dataclass(frozen=True)
class Said:
    """One answer: "" as gold or answer is unknown or unreadable; {} mentions nobody."""

    question: str
    about: Mapping[str, str]
    gold: str
    answer: str
    condition: str = ""
    by: Mapping[str, str] = field(default_factory=dict)
    answerable: int = -1
    evidence: int = -1
    docs: Sequence[str] = ()


def variant_answers(
    rows: Sequence[Said], *, kind: str = "closed", words: Sequence[str] | None = None
) -> VariantAnswers:
    """The noun; options are those that are answered or right, in alphabetical order."""
    names = tuple(dict.fromkeys(name for row in rows for name in row.about))
    values = [tuple(dict.fromkeys(r.about[a] for r in rows if a in r.about)) for a in names]
    conditions = [row.condition or ("" if row.about else "neutral") for row in rows]
    kinds = tuple(sorted({c for c in conditions if c}, key=lambda c: (c != "neutral", c)))
    options = tuple(sorted({w for row in rows for w in (row.gold, row.answer) if w}))
    closed = kind == "closed"
    place = {option: i for i, option in enumerate(options)} if closed else {}
    questions = Factor.of("qid", [row.question for row in rows])
    doc_ids, retrieved = codes_of([row.docs for row in rows])
    factors = tuple(dict.fromkeys(name for row in rows for name in row.by))
    return VariantAnswers(
        name="answers",
        factors=tuple(Factor.of(name, [row.by[name] for row in rows]) for name in factors),
        question_ids=questions.values,
        questions=questions.codes,
        attributes=names,
        values=tuple(values),
        given=np.array(
            [
                [own.index(row.about[a]) if a in row.about else -1 for a, own in zip(names, values, strict=True)]
                for row in rows
            ],
            dtype=np.int16,
        ).reshape(len(rows), len(names)),
        conditions=kinds,
        condition=np.array([kinds.index(c) if c else -1 for c in conditions], dtype=np.int16),
        kind="closed" if closed else "open",
        options=options if closed else (),
        golds=np.array([place.get(row.gold, -1) for row in rows], dtype=np.int16),
        choices=np.array([place.get(row.answer, -1) for row in rows], dtype=np.int16),
        gold_words=Factor.of("gold", [row.gold for row in rows]),
        words=Factor.of("prediction", list(words or [row.answer for row in rows])),
        answerable=np.array([row.answerable for row in rows], dtype=np.int8),
        evidence=np.array([row.evidence for row in rows], dtype=np.int8),
        doc_ids=doc_ids,
        retrieved_offsets=offsets_of([row.docs for row in rows]),
        retrieved=retrieved,
    )


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
