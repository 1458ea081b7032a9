"""Settings that several studies have: how relevance is counted, how scores become policies, how attention falls.

And what studies of recorded answers share: from how many unread ones on something is said, and nothing more is.
"""

from dataclasses import dataclass

from fairviz.errors import UsageError
from fairviz.kernels.attention import Attention, Browsing, attention
from fairviz.kernels.exposure import Gain
from fairviz.model import ScoreScale
from fairviz.points.alphas import LARGEST_ALPHA, alpha_grid, grid_text
from fairviz.studies.study import Settings, option

SAID_UNREAD = 2.0
"""Percent of unread answers above which it is said at the top."""
MOST_UNREAD = 20.0
"""Percent of unread answers above which there is no verdict."""
USUAL_K = 5
"""Documents shown where nobody says it."""


@dataclass(frozen=True, kw_only=True)
class Relevance(Settings):
    """How relevance is counted."""

    gain: Gain = option("graded", "how relevance is counted")
    rel: int | None = option(None, "smallest relevant grade; giving it means binary gain", low=1)

    @property
    def usefulness(self) -> tuple[Gain, int]:
        """How relevance is counted, and the smallest useful grade: a threshold means binary."""
        return ("binary" if self.rel is not None else self.gain), self.rel or 1


@dataclass(frozen=True, kw_only=True)
class OfScores(Relevance):
    """How scores become policies."""

    scores: ScoreScale = option(
        "given",
        "what plackett-luce and optimal see of the scores of a query: given, min-max, depends on how scores are "
        "spaced; ranks, min-max of the ranks, on their order alone; zscore, max(0, 1/2 + z/4), gives every query the "
        "same spread",
    )
    offset: float = option(1.0, "logit = (score + offset)^alpha: 1 as the published code, 0 as printed", low=0, high=1)


@dataclass(frozen=True, kw_only=True)
class AlongAlpha(OfScores):
    """Policies of scores along fairness control."""

    alpha: tuple[float, ...] = option(
        (),
        "fairness control of policies made from runs, lo:hi:n (both ends included) or a list; several are joined "
        "(default 0:8:33, of large runs 0:8:17)",
        low=0,
        high=LARGEST_ALPHA,
        metavar="GRID",
        read=alpha_grid,
        write=grid_text,
    )


@dataclass(frozen=True, kw_only=True)
class Attended(Settings):
    """How attention falls with rank."""

    k: int | None = option(
        None, f"documents shown (default of --attention topk: {USUAL_K}), else where attention is cut", low=1
    )
    attention: Browsing = option("topk", "how attention falls with rank: topk is equal to the first k, none below")
    p: float = option(0.8, "chance of going on to the next rank, for rbp", flags=("--p",))
    gamma: float = option(0.5, "chance of stopping at each rank, for geometric")

    @property
    def shown(self) -> int | None:
        """Documents shown, or where attention is cut; None: nowhere."""
        return self.k or (USUAL_K if self.attention == "topk" else None)

    def browsing(self) -> Attention:
        """The browsing model.

        Raises:
            UsageError: A parameter is out of range.
        """
        try:
            return attention(self.attention, cutoff=self.shown, patience=self.p, stopping=self.gamma)
        except ValueError as error:
            raise UsageError(str(error)) from None
