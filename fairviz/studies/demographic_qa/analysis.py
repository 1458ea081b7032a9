"""Answers to demographic variants of questions: all of them, or some beside others of their kind; and retrieval.

Rows keep apart every recorded column (model, dataset, strategy, retriever, k) unless others are asked for; what varies
within a row is pooled, and a note says so. Of loaded files the page shows one combination of these columns at a time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from fairviz.display.html import Section, section_of
from fairviz.display.table import Table
from fairviz.display.words import Finding, capital, number, plural
from fairviz.errors import UndefinedError, UsageError
from fairviz.model import Dataset, Note, VariantAnswers
from fairviz.stats.tests import ROUNDING
from fairviz.studies.demographic_qa.across import across
from fairviz.studies.demographic_qa.answers import ALL_VALUES, COLUMNS, Record, dependent_questions, doses, error_cases
from fairviz.studies.demographic_qa.columns import (
    STRATEGIES,
    answer_tables,
    dependent_table,
    doses_table,
    errors_table,
    failing_table,
    groups_table,
    model_gaps_table,
    model_pairs_table,
    overlap_pairs_table,
    overlap_table,
    overlap_values_table,
    quality_gaps_table,
    quality_table,
    rows_table,
    since_tables,
    strategies_table,
)
from fairviz.studies.demographic_qa.combinations import (
    COUNTING,
    Combination,
    cases_about,
    comparable_answers,
    counted,
    judgements,
    measured_combinations,
    measured_rows,
    measured_votes,
    pooled_columns,
    recorded_columns,
    recorded_overlaps,
    vote_gains,
)
from fairviz.studies.demographic_qa.findings import (
    conditions_words,
    counts_words,
    doses_title,
    equal_opportunity_words,
    gap_words,
    headline,
    vote_title,
    widest_pair,
)
from fairviz.studies.demographic_qa.names import condition_name, words_of
from fairviz.studies.demographic_qa.retrieval import (
    MEASURES,
    NO_ATTRIBUTE,
    REPEATED,
    VariantRuns,
    lists_of_runs,
    overlaps_of_runs,
    retrieval_overlap,
    variant_families,
    variant_quality,
)
from fairviz.studies.demographic_qa.rows import BOTH, corrected, rows_of, with_votes
from fairviz.studies.demographic_qa.settings import CUTOFFS, VariantsSettings
from fairviz.studies.demographic_qa.since import since, since_finding, versions
from fairviz.studies.study import Analysis, Chart

CONDITIONS = {"models": ("model",), "prompts": ("strategy",), "retrieval": ("retriever", "k")}
"""Tables of answers that differ from the chosen ones in these parts at most."""
READ = ("n_questions", "score", "dp", "best", "worst", "dp_p_holm", "eo", "vote_accuracy", "n_ties", "overlap_all")
"""Columns of rows that a terminal has room for, behind those that name them."""
NAMED = (*COLUMNS, "attribute")
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
    between = [
        (name, overlap) for name, runs in families.items() for overlap in overlaps_of_runs(runs, settings.compared)
    ]
    if data.variants and settings.only:
        return _chosen(data, settings, between)
    retrieved, notes = _retrieved(data, settings, families)
    columns = settings.by or tuple(recorded_columns(data.variants))
    rows, cases = answer_rows(data, settings, columns)
    of_files = [[row for row in own if row["attribute"] != ALL_VALUES] for own in rows]
    notes = [*answer_notes(data.variants, of_files, columns), *notes]
    recorded = [("answers", overlap) for own in of_files for row in own for overlap in row["overlap"]]
    answers = [row for own in rows for row in own]
    of_groups = [row for own in of_files for row in own]
    is_one = len({row["attribute"] for row in of_groups}) == len(of_groups)
    overlaps = [*recorded, *between]
    changes, tables = _since(data, settings)
    tables |= (answer_tables(answers, cases) if answers else {}) | retrieved
    if overlaps:
        tables["overlap_pairs"] = overlap_pairs_table(overlaps)
    return Analysis(
        findings=(*changes, *_headlines(data, of_files)),
        tables=tables,
        charts=_charts(of_groups) if is_one else {},
        printed={stem: _room(stem, table) for stem, table in tables.items() if table.audience == "all" and table.rows},
        notes=tuple(notes),
    )


def _retrieved(
    data: Dataset, settings: VariantsSettings, families: Mapping[str, VariantRuns]
) -> tuple[dict[str, Table], list[Note]]:
    """Overlap of the first retriever's runs by attribute and depth, with judgements their quality; and what to know."""
    if not families:
        return {}, []
    (name, runs), *others = families.items()
    lists = {attribute: lists_of_runs(runs, attribute) for attribute, _ in runs if attribute not in NO_ATTRIBUTE}
    depths = [
        retrieval_overlap(of_attribute, attribute, k=k, seed=settings.seed)
        for attribute, of_attribute in lists.items()
        for k in settings.k or CUTOFFS
    ]
    tables = {"overlap": overlap_table(depths), "overlap_values": overlap_values_table(depths)}
    texts = dict.fromkeys(f"{overlap['attribute']}: {text}" for overlap in depths for text in overlap["notes"])
    notes = [Note(name, None, text) for text in texts]
    if qrels := judgements(data):
        rows, gaps, of_runs = variant_quality(runs, qrels, settings.measures or MEASURES, seed=settings.seed)
        tables |= {"quality": quality_table(rows), "quality_gaps": quality_gaps_table(gaps)}
        notes += of_runs
    return tables, notes + [
        Note(other, None, f"only the runs of {name} are measured: give these alone") for other, _ in others
    ]


