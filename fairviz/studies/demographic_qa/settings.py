"""What answers to demographic variants of questions can be asked."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.study import Settings, listed, option

Voters: TypeAlias = Literal["within", "all", "groups"]
"""All variants about one group, over their other attributes; all variants of a question and its
neutral one; all variants without the neutral one. The original question never votes."""

TieRule: TypeAlias = Literal["neutral", "abstain", "first", "alphabetical"]
"""At a tie: the neutral variant's answer where it is among the tied ones, else the first in the
alphabet; no answer; the tied answer that was given first; the first in the alphabet."""

CLUSTER_THRESHOLD = 0.5
"""Cosine from which two open answers are alike, unless another one is named."""

Outcome: TypeAlias = Literal["correct", "letters"]
"""What Ŷ = 1 means: the answer is right; or also, one versus rest, that it is a certain option."""

Answerable: TypeAlias = Literal["evidence", "neutral", "any"]
"""A definition of answerable questions that can be asked for."""

MIN_SIZE = MIN_UNITS
"""Groups with fewer answers are marked small and leave the largest difference to the others."""

CUTOFFS = (10, 15, 20)
"""Numbers of documents in the paper's Table 5."""


def _depths(text: str) -> tuple[int, ...]:
    depths = listed(text)
    if not all(depth.isascii() and depth.isdigit() and int(depth) for depth in depths):
        raise ValueError(f"expected whole numbers of at least 1 with commas, got {text[:40]!r}")
    return tuple(map(int, depths))


@dataclass(frozen=True, kw_only=True)
class VariantsSettings(Settings):
    """Accuracy, parity and votes of all answers; or, with ``only``, those of some beside others of their kind."""

    by: tuple[str, ...] = option(
        (),
        "columns that rows are kept apart by, with commas (default: every recorded one)",
        metavar="COLUMNS",
        read=listed,
    )
    vote: Voters = option(
        "all",
        "who votes: all variants and the neutral question, all variants (groups), or the variants about one group "
        "(within)",
    )
    vote_ties: TieRule = option(
        "neutral",
        "a tied vote: the neutral question's answer if it is among the tied ones, else the first in the alphabet; no "
        "answer (abstain); the answer given first; the first in the alphabet",
    )
    unreadable: Literal["vote", "leave"] = option(
        "vote", "unreadable answers vote, as one answer of their own, or leave the vote"
    )
    similarity: float = option(
        CLUSTER_THRESHOLD, "open answers are alike in the vote from this cosine on", low=1e-9, high=1
    )
    outcome: Outcome = option("correct", "what parity is of: right answers, or also each option (letters)")
    threshold: float | None = option(
        None, "open answers are right from this ROUGE-L on (default: ROUGE-L itself is compared)", low=1e-9, high=1
    )
    answerable: Answerable = option(
        "evidence",
        "which questions eo counts, where no column answerable says it: the evidence given was right, by judgements or "
        "a column evidence; the neutral question was answered right (neutral); any variant of it was (any)",
    )
    min_size: int = option(
        MIN_SIZE,
        "groups with fewer answers are marked small and leave dp and eo to the others, unless fewer than two others "
        "remain: then all are compared",
        low=1,
    )
    measures: tuple[str, ...] = option(
        (),
        "of the quality of runs of variants; may be given more than once (default nDCG@10)",
        flags=("-m", "--measure"),
        metavar="MEASURE",
    )
    k: tuple[int, ...] = option(
        (),
        "depths of the retrieval overlap, with commas (default: whole lists; of runs 10,15,20)",
        low=1,
        metavar="K,…",
        read=_depths,
    )
    value: tuple[str, ...] = option(
        (),
        "whom the questions of a run are about, where its name does not end in it (bm25.Asian); may be given more than "
        "once",
        metavar="SYSTEM=[ATTRIBUTE:]VALUE",
    )
    only: tuple[str, ...] = option(
        (),
        "the answers of one model, dataset, strategy, retriever and k, beside others of their kind; may be given "
        "more than once",
        metavar="PART=VALUE",
    )
    against: str = option(
        "",
        "what to compare with, question by question, such as an earlier version: the same answers but for this one",
        metavar="COLUMN=VALUE",
    )
    attribute: str = option("", "by which questions of --only that differ are listed (default: the first)")
    compared: int = option(CUTOFFS[0], "documents of each list whose overlap is compared pair by pair", low=1)
    seed: int = option(0, "seed of the bootstrap over questions")


SETTINGS = VariantsSettings
USUAL = VariantsSettings()
"""Every setting at its default."""
