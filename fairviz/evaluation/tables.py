"""Results of measuring as tables: values with intervals, values per query, two systems, what was refused."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from fairviz.display.table import LETTERS, Cell, Column, Marked, Table, Tables, is_undefined, keyed, labelled, shortened
from fairviz.display.words import ARROWS, listing, number, plural
from fairviz.errors import UsageError
from fairviz.evaluation.compare import AREA, Areas, Comparison, direction, improves, is_exact, paired_values
from fairviz.evaluation.evaluate import TIE_COLUMNS, Evaluation, reads, score_intervals
from fairviz.evaluation.rankings import Refusal
from fairviz.evaluation.systems import Judged, labelled_apart
from fairviz.metrics.catalogue import CATALOGUE, parse_measure
from fairviz.model import FACTORS, Factors, MeasureSpec, Scores, SystemScore
from fairviz.stats.bootstrap import UNDEFINED, Interval, described

BOOTSTRAP = described()
OVER = "Means over queries"
FLAGS = ("single_sample", "n_smoothed")
"""Facts beside a value that its reader needs, where it has them."""


def means_tables(
    scores: Sequence[Scores | SystemScore], intervals: Sequence[Interval], *, seed: int, over: str
) -> list[Table]:
    """Mean and interval of each system and measure as a paper prints them: a row per system, a column per measure.

    A table per kind of system: rankings have other measures than outputs. A measure that a system does not allow has
    no value; queries are those in the means of a row, one count, or the smallest and the largest.
    """
    rows: dict[str, dict[str, tuple[float, ...]]] = {}
    counts: dict[str, set[int]] = {}
    for score, interval in zip(scores, intervals, strict=True):
        rows.setdefault(score.system, {})[score.measure] = (score.value, *interval)
        counts.setdefault(score.system, set()).add(score.n_defined)
    combinations = dict.fromkeys(tuple(values) for values in rows.values())
    kinds: dict[tuple[str, ...], list[str]] = {}
    for system, values in rows.items():
        wider = [measures for measures in combinations if values.keys() < set(measures)]
        kinds.setdefault(max(wider, key=len, default=tuple(values)), []).append(system)
    made: list[Table] = []
    for measures, systems in kinds.items():
        columns: list[Column] = []
        for measure in measures:
            ends = (Column(f"{measure}_{end}", kind="interval") for end in ("low", "high"))
            columns += [Column(measure, headed(measure), "number"), *ends]
        cells = (
            [cell for measure_name in measures for cell in rows[name].get(measure_name, (None,) * 3)]
            for name in systems
        )
        queries = ("–".join(map(str, sorted({min(counts[name]), max(counts[name])}))) for name in systems)
        made.append(
            Table(
                (Column("system"), *columns, Column("n_queries", "queries")),
                tuple((name, *row, n) for name, row, n in zip(systems, cells, queries, strict=True)),
                caption=means_caption(seed, over),
                audience="papers",
            )
        )
    return made


def means_caption(seed: int, over: str = OVER) -> str:
    """Which queries the means are over, and how the intervals came about."""
    return f"{over}, unless said otherwise; intervals: {BOOTSTRAP}, seed {seed}"


def headed(measure: str) -> str:
    """A measure string with the way it improves.

    Examples:
        >>> headed("AWRF"), headed("logDP"), headed("nDCG@10")
        ('AWRF ↓', 'logDP → 0', 'nDCG@10 ↑')
    """
    return f"{measure} {ARROWS[improves(measure)]}"


def results_table(
    scores: Sequence[Scores | SystemScore],
    intervals: Sequence[Interval],
    *,
    seed: int,
    facts: Sequence[tuple[str, str]] = (),
    over: str = OVER,
) -> Table:
    """One row per system and measure, with direction and source.

    Args:
        scores: Per query, or of whole systems.
        intervals: Of the scores.
        seed: Of the bootstrap.
        facts: (column, value) of what holds for all rows, such as the target.
        over: Which queries the means are over; those of a row are ``n_queries``, the others ``n_undefined``.
    """
    rows: list[tuple[Cell, ...]] = []
    for score, interval in zip(scores, intervals, strict=True):
        spec, tied = parse_measure(score.measure), (isinstance(score, Scores) and score.tie_band) or UNDEFINED
        counts = score.n_defined, score.n_undefined
        about = direction(spec), source(spec), *(value for _, value in facts)
        rows.append((score.system, score.measure, score.value, *counts, *interval, *tied, *about))
    columns = (
        *keyed("system", "measure"),
        *labelled("number", value="", n_queries="queries", n_undefined="undefined"),
        *labelled("interval", low="", high=""),
        *(Column(key, "over tied orders", kind="interval") for key in TIE_COLUMNS),
        *(Column(key, audience="programs") for key in ("better", "source", *(name for name, _ in facts))),
    )
    return _where_tied(Table(columns, tuple(rows), means_caption(seed, over), audience="programs"))


def _where_tied(table: Table) -> Table:
    """A table without the ends over all orders of tied documents where no row has any."""
    places = [table.keys.index(key) for key in TIE_COLUMNS]
    if any(not is_undefined(row[index]) for row in table.rows for index in places):
        return table
    return table.select([key for key in table.keys if key not in TIE_COLUMNS])


def source(spec: MeasureSpec) -> str:
    """Where a measure is defined."""
    measure = CATALOGUE.get(spec.name)
    return measure.citation if measure else "ir-measures (MacAvaney et al. 2022)"


def definitions_table(measures: Sequence[MeasureSpec]) -> Table:
    """One row per measure: which way it improves, its formula and its source."""
    formulas = {name: measure.formula for name, measure in CATALOGUE.items()}
    rows = ((spec.shown, direction(spec), formulas.get(spec.name, ""), source(spec)) for spec in measures)
    return Table(
        keyed("measure", "better", "formula", "source"),
        tuple(rows),
        caption="Measures, which way each improves, and where it is defined",
    )


def refused_table(refusals: Sequence[Refusal]) -> Table:
    """One row per measure that the data do not allow, and why; alike systems in one row."""
    systems: dict[tuple[str, str], list[str]] = {}
    for refusal in refusals:
        reason = refusal.reason.removeprefix(f"{refusal.measure}: ")
        systems.setdefault((refusal.measure, reason), []).append(refusal.system)
    return Table(
        (Column("measure"), Column("reason", "not on these data, because"), Column("systems")),
        tuple((*key, ", ".join(dict.fromkeys(names))) for key, names in systems.items()),
        caption="Measures that these data do not allow",
    )


def queries_table(scores: Sequence[Scores | SystemScore]) -> Table:
    """One row per system, measure and query; values of whole systems have none."""
    rows = [
        (score.system, query, score.measure, value, *ends)
        for score in scores
        if isinstance(score, Scores)
        for query, value, *ends in zip(
            score.query_ids,
            score.values.tolist(),
            *(np.full((2, score.values.size), np.nan) if score.tied is None else score.tied).tolist(),
            strict=True,
        )
    ]
    columns = (
        *keyed("system", "query_id", "measure"),
        Column("value", kind="number"),
        *(Column(key, "over tied orders", kind="interval") for key in TIE_COLUMNS),
    )
    return _where_tied(Table(columns, tuple(rows), "Every measure of every query", audience="programs"))


def comparison_table(rows: Sequence[Comparison], *, seed: int, judged: Sequence[Judged] = (), depth: str = "") -> Table:
    """One row per measure and pair: a system minus another, paired by query."""
    pairs = {(row.system, row.reference) for row in rows}
    rough = any(row.n_unjudged and not is_exact(parse_measure(row.measure)) for row in rows)
    if_judged = "if judged, about" if rough else "if judged"
    references = sorted({reference for _, reference in pairs})
    who = f"Each system minus {shortened(references[0], 64) if len(references) == 1 else 'its baseline'}"
    if len(pairs) == 1:  # the two as they were given, and whose labels it was where several generators judged them
        apart = labelled_apart(judged)
        ours, theirs = (apart[name].system if name in apart else name for name in rows[0][:2])
        labels = list(dict.fromkeys(str(apart[name].labels) for name in rows[0][:2] if name in apart))
        who = f"{ours} minus {theirs}" + (f", judged by {listing(labels)}" if labels else "")
    of_outputs = [not row.measure.startswith(AREA) and reads(parse_measure(row.measure), "outputs") for row in rows]
    did = "answered" if all(of_outputs) else "ranked or answered" if any(of_outputs) else "ranked"
    table = Table(
        (
            *keyed("system", "reference", "measure"),
            *labelled("signed", difference="", low="", high=""),
            *labelled("p", p="", p_holm="p (Holm)"),
            Column("verdict", kind="tone"),
            *labelled("number", wins="", ties="", losses=""),
            *labelled("number", n_queries="queries", n_left_out="left out", n_unjudged="unjudged"),
            *labelled("signed", unjudged_low=if_judged, unjudged_high=if_judged),
            *(Column(key, "over tied orders", "signed") for key in TIE_COLUMNS),
        ),
        tuple(_comparison_cells(row) for row in rows),
        caption=f"{who}, over the queries that both {did} and have a value for{depth and f', {depth}'}; "
        f"intervals: {BOOTSTRAP}, seed {seed}; "
        f"{_test_words(rows)}, Holm over {plural(sum(not math.isnan(row.p_holm) for row in rows), 'test')}"
        f"{_untested_words(rows)}",
    )
    return _where_tied(table)


def _comparison_cells(row: Comparison) -> tuple[Cell, ...]:
    per_query = (row.wins, row.ties, row.losses) if row.wins + row.ties + row.losses else (None, None, None)
    what, tests = (row.system, row.reference, row.measure), (row.p, row.p_holm, row.verdict)
    n = row.n_queries, row.n_left_out, row.n_unjudged
    return (*what, row.difference, *row.interval, *tests, *per_query, *n, *row.bounds, *row.tie_band)


BETTER, WORSE = "▲", "▼"
"""Stand behind a mean that is significantly better, or worse, than the baseline's, in the sense of its measure."""