def _room(stem: str, table: Table) -> Sequence[str]:
    few = {"rows": READ, "strategies": ("score", "vote_score", "change", "low", "high", "dp", "vote_within_dp", "eo")}
    if stem not in few:
        return table.keys
    return [key for key in table.keys if key in (*NAMED, *few[stem])]


def answer_rows(
    data: Dataset, settings: VariantsSettings, by: Sequence[str]
) -> tuple[list[list[Record]], pl.DataFrame]:
    """Rows of each file, single attributes before all their values side by side; and its evidence × answer by group.

    The files are one table, over which p is corrected. Words of open answers alone are compared.
    """
    of_files: list[list[Record]] = []
    cases: list[pl.DataFrame] = []
    for file, answers in enumerate(data.variants):
        counts = counted(data, file, settings, by, voters=(*BOTH, settings.vote), pooled=True)
        rows = with_votes(counts, rows_of(counts))
        of_files.append(sorted(rows, key=lambda row: row["attribute"] == ALL_VALUES))
        cases.append(error_cases(answers, counts.settings, by, qrels=judgements(data)))
    every = iter(corrected([row for rows in of_files for row in rows]))
    return [[next(every) for _ in rows] for rows in of_files], pl.concat(cases) if cases else pl.DataFrame()


def _headlines(data: Dataset, of_files: Sequence[Sequence[Record]]) -> tuple[Finding, ...]:
    """Headlines of each combination of columns, in the order of the files."""
    findings: list[Finding] = []
    for answered, of_file in zip(data.variants, of_files, strict=True):
        for by in dict.fromkeys(row["by"] for row in of_file):
            rows = [row for row in of_file if row["by"] == by and "+" not in row["attribute"]]
            who = f"answers of {condition_name(dict(by)) or answered.name}"
            findings += [headline(rows, who=who)] if rows else []
    return tuple(findings)


# Some answers beside others of their kind.


def _chosen(data: Dataset, settings: VariantsSettings, between: Sequence[tuple[str, Record]]) -> Analysis:
    """Groups of all answers and of the chosen ones, gaps by condition, errors, dependent questions, overlap."""
    how = replace(settings, only=(), attribute="", against="", compared=CUTOFFS[0])
    answers = measured_combinations(data, how)
    selected = _selected(answers, settings.only)
    cells = measured_rows(data, how, cells=True)

    of_kind = [other for other in answers if other.kind == selected.kind]
    made = {
        stem: groups_table(
            [row for combination in some for row in (*combination.rows, *cells.get(combination.key, ()))],
            captioned=True,
        )
        for stem, some in (("groups", of_kind), ("groups-printed", [selected]))
    }
    for stem, parts in CONDITIONS.items():
        made[stem] = rows_table(
            [row for combination in comparable_answers(answers, selected, *parts) for row in combination.rows]
        )
    if gaps := across(data, how, selected.key):
        made |= {
            "model-gaps": model_gaps_table(gaps),
            "model-pairs": model_pairs_table(gaps),
            "failing": failing_table(gaps),
        }
    made["errors"] = errors_table(cases_about(data, selected.key, selected.shown, how))
    made |= _dependent(data, selected, settings)
    recorded = [("answers", overlap) for overlap in recorded_overlaps(data, selected.key, settings.compared)]
    if recorded or between:
        made["overlap_pairs"] = overlap_pairs_table([*recorded, *between])
    changes, tables = _since(data, settings, selected)
    who = f"answers of {condition_name(dict(selected.shown)) or data.variants[selected.file].name}"
    tables |= made
    return Analysis(
        findings=(*changes, headline(selected.rows, who=who)),
        tables=tables,
        charts=_charts(selected.rows),
        sections=partial(_sections, data, how, selected, changes, tables),
    )


