"""What measuring systems can be set to."""

from dataclasses import dataclass

from fairviz.display.methods import AgainstTarget
from fairviz.evaluation.evaluate import MissingQueries
from fairviz.studies.study import Settings, of_files, option


@dataclass(frozen=True, kw_only=True)
class MeasuresSettings(Settings):
    """Measures, and over which queries and ranks they are.

    Attributes:
        against: Groups and target.
    """

    measures: tuple[str, ...] = option(
        (), "a measure, or a list of them; may be given more than once", flags=("-m", "--measure"), metavar="MEASURE"
    )
    missing_queries: MissingQueries = option(
        "common",
        "common: means are over the queries that all systems rank; zero: a judged query that a system does not rank "
        "counts 0 in measures of ir-measures, as in trec_eval -c",
    )
    depth: str = option("full", "documents of each list of a run that count: a number, common or full", metavar="N")
    leave_out: bool = option(False, "leave out measures that the data do not allow, and say why, in place of an error")
    seed: int = option(0, "seed of the bootstrap over queries")
    against: AgainstTarget | None = of_files()


SETTINGS = MeasuresSettings
