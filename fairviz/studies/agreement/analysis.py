"""How far measures agree on the order of systems (Raj et al. 2022, 3.3 and Figure 1), and the values that it is of.

Every measure of every system is taken against one target; what no target moves is measured once for all of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import polars as pl

from fairviz.display.html import Play, Section
from fairviz.display.markup import Html, rendered
from fairviz.display.methods import AgainstTarget
from fairviz.display.table import Cell, Column, Table, keyed
from fairviz.display.theme import DARK, LIGHT, look_colour
from fairviz.display.words import Finding, listing, plural
from fairviz.errors import UndefinedError, UsageError
from fairviz.evaluation.compare import short_names
from fairviz.evaluation.evaluate import Evaluation, evaluate
from fairviz.evaluation.rankings import Refusal
from fairviz.evaluation.systems import of_another_task, of_collection, rankings_by_alpha
from fairviz.kernels.grouping import Preset
from fairviz.metrics.catalogue import CATALOGUE, parse_measure, parse_measures
from fairviz.metrics.group_measures import GROUP_MEASURES
from fairviz.model import Dataset, Look, Note, RankingSample, Run, Target
from fairviz.remembered import remembered
from fairviz.resources import content
from fairviz.stats.correlation import chance_tau
from fairviz.studies.agreement.correlations import Agreement, agreement_of, consistent_pairs, values_of
from fairviz.studies.agreement.findings import (
    agreement_sentence,
    agreement_title,
    choice_sentences,
    consistent_sentence,
    consistent_title,
    orders_finding,
    report_finding,
    untested_words,
    untold_title,
    untold_words,
)
from fairviz.studies.agreement.orders import FEW, Orders, orders_of
from fairviz.studies.agreement.settings import AgreementSettings
from fairviz.studies.study import Analysis, Chart

OF_THE_TOP = frozenset(measure.name for measure in GROUP_MEASURES if measure.at_rank)
"""Measures whose papers take them at a rank k."""

EXPOSURE_OF_GROUPS = "(by='group', norm='none', browsing='rbp')"
"""How expected exposure of groups is asked for, with an attention of Raj et al.'s Table 3."""

ONE_GROUP = frozenset({"PreF", "FAIRBinomial"} | {m.name for m in GROUP_MEASURES if m.binomial})
"""Measures that compare one group with the others."""


@dataclass(frozen=True, kw_only=True)
class AgreementAnalysis(Analysis):
    """How measures agree, and the values that this is of, on each data set, a set of groups each."""

    agreements: tuple[Agreement, ...]

    def in_report(self) -> list[Section | Play]:
        """The headline with its charts and tables, then what measures say of few systems."""
        return [
            *super().in_report(),
            *(part for target_agreement in self.agreements for part in order_parts(target_agreement)),
        ]


@remembered
def analyse(data: Dataset, settings: AgreementSettings) -> AgreementAnalysis:
    """τ of every two measures, every value behind it, and what could not be computed.

    Args:
        data: Rankings, groups, and judgements where measures need them.
        settings: Measures, targets, variant of τ.

    Raises:
        UndefinedError: There are no rankings.
        UsageError: None of the measures can be computed.
    """
    judged_systems = systems_judged(data, settings.judgements)
    if not judged_systems:
        raise UndefinedError("there are no rankings to compare: give RUN")
    texts = settings.measures or agreement_measures(settings.k, judged=bool(data.qrels))
    sets = (settings.against, *settings.beside)
    measured = [_measured(data, against, settings.judgements, texts) for against in sets]
    if not measured[0].scores:
        refusal = measured[0].refused[0]
        raise UsageError(": ".join(filter(None, (_named(refusal), refusal.fix))))
    specs = parse_measures(texts)
    agreements: list[Agreement] = []
    for against, scored in zip(sets, measured, strict=True):
        name, values = _name(data, against, settings.judgements), values_of(scored.scores, specs)
        few = 1 < values.filter(pl.col("value").is_not_nan())["system"].n_unique() < FEW
        orders = orders_of(name, scored.scores, values) if few else None
        made = agreement_of(values, name=name, variant=settings.tau)
        looks = {system: data.look_of(system) for system in values["system"].unique()}
        agreements.append(made._replace(refused=scored.refused, orders=orders, looks=looks))
    consistent = consistent_pairs(agreements)
    notes = [note for scored in measured for note in scored.notes]
    notes += of_another_task(rankings_by_alpha(data), judged_systems)
    notes += _refusal_notes([refusal for agreement in agreements for refusal in agreement.refused])
    return AgreementAnalysis(
        findings=_findings(agreements, consistent),
        tables=tables(agreements, consistent),
        charts={agreement.name: Chart("agreement", "agreement", (agreement,)) for agreement in agreements},
        notes=(*notes, *_few_systems(agreements[0].values["system"].unique(maintain_order=True).to_list())),
        agreements=tuple(agreements),
    )


