"""Rows of answers to variants, of settings as keywords."""

from collections.abc import Callable, Sequence

from fairviz.model import Qrels, VariantAnswers
from fairviz.stats.bootstrap import Resampling
from fairviz.studies.demographic_qa.answers import Record
from fairviz.studies.demographic_qa.rows import counts_of, rows_of
from fairviz.studies.demographic_qa.settings import VariantsSettings


def variant_rows(
    answers: VariantAnswers,
    *,
    by: Sequence[str] = (),
    attribute: str = "",
    pooled: bool = False,
    qrels: Qrels | None = None,
    n_resamples: int = Resampling(0).n_resamples,
    n_permutations: int = Resampling(0).n_permutations,
    **settings: object,
) -> list[Record]:
    """Rows by attribute, or of one; a vote is measured where it is said who votes."""
    wanted: Callable[[str], bool] = (lambda name: name == attribute) if attribute else bool
    how = VariantsSettings.of(settings)
    voters = (how.vote,) if "vote" in settings else ()
    resampling = Resampling(how.seed, n_resamples, n_permutations)
    counts = counts_of(answers, how, by, voters=voters, pooled=pooled, qrels=qrels, resampling=resampling)
    return rows_of(counts, wanted=wanted)
