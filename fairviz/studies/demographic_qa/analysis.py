"""Answers to demographic variants of questions: all of them, or some beside others of their kind; and retrieval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fairviz.display.table import Table
from fairviz.display.words import Finding
from fairviz.errors import UndefinedError, UsageError
from fairviz.model import Dataset, Note
from fairviz.studies.demographic_qa.columns import tables
from fairviz.studies.demographic_qa.findings import headline
from fairviz.studies.demographic_qa.frames import Record
from fairviz.studies.demographic_qa.loaded import (
    Combination,
    alike,
    answer_notes,
    as_results,
    cases_about,
    columns_of,
    judgements,
    known_errors,
    measured_combinations,
    measured_rows,
    recorded_columns,
    recorded_overlaps,
)
from fairviz.studies.demographic_qa.names import condition_name, unit_of
from fairviz.studies.demographic_qa.questions import dependent_questions
from fairviz.studies.demographic_qa.rows import AnswerResults, answer_results, of_one_table
from fairviz.studies.demographic_qa.runs import RetrievalResults, retrieval_results, variant_families
from fairviz.studies.demographic_qa.settings import VariantsSettings
from fairviz.studies.study import Analysis

CONDITIONS = {"models": ("model",), "prompts": ("strategy",), "retrieval": ("retriever", "depth")}
"""Tables of answers that differ from the chosen ones in these parts at most."""
READ = ("n_questions", "score", "dp", "best", "worst", "dp_p_holm", "eo", "vote_accuracy", "n_ties", "overlap_all")
"""Columns of rows that a terminal has room for, behind those that name them."""
NAMED = ("model", "dataset", "strategy", "retriever", "k", "attribute")
"""Columns that name rows."""


@dataclass(frozen=True, kw_only=True)
class VariantsAnalysis(Analysis):
    """What answers and runs say.

    Attributes:
        answers: Of each file; none of runs alone, or where some answers were chosen.
        retrieval: Of runs, where there are any.
    """

    answers: tuple[AnswerResults, ...] = ()
    retrieval: RetrievalResults | None = None


def analyse(data: Dataset, settings: VariantsSettings) -> VariantsAnalysis:
    """Rates of groups, their gaps, votes and errors; what was retrieved for whom, and how good it is.

    Args:
        data: Answers to variants, or runs of variants; judgements by question.
        settings: How answers vote, which are right, which are looked at.

    Raises:
        UndefinedError: There are no answers, and no runs of variants.
        UsageError: A column, a part or an attribute is not there.
    """
    families = variant_families(data, settings.value)
    if not data.variants and not families:
        raise UndefinedError("there are no answers to variants of questions, and no runs: give --answers FILE")
    between = [(name, one) for name, runs in families.items() for one in runs.overlaps(settings.compared)]
    if data.variants and settings.only:
        return _chosen(data, settings, between)
    retrieval: RetrievalResults | None = None
    notes: list[Note] = []
    if families:
        first, *others = families
        retrieval = retrieval_results(
            families[first].runs,
            judgements(data),
            measures=settings.measures,
            depths=settings.k,
            seed=settings.seed,
        )
        told = [Note(first, None, text) for text in retrieval.notes]
        notes += [*told, *(retrieval.quality.notes if retrieval.quality else ())]
        notes += [Note(name, None, f"only the runs of {first} are measured: give these alone") for name in others]
    columns = settings.by or tuple(recorded_columns(data.variants))
    answers = of_one_table([_results(data, settings, columns, place) for place in range(len(data.variants))])
    notes = [*answer_notes([(one.name, one) for one in data.variants], answers, columns), *notes]
    recorded = [("answers", one) for result in answers for row in result.rows for one in row["overlap"]]
    known = tables(answers=answers or None, retrieval=retrieval, overlaps=[*recorded, *between] or None)
    return VariantsAnalysis(
        answers=tuple(answers),
        retrieval=retrieval,
        findings=_headlines(data, answers, settings),
        tables=known,
        printed={stem: _room(stem, table) for stem, table in known.items() if table.audience == "all" and table.rows},
        notes=tuple(notes),
    )


def _room(stem: str, table: Table) -> Sequence[str]:
    few = {"rows": READ, "strategies": ("score", "vote_score", "change", "low", "high", "dp", "vote_within_dp", "eo")}
    if stem not in few:
        return table.keys
    return [key for key in table.keys if key in (*NAMED, *few[stem])]


def _results(data: Dataset, settings: VariantsSettings, columns: Sequence[str], place: int) -> AnswerResults:
    """What one file of answers says; words of open ones alone are compared."""
    answers, kinds = data.variants[place], {one.kind for one in data.variants}
    if answers.kind == "closed" and "open" in kinds:
        settings = replace(settings, threshold=None)
    return answer_results(answers, settings, by=columns, qrels=judgements(data))


def _headlines(data: Dataset, answers: Sequence[AnswerResults], settings: VariantsSettings) -> tuple[Finding, ...]:
    """Of each combination of columns, in the order of the files."""
    found: list[Finding] = []
    for answered, result in zip(data.variants, answers, strict=True):
        unit = unit_of(answered.kind, settings.threshold)
        for by in dict.fromkeys(row["by"] for row in result.rows):
            rows = [row for row in result.rows if row["by"] == by and "+" not in row["attribute"]]
            who = f"answers of {condition_name(dict(by)) or answered.name}"
            found += [headline(rows, unit=unit, who=who)] if rows else []
    return tuple(found)


# Some answers beside others of their kind.


def _chosen(data: Dataset, settings: VariantsSettings, between: Sequence[tuple[str, Record]]) -> VariantsAnalysis:
    """Groups of all answers and of the chosen ones, gaps by condition, errors, dependent questions, overlap."""
    threshold = settings.threshold
    answers = measured_combinations(data, settings)
    selected = _selected(answers, settings.only)
    cells, unit = measured_rows(data, settings, cells=True), unit_of(selected.kind, threshold)

    def known(some: Sequence[Combination], stem: str, *, with_cells: bool = True) -> Table:
        results = as_results(data, some, threshold=threshold, cells=cells if with_cells else None)
        return tables(answers=results, unit=unit)[stem]

    of_kind = [other for other in answers if other.kind == selected.kind]
    made = {"groups": known(of_kind, "groups"), "groups-printed": known([selected], "groups")}
    for stem, parts in CONDITIONS.items():
        made[stem] = known(alike(answers, selected, *parts), "rows", with_cells=False)
    by = columns_of(data, selected)
    every = known_errors(data, selected.file, [name for name, _ in selected.by], threshold)
    cases = [case | {"by": by} for case in cases_about(selected, every)]
    made["errors"] = tables(answers=[AnswerResults(cases=cases)])["errors"]
    made |= _dependent(data, selected, settings)
    recorded = [("answers", one) for one in recorded_overlaps(data, selected.key, settings.compared)]
    made |= tables(overlaps=[*recorded, *between] or None)
    who = f"answers of {condition_name(dict(by)) or data.variants[selected.file].name}"
    return VariantsAnalysis(findings=(headline(selected.rows, unit=unit, who=who),), tables=made)


def _dependent(data: Dataset, selected: Combination, settings: VariantsSettings) -> Mapping[str, Table]:
    attributes: list[str] = [row["attribute"] for row in selected.rows]
    if settings.attribute and settings.attribute not in attributes:
        raise UsageError(f"--attribute {settings.attribute}: expected one of {', '.join(attributes)}")
    if not attributes:
        return {}
    attribute = settings.attribute or attributes[0]
    of_file = data.variants[selected.file]
    found = dependent_questions(of_file, attribute, where=selected.by, threshold=settings.threshold)
    return tables(dependent=found)


def _selected(answers: Sequence[Combination], only: Sequence[str]) -> Combination:
    """The first of the answers whose parts are as chosen."""
    left = answers
    for text in only:
        name, _, value = text.partition("=")
        known = list(dict.fromkeys(other.parts.get(name) for other in left))
        if value not in known:
            expected = ", ".join(f"{name}={one}" for one in known if one is not None)
            raise UsageError(f"--only {text}: expected {expected or 'one of model, dataset, strategy, …'}")
        left = [other for other in left if other.part(name) == value]
    return left[0]
