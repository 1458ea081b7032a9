"""How far measures agree on the order of systems: every measure of every system, taken against one target.

What no target moves is measured once for all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairviz.display.methods import AgainstTarget
from fairviz.display.words import Finding
from fairviz.errors import UndefinedError, UsageError
from fairviz.evaluation.compare import measured_systems
from fairviz.evaluation.evaluate import Evaluation, evaluate
from fairviz.evaluation.joins import of_collection
from fairviz.evaluation.rankings import Refusal
from fairviz.evaluation.systems import rankings_by_alpha
from fairviz.kernels.grouping import Preset
from fairviz.metrics.spec import parse_measures
from fairviz.model import Dataset, Note, RankingSample, Run, Target
from fairviz.remembered import remembered
from fairviz.stats.correlation import chance_tau
from fairviz.studies.agreement import columns
from fairviz.studies.agreement.findings import (
    agreement_sentence,
    agreement_title,
    choice_sentences,
    consistent_sentence,
    consistent_title,
)
from fairviz.studies.agreement.pairs import (
    Agreement,
    ConsistentPair,
    Measured,
    agreement,
    agreement_measures,
    consistent_pairs,
)
from fairviz.studies.agreement.settings import AgreementSettings
from fairviz.studies.study import Analysis, Chart


@dataclass(frozen=True, kw_only=True)
class AgreementAnalysis(Analysis):
    """How measures agree, and the values that this is of.

    Attributes:
        measured: Values of each data set, a set of groups each.
        agreements: τ on each.
        consistent: Pairs with one sign of τ in all of them, where there are several.
    """

    measured: tuple[Measured, ...]
    agreements: tuple[Agreement, ...]
    consistent: tuple[ConsistentPair, ...]


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
    if not systems_judged(data, settings.judgements):
        raise UndefinedError("there are no rankings to compare: give RUN")
    texts = settings.measures or agreement_measures(settings.k, judged=bool(data.qrels))
    sets = (settings.against, *settings.beside)
    measured = tuple(_measured(data, against, settings.judgements, texts) for against in sets)
    if not measured[0].scores:
        refusal = measured[0].refused[0]
        raise UsageError(": ".join(filter(None, (_named(refusal), refusal.fix))))
    agreements = tuple(agreement(one.table, variant=settings.tau) for one in measured)
    consistent = consistent_pairs(agreements) if len(agreements) > 1 else ()
    notes = [note for one in measured for note in one.notes]
    notes += _refusal_notes([refusal for one in measured for refusal in one.refused])
    return AgreementAnalysis(
        findings=_findings(agreements, consistent, measured[0]),
        tables=columns.tables(measured, agreements, consistent),
        charts={one.name: Chart("agreement", "agreement", (one,)) for one in agreements},
        notes=(*notes, *_few_systems(measured[0].table.systems)),
        measured=measured,
        agreements=agreements,
        consistent=consistent,
    )


def _findings(
    agreements: Sequence[Agreement], consistent: Sequence[ConsistentPair], measured: Measured
) -> tuple[Finding, ...]:
    first = agreements[0]
    n_refused = len({refusal.measure for refusal in measured.refused})
    said = Finding(agreement_title(first), agreement_sentence(first, n_refused))
    choice = Finding("What this means for a choice", " ".join(choice_sentences(first)))
    if len(agreements) == 1:
        return (said, choice)
    names = [one.name for one in agreements]
    return (said, choice, Finding(consistent_title(consistent, names), consistent_sentence(consistent, names)))


def systems_judged(data: Dataset, judgements: int) -> list[Run | RankingSample]:
    """Rankings of the collection of some judgements, all without judgements."""
    return of_collection(rankings_by_alpha(data), data.qrels[judgements : judgements + 1])


@remembered
def unmoved(data: Dataset, attribute: int | None, judgements: int, measures: tuple[str, ...]) -> Evaluation:
    """Measures that no target moves; those that need one are among the refused."""
    return _evaluated(data, attribute, judgements, measures, None)


@remembered
def _measured(data: Dataset, against: AgainstTarget | None, judgements: int, measures: tuple[str, ...]) -> Measured:
    """Every measure; what the data do not allow is refused with a reason."""
    attribute = None if against is None else against.attribute
    fixed = unmoved(data, attribute, judgements, measures)
    refused = {refusal.measure for refusal in fixed.refused}
    moving = tuple(text for spec in parse_measures(measures) if (text := spec.text or spec.name) in refused)
    target = None if against is None else against.shares(data) or "uniform"
    found = _evaluated(data, attribute, judgements, moving, target)
    scores = (*(one for one in fixed.averaged if one.measure not in refused), *found.averaged)
    judged = [qrels.generator or qrels.name for qrels in data.qrels[judgements : judgements + 1]]
    name = data.labels[attribute].attribute if attribute is not None else next(iter(judged), "data")
    table = measured_systems(name, scores, parse_measures(measures))
    return Measured(table, scores, found.refused, (*fixed.notes, *found.notes))


def _evaluated(
    data: Dataset, attribute: int | None, judgements: int, measures: Sequence[str], target: Target | Preset | None
) -> Evaluation:
    return evaluate(
        systems_judged(data, judgements),
        parse_measures(list(measures)) if measures else (),
        qrels=data.qrels[judgements : judgements + 1],
        labels=None if attribute is None else data.labels[attribute],
        target=target,
        refuse=False,
    )


def _refusal_notes(refused: Sequence[Refusal]) -> list[Note]:
    """Each reason once: most refusals are alike for all systems."""
    once: dict[str, str] = {}
    for refusal in refused:
        once.setdefault(_named(refusal), refusal.system)
    return [Note(system, None, f"left out: {reason}") for reason, system in once.items()]


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
