"""What agreement of measures says, in sentences computed from it."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from fairviz.display.words import Finding, capital, count_word, listing, number, plural
from fairviz.evaluation.compare import short_names
from fairviz.stats.correlation import chance_tau
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.agreement.correlations import Agreement
from fairviz.studies.agreement.orders import Orders


def agreement_title(agreement: Agreement) -> str:
    """The finding: which two measures disagree on the order of systems, else how many agree.

    Significant accounts for the number of pairs that were looked at.
    """
    n, n_reported, apart = agreement.n_systems, agreement.reported.height, agreement.beyond_chance.rows(named=True)
    many = f"{len(agreement.measures)} measures"
    if agreement.alone:
        return f"{agreement.alone} alone has values: there is no other measure that it could agree with"
    if n < 2:
        return (
            "One system has no order that measures could agree on" if n else "Nothing to compare: no system has a value"
        )
    if agreement.defined.is_empty():
        return f"No two measures order the {n} systems: values are undefined or equal"
    if not n_reported:
        return f"Too few queries to compare measures: under {count_word(MIN_UNITS)}"
    if apart and apart[0]["tau"] < 0:
        a, b = _short(agreement.measures, apart[0])
        return f"{a} and {b} disagree on the order of the {n} systems (τ = {number(apart[0]['tau'], 2)})"
    if agreement.orders is not None or np.isnan(chance_tau(n, level=0.05 / n_reported)):
        return f"With {n} systems we cannot say which of {many} agree"
    if len(apart) == agreement.pairs.height:
        least = number(apart[0]["tau"], 2)
        return f"All {many} agree on the order of the {n} systems (τ at least {least})"
    if not apart:
        return f"No two of {many} agree or disagree significantly on the order of the {n} systems"
    agree = f"agree{'s' if len(apart) == 1 else ''} significantly on the order of the {n} systems"
    return f"{len(apart)} of {plural(n_reported, 'pair')} of measures {agree}, none disagrees"


def orders_finding(orders: Orders) -> Finding:
    """What measures say of fewer than ten systems: whether they contradict each other where both tell systems apart.

    Every claim rests on paired t-tests, Holm over all pairs of systems and measures of the table.
    """
    n, telling_measures = orders.systems, orders.separated
    words = _tests_words(orders)
    few = f"{plural(n, 'system is', 'systems are')} too few to say which measures agree in general. {words}"
    if not telling_measures:
        if not orders.enough:
            return Finding(f"Too few queries to compare measures: under {count_word(MIN_UNITS)}", few)
        return Finding(f"No measure tells these {n} systems apart", few)
    opposed = orders.opposed().filter(pl.col("opposed") > 0)
    if n == 2:
        return Finding(_two_systems(orders), few)
    if opposed.height:
        worst = opposed.row(0, named=True)
        a, b = _short([measure for measure, *_ in orders.tested], worst)
        both, against = worst["both"], worst["opposed"]
        pairs = plural(both, "pair")
        all_pairs = "both pairs" if both == 2 else f"all {pairs}"
        of = all_pairs if against == both > 1 else f"{against} of {pairs}" if both > 1 else "the pair"
        title = f"Choosing a measure is choosing a system: {a} and {b} disagree on {of} of systems that both tell apart"
        return Finding(title, few)
    firsts = [orders.order(measure)["system"][0] for measure, *_ in telling_measures]
    best = max(dict.fromkeys(firsts), key=firsts.count)
    return Finding(
        f"Where measures tell your systems apart, they agree: {best} is first in {firsts.count(best)} of {len(firsts)}",
        few,
    )


def untold_title(orders: Orders) -> str:
    """Head of the measures that tell no two systems apart."""
    n = len(orders.untold)
    return f"{capital(count_word(n))} {'measure does' if n == 1 else 'measures do'} not tell these systems apart: " + (
        "its order may be chance" if n == 1 else "their order may be chance"
    )


def untold_words(orders: Orders) -> str:
    """What would help measures that tell no two systems apart."""
    if orders.enough:
        return "Listed by value only, no order can be claimed. More queries would help, not more measures."
    return f"Listed by value only: {plural(orders.n_queries, 'query is', 'queries are')} too few for any test."


def untested_words(orders: Orders) -> str:
    """Measures that are in no order, or have no test, and why."""
    lacking = [f"{measure} is undefined for {listing(list(systems))}" for measure, systems in orders.undefined.items()]
    by_reason: dict[str, list[str]] = {}
    for measure, reason in orders.untested.items():
        by_reason.setdefault(reason, []).append(measure)
    untested = [
        f"{listing(list(short_names(measures)))} {'has' if len(measures) == 1 else 'have'} no test ({reason})"
        for reason, measures in by_reason.items()
    ]
    return "; ".join([*lacking, *untested]) + "." if lacking or untested else ""


def report_finding(orders: Orders) -> Finding | None:
    """Which measures to report: one of each set that never contradicts another; None where nothing is told apart."""
    sets = orders.consistent()
    if not sets:
        return None
    names = dict(zip((every := [m for family in sets for m in family]), short_names(every), strict=True))
    sets = [[names[measure] for measure in family] for family in sets]
    alike = [
        f"Where {listing(family)} tell two systems apart, they never contradict one another: one of them is enough for "
        "these systems."
        for family in sets
        if len(family) > 1
    ]
    if len(sets) == 1:
        only = listing(sets[0], "or")
        return Finding(f"Report any one of them: {only}" if alike else f"Report {only}", "".join(alike))
    firsts = listing([family[0] for family in sets])
    title = f"Report {firsts} side by side: where two of them tell two systems apart, they can say the opposite"
    return Finding(title, " ".join(alike))


def _tests_words(orders: Orders) -> str:
    if not orders.enough:
        return f"{plural(orders.n_queries, 'query is', 'queries are')} too few for any test."
    resampled = listing(list(short_names(orders.resampled)))
    bootstrap = f" (paired bootstrap for {resampled}, one value per system)" if resampled else ""
    fewest = int(orders.tests.filter(pl.col("p_holm").is_not_null())["n_queries"].to_numpy().min())
    span = f"{fewest}–" if fewest < orders.n_queries else ""
    return (
        f"Paired t over {span}{plural(orders.n_queries, 'query', 'queries')}{bootstrap}, corrected (Holm) for the "
        f"{plural(orders.tests['p_holm'].count(), 'test')} of all pairs of systems and measures."
    )


def _two_systems(orders: Orders) -> str:
    """How many measures prefer each of two systems, and how many do not tell."""
    firsts = [orders.order(measure)["system"][0] for measure, *_ in orders.separated]
    better = sorted(dict.fromkeys(firsts), key=firsts.count, reverse=True)
    parts = [f"{better[0]} is better by {plural(firsts.count(better[0]), 'measure')}"]
    parts += [f"{other} by {firsts.count(other)}" for other in better[1:]]
    n = len(orders.untold)
    return ", ".join(parts) + (f"; {n} {'does' if n == 1 else 'do'} not tell" if n else "")


def _short(measures: Sequence[str], pair: dict[str, Any]) -> tuple[str, str]:
    """The names of a pair of measures, as short as all measures allow."""
    names = dict(zip(measures, short_names(measures), strict=True))
    return names[pair["measure_a"]], names[pair["measure_b"]]


def agreement_sentence(agreement: Agreement, n_refused: int = 0) -> str:
    """The grey line: what is counted, how it is turned, what is missing."""
    undefined = agreement.pairs.height - agreement.defined.height
    missing = f" {plural(undefined, 'pair')} undefined (–)." if undefined else ""
    refused = f" {plural(n_refused, 'measure')} could not be computed." if n_refused else ""
    if agreement.alone:
        return refused.strip()
    return (
        f"Kendall's τ-{agreement.variant} between measures over "
        f"{plural(agreement.n_systems, 'system')}, each "
        "turned so that higher is closer to its own ideal. 1: same order. 0: unrelated. "
        f"{number(-1, 0)}: reversed.{missing}{refused}"
    )


def choice_sentences(agreement: Agreement) -> tuple[str, ...]:
    """What the agreement means for somebody who has to choose a measure."""
    apart = agreement.beyond_chance.rows(named=True)
    if agreement.reported.is_empty():
        return ("Choosing a measure is choosing a question; these systems cannot show it.",)
    sentences = ["Choosing a measure is choosing a question."]
    if apart and apart[-1]["tau"] > 0:
        a, b = _short(agreement.measures, apart[-1])
        sentences.append(
            f"{a} and {b} order the systems most alike (τ = {number(apart[-1]['tau'], 2)}): reporting both adds little."
        )
    if apart and apart[0]["tau"] < 0:
        a, b = _short(agreement.measures, apart[0])
        tau = number(apart[0]["tau"], 2)
        sentences.append(f"{a} and {b} disagree most (τ = {tau}): report both, or say why one is enough.")
    return (*sentences, chance_sentence(agreement))


def classes_sentence(agreement: Agreement) -> str:
    """How many pairs of measures order the systems alike, opposite, or unrelated, as the matrix colours them."""
    counts = Counter(agreement.classes.filter(pl.col("tau").is_not_nan())["says"])
    return (
        f"Same order (teal): {plural(counts['same order'], 'pair')}; opposite (amber): {counts['opposite']}; "
        f"unrelated, or not significantly related (grey numbers): {counts['unrelated']}."
    )


def chance_sentence(agreement: Agreement) -> str:
    """Which |τ| chance alone often gives with so many systems, and among so many pairs."""
    n, n_pairs = agreement.n_systems, agreement.reported.height
    limit = chance_tau(n)
    if np.isnan(limit):
        return f"With {plural(n, 'system')} even τ = 1 can be chance (5 % level)."
    most = round(0.05 * n_pairs)
    among = f" Of {n_pairs} pairs expect up to {count_word(most)} beyond that by luck." if most else ""
    return f"With {n} systems, |τ| under {number(limit, 2)} can be chance (5 % level, no ties).{among}"


def consistent_title(pairs: pl.DataFrame, data_sets: Sequence[str]) -> str:
    """Whether what holds on one data set holds on the others: pairs that agree, or disagree, significantly in all.

    Args:
        pairs: See :func:`~fairviz.studies.agreement.analysis.consistent_pairs`.
        data_sets: Their names.

    Examples:
        >>> pairs = pl.DataFrame({"taus": [[0.8, 0.6], [0.3, 0.2]], "beyond_chance": [True, False]})
        >>> consistent_title(pairs, ["region", "size"])
        '1 pair of measures agrees significantly by region and by size, none disagrees'
        >>> consistent_title(pairs[1:], ["region", "size"])
        'No pair of measures agrees or disagrees significantly by region and by size'
    """
    where = listing([f"by {name}" for name in data_sets])
    n_agree, n_opposed = (some.height for some in _significant(pairs))
    if not n_agree and not n_opposed:
        return f"No pair of measures agrees or disagrees significantly {where}"
    agree = f"{plural(n_agree, 'pair of measures agrees', 'pairs of measures agree')} significantly {where}"
    if not n_agree:
        return f"{plural(n_opposed, 'pair of measures disagrees', 'pairs of measures disagree')} significantly {where}"
    return f"{agree}, {count_word(n_opposed) if n_opposed else 'none'} disagree{'' if n_opposed > 1 else 's'}"


def consistent_sentence(pairs: pl.DataFrame, data_sets: Sequence[str]) -> str:
    """Which pairs agree beyond chance in all data sets, the strongest named.

    One sign everywhere is what half of all unrelated pairs have in two data sets, so it is counted and nothing more.
    """
    n = len(data_sets)
    where = f"{'both' if n == 2 else f'all {n}'} data sets ({listing(list(data_sets))})"
    agreeing, opposed = _significant(pairs)
    if pairs.is_empty():
        return f"No pair of measures has one sign of τ in {where}."
    if agreeing.is_empty() and opposed.is_empty():
        signs = plural(pairs.height, "pair of measures has", "pairs of measures have")
        return f"{signs} one sign of τ in {where}, none of them significantly."
    sentences: list[str] = []
    if agreeing.height:
        best = agreeing.row(0, named=True)
        sentences.append(
            f"{plural(agreeing.height, 'pair of measures agrees', 'pairs of measures agree')} significantly in "
            f"{where}: most of all {_pair(best)}, τ at least {number(best['weakest'], 2)}."
        )
    if opposed.height:
        worst = opposed.row(0, named=True)
        rest = "" if sentences else f" in {where}"
        sentences.append(
            f"{plural(opposed.height, 'pair opposes', 'pairs oppose')} each other significantly throughout{rest}: "
            f"most of all {_pair(worst)}, τ at most {number(-worst['weakest'], 2)}."
        )
    return " ".join(sentences)


def _significant(pairs: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Pairs beyond chance in all data sets that agree, and those that oppose each other."""
    significant = pairs.filter("beyond_chance")
    agrees = pl.col("taus").list.first() > 0
    return significant.filter(agrees), significant.filter(~agrees)


def _pair(pair: dict[str, Any]) -> str:
    return " and ".join(_short((pair["measure_a"], pair["measure_b"]), pair))