def wide_table(
    evaluation: Evaluation,
    compared: Sequence[Comparison],
    *,
    pairs: bool = False,
    areas: Areas | None = None,
    depth: str = "",
) -> Table:
    """Means as the main table of a paper has them: a row per system, the baselines first, a column per measure.

    A mean is marked where a test, on the queries that both have, finds a difference, corrected over all that are
    compared (Holm). The best values of a column are bold where people read them.

    Args:
        evaluation: Means of every system.
        compared: Systems minus baselines, measure by measure; or of every two systems the later minus the earlier.
        pairs: Whether it is every two: each system has a letter, which stands behind means that are significantly
            better than its own.
        areas: The first column, where they are asked for; their differences are among ``compared``.
        depth: What the caption says of lists that were cut to be compared.

    Raises:
        UsageError: There are more systems than letters.
    """
    means = {(score.system, score.measure): score.value for score in evaluation.averaged}
    means |= {(system, areas.measure): area for system, area in areas.means.items()} if areas else {}
    baselines = dict.fromkeys(() if pairs else (row.reference for row in compared))
    systems = dict.fromkeys((*baselines, *(score.system for score in evaluation.averaged)))
    measures = list(dict.fromkeys(score.measure for score in evaluation.averaged))
    measures = [*([areas.measure] if areas else []), *measures]
    if pairs and len(systems) > len(LETTERS):
        raise UsageError(f"letters tell {len(LETTERS)} systems apart, these are {len(systems)}: name a baseline")
    letters = dict(zip(systems, LETTERS if pairs else (), strict=False))
    marks: dict[tuple[str, str], str] = {}
    for row in compared:
        mark = _mark(row, *(means.get((name, row.measure), math.nan) for name in row[:2]))
        if not pairs:
            marks[row.system, row.measure] = mark
        elif mark:
            two = (row.system, row.reference)
            better, worse = two if mark == BETTER else two[::-1]
            marks[better, row.measure] = marks.get((better, row.measure), "") + LETTERS[letters[worse]]
    rows = tuple(
        (
            name,
            *([letters[name]] if pairs else []),
            *(_marked(means.get((name, measure)), marks.get((name, measure), "")) for measure in measures),
        )
        for name in systems
    )
    n_tests = plural(sum(not math.isnan(row.p_holm) for row in compared), "test")
    than = f"{BETTER} {WORSE}: significantly better, worse than {listing(list(baselines))}"
    if pairs:
        than = "behind a mean: letters of the systems that it is significantly better than"
    return Table(
        (
            Column("system"),
            *([Column("letter")] if pairs else []),
            *(Column(measure, headed(measure), "number") for measure in measures),
        ),
        rows,
        caption=f"{evaluation.over}{depth and f', {depth}'}{_area_words(areas)}; {than} on the queries of both, "
        f"{_test_words(compared)}, Holm over {n_tests}{_untested_words(compared)}",
    )


