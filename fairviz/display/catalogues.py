"""The measures and the re-rankers as tables."""

from collections.abc import Sequence

from fairviz.display.table import Formula, Table, keyed
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.spec import unknown_measure
from fairviz.reranking.catalogue import RERANKERS, find_reranker


def measures_table(names: Sequence[str] = (), *, typeset: bool = False) -> Table:
    """A row per measure of fairviz.

    Args:
        names: Only these, in this order; none: all.
        typeset: Formulas in LaTeX, else in plain characters.

    Raises:
        UsageError: There is no measure of that name.
    """
    for name in names:
        if name not in CATALOGUE:
            raise unknown_measure(name)
    rows = [
        (
            measure.name,
            measure.label,
            measure.title,
            measure.better,
            *measure.range,
            Formula(measure.latex) if typeset else measure.formula,
            measure.citation,
            measure.needs_words,
        )
        for measure in ([CATALOGUE[name] for name in names] or CATALOGUE.values())
    ]
    columns = ("name", "label", "title", "better", "lowest", "highest", "formula", "citation", "needs")
    return Table(keyed(*columns), tuple(rows))


def rerankers_table(names: Sequence[str] = ()) -> Table:
    """A row per re-ranker.

    Args:
        names: Only these, in this order; none: all.

    Raises:
        UsageError: There is no re-ranker of that name.
    """
    rows = [
        (
            method.name,
            method.label,
            method.summary,
            ", ".join(f"{option.name}: {option.accepted}" for option in method.options),
            ", ".join([*["groups"] * method.uses_groups, *["target"] * method.uses_target]),
            method.judgements,
            method.citation,
        )
        for method in ([find_reranker(name) for name in names] or RERANKERS)
    ]
    return Table(keyed("name", "label", "what it does", "options", "needs", "judgements", "citation"), tuple(rows))
