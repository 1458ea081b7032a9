"""Answers to demographic variants of questions: all of them, or some beside others of their kind; and retrieval."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fairviz.display.table import Table
from fairviz.display.words import Finding
from fairviz.errors import UndefinedError, UsageError
from fairviz.model import Dataset, Note
from fairviz.studies.demographic_qa.columns import (
    answer_tables,
    dependent_table,
    errors_table,
    groups_table,
    overlap_pairs_table,
    overlap_table,
    overlap_values_table,
    quality_gaps_table,
    quality_table,
    rows_table,
)
from fairviz.studies.demographic_qa.findings import headline
from fairviz.studies.demographic_qa.frames import ALL_VALUES, Record
from fairviz.studies.demographic_qa.loaded import (
    Combination,
    alike,
    answer_notes,
    cases_about,
    counted,
    judgements,
    measured_combinations,
    measured_rows,
    recorded_columns,
    recorded_overlaps,
)
from fairviz.studies.demographic_qa.names import condition_name
from fairviz.studies.demographic_qa.questions import dependent_questions, error_cases
from fairviz.studies.demographic_qa.retrieval import VariantQuality, retrieval_results, variant_families
from fairviz.studies.demographic_qa.rows import BOTH, corrected, rows_of, with_votes
from fairviz.studies.demographic_qa.settings import CUTOFFS, VariantsSettings
from fairviz.studies.study import Analysis

CONDITIONS = {"models": ("model",), "prompts": ("strategy",), "retrieval": ("retriever", "depth")}
"""Tables of answers that differ from the chosen ones in these parts at most."""
READ = ("n_questions", "score", "dp", "best", "worst", "dp_p_holm", "eo", "vote_accuracy", "n_ties", "overlap_all")
"""Columns of rows that a terminal has room for, behind those that name them."""
NAMED = ("model", "dataset", "strategy", "retriever", "k", "attribute")
"""Columns that name rows."""


def analyse(data: Dataset, settings: VariantsSettings) -> Analysis:
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
    depths: list[Record] = []
    quality: VariantQuality | None = None
    notes: list[Note] = []
    if families:
        first, *others = families
        depths, quality, texts = retrieval_results(families[first].runs, judgements(data), settings)
        notes += [*(Note(first, None, text) for text in texts), *(quality.notes if quality else ())]
        notes += [Note(name, None, f"only the runs of {first} are measured: give these alone") for name in others]
    columns = settings.by or tuple(recorded_columns(data.variants))
    rows, cases = answer_rows(data, settings, columns)
    of_files = [[row for row in own if row["attribute"] != ALL_VALUES] for own in rows]
    notes = [*answer_notes(data.variants, of_files, columns), *notes]
    recorded = [("answers", one) for own in of_files for row in own for one in row["overlap"]]
    answers = [row for own in rows for row in own]
    overlaps = [*recorded, *between]
    known = answer_tables(answers, cases) if answers else {}
    if depths:
        known |= {"overlap": overlap_table(depths), "overlap_values": overlap_values_table(depths)}
    if quality:
        known |= {"quality": quality_table(quality), "quality_gaps": quality_gaps_table(quality)}
    if overlaps:
        known["overlap_pairs"] = overlap_pairs_table(overlaps)
    return Analysis(
        findings=_headlines(data, of_files),
        tables=known,
        printed={stem: _room(stem, table) for stem, table in known.items() if table.audience == "all" and table.rows},
        notes=tuple(notes),
    )


def _room(stem: str, table: Table) -> Sequence[str]:
    few = {"rows": READ, "strategies": ("score", "vote_score", "change", "low", "high", "dp", "vote_within_dp", "eo")}
    if stem not in few:
        return table.keys
    return [key for key in table.keys if key in (*NAMED, *few[stem])]


def answer_rows(
    data: Dataset, settings: VariantsSettings, by: Sequence[str]
) -> tuple[list[list[Record]], list[Record]]:
    """Rows of each file, single attributes before all their values side by side; and its evidence × answer by group.

    The files are one table, over which p is corrected. Words of open answers alone are compared.
    """
    of_files: list[list[Record]] = []
    cases: list[Record] = []
    for file, answers in enumerate(data.variants):
        counts = counted(data, file, settings, by, voters=(*BOTH, settings.vote), pooled=True)
        rows = with_votes(counts, rows_of(counts, vote=True))
        of_files.append(sorted(rows, key=lambda row: row["attribute"] == ALL_VALUES))
        cases += error_cases(answers, counts.settings, by, qrels=judgements(data))
    every = iter(corrected([row for rows in of_files for row in rows]))
    return [[next(every) for _ in rows] for rows in of_files], cases


def _headlines(data: Dataset, of_files: Sequence[Sequence[Record]]) -> tuple[Finding, ...]:
    """Of each combination of columns, in the order of the files."""
    found: list[Finding] = []
    for answered, of_file in zip(data.variants, of_files, strict=True):
        for by in dict.fromkeys(row["by"] for row in of_file):
            rows = [row for row in of_file if row["by"] == by and "+" not in row["attribute"]]
            who = f"answers of {condition_name(dict(by)) or answered.name}"
            found += [headline(rows, who=who)] if rows else []
    return tuple(found)


# Some answers beside others of their kind.


def _chosen(data: Dataset, settings: VariantsSettings, between: Sequence[tuple[str, Record]]) -> Analysis:
    """Groups of all answers and of the chosen ones, gaps by condition, errors, dependent questions, overlap."""
    how = replace(settings, only=(), attribute="", compared=CUTOFFS[0])
    answers = measured_combinations(data, how)
    selected = _selected(answers, settings.only)
    cells = measured_rows(data, how, cells=True)

    of_kind = [other for other in answers if other.kind == selected.kind]
    made = {
        stem: groups_table([row for one in some for row in (*one.rows, *cells.get(one.key, ()))], captioned=True)
        for stem, some in (("groups", of_kind), ("groups-printed", [selected]))
    }
    for stem, parts in CONDITIONS.items():
        made[stem] = rows_table([row for one in alike(answers, selected, *parts) for row in one.rows])
    made["errors"] = errors_table(cases_about(data, selected.key, selected.shown, how))
    made |= _dependent(data, selected, settings)
    recorded = [("answers", one) for one in recorded_overlaps(data, selected.key, settings.compared)]
    if recorded or between:
        made["overlap_pairs"] = overlap_pairs_table([*recorded, *between])
    who = f"answers of {condition_name(dict(selected.shown)) or data.variants[selected.file].name}"
    return Analysis(findings=(headline(selected.rows, who=who),), tables=made)


def _dependent(data: Dataset, selected: Combination, settings: VariantsSettings) -> Mapping[str, Table]:
    attributes: list[str] = [row["attribute"] for row in selected.rows]
    if settings.attribute and settings.attribute not in attributes:
        raise UsageError(f"--attribute {settings.attribute}: expected one of {', '.join(attributes)}")
    if not attributes:
        return {}
    attribute = settings.attribute or attributes[0]
    of_file = data.variants[selected.file]
    questions = dependent_questions(of_file, attribute, settings, where=selected.by)
    return {"dependent": dependent_table(questions)}


def _selected(answers: Sequence[Combination], only: Sequence[str]) -> Combination:
    """The first of the answers whose parts are as chosen."""
    left = answers
    for text in only:
        name, _, value = text.partition("=")
        known = list(dict.fromkeys(other.parts.get(name) for other in left))
        if value not in known:
            expected = ", ".join(f"{name}={one}" for one in known if one is not None)
            raise UsageError(f"--only {text}: expected {expected or 'one of model, dataset, strategy, …'}")
        left = [other for other in left if other.parts[name] == value]
    return left[0]
