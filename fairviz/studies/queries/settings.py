"""What the list of queries can be set to."""

from dataclasses import dataclass

import numpy as np

from fairviz.display.methods import AgainstTarget
from fairviz.kernels.attention import TopK
from fairviz.model import ScoreScale
from fairviz.points.curves import CurveSettings
from fairviz.studies.shared import Relevance
from fairviz.studies.study import of_files, option


@dataclass(frozen=True, kw_only=True)
class QueriesSettings(Relevance):
    """Every query of a run, or of a generator, by its measures; and one query, item by item.

    Attributes:
        judgements: Place of those that runs are measured against.
        against: Groups and target.
    """

    k: int = option(5, "items that the reader or generator sees", low=1)
    alpha: float = option(2.0, "fairness control at which exposure is looked at", low=0, high=1000)
    system: str = option("", "the run (default: the first)")
    beside: str = option("", "another run, for differences")
    recorded: str = option("", "recorded outputs instead of the run, by their system", metavar="SYSTEM")
    recorded_beside: str = option("", "other outputs, for differences", metavar="SYSTEM")
    measures: tuple[str, ...] = option(
        (),
        "a further measure of runs, or a list of them; may be given more than once",
        flags=("-m", "--measure"),
        metavar="MEASURE",
    )
    scores: ScoreScale = option("given", "how scores are scaled before they become a policy")
    offset: int = option(1, "of the policy: logit = (score + offset)^alpha", low=0, high=1)
    sort: str = option("", "column that queries are sorted by (default: as loaded)", metavar="COLUMN")
    highest: bool = option(False, "the highest first")
    queries: tuple[str, ...] = option((), "a query that is listed; may be given more than once", metavar="QUERY")
    query: str = option("", "the query whose items are listed, too")
    judgements: int = of_files(0)
    against: AgainstTarget | None = of_files()

    def curves(self, *alphas: float) -> CurveSettings:
        """How the policy is made and measured at some α."""
        seen, at = TopK(self.k), np.array(alphas, dtype=np.float64)
        gain, rel = self.usefulness
        return CurveSettings(attention=seen, alphas=at, offset=self.offset, gain=gain, rel=rel, scores=self.scores)


SETTINGS = QueriesSettings
