"""Agreement of measures as rows, for every surface."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from fairviz.display.markup import Html, rendered
from fairviz.display.table import Cell, Column, Table, keyed
from fairviz.display.theme import DARK, LIGHT, look_colour
from fairviz.display.words import plural
from fairviz.evaluation.compare import short_names
from fairviz.evaluation.rankings import Refusal
from fairviz.metrics.catalogue import CATALOGUE, parse_measure
from fairviz.model import Look
from fairviz.resources import content
from fairviz.studies.agreement.orders import Orders

if TYPE_CHECKING:
    from fairviz.studies.agreement.analysis import Agreement

MOST_TINTS, TINTS = 6, (6, 45)
"""Systems up to which each has a tint of its own in the picture of orders, and the palest and fullest, in percent."""
ARROWS = {"higher": "↑", "lower": "↓", "closest to 0": "→0"}


def pairs_table(agreements: "Sequence[Agreement]") -> Table:
    """One row per pair of measures and data set; NaN = undefined."""
    return Table.of(
        pl.concat([agreement.pairs.with_columns(data=pl.lit(agreement.name)) for agreement in agreements]),
        keyed("measure_a", "measure_b", "tau", "n_systems", "data", signed=("tau",)),
        f"Kendall's τ-{agreements[0].variant} between measures over systems, each turned so that higher is closer to "
        "its own ideal",
    )


def systems_table(agreement: "Agreement") -> Table:
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


def left_out_table(refused: Sequence[Refusal]) -> Table:
    """What could not be computed, each reason once, with the number of systems that it holds for."""
    counts = Counter((refusal.measure, refusal.reason) for refusal in refused)
    return Table(
        (Column("left out", "measure"), Column("systems"), Column("reason", "why it could not be computed")),
        tuple((measure, n, reason) for (measure, reason), n in counts.items()),
    )


def orders_table(orders: Orders) -> Table:
    """A row per measure that is tested: systems from best to last, and how many pairs of them it tells apart."""
    n = max((orders.order(measure).height for measure, *_ in orders.tested), default=0)
    places = tuple(Column(f"place_{rank}", "best" if rank == 1 else f"{rank}.") for rank in range(1, n + 1))
    rows: list[tuple[Cell, ...]] = []
    for measure, n_told, pairs in orders.tested:
        systems: list[Cell] = orders.order(measure)["system"].to_list()
        rows.append((measure, *systems, *[None] * (n - len(systems)), n_told, pairs))
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
            "told": n_told,
            "pairs": pairs,
            "lacking": list(orders.undefined.get(measure, ())),
        }
        for (measure, n_told, pairs), name in zip(measures, names, strict=True)
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


def tables(agreements: "Sequence[Agreement]", consistent: pl.DataFrame) -> dict[str, Table]:
    """Every table by stem.

    Args:
        agreements: One per data set.
        consistent: Pairs of measures with one sign of τ in all data sets.
    """
    first, refusals = agreements[0], [refusal for agreement in agreements for refusal in agreement.refused]
    values = keyed("system", "measure", "value", "n_queries", "n_undefined")
    ways = tuple(first.directions.items())
    made = {
        "pairs": pairs_table(agreements),
        "values": Table.of(pl.concat([agreement.values for agreement in agreements]), values, ""),
        "systems": systems_table(first),
        "measures": Table(keyed("measure", "better"), ways, "Which way each measure improves", audience="programs"),
        "refused": Table(keyed(*Refusal._fields), tuple(refusals), audience="programs"),
        "left-out": left_out_table(refusals),
    }
    if (orders := first.orders) is not None:
        tests, caption = keyed(*orders.tests.columns), f"Tests behind the orders, {orders.name}"
        made["orders"] = orders_table(orders)
        made["order-tests"] = Table.of(orders.tests, tests, caption, audience="programs")
    if len(agreements) > 1:
        made["consistent"] = consistent_table(consistent, [agreement.name for agreement in agreements])
    return made