def _area_words(areas: Areas | None) -> str:
    """Over which range areas are; after a semicolon."""
    if areas is None or math.isnan(areas.low):
        return ""
    return f"; AUC: mean under the Plackett–Luce curve, EE-D {number(areas.low, 2)} to {number(areas.high, 2)}"


def _test_words(compared: Sequence[Comparison]) -> str:
    """What p is of: of measures with one value per system, resamples of queries."""
    of_one_value = {
        row.measure for row in compared if not row.wins + row.ties + row.losses and not math.isnan(row.p_holm)
    }
    if not of_one_value:
        return "paired t-test"
    resampled = f"paired bootstrap of {listing(sorted(of_one_value))}"
    return resampled if all(row.measure in of_one_value for row in compared) else f"paired t-test ({resampled})"


def _untested_words(compared: Sequence[Comparison]) -> str:
    """Which measures have no test, and why; after a semicolon."""
    untested = sorted({row.measure for row in compared if row.verdict == "no test"})
    return f"; no test of {listing(untested)}: one value per system, not a mean over queries" if untested else ""


def _mark(row: Comparison, own: float, base: float) -> str:
    """What a comparison says of the mean of its system.

    Nothing where the means, which are over the queries of all systems, point the other way than the tested difference;
    and of a measure that is best at 0 where they lie on two sides of it: their distances from 0 were not tested.

    Args:
        row: The comparison.
        own: Mean of the system in the table.
        base: Mean of its baseline there.
    """
    if row.verdict not in ("higher", "lower") or (own > base) != (row.verdict == "higher"):
        return ""
    best = improves(row.measure)
    if best == "closest to 0":
        nearer = BETTER if abs(own) < abs(base) else WORSE
        return nearer if own * base > 0 else ""
    return BETTER if row.verdict == best else WORSE


