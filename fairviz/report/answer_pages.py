"""Tables of the pages of recorded answers, as :mod:`fairviz.report.page_tables` has those of rankings."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairviz.display.table import Table
from fairviz.display.words import distinct_names
from fairviz.errors import UndefinedError, UsageError
from fairviz.model import Dataset
from fairviz.studies.demographic_qa.analysis import MIN_SIZE, AnswerResults
from fairviz.studies.demographic_qa.columns import tables as variant_tables
from fairviz.studies.demographic_qa.frames import Answerable, Record
from fairviz.studies.demographic_qa.loaded import (
    Combination,
    alike,
    as_results,
    cases_about,
    columns_of,
    known_errors,
    measured_combinations,
    measured_rows,
    recorded_overlaps,
)
from fairviz.studies.demographic_qa.names import unit_of
from fairviz.studies.demographic_qa.overlap import CUTOFFS
from fairviz.studies.demographic_qa.questions import dependent_questions
from fairviz.studies.demographic_qa.runs import loaded_variant_runs
from fairviz.studies.social_bias.analysis import Row, Sort, bias_rows, by_type
from fairviz.studies.social_bias.answers import (
    Compared,
    part_of,
    read_as_unknown,
    reading_words,
    values_of,
    wordings,
)
from fairviz.studies.social_bias.columns import BiasResults
from fairviz.studies.social_bias.columns import tables as bias_tables
from fairviz.studies.social_bias.items import merged_items
from fairviz.studies.social_bias.labels import favoured_groups
from fairviz.studies.social_bias.matching import answered
from fairviz.studies.social_bias.measures import Leaning

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
        answers = read_as_unknown(matched, [wording.words for wording in read])
        values = values_of(answers)
        part = part_of(answers, self._compared(values))
        by = tuple(dict.fromkeys(("model", "category", self.compare)))
        rows = bias_rows(items, part, by=by, seed=SEED, n_resamples=N_RESAMPLES)
        shown = by_type([row for row in rows.iter_rows(named=True) if self._shows(row)], self.measure, self.sort)
        if not shown:
            raise UndefinedError("no answers are left: choose others of --set to, models and types")
        return bias_tables(
            BiasResults(
                rows,
                levels=[row for own in shown.values() for row in own],
                measure=self.measure,
                sides=favoured_groups(items, part_of(matched, self._compared(values))),
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

    def _shows(self, row: Row) -> bool:
        chosen = {self.compare: (self.to,) if self.to else (), "category": self.types}
        of_value = all(not some or row.get(name, "") in some for name, some in chosen.items())
        return of_value and (not self.models or row["model"] in self.models)


CONDITIONS = {"models": ("model",), "prompts": ("strategy",), "retrieval": ("retriever", "depth")}
"""Tables of answers that differ from the chosen ones in these parts at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemographicQaSettings:
    """Answers to the same questions about different people: rates of groups and their gaps.

    Attributes:
        only: PART=VALUE of the answers that are chosen, of model, dataset, strategy, retriever and depth; an empty
            value where a file says none. The first of those that are left are.
        threshold: Open answers are right from this ROUGE-L on; not a number: ROUGE-L itself.
        min_size: Groups with fewer answers are marked small.
        answerable: Which questions are answerable, where a file does not say so.
        attribute: By which listed questions differ; empty: the first.
        compared: Documents of each list of which the overlap is, recorded with answers or of runs of variants.
    """

    only: tuple[str, ...] = ()
    threshold: float = math.nan
    min_size: int = MIN_SIZE
    answerable: Answerable = "evidence"
    attribute: str = ""
    compared: int = CUTOFFS[0]

    def tables(self, loaded: Dataset) -> Mapping[str, Table]:
        """Groups of all answers and of the chosen ones, gaps by condition, errors, dependent questions, overlap.

        Raises:
            UndefinedError: There are no answers, and no runs of variants.
            UsageError: No answers are as chosen, or an attribute is not among them.
        """
        retrieved = [
            (runs.retriever, one) for runs in loaded_variant_runs(loaded) for one in runs.overlaps(self.compared)
        ]
        if retrieved and not loaded.variants:
            return _overlap(retrieved)
        threshold = None if math.isnan(self.threshold) else self.threshold
        measured = (loaded, threshold, self.min_size, self.answerable)
        answers = measured_combinations(*measured)
        selected = self._chosen(answers)
        cells, unit = measured_rows(*measured, cells=True), unit_of(selected.kind, threshold)

        def known(some: Sequence[Combination], stem: str, *, with_cells: bool = True) -> Table:
            results = as_results(loaded, some, threshold=threshold, cells=cells if with_cells else None)
            return variant_tables(answers=results, unit=unit)[stem]

        of_kind = [other for other in answers if other.kind == selected.kind]
        made = {"groups": known(of_kind, "groups"), "groups-printed": known([selected], "groups")}
        for stem, parts in CONDITIONS.items():
            made[stem] = known(alike(answers, selected, *parts), "rows", with_cells=False)
        by = columns_of(loaded, selected)
        every = known_errors(loaded, selected.file, [name for name, _ in selected.by], threshold)
        cases = [case | {"by": by} for case in cases_about(selected, every)]
        made["errors"] = variant_tables(answers=[AnswerResults(cases=cases)])["errors"]
        recorded = [("answers", one) for one in recorded_overlaps(loaded, selected.key, self.compared)]
        return {**made, **self._dependent(loaded, selected, threshold), **_overlap([*recorded, *retrieved])}

    def _dependent(self, loaded: Dataset, selected: Combination, threshold: float | None) -> Mapping[str, Table]:
        attributes: list[str] = [row["attribute"] for row in selected.rows]
        if self.attribute and self.attribute not in attributes:
            raise UsageError(f"--set attribute={self.attribute}: expected one of {', '.join(attributes)}")
        if not attributes:
            return {}
        attribute = self.attribute or attributes[0]
        of_file = loaded.variants[selected.file]
        found = dependent_questions(of_file, attribute, where=selected.by, threshold=threshold)
        return {"dependent": variant_tables(dependent=found)["dependent"]}

    def _chosen(self, answers: Sequence[Combination]) -> Combination:
        if not answers:
            raise UndefinedError("there are no answers to variants of questions, and no runs: give --answers FILE")
        left = answers
        for text in self.only:
            name, _, value = text.partition("=")
            known = list(dict.fromkeys(dict(other.parts).get(name) for other in left))
            if value not in known:
                expected = ", ".join(f"{name}={one}" for one in known if one is not None)
                raise UsageError(f"--set only={text}: expected {expected or 'one of model, dataset, strategy, …'}")
            left = [other for other in left if other.part(name) == value]
        return left[0]


def _overlap(overlaps: Sequence[tuple[str, Record]]) -> Mapping[str, Table]:
    """The table of lists that were compared; none without any."""
    return {"overlap": variant_tables(overlaps=overlaps)["overlap_pairs"]} if overlaps else {}


def short_names(models: Sequence[str]) -> dict[str, str]:
    """The part of each model's name that tells it apart; the whole where little would be left.

    Examples:
        >>> short_names(["llm-bold", "llm-calm"])
        {'llm-bold': 'bold', 'llm-calm': 'calm'}
    """
    short = distinct_names(models)
    too_short = any(len(name) < SHORTEST for name in short)
    return dict(zip(models, models if too_short else short, strict=True))