def order_parts(agreement: Agreement) -> tuple[Section, ...]:
    """What measures say of few systems: those that tell some apart, those that do not, and what has no test."""
    orders = agreement.orders
    if orders is None:
        return ()
    better = agreement.directions
    parts: list[Section] = []
    if orders.separated:
        about = "A grey link joins neighbours that the measure does not tell apart."
        picture = orders_picture(orders, orders.separated, better, agreement.looks)
        parts.append(Section("What each measure says of your systems, best first", (about,), (picture,)))
    if orders.untold:
        picture = orders_picture(orders, orders.untold, better, agreement.looks)
        parts.append(Section(untold_title(orders), (untold_words(orders),), (picture,)))
    if words := untested_words(orders):
        parts.append(Section("Not in these orders", (words,)))
    return tuple(parts)


def _findings(agreements: Sequence[Agreement], consistent: pl.DataFrame) -> tuple[Finding, ...]:
    first = agreements[0]
    n_refused = len({refusal.measure for refusal in first.refused})
    general = Finding(agreement_title(first), agreement_sentence(first, n_refused))
    if first.alone:
        return (general,)
    findings = [general, Finding("What this means for a choice", " ".join(choice_sentences(first)))]
    if first.orders is not None:
        reported = report_finding(first.orders)
        findings = [orders_finding(first.orders), *([reported] if reported else []), *findings]
    if len(agreements) > 1:
        names = [target_agreement.name for target_agreement in agreements]
        findings.append(Finding(consistent_title(consistent, names), consistent_sentence(consistent, names)))
    return tuple(findings)


def systems_judged(data: Dataset, judgements: int) -> list[Run | RankingSample]:
    """Rankings of the collection of some judgements, all without judgements."""
    return of_collection(rankings_by_alpha(data), data.qrels[judgements : judgements + 1])


def _name(data: Dataset, against: AgainstTarget | None, judgements: int) -> str:
    """A data set by the attribute of its groups, else by who judged it."""
    if against is not None:
        return against.labels(data).attribute
    return next((qrels.generator or qrels.name for qrels in data.qrels[judgements : judgements + 1]), "data")


@remembered
def unmoved(data: Dataset, attribute: int | None, judgements: int, measures: tuple[str, ...]) -> Evaluation:
    """Measures that no target moves; those that need one are among the refused."""
    return _evaluated(data, attribute, judgements, measures, None)


@remembered
def _measured(data: Dataset, against: AgainstTarget | None, judgements: int, measures: tuple[str, ...]) -> Evaluation:
    """Every measure, averaged; what the data do not allow is refused with a reason."""
    attribute = None if against is None else against.attribute
    fixed = unmoved(data, attribute, judgements, measures)
    refused = {refusal.measure for refusal in fixed.refused}
    moving = tuple(text for spec in parse_measures(measures) if (text := spec.text or spec.name) in refused)
    target = None if against is None else against.shares(data) or "uniform"
    moved = _evaluated(data, attribute, judgements, moving, target)
    scores = (*(score for score in fixed.averaged if score.measure not in refused), *moved.averaged)
    return moved._replace(scores=scores, notes=(*fixed.notes, *moved.notes))


def _evaluated(
    data: Dataset, attribute: int | None, judgements: int, measures: Sequence[str], target: Target | Preset | None
) -> Evaluation:
    return evaluate(
        systems_judged(data, judgements),
        parse_measures(list(measures)) if measures else (),
        qrels=data.qrels[judgements : judgements + 1],
        labels=None if attribute is None else data.attributes[attribute],
        target=target,
        refuse=False,
    )