def _marked(value: float | None, mark: str) -> Cell:
    return None if value is None or math.isnan(value) else Marked(value, mark)


def compared_queries_table(pairs: Sequence[tuple[Scores, Scores]]) -> Table:
    """One row per pair, measure and query of either: both values and the difference."""
    rows: list[tuple[Cell, ...]] = []
    for scores, reference in pairs:
        values = paired_values(scores, reference)
        sides = (values.system, values.reference, values.system - values.reference)
        about = (scores.system, reference.system)
        rows += [
            (*about, query, scores.measure, *cells)
            for query, *cells in zip(values.query_ids, *(side.tolist() for side in sides), strict=True)
        ]
    columns = keyed("system", "reference", "query_id", "measure", "value", "reference_value", "difference")
    return Table(columns, tuple(rows), caption="Every measure of every query, paired", audience="programs")


def with_factors(table: Table, factors: Mapping[str, Factors]) -> Table:
    """A table of systems with a column for each factor that any of them is known to have.

    Examples:
        >>> scores = Table(keyed("system", "value"), (("drawn", 0.5), ("bm25", 0.7)))
        >>> with_factors(scores, {"drawn": Factors(policy="plackett-luce", alpha=2.0)}).rows
        (('drawn', 0.5, 'plackett-luce', 2.0), ('bm25', 0.7, None, None))
    """
    at = table.keys.index("system")
    return _with_facts(table, [factors.get(str(row[at]), Factors()).stated for row in table.rows], FACTORS)


