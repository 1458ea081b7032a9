"""Rows of answers to variants, of settings as keywords."""

from collections.abc import Callable, Sequence

from fairviz.model import Qrels, VariantAnswers
from fairviz.stats.bootstrap import N_RESAMPLES
from fairviz.studies.demographic_qa import rows
from fairviz.studies.demographic_qa.chance import N_PERMUTATIONS
from fairviz.studies.demographic_qa.frames import Record
from fairviz.studies.demographic_qa.settings import VariantsSettings


def variant_rows(
    answers: VariantAnswers,
    *,
    by: Sequence[str] = (),
    attribute: str = "",
    pooled: bool = False,
    qrels: Qrels | None = None,
    n_resamples: int = N_RESAMPLES,
    n_permutations: int = N_PERMUTATIONS,
    **settings: object,
) -> list[Record]:
    """Rows by attribute, or of one; a vote is measured where it is said who votes."""
    wanted: Callable[[str], bool] = (lambda name: name == attribute) if attribute else bool
    return rows.variant_rows(
        answers,
        VariantsSettings.of(settings),
        by,
        vote="vote" in settings,
        pooled=pooled,
        wanted=wanted,
        qrels=qrels,
        n_resamples=n_resamples,
        n_permutations=n_permutations,
    )
