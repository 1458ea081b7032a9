"""What a report is asked for: with the files, all that its numbers depend on."""

from dataclasses import dataclass

from fairviz.display.methods import AgainstTarget
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import MeasureSpec
from fairviz.studies.demographic_qa.settings import VariantsSettings
from fairviz.studies.policy_lab.settings import DEEPEST, PolicyLabSettings
from fairviz.studies.shared import USUAL_K, AlongAlpha, Naming, Proposing
from fairviz.studies.social_bias.settings import BiasSettings
from fairviz.studies.study import of_files, option

MOST = 10_000
"""Measures and alphas of a request, and documents that a context holds: computing more is nobody's wish."""


@dataclass(frozen=True, kw_only=True)
class Request(Proposing, Naming, AlongAlpha):
    """Measures, curves, prices and the use of context.

    Attributes:
        judgements: Place of those that the curves of the first run are measured against.
        against: Groups and target.
        bias, variants: How recorded answers to questions are read, where their numbers belong to what is asked for.
    """

    measures: tuple[str, ...] = option(
        (),
        "a measure, or a list of them; may be given more than once; default: those that the files allow of nDCG, EE-D, "
        "EE-R, AWRF, EU, EAR and EAE-D",
        flags=("-m", "--measure"),
        metavar="MEASURE",
    )
    k: int = option(USUAL_K, "items that a reader or a context sees", low=1, high=MOST)
    ranks: int = option(
        PolicyLabSettings.k, "ranks that count where attention is shared among groups", low=1, high=DEEPEST
    )
    against_answers: str = option(
        "",
        "what answers to questions are compared with, as bias and variants have it",
        flags=("--against",),
        metavar="COLUMN=VALUE",
    )
    seed: int = option(0, "seed of the bootstrap over queries")
    judgements: int = of_files(0)
    against: AgainstTarget | None = of_files()
    bias: BiasSettings | None = of_files()
    variants: VariantsSettings | None = of_files()

    @property
    def specs(self) -> tuple[MeasureSpec, ...]:
        """The measures, read."""
        return tuple(parse_measures(list(self.measures))) if self.measures else ()
