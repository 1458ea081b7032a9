"""What agreement of measures says, in sentences computed from it."""

from collections.abc import Sequence

import numpy as np

from fairviz.display.words import count_word, listing, number, plural
from fairviz.evaluation.compare import short_names
from fairviz.stats.correlation import chance_tau
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.agreement.pairs import Agreement, ConsistentPair, PairAgreement


def agreement_title(agreement: Agreement) -> str:
    """The finding: which two measures disagree on the order of systems, else how many agree.

    Significant accounts for the number of pairs that were looked at.
    """
    known, apart = agreement.told, agreement.beyond_chance
    n = _n_systems(agreement)
    if n < 2:
        return (
            "One system has no order that measures could agree on" if n else "Nothing to compare: no system has a value"
        )
    if not agreement.defined:
        return f"No two measures order the {n} systems: values are undefined or equal"
    if not known:
        return f"Too few queries to compare measures: under {count_word(MIN_UNITS)}"
    if apart and apart[0].tau < 0:
        a, b = _named(apart[0], agreement)
        return f"{a} and {b} disagree on the order of the {n} systems (τ = {number(apart[0].tau, 2)})"
    if np.isnan(chance_tau(n, level=0.05 / len(known))):
        return f"With {n} systems we cannot say which of {_measures(agreement)} agree"
    if len(apart) == len(known):
        least = number(apart[0].tau, 2)
        return f"All {_measures(agreement)} agree on the order of the {n} systems (τ at least {least})"
    if not apart:
        return f"No two of {_measures(agreement)} agree or disagree significantly on the order of the {n} systems"
    agree = f"agree{'s' if len(apart) == 1 else ''} significantly on the order of the {n} systems"
    return f"{len(apart)} of {plural(len(known), 'pair')} of measures {agree}, none disagrees"


def agreement_sentence(agreement: Agreement, n_refused: int = 0) -> str:
    """The grey line: what is counted, how it is turned, what is missing."""
    undefined = len(agreement.pairs) - len(agreement.defined)
    missing = f" {plural(undefined, 'pair')} undefined (hatched)." if undefined else ""
    refused = f" {plural(n_refused, 'measure')} could not be computed." if n_refused else ""
    return (
        f"Kendall's τ-{agreement.variant} between measures over "
        f"{plural(_n_systems(agreement), 'system')}, each "
        "turned so that higher is closer to its own ideal. 1: same order. 0: unrelated. "
        f"{number(-1, 0)}: reversed.{missing}{refused}"
    )


def choice_sentences(agreement: Agreement) -> tuple[str, ...]:
    """What the agreement means for somebody who has to choose a measure."""
    known = agreement.told
    if not known:
        return ("Choosing a measure is choosing a question; these systems cannot show it.",)
    sentences = ["Choosing a measure is choosing a question."]
    apart = agreement.beyond_chance
    if apart and apart[-1].tau > 0:
        a, b = _named(apart[-1], agreement)
        sentences.append(
            f"{a} and {b} order the systems most alike (τ = {number(apart[-1].tau, 2)}): reporting both adds little."
        )
    if known[0].tau < 0:
        a, b = _named(known[0], agreement)
        beyond = "" if apart and apart[0] == known[0] else ", not significant"
        sentences.append(
            f"{a} and {b} disagree most (τ = {number(known[0].tau, 2)}{beyond}): report both, or say why one is enough."
        )
    return (*sentences, chance_sentence(agreement))


def chance_sentence(agreement: Agreement) -> str:
    """Which |τ| chance alone often gives with so many systems, and among so many pairs."""
    n, n_pairs = _n_systems(agreement), len(agreement.told)
    limit = chance_tau(n)
    if np.isnan(limit):
        return f"With {plural(n, 'system')} even τ = 1 can be chance (5 % level)."
    most = round(0.05 * n_pairs)
    among = f" Of {n_pairs} pairs expect up to {count_word(most)} beyond that by luck." if most else ""
    return f"With {n} systems, |τ| under {number(limit, 2)} can be chance (5 % level, no ties).{among}"


def consistent_title(pairs: Sequence[ConsistentPair], data_sets: Sequence[str]) -> str:
    """Whether what holds on one data set holds on the others: pairs that agree, or disagree, significantly in all.

    Examples:
        >>> consistent_title([ConsistentPair("EEL", "AWRF", (0.8, 0.6), True)], ["region", "size"])
        '1 pair of measures agrees significantly by region and by size, none disagrees'
        >>> consistent_title([], ["region", "size"])
        'No pair of measures agrees or disagrees significantly by region and by size'
    """
    where = listing([f"by {name}" for name in data_sets])
    found = [pair for pair in pairs if pair.beyond_chance]
    n_agree = sum(pair.agrees for pair in found)
    n_opposed = len(found) - n_agree
    if not found:
        return f"No pair of measures agrees or disagrees significantly {where}"
    agree = f"{plural(n_agree, 'pair of measures agrees', 'pairs of measures agree')} significantly {where}"
    if not n_agree:
        return f"{plural(n_opposed, 'pair of measures disagrees', 'pairs of measures disagree')} significantly {where}"
    return f"{agree}, {count_word(n_opposed) if n_opposed else 'none'} disagree{'' if n_opposed > 1 else 's'}"


def consistent_sentence(pairs: Sequence[ConsistentPair], data_sets: Sequence[str]) -> str:
    """Which pairs agree beyond chance in all data sets, the strongest named.

    One sign everywhere is what half of all unrelated pairs have in two data sets, so it is counted and nothing more.
    """
    n = len(data_sets)
    where = f"{'both' if n == 2 else f'all {n}'} data sets ({listing(list(data_sets))})"
    agreeing = [pair for pair in pairs if pair.agrees and pair.beyond_chance]
    opposed = [pair for pair in pairs if not pair.agrees and pair.beyond_chance]
    if not pairs:
        return f"No pair of measures has one sign of τ in {where}."
    if not agreeing and not opposed:
        signs = plural(len(pairs), "pair of measures has", "pairs of measures have")
        return f"{signs} one sign of τ in {where}, none of them significantly."
    sentences: list[str] = []
    if agreeing:
        best = agreeing[0]
        sentences.append(
            f"{plural(len(agreeing), 'pair of measures agrees', 'pairs of measures agree')} significantly in "
            f"{where}: most of all {_pair(best)}, τ at least {number(best.weakest, 2)}."
        )
    if opposed:
        worst = opposed[0]
        rest = "" if sentences else f" in {where}"
        sentences.append(
            f"{plural(len(opposed), 'pair opposes', 'pairs oppose')} each other significantly throughout{rest}: "
            f"most of all {_pair(worst)}, τ at most {number(-worst.weakest, 2)}."
        )
    return " ".join(sentences)


def _pair(pair: ConsistentPair) -> str:
    return " and ".join(short_names((pair.measure_a, pair.measure_b)))


def _named(pair: PairAgreement, agreement: Agreement) -> tuple[str, str]:
    names = dict(zip(agreement.measures, short_names(agreement.measures), strict=True))
    return names[pair.measure_a], names[pair.measure_b]


def _n_systems(agreement: Agreement) -> int:
    return max((pair.n_systems for pair in agreement.pairs), default=0)


def _measures(agreement: Agreement) -> str:
    return f"{len(agreement.measures)} measures"
