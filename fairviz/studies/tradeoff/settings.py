"""What curves of disparity and quality can be set to."""

from dataclasses import dataclass
from typing import Literal

from fairviz.display.theme import axis_name
from fairviz.points.exact import Seen
from fairviz.points.intervals import IntervalTest
from fairviz.points.summary import SlopeWeights
from fairviz.studies.shared import USUAL_K, AlongAlpha, Attended
from fairviz.studies.study import of_files, option

TEST_NAMES: dict[IntervalTest, str] = {
    "paired": "paired t",
    "student": "unpaired t (Student)",
    "welch": "unpaired t (Welch)",
}
"""Tests against the deterministic list, as people read them."""
AskedPolicy = Literal["plackett-luce", "optimal", "oracle", "all"]


@dataclass(frozen=True, kw_only=True)
class TradeoffSettings(Attended, AlongAlpha):
    """Curves of one system under every policy, or of one model that answered, and of those beside it.

    Attributes:
        judgements: Place of those that runs are measured against.
    """

    quality: Literal["EER", "EU", "EU/best"] | None = option(
        None,
        "on the y axis: EE-R of runs, utility of answers, or its share of the generator's best answer to the query "
        "(default: EER of runs, else EU)",
    )
    system: str = option("", "the run that is highlighted (default: the first)")
    model: str = option("", "the model that is, where quality is one of answers (default: the first)")
    policy: tuple[AskedPolicy, ...] = option(
        (),
        "a curve of every run under this policy; may be given more than once (default: all of the highlighted run, "
        "plackett-luce of the others)",
    )
    samples: int | None = option(
        None, "draw N rankings for each plackett-luce point instead of computing it", low=1, metavar="N"
    )
    depth: str = option("common", "documents of each list of a run that count: a number, common or full", metavar="N")
    labels_of: str = option(
        "", "of the chart: by whose labels, where several generators judged that system (default: the first)"
    )
    slope: SlopeWeights = option("spacing", "how points count in the slope")
    test: IntervalTest = option("paired", "against the deterministic list")
    seed: int = option(0, "seed of drawn rankings and of the bootstrap over queries")
    judgements: int = of_files(0)

    @property
    def n_seen(self) -> int:
        """Documents shown, where that many are looked at alike."""
        return self.k or USUAL_K

    @property
    def quality_name(self) -> str:
        """What stands on the y axis, with how relevance was counted."""
        return axis_name(self.quality) if self.quality in ("EU", "EU/best") else self.relevance

    @property
    def relevance(self) -> str:
        """EE-R as a measure string."""
        return self.seen().settings().quality

    def seen(self, system: str = "") -> Seen:
        """How a run is looked at, the highlighted one where no other is named."""
        return Seen(
            system=system or self.system,
            judgements=self.judgements,
            depth=self.depth,
            k=self.n_seen,
            alpha=self.alpha,
            **self.policies_of,
        )


SETTINGS = TradeoffSettings
