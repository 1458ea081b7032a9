"""The one assembly of a report: what was found, settings, measures, curves, grid, use of the context, methods, command.

Every number in it comes from the files and the request alone, so that the command which stands in it gives it again.
"""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Literal

import polars as pl

from fairviz.display.bundle import PinnedTable, bundle
from fairviz.display.html import Code, Play, Section, findings_list, html_text, section_of
from fairviz.display.methods import AgainstTarget, bibliography, files_command, methods_paragraph, target_file
from fairviz.display.paper import PrintedFigure
from fairviz.display.table import Table, csv_text
from fairviz.display.words import Finding, capital
from fairviz.errors import FairvizError, UndefinedError, UsageError
from fairviz.evaluation.coverage import lead_of
from fairviz.evaluation.systems import at_depth, facts, feeding, pairings, ranked_and_answered, stated_pairs, unjoined
from fairviz.io.whole import write_whole
from fairviz.metrics.catalogue import reads_groups
from fairviz.model import Dataset, Note, SourceFile
from fairviz.points.conditions import compared_at
from fairviz.points.curves import measured_at
from fairviz.remembered import many_kept
from fairviz.reporting.request import Request
from fairviz.studies import STUDIES
from fairviz.studies.attribution import analysis as of_use
from fairviz.studies.attribution.settings import AttributionSettings
from fairviz.studies.baseline import analysis as of_baseline
from fairviz.studies.baseline.settings import BaselineSettings
from fairviz.studies.compare import analysis as of_grid
from fairviz.studies.compare.settings import GridSettings
from fairviz.studies.demographic_qa.settings import VariantsSettings
from fairviz.studies.groups import analysis as of_groups
from fairviz.studies.groups.settings import GroupsSettings
from fairviz.studies.measures import analysis as of_measures
from fairviz.studies.measures.settings import MeasuresSettings
from fairviz.studies.policy_lab import analysis as of_prices
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.social_bias.settings import BiasSettings
from fairviz.studies.study import Analysis, Study
from fairviz.studies.tradeoff import analysis as of_curves
from fairviz.studies.tradeoff.settings import TradeoffSettings

PLACED = {
    *("evaluate", "compare", "tradeoff", "grid", "groups", "policy-lab", "attribution"),
    *("agreement", "ranks", "queries"),  # of many systems, or of one query: on pages and by commands alone
}
"""Studies that have their place in a report, or none; every other one follows those."""
ANSWERS = {"bias", "variants"}
"""Studies of answers to questions: of files that judge no system, whose report they are."""
ANSWER_FILES = {"bias-items": "--items", "bias-predictions": "--answers", "variants": "--answers"}
"""Roles of their files, and the options that name them."""
QUALITIES: tuple[Literal["EER", "EU"], ...] = ("EER", "EU")


def usual_measures(loaded: Dataset, request: Request) -> tuple[str, ...]:
    """Measures where none are asked for: those that the data allow."""
    k, (gain, rel) = request.k, request.usefulness
    against = request.against
    ranked = bool(loaded.runs or loaded.samples)
    relevance = f"EER(rel={rel})@{k}" if gain == "binary" else f"EER@{k}"
    judged = [f"EED@{k}", relevance, "nDCG@10", "AP"] if ranked and loaded.qrels else []
    grouped = ["AWRF", "nDKL@10"] if ranked and against and against.shares(loaded) is not None else []
    return (*judged, *grouped, *(["EU", f"EAR@{k}", f"EAED@{k}"] if loaded.outputs else []))


def _part(
    *sections: Section | Play,
    findings: tuple[Finding, ...] = (),
    tables: Mapping[str, Table] | None = None,
    notes: tuple[Note, ...] = (),
) -> Analysis:
    """A part of the report that no study gives as a whole."""
    return Analysis(tables=tables or {}, findings=findings, notes=notes, sections=lambda: sections)


def _reason(title: str, sentence: str) -> Analysis:
    """A part that says why there is nothing else."""
    return _part(Section(title, (sentence,)), findings=(Finding(title, sentence),))


def _head(section: Section | Play) -> Finding:
    """The head of a section, where a slider stands at first: the head of its page."""
    shown = section.frames[section.start] if isinstance(section, Play) else section
    return Finding(shown.title, shown.paragraphs[0])


