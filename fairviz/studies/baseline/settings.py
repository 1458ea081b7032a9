"""What the comparison with a baseline can be set to."""

from dataclasses import dataclass

from fairviz.display.methods import AgainstTarget
from fairviz.model import ScoreScale
from fairviz.points.limits import worse
from fairviz.studies.study import Settings, of_files, option


def failures(text: str) -> tuple[str, ...]:
    """Statements such as ``AWRF@10 worse by 0.02`` with a semicolon between them.

    Raises:
        ValueError: One is none.
    """
    return tuple(" worse by ".join(worse(part)) for part in text.split(";") if part.strip())


@dataclass(frozen=True, kw_only=True)
class BaselineSettings(Settings):
    """Measures, and which systems are compared by them.

    Attributes:
        against: Groups and target.
    """

    measures: tuple[str, ...] = option(
        (), "a measure, or a list of them; may be given more than once", flags=("-m", "--measure"), metavar="MEASURE"
    )
    baseline: str = option(
        "",
        "what the others are compared with, by name, or a study file, STUDY.fairviz (default: the first run, of "
        "outputs the first outputs)",
    )
    system: str = option("", "the one that is compared (default: all others)")
    judged_by: str = option("", "generator by whose labels both are judged, where several judged one")
    letters: bool = option(
        False,
        "of the table wide: test every two systems; a letter behind a mean is that of a system that it is "
        "significantly better than",
    )
    auc: int | None = option(
        None,
        "also the AUC of EE-R of the first K documents along α, of runs: the mean under the Plackett–Luce curve over "
        "the range of EE-D that all share",
        low=1,
        metavar="K",
    )
    rel: int | None = option(None, "of --auc: smallest relevant grade (default: as useful as its grade)", low=1)
    scores: ScoreScale = option("given", "of --auc: what Plackett–Luce sees of the scores of a query")
    offset: int = option(1, "of --auc: logit = (score + offset)^alpha", low=0, high=1)
    fail_if: tuple[str, ...] = option(
        (),
        "end with exit code 1 where a measure is that much worse than the baseline's, for certain: the whole interval "
        "of the difference lies beyond, see fairviz check; may be given more than once",
        metavar="'MEASURE worse by X'",
        read=failures,
        write="; ".join,
    )
    depth: str = option("common", "documents of each list of a run that count: a number, common or full", metavar="N")
    leave_out: bool = option(False, "leave out measures that the data do not allow, and say why, in place of an error")
    seed: int = option(0, "seed of the bootstrap over queries")
    against: AgainstTarget | None = of_files()


SETTINGS = BaselineSettings
