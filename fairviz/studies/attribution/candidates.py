"""What could have been given to a generator: one pool for all that is recorded of it, so that α moves EE-D alone.

Where outputs record their lists and no run is there, the lists of one α show some of the candidates only: few at a
large α, more at a small one. EE-D scaled by each one's own pool would move with the pool. All lists of one task,
retriever and generator are candidates of each of them: every policy, every α, the deterministic list and the oracle.
"""

from collections.abc import Sequence
from typing import TypeAlias

from fairviz.attribution import attribution
from fairviz.errors import UndefinedError
from fairviz.model import RagOutputs, RankingSample, Run, everything

Candidates: TypeAlias = Run | RankingSample


def shared_candidates(
    outputs: Sequence[RagOutputs], paired: Sequence[Candidates | None], *, k: int
) -> tuple[Candidates | None, ...]:
    """The candidates of each set of outputs, for ``output_points``.

    Args:
        outputs: In any order.
        paired: The ranking that each was made from, where it is known.
        k: Items that a context holds.

    Returns:
        What all outputs of a model (:func:`model_of`) were made from, where that is one ranking, or else all that they
        were given; None where nothing says what that is.
    """
    models = [model_of(one) for one in outputs]
    known: dict[Model, Candidates | None] = {}
    for model in dict.fromkeys(models):
        members = [(one, fed) for one, fed, own in zip(outputs, paired, models, strict=True) if own == model]
        known[model] = _shared(members, k)
    return tuple(known[model] for model in models)


Model: TypeAlias = tuple[str | None, str | None, str | None, str | None]


def model_of(outputs: RagOutputs) -> Model:
    """Task, data set, retriever and generator; outputs that name none are models by the name of their system."""
    named = (outputs.task, outputs.dataset, outputs.retriever, outputs.generator)
    return named if any(named) else (None, None, None, outputs.system)


def source_of(fed: Candidates | None) -> Candidates | None:
    """Where the lists that were given came from: the run that a sample was drawn from, if it is known."""
    return fed.source or fed if isinstance(fed, RankingSample) else fed


def one_source(feds: Sequence[Candidates | None]) -> Candidates | None:
    """What all lists came from; None where it is not one, or not known."""
    sources = [source_of(fed) for fed in feds]
    return sources[0] if all(source is sources[0] for source in sources) else None


def _shared(members: Sequence[tuple[RagOutputs, Candidates | None]], k: int) -> Candidates | None:
    return one_source([fed for _, fed in members]) or all_given(members, k)


def all_given(members: Sequence[tuple[RagOutputs, Candidates | None]], k: int) -> RankingSample | None:
    """All that some outputs were given, and where it came from; None where nothing says what that is."""
    lists: list[Candidates] = []
    for one, fed in members:
        source = source_of(fed)
        try:
            lists += [attribution(one, k=k, paired=fed).given, *([source] if source is not None else [])]
        except (UndefinedError, ValueError):  # nothing says what it was given: it has no EE-D
            continue
    return everything(lists) if lists else None