def _charts(rows: Sequence[Record]) -> dict[str, Chart]:
    """Rates of the groups of each attribute, of one condition."""
    return {row["attribute"]: Chart("demographic_qa", "groups", (row,)) for row in rows}


def _sections(
    data: Dataset, how: VariantsSettings, selected: Combination, changes: Sequence[Finding], tables: Mapping[str, Table]
) -> list[Section]:
    """What a report says of some answers: caution, what changed, rates, gaps by condition, votes, retrieval."""
    from fairviz.studies.demographic_qa.charts import shared_span  # where charts are drawn

    caution, tested = words_of("caution"), words_of("page")["tested"]
    answers, own = measured_combinations(data, how), measured_rows(data, how, cells=True).get(selected.key, ())
    rows = [*selected.rows, *own]
    charts = (Chart("demographic_qa", "groups", (row,), {"span": shared_span(rows)}) for row in rows)
    drawn = [chart.in_report("demographic-qa", chart.results[0]["attribute"]) for chart in charts]
    sections = [Section(caution["title"], (caution["sentence"],))]
    since_stems = [stem for stem in tables if stem.startswith("since-")]
    sections += [section_of(tables, *finding, blocks=since_stems) for finding in changes]
    sentences = [*map(gap_words, rows), counts_words(rows)]
    if selected.kind == "open":
        sentences.append(words_of("as_they_stand"))
    sections.append(section_of(tables, "By group", *sentences, blocks=[*drawn, "groups-printed"]))
    for stem, parts in CONDITIONS.items():
        some = comparable_answers(answers, selected, *parts)
        of_condition = [row for each in some for row in each.rows]
        if words := conditions_words(stem, of_condition, several=len(some) > 1):
            paragraphs = tested, equal_opportunity_words(of_condition)
            sections.append(section_of(tables, capital(words), *paragraphs, blocks=[stem]))
    voted = [each.key for each in comparable_answers(answers, selected, "model", "strategy")]
    votes = [row for key in voted for row in measured_votes(data, how)[key]]
    title = capital(vote_title(vote_gains(data, how, voted), votes))
    sections.append(Section(title, (), (strategies_table(votes, caption=STRATEGIES),)))
    cases = cases_about(data, selected.key, selected.shown, how)
    of_groups = doses_table(doses(cases, [overlap for row in selected.rows for overlap in row["overlap"]]))
    return [*sections, *([Section(doses_title(cases, selected.rows), (), (of_groups,))] if of_groups.rows else [])]


def _since(
    data: Dataset, settings: VariantsSettings, selected: Combination | None = None
) -> tuple[list[Finding], dict[str, Table]]:
    """What changed since the version that is named, of all answers or of the chosen ones; nothing where none is."""
    if not settings.against:
        return [], {}
    how = settings.restricted_to(*COUNTING, "seed")
    answers = measured_combinations(data, how)
    pairs = versions(answers, answers if selected is None else [selected], settings.against)
    compared = [since(data, how, now, then) for now, then in pairs]
    findings = [since_finding(each) for each in compared]
    if len(compared) > 1:
        findings = [
            finding._replace(sentence=f"{each.now.words}. {finding.sentence}")
            for each, finding in zip(compared, findings, strict=True)
        ]
    return findings, since_tables(compared, findings[0].title if len(findings) == 1 else "")


def _dependent(data: Dataset, selected: Combination, settings: VariantsSettings) -> Mapping[str, Table]:
    attributes: list[str] = [row["attribute"] for row in selected.rows]
    if settings.attribute and settings.attribute not in attributes:
        raise UsageError(f"--attribute {settings.attribute}: expected one of {', '.join(attributes)}")
    attribute = settings.attribute or attributes[0]
    of_file = data.variants[selected.file]
    questions = dependent_questions(of_file, attribute, settings, where=selected.by)
    return {"dependent": dependent_table(questions)}


