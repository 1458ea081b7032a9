"""Export, first part: what was asked for, and what is said of it elsewhere."""

from typing import Literal, NamedTuple, TypeAlias

from fairviz.model import Dataset
from fairviz.report.against_target import AgainstTarget
from pages._shared import is_example

Form: TypeAlias = Literal["means", "queries", "compared"]
SEED = 0


class Chosen(NamedTuple):
    """What the table shows.

    Attributes:
        measures: Measure strings.
        form: Means, values per query, or two systems compared.
        given_from: What was given where outputs do not record their list.
        against: Groups and target, where there are labels.
    """

    measures: tuple[str, ...]
    form: Form
    given_from: str
    against: AgainstTarget | None = None


def folder() -> str:
    """Where the files of a command are, seen from where it is run."""
    return "data/demo/" if is_example() else ""


def facts(loaded: Dataset, against: AgainstTarget | None) -> tuple[tuple[str, str], ...]:
    """Columns of the file that say which groups and target the numbers are of."""
    if against is None:
        return ()
    return (("groups", against.labels(loaded).attribute), ("target", against.words(loaded)))
