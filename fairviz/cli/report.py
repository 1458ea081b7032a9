"""``fairviz report``: all that the files allow, as one HTML file to read and to send."""

import argparse
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from fairviz.attention import TopK
from fairviz.cli._common import (
    Commands,
    add_measures_option,
    add_output_options,
    add_progress_option,
    add_qrels_option,
    add_seed_option,
    warn,
    whole_number,
)
from fairviz.cli._files import InputFile
from fairviz.cli._grid import SHOWN, grid_conditions
from fairviz.cli._inputs import (
    Groups,
    Loaded,
    add_gain_options,
    add_grid_option,
    add_group_options,
    add_outputs_option,
    add_systems_option,
    gain_of,
    load_factors,
    load_groups,
    load_qrels,
    load_systems,
    pairs_of,
)
from fairviz.cli.curve import POLICIES
from fairviz.errors import UndefinedError, UsageError
from fairviz.evaluate.baseline import Pair, other_tasks, score_pairs
from fairviz.evaluate.compare import compare_all
from fairviz.evaluate.evaluate import Evaluation, evaluate, score_intervals
from fairviz.evaluate.pairing import pairings
from fairviz.evaluate.tables import MeasureResults
from fairviz.evaluate.tables import tables as measure_tables
from fairviz.metrics.spec import parse_measures
from fairviz.model import Factors, Note, Qrels, described, factors_of
from fairviz.show.html import Code, Figure, Section, html_text, section_of
from fairviz.show.methods import bibliography
from fairviz.show.theme import in_both_themes, plotly_script
from fairviz.show.words import plural
from fairviz.studies.attribution.panels import by_generator, output_summaries
from fairviz.studies.attribution.points import measured_outputs
from fairviz.studies.attribution.tables import AttributionResults
from fairviz.studies.attribution.tables import tables as attribution_tables
from fairviz.studies.compare.analysis import TaskComparison, compare_grid
from fairviz.studies.compare.conditions import Condition, Quality, distinct, varying
from fairviz.studies.compare.tables import CompareResults
from fairviz.studies.compare.tables import tables as compare_tables
from fairviz.studies.tradeoff.curves import relevance_measure
from fairviz.studies.tradeoff.figures import tradeoff_alt, tradeoff_figure
from fairviz.studies.tradeoff.view import Line, TradeoffView

EXAMPLES = """\
examples:
  fairviz report a.run b.run --qrels test.qrels -k 5 --output report.html
  fairviz report bm25.run --qrels test.qrels --groups region.tsv --target uniform --outputs *.jsonl -k 5 > report.html

Measures, differences from the first system, disparity and quality along alpha, and what generators used of what they
were given: each where the files have something for it.
"""


def add_parser(subparsers: Commands) -> None:
    """Add the ``report`` command."""
    parser = subparsers.add_parser("report", help="one HTML file of all that the files allow", epilog=EXAMPLES)
    parser.add_argument("runs", type=InputFile, nargs="*", metavar="RUN", help="runs, or samples of rankings")
    add_outputs_option(parser)
    add_qrels_option(parser)
    add_group_options(parser)
    add_measures_option(parser, "; default: those that the files allow of nDCG, EE-D, EE-R, AWRF, EU, EAR and EAE-D")
    parser.add_argument("-k", type=whole_number(1), required=True, metavar="K", help="items that a context holds")
    add_systems_option(parser)
    add_grid_option(parser)
    parser.add_argument("--title", default="Fairness and quality", metavar="TEXT", help="heading of the report")
    add_gain_options(parser)
    add_seed_option(parser, "the bootstrap over queries")
    add_output_options(parser, formats=())
    add_progress_option(parser)
    parser.set_defaults(run=run, policy=POLICIES[0], scores="given")


def run(args: argparse.Namespace) -> int:
    """Measure what there is to measure, then write the page."""
    if not args.runs and not args.outputs:
        raise UsageError("nothing to report: give RUN or --outputs FILE")
    loaded = load_systems(args.runs, args.outputs)
    qrels, qrels_notes = load_qrels(args.qrels)
    groups = load_groups(args, qrels)
    table, table_notes = load_factors(args.systems)
    notes = [*loaded.notes, *qrels_notes, *groups.notes, *table_notes]
    with loaded.naming(groups.labels, args.groups):
        sections = [*_measures(args, loaded, qrels, groups, table, notes)]
        for quality in ("EER", "EU"):
            sections += _tradeoff(args, loaded, qrels, table, quality, notes)
        sections += _attribution(args, loaded, qrels, table, notes)
    if not sections:
        raise UndefinedError("nothing of these files can be measured: give --qrels, --groups or --outputs")
    closing = (Code(_command(args.typed), "Command"), Code(bibliography(), "References"))
    warn(dict.fromkeys(notes))
    whole = [*sections, Section("How to reproduce and cite", blocks=closing)]
    print(html_text(args.title, whole, lead=_lead(loaded, qrels), plotly_js=plotly_script()))
    return 0


def _command(typed: Sequence[str]) -> str:
    """The command line as given, but for where the report goes: that changes nothing in it."""
    words = list(typed)
    if "--output" in words:
        place = words.index("--output")
        del words[place : place + 2]
    return shlex.join(["fairviz", *(word for word in words if not word.startswith("--output="))])


def _lead(loaded: Loaded, qrels: Sequence[Qrels]) -> str:
    judged = {query for labels in qrels for query in labels.query_ids}
    systems = plural(len(loaded.rankings) + len(loaded.outputs), "system")
    return f"{systems}, {plural(len(judged), 'judged query', 'judged queries')}." if judged else f"{systems}."


