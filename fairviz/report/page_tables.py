"""Tables that pages hand out, from the data and a page's settings alone: what a command prints and a bundle names.

Pages show the same numbers, which they have from their caches; each setting here is one that a page can be set to.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from fairviz.display.table import Table
from fairviz.display.theme import axis_name
from fairviz.display.words import Finding
from fairviz.errors import UndefinedError
from fairviz.evaluation.joins import at_common_depth, of_task
from fairviz.evaluation.systems import feeding, named
from fairviz.exposure import Gain
from fairviz.model import Dataset, ScoreScale
from fairviz.points.curves import measured_at
from fairviz.points.intervals import IntervalTest, alpha_tests, disparity_by_alpha, only_alphas
from fairviz.points.models import answering, by_model, estimates_of
from fairviz.points.recorded import recorded
from fairviz.points.summary import SlopeWeights
from fairviz.studies.tradeoff.charts import MARKED_ALPHAS
from fairviz.studies.tradeoff.columns import TradeoffResults
from fairviz.studies.tradeoff.columns import tables as curve_tables
from fairviz.studies.tradeoff.report import TEST_NAMES, report_tables, system_report

SEED = 0
"""Of every interval on pages."""


class PageSettings(Protocol):
    """Settings of a page: what its tables depend on besides the data."""

    def tables(self, loaded: Dataset) -> Mapping[str, Table]:
        """Every table that the page hands out, by stem.

        Raises:
            FairvizError: Nothing of it can be computed from these data, or a name is not among them.
        """
        ...


# What each page can be set to, and how its tables are made.


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeoffSettings:
    """Curves of one system, or of one model that answered, and of those beside it.

    Attributes:
        k: Items that the reader or generator sees.
        quality: On the y axis.
        system: The run that is highlighted; empty: the first.
        model: The model that is, where quality is one of answers; empty: the first.
        judgements: Place of those that runs are measured against.
        gain: How relevance is counted.
        scores, offset: How scores become policies.
        weights: How points count in the slope.
        test: Against the deterministic list.
    """

    k: int
    quality: Literal["EER", "EU", "EU/best"] = "EER"
    system: str = ""
    model: str = ""
    judgements: int = 0
    gain: Gain = "graded"
    scores: ScoreScale = "given"
    offset: float = 1.0
    weights: SlopeWeights = "spacing"
    test: IntervalTest = "paired"

    def tables(self, loaded: Dataset) -> Mapping[str, Table]:
        """Points, areas, intervals of EE-D, EE-D by α; of answers also what lies between the recorded α."""
        return self._of_answers(loaded) if self.quality != "EER" else self._of_runs(loaded)

    def _of_runs(self, loaded: Dataset) -> Mapping[str, Table]:
        if not loaded.qrels:
            raise UndefinedError("curves of runs need judgements: give --qrels FILE")
        loaded, depth = at_common_depth(loaded)
        run = named("system", self.system, {run.system: run for run in loaded.runs})
        same, judged = of_task(run.system, loaded.runs, loaded.qrels[self.judgements], loaded.systems or {})
        made = system_report(
            run,
            same,
            loaded.samples,
            judged,
            name=loaded.name,
            alphas=measured_at(loaded.runs),
            k=self.k,
            gain=self.gain,
            scores=self.scores,
            offset=self.offset,
            weights=self.weights,
            test=self.test,
            seed=SEED,
            depth=depth,
        )
        if isinstance(made, Finding):
            raise UndefinedError(f"{made.title}: {made.sentence}")
        return report_tables(made)

    def _of_answers(self, loaded: Dataset) -> Mapping[str, Table]:
        points = recorded(loaded, self.k, self.gain).some()
        models = answering(points, loaded.outputs, best=self.quality == "EU/best")
        place = named("model", self.model, {name: i for i, name in enumerate(models.names)})
        best = loaded.outputs if self.quality == "EU/best" else None
        between = estimates_of(by_model(points)[place], feeding(loaded), loaded.qrels, k=self.k, best=best).estimates
        drawn = models.drawn(place, between)
        by_alpha = only_alphas(drawn[0], MARKED_ALPHAS)
        return curve_tables(
            TradeoffResults(
                curves=drawn,
                areas=models.areas(place, weights=self.weights, seed=SEED),
                intervals=models.changes(place, test=self.test, seed=SEED),
                factors=models.made_of(place),
                estimates=between,
                spreads=disparity_by_alpha(by_alpha),
                alpha_tests=alpha_tests(by_alpha),
                quality=axis_name(self.quality),
                test=TEST_NAMES[self.test],
            )
        )


PAGES: dict[str, type[PageSettings]] = {
    "tradeoff": TradeoffSettings,
}
"""Pages by the name of their script."""