def agreement_measures(cutoff: int, *, judged: bool = True, group: str | None = None) -> tuple[str, ...]:
    """Measure strings of all group measures, those of the top at ``cutoff``.

    ``Skew`` is of one group and left to MinSkew and MaxSkew. What the data do not allow, evaluate
    refuses with a reason.

    Args:
        cutoff: k of the measures of the top, and of nDCG.
        judged: Whether there are judgements: without them nDCG is left out.
        group: The group that measures of one group look at; None: the smaller of two, and with
            more than two groups these measures are refused.

    Examples:
        >>> agreement_measures(10)[0], agreement_measures(10)[-1]
        ('AWRF', 'nDCG@10')
        >>> agreement_measures(5, group="Asia")[1]
        "PreF(group='Asia')"
    """
    names = [measure.name for measure in GROUP_MEASURES if measure.name != "Skew"]
    of_group = "" if group is None else f"(group={group!r})"
    of_groups = [f"{name}@{cutoff}" if name in OF_THE_TOP else name + of_group * (name in ONE_GROUP) for name in names]
    exposure = [f"{name}{EXPOSURE_OF_GROUPS}" for name in ("EED", "EER", "EEL")]
    return (*of_groups, *exposure, *([f"nDCG@{cutoff}"] if judged else []))


def _refusal_notes(refused: Sequence[Refusal]) -> list[Note]:
    """Each reason once, with the measures that it holds for: most refusals are alike for all systems."""
    of: dict[str, tuple[str, dict[str, None]]] = {}
    for refusal in refused:
        of.setdefault(refusal.reason, (refusal.system, {}))[1][refusal.measure] = None
    return [
        Note(system, None, f"left out: {listing([*measures])}: {reason}") for reason, (system, measures) in of.items()
    ]


def _named(refusal: Refusal) -> str:
    """The reason with the measure before it."""
    return refusal.reason if refusal.reason.startswith(refusal.measure) else f"{refusal.measure}: {refusal.reason}"


def _few_systems(systems: Sequence[str]) -> list[Note]:
    """What is to be known where too few systems are compared for an order."""
    n = len(systems)
    if n < 2:
        return [Note(systems[0], None, "one system has no order: tau needs at least two")]
    if np.isnan(chance_tau(n)):
        return [Note(systems[0], None, f"{n} systems only: any tau can be chance (5 % level)")]
    return []


# Agreement of measures as rows, for every surface.

MOST_TINTS, TINTS = 6, (6, 45)
"""Systems up to which each has a tint of its own in the picture of orders, and the palest and fullest, in percent."""
ARROWS = {"higher": "↑", "lower": "↓", "closest to 0": "→0"}


def pairs_table(agreements: Sequence[Agreement]) -> Table:
    """One row per pair of measures and data set; NaN = undefined."""
    return Table.of(
        pl.concat([agreement.pairs.with_columns(data=pl.lit(agreement.name)) for agreement in agreements]),
        keyed("measure_a", "measure_b", "tau", "n_systems", "data", signed=("tau",)),
        f"Kendall's τ-{agreements[0].variant} between measures over systems, each turned so that higher is closer to "
        "its own ideal",
    )


def systems_table(agreement: Agreement) -> Table:
    """A row per system, a column per measure; people read its direction in the heading."""
    ways = agreement.directions
    columns = [Column("system"), *(Column(name, f"{name} {ARROWS[way]}", "number") for name, way in ways.items())]
    by_system = agreement.values.pivot(on="measure", index="system", values="value", aggregate_function="last")
    return Table.of(by_system, columns, f"Every measure of every system, {agreement.name}", audience="papers")


def consistent_table(pairs: pl.DataFrame, data_sets: Sequence[str]) -> Table:
    """One row per pair with one sign of τ in all data sets, strongest first."""
    return Table(
        keyed("measure_a", "measure_b", *data_sets, signed=tuple(data_sets)),
        tuple((*pair, *taus) for *pair, taus in pairs.select("measure_a", "measure_b", "taus").iter_rows()),
        caption="Pairs of measures whose τ has one sign in all data sets",
    )


def left_out_table(agreements: Sequence[Agreement]) -> Table:
    """What could not be computed on which data, each reason once, with the number of systems that it holds for."""
    reasons: dict[tuple[str, str], tuple[dict[str, None], set[str]]] = {}
    for agreement in agreements:
        for refusal in agreement.refused:
            data, systems = reasons.setdefault((refusal.measure, refusal.reason), ({}, set()))
            data[agreement.name] = None
            systems.add(refusal.system)
    return Table(
        (Column("left out", "measure"), *keyed("data", "systems"), Column("reason", "why it could not be computed")),
        tuple((what, listing([*data]), len(systems), why) for (what, why), (data, systems) in reasons.items()),
    )