def _selected(answers: Sequence[Combination], only: Sequence[str]) -> Combination:
    """The first of the answers whose parts are as chosen."""
    left = answers
    for text in only:
        name, _, value = text.partition("=")
        values = list(dict.fromkeys(other.parts.get(name) for other in left))
        if value not in values:
            expected = ", ".join(f"{name}={choice}" for choice in values if choice is not None)
            raise UsageError(f"--only {text}: expected {expected or 'one of model, dataset, strategy, …'}")
        left = [other for other in left if other.parts[name] == value]
    return left[0]


# What to know of results.


def answer_notes(
    answers: Sequence[VariantAnswers], results: Sequence[Sequence[Record]], by: Sequence[str]
) -> list[Note]:
    """Notes on the rows of every file, then one on the columns that they pool.

    Args:
        answers: Of the files.
        results: Rows of each, by single attributes and combinations of them.
        by: Columns that rows are kept apart by.
    """
    notes = [
        Note(of_file.name, None, text)
        for of_file, rows in zip(answers, results, strict=True)
        for text in _notes_on_rows(rows)
    ]
    pooled = {of_file.name: pooled_columns(of_file, by) for of_file in answers}
    names = [name for name in COLUMNS if any(name in columns for columns in pooled.values())]
    if names:
        rows = [row for of_file in results for row in of_file]
        documents = any(
            note.endswith(REPEATED) for row in rows for overlap in row["overlap"] for note in overlap["notes"]
        )
        overlap = ", the overlap is of the first list of each question and value" if documents else ""
        them = "it" if len(names) == 1 else "them"
        text = f"rows pool {', '.join(names)}: rates are over all of them{overlap}; add {them} to --by"
        notes.append(Note(next(file for file, columns in pooled.items() if columns), None, text))
    return notes


def _notes_on_rows(rows: Sequence[Record]) -> list[str]:
    notes = [note for row in rows for overlap in row["overlap"] for note in overlap["notes"]]
    notes = [note for note in notes if not note.endswith(REPEATED)]
    if rows and not any(row["answerable"] for row in rows):
        why = "eo is undefined (null); --answerable neutral or any defines it by the answers"
        notes.append(f"no row says whether its question is answerable, or whether its evidence was right: {why}")
    elif any(group["n"] for row in rows for group in row["groups"]):
        notes += [text for row in rows for text in _notes_on_eo(row)]
    for row in rows:
        small = [group["value"] for group in row["groups"] if group["small"]]
        if small and any(group["n"] for group in row["groups"]):
            all_small = "; all are compared" if row["small"] else ""
            notes.append(f"{row['attribute']}: fewer than the minimum of answers for {', '.join(small)}{all_small}")
        ends = widest_pair(row)
        if ends is not None and abs(row["dp"] - ends.gap["gap"]) > ROUNDING:
            own, paired = (number(100 * gap, 1) for gap in (row["dp"], ends.gap["gap"]))
            notes.append(
                f"{row['attribute']}: groups were asked different questions, or one of them more often: dp is {own} "
                f"points over each group's own; the largest gap over the questions of both, as fairviz check takes it, "
                f"{paired} ({ends.best['value']} minus {ends.worst['value']}, {ends.gap['n']} of "
                f"{plural(row['n_questions'], 'question')})"
            )
        if not row["alone"]:
            notes.append(f"{row['attribute']} is varied in combinations only: their answers count for it")
    return list(dict.fromkeys(notes))


def _notes_on_eo(row: Record) -> list[str]:
    """By which definition questions are answerable; why eo is undefined, leaves groups out, or says what dp says."""
    groups, definition = row["groups"], row["answerable"]
    notes: list[str] = []
    if definition not in ("", "column"):
        notes.append(f"eo is over answers to questions that are answerable as: {words_of('answerable')[definition]}")
    if not any(group["n_answerable"] for group in groups):
        return [*notes, "no question is answerable: eo is undefined (null)"]
    without = [group["value"] for group in groups if group["n"] and not group["n_answerable"]]
    if without:
        consequence = "is undefined (null)" if row["eo"] != row["eo"] else "leaves them out"
        notes.append(f"{row['attribute']}: no answerable question about {', '.join(without)}: eo {consequence}")
    elif all(group["n_answerable"] == group["n"] for group in groups):
        notes.append("every question is answerable: eo is dp")
    return notes
