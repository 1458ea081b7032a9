"""What a grid says, in sentences: how many systems give more than the baseline, and who they are.

Every claim rests on a test corrected by Holm over the table that is shown; counts of such tests, and what the systems
that pass them have in common, claim no more.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from fairviz.display.theme import axis_name
from fairviz.display.words import UNDEFINED as NO_NUMBER
from fairviz.display.words import Finding, capital, considered, listing, number, plural, signed
from fairviz.evaluation.compare import Comparison
from fairviz.model import Factors, FloatArray
from fairviz.points.charts import Curves
from fairviz.points.columns import counted, detectable_words, gap_rows
from fairviz.points.conditions import is_limit
from fairviz.points.intervals import EDGES
from fairviz.points.view import Line, system_name, value_name, values_of
from fairviz.stats.tests import MIN_UNITS, SIGNIFICANCE
from fairviz.studies.compare.grid import NAMED, Differences, TaskComparison

IN_TITLE = 3
"""Systems that a title names."""
FEW = 30
"""Queries under which it is said that intervals rest on few."""


def gained(quality: str) -> str:
    """What a system gives more or less of: the subject of the sentence follows the y axis.

    Examples:
        >>> gained("EU"), gained("EU/best"), gained("EER@5")
        ('utility', 'of the best utility', 'quality')
    """
    if quality == "EU/best":
        return "of the best utility"
    return "utility" if quality == "EU" else "quality"


def compare_finding(
    task: TaskComparison, others: Sequence[TaskComparison], *, by: Sequence[str], quality: str
) -> Finding:
    """Head of the page: how many systems of a task give significantly more, or less, than its baseline.

    Args:
        task: The task that is looked at.
        others: Further tasks, each tested by itself; they are said in the grey line.
        by: Factors that tell systems apart.
        quality: Label of the y axis.
    """
    by = _telling(task, by)
    return Finding(_title(task, by, gained(quality)), _sentence(task, others, by, quality))


def _telling(task: TaskComparison, by: Sequence[str]) -> tuple[str, ...]:
    """Factors that tell all systems apart and that a system of the task has: no name consists of dashes."""
    of_task = list(task.areas)
    return tuple(name for name in by if values_of(name, of_task) != (None,)) or tuple(by)


def _title(task: TaskComparison, by: Sequence[str], what: str) -> str:
    base, prefix = system_name(task.baseline, by), f"On {task.task}, " if task.task else ""
    tested = [(factors, gap) for factors, gap in task.gaps.items() if gap.verdict != "too few to test"]
    if not tested:
        compared = any(gap.n_queries for gap in task.gaps.values())
        title = f"one {noun(by)[0]}, and nothing to compare it with"
        if len(task.areas) > 1:
            title = "too few queries to compare" if compared else f"no {noun(by)[0]} shares a query with {base}"
            title = NO_AREA if compared and not task.n_areas else title
        return capital(f"{prefix}{title}")
    higher, lower, n = task_counts(task)
    if not higher and not lower:
        if n > 1:
            return capital(f"{prefix}none of {plural(n, *noun(by))} differs significantly from {base}")
        return f"{prefix}{system_name(tested[0][0], by)} does not differ significantly from {base}{_area(tested[0][1])}"
    many = plural(n, *noun(by))
    if n in (higher, lower):
        names = [system_name(factors, by) for factors, _ in tested]
        who, area = listing(names), _area(tested[0][1]) if n == 1 else ""
        if n > IN_TITLE:
            others = len(task.areas) + len(task.left_out) - 1
            who = f"{n} of {plural(others, *noun(by))}" if n < others else f"{'all' if prefix else 'All'} {many}"
        return f"{prefix}{who} {_give(n)} significantly {'more' if higher else 'less'} {what} than {base}{area}"
    if not higher:
        who = _who(tested, "lower", by)
        return capital(f"{prefix}{lower} of {many} {_give(lower)} significantly less {what} than {base}{who} none more")
    more = f"{higher} of {many} {_give(higher)} significantly more {what} than {base}"
    return capital(f"{prefix}{more}{_who(tested, 'higher', by)} {lower or 'none'} significantly less")


def _who(tested: Sequence[tuple[Factors, Comparison]], way: str, by: Sequence[str]) -> str:
    """The few systems that differ in one way, by name; of more nothing but the comma that goes on."""
    names = [system_name(factors, by) for factors, gap in tested if gap.verdict == way]
    return f": {listing(names)};" if len(names) <= IN_TITLE else ","


def _area(gap: Comparison, n_tests: int = 1) -> str:
    low, high = gap.among(n_tests)
    return "" if np.isnan(low) else f" (AUC {signed(gap.difference, 3)}, {signed(low, 3)} to {signed(high, 3)})"


def _give(n: int) -> str:
    return "gives" if n == 1 else "give"


NO_AREA = "no curve has an area"


def _sentence(task: TaskComparison, others: Sequence[TaskComparison], by: Sequence[str], quality: str) -> str:
    first = task.areas[task.baseline]
    if not task.n_areas:
        return "EE-D does not change with α, or curves share no range of it."
    n_queries = first["n_queries"]
    n_tests = sum(not np.isnan(gap.p_holm) for gap in task.gaps.values())
    parts = [
        f"AUC of {axis_name(quality)} over EE-D {number(first['range_low'], 2)} to {number(first['range_high'], 2)}, "
        f"{plural(n_queries, 'query', 'queries')}; paired bootstrap ({considered(n_tests)})."
    ]
    apart = [(factors, gap) for factors, gap in task.gaps.items() if gap.verdict in ("higher", "lower")]
    if task_counts(task)[2] > 1 and 0 < len(apart) <= IN_TITLE:
        sizes = listing([f"{system_name(factors, by)}{_area(gap, n_tests)}" for factors, gap in apart])
        parts.append(f"{sizes}; intervals that hold for all tests at once.")
    parts += filter(None, [detectable_words(gap_rows([*task.gaps.values()]))])
    if n_queries < FEW:
        parts.append("Intervals rest on few queries.")
    if len(others) == 1:
        parts.append(f"On {others[0].task or 'no task'}, tested by itself: {counts_words(others[0])}.")
    elif others:
        parts.append(f"The other {len(others)} tasks are tested by themselves.")
    return " ".join(parts)


def noun(by: Sequence[str]) -> tuple[str, str]:
    """What is compared, one and many: policies where nothing else differs.

    Examples:
        >>> noun(("policy",)), noun(("task", "retriever"))
        (('policy', 'policies'), ('system', 'systems'))
    """
    return ("policy", "policies") if set(by) <= {"task", "policy"} else ("system", "systems")


def task_counts(task: TaskComparison) -> tuple[int, int, int]:
    """Systems of a task that give significantly more than its baseline, and less, of those tested."""
    less, more, tested = counted(gap.verdict for gap in task.gaps.values())
    return more, less, tested


def counts_words(task: TaskComparison) -> str:
    """``2 of 11 more, none less``: counts of one task."""
    if len(task.areas) == 1:
        return "one system"
    more, less, tested = task_counts(task)
    return f"{more or 'none'} of {tested} more, {less or 'none'} less" if tested else "too few queries"


def panels_title(task: TaskComparison, *, rows: str, columns: str, by: Sequence[str]) -> str:
    """Which column is above the baseline in every row, where Holm allows to say so of each; else what is drawn."""
    if columns:
        n_rows = len(values_of(rows, list(task.areas)))
        for value in values_of(columns, list(task.areas)):
            verdicts = [gap.verdict for factors, gap in task.gaps.items() if getattr(factors, columns) == value]
            if len(verdicts) == n_rows > 1 and set(verdicts) == {"higher"}:
                base = system_name(task.baseline, by)
                return f"{value_name(columns, value)} is significantly above {base} in all {n_rows} rows"
    n = len(task.areas) + len(task.left_out)
    return f"{plural(n, *noun(by))} side by side" if n > 1 else f"One {noun(by)[0]}"


DEGREES = 41
"""Degrees of evenness, from the least to the largest EE-D that all curves share, at which curves are compared."""


def colour_words(curves: Sequence[Curves]) -> str:
    """What colours, dashes and marks of some curves are.

    Args:
        curves: What is drawn; a system with a look of its own keeps it whatever the tests say.
    """
    if any(any(curve.look) for curve in curves):
        return "Looks of systems as set on Data; ▲ significantly more than the baseline, ▼ less"
    return "Blue ▲: significantly more than the baseline (dashed), orange ▼: less, grey: not"


def bounds_words(curves: Sequence[Curves]) -> str:
    """What lines of bounds among some curves are, after a semicolon; empty where there are none.

    Args:
        curves: What is drawn.
    """
    bounds = [curve for curve in curves if curve.is_bound]
    words = {
        "dotted: oracle limit (reads the judgements)": any(is_limit(curve.factors) for curve in bounds),
        "long dashes: best lists from the baseline's scores (optimal)": any(not is_limit(c.factors) for c in bounds),
    }
    some = [name for name, is_drawn in words.items() if is_drawn]
    return f"; {'; '.join(some)}; in no count or test" if some else ""


def lines_title(task: TaskComparison, curves: Mapping[Factors, Line], *, by: Sequence[str]) -> str:
    """Who is highest over the degrees of evenness that all curves share; nothing of an order that no test allows.

    The highest was searched for: it is named where the area of the second is significantly smaller among all pairs.

    Args:
        task: The task.
        curves: Mean curves of its systems.
        by: Factors that tell systems apart.
    """
    systems = {factors: line for factors, line in curves.items() if line.x.size > 1 and factors in task.areas}
    lines: dict[Factors, Line] = {factors: line.by_x() for factors, line in systems.items()}
    if len(lines) < 2:
        return f"One {noun(by)[0]}: include, or load, another to compare"
    more, less, tested = task_counts(task)
    if not tested:
        return "Too few queries to tell an order of the curves" if task.n_areas else capital(NO_AREA)
    if task.runner_up is None or not (more or less):
        return "No order of the curves can be told"
    low, high = max(float(line.x[0]) for line in lines.values()), min(float(line.x[-1]) for line in lines.values())
    grid: FloatArray = np.linspace(low, high, DEGREES)
    heights = {factors: np.interp(grid, line.x, line.y) for factors, line in lines.items()}
    first, second, gap = task.runner_up
    name, other = (system_name(factors, by) for factors in (first, second))
    if gap.p * task.n_pairs >= SIGNIFICANCE or first not in heights:
        return f"No significant difference between the two highest curves: {name} and {other}"
    others = other if len(lines) == 2 else f"every other {noun(by)[0]}"
    if all((heights[first] >= height).all() for height in heights.values()):
        return f"{name} is above {others} at all degrees of evenness"
    return f"{name} is above {others} on average, but not at every degree of evenness"


def choice_finding(task: TaskComparison, *, by: Sequence[str], quality: str) -> Finding | None:
    """What to choose: the system of the largest area, where that of the second is significantly smaller.

    The first two were searched for among all pairs of systems: p and interval hold for all of these at once. None where
    there is nothing to choose from.

    Args:
        task: The task.
        by: Factors that tell systems apart.
        quality: Label of the y axis.
    """
    second, n_pairs = task.runner_up, task.n_pairs
    if second is None:
        return None
    by, what = _telling(task, by), gained(quality)
    first, other = (system_name(factors, by) for factors in second[:2])
    gap = second[2]
    if gap.n_queries < MIN_UNITS:
        return Finding("Too few queries to choose by", f"{plural(gap.n_queries, 'query', 'queries')} of both.")
    ends = gap.among(n_pairs)
    size = f"{number(gap.difference)} on average{_ends(number(ends.low), number(ends.high))}"
    alike = [system_name(system, by) for system, row in task.gaps.items() if row.verdict == "no significant difference"]
    base = system_name(task.baseline, by)
    beside = f"No significant difference from {base}: {listing(alike, most=NAMED)}." if alike else ""
    if gap.p * n_pairs < SIGNIFICANCE:
        title = f"{first}: it gives {size} more {what} than {other}, the second"
        among = f"Significant among all {plural(n_pairs, 'pair')}." if n_pairs > 1 else ""
        return Finding(title, " ".join(filter(None, (among, beside))))
    more, less, _ = task_counts(task)
    if not more and not less:
        title = f"These data give no reason to prefer one {noun(by)[0]}"
        return Finding(title, detectable_words(gap_rows([*task.gaps.values()])))
    return Finding(f"{first} or {other}: no significant difference between the first two ({size})", beside)


def forest_title(gaps: Differences, baseline: Factors, *, by: Sequence[str]) -> str:
    """Who differs from the baseline in one quantity, and by how much: the largest difference with its interval.

    The largest was searched for among all rows, so that its interval holds for all of them at once; it is the largest
    of those whose interval leaves 0 out, of which there is one wherever any is significant by Holm.

    Args:
        gaps: The differences.
        baseline: What they are from.
        by: Factors that tell systems apart.
    """
    what, than = of_what(gaps), system_name(baseline, by)
    where = "" if gaps.alpha is None else f"at α = {gaps.alpha:g}, "
    tested = {factors: row for factors, row in gaps.rows.items() if row.verdict != "too few to test"}
    higher, lower = ([system for system, row in tested.items() if row.verdict == way] for way in ("higher", "lower"))
    if not gaps.rows:
        return capital(f"{where}nothing to compare {than} with")
    if not any(row.n_queries for row in gaps.rows.values()):
        return capital(f"{where}no {noun(by)[0]} shares a query with {than}")
    if not tested:
        no_area = gaps.alpha is None and len(gaps.undefined) == len(gaps.rows)
        return capital("no area to compare" if no_area else f"{where}too few queries to compare {what}")
    if not higher and not lower:
        who = plural(len(tested), *noun(by)) if len(tested) > 1 else system_name(next(iter(tested)), by)
        return capital(f"{where}no significant difference in {what} between {than} and {who}")
    apart = sorted((*higher, *lower), key=lambda system: -abs(tested[system].difference))
    largest = next((system for system in apart if tested[system].p * gaps.n_tests < SIGNIFICANCE), apart[0])
    certain = "largest" if largest == apart[0] else "largest certain"
    name, difference, ends = system_name(largest, by), tested[largest].difference, gaps.corrected(tested[largest])
    if len(higher) + len(lower) == 1:
        size, way = number(abs(difference)), "more" if higher else "less"
        low, high = ends if higher else (-ends.high, -ends.low)
        return f"{capital(where)}{name} has {size} {way} {what} than {than}{_ends(number(low), number(high))}"
    if higher and lower:
        has, many = "has" if len(higher) == 1 else "have", plural(len(tested), *noun(by))
        head = f"{len(higher)} of {many} {has} more {what} than {than}, {len(lower)} less"
    else:
        some, way = (higher, "more") if higher else (lower, "less")
        shared = _shared(some, [baseline, *gaps.rows], by)
        many = plural(len(some), *noun(by))
        alike = shared and noun(by)[0] == "system"
        head = f"the {many} with {way} {what} all use {shared}" if alike else f"{many} have {way} {what} than {than}"
    interval = _ends(signed(ends.low, 3), signed(ends.high, 3))
    return capital(f"{where}{head}; the {certain} difference is {signed(difference, 3)}{interval}, {name}")


def forest_sentence(gaps: Differences, baseline: Factors, *, by: Sequence[str]) -> str:
    """What the rows are, and what they rest on; of nothing significant, what would have been."""
    what = f"AUC of {axis_name(gaps.measure)}" if gaps.alpha is None else quantity_words(gaps)
    parts = [
        f"{what} minus that of {system_name(baseline, by)}, paired by query; 95 % interval (not corrected); "
        f"filled: unlikely to be chance ({considered(gaps.n_tests)}).",
        "The interval in the title holds for all rows at once."
        if any(row.verdict in ("higher", "lower") for row in gaps.rows.values())
        else "",
        detectable_words(gap_rows([*gaps.rows.values()])),
    ]
    return " ".join(filter(None, parts))


def missing_words(gaps: Differences, *, by: Sequence[str]) -> tuple[str, ...]:
    """What could not be compared: systems without a value, and queries that only one side has."""
    sentences: list[str] = []
    if gaps.undefined:
        names = [system_name(factors, by) for factors in gaps.undefined]
        some = listing(names) if len(names) <= NAMED else f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
        many = plural(len(names), *noun(by))
        sentences.append(f"{many} undefined, with no {quantity_words(gaps)} for a query of the baseline: {some}.")
    partly = [row for row in gaps.rows.values() if not np.isnan(row.difference) and row.n_left_out]
    if partly:
        most = max(row.n_left_out for row in partly)
        many = plural(len(partly), *noun(by))
        sentences.append(
            f"{many} and the baseline do not both have a value for every query: up to {most} left out of a difference."
        )
    return tuple(sentences)


def quantity_words(of: Differences) -> str:
    """What is compared, and where.

    Examples:
        >>> quantity_words(Differences("EER", "EER@5", 3.0, {})), quantity_words(Differences("AUC", "EU", None, {}))
        ('EER@5 at α = 3', 'AUC of EU')
    """
    return f"AUC of {of.measure}" if of.alpha is None else f"{of.measure} at α = {of.alpha:g}"


def of_what(gaps: Differences) -> str:
    """What a system has more or less of in a quantity."""
    words = {"EER": "quality", "EAR": "attribution"}
    return words.get(gaps.quantity) or gained(gaps.measure)


def _ends(low: str, high: str) -> str:
    return "" if NO_NUMBER in (low, high) else f" ({low} to {high})"


def _shared(some: Sequence[Factors], of: Sequence[Factors], by: Sequence[str]) -> str:
    """Values of the one factor that sets some systems apart from the rest; none where each has a value of its own."""
    for name in by:
        used, every = values_of(name, some), values_of(name, of)
        if name != "task" and len(used) < min(len(every), len(some)) and len(used) <= 2:
            return listing([value_name(name, value) for value in used], "or")
    return ""


def interval_counts(task: TaskComparison) -> tuple[tuple[int, int, int], ...]:
    """(lower, higher, tested) systems in each interval of EE-D."""
    columns = zip(*(rows["verdict"] for rows in task.intervals.values()), strict=True)
    return tuple(map(counted, columns))


def interval_title(task: TaskComparison, quality: str) -> str:
    """In how many comparisons with a system's own deterministic list spreading attention costs or gains."""
    counts = interval_counts(task)
    lower, higher, tested = (sum(count[i] for count in counts) for i in range(3))
    what = gained(quality).removeprefix("of the best ")
    tests = f"{plural(tested, 'comparison')} with {'the deterministic list' if tested == 1 else 'deterministic lists'}"
    if not tested:
        return "Too few queries in any interval of disparity"
    if not lower and not higher:
        return f"No significant change of {what} where attention is spread, in {tests}"
    if lower and not higher:
        where = [f"{low:g}–{high:g}" for (low, high), count in zip(pairwise(EDGES), counts, strict=True) if count[0]]
        at = f"disparity {listing(where)}" if len(where) < len(counts) else "every level of disparity"
        return f"Spreading attention lowers {what} in {lower} of {tests}, at {at}"
    return f"Spreading attention raises {what} in {higher} of {tests}, lowers it in {lower or 'none'}"