def _with_facts(table: Table, facts: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Table:
    """A table with a column for each fact of some names that any of its rows has."""
    fact_names = [name for name in names if any(name in of_row for of_row in facts)]
    rows = ((*row, *(of_row.get(name) for name in fact_names)) for row, of_row in zip(table.rows, facts, strict=True))
    return replace(table, columns=(*table.columns, *keyed(*fact_names)), rows=tuple(rows))


def with_labels(table: Table, judged: Sequence[Judged]) -> Table:
    """A table of systems as they were given, where several generators judged one: whose labels it was is a column."""
    apart = labelled_apart(judged)
    sides = [index for index, key in enumerate(table.keys) if key in ("system", "reference")]
    if not any(row[index] in apart for row in table.rows for index in sides):
        return table
    rows: list[tuple[Cell, ...]] = []
    for row in table.rows:
        judged_systems = {index: apart[str(row[index])] for index in sides if row[index] in apart}
        cells = (judged_systems[index].system if index in judged_systems else cell for index, cell in enumerate(row))
        rows.append((*cells, next((judged_system.qrels.generator for judged_system in judged_systems.values()), None)))
    return replace(table, columns=(*table.columns, *keyed("labels")), rows=tuple(rows))


def measured_tables(
    evaluation: Evaluation,
    *,
    measures: Sequence[MeasureSpec] = (),
    seed: int = 0,
    facts: Sequence[tuple[str, str]] = (),
    factors: Mapping[str, Factors] = MappingProxyType({}),
) -> Tables:
    """Values of systems, of their queries, and what the measures are, by the stem of the file of each table.

    Args:
        evaluation: Scores, and what the data do not allow.
        measures: As asked for; those that no system has a value of are not defined again.
        seed: Of the bootstrap.
        facts: (column, value) of what holds for all rows of the values, such as the target.
        factors: What systems are made of, by name: columns of the tables for programs.
    """
    intervals = score_intervals(evaluation.averaged, seed=seed)
    values = results_table(evaluation.averaged, intervals, seed=seed, facts=facts, over=evaluation.over)
    made: dict[str, Table | Callable[[], Table]] = {
        "means": of_systems(
            _with_facts(values, [system_score.flags for system_score in evaluation.scores], FLAGS), evaluation, factors
        ),
        "per-query": lambda: of_systems(queries_table(evaluation.scores), evaluation, factors),
    }
    of_kinds = means_tables(evaluation.averaged, intervals, seed=seed, over=evaluation.over)
    for n, table in enumerate(of_kinds, start=1):
        made[f"means-{n}"] = with_labels(table, evaluation.judged)
    valued = {score.measure for score in evaluation.averaged}
    if defined := [spec for spec in measures if spec.text in valued]:
        made["measures"] = definitions_table(defined)
    if evaluation.refused:
        made["refused"] = refused_table(evaluation.refused)
    return Tables(made)


def of_systems(table: Table, evaluation: Evaluation, factors: Mapping[str, Factors]) -> Table:
    """A table for programs, with what the systems are made of and whose labels they were judged by."""
    return with_labels(with_factors(table, factors), evaluation.judged)
