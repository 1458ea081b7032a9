"""What the agreement of measures can be set to."""

from dataclasses import dataclass

from fairviz.display.methods import AgainstTarget
from fairviz.stats.correlation import Variant
from fairviz.studies.study import Settings, of_files, option


@dataclass(frozen=True, kw_only=True)
class AgreementSettings(Settings):
    """Measures that are compared, and how.

    Attributes:
        judgements: Place of those that quality is measured by.
        against: Groups and target; None: without groups.
        beside: Further groups and their targets: each is a data set of its own.
    """

    measures: tuple[str, ...] = option(
        (),
        "a measure, or a list of them; may be given more than once (default: all of groups that the data allow, and "
        "nDCG)",
        flags=("-m", "--measure"),
        metavar="MEASURE",
    )
    k: int = option(10, "cutoff of those measures of the default that have one", low=1)
    tau: Variant = option("c", "variant of Kendall's tau; they differ where systems are tied")
    judgements: int = of_files(0)
    against: AgainstTarget | None = of_files()
    beside: tuple[AgainstTarget, ...] = of_files(())


SETTINGS = AgreementSettings
