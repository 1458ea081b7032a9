"""Answers to variants from literals or as a file, rows of them by settings, and counts one answer at a time."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
import polars as pl

from fairviz.io.variants import read_variants
from fairviz.model import Qrels, VariantAnswers
from fairviz.stats.bootstrap import Resampling
from fairviz.studies.demographic_qa.answers import Record
from fairviz.studies.demographic_qa.retrieval import answered_lists
from fairviz.studies.demographic_qa.rows import BOTH, counts_of, rows_of, with_votes
from fairviz.studies.demographic_qa.settings import MIN_SIZE, VariantsSettings
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


Rows = list[dict[str, object]]


def rows(right: Mapping[str, int], *, n: int = 12, attribute: str = "race", **more: object) -> Rows:
    """n questions about each group, the first so many answered right; "neutral" is no group."""
    return [
        {
            "qid": f"q{i}",
            "attribute": "none" if group == "neutral" else attribute,
            "value": group,
            "gold": "A",
            "prediction": "A" if i < k else "B",
            **more,
        }
        for group, k in right.items()
        for i in range(n)
    ]


def answers(*some: Rows) -> VariantAnswers:
    """Rows as a file."""
    lines = "\n".join(json.dumps(row) for each in some for row in each)
    return read_variants(("m.jsonl", lines.encode())).value


APART = rows({"white": 12, "black": 2, "neutral": 9})
"""Right only for white 10, only for black 0: p = 2 · 0.5^10 = 0.002; gap 10 / 12."""
ALIKE = rows({"male": 7, "female": 6}, attribute="sex")
"""Right only for male 1: p = 1."""


def strategy_rows(
    answers: VariantAnswers,
    attribute: str,
    *,
    by: Sequence[str] = ("model", "dataset", "strategy"),
    min_size: int = MIN_SIZE,
    resampling: Resampling | None = None,
) -> list[Record]:
    """The rows of one attribute with both votes beside them, as the page makes them."""
    counts = counts_of(answers, VariantsSettings(min_size=min_size), by, voters=BOTH, resampling=resampling)
    return with_votes(counts, rows_of(counts, wanted=lambda name: name == attribute))


def variant_rows(
    answers: VariantAnswers,
    *,
    by: Sequence[str] = (),
    attribute: str = "",
    pooled: bool = False,
    qrels: Qrels | None = None,
    n_resamples: int = Resampling(0).n_resamples,
    n_permutations: int = Resampling(0).n_permutations,
    **settings: object,
) -> list[Record]:
    """Rows by attribute, or of one; a vote is measured where it is said who votes."""
    wanted: Callable[[str], bool] = (lambda name: name == attribute) if attribute else bool
    how = VariantsSettings.of(settings)
    voters = (how.vote,) if "vote" in settings else ()
    resampling = Resampling(how.seed, n_resamples, n_permutations)
    counts = counts_of(answers, how, by, voters=voters, pooled=pooled, qrels=qrels, resampling=resampling)
    return rows_of(counts, wanted=wanted)


Row = tuple[str, dict[str, str], Sequence[str]]
"""Question, attribute → value ({} = neutral), documents."""


def answers_of(rows: Sequence[Row], conditions: Sequence[str] = ()) -> VariantAnswers:
    """Answers "A" to every row; a row without attributes is of the condition given beside it."""
    named = conditions or [""] * len(rows)
    return variant_answers(
        [
            Said(question, about, "A", "A", one, docs=docs)
            for (question, about, docs), one in zip(rows, named, strict=True)
        ]
    )


def lists_about(answers: VariantAnswers, attribute: str, *, rows: Sequence[int] | None = None) -> pl.DataFrame:
    """Documents of the variants that mention one attribute; of all rows, or of some."""
    counts = counts_of(answers)
    tally, frame = counts.tallies[(), attribute], counts.frame
    if rows is not None:
        frame = frame.filter(pl.col("row").is_in(rows))
    return answered_lists(frame, tally.members, tally.values)