def _findings_first(parts: Sequence[Analysis]) -> list[Section]:
    """What was found, before anything that it rests on."""
    findings = dict.fromkeys(finding for part in parts for finding in part.findings)
    return [Section("What was found", blocks=(findings_list(findings),), opens=True)] if findings else []


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """A report and all that a bundle of it holds.

    Attributes:
        loaded: The data.
        lead: Sentence below the title.
        sections: What is read.
        tables: By the stem of their files.
        methods: A paragraph for a paper.
        command: Gives all of it again.
        inputs: Files of the data, also those that the report does not read.
        notes: What is to be known of systems and numbers.
    """

    loaded: Dataset
    lead: str
    sections: tuple[Section | Play, ...]
    tables: Mapping[str, Table]
    methods: str
    command: str
    inputs: tuple[SourceFile, ...]
    notes: tuple[Note, ...]

    @property
    def all_sections(self) -> list[Section | Play]:
        """The sections, with methods, command and references."""
        closing = (Code(self.command, "Command"), Code(bibliography(), "References"))
        return [
            *self.sections,
            Section("Methods", (self.methods,)),
            Section("How to reproduce and cite", blocks=closing),
        ]

    def save(self, file: str | PathLike[str]) -> None:
        """Write it as one HTML file, or as the bundle of a paper where the name ends in .zip; whole or not at all.

        Raises:
            OutputError: The file cannot be written.
            UsageError: The name ends otherwise.
        """
        writers = {".html": lambda: self.html().encode(), ".zip": self.bundle}
        ending = Path(file).suffix.lower()
        if ending not in writers:
            raise UsageError(f"{file}: expected a name that ends in {' or '.join(writers)}")
        write_whole(file, writers[ending]())

    def html(self) -> str:
        """One HTML file."""
        return html_text(self.loaded.name, self.all_sections, lead=self.lead)

    def bundle(self, *, figures: Sequence[PrintedFigure] = (), pinned: Sequence[PinnedTable] = ()) -> bytes:
        """A zip of the report, its tables as CSV and LaTeX, what was pinned, and a script that makes it again."""
        return bundle(
            self.loaded,
            sections=self.all_sections,
            tables=self.tables,
            lead=self.lead,
            inputs=self.inputs,
            methods=self.methods,
            command=self.command,
            figures=figures,
            pinned=pinned,
        )


def reported(loaded: Dataset, request: Request) -> Assembled:
    """All that the data allow, with the usual measures where none are asked for.

    Raises:
        FairvizError: A measure does not exist, or ids do not fit.
        UndefinedError: Nothing of the data can be measured.
    """
    report = assembled(loaded, replace(request, measures=request.measures or usual_measures(loaded, request)))
    if not report.sections:
        raise UndefinedError("nothing of these files can be measured: give --qrels, --groups or --outputs")
    return report


