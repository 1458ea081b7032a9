"""What the comparison of systems along α can be set to."""

from dataclasses import dataclass
from typing import Literal

from fairviz.errors import UsageError
from fairviz.model import Factors
from fairviz.points.charts import Order
from fairviz.points.conditions import Quality
from fairviz.points.curves import CurvePolicy
from fairviz.points.view import FACTORS, factors_of_texts
from fairviz.studies.shared import USUAL_K, AlongAlpha
from fairviz.studies.study import listed, option


@dataclass(frozen=True, kw_only=True)
class GridSettings(AlongAlpha):
    """Systems of each task beside its baseline: what stands on the axes, which systems, in which order."""

    k: int = option(USUAL_K, "items that the reader or generator sees", low=1)
    quality: Literal["EER", "EER-recorded", "EU", "EU/best"] | None = option(
        None,
        "on the y axis: EE-R of runs, or of the lists that answers record; utility of answers, or its share of the "
        "generator's best answer to the query (default: EU of answers, else EER)",
    )
    policy: tuple[CurvePolicy, ...] = option(("plackett-luce",), "of runs; may be given more than once")
    recorded_lists: bool = option(
        True, "of EER: also recorded samples of rankings, and lists that answers were made from"
    )
    depth: str = option("common", "documents of each list of a run that count: a number, common or full", metavar="N")
    by: tuple[str, ...] = option(
        (), f"columns, of {', '.join(FACTORS)} (default: those that differ)", metavar="FACTORS", read=listed
    )
    task: str = option("", "tables and chart of this task alone")
    baseline: tuple[str, ...] = option(
        (),
        "what the others of a task are compared with, with commas (default: its first system)",
        metavar="FACTOR=VALUE",
        read=listed,
    )
    off: tuple[str, ...] = option((), "what is left out; may be given more than once", metavar="FACTOR=VALUE")
    at: float | None = option(
        None, "α of the curves at which EE-R, EU and EAR are compared with the baseline (default: nearest to 3)", low=0
    )
    order: Order = option("files", "of systems: as in the files, by name, or the highest AUC first")
    rows: str = option("", "of the chart: a row of panels per value of this factor", metavar="FACTOR")
    columns: str = option("", "of the chart: a column of panels per value", metavar="FACTOR")
    colour: str = option("", "of the chart: a colour per value", metavar="FACTOR")
    deterministic: bool = option(True, "of the chart: mark deterministic lists")
    uniform: bool = option(False, "of the chart: mark the uniform policy")
    frontier: bool = option(
        True,
        "of the chart of runs: the oracle limit and the best lists from the baseline's scores, in no count or test",
    )
    seed: int = option(0, "seed of the bootstrap over queries")

    def __post_init__(self) -> None:
        super().__post_init__()
        of_chart = {name: [getattr(self, name)] for name in ("rows", "columns", "colour")}
        for flag, names in {"by": self.by, **of_chart}.items():
            if unknown := [name for name in names if name and name not in FACTORS]:
                raise UsageError(f"--{flag} {unknown[0]}: expected one of {', '.join(FACTORS)}")

    @property
    def side(self) -> Quality:
        """Which curve of a condition is compared."""
        return "EU" if self.quality in ("EU", "EU/best") else "EER"

    @property
    def pinned_baseline(self) -> Factors | None:
        """Factors of what the others are compared with; None where nobody says."""
        return Factors().with_values(dict(factors_of_texts(self.baseline))) if self.baseline else None


SETTINGS = GridSettings
