"""What agreement of measures says, in sentences computed from it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from fairviz.display.words import count_word, listing, number, plural
from fairviz.evaluation.compare import short_names
from fairviz.stats.correlation import chance_tau
from fairviz.stats.tests import MIN_UNITS

if TYPE_CHECKING:
    from fairviz.studies.agreement.analysis import Agreement


def agreement_title(agreement: "Agreement") -> str:
    """The finding: which two measures disagree on the order of systems, else how many agree.

    Significant accounts for the number of pairs that were looked at.
    """
    n, n_told, apart = agreement.n_systems, agreement.told.height, agreement.beyond_chance.rows(named=True)
    if n < 2:
        return (
            "One system has no order that measures could agree on" if n else "Nothing to compare: no system has a value"
        )
    if agreement.defined.is_empty():
        return f"No two measures order the {n} systems: values are undefined or equal"
    if not n_told:
        return f"Too few queries to compare measures: under {count_word(MIN_UNITS)}"
    if apart and apart[0]["tau"] < 0:
        a, b = _named(apart[0], agreement)
        return f"{a} and {b} disagree on the order of the {n} systems (τ = {number(apart[0]['tau'], 2)})"
    if np.isnan(chance_tau(n, level=0.05 / n_told)):
        return f"With {n} systems we cannot say which of {_measures(agreement)} agree"
    if len(apart) == n_told:
        least = number(apart[0]["tau"], 2)
        return f"All {_measures(agreement)} agree on the order of the {n} systems (τ at least {least})"
    if not apart:
        return f"No two of {_measures(agreement)} agree or disagree significantly on the order of the {n} systems"
    agree = f"agree{'s' if len(apart) == 1 else ''} significantly on the order of the {n} systems"
    return f"{len(apart)} of {plural(n_told, 'pair')} of measures {agree}, none disagrees"


def agreement_sentence(agreement: "Agreement", n_refused: int = 0) -> str:
    """The grey line: what is counted, how it is turned, what is missing."""
    undefined = agreement.pairs.height - agreement.defined.height
    missing = f" {plural(undefined, 'pair')} undefined (hatched)." if undefined else ""
    refused = f" {plural(n_refused, 'measure')} could not be computed." if n_refused else ""
    return (
        f"Kendall's τ-{agreement.variant} between measures over "
        f"{plural(agreement.n_systems, 'system')}, each "
        "turned so that higher is closer to its own ideal. 1: same order. 0: unrelated. "
        f"{number(-1, 0)}: reversed.{missing}{refused}"
    )


def choice_sentences(agreement: "Agreement") -> tuple[str, ...]:
    """What the agreement means for somebody who has to choose a measure."""
    told, apart = (pairs.rows(named=True) for pairs in (agreement.told, agreement.beyond_chance))
    if not told:
        return ("Choosing a measure is choosing a question; these systems cannot show it.",)
    sentences = ["Choosing a measure is choosing a question."]
    if apart and apart[-1]["tau"] > 0:
        a, b = _named(apart[-1], agreement)
        sentences.append(
            f"{a} and {b} order the systems most alike (τ = {number(apart[-1]['tau'], 2)}): reporting both adds little."
        )
    if told[0]["tau"] < 0:
        a, b = _named(told[0], agreement)
        beyond = "" if apart and apart[0] == told[0] else ", not significant"
        tau = f"τ = {number(told[0]['tau'], 2)}{beyond}"
        sentences.append(f"{a} and {b} disagree most ({tau}): report both, or say why one is enough.")
    return (*sentences, chance_sentence(agreement))


def chance_sentence(agreement: "Agreement") -> str:
    """Which |τ| chance alone often gives with so many systems, and among so many pairs."""
    n, n_pairs = agreement.n_systems, agreement.told.height
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
    return " and ".join(short_names((pair["measure_a"], pair["measure_b"])))


def _named(pair: dict[str, Any], agreement: "Agreement") -> tuple[str, str]:
    names = dict(zip(agreement.measures, short_names(agreement.measures), strict=True))
    return names[pair["measure_a"]], names[pair["measure_b"]]


def _measures(agreement: "Agreement") -> str:
    return f"{len(agreement.measures)} measures"