@many_kept()
def assembled(loaded: Dataset, request: Request) -> Assembled:
    """Compute all that the data allow.

    Args:
        loaded: The data, with factors and pairs as a person said them, without rankings that join nothing.
        request: What is asked for.

    Raises:
        FairvizError: A measure does not exist, or ids do not fit.
        UsageError: The data have no judgements or labels in a place that is asked for.
    """
    before, behind, refused = _parts(loaded, request)
    targets = _targets(loaded, request)
    answered = [study for study in STUDIES if study.command in ANSWERS and not loaded.qrels]
    of_answers = {
        study.command: _below(part, study.title) for study in answered if (part := _study(loaded, request, study))
    }
    ranked = [*before, *([targets] if targets else []), *behind]
    parts = [*ranked, *of_answers.values()]
    pairs = pairings(loaded.outputs, feeding(loaded), dict(loaded.pairs), loaded.systems)
    sections = [section for part in parts for section in part.in_report()]
    settings = [_settings(loaded, request)] if ranked else []
    has_curves = _has_curves(loaded)
    alphas = request.alpha or tuple(measured_at(loaded.runs).tolist())
    tables = _tables(parts)
    by_every = "sources" in tables  # which tells by every attribute whose documents are given
    against = request.against if targets or by_every or any(map(reads_groups, request.specs)) else None
    named = _with_files_read(loaded, against, every_attribute=by_every)
    answers = [file for file in named.files if file.role in ANSWER_FILES]
    return Assembled(
        loaded=named,
        lead=lead_of(named, pairs),
        sections=(*_findings_first(parts), *settings, *sections) if sections else (),
        tables=tables,
        methods=methods_paragraph(
            named,
            [spec for spec in request.specs if spec.text not in refused],
            curves=(request.k, *request.usefulness, f"{min(alphas):g}:{max(alphas):g}:{len(alphas)}")
            if has_curves
            else None,
            policy=(request.scores, request.offset),
            against=against,
            depth=at_depth(loaded).words if ranked else "",
            answers=of_answers,
            ranked=bool(ranked),
            seed=request.seed,
        ),
        command=files_command(
            "fairviz report",
            loaded,
            against=against,
            judgements=request.judgements if loaded.runs and loaded.qrels else None,
            pairs=stated_pairs(loaded, pairs),
            more=[
                *(f"{ANSWER_FILES[file.role]} {shlex.quote(file.path)}" for file in answers),
                *request.words(),
                f"--title {shlex.quote(loaded.name)}",
            ],
            every_attribute=by_every,
        ),
        inputs=loaded.files,
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


def _parts(loaded: Dataset, request: Request) -> tuple[list[Analysis], list[Analysis], set[str]]:
    """All that has tables: what stands before targets that play, and what behind; and measures without a value."""
    if request.judgements not in range(max(len(loaded.qrels), 1)):
        raise UsageError(f"there are no judgements {request.judgements + 1} in the data")
    if request.against is not None and request.against.attribute not in range(len(loaded.attributes)):
        raise UsageError(f"there are no groups {request.against.attribute + 1} in the data")
    measured, refused = _measures(loaded, request)
    before = [measured, _curves(loaded, request) if _has_curves(loaded) else None]
    behind = [
        *(_grid(loaded, request, quality) for quality in QUALITIES),
        _use(loaded, request) if loaded.outputs else None,
        *(_study(loaded, request, study) for study in STUDIES if study.command not in PLACED | ANSWERS),
    ]
    return [part for part in before if part], [part for part in behind if part], refused


def _tables(parts: Iterable[Analysis]) -> dict[str, Table]:
    return {stem: table for part in parts for stem, table in part.tables.items()}


def _has_curves(loaded: Dataset) -> bool:
    """Whether there are runs, and judgements that some ranking joins."""
    ranked = [*loaded.runs, *loaded.samples]
    return bool(loaded.qrels) and bool(loaded.runs) and len(unjoined(ranked, loaded.qrels)) < len(ranked)


def _with_files_read(loaded: Dataset, against: AgainstTarget | None, *, every_attribute: bool) -> Dataset:
    """The data with the files alone that the report reads: its fingerprint is theirs, on every surface."""
    roles = {"run", "samples", "qrels", "rag", "references", "popularity", "systems"}
    read = loaded.files_of(against.attribute) if against else ()
    roles |= {"target"} if against and against.target == "file" else set()
    roles |= {"groups"} if every_attribute else set()
    roles |= set() if loaded.qrels else set(ANSWER_FILES)
    files = tuple(file for file in loaded.files if file.role in roles or file in read)
    by_hand = (target_file(against.target),) if against and not isinstance(against.target, str) else ()
    return replace(loaded, files=(*files, *by_hand))


# Measures.


def _settings(loaded: Dataset, request: Request) -> Section:
    """What the numbers were asked for with."""
    words = of_curves.settings_words(
        loaded.name,
        loaded.runs[0].system if loaded.runs else "",
        request,
        k=request.k,
        seed=request.seed,
        depth=compared_at(loaded).words,
        of_runs=bool(loaded.runs),
    )
    about = (f"{capital(name)}: {value}." for name, value in facts(loaded, request.against))
    return Section("Settings", (words, *about))


def _measures(loaded: Dataset, request: Request) -> tuple[Analysis | None, set[str]]:
    """Means of all systems, the values of every query, each system minus the first; and measures without a value."""
    if not request.measures or not ranked_and_answered(loaded):
        return None, set()
    fields = {**vars(request), "leave_out": True}
    analysis = of_measures.analyse(loaded, MeasuresSettings.of(fields))
    refused = {refusal.measure for refusal in analysis.evaluation.refused}
    if not analysis.evaluation.scores:
        return _part(notes=analysis.notes), refused
    tables = dict(analysis.tables)
    stems = [stem for stem, table in tables.items() if table.audience != "programs"]
    sections = [section_of(tables, "Measures", blocks=stems)]
    with suppress(UndefinedError, UsageError):  # of one system, or of two that share no query
        compared = of_baseline.analyse(loaded, BaselineSettings.of({**fields, "auc": request.k}))
        tables |= {stem: compared.tables[stem] for stem in ("wide", "compared")}
        sections.append(section_of(tables, "Main table: systems by measures", blocks=["wide"]))
        sections.append(Section("Differences from the first system", blocks=(compared.read["compared"],)))
    return _part(*sections, tables=tables, notes=analysis.notes), refused


# The curves of the first run, and the grid of all.


def _curves(loaded: Dataset, request: Request) -> Analysis:
    try:
        return of_curves.analyse(loaded, TradeoffSettings.of({**vars(request), "quality": "EER"}))
    except UndefinedError as error:
        title, _, sentence = str(error).partition(": ")
        return _reason(title, sentence)


def _targets(loaded: Dataset, request: Request) -> Analysis | None:
    """The first run at each share that one group's target can have: where attention goes, and what that costs."""
    against = request.against
    if against is None or not loaded.runs:
        return None
    run = loaded.runs[0]
    fields = {**vars(request), "system": run.system, "k": request.ranks}
    try:
        beside = of_groups.analyse(loaded, GroupsSettings.of(fields))
    except UndefinedError:  # no two groups, or no target for them
        return None
    parts = of_groups.sections(beside)
    findings = parts
    judged = beside.targeted.of.qrels
    has_quality = bool(request.proposals) if judged is None else not unjoined([run], [judged])
    if has_quality:
        priced = of_prices.sections(loaded, PolicyLabSettings.of(fields))
        parts = [*parts, *priced]
        findings = [part for part in parts if isinstance(part, Play) or part.blocks]
    return _part(*parts, findings=tuple(map(_head, findings)))


def _grid(loaded: Dataset, request: Request, quality: Literal["EER", "EU"]) -> Analysis | None:
    """Every condition of the files beside its task's baseline."""
    settings = GridSettings.of({**vars(request), "quality": quality})
    try:
        analysis = of_grid.analyse(loaded, settings)
    except UndefinedError:
        return None
    except FairvizError as error:  # two systems that nothing tells apart: the rest of the report stands
        return _part(Section(f"EE-D and {quality}", (str(error),)))
    named = {f"compare-{quality.lower()}-{stem}": table for stem, table in analysis.tables.items()}
    named.pop(f"compare-{quality.lower()}-differences-EAR", None)  # the tables of what answers use say it
    return replace(analysis, tables=named, sections=analysis.in_report)


def _study(loaded: Dataset, request: Request, study: Study) -> Analysis | None:
    """Any other study, as it is usually set."""
    if study.command in ANSWERS:  # keywords of theirs are called like others of a report
        usual = study.settings.of({"seed": request.seed, "against": request.against_answers})
        settings = getattr(request, study.command) or usual
    else:
        settings = study.settings.of(vars(request))
    try:
        return study.analyse(loaded, settings)
    except FairvizError:  # the data do not answer it
        of_kind = {"bias": loaded.bias_predictions, "variants": loaded.variants}
        if request.against_answers and of_kind.get(study.command):
            raise
        return None


def _below(part: Analysis, title: str) -> Analysis:
    """The part under a heading of its own: what it found stands above everything."""
    return replace(part, sections=replace(part, findings=(Finding(title, ""),)).in_report)


# Use of the retrieved context.


def _use(loaded: Dataset, request: Request) -> Analysis:
    try:
        return of_use.analyse(loaded, AttributionSettings.of(vars(request)))
    except UndefinedError as error:
        return _part(notes=(Note("outputs", None, f"left out: {error}"),))


# The numbers of a study computed again: which of them are other than they were.


LAST_DIGITS = 1e-9
"""Relative difference up to which two numbers differ by how a machine adds, not by what was computed."""


def computed(loaded: Dataset, request: Request) -> tuple[dict[str, str], tuple[str, ...]]:
    """The numbers of a study; a part that cannot be computed takes none of the others with it.

    Returns:
        Every table that the data allow as CSV for programs, by its stem; and a line for each part of which there are no
        numbers: which, and why.
    """
    parts: dict[str, Callable[[], Mapping[str, Table]]] = {"Measures and curves": lambda: _measured(loaded, request)}
    for study in STUDIES:
        if study.command in ANSWERS and (settings := getattr(request, study.command)) is not None:
            parts[study.title] = partial(answer_tables, loaded, settings)
    tables: dict[str, Table] = {}
    refused: list[str] = []
    for name, compute in parts.items():
        try:
            tables |= compute()
        except FairvizError as error:
            refused.append(f"{name}: {error}")
    return {stem: csv_text(table) for stem, table in tables.items() if table.audience != "papers"}, tuple(refused)


@many_kept()
def _measured(loaded: Dataset, request: Request) -> dict[str, Table]:
    """The tables of a report; what plays in it has none, and takes most of its time."""
    before, behind, _ = _parts(loaded, request)
    return _tables([*before, *behind])


# Recorded answers, as ``fairviz bias`` and ``fairviz variants`` count them: every recorded column apart.


def answer_tables(loaded: Dataset, settings: BiasSettings | VariantsSettings) -> dict[str, Table]:
    """Tables of answers to questions by stem, those that have rows; none where these are not loaded.

    Args:
        loaded: The data.
        settings: How answers are read, by which they are to questions with a stereotyped answer, or to variants.

    Raises:
        InputError: Answers and questions do not join, or cannot be counted so.
    """
    study = next(study for study in STUDIES if study.settings is type(settings))
    if isinstance(settings, VariantsSettings):
        loaded, needed = replace(loaded, runs=()), (loaded.variants,)
        if not any(answers.kind == "open" for answers in loaded.variants):
            settings = replace(settings, threshold=None)
    else:
        needed = (loaded.bias_items, loaded.bias_predictions)
    tables = study.analyse(loaded, settings).tables if all(needed) else {}
    return {f"{study.command}-{stem}": table for stem, table in tables.items() if table.rows}


# What differs.


def differences(before: Mapping[str, str], now: Mapping[str, str]) -> pl.DataFrame:
    r"""Cells that differ between two sets of tables, those of the first set first.

    Returns:
        ``table`` (its stem), ``row`` (what it is about: its cells that are no numbers), ``column``; ``before`` and
        ``now``, the cell, null where it is not there; ``is_rounding``: two numbers that differ by rounding alone.

    Examples:
        >>> changed = differences({"means": "system,AP\nbm25,0.5\n"}, {"means": "system,AP\nbm25,0.25\n"})
        >>> changed.row(0)
        ('means', 'bm25', 'AP', '0.5', '0.25', False)
    """
    stems = [stem for stem in dict.fromkeys([*before, *now]) if before.get(stem) != now.get(stem)]
    sides = (
        pl.concat([_cells("", "a\n"), *(_cells(stem, tables[stem]) for stem in stems if stem in tables)])
        for tables in (before, now)
    )
    first, second = (cells.rename({"cell": name}) for cells, name in zip(sides, ("before", "now"), strict=True))
    key = ["table", "row", "n", "column"]
    both = first.join(second, on=key, how="full", coalesce=True, maintain_order="left_right")
    numbers = [pl.col(name).cast(pl.Float64, strict=False) for name in ("before", "now")]
    tolerance = pl.max_horizontal(*(LAST_DIGITS * number.abs() for number in numbers), pl.lit(1e-12))
    is_rounding = ((numbers[0] - numbers[1]).abs() <= tolerance).fill_null(value=False)
    return both.filter(pl.col("before").ne_missing(pl.col("now"))).select(
        "table", "row", "column", "before", "now", is_rounding=is_rounding
    )


def _cells(stem: str, text: str) -> pl.DataFrame:
    """Every ``cell`` of a table; ``row`` is what it is about, ``n`` its number among rows about the same."""
    rows = pl.read_csv(text.encode(), infer_schema=False).fill_null("")
    names = {name: f"cell-{name}" for name in rows.columns}
    words = [pl.when(pl.col(name).cast(pl.Float64, strict=False).is_null()).then(name) for name in rows.columns]
    about = pl.concat_str([pl.when(word != "").then(word) for word in words], separator=" · ", ignore_nulls=True)
    cells = rows.rename(names).with_columns(rows.select(row=about)).with_columns(n=pl.int_range(pl.len()).over("row"))
    long = cells.unpivot(list(names.values()), index=["row", "n"], variable_name="column", value_name="cell")
    return long.with_columns(pl.col("column").str.strip_prefix("cell-"), table=pl.lit(stem))
