"""Tables of the pages of recorded answers, as :mod:`fairviz.report.page_tables` has those of rankings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairviz.display.table import Table
from fairviz.display.words import distinct_names
from fairviz.errors import UndefinedError, UsageError
from fairviz.model import Dataset
from fairviz.studies.social_bias.comparison import Compared, part_of, values_of
from fairviz.studies.social_bias.favoured import favoured_groups
from fairviz.studies.social_bias.levels import Sort, by_type
from fairviz.studies.social_bias.matching import answered, merged_items
from fairviz.studies.social_bias.measures import Leaning
from fairviz.studies.social_bias.rows import BiasRow, bias_rows
from fairviz.studies.social_bias.tables import BiasResults
from fairviz.studies.social_bias.tables import tables as bias_tables
from fairviz.studies.social_bias.unread import read_as_unknown, reading_words, wordings

SEED = 0
"""Of every interval on pages."""
N_RESAMPLES = 2_000
SHORTEST = 3
"""Letters that a model's name needs to be one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SocialBiasSettings:
    """Lean of answers to questions with a stereotyped answer, by model, bias type and what is compared.

    Attributes:
        measure: Diff-Bias of the context that levels are of.
        compare: The column whose values are compared.
        reference: Its value that the others are held against.
        only: COLUMN=VALUE of what is held fixed.
        to: The value whose levels are shown; empty: every one.
        models, types: Those whose levels are shown; none: all.
        sort: Order of the bias types.
        unknown: Wordings of unread answers that are read as "unknown".
    """

    measure: Leaning = "diffbias_a"
    compare: str = "model"
    reference: str = ""
    only: tuple[str, ...] = ()
    to: str = ""
    models: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    sort: Sort = "widest lean first"
    unknown: tuple[str, ...] = ()

    def tables(self, loaded: Dataset) -> Mapping[str, Table]:
        """Every row that p is corrected over, and the levels of those that are shown.

        Raises:
            InputError: Answers cannot be matched with their questions.
            UndefinedError: Questions or answers are missing, or nothing is shown.
            UsageError: A column or a value is not among them.
        """
        if not (loaded.bias_items and loaded.bias_predictions):
            raise UndefinedError("questions and answers to them are needed: give --items FILE and --answers FILE")
        items = merged_items(loaded.bias_items)
        matched = answered(items, loaded.bias_predictions).answers
        read = [wording for wording in wordings(matched) if wording.words in self.unknown]
        answers = read_as_unknown(items, matched, [wording.words for wording in read])
        values = values_of(items, answers)
        part = part_of(items, answers, self._compared(values))
        by = tuple(dict.fromkeys(("model", "category", self.compare)))
        rows = bias_rows(items, part, by=by, seed=SEED, n_resamples=N_RESAMPLES)
        shown = by_type([row for row in rows if self._shows(row)], self.measure, self.sort)
        if not shown:
            raise UndefinedError("no answers are left: choose others of --set to, models and types")
        return bias_tables(
            BiasResults(
                rows,
                levels=[row for own in shown.values() for row in own],
                measure=self.measure,
                sides=favoured_groups(items, part_of(items, matched, self._compared(values))),
                names=short_names(values["model"]),
                reading=reading_words(read),
            )
        )

    def _compared(self, values: Mapping[str, Sequence[str]]) -> Compared:
        fixed = [(name, value) for name, _, value in (text.partition("=") for text in self.only)]
        reference = self.reference or next(iter(values.get(self.compare, ())), "")
        for name, value in [(self.compare, reference), *fixed]:
            if name not in values:
                raise UsageError(f"--set compare, only: {name!r}: expected one of {', '.join(values)}")
            if value not in values[name]:
                known = ", ".join(map(repr, values[name]))
                raise UsageError(f"--set reference, only: {name}={value!r}: expected one of {known}")
        return Compared(self.compare, reference, tuple(fixed))

    def _shows(self, row: BiasRow) -> bool:
        chosen = {self.compare: (self.to,) if self.to else (), "category": self.types}
        of_value = all(not some or row.get(name) in some for name, some in chosen.items())
        return of_value and (not self.models or row.get("model") in self.models)


def short_names(models: Sequence[str]) -> dict[str, str]:
    """The part of each model's name that tells it apart; the whole where little would be left.

    Examples:
        >>> short_names(["llm-bold", "llm-calm"])
        {'llm-bold': 'bold', 'llm-calm': 'calm'}
    """
    short = distinct_names(models)
    too_short = any(len(name) < SHORTEST for name in short)
    return dict(zip(models, models if too_short else short, strict=True))
