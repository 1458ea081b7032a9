"""Which α to record and how often, beside the design of a description: what each gives, and what it costs.

The planner proposes (:mod:`fairviz.experiments.planning`); here every proposal has the bill of the description that
would follow it, with what is answered already.
"""

from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

from fairviz.display.table import Column, Table
from fairviz.errors import UsageError
from fairviz.experiments.bill import DUE, Bill, bill, whole
from fairviz.experiments.planning import Proposal
from fairviz.experiments.rankings.design import Design
from fairviz.experiments.rankings.source import RankingSource
from fairviz.experiments.runner import Experiment
from fairviz.experiments.toml_lines import with_values

PRESENT = "present design"


class Choices(NamedTuple):
    """The design of a description, and those that the planner proposes.

    Attributes:
        design: What they give.
        bills: What each costs: that of the description, then those of the proposals.
    """

    design: Design
    bills: tuple[Bill, ...]

    @property
    def all(self) -> tuple[Proposal, ...]:
        """The design of the description, then the proposals."""
        return (self.design.present, *self.design.proposals)


def choices(experiment: Experiment, *, half_width: float) -> Choices:
    """Designs under which EU is known to ± half_width at every α between those of the description.

    Args:
        experiment: Of the kind rankings.
        half_width: Half the width that the 95 % interval of EU may have.

    Raises:
        UsageError: It is of another kind.
        UndefinedError: It samples no rankings, or asks fewer than two questions.
    """
    source = experiment.source
    if not isinstance(source, RankingSource):
        raise UsageError("--half-width: designs are about sampled rankings; this description has another kind")
    found = source.design(experiment.answers, half_width=half_width)
    bills = [bill(experiment)]
    for one in found.proposals:
        followed = copy(experiment)
        followed.source = source.redesigned(one.alphas, one.n_samples)
        bills.append(bill(followed))
    return Choices(found, tuple(bills))


def redesigned_text(text: str, proposal: Proposal) -> str:
    """The description that follows a proposal; all else stays as it was written.

    Args:
        text: The TOML text of the description.
        proposal: The design.
    """
    return with_values(text, {"alphas": f"[{alphas_text(proposal.alphas)}]", "n_samples": str(proposal.n_samples)})


def alphas_text(alphas: Sequence[float]) -> str:
    """α as they are read and written.

    Examples:
        >>> alphas_text([0.0, 0.5, 4.0])
        '0, 0.5, 4'
    """
    return ", ".join(f"{alpha:g}" for alpha in alphas)


def design_table(found: Choices) -> Table:
    """A row per design: that of the description, then the proposals, the cheapest first.

    Calls, tokens, cost and seconds are those that are still due, labels and all policies included; no language model,
    no calls.
    """
    asks = bool(found.bills[0].charges)
    names = [PRESENT, *(f"proposal {number}" for number in range(1, len(found.design.proposals) + 1))]
    return Table(
        columns=(
            Column("design"),
            Column("alphas", "α to record"),
            Column("n_samples", "samples per question and α", kind="number"),
            Column("half_width", "EU: 95 % interval ±", kind="number"),
            Column("n_effective", "smallest effective sample size", kind="number"),
            *(DUE if asks else (Column("calls", "distinct rankings", kind="number"),)),
        ),
        rows=tuple(
            (
                name,
                alphas_text(one.alphas),
                one.n_samples,
                round(one.half_width, 4),
                round(one.n_effective, 1),
                *(
                    (due.n_missing, due.prompt_tokens, due.completion_tokens, due.cost, whole(due.seconds))
                    if asks
                    else (one.calls,)
                ),
            )
            for name, one, due in zip(names, found.all, found.bills, strict=True)
        ),
        caption="Designs under which EU is known at every α between the least and the largest of the description.",
        decimals=4,
    )
