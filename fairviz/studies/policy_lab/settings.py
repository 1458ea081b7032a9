"""What the price of a target can be set to."""

import re
from dataclasses import dataclass, replace
from typing import Literal, Self, TypeAlias

from fairviz.display.methods import AgainstTarget
from fairviz.errors import UsageError
from fairviz.kernels.attention import Browsing, is_attention
from fairviz.kernels.grouping import Missing
from fairviz.model import Dataset, ScoreScale
from fairviz.studies.shared import OWN_TOO, Naming, Proposing, statements_or_file
from fairviz.studies.study import of_files, option

QualityName: TypeAlias = Literal["nDCG", "EER", "scores"]
"""What re-ranking may cost: nDCG@k, attainable EE-R under the attention of the group axis, or nDCG@k as if the run's
scores, 0 … 1 within a query, were grades: all that there is without judgements."""
DEEPEST = 1_000
"""Candidates of a query at most."""

FIRST = (
    "det-greedy",
    "det-cons",
    "det-const-sort",
    "fair-epsilon-greedy",
    "fa-ir",
    "fairness-of-exposure",
    "plackett-luce",
)
"""Methods that are compared before anything is chosen: the others repeat one of them, or look at no group."""


def wrong_by_group(text: str) -> tuple[str, ...]:
    """Percent of wrong labels of single groups, with a semicolon between them.

    Raises:
        ValueError: One is none.

    Examples:
        >>> wrong_by_group("South=10; x=y=2.5")
        ('South=10', 'x=y=2.5')
    """
    parts = tuple(filter(None, map(str.strip, text.split(";"))))
    for part in parts:
        group, _, number = part.rpartition("=")
        if not (group and re.fullmatch(r"\d+(\.\d+)?", number) and float(number) <= 100):
            raise ValueError(f"expected GROUP=PERCENT such as South=10, got {part[:40]!r}")
    return parts


@dataclass(frozen=True, kw_only=True)
class PolicyLabSettings(Proposing, Naming):
    """What re-ranking one run towards a target costs.

    Attributes:
        judgements: Place of those that quality is measured by.
        against: Groups and target.
    """

    k: int = option(10, "ranks that count", low=1, high=DEEPEST)
    system: str = option("", "run that is re-ranked (default: the first)")
    statements: str = option(
        "",
        'shares of attention as JSON, {"attribute": {"group": {"min": share, "max": share}}}, or a file of that '
        "(default: those of the target)",
        metavar="JSON",
        file=statements_or_file,
    )
    since: str = option("", "earlier run that shares are compared with (default: the last one with an earlier date)")
    budget: float = option(3.0, "percent of today's mean quality that may be given up", low=0, high=100)
    fixed: bool = option(False, "only settings count that show every visitor the same lists")
    weights: Literal["file", "alike"] = option("file", "how often queries are asked: as in a file of weights, or alike")
    wrong: float = option(5.0, "percent of labels that may be wrong", low=0, high=100)
    wrong_of: tuple[str, ...] = option(
        (),
        "percent of one group's labels that may be wrong, where it is known; several have a semicolon between them",
        flags=("--wrong-of",),
        metavar="GROUP=X",
        read=wrong_by_group,
        write="; ".join,
    )
    methods: tuple[str, ...] = option(
        FIRST, "a re-ranker by its name; may be given more than once", flags=("--method",), metavar="METHOD"
    )
    quality: QualityName = option("nDCG", "what re-ranking may cost")
    candidates: int = option(
        100, "candidates of a query that are re-ranked, more where a group has none among them", low=2, high=DEEPEST
    )
    browsing: Browsing | str = option("dcg", f"how attention falls with rank{OWN_TOO}", own=is_attention)
    unlabelled: Missing = option("drop", "documents without a label: drop, or a group of their own")
    judged: bool = option(False, "methods that can use judgements look at them")
    scores: ScoreScale = option("given", "of plackett-luce and optimal: how scores are scaled")
    offset: int = option(1, "of plackett-luce: logit = (score + offset)^alpha", low=0, high=1)
    seed: int = option(0, "seed of all chance")
    judgements: int = of_files(0)
    against: AgainstTarget | None = of_files()

    @property
    def quality_label(self) -> str:
        """Name of the quality measure in print.

        Examples:
            >>> PolicyLabSettings(quality="EER", k=5).quality_label
            'EE-R@5'
        """
        return {"nDCG": f"nDCG@{self.k}", "EER": f"EE-R@{self.k}", "scores": f"nDCG@{self.k} by scores"}[self.quality]

    def on(self, data: Dataset) -> Self:
        """The settings on some data: without judgements quality is by scores.

        Raises:
            UsageError: Methods are to look at judgements, and there are none.
        """
        if self.judged and not data.qrels:
            raise UsageError("methods cannot look at judgements, none are loaded: give --qrels FILE")
        return self if data.qrels else replace(self, quality="scores")


SETTINGS = PolicyLabSettings