def _usual(args: argparse.Namespace, loaded: Loaded, qrels: Sequence[Qrels], groups: Groups) -> list[str]:
    """Measures where none are asked for."""
    gain, rel = gain_of(args)
    relevance = f"EER(rel={rel})@{args.k}" if gain == "binary" else f"EER@{args.k}"
    judged = [f"EED@{args.k}", relevance, "nDCG@10", "AP"] if loaded.rankings and qrels else []
    grouped = ["AWRF", "nDKL@10"] if loaded.rankings and groups.labels is not None and groups.target is not None else []
    return [*judged, *grouped, *(["EU", f"EAR@{args.k}", f"EAED@{args.k}"] if loaded.outputs else [])]


def _measures(
    args: argparse.Namespace,
    loaded: Loaded,
    qrels: Sequence[Qrels],
    groups: Groups,
    table: Mapping[str, Factors],
    notes: list[Note],
) -> list[Section]:
    """Means of all systems, and each minus the first."""
    texts = cast("list[str]", args.measures) or _usual(args, loaded, qrels, groups)
    if not texts:
        return []
    measures = parse_measures(texts)
    systems = (*loaded.rankings, *loaded.outputs)
    result: Evaluation = evaluate(
        systems,
        measures,
        qrels=qrels,
        labels=groups.labels,
        target=groups.target,
        pairs=pairs_of(args.pair, loaded),
        refuse=False,
    )
    notes += loaded.placed(result.notes)
    if not result.scores:
        return []
    found: list[Section] = []
    recorded = {one.system: table.get(one.system, Factors()).over(factors_of(one)) for one in systems}
    pairs: list[Pair] = []
    for side in (loaded.rankings, loaded.outputs):
        names = {one.system: recorded[one.system] for one in side}
        valued = {one.name: one.system for one in result.judged} | {name: name for name in names}
        scores = tuple(score for score in result.scores if valued.get(score.system) in names)
        if scores and len(names) > 1:
            first = valued[scores[0].system]
            others = {note.file for note in other_tasks(names, first)}
            pairs += score_pairs(result._replace(scores=scores), first, others)
    rows = compare_all(pairs, seed=args.seed)
    known = measure_tables(
        MeasureResults(
            evaluation=result,
            intervals=score_intervals(result.scores, seed=args.seed),
            compared=rows or None,
            measures=measures,
            seed=args.seed,
        )
    )
    stems = [stem for stem, table in known.items() if table.audience != "programs" and stem != "compared"]
    found.append(section_of(known, "Measures", blocks=stems))
    if rows:
        found.append(section_of(known, "Differences from the first system", blocks=["compared"]))
    return found


def _tradeoff(
    args: argparse.Namespace,
    loaded: Loaded,
    qrels: Sequence[Qrels],
    table: Mapping[str, Factors],
    quality: str,
    notes: list[Note],
) -> list[Section]:
    """Curves of each task, and the tables of the grid."""
    side: Quality = "relevance" if quality == "EER" else "utility"
    conditions, found = grid_conditions(args, loaded, qrels, table, quality)
    notes += found
    if not any(condition.curve(side) for condition in conditions):
        return []
    columns = varying(conditions)
    grid = compare_grid(distinct(conditions, columns), quality=side, seed=args.seed)
    known = compare_tables(CompareResults(grid=grid, by=columns, seed=args.seed))
    charts = [_chart(task, conditions, side, columns) for task in grid.tasks if task.areas]
    blocks = [*charts, *(stem for stem in SHOWN if stem in known and known[stem].rows)]
    return [section_of(known, f"EE-D and {grid.quality}", blocks=blocks)]


def _chart(task: TaskComparison, conditions: Sequence[Condition], side: Quality, columns: Sequence[str]) -> Figure:
    """The curves of a task, its baseline in colour."""
    kept = [row.factors for row in task.areas]
    lines: list[Line] = []
    for condition in conditions:
        curve = condition.curve(side)
        if curve is not None and condition.factors in kept:
            shown = [str(getattr(condition.factors, name) or "") for name in columns if name not in ("task", "dataset")]
            line = replace(Line.of(curve), system=", ".join(filter(None, shown)) or curve.system)
            lines.insert(0 if condition.factors == task.baseline else len(lines), line)
    view = TradeoffView(lines=lines, system=lines[0].system, joined=False, exact=False)
    light, dark = in_both_themes(lambda colours: tradeoff_figure(view, colours=colours))
    caption = ", ".join(filter(None, (task.task, task.dataset)))
    return Figure(light, dark, tradeoff_alt(view, None), caption=caption, name="fairviz-tradeoff")


def _attribution(
    args: argparse.Namespace, loaded: Loaded, qrels: Sequence[Qrels], table: Mapping[str, Factors], notes: list[Note]
) -> list[Section]:
    """What generators used of what they were given."""
    if not loaded.outputs:
        return []
    gain, rel = gain_of(args)
    outputs = [described(one, table.get(one.system, Factors())) for one in loaded.outputs]
    pairs = pairings(outputs, loaded.rankings, pairs_of(args.pair, loaded))
    points, left_out = measured_outputs(
        outputs,
        pairs,
        loaded.rankings,
        qrels,
        k=args.k,
        gain=gain,
        rel=rel,
    )
    notes += loaded.placed([replace(note, message=f"left out: {note.message}") for note in left_out])
    if not points:
        return []
    rows = output_summaries(by_generator(points), rng=np.random.default_rng(args.seed))
    results = AttributionResults(k=args.k, relevance=relevance_measure(TopK(args.k), gain, rel), summaries=rows)
    return [section_of(attribution_tables(results), "Use of the retrieved context", blocks=["consumption"])]