def orders_table(orders: Orders) -> Table:
    """A row per measure that is tested: systems from best to last, and how many pairs of them it tells apart."""
    n = max((orders.order(measure).height for measure, *_ in orders.tested), default=0)
    places = tuple(Column(f"place_{rank}", "best" if rank == 1 else f"{rank}.") for rank in range(1, n + 1))
    rows: list[tuple[Cell, ...]] = []
    for measure, n_apart, pairs in orders.tested:
        systems: list[Cell] = orders.order(measure)["system"].to_list()
        rows.append((measure, *systems, *[None] * (n - len(systems)), n_apart, pairs))
    columns = (Column("measure"), *places, Column("told", "told apart", "number"), Column("pairs", kind="number"))
    resampled = " (paired bootstrap where a measure has one value per system)" if orders.resampled else ""
    return Table(
        columns,
        tuple(rows),
        f"What each measure says of the systems, best first, {orders.name}; pairs told apart: paired t-test over "
        f"queries{resampled}, Holm over {plural(orders.tests['p_holm'].count(), 'test')}",
    )


def orders_picture(
    orders: Orders,
    measures: Sequence[tuple[str, int, int]],
    better: Mapping[str, str],
    looks: Mapping[str, Look] = MappingProxyType({}),
) -> Html:
    """Orders of some measures as markup: a chip per system, best first, linked to the next one it is not told from.

    Args:
        orders: All of them.
        measures: Measures with the pairs that they tell apart, and all pairs.
        better: How each measure improves.
        looks: Colours of systems: those of their chips.
    """
    names = short_names([measure for measure, *_ in measures])
    systems = orders.places["system"].unique(maintain_order=True).to_list()
    shares: Iterable[float] = np.linspace(*TINTS, len(systems)).round() if len(systems) <= MOST_TINTS else ()
    tint = "background:color-mix(in srgb, var(--fv-plackett-luce-fill) {:.0f}%, var(--fv-page))"
    tints = {system: tint.format(share) for system, share in zip(systems, shares, strict=False)}
    for system, look in looks.items():
        if look.colour is not None:
            light, dark = (look_colour(look, colours, colours.ink) for colours in (LIGHT, DARK))
            tints[system] = f"border: 3px solid light-dark({light},{dark})"
    rows = [
        {
            "name": _question(measure) or name,
            "about": _about(measure, name, better[measure]),
            "places": orders.order(measure).to_dicts(),
            "told": n_apart,
            "pairs": pairs,
            "lacking": list(orders.undefined.get(measure, ())),
        }
        for (measure, n_apart, pairs), name in zip(measures, names, strict=True)
    ]
    return rendered("orders.html", rows=rows, tints=tints)


def _question(measure: str) -> str:
    """What a measure asks; empty where nobody wrote it down."""
    spec = parse_measure(measure)
    return content("methods/questions").get(f"{spec.name}{' of groups' * (spec.params.get('by') == 'group')}", "")


def _about(measure: str, name: str, better: str) -> str:
    """The name of a measure below its question, else its title, and how it improves."""
    catalogued = CATALOGUE.get(parse_measure(measure).name)
    title = name if _question(measure) else catalogued.title if catalogued else ""
    return " · ".join(filter(None, (title, f"{better} is better")))


def tables(agreements: Sequence[Agreement], consistent: pl.DataFrame) -> dict[str, Table]:
    """Every table by stem.

    Args:
        agreements: One per data set.
        consistent: Pairs of measures with one sign of τ in all data sets.
    """
    first, refusals = agreements[0], [refusal for agreement in agreements for refusal in agreement.refused]
    of_data = ("data",) if len(agreements) > 1 else ()
    values = keyed("system", "measure", "value", "n_queries", "n_undefined", *of_data)
    ways = tuple(first.directions.items())
    made = {
        "pairs": pairs_table(agreements),
        "values": Table.of(
            pl.concat([agreement.values.with_columns(data=pl.lit(agreement.name)) for agreement in agreements]),
            values,
            "",
        ),
        "systems": systems_table(first),
        "measures": Table(keyed("measure", "better"), ways, "Which way each measure improves", audience="programs"),
        "refused": Table(keyed(*Refusal._fields), tuple(refusals), audience="programs"),
        "left-out": left_out_table(agreements),
    }
    if (orders := first.orders) is not None:
        tests, caption = keyed(*orders.tests.columns), f"Tests behind the orders, {orders.name}"
        made["orders"] = orders_table(orders)
        made["order-tests"] = Table.of(orders.tests, tests, caption, audience="programs")
    if len(agreements) > 1:
        made["consistent"] = consistent_table(consistent, [agreement.name for agreement in agreements])
    return made
