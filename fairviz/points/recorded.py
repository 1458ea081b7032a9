"""Recorded outputs, measured: which run fed them, and what each was given and used, query by query."""

from typing import NamedTuple

from fairviz.errors import UndefinedError
from fairviz.evaluation.outputs import Estimate, Pairing, pairings
from fairviz.evaluation.systems import feeding
from fairviz.kernels.exposure import Gain
from fairviz.model import Dataset, Note
from fairviz.points.outputs import OutputPoints, measured_outputs
from fairviz.remembered import remembered


class Recorded(NamedTuple):
    """Outputs that could be measured, which run fed each, and why others could not.

    Attributes:
        points: Outputs that could be measured.
        pairs: Which run fed each of all outputs, in their order.
        failed: Why others could not.
    """

    points: tuple[OutputPoints, ...]
    pairs: tuple[Pairing, ...]
    failed: tuple[Note, ...]

    @property
    def unclear(self) -> bool:
        """Whether it is not known which run fed some."""
        return any(pairing.question for pairing in self.pairs)

    def some(self) -> tuple[OutputPoints, ...]:
        """The points.

        Raises:
            UndefinedError: There are none.
        """
        if not self.points:
            missing = "there are no recorded answers: give --outputs FILE"
            raise UndefinedError(self.failed[0].message if self.failed else missing)
        return self.points


@remembered
def paired(data: Dataset) -> tuple[Pairing, ...]:
    """Which run fed each of the recorded outputs, in their order."""
    return pairings(data.outputs, feeding(data), dict(data.pairs), data.systems)


@remembered
def recorded(data: Dataset, k: int, gain: Gain, estimate: Estimate = "plugin", rel: int = 1) -> Recorded:
    """Measure all recorded outputs.

    Args:
        data: Outputs, and the runs that may have fed them.
        k: Items that a context holds.
        gain: Graded or binary usefulness, for EE-R.
        estimate: Of both disparities: "plugin", or "unbiased" (undefined for one output).
        rel: Smallest useful grade, for binary gain.
    """
    pairs = paired(data)
    points, failed = measured_outputs(
        data.outputs, pairs, feeding(data), data.qrels, k=k, gain=gain, rel=rel, estimate=estimate
    )
    return Recorded(tuple(points), pairs, tuple(failed))
