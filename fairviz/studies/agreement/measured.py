"""Every measure of every system against one target; what no target moves is measured once for all of them."""

from collections.abc import Sequence
from typing import NamedTuple

from fairviz.evaluation.compare import MeasuredSystems, measured_systems
from fairviz.evaluation.evaluate import Evaluation, evaluate
from fairviz.evaluation.rankings import Refusal
from fairviz.grouping import Preset
from fairviz.metrics.spec import parse_measures
from fairviz.model import GroupLabels, Qrels, RankingSample, Run, Target


class Measured(NamedTuple):
    """Every measure of every system on one data set, and what could not be computed."""

    table: MeasuredSystems
    refused: tuple[Refusal, ...]


class Measuring(NamedTuple):
    """What is measured by what.

    Attributes:
        systems: Under distinct names.
        qrels: Judgements, empty for none.
        labels: Groups of documents.
        measures: Measure strings.
    """

    systems: Sequence[Run | RankingSample]
    qrels: Sequence[Qrels]
    labels: GroupLabels
    measures: Sequence[str]

    def unmoved(self) -> Evaluation:
        """Measures that no target moves; those that need one are among the refused."""
        return evaluate(self.systems, parse_measures(self.measures), qrels=self.qrels, labels=self.labels, refuse=False)

    def held_against(self, target: Target | Preset, fixed: Evaluation) -> Measured:
        """Every measure; what the data do not allow is refused with a reason.

        Args:
            target: Shares of attention.
            fixed: What :meth:`unmoved` gave.
        """
        specs, refused = parse_measures(self.measures), {result.measure for result in fixed.refused}
        moving = evaluate(
            self.systems,
            [spec for spec in specs if spec.text in refused],
            qrels=self.qrels,
            labels=self.labels,
            target=target,
            refuse=False,
        )
        kept = [result for result in fixed.averaged if result.measure not in refused]
        return Measured(measured_systems(self.labels.attribute, [*kept, *moving.averaged], specs), moving.refused)
