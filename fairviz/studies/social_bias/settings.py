"""What answers to questions with a stereotyped answer can be asked."""

from dataclasses import dataclass

from fairviz.studies.social_bias.measures import Leaning, OutOfChoice, Sort
from fairviz.studies.study import Settings, listed, option


@dataclass(frozen=True, kw_only=True)
class BiasSettings(Settings):
    """Lean of answers, by what they are kept apart by and against what they are compared; and the levels of some."""

    by: tuple[str, ...] = option(
        (),
        "columns that rows are kept apart by, with commas (default: model, category, setting and every other recorded "
        "column that varies, but instruction, which is averaged over; of --compare: model, category and that column)",
        metavar="COLUMNS",
        read=listed,
    )
    against: str = option(
        "", "what to compare with, pair by pair (default: the setting without retrieval)", metavar="COLUMN=VALUE"
    )
    ooc: OutOfChoice = option("drop", "answers out of choice: leave n, as in KoBBQ's code, or count in it")
    by_group: bool = option(False, "also compare the items about each stereotyped group")
    k: int | None = option(None, "first documents of each list of a run that count (default: all)", low=1)
    unknown: tuple[str, ...] = option(
        (), "a wording of unread answers that is read as “unknown”; may be given more than once", metavar="WORDS"
    )
    compare: str = option("", "column whose values are compared, for levels", metavar="COLUMN")
    reference: str = option("", "its value that the others are held against (default: no retrieval, else the first)")
    only: tuple[str, ...] = option((), "what is held fixed; may be given more than once", metavar="COLUMN=VALUE")
    context: Leaning = option("diffbias_a", "Diff-Bias of the context that levels are of")
    to: str | None = option(None, "the value of --compare whose levels are shown; none are shown without it")
    models: tuple[str, ...] = option((), "a model whose levels are shown (default: all)", flags=("--model",))
    types: tuple[str, ...] = option((), "a bias type whose levels are shown (default: all)", flags=("--type",))
    sort: Sort = option("widest lean first", "order of the bias types")
    seed: int = option(0, "seed of the bootstrap")

    @property
    def compared(self) -> "BiasSettings":
        """Which answers are looked at, whatever of them is shown: a key of what is kept."""
        return self.restricted_to("compare", "reference", "only", "unknown")

    @property
    def fixed(self) -> tuple[tuple[str, str], ...]:
        """Columns that are held fixed, with the one value of each."""
        parts = (text.partition("=") for text in self.only)
        return tuple((name, value) for name, _, value in parts)

    @property
    def shown(self) -> dict[str, tuple[str, ...]]:
        """The value, the models and the types whose levels are shown, by column; all values of a column without any."""
        value = () if self.to is None else (self.to,)
        chosen = {self.compare or "model": value, "category": self.types, "model": self.models}
        return {name: values for name, values in chosen.items() if values}


SETTINGS = BiasSettings
